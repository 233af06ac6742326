#!/usr/bin/env python3
"""Holds Assay's declarations of PJRT's C interface against those of PyPI's `pypjrt`, which are generated from the header:
every function's slot, every struct's size, every field's name, offset and size, every element type's number.

usage: pjrt_layout_peer_test.py build/release/bin/pjrt_layout
"""
import ctypes
import importlib
import json
import subprocess
import sys

import peers

peers.need('pypjrt')
abi = importlib.import_module('pypjrt._abi.pjrt_0_114')


def main():
    ours = json.loads(subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout)
    wrong = []

    def same(what, mine, theirs):
        if mine != theirs:
            wrong.append(f'{what}: {mine} is declared, {theirs} expected')

    same('functions', ['PJRT_' + name for name in ours['functions']], list(abi.FUNCTIONS))
    same('size of the table', ours['api_size'], abi.VTABLE_OFFSET + 8 * len(abi.FUNCTIONS))
    fields = 0
    for name, layout in ours['structs'].items():
        theirs = getattr(abi, name)
        described = theirs._fields_
        last, kind = described[-1]
        end = getattr(theirs, last).offset + ctypes.sizeof(kind)
        same(f'struct_size of {name}', layout['size'], getattr(abi, name + '_STRUCT_SIZE', end))
        same(f'number of fields of {name}', len(layout['fields']), len(described))
        for (field, offset, size), (their_field, kind) in zip(layout['fields'], described):
            fields += 1
            if not their_field.startswith('_anon'):  # a union has no name there
                same(f'a field of {name}', field, their_field)
            same(f'offset of {name}.{field}', offset, getattr(theirs, their_field).offset)
            same(f'size of {name}.{field}', size, ctypes.sizeof(kind))
    for name, number in ours['types'].items():
        same(f'number of {name}', number, getattr(abi, 'PJRT_Buffer_Type_' + name.upper()))
    for line in wrong:
        print(line)
    print(f'{len(ours["structs"])} structs, {fields} fields, {len(ours["functions"])} functions, {len(ours["types"])} types'
          f' compared, {len(wrong)} differ')
    return 1 if wrong or fields == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
