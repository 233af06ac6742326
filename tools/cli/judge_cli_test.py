#!/usr/bin/env python3
"""`assay judge`: exported cases are answered by a program that knows nothing of Assay, rightly and wrongly, and judged as `assay
test` judges the same answers of a target.
"""
import json
import os
import re
import shlex
import shutil
import struct
import sys
import zipfile

from cli_testing import SOURCE, CommandLineTest, assay, main

# Programs of s32 vectors. It multiplies wrongly, does not subtract, fuses a negation and the addition behind it wrongly, and
# sees where sizes differ.
EVALUATOR = r'''
import re

class Refused(Exception):
    pass

class Unsupported(Exception):
    pass

OPERATIONS = {'add': lambda a, b: a + b, 'multiply': lambda a, b: a * b + (a == 3), 'negate': lambda a: -a}

def evaluate(module, arguments):
    """The root's value: a list of numbers."""
    values, negated = {}, set()
    for root, name, operation, operands in re.findall(
            r'(ROOT )?%?([\w.-]+) = s32\[\d*\]\S* ([\w-]+)\(([^)]*)\)', module[module.index('ENTRY'):]):
        names = [operand.split()[-1].lstrip('%') for operand in operands.split(',')]
        if operation == 'parameter':
            values[name] = arguments[int(operands)]
        elif operation not in OPERATIONS:
            raise Unsupported(operation)
        else:
            columns = [values[each] for each in names]
            if len({len(column) for column in columns}) > 1:
                raise Refused('sizes differ')
            fused = operation == 'add' and not negated.isdisjoint(names)
            values[name] = [OPERATIONS[operation](*row) + fused for row in zip(*columns)]
        if operation == 'negate':
            negated.add(name)
        if root:
            return values[name]
'''
exec(EVALUATOR)

TARGET = EVALUATOR + '''
import struct, sys
sys.path.insert(0, 'PEERS')
from assay_process import Refusal, serve

def numbers(data):
    return list(struct.unpack('<%di' % (len(data) // 4), data))

class Target:
    def hello(self):
        return {'name': 'small', 'version': '1', 'formats': ['hlo-text']}

    def compile(self, module_format, module):
        if b's32[3]' in module:
            raise Refusal('invalid', 'sizes differ')
        return module.decode()

    def execute(self, module, arguments):
        try:
            result = evaluate(module, [numbers(data) for _, data in arguments[0]])
        except Unsupported as operation:
            raise Refusal('unsupported', str(operation))
        return 0.0, [[('s32[%d]' % len(result), struct.pack('<%di' % len(result), *result))]]

serve(Target())
'''

CASES = '\n'.join(f'''case {name}
tags: op={name.split('/')[0]} type=s32
module:
  ENTRY e {{
    a = s32[2] parameter(0)
    b = s32[2] parameter(1)
    {body}
  }}
inputs:
  arg0 = literal s32[2] {{1, {second}}}
  arg1 = literal s32[2] {{30, 40}}
expect: golden
''' for name, body, second in (
    ('add/s32/right', 'ROOT r = add(a, b)', 2),
    ('multiply/s32/right', 'ROOT r = multiply(a, b)', 2),
    ('multiply/s32/wrong', 'ROOT r = multiply(a, b)', 3),
    ('subtract/s32/unsupported', 'ROOT r = subtract(a, b)', 2),
    ('negate/s32/program', 's = add(a, b)\n    n = negate(a)\n    ROOT r = multiply(n, s)', 2),
    ('negate/s32/wrong_inside', 'p = multiply(a, b)\n    ROOT r = negate(p)', 3))) + '''
case add/s32/refused
tags: op=add clause=binary_c3
module:
  ENTRY e {
    a = s32[2] parameter(0)
    b = s32[3] parameter(1)
    ROOT r = s32[2] add(a, b)
  }
expect: refused binary_c3
'''

# What the fusion does is multiplied by zero.
FUSED = '''case add/s32/fused
tags: op=add type=s32
module:
  ENTRY e {
    a = s32[2] parameter(0)
    b = s32[2] parameter(1)
    n = negate(b)
    f = add(n, b)
    z = add(a, a)
    ROOT r = multiply(z, f)
  }
inputs:
  arg0 = literal s32[2] {0, 0}
  arg1 = literal s32[2] {30, 40}
expect: golden
'''

