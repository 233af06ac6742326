"""Reads case files of the conformance corpus and makes their arrays, as docs/corpus_format.md says.

usage: corpus_reader.py FILE     prints the arrays of each case as patterns

An array is of unsigned integers, the patterns of its elements; complex elements are a last axis.
"""
import math
import re
import sys

import numpy as np

# Of each float: bits of exponent and significand, bias, NaN (i: as in IEEE, with infinities; a: all ones; z: the pattern of -0).
FLOATS = {
    'f4e2m1fn': (2, 1, 1, ''), 'f6e2m3fn': (2, 3, 1, ''), 'f6e3m2fn': (3, 2, 3, ''), 'f8e3m4': (3, 4, 3, 'i'),
    'f8e4m3': (4, 3, 7, 'i'), 'f8e4m3fn': (4, 3, 7, 'a'), 'f8e4m3fnuz': (4, 3, 8, 'z'), 'f8e4m3b11fnuz': (4, 3, 11, 'z'),
    'f8e5m2': (5, 2, 15, 'i'), 'f8e5m2fnuz': (5, 2, 16, 'z'), 'f8e8m0fnu': (8, 0, 127, 'a'), 'f16': (5, 10, 15, 'i'),
    'bf16': (8, 7, 127, 'i'), 'f32': (8, 23, 127, 'i'), 'f64': (11, 52, 1023, 'i')}
PARTS = {'c64': ('f32', 2), 'c128': ('f64', 2)}  # every other type is one part


def word(seed, k):
    z = (seed + (k + 1) * 0x9E3779B97F4A7C15) % 2**64
    for shift, factor in (30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1):
        z = (z ^ z >> shift) * factor % 2**64
    return z


def draw(w, n):
    """The next digit below n of what is left of a word, a list of one integer."""
    w[0], digit = divmod(w[0], n)
    return digit


