"""Factorisation, solving, Fourier transforms and batch normalisation, from their definitions: rational numbers as far as these
reach, one square root beyond, and the field of the roots of unity (structural, sections 9 to 11)."""
import functools
import math

import gmpy2
import numpy as np
from gmpy2 import mpq

from . import formats
from .formats import INF, NAN, number
from .functions import PRECISIONS, Undecided, around, rounded, square_root
from .moves import places
from .program import Array
from .scalars import Unsupported


class Gaussian:
    """An exact complex number."""
    def __init__(self, real, imaginary=mpq(0)):
        self.real, self.imag = real, imaginary

    def __add__(self, other):
        return Gaussian(self.real + other.real, self.imag + other.imag)

    def __sub__(self, other):
        return Gaussian(self.real - other.real, self.imag - other.imag)

    def __mul__(self, other):
        return Gaussian(self.real * other.real - self.imag * other.imag, self.real * other.imag + self.imag * other.real)

    def __truediv__(self, other):
        size = other.real**2 + other.imag**2
        above = self * other.conjugate()
        return Gaussian(above.real / size, above.imag / size)

    def conjugate(self):
        return Gaussian(self.real, -self.imag)


def rational(value):
    if not formats.is_finite(value):
        raise Unsupported('an infinity or NaN')
    return mpq(value)


class Exact:
    """The elements of an array as exact complex numbers, of those that are asked for."""
    def __init__(self, array):
        self.t, self.data = array.t, array.data

    def __getitem__(self, i):
        value = self.t.decode(self.data[i])
        return Gaussian(*map(rational, value)) if isinstance(self.t, formats.Complex) else Gaussian(rational(value))

    def real(self, i):
        value = self.t.decode(self.data[i])
        return Gaussian(rational(value[0] if isinstance(self.t, formats.Complex) else value))


def encoded(t, value, encode=lambda part, x: part.encode(number(x))):
    """The pattern of an exact complex number, or of the real part in real types."""
    if isinstance(t, formats.Complex):
        return encode(t.part, value.real), encode(t.part, value.imag)
    return encode(t, value.real)


def times_root(element, factor, square, plus=mpq(0)):
    """The pattern of plus + factor * sqrt(square)."""
    if not factor:
        return element.encode(number(plus))

    def enclosure(bits):
        root = square_root(square, bits + 200)
        if not isinstance(root, tuple):
            return number(plus + factor * root)
        low, high = sorted((plus + factor * root[0], plus + factor * root[1]))
        return (low, high) if low > 0 or high < 0 else (None, None)
    return rounded(element, enclosure)


def cholesky(machine, instruction, operands):
    """a = L D L^H in rational numbers; the factor is L sqrt(D)."""
    array, n = operands[0], operands[0].shape[-1]
    lower, values, out = instruction.attributes.get('lower', 'false') == 'true', Exact(array), []
    for base in range(0, len(array.data), max(n * n, 1)):
        def entry(i, j, base=base):  # of the lower triangle
            if i == j:
                return values.real(base + i * n + i)
            return values[base + i * n + j] if lower else values[base + j * n + i].conjugate()
        factor, diagonal = {}, []
        for j in range(n):
            def rest(i, j=j):
                value = entry(i, j)
                for k in range(j):
                    value = value - factor[i, k] * factor[j, k].conjugate() * Gaussian(diagonal[k])
                return value
            diagonal.append(rest(j).real)
            if diagonal[j] <= 0:
                break
            for i in range(j, n):
                factor[i, j] = rest(i) / Gaussian(diagonal[j])
        for i in range(n):
            for j in range(n):
                out.append(cholesky_element(array.t, factor, diagonal, *((i, j) if lower else (j, i)), lower))
    return Array(array.type, array.shape, out)


def cholesky_element(t, factor, diagonal, i, j, lower):
    if diagonal[-1] <= 0:
        return (t.part.nan, t.part.nan) if isinstance(t, formats.Complex) else t.nan
    value = factor[i, j] if i >= j else Gaussian(mpq(0))
    value = value if lower else value.conjugate()
    return encoded(t, value, lambda part, x: times_root(part, x, diagonal[j] if i >= j else mpq(1)))


