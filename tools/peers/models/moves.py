"""Where the elements of a result come from: operations that move elements or find their place by values, from the words of
the reference (structural, sections 3, 4 and 13). Elements keep every bit."""
import re

import numpy as np

from . import formats
from .formats import number
from .program import Array, array_shape, literal
from gmpy2 import mpq


def places(array, start=0):
    return (start + np.arange(len(array.data))).reshape(array.shape)


def moved(array, at, data=None):
    """The array whose elements are those at the given places."""
    data = array.data if data is None else data
    return Array(array.type, at.shape, [data[i] for i in at.reshape(-1).tolist()])


def move(function):
    """An operation on one operand whose result is a rearrangement of it."""
    return lambda machine, instruction, operands: moved(operands[0], function(places(operands[0]), instruction))


def written(instruction):
    return array_shape(instruction.shape)[1]


def broadcast(at, instruction):
    out = np.indices(written(instruction))
    return np.broadcast_to(at[tuple(out[d] for d in instruction.numbers('dimensions'))], written(instruction))


def sliced(at, instruction):
    bounds = re.findall(r'\[(\d+):(\d+)(?::(\d+))?\]', instruction.attributes['slice'])
    return at[tuple(slice(int(a), int(b), int(c or 1)) for a, b, c in bounds)]


def bitcast(at, instruction):
    """From the order of the operand's layout, where it is written beside the operand, else from row-major order, into the order of
    the result's layout: its dimensions from minor to major."""
    if written_at := re.match(r'\w+\[[\d,]*\]\{([\d,]+)', instruction.text):
        at = at.transpose([int(d) for d in reversed(written_at.group(1).split(','))])
    layout = re.search(r'\]\{([\d,]*)', instruction.shape)
    if not layout:
        return at.reshape(written(instruction))
    order = [int(d) for d in reversed(layout.group(1).split(','))]
    return at.reshape([written(instruction)[d] for d in order]).transpose(np.argsort(order))


def pad(machine, instruction, operands):
    array, value = operands
    edges = [[int(n) for n in part.split('_')] + [0] for part in instruction.attributes['padding'].split('x')]
    sizes = tuple(low[0] + low[1] + (n + (n - 1) * low[2] if n else 0) for n, low in zip(array.shape, edges))
    out = np.full(sizes, len(array.data))
    for index in np.ndindex(*array.shape):
        at = tuple(low[0] + i * (low[2] + 1) for i, low in zip(index, edges))
        if all(0 <= a < size for a, size in zip(at, sizes)):
            out[at] = np.ravel_multi_index(index, array.shape) if index else 0
    return moved(array, out, array.data + value.data)


def concatenate(machine, instruction, operands):
    starts = np.cumsum([0] + [len(each.data) for each in operands])
    at = np.concatenate([places(each, start) for each, start in zip(operands, starts)], instruction.numbers('dimensions')[0])
    return moved(operands[0], at, [element for each in operands for element in each.data])


def iota(machine, instruction, operands):
    element, shape = array_shape(instruction.shape)
    t = formats.element_type(element)
    along = np.indices(shape)[int(instruction.attributes['iota_dimension'])].reshape(-1).tolist()
    if element in formats.COMPLEX:
        return Array(element, shape, [(t.part.encode(number(mpq(i))), 0) for i in along])
    return Array(element, shape, [t.encode(number(mpq(i)) if formats.is_float(element) else i) for i in along])


def constant(machine, instruction, operands):
    return literal(*array_shape(instruction.shape), instruction.text)


def bitcast_convert(machine, instruction, operands):
    array, (element, shape) = operands[0], array_shape(instruction.shape)
    target = formats.element_type(element)

    def width(name):
        t = formats.element_type(name)
        return 8 if name == 'pred' or t.bits == 6 else t.bits  # XLA stores both in a byte

    def bits(pattern):
        return pattern[0] | pattern[1] << array.t.part.bits if array.type in formats.COMPLEX else pattern
    source_width, target_width = width(array.type), width(element)
    number_of_all = sum(bits(pattern) << i * source_width for i, pattern in enumerate(array.data))
    count = len(array.data) * source_width // target_width
    patterns = [number_of_all >> i * target_width & 2**target_width - 1 for i in range(count)]
    if element in formats.COMPLEX:
        half = target.part.bits
        patterns = [(pattern & 2**half - 1, pattern >> half) for pattern in patterns]
    return Array(element, shape, patterns)


