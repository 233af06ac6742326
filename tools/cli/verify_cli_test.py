#!/usr/bin/env python3
"""`assay verify`: findings with their places, folders and lists, rules.
"""
import json

from cli_testing import ADD, SAMPLES, CommandLineTest, assay, main, sample


class Verify(CommandLineTest):
    def test_verify_finds_everything_in_one_pass(self):
        bad = self.path('bad.hlo', b'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[3] negate(x)\n'
                        b'  z = f32[2] add(x, y)\n  ROOT r = f32[2] negate(x)\n}\n')
        result = assay('verify', bad)
        self.expect(result, 2, f'{bad}:4:3: [shape_c2]', f'{bad}:5:3: [binary_c3]', '1 module, 1 failed, 2 findings')
        report = json.loads(assay('verify', bad, '--json').out)
        first = report['files'][0]['findings'][0]
        self.assertEqual((first['clause'], first['line'], first['column'], first['instruction'], first['computation']),
                         ('shape_c2', 4, 3, 'y', 'e'))
        self.assertEqual((first['expected'], first['found']), ('operands and attributes give the shape f32[2]', 'f32[3]'))
        quiet = assay('verify', self.path('good.hlo', ADD), '--quiet')
        self.assertEqual((quiet.code, quiet.out), (0, ''))

    def test_verify_reports_what_cannot_be_read_as_findings(self):
        bad = self.path('bad.hlo', b'ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negat(x)\n}\n')
        self.expect(assay('verify', bad, self.path('none.hlo')), 2, f'{bad}:3:19: [read_c1]', 'negat',
                    'none.hlo: [read_c1]', '2 modules, 2 failed')
        inferred = self.path('inferred.hlo', b'ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = reverse(x), dimensions={1}\n}')
        self.expect(assay('verify', inferred), 2, ':3:', '[reverse_c2]')

    def test_verify_takes_folders_lists_and_every_format(self):
        result = assay('verify', SAMPLES, '--json')
        report = json.loads(result.out)
        self.assertEqual(result.code, 0, result.out)
        self.assertGreater(report['modules'], 60)
        names = self.path('list', f"{sample('mlp_train_step.pb')}\n{self.path('add.hlo', ADD)}\n".encode())
        self.expect(assay('verify', '@' + names), 0, '2 modules, 0 failed, 0 findings')
        # A proto has no lines: names say where.
        text = assay('show', self.path('bad.hlo', b'ENTRY e { x = f32[2] parameter(0) ROOT y = f32[3] negate(x) }'),
                     '--to', 'textproto').out
        self.expect(assay('verify', self.path('bad.textproto', text.encode())), 2, '[shape_c2]', '%y = f32[3]', 'in e')

    def test_verify_rules(self):
        loose = self.path('loose.hlo', b'ENTRY e { x = c64[2] parameter(0) ROOT y = c64[2] maximum(x, x) }')
        self.expect(assay('verify', loose), 0)
        self.expect(assay('verify', loose, '--rules', 'strict'), 2, '[extremum_c1]')
        # What XLA's verifier takes and the documents do not define is not run.
        self.expect(assay('run', loose, '--inputs', 'random'), 4, '[extremum_c1]')


if __name__ == '__main__':
    main()
