"""Reads case files of the conformance corpus and makes their arrays, from docs/corpus_format.md and numpy alone.

usage: corpus_reader.py FILE     prints the arrays of each case as patterns

An array is of unsigned integers, the patterns of its elements; complex elements are a last axis of two.
"""
import re
import sys

import numpy as np

# Of each float: bits of exponent and significand, bias, infinity, NaN (i: as in IEEE, a: all ones, z: the pattern of -0).
FLOATS = {'f4e2m1fn': (2, 1, 1, 0, ''), 'f6e2m3fn': (2, 3, 1, 0, ''), 'f6e3m2fn': (3, 2, 3, 0, ''), 'f8e3m4': (3, 4, 3, 1, 'i'),
          'f8e4m3': (4, 3, 7, 1, 'i'), 'f8e4m3fn': (4, 3, 7, 0, 'a'), 'f8e4m3fnuz': (4, 3, 8, 0, 'z'),
          'f8e4m3b11fnuz': (4, 3, 11, 0, 'z'), 'f8e5m2': (5, 2, 15, 1, 'i'), 'f8e5m2fnuz': (5, 2, 16, 0, 'z'),
          'f8e8m0fnu': (8, 0, 127, 0, 'a'), 'f16': (5, 10, 15, 1, 'i'), 'bf16': (8, 7, 127, 1, 'i'), 'f32': (8, 23, 127, 1, 'i'),
          'f64': (11, 52, 1023, 1, 'i')}
PARTS = {'c64': ('f32', 2), 'c128': ('f64', 2)}  # every other type is one part


