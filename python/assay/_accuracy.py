"""assay.accuracy: how far a function is from the exact one, over all its arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay import _core
from assay._errors import InvalidArgumentError, NotFoundError, UnsupportedError
from assay._html import BLUE, escaped, piece
from assay._module import Module, load
from assay._ops import ops
from assay._report import _frame

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

# Arguments that are asked at once, and those of a type that is too wide for all of them.
_CHUNK, _SAMPLES = 1 << 20, 1 << 22
_BUCKETS = 256  # points of the plot


@dataclass
class AccuracyReport:
    """The error of a function, in ulps of the exact result.

    `worst` is the largest finite error, at `worst_at`, where the function gave `worst_actual`
    instead of `worst_exact`. `special` counts the arguments for which the function gives a NaN or
    an infinity where the exact result is none, or the other way round; `special_at` is the first.
    `plot` has what a plot needs: the middle of each range of arguments, and its largest error.
    """

    operation: str
    type: str
    arguments: int
    exhaustive: bool
    worst: float = 0.0
    worst_at: tuple[float, ...] = ()
    worst_actual: float = math.nan
    worst_exact: float = math.nan
    correctly_rounded: int = 0
    special: int = 0
    special_at: tuple[float, ...] = ()
    plot: dict[str, list[float]] = field(default_factory=dict, repr=False)

    @property
    def sentence(self) -> str:
        scope = 'all' if self.exhaustive else 'a sample of'
        text = (
            f'{self.operation} {self.type}: at most {self.worst:.4g} ulp over {scope} '
            f'{self.arguments:,} arguments'
        )
        if self.worst_at:
            at = ', '.join(f'{x:.9g}' for x in self.worst_at)
            text += f', at {at}: {self.worst_actual:.9g} instead of {self.worst_exact:.17g}'
        text += f'; {self.correctly_rounded / max(self.arguments, 1):.2%} are rounded correctly'
        if self.special:
            at = ', '.join(f'{x:.9g}' for x in self.special_at)
            text += f'; {self.special:,} are wrongly infinite, finite or NaN, the first at {at}'
        return text + '.'

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self), sentence=self.sentence)

    def to_pandas(self) -> pd.DataFrame:
        """The plot's data: a row for each range of arguments."""
        return _frame(
            [dict(zip(self.plot, row)) for row in zip(*self.plot.values())]
        )

    def _repr_html_(self) -> str:
        return piece(f'<p>{escaped(self.sentence)}</p>{self._repr_svg_()}')

    def _repr_svg_(self) -> str:
        """The largest error of each range, over the bit patterns of the arguments in order."""
        return _drawn(f'{self.operation} {self.type}', self.plot)


# The picture and the margins in which its labels stand.
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 720, 280, 56, 34, 52
_ARGUMENT_LABELS = 5


def _drawn(name: str, plot: dict[str, list[float]]) -> str:
    """Errors as bars. Lines and letters have the colour of the text around the picture."""
    errors, arguments = plot.get('ulp', []), plot.get('argument', [])
    top = max([*errors, 0.5])
    across, down = _WIDTH - _LEFT - 12, _HEIGHT - _TOP - _BOTTOM
    step = across / max(len(errors), 1)
    foot = _TOP + down
    parts = [f'<text x="{_LEFT}" y="18">largest error of {escaped(name)} in ulp</text>']
    for i, error in enumerate(errors):
        high = down * error / top
        parts.append(
            f'<rect x="{_LEFT + i * step:.1f}" y="{foot - high:.1f}" width="{max(step, 1):.1f}" '
            f'height="{high:.1f}" fill="{BLUE}"/>'
        )
    for level in (0.0, top / 2, top):
        y = foot - down * level / top
        parts.append(
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_LEFT + across}" y2="{y:.1f}" stroke="currentColor" '
            f'stroke-opacity="{0.25 if level else 0.8}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{level:.3g}</text>'
        )
    for i in range(_ARGUMENT_LABELS if arguments else 0):
        at = i * (len(arguments) - 1) // (_ARGUMENT_LABELS - 1)
        anchor = 'start' if i == 0 else 'end' if i == _ARGUMENT_LABELS - 1 else 'middle'
        x = _LEFT + across * i / (_ARGUMENT_LABELS - 1)
        parts.append(f'<text x="{x:.1f}" y="{foot + 16}" text-anchor="{anchor}">{arguments[at]:.3g}</text>')
    parts.append(
        f'<text x="{_LEFT + across / 2:.0f}" y="{_HEIGHT - 8}" text-anchor="middle">'
        'argument, in the order of bit patterns</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" style="max-width:100%" fill="currentColor" '
        f'font-family="system-ui,Helvetica,Arial,sans-serif" font-size="12">{"".join(parts)}</svg>'
    )


