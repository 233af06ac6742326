#!/usr/bin/env python3
"""Holds the bits of rng-bit-generator against XLA CPU's: both algorithms and the default one, types of every width, shapes
of rank 0 to 3 (odd, empty), states of both lengths whose counters carry.

usage: random_peer_test.py ASSAY [--anew]

A module has all types of one algorithm and state: of the algorithm's first state with all shapes, of the others, which are
about how counters carry, with three of them, since XLA compiles for ten seconds what has all. `assay diff` runs it on both
sides and compares bit for bit. The module of LIVE is put to XLA CPU in every run, and of the others what has no known answer
(known_answers.py); --anew asks all and stores the answers. Needs jax (peers.py).
"""
import json
import os
import subprocess
import sys
import tempfile

import known_answers
import peers

TYPES = ('u64', 'u32', 'u16', 'u8', 'u4', 's8', 's32', 'f16', 'bf16', 'f32', 'f64')
# The unsigned type of the same width: XLA gives back signed and float results as that.
UNSIGNED = {'s8': 'u8', 's32': 'u32', 'f16': 'u16', 'bf16': 'u16', 'f32': 'u32', 'f64': 'u64'}
SHAPES = ((), (1,), (4,), (5,), (2, 3), (3, 2), (3, 5), (0,), (3, 0), (1, 7), (4, 3, 5), (3, 3, 7), (5, 2, 3))
# An odd and an even number of words, and more than one block of either algorithm.
CARRYING_SHAPES = ((4,), (5,), (3, 3, 7))
TOP = 2**64 - 1
STATES = {
    'rng_three_fry': ((1, 2), (0x0123456789abcdef, TOP - 1), (TOP, TOP)),
    'rng_philox': ((1, 2), (7, TOP), (7, TOP, 5), (TOP, TOP, TOP)),
    'rng_default': ((1, 2, 3),),
}
LIVE = ('rng_three_fry', (TOP, TOP))


def module(algorithm, state, shapes_of_type):
    """The text, and the number of results that it compares."""
    words = f'u64[{len(state)}]'
    lines, shapes, names = [f's = {words} parameter(0)'], [], []
    for type_name in TYPES:
        for sizes in shapes_of_type:
            n, dimensions = len(names) // 2, f'[{",".join(map(str, sizes))}]'
            shape, plain = type_name + dimensions, UNSIGNED.get(type_name, type_name) + dimensions
            lines += [f'r{n} = ({words}, {shape}) rng-bit-generator(s), algorithm={algorithm}',
                      f'next{n} = {words} get-tuple-element(r{n}), index=0',
                      f'x{n} = {shape} get-tuple-element(r{n}), index=1',
                      f'bits{n} = {plain} ' + ('copy' if plain == shape else 'bitcast-convert') + f'(x{n})']
            shapes += [words, plain]
            names += [f'next{n}', f'bits{n}']
    lines.append(f'ROOT all = ({", ".join(shapes)}) tuple({", ".join(names)})')
    return 'HloModule bits\n\nENTRY e {\n  ' + '\n  '.join(lines) + '\n}\n', len(names) // 2


def main():
    assay = sys.argv[1]
    peers.need('numpy', 'jax')
    import numpy
    answers = known_answers.Answers('random_peer', '--anew' in sys.argv)
    compared, bad = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for algorithm, states in STATES.items():
            for state in states:
                text, count = module(algorithm, state, SHAPES if state == states[0] else CARRYING_SHAPES)
                path, inputs = os.path.join(folder, 'bits.hlo'), os.path.join(folder, 'bits.npz')
                with open(path, 'w') as f:
                    f.write(text)
                numpy.savez(inputs, arg0=numpy.array(state, dtype=numpy.uint64))
                process = subprocess.run([assay, 'diff', path, '--inputs', inputs, '--right',
                                          answers.backend(live=(algorithm, state) == LIVE), '--json'],
                                         capture_output=True, text=True)
                compared += count
                if process.returncode == 0:
                    continue
                bad += 1
                print(f'{algorithm} {state}: exit code {process.returncode}')
                try:
                    outputs = json.loads(process.stdout)['comparison']['outputs']
                    print('\n'.join(f'  {o["name"]} {o["shape"]}: {o["verdict"]}' for o in outputs
                                    if o['verdict'] != 'equal')[:2000])
                except (json.JSONDecodeError, KeyError):
                    print(process.stdout[:1000], process.stderr[:1000])
    answers.finish()
    print(f'{compared} results compared with XLA CPU, {bad} modules differ')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
