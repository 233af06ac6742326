"""Modules of one operation each, as repro_peer_test.py has them reduced: those that repro.py writes through jax.lax."""
ONE = ('abs ceil cosine exponential exponential-minus-one floor is-finite log log-plus-one logistic negate rsqrt sign sine sqrt '
       'tan tanh cbrt').split()
TWO = 'add atan2 complex divide maximum minimum multiply power remainder subtract'.split()
BITS = 'and or xor shift-left shift-right-arithmetic shift-right-logical'.split()
RESULTS = {'is-finite': 'pred[4]', 'complex': 'c64[4]'}


def entry(root, *parameters):
    """The text of a module: the root takes p0, p1 and so on."""
    lines = [f'  p{k} = {shape} parameter({k})' for k, shape in enumerate(parameters)]
    return 'ENTRY e {\n' + '\n'.join(lines) + f'\n  ROOT r = {root} }}'


def modules():
    """(operation, text) of each."""
    for name in ONE:
        yield name, entry(f'{RESULTS.get(name, "f32[4]")} {name}(p0)', 'f32[4]')
    for name in TWO:
        yield name, entry(f'{RESULTS.get(name, "f32[4]")} {name}(p0, p1)', 'f32[4]', 'f32[4]')
    for name in BITS:
        yield name, entry(f's32[4] {name}(p0, p1)', 's32[4]', 's32[4]')
    for name in ('not', 'popcnt', 'count-leading-zeros'):
        yield name, entry(f's32[4] {name}(p0)', 's32[4]')
    for name in ('real', 'imag'):
        yield name, entry(f'f32[4] {name}(p0)', 'c64[4]')
    f32, s32 = 'f32[4]', 's32[2,3]'
    yield 'compare', entry('pred[4] compare(p0, p1), direction=LT', f32, f32)
    yield 'select', entry('f32[4] select(p0, p1, p2)', 'pred[4]', f32, f32)
    yield 'clamp', entry('f32[4] clamp(p0, p1, p2)', f32, f32, f32)
    yield 'convert', entry('bf16[4] convert(p0)', f32)
    yield 'bitcast-convert', entry('s32[4] bitcast-convert(p0)', f32)
    yield 'reduce-precision', entry('f32[4] reduce-precision(p0), exponent_bits=5, mantissa_bits=2', f32)
    yield 'iota', entry('s32[2,3] iota(), iota_dimension=1')
    yield 'constant', entry('s32[2] add(p0, k)', 's32[2]').replace('  ROOT', '  k = s32[2] constant({3, 5})\n  ROOT')
    yield 'reshape', entry('s32[6] reshape(p0)', s32)
    yield 'broadcast', entry('s32[2,3] broadcast(p0), dimensions={1}', 's32[3]')
    yield 'transpose', entry('s32[3,2] transpose(p0), dimensions={1,0}', s32)
    yield 'reverse', entry('s32[2,3] reverse(p0), dimensions={0}', s32)
    yield 'slice', entry('s32[1,2] slice(p0), slice={[1:2], [0:3:2]}', s32)
    yield 'pad', entry('s32[3,4] pad(p0, p1), padding=1_0x-1_2', s32, 's32[]')
    yield 'concatenate', entry('s32[2,6] concatenate(p0, p1), dimensions={1}', s32, s32)
    yield 'dot', entry('s32[2,2] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={1}', s32, s32)
    for name in ('round-nearest-even', 'round-nearest-afz', 'opt-barrier'):
        yield name, entry(f'f32[4] {name}(p0)', 'f32[4]')
    yield 'dynamic-slice', entry('s32[1,2] dynamic-slice(p0, p1, p1), dynamic_slice_sizes={1,2}', s32, 's8[]')
    yield 'dynamic-update-slice', entry('s32[2,3] dynamic-update-slice(p0, p1, p2, k)', s32, 's32[1,2]', 's8[]').replace(
        '  ROOT', '  k = s8[] constant(-1)\n  ROOT')
    reducer = 'f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] %s(%s) }\n'
    yield 'reduce', reducer % ('add', 'a, b') + entry('s32[2] reduce(p0, k), dimensions={1}, to_apply=f', s32).replace(
        '  ROOT', '  k = s32[] constant(0)\n  ROOT')  # XLA may leave out another start value
    yield 'reduce-exchanged', reducer % ('minimum', 'b, a') + entry('s32[] reduce(p0, p1), dimensions={0,1}, to_apply=f', s32, 's32[]')
    yield 'reduce-window', reducer % ('add', 'a, b') + entry(
        's32[2,3] reduce-window(p0, p1), window={size=2x2 stride=1x3 pad=1_0x1_2 lhs_dilate=1x2 rhs_dilate=1x1}, to_apply=f', s32, 's32[]')
    yield 'convolution', entry(
        's32[3,2,4] convolution(p0, p1), window={size=2 stride=2 pad=1_-1 lhs_dilate=2 rhs_dilate=3}, dim_labels=b0f_0io->0bf',
        's32[2,5,3]', 's32[2,3,4]')
    yield 'convolution-grouped', entry(
        's32[2,4,4] convolution(p0, p1), window={size=2}, dim_labels=bf0_io0->b0f, feature_group_count=2', 's32[2,2,5]', 's32[1,4,2]')


# XLA CPU may return other bits: another rounding, or a NaN of the other sign. All others agree.
INEXACT = {'cosine', 'exponential', 'exponential-minus-one', 'log', 'log-plus-one', 'logistic', 'rsqrt', 'sine', 'tan', 'tanh',
           'cbrt', 'sqrt', 'atan2', 'power', 'remainder'}
