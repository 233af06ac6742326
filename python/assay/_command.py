"""The `assay` command of the wheel: the program that lies in the package."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn


def path() -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bin', 'assay')


def main() -> NoReturn:
    program = path()
    if not os.access(program, os.X_OK):
        raise SystemExit(f'assay: {program} is missing: this copy of the package has no command')
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and the program would inherit that
    os.execv(program, [program, *sys.argv[1:]])
