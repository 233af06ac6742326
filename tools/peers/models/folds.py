"""Operations that combine elements by a computation: an addition, multiplication, maximum, minimum, and, or, xor gives the exact
result, rounded once; any other computation is applied in the order of the reference (structural, sections 4.2, 5, 6; 0.3)."""
import functools
import itertools
import re

import numpy as np
from gmpy2 import mpq

from . import complex_functions, formats, scalars
from .moves import index_vectors, integers, moved, places
from .program import Array
from .scalars import Unsupported


class Recognised:
    """A fold over exact values."""
    def __init__(self, op, element):
        t = formats.element_type(element)
        self.t, self.op = t, op
        if isinstance(t, formats.Float):
            self.combine = scalars.FLOATS[op]
        elif isinstance(t, formats.Complex):
            self.combine = complex_functions.ARITHMETIC[op]
        elif t.name == 'pred' and op in scalars.TRUTH:
            self.combine = lambda a, b: scalars.TRUTH[op]((a, b))
        else:
            self.combine = lambda a, b: scalars.INTEGERS[op](a, b, t)

    def fold(self, patterns):
        """Of at least one; of one it is the same bits."""
        if len(patterns) == 1:
            return patterns[0]
        if self.op == 'multiply' and isinstance(self.t, formats.Complex):
            return self.complex_product(patterns)
        return self.t.encode(functools.reduce(self.combine, map(self.t.decode, patterns)))

    def prefixes(self, first):
        """A function that takes one more element and gives the fold of all so far."""
        if self.op == 'multiply' and isinstance(self.t, formats.Complex):
            seen = [first]
            return lambda pattern: seen.append(pattern) or self.fold(seen)
        exact = [self.t.decode(first)]

        def prefix(pattern):
            exact[0] = self.combine(exact[0], self.t.decode(pattern))
            return self.t.encode(exact[0])
        return prefix

    def complex_product(self, patterns):
        """Where all factors are finite, the exact parts of the whole product; an exact zero is +0. What has met an infinity is
        open."""
        values = [self.t.decode(pattern) for pattern in patterns]
        if not complex_functions.finite(*values):
            return (complex_functions.OPEN, complex_functions.OPEN)
        re, im = mpq(1), mpq(0)
        for value in values:
            a, b = (mpq(0) if part == 0 else part for part in value)
            re, im = re * a - im * b, re * b + im * a
        return self.t.encode(tuple(part if part else 0.0 for part in (re, im)))


FOLDS = ('add', 'multiply', 'maximum', 'minimum', 'and', 'or', 'xor')


PASSING = ('copy', 'opt-barrier', 'reshape', 'bitcast', 'broadcast', 'transpose', 'reverse')


def expressions(machine, name, arguments=None):
    """What a computation gives, in terms of its parameters, as if calls and tuples were not there and scalars were not passed on:
    a list for a tuple, the number of a parameter, or (operation, type, operands)."""
    values = {}
    for each in machine.computations[name.lstrip('%')].instructions:
        operands = [values.get(operand) for operand in each.operands]
        if each.op == 'parameter':
            value = int(each.text) if arguments is None else arguments[int(each.text)]
        elif each.op in ('call', 'fusion'):
            value = expressions(machine, each.attributes.get('to_apply', each.attributes.get('calls')), operands)
        elif each.op == 'tuple':
            value = operands
        elif each.op == 'get-tuple-element' and isinstance(operands[0], list):
            value = operands[0][int(each.attributes['index'])]
        elif each.op in PASSING and size_of(each.shape) in (None, 1):
            value = operands[0]
        else:
            value = (each.op, each.shape.split('[')[0], operands)
        values[each.name] = value
        if each.root:
            return value
    return value


def size_of(shape):
    """The number of elements of an array, None of a tuple."""
    sizes = re.match(r'\w+\[([\d,]*)\]', shape)
    return int(np.prod([int(n) for n in sizes.group(1).split(',') if n], dtype=int)) if sizes else None


