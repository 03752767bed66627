"""`read`: anything that holds rows becomes a table, with its schema found by an explicit pass."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from novacula.errors import DataError, InputTypeError, SchemaError
from novacula.table.schema import DEFAULT_MISSING, Column, Schema, Types, as_names
from novacula.table.source import Source
from novacula.table.survey import survey
from novacula.table.table import Table

_COLUMNAR = {"parquet": "parquet", "pq": "parquet", "arrow": "arrow", "feather": "arrow", "ipc": "arrow"}
_OTHER = {"arff": "arff", "svm": "svmlight", "svmlight": "svmlight", "libsvm": "svmlight"}
_PACKED = ("gz", "bz2", "zst", "lz4", "xz")
FORMATS = ("csv", "parquet", "arrow", "arff", "svmlight")


def read(
    source: Any,
    target: str | Sequence[str] | None = None,
    *,
    types: Types | None = None,
    missing: Sequence[str] | Mapping[str, Sequence[str]] = DEFAULT_MISSING,
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

    Parameters
    ----------
    source
        A path, a glob, a folder or a list of paths (CSV, TSV, Parquet, Arrow IPC, ARFF, svmlight; delimited text may be
        compressed); a NumPy array or SciPy sparse matrix; a pandas, polars, PyArrow or Dask frame.
    target
        The column to learn, or several numeric ones. svmlight files have theirs by themselves.
    types
        What columns are, where it should not be left to the values: ``{"zip": "categorical", "id": "ignored",
        "size": ["small", "medium", "large"]}``. A list states the categories and their order.
    missing
        The text that stands for a missing value, for all columns, or by column (others keep the default). White space
        around a value does not count. A category that is stated in ``types`` is never missing.
    weight
        The column that holds the weight of each row.
    format
        ``csv``, ``parquet``, ``arrow``, ``arff`` or ``svmlight``, where the name of the file does not tell.
    delimiter, header, names, skip, quote, encoding
        How delimited text is written. The delimiter is found by itself; ``names`` are for files without a header;
        ``skip`` leaves out lines at the top; ``quote=None`` takes quotation marks as they are.
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
    column  kind     missing  values  role
    x0      numeric  0        1 to 3
    x1      numeric  1        2 to 2  (one value only)
    """
    if isinstance(source, Table):
        return source if target is None else source.with_target(target)
    text = {
        "delimiter": delimiter,
        "header": header,
        "names": tuple(names or ()),
        "skip": skip,
        "quote": quote,
        "encoding": encoding,
    }
    opened = open_source(source, format, text, n_features)
    by_column = {n: tuple(m) for n, m in missing.items()} if isinstance(missing, Mapping) else {}
    roles = Schema(
        (*opened.blocks(), *(Column(field.name, "ignored") for field in opened.arrow_schema())),
        as_names(target) or _own_target(opened),
        weight,
        DEFAULT_MISSING if isinstance(missing, Mapping) else tuple(missing),
        by_column,
    )
    for name in by_column:
        roles[name]
    asked = dict(types or {})
    if weight is not None:
        asked.setdefault(weight, "numeric")
    return Table(opened, survey(opened, roles, asked, progress), progress=progress)


def _own_target(source: Source) -> tuple[str, ...]:
    from novacula.table.svmlight import TARGET, SvmlightSource

    return (TARGET,) if isinstance(source, SvmlightSource) else ()


def open_source(source: Any, format: str | None, text: dict[str, Any], n_features: int | None) -> Source:  # noqa: A002
    """Find out what a source is."""
    if isinstance(source, (str, os.PathLike)) or _is_list_of_paths(source):
        return _open_files(find_paths(source), format, text, n_features)
    if isinstance(source, np.ndarray):
        return _open_array(source)
    from scipy.sparse import issparse

    if issparse(source):
        from novacula.table.memory import SparseSource

        return SparseSource(source.tocsr().astype(np.float64))
    from novacula.table.frames import DaskSource, FrameSource, require_frame

    if hasattr(source, "to_delayed") and hasattr(source, "_meta"):
        return DaskSource(source)
    return FrameSource(require_frame(source))


def _is_list_of_paths(source: Any) -> bool:
    return (
        isinstance(source, (list, tuple))
        and len(source) > 0
        and all(isinstance(part, (str, os.PathLike)) for part in source)
    )


def find_paths(source: Any) -> list[str]:
    """The files that a path, a glob, a folder or a list of these stands for, sorted within each."""
    parts = source if isinstance(source, (list, tuple)) else [source]
    paths: list[str] = []
    for part in map(os.fspath, parts):
        if os.path.isdir(part):
            found = sorted(p for p in glob.glob(os.path.join(part, "*")) if os.path.isfile(p))
        else:
            found = [part] if os.path.exists(part) else sorted(glob.glob(part, recursive=True))
        if not found:
            raise DataError(f"there is no file {part!r}")
        paths.extend(found)
    return paths


def _open_files(paths: list[str], format: str | None, text: dict[str, Any], n_features: int | None) -> Source:  # noqa: A002
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

        return ArffSource(paths, text["encoding"])
    if kind == "svmlight":
        from novacula.table.svmlight import SvmlightSource

        return SvmlightSource(paths, n_features)
    if kind != "csv":
        raise SchemaError(f"format is {kind!r}; it must be one of {', '.join(FORMATS)}")
    from novacula.table.delimited import DelimitedSource, Dialect

    header = text["header"] if text["header"] is not None else not text["names"]
    return DelimitedSource(paths, Dialect(**{**text, "header": header}))


def format_of(path: str) -> str:
    """The format by a file's name; what is not known is taken for delimited text."""
    words = os.path.basename(path).lower().split(".")
    ending = words[-2] if len(words) > 2 and words[-1] in _PACKED else words[-1]
    return (_COLUMNAR | _OTHER).get(ending, "csv")


def _open_array(array: Any) -> Source:
    from novacula.table.frames import FrameSource, object_table
    from novacula.table.memory import ArraySource

    if array.ndim != 2:
        raise DataError(f"the array has {array.ndim} dimensions; a table has 2: reshape it")
    if array.dtype.kind in "OUS":
        return FrameSource(object_table(array.astype(str) if array.dtype.kind == "S" else array), name="the array")
    if array.dtype.kind not in "biuf":
        raise InputTypeError(f"the array holds {array.dtype}, which is not a number")
    return ArraySource(array)
