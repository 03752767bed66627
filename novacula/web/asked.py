"""The body of a request as rows: JSON objects, each checked value by value, or a table as text.

What is in a table as text is read as `novacula predict` reads a file. A value of JSON is held to the column that it is
for: a category may be a word, a number or a truth value, and a date a text or the seconds since 1970; a number in
quotation marks is not a number.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from novacula.advice import for_request
from novacula.errors import DataError
from novacula.table import Chunk, Column, Schema, read
from novacula.table.arrow import trimmed, word_of
from novacula.table.dates import seconds_of
from novacula.table.frames import FrameSource
from novacula.web.refusal import BAD_REQUEST, TOO_LARGE, UNFIT, RefusedRequest
from novacula.words import counted, quoted

NAME = "the request"
"""What messages call the rows of a request."""
Reading = Callable[[Any], Any]
"""Gives a value of JSON as its column takes it; ValueError with the end of a sentence, where it is not one."""


class JsonRows:
    """How objects of JSON become rows of a model's columns."""

    def __init__(self, schema: Schema, most_rows: int) -> None:
        self.schema = schema
        self.most_rows = most_rows
        self._readings = [(column.name, _reading(column)) for column in schema.features]

    def read(self, body: bytes) -> list[list[Any]]:
        """The rows of a body: one object, or a list of objects; columns that the model does not know are left out."""
        rows = _parsed(body)
        if isinstance(rows, dict):
            rows = [rows]
        if not isinstance(rows, list):
            raise RefusedRequest(UNFIT, f'a row is an object, such as {{"column": 1.5}}, and this is {_shown(rows)}')
        if not rows:
            raise RefusedRequest(UNFIT, "there are no rows in the list: send at least one")
        require_few(len(rows), self.most_rows)
        return [self._row(row, number) for number, row in enumerate(rows, 1)]

    def _row(self, row: Any, number: int) -> list[Any]:
        if not isinstance(row, dict):
            raise RefusedRequest(UNFIT, f"row {number} is {_shown(row)}; a row is an object of columns and values")
        values = []
        for name, reading in self._readings:
            if name not in row:
                raise RefusedRequest(
                    UNFIT,
                    f"row {number} has no column {name!r}, which the model needs; null stands for a missing value",
                )
            try:
                values.append(reading(row[name]))
            except ValueError as error:
                raise RefusedRequest(UNFIT, f"row {number} has {error} in column {name!r}") from None
        return values

    def laid_out(self, rows: Sequence[list[Any]]) -> Chunk:
        """Rows that were read, as the model takes them."""
        columns = zip(self.schema.features, zip(*rows, strict=True), strict=True)
        arrays = {column.name: _array(column, values) for column, values in columns}
        return FrameSource(pa.table(arrays), name=NAME).chunk(0, len(rows), self.schema, "ignore")


def laid_out_text(body: bytes, ending: str, encoding: str | None, schema: Schema, most_rows: int) -> Chunk:
    """The rows of delimited text, as the model takes them: read as a file is, since it is one for the moment."""
    with TemporaryDirectory(prefix="novacula-") as folder:
        path = Path(folder, f"rows{ending}")
        path.write_bytes(body)
        how: dict[str, Any] = {} if encoding is None else {"encoding": encoding}
        try:
            with for_request():
                table = read(str(path), header=True, only=schema, progress=False, **how)
                chunk = table.conform(schema, "ignore").to_chunk()
        except (ValueError, TypeError) as error:
            raise RefusedRequest(UNFIT, str(error).replace(str(path), NAME)) from error
    if not len(chunk):
        raise RefusedRequest(UNFIT, "there are no rows under the header: send at least one")
    require_few(len(chunk), most_rows)
    return chunk


def require_few(rows: int, most: int) -> None:
    """Refuse more rows than a request may have."""
    if rows > most:
        raise RefusedRequest(TOO_LARGE, f"there are {rows:,} rows, and a request may have {most:,}: send several")


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        why = f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
    except UnicodeError:
        why = "it is not text in UTF-8"
    except RecursionError:
        why = "it is nested too deeply, where a row is an object of plain values"
    except ValueError as error:
        why = str(error)
    raise RefusedRequest(BAD_REQUEST, f"this cannot be read as JSON: {why}")


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number of JSON; null stands for a missing value")


# --- value by value -----------------------------------------------------------------------------------------


def _reading(column: Column) -> Reading:
    if column.kind == "numeric":
        return _moment if column.is_time else _number
    return _category if column.kind == "categorical" else _text


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float):
        raise ValueError(f"{_shown(value)}, which is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("a number beyond the range of 64 bits")
    return number


def _moment(value: Any) -> float | str | None:
    return _text(value) if isinstance(value, str) else _number(value)


def _category(value: Any) -> str | None:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, (bool, int, float)):
        return word_of(value)
    raise ValueError(f"{_shown(value)}, which is not a category")


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"{_shown(value)}, which is not text")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("half of a character that UTF-16 writes as two") from None
    return value


def _array(column: Column, values: Sequence[Any]) -> Any:
    """Values of a column that were read, as Arrow holds them."""
    if column.kind != "numeric":
        return pa.array(values, pa.string())
    if not column.is_time:
        return pa.array(values, pa.float64())
    seconds = np.array([np.nan if value is None or isinstance(value, str) else value for value in values])
    places = [place for place, value in enumerate(values) if isinstance(value, str)]
    if places:
        words = pa.array([values[place] for place in places], pa.string())
        seconds[places] = seconds_of(trimmed(words), "year-month-day")
        wrong = [place for place in places if np.isnan(seconds[place])]
        if wrong:
            value = quoted(values[wrong[0]])
            what = f"row {wrong[0] + 1} of {NAME} holds {value} in column {column.name!r}, which is not a date"
            raise DataError(f"{what}: write it as 2024-01-31 or 2024-01-31T12:30:00Z")
    return pa.array(seconds, from_pandas=True)


def _shown(value: Any) -> str:
    """A value of JSON for a message; of what holds others its kind."""
    if isinstance(value, list):
        return f"a list of {counted(len(value), 'value')}"
    if isinstance(value, dict):
        return "an object"
    return json.dumps(value) if value is None or isinstance(value, bool) else quoted(value)
