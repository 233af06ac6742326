#!/usr/bin/env python3
"""Mutates the source one token, statement or form at a time, and asks the suite.

Each mutant is one file with one operator, bound or constant changed, or one statement deleted. What includes the file in its folder is
compiled again and linked into programs of their own. `--area` says which part of the tree:

  definitions   evaluator/ops: cases of the file's operations and then the quick tier, by the definitions, against values that the
                unchanged program wrote from its kernels; then by the kernels, which share some files; then tests
  kernels       evaluator/kernels: the same cases by the kernels, and the tests of the folder
  analysis      spec/analysis: the same, and its own tests
  runtime       runtime: the quick tier, the programs of the corpus, and the tests of the folder and of interpreter
  interpreter   interpreter: the same, and the tests of the folder
  passes        backends/passes: the quick tier and the programs on the backend cpu beside golden, and the tests of the passes
  judge         conformance/judge: the tests of the folder, of the runner and of enclosures, the score and the edges of profiles. A
  enclosure     mutant that permits more survives unless some test expects an accusation. The same of conformance/enclosure

A mutant that gives another value, fails a test, crashes or does not end is killed; one that does not compile does not count.

  tools/source_mutants.py --list                       # lists the mutants of the definitions
  tools/source_mutants.py --area runtime --files runtime/plan.cc runtime/machine.cc
  tools/source_mutants.py --sample 300 --seed 1        # a sample, some of every file, the same for the same seed
  tools/source_mutants.py --sample 300 --survivors     # of a sample, those that the journal has as survivors or not at all
  tools/source_mutants.py --area kernels --left        # what conformance/mutants/surviving_source_mutants.tsv names
  tools/source_mutants.py --equivalents                # the area's rows of the table of equivalent mutants, held against its slow tests
  tools/source_mutants.py --check-table                # builds nothing: every row of the table names a mutant that exists

Mutants of different lines share a program and are switched on one at a time. The program runs once without any, which tells what
reaches each of them: a mutant meets only those tests and cases, the quick ones first, until one kills it. "Unreached" is a survivor
that nothing reaches. The tool runs on demand and builds what it needs in build/release. Every verdict goes to a journal, so that a run can be interrupted; a survivor
is asked again where the cases have changed. What was killed is kept in conformance/mutants/killed_source_mutants.jsonl.gz, which --keep
writes from a journal, and is not asked again while its file stays as it is. Survivors are to be killed by a case or a test, or listed with a reason in
conformance/mutants/equivalent_mutants.tsv. Exit code 1: some survived.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import sys
import tempfile
import threading

from mutation.areas import AREAS, ROOT, area_of, files_of, read
from mutation.changes import mutants_of, sample, switched
from mutation.programs import Builder, Program, short_hash
from mutation.suite import Suite

TABLE = ROOT / 'conformance' / 'mutants' / 'equivalent_mutants.tsv'
LEFT = ROOT / 'conformance' / 'mutants' / 'surviving_source_mutants.tsv'
KEPT = ROOT / 'conformance' / 'mutants' / 'killed_source_mutants.jsonl.gz'


class EquivalentMutants:
    """The rows of the table: file (its path in the tree), line, the line after, reason."""

    def __init__(self, area=None):
        """The rows of an area, or all."""
        self.reasons = {}
        for row in TABLE.read_text(encoding='utf-8').splitlines():
            if not row or row.startswith('#'):
                continue
            words = row.split('\t')
            if len(words) != 4 or not all(words):
                raise SystemExit(f'{TABLE.name}: not file, line, line after and reason: {row}')
            if area is None or area_of(words[0]) is area:
                self.reasons[tuple(words[:3])] = words[3]

    @staticmethod
    def key(mutant):
        return mutant.file, mutant.before.strip(), mutant.after.strip()

    def mutants(self, all_mutants):
        """Those that the table names. A row that names none is an error."""
        found = [m for m in all_mutants if self.key(m) in self.reasons]
        stale = set(self.reasons) - {self.key(m) for m in found}
        if stale:
            raise SystemExit(f'{TABLE.name} names mutants that there are not:\n' + '\n'.join('\t'.join(row) for row in sorted(stale)))
        return found


class Journal:
    """What was found out before, by line and text; survivors of another corpus do not count."""

    def __init__(self, path, suite_hash):
        self.suite = suite_hash
        self.lock = threading.Lock()
        self.known = {}
        lines = gzip.decompress(KEPT.read_bytes()).decode().splitlines() if KEPT.exists() else []
        if path.exists():
            lines += path.read_text(encoding='utf-8').splitlines()
        for line in lines:
            entry = json.loads(line)
            self.known[tuple(entry['mutant'])] = entry
        self.file = open(path, 'a', encoding='utf-8')

    @staticmethod
    def key(mutant, text):
        return (mutant.file, short_hash(text.encode()), mutant.number, mutant.after)

    def find(self, key):
        entry = self.known.get(key)
        if entry is None or (entry['verdict'].startswith('survived') and entry['suite'] != self.suite):
            return None
        return entry['verdict']

    def keep(self):
        """Writes those that were killed, of files as they are today, for other trees."""
        hashes = {}
        killed = []
        for key, entry in sorted(self.known.items()):
            if key[0] not in hashes:
                hashes[key[0]] = short_hash(read(key[0]).encode()) if (ROOT / key[0]).exists() else ''
            if key[1] == hashes[key[0]] and entry['verdict'].startswith('killed'):
                killed.append(json.dumps(entry) + '\n')
        KEPT.write_bytes(gzip.compress(''.join(killed).encode(), 9, mtime=0))
        print(f'{len(killed)} killed mutants in {KEPT.name}')

    def add(self, key, verdict):
        with self.lock:
            self.file.write(json.dumps({'mutant': key, 'suite': self.suite, 'verdict': verdict}) + '\n')
            self.file.flush()


def left_of(by_file):
    """The mutants that the table of survivors names."""
    rows = {tuple(row.split('\t')[:3]) for row in LEFT.read_text(encoding='utf-8').splitlines() if not row.startswith('#')}
    return [mutant for mutants in by_file.values() for mutant in mutants if EquivalentMutants.key(mutant) in rows]


def examine(builder, suite, journal, mutants, workers):
    """The verdicts of mutants of different lines: of all in one program, or of each in one of its own."""
    keys = [Journal.key(mutant, builder.texts[mutant.file]) for mutant in mutants]
    verdicts = {mutant: journal.find(key) for mutant, key in zip(mutants, keys)}
    unknown = [mutant for mutant, verdict in verdicts.items() if verdict is None]
    alone = [mutant for mutant in unknown if switched(mutant, 0, builder.line_before(mutant)) is None]
    unknown = [mutant for mutant in unknown if mutant not in alone]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = None
        while len(unknown) > 1 and program is None:
            failing = []
            objects = builder.make_mutants(unknown, folder, failing, mutants)
            program = Program(builder, objects, folder)
            if objects is None or program('assay_bin_assay') is None:
                program = None
                failing = failing or unknown[len(unknown) // 2:]
                alone += failing
                unknown = [mutant for mutant in unknown if mutant not in failing]
        if program is None:
            alone += unknown
            unknown = []
        numbers = [mutants.index(mutant) for mutant in unknown]
        reached = suite.reached(program, unknown, numbers) if unknown else {}

        def ask(mutant, number):
            verdict = suite.verdict(program, mutant.file, number, reached[mutant])
            journal.add(keys[number], verdict)
            return verdict
        verdicts |= zip(unknown, workers.map(ask, unknown, numbers))
    verdicts |= zip(alone, workers.map(lambda mutant: examine_alone(builder, suite, journal, mutant), alone))
    return verdicts


def examine_alone(builder, suite, journal, mutant):
    """The verdict of a mutant in a program of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        objects = builder.make_mutants([mutant], folder)
        program = Program(builder, objects, folder)
        made = objects is not None and program('assay_bin_assay') is not None
        verdict = suite.verdict(program, mutant.file) if made else 'does not compile'
    journal.add(Journal.key(mutant, builder.texts[mutant.file]), verdict)
    return verdict


