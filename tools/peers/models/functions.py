"""Real functions, correctly rounded: MPFR at 400 bits and, until the enclosure rounds to one pattern, more.

Special values are those of the table in the reference (elementwise 6.10, 6.11), written out here.
"""
import functools

import gmpy2
from gmpy2 import mpfr, mpq

from .formats import INF, NAN, Undecided, is_nan, negative, number

PRECISIONS = (400, 1000, 3000, 9000)
FAR = 40000  # exponents of two beyond this are far outside of every format


@functools.lru_cache(maxsize=None)
def context(bits):
    return gmpy2.context(precision=bits, emin=gmpy2.get_emin_min(), emax=gmpy2.get_emax_max())


def exact(value):
    """The mpfr of a value, whose denominator is a power of two."""
    return mpfr(value, 64 if isinstance(value, float) else max(64, value.numerator.bit_length()))


def rational(x):
    """What an inexact mpfr stands for; of one far outside of every format, beyond the exponents of MPFR too, something that
    rounds alike."""
    outside = FAR + 1 if gmpy2.is_infinite(x) else -FAR - 1 if gmpy2.is_zero(x) else 0
    exponent = outside or gmpy2.get_exp(x)
    if abs(exponent) > FAR:
        far = mpq(2)**(FAR if exponent > 0 else -FAR)
        return -far if x.is_signed() else far
    return mpq(x)


def rounded(element, evaluate):
    """The pattern of what `evaluate(bits)` encloses: a value that is exact, or the ends (low, high) of an enclosure."""
    for bits in PRECISIONS:
        result = evaluate(bits)
        if not isinstance(result, tuple):
            return element.encode(result)
        low, high = result
        if low is not None and element.encode(low) == element.encode(high):
            return element.encode(low)
    raise Undecided


def around(middle, error):
    """The enclosure; none where it holds zero, whose sign would count."""
    return (middle - error, middle + error) if abs(middle) > error else (None, None)


def enclosed(x, bits, rounding=None):
    """Of a correctly rounded mpfr: its value where it is exact, else an enclosure. `rounding` as `x.rc`, which parts of complex
    numbers lack."""
    inexact = x.rc if rounding is None else rounding
    sign = -1 if x.is_signed() else 1
    if gmpy2.is_nan(x):
        return NAN
    if gmpy2.is_infinite(x) or gmpy2.is_zero(x):
        if inexact == 0:
            return sign * (INF if gmpy2.is_infinite(x) else 0.0)
        return rational(x), rational(x)
    middle = rational(x)
    return middle if inexact == 0 else around(middle, abs(middle) / 2**(bits - 1))


def logistic(x, bits):
    c = context(bits + 64)  # three roundings, none of which loses digits
    y = c.div(1, c.add(1, c.exp(-x)))
    if gmpy2.is_zero(y):
        return mpq(2)**-FAR, mpq(2)**-FAR
    middle = rational(y)
    return around(middle, middle / 2**bits)


def outside(low, high):
    return lambda x: NAN if (low is not None and x < low) or (high is not None and x > high) else None


def log1p_special(x):
    return -INF if x == -1 else NAN if x < -1 else None


def atanh_special(x):
    return NAN if abs(x) > 1 else (INF if x > 0 else -INF) if abs(x) == 1 else None


ODD = (-0.0, 0.0)
# Of each function its name in MPFR, its values at -inf, at both zeros (none: whatever MPFR says there) and at +inf, and a
# function that gives the special values elsewhere.
UNARY = {
    'acos': ('acos', NAN, None, NAN, outside(-1, 1)), 'acosh': ('acosh', NAN, (NAN, NAN), INF, outside(1, None)),
    'asin': ('asin', NAN, ODD, NAN, outside(-1, 1)), 'asinh': ('asinh', -INF, ODD, INF, None),
    'atanh': ('atanh', NAN, ODD, NAN, atanh_special), 'cbrt': ('cbrt', -INF, ODD, INF, None),
    'cosh': ('cosh', INF, None, INF, None), 'cosine': ('cos', NAN, None, NAN, None), 'erf': ('erf', -1, ODD, 1, None),
    'exponential': ('exp', 0.0, None, INF, None), 'exponential-minus-one': ('expm1', -1, ODD, INF, None),
    'log': ('log', NAN, (-INF, -INF), INF, outside(0, None)), 'log-plus-one': ('log1p', NAN, ODD, INF, log1p_special),
    'logistic': (logistic, 0.0, (mpq(1, 2), mpq(1, 2)), 1, None),
    'rsqrt': ('rec_sqrt', NAN, (-INF, INF), 0.0, outside(0, None)), 'sine': ('sin', NAN, ODD, NAN, None),
    'sinh': ('sinh', -INF, ODD, INF, None), 'sqrt': ('sqrt', NAN, ODD, INF, outside(0, None)),
    'tan': ('tan', NAN, ODD, NAN, None), 'tanh': ('tanh', -1, ODD, 1, None),
}


