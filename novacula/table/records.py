"""Where the records of delimited text end: the end of a line ends one unless it is inside quotes.

A line ends in a line feed, a carriage return or both, and not all lines of a text need to end alike. Text is cut after
line feeds, where there are any: a place that ends a record whatever ends the others.

A quotation mark opens a quoted field only where a field begins; anywhere else in a plain field it is a
character like any other (`12" pipe`). Inside quotes a doubled mark is one mark. All functions take bytes that
begin at a record, so a place where text may be cut depends on the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

_LINE_ENDS = b"\r\n"
_LINE_END = re.compile(rb"\r\n|\r|\n")


def line_ends(data: bytes, start: int = 0) -> Iterator[int]:
    """Where lines end, and the next ones begin."""
    return (match.end() for match in _LINE_END.finditer(data, start))


def count_lines(data: bytes) -> int:
    """How many lines end in some bytes."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


@dataclass(frozen=True, slots=True)
class RecordSyntax:
    """The single bytes that delimit fields and quote them; no quote: the end of every line ends a record."""

    delimiter: bytes = b","
    quote: bytes | None = None

    def last_end(self, data: bytes) -> int:
        """Where the last whole record ends, 0 if none does."""
        end = data.rfind(b"\n")
        marks = self._field_marks(data)
        while end >= 0 and (before := int(np.searchsorted(marks, end))) % 2:
            end = data.rfind(b"\n", 0, int(marks[before - 1]))
        return end + 1

    def first_end(self, data: bytes) -> int:
        """Where the first record ends, 0 if it is not whole."""
        marks = self._field_marks(data)
        end = next(line_ends(data), 0)
        while end and (before := int(np.searchsorted(marks, end))) % 2:
            end = next(line_ends(data, int(marks[before])), 0) if before < len(marks) else 0
        return end

    def open_quote(self, data: bytes) -> int | None:
        """Where a quote stands that is not closed, if there is one."""
        marks = self._field_marks(data)
        return int(self._walk(data, marks.tolist())[-1]) if len(marks) % 2 else None

    def _field_marks(self, data: bytes) -> Any:
        """Places of the marks that open and close quoted fields, in turn.

        In well-formed text these are all marks, for a doubled one closes and opens at once; whether text is
        well-formed is known without walking through it.
        """
        if self.quote is None or self.quote not in data:
            return np.empty(0, np.int64)
        text = np.frombuffer(data, np.uint8)
        marks = np.flatnonzero(text == self.quote[0])
        edges = np.frombuffer(self.delimiter + self.quote + _LINE_ENDS, np.uint8)
        opening, closing = marks[::2], marks[1::2]
        opens = np.isin(text[opening - 1], edges) | (opening == 0)
        closes = np.isin(text[np.minimum(closing + 1, len(text) - 1)], edges) | (closing == len(text) - 1)
        return marks if opens.all() and closes.all() else self._walk(data, marks.tolist())

    def _walk(self, data: bytes, marks: list[int]) -> Any:
        """The same for text with marks that stand for themselves: one mark after the other."""
        starts = self.delimiter + _LINE_ENDS
        quotes: list[int] = []
        doubled = -1
        for mark in marks:
            if len(quotes) % 2 == 0:
                if mark == 0 or data[mark - 1] in starts:
                    quotes.append(mark)
            elif mark == doubled:
                continue
            elif data[mark + 1 : mark + 2] == self.quote:
                doubled = mark + 1
            else:
                quotes.append(mark)
        return np.array(quotes, np.int64)
