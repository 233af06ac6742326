#!/usr/bin/env python3
"""Runs the `assay` command as users do: results, files, exit codes, and what it does with bad input.

usage: cli_test.py ASSAY SOURCE_DIR
Expected results are XLA CPU's stored ones (exact for integers), worked out by hand, or numpy's own file format.
"""
import base64
import fcntl
import gzip
import json
import os
import pty
import resource
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import zipfile

ASSAY, SOURCE = sys.argv[1], sys.argv[2]
SAMPLES = os.path.join(SOURCE, 'conformance', 'samples')
# Sanitizers reserve terabytes of address space and run several times slower.
SANITIZED = os.environ.get('ASSAY_SANITIZED') == '1'
GIBIBYTE = 1 << 30


def sample(name):
    return os.path.join(SAMPLES, name)


def limit_memory():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTE, GIBIBYTE))


class Result:
    def __init__(self, process, seconds):
        self.code, self.seconds = process.returncode, seconds
        self.out, self.err = process.stdout.decode(errors='replace'), process.stderr.decode(errors='replace')


def assay(*arguments, stdin=b'', limited=False):
    start = time.monotonic()
    process = subprocess.run([ASSAY, *map(str, arguments)], input=stdin, capture_output=True, timeout=120,
                             preexec_fn=limit_memory if limited else None)
    return Result(process, time.monotonic() - start)


