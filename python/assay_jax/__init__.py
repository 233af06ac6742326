"""Assay as a platform of JAX: JAX finds this module by its entry point and calls initialize().

JAX_PLATFORMS=assay,cpu runs programs on the reference interpreter. The package `assay` is not
imported, so that JAX starts as fast as without. What is private in JAX is asked for with care: where
a version lacks it, the plug-in works without donation, LAPACK or Python callbacks.
"""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
import os
import weakref
from collections.abc import Callable, Sequence
from typing import Any

_PLATFORM = 'assay'
# Below CPU: nobody gets the interpreter who has not asked for it.
_PRIORITY = -100
# Primitives of JAX that are one operation of StableHLO.
_OPERATIONS = frozenset({
    'cholesky', 'conv_general_dilated', 'dot_general', 'select_and_scatter_add', 'triangular_solve'
})  # fmt: skip
_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p,
    ctypes.c_size_t,
)


def library_path() -> str | None:
    """The plug-in: $ASSAY_PJRT_LIBRARY, or the one that lies in the package."""
    here = os.path.dirname(os.path.abspath(__file__))
    packaged = os.path.join(os.path.dirname(here), 'assay', 'libassay_pjrt.so')
    path = os.environ.get('ASSAY_PJRT_LIBRARY') or packaged
    return path if os.path.exists(path) else None


class _Callback:
    """A Python function with the types of its operands and results, as the plug-in calls it."""

    def __init__(self, function: Callable[..., Any], operands: Sequence[Any], results: Sequence[Any]):
        self._function, self._operands, self._results = function, operands, results

    def call(self, arguments: Any, results: Any) -> None:
        import numpy as np

        def view(pointer: Any, aval: Any) -> Any:
            dtype = np.dtype(aval.dtype)
            size = int(np.prod(aval.shape, dtype=np.int64)) * dtype.itemsize
            bytes_ = (ctypes.c_uint8 * size).from_address(pointer) if size else bytearray()
            return np.frombuffer(bytes_, np.uint8).view(dtype).reshape(aval.shape)

        values = self._function(
            *[view(arguments[i], aval).copy() for i, aval in enumerate(self._operands)]
        )
        if len(values) != len(self._results):
            raise ValueError(f'the callback returned {len(values)} values, not {len(self._results)}')
        for i, (value, aval) in enumerate(zip(values, self._results)):
            array = np.asarray(value)
            if array.shape != aval.shape:
                raise ValueError(f'value {i} of the callback has shape {array.shape}, not {aval.shape}')
            view(results[i], aval)[...] = array.astype(aval.dtype)


class _Kept:
    """What JAX holds as long as it may compile or run the program that calls a function."""


# By number. An execution may begin after JAX has let go of its program, so that a function goes
# when JAX has let go of it and the plug-in counts no program that calls it.
_callbacks: dict[int, _Callback] = {}
_numbers = itertools.count(1)
_given_up: list[int] = []
_MOST_COUNTED = 1 << 20
# Never freed: threads of the plug-in count when the interpreter is gone. Pages are made on use.
_libc = ctypes.CDLL(None)
_libc.calloc.restype = ctypes.c_void_p
_libc.calloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
_uses_address: int = _libc.calloc(_MOST_COUNTED, 8) or 0
_uses = (ctypes.c_int64 * _MOST_COUNTED).from_address(_uses_address) if _uses_address else None


def _keep(callback: _Callback) -> tuple[int, _Kept]:
    """The number of a function, and what it lives with."""
    for index in [each for each in _given_up if _uses is not None and _uses[each] == 0]:
        _given_up.remove(index)
        _callbacks.pop(index, None)
    index, kept = next(_numbers), _Kept()
    _callbacks[index] = callback
    if index < _MOST_COUNTED:
        weakref.finalize(kept, _given_up.append, index).atexit = False
    return index, kept


def _call_python(index: int, arguments: Any, results: Any, error: int, size: int) -> int:
    try:
        _callbacks[index].call(arguments, results)
        return 0
    except BaseException as raised:  # an exception may not leave the C function
        text = f'{type(raised).__name__}: {raised}'.encode()[: max(size - 1, 0)] + b'\0'
        if error and size:
            ctypes.memmove(error, text, min(len(text), size))
        return 1


_C_FUNCTION = _FUNCTION(_call_python)


def _options() -> dict[str, Any]:
    address = ctypes.cast(_C_FUNCTION, ctypes.c_void_p).value or 0
    options = {'platform_name': _PLATFORM, 'python_callback': address}
    if _uses is not None:
        options.update(python_uses=_uses_address, python_uses_size=_MOST_COUNTED)
    return options