def parameters_of(value):
    if isinstance(value, int):
        return {value}
    return set().union(*map(parameters_of, value if isinstance(value, list) else value[2]), set())


def folded(value, pair):
    """The operation of a fold of two parameters, or None."""
    def unconverted(each):
        return each[2][0] if isinstance(each, tuple) and each[0] == 'convert' else each
    inner = unconverted(value)
    if not isinstance(inner, tuple) or inner[0] not in FOLDS:
        return None
    return inner[0] if sorted((unconverted(each) for each in inner[2]), key=str) == sorted(pair, key=str) else None


def recognised(machine, name, element):
    """The fold that a computation of two scalars is, or None."""
    value = expressions(machine, name)
    op = folded(value[0] if isinstance(value, list) and len(value) == 1 else value, (0, 1))
    return Recognised(op, element) if op else None


def recognised_parts(machine, name, types):
    """Of each result of a computation that folds several arrays at a time: its fold, where it is one by itself, or None."""
    value, count = expressions(machine, name), len(types)
    if not isinstance(value, list) or len(value) != count:
        return [None] * count
    arrays = [{k % count for k in parameters_of(each)} for each in value]
    parts = []
    for k, element in enumerate(types):
        alone = [i for i, each in enumerate(arrays) if k in each] == [k] and arrays[k] == {k}
        op = folded(value[k], (k, count + k)) if alone else None
        parts.append(Recognised(op, element) if op else None)
    return parts


def taken(machine, instruction, attribute, arrays):
    """Arrays in the types of a computation's parameters, as operands of mixed float types come to them."""
    computation = machine.computations[instruction.attributes[attribute].lstrip('%')]
    types = {int(each.text): each.shape.split('[')[0] for each in computation.instructions if each.op == 'parameter'}
    return [converted(each, types[k]) for k, each in enumerate(arrays)]


def converted(array, name):
    target = formats.element_type(name)
    if array.type == name:
        return array
    return Array(name, array.shape, [scalars.convert(array.t, target, pattern) for pattern in array.data])


def scalar(like, pattern):
    return Array(like.type, (), [pattern])


class Folding:
    """acc = init; acc = f(acc, x), one after the other: of N accumulators and N elements, of the types of these arrays."""
    def __init__(self, machine, instruction, attribute, accumulators, elements):
        self.machine, self.name = machine, instruction.attributes[attribute]
        self.accumulators, self.elements = accumulators, elements
        types = [each.type for each in elements]
        if len(elements) == 1:
            self.known = [recognised(machine, self.name, types[0])]
        else:
            self.known = recognised_parts(machine, self.name, types)
        self.known = [each if a.type == x.type else None for each, a, x in zip(self.known, accumulators, elements)]

    def __call__(self, inits, rows):
        """The patterns of the accumulators in the end; a row has a pattern for each."""
        known = [each and each.fold([inits[k]] + [row[k] for row in rows]) for k, each in enumerate(self.known)]
        if all(self.known):
            return known
        state = [scalar(each, init) for each, init in zip(self.accumulators, inits)]
        for row in rows:
            made = self.machine.call(self.name, state + [scalar(each, x) for each, x in zip(self.elements, row)])
            state = made if isinstance(made, list) else [made]
        return [each.data[0] if exact is None else exact for each, exact in zip(state, known)]


def gathered_fold(machine, instruction, operands, shape, places_of):
    """Results of a shape whose cells are folds of the elements at places_of(cell)."""
    count = len(operands) // 2
    both = taken(machine, instruction, 'to_apply', operands[count:] + operands[:count])
    inits, arrays = both[:count], both[count:]
    fold = Folding(machine, instruction, 'to_apply', inits, arrays)
    results = [Array(init.type, shape, []) for init in inits]
    for cell in np.ndindex(*shape):
        row = [[each.data[i] for each in arrays] for i in places_of(cell)]
        for result, x in zip(results, fold([init.data[0] for init in inits], row)):
            result.data.append(x)
    return results[0] if len(results) == 1 else results


