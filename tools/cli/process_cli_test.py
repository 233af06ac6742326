#!/usr/bin/env python3
"""Other implementations as processes, as a user meets them: names that do not exist, runs in which nothing is judged, golden
itself behind the protocol with current sizes, and what only a second execution shows.
"""
import json
import os
import shutil
import sys
import unittest

from cli_testing import ASSAY, SOURCE, CommandLineTest, assay, main

TARGETS = os.path.join(SOURCE, 'backends', 'process', 'testdata', 'misbehaving_target.py')
GOLDEN = f'process:{os.path.abspath(ASSAY)} serve'

# Adds s32 arrays, and keeps something of an execution for the next one.
STATEFUL = '''
import struct, sys, threading
sys.path.insert(0, {peers!r})
from assay_process import serve

both = threading.Barrier(2)

class Target:
    executes_at_once = sys.argv[1] == 'static_buffer'

    def hello(self):
        return {{'name': 'adder', 'version': '1', 'formats': ['hlo-text'], 'operations': ['parameter', 'add'], 'types': ['s32']}}

    def compile(self, module_format, module):
        return {{}}

    def execute(self, kept, arguments):
        (shape, left), (_, right) = arguments[0]
        values = [a + b for (a,), (b,) in zip(struct.iter_unpack('<i', left), struct.iter_unpack('<i', right))]
        if sys.argv[1] == 'caches':
            values = kept.setdefault('result', values)
        if sys.argv[1] == 'accumulates':
            values = kept['sum'] = [a + b for a, b in zip(values, kept.get('sum', [0] * len(values)))]
        if sys.argv[1] == 'in_place':  # the arguments of a set are the same objects in each of its executions
            arguments[0][0] = (shape, struct.pack('<%di' % len(values), *values))
        if sys.argv[1] == 'static_buffer':  # two executions at the same time, after three alone, return what both have written
            kept['executions'], kept['buffer'] = kept.get('executions', 0) + 1, values
            if kept['executions'] > 3:
                both.wait()
            values = kept['buffer']
        return 0.0, [[(shape, struct.pack('<%di' % len(values), *values))]]

serve(Target())
'''
CASES = '''case add/s32/first
tags: op=add type=s32
module:
  ENTRY e { a = s32[2] parameter(0) b = s32[2] parameter(1) ROOT c = s32[2] add(a, b) }
inputs:
  arg0 = literal s32[2] {1, 2}
  arg1 = literal s32[2] {5, 8}
expect: golden

case negate/s32/second
tags: op=negate type=s32
module:
  ENTRY e { a = s32[2] parameter(0) ROOT c = s32[2] negate(a) }
inputs:
  arg0 = literal s32[2] {1, 2}
expect: golden
'''


