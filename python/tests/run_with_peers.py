#!/usr/bin/env python3
"""The tests of the Python package that need JAX, in the interpreter that has it (tools/setup --peers)."""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / 'tools' / 'peers'))

import peers  # noqa: E402

if __name__ == '__main__':
    python = peers.need_python()
    os.execv(python, [python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', str(HERE / 'peer'), *sys.argv[1:]])
