#!/usr/bin/env python3
"""`assay mutants`: the tables of docs/mutants.md, choices by name, scores. All scores are score_test's.
"""
import json
import os

from cli_testing import SOURCE, CommandLineTest, assay, main


class Mutants(CommandLineTest):
    def test_docs_have_the_tables_that_are_printed(self):
        tables = self.expect(assay('mutants', '--markdown'), 0).out
        with open(os.path.join(SOURCE, 'docs', 'mutants.md'), encoding='utf-8') as f:
            self.assertTrue(f.read().endswith('\n' + tables), 'docs/mutants.md must end with `assay mutants --markdown`')

    def test_names_choose(self):
        targets = [mutant['target'] for mutant in json.loads(assay('mutants', '--names', 'pad/*', '--json').out)]
        self.assertIn('mutant:pad/low_counted_twice', targets)
        self.assertTrue(all(target.startswith('mutant:pad/') for target in targets), targets)

    def test_scores_say_what_was_found_and_where(self):
        self.expect(assay('mutants', '--score', '--names', 'pad/low_counted_twice'), 0, 'pad/', '1 of 1 defects found (100.0%)')
        # No case of reverse has a pad to be wrong in.
        missed = self.expect(assay('mutants', '--score', '--names', 'pad/low_counted_twice', '--filter', 'reverse/*', '--json'), 1)
        score, = json.loads(missed.out)
        self.assertEqual((score['right'], score['cases']), (False, 0))
        self.expect(assay('mutants', '--score', '--names', 'maximum/first_of_zeros'), 0, '0 of 1 conforming variants accused',
                    '1 of 1 of them seen by profile golden')
        self.expect(assay('mutants', '--names', 'conforming:sort/*'), 0, 'conforming:sort/unstable')
        self.expect(assay('mutants', '--score', '--names', 'nothing*'), 2, "no name of a mutant matches 'nothing*'")
        self.expect(assay('mutants', '--score', '--names', 'add/tail_beyond_65536'), 2, '--tier standard')
        # A stricter profile than its own may see it, and may not: nothing is expected.
        other = self.expect(assay('mutants', '--score', '--names', 'maximum/first_of_zeros', '--profile', 'cpu-strict', '--json'), 0)
        self.assertNotIn('right', json.loads(other.out)[0])


if __name__ == '__main__':
    main()
