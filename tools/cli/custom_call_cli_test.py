#!/usr/bin/env python3
"""Custom calls that users bring: `--custom-call-lib` and `--custom-call` of run and diff.

usage: custom_call_cli_test.py ASSAY LIBRARY
LIBRARY is custom_call_functions.cc, compiled.
"""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

ASSAY, LIBRARY = sys.argv[1], sys.argv[2]
MODULE = """HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] custom-call(x), custom_call_target="twice"
  t = (f32[2], s32[]) custom-call(x), custom_call_target="negate_and_count"
  ROOT r = (f32[2], (f32[2], s32[])) tuple(y, t)
}
"""


def npy(descriptor, shape, data):
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}"
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + data


class CustomCalls(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def archive(self, name, members):
        with zipfile.ZipFile(self.path(name), 'w') as archive:
            for member, data in members.items():
                archive.writestr(member + '.npy', data)
        return self.path(name)

    def run_module(self, *options, command='run', module=MODULE, values=(1, 2)):
        with open(self.path('m.hlo'), 'w') as file:
            file.write(module)
        inputs = self.archive('x.npz', {'arg0': npy('<f4', '(2,)', struct.pack('<2f', *values))})
        return subprocess.run([ASSAY, command, self.path('m.hlo'), '--inputs', inputs, *options],
                              capture_output=True, text=True, timeout=60)

    def run_call(self, attributes, values=(1, 2)):
        module = f"""HloModule m
            ENTRY e {{ x = f32[2] parameter(0) ROOT r = f32[2] custom-call(x), {attributes} }}"""
        return self.run_module('--custom-call-lib', LIBRARY, module=module, values=values)

    def test_functions_of_a_library(self):
        result = self.run_module('--custom-call-lib', LIBRARY)
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        self.assertIn('out0 = f32[2]{0} {2, 4}', result.stdout)
        self.assertIn('out1 = f32[2]{0} {-1, -2}', result.stdout)
        self.assertIn('out2 = s32[] 2', result.stdout)

    def test_the_abis_with_a_status(self):
        invert = 'custom_call_target="invert", api_version=API_VERSION_STATUS_RETURNING'
        self.assertIn('{1, 0.5}', self.run_call(invert).stdout)
        failed = self.run_call(invert, values=(1, 0))
        self.assertEqual(failed.returncode, 2)
        self.assertIn('the function fails: a zero:', failed.stderr)  # cut where the function says
        add = 'custom_call_target="add_digit", api_version=API_VERSION_STATUS_RETURNING_UNIFIED'
        self.assertIn('{4, 5}', self.run_call(add + ', backend_config="3"').stdout)
        self.assertIn('the function fails: one digit', self.run_call(add + ', backend_config="33"').stderr)
        typed = self.run_call('custom_call_target="twice", api_version=API_VERSION_TYPED_FFI')
        self.assertIn('version 1, 2 or 3', typed.stderr)

    def test_diff_knows_them(self):
        result = self.run_module('--custom-call-lib', LIBRARY, '--right', 'golden', command='diff')
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        result = self.run_module('--custom-call-lib', LIBRARY, '--right', 'golden', '--isolate', command='diff')
        self.assertNotIn('is not known', result.stdout + result.stderr)
        self.assertIn('is not known', self.run_module('--right', 'golden', command='diff').stderr)

    def test_results_from_a_file(self):
        twice = self.archive('y.npz', {'out0': npy('<f4', '(2,)', struct.pack('<2f', 5, 6))})
        result = self.run_module('--custom-call-lib', LIBRARY, '--custom-call', 'twice=' + twice)
        self.assertIn('out0 = f32[2]{0} {5, 6}', result.stdout)

    def test_mistakes_are_named(self):
        short = self.archive('y.npz', {'out0': npy('<f4', '(1,)', struct.pack('<f', 5))})
        for options, expected in (
                ((), '" is not known'),
                (('--custom-call-lib', '/nowhere/f.so'), '/nowhere/f.so: cannot be opened'),
                (('--custom-call', 'twice'), 'TARGET=FILE'),
                (('--custom-call', 'twice=/nowhere/y.npz'), '/nowhere/y.npz'),
                (('--custom-call-lib', LIBRARY, '--custom-call', 'twice=' + short), 'f32[1]')):
            result = self.run_module(*options)
            self.assertNotEqual(result.returncode, 0, options)
            self.assertIn(expected, result.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
