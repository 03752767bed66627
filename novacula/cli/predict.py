"""`novacula predict` and `novacula explain`: what a model file predicts for new rows, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from novacula.cli.output import echo_json, say

ModelFile = Annotated[Path, typer.Argument(help="A model file that `novacula learn` or `save` wrote.")]
Form = Annotated[
    Literal["text", "markdown", "latex", "html"], typer.Option("--format", help="The format of the derivation.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


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
    form: Form = "text",
    json: AsJson = False,
) -> None:
    """Derive a model from its numbers, or the prediction of one row."""
    from novacula.cli.data import one_row, read_table
    from novacula.errors import ParameterError
    from novacula.learner import load

    loaded = load(model)
    if data:
        work = loaded.work(one_row(read_table(data, None), 1 if row is None else row, loaded.schema_))
    elif row is not None:
        raise ParameterError("--row needs a table: name the file that holds the row after the model")
    else:
        work = loaded.work()
    print_work(work, form, json)


def print_work(work: Any, form: str, json: bool) -> None:
    """A derivation in one of its forms."""
    forms = {"text": work.to_text, "markdown": work.to_markdown, "latex": work.to_latex, "html": work.to_html}
    if json:
        steps = [{"title": s.title, "formula": s.formula, "values": dict(s.values), "result": s.value} for s in work]
        echo_json({"title": work.title, "steps": steps, "notes": list(work.notes)})
    else:
        typer.echo(forms[form]())
