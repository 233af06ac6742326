#!/usr/bin/env python3
"""`assay show`, `assay explain`, `assay ops` and help: what they print. Expected output is worked out by hand.
"""
import base64
import json
import os
import re

from cli_testing import ADD, ASSAY, SOURCE, CommandLineTest, assay, main, on_terminal, sample


class Show(CommandLineTest):
    def test_show(self):
        module = self.path('m.hlo', ADD)
        text = assay('show', module, '--to', 'text')
        self.expect(text, 0, 'ROOT %s = f32[2]{0} add(%x, %y)')
        again = self.path('again.hlo', text.out.encode())
        self.assertEqual(assay('show', again, '--to', 'text').out, text.out)
        self.expect(assay('show', module, '--to', 'dot'), 0, 'digraph', 'n0 -> n2')
        self.assertEqual(json.loads(assay('show', module, '--to', 'json').out)['entry_computation_name'], 'e')
        stats = json.loads(assay('show', sample('matmul_chain.hlo'), '--stats', '--json').out)
        self.assertEqual(stats['multiply_adds'], 3 * 160 ** 3)
        self.assertEqual(stats['opcodes']['dot'], 3)
        self.expect(assay('show', module, '--to', 'nothing'), 2)
        self.expect(assay('show', module, '--to', 'text', '--stats'), 2, '--stats', '--to')
        short = json.loads(assay('show', module, '--to', 'short', '--json').out)
        self.assertEqual((short['format'], short['text']), ('short', assay('show', module, '--to', 'short').out))
        proto = self.path('m.pb')
        written = json.loads(assay('show', module, '--to', 'proto', '--json', '--out', proto).out)
        self.assertEqual(written['out'], proto)
        with open(proto, 'rb') as f:
            self.assertEqual(f.read(), base64.b64decode(json.loads(assay('show', module, '--to', 'proto', '--json').out)['base64']))
        code, text = on_terminal(80, 'show', module, '--to', 'proto')
        self.assertEqual(code, 2)
        self.assertIn('--out', text)

    def test_stablehlo(self):
        module = self.path('m.hlo', ADD)
        self.expect(assay('show', module, '--to', 'stablehlo'), 0,
                    'stablehlo.add %arg0, %arg1 : tensor<2xf32>', 'return %0 : tensor<2xf32>')
        self.expect(assay('show', module, '--to', 'stablehlo-generic'), 0,
                    '"stablehlo.add"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>')
        located = self.path(
            'located.hlo',
            b'ENTRY e { x = f32[] parameter(0) ROOT y = f32[] negate(x), '
            b'metadata={op_name="jit(f)/neg" source_file="net.py" source_line=3 source_column=1} }')
        self.expect(assay('show', located, '--to', 'stablehlo', '--locations'), 0,
                    'tensor<f32> loc(#loc3)', '#loc2 = loc("net.py":3:1)', '#loc3 = loc("jit(f)/neg"(#loc2))')
        self.expect(assay('show', located, '--locations'), 2, '--to stablehlo')
        artifact = base64.b64decode(
            json.loads(assay('show', module, '--to', 'stablehlo-artifact=1.10.0', '--json').out)['base64'])
        self.assertEqual(artifact[:4], b'ML\xefR')
        self.assertIn(b'StableHLO_v1.10.0\0', artifact)
        self.expect(assay('show', module, '--to', 'stablehlo-artifact=new', '--json'), 2, "'new'", '1.15.0')
        narrow = self.path('s1.hlo', b'ENTRY e { x = s1[2] parameter(0) ROOT y = s1[2] not(x) }')
        self.expect_refusal(assay('show', narrow, '--to', 'stablehlo'), 4, 's1[2]', 'no equivalent in StableHLO')

    def test_graphs_name_what_is_called(self):
        loop = self.path('loop.hlo', b'body { ROOT s = s32[] parameter(0) }\n'
                         b'cond { s = s32[] parameter(0) ROOT c = pred[] constant(false) }\n'
                         b'ENTRY e { x = s32[] constant(0) ROOT w = s32[] while(x), condition=cond, body=body }')
        self.expect(assay('show', loop, '--to', 'dot'), 0, 'label="body"', 'label="condition"')

    def test_other_formats_are_refused_with_advice(self):
        self.expect_refusal(assay('show', self.path('m.mlir', b'ML\xefR\x01StableHLO_v1.0.0\0')), 2, 'm.mlir')
        dumped = assay('show', self.path('m.hlo', ADD), '--to', 'json').out.encode()
        self.expect_refusal(assay('show', self.path('m.json', dumped)), 2, 'JSON')
        # A computation may be called module.
        self.expect(assay('show', self.path('module.hlo', b'module { ROOT x = f32[] parameter(0) }\n'
                                            b'ENTRY e { y = f32[] parameter(0) ROOT c = f32[] call(y), to_apply=module }')), 0)

    def test_show_sharding(self):
        module = self.path('s.hlo', b"""HloModule m, num_partitions=4
ENTRY e {
  a = f32[5,4] parameter(0), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  b = f32[3] parameter(1), sharding={devices=[4]3,2,1,0}
  c = f32[2] parameter(2), sharding={maximal device=2}
  d = f32[2] parameter(3), sharding={manual}
  f = f32[4] parameter(4), sharding={mesh['x'=2,'y'=2], [{'y'}], unreduced=max{'x'}}
  g = f32[] parameter(5), sharding={unknown}
  h = f32[] parameter(6)
  ROOT t = (f32[2], f32[]) tuple(c, h), sharding={{maximal device=2}, {replicated}}
}
""")
        expected = """a = f32[5,4], sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  [0:3,0:4]  devices 0 2
  [3:5,0:4]  devices 1 3
b = f32[3], sharding={devices=[4]3,2,1,0}
  [3:3]  device 0
  [2:3]  device 1
  [1:2]  device 2
  [0:1]  device 3
c = f32[2], sharding={maximal device=2}
  nothing  devices 0-1 3
  [0:2]  device 2
d = f32[2], sharding={manual}
  [0:2] of value 0 of 4  device 0
  [0:2] of value 1 of 4  device 1
  [0:2] of value 2 of 4  device 2
  [0:2] of value 3 of 4  device 3
f = f32[4], sharding={mesh['x'=2,'y'=2], [{'y'}], unreduced=max{'x'}}
  [0:2] of candidate for the maximum 0 of 2  device 0
  [2:4] of candidate for the maximum 0 of 2  device 1
  [0:2] of candidate for the maximum 1 of 2  device 2
  [2:4] of candidate for the maximum 1 of 2  device 3
g = f32[], sharding={unknown}
  unknown
t{0} = f32[2], sharding={maximal device=2}
  nothing  devices 0-1 3
  [0:2]  device 2
t{1} = f32[], sharding={replicated}
  []  devices 0-3
"""
        shown = assay('show', module, '--sharding')
        self.assertEqual((shown.code, shown.out), (0, expected))
        arrays = json.loads(assay('show', module, '--sharding', '--json').out)
        self.assertEqual([array['name'] for array in arrays], ['a', 'b', 'c', 'd', 'f', 'g', 't{0}', 't{1}'])
        self.assertEqual(arrays[0]['devices'][3],
                         {'device': 3, 'starts': [3, 0], 'limits': [5, 4], 'value': 0, 'summand': 0})
        self.assertEqual(arrays[0]['tile_sizes'], [3, 4])
        self.assertFalse(arrays[5]['known'])
        self.expect(assay('show', module, '--sharding', '--stats'), 2, 'ask for one of them')
        plain = self.path('plain.hlo', b'HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n')
        self.assertEqual(assay('show', plain, '--sharding').out, 'no array has a sharding\n')
        self.assertEqual(json.loads(assay('show', plain, '--sharding', '--json').out), [])
        bad = self.path('bad.hlo', b'HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0), sharding={devices=[2,1]0,1}\n}\n')
        self.expect(assay('show', bad, '--sharding'), 2, 'sharding_c4', '%x = f32[2] parameter(0)')
        many = self.path('many.hlo', b'HloModule m, num_partitions=1000000000000\nENTRY e {\n'
                         b'  ROOT x = f32[2] parameter(0), sharding={replicated}\n}\n')
        self.expect(assay('show', many, '--sharding', limited=True), 3, 'more than')

    def test_show_layout(self):
        """The document's memory of [2 x 3], column-major and padded to [3, 5]; packed elements; JSON and back."""
        module = self.path('m.hlo', b'ENTRY e { ROOT c = s32[2,3]{0,1} constant({{1,2,3},{4,5,6}}) }')
        self.expect(assay('show', module, '--layout'), 0, 'c = s32[2,3]{0,1}: 6 cells of 32 bits, 24 bytes',
                    '\n  1 4 2 5 3 6\n')
        padded = ('--padded-dimensions', '3,5', '--padding-value', 'zero')
        self.expect(assay('show', module, '--layout', *padded), 0, '\n  1 4 0 2 5 0 3 6 0 0 0 0 0 0 0\n')
        self.expect(assay('show', module, '--layout', '--minor-to-major', '1,0'), 0, '\n  1 2 3 4 5 6\n')
        self.expect(assay('show', module, '--layout', '--minor-to-major', '1,1'), 2, 'not a permutation')
        memory = json.loads(assay('show', module, '--layout', '--json', *padded).out)
        self.assertEqual(memory[0]['padded_dimensions'], [3, 5])
        memory[0]['name'] = 'arg0'
        identity = self.path('i.hlo', b'ENTRY e { x = s32[2,3] parameter(0) ROOT n = s32[2,3] negate(x) }')
        arrays = self.path('memory.json', json.dumps(memory).encode())
        self.expect(assay('run', identity, '--inputs', arrays), 0, '{ -1, -2, -3 }')
        packed = self.path('p.hlo', b'ENTRY e { ROOT p = u4[3]{0:E(4)} parameter(0) }')
        self.expect(assay('show', packed, '--layout', '--inputs', self.path('u4.txt', b'u4[3] {1, 2, 3}')), 0,
                    '3 cells of 4 bits, 2 bytes')

    def test_explain(self):
        module = self.path('m.hlo', b'ENTRY e { x = s32[2,3] parameter(0) z = s32[] constant(9)\n'
                           b't = s32[3,2] transpose(x), dimensions={1,0}\n'
                           b'p = s32[4,2] pad(t, z), padding=1_0x0_0 ROOT n = s32[4,2] negate(p) }')
        arrays = self.path('x.txt', b's32[2,3] {{1,2,3},{4,5,6}}')
        given = ('explain', module, '--inputs', arrays, '--element')
        self.expect(assay(*given, '0:[3,1]'), 0, 'n[3,1] = -6', '\n      x[1,2] = 6  s32 parameter\n', '3 elements')
        self.expect(assay(*given, '0:[0,1]'), 0, '\n    z[] = 9  s32 constant')
        self.expect(assay(*given, '0:[3,1]', '--depth', '1'), 0, '... 1 more')
        tree = json.loads(assay(*given, '0:3,1', '--json').out)
        self.assertEqual(tree['element']['reads'][0]['reads'][0]['index'], [2, 1])
        self.assertEqual(tree['elements_computed'], 3)
        self.expect(assay(*given, '0:[4,0]'), 2, 'no element [4,0]')
        self.expect(assay(*given, '1'), 2, 'no output 1')
        self.expect(assay(*given, '0:[x]'), 2, 'OUTPUT:[INDEX,...]')

    def test_views_store_nothing(self):
        module = self.path('m.hlo', b'ENTRY e { x = f32[100,50] parameter(0) c = f32[50] parameter(1)\n'
                           b'b = f32[100,50] broadcast(c), dimensions={1} ROOT r = f32[100,50] add(x, b) }')
        result = assay('run', module, '--inputs', 'random', '--json')
        self.assertEqual(json.loads(result.out)['stats']['materialised_bytes'], 20000)

    def test_ops(self):
        ops = json.loads(assay('ops', '--json').out)
        self.assertEqual(len(ops), 133)
        self.assertEqual([op['name'] for op in ops], sorted(op['name'] for op in ops))
        add = next(op for op in ops if op['name'] == 'add')
        self.assertEqual(add['arity'], 2)
        self.assertTrue(add['backends']['golden'])
        self.assertEqual(len(add['types']), 32)
        self.expect(assay('ops', 'reduce-window'), 0, 'window', 'to_apply')
        self.expect(assay('ops', 'reduce-windw'), 2, 'did you mean reduce-window?')
        self.expect(assay('ops', 'frob'), 2, 'no operation frob; ')
        # What StableHLO, JAX and NumPy call operations.
        for name, hlo in (('exp', 'exponential'), ('lax.dot_general', 'dot'), ('stablehlo.all_reduce', 'all-reduce'), ('REDUCE_WINDOW', 'reduce-window'),
                          ('psum', 'all-reduce'), ('jnp.where', 'select'), ('lax.while_loop', 'while'), ('chlo.erf', 'erf'),
                          ('DynamicSlice', 'dynamic-slice'), ('lax.pmax', 'all-reduce'), ('torch.permute', 'transpose'), ('CrossReplicaSum', 'all-reduce')):
            self.expect(assay('ops', name), 0, f'{name} is {hlo} in HLO', f'\n{hlo}\n')
        self.expect(assay('ops', 'lax.tanhh'), 2, 'did you mean tanh?')
        self.expect(assay('ops', 'exponential'), 0, 'also called', 'exp')
        self.expect(assay('ops', 'jax.nn.softmax'), 0, 'jax.nn.softmax is not an operation of HLO. It is made of these:', 'reduce: ', 'divide: ')
        self.expect(assay('ops', 'lax.digamma'), 0, 'It is made of these and others:', 'log: ')
        self.expect(assay('ops', 'round'), 0, 'one of round-nearest-even, round-nearest-afz')
        self.assertTrue(assay('ops').out.startswith('OPERATION '))
        with open(os.path.join(SOURCE, 'docs', 'operations.md')) as f:
            self.assertTrue(f.read().startswith(assay('ops', '--markdown').out), 'build the target operations_page')

    def test_page_of_an_operation(self):
        """Each operation has a meaning, operands, the sections of its rules, and a word on each attribute."""
        sections = {}
        for name in ('elementwise', 'structural', 'control'):
            with open(os.path.join(SOURCE, 'docs', 'semantics', 'rules', name + '.md')) as f:
                sections[name] = re.findall(r'^#+ ([0-9.]+?)\.? ', f.read(), re.M)
        for op in json.loads(assay('ops', '--json').out):
            page = json.loads(assay('ops', op['name'], '--json').out)[0]
            self.assertGreater(len(page['meaning'].split()), 1, op['name'])
            rows = {title: {row['name']: row['text'] for row in each} for title, each in page['sections'].items()}
            rules, _, _ = rows['Summary']['rules'].partition(' (')
            for part in rules.split('; '):
                page_name, _, numbers = part.partition(' ')
                for number in numbers.split(', '):
                    self.assertIn(number, sections[page_name], op['name'])
                    told = [text for title, text in rows['Rules'].items() if title.startswith(f'{page_name} {number}, ')]
                    self.assertEqual(len(told), 1, f"{op['name']}: the page does not have the rule {page_name} {number}")
                    self.assertGreater(len(told[0].split()), 4, op['name'])
            named = sum(len(names.split(', ')) for names in rows.get('Operands', {}))
            self.assertEqual(named > 0, op['arity'] != 0, op['name'])
            if isinstance(op['arity'], int):
                self.assertEqual(named, op['arity'], op['name'])
            self.assertEqual(set(rows.get('Attributes', {})), {each['name'] for each in op['attributes']})
            for name, text in rows.get('Attributes', {}).items():
                self.assertRegex(text, r'^\S.* \(.*\)$', f"{op['name']}: nothing says what {name} does")
        self.expect(assay('ops', 'divide'), 0, 'I-1', 'Golden: -1, all bits set', 'any integer', 'divide/', 'arg0 = ', 'out0 = ')
        self.expect(assay('ops', 'and'), 0, 'The bits that are set in both')
        self.expect(assay('ops', 'gather'), 0, 'structural 4.1, Gather', '1. S is the start vector at G.', '5. The result is operand[full].')
        # Of a table of functions a page has the row of its own.
        page = assay('ops', 'tanh').out
        self.assertIn('| tanh, erf | -1 | the operand | 1 | |', page)
        self.assertNotIn('| cosh |', page)
        self.assertNotIn('Decision points', assay('ops', 'and').out)
        tanh = json.loads(assay('ops', 'tanh', '--json').out)[0]['sections']
        budgets = json.loads(assay('profile', 'show', 'xla-cpu', '--op', 'tanh', '--json').out)['budgets']['tanh']
        told = next(row['text'] for row in tanh['Accuracy'] if row['name'] == 'xla-cpu')
        for name, budget in budgets.items():
            self.assertIn(f"{name} {budget['ulps']:.4g}", told)

    def test_pages_of_operations(self):
        """docs/ops is what the command writes."""
        folder = self.path('ops')
        self.expect(assay('ops', '--write-docs', folder), 0, '133 pages')
        kept = os.path.join(SOURCE, 'docs', 'ops')
        self.assertEqual(sorted(os.listdir(folder)), sorted(os.listdir(kept)))
        for name in os.listdir(folder):
            with open(os.path.join(folder, name)) as new, open(os.path.join(kept, name)) as old:
                self.assertEqual(new.read(), old.read(), f'docs/ops/{name} is stale: assay ops --write-docs docs/ops')
        self.expect(assay('ops', '--write-docs', '/proc/nowhere'), 2, '/proc/nowhere')

    def test_help(self):
        os.environ['COLUMNS'] = '80'
        self.addCleanup(os.environ.__setitem__, 'COLUMNS', '100000')
        for command in ([], ['run'], ['diff'], ['show'], ['ops'], ['verify']):
            result = assay(*command, '--help')
            self.expect(result, 0, '--help')
            self.assertLessEqual(max(map(len, result.out.splitlines())), 80, result.out)
            for columns in (60, 120, 200):
                code, text = on_terminal(columns, *command, '--help')
                self.assertEqual(code, 0)
                prose = [line for line in text.splitlines() if not line.startswith('  assay') and not line.startswith('      -')]
                self.assertLessEqual(max(map(len, prose)), min(columns, 120), text)
        for name in ('add', 'reduce-window', 'custom-call'):
            self.assertLessEqual(max(map(len, assay('ops', name).out.splitlines())), 80)
        self.expect(assay('--version'), 0, 'assay')
        self.expect(assay(), 2, 'assay: ', 'assay --help')
        self.expect(assay('run'), 2, 'assay: ', 'MODULE', 'assay run --help')
        self.expect(assay('run', 'x', '--no-such-flag'), 2, 'assay run --help')
        report = json.loads(assay('run', '--json').out)
        self.assertEqual(report['exit_code'], 2)
        self.assertIn('MODULE', report['error'])

    def test_progress_on_a_terminal_only(self):
        example = 'process:' + os.path.join(os.path.dirname(ASSAY), 'example_target')
        module = self.path('m.hlo', b'ENTRY e { x = f32[2] parameter(0) y = f32[2] add(x, x) ROOT z = f32[2] add(y, x) }')
        diff = ('diff', module, '--inputs', 'random', '--right', example, '--isolate')
        code, text = on_terminal(80, *diff)
        self.assertEqual(code, 0, text)
        self.assertIn('2 of up to 2 instructions judged, last', text)
        result = assay(*diff)
        self.assertNotIn('judged, last', result.out + result.err)
        self.assertNotIn('\x1b', result.out + result.err)


if __name__ == '__main__':
    main()
