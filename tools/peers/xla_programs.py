"""The programs that xla_peer_test.py runs on XLA CPU: a table for each family, the same in every run.

Each family is a module (program_text.py). Those in ALONE have operations whose every element `assay diff --isolate` judges, each
run alone; those in WHOLE (control flow, dynamic sizes, custom calls, collectives) run as they stand and are compared.
"""
from program_text import (COMPLEX, FLOATS, Operand, Program, edges, pairs, plain, region, rough, vector)

WIDE = ('f32', 'f64', 'f16', 'bf16')
NARROW = tuple(kind for kind in FLOATS if kind not in WIDE)
INTEGERS = ('s4', 's8', 's32', 's64', 'u2', 'u8', 'u32', 'u64')

UNARY = ('exponential', 'exponential-minus-one', 'log', 'log-plus-one', 'logistic', 'sine', 'cosine', 'tan', 'tanh', 'sqrt',
         'rsqrt', 'cbrt', 'erf', 'abs', 'negate', 'sign', 'floor', 'ceil', 'round-nearest-afz', 'round-nearest-even',
         'is-finite')
LATE = ('sinh', 'cosh', 'asin', 'acos', 'asinh', 'acosh', 'atanh')  # that XLA CPU leaves to those who lower to it
BINARY = ('add', 'subtract', 'multiply', 'divide', 'remainder', 'maximum', 'minimum', 'power', 'atan2')


def unary(name, kind, values=None):
    return Program(f'{name}_{kind}', f'{name}($0)', (vector(kind, values),), elementwise=True)


def binary(name, kind, values=None):
    return Program(f'{name}_{kind}', f'{name}($0, $1)', pairs(kind, values), elementwise=True)


def floats():
    for kind in WIDE:
        yield from (unary(name, kind) for name in UNARY)
        yield from (binary(name, kind) for name in BINARY)
    yield from (unary(name, 'f32', ('0.5', '1.0')) for name in LATE)


def narrow_floats():
    for kind in NARROW:
        yield from (unary(name, kind) for name in ('exponential', 'log', 'tanh', 'sqrt', 'negate', 'abs', 'sign', 'floor',
                                                   'round-nearest-even', 'is-finite'))
        yield from (binary(name, kind) for name in ('add', 'multiply', 'divide', 'maximum', 'remainder'))


def integers():
    for kind in ('s8', 's32', 'u32', 's4', 'u64'):
        for name in ('add', 'subtract', 'multiply', 'divide', 'remainder', 'maximum', 'minimum', 'power', 'and', 'or', 'xor',
                     'shift-left', 'shift-right-arithmetic', 'shift-right-logical'):
            yield binary(name, kind)
        for name in ('negate', 'not', 'popcnt', 'count-leading-zeros', *(('abs', 'sign') if kind[0] == 's' else ())):
            yield unary(name, kind)
    for kind in ('s16', 's64', 'u2', 'u8', 'u16'):
        yield from (binary(name, kind) for name in ('multiply', 'divide', 'remainder', 'shift-right-arithmetic'))
    yield from (binary(name, 'pred') for name in ('and', 'or', 'xor', 'add', 'multiply', 'maximum', 'minimum'))
    yield unary('not', 'pred')


def complexes():
    for kind in COMPLEX:
        for name in ('exponential', 'exponential-minus-one', 'log', 'log-plus-one', 'logistic', 'sine', 'cosine', 'tan', 'tanh',
                     'sqrt', 'rsqrt', 'abs', 'negate', 'sign', 'real', 'imag'):
            yield unary(name, kind)
        few = [value for value in edges(kind) if 'e' not in value][::3]
        yield from (binary(name, kind, few) for name in ('add', 'subtract', 'multiply', 'divide', 'power', 'atan2'))
    for kind in COMPLEX.values():
        yield binary('complex', kind)


def comparisons():
    for kind in ('f32', 'f64', 'bf16', 'f16', 'f8e5m2', 'f8e4m3fnuz', 's4', 's32', 'u8', 'u64', 'pred'):
        for direction in ('EQ', 'NE', 'LT', 'LE', 'GT', 'GE'):
            yield Program(f'{direction}_{kind}', f'compare($0, $1), direction={direction}', pairs(kind), elementwise=True)
    for kind in ('f32', 'f64', 'bf16', 'f16'):
        for direction in ('EQ', 'LT', 'GE'):
            yield Program(f'{direction}_total_{kind}', f'compare($0, $1), direction={direction}, type=TOTALORDER',
                          pairs(kind), elementwise=True)
    for kind in COMPLEX:
        for direction in ('EQ', 'NE'):
            yield Program(f'{direction}_{kind}', f'compare($0, $1), direction={direction}',
                          pairs(kind, edges(kind)[::7]), elementwise=True)
    for kind in ('f32', 's4', 'f8e4m3fn', 'c64', 'pred'):
        values = edges(kind)[:12]
        yield Program(f'select_{kind}', 'select($0, $1, $2)', (
            vector('pred', [('true', 'false')[i % 2] for i in range(len(values))]), vector(kind, values),
            vector(kind, values[::-1])), elementwise=True)
    for kind in ('f32', 'bf16', 's32', 'u8', 'f8e5m2'):
        low, high = vector(kind, [edges(kind)[1]]), vector(kind, ['3' if kind in INTEGERS else '3.0'])
        scalar = [Operand(kind, (), operand.values) for operand in (low, high)]
        yield Program(f'clamp_{kind}', 'clamp($0, $1, $2)', (scalar[0], vector(kind), scalar[1]))


