"""Programs and folders of programs on other implementations, and the conformance suite."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from assay import _core
from assay._custom_calls import CustomCalls, core_custom_calls
from assay._errors import InvalidArgumentError, NotFoundError
from assay._module import Module, load
from assay._options import Budgets, budget_of, seed_of
from assay._report import Comparison, Report, Repro, SuiteReport, TriageReport
from assay._targets import Target, core_target, default_profile


def _name(target: str | _core.TargetFunction) -> str:
    return target if isinstance(target, str) else str(getattr(target, '__name__', 'function'))


def diagnose(
    module: Module,
    arguments: _core.ArraysByDevice,
    right: str | _core.TargetFunction,
    profile: str,
    budget: _core.Budget,
    subgraphs: int = 0,
    iterations: int = 1,
    custom_calls: CustomCalls | None = None,
    reduce: bool = False,
) -> Report:
    """Every instruction alone on golden operands, then the whole program."""
    start = time.perf_counter()
    text, excerpt, page = _core.diff(
        module._core,
        arguments,
        right,
        profile,
        budget,
        subgraphs,
        iterations,
        core_custom_calls(custom_calls),
    )
    data = json.loads(text)
    repro = None if excerpt is None else Repro.of(excerpt)
    if repro is None and data['verdict'] == 'wrong' and len(arguments) == 1:
        # No instruction alone is wrong: the program itself shows it.
        repro = Repro.of(('the whole program', module._core, arguments, [[]]))
    seconds = {'diagnosis': time.perf_counter() - start}
    if repro is not None and reduce:
        start = time.perf_counter()
        repro = repro.reduced(right, profile, budget)
        seconds['reduction'] = time.perf_counter() - start
    return Report(
        verdict=data['verdict'],
        sentence=data['sentence'],
        target=data['right'],
        profile=data['profile'],
        module=module,
        whole=data['whole'],
        instructions=tuple(data['instructions']),
        not_asked_alone=tuple(data['not_asked_alone']),
        repro=repro if repro is None else repro.on(data['right'], profile),
        seconds=seconds,
        _page=page,
    )


def diff(
    program: Any,
    left: Target = 'golden',
    right: Target = 'cpu',
    args: Sequence[Any] | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    seed: int = 0,
    profile: str | None = None,
    subgraphs: int = 0,
    iterations: int = 1,
    max_ulp: int = 0,
    custom_calls: CustomCalls | None = None,
    reduce: bool = False,
    **budgets: Unpack[Budgets],
) -> Report | Comparison:
    """A program on two implementations.

    Where `left` is golden, every instruction runs alone on `right`, then the whole program, and
    each is judged by the profile: a Report. Else the results of both are compared: a Comparison,
    which accepts `max_ulp`.

    right: a backend by name, a device of JAX, or a function of (module, *arrays). args: without
    them, random ones from `seed` (or those of a snapshot). profile: what `right` may do; without it
    that of a device's platform, and of anything else as the command has it. subgraphs, iterations: groups of up to
    so many instructions, and so many iterations of loops, are asked too. custom_calls: functions
    of (CustomCall, *arrays) for custom calls, by target. reduce: makes the repro smaller, for some
    seconds at most.
    """
    if isinstance(max_ulp, bool) or not isinstance(max_ulp, int) or not 0 <= max_ulp < 2**64:
        raise InvalidArgumentError(f'max_ulp is {max_ulp!r}: give a whole number that is not negative')
    module = load(program)
    budget = budget_of(budgets)
    if args is None and not kwargs and not module.signature['has_arguments']:
        arrays = module._core.random_arguments(seed_of(seed), -1)
    else:
        if args is not None and not isinstance(args, (list, tuple)):
            raise InvalidArgumentError(
                f'args is a list or tuple of the arguments, not {type(args).__name__}'
            )
        arrays = module._arguments(tuple(args or ()), kwargs)
    right_target = core_target(right)
    if left == 'golden':
        return diagnose(
            module,
            arrays,
            right_target,
            profile or default_profile(right),
            budget,
            subgraphs,
            iterations,
            custom_calls,
            reduce,
        )
    left_target = core_target(left)
    calls = core_custom_calls(custom_calls)
    sides = [
        module._core.run(arrays, side, budget, 0, False, calls)[0]
        for side in (left_target, right_target)
    ]
    text = _core.compare(module._core, sides[0], sides[1], max_ulp)
    return Comparison(_name(left_target), _name(right_target), json.loads(text))


def triage(
    folder: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: Target | None = None,
    *,
    profile: str | None = None,
    seed: int = 1,
    subgraphs: int = 0,
    iterations: int = 1,
    **budgets: Unpack[Budgets],
) -> TriageReport:
    """A folder of programs that differ, sorted by what goes wrong first in each.

    Beside X.hlo lie X.inputs.npz and what implementations returned, X.actual.npz; `target` is asked
    instead where it is given. A module may take 60 seconds, unless `seconds` says otherwise.
    """
    paths = [folder] if isinstance(folder, (str, os.PathLike)) else list(folder)
    for path in paths:
        if not os.path.exists(path):
            raise NotFoundError(f'there is no file or folder {os.fspath(path)!r}')
    budgets.setdefault('seconds', 60)
    text = _core.triage(
        [os.fspath(path) for path in paths],
        None if target is None else core_target(target),
        profile or default_profile(target),
        seed_of(seed),
        budget_of(budgets),
        subgraphs,
        iterations,
    )
    return TriageReport(json.loads(text))


def suite(
    target: Target = 'golden',
    profile: str | None = None,
    tier: str = 'quick',
    *,
    filter: str | Sequence[str] = (),
    ops: str | Sequence[str] = (),
    timeout: float = 60,
    jobs: int | None = None,
    repeat: int = 1,
) -> SuiteReport:
    """The conformance suite on an implementation.

    filter: globs of the names of cases, as 'dot/*'. ops: operations. timeout: seconds of a case.
    jobs: cases that run at once (one for each processor, 16 at most).
    """
    for count in (repeat, 1 if jobs is None else jobs):
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1024:
            raise InvalidArgumentError(f'repeat and jobs are from 1 to 1024, not {count!r}')
    question = _core.SuiteQuestion()
    question.target = core_target(target)
    question.profile = profile or default_profile(target)
    question.tier = tier
    question.globs = [filter] if isinstance(filter, str) else list(filter)
    question.ops = [ops] if isinstance(ops, str) else list(ops)
    question.timeout = timeout
    question.jobs = jobs or min(len(os.sched_getaffinity(0)), 16)
    question.repeat = repeat
    return SuiteReport(_core.suite(question))
