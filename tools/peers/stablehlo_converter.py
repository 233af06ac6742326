#!/usr/bin/env python3
"""Assay's mapping of StableHLO to HLO against XLA's own converter (jaxlib's), on programs of StableHLO's repository.

usage: stablehlo_converter.py ASSAY --source DIR [--only PART] [--every N] [--verbose]

Every function of every chunk becomes a program of its own. Where XLA's converter takes it, both forms run on the same
arguments on the golden interpreter: the results must have the same bits. The converter runs in a child process, since
it ends the process on some inputs.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import peers

peers.need('jax', 'numpy')
FUNCTION = re.compile(r'func\.func (?:public |private )?@(?:"([^"]+)"|([A-Za-z0-9_.$-]+))')
CHECK = re.compile(r'^.*(?:custom_call @check\.|"?check\.expect_).*$', re.M)
SEED = 20
# Programs whose results differ, and why that is right.
REASONS = [
    (r'@?(test_)?rng(_\w+)?$', 'random numbers depend on the names of instructions'),
    (r'einsum_i\dxi\d_i\d+$', 'the converter gives the result the type of the operands'),
    (r'set_dimension_size', 'the converter makes the result bounded, whatever its type says'),
    (r'(exp|expm1|log|log1p|logistic|sqrt|rsqrt|cbrt|tan|tanh)_complex(64|128)_',
     'the converter rewrites the complex function into real arithmetic'),
    (r'stablehlo_complex_math_expander', 'the converter rewrites the complex function into real arithmetic'),
    (r'with_promotable_types', 'the converter leaves operands in their own, narrower type'),
]


def arguments_of(types):
    """Values for the types of a function, or None where one is not a static array."""
    import ml_dtypes
    import numpy as np
    names = {'i1': np.bool_, 'i8': np.int8, 'i16': np.int16, 'i32': np.int32, 'i64': np.int64, 'ui8': np.uint8, 'ui16': np.uint16,
             'ui32': np.uint32, 'ui64': np.uint64, 'f16': np.float16, 'f32': np.float32, 'f64': np.float64,
             'bf16': ml_dtypes.bfloat16, 'complex<f32>': np.complex64, 'complex<f64>': np.complex128,
             'i2': ml_dtypes.int2, 'i4': ml_dtypes.int4, 'ui2': ml_dtypes.uint2, 'ui4': ml_dtypes.uint4,
             **{f'f8{exact}': getattr(ml_dtypes, f'float8_{exact.lower()}')
                for exact in ('E5M2', 'E4M3FN', 'E4M3', 'E3M4', 'E4M3B11FNUZ', 'E4M3FNUZ', 'E5M2FNUZ', 'E8M0FNU')}}
    random = np.random.default_rng(SEED)
    values = []
    for text in types:
        match = re.fullmatch(r'tensor<((?:\d+x)*)(.+)>', text)
        if not match or match.group(2) not in names:
            return None
        shape = tuple(int(size) for size in match.group(1).split('x') if size)
        if np.prod(shape, dtype=float) > 1e6:
            return None
        dtype = np.dtype(names[match.group(2)])
        if dtype.kind in 'biu' or 'int' in dtype.name:
            values.append(random.integers(0, 2 if dtype.kind == 'b' else 4, shape).astype(dtype))
        elif dtype.kind == 'c':
            values.append((random.uniform(-2, 2, shape) + 1j * random.uniform(-2, 2, shape)).astype(dtype))
        else:
            values.append(random.uniform(0.1, 2, shape).astype(np.float32).astype(dtype))
    return values


def keep_main(module):
    """Takes out the functions that main does not need: XLA's converter takes all of them or none."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.passmanager import PassManager
    for op in module.body.operations:
        if op.operation.name == 'func.func':
            is_main = ir.StringAttr(op.attributes['sym_name']).value == 'main'
            op.attributes['sym_visibility'] = ir.StringAttr.get('public' if is_main else 'private')
    PassManager.parse('builtin.module(symbol-dce)').run(module.operation)


