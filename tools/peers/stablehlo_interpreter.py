#!/usr/bin/env python3
"""StableHLO's own interpreter, through jaxlib, as a process for Assay (docs/process_backend.md).

usage, from Assay:  --target "process:$HOME/.cache/assay/peers/bin/python tools/peers/stablehlo_interpreter.py"
                    [--most-elements N]

Assay sends modules as StableHLO text; what StableHLO cannot say is counted as not supported. The interpreter runs one
device, and knows neither CHLO, custom calls nor random numbers: such modules are refused as unsupported. It aborts on
many programs: one is blamed only where it ends a child that was given nothing else (children.py). Needs jax
(tools/setup --peers).

--most-elements N: modules with larger arrays are refused as unsupported. The interpreter takes a second for an operation
on 10^5 elements, so that a few programs of `assay fuzz` take most of its time.
"""
import argparse
import math
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
    from jaxlib.mlir.passmanager import PassManager
except ImportError:
    raise SystemExit('stablehlo_interpreter.py needs jax: tools/setup --peers installs it; run the script with '
                     '~/.cache/assay/peers/bin/python instead of python3')

from assay_process import Refusal
from children import serve_in_children

# What the interpreter has no evaluation of: it aborts.
NOT_RUN = (b'stablehlo.custom_call', b'stablehlo.rng', b'tuple<', b'stablehlo.cholesky', b'stablehlo.batch_norm',
           b'stablehlo.create_token', b'stablehlo.set_dimension_size', b'#stablehlo.bounds', b'chlo.scan')

SIZES = re.compile(rb'tensor<((?:[0-9]+x)+)')

# HLO's names of element types, the dialect's, and the types in which the bindings hand out results: what they cannot
# hand out is converted in front of the return, without a change of bits.
INTEGERS = {f'{sign}{width}': (f'{"u" if sign == "u" else ""}i{width}', None if width >= 8 else f'{"u" if sign == "u" else ""}i8')
            for sign in 'su' for width in (2, 4, 8, 16, 32, 64)}
FLOATS = {'f16': ('f16', None), 'f32': ('f32', None), 'f64': ('f64', None), 'bf16': ('bf16', 'ui16'),
          'f4e2m1fn': ('f4E2M1FN', 'ui4'), 'f6e2m3fn': ('f6E2M3FN', 'f32'), 'f6e3m2fn': ('f6E3M2FN', 'f32')}
for exact in ('E4M3', 'E3M4', 'E4M3B11FNUZ', 'E4M3FN', 'E4M3FNUZ', 'E5M2', 'E5M2FNUZ', 'E8M0FNU'):
    FLOATS[f'f8{exact.lower()}'] = (f'f8{exact}', 'ui8')
COMPLEX = {'c64': ('complex<f32>', 'f32'), 'c128': ('complex<f64>', 'f64')}
TYPES = {'pred': ('i1', None), **INTEGERS, **FLOATS, **COMPLEX}
NAMES = {element: name for name, (element, _) in TYPES.items()}
SIX_BITS = {'f6e2m3fn': ml_dtypes.float6_e2m3fn, 'f6e3m2fn': ml_dtypes.float6_e3m2fn}


def tensor(sizes, element):
    return f'tensor<{"".join(f"{size}x" for size in sizes)}{element}>'


def constant_of(shape, data):
    """An array as a constant of MLIR: elements as bytes in hexadecimal are the same for all types."""
    name, sizes = shape.split('{')[0].rstrip(']').split('[')
    kind = tensor([size for size in sizes.split(',') if size], TYPES[name][0])
    if name in INTEGERS and data and TYPES[name][1]:  # a byte each, whose upper bits repeat nothing
        width = int(name[1:])
        data = bytes(byte & ((1 << width) - 1) for byte in data)
    return f'dense<"0x{data.hex()}"> : {kind}' if data else f'dense<> : {kind}'


class Result:
    """A result of the program, and what the bindings can hand out in its place."""

    def __init__(self, index, kind):
        element = str(kind.element_type)
        if element not in NAMES:
            raise Refusal('unsupported', f'results of type {kind}')
        self.name, self.sizes, self.kind = NAMES[element], list(kind.shape), str(kind)
        self.parts, self.lines = [], []
        value, given = f'%program#{index}', TYPES[self.name][1]
        if self.name in COMPLEX:
            for part in ('real', 'imag'):
                self.convert(f'%r{index}_{part}', f'stablehlo.{part}', value, self.kind, given)
        elif given is None:
            self.parts.append((value, self.kind))
        elif self.name == 'f4e2m1fn':
            self.convert(f'%r{index}_bits', 'stablehlo.bitcast_convert', value, self.kind, given)
            bits, kind_of_bits = self.parts.pop()
            self.convert(f'%r{index}', 'stablehlo.convert', bits, kind_of_bits, 'ui8')
        else:
            exact = self.name in INTEGERS or self.name in SIX_BITS
            self.convert(f'%r{index}', 'stablehlo.convert' if exact else 'stablehlo.bitcast_convert', value, self.kind, given)

    def convert(self, name, operation, value, kind, element):
        result = tensor(self.sizes, element)
        self.lines.append(f'    {name} = "{operation}"({value}) : ({kind}) -> {result}')
        self.parts.append((name, result))

    def bytes_of(self, values):
        """(shape of HLO, bytes), from the values of the parts."""
        arrays = [np.array(value) for value in values]
        if len(arrays) == 2:
            arrays = [np.stack(arrays, axis=-1)]
        if self.name in SIX_BITS:
            arrays = [arrays[0].astype(SIX_BITS[self.name]).view(np.uint8)]
        array = arrays[0]
        if self.name in INTEGERS and TYPES[self.name][1]:
            array = array.view(np.uint8) & ((1 << int(self.name[1:])) - 1)
        return f'{self.name}[{",".join(map(str, self.sizes))}]', np.ascontiguousarray(array).tobytes()


