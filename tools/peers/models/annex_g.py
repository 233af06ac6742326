"""Complex functions of operands with an infinity or a NaN: the tables of C's Annex G, which the reference follows (elementwise 6.12),
with the corrections of C17. Where these leave a sign open both are admitted; a NaN has no sign.

Each row: the real and the imaginary part of the operand (0, f finite and not zero, i infinite, n NaN, with a minus where it is
negative; `.` is finite, `*` anything), then both parts of the value. Rows hold for an imaginary part that is not negative, those
of odd and even functions for a real part that is not negative: the symmetries give the rest.
"""
import itertools
import math

from gmpy2 import mpq

from . import functions
from .formats import INF, NAN, negative

ODD, EVEN, PLAIN = 'odd', 'even', 'plain'
TABLES = {
    'acos': (PLAIN, '0 n pi/2 nan|. i pi/2 -inf|-. i pi/2 -inf|f n nan nan|-f n nan nan|-0 n pi/2 nan|-i . pi -inf|i . +0 -inf|'
             '-i i 3pi/4 -inf|i i pi/4 -inf|i n nan +-inf|-i n nan +-inf|n . nan nan|n i nan -inf|n n nan nan'),
    'acosh': (PLAIN, '. i inf pi/2|-. i inf pi/2|0 n nan +-pi/2|-0 n nan +-pi/2|f n nan nan|-f n nan nan|-i . inf pi|i . inf +0|'
              '-i i inf 3pi/4|i i inf pi/4|i n inf nan|-i n inf nan|n . nan nan|n i inf nan|n n nan nan'),
    'asinh': (ODD, '. i inf pi/2|. n nan nan|i . inf +0|i i inf pi/4|i n inf nan|n 0 nan +0|n f nan nan|n i +-inf nan|n n nan nan'),
    'atanh': (ODD, '0 n +0 nan|. i +0 pi/2|f n nan nan|i . +0 pi/2|i i +0 pi/2|i n +0 nan|n . nan nan|n i +-0 pi/2|n n nan nan'),
    'cosh': (EVEN, '0 i nan +-0|0 n nan +-0|f i nan nan|f n nan nan|i 0 inf +0|i f inf-cis|i i +-inf nan|i n inf nan|n 0 nan +-0|'
             'n f nan nan|n i nan nan|n n nan nan'),
    'sinh': (ODD, '0 i +-0 nan|0 n +-0 nan|f i nan nan|f n nan nan|i 0 inf +0|i f inf-cis|i i +-inf nan|i n +-inf nan|n 0 nan +0|'
             'n f nan nan|n i nan nan|n n nan nan'),
    'tanh': (ODD, '0 i +0 nan|f i nan nan|0 n +0 nan|f n nan nan|i . 1 sin2|i i 1 +-0|i n 1 +-0|n 0 nan +0|n f nan nan|n i nan nan|'
             'n n nan nan'),
    'exponential': (PLAIN, '. i nan nan|-. i nan nan|. n nan nan|-. n nan nan|i 0 inf +0|-i . zero-cis|i f inf-cis|-i i +-0 +-0|'
                    'i i +-inf nan|-i n +-0 +-0|i n +-inf nan|n 0 nan +0|n f nan nan|n i nan nan|n n nan nan'),
    'log': (PLAIN, '. i inf pi/2|-. i inf pi/2|. n nan nan|-. n nan nan|-i . inf pi|i . inf +0|-i i inf 3pi/4|i i inf pi/4|'
            'i n inf nan|-i n inf nan|n . nan nan|n i inf nan|n n nan nan'),
    'sqrt': (PLAIN, '* i inf inf|. n nan nan|-. n nan nan|-i . +0 inf|i . inf +0|-i n nan +-inf|i n inf nan|n . nan nan|n n nan nan'),
}
EIGHTHS = {'pi/4': 2, 'pi/2': 4, '3pi/4': 6, 'pi': 8}  # of pi
# Functions as others of iz = (-y, x): value (u, v) of those as -i (u, v) = (v, -u), or as it is.
TURNED = {'asin': 'asinh', 'sine': 'sinh', 'tan': 'tanh', 'cosine': 'cosh'}


def letter(x):
    return 'n' if x != x else 'i' if x in (INF, -INF) else '0' if x == 0 else 'f'


def fits(pattern, x):
    if pattern == '*':
        return True
    minus, kind = pattern[0] == '-', pattern[-1]
    if x == x and minus != negative(x):
        return False
    return kind == letter(x) or (kind == '.' and letter(x) in '0f')


def admitted(text, part):
    """The patterns that a value of the table stands for."""
    either, text = text.startswith('+-'), text.removeprefix('+-')
    if text == 'nan':
        values = [part.nan]
    elif text in EIGHTHS:
        values = [functions.rounded(part, lambda bits: functions.pi_eighths(EIGHTHS[text], bits))]
    else:
        values = [part.encode({'inf': INF, '-inf': -INF, '+0': 0.0, '0': 0.0, '1': mpq(1)}[text])]
    return frozenset(values + [value ^ part.sign for value in values] if either else values)


def flipped(patterns, part):
    return frozenset(p if part.is_nan(p) else p ^ part.sign for p in patterns)


def turned_values(kind, y, part):
    """The signs of cos y and sin y, or of sin 2y, on an infinity or a zero."""
    c = functions.context(400)
    exact = functions.exact(y)
    if kind == 'sin2':
        size = math.copysign(0.0, y) if y == 0 else math.copysign(0.0, c.sin(exact) * c.cos(exact))
        return frozenset([part.encode(mpq(1))]), frozenset([part.encode(size)])
    size = INF if kind == 'inf-cis' else 0.0
    return tuple(frozenset([part.encode(math.copysign(size, f(exact)))]) for f in (c.cos, c.sin))


def value(name, z, part):
    """The admitted patterns of both parts."""
    if name in TURNED:
        u, v = value(TURNED[name], (-z[1], z[0]), part)
        return (u, v) if name == 'cosine' else (v, flipped(u, part))
    symmetry, rows = TABLES[name]
    x, y = z
    if negative(y):
        u, v = value(name, (x, -y), part)
        return u, flipped(v, part)
    if symmetry != PLAIN and negative(x):
        # f(-x + iy) is the conjugate of f(x + iy), for odd functions with a minus.
        u, v = value(name, (-x, y), part)
        return (flipped(u, part), v) if symmetry == ODD else (u, flipped(v, part))
    for row in rows.split('|'):
        real, imaginary, *values = row.split()
        if fits(real, x) and fits(imaginary, y):
            if len(values) == 2 and values[1] != 'sin2':
                return tuple(admitted(text, part) for text in values)
            return turned_values(values[-1], y, part)
    raise LookupError(f'{name} of {z} is in no row')


def holes():
    """Kinds of operands that no row covers, or several: the tables are complete where there are none."""
    for name, (symmetry, rows) in TABLES.items():
        for x, y in itertools.product(('0', '-0', 'f', '-f', 'i', '-i', 'n'), ('0', 'f', 'i', 'n')):
            if (x[-1] not in 'in' and y not in 'in') or (symmetry != PLAIN and x[0] == '-'):
                continue
            numbers = {'0': 0.0, 'f': mpq(1), 'i': INF, 'n': NAN}
            point = (-numbers[x[-1]] if x[0] == '-' else numbers[x], numbers[y])
            found = [row for row in rows.split('|') if fits(row.split()[0], point[0]) and fits(row.split()[1], point[1])]
            if len(found) != 1:
                yield name, x, y, found
