#!/usr/bin/env python3
"""Custom calls that users bring: `--custom-call-lib` and `--custom-call` of run, diff and explain.

usage: custom_call_cli_test.py ASSAY LIBRARY
LIBRARY is custom_call_functions.cc, compiled.
"""
import struct
import sys

from cli_testing import CommandLineTest, assay, main, npy

LIBRARY = sys.argv[2]
MODULE = """HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] custom-call(x), custom_call_target="twice"
  t = (f32[2], s32[]) custom-call(x), custom_call_target="negate_and_count"
  ROOT r = (f32[2], (f32[2], s32[])) tuple(y, t)
}
"""


class CustomCalls(CommandLineTest):
    def run_module(self, *options, command='run', module=MODULE, values=(1, 2)):
        self.path('m.hlo', module)
        inputs = self.archive('x.npz', {'arg0': npy('<f4', '(2,)', struct.pack('<2f', *values))})
        return assay(command, self.path('m.hlo'), '--inputs', inputs, *options)

    def run_call(self, attributes, values=(1, 2)):
        module = f"""HloModule m
            ENTRY e {{ x = f32[2] parameter(0) ROOT r = f32[2] custom-call(x), {attributes} }}"""
        return self.run_module('--custom-call-lib', LIBRARY, module=module, values=values)

    def test_functions_of_a_library(self):
        for backend in 'golden', 'cpu':
            result = self.run_module('--custom-call-lib', LIBRARY, '--backend', backend)
            self.assertEqual((result.code, result.err), (0, ''))
            self.assertIn('out0 = f32[2]{0} {2, 4}', result.out)
            self.assertIn('out1 = f32[2]{0} {-1, -2}', result.out)
            self.assertIn('out2 = s32[] 2', result.out)

    def test_the_abis_with_a_status(self):
        invert = 'custom_call_target="invert", api_version=API_VERSION_STATUS_RETURNING'
        self.assertIn('{1, 0.5}', self.run_call(invert).out)
        failed = self.run_call(invert, values=(1, 0))
        self.assertEqual(failed.code, 2)
        self.assertIn('the function fails: a zero:', failed.err)  # cut where the function says
        add = 'custom_call_target="add_digit", api_version=API_VERSION_STATUS_RETURNING_UNIFIED'
        self.assertIn('{4, 5}', self.run_call(add + ', backend_config="3"').out)
        self.assertIn('the function fails: one digit', self.run_call(add + ', backend_config="33"').err)
        typed = self.run_call('custom_call_target="twice", api_version=API_VERSION_TYPED_FFI')
        self.assertIn('version 1, 2 or 3', typed.err)

    def test_tuples_of_tuples_are_refused(self):
        module = """HloModule m
            ENTRY e { x = f32[2] parameter(0) t = (f32[2]) tuple(x) u = ((f32[2])) tuple(t)
              ROOT r = f32[2] custom-call(u), custom_call_target="twice" }"""
        for backend in 'golden', 'cpu':
            result = self.run_module('--custom-call-lib', LIBRARY, '--backend', backend, module=module)
            self.expect(result, 2, 'tuples of tuples have no place in the ABI')

    def test_explain_makes_them(self):
        given = ('--custom-call-lib', LIBRARY, '--element', '0:[1]')
        self.expect(self.run_module(*given, command='explain'), 0, 'y[1] = 4  f32 custom-call, through r\n  x[0] = 1',
                    '1 elements were computed')
        self.expect(self.run_module('--element', '0:[1]', command='explain'), 4, '"twice" is not known')

    def test_diff_knows_them(self):
        result = self.run_module('--custom-call-lib', LIBRARY, '--right', 'golden', command='diff')
        self.assertEqual((result.code, result.err), (0, ''))
        result = self.run_module('--custom-call-lib', LIBRARY, '--right', 'golden', '--isolate', command='diff')
        self.assertNotIn('is not known', result.out + result.err)
        self.assertIn('is not known', self.run_module('--right', 'golden', command='diff').err)

    def test_results_from_a_file(self):
        twice = self.archive('y.npz', {'out0': npy('<f4', '(2,)', struct.pack('<2f', 5, 6))})
        result = self.run_module('--custom-call-lib', LIBRARY, '--custom-call', 'twice=' + twice)
        self.assertIn('out0 = f32[2]{0} {5, 6}', result.out)

    def test_mistakes_are_named(self):
        short = self.archive('y.npz', {'out0': npy('<f4', '(1,)', struct.pack('<f', 5))})
        for options, expected in (
                ((), '" is not known'),
                (('--custom-call-lib', '/nowhere/f.so'), '/nowhere/f.so: cannot be opened'),
                (('--custom-call', 'twice'), 'TARGET=FILE'),
                (('--custom-call', 'twice=/nowhere/y.npz'), '/nowhere/y.npz'),
                (('--custom-call-lib', LIBRARY, '--custom-call', 'twice=' + short), 'f32[1]')):
            result = self.run_module(*options)
            self.assertNotEqual(result.code, 0, options)
            self.assertIn(expected, result.err)


if __name__ == '__main__':
    main()
