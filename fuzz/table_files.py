"""Valid table files of every format and many shapes, as bytes: what the damaged ones are made from."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from fuzz.target import pick

Random = np.random.Generator

_WORDS = ["red", "green", "blue", "ünï", "a longer word than twelve bytes", "x,y", 'o"dd', " spaced ", "", "NA", "7"]
_LINE_ENDS = ("\n", "\r\n", "\r")
_NUMBERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(), pa.float32(), pa.float64())
_TIMES = (pa.date32(), pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("ns"), pa.time32("s"), pa.time64("us"))
_INDICES = (pa.int8(), pa.int16(), pa.int32(), pa.uint8())
_ENCODINGS = {
    "whole": ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"),
    "word": ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"),
}


# --- columns ---------------------------------------------------------------------------------------------------------


def _with_gaps(random: Random, values: list[Any]) -> list[Any]:
    share = pick(random, (0.0, 0.0, 0.1, 0.9))
    return [None if random.random() < share else value for value in values]


def _numbers(random: Random, n: int) -> Any:
    kind = pick(random, _NUMBERS)
    values = random.integers(0, 100, n) if random.random() < 0.5 else random.integers(0, 3, n)
    scaled = values / 7 - 5 if pa.types.is_floating(kind) else values
    return pa.array(_with_gaps(random, scaled.tolist()), kind)


def _words(random: Random, n: int) -> Any:
    words = random.permutation(_WORDS)[: random.integers(1, len(_WORDS))].tolist()
    if random.random() < 0.2:
        words = [f"the note number {i} of some" for i in range(n)]
    kind = pick(random, (pa.string(), pa.string(), pa.large_string()))
    return pa.array(_with_gaps(random, [str(pick(random, words)) for _ in range(n)]), kind)


def _coded(random: Random, n: int) -> Any:
    words = _words(random, n).cast(pa.string()) if random.random() < 0.8 else pa.array(random.integers(0, 5, n))
    coded = words.dictionary_encode()
    index = pick(random, _INDICES if len(coded.dictionary) < 100 else (pa.int32(), pa.int64()))
    return coded.cast(pa.dictionary(index, words.type))


def _times(random: Random, n: int) -> Any:
    kind = pick(random, _TIMES)
    values = pa.array(_with_gaps(random, random.integers(0, 80_000, n).tolist()), pa.int64())
    return values.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)


def _truths(random: Random, n: int) -> Any:
    return pa.array(_with_gaps(random, (random.random(n) < 0.5).tolist()))


def _decimals(random: Random, n: int) -> Any:
    values = [Decimal(int(value)) / 100 for value in random.integers(-9999, 9999, n)]
    return pa.array(_with_gaps(random, values), pa.decimal128(9, 2))


def _nothing(random: Random, n: int) -> Any:  # noqa: ARG001  (as the others are called)
    return pa.nulls(n)


_COLUMNS: tuple[Callable[[Random, int], Any], ...] = (
    *(_numbers, _numbers, _words, _words, _coded, _coded, _truths, _times, _decimals, _nothing),
)


def any_table(random: Random) -> Any:
    """A small table of columns of several types, the last of which can be learned."""
    n = int(pick(random, (1, 3, 20, 20, 60, 400)))
    columns = {f"c{j}": pick(random, _COLUMNS)(random, n) for j in range(random.integers(1, 5))}
    return pa.table({**columns, "label": pa.array([("yes", "no")[i] for i in random.integers(0, 2, n)])})


# --- typed files -----------------------------------------------------------------------------------------------------


def parquet(random: Random) -> tuple[str, bytes]:
    """A Parquet file: pages, encodings and codecs of all sorts."""
    table, sink = any_table(random), io.BytesIO()
    coded = random.random() < 0.5
    encodings = {}
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        if pa.types.is_integer(kind) and kind.bit_width >= 32:
            encodings[name] = pick(random, _ENCODINGS["whole"])
        if pa.types.is_string(kind):
            encodings[name] = pick(random, _ENCODINGS["word"])
    pq.write_table(
        table,
        sink,
        row_group_size=int(pick(random, (7, 50, 1000))),
        compression=pick(random, ("none", "none", "snappy", "gzip", "brotli", "zstd", "lz4")),
        use_dictionary=coded,
        column_encoding=None if coded or not encodings else encodings,
        data_page_version=pick(random, ("1.0", "2.0")),
        data_page_size=int(pick(random, (64, 1 << 20))),
        write_page_checksum=bool(random.random() < 0.1),
        write_statistics=bool(random.random() < 0.5),
        store_schema=bool(random.random() < 0.8),
    )
    return ".parquet", sink.getvalue()


def arrow(random: Random) -> tuple[str, bytes]:
    """An Arrow file or stream, or a Feather file."""
    table, sink = any_table(random), io.BytesIO()
    codec = pick(random, (None, None, "lz4", "zstd"))
    rows = int(pick(random, (7, 50, 1000)))
    if random.random() < 0.2:
        pyarrow.feather.write_feather(table, sink, compression=codec or "uncompressed", chunksize=rows)
        return ".feather", sink.getvalue()
    stream = random.random() < 0.5
    options = pa.ipc.IpcWriteOptions(
        compression=codec, emit_dictionary_deltas=bool(random.random() < 0.3), unify_dictionaries=not stream
    )
    opened = pa.ipc.new_stream if stream else pa.ipc.new_file
    with opened(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return pick(random, (".arrow", ".ipc", ".arrows") if stream else (".arrow", ".ipc")), sink.getvalue()


# --- text ------------------------------------------------------------------------------------------------------------


def delimited(random: Random) -> tuple[str, bytes]:
    """CSV or TSV, quoted where it must be, with one or several line ends."""
    table = any_table(random)
    ending = pick(random, (".csv", ".csv", ".csv", ".tsv"))
    delimiter = "\t" if ending == ".tsv" else pick(random, (",", ",", ";", "|"))
    ends = _LINE_ENDS if random.random() < 0.3 else (pick(random, _LINE_ENDS),)
    rows = [table.schema.names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
    quoting = csv.QUOTE_ALL if random.random() < 0.1 else csv.QUOTE_MINIMAL
    text = io.StringIO()
    for row in rows:
        style = {"delimiter": delimiter, "lineterminator": pick(random, ends), "quoting": quoting}
        csv.writer(text, **style).writerow(["" if value is None else value for value in row])
    return ending, (b"\xef\xbb\xbf" if random.random() < 0.1 else b"") + text.getvalue().encode()


def arff(random: Random) -> tuple[str, bytes]:
    """ARFF, dense or sparse."""
    n = int(pick(random, (1, 3, 20)))
    sparse = random.random() < 0.3
    end = pick(random, _LINE_ENDS)
    lines = ["% made for a test", "@relation 'some things'", "@attribute size numeric", "@ATTRIBUTE 'the colour' "]
    lines[-1] += "{red, 'light blue', \"it's\"}"
    lines += ["@attribute note string", "@attribute label {no,yes}", "", "@data"]
    for _ in range(n):
        size = "?" if random.random() < 0.1 else repr(round(float(random.normal()), 3))
        colour = pick(random, ("red", "'light blue'", '"it\'s"', "?"))
        note = pick(random, ("plain", "'with, comma'", "'a \\'quote\\''", "?"))
        label = pick(random, ("no", "yes"))
        lines.append(f"{{0 {size}, 1 {colour}, 2 {note}, 3 {label}}}" if sparse else f"{size},{colour}, {note},{label}")
    return ".arff", (end.join(lines) + end).encode()


def svmlight(random: Random) -> tuple[str, bytes]:
    """Labels and pairs, from 0 or from 1, some with comments."""
    first, end = int(random.integers(0, 2)), pick(random, _LINE_ENDS)
    lines = []
    for _ in range(int(pick(random, (1, 3, 20)))):
        places = np.flatnonzero(random.random(8) < 0.4) + first
        pairs = " ".join(f"{j}:{round(float(random.normal()), 3)!r}" for j in places)
        lines.append(f"{random.integers(0, 2)} {pairs}{' # a comment' if random.random() < 0.2 else ''}")
    return ".svm", (end.join(lines) + end).encode()


def _plain_rows(table: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names and rows of a table, of values that JSON, workbooks and databases can hold."""
    plain = [[value if isinstance(value, (int, float, str, type(None))) else str(value) for value in column.to_pylist()]
             for column in table.columns]  # fmt: skip
    return table.schema.names, list(zip(*plain, strict=True))