# More numbers than XLA's default form prints.
CONSTANT = '''case add/s32/constant
tags: op=add type=s32
module:
  ENTRY e {
    a = s32[12] parameter(0)
    b = s32[12] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    ROOT r = s32[12] add(a, b)
  }
inputs:
  arg0 = literal s32[12] {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
expect: golden
'''

# Two processes that feed out what comes in, and twice that.
FED = '''case outfeed/s32/fed
tags: op=outfeed type=s32
module:
  ENTRY e {
    now = token[] after-all()
    i = (s32[2], token[]) infeed(now)
    x = s32[2] get-tuple-element(i), index=0
    t = token[] get-tuple-element(i), index=1
    y = s32[2] add(x, x)
    o = token[] outfeed(x, t), outfeed_shape=s32[2]
    ROOT p = token[] outfeed(y, o), outfeed_shape=s32[2]
  }
inputs:
  infeed0.dev0 = literal s32[2] {1, 2}
  infeed0.dev1 = literal s32[2] {3, 4}
processes: replicas=2 partitions=1
expect: golden
'''


def read_npz(path):
    """The numbers of each member, which are vectors of s32."""
    with zipfile.ZipFile(path) as archive:
        arrays = {}
        for name in archive.namelist():
            content = archive.read(name)
            data = content[10 + struct.unpack_from('<H', content, 8)[0]:]
            arrays[name.removesuffix('.npy')] = list(struct.unpack(f'<{len(data) // 4}i', data))
        return arrays


def write_npz(path, arrays):
    with zipfile.ZipFile(path, 'w') as archive:
        for name, numbers in arrays.items():
            header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(numbers)},), }}".encode().ljust(117) + b'\n'
            archive.writestr(name + '.npy', b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header +
                             struct.pack(f'<{len(numbers)}i', *numbers))


def answer(folder):
    """What somebody does who has the folder alone."""
    for root, _, files in os.walk(folder):
        if 'module.hlo' not in files:
            continue
        with open(os.path.join(root, 'module.hlo'), encoding='utf-8') as file:
            module = file.read()
        try:
            if 'inputs.npz' not in files:
                raise Refused('sizes differ')
            arrays = read_npz(os.path.join(root, 'inputs.npz'))
            result = evaluate(module, [arrays[f'arg{i}'] for i in range(len(arrays))])
            write_npz(os.path.join(root, 'actual.npz'), {'out0': result})
        except (Refused, Unsupported) as why:
            name = 'refused.txt' if isinstance(why, Refused) else 'unsupported.txt'
            with open(os.path.join(root, name), 'w', encoding='utf-8') as file:
                file.write(str(why) + '\n')


def verdicts(report):
    """What is said of each case and of each of its probes."""
    return {case['id']: (case['outcome'], [(probe.get('name'), probe['outcome'], probe.get('judgement'))
                                           for probe in case.get('probes', [])]) for case in report['cases']}


