"""The commands. Rich tables on a terminal, plain text in a pipe, JSON on request; errors are one sentence."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer

from novacula.cli.compare import compare
from novacula.cli.exercise import exercise
from novacula.cli.exporting import export
from novacula.cli.learn import learn
from novacula.cli.output import echo_json, print_table, warn_in_one_line
from novacula.cli.pac import pac
from novacula.cli.predict import explain, predict
from novacula.cli.reading import ReadingOptions, reads_tables
from novacula.cli.serve import serve
from novacula.cli.stopping import StoppableGroup
from novacula.cli.work import AsJson, Data, Target, work
from novacula.errors import ParameterError
from novacula.version import __version__

app = typer.Typer(
    name="novacula",
    cls=StoppableGroup,
    help="Classical machine learning that shows its work.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for command in (learn, compare, predict, serve, explain, export, work, exercise, pac):
    app.command()(command)


PARAMETERS = "sklearn.utils._param_validation"
"""Where scikit-learn words what is wrong with a parameter of a learner."""


def run() -> None:
    """Run a command: exit code 0 when it did its work, 1 when it failed, 2 when it was called wrongly.

    It is 130 when Ctrl-C stopped it, and 143 when SIGTERM did.
    """
    from novacula.advice import for_command_line

    debug = "--debug" in sys.argv
    if not debug:
        warnings.showwarning = warn_in_one_line
    try:
        with for_command_line():
            app([arg for arg in sys.argv[1:] if arg != "--debug"])
    except (ValueError, TypeError, OSError) as error:
        from novacula import errors

        is_ours = type(error).__module__ in (errors.__name__, PARAMETERS)
        if debug or not (is_ours or isinstance(error, OSError)):
            raise
        words = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            words = f"{str(error.filename)!r} cannot be used: {error.strerror}"
        print(f"novacula: {words}", file=sys.stderr)  # noqa: T201  (this is the command line)
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
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
    print_table(("learner", "task", "what it is"), rows, json)


@app.command()
def card(
    learners: Annotated[
        list[str], typer.Argument(help="Names that `novacula learners` lists, or words of them; several side by side.")
    ],
    attributes: Annotated[bool, typer.Option("--attributes", help="Print what a fitted model holds instead.")] = False,
    json: AsJson = False,
) -> None:
    """Print a learner's card: hypothesis space, bias, search, cost; of several learners side by side."""
    from novacula.learner.card_table import side_by_side
    from novacula.learner.registry import find, look_up
    from novacula.state import declared

    if len(learners) > 1:
        if attributes:
            raise ParameterError("--attributes is of one learner: name one")
        cards = side_by_side(*learners)
        if json:
            echo_json(cards.to_dict())
        else:
            print_table(("", *cards.names), [(heading, *cells) for heading, cells in cards.rows], json=False)
        return
    kind = find(look_up(learners[0]))
    if attributes:
        rows = [(name, form.words()) for name, form in declared(kind).items()]
        print_table(("attribute", "what it holds"), rows, json)
    elif json:
        echo_json(kind.card.to_dict())
    else:
        typer.echo(str(kind.card))


@app.command()
def datasets(json: AsJson = False) -> None:
    """List the data sets that can be loaded by name."""
    from novacula import datasets as shipped

    print_table(("name", "what it holds"), list(shipped.names().items()), json)


@app.command()
@reads_tables
def schema(
    data: Data,
    target: Target = None,
    json: AsJson = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Read a table and print what its columns are."""
    from novacula.cli.data import read_table

    columns = read_table(data, target, reading).schema
    typer.echo(columns.to_json() if json else str(columns))


@app.command()
def warm(json: AsJson = False) -> None:
    """Compile every kernel once, so that no first fit has to wait."""
    from novacula.compiling import find_kernels
    from novacula.table.warming import compile_kernels

    names = [kernel.name for kernel in find_kernels()]
    compile_kernels(names)
    if json:
        echo_json(names)
    else:
        typer.echo(f"compiled {len(names)} kernels: {', '.join(names)}")