class Integer:
    def __init__(self, name):
        self.bits, signed = 1 if name == 'pred' else int(name[1:]), name[0] == 's'
        self.max, self.min = 2**(self.bits - signed) - 1, -2**(self.bits - 1) if signed else 0
        self.count = min(2**self.bits, 2**64 - 1)
        self.pattern = lambda v: v % 2**self.bits  # of a value
        self.value = lambda p: p - 2**self.bits if self.min and p > self.max else p  # of a pattern
        self.ascending = lambda n: self.pattern(self.min + n)  # value number n
        self.read = lambda text: self.pattern(int({'true': '1', 'false': '0'}.get(text, text), 0))

    def special(self):
        b, half = self.bits, 2**(self.bits - 1)
        return [self.pattern(v) for v in (0, 1, -1, 2, -2, 3, -3, b - 1, b, b + 1, half, half + 1, half - 1)]

    def draw(self, profile, w, use):
        if profile == 'positive':
            return min(1 + draw(w, 7), self.max)
        if profile == 'overflow':
            edge, d = draw(w, 3), draw(w, 8)
            return self.pattern((self.max - d, self.min + d, 2**(self.bits // 2) - 4 + d)[edge])
        small = (-8, 7) if self.min else (0, 15)
        low, high = (use.get('low', -4), use.get('high', 4)) if profile in ('integers', 'indices') else small
        low, high = max(low, self.min), min(high, self.max)
        return self.pattern(low + draw(w, high - low + 1))

    def cancelling(self, odd, partner, w):
        return self.pattern(w % 2 - partner if odd else partner)


class Float:
    def __init__(self, name):
        exponent, self.m, self.bias, self.nan = FLOATS[name]
        self.low = int(name != 'f8e8m0fnu')  # the least exponent field; only this type has no sign
        self.bits, self.one = exponent + self.m + self.low, 1 << self.m
        self.sign, self.inf = self.low << exponent + self.m, (2**exponent - 1) << self.m
        self.top = 2**(exponent + self.m) - {'i': self.one + 1, 'a': 2}.get(self.nan, 1)
        self.high, self.count = (self.top + 1 >> self.m) - 1, self.top + 1 + self.low * self.top
        self.quiet = {'i': self.inf | self.one >> 1, 'a': self.top + 1}.get(self.nan, self.sign)
        self.value = lambda p: -(p & ~self.sign) if p & self.sign else p  # in their order
        self.ascending = lambda n: self.signed(n < self.top, abs(n - self.top)) if self.sign else n

    def signed(self, negative, magnitude):
        return magnitude | self.sign if negative and (magnitude or self.nan != 'z') else magnitude

    def pattern(self, v):
        """Of the nearest value, ties to even, none beyond the largest."""
        e = max(math.frexp(v)[1] - 1, self.low - self.bias) if v else self.low - self.bias
        magnitude = (e + self.bias - 1 << self.m) + round(math.ldexp(abs(v), self.m - e))
        return self.signed(math.copysign(1, v) < 0, min(max(magnitude, 0), self.top))

    def read(self, text):
        named = re.fullmatch(r'-?(?:(inf)|nan(?:\((\w+)\))?)', text)
        if named is None:
            return self.pattern(float.fromhex(text) if 'x' in text else float(text))
        magnitude = self.inf | int(named[2] or '0', 16) if named[1] or named[2] else self.quiet
        return self.sign * (text[0] == '-') | magnitude

    def special(self):
        one, unit = self.one, self.bias << self.m
        magnitudes = [0, 1, one - 1, one, unit - 1, unit, unit + 1, unit + one // 2, unit + one, self.top]
        patterns = [self.signed(negative, x) for x in magnitudes + [self.inf] * (self.nan == 'i') for negative in (0, 1)]
        return patterns + [self.quiet] * (self.nan != '')

    def draw(self, profile, w, use):
        if profile == 'integers':
            return self.pattern(draw(w, 9) - 4) if self.sign else self.bias + draw(w, 3)
        if profile == 'range':
            low, high = (self.value(self.pattern(use[end])) for end in ('from', 'to'))
            ordinal = low + draw(w, high - low + 1)
            return self.signed(ordinal < 0, abs(ordinal))
        negative = self.sign and draw(w, 2) and profile != 'positive'
        step = (0, 0, 1, -1)[draw(w, 4)] if profile == 'ties' else 0
        top, bias, counts = self.top >> self.m, self.bias, {'finite': self.top + 1, 'subnormal': 2 * self.one if self.sign else 4}

        def binade(base, count, low=self.low, high=self.high):
            return min(max(base + draw(w, count), low), high) << self.m

        if profile in counts:
            magnitude = draw(w, counts[profile])
        elif profile == 'ties' and 'keep' in use:
            magnitude = binade(bias - 3, 8) | (2 * draw(w, 1 << use['keep']) + 1) << self.m - use['keep'] - 1
        elif profile == 'ties':
            magnitude = self.pattern(2 * draw(w, min(self.one, 32) - 1) + 3) - self.one
        else:
            binades = {'unit': (bias - 4, 4, 0, bias - 1), 'cancellation': (bias - 4, 12)}.get(profile, (bias - 2, 4))
            if profile == 'overflow':
                binades = ((bias + top) // 2, 2, self.low, top) if draw(w, 2) else (top - 3, 4, self.low, top)
            magnitude = binade(*binades) | draw(w, self.one)
        return self.signed(negative, min(magnitude + step, self.top))

    def cancelling(self, odd, partner, w):
        pattern = self.draw('cancellation', [partner], {})
        return pattern ^ (self.sign | w % 2) if odd else pattern


def type_of(name):
    """The type of a part, and how many parts an element has."""
    name, parts = PARTS.get(name, (name, 1))
    return (Float if name in FLOATS else Integer)(name), parts


def element(t, profile, i, c, parts, sizes, use):
    """Part c of element i."""
    seed = use.get('seed', 1)
    w = word(seed, parts * i + c)
    if profile == 'patterns':
        return w % 2**t.bits
    if profile == 'cancellation':
        return t.cancelling(i % 2 == 1, word(seed, parts * (i - i % 2) + c), w)
    if profile == 'duplicates':
        w = word(seed, 2**32 + parts * (word(seed, parts * i) % 4) + c)
    if profile == 'definite':
        n = sizes[-1]
        row, column = i // n % n, i % n
        if row == column:
            return 0 if c else t.pattern(1 << n.bit_length())
        v = word(seed, parts * (i // n**2 * n**2 + min(row, column) * n + max(row, column)) + c) % 3 - 1
        return t.pattern(-v if c and row > column else v)
    if c and 'imag_from' in use:
        use = {'from': use['imag_from'], 'to': use['imag_to']}
    return t.draw(profile, [w], use)


def make(profile, name, sizes, use):
    """The patterns of an array, part by part; `use` has the parameters of the profile."""
    (t, parts), n, stride = type_of(name), math.prod(sizes), use.get('stride', 1)
    if profile == 'all':
        return [(i // stride + use.get('offset', 0)) % 2**t.bits for i in range(n)]
    if profile == 'special':
        values = list(dict.fromkeys(t.special()))
        return [values[i // stride // len(values)**c % len(values)] for i in range(n) for c in range(parts)]
    if profile == 'unique':
        rank = {i: k for k, i in enumerate(sorted(range(n), key=lambda i: (word(use.get('seed', 1), i), i)))}
        step = t.count // max(n, 1)
        return [t.ascending(rank[i] * step + step // 2 if step else rank[i] % t.count) for i in range(n)]
    out = [element(t, profile, i, c, parts, sizes, use) for i in range(n) for c in range(parts)]
    return sorted(out, key=t.value) if profile == 'sorted' else out


def read_array(text):
    kind, shape, rest = (text.split(' ', 2) + [''])[:3]
    name, *sizes = re.findall(r'\w+', shape)
    sizes = [int(size) for size in sizes]
    t, parts = type_of(name)
    if kind == 'literal':
        patterns = map(t.read, re.findall(r'-?nan\(0x\w+\)|[^\s,{}()]+', re.sub(r'/\*.*?\*/', '', rest)))
    else:
        parameters = re.findall(r'(\w+)=(\S+)', rest)
        patterns = make(kind, name, sizes, {k: (float if k.endswith(('from', 'to')) else int)(v) for k, v in parameters})
    return np.array(list(patterns), np.uint64).reshape(tuple(sizes) + (2, ) * (parts == 2))


def read_cases(text):
    """Dictionaries with id, module, tags, ...; `arrays` and their `types` by name: arg0, ..."""
    sections = re.compile(r'^(\w+):(.*)\n((?:[ \t].*(?:\n|\Z))*)', re.M)
    for block in re.split(r'^case ', re.sub(r'^#.*\n', '', text, flags=re.M), flags=re.M)[1:]:
        case_id, body = block.split('\n', 1)
        case = {'id': case_id.strip(), 'arrays': {}, 'types': {}}
        for key, rest, lines in sections.findall(body + '\n'):
            case[key] = lines if key == 'module' else rest.strip()
            for name, value in re.findall(r'^\s+(\S+) = (.*)', lines, flags=re.M) if key in ('inputs', 'expect') else ():
                case['types'][name], case['arrays'][name] = value.split()[1].split('[')[0], read_array(value.strip())
        yield case


if __name__ == '__main__':
    for each in read_cases(open(sys.argv[1], encoding='utf-8').read()):
        print(each['id'], each['arrays'])
