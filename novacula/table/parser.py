"""Arrow's CSV parser held to our rules: one thread, text unless said otherwise, and errors that can be acted upon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from novacula.table.arrow import READ_ERRORS, matrix_of
from novacula.table.dialect import Dialect

_RAGGED = re.compile(r"CSV parse error: Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


class NotANumber(Exception):  # noqa: N818  (a signal, and no error)
    """A column that was to be numbers holds something else."""


class RecordTooLong(Exception):  # noqa: N818  (a signal, and no error)
    """A record does not fit into a block."""


class RaggedRow(Exception):  # noqa: N818  (a signal, and no error)
    """A record has more or fewer values than there are columns."""

    def __init__(self, number: str, expected: str, found: str, text: str) -> None:
        super().__init__()
        self.number = int(number)  # from 1, blank lines not counted
        self.description = f"{found} values where there are {expected} columns: {text[:60]!r}"


class ZeroByte(Exception):  # noqa: N818  (a signal, and no error)
    """A value holds a byte that is no character of text."""

    def __init__(self, column: str, row: int) -> None:
        super().__init__()
        self.column, self.row = column, row  # from 0


def parse(
    stream: Any,
    columns: Sequence[str],
    types: Mapping[str, Any],
    *,
    wanted: Sequence[str],
    markers: Sequence[str],
    dialect: Dialect,
    block: int,
) -> Iterator[Any]:
    """Parse records into batches of the wanted columns; a column without a type gets the one that Arrow sees in it."""
    read = pacsv.ReadOptions(use_threads=False, block_size=block, column_names=list(columns))
    parsing = pacsv.ParseOptions(
        delimiter=dialect.delimiter,
        quote_char=dialect.quote or False,
        newlines_in_values=dialect.quote is not None,
    )
    convert = pacsv.ConvertOptions(
        column_types=types,
        include_columns=list(wanted),
        strings_can_be_null=False,
        null_values=[space + marker for marker in markers for space in ("", " ")],
    )
    rows = 0
    try:
        for batch in pacsv.open_csv(stream, read, parsing, convert):
            _refuse_zero_bytes(batch, rows)
            rows += batch.num_rows
            _refuse_nan([batch.column(name) for name in wanted if types.get(name) == pa.float64()])
            yield batch
    except READ_ERRORS as error:
        text = str(error)
        if ragged := _RAGGED.match(text):  # Arrow's handler of such rows fails where they are not in their encoding
            raise RaggedRow(*ragged.groups()) from error
        if "conversion error to double" in text:
            raise NotANumber from error
        if "straddling" in text:
            raise RecordTooLong from error
        if "Empty CSV file" not in text:
            raise


def _refuse_zero_bytes(batch: Any, before: int) -> None:
    """Text holds none; those among numbers are no numbers."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        words = column.dictionary if pa.types.is_dictionary(column.type) else column
        data = words.buffers()[-1] if pa.types.is_string(words.type) else None
        if data is not None and not np.frombuffer(data, np.uint8).all():
            held = np.asarray(pc.fill_null(pc.match_substring(column.cast(pa.string()), "\0"), False))
            if held.any():
                raise ZeroByte(name, before + int(np.argmax(held)))


def _refuse_nan(numbers: Sequence[Any]) -> None:
    """Arrow takes "nan" for a number, but it is a word: what stands for a missing value is for the schema to say."""
    matrix = matrix_of(numbers, by_row=False)
    if matrix is not None and np.isnan(matrix).sum() != sum(column.null_count for column in numbers):
        raise NotANumber