def conversions():
    kinds = ('pred', *INTEGERS, *FLOATS)
    wanted = [(a, 'f32') for a in (*kinds, *COMPLEX)] + [('f32', b) for b in (*kinds, *COMPLEX)]
    wanted += [('f64', b) for b in ('s64', 'u64', 's8', 'f16', 'bf16', 'f8e4m3fn', 'f8e5m2', 'f4e2m1fn', 'f8e8m0fnu', 'pred')]
    wanted += [(a, b) for a in ('s64', 'u64') for b in ('f64', 'f16', 'bf16', 's8', 'f8e5m2')]
    wanted += [('bf16', 'f8e5m2'), ('bf16', 's4'), ('f16', 'bf16'), ('f8e5m2', 'f8e4m3fn'), ('f8e4m3fn', 'f8e5m2'),
               ('f8e4m3fnuz', 'f16'), ('f16', 'u8'), ('s32', 'u8'), ('s8', 's4'), ('u8', 's8'), ('c128', 'c64'), ('c64', 'f64'),
               ('c64', 's32'), ('s4', 'u64')]
    for a, b in wanted:
        if a != b:
            yield Program(f'{a}_to_{b}', f'{b}[{len(edges(a))}] convert($0)', (vector(a),), elementwise=True)
    for kind in ('f32', 'f64', 'bf16', 'f16', 'f8e5m2'):
        for bits in ((5, 10), (8, 0), (4, 3)):
            yield Program(f'reduce_precision_{kind}_{bits[0]}_{bits[1]}', f'{kind}[{len(edges(kind))}] reduce-precision($0), '
                          f'exponent_bits={bits[0]}, mantissa_bits={bits[1]}', (vector(kind),), elementwise=True)
    for a, b in (('f32', 's32'), ('s32', 'f32'), ('f64', 'u64'), ('bf16', 'u16'), ('f8e4m3fn', 'u8'), ('u8', 'f8e5m2fnuz')):
        yield Program(f'bits_{a}_{b}', f'{b}[{len(edges(a))}] bitcast-convert($0)', (vector(a),), elementwise=True)
    for to in ('s8', 's32'):
        yield Program(f'stochastic_{to}', f'{to}[{len(edges("f32"))}] stochastic-convert($0, $1)',
                      (vector('f32'), vector('u32', [str(k * 12345678 % 2**32) for k in range(len(edges('f32')))])), elementwise=True)
    yield Program('bits_f32_u8', 'u8[6,4] bitcast-convert($0)', (vector('f32', edges('f32')[:6]),))
    yield Program('bits_u16_f64', 'f64[3] bitcast-convert($0)', (plain('u16', 3, 4),))
    yield Program('bits_u8_s4', 's4[5,2] bitcast-convert($0)', (plain('u8', 5),))
    yield Program('bits_s4_u8', 'u8[3] bitcast-convert($0)', (plain('s4', 3, 2),))


def moves():
    for kind in ('pred', 's4', 'u64', 'f8e4m3fn', 'bf16', 'f32', 'c64', 'f4e2m1fn'):
        x, y = plain(kind, 3, 4, 2), plain(kind, 3, 1, 2, start=5)
        shape = f'{kind}[2,3,4]'
        for name, call, operands in (
                ('transpose', 'transpose($0), dimensions={2,0,1}', (x,)),
                ('reshape', f'{shape} reshape($0)', (x,)),
                ('reverse', 'reverse($0), dimensions={0,2}', (x,)),
                ('slice_nothing', f'{kind}[2,1,0] slice($0), slice={{[0:3:2], [1:4:3], [1:1]}}', (x,)),
                ('slice', f'{kind}[2,2,2] slice($0), slice={{[1:3], [0:4:3], [0:2]}}', (x,)),
                ('concatenate', 'concatenate($0, $1, $0), dimensions={1}', (x, y)),
                ('broadcast', f'{kind}[3,2,4,2] broadcast($0), dimensions={{0,2,3}}', (x,)),
                ('pad', 'pad($0, $1), padding=1_0x-1_2_2x0_-1', (x, plain(kind, start=3))),
                ('copy', 'copy($0)', (x,))):
            yield Program(f'{name}_{kind}', call, operands)
    nothing = Operand('f32', (2, 0, 3), ())
    yield Program('transpose_empty', 'transpose($0), dimensions={2,1,0}', (nothing,))
    yield Program('reverse_empty', 'reverse($0), dimensions={1}', (nothing,))
    yield Program('pad_empty', 'pad($0, $1), padding=0_0x1_1x0_0', (nothing, plain('f32')))
    yield Program('concatenate_empty', 'concatenate($0, $1), dimensions={1}', (nothing, plain('f32', 2, 2, 3)))
    yield Program('reshape_one', 'f32[] reshape($0)', (plain('f32', 1, 1, 1),))
    yield Program('transpose_edges', 'transpose($0), dimensions={0}', (vector('f32'),))


