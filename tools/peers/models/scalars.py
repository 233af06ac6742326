"""Elementwise operations on patterns, from the words of the reference (elementwise, section 6)."""
from gmpy2 import mpq

from . import complex_functions, formats, functions
from .formats import INF, Complex, Float, is_finite, is_nan, negative, number


class Unsupported(Exception):
    """No model is here for the operation."""


def quotient(a, b, t):
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer_power(a, n, t):
    if n < 0:
        return a if a == 1 or (a == -1 and n % 2) else 1 if a == -1 else 0
    return pow(a, n, 2**t.bits)


def as_signed(a, t):
    return a - 2**t.bits if a >= 2**(t.bits - 1) else a


def in_range(n, t):
    return 0 <= n < t.bits


# Of values and their type; results are taken modulo 2^bits.
INTEGERS = {
    'abs': lambda a, t: abs(a), 'add': lambda a, b, t: a + b, 'and': lambda a, b, t: a & b, 'or': lambda a, b, t: a | b,
    'clamp': lambda low, a, high, t: min(max(a, low), high),
    'count-leading-zeros': lambda a, t: t.bits - (a % 2**t.bits).bit_length(),
    'divide': quotient, 'maximum': lambda a, b, t: max(a, b), 'minimum': lambda a, b, t: min(a, b),
    'mulhi': lambda a, b, t: a * b >> t.bits, 'multiply': lambda a, b, t: a * b, 'negate': lambda a, t: -a,
    'not': lambda a, t: ~a, 'popcnt': lambda a, t: bin(a % 2**t.bits).count('1'), 'power': integer_power,
    'remainder': lambda a, b, t: a - b * quotient(a, b, t) if b else a,
    'shift-left': lambda a, n, t: a << n if in_range(n, t) else 0,
    'shift-right-arithmetic': lambda a, n, t: as_signed(a % 2**t.bits, t) >> (n if in_range(n, t) else t.bits),
    'shift-right-logical': lambda a, n, t: a % 2**t.bits >> n if in_range(n, t) else 0,
    'sign': lambda a, t: (a > 0) - (a < 0), 'subtract': lambda a, b, t: a - b, 'xor': lambda a, b, t: a ^ b,
}
TRUTH = {'add': max, 'multiply': min}  # of pred: or, and


def float_sign(x):
    return x if x == 0 or is_nan(x) else mpq(-1 if x < 0 else 1)


def to_whole(rounding):
    """A function of a float that is rounded to a whole number; a zero keeps the sign of what it comes from."""
    def function(x):
        if isinstance(x, float):
            return x
        result = mpq(rounding(x))
        return result if result else -0.0 if x < 0 else 0.0
    return function


def floor(x):
    return x.numerator // x.denominator


def nearest_even(x):
    whole, rest = floor(x), x - floor(x)
    return whole + (rest > mpq(1, 2) or (rest == mpq(1, 2) and whole % 2))


def away_from_zero(x):
    magnitude = floor(abs(x) + mpq(1, 2))
    return -magnitude if x < 0 else magnitude


# Of values; the result is rounded once.
FLOATS = {
    'add': formats.add, 'subtract': formats.subtract, 'multiply': formats.multiply, 'divide': formats.divide,
    'maximum': formats.maximum, 'minimum': formats.minimum, 'remainder': functions.remainder,
    'clamp': lambda low, x, high: formats.minimum(formats.maximum(low, x), high), 'sign': float_sign,
    'floor': to_whole(floor), 'ceil': to_whole(lambda x: -floor(-x)), 'round-nearest-even': to_whole(nearest_even),
    'round-nearest-afz': to_whole(away_from_zero), 'abs': abs, 'negate': formats.negate,
}
COMPARE = {'EQ': lambda a, b: a == b, 'NE': lambda a, b: a != b, 'LT': lambda a, b: a < b, 'LE': lambda a, b: a <= b,
           'GT': lambda a, b: a > b, 'GE': lambda a, b: a >= b}


def total_key(pattern, t):
    """Ascending in the total order of floats (elementwise 6.6)."""
    if not t.sign:
        return pattern
    if not t.signed_zero:
        return -2**t.bits if t.is_nan(pattern) else -(pattern & ~t.sign) if pattern & t.sign else pattern
    return -(pattern & ~t.sign) - 1 if pattern & t.sign else pattern


def compare(attributes, t, a, b):
    function = COMPARE[attributes['direction']]
    if isinstance(t, formats.Complex):  # a NaN in either part is unequal, to itself too
        same = all(x == y for x, y in zip(t.decode(a), t.decode(b)))
        return int(same == (attributes['direction'] == 'EQ'))
    if isinstance(t, Float) and attributes.get('type') == 'TOTALORDER':
        return int(function(total_key(a, t), total_key(b, t)))
    return int(function(t.decode(a), t.decode(b)))


def truncated(x, t):
    """A float to an integer: toward zero, and to the nearest end of the range; NaN is 0."""
    if is_nan(x):
        return 0
    if x in (INF, -INF):
        return t.max if x > 0 else t.min
    whole = abs(mpq(x).numerator) // mpq(x).denominator
    return min(max(-whole if x < 0 else whole, t.min), t.max)


