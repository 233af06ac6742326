#!/usr/bin/env python3
"""Keeps docs/operations.md: the catalogue, and every section of XLA's documents with the test that holds its example.

usage: sections_check.py [--write] ROOT ASSAY TEST_BINARY...

docs/seed_sections.tsv has a row per section: document, number, section, builder functions, operations, how its test goes
(run: the interpreter runs it; text: it is about words), tests. Fails when a
section has no row, a row no test, a test does not exist in the binaries, or the page is stale. Also holds the program of
docs/builder.md against the test that compiles it.
"""
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402

# Headings of each document.
SECTIONS = {'000': 34, '001': 7, '002': 5, '003': 148, '004': 43}
TITLES = {'000': 'operation semantics, 2017', '001': 'shapes and layout', '002': 'tensors and views',
          '003': 'operation semantics, today', '004': 'operation semantics, 2018'}
COLUMNS = ['document', 'number', 'section', 'functions', 'operations', 'how', 'tests']
HOW = {'run': 'run', 'text': 'checked'}


def read_rows(path, problems):
    lines = path.read_text(encoding='utf-8').splitlines()
    if lines[0].split('\t') != COLUMNS:
        problems.append(f'{path.name}: the columns must be {COLUMNS}')
    rows = []
    for number, line in enumerate(lines[1:], 2):
        fields = line.split('\t')
        if len(fields) != len(COLUMNS):
            problems.append(f'{path.name}:{number}: {len(fields)} fields, not {len(COLUMNS)}')
            continue
        rows.append(dict(zip(COLUMNS, fields)))
    return rows


def check_sections(rows, problems):
    expected = [(document, str(i + 1)) for document, count in SECTIONS.items() for i in range(count)]
    found = [(row['document'], row['number']) for row in rows]
    for key in expected:
        if found.count(key) != 1:
            problems.append(f'section {key[1]} of {key[0]} has {found.count(key)} rows')
    for key in found:
        if key not in expected:
            problems.append(f'there is no section {key[1]} of {key[0]}')


def check_rows(rows, functions, opcodes, tests, problems):
    for row in rows:
        where = f'{row["document"]}.{row["number"]} {row["section"]}'
        if row['how'] not in HOW:
            problems.append(f'{where}: {row["how"]} is none of {", ".join(HOW)}')
        for function in filter(None, row['functions'].split(' ')):
            if function not in functions:
                problems.append(f'{where}: spec/builder declares no {function}')
        for opcode in filter(None, row['operations'].split(' ')):
            if opcode not in opcodes:
                problems.append(f'{where}: there is no operation {opcode}')
        names = row['tests'].split(' ') if row['tests'] else []
        if not names:
            problems.append(f'{where}: no test')
        for name in names:
            if name not in tests:
                problems.append(f'{where}: no test binary has {name}')
    named = {name for row in rows for name in row['tests'].split(' ')}
    for name in sorted(tests):
        if name.startswith('Seed') and name not in named:
            problems.append(f'{name} is the test of no section')


def builder_functions(root):
    headers = [path.read_text(encoding='utf-8') for path in sorted((root / 'spec/builder').glob('*.h'))]
    functions = set(re.findall(r'^Op (\w+)\(', '\n'.join(headers), re.M))
    catalogue = (root / 'spec/elementwise.def').read_text(encoding='utf-8')
    functions.update(re.findall(r'^ELEMENTWISE\(k\w+, \w+, \w+, (\w+),', catalogue, re.M))
    rows = (root / 'spec/builder/elementwise_functions.def').read_text(encoding='utf-8')
    for kind, name in re.findall(r'^([A-Z]+)\((\w+), k', rows, re.M):
        functions.update([name, name + 'TotalOrder'] if kind == 'COMPARISON' else [name])
    return functions


def list_tests(binaries):
    tests = set()
    for binary in binaries:
        suite = ''
        listed = subprocess.run([binary, '--gtest_list_tests'], check=True, capture_output=True, text=True).stdout
        for line in listed.splitlines():
            name = line.split('#')[0].strip()
            if not line.startswith(' '):
                suite = name
            elif name:
                tests.add(suite + name)
    return tests


def check_program(root, problems):
    page = (root / 'docs/builder.md').read_text(encoding='utf-8')
    program = page.split('```cpp\n')[1].split('```')[0]
    if program not in (root / 'conformance/seeds/builder_example_test.cc').read_text(encoding='utf-8'):
        problems.append('docs/builder.md: its program is not that of conformance/seeds/builder_example_test.cc')


def markdown(catalogue, rows):
    lines = [catalogue.rstrip('\n'), '', '## Sections of the documents', '',
             *pages.paragraph(
                 'Every heading of the documents that Assay was built from, the builder functions that it describes, the operations '
                 'that they stand for, and the tests with its examples (`docs/seed_sections.tsv`, kept by '
                 '`tools/checks/sections_check.py`).')]
    for document, title in TITLES.items():
        lines += ['', f'### {document}: {title}', '', '| # | section | functions | operations | tests | |', '|---|---|---|---|---|---|']
        for row in rows:
            if row['document'] == document:
                code = [' '.join(f'`{word}`' for word in row[column].split(' ') if word)
                        for column in ('functions', 'operations', 'tests')]
                lines.append(f'| {row["number"]} | {row["section"]} | {" | ".join(code)} | {HOW.get(row["how"], "")} |')
    return '\n'.join(lines) + '\n'


def main():
    write = '--write' in sys.argv
    root, assay, *binaries = [argument for argument in sys.argv[1:] if argument != '--write']
    root = pathlib.Path(root)
    problems = []
    rows = read_rows(root / 'docs/seed_sections.tsv', problems)
    check_sections(rows, problems)
    catalogue = subprocess.run([assay, 'ops', '--markdown'], check=True, capture_output=True, text=True).stdout
    opcodes = {line.split('`')[1] for line in catalogue.splitlines() if line.startswith('| `')}
    check_rows(rows, builder_functions(root), opcodes, list_tests(binaries), problems)
    check_program(root, problems)
    return pages.finish(root / 'docs/operations.md', markdown(catalogue, rows), write, 'build the target operations_page',
                        f'{len(rows)} sections', problems)


if __name__ == '__main__':
    sys.exit(main())
