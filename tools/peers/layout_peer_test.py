#!/usr/bin/env python3
"""Holds linear memory against XLA's: which cell holds which element, and how many bytes there are.

usage: layout_peer_test.py ASSAY

Two peers: XLA's own functions on layouts, called where they lie in JAX's library (orders, tiles, tail padding, E(n));
and the memory of arrays that XLA CPU computed (orders, packed elements), read byte by byte. What `assay show --layout`
prints is compared with both. What no peer shows: docs/layouts_and_views.md. Needs jax (peers.py).
"""
import ctypes
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile

import peers

PARSE_SHAPE = '_ZN3xla10ParseShapeESt17basic_string_view'
LINEAR_INDEX = '_ZN3xla10LayoutUtil11LinearIndexERKNS_5ShapeE'
ARRAY_SIZE = '_ZN3xla9ShapeUtil9ArraySizeERKNS_5ShapeE'
OK = 1  # a Status that holds nothing

SIZES = ((7,), (1,), (0,), (3, 5), (5, 3), (2, 4), (1, 9), (2, 3, 4), (3, 1, 5), (4, 4, 4), (2, 3, 2, 5), (2, 0, 3))
TILES = ('', 'T(4)', 'T(2,4)', 'T(4,2)', 'T(8,128)', 'T(3,1)', 'T(2,2,3)')
TAILS = ('', 'L(16)')
# Element types with the packed width that XLA gives them.
PACKED = {'s4': 4, 'u4': 4, 's2': 2, 'u2': 2}
TYPES = {'s8': 'int8', 'u16': 'uint16', 's32': 'int32', 'f32': 'float32', 's64': 'int64', 'f64': 'float64',
         's4': 'int4', 'u4': 'uint4', 's2': 'int2', 'u2': 'uint2'}


class LayoutFunctions:
    """XLA's functions on shapes with a layout."""

    def __init__(self):
        from xla_verifier import addresses
        at = addresses((PARSE_SHAPE, LINEAR_INDEX, ARRAY_SIZE))
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        # (returned StatusOr<Shape>, length and data of the text)
        self.parse = ctypes.CFUNCTYPE(pointer, pointer, number, ctypes.c_char_p)(at[PARSE_SHAPE])
        # (shape, data and length of the index)
        self.linear_index = ctypes.CFUNCTYPE(number, pointer, pointer, number)(at[LINEAR_INDEX])
        self.array_size = ctypes.CFUNCTYPE(number, pointer)(at[ARRAY_SIZE])

    def shape(self, text):
        """The bytes of an XLA shape; they must outlive what points into them."""
        returned = (ctypes.c_uint64 * 512)()
        self.parse(ctypes.addressof(returned), len(text), text.encode())
        if returned[0] != OK:
            raise RuntimeError(f'XLA cannot read the shape {text}')
        return returned

    def memory(self, text, sizes):
        """The cells of the elements in row-major order, and the bytes."""
        shape = self.shape(text)
        address = ctypes.addressof(shape) + 8
        cells = [self.linear_index(address, (ctypes.c_int64 * len(sizes))(*index), len(sizes))
                 for index in itertools.product(*map(range, sizes))]
        return cells, self.array_size(address)


def layouts():
    """(type, sizes, text of the layout): every order with every tile, and every width of elements."""
    for sizes in SIZES:
        for order in itertools.permutations(range(len(sizes))):
            for tile, tail in itertools.product(TILES, TAILS):
                # XLA's function takes arrays of rank 1 as untiled, and tiles of more dimensions than the array has
                # only where none of them is left out.
                if tile.count(',') + bool(tile) > len(sizes) or (tile and len(sizes) == 1 and tile != 'T(4)'):
                    continue
                if tail and not tile:
                    continue  # XLA pads the tail of tiled arrays only
                yield 's32', sizes, layout_text(order, tile + tail)
        order = tuple(reversed(range(len(sizes))))
        for name, bits in (*PACKED.items(), ('u1', 1)):
            for width in (f'E({bits})', f'T(2)E({bits})'):
                yield name, sizes, layout_text(order, width)


def layout_text(order, rest):
    return '{' + ','.join(map(str, order)) + (':' + rest if rest else '') + '}'


def values(name, count):
    """Different ones up to 128, as far as the type has them."""
    bits = 1 if name == 'u1' else PACKED.get(name, 7)
    numbers = [k % (1 << bits) for k in range(count)]
    if name in ('s4', 's2'):
        numbers = [k - (1 << bits) if k >= 1 << (bits - 1) else k for k in numbers]
    return numbers


