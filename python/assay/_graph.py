"""A module as a graph: for Graphviz, and drawn here for notebooks."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay._module import Module

# Nodes beyond are not drawn: nobody looks at them, and a page with them is slow.
_MOST_NODES = 600
_NODE_HEIGHT, _ROW, _GAP, _LETTER = 46.0, 84.0, 18.0, 6.2
_TITLE = 24.0  # the name of a computation
_LABEL = re.compile(r'^\s*label="((?:[^"\\]|\\.)*)";$')
_NODE = re.compile(r'^\s*(n\d+|\w+) \[label="((?:[^"\\]|\\.)*)"(.*)\];$')
_EDGE = re.compile(r'^\s*(\w+) -> (\w+)(.*);$')


class Graph:
    """A module as a graph; notebooks draw it. `dot` is the text for Graphviz."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.dot = str(module.show('dot'))

    def _repr_svg_(self) -> str:
        return _draw(self.dot)

    def _repr_html_(self) -> str:
        return f'<div style="overflow:auto;max-height:800px">{self._repr_svg_()}</div>'

    def __repr__(self) -> str:
        return f'<assay.Graph of {self._module.name}>'


@dataclass
class _Computation:
    """What Graphviz's text says of one computation: its nodes, and the edges between them."""

    name: str
    nodes: dict[str, tuple[list[str], str]] = field(default_factory=dict)  # lines and colour
    edges: list[tuple[str, str]] = field(default_factory=list)


def _parse(dot: str) -> list[_Computation]:
    found: list[_Computation] = []
    owner: dict[str, _Computation] = {}
    for line in dot.splitlines():
        if label := _LABEL.match(line):
            found.append(_Computation(label[1]))
        elif node := _NODE.match(line):
            if node[1] in ('node', 'graph', 'edge') or not found:
                continue
            text = re.sub(r'\\(.)', lambda part: '\n' if part[1] == 'n' else part[1], node[2])
            colour = re.search(r'fillcolor="([^"]*)"', node[3])
            found[-1].nodes[node[1]] = (text.split('\n'), colour[1] if colour else '#d4e8f7')
            owner[node[1]] = found[-1]
        elif (edge := _EDGE.match(line)) and owner.get(edge[1]) is owner.get(edge[2]):
            owner[edge[1]].edges.append((edge[1], edge[2]))
    return found


def _layers(nodes: list[str], edges: list[tuple[str, str]]) -> dict[str, int]:
    """Each node below all that it takes, as high as it can stand, and what takes nothing just above
    its first user. Edges on a cycle do not count."""
    takes: dict[str, list[str]] = {node: [] for node in nodes}
    waiting = dict.fromkeys(nodes, 0)
    for start, end in edges:
        if start in takes and end in takes and start != end:
            takes[start].append(end)
            waiting[end] += 1
    layer = dict.fromkeys(nodes, 0)
    sources = [node for node in nodes if waiting[node] == 0]
    ready = list(sources)
    while ready:
        node = ready.pop()
        for user in takes[node]:
            layer[user] = max(layer[user], layer[node] + 1)
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)
    for node in sources:
        if takes[node]:
            layer[node] = max(min(layer[user] for user in takes[node]) - 1, 0)
    return layer


def _places(
    nodes: list[str], edges: list[tuple[str, str]], widths: dict[str, float], top: float
) -> dict[str, tuple[float, float]]:
    """The middle of the upper side of each node; rows are centred."""
    rows: dict[int, list[str]] = {}
    for node, row in _layers(nodes, edges).items():
        rows.setdefault(row, []).append(node)
    above: dict[str, list[str]] = {}
    for start, end in edges:
        above.setdefault(end, []).append(start)
    lengths = {row: sum(widths[node] + _GAP for node in rows[row]) for row in rows}
    widest = max(lengths.values(), default=0.0)
    place: dict[str, tuple[float, float]] = {}
    for line, row in enumerate(sorted(rows)):
        # In the order of what stands above, so that edges seldom cross.
        middles = {
            node: [place[other][0] for other in above.get(node, []) if other in place]
            for node in rows[row]
        }
        rows[row].sort(
            key=lambda node: sum(middles[node]) / len(middles[node]) if middles[node] else widest / 2
        )
        x = _GAP + (widest - lengths[row]) / 2
        for node in rows[row]:
            place[node] = (x + widths[node] / 2, top + line * _ROW)
            x += widths[node] + _GAP
    return place


def _draw_computation(
    computation: _Computation, shown: list[str], top: float
) -> tuple[list[str], float, float]:
    """The drawing of a computation below `top`, its width and its lower end."""
    kept = set(shown)
    edges = [edge for edge in computation.edges if kept.issuperset(edge)]
    widths = {
        node: max(len(line) for line in computation.nodes[node][0]) * _LETTER + 16 for node in shown
    }
    place = _places(shown, edges, widths, top + _TITLE)
    parts = [
        f'<text x="{_GAP:.0f}" y="{top + 14:.0f}" font-weight="bold" fill="currentColor">'
        f'{html.escape(computation.name)}</text>'
    ]
    for start, end in edges:
        (x1, y1), (x2, y2) = place[start], place[end]
        y1 += _NODE_HEIGHT
        middle = (y1 + y2) / 2
        parts.append(
            f'<path d="M{x1:.0f},{y1:.0f} C{x1:.0f},{middle:.0f} {x2:.0f},{middle:.0f} '
            f'{x2:.0f},{y2:.0f}" fill="none" stroke="#888"/>'
        )
    for node, (x, y) in place.items():
        lines, colour = computation.nodes[node]
        parts.append(
            f'<rect x="{x - widths[node] / 2:.0f}" y="{y:.0f}" width="{widths[node]:.0f}" '
            f'height="{_NODE_HEIGHT:.0f}" rx="4" fill="{html.escape(colour)}" stroke="#666"/>'
        )
        for i, line in enumerate(lines[:3]):
            parts.append(
                f'<text x="{x:.0f}" y="{y + 14 + 13 * i:.0f}" text-anchor="middle" fill="#1b1f27">'
                f'{html.escape(line)}</text>'
            )
    right = max((x + widths[node] / 2 for node, (x, _) in place.items()), default=0.0)
    return parts, right + _GAP, max(y for _, y in place.values()) + _ROW


def _draw(dot: str) -> str:
    """The computations below each other; the entry comes first."""
    parts: list[str] = []
    top, width, left = _GAP, 200.0, _MOST_NODES
    computations = _parse(dot)
    for computation in reversed(computations):
        shown = list(computation.nodes)[:left]
        left -= len(shown)
        if shown:
            drawn, right, top = _draw_computation(computation, shown, top)
            parts += drawn
            width = max(width, right)
    more = sum(len(computation.nodes) for computation in computations) - (_MOST_NODES - left)
    if more > 0:
        parts.append(
            f'<text x="10" y="{top:.0f}" fill="currentColor">and {more} more nodes, which .dot has</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{top + 10:.0f}" '
        f'font-family="Helvetica,Arial,sans-serif" font-size="10">{"".join(parts)}</svg>'
    )
