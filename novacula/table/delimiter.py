"""Which character stands between the fields of a text: the one that the first lines have equally often.

Where several do, a comma that only stands within numbers, or before a blank, is not the one. Where none does, it may be
runs of blanks: then some fields are numbers in all lines.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from novacula.table.blanks import BLANK, squeezed

_DELIMITERS = (",", "\t", ";", "|")
_COMMA_BETWEEN_FIELDS = re.compile(r"(?<!\d),(?! )|,(?![\d ])")
_NAMED = re.compile(r'^"?sep=(?P<delimiter>[^\r\n"])"?\s*$', re.IGNORECASE)


class _Fields(NamedTuple):
    """The fields of the first lines, cut at one delimiter."""

    delimiter: str
    records: list[list[str]]

    @property
    def width(self) -> int:
        return len(self.records[-1])

    @property
    def numbers(self) -> int:
        """Columns that hold numbers in all lines but the first."""
        return sum(all(map(_is_number, column)) for column in zip(*self.records[1:], strict=True))


def named_delimiter(line: str) -> str | None:
    """The delimiter that Excel's first line names.

    >>> named_delimiter("sep=;"), named_delimiter("separator;sep=x")
    (';', None)
    """
    found = _NAMED.match(line)
    return None if found is None else found["delimiter"]


def found_delimiter(lines: Sequence[str], options: Mapping[str, Any]) -> str:
    """What stands between the fields of the first lines of a text, which Python's reader reads with these options."""
    if not lines:
        return _DELIMITERS[0]
    for lacking in (0, 1):
        fitting = [fields for d in _DELIMITERS if (fields := _cut(lines, d, lacking, options)) is not None]
        if fitting:
            return _chosen(fitting, lines, options)
    if any(delimiter in lines[0] for delimiter in _DELIMITERS):
        return max(_DELIMITERS, key=lines[0].count)
    return _DELIMITERS[0] if _cut_at_blanks(lines, options) is None else BLANK


def _cut(lines: Sequence[str], delimiter: str, lacking: int, options: Mapping[str, Any]) -> _Fields | None:
    """The fields of lines in which a delimiter stands equally often; of their names some may be lacking."""
    records = list(csv.reader(lines, **{**options, "delimiter": delimiter}))
    records = records[:-1] or records  # the last one may be cut off
    widths = list(map(len, records))
    if widths[-1] < 2 or not set(widths[1:]) <= {widths[-1]} or widths[0] != widths[-1] - lacking:
        return None
    return _Fields(delimiter, records)


def _chosen(fitting: Sequence[_Fields], lines: Sequence[str], options: Mapping[str, Any]) -> str:
    """One of several delimiters, each of which would do."""
    first = fitting[0]
    if first.delimiter == "," and len(fitting) > 1 and not any(map(_COMMA_BETWEEN_FIELDS.search, lines)):
        return fitting[1].delimiter
    if first.delimiter == "\t" and (blank := _cut_at_blanks(lines, options)) is not None:
        return BLANK if blank.width >= 2 * first.width and 2 * blank.numbers >= blank.width else first.delimiter
    return first.delimiter


def _cut_at_blanks(lines: Sequence[str], options: Mapping[str, Any]) -> _Fields | None:
    """The fields between runs of blanks, if there are equally many in all lines, and some are numbers."""
    single = [squeezed(line.encode()).decode() for line in lines]
    for lacking in (0, 1):
        fields = _cut(single, BLANK, lacking, options)
        if fields is not None and fields.width > 1 + lacking and len(fields.records) > 1 and fields.numbers:
            return fields
    return None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
