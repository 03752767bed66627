"""`novacula export`: a model file as a file of another language, which needs no Novacula."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from novacula.cli.output import say
from novacula.cli.predict import ModelFile
from novacula.errors import ParameterError


def export(
    model: ModelFile,
    to: Annotated[str, typer.Option("--to", help="python, sql, onnx, c, json or pmml.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The file; by default text is printed.")] = None,
    table: Annotated[str | None, typer.Option(help="For sql, the table that is predicted; by default data.")] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="For sql, a column that is passed on, such as a key; may be repeated.")
    ] = None,
) -> None:
    """Write a model as a file without Novacula in it that gives the same answers."""
    from novacula.export import export_model
    from novacula.learner import load
    from novacula.writing import replace_file

    options: dict[str, Any] = {} if table is None else {"table": table}
    options |= {} if not keep else {"keep": keep}
    if options and to != "sql":
        raise ParameterError("--table and --keep are of --to sql: leave them out")
    if out is None and to == "onnx":
        raise ParameterError("an ONNX file is not text: name it with -o")
    written = export_model(load(model), to, **options)
    if out is None:
        typer.echo(written, nl=False)
        return
    replace_file(out, written if isinstance(written, bytes) else written.encode())
    say(f"The model is in {out}.")
