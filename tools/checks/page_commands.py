#!/usr/bin/env python3
"""Runs the commands that README and docs/ print, each page in a folder of its own, and compares what the pages show.

usage: page_commands.py ASSAY SOURCE [--all] [--page TEXT] [--list]

Commands are the lines of code blocks without a language, and code in sentences that is a whole command. They run in order, with the
files that earlier ones left. What a block shows behind `$ COMMAND` must come; `$ cat FILE` makes the file. Each paragraph of a block
`text` must come from a command of the block before it, and so must the comment behind a `print` of a block `python`. Spaces, times and
what `...` stands for do not count. Names in capitals and files of the reader (`MODULE`, `model.hlo`, `./mine`) stand for samples.

Without --all only commands that take a fraction of a second run. Each other command matches a row of SLOW or NEVER.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = re.compile(r'(?:time |[A-Z_]+=\S+ )*(?:assay [a-z]|build/\S+/\w+|tools/[\w/.]+|python3? |\$PYTHON|~/\S+python|cmake |ctest|'
                     r'g\+\+ |mpirun|ninja|git |pip |pytest|export |echo |cat |[A-Z]=)')
# Code in a sentence that is a whole command; `assay run --stats` is only the name of one.
WHOLE = re.compile(r'(?:time )?(?:\S*/)?assay (?:(?:test|fuzz|mutants) (?!.*--(?:cases|batch|html)$)--|(?:ops|profile show|corpus \w+) [\w\'[]|'
                   r'.* (?:[A-Z]+|[\w/]+\.hlo)\b)')
# Names that stand for something else, and what is run.
MEANINGS = [
    (r'--profile P\b', '--profile cpu-strict'),
    (r'profile show P\b', 'profile show cpu-strict'),
    (r'--(target|right) T\b', r'--\1 mutant:tanh/linear_below_one_half'),
    (r'process:\.\.\.', 'process:./mine'),
    (r'pjrt:/path/to/plugin\.so', 'pjrt:build/release/lib/libassay_pjrt.so'),
    (r'PREFIX/share/assay/python', 'tools/peers'),
    (r'process:python3 my_target\.py', 'process:python3 docs/example_conformance/my_target.py'),
    (r'corpus export DIR', "corpus export DIR --filter 'tanh/f32/*'"),
    (r'assay judge DIR', "assay corpus export DIR --filter 'tanh/f32/*' && assay judge DIR"),
    (r'corpus export out ', "corpus export out --filter 'tanh/f32/*' "),
    (r'--op X\b|\bops X\b', lambda found: found.group().replace('X', 'tanh')),
    (r'\bFILE\.\.\.|\bFILE$', 'MODULE'),
    (r' \[NAME\]', ' tanh'),
    (r'/tmp/first', 'first'),
    (r'\brun STEP\b', 'run conformance/samples/mlp_train_step.hlo --inputs conformance/samples/mlp_train_step.inputs.npz'),
    (r'assay fuzz (?!.*--programs)', 'assay fuzz --programs 40 '),
    # A sample of what would take minutes.
    (r'assay test (?=.*(?:(?:python|mine).*--(?:tier|filter)|standard|cuda-emulated|pjrt))', 'assay test --shard 1/100 '),
]
NEVER = [
    (r'^tools/(setup|demo|test|wheel|gpu_day|prove|jax_tests|fuzz_score|mutation_score)\b', 'runs for minutes or sets up a machine'),
    (r'^(cmake|ninja|ctest|time ninja)\b', 'builds, which CI does'),
    (r'^(pip|git|python3 -m venv)\b|\b(tpu|cuda)/', 'needs the network'),
    (r'build/\S*(_bench|fuzz/|_test\b|accuracy|/bench$)|--benchmark|cost_table|performance_table|page_times', 'measures, or builds on demand'),
    (r'lammps|--backend cuda(?!-)|STABLEHLO|TOOL|--source', 'needs what is not here'),
    (r'confirm_corpus|explain_samples|findings\.py --run|--write|stablehlo_\w+\.py|speed\.py|pypjrt|judge_stored|pjrt_jax',
     'is a peer test or a generator'),
    (r'^mpirun|--shard auto', 'needs Open MPI'),
    (r'^(PYTHONPATH|JAX_PLATFORMS)=.*python3? model\.py|^python3? model\.py|^pytest|I\.npz|F\.so|assay reduce MODULE', 'needs a program of the reader'),
    (r'--timeout 600|--score|--tier full|--seconds 600|--programs 200000|--programs 4000|--seed SEED|fuzz --profile xla-cpu', 'takes minutes'),
]
SLOW = [
    (r'^(time )?(\S*/)?assay (test|fuzz|mutants --score|corpus|judge|triage|reduce|report)\b', 'runs the suite or programs'),
    (r'^g\+\+', 'compiles'),
    (r'\bpython3?\b|\$PYTHON|\.py\b|f\.mlir', 'needs JAX'),
    (r'--steps 100|arguments\.npz|plugin\.so|\$T', 'takes seconds'),
]
# What a reader of a page has done before its Python.
BEFORE = {
    'README.md': 'import assay, jax.numpy as jnp\nfrom model import f\nx, w = jnp.ones((8, 64)), jnp.ones((64, 32))\n',
}
Block = collections.namedtuple('Block', 'line language lines')


def blocks(text):
    """The code blocks of a page in order; a whole command in a sentence is a block of one line."""
    found = []
    for block in re.finditer(r'^( *)```(\w*)\n(.*?)^ *```$', text, re.M | re.S):
        lines = [line[len(block.group(1)):] for line in block.group(3).replace('\\\n', ' ').splitlines()]
        found.append(Block(text.count('\n', 0, block.start()) + 2, block.group(2), lines))
    sentences = re.sub(r'^ *```\w*\n.*?^ *```$', lambda block: '\n' * block.group().count('\n'), text, flags=re.M | re.S)
    for code in re.finditer(r'`([^`]+)`', sentences):
        command = code.group(1).replace('\n', ' ')
        if WHOLE.match(command):
            found.append(Block(sentences.count('\n', 0, code.start()) + 1, 'sentence', [command]))
    return sorted(found)


class Command:
    def __init__(self, line, text):
        self.line, self.text, self.shown = line, re.sub(r'(^|\s+)# .*', '', text), []

    def kind(self, everything):
        if any(re.search(pattern, self.text) for pattern, _ in NEVER):
            return 'never'
        return 'slow' if not everything and any(re.search(pattern, self.text) for pattern, _ in SLOW) else 'run'


def commands(block):
    """The commands of a block with what it shows of each, in order. A quotation may go on in the next line."""
    prompts = any(line.startswith('$ ') for line in block.lines)
    found = []
    for number, line in enumerate(block.lines):
        open_quotation = found and not prompts and found[-1].text.count('"') % 2
        if line.startswith('$ ') if prompts else not open_quotation and PROGRAM.match(line):
            found.append(Command(block.line + number, line.removeprefix('$ ')))
        elif found and prompts:
            found[-1].shown.append(line)
        elif found:
            found[-1].text += '\n' + line
    return found


def plain(text):
    """Output without what may differ: spaces, and how long things took."""
    text = re.sub(r'\bseconds [\d.]+|\b[\d.]+ (seconds|ms|s)\b', 'TIME', text)
    return ' '.join(text.split())


def shows(shown, output, whole):
    """Whether what a page shows comes, in order where something is left out; `whole`: and nothing else."""
    output = plain(output)
    pieces = [plain(piece) for piece in shown.split('...')]
    if whole and len(pieces) == 1:
        return pieces[0] == output
    place = 0
    for piece in pieces:
        found = output.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return True


class Page:
    """A folder in which the commands of a page run, with the files that a reader has."""

    def __init__(self, name, folder, options):
        self.name, self.folder, self.options, self.settings = name, pathlib.Path(folder), options, []
        self.source, build = pathlib.Path(options.source), pathlib.Path(options.assay).parent.parent
        for link in ('conformance', 'docs', 'tools', 'cmake'):
            (self.folder / link).symlink_to(self.source / link)
        (self.folder / 'build').mkdir()
        (self.folder / 'build/release').symlink_to(build)
        self.make_files()
        path = [str(build / 'bin'), *([str(pathlib.Path(options.python).parent)] if options.python else []), os.environ['PATH']]
        self.environment = dict(os.environ, PATH=':'.join(path), COLUMNS='80', PYTHON=options.python)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    def make_files(self):
        sample = str(self.source / 'conformance/samples/cumsum_cumprod_cummax')
        for ending, names in (
            ('.hlo', 'MODULE model.hlo module.hlo step.hlo M producer.hlo consumer.hlo dumps/a.hlo FOLDER/a.hlo stored/b.hlo dir/0000_jit_f.hlo'),
            ('.inputs.npz', 'F F.npz p.npz c.npz dumps/a.inputs.npz FOLDER/a.inputs.npz stored/b.inputs.npz dir/0000_jit_f.run0.arguments.npz'),
            ('.expected.npz', 'G.npz stored/b.expected.npz stored/b.actual.npz'),
        ):
            for name in names.split():
                self.file(name, pathlib.Path(sample + ending).read_bytes())
        for name in ('FIRST', 'SECOND', 'A', 'B', 'A.hlo', 'B.hlo'):
            self.file(name, b'HloModule m\nENTRY e {\n  ROOT one = f32[] constant(1)\n}\n')
        self.file('mine', b'#!/bin/sh\nexec assay serve\n').chmod(0o755)
        self.file('mine.py', b'import os\nos.execvp("assay", ["assay", "serve"])\n')

    def make_reports(self):
        for report, shard in (('run', '0/1'), ('before', '0/1'), ('after', '0/1'), ('run.0', '0/2'), ('run.1', '1/2'), ('shard.0', '0/2'),
                              ('shard.1', '1/2')):
            subprocess.run([self.options.assay, 'test', '--filter', 'tanh/f32/*', '-q', '--shard', shard, '--report',
                            f'json={self.folder / report}.json'], check=True, stdout=subprocess.DEVNULL)

    def execute(self, *command, **environment):
        done = subprocess.run(command, cwd=self.folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800, check=False)
        return done.returncode, done.stdout.decode(errors='replace')

    def run(self, command):
        """What a command prints, and what is wrong with it or ''."""
        shell = command.text
        for pattern, meaning in MEANINGS:
            shell = re.sub(pattern, meaning, shell)
        if re.match(r'cat [\w.]+$', shell):
            self.file(shell.split()[1], '\n'.join([*command.shown, '']).encode())
            return '', ''
        if re.match(r'export |[A-Z]+=\S+$', shell):
            self.settings.append(shell)
            return '', ''
        if 'assay report' in shell and not (self.folder / 'run.json').exists():
            self.make_reports()
        code, output = self.execute('bash', '-c', '\n'.join([*self.settings, shell]))
        shown = '\n'.join(command.shown)
        if shown and not shows(shown, output, whole=True):
            return output, f'the page shows\n{shown}\nand what comes is\n{output[-3000:]}'
        # 1 is a verdict.
        return output, '' if shown or code in (0, 1) else f'exit code {code}: {output[-600:]}'

    def run_python(self, script):
        """What the last block of a page's Python prints, and what is wrong with it or ''."""
        path = f'{self.folder}/build/release/python:{self.folder}/docs/example_jax'
        *before, last = script
        code, output = self.execute(self.options.python, '-c', '\n'.join([BEFORE.get(self.name, ''), *before, 'print("@@@")', last]),
                                    PYTHONPATH=path)
        output = output.partition('@@@\n')[2] or output
        missing = [comment for comment in re.findall(r'print\(.*\)\s+# (.*)', last) if not shows(comment, output, whole=False)]
        return output, f'exit code {code}, without {missing}: {output[-2000:]}' if code or missing else ''