def journal_of(arguments):
    return arguments.journal or arguments.build / 'source_mutants' / 'journal.jsonl'


def groups(mutants):
    """Of different lines each."""
    layers = collections.defaultdict(list)
    seen = collections.Counter()
    for mutant in mutants:
        line = mutant.file, mutant.number
        layers[seen[line]].append(mutant)
        seen[line] += 1
    return list(layers.values())


def show(mutant, verdict):
    print(f'{verdict:32} {mutant.file}:{mutant.number + 1}: {mutant.before.strip()}  ->  {mutant.after.strip()}', flush=True)


def score(builder, work, equivalents, arguments):
    """Examines the mutants; the exit code."""
    suite = Suite(builder, {mutant.file for mutant in work}, arguments.cheap, not arguments.without_corpus)
    journal = Journal(journal_of(arguments), suite.hash)
    if arguments.survivors:
        verdicts = {mutant: journal.known.get(Journal.key(mutant, builder.texts[mutant.file]), {'verdict': 'survived'})['verdict']
                    for mutant in work}
        work = [mutant for mutant in work if verdicts[mutant].startswith('survived')]
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as workers:
        verdicts = {}
        for group in groups(work):
            found = examine(builder, suite, journal, group, workers)
            verdicts |= found
            for mutant, verdict in found.items():
                show(mutant, verdict)
        print()
        for mutant in work:
            verdict = verdicts[mutant]
            listed = EquivalentMutants.key(mutant) in equivalents.reasons
            if listed:
                verdict = 'equivalent' if verdict.startswith('survived') else f'listed as equivalent, but {verdict}'
            counts[verdict.split(' ')[0]] += 1
            show(mutant, verdict)
    examined = counts['killed'] + counts['survived'] + counts['equivalent'] + counts['listed']
    print(f'{examined} mutants of {len({m.file for m in work})} files: {counts["killed"]} killed, {counts["equivalent"]} equivalent, '
          f'{counts["survived"]} survived, {counts["listed"]} wrongly listed; score '
          f'{100 * counts["killed"] / max(1, examined - counts["equivalent"]):.1f}%; {counts["does"]} do not compile; '
          f'{builder.run.seconds:.0f} CPU seconds')
    return 1 if counts['survived'] or counts['listed'] or counts['equivalent'] > examined * 0.05 else 0


