"""Programs in JAX for tests of StableHLO: every primitive of jax.lax that lowers, control flow, complex numbers, narrow
types, linear algebra, programs on several devices, exports with symbolic dimensions.

Each is (name, function, arguments); an argument is a shape and a type, or a numpy array. `EXPORTS` have symbolic
dimensions instead of a shape, and their values. JAX must have 64-bit types and four devices.
"""
import functools

import jax
import jax.ad_checkpoint
import jax.custom_batching
import jax.experimental.ode
import jax.extend.random
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax import lax as lax_internal
from jax._src.lax import parallel
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

F32, F64, BF16, F16, S32, S8, U8, U32, S64, PRED, C64, C128 = (
    np.float32, np.float64, jnp.bfloat16, np.float16, np.int32, np.int8, np.uint8, np.uint32, np.int64, np.bool_,
    np.complex64, np.complex128)
F8 = [jnp.float8_e5m2, jnp.float8_e4m3fn, jnp.float8_e4m3b11fnuz, jnp.float8_e5m2fnuz, jnp.float8_e4m3fnuz,
      jnp.float8_e3m4, jnp.float8_e4m3]


def word(dtype):
    return np.dtype(dtype).name


def elementwise():
    real = [lax.abs, lax.acos, lax.asin, lax.atan, lax.atanh, lax.asinh, lax.bessel_i0e, lax.bessel_i1e, lax.cbrt, lax.ceil,
            lax.cos, lax.cosh, lax.digamma, lax.erf, lax.erf_inv, lax.erfc, lax.exp, lax.exp2, lax.expm1, lax.floor,
            lax.is_finite, lax.lgamma, lax.log, lax.log1p, lax.logistic, lax.neg, lax.round, lax.rsqrt, lax.sign, lax.sin,
            lax.sinh, lax.sqrt, lax.square, lax.tan, lax.tanh, lax.acosh, lax.reciprocal]
    for function in real:
        for dtype in (F32, F64, BF16):
            yield f'{function.__name__}.{word(dtype)}', function, [((5,), dtype)]
    for function in (lax.abs, lax.acos, lax.asin, lax.asinh, lax.acosh, lax.atan, lax.atanh, lax.conj, lax.cos, lax.cosh,
                     lax.exp, lax.imag, lax.log, lax.log1p, lax.logistic, lax.neg, lax.real, lax.rsqrt, lax.sign, lax.sin,
                     lax.sinh, lax.sqrt, lax.square, lax.tan, lax.tanh, lax.expm1):
        yield f'{function.__name__}.complex64', function, [((4,), C64)]
    for function in (lax.population_count, lax.clz, lax.bitwise_not, lax.abs, lax.neg, lax.sign):
        yield f'{function.__name__}.int32', function, [((4,), S32)]
    for function in (lax.add, lax.sub, lax.mul, lax.div, lax.max, lax.min, lax.pow, lax.rem, lax.atan2, lax.nextafter):
        for dtype in (F32, BF16, F64):
            yield f'{function.__name__}.{word(dtype)}', function, [((4,), dtype), ((4,), dtype)]
    for function in (lax.add, lax.sub, lax.mul, lax.div, lax.max, lax.min, lax.rem, lax.bitwise_and, lax.bitwise_or,
                     lax.bitwise_xor, lax.shift_left, lax.shift_right_arithmetic, lax.shift_right_logical):
        for dtype in (S32, U8):
            yield f'{function.__name__}.{word(dtype)}', function, [((4,), dtype), ((4,), dtype)]
    for function in (lax.add, lax.sub, lax.mul, lax.div, lax.pow):
        yield f'{function.__name__}.complex64', function, [((4,), C64), ((4,), C64)]
    for function in (lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge):
        yield f'{function.__name__}.float32', function, [((4,), F32), ((4,), F32)]
        yield f'{function.__name__}.uint8', function, [((4,), U8), ((4,), U8)]
    yield 'eq.complex64', lax.eq, [((4,), C64), ((4,), C64)]
    for function in (lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor):
        yield f'{function.__name__}.bool', function, [((4,), PRED), ((4,), PRED)]
    yield 'complex', lax.complex, [((3,), F32), ((3,), F32)]
    yield 'clamp', lax.clamp, [((), F32), ((4,), F32), ((), F32)]
    yield 'select_n', lambda p, a, b: lax.select_n(p, a, b), [((4,), PRED), ((4,), F32), ((4,), F32)]
    yield 'select_n.cases', lambda p, *x: lax.select_n(p, *x), [np.array([0, 2, 1], S32)] + [((3,), F32)] * 3
    yield 'integer_pow', lambda x: lax.integer_pow(x, 5) + lax.integer_pow(x, -2), [((4,), F32)]
    yield 'pow.int', lambda x: x ** np.int32(3), [((4,), F32)]
    yield 'polygamma', lambda x: jax.scipy.special.polygamma(2, x), [np.array([0.5, 1.5, 4.0], F32)]
    yield 'zeta', lambda x, q: lax.zeta(x, q), [np.array([2.5, 3.0], F32), np.array([1.5, 0.5], F32)]
    yield 'igamma', lax.igamma, [np.array([0.5, 2.0], F32), np.array([1.0, 1.5], F32)]
    yield 'igammac', lax.igammac, [np.array([0.5, 2.0], F32), np.array([1.0, 1.5], F32)]
    yield 'betainc', lax.betainc, [np.array([0.5], F32), np.array([2.0], F32), np.array([0.25], F32)]
    yield 'reduce_precision', lambda x: lax.reduce_precision(x, 5, 3), [((6,), F32)]
    yield 'nan_to_num', lambda x: jnp.nan_to_num(x / x), [np.array([0.0, 1.0], F32)]
    yield 'hypot', jnp.hypot, [((3,), F32), ((3,), F32)]
    yield 'logaddexp', jnp.logaddexp, [((3,), F32), ((3,), F32)]
    yield 'sinc', jnp.sinc, [((3,), F32)]
    yield 'mulhi', lambda a, b: (a.astype(S64) * b) >> 32, [((3,), S32), ((3,), S32)]


