"""What holds for every command: it takes --json and then prints JSON; its help and its text fit into 80 columns, so that a
terminal of that width shows them whole, and have no colours where there is no terminal."""
import json
import os
import re
import unicodedata
import unittest

from cli_testing import ASSAY, ADD, CommandLineTest, assay, main, on_terminal, sample

WIDTH = 80
WRONG = 'mutant:tanh/linear_below_one_half'
MODEL = '''HloModule model
ENTRY e {
  x = f32[8,64] parameter(0)
  w = f32[64,32] parameter(1)
  dot.5 = f32[8,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot_general" source_file="model.py" source_line=40}
  tanh.6 = f32[8,32] tanh(dot.5), metadata={op_name="jit(f)/tanh" source_file="model.py" source_line=41}
  ROOT exp.7 = f32[8,32] exponential(tanh.6), metadata={op_name="jit(f)/exp" source_file="model.py" source_line=42}
}
'''
# Commands that hold others, which take the options.
GROUPS = {'corpus', 'profile', 'report'}


def subcommands(*command):
    text = assay(*command, '--help').out
    table = text[text.index('Subcommands:'):].split('\n\n')[0]
    return [name for name in re.findall(r'^  ([a-z]+)\b', table, re.MULTILINE) if name != 'assay']


def all_commands():
    for name in subcommands():
        if name in GROUPS:
            yield from ((name, each) for each in subcommands(name))
        else:
            yield (name,)


def columns(line):
    return sum(0 if unicodedata.combining(each) else 1 for each in line)


class EveryCommandTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        os.environ['COLUMNS'] = str(WIDTH)
        self.addCleanup(os.environ.__setitem__, 'COLUMNS', '100000')
        self.model = self.path('model.hlo', MODEL)
        self.case = self.path('mine.cases', 'case mine/program\nop tanh\nmodule\n' + MODEL + 'end\n')

    def invocations(self):
        """A typical line of every command, whose text is for people."""
        report = self.path('run.json')
        exported = self.path('exported')
        run = ['test', '--target', WRONG, '--profile', 'cpu-strict', '--filter', 'tanh/f32/*']
        assay(*run, '--report', f'json={report}')
        assay('corpus', 'export', exported, '--filter', 'tanh/f32/shape.2/*')
        wrong = ['--inputs', 'random', '--right', WRONG]
        return {
            ('run',): [[self.model, '--inputs', 'random'], [self.model, '--inputs', 'random', '--stats'], [sample('mlp_train_step.hlo'), '--inputs',
                       sample('mlp_train_step.inputs.npz'), '--expect', sample('mlp_train_step.expected.npz')],
                       [sample('mlp_train_step.hlo'), '--inputs', sample('mlp_train_step.inputs.npz'), '--expect', sample('mlp_train_step.expected.npz'),
                        '--profile', 'xla-cpu']],
            ('diff',): [[self.model, *wrong], [self.model, *wrong, '--save', self.path('saved')], [self.model, *wrong, '--isolate', '--out-subgraph', self.path('first')],
                        [self.model, '--inputs', 'random', '--right', 'cpu', '--isolate', '--profile', 'cpu']],
            ('explain',): [[self.model, '--inputs', 'random', '--element', '0:[3,5]']],
            ('verify',): [[self.model], [self.path('bad.hlo', ADD.replace(b'ROOT s = f32[2]', b'ROOT s = f32[3]'))]],
            ('ops',): [[], ['lax.gather'], ['exp'], ['expp']],
            ('triage',): [[self.model, '--target', WRONG, '--profile', 'cpu-strict'], [self.model, '--target', 'golden']],
            ('corpus', 'check'): [['--filter', 'tanh/f32/shape*']],
            ('corpus', 'export'): [[exported, '--filter', 'tanh/f32/shape.2/*']],
            ('judge',): [[exported]],
            ('report', 'show'): [[report]], ('report', 'diff'): [[report, report]],
            ('report', 'merge'): [[report, '-o', self.path('merged.json'), '--partial']],
            ('report', 'html'): [[report, '-o', self.path('page.html')]], ('report', 'junit'): [[report, '-o', self.path('junit.xml')]],
            ('test',): [run[1:], ['--target', 'cpu', '--profile', 'cpu', '--filter', 'add/f32/*']],
            ('mutants',): [[], ['--score', '--filter', 'tanh/linear*']],
            ('profile', 'list'): [[]], ('profile', 'show'): [['xla-cpu'], ['cpu-strict', '--op', 'tanh']],
            ('fuzz',): [['--target', 'golden', '--programs', '20', '--jobs', '1']],
            ('reduce',): [[self.model, '--inputs', 'random', '--target', WRONG, '--profile', 'cpu-strict', '--out', self.path('small')]],
        }

    def check_width(self, text, command):
        for line in text.splitlines():
            # What cannot be broken is a word: a path, a number of many digits.
            if columns(line) > WIDTH and ' ' in line.strip().rstrip('\\').strip():
                self.fail(f'{" ".join(map(str, command))}: {columns(line)} columns: {line}')
        self.assertNotIn('\x1b', text)

    def test_every_command_takes_json(self):
        for command in all_commands():
            with self.subTest(command=command):
                self.assertIn('--json', assay(*command, '--help').out)

    def test_help_fits(self):
        for command in [(), *((each,) for each in GROUPS), *all_commands()]:
            with self.subTest(command=command):
                self.check_width(assay(*command, '--help').out, command)

    def test_text_fits(self):
        invocations = self.invocations()
        data = {('show',), ('serve',), ('corpus', 'list'), ('corpus', 'show')}  # text for programs
        self.assertEqual(set(all_commands()), set(invocations) | data)
        for command, lines in invocations.items():
            for line in lines:
                with self.subTest(command=command, line=line):
                    result = assay(*command, *line)
                    self.assertIn(result.code, (0, 1, 2), result.err)
                    self.assertNotIn('says what there is', result.err)
                    self.check_width(result.out + result.err, command + tuple(line))

    def test_json_is_json(self):
        """One line of every command; what has nothing to print but a file prints an object too."""
        lines = {command: each[0] for command, each in self.invocations().items()}
        lines.update({('show',): [self.model, '--stats'], ('corpus', 'list'): ['--filter', 'tanh/f32/shape*'], ('corpus', 'show'): ['tanh/f32/shape.2/benign']})
        for command, line in lines.items():
            with self.subTest(command=command):
                result = assay(*command, *line, '--json')
                self.assertIn(result.code, (0, 1), result.err)
                json.loads(result.out)
        case = json.loads(assay('corpus', 'show', 'tanh/f32/shape.2/benign', '--json').out)[0]
        self.assertEqual((case['id'], case['tags']['op']), ('tanh/f32/shape.2/benign', ['tanh']))
        self.assertIn('tanh(', case['module'])
        self.assertEqual(case['arguments'][0]['number'], 0)
        self.assertEqual(json.loads(assay('serve', '--json').out)['exit_code'], 2)

    def test_a_printed_command_can_be_run(self):
        """A command that is longer than a line goes on behind a backslash, never inside quotes."""
        folder = self.path('a folder of a name with blanks and of some length')
        result = assay('diff', self.model, '--inputs', 'random', '--right', WRONG, '--save', folder)
        command = result.out[result.out.index('\n  assay diff ') + 3:]
        self.assertIn(' \\\n', command)
        import shlex
        words = shlex.split(command.replace('\\\n', ' '))
        self.assertEqual(words[2], folder + '/module.hlo')
        again = assay(*words[1:])
        self.assertEqual(again.code, 1)
        self.assertIn('floats differ', again.out)

    def test_colours_are_for_terminals(self):
        command = ['diff', self.model, '--inputs', 'random', '--right', WRONG]
        code, text = on_terminal(WIDTH, *command)
        self.assertEqual(code, 1)
        self.assertIn('\x1b[', text)
        self.assertLessEqual(max(columns(re.sub('\x1b\\[[0-9;]*m', '', line)) for line in text.splitlines()), WIDTH)


if __name__ == '__main__':
    main()
