"""The catalogue of operations, and the profiles of targets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay import _core


@dataclass(frozen=True)
class Operation:
    """A row of the catalogue: `data` has all of it."""

    data: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.data['name'])

    @property
    def aliases(self) -> tuple[str, ...]:
        """What JAX, StableHLO and NumPy call it."""
        return tuple(self.data['aliases'])

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(self.data['types'])

    def to_dict(self) -> dict[str, Any]:
        return dict(self.data)

    def __str__(self) -> str:
        lines = [self.name]
        if self.aliases:
            lines.append(f'  also called  {", ".join(self.aliases)}')
        for key, value in self.data.items():
            if key in ('name', 'aliases', 'attributes'):
                continue
            text = ' '.join(map(str, value)) if isinstance(value, list) else str(value)
            lines.append(f'  {key.replace("_", " "):<12} {text}')
        attributes = self.data.get('attributes') or []
        lines.append('  attributes   ' + (', '.join(_attribute(each) for each in attributes) or 'none'))
        return '\n'.join(lines)


def _attribute(attribute: Any) -> str:
    return str(attribute.get('name', attribute)) if isinstance(attribute, dict) else str(attribute)


@cache
def _catalogue() -> dict[str, Operation]:
    return {each['name']: Operation(each) for each in json.loads(_core.operations(''))}


class _Operations(Mapping[str, Operation]):
    """Operations by their names in HLO; those of JAX and StableHLO find them too."""

    def __getitem__(self, name: str) -> Operation:
        found = json.loads(_core.operations(name)) if isinstance(name, str) else []
        if not found:
            near = _core.nearest_operation(name) if isinstance(name, str) else ''
            raise KeyError(f'there is no operation {name!r}' + (f' (did you mean {near}?)' if near else ''))
        return _catalogue()[found[0]['name']]

    def __iter__(self) -> Iterator[str]:
        return iter(_catalogue())

    def __len__(self) -> int:
        return len(_catalogue())

    def __repr__(self) -> str:
        return f'<assay.ops: {len(self)} operations>'


ops = _Operations()


def profiles() -> dict[str, str]:
    """The profiles that are built in, each with what it is for (docs/profiles.md)."""
    listed: dict[str, str] = json.loads(_core.profiles())
    return listed
