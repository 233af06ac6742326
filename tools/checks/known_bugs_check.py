#!/usr/bin/env python3
"""Holds docs/coverage_of_known_bugs.md: every case that it names is in the quick or standard tier, no thread stands there twice, and
there are at least 60. With ASSAY: the cases of a row find the defect where it is one of the targets mutant:history/NAME.

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


def missed_by(assay, page, source):
    """The problems of rows whose defect is a target of history_combinations.cc."""
    rows = [ROW.match(row) for row in rows_of(page)]
    cases = {target_of(row[1]): row[3] for row in rows if row}
    problems = []
    for name in re.findall(r'"history/(\w+)"', source):
        if name not in cases:
            problems.append(f'history/{name} has no row')
            continue
        run = subprocess.run([assay, 'test', '--target', f'mutant:history/{name}', '--profile', 'cpu-strict', '--tier', 'standard',
                              '--filter', cases[name]], capture_output=True, text=True)
        if run.returncode != 1 or ' wrong' not in run.stdout:
            problems.append(f'the cases {cases[name]} do not find history/{name}:\n{run.stdout}{run.stderr}')
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
    if len(sys.argv) > 2:
        problems = missed_by(sys.argv[2], page, (root / 'fuzz/score/history_combinations.cc').read_text(encoding='utf-8'))
    else:
        problems = problems_of(page, cases)
    for problem in problems:
        print(f'docs/coverage_of_known_bugs.md: {problem}')
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
