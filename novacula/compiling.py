"""Loops over rows that are compiled when they are first called: a program waits only for those that it uses.

They are in modules of kernels: those named `_kernels.py`, and all in a folder `_kernels/`. Each kernel has one stated
signature, runs serially and without the interpreter's lock, and stays in Numba's cache for the next process. Functions
of other files are compiled into it, so its cache is stamped with all that kernels are made of: after an edit of any of
it, every kernel is compiled again when it is next called.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

KERNELS = "_kernels"
"""The name of a module of kernels, or of a folder of such modules."""
BORROWED = {"_nrt": False}
"""Options of a function that makes no array. Numba then counts no references to those it was given, which in a function
with several ways out it does on each way: up to twice as long as the work takes."""

_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([\w.]+)", re.MULTILINE)
_compiling = Lock()


class CompiledKernel:
    """A function that Numba compiles for one signature, or loads from its cache, when it is first called."""

    def __init__(self, function: Callable[..., Any], signature: object, options: dict[str, Any]) -> None:
        self.name = f"{function.__module__}.{function.__name__}"
        self.__doc__ = function.__doc__
        self._function = function
        self._signature = signature
        self._options = options
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Run it, compiled."""
        return (self._compiled or self.compile())(*arguments)

    def compile(self) -> Callable[..., Any]:
        """Have it ready, and give what Numba made of it."""
        with _compiling:  # threads that need it at once wait for one of them
            if self._compiled is None:
                self._compiled = self._make()
            return self._compiled

    @property
    def is_kept(self) -> bool:
        """Whether there is nothing to compile: it is in Numba's cache, or there is none to keep it."""
        from numba import config

        from novacula.kernel_cache import open_cache

        if self._compiled is not None or config.DISABLE_JIT:
            return True
        kept = open_cache(self._function, stamp(self._function.__module__.partition(".")[0]))
        return kept is None or kept.files.hold_any

    def _make(self) -> Callable[..., Any]:
        from numba import njit

        from novacula.kernel_cache import open_cache

        made = njit(nogil=True, **self._options)(self._function)
        if made is not self._function:  # it is where NUMBA_DISABLE_JIT is set
            kept = open_cache(self._function, stamp(self._function.__module__.partition(".")[0]))
            if kept is not None:
                made._cache = kept
            made.compile(self._signature)
            made.disable_compile()
        return made

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


def kernel(signature: object, **options: Any) -> Callable[[Callable[..., Any]], CompiledKernel]:
    """Decorate a loop with its signature, and with options of Numba's `njit` such as `fastmath`."""
    return lambda function: CompiledKernel(function, signature, options)


def compile_kernel(_shared: None, name: str) -> None:
    """Have the kernel of this name in Numba's cache: a job for a crew."""
    module, _, function = name.rpartition(".")
    getattr(import_module(module), function).compile()


def find_kernels() -> Iterator[CompiledKernel]:
    """Every kernel of the package, not yet compiled, those with the most source first: they take longest.

    >>> "novacula.statistics._kernels.contingency" in [kernel.name for kernel in find_kernels()]
    True
    """
    root = Path(__file__).parent
    for path in sorted(kernel_files(root), key=lambda path: (-_source_size(path), path)):
        module = import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))
        yield from (value for value in vars(module).values() if isinstance(value, CompiledKernel))


def kernel_files(folder: Path) -> list[Path]:
    """The modules of kernels in the folder of a package."""
    found = []
    for inner, folders, files in os.walk(folder):  # in a third of the time that Path.rglob takes
        folders[:] = (name for name in folders if name != "__pycache__")
        inside = os.path.basename(inner) == KERNELS
        found += [Path(inner, name) for name in files if name.endswith(".py") and (inside or name == f"{KERNELS}.py")]
    return found


def _source_size(path: Path) -> int:
    """Bytes of a module of kernels, with those of the modules that are compiled into its kernels."""
    return sum(part.stat().st_size for part in (path.parent.glob("*.py") if path.parent.name == KERNELS else [path]))


@cache
def stamp(top: str) -> str:
    """A hash of what the kernels of a package are made of; it changes when any of that is edited."""
    return sha256(b"".join(sorted(sha256(source).digest() for source in kernel_sources(top).values()))).hexdigest()


def kernel_sources(top: str) -> dict[Path, bytes]:
    """What the kernels of a package, or of a single module, are made of: files, with their content.

    These are its modules of kernels and all modules that they import, directly or not, from the package or from
    this one: shared loops, constants, and how kernels are compiled.
    """
    packages = {name: sys.modules[name] for name in (top, __package__)}
    folders = {name: Path(package.__path__[0]) for name, package in packages.items() if hasattr(package, "__path__")}
    alone = getattr(packages[top], "__file__", None)
    waiting = kernel_files(folders[top]) if top in folders else [Path(alone)] if alone else []
    sources: dict[Path, bytes] = {}
    while waiting:
        path = waiting.pop()
        if path in sources or not path.is_file():
            continue
        sources[path] = path.read_bytes()
        for name in _IMPORT.findall(sources[path]):
            package, *inner = name.decode().split(".")
            if package in folders:
                place = folders[package].joinpath(*inner)
                waiting += [place.with_suffix(".py"), place / "__init__.py"]
    return sources
