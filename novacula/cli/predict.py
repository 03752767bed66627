"""`novacula predict` and `novacula explain`: what a model file predicts for new rows, and why."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from novacula.cli.output import echo_json, say
from novacula.cli.reading import ReadingOptions, reads_tables
from novacula.cli.work import (
    AsJson,
    BookNotation,
    Detail,
    Digits,
    Form,
    Iteration,
    Rows,
    Terms,
    derivation,
    print_work,
)
from novacula.errors import UnseenCategoryWarning

ModelFile = Annotated[Path, typer.Argument(help="A model file that `novacula learn` or `save` wrote.")]


@reads_tables
def predict(
    model: ModelFile,
    data: Annotated[list[str], typer.Argument(help="The rows: a file, several, a glob, or a data set by name.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="A CSV, TSV or Parquet file; by default rows are printed.")
    ] = None,
    raw: Annotated[
        bool, typer.Option(help="Write cells as they are, even those that a spreadsheet would run.")
    ] = False,
    explained: Annotated[
        bool, typer.Option("--explain", help="Add what each column contributes to the prediction of each row.")
    ] = False,
    json: AsJson = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Predict the rows of a table, with probabilities or intervals where the model has them.

    What is new about the rows is said: unseen categories, values outside of those of the fit, columns that drifted.
    """
    from novacula.cli.data import read_table, say_notes
    from novacula.cli.predictions import PARQUET, predictions, require_ending, text_pieces, to_bytes, to_records
    from novacula.learner import load
    from novacula.writing import replace_file

    if out is not None:
        require_ending(out.suffix.lower())
    loaded = load(model)
    table = read_table(data, None, reading, only=loaded.schema_)
    say_notes(table)
    with warnings.catch_warnings():
        if hasattr(loaded, "drift"):
            warnings.simplefilter("ignore", UnseenCategoryWarning)  # the drift says the same
            say_drift(loaded, table)
        if json:
            echo_json(to_records(predictions(loaded, table, explained)))
        elif out is None:
            for piece in text_pieces(loaded, table, ".csv", safe=not raw, explained=explained):
                typer.echo(piece.decode(), nl=False)
        if out is not None:
            ending = out.suffix.lower()
            pieces = (
                [to_bytes(predictions(loaded, table, explained), ending, safe=not raw)]
                if ending in PARQUET
                else text_pieces(loaded, table, ending, safe=not raw, explained=explained)
            )
            replace_file(out, pieces)
            say(f"{len(table):,} rows are in {out}.")


def say_drift(model: Any, table: Any) -> None:
    """Say how the rows differ from those of the fit."""
    from novacula.table.names import printable

    for column in model.drift(table):
        for sentence in column.sentences():
            say(f"note: {printable(sentence)}")


@reads_tables
def explain(
    model: ModelFile,
    data: Annotated[list[str] | None, typer.Argument(help="The rows, one of which is explained.")] = None,
    row: Annotated[int | None, typer.Option(help="The row whose prediction is derived, counted from 1.")] = None,
    rows: Rows = None,
    terms: Terms = None,
    digits: Digits = None,
    detail: Detail = None,
    notation: BookNotation = None,
    iteration: Iteration = None,
    form: Form = "text",
    importance: Annotated[bool, typer.Option("--importance", help="What the model needs; with --target.")] = False,
    depend: Annotated[
        list[str] | None, typer.Option("--dependence", help="How it moves with a column, or with two: a,b.")
    ] = None,
    interaction: Annotated[bool, typer.Option("--interaction", help="Which columns act together.")] = False,
    contributions: Annotated[
        bool, typer.Option("--contributions", help="What each column adds: to all rows, or with --row to one.")
    ] = False,
    surrogate: Annotated[bool, typer.Option("--surrogate", help="The smallest tree that agrees with it.")] = False,
    target: Annotated[str | None, typer.Option(help="The column that the model predicts, for --importance.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="A page with figures, for what is asked.")] = None,
    json: AsJson = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Derive a model from its numbers, or the prediction of one row; or see what it looks at."""
    from novacula.cli.data import read_table
    from novacula.cli.seeing import SeenParts, show_seen
    from novacula.errors import ParameterError
    from novacula.learner import load

    loaded = load(model)
    asked = SeenParts(importance, tuple(depend or ()), interaction, contributions, surrogate, target, row)
    if asked.is_any:
        show_seen(loaded, data or (), asked, reading, out, model.name, form, json)
        return
    if out is not None or target is not None:
        raise ParameterError(
            "--out and --target are of --importance, --dependence, --interaction, --contributions or --surrogate: "
            "add one of them"
        )
    if not data and not (row is None and rows is None):
        raise ParameterError(
            f"--row{'' if rows is None else 's'} needs a table: name the file of the rows after the model"
        )
    table = read_table(data, None, reading, only=loaded.schema_) if data else None
    if data and row is None and rows is None:
        row = 1
    how = {"terms": terms, "digits": digits, "detail": detail, "notation": notation, "iteration": iteration}
    print_work(derivation(loaded, table, row, rows, **how), form, json)