def on_terminal(columns, *arguments):
    """What the command prints on a terminal of that width, and its exit code."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != 'NO_COLOR'}
    process = subprocess.Popen([ASSAY, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                               env={**environment, 'TERM': 'xterm'})
    os.close(terminal)
    text = b''
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # Linux says EIO at the end
            break
        if not piece:
            break
        text += piece
    os.close(master)
    return process.wait(), text.decode().replace('\r\n', '\n')


ADD = b'ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1) ROOT s = f32[2] add(x, y) }'


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, 'wb') as f:
                f.write(content)
        return path

    def expect(self, result, code, *words):
        self.assertEqual(result.code, code, result.out + result.err)
        for word in words:
            self.assertIn(word, result.out + result.err)

    def expect_code(self, result, code):
        self.expect(result, code)
        return result

    def expect_refusal(self, result, code, *words):
        """One clear message, no crash, within a second, with patience for a slow or busy machine."""
        self.expect(result, code, *words)
        self.assertNotIn('terminate called', result.err)
        self.assertLess(result.seconds, 20 if SANITIZED else 4, result.err)

    # --- run

    def test_runs_a_sample_in_every_form(self):
        runs = {}
        for name in ('mlp_train_step.hlo', 'mlp_train_step.pb', 'mlp_train_step.snapshot.pb'):
            out = self.path(name + '.npz')
            inputs = [] if 'snapshot' in name else ['--inputs', sample('mlp_train_step.inputs.npz')]
            result = assay('run', sample(name), *inputs, '--out', out, '--json', '--quiet')
            self.assertIn(result.code, (0, 1), result.err)  # a snapshot is compared with its result
            with zipfile.ZipFile(out) as archive:
                runs[name] = {member: archive.read(member) for member in archive.namelist()}
        self.assertEqual(runs['mlp_train_step.hlo'], runs['mlp_train_step.pb'])
        self.assertEqual(runs['mlp_train_step.hlo'], runs['mlp_train_step.snapshot.pb'])
        self.assertEqual(len(runs['mlp_train_step.hlo']), 20)

    def test_formats_are_found_by_content(self):
        inputs = self.path('inputs.txt', b'f32[2]{0} {1, 2}\nf32[2]{0} {10, 20}\n')
        text = self.path('module.unknown', ADD)
        wanted = 'out0 = f32[2]{0} {11, 22}\n'
        self.assertEqual(assay('run', text, '--inputs', inputs).out, wanted)
        self.assertEqual(assay('run', '-', '--inputs', inputs, stdin=ADD).out, wanted)
        for form in ('proto', 'textproto', 'short', 'text', 'canonical'):
            converted = self.path('converted')
            self.expect(assay('show', text, '--to', form, '--out', converted), 0)
            self.assertEqual(assay('run', converted, '--inputs', inputs).out, wanted, form)
            with open(converted, 'rb') as f:
                packed = self.path('packed.gz', gzip.compress(f.read()))
            self.assertEqual(assay('run', packed, '--inputs', inputs).out, wanted, form)

    def test_semantics_of_2017(self):
        module = self.path('slice.hlo', b"""ENTRY main {
  x = s32[5] constant({0,1,2,3,4})
  s = s32[] constant(4)
  ROOT r = s32[2] dynamic-slice(x, s), dynamic_slice_sizes={2}
}""")
        self.expect(assay('run', module), 0, '{3, 4}')
        self.expect(assay('run', module, '--semantics', '2017'), 0, '{4, 0}')
        self.expect(assay('run', module, '--semantics', '1970'), 2, 'semantics')
        empty = self.path('empty.hlo', b'ENTRY main { x = s32[2] constant({1,2})\n ROOT r = s32[0] slice(x), slice={[1:1]} }')
        self.expect(assay('run', empty), 0)
        self.expect_refusal(assay('run', empty, '--semantics', '2017'), 2, 'slice_2017_c1', 'slice(s32[2] %x)')

    def test_integers_meet_xla_bit_for_bit(self):
        for name in ('bitops_popcount_clz_shifts', 'case_switch_cond'):
            result = assay('run', sample(name + '.hlo'), '--inputs', sample(name + '.inputs.npz'), '--expect',
                           sample(name + '.expected.npz'), '--json')
            report = json.loads(result.out)
            for output in report['comparison']['outputs']:
                if not output['shape'].startswith(('f', 'bf', 'c')):
                    self.assertEqual(output['verdict'], 'equal', output)

    def test_comparison_reports(self):
        inputs = self.path('inputs.txt', b'f32[2]{0} {1, 2}\nf32[2]{0} {10, 20}\n')
        equal = self.path('equal.txt', b'f32[2]{0} {11, 22}')
        # 22.000002 is the neighbour of 22 in f32.
        near = self.path('near.txt', b'f32[2]{0} {11, 22.000002}')
        wrong = self.path('wrong.txt', b'f32[2]{0} {nan, 22}')
        module = self.path('m.hlo', ADD)
        self.expect(assay('run', module, '--inputs', inputs, '--expect', equal), 0, 'equal in every element')
        self.expect(assay('run', module, '--inputs', inputs, '--expect', near), 1, '1 ulp', 'at [1]', '1 of 2 elements equal')
        self.expect(assay('run', module, '--inputs', inputs, '--expect', near, '--max-ulp', 1), 0)
        self.expect(assay('run', module, '--inputs', inputs, '--expect', wrong, '--max-ulp', 100), 1, 'MISMATCH', 'NaN')
        self.expect(assay('run', module, '--inputs', inputs, '--expect', self.path('s.txt', b's32[2]{0} {1, 2}')), 2,
                    's.txt', 's32[2]', 'f32[2]')

    def test_comparisons_say_where(self):
        module = self.path('m.hlo', b'ENTRY e { ROOT x = f32[4] parameter(0) }')
        golden = self.path('golden.txt', b'f32[4] {1, 2, nan, 0}')
        compare = ('run', module, '--inputs', golden, '--expect')
        # 1 and 1.5 are 2^22 numbers of f32 apart.
        wrong = self.path('wrong.txt', b'f32[4] {1.5, 2, 3, 0}')
        self.expect(assay(*compare, wrong), 1, 'first mismatch at [2]: nan in golden, 3 in expected',
                    'first difference at [0]: 1 in golden, 1.5 in expected', 'largest distance: 4194304 ulp at [0]',
                    '2097153-4194304 ulp')
        only_nan = assay(*compare, self.path('only.txt', b'f32[4] {1, 2, 3, 0}'))
        self.expect(only_nan, 1, 'first mismatch at [2]')
        self.assertNotIn('distance', only_nan.out)
        zeros = assay(*compare, self.path('zeros.txt', b'f32[4] {1, 2, nan, -0}'))
        self.expect(zeros, 1, 'verdict: floats differ in the sign of zeros', 'first difference at [3]')
        self.assertNotIn('0 ulp;', zeros.out)
        output = json.loads(assay(*compare, wrong, '--json').out)['comparison']['outputs'][0]
        self.assertEqual(output['first_mismatch'], {'at': [2], 'left': 'nan', 'right': '3'})
        self.assertEqual(output['largest']['at'], [0])
        quiet = assay(*compare, wrong, '--quiet')
        self.assertEqual((quiet.code, quiet.out.count('\n')), (1, 1))
        self.assertIn('verdict: MISMATCH', quiet.out)
        self.assertEqual(assay(*compare, golden, '-q').out, '')

    def test_tokens_have_no_array(self):
        module = self.path('m.hlo', b'ENTRY e { a = f32[2] parameter(0) t = token[] after-all() '
                           b'ROOT r = (token[], f32[2], token[], f32[2]) tuple(t, a, t, a) }')
        inputs, out = self.path('i.txt', b'f32[2] {1, 2}'), self.path('out.npz')
        self.expect(assay('run', module, '--inputs', inputs, '--out', out), 0)
        with zipfile.ZipFile(out) as archive:
            self.assertEqual(sorted(archive.namelist()), ['out0.npy', 'out1.npy'])
        report = json.loads(self.expect_code(assay('run', module, '--inputs', inputs, '--expect', out, '--json'), 0).out)
        self.assertEqual([o['name'] for o in report['comparison']['outputs']], ['out0', 'out1'])

    def test_large_values_are_cut(self):
        module = self.path('m.hlo', b'ENTRY e { ROOT i = s32[2,1000000] iota(), iota_dimension=1 }')
        result = assay('run', module, '--trace')
        self.expect(result, 0)
        # One million numbers take 13 MB; what is shown begins in the same way.
        self.assertTrue(result.out.startswith('out0 = s32[2,1000000]{1,0} { { 0, 1, 2, 3,'), result.out)
        self.assertTrue(result.out.endswith(' ...\n'), result.out)
        self.assertLess(len(result.out) + len(result.err), 800)
        self.assertEqual(json.loads(assay('run', module, '--json').out)['results'],
                         [{'name': 'out0', 'shape': 's32[2,1000000]', 'elided': True}])

    def test_random_inputs_repeat(self):
        module = self.path('m.hlo', ADD)
        first = assay('run', module, '--inputs', 'random', '--seed', 3)
        self.expect(first, 0)
        self.assertEqual(first.out, assay('run', module, '--inputs', 'random', '--seed', 3).out)
        self.assertNotEqual(first.out, assay('run', module, '--inputs', 'random', '--seed', 4).out)
        self.expect(assay('run', module, '--inputs', 'random', '--range', 'x=5:5', '--range', 'arg1=1:1'), 0,
                    '{6, 6}')
        self.expect(assay('run', module, '--inputs', 'random', '--range', 'q=5:5'), 2, 'no parameter q')
        self.expect(assay('run', module, '--inputs', 'random', '--range', 'x=6:5'), 2, 'NAME=LOW:HIGH')

    def test_trace_straight_and_stats(self):
        inputs = self.path('inputs.txt', b'f32[2]{0} {1, 2}\nf32[2]{0} {10, 20}\n')
        module = self.path('m.hlo', ADD)
        self.expect(assay('run', module, '--inputs', inputs, '--trace', '--stats'), 0, 's = add: f32[2]{0} {11, 22}',
                    'element steps')
        self.expect(assay('run', module, '--inputs', inputs, '--straight'), 0, '{11, 22}')
        report = json.loads(assay('run', module, '--inputs', inputs, '--json', '--repeat', 3).out)
        self.assertGreaterEqual(report['seconds'], 0)
        self.assertEqual(report['results'][0]['value'], '{11, 22}')
        self.assertEqual(assay('run', module, '--inputs', inputs, '--quiet').out, '')

    def test_options_that_would_do_nothing_are_refused(self):
        example = 'process:' + os.path.join(os.path.dirname(ASSAY), 'example_target')
        module, inputs = self.path('m.hlo', ADD), self.path('i.txt', b'f32[2] {1, 2}\nf32[2] {10, 20}\n')
        run, diff = ('run', module, '--inputs', inputs), ('diff', module, '--inputs', inputs, '--right', example)
        for option in ('--trace', '--straight', '--stats'):
            self.expect(assay(*run, '--backend', example, option), 2, option)
        self.expect(assay(*run, '--seed', 1), 2, '--seed')
        self.expect(assay(*run, '--range', 'x=0:1'), 2, '--range')
        self.expect(assay(*run, '--max-ulp', 1), 2, '--expect')
        self.expect(assay(*diff, '--seed', 1), 2, '--seed')
        self.expect(assay(*diff, '--isolate', '--save', self.path('kept')), 2, '--save')
        self.expect(assay(*diff, '--isolate', '--left', example), 2, '--left')
        self.expect(assay(*diff, '--isolate', '--max-ulp', 1), 2, '--max-ulp')
        self.assertFalse(os.path.exists(self.path('kept')))

    def test_values_of_options(self):
        module = self.path('m.hlo', b'ENTRY e { ROOT i = s32[2] iota(), iota_dimension=0 }')
        for option, value in (('--budget-seconds', 'nan'), ('--budget-seconds', '-2'), ('--budget-seconds', 'inf'),
                              ('--repeat', '0'), ('--repeat', '1.5'), ('--seed', '-1'), ('--max-ulp', '-1'),
                              ('--budget-bytes', '-2'), ('--budget-steps', '99999999999999999999')):
            result = assay('run', module, option, value)
            self.expect(result, 2, option, f"'{value}' is no")
            self.assertLess(len(result.err), 250, result.err)
        for value in ('1e300', '-1', '0.5'):
            self.expect(assay('run', module, '--budget-seconds', value), 0)

    def test_processes(self):
        example = 'process:' + os.path.join(os.path.dirname(ASSAY), 'example_target')
        module = self.path('m.hlo', ADD)
        self.expect(assay('run', module, '--inputs', 'random', '--backend', example), 0, 'out0 = f32[2]')
        kept = self.path('kept')
        self.expect(assay('diff', module, '--inputs', 'random', '--right', example, '--save', kept), 0,
                    'equal in every element', 'run it again')
        self.assertEqual(sorted(os.listdir(kept)), ['inputs.npz', 'left.npz', 'module.hlo', 'right.npz'])
        self.expect(assay('diff', os.path.join(kept, 'module.hlo'), '--inputs', os.path.join(kept, 'inputs.npz'),
                          '--right', example), 0)
        self.expect(assay('diff', module, '--inputs', 'random', '--right', example, '--json'), 0, '"seconds"')
        # Reports call a process by its own name.
        self.assertTrue(assay('diff', module, '--inputs', 'random', '--right', example).out.startswith('golden against example'))
        self.expect(assay('run', module, '--inputs', 'random', '--backend', "process:sh -c 'exit 3'"), 5, 'exited with code 3')
        self.expect(assay('run', self.path('neg.hlo', b'ENTRY e { x = f32[] parameter(0) ROOT a = f32[] abs(x) }'),
                          '--inputs', 'random', '--backend', example), 4, 'does not support abs')
        self.expect(assay('run', module, '--inputs', 'random', '--backend', 'gold'), 2, "'gold' is no backend")

    def test_what_failed_is_saved(self):
        example = os.path.join(os.path.dirname(ASSAY), 'example_target')
        module, kept = self.path('m.hlo', ADD), self.path("it's kept")
        dies = self.path('dies.py', b"""import json, os, sys
