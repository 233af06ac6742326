#!/usr/bin/env python3
"""Writes modules for text_peer_test.py, the same in every run with the same JAX.

usage: module_corpus.py FOLDER

Programs that JAX lowers, chosen so that every family of operations, type and annotation comes up: as
HLO text with constants in full (NAME.hlo), some of them as XLA CPU compiles them (NAME.opt.hlo), and
some as protobufs (.pb). Texts with tokens changed come from mutants().
"""
import os
import random
import re
import sys

COMPILED_EVERY = 4  # programs, one of which is compiled too
TYPES = ('float32', 'bfloat16', 'float16', 'float64', 'int8', 'uint32', 'int64', 'bool', 'complex64', 'int4',
         'float8_e4m3fn', 'float8_e8m0fnu')


def programs():
    """Name, function, shapes and types of its arguments."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    def a(*sizes, dtype='float32', sharding=None):
        return jax.ShapeDtypeStruct(sizes, getattr(jnp, dtype + '_' if dtype == 'bool' else dtype), sharding=sharding)

    for t in TYPES:
        yield f'constant_{t}', lambda t=t: jnp.asarray([[1, 0, 1]], a(dtype=t).dtype), ()
        yield f'move_{t}', lambda x: jnp.pad(x[::-1, 1:], 1).T.reshape(-1), (a(3, 4, dtype=t),)
        yield f'select_{t}', lambda p, x: jnp.where(p, x, x[::-1]), (a(3, 2, dtype='bool'), a(3, 2, dtype=t))
        for to in TYPES[::3]:
            yield f'convert_{t}_{to}', lambda x, to=to: x.astype(a(dtype=to).dtype), (a(4, dtype=t),)
    for t in ('float32', 'bfloat16', 'float64', 'complex64'):
        for name in ('exp', 'tan', 'cbrt', 'log1p', 'tanh', 'sqrt', 'arctan2', 'power', 'round', 'sign', 'argmax', 'cumsum',
                     'sort', 'mean', 'linalg.norm', 'var', 'nan_to_num'):
            function = jnp.linalg.norm if '.' in name else getattr(jnp, name)
            count = 2 if name in ('arctan2', 'power') else 1
            yield f'{name}_{t}', function, (a(3, 4, dtype=t),) * count
    for value in (float('nan'), float('inf'), -0.0, 1e-45, 3.4e38, 0.1, -1e300):
        for t in ('float32', 'float64', 'bfloat16', 'float8_e5m2'):
            yield f'value_{t}', lambda v=value, t=t: jnp.asarray(np.full(2, v).astype(a(dtype=t).dtype)), ()
    for sizes in ((), (0,), (2, 0, 3), (1, 2, 1, 2), (2, 1, 1, 1, 2)):
        yield 'shape', lambda x: (x + 1, jnp.sum(x), jnp.asarray(np.arange(x.size).reshape(x.shape))), (a(*sizes),)
    for precision in ('default', 'highest', 'BF16_BF16_F32', ('high', 'default')):
        yield 'dot', lambda x, y, p=precision: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,))), precision=p), (
            a(2, 3, 4), a(2, 4, 5))
    yield 'ragged', lambda x, y, g: lax.ragged_dot(x, y, g), (a(8, 3), a(2, 3, 5), a(2, dtype='int32'))
    for stride, dilation, groups in ((1, 1, 1), (2, 1, 2), (1, 2, 1), (2, 2, 1)):
        def convolve(x, k, s=stride, d=dilation, g=groups):
            return lax.conv_general_dilated(x, k, (s, s), ((1, 2), (0, 1)), (d, 1), (1, d),
                                            ('NHWC', 'HWIO', 'NHWC'), feature_group_count=g)
        arguments = (a(1, 7, 6, 4), a(3, 2, 4 // groups, 4))
        yield 'convolution', convolve, arguments
        yield 'convolution_grad', jax.grad(lambda x, k, f=convolve: jnp.sum(f(x, k)), argnums=(0, 1)), arguments
    for combine, init in ((lax.add, 0.0), (lax.max, -np.inf)):
        def pool(x, c=combine, i=init):
            return lax.reduce_window(x, np.float32(i), c, (2, 3), (2, 1), ((0, 1), (1, 1)), (1, 1), (1, 2))
        yield 'window', pool, (a(6, 9),)
    yield 'window_grad', jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -np.inf, lax.max, (2, 2), (2, 2), 'SAME'))), (a(6, 7),)
    for index in (0, slice(None, None, -1), [0, 2], (slice(None), [1, 0]), (Ellipsis, None, 1)):
        yield 'index', lambda x, i=index: x[i if not isinstance(i, list) else np.array(i)], (a(3, 4, 5),)
        yield 'update', lambda x, i=index: x.at[i if not isinstance(i, list) else np.array(i)].add(2), (a(3, 4, 5),)
    for mode in ('clip', 'fill', 'promise_in_bounds'):
        yield 'gather', lambda x, i, m=mode: x.at[i].get(mode=m, indices_are_sorted=True), (a(7, 3), a(4, dtype='int32'))
        yield 'scatter', lambda x, i, u, m=mode: x.at[i].multiply(u, mode=m, unique_indices=True), (
            a(7, 3), a(4, dtype='int32'), a(4, 3))
    yield 'dynamic', lambda x, u, i: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i, 0), (2, 2)) + u, (i, i)), (
        a(4, 4), a(2, 2), a(dtype='int32'))
    for keys in (1, 2):
        yield 'sort', lambda x, y, k=keys: lax.sort((x, y), dimension=0, num_keys=k), (a(6, 2), a(6, 2, dtype='int32'))
    yield 'top_k', lambda x: lax.top_k(x, 3), (a(2, 7),)
    yield 'scan', lambda c, x: lax.scan(lambda c, x: (jnp.tanh(c + x), c * x), c, x), (a(3), a(6, 3))
    yield 'scan_grad', jax.grad(lambda c, x: jnp.sum(lax.scan(lambda c, x: (c * x, c + x), c, x)[1])), (a(3), a(6, 3))
    yield 'while', lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2), (0, x)), (a(3),)
    yield 'cond', lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), (a(dtype='bool'), a(3))
    yield 'switch', lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), (a(dtype='int32'), a(3))
    yield 'call', lambda x: jax.jit(jnp.sin)(x) + jax.jit(jnp.sin)(x), (a(3),)
    yield 'barrier', lambda x, y: lax.optimization_barrier((x, y)), (a(3), a(2))
    for kind in ('threefry2x32', 'rbg'):
        yield f'random_{kind}', lambda s, k=kind: jax.random.normal(jax.random.key(s, impl=k), (3,)), (a(dtype='uint32'),)
    yield 'philox', lambda k: lax.rng_bit_generator(k, (3,), algorithm=lax.RandomAlgorithm.RNG_PHILOX), (a(4, dtype='uint32'),)
    for name in ('cholesky', 'qr', 'eigh', 'inv'):
        yield name, getattr(jnp.linalg, name), (a(4, 4),)
    for kind in ('fft', 'rfft', 'irfft2'):
        yield kind, getattr(jnp.fft, kind), (a(4, 6, dtype='float32' if kind == 'rfft' else 'complex64'),)
    yield 'foreign', lambda x: jax.ffi.ffi_call('a$b', a(2, 3), has_side_effect=True)(x, n=np.int32(2), s='"q"'), (a(2, 3),)
    yield 'callback', lambda x: jax.pure_callback(np.sin, a(3), x), (a(3),)
    devices = np.array(jax.devices())
    for mesh in (Mesh(devices, ('x',)), Mesh(devices.reshape(2, 4), ('x', 'y')), Mesh(devices.reshape(4, 2).T, ('x', 'y'))):
        for spec in (P(), P('x'), P(None, mesh.axis_names), P(mesh.axis_names)):
            sharding = NamedSharding(mesh, spec)
            yield 'sharded', lambda x, s=sharding: lax.with_sharding_constraint(x @ x, s), (a(16, 16, sharding=sharding),)
        for name, collective in (
                ('psum', lambda x: lax.psum(x, 'x')), ('pmax', lambda x, m=mesh: lax.pmax(x, m.axis_names)),
                ('all_gather', lambda x: lax.all_gather(x, 'x', tiled=True)),
                ('all_to_all', lambda x: lax.all_to_all(x, 'x', 1, 0, tiled=True)),
                ('permute', lambda x: lax.ppermute(x, 'x', [(0, 1), (1, 0)])),
                ('scatter_sum', lambda x: lax.psum_scatter(x, 'x', tiled=True)),
                ('axis_index', lambda x: x + lax.axis_index('x'))):
            yield name, jax.shard_map(collective, mesh=mesh, in_specs=P('x'), out_specs=P('x'), check_vma=False), (a(64, 16),)


def write(folder):
    os.environ['JAX_PLATFORMS'] = 'cpu'
    os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'
    import jax
    from jax._src.lib import xla_client
    jax.config.update('jax_enable_x64', True)
    full = xla_client.hlo.HloPrintOptions()
    full.print_large_constants = True

    def save(name, module, with_proto):
        with open(os.path.join(folder, name + '.hlo'), 'w', encoding='utf-8') as file:
            file.write(module.to_string(full))
        if with_proto:
            with open(os.path.join(folder, name + '.pb'), 'wb') as file:
                file.write(module.as_serialized_hlo_module_proto())

    for number, (name, function, arguments) in enumerate(programs()):
        try:
            lowered = jax.jit(function).lower(*arguments)
        except (TypeError, NotImplementedError, ValueError):
            continue  # not every function is there for every type
        name = f'{number:03}_{name}'
        save(name, lowered.compiler_ir('hlo').get_hlo_module(), with_proto=number % 3 == 0 and 'top_k' not in name)
        if number % COMPILED_EVERY == 0 and 'foreign' not in name:
            for module in lowered.compile().runtime_executable().hlo_modules():
                save(name + '.opt', module, with_proto=False)


TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_%][\w.\-]*[=:]?|-?\d[\w.+\-]*|->|<=|\.\.\.|/\*.*?\*/|\s+|.', re.S)
INSERTED = ('{', '}', '(', ')', ',', '=', '0', '-1', '1.5', 'inf', 'nan', 'true', 'f32', 'ROOT', 'ENTRY', '?', '<=', '"x"',
            '{0}', '{}', '1x1', '0_0', '/*c*/', '// c\n', '{1,0}', 'f32[]', 'token[]', ', sharding={replicated}',
            ', metadata={op_name="x"}', ', frontend_attributes={a="b"}', ', backend_config={"a":1}', 'constant(0)')


# Tokens that may stand for each other; the rest are alike when they are equal in length and both no words.
ALIKE = tuple(re.compile(pattern) for pattern in (
    r'-?\d+', r'-?\d[\w.+\-]*', r'"[^"]*"', r'(?:[fsuc]\d|bf16|pred|token)\w*', r'\w[\w.\-]*=', r'%?[\w.\-]+:?'))
SHAPE = r'(?:\(.*?\)|\w+\[[^\]\n]*\](?:\{[^}\n]*\})?)'
RESULT_SHAPE = re.compile(rf'(?<== ){SHAPE} (?=[a-z][\w\-]*\()')
ATTRIBUTE = re.compile(r', \w+=(?:\{[^{}\n]*\}|[^,{}\n]*)(?=[,\n])')
LINE = re.compile(r'^  .*\n', re.M)


def change_token(choose, text, tokens, pool):
    """With one token dropped, doubled, exchanged, replaced or put in."""
    tokens = list(tokens)
    places = [i for i, token in enumerate(tokens) if not token.isspace()]
    at, other, kind = choose.choice(places), choose.choice(places), choose.randrange(5)
    done = f'{("drop", "double", "exchange", "replace", "insert")[kind]} {tokens[at]!r}'
    if kind == 0:
        tokens[at] = ''
    elif kind == 1:
        tokens[at] += ' ' + tokens[at]
    elif kind == 2:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    else:
        token = choose.choice(pool if kind == 3 else INSERTED)
        tokens[at] = token if kind == 3 else tokens[at] + ' ' + token
        done += f' {token!r}'
    return ''.join(tokens), done


def change_alike(choose, text, tokens, pool):
    """With one token replaced by one of its kind, of this text or of any: what is read more often than not."""
    tokens = list(tokens)
    at = choose.choice([i for i, token in enumerate(tokens) if not token.isspace()])
    kind = next((kind for kind in ALIKE if kind.fullmatch(tokens[at])), None)
    candidates = [token for token in choose.choice((tokens, pool))
                  if (kind.fullmatch(token) if kind else len(token) == 1 and not token.isalnum() and not token.isspace())]
    token = choose.choice(candidates or tokens)
    done = f'put {token!r} for {tokens[at]!r}'
    tokens[at] = token
    return ''.join(tokens), done


def change_part(choose, text, tokens, pool):
    """With a result shape or an attribute left out, or a line left out, doubled or exchanged with its neighbour."""
    part, keep = choose.choice(((RESULT_SHAPE, 0), (RESULT_SHAPE, 0), (ATTRIBUTE, 0), (LINE, 0), (LINE, 2), (LINE, -1)))
    found = list(part.finditer(text))
    if not found:
        return text, 'nothing'
    at = choose.randrange(len(found))
    begin, end = found[at].span()
    if keep >= 0:
        return text[:begin] + keep * found[at][0] + text[end:], f'{keep} times {found[at][0]!r}'
    after = found[min(at + 1, len(found) - 1)]
    return text[:begin] + after[0] + text[end:after.start()] + found[at][0] + text[after.end():], f'exchange {found[at][0]!r}'


def mutants(texts, count, seed=1):
    """Texts with something changed, and what was done."""
    choose = random.Random(seed)
    split = [TOKENS.findall(text) for text in texts]
    pool = [token for tokens in split for token in tokens if not token.isspace()]
    for _ in range(count):
        at = choose.randrange(len(texts))
        change = choose.choice((change_token, change_alike, change_alike, change_part))
        yield change(choose, texts[at], split[at], pool)


if __name__ == '__main__':
    write(sys.argv[1])
