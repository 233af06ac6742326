#!/usr/bin/env python3
"""`assay run` and `assay diff` as users run them: results, reports, files, exit codes.

Expected results are XLA CPU's stored ones (exact for integers), worked out by hand, or numpy's own file format.
"""
import gzip
import json
import os
import shlex
import subprocess
import sys
import zipfile

from cli_testing import ADD, ASSAY, SOURCE, CommandLineTest, assay, main, sample


class Run(CommandLineTest):
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
        self.expect(assay('run', module, '--inputs', inputs, '--expect', near), 1, '1 ulp', 'at [1]', '1 of 2 elements equal')
        self.expect(assay('run', module, '--inputs', inputs, '--expect', near, '--max-ulp', 1), 0)
        self.expect(assay('run', module, '--inputs', inputs, '--expect', wrong, '--max-ulp', 100), 1, 'MISMATCH', 'NaN')
        self.expect(assay('run', module, '--inputs', inputs, '--expect', self.path('s.txt', b's32[2]{0} {1, 2}')), 2,
                    's.txt', 's32[2]', 'f32[2]')

    def test_comparisons_say_where(self):
        module = self.path('m.hlo', b'ENTRY e { ROOT x = f32[4] parameter(0) }')
        golden = self.path('golden.txt', b'f32[4] {1, 2, nan, 0}')
        compare = ('run', module, '--inputs', golden, '--expect')
        # 1 and 1.5 are 2^22 numbers of f32 apart.
        wrong = self.path('wrong.txt', b'f32[4] {1.5, 2, 3, 0}')
        self.expect(assay(*compare, wrong), 1, 'first mismatch at [2]: nan in golden, 3 in expected',
                    'first difference at [0]: 1 in golden, 1.5 in expected', 'largest distance: more than 1,000,000 ulp at [0]',
                    '1 at 2097153-4194304')
        only_nan = assay(*compare, self.path('only.txt', b'f32[4] {1, 2, 3, 0}'))
        self.expect(only_nan, 1, 'first mismatch at [2]')
        self.assertNotIn('distance', only_nan.out)
        zeros = assay(*compare, self.path('zeros.txt', b'f32[4] {1, 2, nan, -0}'))
        self.expect(zeros, 1, 'verdict: floats differ in the sign of zeros', 'first difference at [3]')
        self.assertNotIn('0 ulp;', zeros.out)
        output = json.loads(assay(*compare, wrong, '--json').out)['comparison']['outputs'][0]
        self.assertEqual(output['first_mismatch'], {'at': [2], 'left': 'nan', 'right': '3'})
        self.assertEqual(output['largest']['at'], [0])
        quiet = assay(*compare, wrong, '--quiet')
        self.assertEqual((quiet.code, quiet.out.count('\n')), (1, 1))
        self.assertIn('verdict: MISMATCH', quiet.out)
        self.assertEqual(assay(*compare, golden, '-q').out, '')

    def test_tokens_have_no_array(self):
        module = self.path('m.hlo', b'ENTRY e { a = f32[2] parameter(0) t = token[] after-all() '
                           b'ROOT r = (token[], f32[2], token[], f32[2]) tuple(t, a, t, a) }')
        inputs, out = self.path('i.txt', b'f32[2] {1, 2}'), self.path('out.npz')
        self.expect(assay('run', module, '--inputs', inputs, '--out', out), 0)
        with zipfile.ZipFile(out) as archive:
            self.assertEqual(sorted(archive.namelist()), ['out0.npy', 'out1.npy'])
        report = json.loads(self.expect(assay('run', module, '--inputs', inputs, '--expect', out, '--json'), 0).out)
        self.assertEqual([o['name'] for o in report['comparison']['outputs']], ['out0', 'out1'])

    def test_large_values_are_cut(self):
        module = self.path('m.hlo', b'ENTRY e { ROOT i = s32[2,1000000] iota(), iota_dimension=1 }')
        result = assay('run', module, '--trace')
        self.expect(result, 0)
        # One million numbers take 13 MB; what is shown begins in the same way.
        self.assertTrue(result.out.startswith('out0 = s32[2,1000000]{1,0} { { 0, 1, 2, 3,'), result.out)
        self.assertTrue(result.out.endswith(' ...\n'), result.out)
        self.assertLess(len(result.out) + len(result.err), 800)
        self.assertEqual(json.loads(assay('run', module, '--json').out)['results'],
                         [{'name': 'out0', 'shape': 's32[2,1000000]', 'elided': True}])

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

    def test_tiers_are_counted_and_forced(self):
        module = self.path('m.hlo', b'HloModule m\nENTRY e {\n  x = f64[3] parameter(0)\n  ROOT y = f64[3] log(x)\n}\n')
        run = ('run', module, '--inputs', self.path('i.txt', b'f64[3]{0} {1, 2, 3}\n'))
        self.expect(assay(*run, '--stats'), 0, 'functions decided by tier: exact 1, double 2\n')
        results = assay(*run).out
        for tier in ('exact', 'double', 'extended', 'quad', 'big192', 'big384', 'big768', 'big1536'):
            self.assertEqual(assay(*run, '--force-tier', tier).out, results, tier)
        counts = json.loads(assay(*run, '--force-tier', 'big384', '--json').out)['stats']['tiers']
        self.assertEqual((counts['exact'], counts['big384'], counts['double'], counts['undecided']), (1, 2, 0, 0))
        self.expect(assay(*run, '--force-tier', 'mpfr'), 2, '--force-tier', 'exact, double, extended, quad, big192')

    def test_options_that_would_do_nothing_are_refused(self):
        example = 'process:' + os.path.join(os.path.dirname(ASSAY), 'example_target')
        module, inputs = self.path('m.hlo', ADD), self.path('i.txt', b'f32[2] {1, 2}\nf32[2] {10, 20}\n')
        run, diff = ('run', module, '--inputs', inputs), ('diff', module, '--inputs', inputs, '--right', example)
        for option in ('--trace', '--straight', '--stats', '--force-tier=quad'):
            self.expect(assay(*run, '--backend', example, option), 2, option.split('=')[0])
        self.expect(assay(*run, '--seed', 1), 2, '--seed')
        self.expect(assay(*run, '--range', 'x=0:1'), 2, '--range')
        self.expect(assay(*run, '--max-ulp', 1), 2, '--expect')
        self.expect(assay(*diff, '--seed', 1), 2, '--seed')
        self.expect(assay(*diff, '--isolate', '--save', self.path('kept')), 2, '--save')
        self.expect(assay(*diff, '--isolate', '--left', example), 2, '--left')
        self.expect(assay(*diff, '--isolate', '--max-ulp', 1), 2, '--max-ulp')
        self.assertFalse(os.path.exists(self.path('kept')))

    def test_values_of_options(self):
        module = self.path('m.hlo', b'ENTRY e { ROOT i = s32[2] iota(), iota_dimension=0 }')
        for option, value in (('--budget-seconds', 'nan'), ('--budget-seconds', '-2'), ('--budget-seconds', 'inf'),
                              ('--repeat', '0'), ('--repeat', '1.5'), ('--seed', '-1'), ('--max-ulp', '-1'),
                              ('--budget-bytes', '-2'), ('--threads', '0'), ('--budget-steps', '99999999999999999999')):
            result = assay('run', module, option, value)
            self.expect(result, 2, option, f"'{value}' is no")
            self.assertLess(len(result.err), 250, result.err)
        for value in ('1e300', '-1', '0.5'):
            self.expect(assay('run', module, '--budget-seconds', value), 0)
        for value in ('1', '3', '1000000'):
            self.expect(assay('run', module, '--threads', value), 0)

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
        self.expect(assay('diff', module, '--inputs', 'random', '--right', example, '--json'), 0, '"seconds"')
        # Not every name is UTF-8.
        strange = example + ' \udcff'
        self.expect(assay('diff', module, '--inputs', 'random', '--right', strange, '--json'), 0, '\ufffd')
        self.expect(assay('run', module, '--inputs', 'random', '--backend', strange, '--json'), 0, '\ufffd')
        # Reports call a process by its own name.
        self.assertTrue(assay('diff', module, '--inputs', 'random', '--right', example).out.startswith('golden against example'))
        self.expect(assay('run', module, '--inputs', 'random', '--backend', "process:sh -c 'exit 3'"), 5, 'exited with code 3')
        self.expect(assay('run', self.path('neg.hlo', b'ENTRY e { x = f32[] parameter(0) ROOT a = f32[] abs(x) }'),
                          '--inputs', 'random', '--backend', example), 4, 'does not support abs')
        self.expect(assay('run', module, '--inputs', 'random', '--backend', 'gold'), 2, "'gold' is not a backend")

    def test_what_failed_is_saved(self):
        example = os.path.join(os.path.dirname(ASSAY), 'example_target')
        module, kept = self.path('m.hlo', ADD), self.path("it's kept")
        dies = self.path('dies.py', b"""import json, os, sys
requests, responses = os.fdopen(int(os.environ['ASSAY_REQUEST_FD']), 'rb'), int(os.environ['ASSAY_RESPONSE_FD'])
for line in requests:
    request = json.loads(line)
    requests.read(request.get('payload', 0))
    if request['type'] == 'execute':
        sys.exit(3)
    answer = {'hello': {'type': 'hello', 'protocol': 1, 'name': 'mayfly', 'formats': ['hlo-text']},
              'compile': {'type': 'compiled', 'handle': 1}}[request['type']]
    os.write(responses, (json.dumps({**answer, 'id': request['id']}) + '\\n').encode())
""")
        dying = f'process:{sys.executable} {dies}'
        result = assay('diff', module, '--inputs', 'random', '--right', dying, '--save', kept)
        self.expect(result, 5, 'saved in', 'exited with code 3')
        self.assertEqual(sorted(os.listdir(kept)), ['inputs.npz', 'left.npz', 'module.hlo', 'right.error.txt'])
        with open(os.path.join(kept, 'right.error.txt'), encoding='utf-8') as f:
            self.assertIn('exited with code 3', f.read())
        good = assay('diff', module, '--inputs', 'random', '--right', 'process:' + example, '--save', kept, '--max-ulp', 2)
        self.expect(good, 0, 'run it again with')
        self.assertEqual(sorted(os.listdir(kept)), ['inputs.npz', 'left.npz', 'module.hlo', 'right.npz'])
        command = shlex.split(good.out.splitlines()[-1])
        self.assertEqual(command[:3], ['assay', 'diff', os.path.join(kept, 'module.hlo')])
        self.assertIn('--max-ulp', command)
        self.expect(assay(*command[1:]), 0)

    def test_failures_show_before_the_work(self):
        slow = self.path('slow.hlo', b'body { s = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(s, one) }\n'
                         b'cond { s = s32[] parameter(0) m = s32[] constant(2000000000) ROOT c = pred[] compare(s, m), direction=LT }\n'
                         b'ENTRY e { x = s32[] constant(0) ROOT w = s32[] while(x), condition=cond, body=body }')
        self.expect_refusal(assay('run', slow, '--out', '/no/such/folder/x.npz'), 2, '/no/such/folder')
        self.expect_refusal(assay('run', slow, '--out', self.folder.name), 2, 'folder')
        self.expect_refusal(assay('diff', slow, '--right', 'process:/no/such/program'), 5, '/no/such/program')

    def test_output_that_cannot_be_written(self):
        module = self.path('m.hlo', ADD)
        for arguments in (['show', module], ['run', module, '--inputs', 'random'], ['ops', '--json'], ['run', '--help']):
            with open('/dev/full', 'wb') as full:
                process = subprocess.run([ASSAY, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(process.returncode, 2, arguments)
            self.assertIn(b'standard output: cannot be written', process.stderr)
        # With a closed output no file of ours takes its place.
        out = self.path('out.npz')
        process = subprocess.run(['sh', '-c', '"$0" run "$1" --inputs random --out "$2" >&-', ASSAY, module, out],
                                 stderr=subprocess.PIPE, check=False)
        self.assertEqual(process.returncode, 0, process.stderr)
        with zipfile.ZipFile(out) as archive:
            self.assertEqual(archive.namelist(), ['out0.npy'])

    def target(self, how):
        """A process that gives back its first argument, with the defect."""
        return (f'process:{sys.executable} '
                f'{os.path.join(SOURCE, "backends", "process", "testdata", "misbehaving_target.py")} {how}')

    def test_isolate_fails_where_nothing_ran(self):
        module = self.path('m.hlo', b'ENTRY e { x = f32[3] parameter(0) ROOT r = f32[3] reverse(x), dimensions={0} }')
        inputs = self.path('inputs.txt', b'f32[3] {1, 2, 1}')
        wrong = self.path('wrong.txt', b'f32[3] {1, 2, 3}')
        runs = ((inputs, 'nothing', 0, 'right'), (wrong, 'nothing', 1, 'wrong'),
                (inputs, 'exit', 5, 'not run'), (inputs, 'refuse', 4, 'not run'))
        for given, how, code, verdict in runs:
            result = assay('diff', module, '--inputs', given, '--isolate', '--right', self.target(how), '--json')
            self.assertEqual(result.code, code, how + result.out + result.err)
            report = json.loads(result.out)
            self.assertEqual((report['verdict'], report['left']), (verdict, 'golden'))
            self.assertEqual(report['not_run'], int(verdict == 'not run'))
        self.assertEqual(report['instructions'][0]['status'], 'UNIMPLEMENTED')
        # What all instructions fail of is said once; a target that does not start is one mistake.
        module = self.path('m.hlo', b'ENTRY e { x = f32[3] parameter(0) y = f32[3] reverse(x), dimensions={0} z = f32[3] reverse(y), dimensions={0} '
                           b'ROOT r = f32[3] reverse(z), dimensions={0} }')
        result = self.expect(assay('diff', module, '--inputs', inputs, '--isolate', '--right', self.target('refuse')), 4,
                             'not run either, for the reason that y has: z, r', 'Nothing was judged: the other implementation did not run the 3 instructions')
        self.assertEqual(result.out.count('on a Saturday'), 2)
        self.expect(assay('diff', module, '--inputs', inputs, '--isolate', '--right', 'process:./nowhere'), 5, 'exited with code 127')

    def test_isolate_ends_with_the_whole_program(self):
        """Defects of control flow, of which no instruction alone says anything."""
        call = 'f { a = f32[2] parameter(0) ROOT n = f32[2] negate(a) } ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] call(x), to_apply=f }'
        branch = ('f { a = f32[2] parameter(0) ROOT n = f32[2] negate(a) } g { b = f32[2] parameter(0) ROOT m = f32[2] add(b, b) } '
                  'ENTRY e { x = f32[2] parameter(0) p = pred[] constant(true) '
                  'ROOT r = f32[2] conditional(p, x, x), true_computation=f, false_computation=g }')
        loop = ('b { s = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(s, one) } '
                'c { s = s32[] parameter(0) n = s32[] constant(3) ROOT l = pred[] compare(s, n), direction=LT } '
                'ENTRY e { x = s32[] parameter(0) ROOT r = s32[] while(x), condition=c, body=b }')
        for text, mutant, given, not_asked in ((call, 'call/returns_argument', 'f32[2] {1, 2}', ['r']),
                                               (branch, 'conditional/branches_exchanged', 'f32[2] {1, 2}', ['r', 'm']),
                                               (loop, 'while/one_turn_too_many', 's32[] 0', ['r'])):
            module, inputs = self.path('m.hlo', text), self.path('inputs.txt', given)
            diff = ('diff', module, '--inputs', inputs, '--isolate', '--right')
            self.expect(assay(*diff, 'golden'), 0, 'whole program: ', 'not asked alone')
            self.expect(assay(*diff, 'mutant:' + mutant), 1, '0 wrong', 'whole program: ', 'The whole program is wrong', 'wrong first: the whole program')
            report = json.loads(assay(*diff, 'mutant:' + mutant, '--json').out)
            self.assertEqual((report['verdict'], report['wrong'], report['whole']['verdict']), ('wrong', 0, 'wrong'))
            self.assertEqual([each['instruction'] for each in report['not_asked_alone']], not_asked)

    def test_isolate_folds_long_lists(self):
        """Ten wrong instructions, and of many permitted differences those nearest to their bounds; JSON has all."""
        steps = ' '.join(f'x{i + 1} = f32[8] tanh(x{i})' for i in range(12))
        module = self.path('m.hlo', f'ENTRY e {{ x0 = f32[8] parameter(0) {steps} ROOT r = f32[8] negate(x12) }}')
        inputs = self.path('inputs.txt', 'f32[8] {0.1, 0.2, 0.3, 0.4, -0.1, -0.2, -0.3, -0.4}')
        diff = ('diff', module, '--inputs', inputs, '--isolate', '--profile', 'cpu-strict', '--right')
        wrong = self.expect(assay(*diff, 'mutant:tanh/linear_below_one_half'), 1, '2 more instructions are wrong', '12 wrong')
        self.assertEqual(wrong.out.count('(rule: 6 ulp'), 10, wrong.out)
        permitted = self.expect(assay(*diff, 'conforming:functions/one_ulp_off'), 0, '12 instructions differ as the profile permits', '12 within')
        self.assertEqual(permitted.out.count('(rule: 6 ulp'), 5, permitted.out)
        self.assertEqual(len(json.loads(assay(*diff, 'conforming:functions/one_ulp_off', '--json').out)['instructions']), 13)

    def test_isolate_fails_where_nothing_was_judged(self):
        module = self.path('m.hlo', 'HloModule m, replica_count=2\nf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] subtract(a, b) } '
                           'ENTRY e { x = f32[3] parameter(0) y = f32[3] all-reduce(x), replica_groups={}, to_apply=f '
                           'ROOT r = f32[3] all-reduce(y), replica_groups={}, to_apply=f }')
        diff = ('diff', module, '--inputs', 'random', '--isolate', '--profile', 'xla-cpu', '--right', 'mutant:all-reduce/own_value')
        self.expect(assay(*diff), 1, 'whole program: all 6 elements are not judgeable', 'Nothing was judged')
        self.assertEqual(json.loads(assay(*diff, '--json').out)['verdict'], 'not judged')

    def test_devices(self):
        module = self.path('m.hlo', b'HloModule m, replica_count=2\nENTRY e { ROOT x = f32[3] parameter(0) }')
        both, kept = self.target('two_devices'), self.path('kept')
        random = assay('run', module, '--inputs', 'random', '--backend', both)
        self.expect(random, 0, 'out0.dev0 = f32[3]', 'out0.dev1 = f32[3]')
        values = [line.split(' = ')[1] for line in random.out.splitlines()]
        self.assertNotEqual(values[0], values[1])
        self.expect(assay('diff', module, '--inputs', 'random', '--left', both, '--right', both, '--save', kept), 0,
                    'out0.dev1', 'equal in every element')
        inputs, results = os.path.join(kept, 'inputs.npz'), os.path.join(kept, 'left.npz')
        with zipfile.ZipFile(inputs) as archive:
            self.assertEqual(sorted(archive.namelist()), ['arg0.dev0.npy', 'arg0.dev1.npy'])
        out = self.path('out.npz')
        self.expect(assay('run', module, '--inputs', inputs, '--backend', both, '--expect', results, '--out', out), 0,
                    'out0.dev1')
        with zipfile.ZipFile(out) as archive:
            self.assertEqual(sorted(archive.namelist()), ['out0.dev0.npy', 'out0.dev1.npy'])
        self.expect(assay('run', module, '--inputs', inputs, '--expect', results), 0, 'out0.dev1')
        self.expect(assay('diff', module, '--inputs', inputs, '--right', both), 0, 'out0.dev1', 'equal in every element')
        one = self.path('one.txt', b'f32[3] {1, 2, 3}')
        self.expect(assay('run', module, '--inputs', one, '--backend', both), 0, 'out0.dev1 = f32[3]{0} {1, 2, 3}')

    def test_budgets_hold_for_processes(self):
        module = self.path('m.hlo', b'ENTRY e { ROOT x = f32[3] parameter(0) }')
        answers = self.path('answers.json', json.dumps(
            [{'type': 'hello', 'protocol': 1, 'name': 'mute', 'version': '1', 'formats': ['hlo-text']}, {'@sleep': True}]))
        for target in ('process:sleep 77', 'process:true; sleep 77', self.target('by_hand ' + answers)):
            result = assay('run', module, '--inputs', 'random', '--backend', target, '--budget-seconds', 2)
            self.expect(result, 5, 'hung')

    def test_control_characters_take_no_effect(self):
        evil = self.path('evil.txt', b'\x1b[31mEVIL\x07 \xc2\x9b31m')
        result = assay('run', self.path('m.hlo', ADD), '--inputs', evil)
        self.expect(result, 2, 'EVIL')
        self.assertNotIn('\x1b', result.err)
        self.assertNotIn('\x9b', result.err)
        result = assay('run', self.path('m.hlo', ADD), '--inputs', 'random', '--backend',
                       "process:printf '\\033[31mred'; exit 7")
        self.expect(result, 5, '\\x1b[31mred', 'code 7')
        self.assertNotIn('\x1b', result.err)


if __name__ == '__main__':
    main()