def json_text(random: Random) -> tuple[str, bytes]:
    """JSON, line by line or as an array."""
    names, rows = _plain_rows(any_table(random))
    records = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=bool(random.random() < 0.5)) for row in rows]
    lines = random.random() < 0.7
    text = "\n".join(records) if lines else f"[{', '.join(records)}]"
    return ".jsonl" if lines else ".json", text.encode()


def workbook(random: Random) -> tuple[str, bytes]:
    """A workbook of Excel."""
    import openpyxl

    names, rows = _plain_rows(any_table(random))
    book = openpyxl.Workbook()
    for row in (names, *rows):
        book.active.append([None if isinstance(value, float) and value != value else value for value in row])
    sink = io.BytesIO()
    book.save(sink)
    return ".xlsx", sink.getvalue()


def database(random: Random) -> tuple[str, bytes]:
    """An SQLite database of one table."""
    names, rows = _plain_rows(any_table(random))
    connection = sqlite3.connect(":memory:")
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    connection.execute(f"CREATE TABLE rows ({columns})")
    wide = [[str(v) if isinstance(v, int) and abs(v) >= 1 << 63 else v for v in row] for row in rows]
    connection.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(names))})", wide)
    connection.commit()
    data = connection.serialize()
    connection.close()
    return ".db", data


def zipped(random: Random) -> tuple[str, bytes]:
    """A zip archive of a file of text."""
    ending, data = pick(random, (delimited, json_text, arff))(random)
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(f"rows{ending}"), data)
    return ".zip", sink.getvalue()


def packed(ending: str, data: bytes) -> bytes:
    """Bytes as the ending of a file says: compressed, or as they are."""
    if ending == ".gz":
        return gzip.compress(data, mtime=0)
    if ending == ".bz2":
        return bz2.compress(data)
    if ending in (".zst", ".lz4"):
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, {".zst": "zstd", ".lz4": "lz4"}[ending]) as stream:
            stream.write(data)
        return bytes(sink.getvalue())
    return data
