"""Second references for cases of the conformance corpus, from the words of the specification and without Assay: where the
elements of a result come from (operations that move elements, of every type), and what integers make (in Python's whole numbers).

`confirmed: index_model` and `confirmed: rational` in a template mean this file; corpus_peer_test.py holds the golden
results to it.
"""
import re

import numpy as np

import corpus_reader

ENTRY = re.compile(r'ENTRY \w+ \{(.*)\}', re.S)
PARAMETER = re.compile(r'(\w+) = (\w+)\[([\d,]*)\] parameter\((\d+)\)')
ROOT = re.compile(r'ROOT \w+ = (?:\w+\[[\d,]*\] )?([\w-]+)\(([^)]*)\)(.*)', re.S)


def numbers(attributes, name):
    return [int(n) for n in re.search(rf'{name}={{([\d,]*)}}', attributes).group(1).split(',') if n]


def pad(p, attributes, sizes):
    out = np.full(sizes, p[1])
    edges = [[int(n) for n in part.split('_')] + [0] for part in re.search(r'padding=([-\w]+)', attributes).group(1).split('x')]
    for index in np.ndindex(*p[0].shape):
        at = tuple(low[0] + i * (low[2] + 1) for i, low in zip(index, edges))
        if all(0 <= a < size for a, size in zip(at, sizes)):
            out[at] = p[0][index]
    return out


def sliced(p, attributes, sizes):
    bounds = re.findall(r'\[(\d+):(\d+)(?::(\d+))?\]', attributes)
    return p[0][tuple(slice(int(a), int(b), int(c or 1)) for a, b, c in bounds)]


def broadcast(p, attributes, sizes):
    at = np.indices(sizes)
    return np.broadcast_to(p[0][tuple(at[d] for d in numbers(attributes, 'dimensions'))], sizes)


# The place of each element of the result among the elements of the operands, from the places of those.
MOVES = {
    'bitcast': lambda p, attributes, sizes: p[0].reshape(sizes), 'broadcast': broadcast,
    'concatenate': lambda p, attributes, sizes: np.concatenate(p, numbers(attributes, 'dimensions')[0]),
    'copy': lambda p, attributes, sizes: p[0], 'opt-barrier': lambda p, attributes, sizes: p[0], 'pad': pad,
    'reshape': lambda p, attributes, sizes: p[0].reshape(sizes),
    'reverse': lambda p, attributes, sizes: np.flip(p[0], numbers(attributes, 'dimensions')), 'slice': sliced,
    'transpose': lambda p, attributes, sizes: p[0].transpose(numbers(attributes, 'dimensions')),
}


def quotient(a, b, t):
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def power(a, n, t):
    if n < 0:
        return a if a == 1 or (a == -1 and n % 2) else 1 if a == -1 else 0
    return pow(a, n, 2**t.bits)


def signed(a, t):
    return a - 2**t.bits if a >= 2**(t.bits - 1) else a


def in_range(n, t):
    return 0 <= n < t.bits


COMPARE = {'EQ': lambda a, b: a == b, 'NE': lambda a, b: a != b, 'LT': lambda a, b: a < b, 'LE': lambda a, b: a <= b,
           'GT': lambda a, b: a > b, 'GE': lambda a, b: a >= b}

# Of values and their type; results are taken modulo 2^bits.
INTEGERS = {
    'abs': lambda a, t: abs(a), 'add': lambda a, b, t: a + b, 'and': lambda a, b, t: a & b, 'or': lambda a, b, t: a | b,
    'clamp': lambda low, a, high, t: min(max(a, low), high),
    'count-leading-zeros': lambda a, t: t.bits - (a % 2**t.bits).bit_length(),
    'divide': quotient, 'maximum': lambda a, b, t: max(a, b), 'minimum': lambda a, b, t: min(a, b),
    'mulhi': lambda a, b, t: a * b >> t.bits, 'multiply': lambda a, b, t: a * b, 'negate': lambda a, t: -a,
    'not': lambda a, t: ~a, 'popcnt': lambda a, t: bin(a % 2**t.bits).count('1'), 'power': power,
    'remainder': lambda a, b, t: a - b * quotient(a, b, t) if b else a,
    'shift-left': lambda a, n, t: a << n if in_range(n, t) else 0,
    'shift-right-arithmetic': lambda a, n, t: signed(a % 2**t.bits, t) >> (n if in_range(n, t) else t.bits),
    'shift-right-logical': lambda a, n, t: a % 2**t.bits >> n if in_range(n, t) else 0,
    'sign': lambda a, t: (a > 0) - (a < 0), 'subtract': lambda a, b, t: a - b, 'xor': lambda a, b, t: a ^ b,
}


def integer_result(op, element, attributes, operands, t):
    if op == 'compare':
        function = COMPARE[re.search(r'direction=(\w+)', attributes).group(1)]
        results = [int(function(*row)) for row in zip(*operands)]
    elif element == 'pred' and op in ('add', 'multiply'):  # or, and
        results = [max(row) if op == 'add' else min(row) for row in zip(*operands)]
    else:
        results = [INTEGERS[op](*row, t) % 2**t.bits for row in zip(*operands)]
    return np.array(results, np.uint64)


def expected(case, sizes):
    """The result of a case with one instruction, of these sizes; None where no model is here for it."""
    entry = ENTRY.search(case['module'])
    parameters = PARAMETER.findall(entry.group(1)) if entry else []
    root = ROOT.search(entry.group(1)) if entry else None
    if not root or len(parameters) + 1 != entry.group(1).count(' = '):
        return None
    op, names, attributes = root.group(1), root.group(2).split(', '), root.group(3)
    place = {name: int(number) for name, _, _, number in parameters}
    types = {name: element for name, element, _, _ in parameters}
    arrays = [case['arrays'][f'arg{place[name]}'] for name in names]
    element = types[names[-1]]
    if op in MOVES:
        width = 2 if element in corpus_reader.PARTS else 1
        elements = np.concatenate([array.reshape(-1, width) for array in arrays])
        counts = [array.size // width for array in arrays]
        starts = np.cumsum([0, *counts])
        shapes = [array.shape[:-1] if width == 2 else array.shape for array in arrays]
        places = [(start + np.arange(count)).reshape(shape) for start, count, shape in zip(starts, counts, shapes)]
        result = elements[MOVES[op](places, attributes, sizes)]
        return result if width == 2 else result[..., 0]
    if element in corpus_reader.FLOATS or element in corpus_reader.PARTS or (op not in INTEGERS and op != 'compare'):
        return None
    t = corpus_reader.Integer(element)
    operands = [[t.key(int(pattern)) for pattern in array.flat] for array in arrays]
    return integer_result(op, element, attributes, operands, t).reshape(sizes)
