"""Arrays of numpy, ml_dtypes, JAX, PyTorch and whatever speaks DLPack, to the library and back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from assay import _core
from assay._errors import InvalidArgumentError, PreconditionError

if TYPE_CHECKING:
    import numpy as np

# HLO's names of element types, and numpy's; the second table holds those of ml_dtypes.
_NUMPY = {
    'pred': 'bool', 's8': 'int8', 's16': 'int16', 's32': 'int32', 's64': 'int64',
    'u8': 'uint8', 'u16': 'uint16', 'u32': 'uint32', 'u64': 'uint64',
    'f16': 'float16', 'f32': 'float32', 'f64': 'float64', 'c64': 'complex64', 'c128': 'complex128',
}  # fmt: skip
_ML_DTYPES = {
    'bf16': 'bfloat16', 's1': 'int1', 's2': 'int2', 's4': 'int4',
    'u1': 'uint1', 'u2': 'uint2', 'u4': 'uint4',
    'f4e2m1fn': 'float4_e2m1fn', 'f6e2m3fn': 'float6_e2m3fn', 'f6e3m2fn': 'float6_e3m2fn',
    'f8e3m4': 'float8_e3m4', 'f8e4m3': 'float8_e4m3', 'f8e4m3fn': 'float8_e4m3fn',
    'f8e4m3fnuz': 'float8_e4m3fnuz', 'f8e4m3b11fnuz': 'float8_e4m3b11fnuz',
    'f8e5m2': 'float8_e5m2', 'f8e5m2fnuz': 'float8_e5m2fnuz', 'f8e8m0fnu': 'float8_e8m0fnu',
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in (_NUMPY | _ML_DTYPES).items()}
# PyTorch's types that numpy lacks, with an integer of the same size and the name in ml_dtypes.
_TORCH = {
    'torch.bfloat16': ('int16', 'bfloat16'),
    'torch.float8_e4m3fn': ('uint8', 'float8_e4m3fn'),
    'torch.float8_e5m2': ('uint8', 'float8_e5m2'),
    'torch.float8_e4m3fnuz': ('uint8', 'float8_e4m3fnuz'),
    'torch.float8_e5m2fnuz': ('uint8', 'float8_e5m2fnuz'),
    'torch.float8_e8m0fnu': ('uint8', 'float8_e8m0fnu'),
}
_CPU, _CPU_PINNED = 1, 3  # DLPack's numbers of devices whose memory this process may read


def dtype_of(name: str) -> np.dtype[Any]:
    """numpy's type for an element type of HLO."""
    import numpy as np

    if name in _NUMPY:
        plain: np.dtype[Any] = np.dtype(_NUMPY[name])
        return plain
    import ml_dtypes

    scalar = getattr(ml_dtypes, _ML_DTYPES.get(name, ''), None)
    if scalar is None:
        raise InvalidArgumentError(f'element type {name} needs a newer ml_dtypes')
    narrow: np.dtype[Any] = np.dtype(scalar)
    return narrow


def name_of(dtype: np.dtype[Any]) -> str | None:
    """HLO's name of a type of numpy or ml_dtypes; None: there is none."""
    return _NAMES.get(dtype.name)


def type_text(array: np.ndarray[Any, Any]) -> str:
    """f32[2,3], as messages say it."""
    name = name_of(array.dtype) or str(array.dtype)
    return f'{name}[{",".join(map(str, array.shape))}]'


def _from_torch(tensor: Any, what: str) -> np.ndarray[Any, Any]:
    tensor = tensor.detach()
    if getattr(tensor, 'layout', None) is not None and 'strided' not in str(tensor.layout):
        raise InvalidArgumentError(f'{what} is a tensor of layout {tensor.layout}, not a dense one')
    if tensor.device.type != 'cpu':
        tensor = tensor.cpu()
    for resolve in ('resolve_conj', 'resolve_neg'):
        tensor = getattr(tensor, resolve, lambda kept=tensor: kept)()
    known = _TORCH.get(str(tensor.dtype))
    if known is None:
        array: np.ndarray[Any, Any] = tensor.numpy()
        return array
    import ml_dtypes

    torch = sys.modules['torch']
    bits: np.ndarray[Any, Any] = tensor.contiguous().view(getattr(torch, known[0])).numpy()
    return bits.view(getattr(ml_dtypes, known[1]))


