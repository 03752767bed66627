"""How commands print: tables that are rich on a terminal and tab-separated in a pipe, JSON on request."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any

import typer


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], json: bool) -> None:
    """Print a table: rich on a terminal, tab-separated in a pipe, a list of objects as JSON."""
    if json:
        echo_json([dict(zip(header, row, strict=True)) for row in rows])
    elif sys.stdout.isatty():
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=SIMPLE_HEAD, pad_edge=False)
        for name in header:
            table.add_column(Text(name), overflow="fold")
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        Console().print(table)
    else:
        for row in (header, *rows):
            typer.echo("\t".join(_one_line(cell) for cell in row))


def print_sentence(words: str) -> None:
    """Print a sentence; on a terminal, words stay whole."""
    if sys.stdout.isatty():
        words = fill(words, shutil.get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)
    typer.echo(words)


def echo_json(value: Any) -> None:
    """Print a value as JSON."""
    import json

    typer.echo(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))


def say(words: str) -> None:
    """Print a line to standard error, for whoever watches."""
    typer.echo(words, err=True)


def warn_in_one_line(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line, without the place in the source, which says nothing to who types commands."""
    say(f"novacula: {_one_line(str(message))}")


def _one_line(cell: str) -> str:
    """A cell of a tab-separated line: characters that would break the line become a space."""
    return " ".join(cell.split()) if any(mark in cell for mark in "\t\n\r") else cell
