"""What a mutant is asked: cases of the corpus with the values of the unchanged program, and tests."""
import json
import os
import subprocess

from mutation.areas import area_of, questions
from mutation.programs import Program, short_hash


class Suite:
    """The corpus with golden values written out by the unchanged program, in one file for each operation, and the tests with cases of
    their own."""

    def __init__(self, builder, files, cheap=None):
        self.most_seconds = float('inf') if cheap is None else cheap
        self.run = builder.run
        self.targets = builder.targets
        self.folder = builder.cache / f'golden-{short_hash(builder.assay.read_bytes())}'
        self.folder.mkdir(exist_ok=True)
        self.whole = self.folder / 'all.cases'
        if not self.whole.exists():
            partial = self.folder / 'partial'
            with open(partial, 'wb') as file:
                subprocess.run([builder.assay, 'corpus', 'show', '--golden', '*'], check=True, stdout=file)
            listed = subprocess.run([builder.assay, 'corpus', 'list', '--tier', 'quick'], check=True, text=True,
                                    stdout=subprocess.PIPE)
            self.split(partial, set(listed.stdout.split()))
            os.replace(partial, self.whole)
        asked = {question for path in files for question in questions(path, builder.targets)}
        self.hash = short_hash(b''.join([self.whole.read_bytes(), *(builder.program_bytes(question) for question in sorted(asked)
                                                                    if ' ' not in question)])) + ('' if cheap is None else ' cheap')
        # What the unchanged program takes, and that it passes.
        known = self.folder / 'seconds.json'
        self.seconds = json.loads(known.read_text(encoding='utf-8')) if known.exists() else {}
        unchanged = Program(builder, builder.objects, builder.cache)
        for question in sorted(asked - set(self.seconds)):
            status, self.seconds[question] = self.ask(unchanged, question, 600)
            if status != 0:
                raise SystemExit(f'the unchanged program fails {question}')
        known.write_text(json.dumps(self.seconds), encoding='utf-8')

    def split(self, path, quick):
        """Into OP.full.cases, OP.quick.cases and all.quick.cases."""
        files = {}
        with open(path, encoding='utf-8') as lines:
            for line in lines:
                if line.startswith('case '):
                    case = line.split()[1]
                    op = case.split('/')[0]
                    names = [f'{op}.full'] + ([f'{op}.quick', 'all.quick'] if case in quick else [])
                for name in names:
                    if name not in files:
                        files[name] = open(self.folder / f'{name}.cases', 'w', encoding='utf-8')
                    files[name].write(line)
        for file in files.values():
            file.close()

    def ask(self, program, question, cpu, mutant=None):
        target, *of_corpus = question.split()
        words = []
        if of_corpus:
            cases = self.folder / f'{of_corpus[0]}.cases'
            if not cases.exists():  # none of the quick tier
                return 0, 0.0
            way = ['--straight'] if of_corpus[1] == 'straight' else []
            words = ['corpus', 'check', *way, '--quiet', '--threads', '1', '--cases', cases]
        path = program(target)
        return self.run([path, *words], cpu, mutant) if path is not None else (-1, 0.0)

    def verdict(self, program, path, mutant=None):
        asked = questions(path, self.targets)
        if not area_of(path).operations:
            asked.sort(key=self.seconds.get)  # cheap ones first
        for question in asked:
            if self.seconds[question] > self.most_seconds:
                continue
            status, _ = self.ask(program, question, 2 + int(5 * self.seconds[question]), mutant)
            if status != 0:
                asked = question.replace('assay_bin_assay ', '').replace(' straight', '').replace(' kernels', ' by kernels')
                return f'killed by {asked}' + ('' if status == 1 else f', exit status {status}')
        return 'survived'
