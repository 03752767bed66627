"""Files at other places, s3://… or memory://…, as fsspec reads them where it is installed."""

from __future__ import annotations

import re
import zlib
from typing import Any

from novacula.errors import DataError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_remote(path: str) -> bool:
    """Whether a path names a place by its scheme.

    >>> is_remote("s3://bucket/a.csv"), is_remote("C://data.csv"), is_remote("a.csv")
    (True, False, False)
    """
    return _SCHEME.match(path) is not None


def _located(path: str) -> tuple[Any, str]:
    """The file system of a path, and its path there."""
    scheme = path.partition("://")[0]
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise DataError(f"{path} is read by fsspec, which is not installed: pip install fsspec") from None
    try:
        system, place = url_to_fs(path)
    except ImportError as error:
        raise DataError(f"{path} cannot be opened: fsspec lacks a package for {scheme}:// ({error})") from error
    except ValueError as error:
        raise DataError(f"{path} cannot be opened: {error}") from error
    return system, str(place)


def remote_status(path: str) -> tuple[int, int]:
    """The size of a file, and a number that changes when it is written again."""
    system, place = _located(path)
    try:
        status = system.info(place)
    except Exception as error:  # whatever the packages of all schemes raise
        raise DataError(f"{path} cannot be opened: {_words(error)}") from error
    said = [str(status.get(key)) for key in ("mtime", "LastModified", "last_modified", "updated", "created", "ETag")]
    return int(status.get("size") or 0), zlib.crc32("\n".join(said).encode())


def remote_paths(path: str) -> list[str]:
    """The files that a path stands for: itself, those of a folder, or those of a glob."""
    system, place = _located(path)
    try:
        if system.isfile(place):
            return [path]
        is_folder = system.isdir(place)
        found = system.ls(place, detail=False) if is_folder else system.glob(place)
        files = [system.unstrip_protocol(name) for name in sorted(found) if system.isfile(name)]
    except Exception as error:
        raise DataError(f"{path} cannot be opened: {_words(error)}") from error
    if not files:
        raise DataError(f"{path} holds no files" if is_folder else f"there is no file {path!r}")
    return files


def open_remote(path: str) -> Any:
    """The bytes of a file, as a file in which one can seek."""
    system, place = _located(path)
    try:
        return system.open(place, "rb")
    except Exception as error:
        raise DataError(f"{path} cannot be opened: {_words(error)}") from error


def _words(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
