#!/usr/bin/env python3
"""Times whole programs on the cpu backend beside XLA CPU, alternating in one run, and prints ratios.

usage: bench_programs.py ASSAY_BINARY [--operations] [--only NAME,NAME] [--repeat N] [--backend cpu] [--markdown] [--cpu-time]

With --operations, twelve single operations take the place of the programs.

Runs under the peers' Python (tools/setup --peers). XLA CPU is timed on the compiled call, Assay by
the seconds of `assay run --json`, which are those of the execution alone; of both the fastest counts.
With --cpu-time, processor time of all threads is compared instead, which other work on the machine disturbs less.
"""
import argparse
import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update('jax_enable_x64', True)
RANDOM = np.random.default_rng(7)


def f32(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def integers(limit, *shape):
    return RANDOM.integers(0, limit, shape, dtype=np.int32)


def mlp(params, x, y):
    (w1, b1), (w2, b2), (w3, b3) = params
    h = jnp.tanh(x @ w1 + b1)
    h = jax.nn.relu(h @ w2 + b2)
    logits = (h @ w3 + b3).astype(jnp.float32)
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * y, -1))


def mlp_step(params, x, y):
    loss, grads = jax.value_and_grad(mlp)(params, x, y)
    return loss, jax.tree.map(lambda p, g: (p - 0.1 * g).astype(p.dtype), params, grads)


def mlp_arguments(dtype):
    sizes = [(256, 512), (512, 256), (256, 16)]
    params = [((f32(a, b) / math.sqrt(a)).astype(dtype), np.zeros(b, dtype)) for a, b in sizes]
    return params, f32(128, 256).astype(dtype), np.eye(16, dtype=np.float32)[integers(16, 128)]


def layer_norm(x, gain, shift):
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean((x - mean)**2, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5).astype(x.dtype) * gain + shift


def transformer(params, x):
    wq, wk, wv, wo, w1, w2, gain, shift = params
    n, d = x.shape
    heads = 4
    split = lambda y: y.reshape(n, heads, d // heads).transpose(1, 0, 2)
    y = layer_norm(x, gain, shift)
    q, k, v = split(y @ wq), split(y @ wk), split(y @ wv)
    scores = jnp.einsum('hqd,hkd->hqk', q, k) / math.sqrt(d // heads)
    mask = jnp.arange(n)[:, None] >= jnp.arange(n)[None, :]
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9).astype(jnp.float32), -1).astype(x.dtype)
    out = jnp.einsum('hqk,hkd->hqd', weights, v).transpose(1, 0, 2).reshape(n, d)
    x = x + out @ wo
    return x + jax.nn.gelu(layer_norm(x, gain, shift) @ w1) @ w2


def transformer_step(params, x, target):
    loss = lambda p: jnp.mean((transformer(p, x) - target).astype(jnp.float32)**2)
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: (p - 0.1 * g).astype(p.dtype), params, grads)


def transformer_arguments(dtype, n=128, d=128):
    weights = [(f32(d, d) / math.sqrt(d)).astype(dtype) for _ in range(4)]
    weights += [(f32(d, 4 * d) / math.sqrt(d)).astype(dtype), (f32(4 * d, d) / 23).astype(dtype)]
    return weights + [np.ones(d, dtype), np.zeros(d, dtype)], f32(n, d).astype(dtype), f32(n, d).astype(dtype)


