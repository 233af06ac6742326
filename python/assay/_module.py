"""Programs: reading them from wherever they are, running, verifying and showing them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from assay import _core, _trees
from assay._errors import InvalidArgumentError
from assay._options import Budgets, budget_of, seed_of

if TYPE_CHECKING:
    from assay._custom_calls import CustomCalls
    from assay._graph import Graph
    from assay._targets import Target

TextFormat = Literal['text', 'short', 'default', 'canonical', 'textproto', 'dot', 'stablehlo',
                     'stablehlo-generic']  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a module, and where."""

    clause: str
    rules: str
    line: int
    column: int
    computation: str
    instruction: str
    message: str
    expected: str
    found: str

    def __str__(self) -> str:
        place = f'{self.line}:{self.column}: ' if self.line > 0 else ''
        return f'{place}[{self.clause}] {self.message}'


@dataclass(frozen=True)
class Verification:
    """What the verifier found. It is true where the module is legal."""

    findings: tuple[Finding, ...]
    left_out: int = 0

    @property
    def ok(self) -> bool:
        return not self.findings

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return 'The module is legal.'
        more = [f'{self.left_out} more findings'] if self.left_out else []
        return '\n'.join([*map(str, self.findings), *more])

    def to_dict(self) -> dict[str, Any]:
        return {'ok': self.ok, 'findings': [vars(each) for each in self.findings],
                'left_out': self.left_out}  # fmt: skip


def _wanted(arrays: int, given: int) -> str:
    return f'{arrays} array{"" if arrays == 1 else "s"} and {given} {"is" if given == 1 else "are"} given'