def integers(array):
    return [array.t.decode(pattern) for pattern in array.data]


def starts(operands, sizes, pieces):
    """Of dynamic slices: brought inside."""
    values = [integers(each)[0] for each in operands] if operands and operands[0].shape == () else [
        n for each in operands for n in integers(each)]
    return [min(max(start, 0), size - piece) for start, size, piece in zip(values, sizes, pieces)]


def dynamic_slice(machine, instruction, operands):
    sizes = instruction.numbers('dynamic_slice_sizes')
    first = starts(operands[1:], operands[0].shape, sizes)
    return moved(operands[0], places(operands[0])[tuple(slice(a, a + n) for a, n in zip(first, sizes))])


def dynamic_update_slice(machine, instruction, operands):
    array, update = operands[:2]
    first = starts(operands[2:], array.shape, update.shape)
    at = places(array)
    at[tuple(slice(a, a + n) for a, n in zip(first, update.shape))] = places(update, len(array.data))
    return moved(array, at, array.data + update.data)


def index_vectors(indices, dimension):
    """Index vectors along a dimension, which may be one past the last: an array of lists by the other dimensions."""
    values = np.array(integers(indices), object).reshape(indices.shape)
    return np.moveaxis(values.reshape(values.shape + (1, ) if dimension == values.ndim else values.shape), dimension, -1)


def gather(machine, instruction, operands):
    array, indices = operands
    sizes, collapsed = instruction.numbers('slice_sizes'), instruction.numbers('collapsed_slice_dims')
    batching = instruction.numbers('operand_batching_dims')
    vectors = index_vectors(indices, int(instruction.attributes['index_vector_dim']))
    offsets, start_map = instruction.numbers('offset_dims'), instruction.numbers('start_index_map')
    index_batch = instruction.numbers('start_indices_batching_dims')
    kept = [d for d in range(len(array.shape)) if d not in collapsed and d not in batching]
    rank = len(offsets) + vectors.ndim - 1
    batch_dims = [d for d in range(rank) if d not in offsets]
    shape = [0] * rank
    for d, size in list(zip(batch_dims, vectors.shape[:-1])) + [(d, sizes[k]) for d, k in zip(offsets, kept)]:
        shape[d] = size
    vector_dim = int(instruction.attributes['index_vector_dim'])
    out = np.zeros(shape, int)
    for o in np.ndindex(*shape):
        g = tuple(o[d] for d in batch_dims)
        full = [0] * len(array.shape)
        for k, d in enumerate(start_map):
            full[d] = min(max(vectors[g][k], 0), array.shape[d] - sizes[d])
        for d, s in zip(batching, index_batch):
            full[d] += g[s if s < vector_dim else s - 1]
        for d, position in zip(kept, (o[d] for d in offsets)):
            full[d] += position
        out[o] = np.ravel_multi_index(full, array.shape) if full else 0
    return moved(array, out)


def set_dimension_size(machine, instruction, operands):
    array, size = operands
    at = [slice(None)] * len(array.shape)
    at[instruction.numbers('dimensions')[0]] = slice(0, integers(size)[0])
    return moved(array, places(array)[tuple(at)])


def get_dimension_size(machine, instruction, operands):
    return Array('s32', (), [operands[0].shape[instruction.numbers('dimensions')[0]]])


def dynamic_reshape(machine, instruction, operands):
    sizes = [integers(each)[0] for each in operands[1:]]
    return Array(operands[0].type, sizes, operands[0].data[:int(np.prod(sizes, dtype=int))])


OPERATIONS = {
    'bitcast': move(bitcast), 'broadcast': move(broadcast), 'concatenate': concatenate,
    'copy': move(lambda at, i: at), 'opt-barrier': lambda machine, i, operands: operands[0], 'pad': pad,
    'reshape': move(lambda at, i: at.reshape(written(i))), 'slice': move(sliced),
    'reverse': move(lambda at, i: np.flip(at, i.numbers('dimensions'))),
    'transpose': move(lambda at, i: at.transpose(i.numbers('dimensions'))), 'iota': iota, 'constant': constant,
    'bitcast-convert': bitcast_convert, 'dynamic-slice': dynamic_slice, 'dynamic-update-slice': dynamic_update_slice,
    'gather': gather, 'set-dimension-size': set_dimension_size, 'get-dimension-size': get_dimension_size,
    'dynamic-reshape': dynamic_reshape,
}
