#!/usr/bin/env python3
"""Gives the `assay` command files made to hurt: every one is to end in one clear message and a documented exit code,
within a second and a GiB of address space (what is legal, however odd, may also succeed).

usage: hostile_cli_test.py ASSAY SOURCE_DIR [PATTERN]
The expected exit codes are the documented ones: 2 bad input, 3 refused by a budget, 4 not supported. Files are made here,
by hand, so that they can lie. With PATTERN only cases whose name contains it run.
"""
import os
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

ASSAY = sys.argv[1]
PATTERN = sys.argv[3] if len(sys.argv) > 3 else ''
SANITIZED = os.environ.get('ASSAY_SANITIZED') == '1'
GIBIBYTE = 1 << 30
# One second is the promise. It is held in seconds of the processor, since the machines that run this are busy with other
# things, and with patience, since they are slow; sanitizers are slower still.
SECONDS = 1.0
PATIENCE = 60 if SANITIZED else 10
WALL_LIMIT = 120
LARGE = (1 << 20) if SANITIZED else 32 << 20
# The promise of a GiB is for files of 100 MB; of these the test makes smaller ones, and has them read in as much less.
LARGE_SPACE = GIBIBYTE // 100 * 32
MILLION = 20000 if SANITIZED else 1000000
LONGEST_MESSAGE = 4000
BAD, BUDGET, UNSUPPORTED, FINE = 2, 3, 4, 0
# Well-formed, but no legal program: `show` may show it.
ILLEGAL = 'illegal'

# --- protobufs by hand


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    content = content if isinstance(content, bytes) else content.encode()
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, values):
    return block(field, b''.join(map(varint, values)))


def nest(field, depth, core=b''):
    """Messages inside each other in linear time: the innermost first."""
    pieces, length = [core], len(core)
    for _ in range(depth):
        head = varint(field << 3 | 2) + varint(length)
        pieces.append(head)
        length += len(head)
    return b''.join(reversed(pieces))


F32, S32, TUPLE, PRED = 11, 4, 13, 1


def shape(*dimensions, kind=F32, layout=True):
    content = number(2, kind) + (packed(3, dimensions) if dimensions else b'')
    return content + (block(5, packed(1, range(len(dimensions))[::-1])) if layout and kind != TUPLE else b'')


def instruction(id, opcode, result=shape(), operands=(), extra=b''):
    content = block(1, 'i%d' % id) + block(2, opcode) + block(3, result) + number(35, id)
    return block(2, content + (packed(36, operands) if operands else b'') + extra)


def computation(id, root, *instructions):
    return block(3, block(1, 'c%d' % id) + b''.join(instructions) + number(5, id) + number(6, root))


def module(*computations, entry=1, extra=b''):
    return block(1, 'm') + block(2, 'c%d' % entry) + b''.join(computations) + number(6, entry) + extra


def one(*instructions, root=1, extra=b''):
    return module(computation(1, root, *instructions), extra=extra)


PARAMETER = instruction(1, 'parameter', extra=number(9, 0))


def literal(content):
    return one(instruction(1, 'constant', shape(4), extra=block(8, content)))


