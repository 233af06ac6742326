#!/usr/bin/env python3
"""The tables of speeds in docs/performance.md.

usage: performance_table.py ROOT [JSON]

Without JSON: checks that the page has a row for every row of interpreter/performance_bench.cc and nothing else. With it, what
`build/release/bench/performance_bench --benchmark_format=json` printed (best with --benchmark_repetitions=5
--benchmark_enable_random_interleaving=true): writes the tables, from the least time of the repetitions.
"""
import json
import pathlib
import re
import statistics
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402

PAGE, SOURCE = 'docs/performance.md', 'interpreter/performance_bench.cc'
ROW, FUNCTION = re.compile(r'^    \{"([^"]+)", "', re.M), re.compile(r'^    FUNCTION\("([^"]+)"', re.M)
PEAKS = {'bytes': ('memcpy, bytes read and written', 1e9, 'GB/s'), 'f32': ('multiply-adds f32', 1e9, 'G/s'),
         'f64': ('multiply-adds f64', 1e9, 'G/s'), 'random': ('reads at random of 4 MB', 1e6, 'M/s')}


def rows_of(root):
    source = (root / SOURCE).read_text(encoding='utf-8')
    return ROW.findall(source) + [name + ' f64' for name in FUNCTION.findall(source)]


def read(path):
    """(kind, name) -> the run that took least, kinds assay and loop; (peak, threads) -> units a second."""
    runs, peaks = {}, {}
    for run in json.loads(path.read_text(encoding='utf-8'))['benchmarks']:
        if run['run_type'] != 'iteration':
            continue
        kind, name = run['run_name'].split('/')[:2]
        if run.get('error_occurred'):
            raise SystemExit(f'{kind} {name}: {run["error_message"]}')
        if kind == 'peak':
            key = (name, run['threads'])
            peaks[key] = max(peaks.get(key, 0), run['items_per_second'])
        elif (kind, name) not in runs or run['per_unit'] < runs[kind, name]['per_unit']:
            runs[kind, name] = run
    return runs, peaks


def rate(per_second):
    return f'{per_second / 1e9:.2f} G' if per_second >= 1e9 else f'{per_second / 1e6:.1f} M'


def bound(run, peaks, threads):
    """(seconds that a unit takes at least, what limits it); (0, '') where nothing is known."""
    name = run['label'].split(';')[2]
    bounds = [(run['bytes'] / peaks['bytes', threads], 'memory')]
    if run['operations']:
        bounds.append((run['operations'] / peaks[name, threads], 'random reads' if name == 'random' else f'multiply-adds {name}'))
    return max(bounds)


def verdict(run, runs, peaks, name):
    """(what is wanted, whether it is met)"""
    wanted, figure, cost = run['label'].split(';')[1], run['figure'], run['per_unit']
    if wanted in ('rate', 'function'):
        return f'{rate(figure)}/s', 1 / cost >= figure
    if wanted == 'copy':
        return f'{figure:g} x memcpy', cost <= figure * run['bytes'] / peaks['bytes', 1]
    if wanted == 'loop':
        return f'{figure:g} x loop', cost <= figure * runs['loop', name]['per_unit']
    if wanted == 'dot f32':
        return f'{figure:g} x dot', cost <= figure * runs['assay', 'dot f32']['per_unit']
    return '', None


def markdown(names, runs, peaks):
    threads = max(threads for _, threads in peaks)
    lines = [f'| the machine | 1 thread | {threads} threads |', '|---|---|---|']
    for name, (title, unit, symbol) in PEAKS.items():
        lines.append(f'| {title} | {peaks[name, 1] / unit:.1f} {symbol} | {peaks[name, threads] / unit:.1f} {symbol} |')
    lines += ['', '| row | unit | units/s | ns | of the bound | limited by | times memcpy | times the loop | wanted | met |',
              '|---|---|---|---|---|---|---|---|---|---|']
    functions = []
    for name in names:
        run = runs['assay', name]
        unit, cost = run['label'].split(';')[0], run['per_unit']
        least, limit = bound(run, peaks, threads)
        copy = run['bytes'] / peaks['bytes', 1]
        loop = runs.get(('loop', name))
        wanted, met = verdict(run, runs, peaks, name)
        if run['label'].split(';')[1] == 'function':
            functions.append(1 / cost)
        lines.append(f'| {name} | {unit} | {rate(1 / cost)} | {cost * 1e9:.2f} | ' +
                     (f'{least / cost:.0%} | {limit} | ' if least else ' | | ') +
                     (f'{cost / copy:.1f} | ' if copy else ' | ') + (f'{cost / loop["per_unit"]:.1f} | ' if loop else ' | ') +
                     f'{wanted} | {"" if met is None else "yes" if met else "**no**"} |')
    median = statistics.median(functions)
    lines += ['', f'Functions of f64: {rate(median)}/s in the median (wanted 6 M), {rate(min(functions))}/s the slowest (wanted 4 M).']
    return '\n'.join(lines) + '\n'


def main():
    root = pathlib.Path(sys.argv[1])
    table = pages.Part(root / PAGE, 'speeds', 'performance_table.py')
    if len(sys.argv) > 2:
        table.write(markdown(rows_of(root), *read(pathlib.Path(sys.argv[2]))))
    rows = table.text.partition('| row |')[2]
    named = {line.split('|')[1].strip() for line in rows.split('\n')[2:] if line.startswith('| ')}
    wrong = sorted(set(rows_of(root)) ^ named)
    return pages.report(f'{len(rows_of(root))} rows', [f'{PAGE}: {name} is not both in {SOURCE} and in the table' for name in wrong])


if __name__ == '__main__':
    sys.exit(main())
