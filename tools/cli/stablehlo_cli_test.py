#!/usr/bin/env python3
"""`assay` on StableHLO: programs that state what they expect, entry functions, dynamic sizes, errors. Expected values
are worked out by hand from the StableHLO specification.
"""
import gzip
import json
import os

from cli_testing import SOURCE, CommandLineTest, assay, main

# (name, program): every expectation in it holds by the specification, and not by HLO's rules alone.
MEANINGS = {
    'maximum and minimum of complex numbers are lexicographic': b"""
func.func @main() {
  %a = stablehlo.constant dense<[(1.0, 2.0), (2.0, 0.0), (-1.0, 5.0)]> : tensor<3xcomplex<f32>>
  %b = stablehlo.constant dense<[(1.0, 3.0), (1.0, 9.0), (-1.0, 5.0)]> : tensor<3xcomplex<f32>>
  %0 = stablehlo.maximum %a, %b : tensor<3xcomplex<f32>>
  %1 = stablehlo.minimum %a, %b : tensor<3xcomplex<f32>>
  check.expect_eq_const %0, dense<[(1.0, 3.0), (2.0, 0.0), (-1.0, 5.0)]> : tensor<3xcomplex<f32>>
  check.expect_eq_const %1, dense<[(1.0, 2.0), (1.0, 9.0), (-1.0, 5.0)]> : tensor<3xcomplex<f32>>
  return
}""",
    'complex numbers are compared and clamped lexicographically': b"""
func.func @main() {
  %a = stablehlo.constant dense<[(1.0, 2.0), (2.0, 0.0), (1.0, 1.0)]> : tensor<3xcomplex<f64>>
  %b = stablehlo.constant dense<[(1.0, 3.0), (1.0, 9.0), (1.0, 1.0)]> : tensor<3xcomplex<f64>>
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<3xcomplex<f64>>, tensor<3xcomplex<f64>>) -> tensor<3xi1>
  %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<3xcomplex<f64>>, tensor<3xcomplex<f64>>) -> tensor<3xi1>
  check.expect_eq_const %0, dense<[true, false, false]> : tensor<3xi1>
  check.expect_eq_const %1, dense<[false, true, true]> : tensor<3xi1>
  %lo = stablehlo.constant dense<(1.0, 1.5)> : tensor<complex<f64>>
  %hi = stablehlo.constant dense<(1.0, 2.5)> : tensor<complex<f64>>
  %2 = stablehlo.clamp %lo, %a, %hi : (tensor<complex<f64>>, tensor<3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
  check.expect_eq_const %2, dense<[(1.0, 2.0), (1.0, 2.5), (1.0, 1.5)]> : tensor<3xcomplex<f64>>
  return
}""",
    'conversions of complex numbers ignore the imaginary part': b"""
func.func @main() {
  %a = stablehlo.constant dense<[(0.0, 1.0), (2.5, 1.0)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xi1>
  %1 = stablehlo.convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[false, true]> : tensor<2xi1>
  check.expect_eq_const %1, dense<[0, 2]> : tensor<2xi32>
  return
}""",
    'booleans are one bit wide': b"""
func.func @main() {
  %a = stablehlo.constant dense<[[true, false, true, false, false, false, false, false], [true, true, true, true, true, true, true, true]]> : tensor<2x8xi1>
  %0 = stablehlo.bitcast_convert %a : (tensor<2x8xi1>) -> tensor<2xi8>
  check.expect_eq_const %0, dense<[5, -1]> : tensor<2xi8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2xi8>) -> tensor<2x8xi1>
  check.expect_eq %1, %a : tensor<2x8xi1>
  return
}""",
    'booleans are added as or, multiplied as and': b"""
func.func @main() {
  %a = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
  %b = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %0 = stablehlo.add %a, %b : tensor<3xi1>
  %1 = stablehlo.multiply %a, %b : tensor<3xi1>
  check.expect_eq_const %0, dense<[true, true, false]> : tensor<3xi1>
  check.expect_eq_const %1, dense<[true, false, false]> : tensor<3xi1>
  return
}""",
    'a reduction may work on a wider type': b"""
func.func @main() {
  %a = stablehlo.constant dense<[100, 100]> : tensor<2xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.reduce"(%a, %z) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<2xi8>, tensor<i8>) -> tensor<i32>
  check.expect_eq_const %0, dense<200> : tensor<i32>
  return
}""",
    'select_and_scatter may sum in a wider type than it selects by': b"""
func.func @main() {
  %a = stablehlo.constant dense<[1, 2, 4, 3]> : tensor<4xi8>
  %b = stablehlo.constant dense<[100, 90, 80]> : tensor<3xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.select_and_scatter"(%a, %b, %z) ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    %p = stablehlo.compare GE, %x, %y : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi8>, tensor<3xi8>, tensor<i8>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[0, 100, 170, 0]> : tensor<4xi32>
  return
}""",
    'a static type holds, whatever set_dimension_size makes the size': b"""
func.func @main() {
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %m = stablehlo.optimization_barrier %n : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %m, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = stablehlo.set_dimension_size %a, %m, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  %3 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %2, dense<10> : tensor<i32>
  check.expect_eq_const %3, dense<3> : tensor<i32>
  return
}""",
    'complex numbers have a cube root': b"""
func.func @main() {
  %a = stablehlo.constant dense<[(0.0, 8.0), (27.0, 0.0)]> : tensor<2xcomplex<f64>>
  %0 = stablehlo.cbrt %a : tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %0, dense<[(1.7320508075688772, 1.0), (3.0, 0.0)]> : tensor<2xcomplex<f64>>, tolerance = 1.0e-14
  return
}""",
    'all_to_all of several operands works on each': b"""
func.func @exchange(%a: tensor<2xi64>, %b: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>) {
  %0:2 = "stablehlo.all_to_all"(%a, %b) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  return %0#0, %0#1 : tensor<2xi64>, tensor<2xi64>
}
func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %c = stablehlo.constant dense<[5, 6]> : tensor<2xi64>
  %d = stablehlo.constant dense<[7, 8]> : tensor<2xi64>
  %0:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@exchange], [@exchange]]} :
    (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %0#0, dense<[1, 5]> : tensor<2xi64>
  check.expect_eq_const %0#1, dense<[3, 7]> : tensor<2xi64>
  check.expect_eq_const %0#2, dense<[2, 6]> : tensor<2xi64>
  check.expect_eq_const %0#3, dense<[4, 8]> : tensor<2xi64>
  return
}""",
    'pieces of all_to_all come together along another dimension': b"""
func.func @exchange(%a: tensor<2x4xi64>) -> tensor<4x2xi64> {
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}
func.func @main() {
  %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
  %b = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi64>
  %0:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@exchange], [@exchange]]} :
    (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<4x2xi64>, tensor<4x2xi64>)
  check.expect_eq_const %0#0, dense<[[1, 2], [5, 6], [9, 10], [13, 14]]> : tensor<4x2xi64>
  check.expect_eq_const %0#1, dense<[[3, 4], [7, 8], [11, 12], [15, 16]]> : tensor<4x2xi64>
  return
}""",
    'groups of replicas are ordered by partition first': b"""
func.func @gather(%a: tensor<1xi64>) -> tensor<4xi64> {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<1xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<1xi64>
  %b = stablehlo.constant dense<2> : tensor<1xi64>
  %c = stablehlo.constant dense<3> : tensor<1xi64>
  %d = stablehlo.constant dense<4> : tensor<1xi64>
  %0:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@gather, @gather], [@gather, @gather]]} :
    (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
  check.expect_eq_const %0#0, dense<[1, 3, 2, 4]> : tensor<4xi64>
  check.expect_eq_const %0#3, dense<[1, 3, 2, 4]> : tensor<4xi64>
  return
}""",
    'regions use scalars from outside': b"""
func.func @main() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi32>
  %u = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.add %one, %one : tensor<i32>
  %z = stablehlo.negate %y : tensor<i32>
  %0 = "stablehlo.reduce"(%a, %z) ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    %t = stablehlo.add %s, %y : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<10> : tensor<i32>
  %1 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    %t = stablehlo.add %s, %y : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[5, 7]> : tensor<2xi32>
  %2 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<i32>):
    %t = stablehlo.multiply %x, %y : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %2, dense<[2, 4, 6]> : tensor<3xi32>
  %3 = "stablehlo.sort"(%a) ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.multiply %l, %z : tensor<i32>
    %t = stablehlo.multiply %r, %z : tensor<i32>
    %b = stablehlo.compare LT, %s, %t : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %3, dense<[3, 2, 1]> : tensor<3xi32>
  %4 = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    %t = stablehlo.add %s, %y : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>} : (tensor<3xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<3xi32>
  check.expect_eq_const %4, dense<[23, 2, 15]> : tensor<3xi32>
  %5:2 = stablehlo.composite "chlo.scan" %a, %one ({
  ^bb0(%x: tensor<i32>, %c: tensor<i32>):
    %s = stablehlo.multiply %c, %y : tensor<i32>
    %t = stablehlo.add %s, %x : tensor<i32>
    stablehlo.return %t, %t : tensor<i32>, tensor<i32>
  }) {composite_attributes = {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>},
      decomposition = @scan, version = 1 : i32} : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  check.expect_eq_const %5#0, dense<[3, 8, 19]> : tensor<3xi32>
  check.expect_eq_const %5#1, dense<19> : tensor<i32>
  return
}
func.func private @scan(%a: tensor<3xi32>, %b: tensor<i32>) -> (tensor<3xi32>, tensor<i32>) {
  return %a, %b : tensor<3xi32>, tensor<i32>
}""",
    'the next float is a step of the bits': b"""
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 1.0, 0.0, 0.0]> : tensor<4xf32>
  %b = stablehlo.constant dense<[2.0, 0.0, -1.0, 0.0]> : tensor<4xf32>
  %0 = chlo.next_after %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  check.expect_eq_const %0, dense<[0x3F800001, 0x3F7FFFFF, 0x80000001, 0x00000000]> : tensor<4xf32>
  return
}""",
}
FAILS = b"""
func.func @main() -> tensor<2xi32> {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %a, dense<[1, 3]> : tensor<2xi32>
  check.expect_eq_const %a, dense<[1, 2]> : tensor<2xi32>
  return %a : tensor<2xi32>
}
"""
DYNAMIC = b"""
func.func @main(%a: tensor<?x2xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<2> : tensor<i32>
  %m = stablehlo.multiply %n, %c : tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_reshape %a, %s : (tensor<?x2xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
TWO = b"""
func.func @one() -> tensor<i32> { %0 = stablehlo.constant dense<1> : tensor<i32> return %0 : tensor<i32> }
func.func @two() -> tensor<i32> { %0 = stablehlo.constant dense<2> : tensor<i32> return %0 : tensor<i32> }
"""


class StableHlo(CommandLineTest):
    def test_the_meaning_is_that_of_stablehlo(self):
        for name, program in MEANINGS.items():
            with self.subTest(name):
                expected = program.count(b'check.expect')
                self.expect(assay('run', self.path('m.mlir', program)), 0, f'{expected} of {expected} checks hold')

    def test_a_check_that_fails_ends_with_exit_code_1(self):
        path = self.path('m.mlir', FAILS)
        result = assay('run', path)
        self.assertEqual(result.code, 1)
        self.assertIn('check.expect_eq_const at 4:3 fails: element [1] is 2, expected is 3; 1 of 2 elements differ', result.err)
        self.assertIn('1 of 2 checks hold', result.out)
        report = json.loads(assay('run', path, '--json').out)
        self.assertEqual([check['holds'] for check in report['checks']], [False, True])
        self.assertEqual(len(report['results']), 1)

    def test_functions_can_be_chosen(self):
        path = self.path('m.mlir', TWO)
        self.expect(assay('run', path, '--entry', 'two'), 0, '2')
        self.expect_refusal(assay('run', path), 2, '--entry NAME', 'one, two')
        self.expect_refusal(assay('run', path, '--entry', 'three'), 2, 'no function @three')

    def test_sizes_come_from_options_or_arguments(self):
        path = self.path('m.mlir', DYNAMIC)
        self.expect(assay('run', path, '--inputs', 'random', '--shape', 'arg0=3x2'), 0, 'f32[6]')
        values = self.path('in.txt', b'f32[2,2] {{1, 2}, {3, 4}}\n')
        self.expect(assay('run', path, '--inputs', values), 0, 'f32[4]', '{1, 2, 3, 4}')
        self.expect_refusal(assay('run', path, '--inputs', 'random'), 2, '--shape arg0=4x4 or by an array arg0')
        self.expect_refusal(assay('run', path, '--shape', 'b=3'), 2, 'no symbolic dimension b')
        self.expect_refusal(assay('run', path, '--shape', 'b'), 2, '--shape b')

    def test_commands_take_it(self):
        text = b'func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.sine %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n'
        path = self.path('m.mlir', text)
        self.expect(assay('show', path), 0, 'f32[2]{0} sine(')
        self.expect(assay('show', path, '--stats'), 0, 'sine')
        self.expect(assay('verify', path), 0)
        self.expect(assay('run', path, '--inputs', 'random'), 0, 'f32[2]')
        self.expect(assay('explain', path, '--element', '0:[1]', '--inputs', 'random'), 0, 'sine')
        self.expect(assay('diff', path, '--inputs', 'random', '--right', 'golden'), 0)
        self.expect(assay('run', self.path('m.mlir.gz', gzip.compress(text)), '--inputs', 'random'), 0, 'f32[2]')
        wrong = self.path('wrong.mlir', text.replace(b'stablehlo.sine', b'stablehlo.not'))
        self.expect(assay('verify', wrong), 2, 'wrong.mlir:2:8: [not (I1)] stablehlo.not', 'operand 0 must be')

    def test_dialects_are_written_as_they_are_read(self):
        program = b"""sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
        path = self.path('m.mlir', program)
        self.expect(assay('show', path, '--to', 'stablehlo'), 0, 'sdy.mesh @mesh = <["x"=2]>', 'sdy.sharding_constraint',
                    '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}')
        twice = self.path('twice.mlir', program.replace(b'[{"x"}]', b'[{"x"}], replicated={"x"}'))
        self.expect_refusal(assay('show', twice), 2, 'twice.mlir:2:1: func.func', 'the axis x is used twice')

    def test_results_have_the_names_of_the_program(self):
        path = self.path('names.mlir', b"""
func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = "result['loss']"},
                                       tensor<2xf32> {jax.result_info = "result[1]"}) {
  %0 = stablehlo.negate %a : tensor<2xf32>
  return %a, %0 : tensor<2xf32>, tensor<2xf32>
}""")
        result = assay('run', path, '--inputs', 'random')
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("out0 (result['loss']) = f32[2]", result.out)
        self.assertIn('out1 = f32[2]', result.out)  # its name says no more
        self.expect(assay('show', path, '--to', 'stablehlo'), 0, '''{jax.result_info = "result['loss']"}''')
        artifact = self.path('names.mlirbc', b'')
        self.expect(assay('show', path, '--to', 'stablehlo-artifact', '--out', artifact), 0)
        self.expect(assay('show', artifact, '--to', 'stablehlo'), 0, '''{jax.result_info = "result['loss']"}''')

    def test_damaged_files_end_in_one_message(self):
        """Every form cut off and with a byte changed at places all over the file."""
        folder = os.path.join(SOURCE, 'spec', 'stablehlo', 'testdata', 'examples')
        for name in ('control_flow.mlir', 'devices.mlir', 'artifact.mlirbc'):
            path = os.path.join(folder, name)
            if name.endswith('.mlirbc'):
                path = self.path(name, b'')
                made = assay('show', os.path.join(folder, 'control_flow.mlir'), '--to', 'stablehlo-artifact', '--out', path)
                self.assertEqual(made.code, 0, made.err)
            with open(path, 'rb') as file:
                content = file.read()
            for part in range(1, 8):
                at = len(content) * part // 8
                for damaged in (content[:at], content[:at] + bytes([content[at] ^ 0x15]) + content[at + 1:]):
                    path = self.path('damaged', damaged)
                    result = assay('show', path, limited=True)
                    self.assertIn(result.code, (0, 2, 3, 4), (name, part, result.err))
                    if result.code:
                        self.assertEqual(result.out, '', (name, part))
                        self.assertTrue(result.err.startswith(f'assay: {path}:'), result.err)
                        self.assertEqual(result.err.count('assay: '), 1, result.err)
                        self.assertLess(len(result.err), 2000)


if __name__ == '__main__':
    main()
