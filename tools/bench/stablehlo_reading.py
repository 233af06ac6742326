#!/usr/bin/env python3
"""Reads the same programs by Assay and by MLIR (jaxlib's bindings) and prints the speed of both.

usage: stablehlo_reading.py BENCH [--repeat N]      BENCH is build/release/bench/stablehlo_bench

The benchmark writes its programs of many small operations into a folder, as text (27 MB) and as an artifact (21 MB), and
measures how fast Assay reads them. MLIR reads the same files in a process of its own in the same run: `Module.parse` for
the text, `deserialize_portable_artifact` for the artifact. Times are processor times; of MLIR the best of N readings.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'peers'))
import peers  # noqa: E402

peers.need('jax')

CHILD = r'''
import resource, sys, time
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jax._src.interpreters import mlir as jax_mlir

context = jax_mlir.make_ir_context()
stablehlo.register_dialect(context)
data = open(sys.argv[1], 'rb').read()
best = None
with context:
    for _ in range(int(sys.argv[2])):
        start = time.process_time()
        if sys.argv[1].endswith('.mlirbc'):
            module = stablehlo.deserialize_portable_artifact(context, data)
        else:
            module = ir.Module.parse(data)
        taken = time.process_time() - start
        best = taken if best is None else min(best, taken)
        del module
print(best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
'''


def ours(bench, folder):
    """Bytes per second of processor time, and the peak as a multiple of the file, by the benchmark's name."""
    run = subprocess.run([bench, '--benchmark_filter=BM_Read(Text|Bytecode)_Operations', '--benchmark_format=json'],
                         env=dict(os.environ, ASSAY_STABLEHLO_SAVE=folder), capture_output=True, text=True, check=True)
    return {one['name']: (one['bytes_per_second'], one['peak/file']) for one in json.loads(run.stdout)['benchmarks']}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('bench', metavar='BENCH')
    parser.add_argument('--repeat', type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        speeds = ours(options.bench, folder)
        for name, file in (('BM_ReadText_Operations', 'operations.mlir'),
                           ('BM_ReadBytecode_Operations', 'operations.mlirbc')):
            path = os.path.join(folder, file)
            size = os.path.getsize(path)
            child = subprocess.run([sys.executable, '-c', CHILD, path, str(options.repeat)], capture_output=True,
                                   text=True, check=True)
            taken, memory = map(float, child.stdout.split())
            speed, peak = speeds[name]
            print(f'{file}, {size / 1e6:.1f} MB: Assay {speed / 1e6:.0f} MB/s, peak {peak:.1f} x the file; '
                  f'MLIR {size / taken / 1e6:.1f} MB/s, peak of its process {memory / size:.0f} x; '
                  f'{speed * taken / size:.0f} times as fast')


if __name__ == '__main__':
    main()
