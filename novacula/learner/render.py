"""A work as plain text and as Markdown.

Names of columns and categories are written by strangers, so everything that is not mathematics passes through
`printable`, and in Markdown through `escape_markdown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from numbers import Real
from textwrap import wrap
from typing import TYPE_CHECKING

from novacula.learner.prose import LOOK, Appearance, plain, prose
from novacula.mathematics import Equation, parse
from novacula.mathematics.equation import Row, text_lines
from novacula.mathematics.latex import LatexNotation
from novacula.mathematics.layout import Layout
from novacula.mathematics.notation import Notation, TextNotation
from novacula.mathematics.tree import renamed
from novacula.table.names import printable

if TYPE_CHECKING:
    from novacula.learner.work import Cell, Step, Work, WorkTable

WIDTH = 100
INDENT = "  "


def rows_of(equation: Equation, notation: Notation, work: Work, is_broken: bool = False) -> list[Row]:
    """The lines of an equation as its work says that they are written."""
    return equation.rows(notation, terms=work.terms, names=work.look.names, is_broken=is_broken)


def meanings(equation: Equation, notation: Notation, work: Work) -> Iterator[tuple[str, str]]:
    """What the names of an equation stand for: each with its number, where it is a number, and in words."""
    for name, words in equation.where.items():
        node = parse(name)
        symbol = Layout(notation).piece(renamed(node, work.look.names))
        value = equation.shown_value(node)
        if value is not None:
            symbol = notation.relation("=", symbol, notation.number(value))
        yield symbol.text, words


def number_text(cell: Cell, notation: Notation | None = None) -> str | None:
    """A number as it is written, or None for a cell that holds words."""
    if isinstance(cell, Real) and not isinstance(cell, bool):
        return (notation or TextNotation()).number(float(cell)).text
    return None


# --- plain text ---------------------------------------------------------------------------------------------


def work_to_text(work: Work) -> str:
    """Write a work as plain text."""
    title = plain(work.title, work.look)
    blocks = [f"{title}\n{'=' * len(title)}", *("\n".join(step_lines(step, work)) for step in work)]
    blocks += ["\n".join(wrap(plain(note, work.look), WIDTH)) for note in work.notes]
    return "\n\n".join(blocks)


def step_lines(step: Step, work: Work) -> Iterator[str]:
    """The lines of one step, what belongs to it indented."""
    notation = work.look.notation(TextNotation)
    yield plain(step.title, work.look)
    for equation in step.equations:
        for line in text_lines(rows_of(equation, notation, work), equation.therefore):
            yield from (INDENT + part for part in hanging(line, line.find(" = ") + 3))
        for symbol, words in meanings(equation, notation, work):
            yield f"{INDENT}where {symbol}: {plain(words, work.look)}"
    if step.table is not None:
        for line in table_lines(step.table, work.look):
            yield INDENT + line
    if step.figure is not None:
        yield f"{INDENT}[figure: {printable(step.figure.alt)}]"
    if step.note:
        yield from wrap(plain(step.note, work.look), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)


def hanging(line: str, indent: int) -> list[str]:
    """Break a long line at its spaces, what follows set in under its beginning."""
    return wrap(
        line,
        WIDTH,
        subsequent_indent=" " * min(indent, WIDTH // 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def table_lines(table: WorkTable, look: Appearance = LOOK) -> Iterator[str]:
    """A table with aligned columns, numbers to the right."""
    if table.caption:
        yield plain(table.caption, look)
    notation = look.notation(TextNotation)
    header = [plain(name, look) for name in table.header]
    rows = [[number_text(cell, notation) or plain(str(cell), look) for cell in row] for row in table.rows]
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    right = numeric_columns(table)
    for row in (header, ["─" * width for width in widths], *rows):
        cells = (
            cell.rjust(width) if flush else cell.ljust(width)
            for cell, width, flush in zip(row, widths, right, strict=True)
        )
        yield "  ".join(cells).rstrip()


def numeric_columns(table: WorkTable) -> list[bool]:
    """Say of each column whether it holds numbers only."""
    columns: Sequence[tuple[Cell, ...]] = list(zip(*table.rows, strict=True)) or [()] * len(table.header)
    return [bool(column) and all(number_text(cell) is not None for cell in column) for column in columns]


# --- Markdown -----------------------------------------------------------------------------------------------


def escape_markdown(text: str) -> str:
    """Text that means nothing in Markdown, at the start of a line or within one, in a table or outside."""
    escaped = re.sub(r"[\\`*_{}\[\]#|~$!]", r"\\\g<0>", printable(text).strip())
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        escaped = escaped.replace(character, entity)
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", escaped)


def markdown_prose(text: str, look: Appearance) -> str:
    """Words with mathematics between dollars."""
    return prose(text, _escaped_words, lambda node: f"${look.writer(LatexNotation)(node)}$").strip()


def _escaped_words(text: str) -> str:
    """Escaped words that keep the spaces around them, for there may be mathematics beside them."""
    words = printable(text)
    inner = words.strip()
    before, after = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :] if inner else ""
    return f"{before}{escape_markdown(inner)}{after}"


def work_to_markdown(work: Work) -> str:
    """Write a work as Markdown."""
    blocks = [f"## {markdown_prose(work.title, work.look)}"]
    for step in work:
        blocks.extend(step_blocks(step, work))
    blocks += [markdown_prose(note, work.look) for note in work.notes]
    return "\n\n".join(blocks) + "\n"


def step_blocks(step: Step, work: Work) -> Iterator[str]:
    """The paragraphs of one step."""
    from novacula.learner.render_latex import aligned

    notation = work.look.notation(LatexNotation)
    yield f"### {markdown_prose(step.title, work.look)}"
    for equation in step.equations:
        yield f"$$\n\\begin{{aligned}}\n{aligned(equation, work)}\n\\end{{aligned}}\n$$"
        listed = [
            f"- ${symbol}$: {markdown_prose(words, work.look)}" for symbol, words in meanings(equation, notation, work)
        ]
        if listed:
            yield "\n".join(listed)
    if step.table is not None:
        yield from table_blocks(step.table, work.look)
    if step.figure is not None:
        yield f"*Figure: {escape_markdown(step.figure.alt)}*"
    if step.note:
        yield markdown_prose(step.note, work.look)


def table_blocks(table: WorkTable, look: Appearance = LOOK) -> Iterator[str]:
    """The caption and the table."""
    if table.caption:
        yield f"*{markdown_prose(table.caption, look)}*"
    notation = look.notation(TextNotation)
    rows = [[markdown_prose(name, look) for name in table.header]]
    rows.append(["---:" if flush else "---" for flush in numeric_columns(table)])
    rows += [[number_text(cell, notation) or markdown_prose(str(cell), look) for cell in row] for row in table.rows]
    yield "\n".join(f"| {' | '.join(row)} |" for row in rows)
