"""Numba's cache of compiled functions, but with a stamp of everything that a function is made of.

Numba decides where files are kept: in NUMBA_CACHE_DIR, next to the source, or, where that cannot be written to, in a
folder of the user.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile


class KernelCache(FunctionCache):
    """The cache of one function: its machine code counts only if its own file and the given stamp are the same."""

    def __init__(self, function: Callable[..., Any], stamp: str) -> None:
        super().__init__(function)
        own = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(self.cache_path, self._impl.filename_base, (own, stamp))

    class _impl_class(CompileResultCacheImpl):  # noqa: N801  (Numba's name)
        def get_filename_base(self, fullname: str, abiflags: str) -> str:
            """Without Numba's line number: a function that has moved leaves no files behind."""
            name = fullname.replace("<", "").replace(">", "")  # Windows has no such names
            return f"{name}.py{sys.version_info[0]}{sys.version_info[1]}{abiflags}"


class _Files(IndexDataCacheFile):
    """An index, by signature and processor, and a file of machine code for each of its entries.

    Numba numbers these files, and writes the index first: another process could read it and find, under the same
    number, machine code of an earlier stamp or of another processor. Here their names say what they are for.
    """

    def save(self, key: Any, data: Any) -> None:
        """Save the machine code for a key, and remove what is of use no more."""
        name = f"{self._index_name.removesuffix('.nbi')}.{_short_hash((self._source_stamp, key))}.nbc"
        self._save_data(name, data)
        overloads = {**self._load_index(), key: name}
        self._save_index(overloads)
        for path in Path(self._cache_path).glob(f"{self._index_name.removesuffix('.nbi')}.*.nbc"):
            if path.name not in overloads.values():
                with suppress(OSError):  # another process was faster, or holds it open
                    path.unlink()


def _short_hash(key: object) -> str:
    return sha256(repr(key).encode()).hexdigest()[:16]
