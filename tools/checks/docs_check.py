#!/usr/bin/env python3
"""Keeps the documents true: paths in backticks exist, the tests that comments name exist, and what docs/adding_an_op.md says of its
example holds.

usage: docs_check.py ROOT
"""
import pathlib
import re
import sys

# Made by the build or by the user, not part of the tree.
NOT_IN_TREE = ('build/', '/', '~', '$')
PATH = re.compile(r'`([A-Za-z0-9_.][\w./-]*/[\w./-]*)`')


def check_paths(root, problems):
    count = 0
    for document in [*root.glob('*.md'), *(root / 'docs').glob('*.md'), *(root / 'docs/semantics').glob('*.md')]:
        for path in PATH.findall(document.read_text(encoding='utf-8')):
            if path.startswith(NOT_IN_TREE):
                continue
            count += 1
            if not (root / path.rstrip('/')).exists():
                problems.append(f'{document.relative_to(root)}: there is no {path}')
    return count


def check_tests(root, problems):
    """The files that the comments at the heads of sources name after "Tests:"."""
    folders = [root / folder for folder in ('spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance', 'fuzz', 'tools', 'python', 'cmake')]
    files = [file for folder in folders for file in folder.rglob('*.*') if file.is_file()]
    names = {file.name for file in files}
    count = 0
    for file in files:
        if file.suffix not in ('.h', '.cc', '.def', '.py'):
            continue
        for listed in re.findall(r'(?:^|\s)Tests?:((?:\s|//|#|,|;|and|[\w/.-]+\.(?:cc|py|sh|cases))+)', file.read_text(encoding='utf-8')):
            for test in re.findall(r'([\w-]+\.(?:cc|py|sh|cases))', listed):
                count += 1
                if test not in names:
                    problems.append(f'{file.relative_to(root)}: there is no {test}')
    return count


def check_example(root, problems):
    """The example of adding_an_op.md: its row is in the catalogue, its functions where the page says."""
    page = (root / 'docs/adding_an_op.md').read_text(encoding='utf-8')
    catalogue = (root / 'spec/op_catalogue.def').read_text(encoding='utf-8')
    elementwise = (root / 'spec/elementwise.def').read_text(encoding='utf-8')
    for row in re.findall(r'^(?:OP|ELEMENTWISE)\(.*\)$', page, re.M):
        if row not in catalogue and row not in elementwise:
            problems.append(f'docs/adding_an_op.md: the catalogue has no row {row}')
    for needle, path in (('Rule<Opcode::kPad>', 'spec/ops/pad.cc'), ('"pad_c3"', 'spec/ops/pad.cc'),
                         ('DefinePad', 'evaluator/ops/pad.cc'), ('Pad', 'evaluator/ops/definitions.def'),
                         ('pad_c3', 'spec/verify/testdata/movement.cases')):
        file = root / path
        if needle not in page and needle.strip('"') not in page:
            problems.append(f'docs/adding_an_op.md no longer mentions {needle}')
        if not file.exists() or needle.strip('"') not in file.read_text(encoding='utf-8'):
            problems.append(f'{path} has no {needle}')


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    count = check_paths(root, problems)
    tests = check_tests(root, problems)
    check_example(root, problems)
    for problem in problems:
        print(problem)
    print(f'{count} paths and {tests} tests checked, {len(problems)} problems')
    return 1 if problems or count == 0 or tests == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
