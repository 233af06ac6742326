"""assay.capture: every program that JAX compiles and runs inside a block, with arguments and results."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any

from assay._errors import UnsupportedError
from assay._jax import _mlir_bytes, require_jax

if TYPE_CHECKING:
    import numpy as np

    from assay._module import Module
    from assay._report import TriageReport

# One block at a time changes how JAX runs programs.
_LOCK = threading.Lock()


@dataclass
class Execution:
    """One run of a program: what it was given and what it returned, on the host."""

    name: str
    content: bytes
    arguments: list[np.ndarray[Any, Any]]
    results: list[np.ndarray[Any, Any]]
    platform: str


@dataclass(frozen=True)
class CapturedProgram:
    """A program that was captured, and the files that it lies in."""

    name: str
    path: str
    inputs: str
    results: str

    def load(self) -> Module:
        from assay._module import load

        return load(os.fspath(self.path))


@dataclass
class Watch:
    """Sees each program that JAX runs while it is installed, by private names of JAX."""

    see: Callable[[Execution], None]
    executions: int = 1
    skipped: list[str] = field(default_factory=list)
    _programs: dict[int, tuple[Any, bytes]] = field(default_factory=dict)
    _runs: dict[int, int] = field(default_factory=dict)
    _undo: list[Callable[[], None]] = field(default_factory=list)

    def install(self) -> None:
        jax = require_jax()
        try:
            from jax._src import compiler, pjit
            from jax._src.interpreters import pxla

            compile_, call = compiler.compile_or_get_cached, pxla.ExecuteReplicated.__call__
            fast = pjit._get_fastpath_data
        except (ImportError, AttributeError) as error:
            raise UnsupportedError(
                f'assay.capture does not know this version of JAX, {jax.__version__}: {error}'
            ) from error
        if not _LOCK.acquire(blocking=False):
            raise UnsupportedError('assay.capture is active already: blocks do not nest')
        watch = self

        def compile_and_keep(backend: Any, computation: Any, *args: Any, **kwargs: Any) -> Any:
            content = _mlir_bytes(computation)
            executable = compile_(backend, computation, *args, **kwargs)
            watch._programs[id(executable)] = (executable, content)
            return executable

        def run_and_see(executor: Any, *args: Any) -> Any:
            return watch._run(executor, call, args)

        def no_fast_path(*args: Any, **kwargs: Any) -> None:
            return None

        compiler.compile_or_get_cached = compile_and_keep
        pxla.ExecuteReplicated.__call__ = run_and_see
        pjit._get_fastpath_data = no_fast_path

        def undo() -> None:
            compiler.compile_or_get_cached = compile_
            pxla.ExecuteReplicated.__call__ = call
            pjit._get_fastpath_data = fast
            jax.clear_caches()
            watch._programs.clear()
            _LOCK.release()

        self._undo.append(undo)
        # What was compiled before would run without being seen.
        jax.clear_caches()

    def remove(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _run(self, executor: Any, call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        known = self._programs.get(id(executor.xla_executable))
        times = self._runs.get(id(executor.xla_executable), 0)
        if known is None or times >= self.executions:
            return call(executor, *args)
        if executor.ordered_effects or executor.mut:
            self.skipped.append(f'{executor.name}: it has ordered effects or mutable arrays')
            return call(executor, *args)
        self._runs[id(executor.xla_executable)] = times + 1
        kept = [arg for i, arg in enumerate(args) if i in executor.kept_var_idx]
        # Copies: the program may take the memory of its arguments.
        try:
            arguments = [_host(arg) for arg in kept]
        except Exception as error:
            self.skipped.append(f'{executor.name}: {error}')
            return call(executor, *args)
        results = call(executor, *args)
        try:
            values = [_host(result) for result in results]
        except Exception as error:
            self.skipped.append(f'{executor.name}: {error}')
            return results
        platform = str(getattr(executor.backend, 'platform', 'cpu'))
        self.see(Execution(executor.name, known[1], arguments, values, platform))
        return results


def _host(value: Any) -> np.ndarray[Any, Any]:
    import numpy as np

    from assay._arrays import to_numpy

    array = to_numpy(value)
    if not isinstance(array, np.ndarray):
        raise UnsupportedError(f'arrays of {array.type} are not kept')
    jax = require_jax()
    if not isinstance(value, jax.Array):
        # As JAX hands it on: numbers and wide types of numpy become 32 bits wide.
        return array.astype(jax.typeof(value).dtype)
    return np.array(array)


class Capture:
    """What `assay.capture` returns: a block, and afterwards the programs that ran in it."""

    def __init__(self, folder: str | os.PathLike[str], executions: int) -> None:
        self.folder = os.fspath(folder)
        self.programs: list[CapturedProgram] = []
        self._watch = Watch(self._write, executions)
        self._platform = 'cpu'

    @property
    def skipped(self) -> Sequence[str]:
        """The programs that were not kept, with the reason."""
        return tuple(self._watch.skipped)

    def _write(self, execution: Execution) -> None:
        from assay._report import save_npz

        name = re.sub(r'[^\w.-]+', '_', execution.name)[:80] or 'program'
        stem = os.path.join(self.folder, f'{len(self.programs):04d}_{name}')
        program = CapturedProgram(
            execution.name, f'{stem}.mlirbc', f'{stem}.inputs.npz', f'{stem}.actual.npz'
        )
        with open(program.path, 'wb') as file:
            file.write(execution.content)
        save_npz(program.inputs, 'arg', execution.arguments)
        save_npz(program.results, 'out', execution.results)
        self.programs.append(program)
        self._platform = execution.platform

    def __enter__(self) -> Capture:
        os.makedirs(self.folder, exist_ok=True)
        self._watch.install()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._watch.remove()

    def triage(self, profile: str | None = None) -> TriageReport:
        """The results that were captured, judged and sorted by what goes wrong first.

        Without a profile they are judged by that of the platform on which JAX ran them.
        """
        from assay._diff import triage
        from assay._jax import profile_of

        return triage(self.folder, profile=profile or profile_of(self._platform))


def capture(folder: str | os.PathLike[str], *, executions: int = 1) -> Capture:
    """Keeps every program that JAX compiles and runs inside the block.

        with assay.capture('programs') as captured:
            model(x)
        print(captured.triage())

    For each program the folder gets its StableHLO, and the arguments and results of its first
    `executions` runs, so that `assay.triage` and `assay.diff` (and the command) read them. JAX's
    caches are emptied at both ends of the block, and its fast path is off inside.
    """
    if executions < 1:
        raise ValueError('executions is at least 1')
    return Capture(folder, executions)