def convnet_gradient(w1, w2, head, x, y):
    def loss(w1, w2, head):
        conv = lambda x, w: lax.conv_general_dilated(x, w, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
        h = jax.nn.relu(conv(x, w1))
        h = lax.reduce_window(h, -np.float32(np.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
        h = jax.nn.relu(conv(h, w2))
        logits = jnp.mean(h, (1, 2)) @ head
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * y, -1))
    return jax.value_and_grad(loss, (0, 1, 2))(w1, w2, head)


def scan_rnn(w, u, b, xs):
    step = lambda h, x: ((h2 := jnp.tanh(h @ w + x @ u + b)), h2)
    return lax.scan(step, jnp.zeros((8, 64), jnp.float32), xs)


def decode_step(wq, wk, wv, wo, keys, values, x, position):
    heads, length, width = keys.shape
    q, k, v = ((x @ w).reshape(heads, 1, width) for w in (wq, wk, wv))
    start = (jnp.int32(0), position, jnp.int32(0))
    keys = lax.dynamic_update_slice(keys, k, start)
    values = lax.dynamic_update_slice(values, v, start)
    scores = jnp.einsum('hqd,hkd->hqk', q, keys) / math.sqrt(width)
    scores = jnp.where(jnp.arange(length) <= position, scores, -1e9)
    out = jnp.einsum('hqk,hkd->hqd', jax.nn.softmax(scores, -1), values).reshape(1, -1)
    return out @ wo, keys, values


def kmeans(points, centres):
    distances = jnp.sum(points**2, 1)[:, None] - 2 * points @ centres.T + jnp.sum(centres**2, 1)
    nearest = jax.nn.one_hot(jnp.argmin(distances, 1), centres.shape[0], dtype=points.dtype)
    return nearest.T @ points / jnp.maximum(nearest.sum(0), 1)[:, None]


def black_scholes(spot, strike, time_):
    rate, sigma = np.float32(0.03), np.float32(0.25)
    root = jnp.sqrt(time_) * sigma
    d1 = (jnp.log(spot / strike) + (rate + sigma * sigma / 2) * time_) / root
    phi = lambda x: np.float32(0.5) * (1 + lax.erf(x * np.float32(math.sqrt(0.5))))
    return spot * phi(d1) - strike * jnp.exp(-rate * time_) * phi(d1 - root)


def spectrum(x):
    y = jnp.fft.rfft(x * jnp.hanning(x.shape[-1]).astype(x.dtype))
    return jnp.log1p(jnp.real(y)**2 + jnp.imag(y)**2)


def embedding(table, indices, gradient):
    rows = table[indices]
    return rows.sum(), table.at[indices].add(-0.1 * gradient)


def ode(y, a):
    def step(y, _):
        g = lambda y: jnp.tanh(y @ a) - y
        k1 = g(y)
        k2 = g(y + 0.005 * k1)
        k3 = g(y + 0.005 * k2)
        k4 = g(y + 0.01 * k3)
        return y + (0.01 / 6) * (k1 + 2 * k2 + 2 * k3 + k4), None
    return lax.scan(step, y, None, length=100)[0]


def threefry(key):
    return jax.random.uniform(jax.random.wrap_key_data(key, impl='threefry2x32'), (1 << 18,), dtype=jnp.float32)


def mandelbrot(re, im):
    def body(state):
        i, z_re, z_im, count = state
        squares = z_re * z_re, z_im * z_im
        inside = squares[0] + squares[1] < 4
        new_im = jnp.where(inside, 2 * z_re * z_im + im, z_im)
        return i + 1, jnp.where(inside, squares[0] - squares[1] + re, z_re), new_im, count + inside
    zeros = jnp.zeros_like(re)
    start = 0, zeros, zeros, jnp.zeros(re.shape, jnp.int32)
    return lax.while_loop(lambda s: s[0] < 50, body, start)[3]


def quantised_dot(x, w, scale):
    y = lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    return jnp.clip(jnp.round(y.astype(jnp.float32) * scale), -128, 127).astype(jnp.int8)


def programs():
    grid = np.meshgrid(np.linspace(-2, 1, 256, dtype=np.float32), np.linspace(-1, 1, 256, dtype=np.float32))
    spots = np.abs(f32(1 << 18)) + np.float32(0.5)
    return {
        'mlp_train_step_f32': (mlp_step, mlp_arguments(np.float32)),
        'mlp_train_step_bf16': (mlp_step, mlp_arguments(jnp.bfloat16)),
        'transformer_train_step_f32': (transformer_step, transformer_arguments(np.float32)),
        'transformer_train_step_bf16': (transformer_step, transformer_arguments(jnp.bfloat16)),
        'convnet_gradient': (convnet_gradient, (f32(3, 3, 3, 16), f32(3, 3, 16, 32), f32(32, 10), f32(8, 32, 32, 3),
                                               np.eye(10, dtype=np.float32)[integers(10, 8)])),
        'scan_rnn': (scan_rnn, (f32(64, 64) / 8, f32(32, 64) / 8, f32(64), f32(64, 8, 32))),
        'decode_step_with_cache': (decode_step, (*(f32(256, 256) / 16 for _ in range(4)), f32(4, 512, 64), f32(4, 512, 64),
                                                 f32(1, 256), np.int32(100))),
        'kmeans_step': (kmeans, (f32(4096, 32), f32(64, 32))),
        'black_scholes': (black_scholes, (spots, spots[::-1].copy(), np.abs(f32(1 << 18)) + np.float32(0.1))),
        'fft_spectrum': (spectrum, (f32(64, 1024),)),
        'sort_and_top_k': (lambda x: (jnp.sort(x, -1), lax.top_k(x, 8), jnp.argsort(x, -1)), (f32(16, 4096),)),
        'embedding_gather_scatter': (embedding, (f32(8192, 64), integers(8192, 2048), f32(2048, 64))),
        'ode_rk4_f64': (ode, (RANDOM.standard_normal((16, 32)), RANDOM.standard_normal((32, 32)) / 6)),
        'threefry_uniform': (threefry, (np.array([1, 2], np.uint32),)),
        'image_resize': (lambda x: jax.image.resize(x, (4, 96, 96, 3), 'bilinear'), (f32(4, 64, 64, 3),)),
        'mandelbrot': (mandelbrot, grid),
        'int8_dot': (quantised_dot, (RANDOM.integers(-128, 128, (256, 256), dtype=np.int8),
                                     RANDOM.integers(-128, 128, (256, 256), dtype=np.int8), np.float32(1e-3))),
        'matmul_chain': (lambda a, b, c, d: a @ b @ c @ d, tuple(f32(256, 256) / 16 for _ in range(4))),
        'layer_norm': (layer_norm, (f32(1024, 1024), f32(1024), f32(1024))),
    }


def operations():
    convolution = lambda x, k: lax.conv_general_dilated(x, k, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
    rows, million = integers(4096, 4096), f32(1 << 20)
    return {
        'add_1m': (lambda a, b: a + b, (million, f32(1 << 20))),
        'exp_1m': (jnp.exp, (million,)),
        'tanh_1m': (jnp.tanh, (million,)),
        'dot_256': (lax.dot, (f32(256, 256), f32(256, 256))),
        'convolution_32x32x16': (convolution, (f32(1, 32, 32, 16), f32(3, 3, 16, 16))),
        'reduce_sum_1m': (lambda a: lax.reduce(a, np.float32(0), lax.add, (1,)), (f32(1024, 1024),)),
        'reduce_window_256': (lambda a: lax.reduce_window(a, -np.float32(np.inf), lax.max, (3, 3), (2, 2), 'SAME'),
                              (f32(256, 256),)),
        'transpose_1m': (lambda a: lax.transpose(a, (1, 0)), (f32(1024, 1024),)),
        'gather_64k': (lambda a, i: a[i], (f32(4096, 16), rows)),
        'scatter_add_4k': (lambda a, i, u: a.at[i].add(u), (f32(4096, 16), rows, f32(4096, 16))),
        'sort_64k': (lax.sort, (f32(1 << 16),)),
        'while_10k': (lambda a: lax.fori_loop(0, 10000, lambda i, x: x * np.float32(0.999) + np.float32(1), a), (f32(4),)),
    }


def time_xla(call, arguments, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        jax.block_until_ready(call(*arguments))
        times.append(time.perf_counter() - start)
        time.sleep(0.002)
    return min(times)


def time_assay(options, module, inputs):
    command = [options.assay, 'run', str(module), '--inputs', str(inputs), '--json', '--quiet', '--backend',
               options.backend, '--repeat', str(options.repeat)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr.strip() or done.stdout[:500], file=sys.stderr)
        return math.nan
    return json.loads(done.stdout)['seconds']


def cpu_time_of_xla(call, arguments, repeat):
    start = time.process_time()
    for _ in range(repeat):
        jax.block_until_ready(call(*arguments))
    return (time.process_time() - start) / repeat


def cpu_time_of_assay(options, module, inputs):
    def run(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [options.assay, 'run', str(module), '--inputs', str(inputs), '--json', '--quiet', '--backend',
                   options.backend, '--repeat', str(repeat)]
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    executions = 8 * options.repeat  # what starting takes is subtracted
    seconds = (run(executions + 1) - run(1)) / executions
    if seconds <= 0:
        print(f'{module.stem}: shorter than what starting the command varies by; repeat more often', file=sys.stderr)
        return math.nan
    return seconds


def measure(name, function, arguments, options, folder):
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    module, inputs = folder / f'{name}.pb', folder / f'{name}.npz'
    module.write_bytes(lowered.compiler_ir('hlo').as_serialized_hlo_module_proto())
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]
    np.savez(inputs, **{f'arg{i}': leaf for i, leaf in enumerate(leaves)})
    call = lowered.compile()
    on_device = jax.tree.map(jax.device_put, arguments)
    jax.block_until_ready(call(*on_device))
    xla = assay = math.inf
    if options.cpu_time:
        return cpu_time_of_xla(call, on_device, 2 * options.repeat), cpu_time_of_assay(options, module, inputs)
    for _ in range(2):  # in turn
        xla = min(xla, time_xla(call, on_device, options.repeat))
        assay = min(assay, time_assay(options, module, inputs))
    return xla, assay


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('assay')
    parser.add_argument('--operations', action='store_true', help='single operations in place of programs')
    parser.add_argument('--only', default='')
    parser.add_argument('--repeat', type=int, default=10)
    parser.add_argument('--backend', default='cpu')
    parser.add_argument('--keep', help='folder for the modules and inputs')
    parser.add_argument('--markdown', action='store_true')
    parser.add_argument('--cpu-time', action='store_true')
    options = parser.parse_args()
    only = options.only.split(',') if options.only else None
    row = '| {:30s} | {:>11s} | {:>11s} | {:>11s} |' if options.markdown else '{:30s} {:>11s} {:>11s} {:>11s}'
    print(row.format('program', 'XLA CPU, us', 'assay, us', 'XLA / assay'))
    if options.markdown:
        print('|---|---|---|---|')
    ratios = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, (function, arguments) in (operations() if options.operations else programs()).items():
            if only and name not in only:
                continue
            xla, assay = measure(name, function, arguments, options, folder)
            print(row.format(name, f'{xla * 1e6:.0f}', f'{assay * 1e6:.0f}', f'{xla / assay:.2f}'), flush=True)
            ratios.append(xla / assay)
    good = [r for r in ratios if r == r]
    if good:
        mean = math.exp(sum(map(math.log, good)) / len(good))
        print(f'geometric mean over {len(good)} of {len(ratios)}: {mean:.2f}, least {min(good):.2f}')
    return 0 if len(good) == len(ratios) and good else 1


if __name__ == '__main__':
    sys.exit(main())
