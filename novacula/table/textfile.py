"""Text files: unpacked, decoded, and cut into ranges of bytes after whole records.

Files that are neither compressed nor in an encoding like UTF-16, where a newline is more than a byte, are
read range by range; the others are read from beginning to end, as UTF-8.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from novacula.errors import DataError, ParameterError
from novacula.table.arrow import READ_ERRORS
from novacula.table.files import COMPRESSED, DataFile, first_line
from novacula.table.records import RecordSyntax, count_lines

RANGE_BYTES = 16 << 20
"""Bytes of a file that one partition covers."""

_PIECE_BYTES = 1 << 20  # looked through at a time: what stays in the cache
_ASCII = bytes(range(128))


class TextFile:
    """A text file as bytes; offsets are those of the file, or of its text in UTF-8 if it is read whole."""

    def __init__(self, path: str, encoding: str) -> None:
        self.file = DataFile.at(path)
        self.path = path
        self.encoding = _normal(encoding)
        self.divisible = not path.lower().endswith(COMPRESSED) and _extends_ascii(self.encoding)
        self.codec = self.encoding if self.divisible else "utf-8"
        """The encoding of the bytes that `open` gives."""

    def open(self, start: int = 0, stop: int | None = None) -> Any:
        """A stream of bytes from one offset to another; to the end without a stop."""
        path = self.file.require()
        try:
            if not self.divisible:
                stream = self._unpacked(path)
                if self.encoding != self.codec:
                    stream = pa.transcoding_input_stream(stream, self.encoding, self.codec)
                stream.read(start)
                return stream
            if stop is not None:
                return pa.OSFile(path).get_stream(start, stop - start)
            file = open(path, "rb")  # noqa: SIM115  (the caller closes it)
            file.seek(start)
            return file
        except READ_ERRORS as error:
            raise self.unreadable(error) from error

    def _unpacked(self, path: str) -> Any:
        return pa.input_stream(path, compression="detect")

    def read(self, start: int = 0, stop: int | None = None, size: int | None = None) -> bytes:
        """The bytes from one offset to another, or as many as `size`."""
        try:
            with self.open(start, stop) as stream:
                return bytes(stream.read() if size is None else stream.read(size))
        except READ_ERRORS as error:
            raise self.unreadable(error) from error

    def beginning(self, size: int) -> tuple[bytes, bool]:
        """The first bytes, and whether they are all."""
        data = self.read(size=size)
        return data, len(data) < size

    def ranges(self, start: int, syntax: RecordSyntax, least: int = 0) -> Iterator[tuple[int, int | None]]:
        """Offsets of runs of whole records of about RANGE_BYTES, or `least`, from `start` on; one run at least."""
        if not self.divisible:
            yield start, None
            return
        first, size = start, max(RANGE_BYTES, least)
        for edge in range(start + size, self.file.size + 1, size):
            if end := self._last_end(start, edge, syntax):
                yield start, start + end
                start += end
        held = self.read(start, self.file.size)
        if (quote := syntax.open_quote(held)) is not None:
            raise DataError(f"{self.path}, line {self._line(start + quote)}: a quote opens here and is never closed")
        if held or start == first:
            yield start, start + len(held)

    def _last_end(self, start: int, edge: int, syntax: RecordSyntax) -> int:
        """Where the last whole record before an edge ends, from the start; held whole only if there are quotes."""
        end = at = 0
        with self.open(start, edge) as stream:
            while piece := stream.read(_PIECE_BYTES):
                if syntax.quote is not None and syntax.quote in piece:
                    break
                newline = piece.rfind(b"\n")
                end = at + newline + 1 if newline >= 0 else end
                at += len(piece)
            else:
                return end
        return syntax.last_end(self.read(start, edge))

    def _line(self, offset: int) -> int:
        return count_lines(self.read(0, offset)) + 1

    def lines(self) -> Iterator[tuple[int, str]]:
        """Lines that are not blank, without the white space around them, numbered from 1."""
        try:
            with self.open() as stream, io.TextIOWrapper(stream, self.codec) as text:
                for number, line in enumerate(text, start=1):
                    if stripped := line.strip("\ufeff \t\r\n"):
                        yield number, stripped
        except READ_ERRORS as error:
            raise self.unreadable(error) from error

    def unreadable(self, error: BaseException) -> DataError:
        """Say why the file cannot be read: a byte that is not of its encoding, or what the system says."""
        return self.undecodable() or DataError(f"{self.path} cannot be read: {first_line(error)}")

    def undecodable(self) -> DataError | None:
        """Name the first line that is not in the encoding; None if all lines are."""
        decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(self.encoding)(), translate=True)
        line = 1
        try:
            with self._unpacked(self.path) as stream:
                while block := stream.read(1 << 20):
                    line += decoder.decode(block).count("\n")
                decoder.decode(b"", final=True)
        except UnicodeError as wrong:
            return self._wrong_encoding(wrong, line)
        except READ_ERRORS:
            return None
        return None

    def _wrong_encoding(self, error: UnicodeError, line: int) -> DataError:
        data, at = getattr(error, "object", b""), getattr(error, "start", 0)
        wide = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        found = f"the byte 0x{data[at]:02x} is" if at < len(data) else "its end is"
        line += count_lines(data[:at])
        advice = "'utf-16'" if wide else "'latin-1' or the encoding the file was written in"
        return DataError(f"{self.path}, line {line}: {found} not {self.encoding}; say encoding={advice}")


def _normal(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise ParameterError(f"there is no encoding called {encoding!r}") from None
    return "utf-8" if name == "utf-8-sig" else name


def _extends_ascii(encoding: str) -> bool:
    """Whether a byte below 128 always is that character, so that newlines and quotes are found in bytes."""
    try:
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except UnicodeError:
        return False
