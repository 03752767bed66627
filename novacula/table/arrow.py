"""Arrow arrays as NumPy arrays: what is a number, what is a marker, and which category a value is.

Text becomes a number or a code by the same rules wherever it comes from. Columns of words are encoded as a
dictionary first, so that most work is done once per distinct word, not once per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novacula.table.chunk import MISSING, UNSEEN, Codes, Floats
from novacula.table.schema import Category
from novacula.table.source import is_textual
from novacula.table.spelling import Spelling, read_spelled

READ_ERRORS = (pa.ArrowException, OSError, UnicodeError, EOFError, MemoryError, OverflowError)
"""What is raised when a file cannot be read, unpacked, decoded or parsed, or claims to be larger than memory."""

_NUMBER = r"^[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|(?i:inf|infinity))$"
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_TALL = 1 << 13  # rows that are worth a kernel, which needs the address of each column
_LOOKUP = 1 << 16  # categories of whole numbers in a range of this length are found in a table


def trimmed(words: Any) -> Any:
    """Strings without the white space around them."""
    return pc.utf8_trim_whitespace(words.cast(pa.string()))


def is_marker(words: Any, markers: Sequence[str]) -> Any:
    """Flags of the strings that stand for a missing value, or are null."""
    return pc.or_(pc.is_in(words, value_set=pa.array(markers, pa.string())), pc.is_null(words))


@lru_cache
def number_markers(markers: tuple[str, ...]) -> tuple[float, ...]:
    """The markers that are numbers, such as -999: they mark columns that are stored as numbers too."""
    floats, _ = read_numbers(pa.array(markers, pa.string()), ())
    return tuple(floats[~np.isnan(floats)].tolist())


# --- numbers ----------------------------------------------------------------------------------------------


def numbers_of(values: Any, markers: tuple[str, ...], spelling: Spelling | None = None) -> tuple[Floats, Any]:
    """An array of any type as float64, NaN where missing, and flags of what is not a number (None: everything is)."""
    words = None
    if isinstance(values, np.ndarray):
        floats = np.asarray(values, np.float64)
    elif pa.types.is_dictionary(values.type):
        floats, words = numbers_of(values.dictionary, markers, spelling)
        entry = entries_of(values)
        return np.append(floats, np.nan)[entry], None if words is None else np.append(words, False)[entry]
    elif is_textual(values.type):
        floats, words = read_numbers(values, markers, spelling)
    else:
        floats = as_floats(values)
    for marker in number_markers(markers):
        floats = np.where(floats == marker, np.nan, floats)
    return floats, words


def read_numbers(words: Any, markers: Sequence[str], spelling: Spelling | None = None) -> tuple[Floats, Any]:
    """Strings as float64, NaN where a marker stands, and flags of those that are neither (None: nothing)."""
    words = trimmed(words)
    values = pc.if_else(is_marker(words, markers), pa.scalar(None, pa.string()), words)
    floats = _plain_numbers(values) if spelling is None else read_spelled(values, spelling)
    wrong = np.isnan(floats) & np.asarray(values.is_valid())  # "nan" too is a word, unless it is a marker
    return floats, wrong if wrong.any() else None


def _plain_numbers(words: Any) -> Floats:
    try:
        numbers = words.cast(pa.float64())
    except pa.ArrowInvalid:
        fits = pc.match_substring_regex(words, _NUMBER)
        numbers = pc.if_else(fits, words, pa.scalar(None, pa.string())).cast(pa.float64())
    return np.asarray(numbers.to_numpy(zero_copy_only=False))


def as_floats(values: Any) -> Floats:
    """Numbers, truth values and times as float64, null as NaN (times in seconds, dates since 1970)."""
    kind = values.type
    if pa.types.is_temporal(kind):
        counted = values.view(pa.int64() if kind.bit_width == 64 else pa.int32())
        per_second = 1 / 86400 if kind == pa.date32() else _PER_SECOND[getattr(kind, "unit", "ms")]
        return as_floats(counted) / per_second
    if pa.types.is_boolean(kind):
        values = values.cast(pa.uint8())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def matrix_of(columns: Sequence[Any], by_row: bool = True) -> Floats | None:
    """Arrow columns of plain numbers as one array, C-ordered or else Fortran-ordered; None if there are others."""
    kinds = {column.type for column in columns}
    if not kinds or not all(_is_plain_number(kind) for kind in kinds):
        return None
    batch = pa.RecordBatch.from_arrays(list(columns), names=[""] * len(columns))  # refuses columns of other lengths
    if by_row and batch.num_rows >= _TALL and kinds == {pa.float64()} and not any(c.null_count for c in columns):
        return _turned(columns)
    return np.asarray(batch.to_tensor(null_to_nan=True, row_major=by_row).to_numpy(), np.float64)


def _turned(columns: Sequence[Any]) -> Floats:
    """Columns of doubles without nulls by row: Arrow takes three times as long to write rows."""
    from novacula.table._kernels import turn_numbers

    matrix = np.empty((len(columns[0]), len(columns)))
    addresses = [column.buffers()[1].address + 8 * column.offset for column in columns]
    turn_numbers(np.array(addresses, np.int64), matrix)
    return matrix


def _is_plain_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind))


# --- categories -------------------------------------------------------------------------------------------


def codes_of(values: Any, categories: tuple[Category, ...], markers: tuple[str, ...]) -> Codes:
    """The code of each value: its place among the categories, MISSING or UNSEEN."""
    worded = any(isinstance(category, str) for category in categories)
    if not isinstance(values, np.ndarray):
        if is_textual(values.type):
            values = values.dictionary_encode()
        if pa.types.is_dictionary(values.type):
            entries = values.dictionary
            code = _codes_of_words if is_textual(entries.type) else codes_of
            return _codes_at(code(entries, categories, markers), entries_of(values))
        if not worded:
            values = as_floats(values) if values.null_count else values.to_numpy(zero_copy_only=False)
    if worded:
        return _codes_of_words(as_words(values), categories, markers)
    return codes_of_numbers(values, categories, number_markers(markers))


def _codes_at(codes: Codes, places: Any) -> Codes:
    """The codes of the entries at some places of a dictionary, which has its categories in order as a rule."""
    if np.array_equal(codes, np.arange(len(codes))):
        return places.astype(np.int32)  # no entry is -1, which is MISSING
    return np.take(np.append(codes, np.int32(MISSING)), places, mode="wrap")


def entries_of(values: Any) -> Any:
    """The place of each row's value in the dictionary, -1 where it is null."""
    places = values.indices
    if places.null_count or pa.types.is_unsigned_integer(places.type):
        places = places.cast(pa.int64()).fill_null(-1)
    return np.asarray(places)


