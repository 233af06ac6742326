#!/usr/bin/env python3
"""Times XLA CPU's compiler on the program of 500 instructions that backends/cpu/planning_bench.cc plans.

usage: bench_compile.py [--repeat N]        (runs under the peers' Python, tools/setup --peers)

Prints the least time of a compilation in milliseconds, and that of a call on four elements in microseconds.
"""
import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def program(x, w, b):
    for _ in range(50):
        t = jnp.tanh(lax.dot(x, w) + lax.broadcast_in_dim(b, (64, 32), (1,)))
        e = jnp.exp(lax.reduce(t, np.float32(0), lax.add, (1,)))
        x = -(t / lax.broadcast_in_dim(e, (64, 32), (0,))) - x
    return x


def least(call, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--repeat', type=int, default=3)
    options = parser.parse_args()
    shapes = [jax.ShapeDtypeStruct(s, np.float32) for s in ((64, 32), (32, 32), (32,))]
    times = []
    for _ in range(options.repeat):
        jax.clear_caches()
        lowered = jax.jit(program).lower(*shapes)
        times.append(least(lowered.compile, 1))
    print(f'compile, 500 instructions: {min(times) * 1e3:.1f} ms')
    four = jax.device_put(np.zeros(4, np.float32))
    call = jax.jit(lambda a, b: (a + b) * b).lower(four, four).compile()
    print(f'call on four elements: {least(lambda: jax.block_until_ready(call(four, four)), 1000) * 1e6:.1f} us')


if __name__ == '__main__':
    main()
