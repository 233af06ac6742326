#!/usr/bin/env python3
"""Writes backends/cpu/vector/kernels/polynomials.h: the coefficients of the cpu backend's functions.

usage: polynomials.py > backends/cpu/vector/kernels/polynomials.h       (needs mpmath)

Each polynomial interpolates its function at the Chebyshev nodes of its interval, computed with 200 bits, which is
within a small factor of the best. "single" is for results of at most 24 bits, "double" for 53. The comments state the
largest error relative to the function's result, measured on a dense grid with the rounded coefficients.
"""
import struct

from mpmath import mp, mpf, chebyfit, exp, log, sin, cos, atan, erf, erfc, sqrt, pi, taylor, ldexp
mp.prec = 200


def rounded(x):
    return mpf(float(x))


def fit(f, low, high, degree):
    """Coefficients from the lowest, by interpolation at Chebyshev nodes."""
    n = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    matrix = mp.matrix(n, n)
    right = mp.matrix(n, 1)
    for i, z in enumerate(nodes):
        right[i] = f(z)
        for j in range(n):
            matrix[i, j] = z ** j
    return [rounded(c) for c in mp.lu_solve(matrix, right)]


def weighted_fit(f, weight, low, high, degree):
    """Coefficients whose largest weighed error is least, by Remez's exchange on a grid."""
    n = degree + 2
    points = [low + (high - low) * mpf(i) / 4000 for i in range(4001)]
    values, weights = [f(x) for x in points], [weight(x) for x in points]
    at = [round(2000 - 2000 * float(cos(pi * k / (n - 1)))) for k in range(n)]
    for _ in range(30):
        matrix = mp.matrix(n, n)
        for i, k in enumerate(at):
            for j in range(degree + 1):
                matrix[i, j] = points[k] ** j
            matrix[i, n - 1] = (-1) ** i / weights[k]
        c = list(mp.lu_solve(matrix, mp.matrix([values[k] for k in at])))[:n - 1]
        error = [(value(c, x) - v) * w for x, v, w in zip(points, values, weights)]
        # The largest error of each run of one sign, in as many runs as there are points.
        extremes = [0]
        for k in range(1, len(points)):
            if error[k] * error[extremes[-1]] < 0:
                extremes.append(k)
            elif abs(error[k]) > abs(error[extremes[-1]]):
                extremes[-1] = k
        if len(extremes) < n:
            break
        while len(extremes) > n:
            del extremes[0 if abs(error[extremes[0]]) < abs(error[extremes[-1]]) else -1]
        if extremes == at:
            break
        at = extremes
    return c


def value(coefficients, z):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * z + c
    return total


def small(f, series):
    """f, by its power series where f itself cancels."""
    return lambda z: value(series, z) if abs(z) < mpf(2) ** -20 else f(z)


def emit(name, what, coefficients, error):
    print(f'// {what}: 2^{float(log(error, 2)):.1f}.')
    print(f'inline constexpr double k{name}[] = {{')
    for c in coefficients:
        print(f'    {float(c).hex()},')
    print('};')


def grid(low, high, n=2000):
    return [low + (high - low) * mpf(i) / n for i in range(n + 1)]


def rounded32(x):
    return mpf(struct.unpack('f', struct.pack('f', float(x)))[0])


def emit32(name, what, f, low, high, degree, relative, minimax=False):
    """Coefficients of f32. `relative` weighs the error at a point."""
    c = weighted_fit(f, relative, low, high, degree) if minimax else fit(f, mpf(low), mpf(high), degree)
    c = [rounded32(x) for x in c]
    error = max(abs((f(z) - value(c, z)) * relative(z)) for z in grid(mpf(low), mpf(high)))
    print(f'// {what}: 2^{float(log(error, 2)):.1f}.')
    print(f'inline constexpr float k{name}[] = {{' + ', '.join(float(x).hex() + 'f' for x in c) + '};')


def emit64(name, what, f, low, high, degree, relative):
    """Coefficients of f64. `relative` weighs the error at a point."""
    c = fit(f, mpf(low), mpf(high), degree)
    emit(name, what, c, max(abs((f(z) - value(c, z)) * relative(z)) for z in grid(mpf(low), mpf(high))))


