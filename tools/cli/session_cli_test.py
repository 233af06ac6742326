#!/usr/bin/env python3
"""`assay run --state`: trains, saves, goes on, and survives being killed at any moment.

usage: session_cli_test.py ASSAY SOURCE_DIR
What many steps give is held against single runs chained by hand; what an interrupted run gives against one that was not.
"""
import json
import os
import random
import signal
import struct
import subprocess
import time
import zipfile

from cli_testing import ASSAY, CommandLineTest, assay, main, npy, sample

STEP = sample('mlp_train_step.hlo')
STEP_INPUTS = sample('mlp_train_step.inputs.npz')
# Arguments 0 to 18 are weights, moments and the step; 19 and 20 the batch. Output 19 is the loss.
TRAIN = ('run', STEP, '--inputs', STEP_INPUTS, '--bind', 'arg0-18=out0-18', '--quiet')
KILLS = 30

# w and n are kept, x is given.
COUNT = '''HloModule count%s
ENTRY e { w = f32[2] parameter(0)%s
  x = f32[2] parameter(1)
  n = s32[] parameter(2)
  s = f32[2] add(w, x)  one = s32[] constant(1)  m = s32[] add(n, one)
  ROOT r = (f32[2], s32[]) tuple(s, m) }
'''
ALIASED = COUNT % (', input_output_alias={{0}: (0, {}), {1}: (2, {})}', '')
PLAIN = COUNT % ('', '')
INPUTS = 'f32[2]{0} {1, 2}\nf32[2]{0} {10, 0.5}\ns32[] 0\n'


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def steps_of(path):
    return struct.unpack('<q', members(path)['assay.steps.npy'][-8:])[0]


