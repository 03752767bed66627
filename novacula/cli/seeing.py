"""`novacula explain` with --importance and the like: what is asked of a model, printed or written to a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from novacula.cli.output import echo_json, say
from novacula.cli.work import print_work

if TYPE_CHECKING:
    from novacula.cli.reading import ReadingOptions
    from novacula.explain.result import SeenResult
    from novacula.table import Table

MOST = 500
"""Rows whose contributions are summed up, unless one is named."""


@dataclass(frozen=True)
class SeenParts:
    """Which parts of what can be seen in a model are asked for."""

    importance: bool
    dependence: tuple[str, ...]
    interaction: bool
    contributions: bool
    surrogate: bool
    target: str | None
    row: int | None

    @property
    def is_any(self) -> bool:
        """Whether anything is."""
        return any((self.importance, self.dependence, self.interaction, self.contributions, self.surrogate))


def show_seen(
    model: Any,
    data: Sequence[str],
    asked: SeenParts,
    reading: ReadingOptions,
    out: Path | None,
    name: str,
    form: str,
    json: bool,
) -> None:
    """Print what is asked of a model, or write it to a page."""
    from novacula.cli.data import read_table
    from novacula.errors import ParameterError

    if not data:
        raise ParameterError("a model is seen into by rows: name the file of the rows after the model")
    if asked.row is not None and not asked.contributions:
        raise ParameterError("--row is of --contributions: the others are of many rows")
    if asked.target is not None and not asked.importance:
        raise ParameterError("--target is of --importance: the others need no truth")
    table = read_table(list(data), asked.target, reading, only=model.schema_)
    found = list(_results(model, table, asked))
    if json:
        echo_json([{"title": title, **_as_json(result)} for title, result in found])
    elif out is None:
        for title, result in found:
            if form == "text":
                typer.echo(f"{title}\n{'=' * len(title)}\n{result}\n")
            else:
                print_work(result.work(), form, json=False)
    if out is not None:
        from novacula.report.seen import write_seen

        write_seen(found, out, name)
        say(f"The page is in {out}.")


def _results(model: Any, table: Table, asked: SeenParts) -> Iterator[tuple[str, SeenResult]]:
    from novacula import explain
    from novacula.cli.data import one_row
    from novacula.errors import ParameterError
    from novacula.explain.rows import sampled

    if asked.importance:
        if not table.layout.target:
            raise ParameterError("--importance compares predictions with the truth: name its column with --target")
        yield "What the model needs", explain.importance(model, table)
    for columns in asked.dependence:
        yield f"How it moves with {columns}", explain.dependence(model, table, _named(columns, model))
    if asked.interaction:
        yield "What columns do together", explain.interaction(model, table)
    if asked.contributions:
        if asked.row is not None:
            row = one_row(table, asked.row, model.schema_)
            title = f"What each column adds, row {asked.row}"
            yield title, explain.contributions(model, row, background=sampled(table, MOST, 0)[0])
        else:
            yield "What each column adds", explain.contributions(model, sampled(table, MOST, 0)[0])
    if asked.surrogate:
        yield "A tree that stands for it", explain.surrogate(model, table)


def _named(columns: str, model: Any) -> list[str]:
    """One column, or two with a comma between; a name that holds a comma itself is one."""
    known = [column.name for column in model.schema_.features]
    return [columns] if columns in known else columns.split(",")


def _as_json(result: SeenResult) -> dict[str, Any]:
    table = result.table()
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    return {"rows": rows, "notes": list(result.notes)}
