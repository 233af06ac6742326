#!/usr/bin/env python3
"""Explains every difference between the golden results of the samples and XLA CPU's.

usage: explain_samples.py ASSAY [SAMPLE ...] [--write docs/samples.md] [--check]

Runs every instruction of each sample alone on XLA CPU, on golden operands (assay diff --isolate), and compares
XLA's value with the bound of its operation: n u sum|terms| for sums, the ulp budget of elementary functions, the
golden bits for everything else. Also compares the golden results of the whole sample with XLA CPU's stored ones.
Exit code 1 when a sample has an unexplained instruction, 77 when the peer is not installed (ASSAY_PEERS).
"""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLES = os.path.join(ROOT, 'conformance', 'samples')
PEERS = os.environ.get('ASSAY_PEERS', os.path.expanduser('~/.cache/assay/peers'))


def run(assay, *arguments):
    process = subprocess.run([assay, *arguments, '--json'], capture_output=True, text=True)
    try:
        return process.returncode, json.loads(process.stdout)
    except json.JSONDecodeError:
        return process.returncode, {'error': process.stderr.strip()}


def whole(assay, name):
    """The golden results beside XLA CPU's stored ones: exact outputs, float outputs, largest distance."""
    strict = os.path.join(SAMPLES, name + '.expected_strict.npz')
    expected = strict if os.path.exists(strict) else os.path.join(SAMPLES, name + '.expected.npz')
    code, report = run(assay, 'run', os.path.join(SAMPLES, name + '.hlo'), '--inputs',
                       os.path.join(SAMPLES, name + '.inputs.npz'), '--expect', expected, '--quiet')
    return code, report


def isolated(assay, name):
    target = f'process:{PEERS}/bin/python {ROOT}/tools/peers/xla_cpu.py --strict'
    return run(assay, 'diff', os.path.join(SAMPLES, name + '.hlo'), '--inputs',
               os.path.join(SAMPLES, name + '.inputs.npz'), '--isolate', '--right', target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('assay')
    parser.add_argument('samples', nargs='*')
    parser.add_argument('--write')
    options = parser.parse_args()
    if not os.path.exists(f'{PEERS}/bin/python'):
        print(f'no peers in {PEERS}: tools/setup --peers installs them')
        return 1 if os.environ.get('ASSAY_REQUIRE_PEERS') == '1' else 77
    with open(os.path.join(SAMPLES, 'manifest.json')) as f:
        names = [s['name'] for s in json.load(f)['samples']]
    rows, bad = [], 0
    for name in options.samples or names:
        code, report = whole(options.assay, name)
        if code == 4:
            rows.append((name, 'needs ' + report['error'].split(':')[0].split('does not run ')[-1].replace(' yet', ''),
                         '', '', '', '', '', ''))
            print(f'{name}: {rows[-1][1]}', flush=True)
            continue
        if 'comparison' not in report:
            print(f'{name}: {report.get("error", report)}')
            bad += 1
            continue
        outputs = report['comparison']['outputs']
        equal = sum(o['verdict'] == 'equal' for o in outputs)
        integers = [o for o in outputs if not o['shape'].startswith(('f', 'bf', 'c'))]
        integers_equal = sum(o['verdict'] == 'equal' for o in integers)
        code, alone = isolated(options.assay, name)
        if 'instructions' not in alone:
            print(f'{name}: {alone.get("error", alone)}')
            bad += 1
            continue
        verdicts = [i.get('verdict', 'not run') for i in alone['instructions']]
        count = {v: verdicts.count(v) for v in sorted(set(verdicts))}
        rows.append((name, f'{equal} of {len(outputs)}', f'{integers_equal} of {len(integers)}',
                     str(report['comparison']['largest_distance']), str(count.pop('equal', 0)),
                     str(count.pop('within bound', 0)), str(count.pop('sign of zero', 0) +
                                                            count.pop('denormals flushed', 0) +
                                                            count.pop('allowed freedom', 0)),
                     ', '.join(f'{n} {v}' for v, n in count.items()) or 'none'))
        for instruction in alone['instructions']:
            if instruction.get('verdict') == 'UNEXPLAINED':
                bad += 1
                print(f'{name}: {instruction["instruction"]} = {instruction["opcode"]} {instruction["shape"]}: '
                      f'{instruction["unexplained"]} (rule: {instruction["rule"]})')
            if 'not_run' in instruction:
                print(f'{name}: {instruction["instruction"]} = {instruction["opcode"]}: not run: '
                      f'{instruction["not_run"][:300]}')
        print(' | '.join(rows[-1]), flush=True)
    if options.write:
        with open(options.write, 'w') as f:
            f.write(HEADER)
            for row in rows:
                f.write('| `' + row[0] + '` | ' + ' | '.join(row[1:]) + ' |\n')
    print(f'{len(rows)} samples, {bad} unexplained')
    return 1 if bad else 0


HEADER = """# The samples beside XLA CPU

Made by `tools/peers/explain_samples.py build/release/bin/assay --write docs/samples.md` (JAX 0.10.2).
Outputs: golden results bit-equal to XLA CPU's stored ones (the strict ones where there are two), then the same for
outputs of integers and truth values, then the largest distance of a float in ulp. A large distance is a difference of the whole
program (cancellation, chaotic iteration, a branch taken the other way), whose origin the other columns show: every
instruction alone, run by XLA CPU on golden operands. *Within bound*: inside `n u sum|terms|` or the function's ulp
budget. *Freedom*: the other zero where it is open, denormals taken for zero, or another value that the
reference admits at a decision point.

| sample | outputs equal | integer outputs equal | largest ulp | instructions equal | within bound | freedom | unexplained |
|---|---|---|---|---|---|---|---|
"""

if __name__ == '__main__':
    sys.exit(main())
