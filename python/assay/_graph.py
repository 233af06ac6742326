"""A module as a graph: for Graphviz, and drawn here for notebooks."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay._module import Module

# Nodes beyond are not drawn: nobody looks at them, and a page with them is slow.
_MOST_NODES = 600
_NODE_HEIGHT, _ROW, _GAP, _LETTER = 46.0, 84.0, 18.0, 6.2
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


def _parse(dot: str) -> tuple[dict[str, tuple[list[str], str]], list[tuple[str, str]]]:
    """Nodes with the lines of their labels and their colours, and edges."""
    nodes: dict[str, tuple[list[str], str]] = {}
    edges: list[tuple[str, str]] = []
    for line in dot.splitlines():
        if (node := _NODE.match(line)) and node[1] not in ('node', 'graph', 'edge'):
            text = re.sub(r'\\(.)', lambda found: '\n' if found[1] == 'n' else found[1], node[2])
            colour = re.search(r'fillcolor="([^"]*)"', node[3])
            nodes[node[1]] = (text.split('\n'), colour[1] if colour else '#d4e8f7')
        elif edge := _EDGE.match(line):
            edges.append((edge[1], edge[2]))
    return nodes, edges


def _layers(nodes: list[str], edges: list[tuple[str, str]]) -> dict[str, int]:
    """Each node below all that it takes, as high as it can stand. Edges on a cycle do not count."""
    takes: dict[str, list[str]] = {node: [] for node in nodes}
    waiting = dict.fromkeys(nodes, 0)
    for start, end in edges:
        if start in takes and end in takes and start != end:
            takes[start].append(end)
            waiting[end] += 1
    layer = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if waiting[node] == 0]
    while ready:
        node = ready.pop()
        for user in takes[node]:
            layer[user] = max(layer[user], layer[node] + 1)
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)
    return layer


def _draw(dot: str) -> str:
    nodes, edges = _parse(dot)
    shown = list(nodes)[:_MOST_NODES]
    layer = _layers(shown, edges)
    rows: dict[int, list[str]] = {}
    for node in shown:
        rows.setdefault(layer[node], []).append(node)
    widths = {node: max(len(line) for line in nodes[node][0]) * _LETTER + 16 for node in shown}
    place: dict[str, tuple[float, float]] = {}
    width = 0.0
    for row in sorted(rows):
        # In the order of what stands above, so that edges seldom cross.
        above = {node: [place[a][0] for a, b in edges if b == node and a in place] for node in rows[row]}
        rows[row].sort(key=lambda node: sum(above[node]) / len(above[node]) if above[node] else 0)
        x = _GAP
        for node in rows[row]:
            place[node] = (x + widths[node] / 2, _GAP + row * _ROW)
            x += widths[node] + _GAP
        width = max(width, x)
    parts = []
    for start, end in edges:
        if start not in place or end not in place:
            continue
        (x1, y1), (x2, y2) = place[start], place[end]
        y1 += _NODE_HEIGHT
        middle = (y1 + y2) / 2
        parts.append(
            f'<path d="M{x1:.0f},{y1:.0f} C{x1:.0f},{middle:.0f} {x2:.0f},{middle:.0f} '
            f'{x2:.0f},{y2:.0f}" fill="none" stroke="#888"/>'
        )
    for node, (x, y) in place.items():
        lines, colour = nodes[node]
        parts.append(
            f'<rect x="{x - widths[node] / 2:.0f}" y="{y:.0f}" width="{widths[node]:.0f}" '
            f'height="{_NODE_HEIGHT:.0f}" rx="4" fill="{html.escape(colour)}" stroke="#666"/>'
        )
        for i, line in enumerate(lines[:3]):
            parts.append(
                f'<text x="{x:.0f}" y="{y + 14 + 13 * i:.0f}" text-anchor="middle" fill="#1b1f27">'
                f'{html.escape(line)}</text>'
            )
    height = _GAP * 2 + (max(rows, default=0) + 1) * _ROW
    left = len(nodes) - len(shown)
    if left > 0:
        parts.append(f'<text x="10" y="{height:.0f}" fill="currentColor">and {left} more nodes, which .dot has</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height + 10:.0f}" '
        f'font-family="Helvetica,Arial,sans-serif" font-size="10">{"".join(parts)}</svg>'
    )
