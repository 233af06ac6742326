"""How the programs of programs_*.py are declared: a function, and what its arguments are."""
import dataclasses

import jax.numpy as jnp

DTYPES = {'f32': jnp.float32, 'f64': jnp.float64, 'bf16': jnp.bfloat16, 'f16': jnp.float16, 's32': jnp.int32, 's8': jnp.int8,
          'u8': jnp.uint8, 'u32': jnp.uint32, 'c64': jnp.complex64, 'pred': jnp.bool_, 'f8e4m3fn': jnp.float8_e4m3fn,
          's4': jnp.int4, 'u64': jnp.uint64}


@dataclasses.dataclass(frozen=True)
class Argument:
    type: str
    sizes: tuple
    profile: str  # of values, with its parameters

    @property
    def dtype(self):
        return DTYPES[self.type]

    def text(self, number):
        name, *parameters = self.profile.split()
        shape = f'{self.type}[{",".join(map(str, self.sizes))}]'
        return ' '.join([name, shape, f'seed={number + 1}', *parameters])


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    type: str  # in which it computes mostly
    function: object
    arguments: tuple


PROGRAMS = []


def argument(text):
    """'f32[4,8] unit': benign where no profile is named."""
    shape, _, profile = text.partition(' ')
    name, sizes = shape.rstrip(']').split('[')
    return Argument(name, tuple(int(size) for size in sizes.split(',') if size), profile or 'benign')


def program(*arguments, type=None):
    """Declares a function as a program whose arguments are those."""
    def declare(function):
        parsed = tuple(argument(text) for text in arguments)
        PROGRAMS.append(Program(function.__name__, type or parsed[0].type, function, parsed))
        return function
    return declare
