"""What the package needs of JAX: programs as bytes, JAX's devices as targets.

Private names of JAX are asked for with a default: where a version lacks one, what needs it says so
and the rest works.
"""

from __future__ import annotations

import io
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from assay import _core
from assay._errors import InvalidArgumentError, UnsupportedError
from assay._module import Call
from assay._targets import CoreFunction

if TYPE_CHECKING:
    from assay._custom_calls import CustomCall, CustomCalls

# Compiled programs that a device keeps: diagnosis asks for the same instruction many times.
_KEPT_PROGRAMS = 64


def content_of(program: Any) -> tuple[bytes, Call]:
    """A program of JAX, MLIR or PyTorch/XLA as bytes, with how its arguments are to be given."""
    if hasattr(program, 'compiler_ir') and hasattr(program, 'out_tree'):
        return lowered_bytes(program), _call(program, kept_of(program))
    if hasattr(program, 'mlir_module_serialized'):  # jax.export.Exported
        kept = tuple(program.module_kept_var_idx)
        return bytes(program.mlir_module_serialized), _call(program, kept)
    if is_compiled(program):
        return _compiled_bytes(program), _call(program, kept_of(program))
    if hasattr(program, 'operation') and hasattr(program, 'body'):  # an MLIR module
        return _mlir_bytes(program), Call()
    for method in ('get_stablehlo_bytecode', 'get_stablehlo_text'):  # PyTorch/XLA
        if callable(getattr(program, method, None)):
            content = getattr(program, method)()
            return content.encode() if isinstance(content, str) else bytes(content), Call()
    if callable(program):
        raise InvalidArgumentError(
            f'{getattr(program, "__name__", program)!r} is a function, not a program: '
            'assay.check(f)(...) takes functions, and jax.jit(f).lower(...) makes a program'
        )
    kind = type(program)
    raise InvalidArgumentError(
        f'{kind.__module__}.{kind.__qualname__} is no program: assay.load takes a path, text or '
        'bytes of HLO or StableHLO, or what jax.jit(f).lower(...) and jax.export give'
    )


def _call(program: Any, kept: tuple[int, ...] | None) -> Call:
    return Call(kept, program.out_tree.unflatten, program.in_tree)


def _mlir_bytes(module: Any) -> bytes:
    stream = io.BytesIO()
    module.operation.write_bytecode(stream)
    return stream.getvalue()


def lowered_bytes(lowered: Any) -> bytes:
    """StableHLO with the places in the user's source."""
    module = lowered.compiler_ir('stablehlo')
    if module is None:
        raise UnsupportedError('JAX gives no StableHLO for this function')
    return _mlir_bytes(module)


def _compiled_bytes(compiled: Any) -> bytes:
    modules = compiled.runtime_executable().hlo_modules()
    if not modules:
        raise UnsupportedError('the backend does not show the program that it has compiled')
    return bytes(modules[0].as_serialized_hlo_module_proto())


def kept_of(stage: Any) -> tuple[int, ...] | None:
    """The numbers of the arguments that the module has: JAX drops those that are not used."""
    lowering = getattr(stage, '_lowering', None)
    kept = getattr(lowering, 'compile_args', {}).get('kept_var_idx')
    if kept is None:
        kept = getattr(getattr(stage, '_executable', None), '_kept_var_idx', None)
    return None if kept is None else tuple(sorted(kept))


def require_jax() -> Any:
    try:
        import jax
    except ImportError as error:
        raise UnsupportedError(
            'assay.check runs functions of JAX, which is not installed: pip install jax'
        ) from error
    _hide_frames()
    return jax


@cache
def _hide_frames() -> None:
    """The user's line is the one that calls Assay, not the one here that calls JAX."""
    try:
        from jax._src import source_info_util

        source_info_util.register_exclusion(os.path.dirname(__file__))
    except (ImportError, AttributeError):
        pass  # another version of JAX


def is_compiled(program: Any) -> bool:
    """Whether it is what `.lower(...).compile()` gives: a program that can be called."""
    return hasattr(program, 'runtime_executable') and hasattr(program, 'as_text')


