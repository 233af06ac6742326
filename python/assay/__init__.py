"""Assay: what XLA's operations mean, exactly, and whether an implementation is right.

    import assay

    assay.load('f.mlir').run(x)           # a program on the reference interpreter
    assay.check(f)(x)                     # a JAX function on your device, judged
    assay.suite('process:./mine').fails   # the conformance suite on an implementation

docs/python.md describes all of it.
"""

from __future__ import annotations

import atexit as _atexit
import importlib as _importlib
import sys as _sys
from typing import TYPE_CHECKING, Any

# The same library twice would end the process: its messages are registered once.
if getattr(_sys, '_assay', __path__[0]) != __path__[0]:
    raise ImportError(
        f'another copy of assay, {getattr(_sys, "_assay")}, is loaded in this process already: '
        f'remove it or {__path__[0]} from sys.path, and start Python anew'
    )

from assay import _core
from assay._errors import (
    BudgetError,
    Error,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    PreconditionError,
    TargetError,
    UnsupportedError,
    WrongResultError,
)

__version__: str = _core.version
setattr(_sys, '_assay', __path__[0])

# What takes longer to import, by the module that has it.
_LAZY = {
    'Module': '_module', 'load': '_module', 'Verification': '_module', 'Graph': '_graph',
    'Report': '_report', 'Repro': '_report', 'Comparison': '_report', 'TriageReport': '_report',
    'SuiteReport': '_report', 'diff': '_diff', 'triage': '_diff', 'suite': '_diff',
    'check': '_check', 'Checked': '_check', 'capture': '_capture', 'Capture': '_capture',
    'ops': '_ops', 'Operation': '_ops', 'profiles': '_ops',
    'accuracy': '_accuracy', 'AccuracyReport': '_accuracy', 'CustomCall': '_custom_calls',
}  # fmt: skip

if TYPE_CHECKING:
    from assay._accuracy import AccuracyReport, accuracy
    from assay._capture import Capture, capture
    from assay._check import Checked, check
    from assay._custom_calls import CustomCall
    from assay._diff import diff, suite, triage
    from assay._graph import Graph
    from assay._module import Module, Verification, load
    from assay._ops import Operation, ops, profiles
    from assay._report import Comparison, Report, Repro, SuiteReport, TriageReport

__all__ = [
    'AccuracyReport',
    'BudgetError',
    'Capture',
    'Checked',
    'Comparison',
    'CustomCall',
    'Error',
    'Graph',
    'InternalError',
    'InvalidArgumentError',
    'Module',
    'NotFoundError',
    'Operation',
    'PreconditionError',
    'Report',
    'Repro',
    'SuiteReport',
    'TargetError',
    'TriageReport',
    'UnsupportedError',
    'Verification',
    'WrongResultError',
    'accuracy',
    'capture',
    'check',
    'diff',
    'load',
    'ops',
    'profiles',
    'suite',
    'triage',
]


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    value = getattr(_importlib.import_module(f'assay.{module}'), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, '__version__'])


# Runs in other threads end before the interpreter does.
_atexit.register(_core.end_all_work)