def protos():
    negate = lambda id, operand: instruction(id, 'negate', operands=(operand,))
    call = lambda id, callee: instruction(id, 'call', extra=packed(38, (callee,)))
    yield 'cycle of two', one(negate(1, 2), negate(2, 1)), BAD, 'cycle'
    yield 'operand of itself', one(negate(1, 1)), BAD, 'cycle'
    yield 'cycle of a million', one(*(negate(i + 1, (i + 1) % 100000 + 1) for i in range(100000))), BAD, 'cycle'
    yield 'call of itself', module(computation(1, 1, call(1, 1))), BAD, ''
    yield 'calls in a circle', module(computation(1, 1, call(1, 2)), computation(2, 2, call(2, 1))), BAD, ''
    yield 'dangling operand', one(negate(1, 77)), BAD, '77'
    yield 'dangling callee', one(call(1, 77)), BAD, '77'
    yield 'dangling root', one(PARAMETER, root=9), BAD, '9'
    yield 'duplicate ids', one(PARAMETER, instruction(1, 'negate', operands=(1,))), BAD, 'i'
    yield 'duplicate computations', module(computation(1, 1, PARAMETER), computation(1, 1, PARAMETER)), BAD, ''
    yield 'no entry', module(computation(2, 1, PARAMETER), entry=1), BAD, ''
    yield 'unknown opcode', one(instruction(1, 'negat')), BAD, 'negat'
    yield 'parameter number 2^62', one(instruction(1, 'parameter', extra=number(9, 1 << 62))), BAD, ''
    yield 'parameter number -1', one(instruction(1, 'parameter', extra=number(9, -1))), BAD, ''
    yield 'element type 9999', one(instruction(1, 'parameter', shape(2, kind=9999))), BAD, ''
    yield 'negative size', one(instruction(1, 'parameter', shape(-5))), BAD, '-5'
    yield 'sizes overflow', one(instruction(1, 'parameter', shape(1 << 40, 1 << 40))), ILLEGAL, ''
    yield 'layout of other rank', one(instruction(1, 'parameter', shape(2, layout=False) + block(5, packed(1, (0, 1))))), BAD, ''
    yield 'layout out of range', one(instruction(1, 'parameter', shape(2, layout=False) + block(5, packed(1, (1 << 40,))))), BAD, ''
    yield 'tuple shapes 10^5 deep', one(instruction(1, 'parameter', number(2, TUPLE) + nest(4, 100000))), BAD, 'deep'
    yield 'groups 10^6 deep', one(PARAMETER) + b'\x93\x3e' * MILLION, BAD, ''
    yield 'length beyond the end', one(PARAMETER) + b'\x1a' + varint(1 << 31), BAD, 'truncated'
    yield 'length 2^63', one(PARAMETER) + b'\x1a' + varint(1 << 63), BAD, 'truncated'
    yield 'packed field beyond the end', one(instruction(1, 'parameter', number(2, F32) + varint(3 << 3 | 2) + varint(1 << 30))), BAD, ''
    yield 'unknown fields', one(PARAMETER) + block(1000, b'x' * LARGE), FINE, ''
    yield 'unknown fields, many', one(PARAMETER) + b'\xc0\x3e\x00' * MILLION, FINE, ''
    yield 'payload short', literal(block(1, shape(1 << 30)) + block(8, struct.pack('<f', 1))), BAD, ''
    yield 'payload 2^40', literal(block(1, shape(1 << 40)) + block(8, struct.pack('<f', 1))), BAD, ''
    yield 'payload long', literal(block(1, shape(4)) + block(8, b'\0' * 4000)), BAD, ''
    yield 'payload of another type', literal(block(1, shape(4)) + packed(4, (1, 2, 3, 4))), ILLEGAL, ''
    yield 'payload not whole', literal(block(1, shape(4)) + block(8, b'\0' * 15)), BAD, ''
    yield 'literal tuples deep', literal(block(1, shape(4)) + nest(10, 100000)), BAD, ''
    yield 'literal shape deep', literal(block(1, nest(4, 100000))), BAD, ''
    yield 'tuple literal short', one(instruction(1, 'constant', number(2, TUPLE) + block(4, shape()) * 3,
                                     extra=block(8, block(1, number(2, TUPLE) + block(4, shape()) * 3)))), FINE, ''
    yield 'tuple index 2^40', one(instruction(2, 'parameter', number(2, TUPLE) + block(4, shape())),
                                  instruction(1, 'get-tuple-element', operands=(2,), extra=number(13, 1 << 40))), ILLEGAL, ''
    groups = block(87, block(2, number(1, 10 ** 9) + number(2, 10 ** 9) + packed(3, (10 ** 18,)) + packed(4, (0,))))
    yield 'iota replica groups', one(PARAMETER, instruction(2, 'all-gather', operands=(1,), extra=groups + packed(14, (0,)))), None, ''
    tiles = block(40, number(1, 3) + packed(3, (10 ** 9,)) + packed(7, (10 ** 9,)) + packed(8, (0,)))
    yield 'iota tiles 10^9', one(instruction(1, 'parameter', shape(4), extra=tiles)), None, ''
    tiles = block(40, number(1, 3) + packed(3, (1 << 62, 1 << 62)) + packed(7, (1 << 62, 1 << 62)) + packed(8, (1, 0)))
    yield 'iota tiles 2^124', one(instruction(1, 'parameter', shape(4), extra=tiles)), None, ''
    alias = block(8, block(1, packed(1, (1 << 40,)) + number(2, 1 << 40)))
    yield 'alias beyond', one(PARAMETER, extra=alias), None, ''
    yield 'schedule of strangers', one(PARAMETER, extra=block(7, block(1, number(1, 1) + block(2, packed(1, (99,)))))), BAD, ''
    yield 'control cycle', one(PARAMETER, instruction(2, 'negate', operands=(1,), extra=packed(37, (3,))),
                               instruction(3, 'negate', operands=(2,))), BAD, 'cycle'
    yield 'text form deep', b'name: "m" computations { ' + b'instructions { shape { tuple_shapes { ' * MILLION, BAD, ''
    yield 'text form number', b'name: "m" id: 99999999999999999999999999', BAD, ''
    yield 'text form string', b'name: "' + b'x' * LARGE, BAD, ''