def indexing():
    for kind in ('f32', 's4', 'f8e5m2', 'c64'):
        x = plain(kind, 4, 5)
        for i, j in ((0, 0), (3, -2), (-9, 9)):
            at = (Operand('s32', (), (str(i),)), Operand('s32', (), (str(j),)))
            suffix = f'{kind}_{i}_{j}'.replace('-', 'm')
            yield Program(f'slice_{suffix}', f'{kind}[2,3] dynamic-slice($0, $1, $2), dynamic_slice_sizes={{2,3}}', (x, *at))
            yield Program(f'update_{suffix}', f'{kind}[4,5] dynamic-update-slice($0, $3, $1, $2)',
                          (x, *at, plain(kind, 2, 3, start=7)))
    for kind in ('s8', 'u8', 's64', 'u64'):
        last = {'s8': '-128', 'u8': '255', 's64': str(-2**63), 'u64': str(2**64 - 1)}[kind]
        yield Program(f'slice_by_{kind}', 'f32[2] dynamic-slice($0, $1), dynamic_slice_sizes={2}',
                      (plain('f32', 5), Operand(kind, (), (last,))))
    x, rows = plain('f32', 4, 5), Operand('s32', (3, 1), ('2', '-7', '9'))
    places = Operand('s32', (3, 2), ('0', '0', '3', '4', '-1', '7'))
    gathers = {
        'rows': ('f32[3,5]', x, rows, 'offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, '
                 'slice_sizes={1,5}'),
        'windows': ('f32[3,2,3]', x, places, 'offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, '
                    'index_vector_dim=1, slice_sizes={2,3}'),
        'swapped': ('f32[3]', x, places, 'offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0}, index_vector_dim=1, '
                    'slice_sizes={1,1}'),
        'batched': ('f32[4,2]', x, plain('s32', 4, 2, start=6), 'offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, '
                    'operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}'),
        'empty': ('f32[0,5]', x, Operand('s32', (0, 1), ()), 'offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, '
                  'index_vector_dim=1, slice_sizes={1,5}'),
    }
    for name, (shape, operand, indices, attributes) in gathers.items():
        yield Program(f'gather_{name}', f'{shape} gather($0, $1), {attributes}', (operand, indices))
    twice = Operand('s32', (4, 1), ('2', '-1', '2', '0'))
    for kind in ('f32', 's32', 's4', 'u8', 'c64', 'bf16'):
        for operation in ('add', 'multiply', *(('maximum',) if kind != 'c64' else ())):
            apply = region(operation, kind)
            yield Program(f'scatter_{operation}_{kind}', f'{kind}[4,5] scatter($0, $1, $2), update_window_dims={{1}}, '
                          'inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, '
                          f'to_apply={apply[0]}', (plain(kind, 4, 5), twice, plain(kind, 4, 5, start=3)), (apply,))
    second = ('second', 'second { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }')
    for name, indices in (('unique', ('3', '0', '7', '1')), ('outside', ('4', '-1', '9', '-5')), ('same', ('2', '2', '1', '2'))):
        yield Program(f'scatter_put_{name}', 'f32[4,5] scatter($0, $1, $2), update_window_dims={1}, '
                      'inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second',
                      (x, Operand('s32', (4, 1), indices), plain('f32', 4, 5, start=9)), (second,))
    yield Program('scatter_windows', 'f32[4,5] scatter($0, $1, $2), update_window_dims={1,2}, inserted_window_dims={}, '
                  'scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add_f32',
                  (x, places, plain('f32', 3, 2, 3)), (region('add', 'f32'),))


def reductions():
    for kind in (*WIDE, 'f8e5m2', 'f8e4m3fn', 's32', 's8', 'u64', 's4', 'c64'):
        one = {'add': '0', 'multiply': '1', 'maximum': '-3', 'minimum': '3'}
        for operation in ('add', 'multiply', *(('maximum', 'minimum') if kind not in COMPLEX else ())):
            start = one[operation].lstrip('-') if kind[0] == 'u' else one[operation]
            init = Operand(kind, (), (f'({start}, 0)' if kind in COMPLEX else start,))
            apply = region(operation, kind)
            yield Program(f'reduce_{operation}_{kind}', f'reduce($0, $1), dimensions={{1}}, to_apply={apply[0]}',
                          (rough(kind, 3, 6), init), (apply,))
            if kind in FLOATS:
                yield Program(f'reduce_{operation}_{kind}_edges', f'reduce($0, $1), dimensions={{0}}, to_apply={apply[0]}',
                              (Operand(kind, pairs_of(kind).sizes, pairs_of(kind).values), init), (apply,))
    add, zero = region('add', 'f32'), Operand('f32', (), ('0.5',))
    for name, sizes, dimensions in (('empty', (2, 0), '1'), ('one', (1, 1), '0,1'), ('none', (2, 3), ''), ('all', (3, 4, 2), '0,1,2'),
                                    ('long', (1, 2000), '1')):
        yield Program(f'reduce_{name}', f'reduce($0, $1), dimensions={{{dimensions}}}, to_apply=add_f32',
                      (rough('f32', *sizes), zero), (add,))
    for operation in ('and', 'or', 'xor'):
        apply = region(operation, 'pred')
        yield Program(f'reduce_{operation}', f'reduce($0, $1), dimensions={{1}}, to_apply={apply[0]}',
                      (plain('pred', 3, 4), Operand('pred', (), ('true',))), (apply,))
    yield Program('arg_max', '(f32[3], s32[3]) reduce($0, $1, $2, $3), dimensions={1}, to_apply=later', (
        Operand('f32', (3, 4), ('1', 'nan', '2', 'nan', '-0.0', '0.0', '-inf', '0.0', '1', '3', '3', '2')), plain('s32', 3, 4),
        Operand('f32', (), ('-inf',)), Operand('s32', (), ('0',))), (('later', """later {
  v = f32[] parameter(0) i = s32[] parameter(1) w = f32[] parameter(2) j = s32[] parameter(3)
  more = pred[] compare(v, w), direction=GE odd = pred[] compare(v, v), direction=NE keep = pred[] or(more, odd)
  x = f32[] select(keep, v, w) k = s32[] select(keep, i, j) ROOT r = (f32[], s32[]) tuple(x, k) }"""),))
    yield Program('map', 'map($0, $1), dimensions={0}, to_apply=add_f32', pairs('f32'), (add,), elementwise=True)
    for kind in ('f32', 's32', 'bf16'):
        sums = ('step_' + kind, f'step_{kind} {{ x = {kind}[4] parameter(0) c = {kind}[4] parameter(1) s = {kind}[4] add(c, x) '
                f'ROOT t = ({kind}[4], {kind}[4]) tuple(s, s) }}')
        yield Program(f'scan_{kind}', f'({kind}[3,4], {kind}[4]) scan($0, $1), dimensions={{0}}, num_carries=1, to_apply={sums[0]}',
                      (rough(kind, 3, 4), rough(kind, 4)), (sums,))


