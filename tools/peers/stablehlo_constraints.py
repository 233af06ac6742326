#!/usr/bin/env python3
"""What MLIR's verifiers say to the programs of spec/stablehlo/testdata/constraints.cases.

usage: stablehlo_constraints.py ROOT [--list]

ROOT is a checkout of Assay. Every program of the file must be taken by jaxlib, and every program with one constraint
broken refused. The specification has constraints that MLIR does not verify; they are counted, and --list names them.
The exit code is 1 where jaxlib refuses a program that keeps all constraints. Needs jax (tools/setup --peers).
"""
import argparse
import collections
import pathlib
import re

from stablehlo_refusals import verdicts_of_peer

MARK = re.compile(r'\[%([CI]\d+)(\+?): (.*?) => (.*?)%\]')

NEWER = 'has_dynamic_root'  # what jaxlib 0.10.2 does not know


def programs(path):
    """(operation, text with marks) of every program."""
    for part in re.split(r'^== ', path.read_text(encoding='utf-8'), flags=re.M)[1:]:
        heading, body = part.split('\n', 1)
        names, arguments = heading.split(' (', 1)
        lines = [line for line in body.split('\n') if line and not line.startswith('#')]
        front = [line for line in lines if line.startswith(('!', 'func.func'))]
        inside = [line for line in lines if line not in front]
        for name in names.split():
            text = '\n'.join(front + [f'func.func @main({arguments} {{'] + inside + ['return', '}'])
            yield name, text.replace('$', name)


def with_broken(text, broken):
    """The program with one mark broken, and those that break with it; None breaks none."""
    marks = list(MARK.finditer(text))
    chosen = marks[broken] if broken is not None else None

    def side(mark):
        together = chosen and chosen[2] and mark[2] and mark[1] == chosen[1]
        return mark[4] if chosen and (mark.start() == chosen.start() or together) else mark[3]

    return MARK.sub(side, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('root', type=pathlib.Path)
    parser.add_argument('--list', action='store_true', help='name the constraints that jaxlib does not verify')
    options = parser.parse_args()
    kept, broken = [], []
    for name, text in programs(options.root / 'spec/stablehlo/testdata/constraints.cases'):
        if NEWER in text:
            continue
        kept.append((name, with_broken(text, None)))
        broken += [(f'{name} ({mark[1]})', with_broken(text, i)) for i, mark in enumerate(MARK.finditer(text))]
    refused = [(name, text, why) for (name, text), why in
               zip(kept, verdicts_of_peer([text for _, text in kept])) if why]
    taken = [(name, text) for (name, text), why in
             zip(broken, verdicts_of_peer([text for _, text in broken])) if not why]
    print(f'{len(kept)} programs keep all constraints: jaxlib takes {len(kept) - len(refused)}')
    print(f'{len(broken)} break one: jaxlib refuses {len(broken) - len(taken)}')
    for name, text, why in refused:
        print(f'jaxlib refuses {name}: {why}\n{text}')
    if options.list:
        for name, count in sorted(collections.Counter(name for name, _ in taken).items()):
            print(f'jaxlib takes {name}: {count} of {sum(name == other for other, _ in broken)} programs')
    return 1 if refused else 0


if __name__ == '__main__':
    raise SystemExit(main())
