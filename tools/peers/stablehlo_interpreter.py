#!/usr/bin/env python3
"""StableHLO's own interpreter, through jaxlib, as a process for Assay (docs/process_backend.md).

usage, from Assay:  --target "process:$HOME/.cache/assay/peers/bin/python tools/peers/stablehlo_interpreter.py"

Assay sends modules as StableHLO text; what StableHLO cannot say is counted as not supported. The interpreter runs one
device, and knows neither CHLO, custom calls nor random numbers: such modules are refused as unsupported. It aborts on
some programs, and then this process's child ends, too (children.py). Needs jax (tools/setup --peers).
"""
import re
import sys
import time

try:
    import jaxlib
    import ml_dtypes
    import numpy as np
    from jax._src.interpreters import mlir as jax_mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
except ImportError:
    raise SystemExit('stablehlo_interpreter.py needs jax: tools/setup --peers installs it; run the script with '
                     '~/.cache/assay/peers/bin/python instead of python3')

from assay_process import Refusal
from children import serve_in_children

# Types of HLO by the names that shapes begin with, as numpy has them. jaxlib's bindings have no complex constants.
DTYPES = {'pred': np.bool_, 's8': np.int8, 's16': np.int16, 's32': np.int32, 's64': np.int64, 'u8': np.uint8,
          'u16': np.uint16, 'u32': np.uint32, 'u64': np.uint64, 'f16': np.float16, 'bf16': ml_dtypes.bfloat16,
          'f32': np.float32, 'f64': np.float64}


def constant_of(shape, data):
    """The array as elements of MLIR: their bytes in hexadecimal are the same for all types."""
    name, sizes = shape.split('{')[0].rstrip(']').split('[')
    element = 'i1' if name == 'pred' else name.replace('s', 'i') if name[0] == 's' else name.replace('u', 'ui')
    kind = f'tensor<{"".join(size + "x" for size in sizes.split(",") if size)}{element}>'
    return ir.Attribute.parse(f'dense<"0x{data.hex()}"> : {kind}' if data else f'dense<> : {kind}')


def bfloats_of(value):
    """The elements of a constant that the bindings give only as text."""
    text = str(value).rsplit(' : ', 1)[0]
    count = int(np.prod(value.type.shape, dtype=np.int64))
    if '"0x' in text:
        array = np.frombuffer(bytes.fromhex(text.split('"')[1][2:]), ml_dtypes.bfloat16)
    else:
        words = re.findall(r'0x[0-9A-F]+|-?[0-9.]+(?:[eE][-+]?[0-9]+)?', text)
        array = np.array([np.array(int(word, 16), np.uint16).view(ml_dtypes.bfloat16) if word.startswith('0x')
                          else ml_dtypes.bfloat16(float(word)) for word in words], ml_dtypes.bfloat16)
    return np.broadcast_to(array, count) if array.size == 1 else array


def bytes_of(value):
    """(shape of HLO, bytes) of a result."""
    kind = str(value.type.element_type)
    names = {'i1': 'pred'}
    name = names.get(kind) or (kind.replace('ui', 'u') if kind.startswith('ui') else kind.replace('i', 's', 1)
                               if kind[0] == 'i' else kind)
    if name not in DTYPES:
        raise Refusal('unsupported', f'results of type {kind}')
    sizes = ','.join(str(size) for size in value.type.shape)
    array = bfloats_of(value) if name == 'bf16' else np.array(value)
    return f'{name}[{sizes}]', np.ascontiguousarray(array.astype(DTYPES[name])).tobytes()


class Compiled:
    devices = 1

    def __init__(self, module):
        self.module = module


class Interpreter:
    feeds = False

    def __init__(self):
        self.context = jax_mlir.make_ir_context()

    def hello(self):
        return {'name': 'StableHLO interpreter', 'version': jaxlib.version.__version__, 'formats': ['stablehlo'],
                'types': sorted(DTYPES), 'devices': 1}

    def compile(self, format, module):
        del format
        for word in (b'chlo.', b'stablehlo.custom_call', b'stablehlo.rng', b'tuple<'):
            if word in module:
                raise Refusal('unsupported', f'the interpreter does not run {word.decode()}')
        with self.context:
            try:
                return Compiled(ir.Module.parse(module))
            except Exception as error:
                raise Refusal('invalid', str(error)[:500])

    def execute(self, compiled, arguments):
        with self.context, ir.Location.unknown():
            values = [constant_of(*argument[:2]) for argument in arguments[0]]
            start = time.perf_counter()
            try:
                results = stablehlo.eval_module(compiled.module, values)
            except Exception as error:
                raise Refusal('unsupported', str(error)[:500])
            return time.perf_counter() - start, [[bytes_of(result) for result in results]]


if __name__ == '__main__':
    serve_in_children(Interpreter)
    sys.exit(0)
