#!/usr/bin/env python3
"""`assay fuzz` and `assay reduce`: findings, their folders, reports, going on, and what is refused.
"""
import json
import os
import struct
import subprocess
import sys
import time
import unittest

from cli_testing import ASSAY, SANITIZED, SOURCE, CommandLineTest, assay, main, npy

MUTANT = 'mutant:reverse/two_dimensions_apart'
PROGRAM = ('HloModule m\nENTRY e { x = s32[2,1,2] parameter(0)\n y = s32[2,1,2] parameter(1)\n z = s32[2,1,2] add(x, y)\n'
           ' r = s32[2,1,2] reverse(z), dimensions={0,2}\n ROOT n = s32[2,1,2] negate(r) }\n')


# Adds s32 arrays; with an argument it fails at it in one way or another.
ADDER = '''
import os, re, signal, struct, sys
sys.path.insert(0, {peers!r})
from assay_process import Refusal, serve

class Target:
    def hello(self):
        if sys.argv[1] == 'dies':
            return {{'name': 'dies', 'version': '1', 'formats': ['hlo-text']}}
        return {{'name': 'adder', 'version': '1', 'formats': ['hlo-text'], 'operations': ['parameter', 'add'], 'types': ['s32']}}

    def compile(self, module_format, module):
        if sys.argv[1] == 'dies':
            os._exit(3)
        text = module.decode()
        numbers = dict(re.findall(r'(%\\S+) = \\S+ parameter\\((\\d+)\\)', text))
        sums = re.findall(r' add\\(([^)]*)\\)', text)
        if len(sums) != 1:
            raise Refusal('unsupported', 'only one sum')
        return [int(numbers[name]) for name in re.findall(r'%[^ ,]+', sums[0])]

    def execute(self, places, arguments):
        if sys.argv[1] == 'memory':
            hoard = []
            try:
                while True:
                    hoard.append(bytearray(64 << 20))
            except MemoryError:
                os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does
        (shape, left), (_, right) = (arguments[0][place] for place in places)
        values = [(a + b + 2 ** 31) % 2 ** 32 - 2 ** 31 for (a,), (b,) in zip(struct.iter_unpack('<i', left), struct.iter_unpack('<i', right))]
        return 0.0, [[(shape, struct.pack('<%di' % len(values), *values))]]

serve(Target())
'''


