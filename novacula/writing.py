"""Files that are replaced as a whole: whatever happens on the way, a reader finds the old file or the new one.

The content goes to a file beside the target, is brought to the disk, and takes the target's name in one step. Then the
folder is brought to the disk as well, so that the new name outlives a power cut.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from novacula.errors import MissingFolderError, WriteError

NO_ROOM = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "the quota is used up", errno.EFBIG: "it would be too large"}
"""Why there is no room for a file."""
LEFT_BEHIND = 3600.0
"""Seconds after which a half-written file that nobody has touched is one that a kill has left behind."""


def replace_file(path: str | os.PathLike[str], content: bytes | Iterable[bytes]) -> None:
    """Write a file that takes the place of an earlier one only when all of it is there.

    A link stays a link to the file that is replaced, and a file keeps its permissions. A pipe or a device is written to
    as it is. If a kill leaves a file behind, its name begins with a dot and ends in `.part`, and writing the same file
    an hour later or more removes it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     replace_file(f"{folder}/numbers.txt", b"1 2 3")
    ...     print(Path(folder, "numbers.txt").read_text())
    1 2 3
    """
    pieces = [content] if isinstance(content, bytes) else content
    with explained(path):
        target = Path(os.path.realpath(path))
        mode = _mode_of(target)
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as file:
                file.writelines(pieces)
            return
        if not target.parent.is_dir():
            place = f"there is no folder {str(Path(path).parent)!r} to write {target.name!r} to"
            raise MissingFolderError(f"{place}: make it first")
        own = f".{zlib.crc32(target.name.encode(errors='surrogateescape')):08x}-"
        temporary = target.with_name(f"{own}{secrets.token_hex(8)}.part")
        _remove_left_behind(target.parent, own)
        try:
            with temporary.open("xb") as file:
                if mode is not None:
                    with suppress(OSError):  # not every file system has permissions
                        os.chmod(temporary, stat.S_IMODE(mode))
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(target.parent)


@contextmanager
def explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file that was meant in errors of writing it; where there is no room, in one sentence of our own."""
    try:
        yield
    except OSError as error:
        if (why := NO_ROOM.get(error.errno or 0)) is not None:
            raise WriteError(
                f"{str(path)!r} cannot be written, since {why}, and what was there before is as it was: make room and "
                "try again"
            ) from error
        if error.errno is None:  # a sentence of our own
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with suppress(OSError):  # Windows opens no folders, and some file systems sync none
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def _remove_left_behind(folder: Path, own: str) -> None:
    """Remove what earlier writings of a file have left half done; one that still goes on has touched its file since."""
    with suppress(OSError):
        for place in folder.glob(f"{own}*.part"):
            with suppress(OSError):
                if time.time() - place.stat().st_mtime > LEFT_BEHIND:
                    place.unlink()


def _mode_of(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
