"""`novacula work`: the derivation of a fitted learner, or of a calculation; how it is asked for and printed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from novacula.cli.output import echo_json
from novacula.cli.reading import ReadingOptions, reads_tables

LearnerName = Annotated[str, typer.Argument(help="A name that `novacula learners` lists, or a word of it.")]
Data = Annotated[list[str], typer.Argument(help="A file, several, a glob, or a data set by name.")]
Target = Annotated[str | None, typer.Option(help="The column to learn.")]
Setting = Annotated[list[str] | None, typer.Option("--set", help="A parameter as name=value.")]
Form = Annotated[
    Literal["text", "markdown", "latex", "html"], typer.Option("--format", help="The format of the derivation.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Rows = Annotated[int | None, typer.Option(help="Derive the predictions of so many first rows.")]
Terms = Annotated[int | None, typer.Option(help="Terms of a sum that are written out; the others become one number.")]
Digits = Annotated[int | None, typer.Option(help="Significant digits of numbers.")]
Detail = Annotated[str | None, typer.Option(help="brief, or full to write out what is left to tables.")]
BookNotation = Annotated[str | None, typer.Option("--notation", help="mitchell or aima, for the symbols of that book.")]
Iteration = Annotated[int | None, typer.Option(help="Derive this iteration of the fit, counted from 1.")]


@reads_tables
def work(
    name: Annotated[str, typer.Argument(help="A learner, or a calculation such as newton or pac_sample_size.")],
    data: Annotated[
        list[str] | None, typer.Argument(help="A file, several, a glob, or a data set by name; some need none.")
    ] = None,
    target: Target = None,
    row: Annotated[int | None, typer.Option(help="Derive the prediction of this row, counted from 1.")] = None,
    rows: Rows = None,
    terms: Terms = None,
    digits: Digits = None,
    detail: Detail = None,
    notation: BookNotation = None,
    iteration: Iteration = None,
    setting: Setting = None,
    form: Form = "text",
    json: AsJson = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Print a derivation with the numbers put in: of a learner fitted to a table, or of a calculation.

    Calculations are the functions of the library whose answers show their work, by their names in Python:
    docs/command_line.md lists them.
    """
    from novacula.cli.calculating import calculate, is_calculation
    from novacula.cli.data import read_table
    from novacula.cli.fitting import fit_learner
    from novacula.errors import ParameterError

    how = {"terms": terms, "digits": digits, "detail": detail, "notation": notation, "iteration": iteration}
    if is_calculation(name):
        if row is not None or rows is not None:
            raise ParameterError(f"{name} derives no rows: leave --row and --rows out")
        result, on_rows = calculate(name, setting or (), data or (), target, reading)
        asked = {option: value for option, value in how.items() if value is not None}
        print_work(result.work(on_rows, **asked), form, json)
        return
    if not data:
        raise ParameterError(f"{name} is fitted to a table: name a file or a data set")
    table = read_table(data, target, reading)
    print_work(derivation(fit_learner(name, table, setting or ()), table, row, rows, **how), form, json)


def derivation(model: Any, table: Any, row: int | None, rows: int | None, **how: Any) -> Any:
    """The work of a model, or of its predictions for one row or for the first rows; None stands for a default."""
    from novacula.cli.data import first_rows, one_row
    from novacula.errors import ParameterError

    asked = {name: value for name, value in how.items() if value is not None}
    if row is not None and rows is not None:
        raise ParameterError("--row derives one row and --rows the first ones: give one of them")
    if row is not None:
        return model.work(one_row(table, row, model.schema_), **asked)
    if rows is not None:
        return model.work(first_rows(table, rows, model.schema_), rows=rows, **asked)
    return model.work(**asked)


def print_work(work: Any, form: str, json: bool) -> None:
    """A derivation in one of its forms."""
    forms = {"text": work.to_text, "markdown": work.to_markdown, "latex": work.to_latex, "html": work.to_html}
    if json:
        echo_json({"title": work.title, "steps": [_step(step) for step in work], "notes": list(work.notes)})
    else:
        typer.echo(forms[form]())


def _step(step: Any) -> dict[str, Any]:
    return {"title": step.title, "equations": [_equation(equation) for equation in step.equations]}


def _equation(equation: Any) -> dict[str, Any]:
    values = None if equation.values is None else {name: _plain(value) for name, value in equation.values.items()}
    sides = {"left": equation.left, "sign": equation.sign, "right": list(equation.right)}
    return {**sides, "values": values, "value": _plain(equation.value), "text": str(equation)}


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, dict):
        return {label: _plain(part) for label, part in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value
