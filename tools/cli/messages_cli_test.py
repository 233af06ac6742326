#!/usr/bin/env python3
"""The commonest mistakes and what the command says of each: what is wrong, where, and what to do. testdata/messages.txt holds them.

usage: messages_cli_test.py ASSAY SOURCE_DIR [--write]

A block is a command after `$`, its exit code, and what it prints. --write writes the blocks anew, to be read before they are committed.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile

from cli_testing import ASSAY, SOURCE, npy

GOLDEN = os.path.join(SOURCE, 'tools', 'cli', 'testdata', 'messages.txt')
ADD = b'ENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n  ROOT r = f32[2] add(x, y)\n}\n'
OLD = '''import json, os
requests, answers = os.fdopen(int(os.environ['ASSAY_REQUEST_FD']), 'rb'), os.fdopen(int(os.environ['ASSAY_RESPONSE_FD']), 'wb')
hello = json.loads(requests.readline())
answers.write(json.dumps({'type': 'hello', 'protocol': 0, 'id': hello['id'], 'name': 'old', 'formats': ['hlo-text']}).encode() + b'\\n')
answers.flush()
requests.read()
'''
MOST_LINES = 30


def make_files():
    one, two = npy('<f4', (2,), b'\0\0\x80?\0\0\0@'), npy('<f4', (3,), bytes(12))
    files = {'add.hlo': ADD, 'wrong.hlo': ADD.replace(b'add(', b'addd('), 'shapes.hlo': ADD.replace(b'y = f32[2]', b'y = f32[3]'),
             'i.txt': b'f32[2] {1, 2}\nf32[2] {3, 4}\n', 'one.txt': b'f32[2] {1, 2}\n', 'o.txt': b'f32[2] {4, 6}\n', 'f.py': b'def f(x):\n  return x\n',
             'empty.hlo': b'', 'empty.npz': b'', 'noise.pb': bytes(range(7, 107)), 'bytecode.mlirbc': b'ML\xefRhello', 'prints.py': b'print("the answer is 42")\n', 'old.py': OLD.encode()}
    for name, content in files.items():
        with open(name, 'wb') as file:
            file.write(content)
    for name, arrays in (('names.npz', {'x': one, 'y': one}), ('unnamed.npz', {'arr_0': one, 'arr_1': one}), ('shape.npz', {'arg0': two, 'arg1': one}),
                         ('three.npz', {'arg0': one, 'arg1': one, 'arg2': one}), ('arguments.npz', {'arg0': one}), ('f64.npz', {'arg0': npy('<f8', (2,), bytes(16)), 'arg1': one}),
                         ('strings.npz', {'arg0': npy('<U1', (2,), bytes(8)), 'arg1': one})):
        with zipfile.ZipFile(name, 'w') as archive:
            for key, content in arrays.items():
                archive.writestr(key + '.npy', content)
    os.mkdir('folder')


def block(command):
    result = subprocess.run([ASSAY, *shlex.split(command)[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    text = re.sub(r'matches \d+ cases', 'matches N cases', result.stdout.decode(errors='replace'))  # the corpus grows
    lines = text.splitlines()
    return f'$ {command}\nexit code {result.returncode}\n' + ''.join(f'{line}\n' for line in lines[:MOST_LINES])


def main():
    with open(GOLDEN, encoding='utf-8') as file:
        text = file.read()
    head, *blocks = text.split('\n\n')
    os.environ.update(NO_COLOR='1', LC_ALL='C')
    os.environ.pop('COLUMNS', None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        now = [block(each.splitlines()[0][2:]) for each in blocks]
        os.chdir('/')
    if '--write' in sys.argv:
        with open(GOLDEN, 'w', encoding='utf-8') as file:
            file.write('\n\n'.join([head, *(each.rstrip('\n') for each in now)]) + '\n')
        return 0
    wrong = 0
    for old, new in zip(blocks, now):
        if old.rstrip('\n') == new.rstrip('\n'):
            continue
        wrong += 1
        print(f'expected:\n{old}\nbut now:\n{new}')
    print(f'{len(blocks)} messages, {wrong} differ')
    return int(wrong > 0 or len(blocks) < 20)


if __name__ == '__main__':
    sys.exit(main())
