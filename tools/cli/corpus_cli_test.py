#!/usr/bin/env python3
"""`assay corpus`: lists, shows, exports and checks cases; case files of one's own.
"""
import json
import os

from cli_testing import CommandLineTest, assay, main

CASE = b"""case add/s8/two
tags: op=add type=s8 freedom=signed_zero
module:
  ENTRY e {
    a = s8[2] parameter(0)
    b = s8[2] parameter(1)
    ROOT r = add(a, b)
  }
inputs:
  arg0 = literal s8[2] {1, 2}
  arg1 = indices s8[2] seed=3 low=4 high=4
expect:
  out0 = literal s8[2] {5, 6}
confirmed: hand

case add/s8/refused
tags: op=add clause=binary_c3
module:
  ENTRY e {
    a = s8[2] parameter(0)
    b = s8[3] parameter(1)
    ROOT r = s8[2] add(a, b)
  }
expect: refused binary_c3
"""


class Corpus(CommandLineTest):
    def test_list_and_show(self):
        self.assertIn('divide/s32/examples\n', assay('corpus', 'list', '--filter', 'divide/*').out)
        listed = json.loads(assay('corpus', 'list', '--filter', 'divide/s32/examples', '--json').out)
        self.assertEqual((listed[0]['tags']['op'], listed[0]['expect'], listed[0]['confirmed']), (['divide'], 'values', 'hand'))
        shown = assay('corpus', 'show', 'divide/s32/examples').out
        mine = self.path('mine.cases', shown.encode())
        self.assertEqual(assay('corpus', 'show', '*', '--cases', mine).out, shown)
        golden = assay('corpus', 'show', 'tuple/s8/nested/patterns', '--golden').out
        self.assertEqual((golden.count(' = literal '), 'expect: golden' in golden), (4, False), golden)
        self.expect(assay('corpus', 'show', 'divide/none'), 2, 'no case matches divide/none')

    def test_select(self):
        def count(*arguments):
            return assay('corpus', 'list', *arguments).out.count('\n')
        quick, standard, every = count('--tier', 'quick'), count('--tier', 'standard'), count()
        self.assertTrue(3000 < quick < 11000 < standard <= every, (quick, standard, every))
        self.assertTrue(0 < count('--filter', 'dot/f32/*', '--max-multiply-adds', '10') < count('--filter', 'dot/f32/*'))
        self.assertEqual(count('--sweep', 'exponential'), 4096)
        self.expect(assay('corpus', 'check', '--sweep', 'abs', '--filter', '*/3f800000', '--filter', '*/7f8*'), 0, '2 cases, 0 failed')
        self.expect(assay('corpus', 'list', '--sweep', 'add'), 2, "'add' is not an elementwise operation of one f32 operand")
        self.expect(assay('corpus', 'list', '--tier', 'fast'), 2, "--tier: 'fast' is not one of full, quick, standard")

    def test_check(self):
        mine = self.path('mine.cases', CASE)
        self.expect(assay('corpus', 'check', '--cases', mine), 0, '2 cases, 0 failed, 1 without a second reference')
        wrong = self.path('wrong.cases', CASE.replace(b'{5, 6}', b'{5, 7}'))
        self.expect(assay('corpus', 'check', '--cases', wrong), 1, f'{wrong}:1: case add/s8/two: out0 has 6, but 7 is expected')
        report = json.loads(assay('corpus', 'check', '--cases', wrong, '--json').out)
        self.assertEqual((report['cases'], report['failed'], report['failures'][0]['id']), (2, 1, 'add/s8/two'))
        self.expect(assay('corpus', 'check', '--filter', 'pad/bf16/*', '--quiet', '--straight'), 0)
        # What `show --golden` writes out holds, dynamic sizes too, by kernels and by definitions.
        golden = self.path('golden.cases', assay('corpus', 'show', '--golden', 'set-dimension-size/s8/*', 'pad/s8/*').out.encode())
        for straight in ([], ['--straight']):
            self.expect(assay('corpus', 'check', '--cases', golden, *straight), 0, ' 0 failed')

    def test_export(self):
        folder = self.path('out')
        self.expect(assay('corpus', 'export', folder, '--cases', self.path('mine.cases', CASE)), 0, '2 cases in')
        case = os.path.join(folder, 'add', 's8', 'two')
        self.assertEqual(sorted(os.listdir(case)), ['case.json', 'case.txt', 'expected.npz', 'inputs.npz', 'module.hlo'])
        # The files stand alone.
        self.expect(assay('run', os.path.join(case, 'module.hlo'), '--inputs', os.path.join(case, 'inputs.npz'),
                          '--expect', os.path.join(case, 'expected.npz')), 0)
        refused = os.path.join(folder, 'add', 's8', 'refused')
        self.assertEqual(sorted(os.listdir(refused)), ['case.json', 'case.txt', 'module.hlo'])
        with open(os.path.join(refused, 'case.json'), encoding='utf-8') as file:
            self.assertEqual(json.load(file)['clause'], 'binary_c3')

    def test_bad_input(self):
        self.expect(assay('corpus'), 2)
        self.expect(assay('corpus', 'check', '--cases', self.path('none.cases')), 2, 'none.cases')
        bad = self.path('bad.cases', CASE.replace(b'indices', b'index'))
        self.expect(assay('corpus', 'check', '--cases', bad), 2, f"{bad}:11:10: unknown profile 'index'")
        mine = self.path('mine.cases', CASE)
        self.expect(assay('corpus', 'list', '--cases', mine, '--cases', mine), 2, 'there is a case add/s8/refused already')
        self.expect(assay('corpus', 'export', '/proc/nowhere', '--cases', mine), 2, '/proc/nowhere')
        large = self.path('large.cases', CASE.replace(b'[2]', b'[9999999999]').replace(b'literal s8[9999999999] {1, 2}',
                                                                                     b'benign s8[9999999999]')
                          .replace(b'expect:\n  out0 = literal s8[9999999999] {5, 6}', b'expect: golden'))
        self.expect(assay('corpus', 'check', '--cases', large, limited=True), 1, '2 cases, 1 failed')


if __name__ == '__main__':
    main()