def conversions():
    types = [F32, F64, BF16, F16, S32, S8, U8, U32, S64, PRED, C64]
    for a in (F32, S32, BF16, U8, PRED, C64):
        for b in types:
            if a != b and not (a == C64 and b not in (C128, F32, S32, PRED)):
                yield f'convert.{word(a)}.{word(b)}', lambda x, b=b: lax.convert_element_type(x, b), [((4,), a)]
    for a in F8:
        yield f'convert.{word(a)}', lambda x, a=a: x.astype(a).astype(F32), [((6,), F32)]
    for a in (jnp.int4, jnp.uint4, jnp.int2):
        yield f'convert.{word(a)}', lambda x, a=a: (x.astype(a) + jnp.ones((), a)).astype(S32), [((6,), S8)]
    yield 'bitcast.f32.s32', lambda x: lax.bitcast_convert_type(x, S32), [((4,), F32)]
    yield 'bitcast.f32.u8', lambda x: lax.bitcast_convert_type(x, U8), [((4,), F32)]
    yield 'bitcast.u8.u32', lambda x: lax.bitcast_convert_type(x, U32), [((2, 4), U8)]


def movement():
    x23 = ((2, 3), F32)
    yield 'broadcast', lambda x: lax.broadcast(x, (2, 4)), [((3,), F32)]
    yield 'broadcast_in_dim', lambda x: lax.broadcast_in_dim(x, (3, 4, 2), (0, 2)), [((3, 2), F32)]
    yield 'broadcast_in_dim.grow', lambda x: lax.broadcast_in_dim(x, (3, 4, 2), (0, 2)), [((1, 2), F32)]
    yield 'concatenate', lambda x, y: lax.concatenate([x, y, x], 1), [x23, ((2, 2), F32)]
    yield 'pad', lambda x: lax.pad(x, F32(1), [(1, -1, 2), (0, 2, 0)]), [x23]
    yield 'reshape', lambda x: lax.reshape(x, (3, 2)), [x23]
    yield 'reshape.order', lambda x: lax.reshape(x, (6,), (1, 0)), [x23]
    yield 'rev', lambda x: lax.rev(x, (1,)), [x23]
    yield 'slice', lambda x: lax.slice(x, (1, 0), (4, 5), (2, 3)), [((5, 6), F32)]
    yield 'squeeze', lambda x: lax.squeeze(x, (0,)), [((1, 3), F32)]
    yield 'expand_dims', lambda x: lax.expand_dims(x, (1,)), [((3,), F32)]
    yield 'transpose', lambda x: lax.transpose(x, (2, 0, 1)), [((2, 3, 4), F32)]
    yield 'dynamic_slice', lambda x, i: lax.dynamic_slice(x, (i, np.int32(0)), (2, 2)), [((5, 3), F32), np.array(4, S32)]
    yield 'dynamic_update_slice', lambda x, u, i: lax.dynamic_update_slice(x, u, (i,)), [((5,), F32), ((2,), F32), np.array(1, S32)]
    yield 'iota', lambda: lax.iota(F32, 7), []
    yield 'broadcasted_iota', lambda: lax.broadcasted_iota(S32, (2, 3), 1), []
    yield 'tile', lambda x: jnp.tile(x, (2, 2)), [x23]
    yield 'repeat', lambda x: jnp.repeat(x, 3, axis=0), [x23]
    yield 'roll', lambda x: jnp.roll(x, 1, axis=1), [x23]
    yield 'stack', lambda x, y: jnp.stack([x, y]), [x23, x23]
    yield 'split', lambda x: jnp.split(x, 3, axis=1), [x23]
    yield 'eye', lambda: jnp.eye(3), []
    yield 'tril', jnp.tril, [((3, 3), F32)]
    yield 'diag', jnp.diag, [((3,), F32)]
    yield 'meshgrid', lambda x, y: jnp.meshgrid(x, y), [((2,), F32), ((3,), F32)]
    yield 'where', lambda c, x: jnp.where(c, x, 0), [((2, 3), PRED), x23]
    yield 'constants', lambda: jnp.array([1.5, 2.5, np.nan, np.inf], F32), []
    yield 'optimization_barrier', lambda x, y: lax.optimization_barrier((x, y)), [x23, x23]
    yield 'stop_gradient', lax.stop_gradient, [x23]
    yield 'empty', lambda x: x[:0], [x23]


def indexing():
    yield 'gather.rows', lambda x, i: x[i], [((5, 3), F32), np.array([4, 0, 2], S32)]
    yield 'gather.elements', lambda x, i, j: x[i, j], [((5, 3), F32), np.array([4, 0], S32), np.array([2, 1], S32)]
    yield 'gather.clip', lambda x, i: x.at[i].get(mode='clip'), [((5, 3), F32), np.array([9, -9], S32)]
    yield 'gather.fill', lambda x, i: x.at[i].get(mode='fill', fill_value=7), [((5,), F32), np.array([9, 1], S32)]
    yield 'take_along_axis', lambda x, i: jnp.take_along_axis(x, i, 1), [((2, 4), F32), np.array([[3, 0], [1, 1]], S32)]
    yield 'gather.batched', jax.vmap(lambda x, i: x[i]), [((3, 4), F32), np.array([1, 3, 0], S32)]
    for name in ('set', 'add', 'multiply', 'min', 'max'):
        yield f'scatter.{name}', lambda x, i, u, name=name: getattr(x.at[i], name)(u), [
            ((6,), F32), np.array([1, 4, 9], S32), ((3,), F32)]
    yield 'scatter.rows', lambda x, i, u: x.at[i].add(u), [((4, 3), F32), np.array([2, 0], S32), ((2, 3), F32)]
    yield 'scatter.sorted', lambda x, i, u: x.at[i].add(u, indices_are_sorted=True, unique_indices=True), [
        ((6,), F32), np.array([1, 3], S32), ((2,), F32)]
    yield 'scatter.int', lambda x, i, u: x.at[i].add(u), [((6,), S32), np.array([1, 1, 2], S32), ((3,), S32)]
    yield 'scatter.batched', jax.vmap(lambda x, i, u: x.at[i].add(u)), [((3, 4), F32), np.array([1, 3, 0], S32), ((3,), F32)]
    yield 'scatter.apply', lambda x, i: x.at[i].apply(jnp.sin), [((6,), F32), np.array([1, 4], S32)]
    yield 'segment_sum', lambda x, i: jax.ops.segment_sum(x, i, 3), [((5,), F32), np.array([0, 2, 2, 1, 0], S32)]
    yield 'bincount', lambda x: jnp.bincount(x, length=4), [np.array([0, 3, 3, 1], S32)]
    yield 'searchsorted', jnp.searchsorted, [np.array([1, 2, 3, 5], F32), np.array([0.5, 3.0, 9.0], F32)]
    yield 'one_hot', lambda x: jax.nn.one_hot(x, 4), [np.array([0, 3], S32)]


