#!/usr/bin/env python3
"""Holds docs/coverage_of_known_bugs.md: every case that it names is in the quick or standard tier, no thread stands there twice, there
are at least 60, and each is a target mutant:history/NAME of fuzz/score/history_*.cc, names the target of another row, or stands in the
list of rows without a target. With ASSAY: the cases of every row with a target find it.

usage: known_bugs_check.py ROOT [ASSAY]
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

LEAST = 60
ROW = re.compile(r'^\| ([\w.-]+/[\w.-]+#\d+) \| (.+) \| `([^`]+)` \|$')


def rows_of(page):
    return [line for line in page.split('\n') if line.startswith('| ') and not line.startswith('| thread ')]


def target_of(thread):
    """mutant:history/openxla_42732 for openxla/xla#42732."""
    owner, repository, number = re.split('[/#]', thread)
    owner = {'jax-ml': 'jax', 'openxla': 'stablehlo' if repository == 'stablehlo' else 'openxla'}.get(owner, owner)
    return f'{owner}_{number}'


def targets_of(page, names):
    """(target, thread, cases) of every row that has a target, and the threads of the others."""
    found, others = [], []
    for row in filter(None, map(ROW.match, rows_of(page))):
        thread, text, cases = row.groups()
        shared = re.search(r'`mutant:history/(\w+)`', text)
        target = shared[1] if shared else target_of(thread)
        if target in names:
            found.append((target, thread, cases))
        else:
            others.append(thread)
    return found, others


def without_target(page, names):
    """Problems of rows that have no target, of the list that says why, and of targets that have no row."""
    found, others = targets_of(page, names)
    listed = re.findall(r'^- ([\w.-]+/[\w.-]+#\d+):', page, re.MULTILINE)
    problems = [f'{thread} has no target and no reason for that' for thread in others if thread not in listed]
    problems += [f'{thread} is listed among the rows without a target, but is no such row' for thread in listed if thread not in others]
    rowless = names - {target for target, thread, _ in found if target == target_of(thread)}
    return problems + [f'history/{name} has no row' for name in sorted(rowless)]


def missed_by(assay, page, names):
    """The problems of rows whose cases do not find their target."""
    found, problems = targets_of(page, names)[0], []
    if not found:
        problems.append('no row has a target')
    for target, thread, cases in found:
        run = subprocess.run([assay, 'test', '--target', f'mutant:history/{target}', '--profile', 'cpu-strict', '--tier', 'standard',
                              '--filter', cases], capture_output=True, text=True)
        if run.returncode != 1 or ' wrong' not in run.stdout:
            problems.append(f'{thread}: the cases {cases} do not find history/{target}:\n{run.stdout}{run.stderr}')
    return problems


def problems_of(page, cases):
    rows = rows_of(page)
    threads, problems = set(), []
    for row in rows:
        match = ROW.match(row)
        if not match:
            problems.append(f'no row of the table: {row}')
            continue
        thread, _, case = match.groups()
        if thread in threads:
            problems.append(f'{thread} is listed twice')
        threads.add(thread)
        if not fnmatch.filter(cases, case):
            problems.append(f'{thread}: no case of the quick or standard tier is called {case}')
    if len(threads) < LEAST:
        problems.append(f'{len(threads)} threads, not {LEAST}')
    return problems


def main():
    root = pathlib.Path(sys.argv[1])
    lines = (root / 'conformance/corpus/manifest.tsv').read_text(encoding='utf-8').split('\n')
    cases = [line.split('\t')[0] for line in lines if line.endswith(('\tquick', '\tstandard'))]
    page = (root / 'docs/coverage_of_known_bugs.md').read_text(encoding='utf-8')
    sources = [path.read_text(encoding='utf-8') for path in sorted((root / 'fuzz/score').glob('history_*.cc'))]
    names = set(re.findall(r'"history/(\w+)"', ''.join(sources)))
    if len(sys.argv) > 2:
        problems = missed_by(sys.argv[2], page, names)
    else:
        problems = problems_of(page, cases) + without_target(page, names)
    for problem in problems:
        print(f'docs/coverage_of_known_bugs.md: {problem}')
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
