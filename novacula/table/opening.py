"""What a source is: files by their format, arrays, sparse matrices, frames."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from novacula.advice import option
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.table.archive import one_entry, open_archive
from novacula.table.chunk import without_duplicates
from novacula.table.dialect import Dialect
from novacula.table.files import DataFile, find_paths, name_of, split_part, unpacked_name
from novacula.table.source import Source

FORMATS = {
    "csv": ("csv", "tsv", "tab", "txt", "data"),
    "json": ("json", "jsonl", "ndjson"),
    "excel": ("xlsx", "xlsm"),
    "ods": ("ods",),
    "sqlite": ("db", "sqlite", "sqlite3", "db3"),
    "duckdb": ("duckdb", "ddb"),
    "parquet": ("parquet", "pq"),
    "arrow": ("arrow", "feather", "ipc", "arrows"),
    "arff": ("arff",),
    "svmlight": ("svmlight", "svm", "libsvm"),
}
"""Endings of files by their format."""
_FORMAT_OF_ENDING = {ending: name for name, endings in FORMATS.items() for ending in endings}
_MARKS = (
    (0, b"PAR1", "parquet"),
    (0, b"ARROW1", "arrow"),
    (0, b"SQLite format 3\0", "sqlite"),
    (8, b"DUCK", "duckdb"),
)  # what stands where in files of a format
_UNREADABLE = (
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Excel workbook (.xls): save it as .xlsx or as CSV"),
    (re.compile(rb"\s*<(?:!doctype\s+html|html)", re.IGNORECASE), "a page of HTML: save the table in it as CSV"),
    (re.compile(rb"%PDF-"), "a PDF document: save the table in it as CSV"),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8"), "a picture, and no table"),
    (re.compile(rb"\x80[\x02-\x05].*\.\Z", re.DOTALL), "a pickle: save what it holds as Parquet or CSV"),
)  # how files begin that hold no table which is read here
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:')
_HEAD_BYTES = 4096
_DATABASES = ("sqlite", "duckdb")


class FileForm(NamedTuple):
    """How files are written, as far as it is known."""

    dialect: Dialect
    encodings: Mapping[str, str]  # of some files, where it was found out
    n_features: int | None = None
    sheet: str | int | None = None


_WRITTEN = ("delimiter", "quote", "decimal", "encoding", "header", "names", "skip")
_USED: Mapping[str, Collection[str]] = {
    "csv": _WRITTEN,
    "json": ("encoding", "decimal"),
    "excel": ("sheet", "header", "names", "skip", "decimal"),
    "ods": ("sheet", "header", "names", "skip", "decimal"),
    "arff": ("encoding",),
    "svmlight": ("n_features",),
}
"""The options of reading that say something of files of a format."""
_EXPECTED = {"header": True, "decimal": ".", "encoding": "utf-8"}
"""What may be said of any file, since it is so anyway."""


def require_used(form: FileForm, kind: str, source: str) -> None:
    """Refuse an option that says nothing of what is read."""
    usual = FileForm(Dialect(), {})
    for name in (*_WRITTEN, "sheet", "n_features"):
        given, default = (getattr(f.dialect if name in _WRITTEN else f, name) for f in (form, usual))
        if name in _USED.get(kind, ()) or given in (default, _EXPECTED.get(name, default)):
            continue
        takers = " or ".join(other for other, used in _USED.items() if name in used)
        raise ParameterError(f"{option(name)} is for {takers}, and {source} is {kind}: leave it out")


def open_source(source: Any, format: str | None, form: FileForm) -> Source:  # noqa: A002
    """Find out what a source is."""
    if isinstance(source, (str, os.PathLike)) or _is_list_of_paths(source):
        return open_files(find_paths(source), format, form)
    require_used(form, "in memory", "this table")
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


def open_files(paths: list[str], format: str | None, form: FileForm) -> Source:  # noqa: A002
    """Files of one format as a source."""
    if format is not None and format not in FORMATS:
        raise ParameterError(f"format is {format!r}; it must be one of {', '.join(FORMATS)}")
    kinds = {format or format_of(path) for path in paths}
    if len(kinds) > 1:
        raise DataError(f"the files are of several formats ({', '.join(sorted(kinds))}): give files of one")
    kind = kinds.pop()
    require_used(form, kind, name_of(paths))
    if kind not in _UNPACKED and is_zip(paths[0]):
        raise DataError(f"{paths[0]} holds a file of the format {kind}, which is not read from an archive: unpack it")
    return _OPENERS[kind](paths, form)


def _open_parquet(paths: list[str], _: FileForm) -> Source:
    from novacula.table.columnar import ParquetSource

    return ParquetSource(paths)


def _open_arrow(paths: list[str], _: FileForm) -> Source:
    from novacula.table.columnar import ArrowFileSource

    return ArrowFileSource(paths)


def _open_arff(paths: list[str], form: FileForm) -> Source:
    from novacula.table.arff import ArffSource

    return ArffSource(paths, form.dialect.encoding, form.encodings)


def _open_svmlight(paths: list[str], form: FileForm) -> Source:
    from novacula.table.svmlight import SvmlightSource

    return SvmlightSource(paths, form.n_features)


def _open_delimited(paths: list[str], form: FileForm) -> Source:
    from novacula.table.delimited import DelimitedSource

    return DelimitedSource(paths, form.dialect, form.encodings)


def _open_json(paths: list[str], form: FileForm) -> Source:
    from novacula.table.json_files import open_json

    return open_json(paths, form.dialect, form.encodings)


def _open_excel(paths: list[str], form: FileForm) -> Source:
    from novacula.table.excel import read_workbook
    from novacula.table.sheets import open_sheets

    return open_sheets(paths, read_workbook, form.dialect, form.sheet)


def _open_ods(paths: list[str], form: FileForm) -> Source:
    from novacula.table.open_document import read_document
    from novacula.table.sheets import open_sheets

    return open_sheets(paths, read_document, form.dialect, form.sheet)


def _open_sqlite(paths: list[str], _: FileForm) -> Source:
    from novacula.table.sqlite import SqliteSource

    return SqliteSource(one_database(paths))


def _open_duckdb(paths: list[str], _: FileForm) -> Source:
    from novacula.table.duckdb_tables import DuckdbSource

    return DuckdbSource(one_database(paths))


_OPENERS: Mapping[str, Callable[[list[str], FileForm], Source]] = {
    "csv": _open_delimited,
    "json": _open_json,
    "excel": _open_excel,
    "ods": _open_ods,
    "sqlite": _open_sqlite,
    "duckdb": _open_duckdb,
    "parquet": _open_parquet,
    "arrow": _open_arrow,
    "arff": _open_arff,
    "svmlight": _open_svmlight,
}
_UNPACKED = ("csv", "json", "arff", "svmlight")
"""Formats that are read from within an archive."""


def one_database(paths: list[str]) -> str:
    """The one path of a database on this machine."""
    if len(paths) > 1:
        raise DataError(f"{paths[0]} is a database, and there are {len(paths)} files: read its table alone")
    if DataFile.at(paths[0]).is_remote:
        raise DataError(f"{paths[0]} is a database: copy it to this machine first")
    return paths[0]


def is_zip(path: str) -> bool:
    """Whether a file is named as an archive of others."""
    return split_part(path)[0].lower().endswith(".zip")


def format_of(path: str) -> str:
    """The format by a file's name, or by its first bytes where that speaks of text; if need be, delimited text."""
    place, part = split_part(path)
    if is_zip(path):
        file = DataFile.at(path)
        with file.open() as opened, open_archive(opened, file.size, place) as archive:
            place = one_entry(archive, place, part).filename
        return _FORMAT_OF_ENDING.get(_ending(place), "csv")
    kind = _FORMAT_OF_ENDING.get(_ending(place), "csv")
    if kind == "csv":
        return _format_of_contents(place) or kind
    return _format_of_contents(place, _DATABASES) or kind if kind in _DATABASES else kind


def _ending(path: str) -> str:
    return unpacked_name(path).rpartition(".")[2]


def _format_of_contents(path: str, among: Collection[str] = tuple(FORMATS)) -> str | None:
    """One of some formats, by a file's first bytes; None where they do not say it."""
    head = _first_bytes(path)
    for place, mark, kind in _MARKS:
        if kind in among and head[place:].startswith(mark):
            return kind
    if "csv" not in among:
        return None
    for beginning, what in _UNREADABLE:
        if beginning.match(head):
            raise DataError(f"{path} is {what}")
    if head.startswith(b"PK\x03\x04"):
        is_workbook = b"[Content_Types].xml" in head or b"xl/" in head
        return "excel" if is_workbook else "ods" if b"opendocument" in head else None
    return None if _JSON.match(head) is None else "json"


def _first_bytes(path: str) -> bytes:
    """The first bytes of a file; none if it cannot be read, which whoever opens it says."""
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""


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