class Processes(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.cases = self.path('mine.cases', CASES)

    def of_corpus(self, *globs):
        """A file with the cases of the corpus that match, so that the corpus is read once and not by every command."""
        shown = self.expect(assay('corpus', 'show', *globs), 0).out
        self.assertIn('\ncase ', shown)
        return self.path('of_corpus.cases', shown)

    def says(self, **hello):
        """A target that answers hello so."""
        script = self.path('script.json', json.dumps([{'type': 'hello', 'protocol': 4, 'formats': ['hlo-text'], **hello}]))
        return f'process:{sys.executable} -IS {TARGETS} by_hand {script}'

    def test_names_that_do_not_exist_are_refused(self):
        for hello, words in (({'operations': ['add', 'exp', 'xyzzyplugh']}, ("'exp' (did you mean exponential?), 'xyzzyplugh'", 'assay ops')),
                             ({'types': ['f32', 'float32']}, ("types that do not exist: 'float32' (did you mean f32?)",)),
                             ({'types': 'f32'}, ('types that are not a list',)), ({'operations': [1]}, ('operations that are not names',))):
            self.expect(assay('test', '--cases', self.cases, '--target', self.says(**hello)), 5, *words)
        for hello, words in (({'dynamic_sizes': 1}, 'dynamic_sizes that is neither true nor false'), ({'devices': '4'}, 'devices that is not a whole number'),
                             ({'type': 'error', 'kind': 'unsupported', 'message': 'no licence'}, 'the target does not start: ')):
            self.expect(assay('test', '--cases', self.cases, '--target', self.says(**hello)), 5, words)
        module = self.path('m.hlo', 'ENTRY e { x = f32[] parameter(0) ROOT r = f32[] negate(x) }')
        self.expect(assay('diff', module, '--inputs', 'random', '--right', self.says(operations=['neg'])), 5, 'did you mean negate?')

    def test_a_run_that_judged_nothing_fails(self):
        html, junit = self.path('r.html'), self.path('r.xml')
        target = f'process:{sys.executable} -IS {TARGETS} refuse'
        result = self.expect(assay('test', '--cases', self.cases, '--target', target, '--report', f'html={html},junit={junit}'), 1,
                             'no result was judged: of 2 cases 2 are not supported and 0 not run; the first: misbehaving: not on a Saturday')
        self.assertIn(': 0 of 2 cases ran (0.0%) in', result.out.splitlines()[0])
        for path in html, junit:
            with open(path, encoding='utf-8') as file:
                text = file.read()
            self.assertIn('no result was judged', text)
        self.assertIn('name="ran" value="0 of 2 cases ran (0.0%)"', text)
        # One of two is a run, and says how much of one.
        only_add = f"process:{sys.executable} {self.path('target.py', STATEFUL.format(peers=os.path.join(SOURCE, 'tools', 'peers')))} right"
        result = self.expect(assay('test', '--cases', self.cases, '--target', only_add), 0)
        self.assertIn(': 1 of 2 cases ran (50.0%) in', result.out.splitlines()[0])

    def test_answers_that_judge_nothing_fail(self):
        folder = self.path('out')
        self.expect(assay('corpus', 'export', folder, '--cases', self.cases), 0)
        for case in 'add/s32/first', 'negate/s32/second':
            with open(os.path.join(folder, case, 'unsupported.txt'), 'w', encoding='utf-8') as file:
                file.write('not here\n')
        self.expect(assay('judge', folder), 1, '0 of 2 cases ran', 'no result was judged')

    def test_golden_behind_the_protocol(self):
        """Current sizes of dynamic dimensions travel in version 4; to older versions such modules are not supported."""
        cases = self.of_corpus('set-dimension-size/*', 'get-dimension-size/*', 'infeed/*', 'all-reduce/*')
        chosen = ('--cases', cases, '--profile', 'golden', '--filter', '*-dimension-size/*', '--filter', 'infeed/*', '--filter', 'all-reduce/f32/*', '--tier', 'quick')
        report = json.loads(self.expect(assay('test', *chosen, '--target', GOLDEN, '--json'), 0).out)
        self.assertEqual({case['outcome'] for case in report['cases']} - {'exact', 'correctly rounded', 'refused'}, set())
        self.assertGreater(sum(case['op'] == 'set-dimension-size' for case in report['cases']), 30)
        for protocol in 1, 3:
            old = json.loads(self.expect(assay('test', *chosen, '--target', f'{GOLDEN} --protocol {protocol}', '--json'), 0).out)
            outcomes = {case['id']: case['outcome'] for case in old['cases']}
            left_out = {name for name, outcome in outcomes.items() if outcome == 'not supported'}
            self.assertTrue(left_out)
            for case in report['cases']:
                if case['id'] not in left_out:
                    self.assertEqual(outcomes[case['id']], case['outcome'])
            messages = {case['message'] for case in old['cases'] if case['id'] in left_out and case['op'] == 'set-dimension-size'}
            self.assertTrue(all(f'version {protocol} of the protocol, which carries no current sizes' in each for each in messages), messages)

    def test_current_sizes_in_both_directions_and_in_files(self):
        module = self.path('m.hlo', 'ENTRY e { x = s32[<=4] parameter(0) n = s32[] parameter(1) y = s32[<=4] negate(x) '
                           'ROOT r = s32[<=4] set-dimension-size(y, n), dimensions={0} }')
        inputs = self.path('inputs.txt', 's32[3] {1, 2, 3}\ns32[] 2\n')
        for backend in 'golden', GOLDEN:
            self.expect(assay('run', module, '--inputs', inputs, '--backend', backend), 0, '{-1, -2}')
        same = self.path('same.hlo', 'ENTRY e { x = s32[<=4] parameter(0) ROOT y = s32[<=4] negate(x) }')
        self.expect(assay('run', same, '--inputs', self.path('x.txt', 's32[3] {1, 2, 3}'), '--backend', GOLDEN), 0, '{-1, -2, -3}')
        # Offline, a file has the elements within the current sizes.
        folder = self.path('out')
        self.expect(assay('corpus', 'export', folder, '--cases', self.of_corpus('set-dimension-size/*'), '--tier', 'quick'), 0)
        for place, _, files in os.walk(folder):
            if 'expected.npz' in files:
                shutil.copy(os.path.join(place, 'expected.npz'), os.path.join(place, 'actual.npz'))
        result = assay('judge', folder, '--json')
        self.assertEqual({case['outcome'] for case in json.loads(result.out)['cases']} - {'exact', 'not run'}, set())

    def test_what_only_a_second_execution_shows(self):
        script = self.path('target.py', STATEFUL.format(peers=os.path.join(SOURCE, 'tools', 'peers')))
        for how, execution, words in (('caches', 2, 'execution 2, with other arguments'), ('accumulates', 2, 'with other arguments'),
                                      ('in_place', 3, 'with the first arguments again')):
            target = f'process:{sys.executable} {script} {how}'
            self.expect(assay('test', '--cases', self.cases, '--target', target), 1, f'wrong: add/s32/first: execution {execution}', words)
        # To targets of older versions the executions are messages of their own.
        for protocol in 1, 3, 4:
            target = f'{GOLDEN} --target mutant:add/first_result_kept --protocol {protocol}'
            self.expect(assay('test', '--cases', self.cases, '--target', target), 1, 'execution 2, with other arguments')
        self.expect(assay('test', '--cases', self.cases, '--target', f'{GOLDEN} --target mutant:negate/argument_overwritten'), 1,
                    'negate/s32/second: execution 3, with the first arguments again')

    def test_what_only_executions_at_the_same_time_show(self):
        module = self.path('m.hlo', 'ENTRY e { a = s32[2] parameter(0) b = s32[2] parameter(1) ROOT c = s32[2] add(a, b) }')
        inputs = self.path('inputs.txt', 's32[2] {1, 2}\ns32[2] {5, 8}\n')
        script = self.path('target.py', STATEFUL.format(peers=os.path.join(SOURCE, 'tools', 'peers')))
        asked = 'reduce', module, '--inputs', inputs, '--keep', 'leak', '--target'
        self.expect(assay(*asked, f'process:{sys.executable} {script} static_buffer'), 1,
                    'leak: add s32, an execution at the same time as another differs')
        for target in f'process:{sys.executable} {script} right', GOLDEN:
            self.expect(assay(*asked, target), 2, 'shows nothing to keep: the target agrees')

    def test_serve_alone(self):
        self.expect(assay('serve'), 2, 'ASSAY_REQUEST_FD names no descriptor', 'started by another Assay')
        self.expect(assay('serve', '--protocol', 9), 2, 'protocol')


if __name__ == '__main__':
    unittest.TestCase.maxDiff = None
    main()
