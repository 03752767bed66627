"""Text whose fields are separated by runs of blanks, as R's write.table and many old data sets have it.

Each run is made one blank as the text is read, so that the parser finds one character between two fields.
"""

from __future__ import annotations

import re

from novacula.table.records import RecordSyntax

BLANK = " "

_QUOTED_OR_RUN = re.compile(rb'"(?:[^"]|"")*"|[ \t]+')
_RUN = re.compile(rb"[ \t]+")
_EDGE = re.compile(rb"(?m:^) | (?=[\r\n]|\Z)")
_ENDS = (b"", b"\r", b"\n")


def squeezed(data: bytes) -> bytes:
    r"""Whole records with one blank between two fields, and none around them.

    >>> squeezed(b'  18.0   8\t"a  car" \n')
    b'18.0 8 "a  car"\n'
    """
    return _EDGE.sub(b"", _RUN.sub(b" ", data)) if b'"' not in data else _QUOTED_OR_RUN.sub(_one_blank, data)


def _one_blank(found: re.Match[bytes]) -> bytes:
    """What stands in the place of a quoted field, which stays, or of a run of blanks."""
    if found[0].startswith(b'"'):
        return found[0]
    around = found.string[max(found.start() - 1, 0) : found.start()], found.string[found.end() : found.end() + 1]
    return b"" if any(character in _ENDS for character in around) else b" "


class BlankSqueezer:
    """The same piece by piece: what does not end a record yet waits for the next piece."""

    def __init__(self, syntax: RecordSyntax) -> None:
        self._syntax, self._rest = syntax, b""

    def __call__(self, piece: bytes, is_last: bool) -> bytes:
        """Whole records of all that has come so far."""
        data = self._rest + piece
        end = len(data) if is_last else self._syntax.last_end(data)
        self._rest = data[end:]
        return squeezed(data[:end])