requests, responses = os.fdopen(int(os.environ['ASSAY_REQUEST_FD']), 'rb'), int(os.environ['ASSAY_RESPONSE_FD'])
for line in requests:
    request = json.loads(line)
    requests.read(request.get('payload', 0))
    if request['type'] == 'execute':
        sys.exit(3)
    answer = {'hello': {'type': 'hello', 'protocol': 1, 'name': 'mayfly', 'formats': ['hlo-text']},
              'compile': {'type': 'compiled', 'handle': 1}}[request['type']]
    os.write(responses, (json.dumps({**answer, 'id': request['id']}) + '\\n').encode())
""")
        dying = f'process:{sys.executable} {dies}'
        result = assay('diff', module, '--inputs', 'random', '--right', dying, '--save', kept)
        self.expect(result, 5, 'saved in', 'exited with code 3')
        self.assertEqual(sorted(os.listdir(kept)), ['inputs.npz', 'left.npz', 'module.hlo', 'right.error.txt'])
        with open(os.path.join(kept, 'right.error.txt'), encoding='utf-8') as f:
            self.assertIn('exited with code 3', f.read())
        good = assay('diff', module, '--inputs', 'random', '--right', 'process:' + example, '--save', kept, '--max-ulp', 2)
        self.expect(good, 0, 'run it again with')
        self.assertEqual(sorted(os.listdir(kept)), ['inputs.npz', 'left.npz', 'module.hlo', 'right.npz'])
        command = shlex.split(good.out.splitlines()[-1])
        self.assertEqual(command[:3], ['assay', 'diff', os.path.join(kept, 'module.hlo')])
        self.assertIn('--max-ulp', command)
        self.expect(assay(*command[1:]), 0)

    def test_failures_show_before_the_work(self):
        slow = self.path('slow.hlo', b'body { s = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(s, one) }\n'
                         b'cond { s = s32[] parameter(0) m = s32[] constant(2000000000) ROOT c = pred[] compare(s, m), direction=LT }\n'
                         b'ENTRY e { x = s32[] constant(0) ROOT w = s32[] while(x), condition=cond, body=body }')
        self.expect_refusal(assay('run', slow, '--out', '/no/such/folder/x.npz'), 2, '/no/such/folder')
        self.expect_refusal(assay('run', slow, '--out', self.folder.name), 2, 'folder')
        self.expect_refusal(assay('diff', slow, '--right', 'process:/no/such/program'), 5, '/no/such/program')

    def test_output_that_cannot_be_written(self):
        module = self.path('m.hlo', ADD)
        for arguments in (['show', module], ['run', module, '--inputs', 'random'], ['ops', '--json'], ['run', '--help']):
            with open('/dev/full', 'wb') as full:
                process = subprocess.run([ASSAY, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(process.returncode, 2, arguments)
            self.assertIn(b'standard output: cannot be written', process.stderr)
        # With a closed output no file of ours takes its place.
        out = self.path('out.npz')
        process = subprocess.run(['sh', '-c', '"$0" run "$1" --inputs random --out "$2" >&-', ASSAY, module, out],
                                 stderr=subprocess.PIPE, check=False)
        self.assertEqual(process.returncode, 0, process.stderr)
        with zipfile.ZipFile(out) as archive:
            self.assertEqual(archive.namelist(), ['out0.npy'])

    def target(self, how):
        """A process that gives back its first argument, with the defect."""
        return (f'process:{sys.executable} '
                f'{os.path.join(SOURCE, "backends", "process", "testdata", "misbehaving_target.py")} {how}')

    def test_isolate_fails_where_nothing_ran(self):
        module = self.path('m.hlo', b'ENTRY e { x = f32[3] parameter(0) ROOT r = f32[3] reverse(x), dimensions={0} }')
        inputs = self.path('inputs.txt', b'f32[3] {1, 2, 1}')
        wrong = self.path('wrong.txt', b'f32[3] {1, 2, 3}')
        runs = ((inputs, 'nothing', 0, 'explained'), (wrong, 'nothing', 1, 'UNEXPLAINED'),
                (inputs, 'exit', 5, 'not run'), (inputs, 'refuse', 4, 'not run'))
        for given, how, code, verdict in runs:
            result = assay('diff', module, '--inputs', given, '--isolate', '--right', self.target(how), '--json')
            self.assertEqual(result.code, code, how + result.out + result.err)
            report = json.loads(result.out)
            self.assertEqual((report['verdict'], report['left']), (verdict, 'golden'))
            self.assertEqual(report['not_run'], int(verdict == 'not run'))
        self.assertEqual(report['instructions'][0]['status'], 'UNIMPLEMENTED')

    def test_devices(self):
        module = self.path('m.hlo', b'HloModule m, replica_count=2\nENTRY e { ROOT x = f32[3] parameter(0) }')
        both, kept = self.target('two_devices'), self.path('kept')
        random = assay('run', module, '--inputs', 'random', '--backend', both)
        self.expect(random, 0, 'out0.dev0 = f32[3]', 'out0.dev1 = f32[3]')
        values = [line.split(' = ')[1] for line in random.out.splitlines()]
        self.assertNotEqual(values[0], values[1])
        self.expect(assay('diff', module, '--inputs', 'random', '--left', both, '--right', both, '--save', kept), 0,
                    'out0.dev1', 'equal in every element')
        inputs, results = os.path.join(kept, 'inputs.npz'), os.path.join(kept, 'left.npz')
        with zipfile.ZipFile(inputs) as archive:
            self.assertEqual(sorted(archive.namelist()), ['arg0.dev0.npy', 'arg0.dev1.npy'])
        out = self.path('out.npz')
        self.expect(assay('run', module, '--inputs', inputs, '--backend', both, '--expect', results, '--out', out), 0,
                    'out0.dev1')
        with zipfile.ZipFile(out) as archive:
            self.assertEqual(sorted(archive.namelist()), ['out0.dev0.npy', 'out0.dev1.npy'])
        self.expect(assay('run', module, '--inputs', inputs, '--expect', results), 0, 'out0.dev1')
        self.expect(assay('diff', module, '--inputs', inputs, '--right', both), 0, 'out0.dev1', 'equal in every element')
        one = self.path('one.txt', b'f32[3] {1, 2, 3}')
        self.expect(assay('run', module, '--inputs', one, '--backend', both), 0, 'out0.dev1 = f32[3]{0} {1, 2, 3}')

    def test_budgets_hold_for_processes(self):
        module = self.path('m.hlo', b'ENTRY e { ROOT x = f32[3] parameter(0) }')
        for command in ('sleep 77', 'true; sleep 77', self.target('hang')[len('process:'):]):
            result = assay('run', module, '--inputs', 'random', '--backend', 'process:' + command,
                           '--budget-seconds', 2)
            self.expect(result, 5, 'hung')
            self.assertLess(result.seconds, 40)

    def test_control_characters_take_no_effect(self):
        evil = self.path('evil.txt', b'\x1b[31mEVIL\x07 \xc2\x9b31m')
        result = assay('run', self.path('m.hlo', ADD), '--inputs', evil)
        self.expect(result, 2, 'EVIL')
        self.assertNotIn('\x1b', result.err)
        self.assertNotIn('\x9b', result.err)
        result = assay('run', self.path('m.hlo', ADD), '--inputs', 'random', '--backend',
                       "process:printf '\\033[31mred'; exit 7")
        self.expect(result, 5, '\\x1b[31mred', 'code 7')
        self.assertNotIn('\x1b', result.err)

    # --- show and ops

    def test_show(self):
        module = self.path('m.hlo', ADD)
        text = assay('show', module, '--to', 'text')
        self.expect(text, 0, 'ROOT %s = f32[2]{0} add(%x, %y)')
        again = self.path('again.hlo', text.out.encode())
        self.assertEqual(assay('show', again, '--to', 'text').out, text.out)
        self.expect(assay('show', module, '--to', 'dot'), 0, 'digraph', 'n0 -> n2')
        self.assertEqual(json.loads(assay('show', module, '--to', 'json').out)['entry_computation_name'], 'e')
        stats = json.loads(assay('show', sample('matmul_chain.hlo'), '--stats', '--json').out)
        self.assertEqual(stats['multiply_adds'], 3 * 160 ** 3)
        self.assertEqual(stats['opcodes']['dot'], 3)
        self.expect(assay('show', module, '--to', 'nothing'), 2)
        self.expect(assay('show', module, '--to', 'text', '--stats'), 2, '--stats', '--to')
        short = json.loads(assay('show', module, '--to', 'short', '--json').out)
        self.assertEqual((short['format'], short['text']), ('short', assay('show', module, '--to', 'short').out))
        proto = self.path('m.pb')
        written = json.loads(assay('show', module, '--to', 'proto', '--json', '--out', proto).out)
        self.assertEqual(written['out'], proto)
        with open(proto, 'rb') as f:
            self.assertEqual(f.read(), base64.b64decode(json.loads(assay('show', module, '--to', 'proto', '--json').out)['base64']))
        code, text = on_terminal(80, 'show', module, '--to', 'proto')
        self.assertEqual(code, 2)
        self.assertIn('--out', text)

    def test_graphs_name_what_is_called(self):
        loop = self.path('loop.hlo', b'body { ROOT s = s32[] parameter(0) }\n'
                         b'cond { s = s32[] parameter(0) ROOT c = pred[] constant(false) }\n'
                         b'ENTRY e { x = s32[] constant(0) ROOT w = s32[] while(x), condition=cond, body=body }')
        self.expect(assay('show', loop, '--to', 'dot'), 0, 'label="body"', 'label="condition"')

    def test_other_formats_are_refused_with_advice(self):
        for content in (b'module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n  func.func public @main() {}\n}\n',
                        b'// a comment\nmodule {\n  func.func @main() { return }\n}\n', b'ML\xefR\x01StableHLO_v1.0.0\0'):
            self.expect_refusal(assay('show', self.path('m.mlir', content)), 4, 'StableHLO', 'as_serialized_hlo_module_proto')
        dumped = assay('show', self.path('m.hlo', ADD), '--to', 'json').out.encode()
        self.expect_refusal(assay('show', self.path('m.json', dumped)), 2, 'JSON')
        # A computation may be called module.
        self.expect(assay('show', self.path('module.hlo', b'module { ROOT x = f32[] parameter(0) }\n'
                                            b'ENTRY e { y = f32[] parameter(0) ROOT c = f32[] call(y), to_apply=module }')), 0)

    def test_show_sharding(self):
        module = self.path('s.hlo', b"""HloModule m, num_partitions=4
