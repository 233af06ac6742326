"""A module of several partitions, told to XLA as a program that is already partitioned.

XLA runs several partitions only through its SPMD partitioner, which takes a program of one device and cuts it up. A
module whose collectives name partitions is the result of that. The partitioner leaves an instruction alone whose
sharding is MANUAL; this gives every instruction that sharding, in the serialized HloModuleProto.
"""
COMPUTATIONS, INSTRUCTIONS = 3, 2  # HloModuleProto.computations, HloComputationProto.instructions
SHAPE, SHARDING = 3, 40            # HloInstructionProto.shape, HloInstructionProto.sharding
ELEMENT_TYPE, TUPLE_SHAPES, TUPLE_TYPE = 2, 4, 13  # ShapeProto
MANUAL = b'\x08\x04'               # OpSharding { type: MANUAL }
TUPLE_SHARDING, TUPLE_SHARDINGS = b'\x08\x02', 5   # OpSharding { type: TUPLE }, OpSharding.tuple_shardings
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def varint(value):
    result = b''
    while value > 127:
        result += bytes([value & 127 | 128])
        value >>= 7
    return result + bytes([value])


def fields(message):
    """(number, wire type, value, the field as it was written) of every field."""
    at = 0
    while at < len(message):
        start = at
        tag, at = read_varint(message, at)
        if tag & 7 == VARINT:
            value, at = read_varint(message, at)
        elif tag & 7 == BYTES:
            size, at = read_varint(message, at)
            value, at = message[at:at + size], at + size
        else:
            size = {FIXED64: 8, FIXED32: 4}[tag & 7]
            value, at = message[at:at + size], at + size
        yield tag >> 3, tag & 7, value, message[start:at]


def field(number, value):
    return varint(number << 3 | BYTES) + varint(len(value)) + value


def replaced(message, number, change):
    return b''.join(field(number, change(value)) if at == number else written
                    for at, _, value, written in fields(message))


def leaf_count(shape):
    """The number of arrays and tokens in a tuple; None for a shape that is not a tuple."""
    inner, is_tuple = [], False
    for number, _, value, _ in fields(shape):
        if number == TUPLE_SHAPES:
            inner.append(leaf_count(value))
        elif number == ELEMENT_TYPE:
            is_tuple = value == TUPLE_TYPE
    return sum(1 if count is None else count for count in inner) if is_tuple else None


def with_sharding(instruction):
    count = next(leaf_count(value) for number, _, value, _ in fields(instruction) if number == SHAPE)
    sharding = MANUAL if count is None else TUPLE_SHARDING + field(TUPLE_SHARDINGS, MANUAL) * max(count, 1)
    kept = b''.join(written for number, _, _, written in fields(instruction) if number != SHARDING)
    return kept + field(SHARDING, sharding)


def manual(module):
    """The serialized HloModuleProto with every instruction's sharding MANUAL."""
    return replaced(module, COMPUTATIONS,
                    lambda computation: replaced(computation, INSTRUCTIONS, with_sharding))
