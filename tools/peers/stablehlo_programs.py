#!/usr/bin/env python3
"""Text, bytecode, portable artifact and HLO of the same JAX program must give the same bits.

usage: stablehlo_programs.py ASSAY [--only PART] [--every N] [--verbose]

Every program of jax_programs.py is lowered by JAX and run by Assay: as StableHLO text, with debug information, as
bytecode, as the artifact of jax.export, and as the HLO that XLA's own converter makes. Functions of CHLO are expanded as
XLA does it (--expand-chlo), so that both compute the same formulas. Differences that have a reason are listed below.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import peers

peers.need('jax', 'numpy')
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=4'
os.environ['JAX_PLATFORMS'] = 'cpu'
import jax
import numpy as np

jax.config.update('jax_enable_x64', True)
from jax import export

import jax_programs

# JAX's client rewrites these functions of complex numbers into real arithmetic before it makes HLO and artifacts, so
# that they compute something else than the operation in the text.
COMPLEX_MATHS = 'JAX rewrites the complex function into real arithmetic'
HLO_DIFFERS = {f'{function}.complex64': COMPLEX_MATHS for function in ('exp', 'log', 'logistic', 'sqrt')}
HLO_DIFFERS['async.all_to_all'] = 'XLA puts reshapes beside the collective into what starts, where HLO has one instruction'


def values_of(arguments, seed):
    random = np.random.default_rng(seed)
    values = []
    for argument in arguments:
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


def save(path, values):
    # What numpy would save as <f1, a type that nobody else knows, goes as its bits.
    values = [value.view('V1') if value.dtype.str == '<f1' else value for value in map(np.asarray, values)]
    np.savez(path, **{f'arg{number}': value for number, value in enumerate(values)})


def run(assay, path, inputs, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out.npz')
        process = subprocess.run([assay, 'run', str(path), '--inputs', str(inputs), '--out', out, '--quiet', *options],
                                 capture_output=True, text=True, timeout=300)
        if process.returncode != 0:
            return None, process.stderr.strip()[:500]
        with np.load(out, allow_pickle=False) as arrays:
            return {name: (arrays[name].dtype.str, arrays[name].shape, arrays[name].tobytes()) for name in arrays.files}, ''


def bytecode_of(module):
    import io
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def forms_of(folder, function, values):
    jitted = function if hasattr(function, "lower") else jax.jit(function, keep_unused=True)
    lowered = jitted.lower(*values)
    forms = {'text.mlir': lowered.as_text().encode(), 'debug.mlir': lowered.as_text(debug_info=True).encode(),
             'plain.mlirbc': bytecode_of(lowered.compiler_ir('stablehlo')),
             'hlo.pb': lowered.compiler_ir('hlo').as_serialized_hlo_module_proto()}
    try:
        forms['artifact.mlirbc'] = export.export(jitted)(*values).mlir_module_serialized
    except Exception:  # programs that cannot be exported, such as those with custom calls that are not stable
        pass
    paths = {}
    for name, content in forms.items():
        paths[name] = pathlib.Path(folder) / name
        paths[name].write_bytes(content)
    return paths


def export_forms(folder, function, shapes, dtype, sizes):
    scope = export.SymbolicScope()
    specs = []
    for shape in shapes:
        specs.append(jax.ShapeDtypeStruct(export.symbolic_shape(', '.join(map(str, shape)), scope=scope), dtype))
    exported = export.export(jax.jit(function))(*specs)
    concrete = []
    for shape in shapes:
        concrete.append((tuple(eval(str(size), {}, sizes) for size in shape), dtype))
    values = values_of(concrete, 1)
    paths = {'dynamic.mlir': pathlib.Path(folder) / 'dynamic.mlir', 'dynamic.mlirbc': pathlib.Path(folder) / 'dynamic.mlirbc',
             'hlo.pb': pathlib.Path(folder) / 'hlo.pb'}
    paths['dynamic.mlir'].write_text(exported.mlir_module())
    paths['dynamic.mlirbc'].write_bytes(exported.mlir_module_serialized)
    paths['hlo.pb'].write_bytes(jax.jit(function).lower(*values).compiler_ir('hlo').as_serialized_hlo_module_proto())
    return paths, values


def compare(name, assay, paths, inputs, options):
    """Problems of a program; none when all forms give the same bits."""
    results = {}
    problems = []
    for form, path in paths.items():
        extra = options if form != 'hlo.pb' else []
        results[form], message = run(assay, path, inputs, *extra)
        if results[form] is None:
            problems.append(f'{form}: {message}')
    first = next((form for form in paths if results[form] is not None), None)
    for form in paths:
        if results[form] is not None and results[form] != results[first]:
            problems.append(f'{form} differs from {first}')
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('assay')
    parser.add_argument('--only', default='')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_args()
    rows = [(name, 'plain', row) for name, *row in jax_programs.PROGRAMS] + [
        (name, 'export', row) for name, *row in jax_programs.EXPORTS]
    assert len({name for name, _, _ in rows}) == len(rows), 'names of programs must be unique'
    counts, bad = collections.Counter(), []
    for number, (name, kind, row) in enumerate(rows):
        if options.only not in name or number % options.every != 0:
            continue
        with tempfile.TemporaryDirectory() as folder:
            inputs = pathlib.Path(folder) / 'in.npz'
            extra = ['--expand-chlo']
            try:
                if kind == 'export':
                    paths, values = export_forms(folder, *row)
                    extra += [word for key, size in row[3].items() for word in ('--shape', f'{key}={size}')]
                else:
                    values = values_of(row[1], number)
                    paths = forms_of(folder, row[0], values)
                save(inputs, values)
            except Exception as error:  # noqa: BLE001: whatever JAX has against the program
                counts['JAX does not lower it'] += 1
                bad.append((name, f'JAX: {type(error).__name__}: {str(error)[:300]}'))
                continue
            problems = compare(name, options.assay, paths, inputs, extra)
        if not problems:
            counts['equal'] += 1
        elif name in HLO_DIFFERS:
            counts['differs, with a reason'] += 1
        else:
            counts['differs'] += 1
            bad.append((name, '; '.join(problems)))
        if options.verbose:
            print(name, problems or 'equal', flush=True)
    for name, problem in bad:
        print(f'{name}: {problem}')
    print(', '.join(f'{count} {what}' for what, count in sorted(counts.items())))
    return 1 if bad or not counts else 0


if __name__ == '__main__':
    sys.exit(main())
