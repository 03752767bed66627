"""What the first records of a table say: whether the first one names the columns, and whether a column names the rows.

A first record is taken for data only if it looks like the others in at least half of its columns, and like a name in
none. A name stands above numbers or dates without being one; a value occurs again below, or is a number above numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import pyarrow as pa

from novacula.table.schema import DEFAULT_MISSING
from novacula.table.spelling import spelled_numbers

ROW_NAME = "row name"
"""What the column of row names is called, which has no name of its own."""
_NAMELESS = ("", "Unnamed: 0")  # as pandas and R write them, and as pandas reads them
_YEARS = (1000, 9999)
_COLUMNS = 100  # that are looked at

Likeness = Literal["name", "value", "either"]


def names_columns(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether the first of several records holds the names of the columns.

    >>> names_columns(["age", "job"], [["39", "clerk"], ["50", "farmer"]])
    True
    >>> names_columns(["39", "clerk"], [["50", "farmer"], ["38", "clerk"]])
    False
    """
    first = [cell.strip() for cell in first]
    others = [record for record in others if len(record) == len(first)]
    cells, likeness = first[:_COLUMNS], _likenesses(first, others)
    is_data = any(like == "value" and _number(cell) is None for like, cell in zip(likeness, cells, strict=True))
    if not is_data and _may_be_numbered(first):
        return True
    return "name" in likeness or 2 * likeness.count("value") < len(cells)


def is_title(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether the first record is one word or line above the names, which stand above numbers or dates.

    >>> is_title(["Sales"], [["a", "b"], ["1", "x"]]), is_title(["age"], [["Ann", "31"], ["Bob", "40"]])
    (True, False)
    """
    below = [record for record in others[1:] if len(record) == len(others[0])]
    return len(first) == 1 < len(others[0]) and "name" in _likenesses(others[0], below) if below else False


def _likenesses(first: Sequence[str], others: Sequence[Sequence[str]]) -> list[Likeness]:
    """What the first cells of the columns look like beside those below them."""
    cells = enumerate(first[:_COLUMNS])
    return [_likeness(cell.strip(), [record[j].strip() for record in others]) for j, cell in cells]


def _may_be_numbered(first: Sequence[str]) -> bool:
    """Whether the numbers among the cells could count columns or years: whole ones, each larger than the one before."""
    numbers = [value for value in map(_number, first) if value is not None]
    if not numbers:
        return False
    if not all(value.is_integer() and value >= 0 for value in numbers):
        return False
    if len(numbers) == 1 and len(first) > 1:
        return numbers[0] < 2 or _is_year(numbers[0])
    steps = [high - low for low, high in pairwise(numbers)]
    return all(step == 1 for step in steps) or (min(steps) > 0 and all(map(_is_year, numbers)))


def _is_year(value: float) -> bool:
    return _YEARS[0] <= value <= _YEARS[1]


def _likeness(cell: str, below: Sequence[str]) -> Likeness:
    """What the first cell of a column looks like beside those below it."""
    known = [other for other in below if other not in DEFAULT_MISSING]
    if cell in DEFAULT_MISSING:
        return "either"
    number = _number(cell)
    if not known:
        return "either" if number is None else "value"
    if all(_number(other) is not None for other in known):
        return "name" if number is None else "value"
    fitting = _spellings([*known, cell])
    if fitting:
        return "value"
    if _spellings(known):
        return "name"
    return "value" if cell in known else "either"


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in cell else None


def _spellings(cells: Sequence[str]) -> set[str]:
    """The spellings of numbers or dates that all cells have."""
    spelled = spelled_numbers(pa.array(cells, pa.string()))
    return {spelling for spelling, numbers in spelled.items() if not any(map(math.isnan, numbers))}


def blank_columns(fields: Sequence[str], others: Sequence[Sequence[str]]) -> range:
    """The places of the last columns that have neither a name nor a value, as a delimiter at the ends of lines makes.

    >>> blank_columns(["a", "y"], [["1", "u", ""], ["2", "v", ""]])
    range(2, 3)
    """
    widths = {len(record) for record in others}
    width = max(widths, default=0)
    start = width
    while len(widths) == 1 and start > 1 and not any(record[start - 1].strip() for record in others):
        if start <= len(fields) and fields[start - 1]:
            break
        start -= 1
    return range(start, width)


def row_name_column(fields: Sequence[str], others: Sequence[Sequence[str]]) -> tuple[list[str], bool]:
    """The names of all columns, and whether the first one holds names of rows.

    >>> row_name_column(["", "x"], [["1", "2.5"]])
    (['row name', 'x'], True)
    >>> row_name_column(["x"], [["Mazda RX4", "21"]])
    (['row name', 'x'], True)
    """
    widths = {len(record) for record in others}
    if widths == {len(fields) + 1}:
        return [_unused(fields), *fields], True
    if len(fields) > 1 and fields[0] in _NAMELESS:
        return [_unused(fields), *fields[1:]], True
    return list(fields), False


def _unused(names: Sequence[str]) -> str:
    name = ROW_NAME
    while name in names:
        name += "_"
    return name
