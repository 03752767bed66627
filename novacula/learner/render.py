"""A work as plain text and as Markdown.

Names of columns and categories are written by strangers, so everything that is not arithmetic passes through
`printable`, and in Markdown through `escape_markdown` unless it is in a code block, where all is literal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from textwrap import wrap
from typing import TYPE_CHECKING

from novacula.learner.render_math import TEXT, Notation, write
from novacula.table.schema import printable

if TYPE_CHECKING:
    from novacula.learner.work import Cell, Step, Work, WorkTable

WIDTH = 100
INDENT = "  "


def sides(step: Step, notation: Notation, symbols: bool, written: Callable[..., str] = write) -> list[str]:
    """What stands between equals signs: the expression, the same with numbers, the value; no side twice."""
    sides_written = []
    if step.tree is not None:
        if symbols:
            sides_written.append(written(step.tree, notation))
        sides_written.append(written(step.tree, notation, step.values))
    if step.value is not None:
        sides_written.append(notation.number(step.value).text)
    return list(dict.fromkeys(sides_written))


def number_text(cell: Cell, notation: Notation = TEXT) -> str | None:
    """A number as it is written, or None for a cell that holds words."""
    if isinstance(cell, Real) and not isinstance(cell, bool):
        return notation.number(float(cell)).text
    return None


# --- plain text ---------------------------------------------------------------------------------------------


def work_to_text(work: Work) -> str:
    """Write a work as plain text."""
    title = printable(work.title)
    blocks = [f"{title}\n{'=' * len(title)}", *("\n".join(step_lines(step)) for step in work)]
    blocks += ["\n".join(wrap(printable(note), WIDTH)) for note in work.notes]
    return "\n\n".join(blocks)


def step_lines(step: Step) -> Iterator[str]:
    """The lines of one step, what belongs to it indented."""
    yield printable(step.title)
    for line in equation_lines(step):
        yield INDENT + line
    for name, label in step.labels.items():
        yield f"{INDENT}where {name} = {TEXT.number(step.values[name]).text}: {printable(label)}"
    if step.table is not None:
        for line in table_lines(step.table):
            yield INDENT + line
    if step.figure is not None:
        yield f"{INDENT}[figure: {printable(step.figure.alt)}]"
    if step.note:
        yield from wrap(printable(step.note), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)


def equation_lines(step: Step) -> list[str]:
    """The formula, and under its equals sign the numbers and the value."""
    formula = printable(step.formula)
    arithmetic = " = ".join(sides(step, TEXT, symbols=not formula))
    if not formula or not arithmetic:
        whole = formula or arithmetic
        return hanging(whole, len(INDENT)) if whole else []
    left, equals, _ = formula.partition(" = ")
    if not equals:
        return hanging(f"{formula} = {arithmetic}", len(formula) + 3)
    return [formula, *hanging(f"{' ' * len(left)} = {arithmetic}", len(left) + 3)]


def hanging(line: str, indent: int) -> list[str]:
    """Break a long line at its spaces, what follows set in under its beginning."""
    return wrap(
        line,
        WIDTH,
        subsequent_indent=" " * min(indent, WIDTH // 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def table_lines(table: WorkTable) -> Iterator[str]:
    """A table with aligned columns, numbers to the right."""
    if table.caption:
        yield printable(table.caption)
    header = [printable(name) for name in table.header]
    rows = [[number_text(cell) or printable(str(cell)) for cell in row] for row in table.rows]
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


def work_to_markdown(work: Work) -> str:
    """Write a work as Markdown."""
    blocks = [f"## {escape_markdown(work.title)}"]
    for step in work:
        blocks.extend(step_blocks(step))
    blocks += [escape_markdown(note) for note in work.notes]
    return "\n\n".join(blocks) + "\n"


def step_blocks(step: Step) -> Iterator[str]:
    """The paragraphs of one step."""
    yield f"### {escape_markdown(step.title)}"
    lines = equation_lines(step)
    if lines:
        yield code_block(lines)
    if step.labels:
        yield "\n".join(
            f"- `{name}` = {TEXT.number(step.values[name]).text}: {escape_markdown(label)}"
            for name, label in step.labels.items()
        )
    if step.table is not None:
        yield from table_blocks(step.table)
    if step.figure is not None:
        yield f"*Figure: {escape_markdown(step.figure.alt)}*"
    if step.note:
        yield escape_markdown(step.note)


def code_block(lines: Sequence[str]) -> str:
    """A fenced block, its fence longer than any run of backticks inside."""
    text = "\n".join(lines)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def table_blocks(table: WorkTable) -> Iterator[str]:
    """The caption and the table."""
    if table.caption:
        yield f"*{escape_markdown(table.caption)}*"
    rows = [[escape_markdown(name) for name in table.header]]
    rows.append(["---:" if flush else "---" for flush in numeric_columns(table)])
    rows += [[number_text(cell) or escape_markdown(str(cell)) for cell in row] for row in table.rows]
    yield "\n".join(f"| {' | '.join(row)} |" for row in rows)
