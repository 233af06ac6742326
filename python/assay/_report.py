"""Reports: verdicts on programs, comparisons, triage and suites, as objects that print well."""

from __future__ import annotations

import json
import linecache
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay import _core
from assay._errors import Error, InvalidArgumentError, TargetError, UnsupportedError, WrongResultError
from assay._html import escaped, framed, page, piece, table
from assay._module import Module

if TYPE_CHECKING:
    import pandas as pd

_LONGEST_REPRO = 40  # lines of a module that a report prints
# How often a target is asked for a smaller program, and for how long.
_QUESTIONS, _REDUCTION_SECONDS = 200, 10.0


def _frame(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise UnsupportedError('to_pandas needs pandas: pip install pandas') from error
    return pandas.DataFrame(list(rows))


def _indented(text: str, indent: str = '    ') -> str:
    return '\n'.join(indent + line if line else line for line in text.splitlines())


@dataclass(frozen=True)
class Repro:
    """The part of a program that is wrong, alone: a module, its arguments, the golden results."""

    name: str
    module: Module
    arguments: tuple[Any, ...]
    golden: tuple[Any, ...]
    actual: tuple[Any, ...] = ()
    detail: str = ''
    target: str = ''
    profile: str = ''

    @classmethod
    def of(cls, excerpt: _core.Excerpt) -> Repro:
        name, module, arguments, golden = excerpt
        return cls(name, Module(module), _values(arguments), _values(golden))

    def reduced(
        self, target: str | _core.TargetFunction, profile: str, budget: _core.Budget
    ) -> Repro:
        """A smaller program that shows the same; this one where there is none."""
        from assay._arrays import to_core

        arguments = [[to_core(array, 'an argument') for array in self.arguments]]
        try:
            found = _core.reduce(
                self.module._core, arguments, target, profile, budget, _QUESTIONS, _REDUCTION_SECONDS
            )
        except Error:  # what was wrong before does not run now, or arrays that are not these
            found = None
        if found is None:
            return self
        module, smaller, golden, actual, detail, _ = found
        return replace(
            self,
            module=Module(module),
            arguments=_values(smaller),
            golden=_values(golden),
            actual=_values(actual),
            detail=detail,
        )

    def on(self, target: str, profile: str) -> Repro:
        """The same, with the names of the target and the profile that `script` shows."""
        return replace(self, target=target, profile=profile)

    def script(self) -> str:
        """A Python program that shows the difference again; it needs JAX or Assay alone."""
        from assay._repro_script import script

        return script(self)

    def save(self, folder: str | os.PathLike[str]) -> str:
        """Writes module.hlo, inputs.npz, expected.npz and repro.py.

        Returns the command that asks again.
        """
        folder = os.fspath(folder)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, 'module.hlo'), 'w', encoding='utf-8') as file:
            file.write(self.module.show('text'))
        save_npz(os.path.join(folder, 'inputs.npz'), 'arg', self.arguments)
        save_npz(os.path.join(folder, 'expected.npz'), 'out', self.golden)
        with open(os.path.join(folder, 'repro.py'), 'w', encoding='utf-8') as file:
            file.write(self.script())
        return f'assay diff {folder}/module.hlo --inputs {folder}/inputs.npz --isolate --right ...'

    def __str__(self) -> str:
        lines = self.module.show('short').splitlines()
        if len(lines) > _LONGEST_REPRO:
            left = len(lines) - _LONGEST_REPRO
            lines = [*lines[:_LONGEST_REPRO], f'... {left} more lines; .module.show() has them']
        if self.detail:
            lines.append(self.detail)
        return '\n'.join(lines)


def _values(by_device: _core.ArraysByDevice) -> tuple[Any, ...]:
    """The arrays of the first device."""
    from assay._arrays import from_core

    return tuple(from_core(array) for array in by_device[0] if array.type != 'token')


def save_npz(path: str, prefix: str, arrays: Sequence[Any]) -> None:
    """An .npz as the command reads it: arg0, arg1@bf16, ... (docs/samples.md)."""
    import numpy as np

    from assay._arrays import name_of, to_numpy

    members: dict[str, Any] = {}
    for i, value in enumerate(arrays):
        array = to_numpy(value)
        if isinstance(array, _core.Array):
            raise UnsupportedError(f'arrays of {array.type} are not saved')
        name = f'{prefix}{i}'
        if array.dtype.kind not in 'biufc' or array.dtype.name not in np.sctypeDict:
            name += f'@{name_of(array.dtype)}'
            array = array.view(f'u{array.dtype.itemsize}')
        members[name] = array
    np.savez(path, allow_pickle=False, **members)


