"""Options that several entries of the package share."""

from __future__ import annotations

import math
from typing import TypedDict

from assay import _core
from assay._errors import InvalidArgumentError

# Beyond a billion seconds the library does not look at the clock, nor for signals.
_FOREVER = 9.9e8


class Budgets(TypedDict, total=False):
    """What a run may use; None is no limit. Exceeding one raises BudgetError.

    seconds: wall time (600); bytes: live values (4 GiB); elements: of one value; steps: element
    operations; depth: calls and loops inside each other (20,000); threads: that compute together
    (one for each processor, 16 at most; no result depends on it).
    """

    seconds: float | None
    bytes: int | None
    elements: int | None
    steps: int | None
    depth: int | None
    threads: int | None


def budget_of(budgets: Budgets) -> _core.Budget:
    budget = _core.Budget()
    for name, value in budgets.items():
        if name not in Budgets.__annotations__:
            raise TypeError(
                f'there is no option {name!r}; the budgets are ' + ', '.join(Budgets.__annotations__)
            )
        if name == 'seconds':
            budget.seconds = _seconds(value)
        elif value is None:
            if name != 'threads':
                setattr(budget, name, -1)
        elif isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
            raise InvalidArgumentError(f'{name} is {value!r}: give a whole number that is not negative')
        elif name == 'threads' and not 1 <= value <= 1024:
            raise InvalidArgumentError(f'threads is {value}: from 1 to 1024 compute together')
        else:
            setattr(budget, name, value)
    return budget


def seed_of(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise InvalidArgumentError(f'seed is {seed!r}: give a whole number from 0 to 2^64 - 1')
    return seed


def _seconds(value: object) -> float:
    if value is None:
        return _FOREVER
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        raise InvalidArgumentError(f'seconds is {value!r}: give a number that is not negative')
    return _FOREVER if math.isinf(value) else min(float(value), _FOREVER)
