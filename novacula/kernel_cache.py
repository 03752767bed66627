"""Numba's cache of compiled functions, but with a stamp of everything that a function is made of.

Numba decides where files are kept: in NUMBA_CACHE_DIR, next to the source, or, where that cannot be written to, in a
folder of the user. A cache only saves time: where none can be written, kernels are compiled without one, which is said
once, and what cannot be read is compiled again.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

DIGEST = 32
"""Bytes of a checksum."""


def open_cache(function: Callable[..., Any], stamp: str) -> KernelCache | None:
    """The cache of a function; None where Numba finds no folder that can be written to."""
    try:
        return KernelCache(function, stamp)
    except (RuntimeError, OSError):  # Numba's, where it has nowhere to go
        warn_once()
        return None


@cache
def warn_once() -> None:
    """Say, once in a process, that kernels are compiled without a cache."""
    errors = import_module("novacula.errors")  # so, since kernels are stamped with what is imported at a line's start
    errors.warn_user(
        "compiled kernels cannot be kept, since no folder for them can be written to, so every process compiles them "
        "again: set NUMBA_CACHE_DIR to a folder that can be written to",
        errors.KernelCacheWarning,
    )


class KernelCache(FunctionCache):
    """The cache of one function: its machine code counts only if its own file and the given stamp are the same."""

    def __init__(self, function: Callable[..., Any], stamp: str) -> None:
        super().__init__(function)
        own = self._impl.locator.get_source_stamp()
        self.files = self._cache_file = _Files(self.cache_path, self._impl.filename_base, (own, stamp))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function; None where there is none, or none that can be put together again."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged files, or those of another program, may raise anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, if there is room for it."""
        try:
            super().save_overload(sig, data)
        except OSError:
            warn_once()

    class _impl_class(CompileResultCacheImpl):  # noqa: N801  (Numba's name)
        def get_filename_base(self, fullname: str, abiflags: str) -> str:
            """Without Numba's line number: a function that has moved leaves no files behind."""
            name = fullname.replace("<", "").replace(">", "")  # Windows has no such names
            return f"{name}.py{sys.version_info[0]}{sys.version_info[1]}{abiflags}"


class _Files(IndexDataCacheFile):
    """An index, by signature and processor, and a file of machine code for each of its entries.

    Numba numbers these files, and writes the index first: another process could read it and find, under the same
    number, machine code of an earlier stamp or of another processor. Here their names say what they are for. Machine
    code begins with its checksum, since damaged code would not raise, but crash.
    """

    @property
    def hold_any(self) -> bool:
        """Whether they hold machine code of these sources, for this processor or another."""
        return bool(self._load_index())

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

    def _load_index(self) -> dict[Any, str]:
        try:
            overloads: dict[Any, str] = super()._load_index()
        except Exception:  # cut short, or not an index at all: unpickling may raise anything
            return {}
        return overloads

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(sha256(content).digest() + content)

    def _load_data(self, name: str) -> Any:
        stored = Path(self._data_path(name)).read_bytes()
        if sha256(stored[DIGEST:]).digest() != stored[:DIGEST]:
            raise OSError(f"{name} is damaged")  # which is to Numba as if the file were gone
        return pickle.loads(stored[DIGEST:])  # noqa: S301  (machine code, which is trusted as the library itself is)


def _short_hash(key: object) -> str:
    return sha256(repr(key).encode()).hexdigest()[:16]
