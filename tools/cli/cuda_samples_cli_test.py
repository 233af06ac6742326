"""The sample programs on the CUDA backend over the emulated device: each whole program, and each of
its instructions alone, is judged by derived bounds and the profile cuda.

usage: cuda_samples_cli_test.py ASSAY SOURCE_FOLDER [SAMPLE...]
"""
import pathlib
import subprocess
import sys
import time


def main():
    assay, samples = sys.argv[1], pathlib.Path(sys.argv[2]) / 'conformance/samples'
    names = sorted(path.name.removesuffix('.inputs.npz') for path in samples.glob('*.inputs.npz'))
    chosen = sys.argv[3:] or names
    failed = []
    for name in chosen:
        start = time.monotonic()
        run = subprocess.run(
            [assay, 'diff', str(samples / f'{name}.hlo'), '--inputs', str(samples / f'{name}.inputs.npz'),
             '--right', 'cuda-emulated', '--profile', 'cuda', '--isolate'],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        print(f'{name}: exit code {run.returncode}, {time.monotonic() - start:.2f} s', flush=True)
        if run.returncode != 0:
            failed.append(name)
            print(run.stdout)
    print(f'{len(chosen)} samples, {len(failed)} failed')
    return 1 if failed or not chosen else 0


if __name__ == '__main__':
    sys.exit(main())