def hold_equivalents(builder, mutants, tests):
    """Runs each equivalent mutant through tests; the exit code."""
    failed = 0
    for mutant in mutants:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            objects = builder.make_mutants([mutant], folder)
            program = Program(builder, objects, folder)
            agrees = objects is not None and all(
                program(test) is not None and builder.run([folder / test])[0] == 0 for test in tests)
        failed += not agrees
        show(mutant, 'agrees' if agrees else 'does not agree')
    print(f'{len(mutants) - failed} of {len(mutants)} agree with golden on {", ".join(tests)}; {builder.run.seconds:.0f} CPU seconds')
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--area', choices=list(AREAS), default='definitions', help='of the tree (default: definitions)')
    parser.add_argument('--files', nargs='*', metavar='FILE', help='paths of files of the area (default: all)')
    parser.add_argument('--kinds', choices=['tokens', 'forms'], default='tokens', help='of changes (default: tokens)')
    parser.add_argument('--sample', type=int, metavar='N', help='about so many of them, by chance')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--apart', action='store_true', help='of a sample: one of a line, so that all share one program')
    parser.add_argument('--survivors', action='store_true', help='only those that were not killed before, by the journal')
    parser.add_argument('--left', action='store_true', help='only those that the table of survivors names')
    parser.add_argument('--cheap', type=float, metavar='SECONDS',
                        help='only ask what takes the unchanged program less: a first pass, whose survivors are asked again by others')
    parser.add_argument('--without-corpus', action='store_true', help='only ask tests, which need no golden values of all cases')
    parser.add_argument('--list', action='store_true', help='only say what there is')
    parser.add_argument('--check-table', action='store_true')
    parser.add_argument('--equivalents', action='store_true')
    parser.add_argument('--tests', nargs='*', metavar='TARGET', help='that equivalent mutants must pass (default: the last tests of the area)')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--journal', type=pathlib.Path, help='default: build/release/source_mutants/journal.jsonl')
    parser.add_argument('--keep', action='store_true', help='only keep, for other trees, what the journal has as killed')
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build' / 'release')
    arguments = parser.parse_args()

    area = AREAS[arguments.area]
    kinds = ('tokens', 'forms')
    everything = {each.name: {kind: {path: mutants_of(path, read(path), kind) for path in files_of(each)} for kind in kinds}
                  for each in (AREAS.values() if arguments.check_table else [area])}
    by_file = everything[area.name][arguments.kinds]
    equivalents = EquivalentMutants(None if arguments.check_table else area)
    listed = equivalents.mutants([mutant for by_kind in everything.values() for by_path in by_kind.values()
                                  for mutants in by_path.values() for mutant in mutants])
    if arguments.check_table:
        print(f'{len(listed)} equivalent mutants')
        return 0
    if arguments.keep:
        Journal(journal_of(arguments), '').keep()
        return 0
    if arguments.equivalents:
        tests = arguments.tests or area.slow or [f'assay_{area.name}_test']
        return hold_equivalents(Builder(area, arguments.build, arguments.jobs), listed, tests)
    if arguments.files:
        unknown = [name for name in arguments.files if name not in by_file]
        if unknown:
            parser.error(f'not in {area.folder}: {", ".join(unknown)}')
        by_file = {name: by_file[name] for name in arguments.files}
    work = [mutant for mutants in by_file.values() for mutant in mutants]
    if arguments.sample is not None:
        work = sample(by_file, arguments.sample, arguments.seed, arguments.apart)
    if arguments.left:
        work = left_of(by_file)
    if arguments.list:
        for mutant in work:
            show(mutant, '')
        print(f'{len(work)} mutants')
        return 0
    return score(Builder(area, arguments.build, arguments.jobs), work, equivalents, arguments)


if __name__ == '__main__':
    sys.exit(main())