def reduce(machine, instruction, operands):
    array, dims = operands[0], instruction.numbers('dimensions')
    kept = [d for d in range(len(array.shape)) if d not in dims]
    shape = [array.shape[d] for d in kept]
    rows = places(array).transpose(kept + sorted(dims)).reshape(
        shape + [int(np.prod([array.shape[d] for d in dims], dtype=int))])
    return gathered_fold(machine, instruction, operands, shape, lambda cell: rows[cell].tolist())


def window(instruction, rank, sizes=None):
    """Of each dimension size, stride, both paddings, both dilations and reversal (structural 5.2)."""
    text = instruction.attributes.get('window', '{}')
    fields = dict(part.split('=') for part in text.strip('{}').split())

    def each(name, default):
        return fields[name].split('x') if name in fields else [default] * rank
    window_sizes = sizes or [int(n) for n in each('size', '1')]
    return [dict(size=size, stride=int(stride), low=int(pad.split('_')[0]), high=int(pad.split('_')[1]), base=int(base),
                 dilation=int(dilation), reverse=reverse == '1')
            for size, stride, pad, base, dilation, reverse in zip(
                window_sizes, each('stride', '1'), each('pad', '0_0'), each('lhs_dilate', '1'), each('rhs_dilate', '1'),
                each('rhs_reversal', '0'))]


def dilated(n, d):
    return (n - 1) * d + 1 if n else 0


def windowed(n, w):
    padded, reach = w['low'] + dilated(n, w['base']) + w['high'], dilated(w['size'], w['dilation'])
    return 0 if padded <= 0 or reach > padded else (padded - reach) // w['stride'] + 1


def taps(n, w, position):
    """The cells that a window at a position sees: (place in the window, place in the array)."""
    for k in range(w['size']):
        q = position * w['stride'] + k * w['dilation'] - w['low']
        if q % w['base'] == 0 and 0 <= q // w['base'] < n:
            yield k, q // w['base']


def cells(shape, windows, position):
    """Of an array, those in the window at a position, in row-major order."""
    return itertools.product(*([cell for _, cell in taps(n, w, o)] for n, w, o in zip(shape, windows, position)))


def reduce_window(machine, instruction, operands):
    array = operands[0]
    windows, at = window(instruction, len(array.shape)), places(array)
    shape = [windowed(n, w) for n, w in zip(array.shape, windows)]
    return gathered_fold(machine, instruction, operands, shape,
                         lambda position: [int(at[cell]) for cell in cells(array.shape, windows, position)])


def select_and_scatter(machine, instruction, operands):
    array, source, init = operands
    left, right = taken(machine, instruction, 'select', [array, array])
    init, source = taken(machine, instruction, 'scatter', [init, source])
    windows, at = window(instruction, len(array.shape)), places(array)
    gathered = [[] for _ in array.data]
    for position, value in zip(np.ndindex(*source.shape), source.data):
        selected = None
        for cell in cells(array.shape, windows, position):
            here = int(at[cell])
            if selected is None or not machine.call(instruction.attributes['select'], [
                    scalar(left, left.data[selected]), scalar(right, right.data[here])]).data[0]:
                selected = here
        if selected is not None:
            gathered[selected].append([value])
    fold = Folding(machine, instruction, 'scatter', [init], [source])
    return converted(Array(init.type, array.shape, [fold(init.data, rows)[0] for rows in gathered]), array.type)


def scatter(machine, instruction, operands):
    count = len(operands) // 2
    arrays, indices, updates = operands[:count], operands[count], operands[count + 1:]
    lists = [[] for _ in arrays[0].data]  # of each cell the rows that meet it
    for cell, update in scattered(instruction, arrays[0], indices, updates[0]):
        lists[cell].append([each.data[update] for each in updates])
    fold = Folding(machine, instruction, 'to_apply', arrays, updates)
    cells_of = [fold([each.data[i] for each in arrays], rows) if rows else [each.data[i] for each in arrays]
                for i, rows in enumerate(lists)]
    results = [Array(each.type, each.shape, [cell[k] for cell in cells_of]) for k, each in enumerate(arrays)]
    return results[0] if count == 1 else results


