"""Predictions as a file: the rows as they came, the prediction, and the probability of each class.

A cell of text that begins with =, +, −, @, a tab or a line end runs as a formula in spreadsheets. Such a cell gets an
apostrophe in front, which spreadsheets do not show, unless cells are wanted as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from novacula.errors import ParameterError

if TYPE_CHECKING:
    from novacula.table import Table

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
DELIMITERS = {".csv": ",", ".tsv": "\t"}


def predictions(model: Any, table: Table) -> pa.Table:
    """All columns of a table, and the answers of the model for each row; a sparse block has no columns to show."""
    conformed = table.conform(model.schema_, "ignore")
    answers = {"prediction": model.predict(conformed)}
    if hasattr(model, "predict_proba") and hasattr(model, "classes_"):
        proba = model.predict_proba(conformed)
        answers |= {f"P({label})": proba[:, k] for k, label in enumerate(model.classes_)}
    rows = pa.table({}) if table.layout.of_kind("sparse") else table.to_arrow()
    for name, values in answers.items():
        while name in rows.column_names:
            name += "′"
        rows = rows.append_column(name, pa.array(np.asarray(values).tolist()))
    return rows


def to_bytes(rows: pa.Table, ending: str, *, safe: bool) -> bytes:
    """The rows as the content of a file with this ending."""
    sink = pa.BufferOutputStream()
    if ending in (".parquet", ".pq"):
        import pyarrow.parquet

        pyarrow.parquet.write_table(rows, sink)
    elif ending in DELIMITERS:
        import pyarrow.csv

        plain = pa.table([_words(column, safe) for column in rows.columns], names=list(_names(rows, safe)))
        pyarrow.csv.write_csv(plain, sink, pyarrow.csv.WriteOptions(delimiter=DELIMITERS[ending]))
    else:
        raise ParameterError(
            f"predictions are written to .csv, .tsv or .parquet files, not to {ending or 'a bare name'}"
        )
    return bytes(sink.getvalue())


def _names(rows: pa.Table, safe: bool) -> Iterator[str]:
    yield from (harmless(name) if safe else name for name in rows.column_names)


def _words(column: Any, safe: bool) -> Any:
    """A column without dictionaries, and without formulas."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not safe or not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pa.array([None if word is None else harmless(word) for word in column.to_pylist()], pa.string())


def harmless(word: str) -> str:
    """The word, with an apostrophe in front if a spreadsheet would run it.

    >>> harmless("=cmd()"), harmless("a=b")
    ("'=cmd()", 'a=b')
    """
    return f"'{word}" if word.startswith(FORMULA_STARTS) else word
