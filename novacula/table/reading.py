"""`read`: anything that holds rows becomes a table, with its schema found by an explicit pass."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.table.chunk import without_duplicates
from novacula.table.files import find_paths, unpacked_name
from novacula.table.names import as_names
from novacula.table.schema import DEFAULT_MISSING, Column, Schema, Types
from novacula.table.source import Source
from novacula.table.survey import survey
from novacula.table.table import Table

_FORMATS = {
    "csv": ("csv", "tsv", "tab", "txt", "data"),
    "parquet": ("parquet", "pq"),
    "arrow": ("arrow", "feather", "ipc", "arrows"),
    "arff": ("arff",),
    "svmlight": ("svmlight", "svm", "libsvm"),
}
_FORMAT_OF_ENDING = {ending: name for name, endings in _FORMATS.items() for ending in endings}


def read(
    source: Any,
    target: str | Sequence[str] | None = None,
    *,
    types: Types | None = None,
    missing: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None = None,
    weight: str | None = None,
    format: str | None = None,  # noqa: A002  (the word that every reader of tables uses)
    delimiter: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    skip: int = 0,
    quote: str | None = '"',
    encoding: str = "utf-8",
    n_features: int | None = None,
    progress: bool | None = None,
) -> Table:
    """Make a table of files, arrays or frames; files are read when they are needed, and never whole.

    Of delimited text up to half a gigabyte of parsed rows is held with the table, which spares later passes that work.

    Parameters
    ----------
    source
        A path, a glob, a folder or a list of paths (CSV, TSV, Parquet, Arrow IPC, ARFF, svmlight; text may be
        compressed); a NumPy array or SciPy sparse matrix; a pandas, polars, PyArrow or Dask frame; a table.
    target
        The column to learn, or several numeric ones. svmlight files have theirs by themselves.
    types
        What columns are, where it should not be left to the values: ``{"zip": "categorical", "id": "ignored",
        "size": ["small", "medium", "large"]}``. A list states the categories and their order.
    missing
        The text that stands for a missing value, for all columns, or by column (others keep the default). By
        default the empty cell, NA, N/A, NaN, null and ? in text files; frames and typed files say it
        themselves. White space around a value does not count. A category that is stated in ``types`` is never
        missing.
    weight
        The column that holds the weight of each row.
    format
        ``csv``, ``parquet``, ``arrow``, ``arff`` or ``svmlight``, where the name of the file does not say.
    delimiter, header, names, skip, quote, encoding
        How delimited text is written. The delimiter is detected; ``names`` are for files without a
        header, or with ``header=True`` instead of it; ``skip`` leaves out lines at the top; ``quote=None``
        takes quotation marks as they are. Blank lines are skipped.
    n_features
        Columns of an svmlight file, where the last ones may be zero in all rows.
    progress
        Whether to show a bar; by default on a terminal only.

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
        return table.with_types(types) if types else table
    dialect = {
        "delimiter": delimiter,
        "header": header,
        "names": tuple(names or ()),
        "skip": skip,
        "quote": quote,
        "encoding": encoding,
    }
    opened = _open(source, format, dialect, n_features)
    roles = _roles(opened, as_names(target) or opened.own_target(), weight, missing)
    asked = dict(types or {})
    if weight is not None:
        asked.setdefault(weight, "numeric")
    return Table(opened, survey(opened, roles, asked, progress), progress=progress)


def _roles(source: Source, target: tuple[str, ...], weight: str | None, missing: Any) -> Schema:
    """Columns whose kinds are not known yet, with their roles and markers."""
    by_column = {}
    if isinstance(missing, Mapping):
        by_column = {name: as_names(markers) for name, markers in missing.items()}
        missing = None
    if missing is None:
        missing = DEFAULT_MISSING if source.is_text else ()
    columns = (Column(field.name, "ignored") for field in source.arrow_schema())
    schema = Schema((*source.blocks(), *columns), target, weight, as_names(missing), by_column)
    for name in by_column:
        schema[name]
    return schema


def _open(source: Any, format: str | None, dialect: dict[str, Any], n_features: int | None) -> Source:  # noqa: A002
    """Find out what a source is."""
    if isinstance(source, (str, os.PathLike)) or _is_list_of_paths(source):
        return _open_files(find_paths(source), format, dialect, n_features)
    if isinstance(source, np.ndarray):
        return _open_array(source)
    from scipy.sparse import issparse

    if issparse(source):
        return _open_sparse(source)
    from novacula.table.frames import DaskSource, FrameSource, require_frame

    if hasattr(source, "to_delayed") and hasattr(source, "_meta"):
        if not hasattr(source, "columns"):
            kind = type(source).__name__
            raise InputTypeError(f"a Dask {kind} has no columns: give a Dask frame, or compute() it first")
        return DaskSource(source)
    return FrameSource(require_frame(source))


def _is_list_of_paths(source: Any) -> bool:
    paths = isinstance(source, (list, tuple)) and all(isinstance(part, (str, os.PathLike)) for part in source)
    return paths and len(source) > 0


def _open_files(paths: list[str], format: str | None, dialect: Any, n_features: int | None) -> Source:  # noqa: A002
    if format is not None and format not in _FORMATS:
        raise ParameterError(f"format is {format!r}; it must be one of {', '.join(_FORMATS)}")
    kinds = {format or format_of(path) for path in paths}
    if len(kinds) > 1:
        raise DataError(f"the files are of several formats ({', '.join(sorted(kinds))}): give files of one")
    kind = kinds.pop()
    if kind == "parquet":
        from novacula.table.columnar import ParquetSource

        return ParquetSource(paths)
    if kind == "arrow":
        from novacula.table.columnar import ArrowFileSource

        return ArrowFileSource(paths)
    if kind == "arff":
        from novacula.table.arff import ArffSource

        return ArffSource(paths, dialect["encoding"])
    if kind == "svmlight":
        from novacula.table.svmlight import SvmlightSource

        return SvmlightSource(paths, n_features)
    from novacula.table.delimited import DelimitedSource
    from novacula.table.dialect import Dialect

    return DelimitedSource(paths, Dialect(**dialect))


def format_of(path: str) -> str:
    """The format by a file's name; what is not known is taken for delimited text."""
    return _FORMAT_OF_ENDING.get(unpacked_name(path).rpartition(".")[2], "csv")


def _open_array(array: Any) -> Source:
    from novacula.table.frames import FrameSource, object_table
    from novacula.table.memory import ArraySource

    if array.ndim != 2:
        raise DataError(f"the array has {array.ndim} dimensions; a table has 2: reshape it")
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)
    if array.dtype.kind in "OUS":
        return FrameSource(object_table(_decoded(array)), name="the array")
    if array.dtype.kind not in "biuf":
        raise InputTypeError(f"the array holds {array.dtype}, which is not a number")
    native = array.dtype.newbyteorder("=") if array.dtype.itemsize <= 8 else np.float64
    return ArraySource(np.asarray(array, native))


def _decoded(array: Any) -> Any:
    try:
        return np.strings.decode(array, "utf-8") if array.dtype.kind == "S" else array
    except UnicodeDecodeError as error:
        raise DataError(f"the array holds bytes that are not utf-8 ({error.reason}): decode them first") from error


def _open_sparse(matrix: Any) -> Source:
    from novacula.table.memory import SparseSource

    return SparseSource(without_duplicates(matrix.tocsr().astype(np.float64)))
