"""`assay report`: shards become one report, holes and strangers are refused, JUnit XML keeps to its schemas."""
import json
import os
import re
import xml.etree.ElementTree as ElementTree

from cli_testing import CommandLineTest, assay, main

CASES = [
    {'id': 'add/f32/a', 'op': 'add', 'type': 'f32', 'outcome': 'exact', 'target_seconds': 0.25},
    {'id': 'add/f32/b', 'op': 'add', 'type': 'f32', 'outcome': 'wrong', 'probes': [
        {'outcome': 'wrong', 'judgement': {'verdict': 'wrong', 'elements': {'wrong': 2, 'exact': 5}, 'rule': 'exact', 'evidence': [
            {'verdict': 'wrong', 'index': [3], 'golden': '1', 'actual': '2 ]]> \u0001 \u202e \ufffe <b>', 'reason': 'a\nb'}]}}]},
    {'id': 'sort/s8/c', 'op': 'sort', 'type': 's8', 'outcome': 'failed', 'message': 'signal 11 </failure>'},
    {'id': 'sort/s8/d', 'op': 'sort', 'type': 's8', 'outcome': 'invalid', 'waiver': 'known & old'},
    {'id': 'sort/s8/e', 'op': 'sort', 'type': 's8', 'outcome': 'not supported'},
]


def run(cases=CASES, **changes):
    return json.dumps({'format': 1, 'target': 'process:x', 'profile': 'xla-cpu', 'tier': 'quick', 'corpus': 'c0', 'shard': 0, 'shards': 1,
                       'selected': len(cases), 'seconds': 2.5, 'started': '2026-11-22T05:50:00', 'cases': cases, **changes})


# Attributes of the schemas of Ant and of Jenkins: what both demand and both admit.
ATTRIBUTES = {
    'testsuites': set(),
    'testsuite': {'name', 'package', 'id', 'timestamp', 'hostname', 'tests', 'failures', 'errors', 'skipped', 'time'},
    'properties': set(), 'property': {'name', 'value'}, 'testcase': {'name', 'classname', 'time'},
    'failure': {'message', 'type'}, 'error': {'message', 'type'}, 'skipped': {'message'}, 'system-out': set(), 'system-err': set(),
}
CHILDREN = {'testsuites': '(testsuite;)*', 'testsuite': 'properties;(testcase;)*system-out;system-err;', 'properties': '(property;)*',
            'testcase': '((failure|error|skipped);)?'}