def pairs_of(kind):
    """A matrix whose columns hold every pair of values."""
    first, second = pairs(kind)
    return Operand(kind, (2, len(first.values)), first.values + second.values)


def windows():
    forms = {'plain': 'size=2x3', 'strided': 'size=2x2 stride=2x3', 'padded': 'size=3x2 pad=1_2x-1_1',
             'dilated': 'size=2x2 rhs_dilate=2x3', 'spread': 'size=2x3 lhs_dilate=2x1 pad=0_1x0_0',
             'all': 'size=2x2 stride=2x1 pad=1_0x2_-1 lhs_dilate=1x2 rhs_dilate=2x2', 'whole': 'size=4x5', 'none': 'size=5x1'}
    for kind, operations in (('f32', ('add', 'maximum', 'multiply')), ('bf16', ('add', 'minimum')), ('s32', ('add', 'maximum')),
                             ('s8', ('minimum',)), ('c64', ('add',))):
        for operation in operations:
            apply = region(operation, kind)
            for name, form in forms.items():
                yield Program(f'window_{operation}_{kind}_{name}', f'reduce-window($0, $1), window={{{form}}}, to_apply={apply[0]}',
                              (rough(kind, 4, 5), plain(kind)), (apply,))
    at_least = ('at_least', 'at_least { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }')
    tied = Operand('f32', (4, 6), tuple('1 1 0 2 2 1 0 1 -0.0 0.0 2 1 nan 1 3 3 0 -1 2 nan 3 1 -1 -1'.split()))
    for name, form, sizes in (('plain', 'size=2x2 stride=2x2', (2, 3)), ('overlapping', 'size=2x3 stride=1x1', (3, 4)),
                              ('padded', 'size=3x3 stride=2x2 pad=1_0x0_1', (2, 3))):
        yield Program(f'select_and_scatter_{name}', f'f32[4,6] select-and-scatter($0, $1, $2), window={{{form}}}, '
                      'select=at_least, scatter=add_f32', (tied, plain('f32', *sizes), Operand('f32', (), ('0.25',))),
                      (at_least, region('add', 'f32')))


def sorts():
    def less(kind, direction='LT', total=False, more=()):
        """A comparator of the first of (1 + more) pairs."""
        name = '_'.join((direction, kind, *more)).lower() + '_total' * total
        extra = ' '.join(f'x{2 + i} = {t}[] parameter({2 + i})' for i, t in enumerate(t for t in more for _ in 'ab'))
        return name, (f'{name} {{ a = {kind}[] parameter(0) b = {kind}[] parameter(1) {extra} ROOT r = pred[] compare(a, b), '
                      f'direction={direction}{", type=TOTALORDER" * total} }}')

    for kind in (*WIDE, 'f8e5m2', 'f8e4m3fn'):
        compare = less(kind, total=kind in WIDE)
        values = [v for v in edges(kind) if kind in WIDE or v not in ('nan', '-0.0')]
        yield Program(f'sort_{kind}', f'sort($0), dimensions={{0}}, is_stable=true, to_apply={compare[0]}',
                      (vector(kind, values + values[::-1]),), (compare,))
    for kind in ('s4', 's8', 's64', 'u8', 'u32', 'pred'):
        for direction in ('LT', 'GT'):
            compare = less(kind, direction)
            values = edges(kind) if kind != 'pred' else ('true', 'false', 'false', 'true')
            yield Program(f'sort_{direction}_{kind}', f'sort($0), dimensions={{0}}, to_apply={compare[0]}',
                          (vector(kind, values),), (compare,))
    keys = Operand('s32', (3, 6), tuple(str(k * 7 % 4) for k in range(18)))
    compare = less('s32', more=('f32',))
    for dimension in (0, 1):
        yield Program(f'sort_pairs_{dimension}', f'(s32[3,6], f32[3,6]) sort($0, $1), dimensions={{{dimension}}}, is_stable=true, '
                      f'to_apply={compare[0]}', (keys, plain('f32', 3, 6)), (compare,))
    compare = less('f32')
    yield Program('sort_zeros', f'sort($0), dimensions={{0}}, is_stable=true, to_apply={compare[0]}',
                  (vector('f32', ('0.0', '-0.0', '1', '-0.0', '0.0', '-1')),), (compare,))
    yield Program('sort_long', f'sort($0), dimensions={{0}}, to_apply={compare[0]}', (plain('f32', 41),), (compare,))
    for name, sizes in (('one', (2, 1)), ('empty', (2, 0))):
        yield Program(f'sort_{name}', f'sort($0), dimensions={{1}}, to_apply={compare[0]}', (plain('f32', *sizes),), (compare,))
    for kind in ('f32', 'bf16', 's32', 'f16', 'f64', 'u8'):
        values = edges(kind)
        for largest in ('true', 'false'):
            yield Program(f'topk_{kind}_{largest}', f'({kind}[6], s32[6]) topk($0), k=6, largest={largest}',
                          (vector(kind, values + values[:4]),))