@dataclass(frozen=True)
class Report:
    """What is known of a program on an implementation.

    `verdict` is right, wrong, not judged or not run; `sentence` says it for people. `whole` is the
    judgement of the program's results, `instructions` those of its instructions alone, where they
    were asked; `repro` is the first that is wrong, as a program.
    """

    verdict: str
    sentence: str
    target: str
    profile: str
    module: Module
    whole: dict[str, Any]
    instructions: tuple[dict[str, Any], ...] = ()
    not_asked_alone: tuple[dict[str, Any], ...] = ()
    repro: Repro | None = None
    result: Any = field(default=None, repr=False)
    golden: tuple[Any, ...] = field(default=(), repr=False)
    seconds: dict[str, float] = field(default_factory=dict)
    _page: _core.VerdictPage | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, '_page': None}  # the page is an object of the library

    @property
    def ok(self) -> bool:
        """Nothing is wrong, and something was judged."""
        return self.verdict == 'right'

    def __bool__(self) -> bool:
        return self.ok

    @property
    def first_wrong(self) -> dict[str, Any] | None:
        """The first instruction that is wrong alone, with its source and its evidence."""
        return next((each for each in self.instructions if each.get('verdict') == 'wrong'), None)

    @property
    def source_line(self) -> str | None:
        """The user's line of the first wrong instruction: file, number and text."""
        wrong = self.first_wrong
        if wrong is None or 'source_file' not in wrong:
            return None
        file, number = str(wrong['source_file']), int(wrong['source_line'])
        text = linecache.getline(file, number).strip()
        return f'{file}:{number}' + (f': {text}' if text else '')

    def raise_if(self, raise_on: str | None = 'wrong') -> Report:
        """Raises WrongResultError where the verdict is so bad; returns the report else.

        raise_on: 'wrong'; 'not judged', which stands for all verdicts but right; None: never. A
        program that did not run raises TargetError, unless raise_on is None.
        """
        __tracebackhide__ = True  # pytest shows the test's line
        bad = {'wrong': ('wrong',), 'not judged': ('wrong', 'not judged'), None: ()}
        if raise_on not in bad:
            raise ValueError(f"raise_on is 'wrong', 'not judged' or None, not {raise_on!r}")
        if self.verdict in bad[raise_on]:
            raise WrongResultError(self)
        if self.verdict == 'not run' and raise_on is not None:
            raise TargetError(str(self))
        return self

    def __str__(self) -> str:
        lines = [self.sentence, f'  target {self.target}, profile {self.profile}']
        if (place := self.source_line) is not None:
            lines.append(f'  source {place}')
        wrong = self.first_wrong or (self.whole if self.verdict == 'wrong' else None)
        if wrong is not None and 'worst' in wrong:
            lines.append(f'  worst element {wrong["worst"]}')
            lines.append(f'  rule: {wrong["rule"]}')
        if self.instructions and 'sentence' in self.whole:
            lines.append(f'  whole program: {self.whole["sentence"]}')
        if self.verdict == 'not run' and self.whole.get('not_run'):
            lines.append(f'  the target: {self.whole["not_run"]}')
        if self.repro is not None:
            lines.append(f'  repro ({self.repro.name}; .repro has its arguments):')
            lines.append(_indented(str(self.repro)))
        return '\n'.join(lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            'verdict': self.verdict,
            'sentence': self.sentence,
            'target': self.target,
            'profile': self.profile,
            'module': self.module.name,
            'whole': self.whole,
            'instructions': list(self.instructions),
            'not_asked_alone': list(self.not_asked_alone),
            'source_line': self.source_line,
            'repro': None if self.repro is None else self.repro.module.show('text'),
            'seconds': dict(self.seconds),
        }

    def to_pandas(self) -> pd.DataFrame:
        """A row for each instruction that was asked alone, and one for the whole program."""
        rows = [*self.instructions, {'instruction': 'the whole program', **self.whole}]
        columns = ('instruction', 'opcode', 'shape', 'source', 'verdict', 'rule',
                   'largest_fraction_of_bound', 'largest_distance', 'worst', 'not_run')  # fmt: skip
        return _frame([{name: row.get(name) for name in columns} for row in rows])

    def to_html(self) -> str:
        """A page of its own: the graph of the program with its verdicts where instructions were
        asked, as `assay diff --isolate --html` writes it; else the verdict."""
        if self._page is not None:
            return self._page.html()
        return page(f'Assay: {self.module.name}', self._verdict_html())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report as .html or .json, by the name of the file."""
        path = os.fspath(path)
        if not path.endswith(('.html', '.json')):
            raise InvalidArgumentError(f'a report is saved as .html or .json, not as {path!r}')
        text = self.to_html() if path.endswith('.html') else json.dumps(self.to_dict(), indent=1)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)

    def _repr_html_(self) -> str:
        if self._page is None:
            return self._verdict_html()
        return self._verdict_html() + framed(self._page.html())

    def _verdict_html(self) -> str:
        kind = 'good' if self.ok else 'bad' if self.verdict == 'wrong' else 'open'
        rows = [
            (
                each.get('instruction'),
                each.get('opcode'),
                each.get('source'),
                each.get('verdict', 'not run'),
                each.get('worst', each.get('not_run', '')),
            )
            for each in self.instructions
        ]
        head = ('instruction', 'operation', 'source', 'verdict', 'worst element')
        asked = table(head, rows, 'instructions were asked alone')
        repro = f'<pre>{escaped(self.repro)}</pre>' if self.repro is not None else ''
        source = f'<p><code>{escaped(self.source_line)}</code></p>' if self.source_line else ''
        return piece(
            f'<p><b class="{kind}">{escaped(self.verdict)}</b> {escaped(self.sentence)}</p>'
            f'<p>target {escaped(self.target)}, profile {escaped(self.profile)}</p>'
            f'{source}{asked}{repro}'
        )


# What a comparison says of each array.
_COMPARED = ('name', 'shape', 'verdict', 'elements', 'equal', 'largest_distance')


@dataclass(frozen=True)
class Comparison:
    """Two implementations on one program, array by array, without a judge."""

    left: str
    right: str
    data: dict[str, Any]

    @property
    def ok(self) -> bool:
        return bool(self.data['accepted'])

    def __bool__(self) -> bool:
        return self.ok

    @property
    def sentence(self) -> str:
        return str(self.data['sentence']).strip()

    def __str__(self) -> str:
        return f'{self.left} and {self.right}: {self.sentence}'

    def to_dict(self) -> dict[str, Any]:
        return {'left': self.left, 'right': self.right, **self.data}

    def rows(self) -> list[dict[str, Any]]:
        """What differs in each array of the result; `largest` is the element that differs most."""
        rows = []
        for array in self.data['outputs']:
            row = {name: array[name] for name in _COMPARED}
            largest = array.get('largest') or array.get('first') or {}
            at = f'[{",".join(map(str, largest["at"]))}]' if largest else ''
            row.update(largest=at, left=largest.get('left'), right=largest.get('right'))
            rows.append(row)
        return rows

    def to_pandas(self) -> pd.DataFrame:
        """A row for each array of the result."""
        return _frame(self.rows())

    def _repr_html_(self) -> str:
        rows = self.rows()
        head = [name.replace('_', ' ') for name in rows[0]] if rows else ()
        arrays = table(head, [tuple(row.values()) for row in rows], 'arrays')
        return piece(f'<p>{escaped(self)}</p>{arrays}')


@dataclass(frozen=True)
class TriageReport:
    """Many programs, sorted by what goes wrong first."""

    data: dict[str, Any]

    @property
    def fails(self) -> bool:
        return bool(self.data['fails'])

    @property
    def sentence(self) -> str:
        return str(self.data['sentence'])

    @property
    def groups(self) -> list[dict[str, Any]]:
        return list(self.data['groups'])

    def __bool__(self) -> bool:
        return not self.fails

    def __str__(self) -> str:
        lines = []
        for group in self.groups:
            words = [group['class'], group['operation'], group['kind']]
            lines.append(f'{", ".join(filter(None, words))} ({len(group["modules"])})')
            for module in group['modules'][:5]:
                source = f' ({module["source"]})' if module['source'] else ''
                lines.append(f'  {module["name"]} {module["instruction"]}{source}'.rstrip())
        return '\n'.join([*lines, self.data['counts'], self.sentence])

    def to_dict(self) -> dict[str, Any]:
        return dict(self.data)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each result."""
        return _frame([
            {'class': group['class'], 'operation': group['operation'], 'kind': group['kind'], **module}
            for group in self.groups
            for module in group['modules']
        ])  # fmt: skip

    def _repr_html_(self) -> str:
        rows = [
            (
                group['class'],
                group['operation'],
                group['kind'],
                module['name'],
                module['source'],
                module['detail'],
            )
            for group in self.groups
            for module in group['modules']
        ]
        head = ('class', 'operation', 'kind', 'module', 'source', 'first wrong element')
        return piece(f'<p>{escaped(self.sentence)}</p>{table(head, rows, "modules")}')


class SuiteReport:
    """A run of the conformance suite: counts, cases, and the page of reports."""

    def __init__(self, run: _core.SuiteRun) -> None:
        self._run = run

    @property
    def fails(self) -> bool:
        return self._run.fails

    def __bool__(self) -> bool:
        return not self.fails

    @property
    def sentence(self) -> str:
        return self._run.sentence

    def __str__(self) -> str:
        return self._run.summary()

    def to_dict(self) -> dict[str, Any]:
        """The JSON report, as docs/reports.md describes it."""
        report: dict[str, Any] = json.loads(self._run.json())
        return report

    def to_pandas(self) -> pd.DataFrame:
        """A row for each case."""
        columns = ('id', 'op', 'type', 'outcome', 'message', 'target_seconds', 'golden_seconds')
        return _frame([{name: case.get(name) for name in columns} for case in self.to_dict()['cases']])

    def to_html(self) -> str:
        """The page of reports, as one file that needs no network."""
        return self._run.html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report as .html or .json, by the name of the file."""
        path = os.fspath(path)
        text = self.to_html() if path.endswith('.html') else self._run.json()
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)

    def _repr_html_(self) -> str:
        return framed(self.to_html())
