#!/usr/bin/env python3
"""Holds the .npz reader and writer against numpy: numpy writes arrays in every way it knows, the
program copies them, numpy reads the copy. Needs numpy and ml_dtypes (tools/peers/peers.py).

usage: npz_peer_test.py path/to/copy_arrays
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', 'peers'))
import peers  # noqa: E402

peers.need('numpy', 'ml_dtypes')
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402


def arrays():
    """Name, as written; value as the copy must hold it."""
    rng = np.random.default_rng(1)
    for code in "?bBhHiIqQefdFD":
        value = rng.integers(0, 100, (3, 4, 2)).astype(code)
        yield f"c_{ord(code)}", value, value
        yield f"fortran_{ord(code)}", np.asfortranarray(value), value
        swapped = value.astype(value.dtype.newbyteorder(">"))
        yield f"big_{ord(code)}", swapped, value
    yield "scalar", np.float32(2.5), np.float32(2.5)
    yield "empty", np.zeros((0, 4), np.int16), np.zeros((0, 4), np.int16)
    bf16 = rng.standard_normal((5,)).astype(ml_dtypes.bfloat16)
    yield "raw@bf16", bf16.view(np.uint16), bf16.view(np.uint16)
    yield "void@bf16", bf16, bf16.view(np.uint16)
    f8 = rng.standard_normal((5,)).astype(ml_dtypes.float8_e4m3fn)
    yield "void8@f8e4m3fn", f8, f8.view(np.uint8)
    s4 = np.arange(-8, 8).astype(ml_dtypes.int4)
    yield "nibble@s4", s4, np.arange(-8, 8).astype(np.uint8) & 15


def main(program):
    wanted = list(arrays())
    for save in np.savez, np.savez_compressed:
        with tempfile.TemporaryDirectory() as folder:
            save(f"{folder}/in.npz", **{name: value for name, value, _ in wanted})
            subprocess.run([program, f"{folder}/in.npz", f"{folder}/out.npz"], check=True)
            copy = np.load(f"{folder}/out.npz", allow_pickle=False)
            assert sorted(copy.files) == sorted(name for name, _, _ in wanted), copy.files
            for name, _, value in wanted:
                found = copy[name]
                assert found.dtype == value.dtype and found.shape == value.shape, (name, found)
                assert found.tobytes() == value.tobytes(), (name, found, value)
    print(f"{2 * len(wanted)} arrays agree")


if __name__ == "__main__":
    main(sys.argv[1])
