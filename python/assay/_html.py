"""HTML of reports: pieces for notebooks, and pages of their own.

Pieces take the colour of the text around them, and pages say that they have a light and a dark form,
so that both are readable whatever theme the reader has.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

# Tables with more rows are folded.
_MOST_ROWS = 20
# Colours that stand out on white and on black.
BLUE = '#3b82f6'
_COLOURS = {'good': '#2da44e', 'bad': '#e5534b', 'open': '#bf8700'}

_PIECE_STYLE = (
    '.assay{font:14px/1.45 system-ui,sans-serif;color:inherit}'
    '.assay .scroll{overflow-x:auto}'
    '.assay table{border-collapse:collapse;margin:.6em 0}'
    '.assay th,.assay td{border-bottom:1px solid rgb(128 128 128/.35);padding:.25em 1.2em .25em 0;'
    'text-align:left;vertical-align:top;overflow-wrap:break-word;max-width:40em}'
    '.assay th{white-space:nowrap}'
    '.assay pre{background:rgb(128 128 128/.12);border-radius:6px;padding:.6em .8em;overflow:auto;'
    'max-height:30em;white-space:pre-wrap;overflow-wrap:anywhere}'
    '.assay summary{cursor:pointer}'
    + ''.join(f'.assay b.{name}{{color:{colour}}}' for name, colour in _COLOURS.items())
)
_PAGE_STYLE = (
    ':root{color-scheme:light dark}body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;'
    'max-width:110em;padding:0 2em}section{margin:2em 0}h1{font-size:1.5rem}'
    'h2{font-size:1.1rem;overflow-wrap:anywhere}'
)


def escaped(value: Any) -> str:
    return html.escape(str(value)) if value is not None else ''


def piece(body: str) -> str:
    """HTML that stands inside a page of somebody else."""
    return f'<div class="assay"><style>{_PIECE_STYLE}</style>{body}</div>'


def page(title: str, body: str) -> str:
    """A page of its own, which needs no network."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{escaped(title)}</title><style>{_PAGE_STYLE}</style></head><body>{body}</body></html>\n'
    )


def framed(inner: str) -> str:
    """A page inside another one, whose styles and scripts it does not meet."""
    source = html.escape(inner, quote=True)
    return f'<iframe srcdoc="{source}" style="width:100%;height:640px;border:0"></iframe>'


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], what: str) -> str:
    """Rows under their heads; `what` names the rows where there are too many to show at once."""
    lines = [''.join(f'<td>{escaped(cell)}</td>' for cell in row) for row in rows]
    if not lines:
        return ''
    heads = ''.join(f'<th>{escaped(name)}</th>' for name in head)
    body = ''.join(f'<tr>{line}</tr>' for line in lines)
    whole = (
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'
    )
    if len(lines) <= _MOST_ROWS:
        return whole
    return f'<details><summary>{len(lines):,} {escaped(what)}</summary>{whole}</details>'
