#!/usr/bin/env python3
"""Prints the speeds that docs/python.md states; needs JAX. The best of several runs counts."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import assay
from assay._arrays import to_core


def best_ms(call: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def cpu_ms(program: str) -> float:
    """Processor time of an interpreter that runs the program, the least of five."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, '-c', program], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times) * 1e3


def main() -> None:
    f = jax.jit(lambda x, w: jnp.tanh(x @ w))
    x, w = jnp.ones((8, 64)), jnp.full((64, 32), 0.01)
    f(x, w)
    check = assay.check(f)
    print(f'check of a small function: {best_ms(lambda: check(x, w), 30):.1f} ms')
    large = np.ones(1 << 26, np.float32)
    print(f'passing 256 MB: {best_ms(lambda: to_core(large, "x"), 5):.3f} ms')
    print(f'import: {cpu_ms("import assay") - cpu_ms("pass"):.0f} ms of processor time')


if __name__ == '__main__':
    main()
