#!/usr/bin/env python3
"""`assay profile`: the list names every profile file, and a profile shows what its text grants."""
import json
import pathlib
import re

from cli_testing import ADD, ASSAY, SOURCE, CommandLineTest, assay, main


class ProfileTest(CommandLineTest):
    def test_the_list_is_that_of_the_files(self):
        files = {path.stem for path in (pathlib.Path(SOURCE) / 'conformance/profiles').glob('*.textproto')}
        listed = json.loads(self.expect(assay('profile', 'list', '--json'), 0).out)
        self.assertEqual({row['name'] for row in listed}, {name for name in files if not name.startswith('level-')})
        self.assertTrue(all(row['description'] for row in listed))
        for row in listed:
            self.expect(assay('profile', 'list'), 0, row['name'])

    def test_a_file_shows_what_it_says(self):
        path = self.path('mine.textproto')
        pathlib.Path(path).write_text('description: "Mine"\nbudget { op: "tanh" f32: 5 bf16: 1 }\ngrant: "contraction"\n')
        shown = json.loads(self.expect(assay('profile', 'show', path, '--json'), 0).out)
        self.assertEqual(shown['budgets']['tanh']['f32'], {'ulps': 5.0})
        self.assertEqual(shown['budgets']['tanh']['bf16'], {'ulps': 1.0})
        self.assertEqual(shown['permitted_deviations'], ['contraction'])
        self.assertEqual(shown['decision_points'], [])
        text = self.expect(assay('profile', 'show', path, '--op', 'tanh'), 0).out
        self.assertRegex(text, r'tanh +\S+ +5 +\S+ +1 ')

    def test_grants_are_those_of_the_built_in_text(self):
        source = (pathlib.Path(SOURCE) / 'conformance/profiles/xla-cpu.textproto').read_text()
        shown = json.loads(self.expect(assay('profile', 'show', 'xla-cpu', '--json'), 0).out)
        for name in re.findall(r'^grant: "(\w+)"', source, re.M):
            self.assertIn(name, shown['permitted_deviations'])
        for point in re.findall(r'admit: "([\w.-]+)"', source):
            self.assertIn(point, shown['decision_points'])
        self.assertEqual(shown['known_deviations']['N-9'], 'docs/findings/043.md')
        self.expect(assay('profile', 'show', 'xla-cpu'), 0, 'Permitted deviations', 'Known deviations', 'N-9')

    def test_one_rule_without_the_option(self):
        module = self.path('add.hlo', ADD)
        for target, profile in (('golden', 'golden'), ('mutant:pad/with_zero', 'golden'), ('cpu', 'cpu'), ('cpu:plain', 'cpu'),
                                ('cuda-emulated:fuse=kernel', 'cuda'), (f'process:{ASSAY} serve', 'cpu-strict')):
            with self.subTest(target=target):
                judged = (assay('triage', module, '--target', target, '--json'),
                          assay('diff', module, '--inputs', 'random', '--isolate', '--right', target, '--json'))
                self.assertEqual([json.loads(each.out)['profile'] for each in judged], [profile] * 2)
        cases = self.path('mine.cases', 'case add/s32/mine\ntags: op=add type=s32\nmodule:\n  ' + ADD.decode().replace('f32', 's32') +
                          '\ninputs:\n  arg0 = literal s32[2] {1, 2}\n  arg1 = literal s32[2] {3, 4}\nexpect: golden\n')
        suite = self.expect(assay('test', '--target', 'cpu', '--cases', cases, '--json'), 0)
        self.assertEqual(json.loads(suite.out)['profile'], 'cpu')
        fuzzed = self.expect(assay('fuzz', '--target', 'cpu', '--programs', '2', '--jobs', '1', '--json'), 0)
        self.assertEqual(json.loads(fuzzed.out)['campaign']['profile'], 'cpu')

    def test_mistakes_are_named(self):
        self.expect(assay('profile', 'show', 'xla-cpux'), 2, 'xla-cpu')
        self.expect(assay('profile', 'show', 'golden', '--op', 'tanhh'), 2, 'there is no operation tanhh', 'tanh')
        self.expect(assay('profile'), 2)


if __name__ == '__main__':
    main()