def _codes_of_words(words: Any, categories: tuple[Category, ...], markers: tuple[str, ...]) -> Codes:
    kinds = set(map(type, categories))
    if not kinds or str in kinds or bool in kinds:
        known = _spelled(tuple(map(str, categories)), markers, kinds == {bool})
        # One by one: a dictionary is short, and a call of Arrow's costs as much as a hundred words.
        found = [MISSING if word is None else known.get(word.strip(), UNSEEN) for word in words.to_pylist()]
        return np.array(found, np.int32)
    numbers, wrong = numbers_of(words, markers)
    codes = codes_of_numbers(numbers, categories)
    if wrong is not None:
        codes[wrong] = UNSEEN
    return codes


@lru_cache(256)
def _spelled(categories: tuple[str, ...], markers: tuple[str, ...], truth: bool) -> dict[str, int]:
    """The code of each word that may be in a column; truth values may be written in three ways."""
    known = {name: code for code, name in enumerate(categories)}
    if truth:
        known |= {word: code for name, code in known.items() for word in (name.lower(), name.upper())}
    return known | dict.fromkeys(markers, MISSING)


def as_words(values: Any) -> Any:
    """Values of any plain type as the strings that name them, NaN as null."""
    return pa.array([word_of(value) if value == value else None for value in values.tolist()], pa.string())


def word_of(value: Any) -> str | None:
    """The string that names a value; a whole number has no point."""
    whole = isinstance(value, float) and value.is_integer()
    return None if value is None else str(int(value)) if whole else str(value)


def codes_of_numbers(values: Any, categories: Sequence[Any], marked: Sequence[float] = ()) -> Codes:
    """The code of each number: its place among the categories, MISSING for NaN and markers, else UNSEEN."""
    known = np.asarray(categories) if len(categories) else np.empty(0)
    whole = len(known) > 0 and known.dtype.kind in "iub" and np.can_cast(values.dtype, np.int64)
    if whole and int(known.max()) - int(known.min()) < _LOOKUP:
        codes = _look_up(values, known.astype(np.int64))
    else:
        codes = _search(values, known)
    for marker in marked:
        codes[values == marker] = MISSING
    return codes


def _look_up(values: Any, categories: Any) -> Codes:
    low = int(categories.min())
    of_value = np.full(int(categories.max()) - low + 2, UNSEEN, np.int32)  # the last is a slot for what lies outside
    of_value[categories - low] = np.arange(len(categories), dtype=np.int32)
    place = (values.astype(np.int64) - low).view(np.uint64)  # what lies below the range lies far above it then
    return np.take(of_value, np.minimum(place, np.uint64(len(of_value) - 1)).view(np.int64))


def _search(values: Any, categories: Any) -> Codes:
    codes = np.full(len(values), UNSEEN, np.int32)
    if len(categories):
        order = np.argsort(categories, kind="stable")
        at = order[np.minimum(np.searchsorted(categories, values, sorter=order), len(categories) - 1)]
        codes = np.where(categories[at] == values, at, UNSEEN).astype(np.int32)
    if values.dtype.kind == "f":
        codes[np.isnan(values)] = MISSING
    return codes
