#!/usr/bin/env python3
"""Runs the `assay` command as users do: results, files, exit codes, and what it does with bad input.

usage: cli_test.py ASSAY SOURCE_DIR
Expected results are XLA CPU's stored ones (exact for integers), worked out by hand, or numpy's own file format.
"""
import gzip
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
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

    def expect_refusal(self, result, code, *words):
        """One clear message, quickly, no crash."""
        self.expect(result, code, *words)
        self.assertNotIn('terminate called', result.err)
        self.assertLess(result.seconds, 20 if SANITIZED else 1.5, result.err)

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
        self.expect(assay('run', module, '--inputs', inputs, '--expect', near), 1, '1 ulp', 'at [1]', '1 of 2 equal')
        self.expect(assay('run', module, '--inputs', inputs, '--expect', near, '--max-ulp', 1), 0)
        self.expect(assay('run', module, '--inputs', inputs, '--expect', wrong, '--max-ulp', 100), 1, 'MISMATCH', 'NaN')
        self.expect(assay('run', module, '--inputs', inputs, '--expect', self.path('s.txt', b's32[2]{0} {1, 2}')), 2,
                    's32[2]', 'f32[2]')

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
        self.expect(assay('run', module, '--inputs', 'random', '--backend', "process:sh -c 'exit 3'"), 5, 'exited with code 3')
        self.expect(assay('run', self.path('neg.hlo', b'ENTRY e { x = f32[] parameter(0) ROOT a = f32[] abs(x) }'),
                          '--inputs', 'random', '--backend', example), 4, 'does not support abs')
        self.expect(assay('run', module, '--inputs', 'random', '--backend', 'gold'), 2, "'gold' is no backend")

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
        with open(os.path.join(SOURCE, 'docs', 'operations.md')) as f:
            self.assertTrue(f.read().startswith(assay('ops', '--markdown').out), 'run tools/checks/sections_check.py --write')

    def test_help(self):
        for command in ([], ['run'], ['diff'], ['show'], ['ops']):
            self.expect(assay(*command, '--help'), 0, '--help')
        self.expect(assay('--version'), 0, 'assay')
        self.expect(assay(), 2)
        self.expect(assay('run'), 2, 'MODULE')
        self.expect(assay('run', 'x', '--no-such-flag'), 2)

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
        self.expect_refusal(assay('run', module, '--inputs', one), 2, 'arg1')
        shape = self.path('shape.txt', b'f32[2]{0} {1, 2}\nf32[3]{0} {1, 2, 3}')
        self.expect_refusal(assay('run', module, '--inputs', shape), 2, 'f32[3]', 'f32[2]')
        dtype = self.path('dtype.txt', b'f32[2]{0} {1, 2}\ns32[2]{0} {1, 2}')
        self.expect_refusal(assay('run', module, '--inputs', dtype), 2, 's32[2]')
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }"
        header += b' ' * (-(len(header) + 11) % 64) + b'\n'
        liar = b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header + b'\0' * 16
        self.expect_refusal(assay('run', module, '--inputs', self.path('liar.npy', liar), limited=True), 2)

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
        small = self.path('small.hlo', b'ENTRY e { z = f32[] constant(0) '
                          b'ROOT b = f32[100000] broadcast(z), dimensions={} }')
        self.expect_refusal(assay('run', small, '--budget-bytes', 1000), 3, '400000 bytes')

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
