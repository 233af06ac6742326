#!/usr/bin/env python3
"""What `assay reduce` leaves in a folder shows itself on XLA CPU without Assay: repro.py agrees with the golden values where
the target was wrong and XLA is right, and shows the difference where XLA is wrong (docs/findings, 071). Each operation of
repro_programs.py is written through jax.lax in at most ten lines, and those that XLA CPU computes exactly agree.

usage: repro_peer_test.py ASSAY
"""
import json
import os
import subprocess
import sys
import tempfile

import peers
from repro_programs import INEXACT, modules

# Gives arrays whose bytes are 1, those of pred 1 and 0 in turn, which are legal and nearly never right.
WRONG = '''
import sys
sys.path.insert(0, {0!r})
from assay_process import serve

class Wrong:
    def hello(self):
        return {{'name': 'wrong', 'version': '1', 'formats': ['hlo-text']}}
    def compile(self, _, module):
        return module.decode()
    def execute(self, text, arguments):
        shape = text.split('->')[1].split('{{')[0].split('}}')[0].strip()
        name, sizes = shape.rstrip(']').split('[')
        count = 1
        for size in sizes.split(','):
            count *= int(size or 1)
        width = {{'pred': 1, 'bf16': 2, 'c64': 8}}.get(name, 4)
        return 0.0, [[(shape, (b'\\x01\\x00' if name == 'pred' else b'\\x01\\x01') * (count * width // 2))]]

serve(Wrong())
'''
# Runs programs in one interpreter, since importing JAX takes a second.
RUN_ALL = '''
import contextlib, io, json, runpy, sys
for path in sys.argv[1:]:
    out, code = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(path, run_name='__main__')
    except SystemExit as end:
        code = int(end.code)
    except Exception as error:
        out.write(repr(error))
    print(json.dumps([code, out.getvalue()]))
'''

MUTANT = 'mutant:reverse/two_dimensions_apart'
TYPES = ('f32', 'bf16', 'f16', 'f64', 'f8e4m3fn', 'f8e5m2', 's4', 'u8', 's64', 'pred', 'c64')
REVERSE = '''HloModule m
ENTRY e {{ x = {0}[2,1,2] parameter(0)
  b = {0}[2,1,2] copy(x)
  ROOT r = {0}[2,1,2] reverse(b), dimensions={{0,2}} }}
'''
# Runs once on XLA CPU, and not at all by its meaning.
LOOP = '''HloModule m
cond { s = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(0)
  ROOT c = pred[] compare(i, n), direction=LE }
body { s = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  k = s32[] constant(2)
  j = s32[] add(i, k)
  y = f32[2] negate(x)
  ROOT t = (s32[], f32[2]) tuple(j, y) }
ENTRY e { x = f32[2] parameter(0)
  i = s32[] constant(1)
  t = (s32[], f32[2]) tuple(i, x)
  ROOT w = (s32[], f32[2]) while(t), condition=cond, body=body }
'''


def reduced(assay, folder, text, target, *options):
    """The folder of the reduction."""
    module, out = os.path.join(folder, 'm.hlo'), os.path.join(folder, 'out')
    with open(module, 'w', encoding='utf-8') as file:
        file.write(text)
    command = [assay, 'reduce', module, '--inputs', 'random', '--target', target, '--out', out, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 1:
        sys.exit(f'{" ".join(command)} ended with {done.returncode}: {done.stdout}{done.stderr}')
    return out


def repro(folder):
    return subprocess.run([peers.need_python(), os.path.join(folder, 'repro.py')], capture_output=True, text=True, timeout=600,
                          check=False)


def run_all(python, scripts):
    """What each program ended with, and what it printed."""
    done = subprocess.run([python, '-c', RUN_ALL, *scripts], capture_output=True, text=True, timeout=600, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(scripts):
        sys.exit(f'{len(answers)} of {len(scripts)} programs ran: {done.stderr}')
    return answers


def of_each_type(assay, python):
    """The number of types for which the program of a mutant does not agree with golden."""
    bad, scripts = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for element_type in TYPES:
            own = os.path.join(folder, element_type)
            os.mkdir(own)
            scripts.append(os.path.join(reduced(assay, own, REVERSE.format(element_type), MUTANT), 'repro.py'))
        for element_type, (code, printed) in zip(TYPES, run_all(python, scripts)):
            if code != 0:
                bad += 1
                print(f'{element_type}: repro.py ended with {code}: {printed}')
    return bad


def through_lax(assay, python):
    """Returns how many operations there are, and how many have a program that is too long, or ends or prints otherwise than expected."""
    bad, scripts, names = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        wrong = os.path.join(folder, 'wrong.py')
        with open(wrong, 'w', encoding='utf-8') as file:
            file.write(WRONG.format(os.path.dirname(os.path.abspath(__file__))))
        for name, text in modules():
            own = os.path.join(folder, name)
            os.mkdir(own)
            out = reduced(assay, own, text, f'process:{sys.executable} {wrong}', '--questions', '1')
            scripts.append(os.path.join(out, 'repro.py'))
            names.append(name)
            with open(scripts[-1], encoding='utf-8') as file:
                lines = file.read().splitlines()
            if len(lines) > 10 or 'jax.lax.' not in '\n'.join(lines):
                bad += 1
                print(f'{name}: not written through jax.lax')
        answers = run_all(python, scripts)
    for name, (code, printed) in zip(names, answers):
        if code not in ((0, 1) if name in INEXACT else (0,)) or 'expected' not in printed or 'actual' not in printed:
            bad += 1
            print(f'{name}: repro.py ended with {code}: {printed}')
    return len(names), bad


def main():
    assay = os.path.abspath(sys.argv[1])
    python = peers.need_python()
    bad = of_each_type(assay, python)
    target = f'process:{python} {os.path.join(os.path.dirname(os.path.abspath(__file__)), "xla_cpu.py")}'
    with tempfile.TemporaryDirectory() as folder:
        done = repro(reduced(assay, folder, LOOP, target, '--profile', 'xla-cpu', '--timeout', '120'))
    if done.returncode != 1 or 'expected' not in done.stdout or 'actual' not in done.stdout:
        bad += 1
        print(f'the loop: repro.py ended with {done.returncode}: {done.stdout}{done.stderr}')
    written, more = through_lax(assay, python)
    bad += more
    print(f'{len(TYPES) + 1 + written} reproductions, {bad} wrong')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
