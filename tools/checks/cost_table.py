#!/usr/bin/env python3
"""The table of costs in docs/benchmarks.md: one row or more for every opcode that works on data.

usage: cost_table.py ROOT [JSON]

Without JSON: checks that the page names every opcode of the catalogue and nothing else. With it, what
`build/release/bench/cost_bench --benchmark_format=json` printed (best with --benchmark_repetitions=3): writes the table.
"""
import json
import pathlib
import re
import statistics
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402

PAGE, CATALOGUE = 'docs/benchmarks.md', 'spec/op_catalogue.def'
WITHOUT = 'Without data of their own: '
OPCODE = re.compile(r'^OP\(\w+, "([\w-]+)"', re.M)


def opcodes(root):
    return set(OPCODE.findall((root / CATALOGUE).read_text(encoding='utf-8')))


def read_costs(path):
    """Title -> (unit, {size: ns per unit}), medians of the repetitions."""
    costs, units = {}, {}
    for run in json.loads(path.read_text(encoding='utf-8'))['benchmarks']:
        if run['run_type'] != 'iteration':
            continue
        title, _, size = run['run_name'].rpartition('/')
        if run.get('error_occurred'):
            raise SystemExit(f'{title}: {run["error_message"]}')
        units[title] = run['label']
        costs.setdefault(title, {}).setdefault(int(size), []).append(run['per_unit'] * 1e9)
    return {title: (units[title], {size: statistics.median(runs) for size, runs in by_size.items()})
            for title, by_size in costs.items()}


def markdown(root, costs):
    sizes = sorted(next(iter(costs.values()))[1])
    lines = ['| opcode | unit | ' + ' | '.join(f'ns, {size:,} elements' for size in sizes) + ' | growth |', '|---|---|---|---|---|']
    for title in sorted(costs):
        unit, by_size = costs[title]
        small, large = (by_size[size] for size in sizes)
        lines.append(f'| {title} | {unit} | {small:.2f} | {large:.2f} | {large / small:.2f} |')
    rest = opcodes(root) - {title.partition(',')[0] for title in costs}
    return '\n'.join([*lines, '', *pages.paragraph(WITHOUT + ', '.join(sorted(rest)) + '.')]) + '\n'


def named(table):
    names = {line.split('|')[1].strip().partition(',')[0] for line in table.split('\n') if line.startswith('| ')}
    rest = table.partition(WITHOUT)[2].strip().rstrip('.')
    return (names - {'opcode'}) | set(re.split(r',\s+', rest))


def main():
    root = pathlib.Path(sys.argv[1])
    table = pages.Part(root / PAGE, 'costs', 'cost_table.py')
    if len(sys.argv) > 2:
        table.write(markdown(root, read_costs(pathlib.Path(sys.argv[2]))))
    wrong = sorted(opcodes(root) ^ named(table.text))
    return pages.report(f'{len(opcodes(root))} opcodes',
                        [f'{PAGE}: {name} is not both in the catalogue and in the table of costs' for name in wrong])


if __name__ == '__main__':
    sys.exit(main())
