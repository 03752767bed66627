"""Predictions as a file: the rows as they came, the prediction, and the probability of each class.

A cell of text that begins with =, +, −, @, a tab or a line end runs as a formula in spreadsheets. Such a cell gets an
apostrophe in front, which spreadsheets do not show, unless cells are wanted as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novacula.errors import ParameterError
from novacula.table.columns_of_values import JSON
from novacula.table.source import holds_single_values, is_time_type

if TYPE_CHECKING:
    from novacula.table import Table

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
PARQUET = (".parquet", ".pq")


def predictions(model: Any, table: Table, explained: bool = False) -> pa.Table:
    """All columns of a table, and the answers of the model for each row; a sparse block has no columns to show."""
    rows = pa.table({}) if table.layout.of_kind("sparse") else table.to_arrow()
    return _beside(rows, answers_of(model, table, explained))


def answers_of(model: Any, table: Table, explained: bool = False) -> dict[str, Any]:
    """What a model answers, by the name of a column: the prediction, its interval, probabilities, contributions."""
    conformed = table.conform(model.schema_, "ignore")
    answers = {"prediction": np.asarray(model.predict(conformed))}
    interval = getattr(model, "interval_", None)
    if interval is not None:
        low, high = interval.around(answers["prediction"]).T
        answers |= {f"{interval.level:.0%} from": low, f"{interval.level:.0%} to": high}
    if hasattr(model, "predict_proba") and hasattr(model, "classes_"):
        proba = model.predict_proba(conformed)
        answers |= {f"P({label})": proba[:, k] for k, label in enumerate(model.classes_)}
    return answers | (_contributions(model, conformed) if explained else {})


def _contributions(model: Any, table: Table) -> dict[str, Any]:
    """What each column adds to the answer of each row: of several classes, to that of the largest."""
    from novacula.explain import contributions

    parts = contributions(model, table)
    places = [parts.output(row=i) for i in range(len(parts))]
    values = parts.values[np.arange(len(parts)), :, places]
    return {f"{name} adds": values[:, j] for j, name in enumerate(parts.names)}


def _beside(rows: pa.Table, answers: Mapping[str, Any]) -> pa.Table:
    """Rows with answers behind their columns; no name stands twice."""
    for name, values in answers.items():
        while name in rows.column_names:
            name += "′"
        rows = rows.append_column(name, pa.array(np.asarray(values).tolist()))
    return rows


def text_pieces(model: Any, table: Table, ending: str, *, safe: bool, explained: bool = False) -> Iterator[bytes]:
    """The rows and their answers as the content of a text file, piece by piece: only the answers are held."""
    if table.layout.of_kind("sparse") or any(column.is_time for column in table.layout):
        yield to_bytes(predictions(model, table, explained), ending, safe=safe)  # times are all written alike
        return
    answers, start = answers_of(model, table, explained), 0
    for batch in table.batches():
        rows = pa.Table.from_batches([batch])
        part = {name: values[start : start + batch.num_rows] for name, values in answers.items()}
        yield to_bytes(_beside(rows, part), ending, safe=safe, header=start == 0)
        start += batch.num_rows


def to_bytes(rows: pa.Table, ending: str, *, safe: bool, header: bool = True) -> bytes:
    """The rows as the content of a file with this ending."""
    require_ending(ending)
    sink = pa.BufferOutputStream()
    if ending in DELIMITERS:
        import pyarrow.csv

        plain = pa.table([_words(column, safe) for column in rows.columns], names=list(_names(rows, safe)))
        options = pyarrow.csv.WriteOptions(include_header=header, delimiter=DELIMITERS[ending])
        pyarrow.csv.write_csv(plain, sink, options)
    else:
        import pyarrow.parquet

        pyarrow.parquet.write_table(rows, sink)
    return bytes(sink.getvalue())


def require_ending(ending: str) -> None:
    """Refuse the name of a file whose ending does not say how it is written."""
    if ending not in (*DELIMITERS, *PARQUET):
        raise ParameterError(
            f"predictions are written to .csv, .tsv or .parquet files, not to {ending or 'a bare name'}"
        )


def _names(rows: pa.Table, safe: bool) -> Iterator[str]:
    yield from (harmless(name) if safe else name for name in rows.column_names)


def to_records(rows: pa.Table) -> list[dict[str, Any]]:
    """The rows as JSON has them: times as text, and no values that JSON lacks."""
    plain = pa.table([spelled_out(column) for column in rows.columns], names=rows.column_names)
    return plain.to_pylist()


def spelled_out(column: Any) -> Any:
    """A column without dictionaries, whose times, lists and the like are text."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_time_type(column.type):
        moments = column.cast(pa.timestamp("us"), safe=False)
        days = pc.equal(pc.floor_temporal(moments, unit="day"), moments)
        form = "%Y-%m-%d" if pc.all(days).as_py() else "%Y-%m-%d %H:%M:%S"
        moments = moments if form == "%Y-%m-%d" else _without_zeros(moments)
        return pc.strftime(moments, format=form)
    if holds_single_values(column.type) and not pa.types.is_temporal(column.type):
        return column
    is_json = pa.types.is_list(column.type) and column.type.value_field.name == JSON
    values = (v[0] if v is not None and is_json else v for v in column.to_pylist())
    return pa.chunked_array([pa.array([None if v is None else str(v) for v in values], pa.string())])


def _without_zeros(moments: Any) -> Any:
    """Times in seconds where they are whole ones, so that none is written with a fraction of zeros."""
    whole = pc.all(pc.equal(pc.floor_temporal(moments, unit="second"), moments)).as_py()
    return moments.cast(pa.timestamp("s")) if whole else moments


def _words(column: Any, safe: bool) -> Any:
    """A column as text files have it, without formulas."""
    column = spelled_out(column)
    if not safe or not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pa.array([None if word is None else harmless(word) for word in column.to_pylist()], pa.string())


def harmless(word: str) -> str:
    """The word, with an apostrophe in front if a spreadsheet would run it.

    >>> harmless("=cmd()"), harmless("a=b")
    ("'=cmd()", 'a=b')
    """
    return f"'{word}" if word.startswith(FORMULA_STARTS) else word
