#!/usr/bin/env python3
"""`assay test`: runs the suite on golden and on small targets of its own, good and bad, and reports what became of each case.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

from cli_testing import ASSAY, SANITIZED, SOURCE, CommandLineTest, assay, main, on_terminal

# Adds s32 arrays. What HOW names happens where the first element is 99.
TARGET = '''
import os, resource, signal, struct, sys, time
sys.path.insert(0, {peers!r})
from assay_process import Refusal, serve

HOW, MARK = sys.argv[1], sys.argv[2]

def once():
    """Whether this is the first time, of all processes."""
    try:
        os.close(os.open(MARK, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False

class Target:
    def hello(self):
        if HOW == 'does_not_start':
            sys.exit(3)
        version = str(resource.getrlimit(resource.RLIMIT_DATA)[0]) if HOW == 'says_its_limit' else '7'
        return {{'name': 'adder', 'version': version, 'formats': ['hlo-text']}}

    def compile(self, module_format, module):
        if b'add(' not in module:
            raise Refusal('unsupported', 'only adds')
        return module

    def execute(self, compiled, arguments):
        (shape, left), (_, right) = arguments[0]
        values = [a + b for (a,), (b,) in zip(struct.iter_unpack('<i', left), struct.iter_unpack('<i', right))]
        first = struct.unpack_from('<i', left)[0]
        if first == 99:
            shape, values = self.misbehave(shape, values)
        elif HOW == 'slow':
            time.sleep(0.15)
        return 0.0, [[(shape, struct.pack('<%di' % len(values), *values))]]

    def misbehave(self, shape, values):
        if HOW == 'wrong':
            return shape, [values[0], values[1] + 1]
        if HOW == 'crash' or (HOW == 'crash_once' and once()):
            os.kill(os.getpid(), signal.SIGSEGV)
        if HOW == 'exit':
            os._exit(0)
        if HOW == 'hang':
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        if HOW == 'garbage':
            os.write(int(os.environ['ASSAY_RESPONSE_FD']), b'no json\\n')
        if HOW == 'billion':
            os.write(int(os.environ['ASSAY_RESPONSE_FD']), b'{{"type":"result","id":%d,"seconds":0,"results":[[{{"shape":"s32[1000000000]",'
                     b'"bytes":4000000000}}]],"payload":4000000000}}\\n' % 3)
        if HOW == 'other_type':
            return 'f32[2]', values
        if HOW == 'memory':
            held = bytearray(1 << 30)
            held[::4096] = b'x' * len(held[::4096])
        if HOW == 'prints':
            print('noise ' * 100000, flush=True)
        if HOW == 'refuses':
            raise Refusal('invalid', 'not today')
        if HOW == 'flaky':
            self.runs = getattr(self, 'runs', 0) + 1
            return shape, [values[0], values[1] + self.runs % 2]
        return shape, values

serve(Target())
'''


def case(name, first):
    return f'''case add/s32/{name}
tags: op=add type=s32
module:
  ENTRY e {{
    a = s32[2] parameter(0)
    b = s32[2] parameter(1)
    ROOT r = add(a, b)
  }}
inputs:
  arg0 = literal s32[2] {{{first}, 2}}
  arg1 = literal s32[2] {{3, 4}}
expect: golden

'''


NEGATE = '''case negate/s32/one
tags: op=negate type=s32
module:
  ENTRY e {
    a = s32[2] parameter(0)
    ROOT r = negate(a)
  }
inputs:
  arg0 = literal s32[2] {1, 2}
expect: golden
'''
ENDLESS = '''case while/s32/endless
tags: op=while type=s32
module:
  yes {
    p = s32[] parameter(0)
    ROOT r = pred[] constant(true)
  }
  body {
    p = s32[] parameter(0)
    ROOT r = s32[] add(p, p)
  }
  ENTRY e {
    a = s32[] parameter(0)
    ROOT w = s32[] while(a), condition=yes, body=body
  }
inputs:
  arg0 = literal s32[] 1
expect: golden
'''
GOOD = ['a', 'b', 'c', 'd', 'e', 'f']
WAIVER = 'waivers {{ glob: "{}" reason: "known" link: "https://example.com/1" expires: "{}" }}\n'


class Test(CommandLineTest):
    def setUp(self):
        super().setUp()
        script = self.path('target.py', TARGET.format(peers=os.path.join(SOURCE, 'tools', 'peers')))
        self.script, self.mark = script, self.path('mark')
        text = ''.join(case(name, 1) for name in GOOD[:3]) + case('bad', 99) + ''.join(case(name, 1) for name in GOOD[3:])
        self.cases = self.path('mine.cases', text)

    def target(self, how):
        return f'process:{sys.executable} {self.script} {how} {self.mark}'

    def run_on(self, how, *options, cases=None):
        """The report of a run on the target, and its exit code."""
        result = assay('test', '--cases', cases or self.cases, '--target', self.target(how), '--jobs', 1, '--json', *options)
        self.assertTrue(result.out.startswith('{'), result.out + result.err)
        return json.loads(result.out), result

    def outcomes(self, report):
        return {each['id']: each['outcome'] for each in report['cases']}

    def test_golden(self):
        self.expect(assay('test', '--filter', 'add/s8/*', '--filter', 'divide/s32/examples'), 0, 'exact')
        report = json.loads(assay('test', '--op', 'negate', '--op', 'tanh', '--tier', 'quick', '--json').out)
        self.assertEqual((report['target'], report['profile'], report['tier']), ('golden', 'golden', 'quick'))
        self.assertEqual({each['op'] for each in report['cases']}, {'negate', 'tanh'})
        self.assertEqual({each['outcome'] for each in report['cases']} - {'exact', 'correctly rounded', 'refused'}, set())
        self.assertEqual([each['id'] for each in report['cases']], sorted(each['id'] for each in report['cases']))
        listed = assay('test', '--list', '--op', 'negate', '--tier', 'quick').out.split()
        self.assertEqual(listed, [each['id'] for each in report['cases'] if each['op'] == 'negate'])
        self.assertEqual(json.loads(assay('test', '--list', '--json', '--op', 'negate', '--tier', 'quick').out), listed)

    def test_bad_targets_fail_their_case_alone(self):
        table = [('wrong', 'wrong', 1), ('crash', 'failed', 1), ('exit', 'failed', 1), ('hang', 'failed', 1), ('garbage', 'failed', 1),
                 ('billion', 'failed', 1), ('other_type', 'failed', 1), ('refuses', 'invalid', 1), ('crash_once', 'flaky', 1),
                 ('flaky', 'flaky', 1), ('prints', 'exact', 0), ('good', 'exact', 0)]
        if not SANITIZED:
            table.append(('memory', 'failed', 1))
        for how, outcome, code in table:
            with self.subTest(how):
                options = {'hang': ['--timeout', 4], 'flaky': ['--repeat', 2], 'memory': ['--memory', 1 << 29]}.get(how, [])
                report, result = self.run_on(how, *options)
                self.assertEqual(result.code, code, result.out)
                expected = {f'add/s32/{name}': 'exact' for name in GOOD}
                self.assertEqual(self.outcomes(report), {**expected, 'add/s32/bad': outcome}, result.out)
                self.assertEqual(report['target_version'], 'adder 7')
                if os.path.exists(self.mark):
                    os.remove(self.mark)

    @unittest.skipIf(SANITIZED, 'no limit')
    def test_a_target_cannot_take_the_whole_machine(self):
        def limit(*options):
            result = self.expect(assay('test', '--cases', self.cases, '--target', self.target('says_its_limit'), '--json', *options), 0)
            return int(json.loads(result.out)['target_version'].split()[1])
        with open('/proc/meminfo') as f:
            machine, = (int(line.split()[1]) << 10 for line in f if line.startswith('MemTotal:'))
        alone = limit('--jobs', 1)
        self.assertLessEqual(alone, machine // 4 * 3)
        self.assertGreater(alone, 0)
        self.assertEqual(limit('--jobs', 3), alone // 3)
        self.assertEqual(limit('--jobs', 3, '--memory', 1 << 29), 1 << 29)
        self.assertEqual(limit('--memory', -1), resource.getrlimit(resource.RLIMIT_DATA)[0])

    def test_what_people_read(self):
        result = assay('test', '--cases', self.cases, '--target', self.target('wrong'))
        self.expect(result, 1, 'wrong: add/s32/bad: 1 of 2 elements is wrong', '--filter add/s32/bad', '6 exact')
        quiet = assay('test', '--cases', self.cases, '--target', self.target('good'), '--quiet')
        self.assertEqual((quiet.code, quiet.out), (0, ''))
        code, text = on_terminal(100, 'test', '--cases', self.cases, '--target', self.target('slow'), '--jobs', 1)
        self.assertEqual(code, 0, text)
        self.assertIn('of 7 cases, 0 failed, 0:0', text)

    def bundle(self, how, *options):
        """The bundle of the bad case, and what its README's command says of it beside what the run said."""
        folder = self.path('bundles-' + how)
        report, _ = self.run_on(how, '--bundle', folder, *options)
        bundle = os.path.join(folder, 'add', 's32', 'bad')
        with open(os.path.join(bundle, 'README.txt'), encoding='utf-8') as file:
            command = next(line for line in file if line.startswith('  assay test '))
        path = os.path.dirname(os.path.abspath(ASSAY)) + ':' + os.environ['PATH']
        again = subprocess.run(['sh', '-c', command.strip() + ' --json'], cwd=bundle, env={**os.environ, 'PATH': path}, capture_output=True, check=False)
        self.assertEqual(again.returncode, 1, again.stderr)
        bad = next(each for each in report['cases'] if each['id'] == 'add/s32/bad')
        return bundle, json.loads(again.stdout)['cases'][0], bad

    def test_bundles(self):
        """What the README and the CMake project of a bundle run gives the same verdict as the run that wrote it."""
        bundle, again, bad = self.bundle('wrong')
        self.assertEqual(os.listdir(os.path.dirname(bundle)), ['bad'])
        self.assertEqual(again['probes'], bad['probes'])
        build = self.path('build')
        subprocess.run(['cmake', '-S', bundle, '-B', build, f'-DASSAY={os.path.abspath(ASSAY)}'], capture_output=True, check=True)
        test = subprocess.run(['ctest', '--test-dir', build, '--output-on-failure'], capture_output=True, check=False)
        self.assertEqual(test.returncode, 8, test.stderr)
        self.assertIn(b'wrong: add/s32/bad: 1 of 2 elements is wrong', test.stdout)

    def test_bundles_repeat_what_decided(self):
        """Repetitions, limits and a profile that extends another file belong to what it takes to see a failure again."""
        base = self.path('base.textproto', 'budget { op: "tanh" f32: 2 }\n')
        profile = self.path('mine.textproto', f'extends: "{base}"\n')
        for how, options, outcome in [('flaky', ['--repeat', 2, '--profile', profile], 'flaky'), ('hang', ['--timeout', 3], 'failed')]:
            with self.subTest(how):
                _, again, bad = self.bundle(how, *options)
                self.assertEqual((again['outcome'], bad['outcome']), (outcome, outcome))

    def test_golden_does_not_run_for_ever(self):
        endless = self.path('endless.cases', ENDLESS)
        start = time.monotonic()
        report = json.loads(assay('test', '--cases', endless, '--timeout', 1, '--json').out)
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(self.outcomes(report), {'while/s32/endless': 'not run'})
        self.assertIn('golden: ', report['cases'][0]['message'])

    def test_not_supported_is_no_pass(self):
        mine = self.path('both.cases', case('a', 1) + NEGATE)
        report, result = self.run_on('good', cases=mine)
        self.assertEqual((result.code, self.outcomes(report)), (0, {'add/s32/a': 'exact', 'negate/s32/one': 'not supported'}))

    def test_fail_fast(self):
        report, result = self.run_on('crash', '--fail-fast')
        self.assertEqual(result.code, 1)
        self.assertEqual((report['selected'], report['interrupted'], len(report['cases'])), (7, True, 3))

    def test_targets_that_do_not_start(self):
        self.expect(assay('test', '--cases', self.cases, '--target', 'process:/no/such/program'), 5, '/no/such/program')
        self.expect(assay('test', '--cases', self.cases, '--target', self.target('does_not_start')), 5, '3')

    def test_a_baseline_and_waivers_to_fill_in(self):
        good, bad, waivers = self.path('good.json'), self.path('bad.json'), self.path('to_fill_in.textproto')
        run = ('test', '--cases', self.cases)
        self.expect(assay(*run, '--target', self.target('good'), '--report', f'json={good}'), 0, 'No bug found: all 7 cases that were judged pass')
        self.expect(assay(*run, '--target', self.target('wrong'), '--report', f'json={bad}', '--write-waivers', waivers), 1,
                    '1 case fails: add/s32/bad: ')
        self.expect(assay(*run, '--target', self.target('wrong'), '--baseline', good), 1, 'regressions: 1', 'add/s32/bad: exact, now wrong')
        self.expect(assay(*run, '--target', self.target('wrong'), '--baseline', bad), 0, 'No regression: 0 cases mended, 1 still failing.')
        self.expect(assay(*run, '--target', self.target('good'), '--baseline', bad), 0, '1 case mended')
        self.expect(assay(*run, '--target', self.target('good'), '--filter', 'add/s32/bad', '--baseline', good), 1, 'lost coverage: 6')
        with open(waivers, encoding='utf-8') as f:
            text = f.read()
        self.assertIn('glob: "add/s32/bad"', text)
        # It is refused until somebody has answered for it.
        self.expect(assay(*run, '--target', self.target('wrong'), '--waivers', waivers), 2, 'has no reason')
        filled = text.replace('reason: ""', 'reason: "r"').replace('link: ""', 'link: "l"').replace('expires: ""', 'expires: "2999-12-31"')
        self.expect(assay(*run, '--target', self.target('wrong'), '--waivers', self.path('filled.textproto', filled)), 0, 'waived')
        self.expect(assay(*run, '--target', self.target('good'), '--baseline', self.path('nowhere.json')), 2, 'nowhere.json')

    def test_waivers(self):
        for text, code, word in [(WAIVER.format('add/*/bad', '2999-01-01'), 0, 'waived'),
                                 (WAIVER.format('add/*/bad', '2001-01-01'), 1, 'expired on 2001-01-01'),
                                 (WAIVER.format('add/*', '2999-01-01'), 1, 'is for failures, but add/s32/a and 5 more pass'),
                                 (WAIVER.format('add/*/bad', '2999-01-01') + WAIVER.format('ad/*', '2999-01-01'), 1, ':2: the waiver for ad/*'),
                                 ('waivers { glob: 1 }', 2, 'waivers.textproto:1:')]:
            with self.subTest(word):
                waivers = self.path('waivers.textproto', text)
                self.expect(assay('test', '--cases', self.cases, '--target', self.target('wrong'), '--waivers', waivers), code, word)

    def test_shards(self):
        ids = []
        for i in range(3):
            listed = assay('test', '--list', '--op', 'negate', '--shard', f'{i}/3').out.split()
            self.assertTrue(listed)
            ids += listed
        every = assay('test', '--list', '--op', 'negate').out.split()
        self.assertEqual(sorted(ids), every)
        report = self.path('out.%r.json')
        status = self.path('status')
        for variables, flag in [(('GTEST_SHARD_INDEX', 'GTEST_TOTAL_SHARDS'), []), (('SLURM_PROCID', 'SLURM_NTASKS'), ['--shard', 'auto'])]:
            environment = {**os.environ, variables[0]: '1', variables[1]: '2', 'GTEST_SHARD_STATUS_FILE': status}
            command = [ASSAY, 'test', '--cases', self.cases, '--report', f'json={report}', *flag]
            subprocess.run(command, env=environment, check=True, capture_output=True)
            self.assertTrue(os.path.exists(status))
            with open(self.path('out.1.json'), encoding='utf-8') as file:
                run = json.load(file)
            self.assertEqual((run['shard'], run['shards']), (1, 2))
            self.assertLess(len(run['cases']), 7)
        self.expect(assay('test', '--shard', '3/3'), 2, 'shard')
        # The same command on every rank: they would all write this file, and its journal.
        command = [ASSAY, 'test', '--cases', self.cases, '--report', f"json={self.path('one.json')}", '--shard', 'auto']
        ranks = {**os.environ, 'OMPI_COMM_WORLD_RANK': '1', 'OMPI_COMM_WORLD_SIZE': '4'}
        refused = subprocess.run(command, env=ranks, capture_output=True, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn(b'%r', refused.stderr)

    def start(self, report):
        return subprocess.Popen([ASSAY, 'test', '--cases', self.cases, '--target', self.target('slow'), '--jobs', '1', '--report',
                                 f'json={report}'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_for_journal(self, report, lines):
        for _ in range(600):
            if os.path.exists(report + '.journal'):
                with open(report + '.journal', 'rb') as file:
                    if file.read().count(b'\n') > lines:
                        return
            time.sleep(0.02)
        self.fail('no journal')

    def test_resume_after_kill(self):
        report = self.path('report.json')
        process = self.start(report)
        self.wait_for_journal(report, 2)
        process.kill()
        process.wait()
        self.assertFalse(os.path.exists(report))
        with open(report + '.journal', 'rb') as file:
            found = [json.loads(line)['id'] for line in file.read().split(b'\n')[1:-1]]
        with open(report + '.journal', 'ab') as file:
            file.write(b'{"id": "torn')
        options = ['test', '--cases', self.cases, '--jobs', '1', '--report', f'json={report}', '--resume', '--target']
        # A target that fails by hanging would take its time: what was found is not asked again.
        self.expect(assay(*options, self.target('good')), 2, 'its target is')
        self.expect(assay(*options, self.target('slow')), 0)
        with open(report, encoding='utf-8') as file:
            run = json.load(file)
        self.assertEqual(sorted(self.outcomes(run)), sorted(f'add/s32/{name}' for name in GOOD + ['bad']))
        self.assertTrue(found)
        self.assertFalse(os.path.exists(report + '.journal'))

    def test_interrupted(self):
        report = self.path('report.json')
        process = self.start(report)
        self.wait_for_journal(report, 1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        with open(report, encoding='utf-8') as file:
            run = json.load(file)
        self.assertTrue(run['interrupted'])
        self.assertLess(len(run['cases']), 7)
        self.expect(assay('test', '--cases', self.cases, '--target', self.target('slow'), '--report', f'json={report}', '--resume'), 0)
        with open(report, encoding='utf-8') as file:
            run = json.load(file)
        self.assertEqual((run.get('interrupted', False), len(run['cases'])), (False, 7))

    def test_full_disk_leaves_the_old_report(self):
        report = self.path('report.json', '{"old": true}')

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
        process = subprocess.run([ASSAY, 'test', '--cases', self.cases, '--report', f'json={report}'], preexec_fn=limit,
                                 capture_output=True, check=False)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn(b'report.json', process.stderr)
        with open(report, encoding='utf-8') as file:
            self.assertEqual(file.read(), '{"old": true}')

    def test_bad_input(self):
        twice = self.path('twice.cases', case('a', 1) + case('a', 2))
        for options, word in [(['--profile', 'none'], 'none'), (['--tier', 'slow'], 'slow'), (['--op', 'ad'], 'no case is of operation ad'),
                              (['--filter', 'nothing'], 'no case matches nothing'), (['--target', 'golem'], "'golem' is not a backend"),
                              (['--cases', twice], 'twice.cases'), (['--cases', self.path('none.cases')], 'none.cases'),
                              (['--resume'], '--report json=FILE'), (['--report', 'xml=F'], 'xml'), (['--repeat', '0'], 'repeat'),
                              (['--report', 'json=/no/such/folder/x'], '/no/such/folder'), (['--waivers', self.path('none')], 'none'),
                              (['--timeout', 'long'], 'long'), (['--shard', 'auto'], 'no launcher')]:
            with self.subTest(word):
                self.expect(assay('test', *options), 2, word)


if __name__ == '__main__':
    main()