def reductions():
    x = ((3, 4), F32)
    for name in ('sum', 'prod', 'max', 'min', 'argmax', 'argmin', 'mean', 'var', 'std', 'cumsum', 'cumprod', 'median', 'ptp'):
        yield f'reduce.{name}', lambda x, name=name: getattr(jnp, name)(x, axis=1), [x]
    for name in ('any', 'all'):
        yield f'reduce.{name}', lambda x, name=name: getattr(jnp, name)(x, axis=0), [((3, 4), PRED)]
    for name in ('sum', 'prod', 'max', 'min'):
        yield f'reduce.{name}.int32', lambda x, name=name: getattr(jnp, name)(x, axis=0), [((3, 4), S32)]
        yield f'reduce.{name}.bfloat16', lambda x, name=name: getattr(jnp, name)(x), [((3, 4), BF16)]
    yield 'reduce.sum.complex64', lambda x: jnp.sum(x), [((5,), C64)]
    yield 'reduce_and', lambda x: lax.reduce_and(x, (0,)), [((3, 4), S32)]
    yield 'reduce_or', lambda x: lax.reduce_or(x, (0,)), [((3, 4), S32)]
    yield 'reduce_xor', lambda x: lax.reduce_xor(x, (0,)), [((3, 4), S32)]
    yield 'reduce.custom', lambda x, y: lax.reduce((x, y), (F32(0), F32(1)), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,)), [x, x]
    for name in (lax.cumsum, lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp):
        yield name.__name__, functools.partial(name, axis=1, reverse=True), [x]
    yield 'reduce_window.add', lambda x: lax.reduce_window(x, F32(0), lax.add, (2, 2), (1, 2), ((1, 0), (0, 1))), [((4, 5), F32)]
    yield 'reduce_window.max', lambda x: lax.reduce_window(x, -F32(np.inf), lax.max, (2, 3), (1, 1), 'SAME'), [((4, 5), F32)]
    yield 'reduce_window.dilated', lambda x: lax.reduce_window(x, F32(0), lax.add, (2,), (1,), 'VALID', (2,), (3,)), [((6,), F32)]
    yield 'select_and_scatter', jax.grad(lambda x: lax.reduce_window(x, -F32(np.inf), lax.max, (2,), (2,), 'VALID').sum()), [((6,), F32)]
    yield 'avg_pool.grad', jax.grad(lambda x: lax.reduce_window(x, F32(0), lax.add, (3,), (2,), 'SAME').sum()), [((6,), F32)]
    yield 'sort', lambda x: lax.sort(x, dimension=0), [x]
    yield 'sort.pairs', lambda x, y: lax.sort((x, y), num_keys=1), [((6,), F32), ((6,), S32)]
    yield 'sort.two_keys', lambda x, y: lax.sort((x, y), num_keys=2, is_stable=False), [((6,), S8), ((6,), F32)]
    yield 'argsort', jnp.argsort, [x]
    yield 'top_k', lambda x: lax.top_k(x, 2), [x]
    yield 'approx_max_k', lambda x: lax.approx_max_k(x, 2), [x]
    yield 'logsumexp', jax.nn.logsumexp, [x]
    yield 'softmax', jax.nn.softmax, [x]
    yield 'log_softmax', jax.nn.log_softmax, [x]
    yield 'percentile', lambda x: jnp.percentile(x, 30.0), [x]
    yield 'unique', lambda x: jnp.unique(x, size=3), [np.array([3, 1, 3, 2], S32)]
    yield 'histogram', lambda x: jnp.histogram(x, bins=3), [((9,), F32)]
    yield 'norm', jnp.linalg.norm, [x]


