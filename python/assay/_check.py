"""assay.check: a JAX function on the user's device, golden beside it, judged."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, Unpack

from assay import _core, _trees
from assay._arrays import from_core, to_core
from assay._custom_calls import CustomCalls, core_custom_calls
from assay._diff import diagnose
from assay._errors import Error, InvalidArgumentError, UnsupportedError
from assay._module import Module, load
from assay._options import Budgets, budget_of
from assay._report import Report, Repro
from assay._targets import Target, core_target, default_profile

RaiseOn = Literal['wrong', 'not judged'] | None
# How deep diagnosis goes where the whole program is wrong and no instruction alone is.
_SUBGRAPHS, _ITERATIONS = 4, 3


class Checked:
    """A function that is checked when it is called. `assay.check` makes it."""

    def __init__(
        self,
        function: Any,
        profile: str | None,
        target: Target | None,
        raise_on: RaiseOn,
        isolate: bool | Literal['auto'],
        reduce: bool,
        custom_calls: CustomCalls | None,
        budgets: Budgets,
    ) -> None:
        self._function = function
        self._profile = profile
        self._target = target
        self._raise_on = raise_on
        self._isolate = isolate
        self._reduce = reduce
        self._custom_calls = custom_calls
        self._budget = budget_of(budgets)
        if callable(function):
            functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Report:
        __tracebackhide__ = True  # pytest shows the test's line
        report = self.report(*args, **kwargs)
        return report.raise_if(self._raise_on)

    def report(self, *args: Any, **kwargs: Any) -> Report:
        """The report, whatever it says."""
        from assay._jax import is_compiled

        is_program = isinstance(self._function, Module) or is_compiled(self._function)
        if callable(self._function) and not is_program:
            return self._check_function(args, kwargs)
        module = self._function if isinstance(self._function, Module) else load(self._function)
        return self._check_module(module, module._arguments(args, kwargs))

    def _check_module(self, module: Module, arrays: _core.ArraysByDevice) -> Report:
        from assay._jax import default_device

        target = default_device() if self._target is None else self._target
        return diagnose(
            module,
            arrays,
            core_target(target),
            self._profile or default_profile(target),
            self._budget,
            custom_calls=self._custom_calls,
            reduce=self._reduce,
        )

    def _check_function(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Report:
        from assay._jax import with_callbacks

        run = _FunctionRun(self._function, args, kwargs)
        if self._target is not None:
            return self._check_module(run.module, run.program_arguments())
        calls = with_callbacks(self._custom_calls)
        return run.judged(self._profile, self._budget, self._isolate, self._reduce, calls)


class _FunctionRun:
    """One call of a function of JAX: its program, its arguments, and what it returned."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        from assay._jax import check_function, check_program, content_of, require_jax

        self._jax = require_jax()
        check_function(function)
        start = time.perf_counter()
        jitted = function if hasattr(function, 'lower') else self._jax.jit(function, keep_unused=True)
        for path, leaf in _trees.flatten((args, kwargs)):
            if isinstance(leaf, self._jax.core.Tracer):
                raise InvalidArgumentError(
                    f'argument {path} is a tracer: call what assay.check makes outside of jit, vmap '
                    'and grad, and give it the transformed function, as assay.check(jax.vmap(f))'
                )
            if callable(getattr(leaf, 'is_deleted', None)) and leaf.is_deleted():
                to_core(leaf, f'argument {path}')  # says that it was donated
        lowered = jitted.lower(*args, **kwargs)
        check_program(lowered)
        content, call = content_of(lowered)
        name = getattr(function, '__name__', 'f')
        self.module = Module(_core.Module.parse(content, name, _core.ReadingOptions(), []), call)
        if self.module.signature['partitions'] > 1 and not _knows_of_partitions(self.module):
            # Shardings of XLA's partitioner do not change what the program means: on one device
            # the judge knows bounds for all of it.
            options = _core.ReadingOptions()
            options.partitions = 1
            self.module = Module(_core.Module.parse(content, name, options, []), call)
        self.lowering = time.perf_counter() - start
        self._function, self._jitted, self._lowered = function, jitted, lowered
        self._args, self._kwargs = args, kwargs

    def program_arguments(self) -> _core.ArraysByDevice:
        """The arguments as JAX hands them to the program: static ones are no part of it."""
        args, kwargs = self._args, self._kwargs
        leaves = _trees.flatten((args, kwargs))
        wanted = self._jax.tree_util.tree_leaves(self._lowered.args_info)
        if len(leaves) != len(wanted):
            args, kwargs = self._without_static()
        return self.module._arguments(args, kwargs, convert=True, traced=True)

    def _without_static(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Static arguments are those whose places the program's tree of arguments lacks."""
        inner, keywords = self._lowered.args_info
        kwargs = {name: value for name, value in self._kwargs.items() if name in keywords}
        static = len(self._args) - len(inner)
        numbers = getattr(getattr(self._jitted, '_fun', None), '__static_argnums__', None)
        if static == 0:
            return self._args, kwargs
        numbers = numbers or _static_numbers(self._jitted)
        if numbers is None or len(numbers) != static:
            raise UnsupportedError(
                'the function has static arguments that cannot be told from others: bind them with '
                'functools.partial'
            )
        kept = [arg for i, arg in enumerate(self._args) if i not in numbers]
        return tuple(kept), kwargs

    def _undonated(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with copies of what the function would take the memory of."""
        tree = self._jax.tree_util
        info = tree.tree_leaves(self._lowered.args_info)
        if not any(getattr(each, 'donated', False) for each in info):
            return self._args, self._kwargs

        def copied(leaf: Any) -> Any:
            return leaf.copy() if isinstance(leaf, self._jax.Array) else leaf

        args, kwargs = tree.tree_map(copied, (self._args, self._kwargs))
        return args, kwargs

    def judged(
        self,
        profile: str | None,
        budget: _core.Budget,
        isolate: bool | Literal['auto'],
        reduce: bool,
        custom_calls: CustomCalls | None,
    ) -> Report:
        from assay._jax import device_target, profile_of

        arguments = self.program_arguments()
        args, kwargs = self._undonated()
        start = time.perf_counter()
        result = self._jitted(*args, **kwargs)
        leaves = self._jax.tree_util.tree_leaves(result)
        self._jax.block_until_ready(leaves)
        running = time.perf_counter() - start
        device = _device_of(leaves, self._jax)
        others = max((len(leaf.devices()) for leaf in leaves if self._is_array(leaf)), default=1) - 1
        name = f'JAX on {device.platform}:{device.id}'
        if others > 0:
            name += f' and {others} more device' + ('s' if others > 1 else '')
        profile = profile or profile_of(device.platform)
        wanted = [
            leaf for leaf in _trees.shape_leaves(self.module.signature['result']) if 'sizes' in leaf
        ]
        if len(leaves) != len(wanted):
            raise UnsupportedError(
                f'the program returns {len(wanted)} arrays and the function {len(leaves)}: effects '
                'that are ordered have results of their own'
            )
        actual = [[
            to_core(leaf, f'result {i}', shape['type'])
            for i, (leaf, shape) in enumerate(zip(leaves, wanted))
        ]]  # fmt: skip
        start = time.perf_counter()
        text, sentence, golden = _core.judge(
            self.module._core, arguments, actual, profile, budget, core_custom_calls(custom_calls)
        )
        report = _whole_report(self.module, text, sentence, name, profile, result, golden)
        report.seconds.update(
            lowering=self.lowering, running=running, judging=time.perf_counter() - start
        )
        asks = isolate is True or (isolate == 'auto' and report.verdict != 'right')
        if not asks:
            return report
        known = None
        if others > 0:
            # Instructions run alone on one device; the whole has run on all of them.
            known = (self.module.show('text').encode(), actual)
        target = device_target(device, known)

        def ask(subgraphs: int = 0, iterations: int = 1) -> Report:
            return diagnose(
                self.module,
                arguments,
                target,
                report.profile,
                budget,
                subgraphs,
                iterations,
                custom_calls,
                reduce,
            )

        found = self._diagnosed(report, arguments, ask)
        if known is not None and found.verdict == 'right' and report.verdict == 'not judged':
            # Collectives are not asked alone: right instructions do not make the program right.
            sentence = f'{found.sentence} What the devices exchange is not judged.'
            found = _with(found, verdict='not judged', sentence=sentence)
        return found

    def _is_array(self, leaf: Any) -> bool:
        return isinstance(leaf, self._jax.Array)

    def _diagnosed(
        self, whole: Report, arguments: _core.ArraysByDevice, ask: Callable[..., Report]
    ) -> Report:
        """The instructions of the program on the same device, to say where it goes wrong."""
        deep = whole.verdict == 'wrong'
        try:
            found = ask()
            if deep and found.first_wrong is None:
                found = ask(_SUBGRAPHS, _ITERATIONS)
        except Error as error:
            return _with(whole, sentence=f'{whole.sentence} Its instructions were not asked: {error}')
        verdict, sentence = whole.verdict, whole.sentence
        if found.verdict == 'wrong' or verdict == 'not judged' or found.verdict == verdict:
            verdict, sentence = found.verdict, found.sentence
        elif deep:
            # The program as JAX compiled it is wrong, and is right when it is compiled again.
            sentence += ' No instruction alone is wrong.'
        repro = found.repro
        if deep and repro is None:
            values = tuple(from_core(array) for array in arguments[0])
            repro = Repro('the whole program', self.module, values, whole.golden)
            repro = repro.on(whole.target, whole.profile)
        return _with(
            whole,
            verdict=verdict,
            sentence=sentence,
            instructions=found.instructions,
            not_asked_alone=found.not_asked_alone,
            repro=repro,
            seconds={**whole.seconds, **found.seconds},
            _page=found._page,
        )


# Operations that see the devices of a program, and custom calls at whose borders shapes change.
_ON_DEVICES = ('all-', 'collective-', 'reduce-scatter', 'ragged-', 'partition-id', 'replica-id',
               'send', 'recv', 'infeed', 'outfeed')  # fmt: skip
_BORDERS = ('SPMDFullToShardShape', 'SPMDShardToFullShape', 'GlobalToLocalShape',
            'LocalToGlobalShape')  # fmt: skip


def _knows_of_partitions(module: Module) -> bool:
    if any(opcode.startswith(_ON_DEVICES) for opcode in module.stats()['opcodes']):
        return True
    text = module.show('short')
    return any(border in text for border in _BORDERS)


def _static_numbers(jitted: Any) -> tuple[int, ...] | None:
    info = getattr(jitted, '_jit_info', None)
    numbers = getattr(info, 'static_argnums', None)
    return None if numbers is None else tuple(numbers)


def _with(report: Report, **changes: Any) -> Report:
    import dataclasses

    return dataclasses.replace(report, **changes)


def _device_of(leaves: Sequence[Any], jax: Any) -> Any:
    for leaf in leaves:
        if isinstance(leaf, jax.Array):
            return min(leaf.devices(), key=lambda device: device.id)
    from assay._jax import default_device

    return default_device()


def _whole_report(
    module: Module,
    text: str,
    sentence: str,
    target: str,
    profile: str,
    result: Any,
    golden: _core.ArraysByDevice,
) -> Report:
    import json

    whole = json.loads(text)
    words = {'wrong': 'wrong', 'not judgeable': 'not judged'}
    return Report(
        verdict=words.get(whole['verdict'], 'right'),
        sentence=sentence,
        target=target,
        profile=profile,
        module=module,
        whole=whole,
        result=result,
        golden=tuple(from_core(array) for array in golden[0] if array.type != 'token'),
        seconds={},
    )


def check(
    function: Any,
    *arguments: Any,
    profile: str | None = None,
    target: Target | None = None,
    raise_on: RaiseOn = 'wrong',
    isolate: bool | Literal['auto'] = 'auto',
    reduce: bool = True,
    custom_calls: CustomCalls | None = None,
    **budgets: Unpack[Budgets],
) -> Checked:
    """Makes a function that runs `function` where JAX runs it, and judges what it returned.

        report = assay.check(f)(x, y)

    runs f(x, y), the same program on the reference interpreter, and holds every element of the
    result against what the profile permits. What is wrong raises WrongResultError, whose text says
    which instruction is wrong first, in which line of the source, by how much, and shows a program
    of that instruction alone.

    profile: what the device may do; without it that of JAX's platform, and that of the command for
    another target. target: runs the program instead of JAX's device. raise_on: 'wrong', 'not
    judged', None. isolate: whether instructions are asked alone: 'auto' where the whole is not
    right. reduce: whether the repro is made smaller, for ten seconds at most. custom_calls:
    functions of (CustomCall, *arrays) for the custom calls of the program, by target. `function`
    may also be a program.
    """
    if arguments:
        raise TypeError('assay.check(f)(x, y) takes the arguments of f behind the function that it makes')
    if raise_on not in ('wrong', 'not judged', None):
        raise InvalidArgumentError(f"raise_on is 'wrong', 'not judged' or None, not {raise_on!r}")
    if isolate not in (True, False, 'auto'):
        raise InvalidArgumentError(f"isolate is True, False or 'auto', not {isolate!r}")
    if not callable(function) and not isinstance(function, Module):
        function = load(function)
    return Checked(function, profile, target, raise_on, isolate, reduce, custom_calls, budgets)
