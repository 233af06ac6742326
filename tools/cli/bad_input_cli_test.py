#!/usr/bin/env python3
"""What the commands do with files and values that are wrong: one clear message, a documented exit code, no half-written file.
"""
import gzip
import json
import os
import struct
import zipfile

from cli_testing import ADD, CommandLineTest, assay, main, sample


class BadInput(CommandLineTest):
    def test_unknown_commands(self):
        self.expect_refusal(assay('tes'), 2, "there is no command 'tes' (did you mean test?); assay --help")
        self.expect_refusal(assay('corpus', 'lst'), 2, "there is no command 'lst' (did you mean list?); assay corpus --help")
        self.expect_refusal(assay('corpus'), 2, 'no command was given; assay corpus --help')
        self.expect_refusal(assay(), 2, 'no command was given; assay --help')
        self.expect_refusal(assay('--verison'), 2, 'there is no option --verison (did you mean --version?)')
        self.expect_refusal(assay('fuzz', '--target', './mine'), 2, "'./mine' is not a backend (did you mean 'process:./mine'?)")
        self.expect_refusal(assay('fuzz', '--target', 'my/plugin.so'), 2, "(did you mean 'pjrt:my/plugin.so'?)")
        self.expect_refusal(assay('test', '--shard', '3/3'), 2, "there is no shard '3' of '3'; I/N counts I from 0 to N - 1")

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
    main()
