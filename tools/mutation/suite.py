"""What a mutant is asked: cases of the corpus with the values of the unchanged program, and tests."""
import json
import os
import re
import subprocess
import tempfile

from mutation.areas import STARTED, area_of, program_of, questions
from mutation.changes import MOST_MUTANTS
from mutation.programs import Program, short_hash

CASES = 250  # in a piece of the corpus
CHECK = ['corpus', 'check', '--quiet', '--threads', '1']
WAYS = {'kernels': CHECK, 'straight': [*CHECK, '--straight'], 'cpu': ['test', '--target', 'cpu', '--jobs', '1']}


class Suite:
    """The corpus with golden values written out by the unchanged program, in files for each operation, and the tests with cases of
    their own. A question is asked in pieces, some cases of the corpus or one test, so that a mutant meets only what reaches it, and
    what is quick first."""

    def __init__(self, builder, files, cheap=None, corpus=True):
        self.corpus = corpus
        self.most_seconds = float('inf') if cheap is None else cheap
        self.run = builder.run
        self.builder = builder
        self.targets = builder.targets
        self.folder = builder.cache / f'golden-{short_hash(builder.assay.read_bytes())}'
        self.folder.mkdir(exist_ok=True)
        if corpus:
            self.write_cases()
        asked = {question for path in files for question in self.questions(path)}
        programs = sorted({program_of(question) for question in asked if ' ' not in question} - {'assay_bin_assay'})
        self.hash = short_hash(b''.join(map(builder.program_bytes, [*programs, *(['assay'] if corpus else [])]))) + (
            '' if cheap is None else f' cheap {cheap:g}')  # what takes longer was not timed to its end
        self.pieces = {question: self.pieces_of(question) for question in sorted(asked)}
        # What the unchanged program takes, and that it passes.
        known = self.folder / f'{short_hash(repr(sorted(asked)).encode())}{self.hash}.json'
        self.seconds = json.loads(known.read_text(encoding='utf-8')) if known.exists() else {}
        linked = builder.cache / f'unchanged-{self.hash.split()[0]}'  # with the tests of today
        linked.mkdir(exist_ok=True)
        unchanged = Program(builder, {}, linked)
        missing = sorted({piece for pieces in self.pieces.values() for piece in pieces} - set(self.seconds))
        limit = 600 if cheap is None else 1 + int(cheap)
        for piece, (status, seconds) in zip(missing, builder.compiles.map(lambda piece: self.ask(unchanged, piece, limit), missing)):
            self.seconds[piece] = seconds
            if status != 0 and seconds <= self.most_seconds:
                raise SystemExit(f'the unchanged program fails {piece}')
        known.write_text(json.dumps(self.seconds), encoding='utf-8')

    def questions(self, path):
        return [question for question in questions(path, self.targets) if self.corpus or ' ' not in question]

    def write_cases(self):
        whole = self.folder / 'all.cases'
        if whole.exists():
            return
        partial = self.folder / 'partial'
        with open(partial, 'wb') as file:
            subprocess.run([self.builder.assay, 'corpus', 'show', '--golden', '*'], check=True, stdout=file)
        listed = subprocess.run([self.builder.assay, 'corpus', 'list', '--tier', 'quick'], check=True, text=True,
                                stdout=subprocess.PIPE)
        self.split(partial, set(listed.stdout.split()))
        os.replace(partial, whole)

    def split(self, path, quick):
        """Into OP.full.N.cases, OP.quick.N.cases and all.quick.N.cases, of so many cases each."""
        files, counts = {}, {}
        with open(path, encoding='utf-8') as lines:
            for line in lines:
                if line.startswith('case '):
                    case = line.split()[1]
                    op = case.split('/')[0]
                    names = [f'{op}.full'] + ([f'{op}.quick', 'all.quick'] if case in quick else [])
                    for name in names:
                        counts[name] = counts.get(name, -1) + 1
                        if counts[name] % CASES == 0:
                            files[name] = open(self.folder / f'{name}.{counts[name] // CASES}.cases', 'w', encoding='utf-8')
                for name in names:
                    files[name].write(line)
        for file in files.values():
            file.close()

    def pieces_of(self, question):
        """The pieces of a question: program and test, or program, cases and way."""
        target, *of_corpus = question.split()
        if of_corpus:
            return [f'{target} {path.name} {of_corpus[1]}' for path in sorted(self.folder.glob(f'{of_corpus[0]}.*.cases'))]
        if program_of(question) != question:
            return [f'{program_of(question)} {question}']
        listed = subprocess.run([self.builder.program_path(target), '--gtest_list_tests'], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        pieces, suite = [], ''
        for line in listed.split('\n'):
            name = line.split('#')[0].strip()
            if re.match(r'\S+\.$', name):
                suite = name
            elif line.startswith('  '):
                pieces.append(f'{target} {suite}{name}')
        return pieces

    def ask(self, program, piece, cpu, variables=None):
        """(exit status, CPU seconds) of a piece."""
        target, asked, *way = piece.split()
        path = program(target)
        words = [path, f'--gtest_filter={asked}']
        if way:
            words = [path, *WAYS[way[0]], '--cases', self.folder / asked]
        elif asked.startswith(STARTED):
            words = [path if word == str(self.builder.assay) else word for word in self.builder.command_of(asked.removeprefix(STARTED))]
        return self.run(words, cpu, variables) if path is not None else (-1, 0.0)

    def reached(self, program, mutants, numbers):
        """By mutant, the pieces that reach its place while none is switched on."""
        asked = {mutant.file: set(self.asked(mutant.file)) for mutant in mutants}
        pieces = sorted({piece for pieces in asked.values() for piece in pieces})
        reached = dict(zip(pieces, self.builder.compiles.map(lambda piece: self.reached_by(program, piece), pieces)))
        return {mutant: {piece for piece in asked[mutant.file] if reached[piece][number]}
                for mutant, number in zip(mutants, numbers)}

    def reached_by(self, program, piece):
        """A byte for each number: 1 where the piece reaches the place of the mutant."""
        with tempfile.NamedTemporaryFile() as file:
            os.pwrite(file.fileno(), bytes(MOST_MUTANTS), 0)
            status, _ = self.ask(program, piece, 600, {'ASSAY_SOURCE_MUTANTS_REACHED': file.name})
            if status != 0:  # it counts the memory or the instructions of the program itself
                print(f'not asked, for the program fails it with all mutants, of which none is on: {piece}', flush=True)
                return bytes(MOST_MUTANTS)
            return os.pread(file.fileno(), MOST_MUTANTS, 0)

    def asked(self, path):
        """The pieces of what a file's mutants are asked, quick ones first."""
        pieces = {piece for question in self.questions(path) for piece in self.pieces[question]}
        return sorted((piece for piece in pieces if self.seconds[piece] <= self.most_seconds), key=self.seconds.get)

    def verdict(self, program, path, mutant=None, reached=None):
        """Of a mutant's number in its program and the pieces that reach it, or of the only mutant of a program."""
        if mutant is not None and not reached:
            return 'survived unreached'
        for piece in self.asked(path):
            if mutant is not None and piece not in reached:
                continue
            variables = None if mutant is None else {'ASSAY_SOURCE_MUTANT': str(mutant)}
            status, _ = self.ask(program, piece, 1 + int(5 * self.seconds[piece]), variables)
            if status != 0:
                by = piece.replace('assay_bin_assay ', '').replace('.cases', '')
                return f'killed by {by}' + ('' if status == 1 else f', exit status {status}')
        return 'survived'