def contractions():
    for dtype in (F32, F64, BF16, F16, S8, S32, C64):
        yield f'dot.{word(dtype)}', lambda a, b: lax.dot(a, b), [((2, 3), dtype), ((3, 4), dtype)]
    for dtype in F8:
        yield f'dot.{word(dtype)}', lambda a, b: lax.dot(a, b, preferred_element_type=F32), [((2, 3), dtype), ((3, 4), dtype)]
    yield 'dot.int8.int32', lambda a, b: lax.dot(a, b, preferred_element_type=S32), [((2, 3), S8), ((3, 4), S8)]
    yield 'dot.bfloat16.float32', lambda a, b: lax.dot(a, b, preferred_element_type=F32), [((2, 3), BF16), ((3, 4), BF16)]
    yield 'dot.highest', lambda a, b: lax.dot(a, b, precision='highest'), [((2, 3), F32), ((3, 4), F32)]
    yield 'dot.algorithm', lambda a, b: lax.dot(a, b, precision='F32_F32_F32'), [((2, 3), F32), ((3, 4), F32)]
    yield 'dot.vector', lambda a, b: lax.dot(a, b), [((3,), F32), ((3,), F32)]
    yield 'dot_general', lambda a, b: lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,)))), [((2, 3, 4), F32), ((2, 4, 5), F32)]
    yield 'einsum', lambda a, b: jnp.einsum('bij,kj->ibk', a, b), [((2, 3, 4), F32), ((5, 4), F32)]
    yield 'ragged_dot', lambda a, b, g: lax.ragged_dot(a, b, g), [((5, 3), F32), ((2, 3, 4), F32), np.array([2, 3], S32)]
    yield 'outer', jnp.outer, [((3,), F32), ((2,), F32)]
    yield 'tensordot', lambda a, b: jnp.tensordot(a, b, 2), [((2, 3, 4), F32), ((3, 4, 5), F32)]
    yield 'kron', jnp.kron, [((2, 2), F32), ((2, 3), F32)]
    conv = lax.conv_general_dilated
    yield 'conv', lambda x, k: conv(x, k, (1, 1), 'SAME'), [((1, 2, 5, 5), F32), ((3, 2, 3, 3), F32)]
    yield 'conv.strides', lambda x, k: conv(x, k, (2,), [(1, 2)], lhs_dilation=(2,), rhs_dilation=(3,)), [((1, 2, 6), F32), ((3, 2, 2), F32)]
    yield 'conv.groups', lambda x, k: conv(x, k, (1,), 'VALID', feature_group_count=2), [((1, 4, 6), F32), ((6, 2, 3), F32)]
    yield 'conv.batch_groups', lambda x, k: conv(x, k, (1,), 'VALID', batch_group_count=2), [((4, 2, 6), F32), ((6, 2, 3), F32)]
    yield 'conv.nhwc', lambda x, k: conv(x, k, (1, 1), 'VALID', dimension_numbers=('NHWC', 'HWIO', 'NHWC')), [((1, 4, 4, 2), F32), ((2, 2, 2, 3), F32)]
    yield 'conv.transpose', lambda x, k: lax.conv_transpose(x, k, (2,), 'SAME', dimension_numbers=('NCH', 'OIH', 'NCH')), [((1, 2, 4), F32), ((3, 2, 3), F32)]
    yield 'conv.bfloat16', lambda x, k: conv(x, k, (1,), 'SAME'), [((1, 2, 6), BF16), ((3, 2, 2), BF16)]
    yield 'conv.grad', jax.grad(lambda x, k: conv(x, k, (2,), 'SAME').sum(), (0, 1)), [((1, 2, 6), F32), ((3, 2, 3), F32)]
    yield 'batch_norm', lambda x: (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-5), [((4, 3), F32)]
    for kind, dtype, shape in (('fft', C64, (8,)), ('ifft', C64, (2, 6)), ('rfft', F32, (9,)), ('irfft', C64, (5,)), ('fft2', C64, (3, 4))):
        yield f'fft.{kind}', lambda x, kind=kind: getattr(jnp.fft, kind)(x), [(shape, dtype)]


def linear_algebra():
    x, positive = ((3, 3), F32), np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], F32)
    yield 'cholesky', jnp.linalg.cholesky, [positive]
    yield 'cholesky.complex', jnp.linalg.cholesky, [positive.astype(C64)]
    for left in (True, False):
        for lower in (True, False):
            yield f'triangular_solve.{left}.{lower}', lambda a, b, left=left, lower=lower: lax.linalg.triangular_solve(
                a, b, left_side=left, lower=lower, transpose_a=not lower, unit_diagonal=left), [positive, x]
    yield 'solve_triangular', lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), [positive, x]
    yield 'cho_solve', lambda a, b: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b), [positive, x]
    yield 'matrix_power', lambda a: jnp.linalg.matrix_power(a, 3), [x]
    yield 'trace', jnp.trace, [x]
    yield 'cross', jnp.cross, [((3,), F32), ((3,), F32)]
    yield 'expm', jax.scipy.linalg.expm, [positive / 8]
    for name in ('qr', 'inv', 'det', 'slogdet', 'pinv', 'eigvalsh'):
        yield f'linalg.{name}', getattr(jnp.linalg, name), [positive]
    yield 'linalg.eigh', jnp.linalg.eigh, [positive]
    yield 'linalg.svd', jnp.linalg.svd, [positive]
    yield 'linalg.lu', jax.scipy.linalg.lu, [positive]
    yield 'linalg.solve', jnp.linalg.solve, [positive, ((3,), F32)]
    yield 'linalg.lstsq', lambda a, b: jnp.linalg.lstsq(a, b)[0], [positive, ((3,), F32)]


