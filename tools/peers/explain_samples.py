#!/usr/bin/env python3
"""Explains every difference between the golden results of the samples and XLA CPU's.

usage: explain_samples.py ASSAY [SAMPLE ...] [--write] [--check] [--most N] [--anew]

Runs every instruction of each sample alone on XLA CPU, on golden operands (assay diff --isolate), and compares
XLA's value with the bound of its operation: n u sum|terms| for sums, the ulp budget of elementary functions, the
golden bits for everything else. Also compares the golden results of the whole sample with XLA CPU's stored ones.
--write puts the table into docs/samples.md; --check compares it with the rows there, but for the counts that depend on
the processor. --most N leaves out samples of more instructions, which XLA takes 30 ms each to compile. The instructions
of one sample of LIVE_EVERY are put to XLA CPU in every run, and of the others what has no known answer
(known_answers.py); --anew asks all and stores the answers of the samples that are run, in place of all that are stored:
it goes without names of samples. Exit code 1 when a sample has an instruction that is unexplained or that XLA failed to
run (other than by not supporting it) or a row is not that of the document; 77 when the peer is not installed (peers.py).
"""
import argparse
import json
import os
import subprocess
import sys

import known_answers
import peers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLES = os.path.join(ROOT, 'conformance', 'samples')
DOCUMENT = os.path.join(ROOT, 'docs', 'samples.md')


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


def isolated(assay, target, name):
    return run(assay, 'diff', os.path.join(SAMPLES, name + '.hlo'), '--inputs',
               os.path.join(SAMPLES, name + '.inputs.npz'), '--isolate', '--profile', 'xla-cpu', '--right', target)


def instruction_count(name):
    """The lines of the sample's module that define something."""
    with open(os.path.join(SAMPLES, name + '.hlo')) as f:
        return sum(' = ' in line for line in f)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('assay')
    parser.add_argument('samples', nargs='*')
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--anew', action='store_true')
    parser.add_argument('--most', type=int, metavar='N')
    options = parser.parse_args()
    if options.samples and options.anew:
        parser.error('--anew replaces the stored answers of all samples: it goes without names of samples')
    peers.need('jax')
    answers = known_answers.Answers('explain_samples', options.anew)
    with open(os.path.join(SAMPLES, 'manifest.json')) as f:
        names = [s['name'] for s in json.load(f)['samples']]
    rows, bad = [], 0
    names = options.samples or names
    if options.most is not None:
        names = [name for name in names if instruction_count(name) <= options.most]
    for number, name in enumerate(names):
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
        code, alone = isolated(options.assay, answers.backend('--strict', live=number % known_answers.LIVE_EVERY == 0), name)
        if 'instructions' not in alone:
            print(f'{name}: {alone.get("error", alone)}')
            bad += 1
            continue
        verdicts = [i.get('verdict', 'not run') for i in alone['instructions']]
        count = {v: verdicts.count(v) for v in sorted(set(verdicts))}
        rows.append((name, f'{equal} of {len(outputs)}', f'{integers_equal} of {len(integers)}',
                     str(report['comparison']['largest_distance']), str(count.pop('exact', 0) + count.pop('correctly rounded', 0)),
                     str(count.pop('within bound', 0)), str(count.pop('allowed', 0)),
                     ', '.join(f'{n} {v}' for v, n in count.items()) or 'none'))
        for instruction in alone['instructions']:
            if instruction.get('verdict') == 'wrong':
                bad += 1
                print(f'{name}: {instruction["instruction"]} = {instruction["opcode"]} {instruction["shape"]}: '
                      f'{instruction["evidence"][0]} (rule: {instruction["rule"]})')
            if 'not_run' in instruction:
                bad += instruction['status'] != 'UNIMPLEMENTED'
                print(f'{name}: {instruction["instruction"]} = {instruction["opcode"]}: not run: '
                      f'{instruction["not_run"][:300]}')
        print(' | '.join(rows[-1]), flush=True)
    lines = ['| `' + row[0] + '` | ' + ' | '.join(row[1:]) + ' |\n' for row in rows]
    answers.finish()
    if options.write:
        with open(DOCUMENT, 'w') as f:
            f.write(HEADER + ''.join(lines))
    if options.check:
        with open(DOCUMENT) as f:
            document = f.read()
        known = {lasting(line) for line in document.split('\n')}
        for line in [HEADER] * (not document.startswith(HEADER)) + [line for line in lines if lasting(line) not in known]:
            bad += 1
            print(f'docs/samples.md lacks (--write makes it anew):\n  {line.strip()}')
    print(f'{len(rows)} samples, {bad} bad')
    return 1 if bad else 0


def lasting(line):
    """What does not depend on the processor that XLA compiles for: all but the counts of live results."""
    cells = line.strip().strip('|').split('|')
    return tuple(cell.strip() for cell in cells[:4] + cells[-1:])


HEADER = """# The samples beside XLA CPU

`tools/peers/explain_samples.py build/release/bin/assay --write` writes this page (JAX 0.10.2). Each
row compares the golden results of a sample with XLA CPU's stored ones; where there are two of them,
with those of the strict options.

| column | what it counts |
|---|---|
| outputs equal | outputs that are equal bit for bit |
| integer outputs equal | outputs of integers and truth values that are equal |
| largest ulp | the largest distance of a float in ulp, over the whole program |
| instructions equal | instructions with equal results, each run alone by XLA CPU on golden operands |
| within bound | instructions inside `n u sum abs(terms)`, the residual of a factorisation or solve, or the ulp budget of the function |
| freedom | instructions that differ by a permitted deviation: the other zero, denormals taken for zero, another value of a decision point |
| anything else | what is none of these: unexplained, not run, or not judgeable (a sum in a type too narrow for its number of terms, a custom reducer or map, a matrix too near to a singular one, a variance that cancels) |

A large distance is a difference of the whole program: cancellation, chaotic iteration, or a branch
taken the other way. The other columns show where it comes from.

| sample | outputs equal | integer outputs equal | largest ulp | instructions equal | within bound | freedom | anything else |
|---|---|---|---|---|---|---|---|
"""

if __name__ == '__main__':
    sys.exit(main())
