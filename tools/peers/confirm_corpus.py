"""Holds the corpus to its second reference: every case that says `confirmed: index_model`, `mpfr` or `rational` is evaluated by the
package models, and its expected values must come out; cases that were worked out by hand too, where a model is there. The table
in docs/corpus_confirmations.md must be that of the corpus.

The models take minutes. confirmed_corpus.tsv records, for each operation, a digest of all of its cases with their expected values
as they were when the models confirmed every one of them. Where the digest is still the same, one case in 32 is confirmed again;
where it is not, all cases of the operation are.

usage: confirm_corpus.py ASSAY [--all] [--full] [--write] [GLOB...]
  --all    every case, whatever the record says
  --full   every element of the exhaustive and the large elementwise cases too, instead of one in 61 (minutes more)
  --write  writes the table anew, and the digests of the operations that have been confirmed
  --before OLD  another `assay`, of the corpus that the record is of: where an operation's digest is not that of the record, the
           cases that OLD has as well were confirmed with it, and only the others are confirmed now
  GLOB     all cases of these ids, and no others
"""
import argparse
import collections
import functools
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import zlib

import peers

peers.need('numpy', 'gmpy2')

import corpus_reader  # noqa: E402
from models import annex_g, cases, formats, scalars  # noqa: E402

MODELS = ('index_model', 'mpfr', 'rational')
# Of these elementwise cases one element in so many: primes, so that every low digit and every high one comes.
STEPS = (r'/(exhaustive|longer|longest|dense)[./]', 61), (r'/range\.', 7)
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'corpus_confirmations.md')
RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'confirmed_corpus.tsv')
# Of an operation whose cases are those of the record, one case in so many is confirmed again.
SAMPLE = 32
MARKS = ('<!-- table: written by tools/peers/confirm_corpus.py --write -->\n', '<!-- end of table -->')

# Elements that the golden interpreter itself reports as undecided, and why.
AXIS = 'an angle less than 2^-50 from an axis, with a modulus beyond every type: more than 1536 bits'
UNDECIDED = {('power/c128/special/special', element): AXIS for element in (*range(416, 422), *range(439, 445))}


def elements_of(text):
    """The elements of a literal: a complex one has two parts, within parentheses."""
    return text.replace('), (', ')|(').split('|') if text.startswith('(') else text.split(', ')


