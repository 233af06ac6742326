#!/usr/bin/env python3
"""`assay triage`: a folder of modules that differ, with stored results and with a target.
"""
import json
import os
import struct
import sys

from cli_testing import SOURCE, CommandLineTest, assay, main, npy
from judge_cli_test import TARGET

TANH = 'HloModule m\nENTRY e { x = f32[1] parameter(0)\n ROOT y = f32[1] tanh(x) }\n'
TWICE = ('HloModule m\nENTRY e { x = f32[1] parameter(0)\n y = f32[1] tanh(x)\n'
         ' ROOT z = f32[1] tanh(y) }\n')


def f32(value):
    return npy('<f4', '(1,)', struct.pack('<f', value))


class Triage(CommandLineTest):
    def stored(self, name, text, expected, actual=None):
        self.path(name + '.hlo', text)
        self.archive(name + '.inputs.npz', {'arg0': f32(1)})
        self.archive(name + '.expected.npz', {'out0': f32(expected)})
        if actual is not None:
            self.archive(name + '.actual.npz', {'out0': f32(actual)})

    def test_stored(self):
        self.stored('large', TWICE, 0.25)
        self.stored('small', TANH, 0.75, 0.7615942)
        self.path('broken.hlo', 'HloModule m\nENTRY e { x = f32[1] parameter(0')
        self.path('lonely.hlo', TANH)
        self.archive('lonely.expected.npz', {'out0': f32(1)})
        result = self.expect(assay('triage', self.folder.name), 1, 'tanh f32', 'broken.hlo',
                             'lonely.inputs.npz is missing', '4 modules, 2 wrong')
        self.assertLess(result.out.index('small.hlo (expected)'), result.out.index('large.hlo (expected)'))
        report = json.loads(assay('triage', self.folder.name, '--json').out)
        self.assertEqual((report['classes']['wrong'], report['classes']['broken'], report['classes']['equal']), (2, 2, 1))
        self.assertEqual(report['groups'][0]['operation'], 'tanh f32')
        self.assertEqual(len(report['groups'][0]['modules']), 2)

    def test_target(self):
        self.path('a.hlo', TWICE)
        self.path('b.hlo', TANH)
        self.expect(assay('triage', self.folder.name, '--target', 'golden', '--profile', 'golden'), 0, '2 modules, 2 equal')
        self.expect(assay('triage', self.folder.name, '--target', 'process:exit 3'), 1, 'failed: tanh f32', '2 failed')

    # 3^64 is 2038349057 modulo 2^32, the target gives 1: listed by xla-cpu, wrong for cpu-strict.
    def test_known_deviations(self):
        module = self.path('power.hlo', 'HloModule m\nENTRY e { x = s32[1] parameter(0)\n y = s32[1] parameter(1)\n'
                                        ' ROOT z = s32[1] power(x, y) }\n')
        inputs = self.archive('power.inputs.npz', {'arg0': npy('<i4', '(1,)', struct.pack('<i', 3)),
                                                   'arg1': npy('<i4', '(1,)', struct.pack('<i', 64))})
        target = 'mutant:power/low_6_bits_of_the_exponent'
        self.expect(assay('triage', self.folder.name, '--target', target, '--profile', 'xla-cpu'), 0,
                    '1 module, 1 known deviation', 'P-2 (docs/findings/006.md)')
        self.expect(assay('triage', self.folder.name, '--target', target, '--profile', 'cpu-strict'), 1, '1 wrong')
        isolated = ('diff', module, '--inputs', inputs, '--right', target, '--isolate', '--profile')
        self.expect(assay(*isolated, 'xla-cpu'), 0, 'a known deviation (rule: exact), P-2 (docs/findings/006.md)', '1 known deviation')
        report = json.loads(assay(*isolated, 'xla-cpu', '--json').out)
        self.assertEqual((report['known_deviations'], report['wrong']), (1, 0))
        self.assertEqual(report['instructions'][0]['known_deviations'], ['P-2 (docs/findings/006.md)'])
        self.expect(assay(*isolated, 'cpu-strict'), 1, 'wrong')

    def test_a_result_inside_its_interval_is_within_bound(self):
        self.stored('near', TANH, 0.7615942 + 2 ** -23)
        self.expect(assay('triage', self.folder.name), 0, 'within bound: tanh f32', '1 module, 1 within bound')

    def test_nothing_judged_is_a_failure(self):
        script = os.path.join(SOURCE, 'backends', 'process', 'testdata', 'misbehaving_target.py')
        self.path('a.hlo', TANH)
        self.path('b.hlo', TWICE)
        result = self.expect(assay('triage', self.folder.name, '--target', f'process:{sys.executable} {script} refuse'), 1,
                             '2 modules, 2 not supported', 'No module was judged')
        self.assertTrue(result.out.startswith('judged: 0 of 2\n'), result.out)
        report = json.loads(assay('triage', self.folder.name, '--target', f'process:{sys.executable} {script} refuse', '--json').out)
        self.assertEqual((report['judged'], report['fails']), (0, True))

    def test_a_target_that_hangs(self):
        script = self.path('target.py', TARGET.replace('PEERS', os.path.join(SOURCE, 'tools', 'peers'))
                           .replace('def execute(self', 'def execute(self, *_):\n        __import__("time").sleep(1000)\n\n    def unused(self'))
        os.mkdir(self.path('modules'))
        self.path('modules/a.hlo', 'ENTRY e { a = s32[2] parameter(0) b = s32[2] parameter(1) ROOT c = add(a, b) }')
        self.expect(assay('triage', self.path('modules'), '--target', f'process:{sys.executable} {script}', '--budget-seconds', 2),
                    1, 'failed: add s32', 'hung: it did not answer in time', '1 failed')

    def test_the_first_wrong_instruction_is_named(self):
        """A target whose tanh is wrong below one half alone: x = 0.52 passes it, tanh(0.52) = 0.478 does not."""
        for x, first in ((0.3, 'y'), (0.52, 'z')):
            self.path('a.hlo', TWICE)
            self.archive('a.inputs.npz', {'arg0': f32(x)})
            result = assay('triage', self.folder.name, '--target', 'mutant:tanh/linear_below_one_half', '--json')
            self.assertEqual(result.code, 1, result.err)
            group, = json.loads(result.out)['groups']
            self.assertEqual((group['class'], group['operation'], group['modules'][0]['instruction']), ('wrong', 'tanh f32', first))

    def test_what_only_a_fusion_does_wrong_is_found_in_groups(self):
        """A target that is right for every instruction alone, and wrong where it sees a negation and the addition behind it."""
        script = self.path('target.py', TARGET.replace('PEERS', os.path.join(SOURCE, 'tools', 'peers')))
        target = ('--target', f'process:{sys.executable} {script}', '--profile', 'golden')
        os.mkdir(self.path('modules'))
        for name, rest in ('small', 'ROOT f = add(n, b)'), ('large', 'f = add(n, b) z = add(a, a) ROOT r = add(f, z)'):
            self.path(f'modules/{name}.hlo', f'ENTRY e {{ a = s32[2] parameter(0) b = s32[2] parameter(1) n = negate(a) {rest} }}')
        report = json.loads(self.expect(assay('triage', self.path('modules'), *target, '--json'), 1).out)
        group, = report['groups']
        self.assertEqual((group['class'], group['operation']), ('wrong', 'negate+add s32'))
        self.assertEqual([(os.path.basename(each['name']), each['instruction']) for each in group['modules']],
                         [('small.hlo', 'n+f'), ('large.hlo', 'n+f')])
        self.expect(assay('triage', self.path('modules'), *target, '--subgraphs', 3), 1, 'negate+add')
        self.expect(assay('triage', self.path('modules'), '--subgraphs', 3), 2, 'does nothing without --target')

    def test_a_module_for_too_many_devices_is_broken_alone(self):
        many = TANH.replace('HloModule m', 'HloModule m, replica_count=%d')
        for name, replicas in ('huge', 4000000000), ('overflowing', 1 << 62), ('many', 70000):
            self.path(name + '.hlo', many % replicas)
            self.archive(name + '.inputs.npz', {'arg0': f32(1)})
            self.archive(name + '.expected.npz', {'out0': f32(1)})
        self.path('large.hlo', (many % 60000).replace('f32[1]', 'f32[100000]'))
        self.stored('small', TANH, 0.75)
        for options in (), ('--target', 'golden'):
            report = json.loads(self.expect(assay('triage', self.folder.name, '--json', *options, limited=True), int(not options)).out)
            self.assertEqual((report['classes']['broken'], report['classes']['equal'], report['classes']['wrong']),
                             (4, 1, 0) if options else (4, 0, 1))
            self.assertIn('are more than 65536 devices', json.dumps(report))

    def test_goldens_limits_are_no_fault_of_the_target(self):
        self.path('a.hlo', TANH)
        self.expect(assay('triage', self.folder.name, '--target', 'golden', '--budget-steps', 0), 1,
                    "broken, golden's budget is spent", '1 broken', 'No module was judged')

    def test_of_equal_modules_that_with_the_fewest_elements_comes_first(self):
        for name, size in ('a', 200), ('b', 3), ('c', 40):
            self.path(name + '.hlo', TANH.replace('f32[1]', f'f32[{size}]'))
        report = json.loads(assay('triage', self.folder.name, '--target', 'mutant:tanh/saturates_early', '--json').out)
        group, = report['groups']
        self.assertEqual([os.path.basename(each['name']) for each in group['modules']], ['b.hlo', 'c.hlo', 'a.hlo'])

    def test_a_folder_as_xla_dumps_it(self):
        for name in ('module_0.jit_f.before_optimizations.txt', 'sub/module_1.jit_g.cpu_after_optimizations.txt'):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            self.path(name, TANH)
        for name in ('module_0.jit_f.cpu_after_optimizations-buffer-assignment.txt', 'sub/compile_options.pb',
                     'module_0.jit_f.cpu_after_optimizations-live-range.txt', 'sub/topology.pb', 'module_0.jit_f.ir-no-opt.ll'):
            self.path(name, 'nothing of interest')
        self.expect(assay('triage', self.folder.name, '--target', 'golden'), 0, '2 modules, 2 equal')

    def test_what_is_no_readable_file(self):
        self.path('good.hlo', TANH)
        self.path('empty.hlo', '')
        os.symlink('nowhere', self.path('dangling.hlo'))
        os.symlink('good.hlo', self.path('link.hlo'))
        os.mkdir(self.path('folder.hlo'))
        os.mkfifo(self.path('pipe.hlo'))
        os.symlink('..', self.path('folder.hlo/up'))
        self.expect(assay('triage', self.folder.name, '--target', 'golden'), 0,
                    'dangling.hlo: cannot open', 'empty.hlo: is empty', '4 modules, 2 equal, 2 broken')

    def test_refusals(self):
        self.path('a.json', '{}')
        self.expect_refusal(assay('triage', self.folder.name), 2, 'there are no modules here: no file whose name ends in .hlo, .txt')
        self.path('a.hlo', TANH)
        self.expect_refusal(assay('triage', self.path('nowhere')), 2, 'nowhere: there is no such file or folder')
        self.expect_refusal(assay('triage', self.folder.name, '--profile', 'nobody'), 2, 'nobody')
        self.expect(assay('triage', self.folder.name), 1, 'there is no --target', '1 broken', 'No module was judged')


if __name__ == '__main__':
    main()
