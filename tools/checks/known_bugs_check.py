#!/usr/bin/env python3
"""Holds docs/coverage_of_known_bugs.md: every case that it names is in the quick or standard tier, no thread stands there twice, and
there are at least 60.

usage: known_bugs_check.py ROOT
"""
import fnmatch
import pathlib
import re
import sys

LEAST = 60
ROW = re.compile(r'^\| ([\w.-]+/[\w.-]+#\d+) \| (.+) \| `([^`]+)` \|$')


def problems_of(page, cases):
    rows = [line for line in page.split('\n') if line.startswith('| ') and not line.startswith('| thread ')]
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
    problems = problems_of((root / 'docs/coverage_of_known_bugs.md').read_text(encoding='utf-8'), cases)
    for problem in problems:
        print(f'docs/coverage_of_known_bugs.md: {problem}')
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