def check_page(name, text, options, report):
    """Calls report(line, text, kind, problem) for all that the page asks for."""
    with tempfile.TemporaryDirectory() as folder:
        page, outputs, script, judged = Page(name, folder, options), [], [], False
        for block in blocks(text):
            if block.language == 'python' and options.all and options.python:
                script.append('\n'.join(block.lines))
                output, problem = page.run_python(script)
                outputs, judged = [output], True
                report(block.line, 'Python', 'run', problem)
            elif block.language == 'text' and judged:
                paragraphs = '\n'.join(block.lines).split('\n\n')
                missing = [each for each in paragraphs if not any(shows(each, output, whole=False) for output in outputs)]
                report(block.line, 'text', 'run', f'no command shows\n{missing[0]}\nbut\n{"".join(outputs)[-3000:]}' if missing else '')
            elif block.language in ('', 'sentence'):
                asked = commands(block)
                if not block.language:
                    outputs, judged = [], bool(asked)
                for command in asked:
                    kind, problem = command.kind(options.all), ''
                    judged = judged and kind == 'run'
                    if kind == 'run' and not options.list:
                        output, problem = page.run(command)
                        outputs.append(output)
                    report(command.line, command.text, kind, problem)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('assay')
    parser.add_argument('source')
    parser.add_argument('--all', action='store_true', help='also what takes seconds, and what needs JAX (tools/setup --peers)')
    parser.add_argument('--page', default='', help='only pages with this text in their names')
    parser.add_argument('--list', action='store_true', help='only say what would become of each command')
    options = parser.parse_args()
    options.assay, options.source = os.path.abspath(options.assay), os.path.abspath(options.source)
    root = pathlib.Path(options.source)
    sys.path.insert(0, str(root / 'tools/peers'))
    import peers
    options.python = peers.PYTHON if os.path.exists(peers.PYTHON) else ''
    if options.all and not options.python:
        peers.skip('the pages have examples in JAX')
    counts, problems = collections.Counter(), 0
    for path in [root / 'README.md', root / 'CONTRIBUTING.md', *sorted((root / 'docs').rglob('*.md'))]:
        name = str(path.relative_to(root))

        def report(line, text, kind, problem, name=name):
            nonlocal problems
            counts[kind] += 1
            problems += bool(problem)
            if options.list:
                print(f'{kind:6}{name}:{line}: {text!r}')
            elif problem:
                print(f'{name}:{line}: {text}\n  {problem}\n', flush=True)

        if path.parent.name != 'ops' and options.page in name:
            check_page(name, path.read_text(encoding='utf-8'), options, report)
    print(f'{counts["run"]} examples ran, {counts["slow"]} wait for --all, {counts["never"]} never run; {problems} problems')
    return 1 if problems or not counts['run'] else 0


if __name__ == '__main__':
    sys.exit(main())
