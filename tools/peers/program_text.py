"""Programs of one operation as text, and values for them that cover the edges of each type: zeros, denormals, limits, ties,
infinities, NaN. What programs there are: xla_programs.py.
"""
import dataclasses
import itertools
import math
import re

# Name -> precision, smallest normal exponent, largest finite value, infinities?, NaN?, negative zero?
FLOATS = {
    'f64': (53, -1022, 1.7976931348623157e308, True, True, True),
    'f32': (24, -126, 3.4028234663852886e38, True, True, True),
    'f16': (11, -14, 65504.0, True, True, True),
    'bf16': (8, -126, 3.3895313892515355e38, True, True, True),
    'f8e5m2': (3, -14, 57344.0, True, True, True),
    'f8e4m3': (4, -6, 240.0, True, True, True),
    'f8e3m4': (5, -2, 15.5, True, True, True),
    'f8e4m3fn': (4, -6, 448.0, False, True, True),
    'f8e4m3fnuz': (4, -7, 240.0, False, True, False),
    'f8e5m2fnuz': (3, -15, 57344.0, False, True, False),
    'f8e4m3b11fnuz': (4, -10, 30.0, False, True, False),
    'f4e2m1fn': (2, 0, 6.0, False, False, True),
    'f8e8m0fnu': (1, -127, 2.0**127, False, True, False),
}
WIDE = ('f32', 'f64', 'f16', 'bf16')
NARROW = tuple(name for name in FLOATS if name not in WIDE)
SIGNED, UNSIGNED = ('s2', 's4', 's8', 's16', 's32', 's64'), ('u2', 'u4', 'u8', 'u16', 'u32', 'u64')
INTEGERS = SIGNED + UNSIGNED
COMPLEX = {'c64': 'f32', 'c128': 'f64'}
ALL = ('pred', *INTEGERS, *FLOATS, *COMPLEX)

@dataclasses.dataclass(frozen=True)
class Operand:
    type: str
    sizes: tuple
    values: tuple  # texts, row major

    @property
    def shape(self):
        return f'{self.type}[{",".join(map(str, self.sizes))}]'


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    call: str  # what its instruction is; in it $0, $1, ... are the operands
    operands: tuple = ()
    regions: tuple = ()  # pairs of name and text
    before: str = ''  # instructions that come first, a line each; @NAME in them and in the call is a name of its own
    elementwise: bool = False  # whether an element comes from those of the operands at its place


# --- Values

def number(value):
    return repr(float(value))


def edges(kind):
    """Values of a type, those at its edges first."""
    if kind == 'pred':
        return ('false', 'true')
    if kind in COMPLEX:
        parts = [v for v in edges(COMPLEX[kind]) if v not in ('3.0', '-3.0', '10.0', '2.5')]
        return tuple(f'({real}, {imag})' for real, imag in itertools.product(parts[::2], parts[1::2]))
    if kind in FLOATS:
        precision, low, largest, infinity, nan, minus = FLOATS[kind]
        if kind == 'f8e8m0fnu':
            return (number(2.0**-127), '0.5', '1.0', '2.0', '4.0', number(largest), 'nan')
        tiny, normal, next_one = 2.0**(low - precision + 1), 2.0**low, 1 + 2.0**(1 - precision)
        values = [0.0, 1.0, tiny, -tiny, normal - tiny, normal, -normal, next_one, 0.5, -0.5, -1.0, 1.5, -1.5, 2.0, 2.5, 3.0,
                  -3.0, 10.0, largest, -largest]
        texts = [number(v) for v in values if abs(v) <= largest and fits(v, precision)]
        return tuple(dict.fromkeys(texts + ['-0.0'] * minus + ['inf', '-inf'] * infinity + ['nan'] * nan))
    low, high = limits(kind)
    bits = int(kind[1:])
    values = (0, 1, -1, 2, 3, -3, 5, low, low + 1, high, high - 1, bits - 1, bits, 7)
    return tuple(str(v) for v in dict.fromkeys(values) if low <= v <= high)


