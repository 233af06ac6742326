#!/usr/bin/env python3
"""Runs StableHLO's own self-checking programs (stablehlo/tests/interpret and stablehlo/testdata of its repository) as
they stand, and sorts what happens.

usage: stablehlo_testdata.py ASSAY --source DIR [--only PART] [--jobs N] [--verbose]

DIR is a checkout of StableHLO. Every program between `// -----` lines runs by its function main; a program without main
by each of its functions. A program passes when all its own checks hold. Those that need not pass have a reason below;
the exit code is 1 when another one does not.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FUNCTION = re.compile(r'func\.func (?:public |private )?@(?:"([^"]+)"|([A-Za-z0-9_.$-]+))')
# Programs of testdata whose expected values were computed in the arithmetic of the type, and are farther from the exact
# ones than the program allows: sums that cancel, long Fourier transforms, products of many factors, formulas of CHLO.
APPROXIMATE = set("""
    conv_general_dilated_float32_2_3_9_float32_12_1_3 cosh_float32_20_20_chlo cumprod_complex64_8_9
    cumsum_bfloat16_8_9 cumsum_complex64_8_9 cumsum_float32_8_9 dot_general_bfloat16_4_3_complex128_3_6
    dot_general_bfloat16_4_3_complex64_3_6 dot_general_float16_4_3_complex128_3_6
    dot_general_float16_4_3_complex64_3_6 dot_general_float32_4_3_complex128_3_6 dot_general_float32_4_3_complex64_3_6
    dot_general_int16_4_3_complex128_3_6 dot_general_int16_4_3_complex64_3_6 dot_general_int32_4_3_float32_3_6
    dot_general_int64_4_3_complex128_3_6 dot_general_int64_4_3_complex64_3_6 dot_general_int8_4_3_float32_3_6
    dot_general_int8_4_3_float64_3_6 dot_general_uint16_4_3_complex64_3_6 dot_general_uint16_4_3_float32_3_6
    dot_general_uint32_4_3_complex128_3_6 dot_general_uint32_4_3_float64_3_6 dot_general_uint8_4_3_complex128_3_6
    dot_general_uint8_4_3_complex64_3_6 fft_complex128_14_15_16_17 fft_complex64_14_15_16_17 fft_float32_14_15_16_17
    fft_float64_14_15_16_17 pow_complex64_20_30_complex64_20_30 reduce_window_add_float32_12_12
    reduce_window_add_float64_4_6 scatter_add_float16_3_5_4_float16_3_2_4 scatter_add_float32_3_5_40_float32_3_5_2
    scatter_add_float64_3_5_4_float64_3_2_4 select_and_scatter_add_float32_2_3_4_float32_2_4_6 sin_complex64_20_20
    sinh_float32_20_20_chlo triangular_solve_float32_2_8_8_float32_2_10_8
""".split())
# What Assay does not run, by what its message says. docs/stablehlo.md has the reasons at length.
REASONS = [
    ('quantised types', 'quantised type'),
    ('different programs at once', 'different programs'),
    ('queues of infeeds as functions', 'queues of infeeds'),
    ('files of an earlier run', 'in an earlier run'),
    ('sizes that are known at run time only', 'is not known before the program runs'),
    ('collective_reduce', 'collective_reduce'),
    ('arguments on the command line of its test', 'give them with --inputs'),
]


def programs(path):
    for number, text in enumerate(re.split(r'^// -----.*$', path.read_text(encoding='utf-8'), flags=re.M)):
        if 'func.func' in text:
            yield number, text


def entries(text):
    """The functions that are tests: main, or those that nobody calls and that take nothing."""
    names = [a or b for a, b in FUNCTION.findall(text)]
    if 'main' in names:
        return ['main']
    called = set(re.findall(r'(?:call|programs=\[|\[|, )\s*@([A-Za-z0-9_.$-]+)', text))
    return [name for name in names if name not in called and re.search(r'@"?' + re.escape(name) + r'"?\(\s*\)', text)]


def run(assay, path, entry):
    process = subprocess.run([assay, 'run', path, '--entry', entry, '--quiet', '--json'], capture_output=True, text=True, timeout=300)
    message = process.stderr.strip()
    checks = 0
    try:
        report = json.loads(process.stdout)
        checks = len(report.get('checks', []))
        message = report.get('error', message)
    except ValueError:
        pass
    return process.returncode, checks, message


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('assay')
    parser.add_argument('--source', required=True)
    parser.add_argument('--only', default='')
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_args()
    root = pathlib.Path(options.source) / 'stablehlo'
    files = sorted((root / 'tests' / 'interpret').rglob('*.mlir')) + sorted((root / 'testdata').glob('*.mlir'))
    counts, reasons, bad = collections.Counter(), collections.Counter(), []
    checked = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = []
        for path in files:
            if options.only not in str(path):
                continue
            for number, text in programs(path):
                for entry in entries(text):
                    chunk = pathlib.Path(folder) / f'{path.stem}.{number}.mlir'
                    if not chunk.exists():
                        chunk.write_text(text, encoding='utf-8')
                    tasks.append((f'{path.relative_to(root)}#{number}@{entry}',
                                  pool.submit(run, options.assay, str(chunk), entry)))
        for name, task in tasks:
            code, checks, message = task.result()
            checked += checks
            if code == 0:
                counts['pass' if checks else 'pass without a check'] += 1
                continue
            reason = next((reason for reason, words in REASONS if words in message), None)
            if reason and code in (2, 4):
                counts['refused, with a reason'] += 1
                reasons[reason] += 1
            elif code == 1 and name.split('/')[-1].split('.mlir')[0] in APPROXIMATE:
                counts['expected values are not near enough to the exact ones'] += 1
            else:
                counts[f'exit code {code}'] += 1
                bad.append((name, message))
            if options.verbose:
                print(f'{name}: exit code {code}: {message[:300]}')
    for name, message in bad:
        print(f'{name}: {message[:400]}')
    for what, count in sorted(counts.items()):
        print(f'{count:5d} {what}')
    for what, count in sorted(reasons.items()):
        print(f'      {count:5d} {what}')
    print(f'{checked} checks')
    return 1 if bad or not counts else 0


if __name__ == '__main__':
    sys.exit(main())
