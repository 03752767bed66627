"""A model in a format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from novacula.errors import ExportError, ParameterError
from novacula.words import listed


class ExportFormat(NamedTuple):
    """A format: its writer, the most numbers that a file of it should hold, and whether it can count words."""

    writer: str
    most_numbers: int
    counts_words: bool = False


FORMATS: Mapping[str, ExportFormat] = {
    "python": ExportFormat("python.to_python", 2_000_000, counts_words=True),
    "sql": ExportFormat("sql.to_sql", 100_000),
    "onnx": ExportFormat("onnx.to_onnx", 20_000_000),
    "c": ExportFormat("c.to_c", 5_000_000),
    "json": ExportFormat("json_form.to_json", 5_000_000, counts_words=True),
    "pmml": ExportFormat("pmml.to_pmml", 100_000),
}
"""The formats by name."""


def export_model(
    model: Any,
    to: str,
    *,
    table: str | Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
) -> str | bytes:
    """Write a fitted model as a file that needs no Novacula: text, or of ONNX bytes.

    Parameters
    ----------
    model : a fitted learner, or one behind its preparation, as `novacula.load` gives it
    to : {"python", "sql", "onnx", "c", "json", "pmml"}
    table : str, or a sequence such as ("schema", "table"), default="data"
        For SQL, the table that is predicted.
    keep : sequence of str, default=()
        For SQL, columns that are passed on, such as a key.

    Examples
    --------
    >>> from novacula.baseline import MeanRegressor
    >>> from novacula.export import export_model
    >>> model = MeanRegressor().fit([[0], [1]], [1.0, 3.0])
    >>> print(export_model(model, "sql"), end="")
    SELECT
      2.0e0 AS "prediction"
    FROM "data" AS t
    """
    from novacula.export.making import program_of

    if to not in FORMATS:
        raise ParameterError(f"to is {to!r}; the formats are {listed(tuple(FORMATS))}")
    options = {name: value for name, value in (("table", table), ("keep", keep)) if value is not None}
    if options and to != "sql":
        raise ParameterError(f"{listed(tuple(options))} is for to='sql', and to is {to!r}: leave it out")
    program = program_of(model)
    _require_small(to, program.n_numbers)
    if any(column.kind == "text" for column in program.columns) and not FORMATS[to].counts_words:
        able = listed([name for name, form in FORMATS.items() if form.counts_words])
        raise ExportError(f"the model counts the words of texts, and a file of {to} cannot: {able} can hold it")
    module, name = FORMATS[to].writer.split(".")
    write: Any = getattr(import_module(f"novacula.export.formats.{module}"), name)
    written: str | bytes = write(program, **options)
    return written


def _require_small(to: str, n_numbers: int) -> None:
    most = FORMATS[to].most_numbers
    if n_numbers <= most:
        return
    larger = [name for name, other in FORMATS.items() if other.most_numbers >= n_numbers]
    where = f"{listed(larger)} can hold it" if larger else "no format can hold it"
    raise ExportError(f"the model has {n_numbers:,} numbers, and a file of {to} should hold {most:,} at most: {where}")