def control():
    yield 'cond', lambda p, x: lax.cond(p > 0, lambda y: y + 1, lambda y: y * 2, x), [np.array(1, S32), ((3,), F32)]
    yield 'cond.captures', lambda p, x, y: lax.cond(p, lambda: x + y, lambda: x - 2 * y), [np.array(False), ((3,), F32), ((3,), F32)]
    yield 'cond.several', lambda p, x: lax.cond(p, lambda: (x, x.sum()), lambda: (-x, x.max())), [np.array(True), ((3,), F32)]
    yield 'cond.nested', lambda p, q, x: lax.cond(p, lambda: lax.cond(q, lambda: x, lambda: x + 1), lambda: x * 3), [
        np.array(True), np.array(False), ((2,), F32)]
    yield 'switch', lambda i, x: lax.switch(i, [lambda y: y, lambda y: y * 2, lambda y: y + 7], x), [np.array(5, S32), ((3,), F32)]
    yield 'while', lambda x: lax.while_loop(lambda v: v[0] < 5, lambda v: (v[0] + 1, v[1] * 2), (0, x)), [((3,), F32)]
    yield 'while.captures', lambda x, y: lax.while_loop(lambda v: v.sum() < 100, lambda v: v + jnp.abs(y) + 1, x), [((3,), F32), ((3,), F32)]
    yield 'while.single', lambda x: lax.while_loop(lambda v: v < 10, lambda v: v * 2 + 1, x), [np.array(1, S32)]
    yield 'fori', lambda x: lax.fori_loop(0, 4, lambda i, v: v + i, x), [((3,), F32)]
    yield 'fori.dynamic', lambda n, x: lax.fori_loop(0, n, lambda i, v: v * 1.5, x), [np.array(3, S32), ((3,), F32)]
    yield 'scan', lambda x: lax.scan(lambda c, y: (c + y, c * y), F32(0), x), [((5,), F32)]
    yield 'scan.reverse', lambda x: lax.scan(lambda c, y: (c + y, c), F32(0), x, reverse=True), [((5,), F32)]
    yield 'scan.matrix', lambda w, x: lax.scan(lambda c, y: (jnp.tanh(w @ c + y),) * 2, jnp.zeros(3), x), [((3, 3), F32), ((4, 3), F32)]
    yield 'map', lambda x: lax.map(lambda v: v @ v, x), [((4, 3), F32)]
    yield 'associative_scan', lambda x: lax.associative_scan(jnp.multiply, x), [((7,), F32)]
    yield 'vmap.cond', jax.vmap(lambda p, x: lax.cond(p, lambda: x, lambda: -x)), [((3,), PRED), ((3,), F32)]
    yield 'grad.scan', jax.grad(lambda x: lax.scan(lambda c, y: (jnp.sin(c + y), None), F32(0), x)[0]), [((4,), F32)]
    yield 'jit.nested', lambda x: jax.jit(jnp.sin)(x) + jax.jit(jnp.cos)(x), [((3,), F32)]
    yield 'checkpoint', jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), [((3,), F32)]
    yield 'custom_root', lambda x: lax.custom_root(lambda y: y * y - x, x, lambda f, y: lax.fori_loop(
        0, 8, lambda i, z: z - f(z) / (2 * z), y), lambda g, y: y / g(F32(1))), [np.array(2.5, F32)]
    yield 'newton', lambda x: lax.while_loop(lambda v: jnp.abs(v * v - x) > 1e-3, lambda v: (v + x / v) / 2, x), [np.array(3.0, F32)]
    yield 'jacobian', jax.jacfwd(lambda x: jnp.sin(x) * x.sum()), [((3,), F32)]
    yield 'hessian', jax.hessian(lambda x: (x ** 3).sum()), [((3,), F32)]
    yield 'mlp.grad', jax.grad(lambda w, x: jax.nn.relu(x @ w).sum()), [((3, 4), F32), ((2, 3), F32)]
    yield 'attention', lambda q, k, v: jax.nn.dot_product_attention(q, k, v), [((1, 4, 2, 8), F32)] * 3
    yield 'gelu', jax.nn.gelu, [((5,), F32)]
    yield 'interp', lambda x: jnp.interp(x, jnp.arange(4.0), jnp.array([1.0, 3.0, 2.0, 5.0])), [((3,), F32)]
    yield 'polyval', lambda c, x: jnp.polyval(c, x), [((4,), F32), ((3,), F32)]
    yield 'convolve', jnp.convolve, [((5,), F32), ((3,), F32)]
    yield 'tuple.results', lambda x: {'a': x, 'b': (x + 1, [x * 2])}, [((2,), F32)]
    yield 'no.results', lambda x: (), [((2,), F32)]
    yield 'unused', lambda x, y: x, [((2,), F32), ((3,), F32)]
    yield 'donated', lambda x, y: x + y, [((2,), F32), ((2,), F32)]


def random_numbers():
    key = np.array([1, 2], U32)
    wrap = lambda f: lambda k: f(jax.random.wrap_key_data(k))
    for name in ('uniform', 'normal', 'bits', 'gumbel', 'exponential', 'laplace', 'cauchy', 'logistic', 'rademacher', 'truncated'):
        draw = {'truncated': lambda k: jax.random.truncated_normal(k, -1.0, 1.0, (5,)),
                'rademacher': lambda k: jax.random.rademacher(k, (5,))}.get(
                    name, lambda k, name=name: getattr(jax.random, name)(k, (5,)))
        yield f'random.{name}', wrap(draw), [key]
    yield 'random.randint', wrap(lambda k: jax.random.randint(k, (5,), 0, 10)), [key]
    yield 'random.split', wrap(lambda k: jax.random.key_data(jax.random.split(k, 3))), [key]
    yield 'random.permutation', wrap(lambda k: jax.random.permutation(k, 6)), [key]
    yield 'random.categorical', wrap(lambda k: jax.random.categorical(k, jnp.log(jnp.array([0.2, 0.8])))), [key]
    yield 'random.fold_in', wrap(lambda k: jax.random.key_data(jax.random.fold_in(k, 7))), [key]
    yield 'random.bernoulli', wrap(lambda k: jax.random.bernoulli(k, 0.3, (5,))), [key]
    rbg = np.array([1, 2, 3, 4], U32)
    yield 'rng_bit_generator', lambda k: lax.rng_bit_generator(k, (4,), U32), [rbg]
    yield 'rng_bit_generator.philox', lambda k: lax.rng_bit_generator(k, (3,), U8, algorithm=lax.RandomAlgorithm.RNG_PHILOX), [rbg]


def sharded():
    mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ('a', 'b'))
    line = Mesh(np.array(jax.devices()[:4]), ('x',))
    rows = NamedSharding(mesh, P('a', None))
    both = NamedSharding(mesh, P('a', 'b'))
    x = ((4, 8), F32)
    yield 'sharded.constraint', jax.jit(lambda x: lax.with_sharding_constraint(x * 2, both), in_shardings=rows, out_shardings=both), [x]
    yield 'sharded.matmul', jax.jit(lambda x, y: x @ y, in_shardings=(rows, both), out_shardings=rows), [x, ((8, 4), F32)]

    def mapped(f, inside=P('x'), outside=P('x'), mesh=line, check=False):
        return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=inside, out_specs=outside, check_vma=check))
    yield 'shard_map.psum', mapped(lambda v: lax.psum(v, 'x'), outside=P()), [((8,), F32)]
    yield 'shard_map.pmax', mapped(lambda v: lax.pmax(v, 'x'), outside=P()), [((8,), F32)]
    yield 'shard_map.all_gather', mapped(lambda v: lax.all_gather(v, 'x', tiled=True)), [((8,), F32)]
    yield 'shard_map.psum_scatter', mapped(lambda v: lax.psum_scatter(v, 'x', tiled=True)), [((16,), F32)]
    yield 'shard_map.ppermute', mapped(lambda v: lax.ppermute(v, 'x', [(0, 1), (1, 2), (2, 3), (3, 0)])), [((8,), F32)]
    yield 'shard_map.all_to_all', mapped(lambda v: lax.all_to_all(v, 'x', 1, 0, tiled=True)), [((8, 8), F32)]
    yield 'shard_map.axis_index', mapped(lambda v: v + lax.axis_index('x').astype(F32)), [((8,), F32)]
    yield 'shard_map.two_axes', mapped(lambda v: lax.psum(v, 'a') + lax.pmin(v, 'b'), P('a', 'b'), P('a', 'b'), mesh), [((4, 4), F32)]
    yield 'shard_map.replicated', mapped(lambda v, w: v * w, (P('x'), P()), P('x')), [((8,), F32), ((2,), F32)]