def scattered(instruction, array, indices, updates):
    """The places of a cell and of the update that meets it, in order."""
    window_dims, inserted = instruction.numbers('update_window_dims'), instruction.numbers('inserted_window_dims')
    to_operand, batching = instruction.numbers('scatter_dims_to_operand_dims'), instruction.numbers('input_batching_dims')
    vector_dim = int(instruction.attributes['index_vector_dim'])
    vectors = index_vectors(indices, vector_dim)
    outer = [d for d in range(len(updates.shape)) if d not in window_dims]
    kept = [d for d in range(len(array.shape)) if d not in inserted and d not in batching]
    reach = [1] * len(array.shape)
    for k, d in enumerate(kept):
        reach[d] = updates.shape[window_dims[k]]
    at, from_update = places(array), places(updates)
    for g in np.ndindex(*(updates.shape[d] for d in outer)):
        start = [0] * len(array.shape)
        for k, d in enumerate(to_operand):
            start[d] = vectors[g][k]
        for d, s in zip(batching, instruction.numbers('scatter_indices_batching_dims')):
            start[d] += g[s if s < vector_dim else s - 1]
        if not all(0 <= a <= n - w for a, n, w in zip(start, array.shape, reach)):
            continue  # a window that does not fit is dropped whole
        for w in np.ndindex(*(updates.shape[d] for d in window_dims)):
            full, update = list(start), [0] * len(updates.shape)
            for k, d in enumerate(kept):
                full[d] += w[k]
            for position, d in list(zip(g, outer)) + list(zip(w, window_dims)):
                update[d] = position
            yield int(at[tuple(full)]), int(from_update[tuple(update)])


def scanned_folds(machine, name, arrays, carries):
    """Of each array of a scan along lines the fold whose prefixes are its results and its carry, or None."""
    results, count = expressions(machine, name), len(arrays)
    if count != carries or len(results) != 2 * count or any(len(each.shape) != 1 for each in arrays):
        return [None] * count
    folds = []
    for k, array in enumerate(arrays):
        op = folded(results[count + k], (k, count + k))
        folds.append(Recognised(op, array.type) if op and folded(results[k], (k, count + k)) == op else None)
    return folds


def scan(machine, instruction, operands):
    """Of an array whose result and carry are both the fold of its input and its carry every prefix is exact; any other runs as
    written."""
    name, carries = instruction.attributes['to_apply'], int(instruction.attributes['num_carries'])
    dimension = instruction.numbers('dimensions')[0]
    count = len(operands) - carries
    arrays, state = operands[:count], list(operands[count:])
    folds = scanned_folds(machine, name, arrays, carries)
    if any(each.op in FOLDS + ('call', 'fusion') for each in machine.computations[name].instructions) and any(
            fold is None and (formats.is_float(array.type) or array.type in formats.COMPLEX) for fold, array in zip(folds, arrays)):
        raise Unsupported('a scan that folds floats in several ways')
    length = arrays[0].shape[dimension] if arrays else int(instruction.attributes.get('scan_dimension_size', 0))
    order = range(length) if instruction.attributes.get('is_reverse') != 'true' else range(length - 1, -1, -1)
    prefixes, out = [fold and fold.prefixes(each.data[0]) for fold, each in zip(folds, state)], {}
    for t in order:
        if folds and all(folds):
            made = [None] * 2 * count
        else:
            made = machine.call(name, [moved(each, np.take(places(each), t, dimension)) for each in arrays] + state)
        for k, prefix in enumerate(prefixes):
            if prefix:
                made[k] = made[len(made) - carries + k] = Array(arrays[k].type, (), [prefix(arrays[k].data[t])])
        out[t], state = made[:len(made) - carries], made[len(made) - carries:]
    if not out:
        raise Unsupported('a scan of nothing')
    return [stacked([out[t][k] for t in range(length)], dimension) for k in range(len(out[0]))] + state