@dataclass(frozen=True)
class Call:
    """How arguments and results of a JAX function are those of its module.

    `kept` are the numbers of the arguments that the module has; `unflatten` puts results together;
    `tree` is what JAX calls the structure of the arguments.
    """

    kept: tuple[int, ...] | None = None
    unflatten: Callable[[Sequence[Any]], Any] | None = None
    tree: Any = None

    def check_count(self, given: int) -> None:
        wanted = getattr(self.tree, 'num_leaves', given)
        if given != wanted:
            raise InvalidArgumentError(
                f'the function takes {_wanted(wanted, given)}; its arguments are '
                f'{self.tree}'
            )

    def check_tree(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuses pytrees of another structure, whose leaves would meet the wrong parameters.

        If every argument is one array, they are taken in the order of the parameters.
        """
        if self.tree is None or self.tree.num_leaves == len(args) and not kwargs and all(
            [path for path, _ in _trees.flatten(each)] == [''] for each in args
        ):
            return
        given = _trees.structure((args, kwargs))
        if given is not None and given != self.tree:
            raise InvalidArgumentError(
                f'the arguments have the structure {given}, but the function takes {self.tree}'
            )


class Module:
    """A program, as `assay.load` reads it. Immutable; any thread may use it."""

    def __init__(self, core: _core.Module, call: Call | None = None) -> None:
        self._core = core
        self._call = call or Call()

    @cached_property
    def signature(self) -> dict[str, Any]:
        """Name, parameters, result and number of devices, as dictionaries."""
        signature: dict[str, Any] = json.loads(self._core.signature())
        return signature

    @property
    def name(self) -> str:
        return str(self.signature['name'])

    @property
    def devices(self) -> int:
        """The devices that the program has arguments and results for."""
        return int(self.signature['devices'])

    def _wanted(self) -> list[dict[str, Any]]:
        """The arrays that the module takes, in order, each with the name of its parameter."""
        return [
            {'parameter': parameter['name'], **leaf}
            for parameter in self.signature['parameters']
            for leaf in _trees.shape_leaves(parameter['shape'])
            if 'sizes' in leaf
        ]

    def verify(self, *, strict: bool = False, max_findings: int = 1000) -> Verification:
        """Everything that is wrong with the module, by clause.

        strict: by the rules of the specification also where XLA is laxer.
        """
        found = json.loads(self._core.verify(strict, max_findings))
        return Verification(
            tuple(Finding(**each) for each in found['findings']), int(found['left_out'])
        )

    def stats(self) -> dict[str, Any]:
        """Opcodes, instructions, multiply-adds and bytes."""
        stats: dict[str, Any] = json.loads(self._core.stats())
        return stats

    @overload
    def show(self, form: TextFormat = 'text') -> str: ...
    @overload
    def show(self, form: str) -> str | bytes: ...
    def show(self, form: str = 'text') -> str | bytes:
        """The module in another format; bytes for proto and stablehlo-artifact[=VERSION]."""
        if not isinstance(form, str):
            raise InvalidArgumentError(f'a format is given by its name, not {form!r}')
        content = self._core.show(form.encode('utf-8', 'replace').decode())
        if form == 'proto' or form.startswith('stablehlo-artifact'):
            return content
        return content.decode('utf-8', 'replace')

    def graph(self) -> Graph:
        """The module as a graph, which notebooks draw."""
        from assay._graph import Graph

        return Graph(self)

    def random_arguments(self, seed: int = 0, *, bytes: int | None = None) -> list[Any]:
        """Arguments that the module can take, the same for the same seed.

        A list of arrays; of a program of several devices a list of them for each.
        """
        from assay._arrays import from_core

        arrays = self._core.random_arguments(seed_of(seed), -1 if bytes is None else bytes)
        lists = [[from_core(array) for array in device] for device in arrays]
        return lists[0] if len(lists) == 1 else lists

    def run(
        self,
        *args: Any,
        backend: Target = 'golden',
        kwargs: Mapping[str, Any] | None = None,
        by_device: Sequence[Sequence[Any]] | None = None,
        seed: int = 0,
        straight: bool = False,
        custom_calls: CustomCalls | None = None,
        **budgets: Unpack[Budgets],
    ) -> Any:
        """The results of the program on these arguments, as numpy arrays.

        Arguments are arrays (numpy, ml_dtypes, JAX, PyTorch, DLPack), Python numbers, or pytrees of
        them, in the order of the module's parameters; `kwargs` are those of a JAX function. Without
        any, those of a snapshot are taken. The result is an array or a tuple, of a JAX function
        what it returns; of a program of several devices a list by device, which `by_device` has
        arguments for.

        backend: golden, cpu, process:COMMAND, ..., or a function of (module, *arrays).
        seed: of the operation rng. straight: golden by the definitions alone, slow, the same bits.
        custom_calls: functions of (CustomCall, *arrays) for custom calls, by target.
        """
        from assay._custom_calls import core_custom_calls
        from assay._targets import core_target

        arrays = self._arguments(args, kwargs, by_device)
        results, self_stats = self._core.run(
            arrays,
            core_target(backend),
            budget_of(budgets),
            seed_of(seed),
            straight,
            core_custom_calls(custom_calls),
        )
        del self_stats
        values = [self._result(device) for device in results]
        return values[0] if len(values) == 1 else values

    def _arguments(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any] | None = None,
        by_device: Sequence[Sequence[Any]] | None = None,
        convert: bool = False,
        traced: bool = False,
    ) -> _core.ArraysByDevice:
        """The arguments by device. `traced`: the program was made from these very arguments."""
        if by_device is not None:
            if args or kwargs:
                raise InvalidArgumentError('by_device has all arguments: give no others')
            lists = isinstance(by_device, (list, tuple))
            if not lists or not all(isinstance(each, (list, tuple)) for each in by_device):
                raise InvalidArgumentError('by_device is a list of the list of arrays of each device')
            return [
                self._flat(tuple(device), {}, f' of device {i}', convert)
                for i, device in enumerate(by_device)
            ]
        if not args and not kwargs and self.signature['has_arguments']:
            return self._core.arguments()
        if not traced:
            self._call.check_count(len(_trees.flatten((args, kwargs or {}))))
            self._call.check_tree(tuple(args), dict(kwargs or {}))
        return [self._flat(tuple(args), dict(kwargs or {}), '', convert)]

    def _flat(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], where: str, convert: bool
    ) -> list[_core.Array]:
        from assay._arrays import to_core

        leaves = [(f'argument {path}{where}', leaf) for path, leaf in _trees.flatten(args)]
        leaves = [(text.replace('argument [', 'argument ', 1).replace(']', '', 1), leaf)
                  for text, leaf in leaves]  # fmt: skip
        leaves += [(f'argument {path[2:-2] if path.count("[") == 1 else path}{where}', leaf)
                   for path, leaf in _trees.flatten(kwargs)]  # fmt: skip
        kept = self._call.kept
        if kept is not None:
            self._call.check_count(len(leaves))
            leaves = [leaves[i] for i in kept]
        wanted = self._wanted()
        if len(leaves) != len(wanted):
            listed = ', '.join(f'{each["text"]} {each["parameter"]}' for each in wanted[:8])
            more = ', ...' if len(wanted) > 8 else ''
            lists = any(isinstance(each, list) for each in args)
            raise InvalidArgumentError(
                f'the program takes {_wanted(len(wanted), len(leaves))}'
                + (f'; it takes {listed}{more}' if wanted else '')
                + ('; numpy.asarray makes an array of a list, which is a pytree here' if lists else '')
            )
        arrays = []
        for (what, leaf), shape in zip(leaves, wanted):
            array = to_core(leaf, what, shape['type'], convert)
            fits = list(array.sizes) == shape['sizes'] or shape['dynamic']
            if array.type != shape['type'] or not fits:
                given = f'{array.type}[{",".join(map(str, array.sizes))}]'
                raise InvalidArgumentError(
                    f'{what} is {given}, but the program takes {shape["text"]} for its parameter '
                    f'{shape["parameter"]}'
                )
            arrays.append(array)
        return arrays

    def _result(self, leaves: Sequence[_core.Array]) -> Any:
        from assay._arrays import from_core

        values = [None if leaf.type == 'token' else from_core(leaf) for leaf in leaves]
        if self._call.unflatten is not None:
            return self._call.unflatten([value for value in values if value is not None])
        rest = iter(values)
        return _trees.nested(self.signature['result'], lambda: next(rest))

    def __repr__(self) -> str:
        takes = ', '.join(each['text'] for each in self._wanted()[:6])
        more = ', ...' if len(self._wanted()) > 6 else ''
        gives = ', '.join(
            leaf['text'] for leaf in _trees.shape_leaves(self.signature['result'])[:6]
        )
        return f'<assay.Module {self.name}: ({takes}{more}) -> {gives}>'

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_text, (self._core.show('text'),))


def _from_text(text: bytes) -> Module:
    return Module(_core.Module.parse(text, 'module', _core.ReadingOptions(), []))


def _options(
    entry: str, dimensions: Mapping[str, int] | None, expand_chlo: bool, replicas: int, partitions: int
) -> _core.ReadingOptions:
    if min(replicas, partitions) < 0:
        raise InvalidArgumentError('replicas and partitions are at least 1; 0: what the module says')
    options = _core.ReadingOptions()
    options.entry = entry
    options.dimensions = dict(dimensions or {})
    options.expand_chlo = expand_chlo
    options.replicas = replicas
    options.partitions = partitions
    return options


def load(
    program: Any,
    *,
    entry: str = '',
    dimensions: Mapping[str, int] | None = None,
    sizes: Sequence[Sequence[int]] = (),
    expand_chlo: bool = False,
    replicas: int = 0,
    partitions: int = 0,
    name: str = '',
) -> Module:
    """Reads a program.

    It is a path; HLO or StableHLO as text; StableHLO bytecode, a portable artifact, or a protobuf
    of XLA as bytes, compressed or not; what JAX made: `jax.stages.Lowered`, `Compiled`,
    `jax.export.Exported`; an MLIR module; or an object of PyTorch/XLA that gives StableHLO.

    entry: the function of StableHLO that runs. dimensions: sizes of symbolic dimensions, {'b': 4}.
    sizes: those of the arguments, where the program leaves them open. expand_chlo: functions of
    CHLO by the formulas of XLA's converter. replicas, partitions: instead of what the module says.
    """
    options = _options(entry, dimensions, expand_chlo, replicas, partitions)
    all_sizes = [list(each) for each in sizes]
    if isinstance(program, Module):
        return program
    if isinstance(program, os.PathLike):
        return Module(_core.Module.open(os.fspath(program), options, all_sizes))
    if isinstance(program, str):
        if _is_path(program):
            return Module(_core.Module.open(program, options, all_sizes))
        content = program.encode('utf-8', 'surrogatepass')
        return Module(_core.Module.parse(content, name or 'text', options, all_sizes))
    if isinstance(program, (bytes, bytearray, memoryview)):
        return Module(_core.Module.parse(bytes(program), name or 'bytes', options, all_sizes))
    from assay._jax import content_of

    content, call = content_of(program)
    return Module(_core.Module.parse(content, name or 'module', options, all_sizes), call)


def _is_path(text: str) -> bool:
    """Programs have line breaks or braces; what has none names a file, there or not."""
    return '\n' not in text and '{' not in text and len(text) < 4096