class Compiled:
    """A program whose function main takes its arguments as constants of a function around it."""
    devices = 1

    def __init__(self, module):
        main = next(op for op in module.body.operations if ir.StringAttr(op.attributes['sym_name']).value == 'main')
        kind = ir.FunctionType(main.type) if not isinstance(main.type, ir.FunctionType) else main.type
        self.inputs = [str(one) for one in kind.inputs]
        self.results = [Result(index, ir.RankedTensorType(one)) for index, one in enumerate(kind.results)]
        main.attributes['sym_name'] = ir.StringAttr.get('assay_program')
        main.attributes['sym_visibility'] = ir.StringAttr.get('private')
        # Not every operation is read in its pretty form: a dynamic_slice of a scalar is not.
        self.functions = '\n'.join(op.operation.get_asm(print_generic_op_form=True) for op in module.body.operations)

    def program(self, arguments):
        parts = [part for result in self.results for part in result.parts]
        lines = ['module {', f'  func.func public @main() -> ({", ".join(kind for _, kind in parts)}) {{']
        lines += [f'    %a{i} = stablehlo.constant {constant_of(*argument[:2])}' for i, argument in enumerate(arguments)]
        called = f'func.call @assay_program({", ".join(f"%a{i}" for i in range(len(arguments)))})'
        signature = f'({", ".join(self.inputs)}) -> ({", ".join(result.kind for result in self.results)})'
        lines.append(f'    {f"%program:{len(self.results)} = " if self.results else ""}{called} : {signature}')
        lines += [line for result in self.results for line in result.lines]
        values, kinds = ', '.join(value for value, _ in parts), ', '.join(kind for _, kind in parts)
        lines += [f'    return {values} : {kinds}' if parts else '    return', '  }', self.functions, '}']
        return '\n'.join(lines)

    def results_of(self, values):
        results, at = [], 0
        for result in self.results:
            results.append(result.bytes_of(values[at:at + len(result.parts)]))
            at += len(result.parts)
        return results


class Interpreter:
    feeds = False

    def __init__(self, context, most_elements):
        self.context, self.most_elements = context, most_elements

    def hello(self):
        return {'name': 'StableHLO interpreter', 'version': jaxlib.version.__version__, 'formats': ['stablehlo'],
                'types': sorted(TYPES), 'devices': 1}

    def compile(self, format, module):
        del format
        for word in NOT_RUN:
            if word in module:
                raise Refusal('unsupported', f'the interpreter does not run {word.decode()}')
        if self.most_elements and any(math.prod(map(int, sizes[:-1].split(b'x'))) > self.most_elements
                                      for sizes in set(SIZES.findall(module))):
            raise Refusal('unsupported', f'arrays of more than {self.most_elements} elements')
        with self.context, ir.Location.unknown():
            try:
                parsed = ir.Module.parse(module)
            except Exception as error:
                raise Refusal('invalid', str(error)[:500])
            if b'chlo.' in module:  # StableHLO's own expansions
                try:
                    PassManager.parse('builtin.module(func.func(chlo-legalize-to-stablehlo))').run(parsed.operation)
                except Exception as error:
                    raise Refusal('unsupported', str(error)[:500])
            return Compiled(parsed)

    def execute(self, compiled, arguments):
        with self.context, ir.Location.unknown():
            program = ir.Module.parse(compiled.program(arguments[0]))
            start = time.perf_counter()
            try:
                values = stablehlo.eval_module(program, [])
            except Exception as error:
                raise Refusal('unsupported', str(error)[:500])
            return time.perf_counter() - start, [compiled.results_of(values)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--most-elements', type=int, default=0)
    most_elements = parser.parse_args().most_elements
    # Made once, before the children are forked. Threads would not survive the fork. A program takes 0.3 ms, a fork 15
    # to 25, so that a child answers many requests; it does not live on for ever, for a context keeps every constant.
    context = jax_mlir.make_ir_context()
    context.enable_multithreading(False)
    stablehlo.register_stablehlo_passes()
    serve_in_children(lambda: Interpreter(context, most_elements), requests=200)


if __name__ == '__main__':
    main()
    sys.exit(0)
