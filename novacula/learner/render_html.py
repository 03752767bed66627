"""A work as an HTML fragment: mathematics as MathML, all else escaped, nothing fetched from elsewhere, nothing run.

Classes begin with ``nv-``, and the little style that comes along speaks of those only; the other classes keep MathJax
in a notebook from reading a dollar in a name as mathematics. Long works have a contents list, and their later steps
are folded.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

from novacula.learner.prose import LOOK, Appearance, plain, prose
from novacula.learner.render import meanings, number_text, numeric_columns, rows_of
from novacula.mathematics import Equation
from novacula.mathematics.equation import Row, text_lines
from novacula.mathematics.mathml import THEREFORE, MathmlNotation, operator
from novacula.mathematics.notation import TextNotation
from novacula.table.names import printable

if TYPE_CHECKING:
    from novacula.learner.work import Step, Work, WorkTable

LONG = 8
"""Steps of a work above which it has a contents list, and those that are shown unfolded."""

STYLE = (
    ".nv-work{font-family:system-ui,sans-serif;line-height:1.4;max-width:56rem}"
    ".nv-step{margin:0 0 1.2em}.nv-work h4{margin:0 0 .3em;display:inline}"
    ".nv-work summary{cursor:pointer;margin:0 0 .3em}.nv-contents{columns:18rem;margin:.6em 0 1.2em;padding-left:2.2em}"
    ".nv-work details.nv-step{border:0;padding:0}"
    ".nv-scroll{overflow:auto hidden;max-width:100%}"
    ".nv-equation{margin:.3em 0 .3em 1em;padding:.2em 0}.nv-equation math{width:max-content;margin:0}"
    ".nv-equation .nv-left{text-align:right;padding-right:0}.nv-equation .nv-sign{padding:0 .3em}"
    ".nv-equation .nv-right{text-align:left;padding-left:0}.nv-cases mtd{text-align:left}"
    ".nv-blank{border-bottom:1px solid currentColor}"
    ".nv-where{margin:.2em 0 .4em 1em;padding:0;list-style:none;opacity:.85}"
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


def html_prose(text: str, look: Appearance = LOOK) -> str:
    """Words with mathematics in them."""
    return prose(text, escape_html, lambda node: f"<math>{look.writer(MathmlNotation)(node)}</math>")


def work_to_html(work: Work) -> str:
    """Write a work as HTML."""
    parts = [
        f'<section class="nv-work tex2jax_ignore mathjax_ignore"><style>{STYLE}</style>',
        f"<h3>{html_prose(work.title, work.look)}</h3>",
    ]
    is_long = len(work) > LONG
    key = sha256(work.to_text().encode()).hexdigest()[:8] if is_long else ""
    if is_long:
        parts += ['<ol class="nv-contents">', *contents(work, key), "</ol>"]
    for i, step in enumerate(work):
        heading = f"<h4>{html_prose(step.title, work.look)}</h4>"
        if is_long:
            parts += [f'<details class="nv-step" id="nv-{key}-{i + 1}"{" open" if i < LONG else ""}>']
            parts += [f"<summary>{heading}</summary>", *step_parts(step, work), "</details>"]
        else:
            parts += ['<section class="nv-step">', heading, *step_parts(step, work), "</section>"]
    parts += [f'<p class="nv-note">{html_prose(note, work.look)}</p>' for note in work.notes]
    return "\n".join([*parts, "</section>"])


def contents(work: Work, key: str) -> Iterator[str]:
    """The titles of the steps, each with a link to it."""
    for i, step in enumerate(work):
        yield f'<li><a href="#nv-{key}-{i + 1}">{html_prose(step.title, work.look)}</a></li>'


def step_parts(step: Step, work: Work) -> Iterator[str]:
    """The elements of one step, below its title."""
    notation = work.look.notation(MathmlNotation)
    for equation in step.equations:
        yield equation_html(equation, work)
        listed = [
            f"<li><math>{symbol}</math>: {html_prose(words, work.look)}</li>"
            for symbol, words in meanings(equation, notation, work)
        ]
        if listed:
            yield f'<ul class="nv-where">{"".join(listed)}</ul>'
    if step.table is not None:
        yield from table_parts(step.table, work.look)
    if step.figure is not None:
        yield f'<figure class="nv-figure">{step.figure.svg()}</figure>'
    if step.note:
        yield f'<p class="nv-note">{html_prose(step.note, work.look)}</p>'


def equation_html(equation: Equation, work: Work) -> str:
    """An equation as a table of MathML, its signs under each other, with its plain text for those who cannot see it."""
    rows = rows_of(equation, work.look.notation(MathmlNotation), work, is_broken=True)
    first, mark = rows[0], THEREFORE if equation.therefore else ""
    cells = "".join(
        f'<mtr><mtd class="nv-left">{row.left}</mtd><mtd class="nv-sign">{operator(row.sign) if row.sign else ""}</mtd>'
        f'<mtd class="nv-right">{row.right}</mtd></mtr>'
        for row in [Row(mark + first.left, first.sign, first.right), *rows[1:]]
    )
    spoken = text_lines(rows_of(equation, work.look.notation(TextNotation), work), equation.therefore)
    words = escape_html(" ".join(" ".join(line.split()) for line in spoken))
    table = f'<math display="block" alttext="{words}"><mtable displaystyle="true">{cells}</mtable></math>'
    return f'<div class="nv-equation nv-scroll">{table}</div>'


def table_parts(table: WorkTable, look: Appearance = LOOK) -> Iterator[str]:
    """A table with its caption, in a box of its own that scrolls where the page is narrow."""
    right = [' class="nv-number"' if flush else "" for flush in numeric_columns(table)]
    caption = escape_html(plain(table.caption, look) or "Table")
    yield f'<div class="nv-scroll" tabindex="0" role="region" aria-label="{caption}"><table class="nv-table">'
    if table.caption:
        yield f"<caption>{html_prose(table.caption, look)}</caption>"
    head = "".join(
        f'<th scope="col"{kind}>{html_prose(name, look)}</th>' for name, kind in zip(table.header, right, strict=True)
    )
    yield f"<thead><tr>{head}</tr></thead>"
    yield "<tbody>"
    notation = look.notation(TextNotation)
    for row in table.rows:
        cells = (
            f"<td{kind}>{number_text(cell, notation) or html_prose(str(cell), look)}</td>"
            for cell, kind in zip(row, right, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>"
    yield "</table></div>"