def check_function(function: Any) -> None:
    """Refuses what jax.jit cannot trace, where its message would not say why."""
    if type(function).__module__.partition('.')[0] == 'numpy':
        name = getattr(function, '__name__', 'f')
        raise InvalidArgumentError(
            f'numpy.{name} computes on the host and is no program of JAX: check jax.numpy.{name}'
        )


def check_program(lowered: Any) -> None:
    """Refuses programs whose arguments or results are not values."""
    arguments = getattr(getattr(lowered, '_lowering', None), 'compile_args', {})
    if arguments.get('mut') is not None:
        raise UnsupportedError(
            'the function reads or writes mutable arrays (jax.Ref), which are no values: give it '
            'their contents, and return the new ones'
        )


# What JAX calls the custom calls that run a Python function.
_CALLBACKS = (
    'xla_ffi_python_cpu_callback', 'xla_ffi_python_gpu_callback', 'xla_python_cpu_callback',
    'xla_python_gpu_callback', 'assay_python_callback',
)  # fmt: skip


def with_callbacks(custom_calls: CustomCalls | None) -> CustomCalls | None:
    """The functions, with one for callbacks into Python: those without a result, such as
    jax.debug.print, change no value and are left out."""

    def left_out(call: CustomCall, *operands: Any) -> tuple[()]:
        if call.results:
            raise UnsupportedError(
                'the function calls Python while it runs (jax.pure_callback, io_callback), which '
                'the reference interpreter cannot: leave the call out, or say what it computes '
                f'with custom_calls={{{call.target!r}: function}}'
            )
        return ()

    if custom_calls is not None and not isinstance(custom_calls, Mapping):
        return custom_calls  # said where they are used
    return {**dict.fromkeys(_CALLBACKS, left_out), **(custom_calls or {})}


def default_device() -> Any:
    jax = require_jax()
    device = jax.config.jax_default_device
    if device is not None and not isinstance(device, str):
        return device
    return jax.devices(device)[0] if isinstance(device, str) else jax.devices()[0]


def profile_of(platform: str) -> str:
    """The profile for a platform of JAX."""
    if platform in ('gpu', 'cuda', 'rocm'):
        return 'gpu'
    return {'cpu': 'xla-cpu', 'tpu': 'tpu-like', 'assay': 'golden'}.get(platform, 'xla-cpu')


# A program as text, and its results.
KnownRun = tuple[bytes, list[list[_core.Array]]]


class DeviceFunction:
    """Programs on one device of JAX, compiled and kept."""

    def __init__(self, device: Any, known: KnownRun | None = None) -> None:
        self._device = device
        self._known = known
        self._kept: OrderedDict[bytes, Any] = OrderedDict()

    def _compile(self, text: bytes) -> Any:
        kept = self._kept.pop(text, None)
        if kept is None:
            import numpy as np
            from jax._src.lib import xla_client

            client = self._device.client
            options = xla_client.CompileOptions()
            options.device_assignment = xla_client.DeviceAssignment.create(
                np.array([[self._device.id]], np.int32)
            )
            kept = client.compile_and_load(
                text.decode(), xla_client.DeviceList((self._device,)), options
            )
        self._kept[text] = kept
        if len(self._kept) > _KEPT_PROGRAMS:
            self._kept.popitem(last=False)
        return kept

    def __call__(
        self, show: Callable[[str], bytes], arguments: _core.ArraysByDevice
    ) -> _core.ArraysByDevice:
        import jax
        import numpy as np

        from assay._arrays import from_core, to_core

        if self._known is not None and show('text') == self._known[0]:
            return self._known[1]
        if len(arguments) != 1:
            raise UnsupportedError('a program of several devices does not run on one device')
        executable = self._compile(show('stablehlo'))
        with jax.enable_x64(True):
            placed = [jax.device_put(from_core(array), self._device) for array in arguments[0]]
            outputs = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
            return [[to_core(np.asarray(out[0]), f'result {i}') for i, out in enumerate(outputs)]]


def device_target(device: Any, known: KnownRun | None = None) -> CoreFunction:
    """A device of JAX as a target: instructions run there alone. `known` is a program that has run
    on several devices."""
    return CoreFunction(DeviceFunction(device, known), f'JAX on {device.platform}:{device.id}')


def is_device(value: Any) -> bool:
    jax = sys.modules.get('jax')
    return jax is not None and isinstance(value, jax.Device)
