"""Columns of Python values, as JSON, workbooks and databases give them: which Arrow type holds them all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from enum import Flag, auto
from typing import Any

import pyarrow as pa

from novacula.errors import DataError

_WHOLE = 1 << 63  # beyond it a whole number is no int64
_EXACT = 1 << 53  # up to which a double holds every whole number


JSON = "json"
"""What the entry is called of a column whose values are no single ones: their text."""


class StoredType(Flag):
    """What kinds of values a column holds, besides those that are missing."""

    EMPTY = 0
    TRUTH = auto()
    WHOLE = auto()
    NUMBER = auto()
    TIME = auto()
    TEXT = auto()
    LIST = auto()

    @classmethod
    def of(cls, value: Any) -> StoredType:
        """The kind of one value.

        >>> StoredType.of(3), StoredType.of("3"), StoredType.of(None)
        (<StoredType.WHOLE: 2>, <StoredType.TEXT: 16>, <StoredType.EMPTY: 0>)
        """
        if value is None:
            return cls.EMPTY
        if isinstance(value, str):
            return cls.TEXT
        if isinstance(value, bool):
            return cls.TRUTH
        if isinstance(value, int):
            return cls.WHOLE if -_WHOLE <= value < _WHOLE else cls.NUMBER
        if isinstance(value, (float, timedelta)):
            return cls.NUMBER
        if isinstance(value, (datetime, date)):
            return cls.TIME
        return cls.TEXT if isinstance(value, time) else cls.LIST


def arrow_type(kind: StoredType) -> Any:
    """The Arrow type that holds all values of a column."""
    if StoredType.LIST in kind:
        return pa.list_(pa.field(JSON, pa.string()))
    if kind == StoredType.EMPTY:
        return pa.null()
    if kind == StoredType.TRUTH:
        return pa.bool_()
    if kind == StoredType.WHOLE:
        return pa.int64()
    if kind == StoredType.TIME:
        return pa.timestamp("us")
    return pa.float64() if kind in StoredType.NUMBER | StoredType.WHOLE else pa.string()


def arrow_column(values: Sequence[Any], kind: StoredType) -> Any:
    """Values as an Arrow column; where they are of several kinds, all are as they would be written.

    >>> arrow_column([1, None, "b", 2.0], StoredType.WHOLE | StoredType.TEXT | StoredType.NUMBER).to_pylist()
    ['1', None, 'b', '2']
    """
    stored = arrow_type(kind)
    if StoredType.LIST in kind:
        return pa.array([None if value is None else [_as_json(value)] for value in values], stored)
    if pa.types.is_string(stored):
        texts = [None if value is None else spelled(value) for value in values]
        try:
            return pa.array(texts, stored)
        except UnicodeEncodeError:  # half of a character of two, which JSON can write
            return pa.array([None if text is None else _whole_characters(text) for text in texts], stored)
    if pa.types.is_floating(stored):
        return pa.array([None if value is None else _number(value) for value in values], stored, from_pandas=True)
    if pa.types.is_timestamp(stored):
        return pa.array([None if value is None else _moment(value) for value in values], stored)
    return pa.array(values, stored)


def spelled(value: Any) -> str:
    """A value as text."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value if isinstance(value, str) else str(value)


def _as_json(value: Any) -> str:
    return _whole_characters(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def _whole_characters(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def require_columns(names: Iterable[str], where: str) -> None:
    """Refuse objects without values, and names of columns that are no text, though JSON can write them."""
    every = list(names)
    if not every:
        raise DataError(f"{where} has no columns: its objects are empty")
    for name in every:
        if not name or _whole_characters(name) != name:
            raise DataError(f"{where} has a column called {name!a}: rename it")


def _number(value: Any) -> float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _moment(value: Any) -> datetime:
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    if value.tzinfo is None:
        return value
    offset = value.utcoffset()
    return (value - (offset or timedelta(0))).replace(tzinfo=None)