def _from_dlpack(value: Any, what: str) -> np.ndarray[Any, Any] | _core.Array:
    import numpy as np

    try:
        device = int(value.__dlpack_device__()[0]) if _has(value, '__dlpack_device__') else _CPU
    except Exception as error:
        raise InvalidArgumentError(f'{what} does not say on which device it lies: {error}') from error
    if device not in (_CPU, _CPU_PINNED):
        raise InvalidArgumentError(
            f'{what} lies on a device (DLPack type {device}): copy it to the host first'
        )
    try:
        return np.from_dlpack(value)
    except Exception:  # types that numpy has no name for
        try:
            return _core.Array.of_dlpack(value)
        except InvalidArgumentError:
            raise
        except Exception as error:
            raise InvalidArgumentError(f'{what}: its DLPack tensor cannot be read') from error


def _has(value: Any, name: str) -> bool:
    """hasattr, for objects that raise what they like."""
    try:
        return getattr(value, name, None) is not None
    except Exception:
        return False


def _is_deleted(value: Any) -> bool:
    """Whether the array is one of JAX whose memory is gone."""
    try:
        return _has(value, 'is_deleted') and value.is_deleted() is True
    except Exception:
        return False


def to_numpy(value: Any, what: str = 'the argument') -> np.ndarray[Any, Any] | _core.Array:
    """The array as numpy sees it, without a copy where it lies in the memory of the host."""
    import numpy as np

    if isinstance(value, np.ma.MaskedArray):
        raise InvalidArgumentError(f'{what} is a masked array: fill it first')
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    kind = type(value)
    if kind.__module__.partition('.')[0] == 'torch':
        return _from_torch(value, what)
    if _is_deleted(value):
        raise PreconditionError(
            f'{what} was deleted: a function that it was donated to has taken its memory'
        )
    jax = sys.modules.get('jax')
    if jax is not None and isinstance(value, jax.Array):
        if isinstance(value, jax.core.Tracer):
            raise InvalidArgumentError(
                f'{what} is a tracer: call Assay outside of jit, vmap and grad'
            )
        if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
            value = jax.random.key_data(value)
        return np.asarray(value)
    if _has(value, '__dlpack__') and not _has(value, '__array__'):
        return _from_dlpack(value, what)
    if isinstance(value, (bool, int, float, complex)) or _has(value, '__array__'):
        try:
            return np.asarray(value)
        except Exception as error:
            raise InvalidArgumentError(f'{what} cannot be read as an array: {error}') from error
    raise InvalidArgumentError(f'{what} is a {kind.__module__}.{kind.__qualname__}, not an array')


def to_core(value: Any, what: str, wanted: str | None = None, convert: bool = False) -> _core.Array:
    """The array as the library takes it.

    `wanted` is the element type that the program has in its place: Python's numbers become values
    of it, and arrays too with `convert`, as JAX converts them.
    """
    import numpy as np

    array = to_numpy(value, what)
    if isinstance(array, _core.Array):
        return array
    plain = isinstance(value, (bool, int, float, complex))
    if wanted is not None and (plain or convert) and name_of(array.dtype) != wanted:
        array = _converted(array, value if plain and not convert else None, wanted, what)
    name = name_of(array.dtype)
    if name is None:
        raise InvalidArgumentError(
            f'{what} has elements of type {array.dtype}, which no XLA type stands for'
        )
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder('='))
    if array.ndim > 0 and not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    return _core.Array.of(name, list(array.shape), array.reshape(-1).view(np.uint8))


def _converted(
    array: np.ndarray[Any, Any], number: complex | None, wanted: str, what: str
) -> np.ndarray[Any, Any]:
    """The array in another type. `number` is a number of Python, which the type must have."""
    import numpy as np

    if number is not None and isinstance(number, complex) and wanted not in ('c64', 'c128'):
        raise InvalidArgumentError(f'{what} is {number}, which is no {wanted}')
    try:
        with np.errstate(all='ignore'):
            converted = array.astype(dtype_of(wanted))
        is_it = not isinstance(number, int) or wanted[0] == 'c' or int(converted) == number
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgumentError(f'{what} is {array}, which is no {wanted}: {error}') from error
    if not is_it:
        raise InvalidArgumentError(f'{what} is {number}, which is no {wanted}')
    return converted


def read_only(array: _core.Array) -> np.ndarray[Any, Any]:
    """The array as functions of users get it: the library goes on using its elements."""
    value = from_core(array)
    value.flags.writeable = False
    return value


def from_core(array: _core.Array) -> np.ndarray[Any, Any]:
    """The array as numpy's, on the memory of the library."""
    return array.elements().view(dtype_of(array.type)).reshape(array.sizes)