def asynchronous():
    """Collectives that start and end by themselves."""
    line = Mesh(np.array(jax.devices()[:4]), ('x',))

    def mapped(f, outside=P('x')):
        return jax.jit(jax.shard_map(f, mesh=line, in_specs=P('x'), out_specs=outside, check_vma=False))
    yield 'async.psum', mapped(lambda v: parallel.psum_start(v, 'x').done() + 1, P()), [((8,), F32)]
    yield 'async.all_gather', mapped(lambda v: parallel.all_gather_start(v, 'x', tiled=True).done()), [((8,), F32)]
    yield 'async.psum_scatter', mapped(lambda v: parallel.psum_scatter_start(v, 'x', tiled=True).done()), [((16,), F32)]
    yield 'async.ppermute', mapped(lambda v: parallel.ppermute_start(v, 'x', [(0, 1), (1, 0)]).done()), [((8,), F32)]
    yield 'async.all_to_all', mapped(lambda v: parallel.all_to_all_start(v, 'x', 1, 0, tiled=True).done()), [((8, 8), F32)]


def less_used():
    """Primitives and functions of jax.lax that the programs above do not reach."""
    x, row, key = ((3, 4), F32), ((6,), F32), np.array([1, 2], U32)
    yield 'lax.mulhi', lambda a, b: lax_internal.mulhi(a, b), [np.array([2**31 - 1, -5, 7], S32), np.array([2**30, 9, -3], S32)]
    yield 'lax.mulhi.uint32', lambda a, b: lax_internal.mulhi(a, b), [np.array([2**32 - 1, 5], U32), np.array([2**31, 9], U32)]
    yield 'lax.unstack', lambda a: lax.unstack(a, 1), [x]
    yield 'lax.stage', lambda a: lax.stage(2) + a, [row]
    yield 'lax.full', lambda a: lax.full((2, 2), 3, F32) + lax.full_like(a, 1)[0, 0], [x]
    yield 'lax.collapse', lambda a: lax.collapse(a, 0, 2), [x]
    yield 'lax.composite', lambda a: lax.composite(lambda b: jnp.sin(b) * 2, name='mine.twice_sine', version=1)(a), [row]
    yield 'lax.platform_dependent', lambda a: lax.platform_dependent(a, cpu=jnp.sin, default=jnp.cos), [row]
    yield 'lax.dce_sink', lambda a: (lax.dce_sink(a * 2), a + 1)[1], [row]
    yield 'lax.tie', lambda a, b: lax_internal.tie_p.bind(a, b), [row, row]
    yield 'lax.create_token', lambda a: (lax.after_all(lax.create_token(), lax.create_token()), a)[1], [row]
    yield 'lax.index_take', lambda a, i: lax.index_take(a, (i,), (0,)), [x, np.array([2, 0], S32)]
    yield 'lax.dynamic_index_in_dim', lambda a, i: lax.dynamic_index_in_dim(a, i, 1), [x, np.array(-1, S32)]
    yield 'lax.dynamic_slice_in_dim', lambda a, i: lax.dynamic_slice_in_dim(a, i, 2, 1), [x, np.array(3, S32)]
    yield 'lax.dynamic_update_index', lambda a, b, i: lax.dynamic_update_index_in_dim(a, b, i, 0), [x, ((4,), F32), np.array(1, S32)]
    yield 'lax.index_in_dim', lambda a: lax.index_in_dim(a, 1, 0) + lax.slice_in_dim(a, 0, 1, axis=0), [x]
    yield 'lax.batch_matmul', lax.batch_matmul, [((2, 3, 4), F32), ((2, 4, 2), F32)]
    yield 'lax.scaled_dot', lambda a, b, s, t: lax.scaled_dot(a, b, lhs_scale=s, rhs_scale=t, preferred_element_type=F32), [
        ((2, 3, 8), BF16), ((2, 8, 4), BF16), ((2, 3, 4), BF16), ((2, 2, 4), BF16)]
    yield 'lax.conv_patches', lambda a: lax.conv_general_dilated_patches(a, (2, 2), (1, 1), 'VALID'), [((1, 2, 4, 4), F32)]
    yield 'lax.conv_local', lambda a, k: lax.conv_general_dilated_local(a, k, (1,), 'VALID', (2,)), [((1, 2, 4), F32), ((3, 4, 3), F32)]
    yield 'lax.conv_padding', lambda a, k: lax.conv_with_general_padding(a, k, (1,), [(1, 0)], None, None), [((1, 2, 5), F32), ((3, 2, 2), F32)]
    yield 'lax.ragged_dot.contracting', lambda a, b, g: lax.ragged_dot_general(a, b, g, lax.RaggedDotDimensionNumbers(
        (((0,), (0,)), ((), ())), (0,), ())), [((5, 3), F32), ((5, 4), F32), np.array([2, 1, 2], S32)]
    yield 'lax.approx_min_k', lambda a: lax.approx_min_k(a, 2), [x]
    yield 'lax.sort_key_val', lambda a, b: lax.sort_key_val(a, b, is_stable=True), [row, ((6,), S32)]
    yield 'lax.random_gamma_grad', lambda a, b: lax.random_gamma_grad(a, b), [np.array([0.5, 2], F32), np.array([1, 1.5], F32)]
    yield 'lax.igamma_grad_a', lax.igamma_grad_a, [np.array([0.5, 2.0], F32), np.array([1.0, 1.5], F32)]
    yield 'lax.reduce_window.pair', lambda a, b: lax.reduce_window((a, b), (F32(0), F32(1)), lambda p, q: (
        p[0] + q[0], p[1] * q[1]), (2, 2), (1, 2), 'VALID'), [x, x]
    yield 'lax.reduce_window.min', lambda a: lax.reduce_window(a, F32(np.inf), lax.min, (2,), (1,), 'SAME'), [row]
    yield 'lax.select_and_gather_add', jax.jacfwd(lambda a: lax.reduce_window(a, -F32(np.inf), lax.max, (2,), (2,), 'VALID')), [row]
    for name in ('sum', 'prod', 'max', 'min'):
        yield f'lax.reduce_{name}', lambda a, name=name: getattr(lax, f'reduce_{name}')(a, (1,)), [x]
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    for name in ('scatter', 'scatter_add', 'scatter_sub', 'scatter_mul', 'scatter_min', 'scatter_max'):
        yield f'lax.{name}', lambda a, i, u, name=name: getattr(lax, name)(a, i, u, numbers, mode='clip'), [
            row, np.array([[1], [4], [9]], S32), ((3,), F32)]
    yield 'lax.custom_linear_solve', lambda a, b: lax.custom_linear_solve(lambda v: a * v, b, lambda f, v: v / a, symmetric=True), [row, row]
    yield 'custom_vjp', jax.grad(lambda a: _twice(a).sum()), [row]
    yield 'custom_jvp', jax.grad(lambda a: jax.nn.relu6(a).sum()), [row]
    yield 'checkpoint_name', lambda a: jax.ad_checkpoint.checkpoint_name(a * 2, 'product'), [row]
    yield 'linear_transpose', lambda a: jax.linear_transpose(lambda b: b * 3, a)(a), [row]
    yield 'linearize', lambda a: jax.linearize(jnp.sin, a)[1](a), [row]
    yield 'custom_batching', jax.vmap(_batched), [x]
    yield 'layout_constraint', lambda a: _with_layout(a) + 1, [x]
    yield 'random.clone', lambda k: jax.random.key_data(jax.random.clone(jax.random.wrap_key_data(k))), [key]
    yield 'random.seed', lambda n: jax.random.key_data(jax.random.key(n)), [np.array(7, S32)]
    yield 'random.gamma', lambda k: jax.random.gamma(jax.random.wrap_key_data(k), 2.5, (3,)), [key]
    yield 'random.poisson', lambda k: jax.random.poisson(jax.random.wrap_key_data(k), 3.0, (3,)), [key]
    yield 'random.choice', lambda k: jax.random.choice(jax.random.wrap_key_data(k), 9, (3,), replace=False), [key]
    yield 'random.multivariate', lambda k: jax.random.multivariate_normal(jax.random.wrap_key_data(k), jnp.zeros(2), jnp.eye(2)), [key]
    yield 'random.threefry', lambda k, c: jax.extend.random.threefry_2x32(k, c), [key, np.arange(4, dtype=U32)]
    yield 'random.rbg', lambda k: jax.random.uniform(jax.random.wrap_key_data(k, impl='rbg'), (4,)), [np.array([1, 2, 3, 4], U32)]
    positive = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], F32)
    yield 'linalg.householder', lambda a: lax.linalg.householder_product(a, jnp.ones(3, F32)), [positive]
    yield 'linalg.pivots', lambda p: lax.linalg.lu_pivots_to_permutation(p, 4), [np.array([2, 1, 3], S32)]
    yield 'linalg.tridiagonal_solve', lax.linalg.tridiagonal_solve, [
        np.array([0, 1, 1], F32), np.array([4, 5, 6], F32), np.array([1, 2, 0], F32), ((3, 2), F32)]
    yield 'linalg.cholesky_update', lambda a, w: lax.linalg.cholesky_update(jnp.linalg.cholesky(a).T, w), [positive, ((3,), F32)]
    yield 'linalg.symmetric_product', lambda a, c: lax.linalg.symmetric_product(a, c), [((3, 4), F32), positive]
    yield 'cumsum.float64.axis0', lambda a: lax.cumsum(a, 0), [((4, 2), F64)]
    yield 'jnp.fft.fftn', jnp.fft.fftn, [((2, 3, 4), C64)]
    yield 'jnp.linalg.cond', jnp.linalg.cond, [positive]
    yield 'jnp.i0', jnp.i0, [row]
    yield 'jnp.float_power', jnp.float_power, [((3,), U8), ((3,), U8)]
    yield 'jnp.divmod', jnp.divmod, [((5,), S32), np.array([1, -2, 3, -4, 5], S32)]
    yield 'jnp.frexp', jnp.frexp, [row]
    yield 'jnp.ldexp', jnp.ldexp, [row, ((6,), S32)]
    yield 'jnp.gcd', jnp.gcd, [np.array([12, -18, 7], S32), np.array([8, 12, 21], S32)]
    yield 'jnp.packbits', jnp.packbits, [((2, 9), PRED)]
    yield 'jnp.unpackbits', jnp.unpackbits, [((2, 3), U8)]
    yield 'jnp.lexsort', lambda a, b: jnp.lexsort((a, b)), [((5,), S32), ((5,), S32)]
    yield 'jnp.insert', lambda a: jnp.insert(a, 2, F32(9)), [row]
    yield 'jnp.select', lambda a: jnp.select([a > 1, a < 0], [a, -a], 7), [row]
    yield 'jnp.piecewise', lambda a: jnp.piecewise(a, [a < 0, a >= 0], [lambda b: -b, lambda b: b * 2]), [row]
    yield 'jnp.vander', jnp.vander, [((3,), F32)]
    yield 'jnp.trapezoid', jnp.trapezoid, [row]
    yield 'jnp.correlate', jnp.correlate, [((5,), F32), ((3,), F32)]
    yield 'jnp.gradient', jnp.gradient, [row]
    yield 'special.ndtri', jax.scipy.special.ndtri, [np.array([0.1, 0.5, 0.975], F32)]
    yield 'special.expi', jax.scipy.special.expi, [np.array([0.5, 2.0], F32)]
    yield 'special.spence', jax.scipy.special.spence, [np.array([0.5, 2.0], F32)]
    yield 'special.betaln', jax.scipy.special.betaln, [np.array([0.5, 2.0], F32), np.array([1.5, 3.0], F32)]
    yield 'special.i1', jax.scipy.special.i1, [row]
    yield 'special.logit', jax.scipy.special.logit, [np.array([0.25, 0.5], F32)]
    yield 'map_coordinates', lambda a, c: jax.scipy.ndimage.map_coordinates(a, [c, c], 1), [((4, 4), F32), np.array([0.5, 1.25, 2.0], F32)]
    yield 'image.resize', lambda a: jax.image.resize(a, (5, 7), 'bilinear'), [((3, 4), F32)]
    yield 'nn.conv_pool', lambda a: lax.reduce_window(jax.nn.silu(a), F32(0), lax.add, (1, 2, 2), (1, 2, 2), 'SAME') / 4, [((2, 4, 5), F32)]
    yield 'nn.standardize', jax.nn.standardize, [x]
    yield 'nn.glu', jax.nn.glu, [x]
    yield 'ode', lambda a: jax.experimental.ode.odeint(lambda y, t: -y, a, jnp.array([0.0, 0.25])), [((2,), F32)]