def contractions():
    def dot(name, a, b, result, attributes, sizes=((3, 4), (4, 2)), dims=', lhs_contracting_dims={1}, rhs_contracting_dims={0}'):
        return Program(name, f'{result} dot($0, $1){dims}{attributes}', (rough(a, *sizes[0]), rough(b, *sizes[1], start=4)))

    for kind in (*WIDE, 's32', 's8', 'u8', 's4', 's64', 'c64', 'c128', 'f8e4m3fn', 'f8e5m2', 'f4e2m1fn', 'pred'):
        yield dot(f'dot_{kind}', kind, kind, f'{kind}[3,2]', '')
    for a, b, to in (('s8', 's8', 's32'), ('u8', 's8', 's32'), ('s4', 's4', 's8'), ('bf16', 'bf16', 'f32'), ('f16', 'f16', 'f32'),
                     ('f8e4m3fn', 'f8e5m2', 'f32'), ('f8e4m3fn', 'f8e4m3fn', 'bf16'), ('f32', 'f32', 'f64'),
                     ('f4e2m1fn', 'f4e2m1fn', 'f32')):
        yield dot(f'dot_{a}_{b}_{to}', a, b, f'{to}[3,2]', '')
    for algorithm in ('dot_f32_f32_f32', 'dot_tf32_tf32_f32', 'dot_tf32_tf32_f32_x3', 'dot_bf16_bf16_f32', 'dot_bf16_bf16_f32_x3',
                      'dot_bf16_bf16_f32_x6', 'dot_bf16_bf16_f32_x9'):
        yield dot('algorithm_' + algorithm, 'f32', 'f32', 'f32[3,2]', f', algorithm={algorithm}')
    yield dot('algorithm_dot_bf16_bf16_bf16', 'bf16', 'bf16', 'bf16[3,2]', ', algorithm=dot_bf16_bf16_bf16')
    yield dot('algorithm_dot_f64_f64_f64', 'f64', 'f64', 'f64[3,2]', ', algorithm=dot_f64_f64_f64')
    yield dot('algorithm_dot_any_f8_any_f8_f32', 'f8e4m3fn', 'f8e4m3fn', 'f32[3,2]', ', algorithm=dot_any_f8_any_f8_f32')
    for precision in ('default', 'high', 'highest'):
        yield dot(f'dot_{precision}', 'f32', 'f32', 'f32[3,2]', f', operand_precision={{{precision},{precision}}}')
    yield dot('dot_batch', 'f32', 'f32', 'f32[2,3,2]', '', ((3, 2, 4), (2, 4, 2)), ', lhs_batch_dims={1}, rhs_batch_dims={0}, '
              'lhs_contracting_dims={2}, rhs_contracting_dims={1}')
    yield dot('dot_outer', 's32', 's32', 's32[3,2]', '', ((3,), (2,)), '')
    yield dot('dot_two', 'f32', 'f32', 'f32[2]', '', ((3, 4), (4, 2, 3)), ', lhs_contracting_dims={0,1}, rhs_contracting_dims={2,0}')
    yield dot('dot_empty', 'f32', 'f32', 'f32[3,2]', '', ((3, 0), (0, 2)))
    yield dot('dot_vectors', 'f64', 'f64', 'f64[]', '', ((5,), (5,)), ', lhs_contracting_dims={0}, rhs_contracting_dims={0}')
    yield dot('dot_long', 'f32', 'f32', 'f32[2,2]', '', ((2, 300), (300, 2)))
    edge = pairs_of('f32')
    yield Program('dot_edges', 'f32[2,2] dot($0, $0), lhs_contracting_dims={1}, rhs_contracting_dims={1}', (edge,))
    for kind in ('f32', 'bf16', 's32'):
        for name, result, a, b, dims in (
                ('rows', '[5,2]', (5, 3), (2, 3, 2), 'lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, '
                 'rhs_group_dims={0}'),
                ('inner', '[2,4,2]', (4, 5), (5, 2), 'lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}')):
            yield Program(f'ragged_dot_{name}_{kind}', f'{kind}{result} ragged-dot($0, $1, $2), {dims}',
                          (rough(kind, *a), rough(kind, *b), Operand('s32', (2,), ('1', '3'))))
    yield Program('scaled_dot', 'f32[2,2] scaled-dot($0, $1, $2, $3), lhs_contracting_dims={1}, rhs_contracting_dims={0}',
                  (plain('f8e4m3fn', 2, 4), plain('f8e4m3fn', 4, 2), plain('f8e8m0fnu', 2, 2), plain('f8e8m0fnu', 2, 2)))


def convolutions():
    def convolve(name, kind, x, k, attributes, labels='b01f_01io->b01f', result=None):
        shape = f'{result or kind}[] '.replace('[] ', ' ') if result else ''
        return Program(f'convolution_{name}', f'{shape}convolution($0, $1){attributes}, dim_labels={labels}',
                       (rough(kind, *x), rough(kind, *k, start=5)))

    x, k = (2, 5, 6, 2), (2, 3, 2, 3)
    forms = {'plain': '', 'strided': ' stride=2x3', 'padded': ' pad=1_2x0_1', 'cropped': ' pad=-1_0x1_-2', 'spread': ' lhs_dilate=2x3',
             'dilated': ' rhs_dilate=3x2', 'reversed': ' rhs_reversal=1x0',
             'all': ' stride=2x1 pad=2_-1x1_0 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=0x1', 'none': ' pad=-2_-2x0_0'}
    for name, form in forms.items():
        yield convolve(name, 'f32', x, k, f', window={{size=2x3{form}}}')
    for kind in ('f64', 'f16', 'bf16', 's32', 's8', 'u8', 'c64', 'f8e4m3fn', 's4'):
        yield convolve(kind, kind, x, k, ', window={size=2x3 stride=2x1 pad=1_0x0_1}')
    yield convolve('feature_groups', 'f32', (1, 4, 4, 4), (2, 2, 2, 6), ', window={size=2x2}, feature_group_count=2')
    yield convolve('depthwise', 'f32', (1, 4, 4, 3), (2, 2, 1, 6), ', window={size=2x2}, feature_group_count=3')
    yield convolve('batch_groups', 'f32', (4, 4, 4, 2), (2, 2, 2, 6), ', window={size=2x2}, batch_group_count=2')
    yield convolve('labels', 'f32', (5, 2, 6, 2), (3, 2, 3, 2), ', window={size=2x3}', '0b1f_o01i->f01b'.replace('o01i', 'o01i'))
    yield convolve('line', 'f32', (2, 3, 7), (4, 3, 3), ', window={size=3 pad=1_1}', 'bf0_oi0->bf0')
    yield convolve('space', 'f32', (1, 3, 4, 3, 2), (2, 2, 2, 2, 2), ', window={size=2x2x2}', 'b012f_012io->b012f')
    yield convolve('point', 'f32', (2, 3), (3, 4), '', 'bf_io->bf')
    yield convolve('no_features', 'f32', (2, 4, 0), (2, 0, 3), ', window={size=2}', 'b0f_0io->b0f')


