#!/usr/bin/env python3
"""What `assay reduce` leaves in a folder shows itself on XLA CPU without Assay: repro.py agrees with the golden values where
the target was wrong and XLA is right, and shows the difference where XLA is wrong (docs/findings, 071).

usage: repro_peer_test.py ASSAY
"""
import os
import subprocess
import sys
import tempfile

import peers

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


def main():
    assay = os.path.abspath(sys.argv[1])
    python = peers.need_python()
    bad = 0
    for element_type in TYPES:
        with tempfile.TemporaryDirectory() as folder:
            done = repro(reduced(assay, folder, REVERSE.format(element_type), MUTANT))
        if done.returncode != 0 or done.stdout != '0 arrays differ\n':
            bad += 1
            print(f'{element_type}: repro.py ended with {done.returncode}: {done.stdout}{done.stderr}')
    target = f'process:{python} {os.path.join(os.path.dirname(os.path.abspath(__file__)), "xla_cpu.py")}'
    with tempfile.TemporaryDirectory() as folder:
        done = repro(reduced(assay, folder, LOOP, target, '--profile', 'xla-cpu', '--timeout', '120'))
    if done.returncode != 1 or 'expected' not in done.stdout or 'actual' not in done.stdout:
        bad += 1
        print(f'the loop: repro.py ended with {done.returncode}: {done.stdout}{done.stderr}')
    print(f'{len(TYPES) + 1} reproductions, {bad} wrong')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
