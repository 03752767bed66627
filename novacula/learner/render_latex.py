r"""A work as a LaTeX fragment: no preamble, and of packages amsmath only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from novacula.learner.prose import Appearance, prose
from novacula.learner.render import meanings, number_text, numeric_columns, rows_of
from novacula.mathematics import Equation
from novacula.mathematics.latex import SYMBOLS, LatexNotation, escape_latex

if TYPE_CHECKING:
    from novacula.learner.work import Step, Work, WorkTable


def work_to_latex(work: Work) -> str:
    """Write a work as LaTeX."""
    parts = [
        "% A fragment; it needs \\usepackage{amsmath}.",
        rf"\subsection*{{{latex_prose(work.title, work.look)}}}",
    ]
    for step in work:
        parts += ["", *step_parts(step, work)]
    for note in work.notes:
        parts += ["", latex_prose(note, work.look)]
    return "\n".join(parts) + "\n"


def latex_prose(text: str, look: Appearance) -> str:
    """Words with mathematics in them."""
    return prose(text, escape_latex, lambda node: f"${look.writer(LatexNotation)(node)}$")


def step_parts(step: Step, work: Work) -> Iterator[str]:
    """The lines of one step."""
    notation = work.look.notation(LatexNotation)
    yield rf"\paragraph{{{latex_prose(step.title, work.look)}}}"
    for equation in step.equations:
        yield f"\\begin{{align*}}\n{aligned(equation, work)}\n\\end{{align*}}"
        for symbol, words in meanings(equation, notation, work):
            yield f"${symbol}$: {latex_prose(words, work.look)}\n"
    if step.table is not None:
        yield from table_parts(step.table, work.look)
    if step.figure is not None:
        yield rf"\emph{{Figure: {escape_latex(step.figure.alt)}}}" + "\n"
    if step.note:
        yield latex_prose(step.note, work.look)


def aligned(equation: Equation, work: Work) -> str:
    """The lines of an equation, aligned at their signs; long sums go on in further lines."""
    rows = rows_of(equation, work.look.notation(LatexNotation), work, is_broken=True)
    lines = [f"{row.left} &{SYMBOLS.get(row.sign, row.sign)} {row.right}" for row in rows]
    return (f"{SYMBOLS['∴']}\\ " if equation.therefore else "") + " \\\\\n".join(lines)


def table_parts(table: WorkTable, look: Appearance) -> Iterator[str]:
    """A table with its caption above it."""
    notation = look.notation(LatexNotation)

    def cell_text(cell: str | int | float) -> str:
        number = number_text(cell, notation)
        return f"${number}$" if number is not None else latex_prose(str(cell), look)

    if table.caption:
        yield f"\n{latex_prose(table.caption, look)}"
    yield ("\n" + r"\begin{tabular}{" + "".join("r" if flush else "l" for flush in numeric_columns(table)) + "}")
    yield " & ".join(latex_prose(name, look) for name in table.header) + r" \\ \hline"
    for row in table.rows:
        yield " & ".join(map(cell_text, row)) + r" \\"
    yield r"\end{tabular}" + "\n"