# --- HLO text


def entry(body):
    return b'ENTRY e {\n' + (body if isinstance(body, bytes) else body.encode()) + b'\n}\n'


def wrapped(opening, core, closing, depth=None):
    depth = MILLION if depth is None else depth
    return opening * depth + core + closing * depth


def texts():
    yield 'parentheses', b'(' * LARGE, BAD, ''
    yield 'NULs', b'\0' * LARGE, BAD, ''
    yield 'invalid UTF-8', b'\xff\xfe\xc3(' * (LARGE // 4), BAD, ''
    yield 'text, then NULs', b'HloModule m\n' + b'\0' * LARGE, BAD, ''
    yield 'text, then invalid UTF-8', b'HloModule m\n' + b'\xff' * LARGE, BAD, ''
    yield 'blanks', b' ' * LARGE, BAD, ''
    yield 'line ends', b'HloModule m' + b'\n' * LARGE, BAD, ''
    yield 'endless comment', b'HloModule m /*' + b'*' * LARGE, BAD, 'comment'
    yield 'endless name', b'HloModule ' + b'a' * LARGE, BAD, ''
    yield 'endless word', b'a' * LARGE, BAD, ''
    yield 'endless string', b'HloModule m, frontend_attributes={a="' + b'a' * LARGE, BAD, ''
    yield 'endless number', b'ENTRY e { x = f32[' + b'1' * LARGE, BAD, ''
    yield 'endless payload', b'ENTRY e { x = f32[] constant(nan(' + b'1' * LARGE, BAD, ''
    yield 'one line', b'ENTRY e { x = f32[] parameter(0) ' + b'y = f32[] negate(x) ' * (LARGE // 20), BAD, 'y'
    yield 'braces', b'{' * LARGE, BAD, ''
    yield 'attribute braces', b'HloModule m, frontend_attributes=' + b'{' * LARGE, BAD, ''
    yield 'header words', b'HloModule m' + b', a=b' * (LARGE // 5), BAD, 'a'
    yield 'shape deep', entry(b'ROOT p = ' + wrapped(b'(', b'f32[]', b')') + b' parameter(0)'), BAD, 'nest'
    yield 'literal deep', entry(b'ROOT p = f32[2] constant(' + wrapped(b'{', b'1', b'}') + b')'), BAD, ''
    yield 'tuple literal deep', entry(b'ROOT p = (f32[]) constant(' + wrapped(b'(', b'1', b')') + b')'), BAD, ''
    yield 'operands deep', entry(b'ROOT p = ' + wrapped(b'f32[] negate(', b'f32[] constant(1)', b')')), BAD, 'nest'
    yield 'bodies deep', entry(wrapped(b'ROOT c = f32[] call(), to_apply={', b'ROOT z = f32[] constant(1)', b'}')), BAD, 'nest'
    yield 'dictionary deep', entry(b'ROOT p = f32[] parameter(0), backend_config=' + wrapped(b'{', b'', b'}')), None, ''
    yield 'dictionary in brackets', entry(b'ROOT p = f32[] parameter(0), backend_config={"a":' + wrapped(b'[', b'', b']') + b'}'), None, ''
    yield 'sharding deep', entry(b'ROOT p = f32[] parameter(0), sharding=' + wrapped(b'{', b'replicated', b'}')), BAD, ''
    yield 'origin deep', entry(b'ROOT p = f32[] parameter(0), origin={' + wrapped(b'(', b'{"a"}', b')') + b'}'), BAD, ''
    yield 'groups deep', entry(b'p = f32[] parameter(0)\nROOT a = f32[] all-reduce(p), replica_groups=' + b'{' * MILLION), BAD, ''
    yield 'recovery deep', (b'HloModule m, origin_recovery_table={\n{"a"} : {"b"},\n"' * (MILLION // 50)), BAD, ''
    yield 'tiles deep', entry(b'ROOT p = f32[2]{0:' + b'T(2)' * MILLION + b'} parameter(0)'), None, ''
    yield 'rank 10^6', entry(b'ROOT p = f32[' + b'1,' * MILLION + b'1] parameter(0)'), None, ''
    yield 'rank 10^6 of twos', entry(b'ROOT p = f32[' + b'2,' * MILLION + b'1] parameter(0)'), ILLEGAL, 'overflow'
    yield 'sizes overflow', entry('ROOT p = f32[4294967296,4294967296] parameter(0)'), ILLEGAL, 'overflow'
    yield 'bytes overflow', entry('ROOT p = f64[2305843009213693952] parameter(0)'), ILLEGAL, 'overflow'
    yield 'size 2^63', entry('ROOT p = f32[9223372036854775808] parameter(0)'), BAD, ''
    yield 'size 2^64', entry('ROOT p = f32[18446744073709551616] parameter(0)'), BAD, ''
    yield 'size -1', entry('ROOT p = f32[-1] parameter(0)'), BAD, ''
    yield 'bound -1', entry('ROOT p = f32[<=-1] parameter(0)'), BAD, ''
    yield 'layout out of range', entry('ROOT p = f32[2]{9223372036854775807} parameter(0)'), None, ''
    yield 'dangling operand', entry('ROOT p = f32[] negate(q)'), BAD, 'q'
    yield 'dangling callee', entry('ROOT p = f32[] call(), to_apply=nothing'), BAD, 'nothing'
    yield 'duplicate instruction', entry('p = f32[] parameter(0)\np = f32[] negate(p)'), BAD, 'p'
    yield 'duplicate computation', b'a { ROOT z = f32[] constant(1) }\na { ROOT z = f32[] constant(1) }\n' + entry('ROOT z = f32[] constant(1)'), BAD, 'a'
    yield 'call of itself', entry('ROOT p = f32[] call(), to_apply=e'), BAD, 'e'
    yield 'calls in a circle', b'a { ROOT z = f32[] call(), to_apply=b }\nb { ROOT z = f32[] call(), to_apply=a }\n' + entry('ROOT z = f32[] call(), to_apply=a'), BAD, ''
    yield 'two entries', entry('ROOT z = f32[] constant(1)') * 2, BAD, ''
    yield 'two roots', entry('ROOT z = f32[] constant(1)\nROOT y = f32[] constant(1)'), BAD, ''
    yield 'parameter 2^62', entry('ROOT p = f32[] parameter(4611686018427387904)'), BAD, 'parameter'
    yield 'parameter 10^9', entry('ROOT p = f32[] parameter(1000000000)'), BAD, 'parameter'
    yield 'parameter -1', entry('ROOT p = f32[] parameter(-1)'), BAD, 'parameter'
    yield 'tuple index 2^62', entry('p = (f32[]) parameter(0)\nROOT g = f32[] get-tuple-element(p), index=4611686018427387904'), ILLEGAL, 'index'
    for groups in ('[1000000000,1]<=[1000000000]', '[1,1000000000]<=[1000000000]', '[3,1000000000]<=[7]',
                   '[4611686018427387904,4611686018427387904]<=[2]', '[-1,-1]<=[1]', '[2,2]<=[2,2]T(0,9)',
                   '{{0,1000000000000}}', '{{-1}}', "mesh['x'=1000000000,'y'=1000000000] {'x'}"):
        yield 'groups ' + groups, entry('p = f32[4] parameter(0)\nROOT a = f32[4] collective-broadcast(p), replica_groups=' + groups), None, ''
    yield 'groups of 10^6', entry('p = f32[4] parameter(0)\nROOT a = f32[4] collective-broadcast(p), replica_groups={' + ','.join('{%d}' % i for i in range(MILLION)) + '}'), None, ''
    for tiles in ('devices=[1000000000]<=[1000000000]', 'devices=[1000000000,1000000000]<=[1000000000000000000]',
                  'devices=[4611686018427387904,4611686018427387904]<=[4]', 'devices=[-1]<=[-1]', 'devices=[0]<=[0]',
                  'devices=[1024,1024,1024]<=[1024,1024,1024]T(2,0,1)', 'devices=[9223372036854775807]0',
                  'devices=[1000000000,1]<=[1000000000] last_tile_dim_replicate', "mesh['x'=1000000000000] [{'x'}]",
                  "mesh['x'=9223372036854775807,'y'=9223372036854775807] [{'x','y'}]"):
        yield 'sharding ' + tiles, entry('ROOT p = f32[4] parameter(0), sharding={' + tiles + '}'), None, ''
    yield 'constant elided', entry('ROOT c = f32[1000000000] constant({...})'), None, 'elided'
    yield 'constant filled', entry('ROOT c = f32[1000000000] constant(1)'), None, ''
    yield 'constant filled, 300 MB', entry('ROOT c = f32[%d] constant(1)' % (7500000 if SANITIZED else 75000000)), None, ''
    yield 'constants filled', entry('\n'.join('c%d = f32[50000000] constant(1)' % i for i in range(100))), BUDGET, ''
    yield 'constant short', entry('ROOT c = f32[1000000000] constant({1, 2})'), None, ''
    yield 'constant 2^60', entry('ROOT c = f32[1152921504606846976] constant({1})'), None, ''
    yield 'constant long', entry(b'ROOT c = f32[4] constant({' + b'1,' * (LARGE // 2) + b'1})'), BAD, ''
    yield 'half a million parameters', entry('\n'.join('p%d = f32[] parameter(%d)' % (i, i) for i in range(MILLION // 2))), FINE, ''
    yield 'million operands', entry(b'p = f32[] parameter(0)\nROOT t = tuple(' + b'p,' * MILLION + b'p)'), None, ''
    yield 'million attributes', entry(b'p = f32[] parameter(0)' + b', metadata={}' * MILLION), BAD, 'metadata'
    yield 'million control edges', entry(b'p = f32[] parameter(0)\nROOT t = f32[] negate(p), control-predecessors={' + b'p,' * MILLION + b'p}'), None, ''
    yield 'chain of calls', b''.join(b'c%d { ROOT z = f32[] %s }\n' % (i, b'constant(1)' if i == 0 else b'call(), to_apply=c%d' % (i - 1)) for i in range(MILLION // 10)) + entry('ROOT z = f32[] call(), to_apply=c%d' % (MILLION // 10 - 1)), None, ''
    yield 'tree of calls', b''.join(b'c%d { ROOT z = f32[] %s }\n' % (i, b'constant(1)' if i == 0 else b'add(f32[] call(), to_apply=c%d, f32[] call(), to_apply=c%d)' % (i - 1, i - 1)) for i in range(1)) + b''.join(b'd%d { a = f32[] call(), to_apply=%s\nb = f32[] call(), to_apply=%s\nROOT z = f32[] add(a, b) }\n' % (i, b'c0' if i == 0 else b'd%d' % (i - 1), b'c0' if i == 0 else b'd%d' % (i - 1)) for i in range(64)) + entry('ROOT z = f32[] call(), to_apply=d63'), None, ''
    yield 'doubling tuples', entry(b't0 = f32[] parameter(0)\n' + b''.join(b't%d = tuple(t%d, t%d)\n' % (i + 1, i, i) for i in range(64))), BAD, ''
    yield 'stack frames in a circle', b'HloModule m\n\nFileNames\n1 "a"\n\nFunctionNames\n1 "f"\n\nFileLocations\n1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=1}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=2}\n2 {file_location_id=1 parent_frame_id=3}\n\n' + entry('ROOT p = f32[] parameter(0), metadata={stack_frame_id=1}'), None, ''
    yield 'alias beyond', b'HloModule m, input_output_alias={{999999999999}: (0, {})}\n' + entry('ROOT p = f32[] parameter(0)'), BAD, ''
    yield 'replicas 10^18', b'HloModule m, replica_count=1000000000000000000, num_partitions=1000000000000000000\n' + entry('ROOT p = f32[] parameter(0)'), None, ''
    for opcode, operands, result, attributes in (
            ('slice', 'p', 'f32[1]', 'slice={[9223372036854775806:9223372036854775807]}'),
            ('slice', 'p', 'f32[1]', 'slice={[-9223372036854775808:4]}'),
            ('pad', 'p, z', 'f32[4]', 'padding=9223372036854775807_9223372036854775807_9223372036854775807'),
            ('pad', 'p, z', 'f32[4]', 'padding=-9223372036854775808_4'),
            ('pad', 'p, z', 'f32[4611686018427387904]', 'padding=4611686018427387900_0'),
            ('broadcast', 'p', 'f32[4,4]', 'dimensions={9223372036854775807}'),
            ('transpose', 'p', 'f32[4]', 'dimensions={-1}'),
            ('concatenate', 'p, p', 'f32[8]', 'dimensions={9223372036854775807}'),
            ('reverse', 'p', 'f32[4]', 'dimensions={0,0,0}'),
            ('iota', '', 'f32[4]', 'iota_dimension=9223372036854775807'),
            ('topk', 'p', '(f32[4], s32[4])', 'k=9223372036854775807, largest=true'),
            ('dot', 'p, p', 'f32[]', 'lhs_contracting_dims={9223372036854775807}, rhs_contracting_dims={0}'),
            ('dynamic-slice', 'p, i', 'f32[4]', 'dynamic_slice_sizes={9223372036854775807}'),
            ('gather', 'p, i', 'f32[1]', 'offset_dims={0}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=9223372036854775807, slice_sizes={1}'),
            ('convolution', 'q, q', 'f32[1,1,1]', 'window={size=1 pad=9223372036854775807_9223372036854775807 rhs_dilate=9223372036854775807}, dim_labels=b0f_0io->b0f'),
            ('convolution', 'q, q', 'f32[1,1,1]', 'window={size=1 stride=0 lhs_dilate=0}, dim_labels=b0f_0io->b0f'),
            ('convolution', 'q, q', 'f32[1,1,1]', 'window={size=1}, dim_labels=b0f_0io->b0f, feature_group_count=0'),
            ('fft', 'p', 'c64[3]', 'fft_type=RFFT, fft_length={9223372036854775807}')):
        yield '%s %s' % (opcode, attributes), entry('p = f32[4] parameter(0)\nz = f32[] constant(0)\ni = s32[] constant(0)\nq = f32[1,1,1] constant(0)\nROOT r = %s %s(%s), %s' % (result, opcode, operands, attributes)), ILLEGAL, ''
    yield 'slice of stride 2^63', entry('p = f32[4] parameter(0)\nROOT r = f32[1] slice(p), slice={[0:4:9223372036854775807]}'), None, ''
    yield 'reduce-precision of 2^31 bits', entry('p = f32[4] parameter(0)\nROOT r = f32[4] reduce-precision(p), exponent_bits=2147483647, mantissa_bits=2147483647'), None, ''
    region = b'add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n'
    window = 'p = f32[4] parameter(0)\nz = f32[] constant(0)\nROOT r = %s reduce-window(p, z), window={%s}, to_apply=add'
    for result, sizes in (('f32[1]', 'size=1000000000 pad=999999996_0'), ('f32[100000001]', 'size=4 pad=100000000_0'),
                          ('f32[1]', 'size=9223372036854775807 pad=9223372036854775807_9223372036854775807'),
                          ('f32[1]', 'size=4 rhs_dilate=9223372036854775807'),
                          ('f32[1]', 'size=0'), ('f32[1]', 'size=-4')):
        yield 'window ' + sizes, region + entry(window % (result, sizes)), None, ''


def runs():
    """Modules that ask for more than there is."""
    for body in ('ROOT r = f32[1099511627776] iota(), iota_dimension=0',
                 'z = f32[] constant(0)\nROOT r = f32[1000000,1000000] broadcast(z), dimensions={}',
                 'z = f32[4] constant(0)\ny = f32[] constant(0)\nROOT r = f32[1000000000004] pad(z, y), padding=1000000000000_0',
                 'ROOT p = f32[1099511627776] parameter(0)',
                 'p = f32[0,4611686018427387904] parameter(0)\nROOT r = f32[4611686018427387904,0] transpose(p), dimensions={1,0}',
                 'a = f32[1000000,1] constant(1)\nb = f32[1,1000000] constant(1)\nROOT d = f32[1000000,1000000] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}',
                 'i = s32[100000000] iota(), iota_dimension=0\nj = s32[100000000] iota(), iota_dimension=0\nk = s32[100000000] add(i, j)\nROOT l = s32[100000000] multiply(k, i)'):
        yield body.splitlines()[-1][:70], entry(body), None, ''


# --- arrays


def npy(header, data=b'', version=1, length=None):
    header = header.encode()
    length = len(header) if length is None else length
    return b'\x93NUMPY' + bytes((version, 0)) + struct.pack('<H' if version == 1 else '<I', length) + header + data


def zip_file(*members):
    """(name, method, packed bytes, crc, size as told, packed size as told)"""
    body = directory = b''
    for name, method, content, crc, size, packed_size in members:
        fields = struct.pack('<HHHHHIIIHH', 20, 0, method, 0, 33, crc, packed_size, size, len(name), 0)
        directory += b'PK\1\2' + struct.pack('<H', 20) + fields + struct.pack('<HHHII', 0, 0, 0, 0, len(body)) + name
        body += b'PK\3\4' + fields + name + content
    count = len(members)
    return body + directory + b'PK\5\6' + struct.pack('<HHHHIIH', 0, 0, count & 0xffff, count & 0xffff, len(directory), len(body), 0)


def bomb(total, format_bits):
    """Zeros, deflated block by block: each block stands for itself."""
    chunk = 16 << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, format_bits)
    head = packer.compress(b'') + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(chunk)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * (total // chunk)


def stored(name, content):
    return name, 0, content, zlib.crc32(content), len(content), len(content)


def arrays():
    good = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n"
    yield 'shape 2^40', npy(good % '(1099511627776,)', b'\0' * 8), BAD, ''
    yield 'shape 2^63', npy(good % '(9223372036854775808,)', b'\0' * 8), BAD, ''
    yield 'shape overflows', npy(good % '(4294967296, 4294967296)', b'\0' * 8), BAD, ''
    yield 'shape 0 of 2^62', npy(good % '(0, 4611686018427387904, 4611686018427387904)'), BAD, ''
    yield 'shape -2', npy(good % '(-2,)', b'\0' * 8), BAD, ''
    yield 'shape no tuple', npy(good % '2', b'\0' * 8), BAD, ''
    yield 'shape of 10^6', npy(good % ('(' + '1,' * MILLION + ')'), b'\0' * 4, version=2), BAD, ''
    yield 'parentheses', npy(good % ('(' * MILLION), b'\0' * 8, version=2), BAD, ''
    yield 'header 4 GiB', npy(good % '(2,)', b'\0' * 8, version=2, length=0xffffffff), BAD, 'header'
    yield 'header beyond the end', npy(good % '(2,)', length=65535), BAD, 'header'
    yield 'no header', b'\x93NUMPY\1\0', BAD, 'header'
    yield 'objects', npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", b'\0' * 16), BAD, 'Python objects'
    yield 'structure', npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", b'\0' * 8), BAD, ''
    yield 'data short', npy(good % '(3,)', b'\0' * 8), BAD, '12 bytes'
    yield 'keys without end', npy('{' + "'shape': (2,), " * MILLION, b'\0' * 8, version=2), BAD, ''
    array = npy(good % '(2,)', b'\0' * 8)
    yield 'zip bomb', zip_file((b'arg0.npy', 8, bomb(4 << 30, -15), 0, 0xfffffff0, 4 << 20)), BAD, 'arg0'
    says = 1 << 28 if SANITIZED else 4 << 30
    packed_bomb = bomb(says, -15)
    yield 'zip bomb that says so', zip_file((b'arg0.npy', 8, packed_bomb, 0, min(says, 0xfffffff0), len(packed_bomb))), None, 'arg0'
    yield 'zip bomb that says less', zip_file((b'arg0.npy', 8, packed_bomb, 0, len(array), len(packed_bomb))), BAD, 'arg0'
    yield 'size beyond the file', zip_file((b'arg0.npy', 0, array, 0, 1 << 30, 1 << 30)), BAD, ''
    yield 'bad checksum', zip_file((b'arg0.npy', 0, array, 7, len(array), len(array))), BAD, 'arg0'
    yield 'twice the same', zip_file(stored(b'arg0.npy', array), stored(b'arg0.npy', array)), BAD, 'arg0'
    yield 'other method', zip_file((b'arg0.npy', 14, array, 0, len(array), len(array))), BAD, 'arg0'
    yield 'name with NULs', zip_file(stored(b'arg0\0.npy', array)), BAD, ''
    yield 'number 10^30', zip_file(stored(b'arg' + b'9' * 30 + b'.npy', array)), BAD, ''
    yield '60000 members', zip_file(*(stored(b'arg%d.npy' % i, array) for i in range(2000 if SANITIZED else 60000))), BAD, 'arg'
    yield 'no members', zip_file(), BAD, ''
    yield 'directory lies', b'PK\5\6' + b'\xff' * 18, BAD, ''
    yield 'only a signature', b'PK', BAD, ''
    yield 'literal 10^9', b'f32[1000000000]{0} 1', None, ''
    yield 'literal 2^62', b'f32[4611686018427387904]{0} 1', BAD, 'overflow'
    yield 'literals, many', b'f32[100000000]{0} 1\n' * 1000, None, ''
    yield 'literal deep', b'f32[2] ' + b'{' * LARGE, BAD, ''
    yield 'literal shape deep', b'(' * LARGE, BAD, ''
    yield 'NULs', b'\0' * LARGE, BAD, ''
    yield 'lines', b'\n' * LARGE, BAD, ''


# --- how each kind of file is given


def limit_memory(space):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (space, space))


class Outcome:
    """What became of a command: exit code, message, seconds of the processor."""

    def __init__(self, command, space):
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                       preexec_fn=lambda: limit_memory(space))
            guard = threading.Timer(WALL_LIMIT, process.kill)
            guard.start()
            _, status, usage = os.wait4(process.pid, 0)
            guard.cancel()
            process.returncode = self.code = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            self.message = errors.read(1 << 20).decode(errors='replace')
        self.seconds = usage.ru_utime + usage.ru_stime


class Suite:
    def __init__(self, folder):
        self.folder = folder
        self.failures, self.count, self.slowest, self.spent = [], 0, [], 0.0
        self.module_commands = [('show', '--out', '/dev/null'), ('verify',)]
        self.run_command = ('run', '--inputs', 'random', '--budget-seconds', '0.5', '--quiet')

    def path(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as f:
            f.write(content)
        return path

    def problem(self, outcome, code, word):
        if outcome.code not in (FINE, BAD, BUDGET, UNSUPPORTED):
            return 'exit code %d' % outcome.code
        if code is not None and outcome.code != code:
            return 'exit code %d, not %d' % (outcome.code, code)
        if outcome.seconds > SECONDS * PATIENCE:
            return '%.1f s' % outcome.seconds
        if outcome.code == FINE:
            return ''
        if len(outcome.message) < 12 or 'std::' in outcome.message:
            return 'no message'
        if len(outcome.message) > LONGEST_MESSAGE:
            return 'a message of %d bytes' % len(outcome.message)
        if 'terminate called' in outcome.message:
            return 'it was terminated'
        return '' if word in outcome.message else 'does not say %r' % word

    def check(self, name, arguments, code, word, size=0):
        outcome = Outcome([ASSAY, *arguments], LARGE_SPACE if size >= LARGE else GIBIBYTE)
        self.count += 1
        self.spent += outcome.seconds
        self.slowest.append((outcome.seconds, name))
        problem = self.problem(outcome, code, word)
        if problem:
            self.failures.append(name)
            print('FAILED %s: %s\n    %s' % (name, problem, outcome.message[:400].strip()), flush=True)

    def check_modules(self, kind, cases):
        for name, content, code, word in cases:
            if PATTERN not in '%s: %s' % (kind, name):
                continue
            path = self.path('module', content)
            size = len(content) if kind != 'gzip' else 0  # what is unpacked takes the space
            # Under the sanitizers, where a start of the command takes a third of a second, `run` reads and verifies; it
            # refuses what is illegal, which the other two also print.
            for command in self.module_commands if not SANITIZED or code == ILLEGAL else ():
                wanted = code if code != ILLEGAL else None
                if command[0] == 'verify' and code in (ILLEGAL, BUDGET):
                    wanted = BAD  # the exit code of verify says only whether a module failed
                self.check('%s: %s (%s)' % (kind, name, command[0]), (command[0], path, *command[1:]), wanted,
                           '' if code == ILLEGAL else word, size)
            # What is fine to read may still be too much to run.
            wanted = BAD if code == ILLEGAL else None if code == FINE else code
            self.check('%s: %s (run)' % (kind, name), (self.run_command[0], path, *self.run_command[1:]), wanted,
                       '' if code == FINE else word, size)

    def check_runs(self, cases):
        for name, content, code, word in cases:
            if PATTERN in 'run: ' + name:
                self.check('run: ' + name, ('run', self.path('module', content), *self.run_command[1:]), code, word)

    def check_arrays(self, cases):
        wants = self.path('wants.hlo', entry('p = f32[2] parameter(0)\nROOT n = f32[2] negate(p)'))
        for name, content, code, word in cases:
            if PATTERN in 'arrays: ' + name:
                self.check('arrays: ' + name, ('run', wants, '--inputs', self.path('arrays', content)), code, word,
                           len(content))

    def report(self):
        self.slowest.sort(reverse=True)
        late = sum(seconds > SECONDS for seconds, _ in self.slowest)
        print('%d hostile files and commands in %.1f s, %d failures; %d took more than a second; slowest:'
              % (self.count, self.spent, len(self.failures), late))
        for seconds, name in self.slowest[:6]:
            print('  %.2f s  %s' % (seconds, name))


def gzip_bombs():
    yield 'bomb', bomb(20 << 30, 31), BUDGET, ''
    yield 'bomb with a tail', bomb(1 << 30, 31) + bytes(LARGE), BUDGET, ''
    yield 'not gzip after its mark', b'\x1f\x8b' + b'\xff' * LARGE, BAD, 'gzip'
    yield 'cut', zlib.compressobj(9, zlib.DEFLATED, 31).compress(b'HloModule m' * 10), BAD, 'gzip'
    yield 'empty members', (lambda p: p.compress(b'') + p.flush())(zlib.compressobj(9, zlib.DEFLATED, 31)) * (MILLION // 10), BAD, ''


def main():
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(folder)
        suite.check_modules('text', texts())
        suite.check_modules('proto', protos())
        suite.check_modules('gzip', gzip_bombs())
        suite.check_runs(runs())
        suite.check_arrays(arrays())
        suite.report()
    sys.exit(1 if suite.failures or suite.count == 0 else 0)


if __name__ == '__main__':
    main()