def double_functions():
    r = log(2) / 2 * mpf('1.01')
    emit64('Exp64', 'exp(r) = 1 + r + r^2 p(r), relative to 1',
           small(lambda z: (exp(z) - 1 - z) / z ** 2, [1 / mp.factorial(k + 2) for k in range(8)]), -r, r, 10,
           lambda z: z ** 2)
    emit64('Log64', 'log((1 + s)/(1 - s)) = 2s + s^3 p(s^2), relative to 2s',
           small(lambda z: (2 * mp.atanh(sqrt(z)) - 2 * sqrt(z)) / sqrt(z) ** 3, [mpf(2) / (2 * k + 3) for k in range(6)]),
           0, ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf('1.001'), 7, lambda z: z / 2)
    emit64('Tanh64', 'tanh(x) = x + x^3 p(x^2) to 0.625, relative to x',
           small(lambda z: (mp.tanh(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
                 [mpf(-1) / 3, mpf(2) / 15, mpf(-17) / 315, mpf(62) / 2835, mpf(-1382) / 155925]),
           0, mpf('0.625') ** 2, 11, lambda z: z)
    emit64('Sinh64', 'sinh(x) = x + x^3 p(x^2) to 1, relative to x',
           small(lambda z: (mp.sinh(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
                 [1 / mp.factorial(2 * k + 3) for k in range(6)]), 0, 1, 6, lambda z: z)
    high = (pi / 4 * mpf('1.001')) ** 2
    emit64('Sin64', 'sin(r) = r + r^3 p(r^2), relative to r',
           small(lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
                 [(-1) ** (k + 1) / mp.factorial(2 * k + 3) for k in range(6)]), 0, high, 5, lambda z: z)
    emit64('Cos64', 'cos(r) = 1 - r^2/2 + r^4 p(r^2), relative to 1',
           small(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2,
                 [(-1) ** k / mp.factorial(2 * k + 4) for k in range(6)]), 0, high, 5, lambda z: z ** 2)
    emit64('Atan64', 'atan(t) = t + t^3 p(t^2), relative to t',
           small(lambda z: (atan(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
                 [mpf((-1) ** (k + 1)) / (2 * k + 3) for k in range(6)]),
           0, (mp.tan(pi / 8) * mpf('1.001')) ** 2, 11, lambda z: z)
    coefficient = lambda k: mp.binomial(2 * k, k) / (mpf(4) ** k * (2 * k + 1))
    emit64('Asin64', 'asin(x) = x + x^3 p(x^2) to 1/2, relative to x',
           small(lambda z: (mp.asin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, [coefficient(k + 1) for k in range(8)]),
           0, mpf('0.25') * mpf('1.001'), 12, lambda z: z)
    emit64('Cbrt64', 'cbrt(x) = p(x) from 1/2 to 1, relative to it', mp.cbrt, mpf('0.5'), 1, 5, lambda z: 1)


def single_functions():
    r = log(2) / 2 * mpf('1.01')
    emit32('Exp32', 'exp(r) = 1 + r + r^2 p(r), relative to 1',
           small(lambda z: (exp(z) - 1 - z) / z ** 2, [1 / mp.factorial(k + 2) for k in range(8)]), -r, r, 4,
           lambda z: z ** 2)
    emit32('Log32', 'log(1 + f) = f - f^2/2 + f^3 p(f), relative to f',
           small(lambda z: (log(1 + z) - z + z * z / 2) / z ** 3, [mpf((-1) ** k) / (k + 3) for k in range(8)]),
           sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1, 7, lambda z: z ** 2)
    least = mpf(2) ** -20
    emit32('Tanh32', 'tanh(x) = x + x^3 p(x^2) to 0.6875, relative to x',
           small(lambda z: (mp.tanh(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
                 [mpf(-1) / 3, mpf(2) / 15, mpf(-17) / 315, mpf(62) / 2835]), least, mpf('0.6875') ** 2, 4, lambda z: z,
           minimax=True)
    emit32('ErfcLog32', '-log(erfc(x)) = x + x p(x) to 3.9375, relative in erf', lambda z: -log(erfc(z)) / z - 1,
           least, mpf('3.9375'), 8, lambda z: z * erfc(z) / erf(z), minimax=True)
    high = mpf('0.693359375')  # 9 bits: its products with exponents are exact
    print('// log(2), the sum of these.')
    print(f'inline constexpr float kLn2Of32[] = {{{float(high).hex()}f, {float(rounded32(log(2) - high)).hex()}f}};')


def exponential(name, degree):
    r = log(2) / 2 * mpf('1.01')
    f = small(lambda z: (exp(z) - 1 - z - z * z / 2) / z ** 3, [1 / mp.factorial(k + 3) for k in range(6)])
    c = fit(f, -r, r, degree)
    error = max(abs((f(z) - value(c, z)) * z ** 2) for z in grid(-r, r))
    emit(f'Exp{name}', 'exp(r) = 1 + r + r^2/2 + r^3 p(r), relative to r', c, error)


def logarithm(name, degree):
    # s = f / (2 + f) for 1 + f from sqrt(1/2) to sqrt(2).
    high = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf('1.001')
    g = lambda z: (2 * mp.atanh(sqrt(z)) - 2 * sqrt(z) - 2 * sqrt(z) ** 3 / 3) / sqrt(z) ** 5
    f = small(g, [mpf(2) / (2 * k + 5) for k in range(6)])
    c = fit(f, mpf(0), high, degree)
    error = max(abs((f(z) - value(c, z)) * z ** 2 / 2) for z in grid(mpf(0), high))
    emit(f'Log{name}', 'log((1 + s)/(1 - s)) = 2s + 2/3 s^3 + s^5 p(s^2), relative to 2s', c, error)


def sine(name, degree):
    high = (pi / 4 * mpf('1.001')) ** 2
    f = small(lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3,
              [(-1) ** (k + 1) / mp.factorial(2 * k + 3) for k in range(6)])
    c = fit(f, mpf(0), high, degree)
    error = max(abs((f(z) - value(c, z)) * z) for z in grid(mpf(0), high))
    emit(f'Sin{name}', 'sin(r) = r + r^3 p(r^2), relative to r', c, error)


def cosine(name, degree):
    high = (pi / 4 * mpf('1.001')) ** 2
    f = small(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, [(-1) ** k / mp.factorial(2 * k + 4) for k in range(6)])
    c = fit(f, mpf(0), high, degree)
    error = max(abs((f(z) - value(c, z)) * z ** 2) for z in grid(mpf(0), high))
    emit(f'Cos{name}', 'cos(r) = 1 - r^2/2 + r^4 p(r^2), relative to 1', c, error)


def arctangent(name, degree):
    high = (mp.tan(pi / 8) * mpf('1.001')) ** 2
    f = small(lambda z: (atan(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, [mpf((-1) ** (k + 1)) / (2 * k + 3) for k in range(6)])
    c = fit(f, mpf(0), high, degree)
    error = max(abs((f(z) - value(c, z)) * z) for z in grid(mpf(0), high))
    emit(f'Atan{name}', 'atan(t) = t + t^3 p(t^2), relative to t', c, error)


def error_function(name, degree):
    k = 2 / sqrt(pi)
    f = small(lambda z: (erf(sqrt(z)) / sqrt(z) - k) / z,
              [k * (-1) ** (i + 1) / (mp.factorial(i + 1) * (2 * i + 3)) for i in range(8)])
    c = fit(f, mpf(0), mpf(1), degree)
    error = max(abs((f(z) - value(c, z)) * z) for z in grid(mpf(0), mpf(1)))
    emit(f'Erf{name}', 'erf(x) = x (2/sqrt(pi) + x^2 p(x^2)) to 1, relative to x', c, error)


def complementary(name, degree, high):
    a = mpf(2)
    f = lambda u: (lambda x: erfc(x) * exp(x * x))(a * (1 + u) / (1 - u))
    low_u, high_u = (1 - a) / (1 + a), (high - a) / (high + a)
    c = fit(f, low_u, high_u, degree)
    error = max(abs((f(u) - value(c, u)) * exp(-(a * (1 + u) / (1 - u)) ** 2)) for u in grid(low_u, high_u, 500))
    emit(f'Erfc{name}', f'erfc(x) = exp(-x^2) p((x - 2)/(x + 2)) from 1 to {float(high)}, absolute', c, error)


def parts(x, bits, n):
    result = []
    for i in range(n):
        if i == n - 1:
            part = rounded(x)
        else:
            scale = mpf(2) ** (bits - 1 - int(mp.floor(log(abs(x), 2))))
            part = mp.floor(x * scale) / scale
        result.append(part)
        x -= part
    return result


def constant(name, x, bits=53, n=2):
    print(f'// {name}, the sum of these' + ('.' if bits == 53 else f'; all but the last have {bits} bits.'))
    items = [rounded(x), rounded(x - rounded(x))] if bits == 53 else parts(x, bits, n)
    print(f'inline constexpr double k{name}[] = {{' + ', '.join(float(p).hex() for p in items) + '};')


def two_over_pi():
    digits = 1344
    mp.prec = digits + 64
    whole = int(mp.floor(2 / pi * mpf(2) ** digits))
    mp.prec = 200
    words = [(whole >> (digits - 64 * (i + 1))) & (2 ** 64 - 1) for i in range(digits // 64)]
    print('// The bits of 2/pi after the point, 64 to a word.')
    print('inline constexpr uint64_t kTwoOverPi[] = {')
    for i in range(0, len(words), 3):
        print('    ' + ', '.join(f'{w:#018x}' for w in words[i:i + 3]) + ',')
    print('};')


print('''// Coefficients from the lowest power up, and constants in parts. Written by tools/polynomials.py.
// The errors are those of the polynomials, without the rounding of their evaluation.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_POLYNOMIALS_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_POLYNOMIALS_H_

#include <cstdint>

namespace assay::cpu::polynomials {
''')
exponential('Single', 6)
exponential('Double', 11)
logarithm('Single', 3)
logarithm('Double', 8)
sine('Single', 4)
sine('Double', 8)
cosine('Single', 4)
cosine('Double', 8)
arctangent('Single', 7)
arctangent('Double', 17)
error_function('Single', 8)
error_function('Double', 17)
complementary('Single', 9, mpf(4))
complementary('Double', 20, mpf(6))
single_functions()
double_functions()
constant('Ln2', log(2))
constant('Ln2Parts', log(2), 40, 3)
constant('HalfPi', pi / 2)
constant('Pi', pi)
constant('QuarterPi', pi / 4)
constant('HalfPiParts', pi / 2, 33, 4)
constant('TwoOverSqrtPi', 2 / sqrt(pi))
constant('TwoThirds', mpf(2) / 3)
two_over_pi()
print('''
}  // namespace assay::cpu::polynomials

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_POLYNOMIALS_H_''')
