#!/usr/bin/env python3
"""Holds the reader and the writer of StableHLO's bytecode against MLIR's own (jaxlib's bindings).

usage: stablehlo_bytecode.py TOOL [--source FOLDER] [--versions A,B] [--list]   TOOL is stablehlo_bytecode_tool

Without --source: programs traced by JAX. With --source: every .mlir file below FOLDER (StableHLO's own sources have
3,131), split at `// -----`, and its stored artifacts (.bc). Of every program that MLIR reads and verifies,
  - plain bytecode, and the artifact of each version that MLIR writes, are read by us, and our print of them is our
    print of what MLIR reads from the same bytes, in its generic form: operations, wiring of operands, types, every
    attribute, constants to the last bit;
  - we write an artifact for the same version, and MLIR reads from it, byte for byte in its generic form, what it reads
    from its own;
  - what MLIR cannot write for a version, because the version does not have it, we refuse, too.
What is not compared: see ALLOWED. --list prints the differences.

Needs jax (peers.py). MLIR runs in child processes, since it aborts on some inputs.
"""
import argparse
import collections
import os
import subprocess
import sys

import peers

peers.need('jax')

from stablehlo_text import chunks_of, first_difference, traced_programs

VERSIONS = ('0.9.0', '0.11.0', '0.13.0', '0.14.0', '0.15.0', '0.17.0', '1.0.0', '1.3.0', '1.5.0', '1.7.0', '1.9.0', '1.11.0',
            '1.13.0', '1.15.0', '1.17.0')
# Operations and types of other dialects, parts of our messages: test files have them.
ALLOWED = ('is unknown, so that its properties cannot be read', 'branches between blocks are not supported',
           'sparse constants are not supported', 'the element type of a floating-point', "'cf.br'", "'func.constant'", "'scf.",
           'by branches are not part of StableHLO', 'a memory space are not supported')
# Attributes of newer versions, which MLIR's bindings carry along as attributes that they do not know.
NEWER = (b'result_tilings = []',)

CHILD = r'''
import io, sys
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jax._src.interpreters import mlir as jax_mlir

context = jax_mlir.make_ir_context()
LIMIT = 2000000000


def generic(module):
    return module.operation.get_asm(print_generic_op_form=True, large_elements_limit=LIMIT).encode(errors='surrogateescape')


def answer(*parts):
    sys.stdout.buffer.write((' '.join(str(len(part)) for part in parts) + '\n').encode())
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


def plain(text):
    module = ir.Module.parse(text)
    out = io.BytesIO()
    module.operation.write_bytecode(out)
    return generic(module), out.getvalue()


def artifact(text, version):
    out = stablehlo.serialize_portable_artifact(ir.Module.parse(text), version, allow_other_dialects=True)
    return generic(stablehlo.deserialize_portable_artifact(context, out)), out


def read(data):
    return (generic(stablehlo.deserialize_portable_artifact(context, data)),)


while line := sys.stdin.buffer.readline():
    command, *words, size = line.decode().split()
    data = sys.stdin.buffer.read(int(size))
    with context:
        try:
            answer(*{'plain': plain, 'artifact': artifact, 'read': read}[command](data, *words))
        except Exception as error:
            answer()
'''


class Child:
    """A process that answers commands with data; a fresh one after it died. None: it died."""

    def __init__(self, command):
        self.command, self.process = command, None

    def ask(self, command, data):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL)
        try:
            self.process.stdin.write(f'{command} {len(data)}\n'.encode() + data)
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            if line:
                words = line.split()
                state = words.pop(0) if words and not words[0].isdigit() else b'ok'
                parts = [self.process.stdout.read(int(size)) for size in words]
                return (state == b'ok', parts)
        except BrokenPipeError:
            pass
        self.process.kill()
        self.process.wait()
        self.process = None
        return None


