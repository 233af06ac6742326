"""Complex arithmetic and functions: exact parts where they are rational, MPC where it has the function, and formulas of MPFR's
functions without cancellation, or with more bits until two precisions agree, for the others.

A part that the specification leaves open is OPEN; where it leaves a choice, it is the set of the patterns.
"""
import gmpy2
from gmpy2 import mpc, mpq

from . import annex_g, functions
from .formats import (INF, NAN, Undecided, add, divide, is_finite, is_nan, multiply, negate, negative, number, subtract)
from .functions import around, context, enclosed, exact, rational, rounded, square_root

OPEN = None

MPC = {'acos': 'acos', 'acosh': 'acosh', 'asin': 'asin', 'asinh': 'asinh', 'atanh': 'atanh', 'cosh': 'cosh', 'cosine': 'cos',
       'exponential': 'exp', 'log': 'log', 'sine': 'sin', 'sinh': 'sinh', 'sqrt': 'sqrt', 'tan': 'tan', 'tanh': 'tanh'}


def either_zero(part):
    return frozenset((part.encode(0.0), part.encode(-0.0)))


def finite(*values):
    return all(is_finite(part) for value in values for part in value)


def product(a, b):
    return (subtract(multiply(a[0], b[0]), multiply(a[1], b[1])), add(multiply(a[0], b[1]), multiply(a[1], b[0])))


def quotient(a, b):
    size = add(multiply(b[0], b[0]), multiply(b[1], b[1]))
    numerator = product(a, (b[0], negate(b[1])))
    return divide(numerator[0], size), divide(numerator[1], size)


ARITHMETIC = {'add': lambda a, b: (add(a[0], b[0]), add(a[1], b[1])), 'subtract': lambda a, b: (subtract(a[0], b[0]), subtract(a[1], b[1])),
              'negate': lambda a: (negate(a[0]), negate(a[1])), 'multiply': product, 'divide': quotient}


def arithmetic(name, values, part):
    if name in ('multiply', 'divide') and (not finite(*values) or (name == 'divide' and values[1][0] == values[1][1] == 0)):
        return OPEN, OPEN
    return tuple(part.encode(value) for value in ARITHMETIC[name](*values))


def of_mpc(z):
    return mpc(exact(z[0]), exact(z[1]))


def by_mpc(evaluate, part):
    """The patterns of both parts of what MPC evaluates at a precision, rounded correctly."""
    def enclosure(bits, which):
        z = evaluate(context(bits))
        return enclosed((z.real, z.imag)[which], bits, z.rc[which])
    return tuple(rounded(part, lambda bits, which=which: enclosure(bits, which)) for which in (0, 1))


def widened(part, evaluate):
    """The pattern of a number of which evaluate(bits) is an approximation: two precisions agree, and what they differ by, and
    more, does not reach another pattern."""
    def enclosure(bits):
        first, second = evaluate(bits), evaluate(2 * bits)
        return around(second, 4 * abs(first - second) + abs(second) / 2**(bits - 40))
    return rounded(part, enclosure)


def modulus(z, element):
    if INF in z or -INF in z:
        return element.encode(INF)
    if is_nan(z[0]) or is_nan(z[1]):
        return element.encode(NAN)
    square = add(multiply(z[0], z[0]), multiply(z[1], z[1]))
    return element.encode(0.0) if square == 0 else rounded(element, lambda bits: square_root(square, bits))


def sign(z, part):
    if not finite(z):
        return part.nan, part.nan
    if z[0] == z[1] == 0:
        return part.encode(0.0), part.encode(0.0)
    square = add(multiply(z[0], z[0]), multiply(z[1], z[1]))

    def of_part(x):
        def enclosure(bits):
            root = square_root(x * x / square, bits)
            low, high = root if isinstance(root, tuple) else (root, root)
            return (-high, -low) if x < 0 else (low, high)
        return part.encode(x) if x == 0 else rounded(part, enclosure)
    return of_part(z[0]), of_part(z[1])


def expm1(z, part):
    """e^a cos b - 1 = expm1(a) cos b - 2 sin(b / 2)^2."""
    if not finite(z):
        return OPEN, OPEN
    a, b = z
    if b == 0:
        return functions.unary('exponential-minus-one', a, part), part.encode(b)

    def real(bits):
        c, half = context(bits), exact(b / 2)
        sine = rational(c.sin(half))
        turned = rational(c.cos(exact(b)))
        first = rational(c.expm1(exact(a))) * turned if a else mpq(0)
        second = -2 * sine * sine
        return around(first + second, (abs(first) + abs(second)) / 2**(bits - 4))
    return rounded(part, real), by_mpc(lambda c: c.exp(of_mpc(z)), part)[1]


