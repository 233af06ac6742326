"""The programs that xla_peer_test.py runs on XLA CPU: a table for each family, the same in every run.

Each family is a module (program_text.py). Those in ALONE have operations whose every element `assay diff --isolate` judges, each
run alone; those in WHOLE (control flow, dynamic sizes, custom calls, collectives) run as they stand and are compared.
"""
from program_text import (COMPLEX, FLOATS, Operand, Program, edges, pairs, plain, region, vector)

WIDE = ('f32', 'f64', 'f16', 'bf16')
NARROW = tuple(kind for kind in FLOATS if kind not in WIDE)
INTEGERS = ('s4', 's8', 's32', 's64', 'u2', 'u8', 'u32', 'u64')

UNARY = ('exponential', 'exponential-minus-one', 'log', 'log-plus-one', 'logistic', 'sine', 'cosine', 'tan', 'tanh', 'sqrt',
         'rsqrt', 'cbrt', 'erf', 'abs', 'negate', 'sign', 'floor', 'ceil', 'round-nearest-afz', 'round-nearest-even',
         'is-finite')
LATE = ('sinh', 'cosh', 'asin', 'acos', 'asinh', 'acosh', 'atanh')  # that XLA CPU leaves to those who lower to it
BINARY = ('add', 'subtract', 'multiply', 'divide', 'remainder', 'maximum', 'minimum', 'power', 'atan2')


def unary(name, kind, values=None):
    return Program(f'{name}_{kind}', f'{name}($0)', (vector(kind, values),), elementwise=True)


def binary(name, kind, values=None):
    return Program(f'{name}_{kind}', f'{name}($0, $1)', pairs(kind, values), elementwise=True)


def floats():
    for kind in WIDE:
        yield from (unary(name, kind) for name in UNARY)
        yield from (binary(name, kind) for name in BINARY)
    yield from (unary(name, 'f32', ('0.5', '1.0')) for name in LATE)


def narrow_floats():
    for kind in NARROW:
        yield from (unary(name, kind) for name in ('exponential', 'log', 'tanh', 'sqrt', 'negate', 'abs', 'sign', 'floor',
                                                   'round-nearest-even', 'is-finite'))
        yield from (binary(name, kind) for name in ('add', 'multiply', 'divide', 'maximum', 'remainder'))


ALONE = {'floats': floats, 'narrow floats': narrow_floats}
WHOLE = {}


def modules():
    """Name of a family, whether its programs run alone, its programs, and what its module says in its first line."""
    for name, family in ALONE.items():
        yield name, True, list(family()), ''
    for name, (family, header) in WHOLE.items():
        yield name, False, list(family()), header
