#!/usr/bin/env python3
"""Mutates the definitions of the operations (evaluator/ops/*.cc) one token at a time, and asks the suite.

Each mutant is one file with one operator, bound or constant changed, or one statement deleted. The file is compiled alone and
linked in front of the libraries; then the cases of its operations run with golden values from the definitions and golden's
kernels as the target, `assay test --target golden`. A mutant that some case tells from the kernels is killed; one that does not
compile is no mutant. It takes about five seconds of one core for each, so it is run on demand:

  tools/source_mutants.py --list                      # what there is
  tools/source_mutants.py --sample 300 --seed 1       # a random choice, the same for the same seed
  tools/source_mutants.py --files pad.cc gather.cc    # all of some files

Needs build/release with the target assay. Prints a line for each mutant and the score; survivors are to be killed by a case, or
explained in docs/mutants.md.
"""
import argparse
import concurrent.futures
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPS = ROOT / 'evaluator' / 'ops'

# Files that serve other operations than that of their name.
SHARED = {
    'batch_norm': ['batch-norm-training', 'batch-norm-inference', 'batch-norm-grad'],
    'batch_norm_feature': ['batch-norm-training', 'batch-norm-inference', 'batch-norm-grad'],
    'collectives': ['all-reduce', 'all-gather', 'all-to-all', 'reduce-scatter'],
    'definition': ['pad', 'reduce', 'gather', 'dot', 'slice'],
    'elementwise': ['add', 'select', 'clamp', 'convert', 'compare'],
    'exact_cholesky': ['cholesky'],
    'exact_fourier': ['fft'],
    'exact_solve': ['triangular-solve'],
    'fold': ['reduce', 'reduce-window', 'scatter', 'scan', 'select-and-scatter'],
    'product_sum': ['dot', 'convolution', 'ragged-dot'],
    'ragged_transfers': ['ragged-all-to-all'],
    'start_indices': ['gather', 'scatter', 'dynamic-slice', 'dynamic-update-slice'],
}

# What becomes of a token: pattern, replacement.
CHANGES = [
    (r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '), (r' != ', ' == '),
    (r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' + '), (r' / ', ' * '), (r' % ', ' / '), (r' && ', ' || '), (r' \|\| ', ' && '),
    (r' \+= ', ' -= '), (r'\+\+', '--'), (r'(?<![\w.{])0(?![\w.x])', '1'), (r'(?<![\w.])1(?![\w.])', '2'),
    (r'\btrue\b', 'false'), (r'\bfalse\b', 'true'), (r'\bmin\b(?=[<(])', 'max'), (r'\bmax\b(?=[<(])', 'min'),
]
STATEMENT = re.compile(r'^\s+(?!return|const |auto |using |case |default|break|public|private|if |for |while )[\w\[\]().>*+-]+( [+*/|-]?= |\(|\+\+).*;$')


def mutants_of(path):
    """(line number from 0, the line after) of every mutant of a file."""
    found = []
    for number, line in enumerate(path.read_text(encoding='utf-8').split('\n')):
        code = line.split('//')[0]
        if line.startswith('#') or 'template' in code or '"' in code or 'operator' in code:
            continue
        for pattern, replacement in CHANGES:
            for match in re.finditer(pattern, code):
                found.append((number, line[:match.start()] + replacement + line[match.end():]))
        if STATEMENT.match(code):
            found.append((number, re.match(r'\s*', line).group() + ';'))
    return found


class Builder:
    """Compiles one file of evaluator/ops and links a command with it."""

    def __init__(self, build):
        self.build = build
        commands = subprocess.run(['ninja', '-C', str(build), '-t', 'commands', 'assay_bin_assay'], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout.strip().split('\n')
        compiles = [c for c in commands if ' -c ' in c and 'evaluator/ops/' in c]
        self.compile = self.without_files(shlex.split(compiles[0]))
        self.link = shlex.split(commands[-1].replace(': && ', '').replace(' && :', ''))

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

    def run(self, words):
        return subprocess.run(words, cwd=self.build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def make(self, source, folder):
        """The path of the command, or None where the mutant does not compile."""
        folder = pathlib.Path(folder)
        item, command = folder / 'mutant.o', folder / 'assay'
        if not self.run(self.compile + ['-w', '-o', str(item), '-c', str(source)]):
            return None
        at = self.link.index('-o')
        # The first definition of a name is taken, and that is the mutant's.
        words = self.link[:at] + ['-Wl,-z,muldefs', '-o', str(command), str(item)] + self.link[at + 2:]
        return command if self.run(words) else None


def verdict(command, operations, seconds):
    for operation in operations:
        try:
            done = subprocess.run([str(command), 'test', '--target', 'golden', '--tier', 'quick', '--filter', f'{operation}/*'],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds)
        except subprocess.TimeoutExpired:
            return 'killed (timeout)'
        if done.returncode < 0:
            return f'killed (signal {-done.returncode})'
        if done.returncode != 0:
            return f'killed ({operation})'
    return 'survived'


def examine(builder, path, number, after, seconds):
    lines = path.read_text(encoding='utf-8').split('\n')
    lines[number] = after
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / path.name
        source.write_text('\n'.join(lines), encoding='utf-8')
        command = builder.make(source, folder)
        if command is None:
            return 'does not compile'
        operations = SHARED.get(path.stem, [path.stem.replace('_', '-')])
        return verdict(command, operations, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--files', nargs='*', help='of evaluator/ops (default: all)')
    parser.add_argument('--sample', type=int, help='so many of them, by chance')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--list', action='store_true', help='only say what there is')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--seconds', type=float, default=120, help='that the cases of an operation may take')
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build' / 'release')
    args = parser.parse_args()
    files = [OPS / name for name in args.files] if args.files else sorted(OPS.glob('*.cc'))
    work = [(path, *mutant) for path in files
            if not path.stem.endswith('_test') and path.stem not in ('testing',) and not path.stem.startswith('op_cases')
            for mutant in mutants_of(path)]
    if args.sample is not None and args.sample < len(work):
        work = sorted(random.Random(args.seed).sample(work, args.sample))
    if args.list:
        for path, number, after in work:
            print(f'{path.name}:{number + 1}: {after.strip()}')
        print(f'{len(work)} mutants')
        return 0
    builder = Builder(args.build)
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        asked = [(item, pool.submit(examine, builder, *item, args.seconds)) for item in work]
        for (path, number, after), future in asked:
            said = future.result()
            counts[said.split(' (')[0]] = counts.get(said.split(' (')[0], 0) + 1
            print(f'{said:24} {path.name}:{number + 1}: {after.strip()}', flush=True)
    killed, survived = counts.get('killed', 0), counts.get('survived', 0)
    print(f'{killed} of {killed + survived} killed, {survived} survived, {counts.get("does not compile", 0)} do not compile')
    return 1 if survived else 0


if __name__ == '__main__':
    sys.exit(main())