def child(folder):
    """Reads the path of a program per line; writes its HLO and its arguments beside it."""
    import jaxlib._jax
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir
    for line in sys.stdin:
        path = pathlib.Path(line.strip())
        print(json.dumps({'begin': str(path)}), flush=True)
        try:
            with mlir.make_ir_context():
                module = ir.Module.parse(path.read_text())
                keep_main(module)
                main = next(op for op in module.body.operations if 'sym_name' in op.attributes and
                            ir.StringAttr(op.attributes['sym_name']).value == 'main')
                types = [str(t) for t in ir.FunctionType(ir.TypeAttr(main.attributes['function_type']).value).inputs]
                values = arguments_of(types)
                if values is None:
                    raise ValueError('arguments are not static arrays')
                # use_tuple_args, return_tuple
                computation = jaxlib._jax.mlir.mlir_module_to_xla_computation(str(module), False, False)
                path.write_text(str(module))
                path.with_suffix('.pb').write_bytes(computation.as_serialized_hlo_module_proto())
                np.savez(path.with_suffix('.npz'), **{f'arg{i}': value for i, value in enumerate(values)})
            answer = {'ok': True}
        except Exception as error:  # noqa: BLE001: whatever MLIR and XLA refuse
            answer = {'ok': False, 'why': str(error)[:200]}
        print(json.dumps(answer), flush=True)


class Converter:
    """The child process, started anew when it ends."""

    def __init__(self, folder):
        self.folder, self.process = folder, None

    def convert(self, path):
        if self.process is None or self.process.poll() is not None:
            environment = dict(os.environ, JAX_PLATFORMS='cpu')
            self.process = subprocess.Popen([sys.executable, __file__, '--child', self.folder], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        try:
            self.process.stdin.write(f'{path}\n')
            self.process.stdin.flush()
            self.process.stdout.readline()
            line = self.process.stdout.readline()
        except OSError:
            line = ''
        if not line:
            self.process.wait()
            return {'ok': False, 'why': 'the converter crashed'}
        return json.loads(line)


def programs(root, only):
    files = sorted((root / 'tests').glob('*.mlir')) + sorted((root / 'tests' / 'interpret').rglob('*.mlir')) + sorted(
        (root / 'testdata').glob('*.mlir'))
    for path in files:
        if only not in str(path):
            continue
        for number, text in enumerate(re.split(r'^// -----.*$', path.read_text(encoding='utf-8'), flags=re.M)):
            if 'expected-error' in text:
                continue
            names = [a or b for a, b in FUNCTION.findall(text)]
            text = CHECK.sub('', text)
            if 'main' in names:
                yield f'{path.relative_to(root)}#{number}', text
                continue
            for name in names:
                renamed = re.sub(r'@"?' + re.escape(name) + r'"?\b', '@main', text)
                yield f'{path.relative_to(root)}#{number}@{name}', renamed


def evaluate(assay, path, inputs, folder, *options):
    out = os.path.join(folder, 'out.npz')
    if os.path.exists(out):
        os.remove(out)
    try:
        process = subprocess.run([assay, 'run', str(path), '--inputs', str(inputs), '--out', out, '--quiet', *options],
                                 capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, 'takes more than five minutes'
    if process.returncode != 0:
        return None, process.stderr.strip()[:300]
    import numpy as np
    with np.load(out, allow_pickle=False) as arrays:
        return {name: (arrays[name].dtype.str, arrays[name].shape, arrays[name].tobytes()) for name in arrays.files}, ''


def main():
    if sys.argv[1:2] == ['--child']:
        child(sys.argv[2])
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument('assay')
    parser.add_argument('--source', required=True)
    parser.add_argument('--only', default='')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_args()
    counts, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        converter = Converter(folder)
        path = pathlib.Path(folder) / 'program.mlir'
        for number, (name, text) in enumerate(programs(pathlib.Path(options.source) / 'stablehlo', options.only)):
            if number % options.every:
                continue
            path.write_text(text, encoding='utf-8')
            answer = converter.convert(path)
            if not answer['ok']:
                counts['not converted by XLA'] += 1
                if options.verbose:
                    print(f'{name}: {answer["why"]}')
                continue
            inputs = path.with_suffix('.npz')
            theirs, why = evaluate(options.assay, path.with_suffix('.pb'), inputs, folder)
            ours, problem = evaluate(options.assay, path, inputs, folder, '--expand-chlo')
            if theirs is None:
                counts['its HLO does not run'] += 1
                if options.verbose:
                    print(f'{name}: HLO: {why}')
            elif ours is None:
                counts['not read by Assay'] += 1
                bad.append((name, problem))
            elif ours == theirs:
                counts['equal'] += 1
            elif reason := next((why for pattern, why in REASONS if re.search(pattern, name)), None):
                counts[f'differ, as {reason}'] += 1
            else:
                counts['differs'] += 1
                bad.append((name, 'the results differ'))
            if options.verbose and ours != theirs:
                print(f'{name}: {problem or "the results differ"}', flush=True)
    for name, problem in bad:
        print(f'{name}: {problem}')
    print(', '.join(f'{count} {what}' for what, count in sorted(counts.items())))
    return 1 if bad or not counts['equal'] else 0


if __name__ == '__main__':
    sys.exit(main())