def _register_callbacks() -> None:
    import numpy as np
    from jax._src import callback as callbacks
    from jax._src import core, ffi

    original = callbacks.emit_python_callback

    def emit(ctx: Any, callback: Any, token: Any, operands: Any, operand_avals: Any,
             result_avals: Any, **options: Any) -> Any:  # fmt: skip
        if tuple(ctx.module_context.platforms) != (_PLATFORM,):
            return original(ctx, callback, token, operands, operand_avals, result_avals, **options)
        index, kept = _keep(_Callback(callback, list(operand_avals), list(result_avals)))
        if token is not None:
            operands = [token, *operands]
            ctx = dataclasses.replace(
                ctx,
                avals_in=[core.abstract_token, *ctx.avals_in],
                avals_out=[core.abstract_token, *ctx.avals_out],
            )
        lower = ffi.build_ffi_lowering_function(
            'assay_python_callback', has_side_effect=options.get('has_side_effect', True)
        )
        values = list(lower(ctx, *operands, index=np.uint64(index)).results)
        if token is not None:
            token = values.pop(0)
        return values, token, kept

    callbacks.emit_python_callback = emit


def _register_lowerings() -> None:
    from jax._src import core
    from jax._src.interpreters import mlir

    mlir._platforms_with_donation.append(_PLATFORM)
    # Among them are LAPACK's custom calls, which the interpreter has. Where StableHLO has an
    # operation, the rule for every platform keeps it; CPU's refuses algorithms of dots, or writes
    # the operation as others.
    rules = mlir._platform_specific_lowerings
    rules[_PLATFORM].update(
        (primitive, rule)
        for primitive, rule in rules['cpu'].items()
        if primitive.name not in _OPERATIONS
    )
    from jax._src import custom_partitioning

    # No partitioner calls back: what the function returns is that of the function as a whole.
    def whole(ctx: Any, *values: Any, call: Any, **_: Any) -> Any:
        return mlir.lower_fun(core.jaxpr_as_fun(call), multiple_results=True)(ctx, *values)

    mlir.register_lowering(custom_partitioning.custom_partitioning_p, whole, platform=_PLATFORM)


def _register_topologies(c_api: Any) -> None:
    """Topologies without devices have the lowerings of this platform, too."""
    from jax._src import xla_bridge
    from jax._src.lib import xla_client

    def make(name: str = '', **options: Any) -> Any:
        given = {'platform_name': _PLATFORM, **options}
        return xla_client.make_c_api_device_topology(c_api, name, **given)

    xla_bridge._topology_factories[_PLATFORM] = make


_STAGES = ('instantiate', 'prepare', 'initialize', 'execute')


def _register_handlers() -> None:
    """jax.ffi.register_ffi_target(..., platform='assay') reaches the plug-in."""
    from jax._src.lib import xla_client

    path = library_path()
    register = ctypes.CDLL(path).AssayPjrtRegisterHandler
    register.argtypes = [ctypes.c_char_p, ctypes.c_int32, *[ctypes.c_void_p] * len(_STAGES)]
    register.restype = ctypes.c_char_p
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.argtypes, name_of.restype = [ctypes.py_object], ctypes.c_char_p
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer_of.restype = ctypes.c_void_p

    def handle(name: Any, function: Any, platform: str, version: int, traits: Any = None) -> None:
        stages = function if isinstance(function, dict) else {'execute': function}
        unknown = set(stages) - set(_STAGES)
        if unknown:
            raise ValueError(f'{name}: the stages are {", ".join(_STAGES)}, not {min(unknown)!r}')
        addresses = [
            pointer_of(stages[stage], name_of(stages[stage])) if stage in stages else None
            for stage in _STAGES
        ]
        target = name if isinstance(name, bytes) else name.encode()
        error = register(target, version, *addresses)
        if error is not None:
            raise ValueError(error.decode())

    xla_client.register_custom_call_handler(_PLATFORM, handle)


def initialize() -> None:
    """Registers the plug-in; called by JAX when it looks for backends."""
    path = library_path()
    if path is None:
        return
    from jax._src import xla_bridge

    c_api = xla_bridge.register_plugin(
        _PLATFORM, priority=_PRIORITY, library_path=path, options=_options()
    )
    for register in (
        _register_lowerings,
        _register_callbacks,
        _register_handlers,
        lambda: _register_topologies(c_api),
    ):
        try:
            register()
        except (ImportError, AttributeError, KeyError):
            pass  # another version of JAX
