#!/usr/bin/env python3
"""Counts the product files that name an elementwise function. A new one costs a row, one correctly rounded function and one line a
backend (docs/adding_an_op.md, "An elementwise function"); a list of opcodes anywhere else is a step back.

usage: op_files_check.py ROOT
"""
import pathlib
import re
import sys

# Functions without anything of their own: no singularity, no decision point, no idiom of compilers.
REPRESENTATIVE = ('acosh', 'asin', 'asinh', 'cbrt', 'erf', 'popcnt')
# The files of the table in docs/adding_an_op.md. What the function is as a real number is one folder.
FUNCTION = 'evaluator/real/'
PLACES = (
    'spec/op_catalogue.def', 'spec/elementwise.def', 'spec/stablehlo/dialect_ops.def', 'evaluator/scalar/scalar_ops.def', FUNCTION,
    'conformance/enclosure/complex_boxes.cc', 'backends/cpu/vector/kernels/functions.def', 'backends/cpu/vector/kernels/integers.cc',
    'backends/cuda/kernels/apply.h')
# Fast loops and rules that an operation may have and need not.
OPTIONAL = ('evaluator/kernels/native_loops.cc', 'conformance/judge/decision_points.cc')
MOST_PLACES = 8
MOST_FILES_OF_THE_FUNCTION = 9
# Tests, their oracles, mutants and generators of test programs.
TESTS = re.compile(r'_test\.cc$|_bench\.cc$|_testing\.h$|/testing/|^conformance/mutants/|^conformance/prove/|^fuzz/|'
                   r'^conformance/corpus/argument_ranges\.def$|^conformance/enclosure/admitted_values\.cc$|^evaluator/real/mpfr_\w+\.h$')
FOLDERS = ('spec', 'runtime', 'evaluator', 'interpreter', 'backends', 'conformance', 'tools')


def product_files(root):
    files = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            name = path.relative_to(root).as_posix()
            if path.suffix in ('.cc', '.h', '.def', '.cu') and not TESTS.search(name):
                files[name] = path.read_text(encoding='utf-8')
    return files


def check_function(name, enumerator, files, problems):
    named = [path for path, text in files.items() if re.search(rf'\b{enumerator}\b', text)]
    of_function = [path for path in named if path.startswith(FUNCTION)]
    rest = [path for path in named if not path.startswith(FUNCTION)]
    for path in rest:
        if path not in PLACES and path not in OPTIONAL:
            problems.append(f'{path} names {name}: what it knows of the function belongs into spec/elementwise.def')
    if len(rest) > MOST_PLACES:
        problems.append(f'{name} stands in {len(rest)} files, expected at most {MOST_PLACES}: {", ".join(rest)}')
    if len(of_function) > MOST_FILES_OF_THE_FUNCTION:
        problems.append(f'{name} stands in {len(of_function)} files of {FUNCTION}, expected at most {MOST_FILES_OF_THE_FUNCTION}: '
                        f'{", ".join(of_function)}')
    return rest, of_function


def main():
    root = pathlib.Path(sys.argv[1])
    catalogue = (root / 'spec/op_catalogue.def').read_text(encoding='utf-8')
    enumerators = {name: enumerator for enumerator, name in re.findall(r'^OP\((k\w+), "([^"]+)"', catalogue, re.M)}
    page = (root / 'docs/adding_an_op.md').read_text(encoding='utf-8')
    files = product_files(root)
    problems = [f'docs/adding_an_op.md does not mention {path}' for path in PLACES if f'`{path}`' not in page]
    for name in REPRESENTATIVE:
        rest, of_function = check_function(name, enumerators[name], files, problems)
        if not rest:
            problems.append(f'no file names {name}')
        print(f'{name}: {len(rest)} files, and {len(of_function)} of {FUNCTION}')
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
