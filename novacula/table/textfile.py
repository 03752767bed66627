"""Text files: unpacked, decoded, and cut into ranges of bytes after whole records.

Files that are neither compressed nor in an encoding like UTF-16, where a newline is more than a byte, are
read range by range; the others are read from beginning to end, as UTF-8.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import pyarrow as pa

from novacula.advice import option
from novacula.errors import DataError, EncodingError
from novacula.table.archive import ZIP_ERRORS, EntryStream
from novacula.table.arrow import READ_ERRORS as ARROW_ERRORS
from novacula.table.encoding import UTF_8, WESTERN, decodes, encoding_of, has_utf8, is_binary, known_encoding
from novacula.table.files import COMPRESSED, DataFile, first_line, name_of
from novacula.table.notes import ReadingNote
from novacula.table.records import RecordSyntax, count_lines

Change: TypeAlias = Callable[[bytes, bool], bytes]
"""Makes other bytes of a piece of a stream, and knows whether it is the last one."""

RANGE_BYTES = 16 << 20
"""Bytes of a file that one partition covers."""

READ_ERRORS = (*ARROW_ERRORS, *ZIP_ERRORS)
"""What is raised when a text file cannot be read, unpacked, decoded or parsed."""

_HEAD_BYTES = 1 << 16  # by which an encoding is known
_PIECE_BYTES = 1 << 20  # looked through at a time: what stays in the cache
_ASCII = bytes(range(128))


class TextFile:
    """A text file as bytes; offsets are those of the file, or of its text in UTF-8 if it is read whole.

    Without an encoding it is found out from the first bytes.
    """

    def __init__(self, path: str, encoding: str | None = None) -> None:
        self.file = DataFile.at(path)
        self.path = self.file.name
        self.is_packed = is_packed(self.file.path)
        self.encoding = self._detected() if encoding is None else known_encoding(encoding)
        whole = self.is_packed or self.file.is_remote
        self.divisible = not whole and _extends_ascii(self.encoding)
        self.codec = self.encoding if self.divisible else "utf-8"
        """The encoding of the bytes that `open` gives."""

    def _detected(self) -> str:
        try:
            with self._unpacked() as stream:
                head = stream.read(_HEAD_BYTES)
        except READ_ERRORS as error:
            raise DataError(f"{self.path} cannot be read: {first_line(error)}") from error
        found = encoding_of(head)
        if found is None and is_binary(head):
            raise DataError(f"{self.path} is not text, nor of another format that is read here")
        return found or UTF_8

    def open(self, start: int = 0, stop: int | None = None) -> Any:
        """A stream of bytes from one offset to another; to the end without a stop."""
        self.file.require()
        try:
            if not self.divisible:
                stream = self._unpacked()
                if self.encoding != self.codec:
                    stream = transcoded(stream, self.encoding)
                stream.read(start)
                return stream
            if stop is not None:
                return pa.OSFile(self.file.path).get_stream(start, stop - start)
            file = open(self.file.path, "rb")  # noqa: SIM115  (the caller closes it)
            file.seek(start)
            return file
        except READ_ERRORS as error:
            raise self.unreadable(error) from error

    def open_utf8(self, start: int = 0, stop: int | None = None, change: Change | None = None) -> Any:
        """The same as UTF-8, for Arrow's parser; where Python gives the bytes, errors wait until they can be raised.

        `change` makes other bytes of each piece, all of which is at hand at the last one.
        """
        stream = self.open(start, stop)
        if self.codec != UTF_8:
            stream = transcoded(stream, self.codec)
        if change is not None:
            stream = ChangedStream(stream, change)
        return LateErrors(stream) if isinstance(stream, (ChangedStream, EntryStream)) else stream

    def _unpacked(self) -> Any:
        """The bytes of the file's text in its own encoding."""
        if self.file.path.lower().endswith(".zip"):
            return EntryStream(self.file.open(), self.file.size, self.file.path, self.file.part)
        if self.file.is_remote:
            codec = next((COMPRESSED[e] for e in COMPRESSED if self.file.path.lower().endswith(e)), None)
            stream = pa.PythonFile(self.file.open(), "r")
            return stream if codec is None else pa.CompressedInputStream(stream, codec)
        return pa.input_stream(self.file.path, compression="detect")

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
        return self.count_lines(offset) + 1

    def count_lines(self, offset: int) -> int:
        """How many lines end before an offset."""
        return count_lines(self.read(0, offset)) if offset else 0

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the text in its own encoding, piece by piece."""
        try:
            with self._unpacked() as stream:
                while piece := stream.read(_PIECE_BYTES):
                    yield piece
        except READ_ERRORS as error:
            raise DataError(f"{self.path} cannot be read: {first_line(error)}") from error

    def lines(self) -> Iterator[tuple[int, str]]:
        """Lines that are not blank, without the white space around them, numbered from 1."""
        yield from self.lines_between(0, None)

    def lines_between(self, start: int, stop: int | None) -> Iterator[tuple[int, str]]:
        """The lines from one offset to another, numbered from 1."""
        try:
            with self.open(start, stop) as stream, io.TextIOWrapper(stream, self.codec) as text:
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
            with self._unpacked() as stream:
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
        found = f"the byte 0x{data[at]:02x} is" if at < len(data) else "its end is"
        line += count_lines(data[:at])
        where = f"{self.path}, line {line}: {found} not {self.encoding}"
        return EncodingError(f"{where}: {self._advice(data)}", self.path)

    def _advice(self, data: bytes) -> str:
        """What to do about bytes that are not of the encoding."""
        if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return f"say {option('encoding', 'utf-16')}"
        if self.encoding == UTF_8 and has_utf8(data):
            return "other lines are, so that the file is damaged there: repair this one"
        other = "latin-1" if self.encoding == WESTERN else WESTERN
        if not decodes(data, other):
            return f"say {option('encoding')} with the one that it was written in; or the file is damaged there"
        said = option("encoding", other)
        return f"say {said}, or the encoding that it was written in; or the file is damaged there"


def encoding_notes(texts: Sequence[TextFile], stated: str | None) -> list[ReadingNote]:
    """Of the files that are not UTF-8, where nobody said so."""
    if stated is not None:
        return []
    files: dict[str, list[str]] = {}
    for text in texts:
        if text.encoding != UTF_8:
            files.setdefault(text.encoding, []).append(text.path)
    return [
        ReadingNote(
            f"the encoding of {name_of(paths)} is taken to be {encoding}: say {option('encoding')} if it is another one"
        )
        for encoding, paths in files.items()
    ]


def is_packed(path: str) -> bool:
    """Whether a file has to be unpacked from its beginning."""
    return path.lower().endswith((*COMPRESSED, ".zip"))


def transcoded(stream: Any, encoding: str) -> ChangedStream:
    """A stream of text in another encoding, as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    return ChangedStream(stream, lambda piece, is_last: decoder.decode(piece, final=is_last).encode())