@jax.custom_vjp
def _twice(x):
    return x * 2


_twice.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 3,))


@jax.custom_batching.custom_vmap
def _batched(x):
    return x * 2


@_batched.def_vmap
def _batched_rule(axis_size, in_batched, x):
    return x * 3, in_batched[0]


def _with_layout(x):
    from jax.experimental.layout import Layout, with_layout_constraint
    return with_layout_constraint(x, Layout((1, 0)))


PROGRAMS = [row for family in (elementwise, conversions, movement, indexing, reductions, contractions, linear_algebra, control,
                               random_numbers, sharded, less_used, asynchronous) for row in family()]

EXPORTS = [
    ('export.add', lambda x: x + 1, [('b',)], F32, {'b': 5}),
    ('export.sum', lambda x: x.sum(0) / x.shape[0], [('b', 3)], F32, {'b': 4}),
    ('export.reshape', lambda x: x.reshape(-1), [('b', 'c')], F32, {'b': 2, 'c': 3}),
    ('export.concatenate', lambda x, y: jnp.concatenate([x, y]), [('b',), ('c',)], F32, {'b': 2, 'c': 3}),
    ('export.matmul', lambda x, y: x @ y, [('2*b', 'c'), ('c', 'b')], F32, {'b': 2, 'c': 3}),
    ('export.iota', lambda x: x + jnp.arange(x.shape[0]), [('b',)], F32, {'b': 6}),
    ('export.broadcast', lambda x: jnp.broadcast_to(x, (x.shape[0], x.shape[0])), [('b',)], F32, {'b': 3}),
    ('export.pad', lambda x: jnp.pad(x, (x.shape[0], 1)), [('b',)], F32, {'b': 3}),
    ('export.slice', lambda x: x[: x.shape[0] - 1], [('b + 1',)], F32, {'b': 3}),
    ('export.gather', lambda x: x[jnp.array([0, 1])], [('b', 'c')], F32, {'b': 3, 'c': 2}),
    ('export.softmax', jax.nn.softmax, [('b', 'c')], F32, {'b': 3, 'c': 4}),
    ('export.cumsum', lambda x: jnp.cumsum(x), [('b',)], F32, {'b': 5}),
    ('export.while', lambda x: lax.fori_loop(0, x.shape[0], lambda i, v: v + i, x), [('b',)], F32, {'b': 4}),
    ('export.scan', lambda x: lax.scan(lambda c, y: (c + y, c), F32(0), x), [('b',)], F32, {'b': 4}),
    ('export.cond', lambda x: lax.cond(x.sum() > 3, lambda: x * x.shape[0], lambda: -x), [('b',)], F32, {'b': 4}),
    ('export.floordiv', lambda x: x.reshape(2, -1).sum(1), [('2*b',)], F32, {'b': 3}),
    ('export.conv', lambda x: lax.conv_general_dilated(x, jnp.ones((1, 1, 3), F32), (1,), 'SAME'), [('b', 1, 'c')], F32, {'b': 2, 'c': 5}),
    ('export.reduce_window', lambda x: lax.reduce_window(x, F32(0), lax.add, (2,), (1,), 'VALID'), [('b',)], F32, {'b': 5}),
    ('export.sort', lambda x: jnp.sort(x), [('b', 4)], F32, {'b': 2}),
    ('export.where', lambda x: jnp.where(x > 0, x, x.shape[0]), [('b',)], F32, {'b': 4}),
    ('export.transpose', lambda x: x.T, [('b', 'c')], F32, {'b': 2, 'c': 3}),
    ('export.dynamic_slice', lambda x: lax.dynamic_slice(x, (1,), (2,)), [('b + 2',)], F32, {'b': 3}),
    ('export.tile', lambda x: jnp.tile(x, 2), [('b',)], F32, {'b': 3}),
    ('export.norm', jnp.linalg.norm, [('b', 'c')], F32, {'b': 2, 'c': 3}),
    # Their custom calls take sizes as operands.
    ('export.linalg.qr', jnp.linalg.qr, [('b', 3, 3)], F32, {'b': 2}),
    ('export.linalg.eigh', lambda x: jnp.linalg.eigh(x + x.swapaxes(1, 2)), [('b', 3, 3)], F32, {'b': 2}),
    ('export.linalg.svd', jnp.linalg.svd, [('b', 3, 3)], F32, {'b': 2}),
    ('export.linalg.lu', jax.scipy.linalg.lu_factor, [('b', 3, 3)], F32, {'b': 2}),
]
