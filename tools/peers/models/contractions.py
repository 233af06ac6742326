"""Sums of products: dot and its kin, convolution. Products and sum are exact, and rounded once (structural, sections 7 and 8).

Factors of a class (float, complex, whole) other than that of the result are converted to its type first (docs/numerics.md)."""
import functools
import itertools

import numpy as np

from . import formats, scalars
from .complex_functions import product
from .folds import taps, window, windowed
from .formats import add, multiply
from .moves import integers, places
from .program import Array, array_shape


def kind(t):
    return 'pred' if t.name == 'pred' else type(t).__name__


def factors(array, target):
    """Exact values of the elements, as factors of a result of a type."""
    if kind(array.t) != kind(target):
        return [target.decode(scalars.convert(array.t, target, pattern)) for pattern in array.data]
    return [array.t.decode(pattern) for pattern in array.data]


def total(pairs, target):
    """The pattern of a sum of products."""
    if isinstance(target, formats.Complex):
        sums = [product(a, b) for a, b in pairs] or [(0.0, 0.0)]
        return target.encode(functools.reduce(lambda x, y: tuple(map(add, x, y)), sums))
    if isinstance(target, formats.Float):  # zeros of one sign stay what they are
        return target.encode(functools.reduce(add, [multiply(a, b) for a, b in pairs] or [0.0]))
    if target.name == 'pred':
        return int(any(a and b for a, b in pairs))
    return target.encode(sum(a * b for a, b in pairs))


def result_of(instruction, array):
    return formats.element_type(array_shape(instruction.shape)[0] if instruction.shape else array.type)


def matrices(instruction, lhs, rhs):
    """Batch sizes, and the places of both operands as [batch..., free, contracted], with the sizes of the free dimensions."""
    out = []
    for array, side in ((lhs, 'lhs'), (rhs, 'rhs')):
        batch, contracted = (instruction.numbers(f'{side}_{what}_dims') for what in ('batch', 'contracting'))
        free = [d for d in range(len(array.shape)) if d not in batch + contracted]

        def size(dims, array=array):
            return int(np.prod([array.shape[d] for d in dims], dtype=int))
        rows = places(array).transpose(batch + free + contracted).reshape(size(batch), size(free), size(contracted))
        out.append((rows, [array.shape[d] for d in free], [array.shape[d] for d in batch]))
    return out


def dot(machine, instruction, operands):
    lhs, rhs = operands
    (left, left_free, batch), (right, right_free, _) = matrices(instruction, lhs, rhs)
    target = result_of(instruction, lhs)
    a, b = factors(lhs, target), factors(rhs, target)
    data = [total(((a[i], b[j]) for i, j in zip(row, column)), target)
            for g in range(left.shape[0]) for row in left[g].tolist() for column in right[g].tolist()]
    return Array(target.name, batch + left_free + right_free, data)


def ragged_dot(machine, instruction, operands):
    """Rows in groups, each with a matrix of its own: [m, k], [g, k, n], [g]."""
    lhs, rhs, sizes = operands
    if (instruction.numbers('lhs_contracting_dims'), instruction.numbers('rhs_contracting_dims'), instruction.numbers('lhs_ragged_dims'),
            instruction.numbers('rhs_group_dims')) != ([1], [1], [0], [0]):
        raise scalars.Unsupported('ragged-dot of another kind')
    target, rows = result_of(instruction, lhs), lhs.shape[0]
    a, b = factors(lhs, target), factors(rhs, target)
    at, of, ends = places(lhs), places(rhs), np.cumsum([max(n, 0) for n in integers(sizes)]).tolist()
    data = []
    for i, j in itertools.product(range(rows), range(rhs.shape[2])):
        group = next((q for q, end in enumerate(ends) if i < end), None)
        pairs = [] if group is None else [(a[at[i, c]], b[of[group, c, j]]) for c in range(lhs.shape[1])]
        data.append(total(pairs, target))
    return Array(target.name, (rows, rhs.shape[2]), data)


def scaled(array, scale, target):
    """The exact products of elements and the scales of their blocks; a scalar scale counts as 1."""
    values, shape = factors(array, target), array.shape
    if scale.shape == ():
        return values
    scales, at = factors(scale, target), places(scale)
    blocks = [n // s for n, s in zip(shape, scale.shape)]
    return [multiply(value, scales[at[tuple(x // r for x, r in zip(index, blocks))]])
            for value, index in zip(values, np.ndindex(*shape))]


def scaled_dot(machine, instruction, operands):
    lhs, rhs, lhs_scale, rhs_scale = operands
    (left, left_free, batch), (right, right_free, _) = matrices(instruction, lhs, rhs)
    target = result_of(instruction, lhs)
    a, b = scaled(lhs, lhs_scale, target), scaled(rhs, rhs_scale, target)
    data = [total(((a[i], b[j]) for i, j in zip(row, column)), target)
            for g in range(left.shape[0]) for row in left[g].tolist() for column in right[g].tolist()]
    return Array(target.name, batch + left_free + right_free, data)


def convolution(machine, instruction, operands):
    lhs, rhs = operands
    labels, out_labels = instruction.attributes['dim_labels'].split('->')
    in_labels, kernel_labels = labels.split('_')
    spatial = [str(d) for d in range(len(in_labels) - 2)]
    signal = places(lhs).transpose([in_labels.index(c) for c in ['b', 'f', *spatial]])
    kernel = places(rhs).transpose([kernel_labels.index(c) for c in ['o', 'i', *spatial]])
    target = result_of(instruction, lhs)
    a, b = factors(lhs, target), factors(rhs, target)
    groups = {name: int(instruction.attributes.get(f'{name}_group_count', 1)) for name in ('feature', 'batch')}
    windows = window(instruction, len(spatial), list(kernel.shape[2:]))
    batch, features = signal.shape[0] // groups['batch'], kernel.shape[0]
    shape = [batch, features] + [windowed(n, w) for n, w in zip(signal.shape[2:], windows)]
    out = {}
    for place in np.ndindex(*shape):
        row, z, position = place[0], place[1], place[2:]
        group, piece = z // (features // groups['feature']), z // (features // groups['batch'])
        pairs = []
        for cell in itertools.product(*(taps(n, w, o) for n, w, o in zip(signal.shape[2:], windows, position))):
            tap = tuple(w['size'] - 1 - k if w['reverse'] else k for (k, _), w in zip(cell, windows))
            for c in range(kernel.shape[1]):
                left = signal[(piece * batch + row, group * kernel.shape[1] + c, *(q for _, q in cell))]
                pairs.append((a[left], b[kernel[(z, c, *tap)]]))
        out[place] = total(pairs, target)
    order = [out_labels.index(c) for c in ['b', 'f', *spatial]]
    result = np.zeros([shape[order.index(d)] for d in range(len(shape))], object)
    numbers = list(out)
    for n, place in enumerate(numbers):
        result[tuple(place[order.index(d)] for d in range(len(shape)))] = n
    return Array(target.name, result.shape, [out[numbers[n]] for n in result.reshape(-1).tolist()])


OPERATIONS = {'dot': dot, 'ragged-dot': ragged_dot, 'scaled-dot': scaled_dot, 'convolution': convolution}
