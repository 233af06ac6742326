#!/usr/bin/env python3
"""What StableHLO's interpreter gets wrong: a program for each cause, with the result that StableHLO's text demands.

usage: stablehlo_findings.py [--check]

Prints for each program what is expected and what the interpreter of the installed jaxlib returns. Each runs in a
process of its own, since some of them crash. --check: exit code 1 unless each is as its row says, so that a version
that mends one is noticed. docs/stablehlo.md has the table.
"""
import argparse
import os
import sys

import peers

peers.need('jax')

# (what is wrong, arguments, the program with its result, expected, what jaxlib 0.10.2 returns)
FINDINGS = [
    ('scatter writes into its operand, which a later operation reads', ['dense<[10, 20]> : tensor<2xi32>'], '''
     func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
       %i = stablehlo.constant dense<[[0]]> : tensor<1x1xi32>
       %u = stablehlo.constant dense<[5]> : tensor<1xi32>
       %r = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
         scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
         ^bb0(%x: tensor<i32>, %y: tensor<i32>): %s = stablehlo.add %x, %y : tensor<i32> stablehlo.return %s : tensor<i32>
       }) : (tensor<2xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<2xi32>
       %d = stablehlo.subtract %r, %a : tensor<2xi32>
       return %d : tensor<2xi32> }''', '[5, 0]', '0'),
    ('convolution of i8 sums in i8 though the result is i32', ['dense<100> : tensor<1x2x1xi8>'], '''
     func.func @main(%a: tensor<1x2x1xi8>) -> tensor<1x1x1xi32> {
       %k = stablehlo.constant dense<1> : tensor<2x1x1xi8>
       %r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<1x2x1xi8>, tensor<2x1x1xi8>) -> tensor<1x1x1xi32>
       return %r : tensor<1x1x1xi32> }''', '200', '-56'),
    ('unsigned indices are read as signed', ['dense<[10, 11, 12]> : tensor<3xi32>'], '''
     func.func @main(%a: tensor<3xi32>) -> tensor<1xi32> {
       %i = stablehlo.constant dense<255> : tensor<ui8>
       %r = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<3xi32>, tensor<ui8>) -> tensor<1xi32>
       return %r : tensor<1xi32> }''', '12', '10'),
    ('padding of a convolution meets infinity', ['dense<0x7F800000> : tensor<1x1x1xf32>'], '''
     func.func @main(%w: tensor<1x1x1xf32>) -> tensor<1x2x1xf32> {
       %x = stablehlo.constant dense<1.0> : tensor<1x1x1xf32>
       %k = stablehlo.concatenate %w, %x, dim = 0 : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<2x1x1xf32>
       %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<1x1x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
       return %r : tensor<1x2x1xf32> }''', '[[[1.000000e+00], [0x7F800000]]]', '[[[0x7FC00000], [0x7F800000]]]'),
    ('the start value of select_and_scatter counts twice', ['dense<[1, 3]> : tensor<2xi32>'], '''
     func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
       %s = stablehlo.constant dense<[5]> : tensor<1xi32>
       %z = stablehlo.constant dense<1> : tensor<i32>
       %r = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
         ^bb0(%x: tensor<i32>, %y: tensor<i32>): %c = stablehlo.compare GE, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
         stablehlo.return %c : tensor<i1> }, {
         ^bb0(%x: tensor<i32>, %y: tensor<i32>): %c = stablehlo.add %x, %y : tensor<i32> stablehlo.return %c : tensor<i32>
       }) : (tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
       return %r : tensor<2xi32> }''', '[1, 6]', '[1, 7]'),
    ('TOTALORDER compares as FLOAT', ['dense<[0.0, -0.0]> : tensor<2xf32>'], '''
     func.func @main(%a: tensor<2xf32>) -> tensor<2xi1> {
       %b = stablehlo.reverse %a, dims = [0] : tensor<2xf32>
       %r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
       return %r : tensor<2xi1> }''', '[false, true]', 'false'),
    ('division of integers by zero', ['dense<0> : tensor<i32>'], '''
     func.func @main(%a: tensor<i32>) -> tensor<i32> {
       %r = stablehlo.divide %a, %a : tensor<i32>
       return %r : tensor<i32> }''', '-1', 'crash'),
    ('ceil and floor of subnormal numbers of narrow types', ['dense<0.875> : tensor<f6E2M3FN>'], '''
     func.func @main(%a: tensor<f6E2M3FN>) -> tensor<f32> {
       %c = stablehlo.ceil %a : tensor<f6E2M3FN>
       %r = stablehlo.convert %c : (tensor<f6E2M3FN>) -> tensor<f32>
       return %r : tensor<f32> }''', '1.000000e+00', '0.000000e+00'),
    ('a NaN of f8E8M0FNU becomes infinity', ['dense<0x7FC00000> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>) -> tensor<f32> {
       %c = stablehlo.convert %a : (tensor<f32>) -> tensor<f8E8M0FNU>
       %r = stablehlo.convert %c : (tensor<f8E8M0FNU>) -> tensor<f32>
       return %r : tensor<f32> }''', '0x7FC00000', '0x7F800000'),
    ('negative numbers lose their sign in f8E8M0FNU', ['dense<-2.0> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>) -> tensor<f32> {
       %c = stablehlo.convert %a : (tensor<f32>) -> tensor<f8E8M0FNU>
       %r = stablehlo.convert %c : (tensor<f8E8M0FNU>) -> tensor<f32>
       return %r : tensor<f32> }''', '0x7FC00000', '2.000000e+00'),
    ('ceil of f8E3M4 gives NaN', ['dense<0.25> : tensor<f8E3M4>'], '''
     func.func @main(%a: tensor<f8E3M4>) -> tensor<f32> {
       %c = stablehlo.ceil %a : tensor<f8E3M4>
       %r = stablehlo.convert %c : (tensor<f8E3M4>) -> tensor<f32>
       return %r : tensor<f32> }''', '1.000000e+00', '0x7FC00000'),
    ('atan2 of complex numbers squares its operands, and zero', ['dense<0.0> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>) -> tensor<f32> {
       %z = stablehlo.complex %a, %a : tensor<complex<f32>>
       %c = stablehlo.atan2 %z, %z : tensor<complex<f32>>
       %r = stablehlo.real %c : (tensor<complex<f32>>) -> tensor<f32>
       return %r : tensor<f32> }''', '0.000000e+00', '0x7FC00000'),
    ('fft of complex<f32>, and of f32', ['dense<1.0> : tensor<2xf32>'], '''
     func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
       %c = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>
       %f = stablehlo.fft %c, type = FFT, length = [2] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
       %r = stablehlo.real %f : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
       return %r : tensor<2xf32> }''', '[2.000000e+00, 0.000000e+00]', 'crash'),
    ('IRFFT of odd length halves the last frequency', ['dense<[0.0, 1.5]> : tensor<2xf64>'], '''
     func.func @main(%a: tensor<2xf64>) -> tensor<1xf64> {
       %z = stablehlo.constant dense<0.0> : tensor<2xf64>
       %c = stablehlo.complex %a, %z : tensor<2xcomplex<f64>>
       %f = stablehlo.fft %c, type = IRFFT, length = [3] : (tensor<2xcomplex<f64>>) -> tensor<3xf64>
       %r = stablehlo.slice %f [0:1] : (tensor<3xf64>) -> tensor<1xf64>
       return %r : tensor<1xf64> }''', '1.000000e+00', '5.000000e-01'),
    ('triangular_solve with the adjoint of a real matrix', ['dense<2.0> : tensor<1x1xf32>'], '''
     func.func @main(%a: tensor<1x1xf32>) -> tensor<1x1xf32> {
       %r = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true,
         transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}>
         : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
       return %r : tensor<1x1xf32> }''', '1.000000e+00', 'crash'),
    ('triangular_solve of several matrices', ['dense<2.0> : tensor<2x1x1xf32>'], '''
     func.func @main(%a: tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
       %r = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true,
         transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
         : (tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
       return %r : tensor<2x1x1xf32> }''', '1.000000e+00', 'crash'),
    ('dot_general over a dimension of size 0', ['dense<2.0> : tensor<2xf32>'], '''
     func.func @main(%a: tensor<2xf32>) -> tensor<1x1xf32> {
       %e = stablehlo.slice %a [0:0] : (tensor<2xf32>) -> tensor<0xf32>
       %m = stablehlo.reshape %e : (tensor<0xf32>) -> tensor<1x0xf32>
       %n = stablehlo.reshape %e : (tensor<0xf32>) -> tensor<0x1xf32>
       %d = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0]
         : (tensor<1x0xf32>, tensor<0x1xf32>) -> tensor<1x1xf32>
       return %d : tensor<1x1xf32> }''', '0.000000e+00', 'crash'),
    ('rsqrt of a complex zero', ['dense<0.0> : tensor<f32>', 'dense<0.0> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
       %z = stablehlo.complex %a, %b : tensor<complex<f32>>
       %c = stablehlo.rsqrt %z : tensor<complex<f32>>
       %r = stablehlo.imag %c : (tensor<complex<f32>>) -> tensor<f32>
       return %r : tensor<f32> }''', '-0.000000e+00', '0xFFC00000'),
    ('an infinite complex number to the power 0', ['dense<0x7F800000> : tensor<f32>', 'dense<0.0> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
       %z = stablehlo.complex %a, %b : tensor<complex<f32>>
       %w = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
       %c = stablehlo.power %z, %w : tensor<complex<f32>>
       %r = stablehlo.real %c : (tensor<complex<f32>>) -> tensor<f32>
       return %r : tensor<f32> }''', '1.000000e+00', '0x7FC00000'),
    ('log_plus_one of complex subnormal numbers is 0', ['dense<0x00400000> : tensor<f32>', 'dense<0.0> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
       %z = stablehlo.complex %a, %b : tensor<complex<f32>>
       %c = stablehlo.log_plus_one %z : tensor<complex<f32>>
       %r = stablehlo.real %c : (tensor<complex<f32>>) -> tensor<f32>
       return %r : tensor<f32> }''', '5.877472e-39', '0.000000e+00'),
    ('sign of complex subnormal numbers', ['dense<0x00000001> : tensor<f32>', 'dense<0x00000001> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
       %z = stablehlo.complex %a, %b : tensor<complex<f32>>
       %c = stablehlo.sign %z : tensor<complex<f32>>
       %r = stablehlo.real %c : (tensor<complex<f32>>) -> tensor<f32>
       return %r : tensor<f32> }''', '0.707106769', '1.000000e+00'),
    ('logistic is 0 where the exponential of its formula overflows', ['dense<-89.0> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>) -> tensor<f32> {
       %r = stablehlo.logistic %a : tensor<f32>
       return %r : tensor<f32> }''', '2.22736391E-39', '0.000000e+00'),
    ('reduce_precision to a zero that f8E4M3FNUZ does not have', ['dense<-0.001> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>) -> tensor<f32> {
       %c = stablehlo.convert %a : (tensor<f32>) -> tensor<f8E4M3FNUZ>
       %p = stablehlo.reduce_precision %c, format = e3m0 : tensor<f8E4M3FNUZ>
       %r = stablehlo.convert %p : (tensor<f8E4M3FNUZ>) -> tensor<f32>
       return %r : tensor<f32> }''', '0.000000e+00', '0x7FC00000'),
    ('the quotient of complex numbers squares the parts of the divisor', ['dense<1.0e308> : tensor<f64>'], '''
     func.func @main(%a: tensor<f64>) -> tensor<f64> {
       %x = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
       %y = stablehlo.complex %a, %a : tensor<complex<f64>>
       %c = stablehlo.divide %x, %y : tensor<complex<f64>>
       %r = stablehlo.real %c : (tensor<complex<f64>>) -> tensor<f64>
       return %r : tensor<f64> }''', '5.000000e-309', '0.000000e+00'),
    ('erf of the least normal numbers loses bits to subnormal products', ['dense<0x00800000> : tensor<f32>'], '''
     func.func @main(%a: tensor<f32>) -> tensor<f32> {
       %r = chlo.erf %a : tensor<f32> -> tensor<f32>
       return %r : tensor<f32> }''', '1.32640341E-38', '1.32640018E-38'),
    ('a convolution whose result has its features before its batch', ['dense<3.0> : tensor<1x1x1xf32>'], '''
     func.func @main(%a: tensor<1x1x1xf32>) -> tensor<1x2x1xf32> {
       %k = stablehlo.constant dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
       %r = stablehlo.convolution(%a, %k) dim_numbers = [0, b, f]x[i, o, 0]->[0, f, b], window = {}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<1x1x1xf32>, tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
       return %r : tensor<1x2x1xf32> }''', '[[[3.000000e+00], [6.000000e+00]]]', 'crash'),
    ('the size of a dimension that was set', ['dense<[1.0, 2.0]> : tensor<2xf32>'], '''
     func.func @main(%a: tensor<2xf32>) -> tensor<i32> {
       %n = stablehlo.constant dense<1> : tensor<i32>
       %d = stablehlo.set_dimension_size %a, %n, dim = 0
         : (tensor<2xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<2>>
       %r = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?xf32, #stablehlo.bounds<2>>) -> tensor<i32>
       return %r : tensor<i32> }''', '1', 'crash'),
]


def evaluate(arguments, program):
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    from jaxlib.mlir.passmanager import PassManager
    stablehlo.register_stablehlo_passes()
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(program)
        if 'chlo.' in program:
            passes = PassManager.parse('builtin.module(func.func(chlo-legalize-to-stablehlo))')
            passes.run(module.operation)
        results = stablehlo.eval_module(module, [ir.Attribute.parse(argument) for argument in arguments])
        return str(results[0])[len('dense<'):].rsplit('> :', 1)[0]


def evaluate_in_child(arguments, program):
    """The result, 'crash', or what went wrong."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, evaluate(arguments, program).encode())
        except Exception as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return 'crash' if os.WIFSIGNALED(status) else text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--check', action='store_true')
    options = parser.parse_args()
    import jaxlib.mlir.dialects.stablehlo  # once for all children
    changed = 0
    for title, arguments, program, expected, known in FINDINGS:
        actual = evaluate_in_child(arguments, program)
        print(f'{title}: expected {expected}, actual {actual}{"" if actual == known else f" (recorded: {known})"}')
        changed += actual != known
    return 1 if options.check and changed else 0


if __name__ == '__main__':
    sys.exit(main())
