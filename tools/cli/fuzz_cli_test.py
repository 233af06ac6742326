#!/usr/bin/env python3
"""`assay fuzz` and `assay reduce`: findings, their folders, reports, going on, and what is refused.
"""
import json
import os
import struct
import subprocess
import sys

from cli_testing import ASSAY, SOURCE, CommandLineTest, assay, main, npy

MUTANT = 'mutant:reverse/two_dimensions_apart'
PROGRAM = ('HloModule m\nENTRY e { x = s32[2,1,2] parameter(0)\n y = s32[2,1,2] parameter(1)\n z = s32[2,1,2] add(x, y)\n'
           ' r = s32[2,1,2] reverse(z), dimensions={0,2}\n ROOT n = s32[2,1,2] negate(r) }\n')


class Fuzz(CommandLineTest):
    def test_golden_agrees_with_itself(self):
        self.expect(assay('fuzz', '--programs', '40', '--seconds', '60', '--jobs', '2'), 0, '40 programs', '0 signatures')

    def test_a_mutant_is_found_and_reduced(self):
        folder, report = os.path.join(self.folder.name, 'found'), os.path.join(self.folder.name, 'r.json')
        page = os.path.join(self.folder.name, 'r.html')
        result = self.expect(assay('fuzz', '--target', MUTANT, '--ops', 'reverse,add,broadcast', '--types', 's32,f32',
                                   '--programs', '60', '--seconds', '60', '--out', folder, '--report', 'json=' + report,
                                   '--report', 'html=' + page), 1, 'wrong: reverse', 'reduced to 2 instructions')
        with open(report, encoding='utf-8') as file:
            json_report = json.load(file)
        self.assertEqual(json_report['programs'], 60)
        finding = json_report['findings'][0]
        self.assertTrue(finding['operation'].startswith('reverse'), finding)
        # What is in the folder shows the same again, by itself and as a case.
        module, inputs = (os.path.join(finding['folder'], name) for name in ('module.hlo', 'inputs.npz'))
        self.expect(assay('diff', module, '--inputs', inputs, '--right', MUTANT), 1)
        cases = os.path.join(finding['folder'], 'finding.cases')
        self.expect(assay('test', '--cases', cases, '--target', MUTANT), 1, 'wrong')
        self.expect(assay('test', '--cases', cases, '--target', 'golden'), 0)
        with open(page, encoding='utf-8') as file:
            self.assertIn('wrong: reverse', file.read())
        self.assertIn('60 programs', result.out)

    def test_a_target_of_few_operations(self):
        """Programs consist of what the target lists; where none of them runs, that is no success."""
        target = f"process:PYTHONPATH={os.path.join(SOURCE, 'tools', 'peers')} {sys.executable} {os.path.join(SOURCE, 'docs', 'example_conformance', 'my_target.py')}"
        fuzz = ('fuzz', '--target', target, '--profile', 'cpu-strict', '--seconds', '60', '--jobs', '1', '--programs')
        result = self.expect(assay(*fuzz, '300', '--json'), 0)
        self.assertGreater(json.loads(result.out)['outcomes']['agrees'], 20)
        self.expect(assay(*fuzz, '50'), 0, 'operations that the target lists', 'No bug found in ', ' others did not run, most often because of this: ')
        self.expect(assay(*fuzz, '10', '--ops', 'sort'), 1, 'Nothing was judged: of 10 programs 10 are not supported', '--ops and --types')

    def test_runs_go_on(self):
        report = os.path.join(self.folder.name, 'r.json')
        common = ('fuzz', '--ops', 'add', '--seconds', '60', '--report', 'json=' + report, '--resume', '--programs')
        self.expect(assay(*common, '10'), 0, '10 programs')
        self.expect(assay(*common, '25'), 0, '25 programs')
        self.expect(assay(*common, '25', '--seed', '2'), 2, 'another campaign')

    def test_corpus(self):
        corpus = os.path.join(self.folder.name, 'corpus')
        os.mkdir(corpus)
        with open(os.path.join(corpus, 'a'), 'wb') as file:
            file.write(bytes(range(64)))
        with open(os.path.join(corpus, 'foreign'), 'wb') as file:
            file.write(bytes(100000))
        self.expect(assay('fuzz', '--corpus', corpus, '--programs', '20', '--seconds', '60', '--json'), 0, '"programs": 20',
                    '1 of the 2 files')

    def test_a_corpus_grows_and_is_merged(self):
        first, second = (os.path.join(self.folder.name, name) for name in ('first', 'second'))
        for folder, seed in ((first, '1'), (second, '2')):
            os.mkdir(folder)
            self.expect(assay('fuzz', '--ops', 'add,negate', '--corpus', folder, '--programs', '40', '--seed', seed, '--seconds',
                              '60'), 0, '40 programs')
            self.assertGreater(len(os.listdir(folder)), 5)
        before = len(os.listdir(first))
        self.expect(assay('fuzz', '--ops', 'add,negate', '--corpus', first, '--merge', second), 0, 'which had %d' % before)
        self.assertGreaterEqual(len(os.listdir(first)), before)
        # What is merged has nothing more that is new.
        self.expect(assay('fuzz', '--ops', 'add,negate', '--corpus', first, '--merge', second), 0, 'added 0 of')
        self.expect(assay('fuzz', '--merge', second), 2, '--merge adds to --corpus')

    def test_a_full_disk_is_said_once(self):
        corpus = os.path.join(self.folder.name, 'full')
        os.mkdir(corpus)
        # A program of more bytes than the limit of the size of files is refused as on a full disk.
        limited = "ulimit -f 0; trap '' XFSZ; exec"
        result = subprocess.run(['sh', '-c', limited + ' "$0" "$@"', ASSAY, 'fuzz', '--ops', 'add', '--corpus', corpus,
                                 '--programs', '20', '--seconds', '60'], capture_output=True, text=True, check=False)
        self.assertEqual(result.stderr.count('the run goes on'), 1, result.stderr)
        self.assertIn('20 programs', result.stdout)

    def test_a_mutant_of_its_own_process(self):
        self.expect(assay('fuzz', '--target', MUTANT, '--isolate', '--ops', 'reverse,add,broadcast', '--types', 's32,f32',
                          '--programs', '40', '--seconds', '60', '--jobs', '1'), 1, 'wrong: reverse')

    def test_targets_that_die_or_refuse(self):
        # The run goes on.
        self.expect(assay('fuzz', '--target', 'process:exit 3', '--ops', 'add', '--programs', '6', '--seconds', '60',
                          '--no-reduction', '--jobs', '1'), 1, 'crash: add', '6 programs', '6 finding')

    def test_bad_options(self):
        self.expect(assay('fuzz', '--ops', 'addd'), 2, "no operation 'addd'")
        self.expect(assay('fuzz', '--types', 'f33'), 2, "no element type 'f33'")
        self.expect(assay('fuzz', '--resume'), 2, '--report json=FILE')
        self.expect(assay('fuzz', '--report', 'xml=a'), 2, 'html=FILE')
        self.expect(assay('fuzz', '--corpus', '/nowhere'), 2, '/nowhere')
        self.expect(assay('fuzz', '--target', 'nobody'), 2, 'nobody')


