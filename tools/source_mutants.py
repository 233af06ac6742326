#!/usr/bin/env python3
"""Mutates the definitions of the operations (evaluator/ops) one token or statement at a time, and asks the suite.

Each mutant is one file with one operator, bound or constant changed, or one statement deleted. What includes the file is compiled
again and linked into an `assay` of its own, whose definitions then run the cases of the file's operations, and if nothing was wrong the
whole quick tier (`assay corpus check --straight`). The values that must come out were written by the unchanged `assay`, from
its kernels. What is left over runs the operations' cases by its kernels, which share some files with the definitions, and the tests
of the definitions, for what no case can say: refusals at run time. A mutant that gives another value, crashes or does not end is
killed; one that does not compile is none.

  tools/source_mutants.py --list                       # what there is
  tools/source_mutants.py --sample 300 --seed 1        # a choice by chance, some of every file, the same for the same seed
  tools/source_mutants.py --files pad.cc fold.h        # all of some files
  tools/source_mutants.py --sample 300 --survivors     # of a choice, those that the journal has as survivors or not at all
  tools/source_mutants.py --equivalents                # the table of equivalent mutants, held against the small worlds
  tools/source_mutants.py --check-table                # builds nothing: that the table speaks of mutants that there are

Mutants of different lines share a program and are switched on one at a time; a second or two of one core for each, so it is
run on demand. It builds what it needs in build/release. Every verdict goes to a journal, so that a run can be interrupted; a survivor
is asked again where the cases have changed. Survivors are to be killed by a case, or listed with a reason in
conformance/mutants/equivalent_mutants.tsv. Exit code 1: some survived.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPS = ROOT / 'evaluator' / 'ops'
TABLE = ROOT / 'conformance' / 'mutants' / 'equivalent_mutants.tsv'
NO_PRODUCT = re.compile(r'_test\.cc$|^testing\.')  # files of tests

# Files that serve other operations than that of their name.
SHARED = {
    'batch_norm': ['batch-norm-training', 'batch-norm-inference', 'batch-norm-grad'],
    'batch_norm_feature': ['batch-norm-training', 'batch-norm-inference', 'batch-norm-grad'],
    'bit_patterns': ['bitcast-convert', 'bitcast'],
    'block_scale': ['scaled-dot'],
    'cell_updates': ['scatter', 'select-and-scatter'],
    'collectives': ['all-reduce', 'all-gather', 'all-to-all', 'reduce-scatter', 'collective-permute', 'ragged-all-to-all'],
    'contracted_sum': ['dot', 'convolution', 'ragged-dot', 'scaled-dot'],
    'definition': ['pad', 'reduce', 'gather', 'dot', 'slice'],
    'elementwise': ['add', 'select', 'clamp', 'convert', 'compare'],
    'exact_cholesky': ['cholesky'],
    'exact_fourier': ['fft'],
    'exact_solve': ['triangular-solve'],
    'fold': ['reduce', 'reduce-window', 'scatter', 'scan', 'select-and-scatter'],
    'merge_sort': ['sort', 'topk'],
    'product_sum': ['dot', 'convolution', 'ragged-dot'],
    'ragged_groups': ['ragged-dot', 'ragged-all-to-all'],
    'ragged_transfers': ['ragged-all-to-all'],
    'random_blocks': ['rng-bit-generator'],
    'scan_plan': ['scan'],
    'special_elements': ['cholesky', 'triangular-solve', 'fft'],
    'start_indices': ['gather', 'scatter', 'dynamic-slice', 'dynamic-update-slice'],
}

# Tests: of all definitions, of some files, and of small worlds.
DEFINITIONS = 'assay_definitions_test'
MORE_TESTS = {'collectives': ['assay_collective_kernels_test'], 'ragged_transfers': ['assay_collective_kernels_test'],
              'exact_fourier': ['assay_fourier_test'], 'fold': ['assay_fold_test'], 'merge_sort': ['assay_merge_sort_test'],
              'product_sum': ['assay_product_sum_test']}
SMALL_WORLDS = 'assay_small_worlds_test'

# What becomes of a token: pattern, replacement. Operators, bounds and constants:
TOKENS = [
    (r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '), (r' != ', ' == '),
    (r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' + '), (r' / ', ' * '), (r' % ', ' / '), (r' && ', ' || '), (r' \|\| ', ' && '),
    (r' \+= ', ' -= '), (r'\+\+', '--'), (r'(?<![\w.{])0(?![\w.x])', '1'), (r'(?<![\w.])1(?![\w.])', '2'),
    (r'\btrue\b', 'false'), (r'\bfalse\b', 'true'), (r'\bmin\b(?=[<(])', 'max'), (r'\bmax\b(?=[<(])', 'min'),
]
# Conditions, what is returned, loops that end a turn early, arguments and names taken for each other, bits, signs, other numbers:
FORMS = [
    (r'(?<=\bif \()([^;]+)(?=\) )', r'!(\1)'), (r'(?<![=!<>|&+*/-] )(?<![\w.:>])(\w+(?:\(\))?) \? ', r'!\1 ? '), (r'!(?=[a-zA-Z(*])', ''),
    (r'(?<=\breturn )(?!absl|status|std|\*|\[|Unimpl|\w*\.status)[^;{]+(?=;)', '{}'),
    (r'(?<=; )(\w+) < ([^;]+)(?=; \+\+)', r'\1 < \2 - 1'),
    (r'(?<=\w\()(?!type|part|component)([a-z][\w.\[\]>-]*), (?!type|part|component)([a-z][\w.\[\]>-]*)(?=\))', r'\2, \1'),
    (r'\blhs_(?=\w)', 'rhs_'), (r'\brhs_(?=\w)', 'lhs_'), (r'(?<=\.)re\b', 'im'), (r'(?<=\.)im\b', 're'), (r'(?<=->)bits\b', 'imag'),
    (r'(?<=->)imag\b', 'bits'), (r'(?<=[\[(])i(?=[\]),].*\bj\b)', 'j'), (r'(?<=[\[(])j(?=[\]),].*\bi\b)', 'i'), (r'\bkGt\b', 'kLt'),
    (r'\bkLt\b', 'kGt'), (r'\.front\(\)', '.back()'), (r'\.back\(\)', '.front()'), (r'\.first\(', '.last('), (r'\.last\(', '.first('),
    (r' &&$', ' ||'), (r' \|\|$', ' &&'), (r' << ', ' >> '), (r' >> ', ' << '), (r' & ', ' | '), (r' \| ', ' & '), (r' \^ ', ' | '),
    (r' \|= ', ' &= '), (r' -= ', ' += '), (r'--', '++'), (r' \*= ', ' += '), (r' /= ', ' *= '), (r' >>= ', ' <<= '), (r' <<= ', ' >>= '),
    (r'(?<=[\s(])-(?=[a-zA-Z])', ''), (r'(?<![\w.])([2-9]|[1-9]\d+)(?![\w.])', r'(\1 + 1)'),
]
STATEMENT = re.compile(r'^\s+(?!return|const |auto |using |case |default|break|public|private|if |for |while )[\w\[\]().>*+-]+( [+*/|-]?= |\(|\+\+).*;$')
DECLARATION = re.compile(r'\((const )?[\w:<>]+[&*]? \w+[,)]')  # of a constructor
# What changes no value: budgets, which the tests of the interpreter hold, room made in advance, and assertions.
NO_VALUE = re.compile(r'Charge|\bwork\b|kPortion|limbs\(\)|\.reserve\(|\bassert\(')

Mutant = collections.namedtuple('Mutant', 'file number before after')  # a path below OPS, the line's number from 0, its text


def mutants_of(name, text, kinds='tokens'):
    found = []
    for number, line in enumerate(text.split('\n')):
        code = line.split('//')[0]
        if line.startswith('#') or 'template' in code or '"' in code or 'operator' in code or NO_VALUE.search(code):
            continue
        if kinds == 'forms' and ('.ok()' in code or '](' in code):  # the paths of errors; types that a lambda deduces
            continue
        for pattern, replacement in TOKENS if kinds == 'tokens' else FORMS:
            for match in re.finditer(pattern, code):
                if match.group().count('(') != match.group().count(')'):
                    continue
                found.append(Mutant(name, number, line, line[:match.start()] + match.expand(replacement) + line[match.end():]))
        if kinds == 'tokens' and STATEMENT.match(code) and not DECLARATION.search(code):
            found.append(Mutant(name, number, line, re.match(r'\s*', line).group() + ';'))
    return found


def product_files():
    return sorted(p.name for p in OPS.iterdir() if p.suffix in ('.cc', '.h') and not NO_PRODUCT.search(p.name))


def read(name):
    return (OPS / name).read_text(encoding='utf-8')


def sample(by_file, wanted, seed):
    """About as many as wanted: of each file its share, but three at least where there are so many. A choice by a hash of their text, so
    that a change of one line changes little."""
    def place(mutant):
        return hashlib.sha256(f'{seed} {mutant.file} {mutant.before.strip()} {mutant.after.strip()}'.encode()).digest(), mutant.number

    total = sum(map(len, by_file.values()))
    chosen = []
    for name, mutants in sorted(by_file.items()):
        count = min(len(mutants), max(3, round(len(mutants) * wanted / total)))
        chosen += sorted(sorted(mutants, key=place)[:count])
    return chosen


def region(line, begin, end, starts_statement):
    """The ends of the expression around the token line[begin:end], or None where it goes on in other lines."""
    left, depth = begin, 0
    while True:
        before = line[:left]
        if not before.strip():
            if not starts_statement:
                return None
            break
        char = before[-1]
        depth += char in ')]}'
        if depth == 0 and (char in '([{,;?' or re.search(r'(\breturn|[^=!<>]=| :) $', before)):
            break
        depth -= char in '([{'
        left -= 1
    right, depth = end, 0
    while True:
        if right >= len(line):
            return None
        char = line[right]
        if depth == 0 and (char in ')]},;?' or line.startswith(' : ', right)):
            break
        depth += char in '([{'
        depth -= char in ')]}'
        right += 1
    return left + len(line[left:right]) - len(line[left:right].lstrip()), right


def switched(mutant, number, line_before):
    """The line with the mutant in it where IsMutant(number) says so, or None."""
    before, after = mutant.before, mutant.after
    if after.strip() == ';':
        return before.replace(before.strip(), f'if (!IsMutant({number})) {before.strip()}')
    if after.rstrip().endswith('return {};'):
        at = after.index('return {};')
        return f'{before[:at]}{{ if (IsMutant({number})) return {{}}; {before[at:]} }}'
    begin = len(os.path.commonprefix([before, after]))
    tail = min(len(before), len(after)) - begin
    same = len(os.path.commonprefix([before[::-1], after[::-1]])[:tail])
    end, end_after = len(before) - same, len(after) - same
    if ',' in before[begin:end]:  # arguments: with the call around them
        paren = before.rindex('(', 0, begin)
        call = re.search(r'[\w:.>\[\]-]*\($', before[:paren + 1]).start()
        right = before.index(')', paren) + 1
        begin, end, end_after = call, right, end_after + right - end
    bounds = region(before, begin, end, not line_before.strip() or line_before.rstrip()[-1] in ';{}:')
    if bounds is None:
        return None
    left, right = bounds
    other = after[left:end_after + right - end]
    return f'{before[:left]}(IsMutant({number}) ? ({other}) : ({before[left:right]})){before[right:]}'


# What tells the mutants of a program apart, in front of the changed file.
SWITCH = """#include <cstdlib>
namespace assay {
inline bool IsMutant(int number) {
  static const char* const chosen = std::getenv("ASSAY_SOURCE_MUTANT");
  static const int choice = chosen != nullptr ? std::atoi(chosen) : -1;
  return choice == number;
}
}  // namespace assay
"""


class EquivalentMutants:
    """The rows of the table: file, line, the line after, reason."""

    def __init__(self, path=TABLE):
        self.reasons = {}
        for row in path.read_text(encoding='utf-8').splitlines():
            if not row or row.startswith('#'):
                continue
            words = row.split('\t')
            if len(words) != 4 or not all(words):
                raise SystemExit(f'{path.name}: not file, line, line after and reason: {row}')
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


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


class Run:
    """A command with limits, on CPU seconds and memory; counts what all took."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.seconds = 0.0

    def __call__(self, words, cpu=600, mutant=None):
        """(exit status, CPU seconds)."""
        chosen = {} if mutant is None else {'ASSAY_SOURCE_MUTANT': str(mutant)}
        limited = ['timeout', '-s', 'KILL', str(20 * cpu), 'prlimit', f'--cpu={cpu}', f'--as={4 << 30}', *map(str, words)]
        process = subprocess.Popen(limited, cwd=self.folder, env=os.environ | chosen, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        with self.lock:
            self.seconds += seconds
        return process.returncode, seconds


class Builder:
    """Compiles files of evaluator/ops one by one and links programs with them in front of the libraries."""

    def __init__(self, build, jobs):
        self.build = build
        self.run = Run(build)
        tests = {DEFINITIONS, SMALL_WORLDS}.union(*MORE_TESTS.values())
        subprocess.run(['ninja', '-C', str(build), 'assay_bin_assay', *sorted(tests)], check=True, stdout=subprocess.DEVNULL)
        compiles = [c for c in self.ninja('assay_bin_assay') if ' -c ' in c and 'evaluator/ops/' in c]
        # What the changed code computes does not depend on the optimisation, and this compiles faster. What reads beside a
        # container ends.
        words = self.without_files(shlex.split(compiles[0]))
        self.compile = [re.sub(r'^-O[23]$', '-O1', word) for word in words if word != '-DNDEBUG'] + ['-D_GLIBCXX_ASSERTIONS', '-w']
        self.texts = {name: read(name) for name in product_files()}
        self.assay = build / 'bin' / 'assay'
        self.cache = build / 'source_mutants' / short_hash(repr((self.compile, sorted(self.texts.items()))).encode())
        self.cache.mkdir(parents=True, exist_ok=True)
        self.precompile()
        self.links = {}
        self.objects = {name: self.cache / f'{name}.o' for name in self.texts if name.endswith('.cc')}
        missing = [name for name, path in self.objects.items() if not path.exists()]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for name, made in zip(missing, pool.map(lambda name: self.make_object(OPS / name, self.objects[name]), missing)):
                if not made:
                    raise SystemExit(f'{name} does not compile')

    def precompile(self):
        """The headers that several files include, once, in the place of the build's, whose options are others."""
        included = collections.Counter(line for text in self.texts.values() for line in text.split('\n')
                                       if line.startswith('#include') and '"evaluator/ops/' not in line)
        header = self.cache / 'headers.h'
        if '-include' in self.compile:
            at = self.compile.index('-include')
            del self.compile[at:at + 2]
        if not header.exists():
            header.write_text('\n'.join(sorted(line for line, count in included.items() if count > 3)) + '\n', encoding='utf-8')
            if not self.make_object(header, f'{header}.gch', ['-x', 'c++-header']):
                raise SystemExit('the headers do not compile')
        self.compile += ['-include', str(header)]

    def ninja(self, target):
        return subprocess.run(['ninja', '-C', str(self.build), '-t', 'commands', target], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip().split('\n')

    @staticmethod
    def without_files(words):
        kept, skip = [], False
        for word in words:
            if skip:
                skip = False
            elif word in ('-o', '-c', '-MF', '-MT'):
                skip = True
            elif word != '-MD':
                kept.append(word)
        return kept

    def make_object(self, source, target, include=()):
        partial = f'{target}.{threading.get_ident()}'
        words = [self.compile[0], *include, *self.compile[1:], '-o', partial, '-c', source]
        if self.run(words)[0] != 0:
            return False
        os.replace(partial, target)
        return True

    def link(self, target, objects, program):
        if target not in self.links:
            self.links[target] = shlex.split(self.ninja(target)[-1].replace(': && ', '').replace(' && :', ''))
        words = self.links[target]
        at = words.index('-o')
        fast = ['-fuse-ld=lld'] if shutil.which('ld.lld') else []
        return self.run(words[:at] + [*fast, '-o', program, *objects.values()] + words[at + 2:])[0] == 0

    def users(self, header):
        """The files to compile that include a header of evaluator/ops, through others too."""
        users = {header}
        while True:
            more = {name for name, text in self.texts.items()
                    if any(f'#include "evaluator/ops/{user}"' in text for user in users)} - users
            if not more:
                return [name for name in users if name.endswith('.cc')]
            users |= more

    def make_mutants(self, mutants, folder):
        """The object files with one or several mutants of a file among them, or None where that does not compile. Several, of different
        lines, are told apart by the variable ASSAY_SOURCE_MUTANT, which has the place in the list."""
        name = mutants[0].file
        lines = self.texts[name].split('\n')
        for number, mutant in enumerate(mutants):
            assert lines[mutant.number] == mutant.before
            after = mutant.after if len(mutants) == 1 else switched(mutant, number, lines[mutant.number - 1])
            if after is None:
                return None
            lines[mutant.number] = after
        text = '\n'.join(lines)
        if len(mutants) > 1:
            text = text.replace('#include', SWITCH + '#include', 1)
        source = folder / 'evaluator' / 'ops' / name
        source.parent.mkdir(parents=True)
        source.write_text(text, encoding='utf-8')
        objects = {}
        for user in [name] if name.endswith('.cc') else self.users(name):
            item = folder / f'{user}.o'
            if not self.make_object(source if user == name else OPS / user, item, [f'-I{folder}']):
                return None
            objects[user] = item
        # Its own first: of an inline function of a header the linker keeps the first.
        return objects | {user: path for user, path in self.objects.items() if user not in objects}


class Program:
    """The programs with some object files in front of the libraries, each linked when it is first asked."""

    def __init__(self, builder, objects, folder):
        self.builder = builder
        self.objects = objects
        self.folder = folder

    def __call__(self, target):
        """Its path, or None where it does not link."""
        path = self.folder / target
        return path if path.exists() or self.builder.link(target, self.objects, path) else None


class Suite:
    """The corpus with golden values written out by the unchanged program, in one file for each operation, and the tests with cases of
    their own."""

    def __init__(self, builder, files):
        self.run = builder.run
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
        self.hash = short_hash(self.whole.read_bytes())
        # What the unchanged definitions take, and that they give the golden values.
        known = self.folder / 'seconds.json'
        self.seconds = json.loads(known.read_text(encoding='utf-8')) if known.exists() else {}
        questions = {question for name in files for question in self.questions(name)}
        unchanged = Program(builder, builder.objects, builder.cache)
        for question in sorted(questions - set(self.seconds)):
            status, self.seconds[question] = self.ask(unchanged, question, 600)
            if status != 0:
                raise SystemExit(f'the unchanged definitions do not give the values of {question}')
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

    @staticmethod
    def questions(name):
        """In the order in which they are asked about a file: program, cases of the corpus if it takes them, way."""
        stem = name.split('.')[0]
        operations = SHARED.get(stem, [stem.replace('_', '-')])
        cases = [f'{op}.quick' for op in operations] + [f'{op}.full' for op in operations]
        return [f'assay_bin_assay {each} --straight' for each in [*cases, 'all.quick']] + [
            f'assay_bin_assay {each} --kernels' for each in cases] + [DEFINITIONS, *MORE_TESTS.get(stem, []), SMALL_WORLDS]

    def ask(self, program, question, cpu, mutant=None):
        target, *of_corpus = question.split()
        words = []
        if of_corpus:
            cases = self.folder / f'{of_corpus[0]}.cases'
            if not cases.exists():  # none of the quick tier
                return 0, 0.0
            way = ['--straight'] if of_corpus[1] == '--straight' else []
            words = ['corpus', 'check', *way, '--quiet', '--threads', '1', '--cases', cases]
        path = program(target)
        return self.run([path, *words], cpu, mutant) if path is not None else (-1, 0.0)

    def verdict(self, program, name, mutant=None):
        for question in self.questions(name):
            status, _ = self.ask(program, question, 2 + int(10 * self.seconds[question]), mutant)
            if status != 0:
                asked = question.replace('assay_bin_assay ', '').replace(' --straight', '').replace(' --', ' by ')
                return f'killed by {asked}' + ('' if status == 1 else f', exit status {status}')
        return 'survived'


class Journal:
    """What was found out before, by line and text; survivors of another corpus do not count."""

    def __init__(self, path, suite_hash):
        self.suite = suite_hash
        self.lock = threading.Lock()
        self.known = {}
        if path.exists():
            for line in path.read_text(encoding='utf-8').splitlines():
                entry = json.loads(line)
                self.known[tuple(entry['mutant'])] = entry
        self.file = open(path, 'a', encoding='utf-8')

    @staticmethod
    def key(mutant, text):
        return (mutant.file, short_hash(text.encode()), mutant.number, mutant.after)

    def find(self, key):
        entry = self.known.get(key)
        if entry is None or (entry['verdict'] == 'survived' and entry['suite'] != self.suite):
            return None
        return entry['verdict']

    def add(self, key, verdict):
        with self.lock:
            self.file.write(json.dumps({'mutant': key, 'suite': self.suite, 'verdict': verdict}) + '\n')
            self.file.flush()


def examine(builder, suite, journal, mutants):
    """The verdicts of mutants of different lines of a file: of all in one program, or of each in one of its own."""
    keys = [Journal.key(mutant, builder.texts[mutant.file]) for mutant in mutants]
    verdicts = {mutant: journal.find(key) for mutant, key in zip(mutants, keys)}
    unknown = [mutant for mutant, verdict in verdicts.items() if verdict is None]
    if not unknown:
        return verdicts
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        objects = builder.make_mutants(unknown, folder)
        program = Program(builder, objects, folder)
        linked = objects is not None and program('assay_bin_assay') is not None
        if not linked and len(unknown) > 1:  # one of them does not compile
            half = len(unknown) // 2
            return verdicts | examine(builder, suite, journal, unknown[:half]) | examine(builder, suite, journal, unknown[half:])
        for number, mutant in enumerate(unknown):
            verdicts[mutant] = ('does not compile' if not linked else
                                suite.verdict(program, mutant.file, number if len(unknown) > 1 else None))
            journal.add(keys[mutants.index(mutant)], verdicts[mutant])
    return verdicts


def groups(mutants):
    """Of one file and of different lines each."""
    layers = {}
    for mutant in mutants:
        layer = sum(other.number == mutant.number for found in layers.values() for other in found if other.file == mutant.file)
        layers.setdefault((mutant.file, layer), []).append(mutant)
    return list(layers.values())


def show(mutant, verdict):
    print(f'{verdict:32} {mutant.file}:{mutant.number + 1}: {mutant.before.strip()}  ->  {mutant.after.strip()}', flush=True)


def score(builder, work, equivalents, arguments):
    """Examines the mutants; the exit code."""
    suite = Suite(builder, {mutant.file for mutant in work})
    journal = Journal(arguments.journal or builder.build / 'source_mutants' / 'journal.jsonl', suite.hash)
    if arguments.survivors:
        verdicts = {mutant: journal.known.get(Journal.key(mutant, builder.texts[mutant.file]), {'verdict': 'survived'})['verdict']
                    for mutant in work}
        work = [mutant for mutant in work if verdicts[mutant] == 'survived']
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = {}
        for found in pool.map(lambda group: examine(builder, suite, journal, group), groups(work)):
            verdicts |= found
            for mutant, verdict in found.items():
                show(mutant, verdict)
        print()
        for mutant in work:
            verdict = verdicts[mutant]
            listed = EquivalentMutants.key(mutant) in equivalents.reasons
            if listed:
                verdict = 'equivalent' if verdict == 'survived' else f'listed as equivalent, but {verdict}'
            counts[verdict.split(' ')[0]] += 1
            show(mutant, verdict)
    examined = counts['killed'] + counts['survived'] + counts['equivalent'] + counts['listed']
    print(f'{examined} mutants of {len({m.file for m in work})} files: {counts["killed"]} killed, {counts["equivalent"]} equivalent, '
          f'{counts["survived"]} survived, {counts["listed"]} wrongly listed; score '
          f'{100 * counts["killed"] / max(1, examined - counts["equivalent"]):.1f}%; {counts["does"]} do not compile; '
          f'{builder.run.seconds:.0f} CPU seconds')
    return 1 if counts['survived'] or counts['listed'] or counts['equivalent'] > examined * 0.05 else 0


def hold_equivalents(builder, mutants, tests):
    """Runs each equivalent mutant through the enumerated small worlds and the tests of the definitions; the exit code."""
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
    parser.add_argument('--files', nargs='*', metavar='FILE', help='of evaluator/ops (default: all)')
    parser.add_argument('--kinds', choices=['tokens', 'forms'], default='tokens', help='of changes (default: tokens)')
    parser.add_argument('--sample', type=int, metavar='N', help='about so many of them, by chance')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--survivors', action='store_true', help='only those that were not killed before, by the journal')
    parser.add_argument('--list', action='store_true', help='only say what there is')
    parser.add_argument('--check-table', action='store_true')
    parser.add_argument('--equivalents', action='store_true')
    parser.add_argument('--tests', nargs='*', default=[SMALL_WORLDS, DEFINITIONS], metavar='TARGET', help='that equivalent mutants must pass')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--journal', type=pathlib.Path, help='default: build/release/source_mutants/journal.jsonl')
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build' / 'release')
    arguments = parser.parse_args()

    every_kind = {kinds: {name: mutants_of(name, read(name), kinds) for name in product_files()} for kinds in ('tokens', 'forms')}
    everything = [mutant for by_file in every_kind.values() for mutants in by_file.values() for mutant in mutants]
    by_file = every_kind[arguments.kinds]
    equivalents = EquivalentMutants()
    listed = equivalents.mutants(everything)
    if arguments.check_table:
        print(f'{len(listed)} equivalent mutants of {len(everything)}')
        return 0
    if arguments.equivalents:
        return hold_equivalents(Builder(arguments.build, arguments.jobs), listed, arguments.tests)
    if arguments.files:
        unknown = [name for name in arguments.files if name not in by_file]
        if unknown:
            parser.error(f'not in evaluator/ops: {", ".join(unknown)}')
        by_file = {name: by_file[name] for name in arguments.files}
    work = [mutant for mutants in by_file.values() for mutant in mutants]
    if arguments.sample is not None:
        work = sample(by_file, arguments.sample, arguments.seed)
    if arguments.list:
        for mutant in work:
            show(mutant, '')
        print(f'{len(work)} mutants')
        return 0
    return score(Builder(arguments.build, arguments.jobs), work, equivalents, arguments)


if __name__ == '__main__':
    sys.exit(main())
