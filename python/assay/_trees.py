"""Pytrees: JAX's own where JAX is loaded, else dictionaries, lists, tuples and None."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

# The leaves, each with the path to it, such as "['w'][0]".
Leaves = list[tuple[str, Any]]
_DEEPEST = 1000


def flatten(tree: Any) -> Leaves:
    jax = sys.modules.get('jax')
    if jax is not None and hasattr(jax, 'tree_util'):
        util = jax.tree_util
        return [(util.keystr(path), leaf) for path, leaf in util.tree_flatten_with_path(tree)[0]]
    return list(_walk(tree, '', 0))


def structure(tree: Any) -> Any:
    """What JAX calls the structure of a pytree; None where JAX is not loaded."""
    jax = sys.modules.get('jax')
    if jax is None or not hasattr(jax, 'tree_util'):
        return None
    return jax.tree_util.tree_structure(tree)


def _walk(tree: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    if depth > _DEEPEST:
        raise ValueError(f'the arguments are nested more than {_DEEPEST} levels deep')
    if tree is None:
        return
    if isinstance(tree, dict):
        for key in sorted(tree):
            yield from _walk(tree[key], f'{path}[{key!r}]', depth + 1)
    elif isinstance(tree, tuple) and hasattr(tree, '_fields'):
        for name, element in zip(tree._fields, tree):
            yield from _walk(element, f'{path}.{name}', depth + 1)
    elif isinstance(tree, (list, tuple)):
        for i, element in enumerate(tree):
            yield from _walk(element, f'{path}[{i}]', depth + 1)
    else:
        yield path, tree


def nested(shape: dict[str, Any], take: Callable[[], Any]) -> Any:
    """The leaves of a value of HLO as tuples: `take` gives the next one."""
    if 'tuple' in shape:
        return tuple(nested(element, take) for element in shape['tuple'])
    return take()


def shape_leaves(shape: dict[str, Any]) -> list[dict[str, Any]]:
    if 'tuple' in shape:
        return [leaf for element in shape['tuple'] for leaf in shape_leaves(element)]
    return [shape]
