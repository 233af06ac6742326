"""Element types: patterns of bits, their exact values, and the rounding of an exact value to a pattern.

A value of a float type is a rational number (mpq) when finite and not zero; zeros, infinities and NaN are Python floats, which
keep the sign of a zero and have the arithmetic of infinities. Values of integers and pred are Python integers, complex values
pairs. Formats: docs/corpus_format.md, section 3.2.
"""
import functools
import math

from gmpy2 import mpq

import corpus_reader

INF, NAN = math.inf, math.nan
COMPLEX = {'c64': 'f32', 'c128': 'f64'}


class Undecided(Exception):
    """The enclosure of a result holds a boundary of rounding."""


def is_nan(value):
    return value != value


def is_finite(value):
    return not isinstance(value, float) or value == 0


def negative(value):
    """Of the sign, which zeros have too."""
    return math.copysign(1, value) < 0 if isinstance(value, float) else value < 0


def number(q):
    """The value of a rational number: zero is +0."""
    return q if q else 0.0


class Float:
    """A float format."""
    def __init__(self, name):
        self.format = corpus_reader.Float(name)
        self.name, self.bits = name, self.format.bits
        self.m, self.bias, self.top, self.sign = self.format.m, self.format.bias, self.format.top, self.format.sign
        self.nan = self.format.quiet
        self.has_inf = self.format.nan == 'i'  # those of IEEE 754 alone
        self.signed_zero = self.sign != 0 and self.format.nan != 'z'
        self.decoded = {}

    def overflow(self, minus):
        if self.has_inf:
            return self.format.inf | minus * self.sign
        return self.nan if self.format.nan else self.top | minus * self.sign

    def is_nan(self, pattern):
        magnitude = pattern & ~self.sign
        kinds = {'i': magnitude > self.format.inf, 'a': magnitude == self.top + 1, 'z': pattern == self.sign}
        return kinds.get(self.format.nan, False)

    def decode(self, pattern):
        value = self.decoded.get(pattern)
        if value is None:
            value = self.decoded[pattern] = self.value(pattern)
        return value

    def value(self, pattern):
        if self.is_nan(pattern):
            return NAN
        minus, magnitude = bool(pattern & self.sign), pattern & ~self.sign
        if self.has_inf and magnitude == self.format.inf:
            return -INF if minus else INF
        field, fraction = magnitude >> self.m, magnitude % (1 << self.m)
        if self.sign and field == 0:
            field = 1
        else:
            fraction += 1 << self.m
        if fraction == 0:
            return -0.0 if minus else 0.0
        shift = field - self.bias - self.m
        value = mpq(fraction << shift) if shift > 0 else mpq(fraction, 1 << -shift)
        return -value if minus else value

    def encode(self, value):
        """The value, rounded once to nearest, ties to even."""
        if isinstance(value, float):
            if is_nan(value):
                return self.nan
            minus = negative(value)
            if value:
                return self.overflow(minus)
            return self.encode_zero(minus)
        minus = value < 0
        numerator, denominator = abs(value.numerator), value.denominator
        exponent = numerator.bit_length() - denominator.bit_length()  # of the leading bit, or one too much
        if (numerator << max(-exponent, 0)) < (denominator << max(exponent, 0)):
            exponent -= 1
        if not self.sign:
            return self.encode_power(minus, exponent, numerator, denominator)
        exponent = max(exponent, 1 - self.bias)
        shift = exponent - self.m
        numerator, denominator = int(numerator) << max(-shift, 0), int(denominator) << max(shift, 0)
        whole, rest = divmod(numerator, denominator)
        if 2 * rest > denominator or (2 * rest == denominator and whole % 2):
            whole += 1
        pattern = (exponent + self.bias - 1 << self.m) + whole
        if pattern == 0:
            return self.encode_zero(minus)
        return self.overflow(minus) if pattern > self.top else pattern | minus * self.sign

    def encode_zero(self, minus):
        if not self.sign:
            return self.nan
        return self.sign if minus and self.signed_zero else 0

    def encode_power(self, minus, exponent, numerator, denominator):
        """f8e8m0fnu: to the nearest power of two, ties up; nothing is below the least one, and what lies above it is the next."""
        if minus:
            return self.nan
        value = mpq(numerator, denominator)
        least = mpq(1, 1 << self.bias)
        if value <= least:
            return 0
        if value <= 2 * least:
            return 1
        if value >= mpq(3, 2) * mpq(2)**exponent:
            exponent += 1
        return self.nan if exponent + self.bias > self.top else exponent + self.bias


class Integer:
    """An integer type, or pred."""
    def __init__(self, name):
        self.name, self.signed = name, name[0] == 's'
        self.bits = 1 if name == 'pred' else int(name[1:])
        self.max = 2**(self.bits - self.signed) - 1
        self.min = -self.max - 1 if self.signed else 0

    def is_nan(self, pattern):
        return False

    def decode(self, pattern):
        return pattern - 2**self.bits if pattern > self.max else pattern

    def encode(self, value):
        return value % 2**self.bits


class Complex:
    """A complex type: pairs of patterns."""
    def __init__(self, name):
        self.name, self.part = name, element_type(COMPLEX[name])
        self.bits = 2 * self.part.bits

    def is_nan(self, pattern):
        return self.part.is_nan(pattern[0]) or self.part.is_nan(pattern[1])

    def decode(self, pattern):
        return self.part.decode(pattern[0]), self.part.decode(pattern[1])

    def encode(self, value):
        return self.part.encode(value[0]), self.part.encode(value[1])


@functools.lru_cache(maxsize=None)
def element_type(name):
    if name in COMPLEX:
        return Complex(name)
    return Float(name) if name in corpus_reader.FLOATS else Integer(name)


def is_float(name):
    return name in corpus_reader.FLOATS


# Arithmetic of values: exact, and IEEE 754's with zeros, infinities and NaN.


def plain(a, b):
    """Floats that stand for both values where one of them is a zero, an infinity or NaN."""
    return tuple(x if isinstance(x, float) else -1.0 if x < 0 else 1.0 for x in (a, b))


def add(a, b):
    if isinstance(a, float) or isinstance(b, float):
        if a == 0 and not isinstance(b, float):
            return b
        if b == 0 and not isinstance(a, float):
            return a
        x, y = plain(a, b)
        return x + y
    return number(a + b)


def negate(a):
    return -a


def subtract(a, b):
    return add(a, -b)


def multiply(a, b):
    if isinstance(a, float) or isinstance(b, float):
        x, y = plain(a, b)
        return x * y
    return a * b


def divide(a, b):
    if isinstance(a, float) or isinstance(b, float):
        x, y = plain(a, b)
        if y == 0:
            return NAN if x == 0 or is_nan(x) else math.copysign(INF, x) * math.copysign(1, y)
        return x / y
    return a / b


def maximum(a, b):
    """NaN where one is; +0 above -0."""
    if is_nan(a) or is_nan(b):
        return NAN
    if a == b:
        return b if negative(a) else a
    return a if a > b else b


def minimum(a, b):
    return -maximum(-a, -b)
