"""Files: what a path stands for, and whether a file is still the one that was opened.

A table reads its files on every pass. A file that is gone or has changed in between would give numbers that
belong to no data at all, so every partition asks first.
"""

from __future__ import annotations

import glob
import os
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any, Self

from novacula.errors import DataError
from novacula.table.remote import is_remote, open_remote, remote_paths, remote_status

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
"""Endings of text files that are unpacked on the way, and what they are packed by."""
PART = "::"
"""Between the path of a file and the part of it that is meant."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file as it was when it was opened; `part` is what is meant of it, such as a table of a database."""

    path: str
    size: int
    modified: int  # nanoseconds since 1970, or what stands for it at a remote place
    part: str | None = None

    @classmethod
    def at(cls, path: str) -> Self:
        """Take note of a file."""
        place, part = split_part(path)
        if is_remote(place):
            return cls(place, *remote_status(place), part)
        try:
            status = os.stat(place)
        except OSError as error:
            raise DataError(f"{place} cannot be opened: {error.strerror}") from error
        return cls(place, status.st_size, status.st_mtime_ns, part)

    @property
    def name(self) -> str:
        """The file and its part, as they are named to `read`."""
        return self.path if self.part is None else f"{self.path}{PART}{self.part}"

    @property
    def is_remote(self) -> bool:
        """Whether it is at a place that fsspec reads."""
        return is_remote(self.path)

    @property
    def token(self) -> str:
        """A text that changes when the file does."""
        return f"{self.name}-{self.modified}-{self.size}"

    def require(self) -> str:
        """Give the path if the file is still the same."""
        if not self.is_remote and not os.path.exists(self.path):
            raise DataError(f"{self.path} is gone: it was there when the table was read")
        if DataFile.at(self.name) != self:
            raise DataError(f"{self.path} has changed since the table was read: read it again")
        return self.path

    def open(self) -> Any:
        """Its bytes, as a file in which one can seek."""
        return open_remote(self.path) if self.is_remote else open(self.path, "rb")


def split_part(path: str) -> tuple[str, str | None]:
    """A path and the part behind `::`, if there is one.

    >>> split_part("shop.db::orders"), split_part("data.csv"), split_part("zip://a.csv::s3://b/c.zip")
    (('shop.db', 'orders'), ('data.csv', None), ('zip://a.csv::s3://b/c.zip', None))
    """
    place, mark, part = path.partition(PART)
    if not mark or "://" in part or os.path.exists(path):
        return path, None
    return place, part


def name_of(paths: Sequence[str]) -> str:
    """Name files in a message."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def unpacked_name(path: str) -> str:
    """A file's name in lower case, without the ending that says how it is compressed."""
    name = os.path.basename(path).lower()
    return next((name.removesuffix(ending) for ending in COMPRESSED if name.endswith(ending)), name)


def first_line(error: BaseException) -> str:
    """The first line of an error's message, without its last full stop."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def find_paths(source: Any) -> list[str]:
    """The files that a path, a glob, a folder or a list of these stands for, sorted within each."""
    parts = source if isinstance(source, (list, tuple)) else [source]
    paths: list[str] = []
    for part in map(os.fspath, parts):
        if is_remote(part):
            paths.extend(remote_paths(part))
            continue
        if is_pipe(part):
            paths.append(_copied(part, *_identity(part)))
            continue
        found = [part] if os.path.isfile(split_part(part)[0]) else _matches(part)
        if not found:
            raise DataError(_not_found(part))
        paths.extend(found)
    return paths


def _not_found(path: str) -> str:
    """Why a path stands for no files."""
    if os.path.isdir(path):
        return f"{path} holds no files"
    return f"{path} is neither a file nor a pipe: name one" if os.path.exists(path) else f"there is no file {path!r}"


def is_pipe(path: str) -> bool:
    """Whether a path stands for what another program writes, and can be read once only."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _identity(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino


@cache
def _copied(path: str, device: int, inode: int) -> str:
    """What came out of a pipe, as a file that is there until this process ends."""
    copy = os.path.join(_folder_of_copies().name, f"{device}-{inode}", os.path.basename(path))
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    with open(path, "rb") as pipe, open(copy, "wb") as file:
        shutil.copyfileobj(pipe, file)
    return copy


@cache
def _folder_of_copies() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="novacula-")


def _matches(part: str) -> list[str]:
    """Files of a folder or a glob; names that begin with . or _ are notes of other programs, not data."""
    inside = os.path.isdir(part)
    pattern = os.path.join(glob.escape(part), "*") if inside else part
    found = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
    return [path for path in found if not (inside and os.path.basename(path).startswith("_"))]


def same_columns(paths: Sequence[str], names: Sequence[Sequence[str]]) -> None:
    """Raise where a file has other columns than the first one; their order may differ."""
    first = set(names[0])
    for path, others in zip(paths[1:], names[1:], strict=True):
        if lacking := first.difference(others):
            name = next(name for name in names[0] if name in lacking)
            raise DataError(f"{path} has no column {name!r}, which {paths[0]} has")
        if extra := [name for name in others if name not in first]:
            raise DataError(f"{path} has a column {extra[0]!r}, which {paths[0]} has not")
