#!/usr/bin/env python3
"""JAX programs on Assay's plug-in and on XLA CPU, in one process.

usage: pjrt_jax.py build/release/lib/libassay_pjrt.so [--only PART] [--every N [--offset K]] [--verbose]
                   [--package DIR]

Every program of jax_programs.py, those on four devices too, runs on both, and the judge is asked about both, with the
program that JAX compiled and the arguments that it gave: what the plug-in returns must be the golden results (profile
golden), what XLA CPU returns must be what profile xla-cpu permits. The judge is that of the Python package of the same
build. At the end no event or error may be left that JAX has given up.
"""
import argparse
import collections
import ctypes
import gc
import importlib.util
import os
import pathlib
import sys

import peers

peers.need('jax', 'numpy')

# By program: what XLA CPU does wrong there, by a value or by an error.
XLA_IS_WRONG = {'async.all_to_all': 'docs/findings/082.md'}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('library')
    parser.add_argument('--only', default='')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--offset', type=int, default=0, help='of every N programs the one with this number')
    parser.add_argument('--verbose', action='store_true')
    parser.add_argument('--package', help='the folder of the Python package (default: python beside the library)')
    return parser.parse_args()


OPTIONS = arguments()
os.environ['PJRT_NAMES_AND_LIBRARY_PATHS'] = f'assay:{os.path.abspath(OPTIONS.library)}'
os.environ['JAX_PLATFORMS'] = 'assay,cpu'
os.environ['ASSAY_DEVICES'] = '4'
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=4'
PACKAGE = OPTIONS.package or os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(OPTIONS.library))), 'python')
if not os.path.isdir(os.path.join(PACKAGE, 'assay')):
    peers.skip(f'there is no Python package of Assay in {PACKAGE}: tools/setup installs what it is built with')
sys.path.insert(0, PACKAGE)
import json

import assay
import jax
import numpy as np
from assay import _arrays, _core

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


def plain(leaf):
    """What a key is made of; other arrays as they are."""
    return jax.random.key_data(leaf) if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.extended) else leaf


def run_on(platform, function, values):
    """The program as it was lowered, its results, and how to get the program as the platform was given it."""
    device = jax.devices(platform)[0]
    with jax.default_device(device):
        jitted = jax.jit(function, keep_unused=True)
        lowered = jitted.lower(*values)
        module = assay.load(lowered)
        leaves = jax.tree.leaves(jitted(*values))
        found = [np.asarray(plain(leaf)) for leaf in leaves]
    for leaf in leaves:
        if {one.platform for one in leaf.devices()} != {device.platform}:
            raise AssertionError(f'a result lies on {leaf.devices()}')
    return module, found, lambda: assay.load(lowered.compile())


def judgement(module, values, found, profile):
    """The verdict, and the sentence on it."""
    actual = [[_arrays.to_core(array, f'result {i}') for i, array in enumerate(found)]]
    text, sentence, _ = _core.judge(module._core, module._arguments(tuple(values), {}, convert=True), actual, profile,
                                    _core.Budget(), {})
    return json.loads(text)['verdict'], sentence


def problem_of(name, ours, theirs, values):
    """What is wrong with a program; empty: nothing. The verdict on XLA CPU comes with it."""
    module, found, given = run_on('assay', ours, values)
    golden, sentence = judgement(module, values, found, 'golden')
    if golden == 'wrong':
        # jaxlib writes functions of complex numbers as real ones before it gives a program to a plug-in.
        golden, sentence = judgement(given(), values, found, 'golden')
    if golden not in ('exact', 'correctly rounded'):
        return f'the plug-in: {golden}: {sentence}', ''
    try:
        module, found, _ = run_on('cpu', theirs, values)
        verdict, sentence = judgement(module, values, found, 'xla-cpu')
    except jax.errors.JaxRuntimeError as error:
        verdict, sentence = 'wrong', f'JaxRuntimeError: {str(error).splitlines()[0][:300]}'
    if verdict == 'wrong' and name not in XLA_IS_WRONG:
        return f'XLA CPU: {sentence}', verdict
    if verdict != 'wrong' and name in XLA_IS_WRONG:
        return f'XLA CPU is right now ({XLA_IS_WRONG[name]})', verdict
    return '', verdict


def run_all():
    run, failed, verdicts = 0, 0, collections.Counter()
    ours, theirs = programs_on('assay'), programs_on('cpu')
    for number, ((name, function, wanted), (_, reference, _)) in enumerate(zip(ours, theirs)):
        if OPTIONS.only not in name or number % OPTIONS.every != OPTIONS.offset:
            continue
        run += 1
        try:
            problem, verdict = problem_of(name, function, reference, values_of(wanted, number))
        except Exception as error:  # whatever JAX or the judge raises
            problem, verdict = f'{type(error).__name__}: {str(error).splitlines()[0][:300] if str(error) else ""}', ''
        verdicts[verdict] += 1
        if problem:
            failed += 1
            print(f'{name}: {problem}')
        elif OPTIONS.verbose:
            print(f'{name}: {verdict}')
    return run, failed, verdicts


def live_objects():
    counts = (ctypes.c_int64 * 5)()
    ctypes.CDLL(os.path.abspath(OPTIONS.library)).AssayPjrtLiveObjects(counts)
    return dict(zip(('clients', 'buffers', 'events', 'executables', 'errors'), counts))


def main():
    run, failed, verdicts = run_all()
    jax.clear_caches()
    gc.collect()
    live = live_objects()
    said = ', '.join(f'{count} {verdict}' for verdict, count in sorted(verdicts.items()) if verdict)
    print(f'{run} programs, {failed} fail. The plug-in gives golden results; XLA CPU: {said}. Left: {live}')
    # JAX keeps arrays that modules of its own hold, and their executables.
    left = live['events'] + live['errors']
    return 1 if failed or left or run == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
