"""Rows of words as a small HTML table for a notebook: escaped, as light or dark as that, scrolling by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from novacula.table.names import printable
from novacula.words import shortened

WIDEST = 80
"""Characters of a cell; the whole text is in its title."""
STYLE = (
    ".nv-grid{overflow-x:auto;max-width:100%}"
    ".nv-grid table{border-collapse:collapse;margin:.4em 0}"
    ".nv-grid caption{text-align:left;padding:0 0 .3em;opacity:.8}"
    ".nv-grid th,.nv-grid td{padding:.15em .9em .15em 0;text-align:left;vertical-align:top}"
    ".nv-grid thead{border-bottom:1px solid currentColor}"
    ".nv-grid .nv-number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
)
"""Colours are those around it, so that it is read on light and on dark."""


def html_grid(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    caption: str = "",
    right: Sequence[bool] = (),
    widest: int = WIDEST,
) -> str:
    """The table as markup; columns marked in `right` hold numbers, and no cell is wider than `widest` characters.

    >>> print(html_grid(["a <b>"], [["1"]], right=[True]).partition("</style>")[2])
    <table><thead><tr><th scope="col" class="nv-number">a &lt;b&gt;</th></tr></thead>...
    """
    marks = [' class="nv-number"' if flush else "" for flush in right] or [""] * len(header)
    head = "".join(f'<th scope="col"{mark}>{escape_cell(name)}</th>' for name, mark in zip(header, marks, strict=True))
    lines = []
    for row in rows:
        cells = (
            f"<td{mark}{_whole(cell, widest)}>{escape_cell(cell, widest)}</td>"
            for cell, mark in zip(row, marks, strict=True)
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    words = f"<caption>{escape_cell(caption)}</caption>" if caption else ""
    table = f"<table>{words}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    # MathJax in a notebook must not read a dollar in a name as mathematics.
    return f'<div class="nv-grid tex2jax_ignore mathjax_ignore"><style>{STYLE}</style>{table}</div>'


def escape_cell(text: str, widest: int = WIDEST) -> str:
    """Text that means nothing in HTML, and is no longer than a cell."""
    return escape(printable(shortened(text, widest)))


def _whole(text: str, widest: int) -> str:
    """The whole text as an attribute, where a cell shows less of it."""
    return f' title="{escape(printable(text, 10 * widest))}"' if len(text) > widest else ""
