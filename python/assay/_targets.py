"""Implementations: by name, or a Python function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay import _core
from assay._errors import InvalidArgumentError

# A backend by name, a device of JAX, or what runs (module, *arrays) and returns the results.
Target = Any


class CoreFunction:
    """What the library calls: `show` and lists of arrays by device in, lists of arrays out."""

    def __init__(self, function: _core.TargetFunction, name: str) -> None:
        self._function = function
        self.__name__ = name

    def __call__(
        self, show: Callable[[str], bytes], arguments: _core.ArraysByDevice
    ) -> _core.ArraysByDevice:
        return self._function(show, arguments)


def core_target(target: Target) -> str | _core.TargetFunction:
    """The target as the library takes it."""
    if isinstance(target, (str, CoreFunction)):
        return target
    from assay._jax import device_target, is_device

    if is_device(target):
        return device_target(target)
    if not callable(target):
        raise InvalidArgumentError(
            'a target is the name of a backend, a device of JAX or a function, not '
            f'{type(target).__name__}'
        )
    return CoreFunction(_adapter(target), getattr(target, '__name__', type(target).__name__))


def default_profile(target: Target | None) -> str:
    """The profile that judges the target unless one is named, as for commands (docs/profiles.md)."""
    if isinstance(target, str):
        return _core.default_profile(target)
    from assay._jax import is_device, profile_of

    if target is not None and is_device(target):
        return profile_of(target.platform)
    return 'cpu-strict'


def _adapter(function: Callable[..., Any]) -> _core.TargetFunction:
    from assay import _trees
    from assay._arrays import read_only, to_core
    from assay._module import Module

    def run(show: Callable[[str], bytes], arguments: _core.ArraysByDevice) -> _core.ArraysByDevice:
        module = Module(_core.Module.parse(show('text'), 'module', _core.ReadingOptions(), []))
        wanted = [
            leaf for leaf in _trees.shape_leaves(module.signature['result']) if 'sizes' in leaf
        ]
        results: list[list[_core.Array]] = []
        for device in arguments:
            returned = function(module, *[read_only(array) for array in device])
            leaves: Sequence[tuple[str, Any]] = _trees.flatten(returned)
            if len(leaves) != len(wanted):
                raise InvalidArgumentError(
                    f'the function returned {len(leaves)} arrays, the module has {len(wanted)}'
                )
            results.append([
                to_core(leaf, f'result {i}', shape['type'])
                for i, ((_, leaf), shape) in enumerate(zip(leaves, wanted))
            ])  # fmt: skip
        return results

    return run
