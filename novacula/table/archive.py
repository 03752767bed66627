"""Zip archives of one file: which it is, and that it does not unpack to more than its size allows."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from typing import Any

from novacula.errors import DataError
from novacula.table.names import printable
from novacula.words import listed

MOST_TIMES, FREE_BYTES = 200, 64 << 20
"""An archive may unpack to so many times its size, or to so many bytes, whichever is more."""

ZIP_ERRORS = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError)
"""What is raised for archives that are damaged, encrypted, or packed in an unknown way, besides errors of reading."""


def open_archive(file: Any, size: int, name: str) -> zipfile.ZipFile:
    """An archive of `size` bytes that unpacks to a size that is likely."""
    try:
        archive = zipfile.ZipFile(file)
        unpacked = sum(entry.file_size for entry in archive.infolist())
    except (*ZIP_ERRORS, OSError, ValueError, EOFError) as error:
        raise DataError(f"{name} is not a zip archive that can be read: {error}") from error
    if unpacked > max(FREE_BYTES, MOST_TIMES * size):
        raise DataError(
            f"{name} would unpack from {size:,} to {unpacked:,} bytes, more than {MOST_TIMES} times: if you trust it, "
            "unpack it yourself"
        )
    return archive


def one_entry(archive: zipfile.ZipFile, name: str, wanted: str | None) -> zipfile.ZipInfo:
    """The one file of an archive, or the one that is named; notes of other programs do not count."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir() and not _is_note(entry.filename)]
    if wanted is not None:
        entries = [entry for entry in entries if entry.filename == wanted]
        if not entries:
            held = listed(map(printable, archive.namelist()), 8)
            raise DataError(f"{name} holds no file {wanted!r}; it holds {held}")
    if not entries:
        raise DataError(f"{name} holds no files")
    if len(entries) > 1:
        first = printable(entries[0].filename)
        raise DataError(
            f"{name} holds {len(entries)} files ({listed((e.filename for e in entries), 8)}): name one of them, as in "
            f"'{name}::{first}', or unpack it"
        )
    if entries[0].filename.lower().endswith((".zip", ".gz", ".bz2", ".zst", ".7z", ".tar")):
        raise DataError(f"{name} holds another archive, {entries[0].filename!r}: unpack it first")
    return entries[0]


class EntryStream(io.RawIOBase):
    """The bytes of one file of an archive; who closes it closes the archive."""

    def __init__(self, file: Any, size: int, name: str, wanted: str | None) -> None:
        self._file = file
        try:
            self._archive = open_archive(file, size, name)
            entry = one_entry(self._archive, name, wanted)
            self._entry = self._archive.open(entry)
        except BaseException as error:
            file.close()
            if isinstance(error, (*ZIP_ERRORS, OSError)):
                raise DataError(f"{name} cannot be unpacked: {error}") from error
            raise

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """As many bytes as are asked for, or those that are left."""
        return self._entry.read(size)

    def readinto(self, buffer: Any) -> int:
        """The same, into a buffer."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close all that was opened."""
        if not self.closed:
            self._entry.close()
            self._archive.close()
            self._file.close()
        super().close()


def _is_note(name: str) -> bool:
    parts = name.split("/")
    return parts[0] == "__MACOSX" or parts[-1].startswith(".") or parts[-1] == "Thumbs.db"
