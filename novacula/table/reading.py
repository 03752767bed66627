"""`read`: anything that holds rows becomes a table, with its schema found by an explicit pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from novacula.errors import EncodingError, SchemaError
from novacula.table.dialect import Dialect
from novacula.table.encoding import UTF_8, WESTERN, is_western
from novacula.table.names import as_names
from novacula.table.opening import FileForm, open_source
from novacula.table.schema import DEFAULT_MISSING, Column, Schema, Types
from novacula.table.source import Source, is_textual
from novacula.table.survey import survey
from novacula.table.table import Table
from novacula.table.textfile import TextFile

_WORDS = ("categorical", "text")  # kinds of columns of words


def read(
    source: Any,
    target: str | Sequence[str] | None = None,
    *,
    types: Types | None = None,
    missing: Any = None,
    weight: str | None = None,
    format: str | None = None,  # noqa: A002  (the word that every reader of tables uses)
    delimiter: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    skip: int = 0,
    quote: str | None = '"',
    encoding: str | None = None,
    decimal: str | None = None,
    drop: str | Sequence[str] | None = None,
    keep: str | Sequence[str] | None = None,
    only: Sequence[str] | Schema | None = None,
    sheet: str | int | None = None,
    n_features: int | None = None,
    progress: bool | None = None,
) -> Table:
    """Make a table of files, arrays or frames; files are read when they are needed, and never whole.

    Of delimited text up to half a gigabyte of parsed rows is held with the table, which spares later passes that work.

    Parameters
    ----------
    source
        A path, a glob, a folder or a list of paths: CSV, TSV, JSON (lines, or an array of objects), Excel, ODS,
        Parquet, Arrow IPC, ARFF, svmlight, Orange's .tab. Text may be compressed, or a zip archive of one file.
        ``"shop.db::orders"`` is a table of an SQLite or DuckDB database, ``"all.zip::train.csv"`` a file of an
        archive, and ``"s3://…"`` what fsspec reads where it is installed. Or a NumPy array or SciPy sparse matrix; a
        pandas, polars, PyArrow or Dask frame; a table.
    target
        The column to learn, or several numeric ones. svmlight files have theirs by themselves.
    types
        What columns are, where it should not be left to the values: ``{"zip": "categorical", "id": "ignored",
        "size": ["small", "medium", "large"], "when": "date"}``. A list states the categories and their order; a date
        may be given its order, ``"day-month-year"``.
    missing
        The text that stands for a missing value, for all columns, or by column (others keep the default). By
        default the empty cell, NA, N/A, NaN, null and ? in text files; frames and typed files say it
        themselves. ``missing=[..., "none"]`` adds to these. White space around a value does not count. A category
        that is stated in ``types`` is never missing.
    weight
        The column that holds the weight of each row.
    format
        ``csv``, ``json``, ``excel``, ``ods``, ``sqlite``, ``duckdb``, ``parquet``, ``arrow``, ``arff`` or
        ``svmlight``, where neither the name of the file nor its first bytes say it.
    delimiter, header, names, skip, quote, encoding, decimal
        How text is written. Delimiter, header and encoding are found out; ``names`` are for files without a
        header, or with ``header=True`` instead of it; ``skip`` leaves out lines at the top; ``quote=None``
        takes quotation marks as they are; ``decimal=","`` says that 1.234,5 is a number. Blank lines are skipped.
    drop, keep, only
        Columns that are left out before anything looks at them; columns that are kept, though reading would leave
        them out as names of rows; the only columns that are looked at, while all others are ignored: by their names,
        or by the ``schema_`` of a model that is to answer for the rows.
    sheet
        The sheet of a workbook, by its name or its number from 1; by default the first one.
    n_features
        Columns of an svmlight file, where the last ones may be zero in all rows.
    progress
        Whether to show a bar; by default on a terminal only.

    What was decided on the way, such as an encoding, is in ``notes`` of the table, a sentence each.

    Examples
    --------
    >>> import numpy as np
    >>> import novacula as nv
    >>> print(nv.read(np.array([[1.0, 2.0], [3.0, np.nan]])).schema)
    2 rows × 2 columns
    column  kind     missing  values                  role
    x0      numeric  0        1 to 3
    x1      numeric  1        2 to 2 (one value only)
    """
    if isinstance(source, Table):
        table = source if target is None else source.with_target(target)
        table = table.with_types(types) if types else table
        return table.drop(drop) if drop else table
    dialect = Dialect(delimiter, quote, encoding, header, tuple(names or ()), skip, decimal, as_names(drop))
    asked = AskedColumns(
        as_names(target), weight, dict(types or {}), missing, as_names(drop), as_names(keep), *_fitted_or_names(only)
    )
    encodings: dict[str, str] = {}
    while True:
        try:
            opened = open_source(source, format, FileForm(dialect, encodings, n_features, sheet))
            return _surveyed(opened, asked, progress)
        except EncodingError as error:
            if encoding is not None or error.path in encodings or not is_western(TextFile(error.path, UTF_8).pieces()):
                raise
            encodings[error.path] = WESTERN  # of which nothing was to be seen in the first bytes


class AskedColumns(NamedTuple):
    """What a user says of the columns."""

    target: tuple[str, ...]
    weight: str | None
    types: dict[str, Any]
    missing: Any
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    only: Sequence[str] | None
    fitted: Schema | None = None


def _surveyed(opened: Source, asked: AskedColumns, progress: bool | None) -> Table:
    """The table of a source."""
    opened.kept = frozenset(asked.keep)
    roles = _roles(opened, asked)
    types = dict(asked.types)
    if asked.weight is not None:
        types.setdefault(asked.weight, "numeric")
    if asked.only is not None:
        judged = {*asked.only, *roles.roles}
        types = {name: "ignored" for name in roles.names if name not in judged} | types
    if asked.fitted is not None:
        types = _fitted_types(opened, roles, asked.fitted) | types
    return Table(opened, survey(opened, roles, types, progress, asked.fitted), progress=progress)


def _fitted_or_names(only: Sequence[str] | Schema | None) -> tuple[Sequence[str] | None, Schema | None]:
    """The only columns to look at, and the schema of the fit if it is that which names them."""
    if isinstance(only, Schema):
        return [column.name for column in only.features if column.kind != "sparse"], only
    return only, None


def _fitted_types(source: Source, roles: Schema, fitted: Schema) -> dict[str, str]:
    """What a model knows of columns of text: where it takes words nothing is to be found out, where numbers, how."""
    textual = {field.name for field in source.arrow_schema() if is_textual(field.type)}
    features = [column for column in fitted.features if column.name in textual and column.name in roles]
    words = {column.name: "text" for column in features if column.kind in _WORDS}
    return words | {column.name: "numeric" for column in features if column.kind == "numeric" and not column.is_time}


def _roles(source: Source, asked: AskedColumns) -> Schema:
    """Columns whose kinds are not known yet, with their roles and markers."""
    usual = DEFAULT_MISSING if source.is_text else ()
    by_column, missing = {}, asked.missing
    if isinstance(missing, Mapping):
        by_column = {name: _markers(markers, usual) for name, markers in missing.items()}
        missing = None
    columns = tuple(Column(field.name, "ignored") for field in source.arrow_schema())
    notes = tuple(note for note in source.notes if note.column not in asked.keep)
    every = Schema((*source.blocks(), *columns), notes=notes)
    if asked.fitted is not None and (lacking := [name for name in asked.only or () if name not in every]):
        raise SchemaError(f"{source.name} has no column {lacking[0]!r}, which the model knows")
    for name in (*asked.keep, *(asked.only or ())):
        every[name]
    target = asked.target or source.own_target()
    if dropped := [name for name in (*target, asked.weight) if name in asked.drop]:
        raise SchemaError(f"column {dropped[0]!r} cannot be dropped: it is the target or the weight")
    left = replace(every.drop((*asked.drop, *source.doubles)), target=target, weight=asked.weight)
    markers = usual if missing is None else _markers(missing, usual)
    schema = replace(left, missing=markers, missing_by_column=by_column)
    for name in by_column:
        schema[name]
    return schema


def _markers(stated: Any, usual: tuple[str, ...]) -> tuple[str, ...]:
    """What stands for a missing value, with the usual markers in the place of an ellipsis."""
    listed = (stated,) if isinstance(stated, str) or stated is ... else tuple(stated)
    every = (marker for each in listed for marker in (usual if each is ... else (each,)))
    return tuple(dict.fromkeys(every))