def stacked(arrays, dimension):
    size = len(arrays[0].data)
    at = np.stack([places(each, i * size) for i, each in enumerate(arrays)], dimension)
    return moved(arrays[0], at, [x for each in arrays for x in each.data])


def lines(array, dimension):
    """The places of each line of an array along a dimension."""
    if not array.data:
        return []
    return np.moveaxis(places(array), dimension, -1).reshape(-1, array.shape[dimension]).tolist()


def sort(machine, instruction, operands):
    """By the number of elements that go strictly before each, those of the same number in their order; where these numbers are
    no order that the comparator confirms (NaN among floats), any order is right."""
    results = [list(each.data) for each in operands]
    key = sort_key(machine, instruction, operands)
    for line in lines(operands[0], instruction.numbers('dimensions')[0]):
        if key:
            for here, there in zip(line, sorted(line, key=key)):
                for result, each in zip(results, operands):
                    result[here] = each.data[there]
            continue
        less = {(i, j): before(machine, instruction, operands, i, j) for i in line for j in line}
        rank = {i: sum(less[j, i] for j in line) for i in line}
        if any(less[i, j] != (rank[i] < rank[j]) for i in line for j in line):
            for result, each in zip(results, operands):
                for here in line:
                    result[here] = AnyOrder([each.data[i] for i in line])
            continue
        order = sorted(line, key=rank.get)
        for here, there in zip(line, order):
            for result, each in zip(results, operands):
                result[here] = each.data[there]
    arrays = [Array(each.type, each.shape, result) for each, result in zip(operands, results)]
    return arrays[0] if len(arrays) == 1 else arrays


def sort_key(machine, instruction, operands):
    """The order of places by a comparator that compares the two parameters of one operand, where it is an order; else None."""
    computation = machine.computations[instruction.attributes['to_apply'].lstrip('%')]
    root, made = computation.root, {each.name: each for each in computation.instructions}
    if root.op != 'compare' or any(made[name].op != 'parameter' for name in root.operands):
        return None
    first, second = (int(made[name].text) for name in root.operands)
    array = operands[first // 2]
    if first // 2 != second // 2 or first == second or root.attributes['direction'] not in ('LT', 'GT'):
        return None
    if isinstance(array.t, formats.Complex):
        return None
    if isinstance(array.t, formats.Float) and root.attributes.get('type') == 'TOTALORDER':
        keys = [scalars.total_key(pattern, array.t) for pattern in array.data]
    else:
        keys = [array.t.decode(pattern) for pattern in array.data]
        if any(formats.is_nan(key) for key in keys):
            return None
    descending = (root.attributes['direction'] == 'GT') == (first < second)
    return (lambda i: -keys[i]) if descending else (lambda i: keys[i])


class AnyOrder(frozenset):
    """An element of a line whose elements, all of them, may come in any order."""
    def __new__(cls, patterns):
        made = super().__new__(cls, patterns)
        made.all = list(patterns)
        return made


def before(machine, instruction, operands, i, j):
    arguments = [scalar(each, each.data[k]) for each in operands for k in (i, j)]
    return machine.call(instruction.attributes['to_apply'], arguments).data[0]


def topk(machine, instruction, operands):
    array, k = operands[0], int(instruction.attributes['k'])
    t, largest = array.t, instruction.attributes.get('largest', 'true') == 'true'
    key = (lambda pattern: scalars.total_key(pattern, t)) if isinstance(t, formats.Float) else t.decode
    chosen, size = [], array.shape[-1]
    for line in lines(array, len(array.shape) - 1):
        chosen += sorted(line, key=lambda i: -key(array.data[i]) if largest else key(array.data[i]))[:k]
    at = np.array(chosen, int).reshape(array.shape[:-1] + (k, ))
    return [moved(array, at), Array('s32', at.shape, (at % size).reshape(-1).tolist())]


OPERATIONS = {'reduce': reduce, 'reduce-window': reduce_window, 'select-and-scatter': select_and_scatter, 'scatter': scatter,
              'scan': scan, 'sort': sort, 'topk': topk}