class Faults(CommandLineTest):
    """What goes wrong around a run is said once and counted, and the run goes on."""

    def adder(self, how):
        script = self.path('adder.py', ADDER.format(peers=os.path.join(SOURCE, 'tools', 'peers')))
        return 'process:%s -IS %s %s' % (sys.executable, script, how)

    def test_a_target_that_dies_at_every_program(self):
        self.expect(assay('fuzz', '--target', self.adder('dies'), '--ops', 'add,negate', '--programs', '6', '--seconds', '60',
                          '--no-reduction', '--jobs', '1'), 1, 'crash: every program', '6 programs', '6 finding', '1 signature')

    def test_a_target_of_one_type(self):
        result = self.expect(assay('fuzz', '--target', self.adder('well'), '--ops', 'add', '--types', 's32,f32,u8', '--programs',
                                   '40', '--seconds', '60', '--no-collectives', '--no-effects', '--records', '1', '--jobs', '1',
                                   '--json'), 0)
        report = json.loads(result.out)
        self.assertEqual(report['programs'], 40)
        self.assertGreater(report['outcomes']['not supported'], 5, report['outcomes'])
        self.assertEqual(sum(report['not_supported'].values()), report['outcomes']['not supported'])
        self.assertLess(len(report['not_supported']), 12, 'reasons are grouped')

    @unittest.skipIf(SANITIZED, 'sanitizers take any amount of address space')
    def test_a_target_that_eats_memory(self):
        result = self.expect(assay('fuzz', '--target', self.adder('memory'), '--ops', 'add', '--types', 's32', '--programs', '6',
                                   '--seconds', '60', '--records', '1', '--no-reduction', '--jobs', '1', '--memory',
                                   str(512 << 20), '--json'), 1)
        report = json.loads(result.out)
        self.assertEqual(report['programs'], 6)
        self.assertEqual({finding['kind'] for finding in report['findings']}, {'crash'})

    def test_foreign_files_in_a_corpus(self):
        corpus = os.path.join(self.folder.name, 'corpus')
        os.makedirs(os.path.join(corpus, 'folder'))
        with open(os.path.join(corpus, 'large'), 'wb') as file:
            file.write(bytes(1 << 20))
        os.symlink('/nowhere', os.path.join(corpus, 'link'))
        os.mkfifo(os.path.join(corpus, 'pipe'))
        self.path('corpus/text', 'any bytes are a program')
        result = self.expect(assay('fuzz', '--ops', 'add', '--corpus', corpus, '--programs', '10', '--seconds', '60'), 0,
                             '10 programs', '1 of the 2 files')
        self.assertEqual(result.err.count('left out'), 1, result.err)

    def test_a_kill_loses_a_second_at_most(self):
        report = os.path.join(self.folder.name, 'r.json')
        command = [ASSAY, 'fuzz', '--ops', 'add,negate', '--seconds', '60', '--jobs', '1', '--report', 'json=' + report]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        start = time.monotonic()
        while not os.path.exists(report) or time.monotonic() - start < 3:
            time.sleep(0.02)
            self.assertLess(time.monotonic() - start, 60)
        written = os.stat(report).st_mtime_ns
        while os.stat(report).st_mtime_ns == written:  # the next one
            time.sleep(0.01)
        with open(report, encoding='utf-8') as file:
            first = json.load(file)
        time.sleep(0.9)
        process.kill()
        process.wait()
        with open(report, encoding='utf-8') as file:
            left = json.load(file)
        self.assertGreaterEqual(left['seconds'], first['seconds'])
        self.assertGreater(left['programs'], 0)
        # Nothing but the last second is run again.
        more = left['programs'] + 5
        self.expect(assay('fuzz', '--ops', 'add,negate', '--seconds', '60', '--jobs', '1', '--report', 'json=' + report, '--resume',
                          '--programs', str(more)), 0, '%d programs' % more)