def whole(value):
    return mpq(value) if isinstance(value, int) else value


def unary(name, x, element):
    """The pattern of a function of a value."""
    function, at_minus, at_zeros, at_plus, special = UNARY[name]
    result = None
    if is_nan(x):
        result = NAN
    elif x in (INF, -INF):
        result = at_plus if x > 0 else at_minus
    elif x == 0:
        result = at_zeros[0 if negative(x) else 1] if at_zeros else None
    elif special:
        result = special(x)
    if result is not None:
        return element.encode(whole(result))
    if callable(function):
        return rounded(element, lambda bits: function(exact(x), bits))
    return rounded(element, lambda bits: enclosed(getattr(context(bits), function)(exact(x)), bits))


def odd(y):
    return not isinstance(y, float) and y.denominator == 1 and y.numerator % 2 == 1


def power(x, y, element):
    """C99's pow, row by row."""
    return element.encode(result) if (result := power_special(x, y)) is not None else rounded(
        element, lambda bits: enclosed(context(bits).pow(exact(x), exact(y)), bits))


def power_special(x, y):
    if y == 0 or x == 1:
        return mpq(1)
    if is_nan(x) or is_nan(y):
        return NAN
    if y in (INF, -INF):
        if x == -1:
            return mpq(1)
        return INF if (abs(x) > 1) == (y > 0) else 0.0
    if x == 0 or x in (INF, -INF):
        size = INF if (x == 0) == (y < 0) else 0.0
        return -size if negative(x) and odd(y) else size
    if x < 0 and y.denominator != 1:
        return NAN
    return None


def atan2(y, x, element):
    if is_nan(x) or is_nan(y):
        return element.encode(NAN)
    if y == 0 and not negative(x):
        return element.encode(y)
    if x == INF and y not in (INF, -INF):
        return element.encode(-0.0 if negative(y) else 0.0)
    eighths = None  # of pi
    if y == 0 or (x == -INF and y not in (INF, -INF)):
        eighths = 8
    elif x == 0 or (y in (INF, -INF) and x not in (INF, -INF)):
        eighths = 4
    elif y in (INF, -INF):
        eighths = 2 if x > 0 else 6
    if eighths:
        return rounded(element, lambda bits: pi_eighths(-eighths if negative(y) else eighths, bits))
    return rounded(element, lambda bits: enclosed(context(bits).atan2(exact(y), exact(x)), bits))


def pi_eighths(count, bits):
    middle = count * mpq(gmpy2.const_pi(bits)) / 8
    return around(middle, abs(middle) / 2**(bits - 2))


def remainder(x, y):
    """C's fmod, which is exact."""
    if is_nan(x) or is_nan(y) or x in (INF, -INF) or y == 0:
        return NAN
    if x == 0 or y in (INF, -INF):
        return x
    quotient = abs(x) / abs(y)
    rest = abs(x) - quotient.numerator // quotient.denominator * abs(y)
    return (-number(rest) if rest else -0.0) if x < 0 else number(rest)


def square_root(q, bits):
    """Of a rational number that is positive: exact where it is the square of one."""
    numerator, exact_numerator = gmpy2.iroot(q.numerator, 2)
    denominator, exact_denominator = gmpy2.iroot(q.denominator, 2)
    if exact_numerator and exact_denominator:
        return mpq(numerator, denominator)
    shift = 2 * max(bits + q.denominator.bit_length() - q.numerator.bit_length(), 0) + 2
    root = gmpy2.isqrt((q.numerator << 2 * shift) // q.denominator)
    return mpq(root, 1 << shift), mpq(root + 1, 1 << shift)