def log1p(z, part):
    """Half the log1p of 2a + a^2 + b^2, and the angle of 1 + z."""
    if not finite(z):
        return OPEN, OPEN
    a, b = (mpq(x) if x else mpq(0) for x in z)
    if a == -1 and b == 0:
        return part.encode(-INF), OPEN
    angle = functions.atan2(z[1], number(1 + a), part)
    square = 2 * a + a * a + b * b
    if square == 0:
        return either_zero(part), angle

    def real(bits):
        middle = rational(context(bits).log1p(exact(square))) / 2
        return around(middle, abs(middle) / 2**(bits - 2))
    return rounded(part, real), angle


def logistic(z, part):
    """With u = e^-a: ((1 + u cos b) + i u sin b) / (1 + 2u cos b + u^2)."""
    if not finite(z):
        return OPEN, OPEN
    a, b = (mpq(x) if x else mpq(0) for x in z)

    def evaluate(bits, which):
        c = context(bits)
        u = rational(c.exp(exact(-a)))
        turned = u * (rational(c.cos(exact(b))) if b else 1)
        numerator = 1 + turned if which == 0 else u * rational(c.sin(exact(b)))
        return numerator / (1 + 2 * turned + u * u)
    real = widened(part, lambda bits: evaluate(bits, 0))
    return real, part.encode(z[1]) if b == 0 else widened(part, lambda bits: evaluate(bits, 1))


def rsqrt(z, part):
    """The conjugate of the root over the square of its modulus, where nothing cancels."""
    if not finite(z) or z[0] == z[1] == 0:
        return OPEN, OPEN

    def evaluate(bits, which):
        root = context(bits).sqrt(of_mpc(z))
        real, imaginary = (mpq(0) if gmpy2.is_zero(x) else rational(x) for x in (root.real, root.imag))
        top = real if which == 0 else -imaginary
        if top == 0:
            return 0.0 if which == 0 or root.imag.is_signed() else -0.0
        middle = top / (real * real + imaginary * imaginary)
        return around(middle, abs(middle) / 2**(bits - 6))
    return rounded(part, lambda bits: evaluate(bits, 0)), rounded(part, lambda bits: evaluate(bits, 1))


def tan(z, part):
    """(sin a cos a + i sinh b cosh b) / (cos^2 a + sinh^2 b)."""
    def evaluate(bits, which):
        c, (a, b) = context(bits), map(exact, z)
        sine, cosine, sinh, cosh = (rational(x) if x else mpq(0) for x in (*c.sin_cos(a), *c.sinh_cosh(b)))
        top = sine * cosine if which == 0 else sinh * cosh
        middle = top / (cosine**2 + sinh**2)
        return around(middle, abs(middle) / 2**(bits - 8))
    return tuple(part.encode(x) if x == 0 else rounded(part, lambda bits, which=which: evaluate(bits, which))
                 for which, x in enumerate(z))


def exact_power(z, count):
    """z^count of an exact z that is not zero."""
    result = (mpq(1), mpq(0))
    for _ in range(abs(count)):
        result = (result[0] * z[0] - result[1] * z[1], result[0] * z[1] + result[1] * z[0])
    if count < 0:
        size = result[0]**2 + result[1]**2
        result = (result[0] / size, -result[1] / size)
    return result


def eighths(z):
    """The angle of z in eighths of a turn, where it is a whole number of them, else None."""
    a, b = z
    if b == 0:
        return 0 if a > 0 else 4
    if a == 0:
        return 2 if b > 0 else -2
    return (1 if a > 0 else 3) * (1 if b > 0 else -1) if abs(a) == abs(b) else None


def polar_exponent(z, w, bits):
    """Real and imaginary part of w log z."""
    size, c = z[0]**2 + z[1]**2, context(bits)
    if abs(size - 1) < mpq(1, 2):
        log = mpq(0) if size == 1 else rational(c.log1p(exact(size - 1))) / 2
    else:
        log = rational(c.log(exact(size))) / 2
    turn = angle(z, bits)
    return w[0] * log - w[1] * turn, w[1] * log + w[0] * turn


def cis(exponent, which, bits):
    """A part of e^exponent; what is far beyond every format is as far as counts."""
    c = context(bits)
    size = max(min(exponent[0], mpq(30000)), mpq(-30000))
    turned = (c.cos, c.sin)[which](gmpy2.mpfr(exponent[1], bits + 3000))
    return mpq(0) if gmpy2.is_zero(turned) else rational(c.exp(gmpy2.mpfr(size, bits + 100))) * rational(turned)


