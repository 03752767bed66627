"""`novacula predict` and `novacula explain`: what a model file predicts for new rows, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from novacula.cli.output import echo_json, say
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

ModelFile = Annotated[Path, typer.Argument(help="A model file that `novacula learn` or `save` wrote.")]


def predict(
    model: ModelFile,
    data: Annotated[list[str], typer.Argument(help="The rows: a file, several, a glob, or a data set by name.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="A CSV, TSV or Parquet file; by default rows are printed.")
    ] = None,
    raw: Annotated[
        bool, typer.Option(help="Write cells as they are, even those that a spreadsheet would run.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Predict the rows of a table, with probabilities where the model has them."""
    from novacula.cli.data import read_table
    from novacula.cli.export import predictions, to_bytes
    from novacula.learner import load
    from novacula.writing import replace_file

    loaded = load(model)
    rows = predictions(loaded, read_table(data, None))
    if json:
        echo_json(rows.to_pylist())
    elif out is None:
        typer.echo(to_bytes(rows, ".csv", safe=not raw).decode(), nl=False)
    if out is not None:
        content = to_bytes(rows, out.suffix.lower(), safe=not raw)
        replace_file(out, content)
        say(f"{rows.num_rows:,} rows are in {out}.")


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
) -> None:
    """Derive a model from its numbers, or the prediction of one row; or see what it looks at."""
    from novacula.cli.data import read_table
    from novacula.cli.seeing import SeenParts, show_seen
    from novacula.errors import ParameterError
    from novacula.learner import load

    loaded = load(model)
    asked = SeenParts(importance, tuple(depend or ()), interaction, contributions, surrogate, target, row)
    if asked.is_any:
        show_seen(loaded, data or (), asked, out, model.name, form, json)
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
    table = read_table(data, None) if data else None
    if data and row is None and rows is None:
        row = 1
    how = {"terms": terms, "digits": digits, "detail": detail, "notation": notation, "iteration": iteration}
    print_work(derivation(loaded, table, row, rows, **how), form, json)
