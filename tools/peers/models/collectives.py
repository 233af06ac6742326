"""Collectives among replicas: each takes the operands of all devices and gives all their results (control, section 7)."""
import re

import numpy as np

from . import folds, formats
from .moves import integers, moved, places
from .program import Array
from .scalars import Unsupported


BY_PARTITION = ('all-to-all', 'ragged-all-to-all', 'collective-permute', 'collective-broadcast')


def written_groups(text):
    """Lists of ids: {{0,2},{1,3}}, or [2,4]<=[4,2]T(1,0)."""
    if text.startswith('['):
        shape, sizes, order = re.fullmatch(r'\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?', text).groups()
        ids = np.arange(np.prod(numbers(sizes))).reshape(numbers(sizes))
        return (ids.transpose(numbers(order)) if order else ids).reshape(numbers(shape)).tolist()
    return [numbers(group) for group in re.findall(r'{([\d,\s]*)}', text[1:-1])]


def numbers(text):
    return [int(n) for n in re.findall(r'\d+', text)]


def devices_of(machine, instruction, ids):
    """The groups of devices that a list of ids stands for, in the mode of the instruction; device r * P + p is replica r of
    partition p (control 5.2)."""
    replicas, partitions = range(machine.replicas), range(machine.partitions)
    count = machine.partitions
    if int(instruction.attributes.get('channel_id', 0)) <= 0:
        return [[r * count + p for r in ids or replicas] for p in partitions]
    if instruction.op.removesuffix('-start') in BY_PARTITION:
        return [[r * count + p for p in ids or partitions] for r in replicas]
    if instruction.attributes.get('use_global_device_ids') == 'true':
        return [ids]
    return [[r * count + p for r in ids or replicas for p in partitions]]


def groups(machine, instruction):
    found = written_groups(instruction.attributes['replica_groups']) or [[]]
    return [group for ids in found for group in devices_of(machine, instruction, ids)]


def zeros(array):
    """f8e8m0fnu has no zero: what stands for it is open."""
    zero = None if array.type == 'f8e8m0fnu' else array.t.encode((0.0, 0.0)) if array.type in formats.COMPLEX else (
        array.t.encode(0.0) if formats.is_float(array.type) else 0)
    return Array(array.type, array.shape, [zero] * len(array.data))


def by_group(function):
    """A collective from a function of one array of each member of a group, which gives their results; several operands go one by one."""
    def collective(machine, instruction, operands):
        results = [[zeros(each) for each in device] for device in operands]
        for group in groups(machine, instruction):
            for k in range(len(operands[0])):
                for member, result in zip(group, function(machine, instruction, [operands[member][k] for member in group])):
                    results[member][k] = result
        return [each[0] if len(each) == 1 else each for each in results]
    return collective


def reduced(machine, instruction, arrays):
    fold = folds.recognised(machine, instruction.attributes['to_apply'], arrays[0].type)
    if not fold:
        raise Unsupported('a collective by a computation')
    return Array(arrays[0].type, arrays[0].shape, [fold.fold(list(row)) for row in zip(*(each.data for each in arrays))])


def blocks(array, dimension, count):
    return [moved(array, at) for at in np.split(places(array), count, dimension)]


def joined(arrays, dimension):
    data = [element for each in arrays for element in each.data]
    starts = np.cumsum([0] + [len(each.data) for each in arrays])
    return moved(arrays[0], np.concatenate([places(each, start) for each, start in zip(arrays, starts)], dimension), data)


def all_reduce(machine, instruction, arrays):
    return [reduced(machine, instruction, arrays)] * len(arrays)


def all_gather(machine, instruction, arrays):
    return [joined(arrays, instruction.numbers('dimensions')[0])] * len(arrays)


def reduce_scatter(machine, instruction, arrays):
    return blocks(reduced(machine, instruction, arrays), instruction.numbers('dimensions')[0], len(arrays))


def all_to_all(machine, instruction, arrays):
    d = instruction.numbers('dimensions')[0]
    pieces = [blocks(each, d, len(arrays)) for each in arrays]
    return [joined([piece[i] for piece in pieces], d) for i in range(len(arrays))]


def exchange(machine, instruction, operands):
    """all-to-all of a tuple: operand i of member j is result j of member i."""
    if len(operands[0]) == 1:
        return by_group(all_to_all)(machine, instruction, operands)
    results = [None] * len(operands)
    for group in groups(machine, instruction):
        for i, member in enumerate(group):
            results[member] = [operands[peer][i] for peer in group]
    return results


def permute(machine, instruction, operands):
    results = [[zeros(each) for each in device] for device in operands]
    for source, target in re.findall(r'{(\d+),\s*(\d+)}', instruction.attributes['source_target_pairs']):
        for pair in devices_of(machine, instruction, [int(source), int(target)]):
            results[pair[1]] = operands[pair[0]]
    return [each[0] if len(each) == 1 else list(each) for each in results]


def broadcast(machine, instruction, operands):
    """From the first of a group, or from the one whose place in the group the last operand names for each other operand."""
    chosen = instruction.attributes.get('has_dynamic_root') == 'true'
    sent = len(operands[0]) - chosen
    results = [[zeros(each) for each in device[:sent]] for device in operands]
    for group in groups(machine, instruction):
        roots = integers(operands[group[0]][-1]) if chosen else [0] * sent
        for member in group:
            results[member] = [operands[group[int(root)]][k] for k, root in enumerate(roots)]
    return [each[0] if len(each) == 1 else each for each in results]


def ragged_all_to_all(machine, instruction, operands):
    results = [Array(each[1].type, each[1].shape, each[1].data) for each in operands]
    row = [int(np.prod(each[0].shape[1:], dtype=int)) for each in operands]
    for group in groups(machine, instruction):
        for sender in group:
            offsets, counts, targets = (integers(operands[sender][k]) for k in (2, 3, 4))
            peers = np.repeat(group, len(offsets) // len(group))
            for peer, offset, count, target in zip(peers, offsets, counts, targets):
                width = row[sender]
                results[peer].data[target * width:(target + count) * width] = operands[sender][0].data[
                    offset * width:(offset + count) * width]
    return results


def replica_id(machine, instruction, operands):
    return [Array('u32', (), [i // machine.partitions]) for i in range(len(operands))]


def partition_id(machine, instruction, operands):
    return [Array('u32', (), [i % machine.partitions]) for i in range(len(operands))]


def called(machine, instruction, operands):
    """A computation that may hold collectives."""
    name = instruction.attributes['calls' if instruction.op == 'async-start' else 'to_apply']
    return machine.evaluate(machine.computations[name.lstrip('%')], operands)


OPERATIONS = {
    'all-reduce': by_group(all_reduce), 'all-reduce-start': by_group(all_reduce), 'all-gather': by_group(all_gather),
    'all-gather-start': by_group(all_gather), 'reduce-scatter': by_group(reduce_scatter), 'all-to-all': exchange, 'call': called,
    'async-start': called, 'partition-id': partition_id,
    'collective-broadcast': broadcast, 'collective-permute': permute, 'collective-permute-start': permute,
    'ragged-all-to-all': ragged_all_to_all, 'replica-id': replica_id,
}