class Fuzz(CommandLineTest):
    def test_golden_agrees_with_itself(self):
        self.expect(assay('fuzz', '--programs', '40', '--seconds', '60', '--jobs', '2'), 0, '40 programs', '0 signatures')

    def test_a_mutant_is_found_and_reduced(self):
        folder, report = os.path.join(self.folder.name, 'found'), os.path.join(self.folder.name, 'r.json')
        page = os.path.join(self.folder.name, 'r.html')
        result = self.expect(assay('fuzz', '--target', MUTANT, '--ops', 'reverse,add,broadcast', '--types', 's32,f32',
                                   '--programs', '60', '--seconds', '60', '--out', folder, '--report',
                                   f'json={report},html={page}'), 1, 'wrong: reverse', 'reduced to 2 instructions')
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
        self.expect(assay('fuzz', '--seconds', '0'), 1, 'seconds; 0 signatures', 'Nothing was judged: no program ran. --seconds')

    def test_only_a_named_time_cuts_programs_short(self):
        self.expect(assay('fuzz', '--help'), 0, '60, and no limit with --programs')
        self.expect(assay('fuzz', '--ops', 'add', '--seconds', '0', '--programs', '40'), 1,
                    'The 0 s of --seconds ended the run: 0 of 40 programs ran.')
        self.assertNotIn('ended the run', self.expect(assay('fuzz', '--ops', 'add', '--programs', '3'), 0, '3 programs').out)
        found = assay('fuzz', '--target', 'mutant:add/integers_saturate', '--ops', 'add', '--types', 's8', '--programs', '90000',
                      '--seconds', '600', '--max-findings', '1', '--no-reduction')
        self.assertNotIn('ended the run', self.expect(found, 1, '1 signature').out)

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

    def test_a_corpus_folder_is_made(self):
        corpus = os.path.join(self.folder.name, 'new', 'corpus')
        self.expect(assay('fuzz', '--ops', 'add', '--corpus', corpus, '--programs', '20', '--seconds', '60'), 0)
        self.assertTrue(os.listdir(corpus))
        self.path('file', '')
        self.expect(assay('fuzz', '--corpus', os.path.join(self.folder.name, 'file', 'corpus'), '--programs', '1'), 2, 'Not a directory')

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

    def test_a_target_that_does_not_start(self):
        self.expect(assay('fuzz', '--target', 'process:exit 3', '--seconds', '60'), 5, 'exited with code 3')

    def test_parts_of_real_modules(self):
        seeds = os.path.join(self.folder.name, 'seeds')
        os.mkdir(seeds)
        self.path('seeds/a.hlo', PROGRAM)
        self.path('seeds/b.mlir', 'func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n'
                  '  %0 = stablehlo.tanh %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n')
        self.path('seeds/broken.hlo', 'HloModule broken\nENTRY e {')
        common = ('fuzz', '--ops', 'popcnt', '--seeds', seeds, '--programs', '30', '--seconds', '60', '--json')
        first = self.expect(assay(*common), 0, '"programs": 30', '1 of the 3 files of --seeds')
        operations = json.loads(first.out)['operations']
        self.assertGreater(operations.get('reverse', 0), 5, operations)
        self.assertGreater(operations.get('tanh', 0), 2, operations)
        # The same modules give the same programs; others are another campaign.
        again = json.loads(assay(*common).out)
        self.assertEqual(again['operations'], operations)
        self.expect(assay('fuzz', '--seeds', os.path.join(seeds, 'broken.hlo')), 2, 'no module has an instruction')
        # What a mutant does to a real module is found beside what is generated.
        self.expect(assay('fuzz', '--target', MUTANT, '--ops', 'popcnt', '--seeds', seeds, '--programs', '60', '--seconds', '60',
                          '--no-reduction'), 1, 'wrong: reverse')

    def test_shards(self):
        report = os.path.join(self.folder.name, 'r%r.json')
        environment = dict(os.environ, GTEST_SHARD_INDEX='1', GTEST_TOTAL_SHARDS='3')
        result = subprocess.run([ASSAY, 'fuzz', '--ops', 'add', '--programs', '31', '--seconds', '60', '--shard', 'auto',
                                 '--report', 'json=' + report], capture_output=True, text=True, check=False, env=environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(self.folder.name, 'r1.json'), encoding='utf-8') as file:
            self.assertEqual(json.load(file)['programs'], 10)
        self.expect(assay('fuzz', '--shard', '3/3'), 2, "'3' of '3'")

    def test_coverage(self):
        page = os.path.join(self.folder.name, 'coverage.md')
        self.expect(assay('fuzz', '--coverage', page, '--programs', '200'), 0, '200 programs')
        with open(page, encoding='utf-8') as file:
            text = file.read()
        self.assertIn('| operation | instructions | types |', text)
        self.assertIn('Legal pairs of operation and type without a program', text)

    def test_what_a_profile_judges(self):
        page = os.path.join(self.folder.name, 'judged.md')
        for profile, ops in (('golden', 'add,tanh'), ('cpu', 'add,reverse')):
            self.expect(assay('fuzz', '--judgeable', page, '--profile', profile, '--ops', ops, '--no-collectives', '--programs', '60'),
                        0, 'arrays', 'in the mean')
            with open(page, encoding='utf-8') as file:
                text = file.read()
            self.assertIn('| all | ', text)
            if profile == 'golden':  # golden's bits or wrong
                self.assertIn(' | 0.00% | 0.00% | 0.00% |', text)

    def test_relations_are_counted(self):
        reports = []
        for target in ('golden', MUTANT):
            reports.append(os.path.join(self.folder.name, f'{len(reports)}.json'))
            assay('fuzz', '--target', target, '--ops', 'add,negate,reverse', '--types', 's32', '--records', '4', '--programs', '120',
                  '--no-reduction', '--report', 'json=' + reports[-1])
        with open(reports[0], encoding='utf-8') as file:
            counts = json.load(file)['relations']
        self.assertGreater(counts['operands_swapped']['asked'], 0, counts)
        self.assertEqual(sum(each['broken'] for each in counts.values()), 0)
        table = subprocess.run([os.path.join(SOURCE, 'tools', 'fuzz_relations'), *reports], capture_output=True, text=True,
                               check=True).stdout
        self.assertIn(f'| relation | `golden` | `{MUTANT}` |', table)
        row = next(line for line in table.splitlines() if line.startswith('| `operands_swapped` |'))
        self.assertRegex(row, r'\| 0 of %d \| \d+ of \d+ \|' % counts['operands_swapped']['asked'])

    def test_batches(self):
        self.expect(assay('fuzz', '--target', MUTANT, '--ops', 'reverse,add,broadcast', '--types', 's32,f32', '--batch', '8',
                          '--programs', '60', '--seconds', '60', '--jobs', '1'), 1, 'wrong: reverse', '60 programs')

    def test_bad_options(self):
        self.expect(assay('fuzz', '--ops', 'addd'), 2, "no operation 'addd' (did you mean add?)")
        self.expect(assay('fuzz', '--types', 'f33'), 2, "no element type 'f33'")
        self.expect(assay('fuzz', '--resume'), 2, '--report json=FILE')
        self.expect(assay('fuzz', '--report', 'xml=a'), 2, 'html=FILE')
        self.expect(assay('fuzz', '--corpus', self.folder.name, '--merge', '/nowhere'), 2, '/nowhere')
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

    def test_a_reduction_goes_on(self):
        whole, parts = (os.path.join(self.folder.name, name) for name in ('whole', 'parts'))
        common = ('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--out')
        self.expect(assay(*common, whole), 1, 'reduced to 2')
        first = self.expect(assay(*common, parts, '--questions', '2'), 1, 'the same command goes on where it was')
        self.assertNotIn('goes on behind', first.err)
        with open(os.path.join(parts, 'answers.txt'), 'a', encoding='utf-8') as file:
            file.write('0123 sho')  # a process that was killed while it wrote
        second = self.expect(assay(*common, parts), 1, 'reduced to 2')
        self.assertIn('goes on behind 2 questions', second.err)
        texts = []
        for folder in (whole, parts):
            with open(os.path.join(folder, 'module.hlo'), encoding='utf-8') as file:
                texts.append(file.read())
            self.assertNotIn('answers.txt', os.listdir(folder))
        self.assertEqual(*texts)
        # Answers to other questions are none of this reduction.
        self.expect(assay(*common, parts, '--questions', '2'), 1)
        other = self.expect(assay(*common, parts, '--tries', '2'), 1, 'reduced to 2')
        self.assertNotIn('goes on behind', other.err)

    def test_crashes(self):
        report = json.loads(assay('reduce', self.module, '--inputs', self.inputs, '--target', 'process:exit 3', '--keep', 'crash',
                                  '--questions', '5', '--json').out)
        self.assertTrue(report['signature'].startswith('crash'), report)

    def test_targets_that_fail_now_and_then(self):
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--tries', '3', '--needs', '2'), 1,
                    'reduced to 2')
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--needs', '2'), 2,
                    'at most --tries')

    def test_other_commands_reduce_what_they_find(self):
        def folders(name):
            return os.listdir(os.path.join(self.folder.name, name))
        for name, command in (
                ('triage', ('triage', self.module, '--target', MUTANT, '--profile', 'golden')),
                ('diff', ('diff', self.module, '--inputs', self.inputs, '--isolate', '--right', MUTANT, '--profile', 'golden')),
                ('test', ('test', '--target', MUTANT, '--filter', 'reverse/*'))):
            out = os.path.join(self.folder.name, name)
            self.expect(assay(*command, '--reduce', out), 1, 'reduced to 2')
            self.assertEqual(len(folders(name)), 1, name)
            self.assertIn('module.hlo', folders(os.path.join(name, folders(name)[0])))
        self.expect(assay('triage', self.module, '--reduce', 'x'), 2, '--reduce does nothing without --target')
        self.expect(assay('diff', self.module, '--right', MUTANT, '--reduce', 'x'), 2, '--reduce does nothing without --isolate')

    def test_nothing_to_keep(self):
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', 'golden'), 2, 'shows nothing to keep')
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--keep', 'hang'), 2,
                    'shows nothing to keep')
        self.expect(assay('reduce', self.module, '--inputs', self.inputs, '--target', MUTANT, '--keep', 'dance'), 2, '--keep is')


if __name__ == '__main__':
    main()