class Reduce(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.module = self.path('m.hlo', PROGRAM)
        values = npy('<i4', '(2, 1, 2)', struct.pack('<4i', 1, 2, 3, 4))
        self.inputs = self.archive('m.npz', {'arg0': values, 'arg1': values})

    def test_one_instruction_is_left(self):
        folder = os.path.join(self.folder.name, 'small')
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--out', folder), 1,
                    'wrong: reverse s32', '5 instructions, reduced to 2')
        with open(os.path.join(folder, 'module.hlo'), encoding='utf-8') as file:
            text = file.read()
        self.assertIn('reverse', text)
        self.assertNotIn('negate', text)
        self.assertTrue(os.path.exists(os.path.join(folder, 'repro.py')))

    def test_crashes(self):
        report = json.loads(assay('reduce', self.module, '--inputs', self.inputs, '--target', 'process:exit 3', '--keep', 'crash',
                                  '--questions', '5', '--json').out)
        self.assertTrue(report['signature'].startswith('crash'), report)

    def test_targets_that_fail_now_and_then(self):
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--tries', '3', '--needs', '2'), 1,
                    'reduced to 2')
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--needs', '2'), 2,
                    'at most --tries')

    def test_nothing_to_keep(self):
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', 'golden'), 2, 'shows nothing to keep')
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--keep', 'hang'), 2,
                    'shows nothing to keep')
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--keep', 'dance'), 2, '--keep is')


if __name__ == '__main__':
    main()
