"""Plain delimited text: a compiled loop reads it several times as fast as Arrow's parser.

Plain is what nearly all tables of numbers are: no quotes, numbers in digits, words in ASCII, every record whole. Such
text means the same to both parsers. At anything else this one gives up, and the text is left to the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.table.arrow import number_markers
from novacula.table.chunk import Floats
from novacula.table.dialect import Dialect

_DELIMITERS = (",", "\t", ";", "|")  # no part of a number
_POWERS = 200  # of ten, up and down
_COUNTED = 1 << 19  # bytes whose lines are counted together, in a cache
_NEWLINE = ord("\n")


class NotPlain(Exception):  # noqa: N818  (a signal, and no error)
    """Text that the compiled loop does not know."""


def may_be_plain(markers: Sequence[str], dialect: Dialect, encoding: str) -> bool:
    """Whether text of this form can be; numbers that stand for nothing are not known here."""
    return dialect.delimiter in _DELIMITERS and encoding == "utf-8" and not number_markers(tuple(markers))


def parse_plain(
    stream: Any,
    columns: Sequence[str],
    types: Mapping[str, Any],
    *,
    markers: Sequence[str],
    dialect: Dialect,
    block: int,
) -> Iterator[Any]:
    """Parse records into batches of the columns that have a type: float64, or else words."""
    from novacula.table._kernels import plain_records

    numeric = [name for name, kind in types.items() if kind == pa.float64()]
    wordy = [name for name in types if name not in set(numeric)]
    place = {name: j for j, name in enumerate(numeric)} | {name: -1 - j for j, name in enumerate(wordy)}
    places = np.array([place.get(name, len(numeric)) for name in columns])
    spelled = [marker.encode() for marker in markers]
    marks, ends = np.frombuffer(b"".join(spelled), np.uint8), np.cumsum(list(map(len, spelled)), dtype=np.int64)
    for data, end in _blocks(stream, block):
        if b"\0" in data or (dialect.quote is not None and dialect.quote.encode() in data):
            raise NotPlain
        text = np.frombuffer(data, np.uint8, end)
        lines, gaps = _count_lines(text), np.zeros(len(numeric), np.bool_)
        numbers, words = np.empty((len(numeric), lines)), np.empty((len(wordy), lines, 16), np.uint8)
        rows = plain_records(text, ord(str(dialect.delimiter)), places, marks, ends, _powers(), numbers, gaps, words)
        if rows < 0:
            raise NotPlain
        parsed = {
            name: pa.array(values[:rows], from_pandas=bool(gap))  # Arrow takes longer to look for gaps
            for name, values, gap in zip(numeric, numbers, gaps, strict=True)
        }
        for name, views in zip(wordy, words, strict=True):
            parsed[name] = _strings(data, views, rows).cast(types[name])
        yield pa.record_batch({name: parsed[name] for name in types})


def _blocks(stream: Any, size: int) -> Iterator[tuple[bytes, int]]:
    """Bytes, and the length of the whole lines in them, each shorter than `size`; the last one gets its end."""
    rest = b""
    while data := stream.read(size):
        data = rest + data
        end = data.rfind(b"\n") + 1
        if end:
            yield data, end
        elif len(data) >= size:
            raise NotPlain
        rest = data[end:]
    if rest:
        yield rest + b"\n", len(rest) + 1


def _count_lines(text: Any) -> int:
    """Count newlines among bytes without the interpreter's lock, which `bytes.count` would hold."""
    pieces = (text[start : start + _COUNTED] for start in range(0, len(text), _COUNTED))
    return sum(int(np.count_nonzero(piece == _NEWLINE)) for piece in pieces)


def _strings(data: bytes, views: Any, rows: int) -> Any:
    buffers = [None, pa.py_buffer(views), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string_view(), rows, buffers).cast(pa.string())


@lru_cache(1)
def _powers() -> Floats:
    """Powers of ten (2·200 + 1, 2), each as the nearest float and the rest."""
    powers = [Fraction(10) ** e for e in range(-_POWERS, _POWERS + 1)]
    return np.array([(float(power), float(power - Fraction(float(power)))) for power in powers])