def power(z, w, part):
    """e^(w log z); whole exponents by multiplication, and on the axes what is exactly zero."""
    if w[0] == w[1] == 0 or (z[0] == 1 and z[1] == 0):
        return part.encode(mpq(1)), either_zero(part)
    if z[0] == z[1] == 0 and w[1] == 0 and 0 < w[0] < INF:
        return either_zero(part), either_zero(part)
    if not finite(z, w) or z[0] == z[1] == 0:
        return OPEN, OPEN
    z, w = (tuple(mpq(x) if x else mpq(0) for x in value) for value in (z, w))
    if w[1] == 0 and w[0].denominator == 1 and abs(w[0]) <= 64:
        return tuple(part.encode(number(x)) if x else either_zero(part) for x in exact_power(z, int(w[0])))
    zero = None  # the part that is exactly zero
    turn = eighths(z)
    if (w[1] == 0 or z[0]**2 + z[1]**2 == 1) and turn is not None and turn * w[0] % 2 == 0:
        zero = (turn * w[0] / 2 + 1) % 2
    return tuple(either_zero(part) if which == zero else widened(
        part, lambda bits, which=which: cis(polar_exponent(z, w, bits + 1100), which, bits)) for which in (0, 1))


def angle(z, bits):
    """Of an exact complex number that is not zero, in (-pi, pi]."""
    result = context(bits).atan2(exact(number(z[1])), exact(number(z[0])))
    return mpq(0) if gmpy2.is_zero(result) else mpq(result)


def atan2(y, x, part):
    """-i log(N / D) with N = x + iy, M = x - iy and D the root of NM: half the difference of the angles of N and M, and minus a
    quarter of the logarithm of |N|^2 / |M|^2 = 1 + 4 (xb ya - xa yb) / |M|^2."""
    if not finite(x, y):
        return OPEN, OPEN
    (ya, yb), (xa, xb) = ([mpq(x) if x else mpq(0) for x in value] for value in (y, x))
    n, m = (xa - yb, xb + ya), (xa + yb, xb - ya)
    if n == (0, 0) or m == (0, 0):
        return OPEN, OPEN
    # The imaginary part of NM = x^2 + y^2, and whether that is zero with the sign of a sum of negative zeros.
    across = n[0] * m[1] + n[1] * m[0]
    below = all(z[0] * z[1] == 0 and negative(z[0]) != negative(z[1]) for z in (x, y))
    if n[1] * m[0] == n[0] * m[1] and n[0] * m[0] + n[1] * m[1] > 0 and n[0] > 0:
        real = either_zero(part)  # the same angle
    else:
        real = widened(part, lambda bits: half_difference(n, m, across or -below, bits))
    excess = 4 * (xb * ya - xa * yb) / (m[0]**2 + m[1]**2)

    def imaginary(bits):
        c = context(bits)
        log = c.log1p(gmpy2.mpfr(excess, 2 * bits)) if abs(excess) < mpq(1, 2) else c.log(gmpy2.mpfr(1 + excess, 2 * bits))
        return -rational(log) / 4
    return real, either_zero(part) if excess == 0 else widened(part, imaginary)


def half_difference(n, m, across, bits):
    """Of the angles, brought into (-pi, pi] with the angle of the root of NM in [-pi/2, pi/2], on the side that `across` says."""
    pi, alpha, beta = mpq(gmpy2.const_pi(bits)), angle(n, bits), angle(m, bits)
    beyond = across < 0 or (across == 0 and n[0] * m[0] > n[1] * m[1])
    turns = -1 if alpha > 0 and beta > 0 and beyond else 1 if alpha < 0 and beta < 0 and across >= 0 else 0
    middle = (alpha - beta) / 2 - turns * pi
    middle += 2 * pi if middle <= -pi else -2 * pi if middle > pi else 0
    if pi - abs(middle) > mpq(1, 2**(bits // 2)):
        return middle
    # Beside the cut of the logarithm: N / D is minus the root of N / M, and so below where N / M is above.
    return -abs(middle) if n[1] * m[0] > n[0] * m[1] else abs(middle)


FORMULAS = {'exponential-minus-one': expm1, 'log-plus-one': log1p, 'logistic': logistic, 'rsqrt': rsqrt, 'sign': sign,
            'power': power, 'atan2': atan2, 'tan': tan}


def function(name, values, part):
    """The patterns of both parts."""
    if name in MPC and not finite(*values):
        return annex_g.value(name, values[0], part)
    if name in FORMULAS:
        return FORMULAS[name](*values, part)
    return by_mpc(lambda c: getattr(c, MPC[name])(of_mpc(values[0])), part)