def shown(assay, arrays):
    """What Assay shows of arrays (type, sizes, layout) with the values above."""
    texts = [f'{name}[{",".join(map(str, sizes))}]' for name, sizes, _ in arrays]
    lines = [f'p{i} = {text}{layout} parameter({i})' for i, (text, (_, _, layout)) in enumerate(zip(texts, arrays))]
    module = 'HloModule memory\n\nENTRY e {\n  ' + '\n  '.join(lines) + '\n  ROOT r = () tuple()\n}\n'
    inputs = [{'name': f'arg{i}', 'shape': text, 'memory': [str(k) for k in values(name, math.prod(sizes))]}
              for i, (text, (name, sizes, _)) in enumerate(zip(texts, arrays))]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, file) for file in ('memory.hlo', 'inputs.json')]
        for path, content in zip(paths, (module, json.dumps(inputs))):
            with open(path, 'w') as f:
                f.write(content)
        process = subprocess.run([assay, 'show', paths[0], '--layout', '--json', '--inputs', paths[1]],
                                 capture_output=True, text=True)
    if process.returncode:
        raise RuntimeError(f'assay show failed: {process.stderr[:2000]}')
    return json.loads(process.stdout)


def compare_with_functions(assay):
    functions, arrays, bad = LayoutFunctions(), list(layouts()), 0
    elements = 0
    for (name, sizes, layout), ours in zip(arrays, shown(assay, arrays), strict=True):
        text = f'{name}[{",".join(map(str, sizes))}]{layout}'
        cells, size = functions.memory(text, sizes)
        memory = ['_'] * len(ours['memory'])
        elements += len(cells)
        in_range = all(cell < len(memory) for cell in cells)
        if in_range:
            for cell, value in zip(cells, values(name, len(cells))):
                memory[cell] = str(value)
        if not in_range or memory != ours['memory'] or size != ours['bytes']:
            bad += 1
            print(f'{text}: XLA {size} bytes, cells {cells}\n  Assay {ours["bytes"]} bytes, {" ".join(ours["memory"])}')
    print(f'{len(arrays)} layouts, {elements} elements compared with XLA\'s functions, {bad} differ')
    return bad


def device_bytes(jax, name, sizes, order, count):
    """The memory of an array that XLA CPU computed in this order of dimensions."""
    import ml_dtypes
    import numpy
    from jax.experimental.layout import Format, Layout
    dtype = numpy.dtype(getattr(ml_dtypes, TYPES[name]) if name in PACKED else TYPES[name])
    where = Format(Layout(tuple(reversed(order))), jax.sharding.SingleDeviceSharding(jax.devices('cpu')[0]))
    numbers = numpy.array(values(name, math.prod(sizes)), numpy.int32).reshape(sizes)
    array = jax.block_until_ready(jax.jit(lambda x: x.astype(dtype), out_shardings=where)(numbers))
    return ctypes.string_at(array.unsafe_buffer_pointer(), count) if count else b''


def packed(memory, bits):
    """Cell k in the bits from k * bits on, the lowest of a byte first."""
    number = sum((int(word) & ((1 << bits) - 1)) << (k * bits) for k, word in enumerate(memory))
    return number.to_bytes((len(memory) * bits + 7) // 8, 'little')


def compare_with_buffers(assay):
    import jax
    import numpy
    jax.config.update('jax_enable_x64', True)
    arrays = [(name, sizes, order) for name in TYPES for sizes in SIZES
              for order in itertools.permutations(range(len(sizes))) if len(sizes) < 4 or name in ('s4', 's32')]
    laid_out = [(name, sizes, layout_text(order, f'E({PACKED[name]})' if name in PACKED else ''))
                for name, sizes, order in arrays]
    bad = 0
    for (name, sizes, order), ours in zip(arrays, shown(assay, laid_out), strict=True):
        if name in PACKED:
            expected = packed(ours['memory'], PACKED[name])
        else:
            expected = numpy.array([int(word) for word in ours['memory']], TYPES[name]).tobytes()
        found = device_bytes(jax, name, sizes, order, len(expected))
        if name in PACKED and len(found) and math.prod(sizes) * PACKED[name] % 8:
            # The bits after the last element are anybody's.
            mask = (1 << (math.prod(sizes) * PACKED[name] % 8)) - 1
            found = found[:-1] + bytes([found[-1] & mask])
        if len(expected) != ours['bytes'] or found != expected:
            bad += 1
            print(f'{ours["shape"]}: XLA {found.hex()}, Assay {expected.hex()} in {ours["bytes"]} bytes')
    print(f'{len(arrays)} arrays compared with memory of XLA CPU, {bad} differ')
    return bad


def main():
    assay = sys.argv[1]
    peers.need('numpy', 'jax')
    return 1 if compare_with_functions(assay) + compare_with_buffers(assay) else 0


if __name__ == '__main__':
    sys.exit(main())