def fits(value, precision):
    mantissa, _ = math.frexp(value)
    return (mantissa * 2.0**precision) % 1 == 0


def limits(kind):
    bits = int(kind[1:])
    return (-2**(bits - 1), 2**(bits - 1) - 1) if kind[0] == 's' else (0, 2**bits - 1)


def vector(kind, values=None):
    values = tuple(values or edges(kind))
    return Operand(kind, (len(values),), values)


def pairs(kind, values=None):
    """Two vectors that hold every pair of values."""
    both = tuple(itertools.product(values or edges(kind), repeat=2))
    return vector(kind, [a for a, _ in both]), vector(kind, [b for _, b in both])


def plain(kind, *sizes, start=1):
    """Small numbers, all different as far as the type has them."""
    return Operand(kind, sizes, tuple(small(kind, start + k) for k in range(math.prod(sizes))))


def rough(kind, *sizes, start=1):
    """The same, but sevenths where the type is wide enough: sums and products of them are rounded."""
    whole = plain(kind, *sizes, start=start)
    if COMPLEX.get(kind, kind) not in ('f32', 'f64', 'f16', 'bf16'):
        return whole
    count = len(whole.values)
    parts = [number(((start + k) * 17 % 61 - 30) / 7) for k in range(2 * count)]
    if kind in COMPLEX:
        return Operand(kind, sizes, tuple(f'({real}, {imag})' for real, imag in zip(parts[:count], parts[count:])))
    return Operand(kind, sizes, tuple(parts[:count]))


def small(kind, k):
    if kind == 'pred':
        return 'true' if k % 3 == 1 else 'false'
    if kind in COMPLEX:
        return f'({k % 7 - 3}, {k % 5 - 1})'
    if kind == 'f8e8m0fnu':
        return number(2.0**(k % 9 - 4))
    if kind == 'f4e2m1fn':
        return number((k % 5 - 2) / 2)
    if kind in FLOATS:
        return number((k % 13 - 6) / 4 if FLOATS[kind][0] < 6 else (k * 7 % 41 - 20) / 8)
    low, high = limits(kind)
    return str(low + k % (high - low + 1) if high < 127 else k * 5 % 100 - 30 if low else k * 5 % 100)


def region(operation, kind):
    """A computation of two scalars, named after them."""
    name = f'{operation.replace("-", "_")}_{kind}'
    return name, f'{name} {{ a = {kind}[] parameter(0) b = {kind}[] parameter(1) ROOT r = {kind}[] {operation}(a, b) }}'


# --- Modules

def module_of(programs, header=''):
    """The text of a module whose instructions are the programs, and the text of its arguments."""
    operands, regions, lines = {}, {}, []
    for program in programs:
        regions.update(program.regions)
        names = [operands.setdefault(operand, f'p{len(operands)}') for operand in program.operands]
        name = identifier(program.name)
        text = '\n'.join([program.before] * bool(program.before) + [f'{name} = {program.call}'])
        text = re.sub(r'\$(\d)', lambda found: names[int(found[1])], text)
        lines.append(text.replace('@', name + '__'))
    parameters = [f'{name} = {operand.shape} parameter({i})' for i, (operand, name) in enumerate(operands.items())]
    root = f'ROOT all = tuple({", ".join(identifier(program.name) for program in programs)})'
    text = '\n'.join([f'HloModule programs{header}', '', *regions.values(), 'ENTRY e {', *parameters, *lines, root, '}', ''])
    return text, '\n'.join(literal(operand) for operand in operands) + '\n'


def identifier(name):
    return re.sub(r'\W', '_', name)


def literal(operand):
    def nest(sizes, values):
        if not sizes:
            return values[0]
        step = len(values) // sizes[0] if sizes[0] else 0
        return '{' + ', '.join(nest(sizes[1:], values[i * step:(i + 1) * step]) for i in range(sizes[0])) + '}'
    return f'{operand.shape} {nest(operand.sizes, operand.values)}'
