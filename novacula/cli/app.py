"""The commands. Rich tables on a terminal, plain text in a pipe, JSON on request; errors are one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from novacula.version import __version__

app = typer.Typer(
    name="novacula",
    help="Classical machine learning that shows its work.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def run() -> None:
    """Run a command: exit code 0 when it did its work, 1 when it failed, 2 when it was asked for wrongly."""
    debug = "--debug" in sys.argv
    try:
        app([arg for arg in sys.argv[1:] if arg != "--debug"])
    except (ValueError, TypeError, OSError) as error:
        from novacula import errors

        if debug or not (type(error).__module__ == errors.__name__ or isinstance(error, OSError)):
            raise
        print(f"novacula: {error}", file=sys.stderr)  # noqa: T201  (this is the command line)
        sys.exit(2)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"novacula {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Classical machine learning that shows its work."""


@app.command()
def learners(json: AsJson = False) -> None:
    """List the learners, each with a sentence."""
    from novacula.learner.registry import learners as registered

    rows = [(name, kind.card.task, kind.card.summary) for name, kind in sorted(registered().items())]
    _show(("learner", "task", "what it is"), rows, json)


@app.command()
def card(
    learner: Annotated[str, typer.Argument(help="A name that `novacula learners` lists.")],
    json: AsJson = False,
) -> None:
    """Print a learner's card: hypothesis space, bias, search, cost."""
    from novacula.learner.registry import find

    found = find(learner).card
    if json:
        _echo_json(found.to_dict())
    else:
        typer.echo(str(found))


@app.command()
def datasets(json: AsJson = False) -> None:
    """List the data sets that can be loaded by name."""
    from novacula import datasets as shipped

    _show(("name", "what it holds"), list(shipped.names().items()), json)


@app.command()
def schema(
    files: Annotated[list[str], typer.Argument(help="A file, several, or a glob.")],
    target: Annotated[str | None, typer.Option(help="The column to learn.")] = None,
    json: AsJson = False,
) -> None:
    """Read a table and print what its columns are."""
    from novacula.table import read

    found = read(files, target).schema
    typer.echo(found.to_json() if json else str(found))


@app.command()
def warm() -> None:
    """Compile every kernel once, so that no first fit has to wait."""
    from novacula.learner.kernels import kernel_modules
    from novacula.table.progress import tracked

    names = kernel_modules()
    for _ in tracked(map(_compile, names), len(names), "Compiling kernels", None):
        pass
    typer.echo(f"compiled {len(names)} modules of kernels: {', '.join(names)}")


def _compile(name: str) -> None:
    from importlib import import_module

    import_module(name)


def _show(header: Sequence[str], rows: Iterable[Sequence[str]], json: bool) -> None:
    """A table: rich on a terminal, tab-separated in a pipe, a list of objects as JSON."""
    if json:
        _echo_json([dict(zip(header, row, strict=True)) for row in rows])
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(*header)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        Console().print(table)
    else:
        for row in (header, *rows):
            typer.echo("\t".join(row))


def _echo_json(value: Any) -> None:
    import json

    typer.echo(json.dumps(value, ensure_ascii=False, indent=1))