class ReportTest(CommandLineTest):
    def check_schema(self, element):
        self.assertEqual(set(element.attrib), ATTRIBUTES[element.tag])
        self.assertRegex(''.join(child.tag + ';' for child in element), f'^{CHILDREN.get(element.tag, "")}$')
        for key in ('tests', 'failures', 'errors', 'skipped', 'id'):
            if key in element.attrib:
                self.assertRegex(element.get(key), r'^\d+$')
        if 'time' in element.attrib:
            self.assertRegex(element.get('time'), r'^\d+(\.\d+)?$')
        if 'timestamp' in element.attrib:
            self.assertRegex(element.get('timestamp'), r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$')
        for child in element:
            self.check_schema(child)

    def test_junit(self):
        xml = self.path('r.xml')
        self.expect(assay('report', 'junit', self.path('r.json', run(complaints=['waiver z matches nothing'])), '-o', xml), 0)
        with open(xml, 'rb') as file:
            text = file.read().decode()
        self.assertIsNone(re.search('[\x00-\x08\x0b-\x1f\ufffe]', text))
        root = ElementTree.fromstring(text)
        self.check_schema(root)
        suites = {suite.get('name'): suite for suite in root}
        self.assertEqual(sorted(suites), ['add', 'run', 'sort'])
        self.assertEqual([suite.get('id') for suite in root], ['0', '1', '2'])
        for suite in root:
            tests = suite.findall('testcase')
            for key, tag in (('failures', 'failure'), ('errors', 'error'), ('skipped', 'skipped')):
                self.assertEqual(int(suite.get(key)), sum(test.find(tag) is not None for test in tests), suite.get('name'))
            self.assertEqual(int(suite.get('tests')), len(tests))
            self.assertAlmostEqual(float(suite.get('time')), sum(float(test.get('time')) for test in tests))
        outcomes = {test.get('name'): [child.tag for child in test] for test in root.iter('testcase')}
        self.assertEqual(outcomes, {'add/f32/a': [], 'add/f32/b': ['failure'], 'sort/s8/c': ['error'], 'sort/s8/d': ['skipped'],
                                    'sort/s8/e': ['skipped'], 'complaint 1': ['failure']})
        self.assertEqual(suites['add'].find('.//testcase[@name="add/f32/a"]').get('classname'), 'add.f32')
        self.assertIn('[3]: actual 2 ]]> \ufffd', suites['add'].find('.//failure').text)
        self.assertEqual(suites['sort'].find('.//error').get('message'), 'signal 11 </failure>')
        self.assertEqual(suites['sort'].find('properties/property[@name="label"]').get('value'), 'sort')

    def test_show(self):
        report = self.path('r.json', run())
        self.expect(assay('report', 'show', report), 1, 'process:x, profile xla-cpu, tier quick: 4 of 5 cases ran (80.0%) in 2.5 s', '1 wrong', '1 of them waived',
                    'failures by operation: add 1, sort 1', 'assay test --target process:x --profile xla-cpu --filter add/f32/b')
        summary = json.loads(assay('report', 'show', report, '--json').out)
        self.assertEqual((summary['cases'], summary['failures'], summary['waived'], summary['fails']), (5, 2, 1, True))
        self.assertEqual(summary['outcomes']['not supported'], 1)
        self.expect(assay('report', 'show', self.path('good.json', run(CASES[:1])), '--quiet'), 0)
        # What strangers wrote takes no effect on a terminal.
        hostile = self.path('h.json', run([{'id': 'a', 'outcome': 'failed', 'message': '\x1b[2J'}]))
        self.assertNotIn('\x1b', assay('report', 'show', hostile).out)

    def test_merge(self):
        shards = [self.path(f's{i}.json', run(CASES[i::3], shard=i, shards=3)) for i in range(3)]
        out, html, junit = self.path('all.json'), self.path('all.html'), self.path('all.xml')
        self.expect(assay('report', 'merge', *reversed(shards), '-o', out, '--html', html, '--junit', junit), 1, '4 of 5 cases ran (80.0%) in 7.5 s')
        with open(out, encoding='utf-8') as file:
            merged = json.load(file)
        self.assertEqual([case['id'] for case in merged['cases']], [case['id'] for case in CASES])
        self.assertEqual((merged['shards'], merged['selected']), (1, 5))
        self.assertTrue(os.path.getsize(html) > 10000 and os.path.getsize(junit) > 1000)
        self.expect(assay('report', 'merge', shards[0], shards[2]), 2, 'no file has shard 1 of 3')
        self.expect(assay('report', 'merge', shards[0], shards[2], '--partial'), 1, 'no file has shard 1 of 3')
        self.expect(assay('report', 'merge', *shards, shards[1]), 2, 'are both shard 1')
        other = self.path('other.json', run(CASES[2::3], shard=2, shards=3, corpus='c1'))
        # A shard that died leaves the report of the run before, and its journal.
        journal = self.path('s0.json.journal', '{}\n')
        self.expect(assay('report', 'merge', *shards), 2, 's0.json: it is of an earlier run')
        os.remove(journal)
        self.expect(assay('report', 'merge', *shards[:2], other), 2, f'{other}: its corpus is "c1", that of', '"c0"')
        torn = self.path('torn.json', run(CASES[2::3], shard=2, shards=3, selected=9, interrupted=True))
        self.expect(assay('report', 'merge', *shards[:2], torn), 2, f'{torn} has 1 of its 9 cases: it was interrupted')

    def test_bad_input(self):
        self.expect(assay('report'), 2)
        self.expect(assay('report', 'show', self.path('none.json')), 2, 'none.json: cannot open')
        for content, words in (('', 'not a report that --report json=FILE has written: it is not JSON at byte 1'), ('{"format": 2, "cases": []}', 'format: it is 2, and 1 can be read'),
                               ('[' * 100000, 'not a report that --report json=FILE has written'), (run().replace('"exact"', '"fine"', 1), "there is no 'fine'")):
            self.expect_refusal(assay('report', 'show', self.path('bad.json', content), limited=True), 2, 'bad.json', words)
        report = self.path('r.json', run())
        self.expect(assay('report', 'html', report, '-o', '/dev/full'), 2, '/dev/full: cannot write')
        old = self.path('old/keep.html')
        self.expect(assay('report', 'html', report, '-o', old), 2, 'cannot write')
        self.expect(assay('report', 'html', report), 2, '--out')


class DiffTest(CommandLineTest):
    def test_two_runs_compared(self):
        before, after, page = self.path('before.json'), self.path('after.json'), self.path('changes.html')
        mended = [dict(case, outcome='exact') if case['id'] == 'sort/s8/c' else case for case in CASES]
        with open(before, 'w') as f:
            f.write(run())
        with open(after, 'w') as f:
            f.write(run(mended))
        self.expect(assay('report', 'diff', before, after, '--html', page), 0, 'fixes: 1 (sort s8 1)', 'sort/s8/c: failed, now exact', 'No regression')
        with open(page) as f:
            self.assertIn('sort/s8/c', f.read())
        worse = self.expect(assay('report', 'diff', after, before, '--json'), 1)
        self.assertEqual([change['id'] for change in json.loads(worse.out)['regressions']], ['sort/s8/c'])
        self.expect(assay('report', 'diff', before, before), 0, '5 cases as before')
        self.expect(assay('report', 'diff', before), 2)
        self.expect(assay('report', 'diff', before, self.path('nowhere.json')), 2, 'nowhere.json')


if __name__ == '__main__':
    main()
