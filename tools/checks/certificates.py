#!/usr/bin/env python3
"""The table of proofs in docs/numerics.md: one row for every certificate that tools/prove wrote.

usage: certificates.py ROOT [--write]

Without --write: checks that the page has the table that the certificates make, and that no proof is unfinished or has
mismatches. The table names the functions that have no proof yet.
"""
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402

PAGE, FOLDER = 'docs/numerics.md', 'conformance/prove/certificates'
ROWS = re.compile(r'\{RealFunction::k\w+, "(\w+)", mpfr_?\w+\}', re.I)
TYPES = ('f32', 'f16', 'bf16', 'f64', 'c64', 'c128')
SIZES = {'f32': 1 << 32, 'f16': 1 << 16, 'bf16': 1 << 16}  # types of which every input is proven


def read(root):
    return [json.loads(path.read_text(encoding='utf-8')) for path in sorted((root / FOLDER).glob('*.json'))]


def functions(root):
    return ROWS.findall((root / 'evaluator/real/mpfr_functions.h').read_text(encoding='utf-8'))


def problems_of(proofs):
    for proof in proofs:
        name = f'{FOLDER}/{proof["function"]}.{proof["type"]}.json'
        inputs = proof['result']['inputs']
        if 'shards_done' in proof or inputs != SIZES.get(proof['type'], inputs):
            yield f'{name} is not finished'
        if proof['result']['mismatches']:
            yield f'{name} has mismatches'


def missing(root, proofs):
    there = {(proof['function'], proof['type']) for proof in proofs}
    for kind in SIZES:
        without = [function for function in functions(root) if (function, kind) not in there]
        if without:
            yield f'Not proven yet in {kind}: {", ".join(without)}.'


def row(proof):
    result = proof['result']
    later = sum(count for tier, count in result['tiers'].items() if tier not in ('exact', 'double', 'extended'))
    return (f'| {proof["function"]} | {proof["type"]} | {proof["range"]} | {result["mismatches"]} | {result["by_mpfr"]:,} | '
            f'{result["by_monotony"]:,} | {later:,} | {result["cpu_seconds"]:.0f} | `{result["hash"]}` | {proof["revision"]} |')


def markdown(root, proofs):
    lines = ['| function | type | inputs | mismatches | decided by MPFR | by monotony | later tiers | CPU s | hash | revision |',
             '|---|---|---|---|---|---|---|---|---|---|']
    if not functions(root):
        sys.exit('evaluator/real/mpfr_functions.h: no functions found')
    lines += [row(proof) for proof in sorted(proofs, key=lambda p: (TYPES.index(p['type']), p['function']))]
    for line in missing(root, proofs):
        lines += ['', line]
    return '\n'.join(lines) + '\n'


def main():
    root = pathlib.Path(sys.argv[1])
    proofs = read(root)
    table = pages.Part(root / PAGE, 'proofs', 'certificates.py')
    if sys.argv[2:] == ['--write']:
        table.write(markdown(root, proofs))
        return 0
    problems = list(problems_of(proofs))
    if table.text != markdown(root, proofs):
        problems.append(f'{PAGE} differs from the certificates; tools/checks/certificates.py . --write')
    return pages.report(f'{len(proofs)} proofs checked', problems)


if __name__ == '__main__':
    sys.exit(main())