def convert(source, target, pattern):
    if source.name == target.name:
        return pattern
    if isinstance(source, Complex):
        if isinstance(target, Complex):
            return tuple(convert(source.part, target.part, part) for part in pattern)
        return convert(source.part, target, pattern[0])
    if isinstance(target, Complex):
        return convert(source, target.part, pattern), 0
    value = source.decode(pattern)
    if target.name == 'pred':
        return int(value != 0)
    if isinstance(source, Float):
        return target.encode(value) if isinstance(target, Float) else target.encode(truncated(value, target))
    return target.encode(number(mpq(value))) if isinstance(target, Float) else target.encode(value)


def reduce_precision(attributes, t, pattern):
    """On the pattern, in the four steps of elementwise 6.14."""
    exponent_bits, mantissa_bits = int(attributes['exponent_bits']), int(attributes['mantissa_bits'])
    sign, x = pattern & t.sign, pattern & ~t.sign
    value = t.decode(pattern)
    if is_nan(value):
        return pattern if mantissa_bits > 0 or not t.has_inf else t.format.inf
    if value in (INF, -INF):
        return pattern
    if mantissa_bits < t.m:
        low = t.m - mantissa_bits
        x = x + (1 << low - 1) - 1 + (x >> low & 1) >> low << low
        if x > t.top:
            return t.overflow(bool(sign))
    width = t.bits - t.m - (1 if t.sign else 0)
    if exponent_bits < width:
        reach, field = 2**(exponent_bits - 1) - 1, x >> t.m
        if field > t.bias + reach:
            return t.overflow(bool(sign))
        if field <= t.bias - reach:
            return t.encode_zero(bool(sign))
    return x | sign


def stochastic_convert(source, noise, target, x, r):
    value = source.decode(x)
    if not is_finite(value) or value >= target.max or value <= target.min:
        return target.encode(truncated(value, target))
    a = abs(mpq(value))
    whole = floor(a)
    away = r < floor((a - whole) * 2**noise.bits)
    result = -(whole + away) if value < 0 else whole + away
    return target.encode(min(max(result, target.min), target.max))


def float_element(op, t, patterns):
    x = patterns[0]
    if op == 'is-finite':
        return int(is_finite(t.decode(x)))
    if op in ('real', 'imag'):
        return x if op == 'real' else t.encode(0.0)
    if op in ('abs', 'negate') and is_nan(t.decode(x)):
        return t.nan
    values = [t.decode(pattern) for pattern in patterns]
    if op in FLOATS:
        return t.encode(FLOATS[op](*values))
    if op in functions.UNARY:
        return functions.unary(op, *values, t)
    if op == 'power':
        return functions.power(*values, t)
    if op == 'atan2':
        return functions.atan2(*values, t)
    raise Unsupported(op)


def complex_element(op, t, patterns):
    if op in ('real', 'imag'):
        return patterns[0][op == 'imag']
    values = [t.decode(pattern) for pattern in patterns]
    if op == 'abs':
        return complex_functions.modulus(values[0], t.part)
    if op in complex_functions.ARITHMETIC:
        return complex_functions.arithmetic(op, values, t.part)
    if op in complex_functions.FORMULAS or op in complex_functions.MPC:
        return complex_functions.function(op, values, t.part)
    raise Unsupported(op)


def element(op, attributes, types, result, patterns):
    """The pattern of one element of an elementwise operation, from those of its operands."""
    if op == 'select':
        return patterns[1] if patterns[0] else patterns[2]
    if op == 'copy':
        return patterns[0]
    t = types[0]
    if op == 'convert':
        return convert(t, result, patterns[0])
    if op == 'stochastic-convert':
        return stochastic_convert(t, types[1], result, *patterns)
    if op == 'complex':
        return tuple(patterns)
    if op == 'compare':
        return compare(attributes, t, *patterns)
    if op == 'reduce-precision':
        return reduce_precision(attributes, t, patterns[0])
    if isinstance(t, Float):
        return float_element(op, t, patterns)
    if isinstance(t, Complex):
        return complex_element(op, t, patterns)
    if op not in INTEGERS:
        raise Unsupported(op)
    if t.name == 'pred' and op in TRUTH:
        return TRUTH[op](patterns)
    return t.encode(INTEGERS[op](*(t.decode(pattern) for pattern in patterns), t))


RESULTS = {'compare': 'pred', 'is-finite': 'pred'}


def result_type(op, types):
    """The element type of a result that is not written."""
    t = types[-1]
    if op in RESULTS:
        return RESULTS[op]
    if op == 'complex':
        return {'f32': 'c64', 'f64': 'c128'}[t]
    if op in ('abs', 'real', 'imag'):
        return formats.COMPLEX.get(t, t)
    return t


NAMES = ({'select', 'copy', 'convert', 'stochastic-convert', 'complex', 'compare', 'reduce-precision', 'is-finite', 'real', 'imag',
          'power', 'atan2'} | set(FLOATS) | set(INTEGERS) | set(functions.UNARY))
