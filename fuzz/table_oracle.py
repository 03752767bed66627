"""What a table file holds by another reader: PyArrow after full validation, Python's `csv`, or a few plain loops.

Columns come as lists of values, None where missing. Text stays text: whether it is a number is for the comparison.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Columns = dict[str, list[Any]]

MARKERS = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"}
"""What stands for a missing value in text, as the documentation of `read` says."""

_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_QUOTES = "'\""


# --- typed files -----------------------------------------------------------------------------------------------------


def parquet_columns(path: Path) -> Columns:
    """The columns of a Parquet file."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        return _plain_columns(file.read(use_threads=False))


def arrow_columns(path: Path) -> Columns:
    """The columns of an Arrow file or stream."""
    with pa.memory_map(str(path)) as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        return _plain_columns((pa.ipc.open_file if is_file else pa.ipc.open_stream)(file).read_all())


def _plain_columns(table: Any) -> Columns:
    table.validate(full=True)
    names = table.schema.names
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    return {name: _plain(column) for name, column in zip(names, table.columns, strict=True)}


def _plain(column: Any) -> list[Any]:
    """Values of a column, times as seconds; NaN is missing too."""
    kind = column.type
    if pa.types.is_temporal(kind):
        whole = column.cast(pa.int32()).cast(pa.int64()) if kind.bit_width == 32 else column.cast(pa.int64())
        per_second = 1 / 86400 if kind == pa.date32() else _UNITS[getattr(kind, "unit", "ms")]
        return [None if value is None else value / per_second for value in whole.to_pylist()]
    if pa.types.is_decimal(kind) and not 0 <= kind.scale <= kind.precision:  # which Python may have no decimal for
        return _plain(column.cast(pa.float64()))
    values = column.to_pylist()
    if pa.types.is_decimal(kind):
        return [None if value is None else float(value) for value in values]
    return [None if value != value else value for value in values]


# --- text ------------------------------------------------------------------------------------------------------------


def unpacked(path: Path) -> bytes:
    """The bytes of a text file, by Python's own packages where it has one."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".bz2":
        data = bz2.decompress(data)
    elif path.suffix in (".zst", ".lz4"):
        with pa.input_stream(str(path), compression="detect") as stream:
            data = stream.read()
    return data


def delimited_columns(data: bytes, delimiter: str) -> Columns | None:
    """The columns of delimited text, the first record being their names; None where records differ in length."""
    text = io.StringIO(data.decode("utf-8-sig"), newline="")
    records = [record for record in csv.reader(text, delimiter=delimiter) if record]
    while records and not "".join(records[0]).strip():
        del records[0]
    if not records or len(set(map(len, records))) > 1:
        return None
    names = [name.strip() for name in records[0]]
    return {name: [record[j] for record in records[1:]] for j, name in enumerate(names)}


def _lines(text: str) -> Iterator[str]:
    for line in re.split("\r\n|\r|\n", text):
        if stripped := line.strip("\ufeff \t"):
            yield stripped


def arff_columns(data: bytes) -> Columns:
    """The columns of an ARFF file."""
    names: list[str] = []
    defaults: list[str] = []
    rows: list[list[str]] = []
    inside = False
    for line in _lines(data.decode()):
        if line.startswith("%"):
            continue
        word = line.split(None, 1)[0].lower()
        if inside:
            rows.append(_sparse_row(line, defaults) if line.startswith("{") else _values(line))
        elif word == "@attribute":
            name, kind = _first_word(line[len("@attribute") :].strip())
            names.append(name)
            defaults.append(_values(kind[1:-1])[0] if kind.startswith("{") else "0")
        inside = inside or word == "@data"
    return {name: [row[j] for row in rows] for j, name in enumerate(names)}


def _first_word(text: str) -> tuple[str, str]:
    if text[0] in _QUOTES and (end := _closing(text)) > 0:
        return _without_escapes(text[1:end]), text[end + 1 :].strip()
    name = re.match(r"[^\s{]+", text)[0]
    return name, text[len(name) :].strip()


def _closing(text: str) -> int:
    """Where the quote that opens a text closes; -1 if it does not."""
    at = 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == text[0]:
            return at
        at += 1
    return -1


def _without_escapes(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _values(text: str) -> list[str]:
    """Values between commas; a quote that is not closed, or does not end its value, stands for itself."""
    values = []
    while True:
        text = text.strip()
        end = _closing(text) if text[:1] in tuple(_QUOTES) else -1
        rest = text[end + 1 :].lstrip()
        if end > 0 and rest[:1] in ("", ","):
            values.append(_without_escapes(text[1:end]))
        else:
            value, comma, rest = text.partition(",")
            values.append(value.strip())
            rest = comma + rest
        if not rest:
            return values
        text = rest[1:]


def _sparse_row(line: str, defaults: list[str]) -> list[str]:
    row = list(defaults)
    body = line[1:-1].strip()
    while body:
        place = re.match(r"\d+", body)[0]
        rest = body[len(place) :].strip()
        end = _closing(rest) if rest[:1] in tuple(_QUOTES) else -1
        if end > 0 and rest[end + 1 :].lstrip()[:1] in ("", ","):
            row[int(place)] = _without_escapes(rest[1:end])
            body = rest[end + 1 :].lstrip()[1:].strip()
        else:
            value, _, body = rest.partition(",")
            row[int(place)] = value.strip()
            body = body.strip()
    return row


def svmlight_rows(data: bytes) -> tuple[list[float], list[dict[int, float]]]:
    """Labels, and the numbers of each row by their index as it is written."""
    labels, rows = [], []
    for line in data.splitlines():
        fields = line.split(b"#", 1)[0].split()
        if fields:
            pairs = [field.rsplit(b":", 1) for field in fields[1:] if not field.startswith(b"qid:")]
            labels.append(float(fields[0]))
            rows.append({int(index): float(value) for index, value in pairs})
    return labels, rows