def word(seed, k):
    z = (seed + (k + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


class Digits:
    def __init__(self, w):
        self.w = w

    def draw(self, k):
        self.w, digit = divmod(self.w, k)
        return digit


class Integer:
    def __init__(self, name):
        self.bits, signed = 1 if name == 'pred' else int(name[1:]), name[0] == 's'
        self.max = 2**(self.bits - signed) - 1
        self.min, self.count = -self.max - 1 if signed else 0, min(2**self.bits, 2**64 - 1)

    def small(self, v):
        return v % 2**self.bits

    def special(self):
        b, half = self.bits, 2**(self.bits - 1)
        return [v % 2**b for v in (0, 1, -1, 2, -2, 3, -3, b - 1, b, b + 1, half, half + 1, half - 1)]

    def draw(self, profile, w, use):
        d = Digits(w)
        if profile == 'positive':
            return min(1 + d.draw(7), self.max)
        if profile == 'overflow':
            edge, distance = d.draw(3), d.draw(8)
            return self.small((self.max - distance, self.min + distance, 2**(self.bits // 2) - 4 + distance)[edge])
        ranges = {'indices': (use.get('low'), use.get('high')), 'integers': (-4, 4)}
        low, high = ranges.get(profile, (-8, 7) if self.min else (0, 15))
        return self.small(max(low, self.min) + d.draw(min(high, self.max) - max(low, self.min) + 1))

    def cancelling(self, odd, partner, w):
        return self.small(w % 2 - partner if odd else partner)

    def key(self, pattern):
        return pattern - 2**self.bits if self.min and pattern > self.max else pattern

    def ranked(self, rank):
        return self.small(rank + self.min)

    def encode(self, text):
        return self.small({'true': 1, 'false': 0}.get(text) if text in ('true', 'false') else int(text, 0))


class Float:
    def __init__(self, name):
        e, self.m, self.bias, self.has_inf, self.nan = FLOATS[name]
        self.signed, self.signed_zero = name != 'f8e8m0fnu', name != 'f8e8m0fnu' and self.nan != 'z'
        self.bits, self.one, self.inf = e + self.m + self.signed, 1 << self.m, (2**e - 1) << self.m
        self.sign = 1 << e + self.m if self.signed else 0
        self.top = self.inf - 1 if self.nan == 'i' else 2**(e + self.m) - 1 - (self.nan == 'a')  # the largest finite pattern
        self.low, self.high = int(self.signed), (self.top + 1 >> self.m) - 1  # exponent fields of finite binades
        self.count = 2 * self.top + 1 if self.signed else self.top + 1
        self.nan_pattern = {'i': self.inf | self.one >> 1, 'a': self.top + 1, 'z': self.sign, '': self.sign}[self.nan]

    def negated(self, negative, magnitude):
        return magnitude | self.sign if negative and (magnitude or self.signed_zero) else magnitude

    def small(self, v):
        k = abs(v).bit_length() - 1
        return self.negated(v < 0, min(self.bias + k << self.m | (abs(v) - 2**k << self.m) >> k, self.top)) if v else 0

    def special(self):
        one, nan = self.bias << self.m, [self.nan_pattern] * (self.nan != '')
        magnitudes = [0, 1, self.one - 1, self.one, one - 1, one, one + 1, one + self.one // 2, one + self.one, self.top]
        return [self.negated(n, x) for x in magnitudes + [self.inf] * self.has_inf for n in (0, 1)] + nan

    def binade(self, d, base, count, low, high):
        return min(max(base + d.draw(count), low), high) << self.m | d.draw(self.one)

    def draw(self, profile, w, use):
        d, top, bias = Digits(w), self.top >> self.m, self.bias
        if profile == 'integers':
            return self.small(d.draw(9) - 4) if self.signed else bias + d.draw(3)
        negative = self.signed and d.draw(2) == 1
        if profile == 'finite':
            magnitude = d.draw(self.top + 1)
        elif profile == 'subnormal':
            magnitude = d.draw(2 * self.one if self.signed else 4)
        elif profile == 'unit':
            magnitude = self.binade(d, bias - 4, 4, 0, bias - 1)
        elif profile == 'overflow':
            magnitude = self.binade(d, *((top - 3, 4) if d.draw(2) == 0 else ((bias + top) // 2, 2)), self.low, top)
        elif profile == 'ties':
            step, keep = (0, 0, 1, -1)[d.draw(4)], use.get('keep')
            if keep is None:
                magnitude = self.small(2 * (1 + d.draw(min(self.one, 32) - 1)) + 1) - self.one + step
            else:
                exponent = min(max(bias - 3 + d.draw(8), self.low), self.high)
                magnitude = (exponent << self.m | (2 * d.draw(1 << keep) + 1) << self.m - keep - 1) + step
        else:
            magnitude = self.binade(d, bias - 2, 4, self.low, self.high)
        return self.negated(negative and profile != 'positive', min(magnitude, self.top))

    def cancelling(self, odd, partner, w):
        d = Digits(partner)
        pattern = self.negated(self.signed and d.draw(2) == 1, self.binade(d, self.bias - 4, 12, self.low, self.high))
        return pattern ^ (self.sign | w % 2) if odd else pattern

    def key(self, pattern):
        return -(pattern & ~self.sign) if pattern & self.sign else pattern

    def ranked(self, rank):
        return self.negated(rank < self.top, abs(rank - self.top)) if self.signed else rank

    def is_nan(self, pattern):
        magnitude = pattern & ~self.sign
        return {'i': magnitude > self.inf, 'a': magnitude == self.top + 1, 'z': pattern == self.sign, '': False}[self.nan]

    def value(self, pattern):
        field, m = (pattern & ~self.sign) >> self.m, pattern % self.one
        hidden = self.one if field or not self.signed else 0
        return (-1.0 if pattern & self.sign else 1.0) * (m + hidden) * 2.0**(max(field, self.low) - self.bias - self.m)

    def encode(self, text):
        """The nearest value, ties to the even pattern; numbers of f8e8m0fnu are exact."""
        negative, text = text[0] == '-', text.lstrip('+-')
        if text.startswith('nan'):
            payload = int(text[4:-1], 16) if '(' in text else self.nan_pattern & self.one - 1
            return self.nan_pattern | negative * self.sign if self.nan != 'i' else negative * self.sign | self.inf | payload
        if text == 'inf':
            return negative * self.sign | self.inf
        x = float.fromhex(text) if 'x' in text else float(text)
        if self.bits >= 32:
            return int(np.array([-x if negative else x], f'f{self.bits // 8}').view(f'u{self.bits // 8}')[0])
        low, high = 0, self.top
        while low < high:  # the largest pattern whose value is at most x
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.value(middle) <= x else (low, middle - 1)
        above = min(low + 1, self.top)
        up, down = self.value(above) - x, x - self.value(low)
        return self.negated(negative, above if up < down or (up == down and low % 2) else low)


def make(profile, name, sizes, use):
    """The array of a profile; `use` has its parameters."""
    (name, parts), n = PARTS.get(name, (name, 1)), int(np.prod(sizes))
    t, seed, stride = (Float if name in FLOATS else Integer)(name), use.get('seed', 1), use.get('stride', 1)
    if profile == 'special':
        values = list(dict.fromkeys(t.special()))
        out = [values[i // stride // len(values)**c % len(values)] for i in range(n) for c in range(parts)]
    elif profile == 'all':
        out = [(i // stride + use.get('offset', 0)) % 2**t.bits for i in range(n)]
    elif profile == 'unique':
        order, out, step = sorted((word(seed, i), i) for i in range(n)), [0] * n, t.count // max(n, 1)
        for rank, (_, i) in enumerate(order):
            out[i] = t.ranked(rank * step + step // 2 if step else rank % t.count)
    else:
        out = [element(t, profile, i, c, parts, sizes, seed, use) for i in range(n) for c in range(parts)]
    if profile == 'sorted':
        out.sort(key=t.key)
    return np.array(out, np.uint64).reshape(tuple(sizes) + (2, ) * (parts == 2))


def element(t, profile, i, c, parts, sizes, seed, use):
    w = word(seed, parts * i + c)
    if profile == 'patterns':
        return w % 2**t.bits
    if profile == 'cancellation':
        return t.cancelling(i % 2 == 1, word(seed, parts * (i - i % 2) + c), w)
    if profile == 'duplicates':
        return t.draw(profile, word(seed, 2**32 + parts * (word(seed, parts * i) % 4) + c), use)
    if profile == 'definite':
        size = sizes[-1]
        matrix, row, column = i // size**2 * size**2, i // size % size, i % size
        if row == column:
            return 0 if c else t.small(1 << size.bit_length())
        v = word(seed, parts * (matrix + min(row, column) * size + max(row, column)) + c) % 3 - 1
        return t.small(-v if c and row > column else v)
    return t.draw(profile, w, use)


def read_array(text):
    kind, shape, rest = (text.split(' ', 2) + [''])[:3]
    name, sizes = re.fullmatch(r'(\w+)\[([\d,]*)\]', shape).groups()
    sizes = [int(size) for size in sizes.split(',') if size]
    if kind != 'literal':
        return make(kind, name, sizes, {k: int(v) for k, v in (pair.split('=') for pair in rest.split())})
    part, parts = PARTS.get(name, (name, 1))
    encode = (Float if part in FLOATS else Integer)(part).encode
    numbers = [encode(number) for number in re.findall(r'-?nan\(0x\w+\)|[^\s,{}()]+', re.sub(r'/\*.*?\*/', '', rest))]
    return np.array(numbers, np.uint64).reshape(tuple(sizes) + (2, ) * (parts == 2))


def read_cases(text):
    """Dictionaries with id, module, tags, expect, ...; `arrays` and their `types` by name: arg0, out0, ..."""
    for block in re.split(r'^case ', re.sub(r'^#.*\n', '', text, flags=re.M), flags=re.M)[1:]:
        case_id, body = block.split('\n', 1)
        case = {'id': case_id.strip(), 'arrays': {}, 'types': {}}
        for key, rest, lines in re.findall(r'^(\w+):(.*)\n((?:[ \t].*(?:\n|\Z))*)', body + '\n', flags=re.M):
            case[key] = lines if key == 'module' else rest.strip()
            for name, value in re.findall(r'^\s+(\S+) = (.*)', lines, flags=re.M) if key in ('inputs', 'expect') else ():
                case['arrays'][name], case['types'][name] = read_array(value.strip()), value.split()[1].split('[')[0]
        yield case


if __name__ == '__main__':
    for each in read_cases(open(sys.argv[1], encoding='utf-8').read()):
        print(each['id'], *(f'\n  {name} = {np.vectorize(hex)(array) if array.size else array}'
                            for name, array in each['arrays'].items()))
