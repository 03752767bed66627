"""A work as an HTML fragment: all escaped, readable without a style sheet, nothing fetched from elsewhere.

Classes begin with ``nv-``, and the little style that comes along speaks of those only; the other classes keep MathJax
in a notebook from reading a dollar in a name as mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from novacula.learner.render import number_text, numeric_columns, sides
from novacula.learner.render_math import HTML
from novacula.table.schema import printable

if TYPE_CHECKING:
    from novacula.learner.work import Step, Work, WorkTable

# One letter with an index, as in n_xt or σ_x²; a column called sepal_length is left as it is.
INDEXED = re.compile(r"(?<!\w)([^\W\d_])_([^\W\u2070-\u209f¹²³ᵀᵢⱼ]+)")


STYLE = (
    ".nv-work{font-family:system-ui,sans-serif;line-height:1.4;max-width:56rem}"
    ".nv-step{margin:0 0 1.2em}.nv-work h4{margin:0 0 .3em}"
    ".nv-formula,.nv-arithmetic{margin:.2em 0 .2em 1em}"
    ".nv-table{border-collapse:collapse;margin:.6em 0 .6em 1em}"
    ".nv-table th,.nv-table td{padding:.15em .9em .15em 0;text-align:left}"
    ".nv-table thead{border-bottom:1px solid currentColor}"
    ".nv-table .nv-number{text-align:right;font-variant-numeric:tabular-nums}"
    ".nv-figure{margin:.6em 0 .6em 1em}.nv-figure svg{max-width:100%;height:auto}"
    ".nv-note{margin:.3em 0 .3em 1em;opacity:.8}"
)


def escape_html(text: str) -> str:
    """Text that means nothing in HTML, between tags or in an attribute."""
    return escape(printable(text))


def work_to_html(work: Work) -> str:
    """Write a work as HTML."""
    parts = [
        f'<section class="nv-work tex2jax_ignore mathjax_ignore"><style>{STYLE}</style>',
        f"<h3>{escape_html(work.title)}</h3>",
    ]
    for step in work:
        parts += ['<section class="nv-step">', *step_parts(step), "</section>"]
    parts += [f'<p class="nv-note">{escape_html(note)}</p>' for note in work.notes]
    return "\n".join([*parts, "</section>"])


def step_parts(step: Step) -> Iterator[str]:
    """The elements of one step."""
    yield f"<h4>{escape_html(step.title)}</h4>"
    yield from equation_parts(step)
    if step.labels:
        yield '<dl class="nv-values">'
        for name, label in step.labels.items():
            value = HTML.number(step.values[name]).text
            yield f"<dt>{HTML.name(name)} = {value}</dt><dd>{escape_html(label)}</dd>"
        yield "</dl>"
    if step.table is not None:
        yield from table_parts(step.table)
    if step.figure is not None:
        yield f'<figure class="nv-figure">{step.figure.svg()}</figure>'
    if step.note:
        yield f'<p class="nv-note">{escape_html(step.note)}</p>'


def equation_parts(step: Step) -> Iterator[str]:
    """The formula, then the arithmetic."""
    if step.formula:
        formula = INDEXED.sub(r"<i>\1</i><sub>\2</sub>", escape_html(step.formula))
        yield f'<p class="nv-formula">{formula}</p>'
    arithmetic = " = ".join(sides(step, HTML, symbols=not step.formula))
    if arithmetic:
        yield f'<p class="nv-arithmetic">{"= " if step.formula else ""}{arithmetic}</p>'


def table_parts(table: WorkTable) -> Iterator[str]:
    """A table with its caption."""
    right = [' class="nv-number"' if flush else "" for flush in numeric_columns(table)]
    yield '<table class="nv-table">'
    if table.caption:
        yield f"<caption>{escape_html(table.caption)}</caption>"
    head = "".join(
        f'<th scope="col"{kind}>{escape_html(name)}</th>' for name, kind in zip(table.header, right, strict=True)
    )
    yield f"<thead><tr>{head}</tr></thead>"
    yield "<tbody>"
    for row in table.rows:
        cells = (
            f"<td{kind}>{number_text(cell, HTML) or escape_html(str(cell))}</td>"
            for cell, kind in zip(row, right, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>"
    yield "</table>"