def transforms():
    for kind, part in COMPLEX.items():
        for length in (1, 2, 7, 8, 12):
            for form in ('FFT', 'IFFT'):
                yield Program(f'{form}_{kind}_{length}', f'fft($0), fft_type={form}, fft_length={{{length}}}', (rough(kind, 2, length),))
        for length in (1, 6, 7):
            yield Program(f'RFFT_{kind}_{length}', f'fft($0), fft_type=RFFT, fft_length={{{length}}}', (rough(part, 2, length),))
            yield Program(f'IRFFT_{kind}_{length}', f'fft($0), fft_type=IRFFT, fft_length={{{length}}}',
                          (plain(kind, 2, length // 2 + 1),))
    yield Program('FFT_2', 'fft($0), fft_type=FFT, fft_length={3,4}', (rough('c64', 2, 3, 4),))
    yield Program('IFFT_3', 'fft($0), fft_type=IFFT, fft_length={2,3,4}', (rough('c64', 2, 3, 4),))
    yield Program('RFFT_2', 'fft($0), fft_type=RFFT, fft_length={3,4}', (plain('f32', 2, 3, 4),))
    yield Program('IRFFT_2', 'fft($0), fft_type=IRFFT, fft_length={3,4}', (plain('c64', 2, 3, 3),))
    yield Program('FFT_nan', 'fft($0), fft_type=FFT, fft_length={3}', (Operand('c64', (2, 3), (
        '(1, 0)', '(nan, 0)', '(2, 1)', '(1, 0)', '(inf, 0)', '(0, 0)')),))


def linear_algebra():
    definite = ('4', '2', '-1', '2', '5', '0.5', '-1', '0.5', '3')
    for kind in ('f32', 'f64', 'c64'):
        values = tuple(f'({v}, 0)' for v in definite) if kind == 'c64' else definite
        a, b = Operand(kind, (3, 3), values), rough(kind, 3, 2)
        for lower in ('true', 'false'):
            yield Program(f'cholesky_{kind}_{lower}', f'cholesky($0), lower={lower}', (a,))
            for transpose in ('NO_TRANSPOSE', 'TRANSPOSE', 'ADJOINT'):
                yield Program(f'solve_{kind}_{lower}_{transpose}', f'triangular-solve($0, $1), left_side=true, lower={lower}, '
                              f'transpose_a={transpose}', (a, b))
        yield Program(f'solve_right_{kind}', 'triangular-solve($0, $1), left_side=false, lower=true, unit_diagonal=true, '
                      'transpose_a=NO_TRANSPOSE', (a, plain(kind, 2, 3)))
    for name, values in (('indefinite', '1 2 2 1'), ('singular', '1 1 1 1'), ('zero', '0 0 0 0'), ('nan', '1 0 nan 1'),
                         ('infinite', 'inf 0 0 1')):
        a = Operand('f32', (2, 2), tuple(values.split()))
        yield Program(f'cholesky_{name}', 'cholesky($0), lower=true', (a,))
        yield Program(f'solve_{name}', 'triangular-solve($0, $1), left_side=true, lower=true, transpose_a=NO_TRANSPOSE',
                      (a, plain('f32', 2, 2)))
    for kind in ('f32', 'bf16', 'f16', 'f64'):
        x, s = rough(kind, 4, 2, 3), rough(kind, 3, start=20)
        v = Operand(kind, (3,), ('0.5', '2', '1'))
        yield Program(f'batch_norm_inference_{kind}', 'batch-norm-inference($0, $1, $1, $1, $2), epsilon=0.5, feature_index=2', (x, s, v))
        yield Program(f'batch_norm_training_{kind}', 'batch-norm-training($0, $1, $1), epsilon=0.5, feature_index=2', (x, s))
        yield Program(f'batch_norm_grad_{kind}', 'batch-norm-grad($0, $1, $1, $2, $0), epsilon=0.5, feature_index=2', (x, s, v))


def random_bits():
    for algorithm, words in (('rng_three_fry', 2), ('rng_philox', 3), ('rng_default', 3)):
        for kind in ('u8', 'u32', 'u64', *(('f32', 's16') if words == 2 else ())):
            yield Program(f'{algorithm}_{kind}', f'(u64[{words}], {kind}[3,5]) rng-bit-generator($0), algorithm={algorithm}',
                          (plain('u64', words),))


TWICE = ('twice', 'twice { a = f32[3] parameter(0) ROOT r = f32[3] add(a, a) }')
SQUARE = ('square', 'square { a = f32[3] parameter(0) ROOT r = f32[3] multiply(a, a) }')
NEGATE = ('negative', 'negative { a = f32[3] parameter(0) ROOT r = f32[3] negate(a) }')
SUM = region('add', 'f32')


def control():
    x = plain('f32', 3)
    counted = (('fewer', """fewer { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(7) ROOT r = pred[] compare(i, n), direction=LT }"""),
               ('onward', """onward { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one) y = f32[3] add(x, x)
  ROOT r = (s32[], f32[3]) tuple(j, y) }"""))
    for first in (0, 7, 9):
        yield Program(f'while_from_{first}', 'f32[3] get-tuple-element(@w), index=1', (Operand('s32', (), (str(first),)), x), counted,
                      before='@t = (s32[], f32[3]) tuple($0, $1)\n'
                             '@w = (s32[], f32[3]) while(@t), condition=fewer, body=onward')
    for value in ('true', 'false'):
        yield Program(f'if_{value}', 'f32[3] conditional($0, $1, $1), true_computation=twice, false_computation=square',
                      (Operand('pred', (), (value,)), x), (TWICE, SQUARE))
    for index in (0, 2, 3, -1):
        yield Program(f'branch_{index}', 'f32[3] conditional($0, $1, $1, $1), branch_computations={twice, square, negative}',
                      (Operand('s32', (), (str(index),)), x), (TWICE, SQUARE, NEGATE))
    yield Program('call', 'f32[3] call($0), to_apply=square', (x,), (SQUARE,))
    yield Program('fusion', 'f32[3] fusion($0), kind=kLoop, calls=fused', (x,), (('fused', TWICE[1].replace('twice', 'fused')),))
    yield Program('barrier', 'f32[3] get-tuple-element(@b), index=1', (x, plain('s32', 2)),
                  before='@t = (s32[2], f32[3]) tuple($1, $0)\n@b = (s32[2], f32[3]) opt-barrier(@t)')
    yield Program('after', 'f32[3] add-dependency($0, @t)', (x,), before='@t = token[] after-all()')
    for kind in ('s4', 'u8', 's64', 'f32', 'bf16', 'f8e5m2', 'c64', 'f16'):
        for dimension in (0, 1):
            yield Program(f'iota_{kind}_{dimension}', f'{kind}[5,7] iota(), iota_dimension={dimension}')
    for kind in ('pred', 's4', 'u64', 'f64', 'bf16', 'f8e4m3fnuz'):
        values = edges(kind)
        yield Program(f'constant_{kind}', f'{kind}[{len(values)}] constant({{{", ".join(values)}}})')
    yield Program('size', 's32[] get-dimension-size($0), dimensions={0}', (x,))


def dynamic():
    x = plain('f32', 8)
    for size in (0, 3, 8):
        n, zero = Operand('s32', (), (str(size),)), Operand('f32', (), ('0.0',))
        short = '@s = f32[<=8] set-dimension-size($0, $1), dimensions={0}'
        yield Program(f'sum_of_{size}', 'f32[] reduce(@s, $2), dimensions={0}, to_apply=add_f32', (x, n, zero), (SUM,), before=short)
        yield Program(f'size_of_{size}', 's32[] get-dimension-size(@s), dimensions={0}', (x, n), before=short)
        yield Program(f'sum_of_double_{size}', 'f32[] reduce(@d, $2), dimensions={0}, to_apply=add_f32', (x, n, zero), (SUM,),
                      before=f'{short}\n@d = f32[<=8] add(@s, @s)')
        yield Program(f'sum_of_both_{size}', 'f32[] reduce(@c, $2), dimensions={0}, to_apply=add_f32', (x, n, zero), (SUM,),
                      before=f'{short}\n@c = f32[<=16] concatenate(@s, $0), dimensions={{0}}')
        yield Program(f'size_of_both_{size}', 's32[] get-dimension-size(@c), dimensions={0}', (x, n),
                      before=f'{short}\n@c = f32[<=16] concatenate(@s, @s), dimensions={{0}}')
        yield Program(f'sum_of_reversed_{size}', 'f32[] get-tuple-element(@r), index=0', (x, n, zero), (
            ('two', """two { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
  e = f32[] add(a, c) g = f32[] maximum(b, d) ROOT r = (f32[], f32[]) tuple(e, g) }"""),),
                      before=f'{short}\n@b = f32[<=8] reverse(@s), dimensions={{0}}\n'
                             '@r = (f32[], f32[]) reduce(@b, @b, $2, $2), dimensions={0}, to_apply=two')
        yield Program(f'dot_of_{size}', 'f32[] dot(@s, @s), lhs_contracting_dims={0}, rhs_contracting_dims={0}', (x, n), before=short)


def custom_calls():
    x = plain('f32', 3, 7)
    for index, shape in enumerate(('f32[3,4]', 's32[3,4]')):
        yield Program(f'top_k_{index}', f'{shape} get-tuple-element(@k), index={index}', (x,),
                      before='@k = (f32[3,4], s32[3,4]) custom-call($0), custom_call_target="TopK"')
    yield Program('sharding', 'f32[3,7] custom-call($0), custom_call_target="Sharding"', (x,))


def collectives():
    def own(kind, *sizes):
        """An array that differs from process to process."""
        shape = f'{kind}[{",".join(map(str, sizes))}]'
        return shape, (f'@i = u32[] replica-id()\n@n = {kind}[] convert(@i)\n@b = {shape} broadcast(@n), dimensions={{}}\n'
                       f'@x = {shape} add($0, @b)')

    everyone = 'replica_groups={{0,1,2,3}}'
    yield Program('id', 'u32[] replica-id()')
    for kind in ('f32', 's32', 'bf16', 'u8', 'f64', 's64', 'f16'):
        shape, before = own(kind, 4)
        for operation in ('add', 'maximum', 'minimum', 'multiply'):
            apply = region(operation, kind)
            yield Program(f'all_{operation}_{kind}', f'{shape} all-reduce(@x), {everyone}, to_apply={apply[0]}', (plain(kind, 4),),
                          (apply,), before=before)
    shape, before = own('f32', 4)
    x = (plain('f32', 4),)
    for name, groups in (('pairs', '{{0,1},{2,3}}'), ('crossed', '{{3,0},{1,2}}'), ('alone', '{{0},{1},{2},{3}}')):
        yield Program(f'all_add_{name}', f'{shape} all-reduce(@x), replica_groups={groups}, to_apply=add_f32', x, (SUM,), before=before)
        count = groups.split('}')[0].count(',') + 1
        yield Program(f'all_gather_{name}', f'f32[{4 * count}] all-gather(@x), replica_groups={groups}, dimensions={{0}}', x, before=before)
        yield Program(f'reduce_scatter_{name}', f'f32[{4 // count}] reduce-scatter(@x), replica_groups={groups}, dimensions={{0}}, '
                      'to_apply=add_f32', x, (SUM,), before=before)
    yield Program('all_to_all', f'f32[4] all-to-all(@x), {everyone}, dimensions={{0}}', x, before=before)
    yield Program('all_add_two', f'f32[2] get-tuple-element(@r), index=1', (*x, plain('f32', 2)), (SUM,), before=(
        f'{before}\n@r = (f32[4], f32[2]) all-reduce(@x, $1), {everyone}, to_apply=add_f32'))
    yield Program('all_to_all_parts', 'f32[4] get-tuple-element(@r), index=2', x, before=(
        f'{before}\n@y = f32[4] negate(@x)\n@r = (f32[4], f32[4], f32[4], f32[4]) all-to-all(@x, @y, @x, @y), {everyone}'))
    for operation in ('and', 'or'):
        yield Program(f'all_{operation}', f'pred[2] all-reduce(@p), {everyone}, to_apply={operation}_pred', (plain('u32', 2, start=3),),
                      (region(operation, 'pred'),), before='@i = u32[] replica-id()\n@b = u32[2] broadcast(@i), dimensions={}\n'
                      '@p = pred[2] compare(@b, $0), direction=EQ')
    shape, before = own('s8', 2, 3)
    square = (plain('s8', 2, 3),)
    yield Program('all_gather_columns', f's8[2,12] all-gather(@x), {everyone}, dimensions={{1}}', square, before=before)
    for name, targets in (('ring', '{{0,1},{1,2},{2,3},{3,0}}'), ('some', '{{0,2},{2,1}}'), ('self', '{{1,1}}')):
        yield Program(f'permute_{name}', f'{shape} collective-permute(@x), source_target_pairs={targets}', square,
                      before=before)


def single():
    """Programs that XLA may refuse: a module for each, and what its first line says."""
    four, x = ', replica_count=4', plain('f32', 3)
    yield Program('pad_to_static', 'f32[8] get-tuple-element(@p), index=0', (plain('f32', 8), Operand('s32', (), ('3',))),
                  before='@s = f32[<=8] set-dimension-size($0, $1), dimensions={0}\n'
                         '@p = (f32[8], s32[]) custom-call(@s), custom_call_target="PadToStatic"'), ''
    yield Program('collective_broadcast', 'f32[3] collective-broadcast($0), replica_groups={{2,0,1,3}}', (x,)), four
    yield Program('all_reduce_start', 'f32[3] all-reduce-done(@s)', (x,), (SUM,),
                  '@s = f32[3] all-reduce-start($0), replica_groups={{0,1},{2,3}}, to_apply=add_f32'), four
    yield Program('all_gather_start', 'f32[12] all-gather-done(@s)', (x,), (),
                  '@s = (f32[3], f32[12]) all-gather-start($0), replica_groups={{0,1,2,3}}, dimensions={0}'), four
    yield Program('ragged_all_to_all', 'f32[8] ragged-all-to-all($0, $1, $2, $3, @o, $3), replica_groups={{0,1,2,3}}', (
        plain('f32', 8), plain('f32', 8, start=20), Operand('s64', (4,), ('0', '2', '4', '6')),
        Operand('s64', (4,), ('1', '1', '1', '1'))), (),
                  '@i = u32[] replica-id()\n@j = s64[] convert(@i)\n@k = s64[] add(@j, @j)\n'
                  '@o = s64[4] broadcast(@k), dimensions={}'), four
    yield Program('copy_start', 'f32[3] copy-done(@s)', (x,), (), '@s = (f32[3], f32[3], u32[]) copy-start($0)'), ''
    yield Program('async_start', 'f32[3] async-done(@s)', (x,), (TWICE,),
                  '@s = ((f32[3]), f32[3], s32[]) async-start($0), calls=twice'), ''


ALONE = {'floats': floats, 'narrow floats': narrow_floats, 'integers': integers, 'complex': complexes,
         'comparisons': comparisons, 'conversions': conversions, 'moves': moves, 'indexing': indexing,
         'reductions': reductions, 'windows': windows, 'sorts': sorts, 'contractions': contractions,
         'convolutions': convolutions, 'transforms': transforms, 'linear algebra': linear_algebra, 'random bits': random_bits}
WHOLE = {'control': (control, ''), 'dynamic sizes': (dynamic, ''), 'custom calls': (custom_calls, ''),
         'collectives': (collectives, ', replica_count=4')}


def modules():
    """Name of a family, whether its programs run alone, its programs, and what its module says in its first line."""
    for name, family in ALONE.items():
        yield name, True, list(family()), ''
    for name, (family, header) in WHOLE.items():
        yield name, False, list(family()), header
    for program, header in single():
        yield 'single', False, [program], header
