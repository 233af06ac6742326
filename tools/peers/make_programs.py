#!/usr/bin/env python3
"""Writes conformance/corpus/cases/program/*.cases: whole programs, lowered from JAX code to HLO, with arguments from value
profiles (docs/corpus_format.md). What they compute: programs_*.py here.

usage: make_programs.py DIR               needs jax (tools/setup --peers)
       make_programs.py --check DIR       holds the files in DIR to the code: another jax may lower it otherwise

Programs are lowered for a platform without library calls, so that factorisations and top-k stay operations of HLO. Each has at
least 100 instructions.
"""
import os
import sys

import peers

peers.need('jax')
os.environ['JAX_PLATFORMS'] = 'cpu'
import jax  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402

import programs_linear  # noqa: E402, F401  (their programs declare themselves)
import programs_model  # noqa: E402, F401
import programs_other  # noqa: E402, F401
from programs import PROGRAMS  # noqa: E402

FAMILIES = ('linear', 'model', 'other')
LEAST_INSTRUCTIONS = 100
JAX = '0.10.2'  # whose lowering is in the tree


def text_of(program):
    """HLO text without layouts and metadata, and how many instructions it has."""
    jax.config.update('jax_enable_x64', program.type in ('f64', 'u64', 's64'))
    shapes = [jax.ShapeDtypeStruct(a.sizes, a.dtype) for a in program.arguments]
    traced = jax.jit(program.function, keep_unused=True).trace(*shapes)
    computation = traced.lower(lowering_platforms=('tpu', )).compiler_ir('hlo')
    options = xla_client.hlo.HloPrintOptions()
    options.print_large_constants = True
    for name in ('print_metadata', 'print_percent', 'print_operand_shape', 'print_program_shape', 'print_backend_config',
                 'include_layout_in_shapes'):
        setattr(options, name, False)
    text = computation.as_hlo_module().to_string(options)
    header, body = text.split('\n', 1)
    assert 'custom-call' not in body, f'{program.name} calls a library'
    return f'HloModule {program.name}\n{body}', body.count(' = ')


def case_of(program):
    text, instructions = text_of(program)
    assert instructions >= LEAST_INSTRUCTIONS, f'{program.name} has {instructions} instructions'
    lines = [f'case program/{program.type}/{program.name}', f'tags: type={program.type} form=program', 'module:']
    lines += ['  ' + line for line in text.split('\n') if line.strip()]
    lines += ['inputs:'] + [f'  arg{i} = {a.text(i)}' for i, a in enumerate(program.arguments)]
    return '\n'.join(lines + ['expect: golden', 'confirmed: mpfr', ''])


def main():
    check, folder = '--check' in sys.argv, sys.argv[-1]
    if check and jax.__version__ != JAX:
        peers.skip(f'jax is {jax.__version__}, not {JAX}')
    for family in FAMILIES:
        cases = [case_of(each) for each in PROGRAMS if each.function.__module__ == f'programs_{family}']
        text = '# Written by tools/peers/make_programs.py from JAX code.\n\n' + '\n'.join(cases)
        path = os.path.join(folder, family + '.cases')
        if check:
            with open(path, encoding='utf-8') as file:
                assert file.read() == text, f'{path} is not what the code makes'
        else:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        print(f'{path}: {len(cases)} programs')


if __name__ == '__main__':
    main()