ENTRY e {
  a = f32[5,4] parameter(0), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  b = f32[3] parameter(1), sharding={devices=[4]3,2,1,0}
  c = f32[2] parameter(2), sharding={maximal device=2}
  d = f32[2] parameter(3), sharding={manual}
  f = f32[4] parameter(4), sharding={mesh['x'=2,'y'=2], [{'y'}], unreduced=max{'x'}}
  g = f32[] parameter(5), sharding={unknown}
  h = f32[] parameter(6)
  ROOT t = (f32[2], f32[]) tuple(c, h), sharding={{maximal device=2}, {replicated}}
}
""")
        expected = """a = f32[5,4], sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  [0:3,0:4]  devices 0 2
  [3:5,0:4]  devices 1 3
b = f32[3], sharding={devices=[4]3,2,1,0}
  [3:3]  device 0
  [2:3]  device 1
  [1:2]  device 2
  [0:1]  device 3
c = f32[2], sharding={maximal device=2}
  nothing  devices 0-1 3
  [0:2]  device 2
d = f32[2], sharding={manual}
  [0:2] of value 0 of 4  device 0
  [0:2] of value 1 of 4  device 1
  [0:2] of value 2 of 4  device 2
  [0:2] of value 3 of 4  device 3
f = f32[4], sharding={mesh['x'=2,'y'=2], [{'y'}], unreduced=max{'x'}}
  [0:2] of candidate for the maximum 0 of 2  device 0
  [2:4] of candidate for the maximum 0 of 2  device 1
  [0:2] of candidate for the maximum 1 of 2  device 2
  [2:4] of candidate for the maximum 1 of 2  device 3