def triangular_solve(machine, instruction, operands):
    a, b = operands
    flags = {name: instruction.attributes.get(name, 'false') == 'true' for name in ('left_side', 'lower', 'unit_diagonal')}
    n, transpose = a.shape[-1], instruction.attributes.get('transpose_a')
    rows, columns = b.shape[-2:]
    left, lower = flags['left_side'], flags['lower'] != (transpose != 'NO_TRANSPOSE')
    a_values, b_values, out = Exact(a), Exact(b), {}
    for g in range(len(b.data) // (rows * columns) if rows * columns else 0):
        def coefficient(i, j, g=g):
            if i == j and flags['unit_diagonal']:
                return Gaussian(mpq(1))
            value = a_values[g * n * n + (i * n + j if transpose == 'NO_TRANSPOSE' else j * n + i)]
            return value.conjugate() if transpose == 'ADJOINT' else value

        def at(i, line, g=g):  # where unknown i of a line stands
            return g * rows * columns + (i * columns + line if left else line * columns + i)
        for line in range(columns if left else rows):
            for i in range(n) if lower == left else range(n - 1, -1, -1):
                value = b_values[at(i, line)]
                for j in (range(i) if lower == left else range(i + 1, n)):
                    value = value - (coefficient(i, j) if left else coefficient(j, i)) * out[at(j, line)]
                pivot = coefficient(i, i)
                if pivot.real == pivot.imag == 0:
                    raise Unsupported('a zero on the diagonal')
                out[at(i, line)] = value / pivot
    return Array(b.type, b.shape, [encoded(b.t, out[i]) for i in range(len(b.data))])


@functools.lru_cache(maxsize=None)
def cyclotomic(n):
    """The coefficients of the cyclotomic polynomial, from the constant on."""
    result = [-1] + [0] * (n - 1) + [1]
    for d in range(1, n):
        if n % d == 0:
            result = divided(result, cyclotomic(d))
    return result


def divided(polynomial, divisor):
    """Without rest."""
    rest, out = list(polynomial), []
    while len(rest) >= len(divisor):
        out.append(rest[-1])
        for i in range(len(divisor)):
            rest[len(rest) - len(divisor) + i] -= out[-1] * divisor[i]
        rest.pop()
    return out[::-1]


def reduced(coefficients):
    """An element of the field of the n-th roots of unity, by its coefficients of the n powers: those of its residue."""
    modulus, rest = cyclotomic(len(coefficients)), list(coefficients)
    while len(rest) >= len(modulus):
        leading = rest.pop()
        for i in range(len(modulus) - 1):
            rest[len(rest) - len(modulus) + 1 + i] -= leading * modulus[i]
    return rest


@functools.lru_cache(maxsize=None)
def cosines(n, bits):
    c = gmpy2.context(precision=bits + 20)
    return [mpq(c.cos(c.div(c.mul(2 * k, c.const_pi()), n))) for k in range(n)]


def real_part(element, coefficients):
    """The pattern of the real part of an element: rational, or enclosed."""
    n = len(coefficients)
    mirrored = [(coefficients[k] + coefficients[-k % n]) / 2 for k in range(n)]
    residue = reduced(mirrored)
    if not any(residue[1:]):
        return element.encode(number(residue[0]))

    def enclosure(bits):
        middle = sum((c * cosine for c, cosine in zip(mirrored, cosines(n, bits))), mpq(0))
        return around(middle, sum(map(abs, mirrored)) / 2**bits)
    return rounded(element, enclosure)


def rotated(coefficients, by):
    return coefficients[-by:] + coefficients[:-by] if by else list(coefficients)


EXACT_LENGTH = 64  # of transforms in the field of the roots of unity, whose cost grows with the third power of the length
BITS = 500


@functools.lru_cache(maxsize=None)
def roots(n):
    """The n-th roots of unity, counterclockwise, each within 2^-BITS."""
    c = gmpy2.context(precision=BITS + 20, real_prec=BITS + 20, imag_prec=BITS + 20)
    angles = [c.div(c.mul(2 * k, c.const_pi()), n) for k in range(n)]
    return [gmpy2.mpc(c.cos(angle), c.sin(angle), BITS + 20) for angle in angles]


def mixed_radix(values, turn, step, order):
    """The sums over j of values[j] * w^(turn * j * k), with w a root of unity of the order divided by step."""
    n = len(values)
    if n == 1:
        return values
    p = next((q for q in range(2, math.isqrt(n) + 1) if n % q == 0), n)
    parts = [mixed_radix(values[r::p], turn, step * p, order) for r in range(p)]
    w = roots(order)
    return [sum((parts[r][k % (n // p)] * w[turn * r * k * step % order] for r in range(1, p)), parts[0][k % (n // p)])
            for k in range(n)]


def long_fft(array, kind, lengths):
    """Transforms of many elements: mixed radices in 500 bits, of which rounding takes some 20. Results whose enclosure holds a
    boundary of rounding, zeros above all, are open."""
    inverse, t = kind in ('IFFT', 'IRFFT'), array.t
    exact = Exact(array)
    with gmpy2.context(gmpy2.get_context(), precision=BITS, real_prec=BITS, imag_prec=BITS, emax=gmpy2.get_emax_max(),
                       emin=gmpy2.get_emin_min()):
        values = np.empty(len(array.data), object)
        for k in range(len(array.data)):
            values[k] = gmpy2.mpc(gmpy2.mpfr(exact[k].real), gmpy2.mpfr(exact[k].imag))
        error = sum(abs(exact[k].real) + abs(exact[k].imag) for k in range(len(array.data))) / 2**(BITS - 40)
        values = values.reshape(array.shape)
        axes = list(range(len(array.shape) - len(lengths), len(array.shape)))
        for axis, n in zip(axes, lengths):
            if kind == 'IRFFT' and axis == axes[-1]:
                values = np.concatenate([values] + [np.conjugate(values[..., (n - 1) // 2:0:-1])], axis)[..., :n]
                for index in np.ndindex(*values.shape):  # bins that are their own opposite count with their real part
                    if index[-1] in (0, n / 2):
                        values[index] = gmpy2.mpc(values[index].real)
            lines_of = np.moveaxis(values, axis, -1)
            out = np.empty(lines_of.shape, object)
            for index in np.ndindex(*lines_of.shape[:-1]):
                line = mixed_radix(list(lines_of[index]), 1 if inverse else -1, 1, n)
                out[index] = [x / n for x in line] if inverse else line
            values = np.moveaxis(out, -1, axis)
        if kind == 'RFFT':
            values = values[..., :lengths[-1] // 2 + 1]

    def pattern(part, x):
        ends = around(mpq(x), error)
        low, high = (None if end is None else part.encode(end) for end in ends)
        return low if low == high else None
    result = {'RFFT': {'f32': 'c64', 'f64': 'c128'}, 'IRFFT': formats.COMPLEX}.get(kind, {}).get(array.type, array.type)
    t = formats.element_type(result)
    flat = values.reshape(-1)
    data = [(pattern(t.part, x.real), pattern(t.part, x.imag)) if isinstance(t, formats.Complex) else pattern(t, x.real) for x in flat]
    return Array(result, values.shape, data)


def fft(machine, instruction, operands):
    array, kind, lengths = operands[0], instruction.attributes['fft_type'], instruction.numbers('fft_length')
    if max(lengths) > 4 * EXACT_LENGTH or (len(lengths) > 1 and math.lcm(*lengths) > EXACT_LENGTH):
        return long_fft(array, kind, lengths)
    inverse = kind in ('IFFT', 'IRFFT')
    order = math.lcm(4, *(n for n in lengths if n))
    values = np.array([None] * len(array.data), object)
    for k in range(len(array.data)):
        values[k] = [mpq(0)] * order
        values[k][0], values[k][order // 4] = Exact(array)[k].real, Exact(array)[k].imag
    values, rank = values.reshape(array.shape), len(array.shape)
    axes = list(range(rank - len(lengths), rank))
    if kind == 'IRFFT':
        for axis, n in zip(axes[:-1], lengths[:-1]):
            values = transformed(values, axis, n, order, inverse)
        values = mirrored_bins(values, lengths[-1], order)
        values = transformed(values, axes[-1], lengths[-1], order, inverse)
    else:
        for axis, n in zip(axes, lengths):
            values = transformed(values, axis, n, order, inverse)
        if kind == 'RFFT':
            values = values[..., :lengths[-1] // 2 + 1]
    result = {'RFFT': {'f32': 'c64', 'f64': 'c128'}, 'IRFFT': formats.COMPLEX}.get(kind, {}).get(array.type, array.type)
    t = formats.element_type(result)
    if isinstance(t, formats.Complex):
        data = [(real_part(t.part, x), real_part(t.part, rotated(x, order - order // 4))) for x in values.reshape(-1)]
    else:
        data = [real_part(t, x) for x in values.reshape(-1)]
    return Array(result, values.shape, data)


def transformed(values, axis, n, order, inverse):
    out = np.empty(values.shape, object)
    for index in np.ndindex(*values.shape):
        total = [mpq(0)] * order
        for j in range(n):
            turn = j * index[axis] * (order // n) % order
            term = rotated(values[index[:axis] + (j, ) + index[axis + 1:]], turn if inverse else -turn % order)
            total = [a + b for a, b in zip(total, term)]
        out[index] = [a / n for a in total] if inverse else total
    return out


def conjugate(x):
    return [x[-k % len(x)] for k in range(len(x))]


def mirrored_bins(values, n, order):
    """All n bins of a real signal, from the first n / 2 + 1; those that are their own opposite count with their real part."""
    out = np.empty(values.shape[:-1] + (n, ), object)
    for index in np.ndindex(*out.shape):
        k, opposite = index[-1], -index[-1] % n
        x = values[index[:-1] + (min(k, opposite), )]
        if k == opposite:
            x = [(a + b) / 2 for a, b in zip(x, conjugate(x))]
        out[index] = x if k <= opposite else conjugate(x)
    return out


class Features:
    """The cells of each feature of an operand of batch normalisation, and epsilon in its type."""
    def __init__(self, instruction, operand):
        self.t, self.axis = operand.t, int(instruction.attributes['feature_index'])
        rows = np.moveaxis(places(operand), self.axis, 0)
        if 0 in operand.shape:
            raise Unsupported('no elements')
        self.cells = rows.reshape(operand.shape[self.axis], -1).tolist()
        single = formats.element_type('f32')
        as_single = single.decode(single.encode(number(mpq(instruction.attributes['epsilon']))))
        self.epsilon = rational(self.t.decode(self.t.encode(as_single)))

    def per_feature(self, array):
        return [rational(array.t.decode(pattern)) for pattern in array.data]

    def encoded_sum(self, patterns, count=1):
        """The sum over a count; nothing but -0 makes -0."""
        total = functools.reduce(formats.add, map(self.t.decode, patterns))
        return self.t.encode(formats.divide(total, mpq(count)))


def normalised(features, values, f, mean, spread, scale, offset, out):
    """y = scale (x - mean) / sqrt(spread) + offset."""
    for cell in features.cells[f]:
        factor = scale * (values[cell] - mean)
        if spread <= 0:
            raise Unsupported('no spread')
        out[cell] = times_root(features.t, factor / spread, spread, offset)


def batch_norm_training(machine, instruction, operands):
    x, features = operands[0], Features(instruction, operands[0])
    values = features.per_feature(x)
    scale, offset = map(features.per_feature, operands[1:])
    out, means, variances = {}, [], []
    for f, cells in enumerate(features.cells):
        mean = sum((values[c] for c in cells), mpq(0)) / len(cells)
        variance = sum(((values[c] - mean)**2 for c in cells), mpq(0)) / len(cells)
        normalised(features, values, f, mean, variance + features.epsilon, scale[f], offset[f], out)
        means.append(features.encoded_sum([x.data[c] for c in cells], len(cells)))
        variances.append(features.t.encode(number(variance)))
    one = (len(features.cells), )
    return [Array(x.type, x.shape, [out[i] for i in range(len(x.data))]), Array(x.type, one, means), Array(x.type, one, variances)]


def batch_norm_inference(machine, instruction, operands):
    x, features = operands[0], Features(instruction, operands[0])
    values = features.per_feature(x)
    scale, offset, mean, variance = map(features.per_feature, operands[1:])
    out = {}
    for f in range(len(features.cells)):
        normalised(features, values, f, mean[f], variance[f] + features.epsilon, scale[f], offset[f], out)
    return Array(x.type, x.shape, [out[i] for i in range(len(x.data))])


def batch_norm_grad(machine, instruction, operands):
    """With w = variance + epsilon, P the sum of dy and Q that of dy (x - mean): P, Q / sqrt(w), and
    scale / (m sqrt(w)) (m dy - P - (x - mean) Q / w)."""
    x, features = operands[0], Features(instruction, operands[0])
    values, dy = features.per_feature(x), features.per_feature(operands[4])
    scale, mean, variance = map(features.per_feature, operands[1:4])
    out, grad_scale, grad_offset = {}, [], []
    for f, cells in enumerate(features.cells):
        w, m = variance[f] + features.epsilon, len(cells)
        if w <= 0:
            raise Unsupported('no spread')
        p = sum((dy[c] for c in cells), mpq(0))
        q = sum((dy[c] * (values[c] - mean[f]) for c in cells), mpq(0))
        for c in cells:
            factor = scale[f] / m * (m * dy[c] - p - (values[c] - mean[f]) * q / w)
            out[c] = times_root(features.t, factor / w, w)
        grad_scale.append(times_root(features.t, q / w, w))
        grad_offset.append(features.encoded_sum([operands[4].data[c] for c in cells]))
    one = (len(features.cells), )
    return [Array(x.type, x.shape, [out[i] for i in range(len(x.data))]), Array(x.type, one, grad_scale),
            Array(x.type, one, grad_offset)]


OPERATIONS = {'cholesky': cholesky, 'triangular-solve': triangular_solve, 'fft': fft, 'batch-norm-training': batch_norm_training,
              'batch-norm-inference': batch_norm_inference, 'batch-norm-grad': batch_norm_grad}