def texts(assay, globs):
    """The cases with their golden values, one after the other."""
    command = [assay, 'corpus', 'show', '--golden', *(globs or ['*'])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = []
        for line in process.stdout:
            if line.startswith('case ') and lines:
                yield ''.join(lines)
                lines = []
            lines.append(line)
        yield ''.join(lines)
    assert process.returncode == 0, process.returncode


def id_of(text):
    return text[5:text.index('\n')].strip()


def operation_of(text):
    return id_of(text).split('/')[0]


def recorded():
    """The digests of the record, by operation."""
    if not os.path.exists(RECORD):
        return {}
    with open(RECORD, encoding='utf-8') as file:
        return dict(line.rstrip('\n').split('\t') for line in file)


def digest_of(group):
    digest = hashlib.sha256()
    for text in group:
        digest.update(text.rstrip().encode() + b'\0')
    return digest.hexdigest()[:16]


def confirmed_before(assay, operation, digest):
    """The cases of an operation that another assay has, if the record is of these."""
    if not assay:
        return set()
    group = list(texts(assay, [f'{operation}/*']))
    return {text.rstrip() for text in group} if digest_of(group) == digest else set()


def due(group, same):
    """Which of an operation's cases are to be confirmed, where its digest is that of the record or not."""
    return [text for text in group if not same or zlib.crc32(id_of(text).encode()) % SAMPLE == 0]


def thinned(text, case_id, step):
    """An exhaustive case with one element in `step`: the case as read."""
    first = sum(map(ord, case_id)) % step

    def fewer(match):
        return match.group(1) + '{' + ', '.join(elements_of(match.group(2))[first::step]) + '}'
    short = re.sub(r'^(  out\d+ = literal \S+ ){(.*)}$', fewer, text, flags=re.M)
    short = re.sub(r'^(  out\d+ = literal \w+)\[(\d+)\]', lambda m: f'{m.group(1)}[{len(range(first, int(m.group(2)), step))}]', short,
                   flags=re.M)
    case, = corpus_reader.read_cases(short)
    for name in case['arrays']:
        if name.startswith('arg'):
            case['arrays'][name] = case['arrays'][name][first::step]
    return case


def checked(text, full):
    """The case, whether it was held to a model, the first difference, and the numbers of elements held and open."""
    case_id = id_of(text)
    confirmed = re.search(r'^confirmed: (\w+)', text, re.M)
    confirmed = confirmed.group(1) if confirmed else ''
    if re.search(r'^expect: refused', text, re.M) or confirmed not in MODELS + ('hand', ):
        return case_id, False, None, 0, 0
    step = next((step for form, step in STEPS if re.search(form, case_id)), 1)
    if step > 1 and not full:
        case = thinned(text, case_id, step)
    else:
        case, = corpus_reader.read_cases(text)
    known = {element for name, element in UNDECIDED if name == case_id}
    try:
        wrong, held, free = cases.check(case, known)
    except scalars.Unsupported as why:
        wrong, held, free = (None if confirmed == 'hand' else f'no model: {why}'), 0, 0
        return case_id, False, wrong, held, free
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as why:  # what a model was not made for
        wrong, held, free = (None if confirmed == 'hand' else f'the model fails: {why}'), 0, 0
        return case_id, False, wrong, held, free
    except formats.Undecided:
        wrong, held, free = 'the model cannot decide a rounding', 0, 0
    return case_id, True, wrong, held, free


def table(assay):
    """By operation: cases, by which reference they are confirmed, and how many by none."""
    listed = json.loads(subprocess.run([assay, 'corpus', 'list', '--json'], capture_output=True, text=True, check=True).stdout)
    rows = collections.defaultdict(collections.Counter)
    for case in listed:
        rows[case['id'].split('/')[0]][case['confirmed']] += 1
        rows['all'][case['confirmed']] += 1
    kinds = ('hand', 'index_model', 'rational', 'mpfr', 'peer', '')
    lines = ['| operation | cases | hand | index_model | rational | mpfr | peer | by none |\n', '|---|' + '---:|' * 7 + '\n']
    for op in sorted(rows, key=lambda op: (op != 'all', op)):
        counts = ' | '.join(str(rows[op][kind] or '') for kind in kinds)
        lines.append(f'| {op} | {sum(rows[op].values())} | {counts} |\n')
    return ''.join(lines)


def hold_table(assay, write):
    with open(TABLE, encoding='utf-8') as file:
        before, rest = file.read().split(MARKS[0])
    old, after = rest.split(MARKS[1])
    new = table(assay)
    if write:
        with open(TABLE, 'w', encoding='utf-8') as file:
            file.write(before + MARKS[0] + new + MARKS[1] + after)
    elif old != new:
        print('docs/corpus_confirmations.md is not the table of the corpus: tools/peers/confirm_corpus.py ASSAY --write')
    return write or old == new


def main():
    parser = argparse.ArgumentParser(description='Holds the corpus to its second reference.')
    parser.add_argument('assay')
    parser.add_argument('--all', action='store_true', help='every case, whatever the record says')
    parser.add_argument('--full', action='store_true', help='every element of exhaustive and large elementwise cases')
    parser.add_argument('--write', action='store_true', help='writes the table of docs/corpus_confirmations.md and the record')
    parser.add_argument('--before', metavar='OLD', help='an assay whose cases the record has: those are not confirmed again')
    parser.add_argument('globs', nargs='*')
    options = parser.parse_args()
    if options.write and options.globs:
        parser.error('--write is for the whole corpus')
    corpus_reader.read_array = functools.lru_cache(maxsize=4096)(corpus_reader.read_array)
    assert not list(annex_g.holes()), list(annex_g.holes())
    record, digests, changed = recorded(), {}, []
    totals, failures = collections.Counter(), 0
    # Cases come sorted by their ids, so that those of an operation are neighbours.
    for operation, group in itertools.groupby(texts(options.assay, options.globs), operation_of):
        group = list(group)
        digest = digest_of(group)
        same = record.get(operation) == digest
        if not same:
            changed.append(operation)
        right = True
        if not same and not options.all:
            before = confirmed_before(options.before, operation, record.get(operation))
            group = [text for text in group if text.rstrip() not in before]
        for text in due(group, same and not options.all and not options.globs):
            case_id, run, wrong, held, free = checked(text, options.full)
            totals.update(cases=run, held=held, open=free)
            if wrong:
                failures, right = failures + 1, False
                print(f'{case_id}: {wrong}', flush=True)
        if right:
            digests[operation] = digest
    print(f"{totals['cases']} cases are those of the models, {totals['held']} elements; {totals['open']} are left open by the "
          f'specification; {failures} differ')
    if options.write:
        with open(RECORD, 'w', encoding='utf-8') as file:
            file.writelines(f'{operation}\t{digest}\n' for operation, digest in sorted(digests.items()))
    elif changed and not options.globs:
        print(f"All cases of {', '.join(changed)} were confirmed, since they are not those of tools/peers/confirmed_corpus.tsv: "
              'tools/peers/confirm_corpus.py ASSAY --write')
    true = options.globs or hold_table(options.assay, options.write)
    sys.exit(0 if true and not failures else 1)


if __name__ == '__main__':
    main()