g = f32[], sharding={unknown}
  unknown
t{0} = f32[2], sharding={maximal device=2}
  nothing  devices 0-1 3
  [0:2]  device 2
t{1} = f32[], sharding={replicated}
  []  devices 0-3
"""
        shown = assay('show', module, '--sharding')
        self.assertEqual((shown.code, shown.out), (0, expected))
        arrays = json.loads(assay('show', module, '--sharding', '--json').out)
        self.assertEqual([array['name'] for array in arrays], ['a', 'b', 'c', 'd', 'f', 'g', 't{0}', 't{1}'])
        self.assertEqual(arrays[0]['devices'][3],
                         {'device': 3, 'starts': [3, 0], 'limits': [5, 4], 'value': 0, 'summand': 0})
        self.assertEqual(arrays[0]['tile_sizes'], [3, 4])
        self.assertFalse(arrays[5]['known'])
        self.expect(assay('show', module, '--sharding', '--stats'), 2, 'ask for one of them')
        bad = self.path('bad.hlo', b'HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0), sharding={devices=[2,1]0,1}\n}\n')
        self.expect(assay('show', bad, '--sharding'), 2, 'sharding_c4', '%x = f32[2] parameter(0)')
        many = self.path('many.hlo', b'HloModule m, num_partitions=1000000000000\nENTRY e {\n'
                         b'  ROOT x = f32[2] parameter(0), sharding={replicated}\n}\n')
        self.expect(assay('show', many, '--sharding', limited=True), 3, 'more than')

    def test_show_layout(self):
        """The document's memory of [2 x 3], column-major and padded to [3, 5]; packed elements; JSON and back."""
        module = self.path('m.hlo', b'ENTRY e { ROOT c = s32[2,3]{0,1} constant({{1,2,3},{4,5,6}}) }')
        self.expect(assay('show', module, '--layout'), 0, 'c = s32[2,3]{0,1}: 6 cells of 32 bits, 24 bytes',
                    '\n  1 4 2 5 3 6\n')
        padded = ('--padded-dimensions', '3,5', '--padding-value', 'zero')
        self.expect(assay('show', module, '--layout', *padded), 0, '\n  1 4 0 2 5 0 3 6 0 0 0 0 0 0 0\n')
        self.expect(assay('show', module, '--layout', '--minor-to-major', '1,0'), 0, '\n  1 2 3 4 5 6\n')
        self.expect(assay('show', module, '--layout', '--minor-to-major', '1,1'), 2, 'no permutation')
        memory = json.loads(assay('show', module, '--layout', '--json', *padded).out)
        self.assertEqual(memory[0]['padded_dimensions'], [3, 5])
        memory[0]['name'] = 'arg0'
        identity = self.path('i.hlo', b'ENTRY e { x = s32[2,3] parameter(0) ROOT n = s32[2,3] negate(x) }')
        arrays = self.path('memory.json', json.dumps(memory).encode())
        self.expect(assay('run', identity, '--inputs', arrays), 0, '{ -1, -2, -3 }')
        packed = self.path('p.hlo', b'ENTRY e { ROOT p = u4[3]{0:E(4)} parameter(0) }')
        self.expect(assay('show', packed, '--layout', '--inputs', self.path('u4.txt', b'u4[3] {1, 2, 3}')), 0,
                    '3 cells of 4 bits, 2 bytes')

    def test_explain(self):
        module = self.path('m.hlo', b'ENTRY e { x = s32[2,3] parameter(0) z = s32[] constant(9)\n'
                           b't = s32[3,2] transpose(x), dimensions={1,0}\n'
                           b'p = s32[4,2] pad(t, z), padding=1_0x0_0 ROOT n = s32[4,2] negate(p) }')
        arrays = self.path('x.txt', b's32[2,3] {{1,2,3},{4,5,6}}')
        given = ('explain', module, '--inputs', arrays, '--element')
        self.expect(assay(*given, '0:[3,1]'), 0, 'n[3,1] = -6', '\n      x[1,2] = 6  s32 parameter\n', '3 elements')
        self.expect(assay(*given, '0:[0,1]'), 0, '\n    z[] = 9  s32 constant')
        self.expect(assay(*given, '0:[3,1]', '--depth', '1'), 0, '... 1 more')
        tree = json.loads(assay(*given, '0:3,1', '--json').out)
        self.assertEqual(tree['element']['reads'][0]['reads'][0]['index'], [2, 1])
        self.assertEqual(tree['elements_computed'], 3)
        self.expect(assay(*given, '0:[4,0]'), 2, 'no element [4,0]')
        self.expect(assay(*given, '1'), 2, 'no output 1')
        self.expect(assay(*given, '0:[x]'), 2, 'OUTPUT:[INDEX,...]')

    def test_views_store_nothing(self):
        module = self.path('m.hlo', b'ENTRY e { x = f32[100,50] parameter(0) c = f32[50] parameter(1)\n'
                           b'b = f32[100,50] broadcast(c), dimensions={1} ROOT r = f32[100,50] add(x, b) }')
        result = assay('run', module, '--inputs', 'random', '--json')
        self.assertEqual(json.loads(result.out)['stats']['materialised_bytes'], 20000)

    def test_ops(self):
        ops = json.loads(assay('ops', '--json').out)
        self.assertEqual(len(ops), 133)
        self.assertEqual([op['name'] for op in ops], sorted(op['name'] for op in ops))
        add = next(op for op in ops if op['name'] == 'add')
        self.assertEqual(add['arity'], 2)
        self.assertTrue(add['backends']['golden'])
        self.assertEqual(len(add['types']), 32)
        self.expect(assay('ops', 'reduce-window'), 0, 'window', 'to_apply')
        self.expect(assay('ops', 'reduce-windw'), 2, 'did you mean reduce-window?')
        self.expect(assay('ops', 'frob'), 2, 'no operation frob; ')
        self.assertTrue(assay('ops').out.startswith('OPERATION '))
        with open(os.path.join(SOURCE, 'docs', 'operations.md')) as f:
            self.assertTrue(f.read().startswith(assay('ops', '--markdown').out), 'build the target operations_page')

    def test_help(self):
        for command in ([], ['run'], ['diff'], ['show'], ['ops'], ['verify']):
            result = assay(*command, '--help')
            self.expect(result, 0, '--help')
            self.assertLessEqual(max(map(len, result.out.splitlines())), 80, result.out)
            for columns in (60, 120, 200):
                code, text = on_terminal(columns, *command, '--help')
                self.assertEqual(code, 0)
                prose = [line for line in text.splitlines() if not line.startswith('  assay') and not line.startswith('      -')]
                self.assertLessEqual(max(map(len, prose)), min(columns, 120), text)
        for name in ('add', 'reduce-window', 'custom-call'):
            self.assertLessEqual(max(map(len, assay('ops', name).out.splitlines())), 80)
        self.expect(assay('--version'), 0, 'assay')
        self.expect(assay(), 2, 'assay: ', 'assay --help')
        self.expect(assay('run'), 2, 'assay: ', 'MODULE', 'assay run --help')
        self.expect(assay('run', 'x', '--no-such-flag'), 2, 'assay run --help')
        report = json.loads(assay('run', '--json').out)
        self.assertEqual(report['exit_code'], 2)
        self.assertIn('MODULE', report['error'])

    def test_progress_on_a_terminal_only(self):
        example = 'process:' + os.path.join(os.path.dirname(ASSAY), 'example_target')
        module = self.path('m.hlo', b'ENTRY e { x = f32[2] parameter(0) y = f32[2] add(x, x) ROOT z = f32[2] add(y, x) }')
        diff = ('diff', module, '--inputs', 'random', '--right', example, '--isolate')
        code, text = on_terminal(80, *diff)
        self.assertEqual(code, 0, text)
        self.assertIn('2 instructions judged', text)
        result = assay(*diff)
        self.assertNotIn('judged', result.out + result.err)
        self.assertNotIn('\x1b', result.out + result.err)

    # --- verify

    def test_verify_finds_everything_in_one_pass(self):
        bad = self.path('bad.hlo', b'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[3] negate(x)\n'
                        b'  z = f32[2] add(x, y)\n  ROOT r = f32[2] negate(x)\n}\n')
        result = assay('verify', bad)
        self.expect(result, 2, f'{bad}:4:3: [shape_c2]', f'{bad}:5:3: [binary_c3]', '1 module, 1 failed, 2 findings')
        report = json.loads(assay('verify', bad, '--json').out)
        first = report['files'][0]['findings'][0]
        self.assertEqual((first['clause'], first['line'], first['column'], first['instruction'], first['computation']),
                         ('shape_c2', 4, 3, 'y', 'e'))
        self.assertEqual((first['expected'], first['found']), ('operands and attributes give the shape f32[2]', 'f32[3]'))
        quiet = assay('verify', self.path('good.hlo', ADD), '--quiet')
        self.assertEqual((quiet.code, quiet.out), (0, ''))

    def test_verify_reports_what_cannot_be_read_as_findings(self):
        bad = self.path('bad.hlo', b'ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negat(x)\n}\n')
        self.expect(assay('verify', bad, self.path('none.hlo')), 2, f'{bad}:3:19: [read_c1]', 'negat',
                    'none.hlo: [read_c1]', '2 modules, 2 failed')
        inferred = self.path('inferred.hlo', b'ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = reverse(x), dimensions={1}\n}')
        self.expect(assay('verify', inferred), 2, ':3:', '[reverse_c2]')

    def test_verify_takes_folders_lists_and_every_format(self):
        result = assay('verify', SAMPLES, '--json')
        report = json.loads(result.out)
        self.assertEqual(result.code, 0, result.out)
        self.assertGreater(report['modules'], 60)
        names = self.path('list', f"{sample('mlp_train_step.pb')}\n{self.path('add.hlo', ADD)}\n".encode())
        self.expect(assay('verify', '@' + names), 0, '2 modules, 0 failed, 0 findings')
        # A proto has no lines: names say where.
        text = assay('show', self.path('bad.hlo', b'ENTRY e { x = f32[2] parameter(0) ROOT y = f32[3] negate(x) }'),
                     '--to', 'textproto').out
        self.expect(assay('verify', self.path('bad.textproto', text.encode())), 2, '[shape_c2]', '%y = f32[3]', 'in e')

    def test_verify_rules(self):
        loose = self.path('loose.hlo', b'ENTRY e { x = c64[2] parameter(0) ROOT y = c64[2] maximum(x, x) }')
        self.expect(assay('verify', loose), 0)
        self.expect(assay('verify', loose, '--rules', 'strict'), 2, '[extremum_c1]')
        # What XLA's verifier takes and the documents do not define is not run.
        self.expect(assay('run', loose, '--inputs', 'random'), 4, '[extremum_c1]')

    # --- bad input

    def test_missing_and_unreadable_files(self):
        module = self.path('m.hlo', ADD)
        self.expect_refusal(assay('run', self.path('none.hlo')), 2, 'none.hlo')
        self.expect_refusal(assay('run', self.folder.name), 2)
        self.expect_refusal(assay('run', module, '--inputs', self.path('none.npz')), 2, 'none.npz')
        self.expect_refusal(assay('run', module), 2, 'takes 2 arguments')
        self.expect_refusal(assay('run', self.path('empty.hlo', b'')), 2)
        self.expect_refusal(assay('run', module, '--inputs', 'random', '--out', '/no/such/folder/x.npz'), 2,
                            '/no/such/folder')
        self.assertFalse(os.path.exists(self.path('half.npz')))

    def test_syntax_errors_say_where(self):
        bad = self.path('bad.hlo', b'ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negat(x)\n}\n')
        self.expect_refusal(assay('run', bad), 2, 'bad.hlo:3:19', 'negat')
        shapes = self.path('shapes.hlo', b'ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\n')
        self.expect_refusal(assay('run', shapes, '--inputs', 'random'), 2, 'f32[2]', 'f32[3]', 'line 3')

    def test_truncated_and_corrupt_modules(self):
        with open(sample('mlp_train_step.pb'), 'rb') as f:
            proto = f.read()
        for length in (1, 10, 100, 1000, len(proto) // 2, len(proto) - 1):
            self.expect_refusal(assay('show', self.path('cut.pb', proto[:length]), limited=True), 2)
        packed = gzip.compress(proto)
        self.expect_refusal(assay('show', self.path('cut.gz', packed[:len(packed) // 2])), 2)
        self.expect_refusal(assay('show', self.path('noise', bytes(range(256)) * 40)), 2)

    def test_bad_arrays(self):
        module = self.path('m.hlo', ADD)
        with open(sample('mlp_train_step.inputs.npz'), 'rb') as f:
            npz = f.read()
        self.expect_refusal(assay('run', module, '--inputs', self.path('cut.npz', npz[:len(npz) // 2])), 2, 'cut.npz')
        self.expect_refusal(assay('run', module, '--inputs', sample('mlp_train_step.inputs.npz')), 2, 'arg')
        one = self.path('one.txt', b'f32[2]{0} {1, 2}')
        self.expect_refusal(assay('run', module, '--inputs', one), 2, 'one.txt', 'arg1')
        unnamed = self.path('unnamed.npz')
        with zipfile.ZipFile(unnamed, 'w') as archive, zipfile.ZipFile(sample('mlp_train_step.inputs.npz')) as given:
            archive.writestr('arr_0.npy', given.read('arg0.npy'))
        self.expect_refusal(assay('run', module, '--inputs', unnamed), 2, 'unnamed.npz', 'arr_0', 'numpy.savez(file, arg0=')
        # Arguments are no results.
        self.expect_refusal(assay('run', sample('mlp_train_step.hlo'), '--inputs', sample('mlp_train_step.inputs.npz'),
                                  '--expect', sample('mlp_train_step.inputs.npz')), 2, 'not named outN')
        shape = self.path('shape.txt', b'f32[2]{0} {1, 2}\nf32[3]{0} {1, 2, 3}')
        self.expect_refusal(assay('run', module, '--inputs', shape), 2, 'f32[3]', 'f32[2]')
        dtype = self.path('dtype.txt', b'f32[2]{0} {1, 2}\ns32[2]{0} {1, 2}')
        self.expect_refusal(assay('run', module, '--inputs', dtype), 2, 's32[2]')
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }"
        header += b' ' * (-(len(header) + 11) % 64) + b'\n'
        liar = b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header + b'\0' * 16
        self.expect_refusal(assay('run', module, '--inputs', self.path('liar.npy', liar), limited=True), 2)

    def test_literal_files(self):
        module = self.path('m.hlo', b'ENTRY e { x = f32[4] parameter(0) y = s32[] parameter(1) ROOT n = f32[4] negate(x) }')
        wanted = 'out0 = f32[4]{0} {-1, -1.5, -2, -3}\n'
        for text in (b'f32[4] {1, 1.5, 2, 3}\ns32[] 1', b'f32[4]{0} {1, 1.5, 2, 3}\n\n// the second\n s32[] 1\n',
                     b'(f32[4] {1, 1.5, 2, 3}, s32[] 1)'):
            self.assertEqual(assay('run', module, '--inputs', self.path('i.txt', text)).out, wanted, text)
            self.assertEqual(assay('run', module, '--inputs', self.path('i.gz', gzip.compress(text))).out, wanted, text)
        self.expect_refusal(assay('run', module, '--inputs', self.path('short.txt', b's32[] 1\n\nf32[4] {1, 1.5, 2}')), 2,
                            'short.txt: line 3, column 18: ')

    def test_budgets(self):
        endless = self.path('endless.hlo', b'body { ROOT s = s32[] parameter(0) }\n'
                            b'cond { s = s32[] parameter(0) ROOT c = pred[] constant(true) }\n'
                            b'ENTRY e { x = s32[] constant(0) ROOT w = s32[] while(x), condition=cond, body=body }')
        self.expect_refusal(assay('run', endless, '--budget-seconds', 0.3), 3, '0.3 seconds', 'while')
        self.expect_refusal(assay('run', endless, '--budget-steps', 1000), 3, '1000 element steps')
        huge = self.path('huge.hlo', b'ENTRY e { z = f32[] constant(0) '
                         b'ROOT b = f32[1099511627776] broadcast(z), dimensions={} }')
        self.expect_refusal(assay('run', huge, limited=True), 3, 'f32[1099511627776]', 'bytes')
        self.expect_refusal(assay('run', self.path('p.hlo', b'ENTRY e { ROOT x = f32[1099511627776] parameter(0) }'),
                                  '--inputs', 'random', limited=True), 3, 'f32[1099511627776]')
        self.expect_refusal(assay('run', self.path('o.hlo', b'ENTRY e { z = f32[] constant(0) ROOT b = '
                                                   b'f32[4294967296,4294967296] broadcast(z), dimensions={} }')), 2,
                            'overflows')
        # Random arguments are held to the budget together.
        several = self.path('several.hlo', b'ENTRY e { a = f32[1000] parameter(0) b = f32[1000] parameter(1) ROOT s = f32[1000] add(a, b) }')
        self.expect_refusal(assay('run', several, '--inputs', 'random', '--budget-bytes', 7999), 3, 'parameter(1)', '4000 bytes',
                            '--budget-bytes')
        small = self.path('small.hlo', b'ENTRY e { z = f32[] constant(0) '
                          b'ROOT b = f32[100000] broadcast(z), dimensions={} }')
        self.expect_refusal(assay('run', small, '--budget-bytes', 1000), 3, '400000 bytes')
        self.expect_refusal(assay('run', small, '--budget-elements', 99999), 3, 'more than 99999 elements')

    def test_undecided_elements_keep_their_enclosure(self):
        # 262143^(3 + 2^-1074 i) lies below the midpoint of two f64 by less than 1536 bits tell.
        module = self.path('power.hlo', b'ENTRY e { z = c128[1] constant({(262143, 0)}) '
                           b's = c128[1] constant({(3, 4.94065645841246544e-324)}) ROOT r = c128[1] power(z, s) }')
        result = assay('run', module, '--stats', '--json')
        self.assertEqual(result.code, 0, result.err)
        (element,) = json.loads(result.out)['stats']['undecided']
        self.assertEqual((element['instruction'], element['index']), ('r', [0]))
        self.assertIn('18014192351838206', element['low'])
        self.assertIn('18014192351838208', element['high'])
        self.assertIn('undecided: r[0] between ', assay('run', module, '--stats').out)

    def test_unsupported_operations(self):
        call = self.path('call.hlo', b'ENTRY e { ROOT c = f32[] custom-call(), custom_call_target="f" }')
        self.expect_refusal(assay('run', call), 4, 'custom-call')
        elided = self.path('elided.hlo', b'ENTRY e { ROOT c = f32[100] constant({...}) }')
        self.expect_refusal(assay('run', elided), 2, 'elided')

    def test_hostile_text(self):
        self.expect_refusal(assay('show', self.path('deep.hlo', b'(' * 1000000), limited=True), 2)
        self.expect_refusal(assay('show', self.path('tuple.hlo', b'ENTRY e { x = ' + b'(' * 100000), limited=True), 2)
        doubling = b'ENTRY e { t0 = f32[] parameter(0)\n' + b''.join(
            b't%d = tuple(t%d, t%d)\n' % (i + 1, i, i) for i in range(64)) + b'}'
        self.expect_refusal(assay('show', self.path('doubling.hlo', doubling), limited=True), 2)

    def test_failed_runs_leave_no_output(self):
        module = self.path('m.hlo', ADD)
        out = self.path('out.npz', b'old')
        self.expect(assay('run', module, '--inputs', self.path('none.npz'), '--out', out), 2)
        with open(out, 'rb') as f:
            self.assertEqual(f.read(), b'old')
        self.assertEqual([n for n in os.listdir(self.folder.name) if n.startswith('out')], ['out.npz'])


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main(argv=sys.argv[:1], verbosity=1)