class Sessions(CommandLineTest):
    def test_steps_are_single_runs_in_a_row(self):
        state, out = self.path('s.npz'), self.path('out.npz')
        self.expect(assay(*TRAIN, '--steps', 3, '--state', state, '--out', out), 0)
        inputs = members(STEP_INPUTS)
        for _ in range(3):
            chained = self.archive('chained.npz', {name[:-4]: content for name, content in inputs.items()})
            single = self.path('single.npz')
            self.expect(assay('run', STEP, '--inputs', chained, '--out', single, '--quiet'), 0)
            for name, content in members(single).items():
                number = int(name.split('.')[0][3:])
                if number <= 18:
                    inputs['arg%d.npy' % number] = content
        self.assertEqual(members(out), members(single))
        self.assertEqual(steps_of(state), 3)

    def test_goes_on_where_it_stopped(self):
        whole, parts = self.path('whole.npz'), self.path('parts.npz')
        self.expect(assay(*TRAIN, '--steps', 6, '--state', whole), 0)
        self.expect(assay(*TRAIN, '--steps', 2, '--state', parts), 0)
        self.expect(assay(*TRAIN, '--steps', 2, '--state', parts), 0)  # nothing left to do
        self.expect(assay(*TRAIN, '--steps', '+1', '--state', parts), 0)
        self.assertEqual(steps_of(parts), 3)
        self.expect(assay(*TRAIN, '--steps', 6, '--state', parts, '--save-every', 100), 0)
        with open(whole, 'rb') as a, open(parts, 'rb') as b:
            self.assertEqual(a.read(), b.read())
        self.expect(assay(*TRAIN[:-1], '--steps', 6, '--state', parts), 0, 'has seen 6 steps already')

    def test_survives_being_killed(self):
        whole, state = self.path('whole.npz'), self.path('killed.npz')
        start = time.monotonic()
        self.expect(assay(*TRAIN, '--steps', 10, '--state', whole), 0)
        ten_steps = time.monotonic() - start
        chance = random.Random(1)
        seen = kills = 0
        goal = 10
        while kills < KILLS:
            process = subprocess.Popen([ASSAY, *TRAIN, '--steps', str(goal), '--state', state])
            time.sleep(chance.uniform(0, ten_steps * 0.6))
            process.send_signal(signal.SIGKILL)
            if process.wait() == 0:
                goal += 10
            else:
                kills += 1
            if os.path.exists(state):
                self.assertGreaterEqual(steps_of(state), seen)
                seen = steps_of(state)
        self.expect(assay(*TRAIN, '--steps', goal, '--state', state), 0)
        self.expect(assay(*TRAIN, '--steps', goal, '--state', whole, '--save-every', 1000), 0)
        with open(whole, 'rb') as a, open(state, 'rb') as b:
            self.assertEqual(a.read(), b.read())
        print('killed %d times over %d steps' % (kills, goal))

    def test_aliases_bind_by_themselves(self):
        module, state, inputs = self.path('m.hlo', ALIASED), self.path('s.npz'), self.path('i.txt', INPUTS)
        result = self.expect(assay('run', module, '--inputs', inputs, '--state', state, '--steps', 2), 0)
        self.assertIn('out0 = f32[2]{0} {21, 3}\nout1 = s32[] 2\n', result.out)
        self.assertIn('step 1  out1 = 1\nstep 2  out1 = 2\n', result.out)
        self.assertEqual(sorted(members(state)), ['assay.steps.npy', 'n.npy', 'w.npy'])
        # Without --steps it is one more; what the state has need not be given again.
        given = self.archive('x.npz', {'arg1': npy('<f4', (2,), struct.pack('<2f', 1, 1))})
        report = json.loads(self.expect(assay('run', module, '--inputs', given, '--state', state, '--json'), 0).out)
        self.assertEqual(report['state'], {'first_step': 2, 'steps': 3, 'history': [{'out1': '3', 'step': 3}]})
        self.assertEqual(report['results'][0]['value'], '{22, 4}')

    def test_marks_in_the_module_and_beside_it(self):
        inputs = self.path('i.txt', INPUTS)
        marked = self.path('marked.hlo', COUNT % ('', ', frontend_attributes={tensor="variable",tensor_name="weights",'
                                                  'tensor_output="out0"}'))
        state = self.path('s.npz')
        self.expect(assay('run', marked, '--inputs', inputs, '--state', state), 0, '{11, 2.5}')
        self.assertEqual(sorted(members(state)), ['assay.steps.npy', 'weights.npy'])
        plain = self.path('plain.hlo', PLAIN)
        marks = self.path('marks.json', json.dumps({
            'w': {'kind': 'variable', 'name': 'weights', 'output': 'out0'}, 'arg2': {'kind': 'constant'}}))
        # The constant comes from the inputs and is never changed.
        self.expect(assay('run', plain, '--inputs', inputs, '--state', state, '--tensors', marks, '--steps', '+2'), 0,
                    '{31, 3.5}', 'out1 = s32[] 1')
        self.assertEqual(sorted(members(state)), ['assay.steps.npy', 'n.npy', 'weights.npy'])

    def test_placeholders_keep_what_they_were_given(self):
        module = self.path('m.hlo', '''HloModule placeholder
ENTRY e { x = f32[2] parameter(0), frontend_attributes={tensor="placeholder"}
  n = f32[2] parameter(1), frontend_attributes={tensor="persistent",tensor_output="out0"}
  ROOT r = f32[2] add(x, n) }
''')
        state, given = self.path('s.npz'), self.path('given.txt', 'f32[2]{0} {1, 2}\nf32[2]{0} {10, 20}\n')
        run = ('run', module, '--state', state, '--steps', '+1')
        self.assertIn('inputs are missing: x', self.expect(assay(*run), 2).err)
        self.expect(assay(*run, '--inputs', given), 0)
        # The second run is given nothing.
        self.assertIn('{12, 24}', self.expect(assay(*run), 0).out)

    def test_step_inputs_and_initialisers(self):
        plain, bind = self.path('plain.hlo', PLAIN), ('--bind', 'w=out0', '--bind', 'arg2=out1')
        init = self.path('init.hlo', 'ENTRY e { w = f32[2] constant({5, 6}) n = s32[] constant(7) ROOT t = tuple(w, n) }')
        steps = self.archive('steps.npz', {'arg1': npy('<f4', (3, 2), struct.pack('<6f', 1, 10, 2, 20, 3, 30))})
        state = self.path('s.npz')
        # 5 + 1 + 2 + 3 + 1: the fourth step begins again.
        self.expect(assay('run', plain, *bind, '--init', init, '--step-inputs', steps, '--state', state, '--steps', 2), 0)
        self.expect(assay('run', plain, *bind, '--init', init, '--step-inputs', steps, '--state', state, '--steps', 4), 0,
                    '{12, 76}', 'out1 = s32[] 11')
        self.expect(assay('run', plain, *bind, '--init', plain, '--step-inputs', steps), 2, 'plain.hlo')

    def test_other_backends_run_the_steps(self):
        example = 'process:' + os.path.join(os.path.dirname(ASSAY), 'example_target')
        module = self.path('m.hlo', 'ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }')
        inputs = self.path('i.txt', 'f32[] 1\nf32[] 2\n')
        self.expect(assay('run', module, '--inputs', inputs, '--bind', 'a=out0', '--steps', 3, '--backend', example), 0,
                    'out0 = f32[] 7')

    def test_failures_leave_the_state(self):
        module, state, inputs = self.path('m.hlo', ALIASED), self.path('s.npz'), self.path('i.txt', INPUTS)
        run = ('run', module, '--state', state)
        self.expect(assay(*run), 2, 'inputs are missing: x')
        self.expect(assay(*run, '--step-inputs', inputs), 2, 'i.txt', 'arg0', 'is kept')
        self.assertFalse(os.path.exists(state))
        self.expect(assay(*run, '--inputs', inputs, '--steps', 2), 0)
        with open(state, 'rb') as f:
            before = f.read()
        self.expect(assay(*run, '--inputs', inputs, '--budget-steps', 1), 3, 'step 3')
        self.expect(assay(*run, '--inputs', inputs, '--bind', 'w'), 0)  # kept, not changed
        self.expect(assay('run', self.path('other.hlo', ALIASED.replace('f32[2]', 'f32[3]')), '--state', state), 2, 's.npz',
                    'f32[3]')
        self.expect(assay('run', self.path('plain.hlo', PLAIN), '--state', state, '--inputs', inputs), 2, 'is an input')
        for content in (b'', b'PK', before[:len(before) // 2], b'f32[] 1'):
            with open(state, 'wb') as f:
                f.write(content)
            self.expect(assay(*run, '--inputs', inputs), 2, 's.npz')
            with open(state, 'rb') as f:
                self.assertEqual(f.read(), content)

    def test_wrong_options(self):
        module, inputs = self.path('m.hlo', PLAIN), self.path('i.txt', INPUTS)
        run = ('run', module, '--inputs', inputs)
        for bind, word in (('arg9=out0', 'no arg9'), ('q=out0', 'no parameter q'), ('arg0=out9', 'no out9'),
                           ('arg0=x', 'not an output'), ('arg0-2=out0-1', '3 arguments for 2 outputs'),
                           ('arg0=out1', 'is s32[]'), ('arg0-1=out0-1', 'is s32[]')):
            self.expect(assay(*run, '--bind', bind), 2, word)
        self.expect(assay(*run, '--bind', 'arg0=out0', '--bind', 'arg1=out0'), 2, 'out0 is bound')
        for steps in ('x', '-1', '+', '99999999999999999999'):
            self.expect(assay(*run, '--steps=' + steps), 2, '--steps')
        for marks, word in (('[]', 'no JSON object'), ('{"w": 1}', 'object'), ('{"v": {}}', 'no parameter v'),
                            ('{"w": {"kind": "x"}}', 'kind'), ('{"w": {"name": "a/b", "kind": "variable"}}', 'a/b')):
            self.expect(assay(*run, '--steps', 1, '--tensors', self.path('t.json', marks)), 2, word)
        self.expect(assay(*run, '--steps', 1, '--bind', 'w', '--state', '/no/such/folder/s.npz'), 2, '/no/such/folder')


if __name__ == '__main__':
    main()