class Judge(CommandLineTest):
    def exported(self):
        folder = self.path('out')
        cases = self.path('mine.cases', CASES.encode())
        self.expect(assay('corpus', 'export', folder, '--cases', cases), 0, '7 cases in')
        return folder, cases

    def target(self):
        script = self.path('target.py', TARGET.replace('PEERS', os.path.join(SOURCE, 'tools', 'peers')).encode())
        return f'process:{sys.executable} {script}'

    def test_constants_are_written_in_full(self):
        """Whoever has the folder alone can run it."""
        folder, cases = self.path('out'), self.path('constant.cases', CONSTANT.encode())
        for format_name in 'npz', 'raw':
            shutil.rmtree(folder, ignore_errors=True)
            self.expect(assay('corpus', 'export', folder, '--cases', cases, '--format', format_name), 0)
            with open(os.path.join(folder, 'add/s32/constant/module.hlo'), encoding='utf-8') as file:
                self.assertIn('constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})', file.read())
        shutil.rmtree(folder)
        self.expect(assay('corpus', 'export', folder, '--cases', cases), 0)
        place = os.path.join(folder, 'add/s32/constant')
        self.expect(assay('run', os.path.join(place, 'module.hlo'), '--inputs', os.path.join(place, 'inputs.npz'), '--out',
                          os.path.join(place, 'actual.npz')), 0)
        self.expect(assay('judge', folder), 0)

    def test_subgraphs(self):
        """A defect of fusion that neither an instruction alone nor the whole program shows."""
        cases = self.path('fused.cases', FUSED.encode())
        folder = self.path('out')
        for depth, first in ((), None), (('--subgraphs', 2), 'n+f'), (('--subgraphs', 2, '--iterations', 2), 'n+f'):
            code = int(first is not None)
            shutil.rmtree(folder, ignore_errors=True)
            self.expect(assay('corpus', 'export', folder, '--cases', cases, *depth), 0)
            answer(folder)
            offline, online, bundle = self.path('offline.json'), self.path('online.json'), self.path('bundle')
            said = self.expect(assay('judge', folder, '--report', f'json={offline}'), code)
            test = self.expect(assay('test', '--cases', cases, '--target', self.target(), '--report', f'json={online}', '--bundle',
                                     bundle, *depth), code)
            reports = []
            for path in (offline, online):
                with open(path, encoding='utf-8') as file:
                    reports.append(json.load(file))
            self.assertEqual(*map(verdicts, reports))
            if code:
                self.assertEqual(reports[0]['cases'][0]['first_divergence'], first)
                self.assertIn(f'{first}: ', said.out)
                self.assertIn(' '.join(map(str, depth)), test.out)
                with open(os.path.join(bundle, 'add/s32/fused/README.txt'), encoding='utf-8') as file:
                    readme = file.read()
                self.assertIn(f'({first})', readme)
                place = re.search(r'./(probes/\d+) ', readme)[1]
                self.assertTrue(os.path.exists(os.path.join(bundle, 'add/s32/fused', place, 'expected.npz')))
        with open(os.path.join(folder, 'add/s32/fused/case.json'), 'w', encoding='utf-8') as file:
            file.write('{"subgraphs": 9}')
        self.expect(assay('judge', folder), 2, 'case.json: ', 'from 2 to 8')

    def test_queues(self):
        folder = self.path('out')
        self.expect(assay('corpus', 'export', folder, '--cases', self.path('fed.cases', FED.encode())), 0)
        place = os.path.join(folder, 'outfeed/s32/fed')
        self.assertEqual(read_npz(os.path.join(place, 'inputs.npz')), {'infeed0.dev0': [1, 2], 'infeed0.dev1': [3, 4]})
        expected = read_npz(os.path.join(place, 'expected.npz'))
        right = {'outfeed0.dev0': [1, 2], 'outfeed1.dev0': [2, 4], 'outfeed0.dev1': [3, 4], 'outfeed1.dev1': [6, 8]}
        self.assertEqual(expected, right)
        for root, _, files in os.walk(folder):  # of an instruction alone as well
            if 'expected.npz' in files:
                shutil.copy(os.path.join(root, 'expected.npz'), os.path.join(root, 'actual.npz'))
        self.expect(assay('judge', folder), 0)
        without = {name: right[name] for name in right if name != 'outfeed0.dev1'}
        for arrays, outcome, golden, actual in (
                ({**right, 'outfeed0.dev1': [6, 8], 'outfeed1.dev1': [3, 4]}, 'wrong', '3', '6'),
                ({name: right[name] for name in right if name != 'outfeed1.dev1'}, 'wrong', '2 arrays: s32[2], s32[2]',
                 '1 arrays: s32[2]'),
                (without, 'failed', '', 'the array outfeed0 of device 1 is missing'),
                ({**right, 'outfeed0.dev2': [1, 2]}, 'failed', '', 'the array outfeed0.dev2 is of none of 2 devices')):
            write_npz(os.path.join(place, 'actual.npz'), arrays)
            case, = json.loads(self.expect(assay('judge', folder, '--json'), 1).out)['cases']
            self.assertEqual(case['outcome'], outcome)
            if outcome == 'wrong':
                evidence = case['probes'][0]['judgement']['evidence'][0]
                said = [evidence.get(key) for key in ('outfeed', 'device', 'leaf', 'golden', 'actual')]
                self.assertEqual(said, [True, 1, None, golden, actual])
            else:
                self.assertIn(actual, case['message'])

    def test_first_divergence_of_two_implementations(self):
        module = self.path('m.hlo', b'ENTRY e { a = s32[2] parameter(0) b = s32[2] parameter(1) n = negate(a) f = add(n, b) '
                           b'z = add(a, a) ROOT r = multiply(f, z) }')
        inputs, alone = self.path('i.txt', b's32[2] {0, 1}\ns32[2] {30, 40}\n'), self.path('alone')
        diff = ('diff', module, '--inputs', inputs, '--right', self.target(), '--isolate', '--out-subgraph', alone)
        whole = self.expect(assay(*diff), 1, '4 instructions judged', '0 wrong', 'whole program: 1 of 2 elements is wrong', 'wrong first: the whole program',
                            'no instruction alone is wrong: --subgraphs 4')
        command = shlex.split(next(line for line in whole.out.splitlines() if line.startswith('  assay diff ')))
        self.expect(assay(*command[1:]), 1, 'whole program: 1 of 2 elements is wrong')
        result = self.expect(assay(*diff, '--subgraphs', 2), 1, '4 instructions and 3 subgraphs judged', '1 wrong',
                             'wrong first: n+f', 'subgraph of 2')
        self.assertEqual(sorted(os.listdir(alone)), ['expected.npz', 'inputs.npz', 'module.hlo'])
        # It is a module of its own that repeats the verdict.
        command = shlex.split(next(line for line in result.out.splitlines() if line.startswith('  assay diff ')))
        self.expect(assay(*command[1:]), 1, '2 instructions and 1 subgraph judged', 'wrong first: n+f')
        self.expect(assay('run', os.path.join(alone, 'module.hlo'), '--inputs', os.path.join(alone, 'inputs.npz'), '--expect',
                          os.path.join(alone, 'expected.npz')), 0)
        report = json.loads(assay(*diff, '--subgraphs', 2, '--json').out)
        self.assertEqual(report['first_wrong']['instruction'], 'n+f')
        self.assertIn('negate', report['first_wrong']['module'])
        self.assertEqual([each['members'] for each in report['instructions'] if 'members' in each], [2, 2, 2])
        for option, value in ('--subgraphs', 1), ('--subgraphs', 9), ('--iterations', 0), ('--iterations', 'x'):
            self.expect(assay(*diff, option, value), 2, option)
        for option in ('--subgraphs', 2), ('--iterations', 2), ('--out-subgraph', alone):
            self.expect(assay('diff', module, '--inputs', inputs, '--right', 'golden', *option), 2, 'without --isolate')

    def test_as_the_suite_judges(self):
        folder, cases = self.exported()
        self.assertEqual(len(os.listdir(os.path.join(folder, 'negate/s32/program/probes'))), 3)
        answer(folder)
        report = self.path('offline.json')
        result = assay('judge', folder, '--profile', 'golden', '--report', f'json={report}')
        self.expect(result, 1, 'multiply/s32/wrong')
        with open(report, encoding='utf-8') as file:
            offline = json.load(file)
        outcomes = {name: outcome for name, (outcome, _) in verdicts(offline).items()}
        self.assertEqual(outcomes, {
            'add/s32/refused': 'refused', 'add/s32/right': 'exact', 'multiply/s32/right': 'exact', 'multiply/s32/wrong': 'wrong',
            'negate/s32/program': 'exact', 'negate/s32/wrong_inside': 'wrong', 'subtract/s32/unsupported': 'not supported'})
        # The same answers of a process, asked by the suite.
        report = self.path('online.json')
        self.expect(assay('test', '--cases', cases, '--target', self.target(), '--profile', 'golden', '--report', f'json={report}'), 1,
                    'multiply/s32/wrong')
        with open(report, encoding='utf-8') as file:
            online = json.load(file)
        self.assertEqual(verdicts(offline), verdicts(online))
        # What is right alone passes.
        self.expect(assay('judge', folder, '--filter', '*/right', '--filter', 'add/*'), 0)

    def test_plain_files(self):
        """--format raw: who answers reads neither HLO nor .npz, and is judged as with both."""
        folder, plain = self.exported()[0], self.path('plain')
        self.expect(assay('corpus', 'export', plain, '--cases', self.path('mine.cases'), '--format', 'raw'), 0, '7 cases in')
        answer(folder)
        asked = 0
        for root, _, files in os.walk(plain):
            self.assertFalse([name for name in files if name.endswith('.npz')])
            if 'question.json' not in files:
                if 'module.hlo' in files:
                    with open(os.path.join(root, 'refused.txt'), 'w', encoding='utf-8') as file:
                        file.write('sizes differ\n')
                continue
            asked += 1
            with open(os.path.join(root, 'question.json'), encoding='utf-8') as file:
                question = json.load(file)
            values, negated, unsupported = {}, set(), None
            for row in next(each for each in question['computations'] if each['name'] == question['entry'])['instructions']:
                operation, name = row['operation'], row['name']
                if operation == 'parameter':
                    array = question['arguments'][row['parameter']]
                    self.assertEqual((array['type'], array['sizes']), (row['shape']['type'], row['shape']['sizes']))
                    with open(os.path.join(root, array['file']), 'rb') as file:
                        values[name] = list(struct.unpack(f"<{array['bytes'] // 4}i", file.read()))
                elif operation in OPERATIONS:
                    fused = operation == 'add' and not negated.isdisjoint(row['operands'])
                    values[name] = [OPERATIONS[operation](*each) + fused for each in zip(*(values[i] for i in row['operands']))]
                else:
                    unsupported = operation
                if operation == 'negate':
                    negated.add(name)
            result, = question['results']
            self.assertTrue(os.path.exists(os.path.join(root, result['file'])))
            if unsupported:
                with open(os.path.join(root, 'unsupported.txt'), 'w', encoding='utf-8') as file:
                    file.write(unsupported + '\n')
            else:
                root_name = question['computations'][-1]['root']
                with open(os.path.join(root, result['answer']), 'wb') as file:
                    file.write(struct.pack(f"<{len(values[root_name])}i", *values[root_name]))
        self.assertGreater(asked, 6)
        reports = []
        for each in folder, plain:
            report = self.path('judged.json')
            self.expect(assay('judge', each, '--report', f'json={report}'), 1, 'multiply/s32/wrong')
            with open(report, encoding='utf-8') as file:
                reports.append(verdicts(json.load(file)))
        self.assertEqual(*reports)
        # Answers that do not fit, and that are missing.
        place = os.path.join(plain, 'add/s32/right')
        with open(os.path.join(place, 'out0.bin'), 'ab') as file:
            file.write(b'x')
        self.expect(assay('judge', plain, '--filter', 'add/s32/right'), 1, 'out0.bin: it has', 'not the size of a s32[')
        os.remove(os.path.join(place, 'out0.bin'))
        self.expect(assay('judge', plain, '--filter', 'add/s32/right'), 1, 'out0.bin is missing')
        for text in ('{"results": 1}', '{"results": [{"name": "out0"}]}', '{',
                     '{"results": [{"name": "out0", "answer": "case.txt", "shape": "f32[99999999999,99999999999]"}]}'):
            with open(os.path.join(place, 'question.json'), 'w', encoding='utf-8') as file:
                file.write(text)
            self.expect(assay('judge', plain, '--filter', 'add/s32/right'), 1, 'add/s32/right')

    def test_plain_attributes(self):
        """Operation, attributes, types that numpy lacks, and every golden answer is right."""
        plain = self.path('plain')
        globs = ('pad/s32/example/1_2', 'reduce/f32/example/*', 'all-gather/bf16/grid.1_2_replica_groups_0_channel_id_1_4/patterns', 'convert/f32/example/to_s4', 'sort/*/example/*')
        self.expect(assay('corpus', 'export', plain, '--format', 'raw', *(word for glob in globs for word in ('--filter', glob))), 0)
        with open(os.path.join(plain, 'pad/s32/example/1_2/question.json'), encoding='utf-8') as file:
            question = json.load(file)
        self.assertEqual((question['operation'], question['attributes']), ('pad', {'padding': '1_2'}))
        self.assertEqual([(each['name'], each['sizes']) for each in question['arguments']], [('arg0', [3]), ('arg1', [])])
        with open(os.path.join(plain, 'pad/s32/example/1_2/expected_out0.bin'), 'rb') as file:
            self.assertEqual(struct.unpack('<6i', file.read()), (-10, -2, 2, -4, -10, -10))
        with open(os.path.join(plain, 'convert/f32/example/to_s4/question.json'), encoding='utf-8') as file:
            array, = json.load(file)['results']
        self.assertEqual((array['type'], array['bytes']), ('s4', array['sizes'][0]))
        for root, _, files in os.walk(plain):
            for name in files:
                if name.startswith('expected_'):
                    shutil.copy(os.path.join(root, name), os.path.join(root, name.removeprefix('expected_')))
        result = self.expect(assay('judge', plain, '--json'), 0)
        self.assertEqual({case['outcome'] for case in json.loads(result.out)['cases']} - {'exact', 'correctly rounded'}, set())

    def test_stablehlo(self):
        """--format stablehlo: module.mlir beside the rest; what it cannot say is counted, and judged as not supported."""
        folder = self.path('out')
        result = self.expect(assay('corpus', 'export', folder, '--format', 'stablehlo', '--filter', 'add/s32/example/*', '--filter',
                                   'stochastic-convert/*/example/*', '--json'), 0)
        report = json.loads(result.out)
        self.assertGreater(report['not_expressible'], 0)
        for root, _, files in os.walk(folder):
            if 'module.hlo' not in files:
                continue
            if 'stochastic' in root:
                self.assertNotIn('module.mlir', files)
                with open(os.path.join(root, 'unsupported.txt'), encoding='utf-8') as file:
                    self.assertIn('stochastic-convert', file.read())
                continue
            shutil.copy(os.path.join(root, 'expected.npz'), os.path.join(root, 'actual.npz'))
            self.expect(assay('run', os.path.join(root, 'module.mlir'), '--inputs', os.path.join(root, 'inputs.npz'), '--expect',
                              os.path.join(root, 'expected.npz')), 0)
        judged = json.loads(self.expect(assay('judge', folder, '--json'), 0).out)['cases']
        self.assertEqual(sum(case['outcome'] == 'not supported' for case in judged), report['not_expressible'])
        self.assertEqual({case['outcome'] for case in judged}, {'exact', 'not supported'})
        # Another format takes the notes away.
        self.expect(assay('corpus', 'export', folder, '--filter', 'stochastic-convert/*/example/*'), 0)
        self.assertFalse([name for _, _, files in os.walk(folder) for name in files if name == 'unsupported.txt'])
        self.expect(assay('corpus', 'export', folder, '--format', 'xml'), 2, '--format')

    def test_waivers_and_reports_are_those_of_the_suite(self):
        folder, cases = self.exported()
        answer(folder)
        waiver = 'waivers {{ glob: "{}" reason: "known" link: "https://example.com/1" expires: "{}" }}\n'
        known = self.path('known.textproto', ''.join(waiver.format(glob, '2999-12-31') for glob in (
            '*/wrong', '*/wrong_inside', 'tanh/f32/*')))  # the last is of the corpus, not of this folder
        offline, online = self.path('offline.json'), self.path('online.json')
        page, tests = self.path('page.html'), self.path('tests.xml')
        self.expect(assay('judge', folder, '--waivers', known, '--report', f'json={offline},html={page},junit={tests}'), 0,
                    '2 of them waived')
        with open(tests, encoding='utf-8') as file:
            self.assertIn('waived: known', file.read())
        self.assertGreater(os.path.getsize(page), 10000)
        mine = self.path('mine.textproto', ''.join(waiver.format(glob, '2999-12-31') for glob in ('*/wrong', '*/wrong_inside')))
        self.expect(assay('test', '--cases', cases, '--target', self.target(), '--waivers', mine, '--report', f'json={online}'), 0)
        reports = []
        for path in offline, online:
            with open(path, encoding='utf-8') as file:
                reports.append({each['id']: (each['outcome'], each.get('waiver')) for each in json.load(file)['cases']})
        self.assertEqual(*reports)
        expired = self.path('expired.textproto', waiver.format('*/wrong', '2020-01-01') + waiver.format('nowhere', '2999-12-31'))
        self.expect(assay('judge', folder, '--waivers', expired), 1, 'expired on 2020-01-01', 'the waiver for nowhere matches no case')
        passing = self.path('passing.textproto', waiver.format('*/right', '2999-12-31'))
        self.expect(assay('judge', folder, '--op', 'add', '--waivers', passing), 1, 'is for failures, but add/s32/right')
        self.expect(assay('judge', folder, '--waivers', self.path('none')), 2, 'none')
        self.expect(assay('judge', folder, '--report', f'json={self.path("no/where.json")}'), 2, 'there is no folder')
        self.expect(assay('judge', folder, '--tier', 'quick'), 2, 'it has 0 of the', 'cases of tier quick')

    def test_answers_that_are_none(self):
        folder, _ = self.exported()
        answer(folder)
        place = {name: os.path.join(folder, name, 's32', 'right') for name in ('add', 'multiply')}

        def scribble(path):
            with open(path, 'wb') as file:
                file.write(b'PK nonsense')
        for damage, message in ((os.remove, 'actual.npz is missing'), (lambda path: write_npz(path, {'out0': [1, 2, 3]}), 's32[3]'),
                                (scribble, 'actual.npz')):
            damage(os.path.join(place['add'], 'actual.npz'))
            result = assay('judge', folder, '--json')
            self.assertEqual(result.code, 1, result.err)
            case, = (each for each in json.loads(result.out)['cases'] if each['id'] == 'add/s32/right')
            self.assertEqual(case['outcome'], 'failed', case)
            self.assertIn(message, case['message'])
        with open(os.path.join(place['multiply'], 'failed.txt'), 'w', encoding='utf-8') as file:
            file.write('the board was on fire\nthere is more to say\n')
        self.expect(assay('judge', folder, '--filter', 'multiply/s32/right'), 1, 'the board was on fire')
        os.remove(os.path.join(folder, 'add/s32/refused/refused.txt'))
        scribble(os.path.join(folder, 'add/s32/refused/actual.npz'))
        self.expect(assay('judge', folder, '--profile', 'golden', '--filter', 'add/s32/refused'), 1, 'binary_c3')

    def test_what_files_say_reaches_no_terminal(self):
        folder, _ = self.exported()
        answer(folder)
        with open(os.path.join(folder, 'add', 's32', 'right', 'failed.txt'), 'w', encoding='utf-8') as file:
            file.write('\x1b[2Jfine\n')
        result = assay('judge', folder)
        self.assertEqual(result.code, 1, result.err)
        self.assertNotIn('\x1b', result.out)
        self.assertIn('\\x1b[2Jfine', result.out)

    def test_bad_input(self):
        self.expect(assay('judge', self.path('nowhere')), 2, 'nowhere')
        os.mkdir(self.path('empty'))
        self.expect(assay('judge', self.path('empty')), 2, 'there is no case.txt')
        folder, _ = self.exported()
        self.expect(assay('judge', folder, '--profile', 'nobody'), 2, 'nobody')
        self.expect(assay('judge', folder, '--report', 'pdf=x'), 2, 'pdf')
        os.rename(os.path.join(folder, 'add'), os.path.join(folder, 'plus'))
        self.expect(assay('judge', folder), 2, 'lies in the folder plus/s32/')
        with open(os.path.join(folder, 'plus/s32/right/case.txt'), 'w', encoding='utf-8') as file:
            file.write('case x\n')
        self.expect(assay('judge', folder), 2, 'case.txt:1:')


if __name__ == '__main__':
    main()
