"""Exceptions by the code of the C++ library's status, with its message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay._report import Report


class Error(Exception):
    """What went wrong, in a sentence. `code` is the name of the status code."""

    code = 'UNKNOWN'
    number = 2


class InvalidArgumentError(Error, ValueError):
    """A program, an argument or an option is wrong."""

    code = 'INVALID_ARGUMENT'
    number = 3


class NotFoundError(Error, LookupError):
    """There is no file, profile or case of that name."""

    code = 'NOT_FOUND'
    number = 5


class BudgetError(Error, RuntimeError):
    """A budget of bytes, steps, depth or time is spent."""

    code = 'RESOURCE_EXHAUSTED'
    number = 8


class PreconditionError(Error, RuntimeError):
    """Something that the call needs is no longer there."""

    code = 'FAILED_PRECONDITION'
    number = 9


class TargetError(Error, RuntimeError):
    """The implementation that was asked crashed, hung or answered nonsense."""

    code = 'ABORTED'
    number = 10


class UnsupportedError(Error, NotImplementedError):
    """The backend, or Assay, does not support the program."""

    code = 'UNIMPLEMENTED'
    number = 12


class InternalError(Error, RuntimeError):
    """A mistake of Assay's own."""

    code = 'INTERNAL'
    number = 13


class WrongResultError(Error, AssertionError):
    """A result is proven wrong; `report` says where and by how much."""

    code = 'WRONG_RESULT'
    number = 10

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


_CLASSES: dict[str, type[Error]] = {
    each.code: each
    for each in (
        InvalidArgumentError,
        NotFoundError,
        BudgetError,
        PreconditionError,
        TargetError,
        UnsupportedError,
        InternalError,
    )
}


def error_of(code: str, message: bytes) -> BaseException:
    """The exception for a status of the C++ library, which calls this."""
    text = message.decode('utf-8', 'replace')
    if code == 'CANCELLED':
        return KeyboardInterrupt(text)
    kind = _CLASSES.get(code)
    if kind is None:
        error = Error(f'{code}: {text}')
        error.code = code
        return error
    return kind(text)


def status_of(error: BaseException) -> tuple[int, str]:
    """The code and message for an exception of a Python function that is a target."""
    if isinstance(error, Error):
        return error.number, str(error)
    kind = 12 if isinstance(error, NotImplementedError) else 10
    lines = str(error).strip()
    return kind, f'{type(error).__name__}: {lines[:4096]}' if lines else type(error).__name__
