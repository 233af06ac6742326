"""Python functions as what custom calls mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay import _core
from assay._errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class CustomCall:
    """One call of a target: what a function for it gets before the operands.

    `config` is the backend configuration, as text: what `jax.ffi.ffi_call` was given as attributes
    stands in it, as `{scale = 2 : i64}`. `results` are the types and shapes of what the call
    returns.
    """

    target: str
    config: str
    results: tuple[tuple[np.dtype[Any], tuple[int, ...]], ...]


# Gets a CustomCall and the operands as numpy arrays; returns one array, or several in a tuple.
CustomCallFunction = Callable[..., Any]
CustomCalls = Mapping[str, CustomCallFunction]


def core_custom_calls(functions: CustomCalls | None) -> _core.CustomCallFunctions:
    """The functions as the library calls them."""
    if functions is None:
        return {}
    if not isinstance(functions, Mapping):
        raise InvalidArgumentError(
            f'custom_calls is a dictionary of functions by target, not {type(functions).__name__}'
        )
    adapted: _core.CustomCallFunctions = {}
    for target, function in functions.items():
        if not isinstance(target, str) or not callable(function):
            raise InvalidArgumentError(
                f'custom_calls has a function for each name of a target, not {target!r}: {function!r}'
            )
        adapted[target] = _adapter(function)
    return adapted


def _adapter(
    function: CustomCallFunction,
) -> Callable[[str, bytes, list[tuple[str, list[int]]], list[_core.Array]], list[_core.Array]]:
    from assay import _trees
    from assay._arrays import dtype_of, read_only, to_core

    def run(
        target: str,
        config: bytes,
        results: list[tuple[str, list[int]]],
        operands: list[_core.Array],
    ) -> list[_core.Array]:
        shapes = tuple((dtype_of(name), tuple(sizes)) for name, sizes in results)
        call = CustomCall(target, config.decode('utf-8', 'replace'), shapes)
        returned = _trees.flatten(function(call, *[read_only(operand) for operand in operands]))
        if len(returned) != len(results):
            raise InvalidArgumentError(
                f'the function for the custom call target "{target}" returned {len(returned)} '
                f'arrays, not {len(results)}'
            )
        return [
            to_core(leaf, f'result {i} of the function for "{target}"', name)
            for i, ((_, leaf), (name, _)) in enumerate(zip(returned, results))
        ]

    return run
