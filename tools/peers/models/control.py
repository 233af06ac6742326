"""Elementwise operations on arrays, calls, branches, loops, tuples, and what passes its operand on."""
from . import scalars
from .formats import element_type
from .program import TOKEN, Array, array_shape, leaves, take
from .scalars import Unsupported


def elementwise(machine, instruction, operands):
    shape = max((each.shape for each in operands), key=len)
    lists = [each.data if each.shape == shape else each.data * len(operands[-1].data) for each in operands]
    names = [each.type for each in operands]
    if instruction.op == 'clamp':
        shape, names = operands[1].shape, [operands[1].type]
        lists = [each.data if each.shape == shape else each.data * len(operands[1].data) for each in operands]
    result = array_shape(instruction.shape)[0] if instruction.shape else scalars.result_type(instruction.op, names)
    types, target, attributes = [element_type(name) for name in names], element_type(result), instruction.attributes
    known, data = {}, []
    for row in zip(*lists):
        if row not in known:
            known[row] = scalars.element(instruction.op, attributes, types, target, row)
        data.append(known[row])
    return Array(result, shape, data)


def call(attribute):
    return lambda machine, instruction, operands: machine.call(instruction.attributes[attribute], operands)


def loop(machine, instruction, operands):
    state = operands[0]
    while machine.call(instruction.attributes['condition'], [state]).data[0]:
        state = machine.call(instruction.attributes['body'], [state])
    return state


def conditional(machine, instruction, operands):
    selector = operands[0]
    if selector.type == 'pred':
        which = 0 if selector.data[0] else 1
        name = instruction.attributes[('true_computation', 'false_computation')[which]]
    else:
        names = [name.strip() for name in instruction.attributes['branch_computations'].strip('{}').split(',')]
        index = selector.t.decode(selector.data[0])
        which = index if 0 <= index < len(names) else len(names) - 1  # out of range: the last
        name = names[which]
    return machine.call(name, [operands[1 + which]])


def mapped(machine, instruction, operands):
    results = []
    for row in zip(*(each.data for each in operands)):
        scalars_of_row = [Array(each.type, (), [element]) for each, element in zip(operands, row)]
        results.append(machine.call(instruction.attributes['to_apply'], scalars_of_row))
    if not results:
        raise Unsupported('map of nothing')
    return Array(results[0].type, operands[0].shape, [each.data[0] for each in results])


def custom_call(machine, instruction, operands):
    if instruction.attributes['custom_call_target'] != '"Sharding"':
        raise Unsupported(instruction.attributes['custom_call_target'])
    return operands[0]


def pass_on(machine, instruction, operands):
    return operands[0]


PAIRS = '_xla_send_recv_source_target_pairs'


def send(machine, instruction, operands):
    if PAIRS in instruction.attributes.get('frontend_attributes', ''):
        raise Unsupported('channels between processes')
    machine.channels.setdefault(instruction.attributes['channel_id'], []).append(operands[0])
    return TOKEN


def receive(machine, instruction, operands):
    return [machine.channels[instruction.attributes['channel_id']].pop(0), TOKEN]


def infeed(machine, instruction, operands):
    return take(instruction.shape, machine.infeeds[machine.device])


def outfeed(machine, instruction, operands):
    machine.outfeeds[machine.device] += leaves(operands[0])
    return TOKEN


OPERATIONS = {name: elementwise for name in scalars.NAMES} | {
    'fusion': call('calls'), 'while': loop, 'conditional': conditional, 'map': mapped,
    'tuple': lambda machine, instruction, operands: operands,
    'get-tuple-element': lambda machine, instruction, operands: operands[0][int(instruction.attributes['index'])],
    'after-all': lambda machine, instruction, operands: TOKEN, 'custom-call': custom_call,
    'infeed': infeed, 'outfeed': outfeed, 'send': send, 'send-done': pass_on, 'recv': receive,
} | {name: pass_on for name in ('add-dependency', 'domain', 'async-update', 'async-done', 'copy-start', 'copy-done', 'recv-done',
                                'all-gather-done', 'all-reduce-done', 'collective-permute-done')}