class Comparison:
    def __init__(self, tool):
        self.peer, self.ours = Child([sys.executable, '-c', CHILD]), Child([tool])
        self.counts = collections.Counter()
        self.wrong = []

    def differ(self, name, what, detail=b''):
        self.counts['differ'] += 1
        self.wrong.append((name, what, detail.decode(errors='replace')[:600] if isinstance(detail, bytes) else detail))

    def same_print(self, name, what, data, want):
        """Whether we print the bytes as we print MLIR's generic form of them."""
        got = self.ours.ask('print', data)
        expected = self.ours.ask('print', want)
        if got is None:
            return self.differ(name, f'we abort on {what}')
        if not got[0] or expected is None or not expected[0]:
            message = got[1][0] if not got[0] else expected[1][0] if expected else b'we abort on the text'
            if any(part.encode() in message for part in ALLOWED):
                self.counts['of other dialects'] += 1
                return None
            return self.differ(name, f'we refuse {what}', message)
        self.counts[what.split()[0]] += 1
        if got[1][0] != expected[1][0] and not any(part in expected[1][0] for part in NEWER):
            self.differ(name, f'{what} reads differently',
                        first_difference(expected[1][0].decode(errors='replace'), got[1][0].decode(errors='replace')))
        return None

    def one_version(self, name, text, version):
        made = self.peer.ask(f'artifact {version}', text)
        ours = self.ours.ask(f'write {version}', text)
        if ours is None:
            return self.differ(name, f'we abort on writing {version}')
        if made is None or not made[1]:
            if ours[0]:
                # MLIR refuses some programs for reasons that are its own; it must read what we write.
                back = self.peer.ask('read', ours[1][0])
                self.counts['written by us only' if back and back[1] else 'written by us only, unread'] += 1
            else:
                self.counts['refused by both'] += 1
            return None
        want, data = made[1]
        self.same_print(name, f'artifact {version}', data, want)
        if not ours[0]:
            self.counts['not written by us'] += 1
            return self.wrong.append((name, f'not written for {version}', ours[1][0].decode(errors='replace')[:300]))
        back = self.peer.ask('read', ours[1][0])
        if back is None or not back[1]:
            return self.differ(name, f'MLIR does not read our artifact of {version}')
        self.counts['written'] += 1
        if back[1][0] != want and not any(part in want for part in NEWER):
            self.differ(name, f'our artifact of {version} means something else',
                        first_difference(want.decode(errors='replace'), back[1][0].decode(errors='replace')))
        return None

    def program(self, name, text, versions):
        made = self.peer.ask('plain', text)
        if made is None or not made[1]:
            self.counts['not read by MLIR'] += 1
            return
        self.counts['programs'] += 1
        self.same_print(name, 'plain bytecode', made[1][1], made[1][0])
        for version in versions:
            self.one_version(name, text, version)

    def stored(self, name, data):
        """An artifact from a file; MLIR's bindings know no version beyond their own."""
        back = self.peer.ask('read', data)
        if back is not None and back[1]:
            self.same_print(name, 'stored artifact', data, back[1][0])
        else:
            got = self.ours.ask('print', data)
            self.counts['stored, newer than MLIR, ' + ('read' if got and got[0] else 'refused')] += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tool')
    parser.add_argument('--source')
    parser.add_argument('--versions', default='')
    parser.add_argument('--list', action='store_true')
    options = parser.parse_args()
    comparison = Comparison(options.tool)
    texts = list(chunks_of(options.source) if options.source else traced_programs())
    for number, (name, text) in enumerate(texts):
        # Every program in the newest version, and in one of the others by turns.
        versions = options.versions.split(',') if options.versions else (VERSIONS[-1], VERSIONS[number % (len(VERSIONS) - 1)])
        comparison.program(name, text, versions)
    for root, _, files in sorted(os.walk(options.source or '/nonexistent')):
        for name in sorted(files):
            if name.endswith('.bc'):
                with open(os.path.join(root, name), 'rb') as file:
                    comparison.stored(name, file.read())
    if options.list or not options.source:
        for name, what, detail in comparison.wrong:
            print(f'{name}: {what}\n  {detail}')
    print(', '.join(f'{count} {what}' for what, count in sorted(comparison.counts.items())))
    if not comparison.counts['programs'] or not comparison.counts['written']:
        sys.exit('nothing was compared')
    sys.exit(1 if comparison.counts['differ'] else 0)


if __name__ == '__main__':
    main()
