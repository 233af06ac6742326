#!/usr/bin/env python3
"""JAX programs on Assay's plug-in and on XLA CPU, in one process.

usage: pjrt_jax.py build/release/lib/libassay_pjrt.so [--only PART] [--every N] [--verbose]

Every program of jax_programs.py, those on four devices too, runs on both. Integers, truth values and types must be
equal. Floating-point results may differ by TOLERANCE units in the last place of the largest element, as XLA's functions
and sums are not correctly rounded: this is a check of the way through the plug-in; what the values may be is judged by
`assay test`. At the end no buffer, event or executable may be left that JAX has given up.
"""
import argparse
import ctypes
import gc
import importlib.util
import os
import pathlib
import sys

import peers

peers.need('jax', 'numpy')

TOLERANCE = 256
# By program: why the values may differ beyond that.
DIFFERENT = {'linalg.svd': 'the sign of a pair of singular vectors is free'}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('library')
    parser.add_argument('--only', default='')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--verbose', action='store_true')
    return parser.parse_args()


OPTIONS = arguments()
os.environ['PJRT_NAMES_AND_LIBRARY_PATHS'] = f'assay:{os.path.abspath(OPTIONS.library)}'
os.environ['JAX_PLATFORMS'] = 'assay,cpu'
os.environ['ASSAY_DEVICES'] = '4'
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=4'
import jax
import numpy as np

jax.config.update('jax_enable_x64', True)


def programs_on(platform):
    """The programs, whose meshes are made of the devices of a platform."""
    everything = jax.devices
    jax.devices = lambda backend=None: everything(backend or platform)
    path = pathlib.Path(__file__).with_name('jax_programs.py')
    spec = importlib.util.spec_from_file_location(f'jax_programs_{platform}', path)
    module = importlib.util.module_from_spec(spec)
    try:
        with jax.default_device(everything(platform)[0]):
            spec.loader.exec_module(module)
    finally:
        jax.devices = everything
    return module.PROGRAMS


def values_of(wanted, seed):
    random = np.random.default_rng(seed)
    values = []
    for argument in wanted:
        if isinstance(argument, (np.ndarray, np.generic)):
            values.append(np.asarray(argument))
            continue
        shape, dtype = argument
        dtype = np.dtype(dtype)
        if dtype == np.bool_:
            values.append(random.integers(0, 2, shape).astype(dtype))
        elif dtype.kind in 'iu':
            values.append(random.integers(0 if dtype.kind == 'u' else -9, 10, shape).astype(dtype))
        elif dtype.kind == 'c':
            values.append((random.uniform(-2, 2, shape) + 1j * random.uniform(-2, 2, shape)).astype(dtype))
        else:
            values.append(random.uniform(-2, 2, shape).astype(np.float32).astype(dtype))
    return values


def results_on(platform, function, values):
    device = jax.devices(platform)[0]
    with jax.default_device(device):
        results = jax.tree.leaves(jax.jit(function)(*values))
        found = [np.asarray(result) for result in results if not jax.dtypes.issubdtype(result.dtype, jax.dtypes.extended)]
    for result in results:
        if {one.platform for one in result.devices()} != {device.platform}:
            raise AssertionError(f'a result lies on {result.devices()}')
    return found


def difference(ours, theirs):
    """What is wrong between two results; empty: nothing."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f'{ours.dtype}{ours.shape} instead of {theirs.dtype}{theirs.shape}'
    if ours.tobytes() == theirs.tobytes() or ours.size == 0:
        return ''
    if ours.dtype.kind in 'biu' or ours.dtype.name.startswith(('int', 'uint')):
        return f'{np.count_nonzero(ours != theirs)} of {ours.size} elements differ'
    if ours.dtype.kind == 'c':
        pairs = [(ours.real, theirs.real), (ours.imag, theirs.imag)]
    else:
        pairs = [(ours, theirs)]
    epsilon = float(jax.numpy.finfo(pairs[0][0].dtype).eps)
    scale = max([1e-300] + [float(np.max(np.abs(part.astype(np.float64)), initial=0, where=np.isfinite(part.astype(np.float64))))
                            for _, part in pairs])
    for mine, other in pairs:
        mine, other = mine.astype(np.float64), other.astype(np.float64)
        same = (mine == other) | (np.isnan(mine) & np.isnan(other))
        with np.errstate(invalid='ignore'):
            near = np.abs(mine - other) <= TOLERANCE * epsilon * scale
        if not np.all(same | near):
            worst = np.argmax(np.where(same | near, 0, np.abs(np.nan_to_num(mine) - np.nan_to_num(other)) + 1e-300))
            return f'{mine.flat[worst]} instead of {other.flat[worst]} (the largest is {scale})'
    return ''


def run_all():
    run = failed = 0
    ours, theirs = programs_on('assay'), programs_on('cpu')
    for number, ((name, function, wanted), (_, reference, _)) in enumerate(zip(ours, theirs)):
        if OPTIONS.only not in name or number % OPTIONS.every:
            continue
        run += 1
        values = values_of(wanted, number)
        try:
            expected = results_on('cpu', reference, values)
            found = results_on('assay', function, values)
            wrong = [difference(*pair) for pair in zip(found, expected, strict=True)]
            problem = next((each for each in wrong if each), '')
        except Exception as error:  # whatever JAX raises
            problem = f'{type(error).__name__}: {str(error).splitlines()[0][:300] if str(error) else ""}'
        if problem and name in DIFFERENT:
            problem = ''
        if problem:
            failed += 1
            print(f'{name}: {problem}')
        elif OPTIONS.verbose:
            print(f'{name}: ok')
    return run, failed


def live_objects():
    counts = (ctypes.c_int64 * 5)()
    ctypes.CDLL(os.path.abspath(OPTIONS.library)).AssayPjrtLiveObjects(counts)
    return dict(zip(('clients', 'buffers', 'events', 'executables', 'errors'), counts))


def main():
    run, failed = run_all()
    jax.clear_caches()
    gc.collect()
    live = live_objects()
    print(f'{run} programs on the plug-in and on XLA CPU, {failed} differ; left: {live}')
    # JAX keeps arrays that modules of its own hold, and their executables.
    left = live['events'] + live['errors']
    return 1 if failed or left or run == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