class _Exact:
    """The operation in the type itself, rounded correctly, and in f64 of the same arguments."""

    def __init__(self, opcode: str, type: str, arity: int, size: int) -> None:
        self._here = self._program(opcode, type, arity, size)
        self._wide = self._program(opcode, 'f64', arity, size) if type != 'f64' else self._here

    @staticmethod
    def _program(opcode: str, type: str, arity: int, size: int) -> Module:
        shape = f'{type}[{size}]'
        parameters = '\n'.join(f'  p{i} = {shape} parameter({i})' for i in range(arity))
        operands = ', '.join(f'p{i}' for i in range(arity))
        return load(
            f'HloModule accuracy\nENTRY e {{\n{parameters}\n'
            f'  ROOT r = {shape} {opcode}({operands})\n}}\n'
        )

    def __call__(self, columns: list[np.ndarray[Any, Any]]) -> tuple[Any, Any]:
        import numpy as np

        rounded = self._here.run(*columns, seconds=None)
        with np.errstate(all='ignore'):
            wide = [np.asarray(column, np.float64) for column in columns]
        return rounded, self._wide.run(*wide, seconds=None)


def _patterns(type: str, arity: int, exhaustive: bool | None, samples: int) -> tuple[int, int, bool]:
    """The number of arguments, the step between them, and whether these are all."""
    from assay._arrays import dtype_of

    bits = {'f4e2m1fn': 4, 'f6e2m3fn': 6, 'f6e3m2fn': 6}.get(type, dtype_of(type).itemsize * 8)
    total = 1 << (bits * arity)
    if exhaustive is None:
        exhaustive = total <= 1 << 16
    if exhaustive and total > 1 << 33:
        raise InvalidArgumentError(f'{type} has 2^{bits * arity} arguments: too many to ask all')
    if exhaustive or total <= samples:
        return total, 1, True
    return samples, max(total // samples, 1), False


def _columns(
    first: int, count: int, step: int, type: str, arity: int
) -> list[np.ndarray[Any, Any]]:
    import numpy as np

    from assay._arrays import dtype_of

    dtype = dtype_of(type)
    width = {'f4e2m1fn': 4, 'f6e2m3fn': 6, 'f6e3m2fn': 6}.get(type, dtype.itemsize * 8)
    numbers = [(first + i) * step for i in range(count)] if step * (first + count) >= 1 << 62 else None
    if numbers is None:
        flat = (np.arange(first, first + count, dtype=np.uint64)) * np.uint64(step)
        # An odd offset in each step, so that samples are not all round numbers.
        flat += flat // np.uint64(max(step, 1)) * np.uint64(0x9E3779B97F4A7C15) % np.uint64(step)
        parts = [(flat >> np.uint64(width * i)) & np.uint64((1 << width) - 1) for i in range(arity)]
    else:
        parts = [
            np.array([(n >> (width * i)) & ((1 << width) - 1) for n in numbers], np.uint64)
            for i in range(arity)
        ]
    parts.reverse()
    return [part.astype(f'u{dtype.itemsize}').view(dtype) for part in parts]


def _ulp_of(exact: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The distance of the type's neighbouring numbers at these values."""
    import ml_dtypes
    import numpy as np

    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    exponent = np.frexp(np.abs(exact))[1].astype(np.int64) - 1
    largest = math.frexp(float(info.max))[1] - 1
    exponent = np.clip(exponent, int(info.minexp), largest)
    ulps: np.ndarray[Any, Any] = np.ldexp(1.0, exponent - int(info.nmant))
    return ulps


class Accuracy:
    """An operation and a type; called with a function, it says how accurate that is."""

    def __init__(self, operation: str, type: str, exhaustive: bool | None, samples: int) -> None:
        try:
            found = ops[operation]
        except KeyError as error:
            raise NotFoundError(str(error.args[0])) from error
        if type not in found.types:
            near = _core.nearest_type(type) if isinstance(type, str) else ''
            raise InvalidArgumentError(
                f'{found.name} has no element type {type}'
                + (f' (did you mean {near}?)' if near else '')
                + f'; its types are {" ".join(found.types)}'
            )
        if type[0] not in 'bf':
            raise InvalidArgumentError(f'accuracy is about floats, not {type}')
        arity = found.data['arity']
        if found.data.get('family') != 'elementwise' or arity not in (1, 2):
            raise UnsupportedError(f'{found.name} is no elementwise operation of one or two operands')
        self.operation, self.type, self._arity = found.name, type, arity
        self.count, self._step, self.exhaustive = _patterns(type, arity, exhaustive, samples)

    def __call__(self, function: Callable[..., Any]) -> AccuracyReport:
        """The error of a function that takes arrays of the type and returns one."""
        import numpy as np

        if not callable(function):
            raise InvalidArgumentError(
                f'the accuracy of a function of arrays is measured, as of jnp.exp, and {function!r} is none'
            )
        report = AccuracyReport(self.operation, self.type, self.count, self.exhaustive)
        chunk = min(_CHUNK, self.count)
        exact = _Exact(self.operation, self.type, self._arity, chunk)
        points: list[float] = []
        errors: list[float] = []
        per_bucket = max(chunk // max(_BUCKETS * chunk // self.count, 1), 1)
        for first in range(0, self.count, chunk):
            columns = _columns(first, chunk, self._step, self.type, self._arity)
            ulps = self._chunk(function, exact, columns, report)
            for start in range(0, chunk, per_bucket):
                part = ulps[start : start + per_bucket]
                errors.append(float(np.max(part, initial=0.0)))
                points.append(float(columns[0][min(start + per_bucket // 2, chunk - 1)]))
        report.plot = {'argument': points, 'ulp': errors}
        return report

    def _chunk(
        self,
        function: Callable[..., Any],
        exact: _Exact,
        columns: list[np.ndarray[Any, Any]],
        report: AccuracyReport,
    ) -> np.ndarray[Any, Any]:
        import numpy as np

        from assay._arrays import to_numpy

        actual = to_numpy(function(*columns), 'the result')
        if not isinstance(actual, np.ndarray) or actual.dtype != columns[0].dtype:
            kind = getattr(actual, 'dtype', actual)
            raise InvalidArgumentError(f'the function returned {kind} for arguments of {self.type}')
        if actual.shape != columns[0].shape:
            raise InvalidArgumentError(
                f'the function returned the shape {actual.shape} for {columns[0].shape}'
            )
        rounded, wide = exact(columns)
        with np.errstate(all='ignore'):
            got, want = np.asarray(actual, np.float64), np.asarray(rounded, np.float64)
            finite = np.isfinite(got) & np.isfinite(want)
            same = (got == want) | (np.isnan(got) & np.isnan(want))
            ulps = np.where(finite, np.abs(got - wide) / _ulp_of(wide, columns[0].dtype), 0.0)
            ulps = np.where(np.isfinite(ulps), ulps, 0.0)
        report.correctly_rounded += int(np.count_nonzero(same))
        wrong = ~finite & ~same
        if wrong.any():
            if not report.special:
                report.special_at = tuple(float(column[np.argmax(wrong)]) for column in columns)
            report.special += int(np.count_nonzero(wrong))
        worst = int(np.argmax(ulps))
        if ulps[worst] > report.worst or not report.worst_at:
            report.worst = float(ulps[worst])
            report.worst_at = tuple(float(column[worst]) for column in columns)
            report.worst_actual, report.worst_exact = float(got[worst]), float(wide[worst])
        return ulps


def accuracy(
    operation: str, type: str, *, exhaustive: bool | None = None, samples: int = _SAMPLES
) -> Accuracy:
    """How accurate a function is: `assay.accuracy('exp', 'bf16')(jnp.exp)`.

    The function gets numpy arrays of the type and is held against the exact result: over all
    arguments of types of 16 bits and fewer; of wider ones over a sample, evenly spaced over the
    bit patterns, unless `exhaustive` asks for all (2^32 of f32 take minutes).
    """
    if samples < 1:
        raise InvalidArgumentError('samples is at least 1')
    power = 1 << (samples.bit_length() - 1)
    return Accuracy(operation, type, exhaustive, power)