class ChangedStream(io.RawIOBase):
    """A stream of what a function makes of another one, piece by piece."""

    def __init__(self, stream: Any, change: Change) -> None:
        self._stream, self._change = stream, change
        self._ready, self._is_over = b"", False

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """As many bytes as are asked for, or those that are left."""
        pieces = [self._ready]
        ready = len(self._ready)
        while not self._is_over and (size < 0 or ready < size):
            piece = self._stream.read(_PIECE_BYTES)
            self._is_over = not piece
            pieces.append(self._change(piece, self._is_over))
            ready += len(pieces[-1])
        text = b"".join(pieces)
        end = ready if size < 0 else min(size, ready)
        self._ready = text[end:]
        return text[:end]

    def readinto(self, buffer: Any) -> int:
        """The same, into a buffer."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the stream below too."""
        self._stream.close()
        super().close()


class LateErrors(io.RawIOBase):
    """A stream that ends where it fails, since who is called from Arrow cannot raise; `errors_of` does so later."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.error: BaseException | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Bytes; none after an error."""
        try:
            return bytes(self._stream.read(size)) if self.error is None else b""
        except READ_ERRORS as error:
            self.error = error
            return b""

    def close(self) -> None:
        """Close the stream below too."""
        self._stream.close()
        super().close()


@contextmanager
def errors_of(stream: Any) -> Iterator[None]:
    """Raise an error that a stream kept, in the place of what Arrow made of it."""
    try:
        yield
    except Exception:
        if getattr(stream, "error", None) is None:
            raise
    if (error := getattr(stream, "error", None)) is not None:
        raise error


def _extends_ascii(encoding: str) -> bool:
    """Whether a byte below 128 always is that character, so that newlines and quotes are found in bytes."""
    try:
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except UnicodeError:
        return False
