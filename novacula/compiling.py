"""Loops over rows that are compiled when they are first called: a program waits only for those that it uses.

They stand in modules named `_kernels.py`, a family's in its own. Each has one stated signature, runs serially
and without the interpreter's lock, and stays in Numba's cache for the next process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

BORROWED = {"_nrt": False}
"""Options of a function that makes no array. Numba then counts no references to those it was given, which in a function
with several ways out it does on each way: up to twice as long as the work takes."""

_compiling = Lock()


class Kernel:
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
                from numba import njit

                self._compiled = njit(self._signature, nogil=True, cache=True, **self._options)(self._function)
            return self._compiled

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


def kernel(signature: object, **options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorate a loop with its signature, and with options of Numba's `njit` such as `fastmath`."""
    return lambda function: Kernel(function, signature, options)


def compile_kernel(_shared: None, name: str) -> None:
    """Have the kernel of this name in Numba's cache: a job for a crew."""
    module, _, function = name.rpartition(".")
    getattr(import_module(module), function).compile()


def find_kernels() -> Iterator[Kernel]:
    """Every kernel of the package, not yet compiled, those of the longest files first.

    >>> "novacula.statistics._kernels.contingency" in [kernel.name for kernel in find_kernels()]
    True
    """
    root = Path(__file__).parent
    for path in sorted(root.rglob("_kernels.py"), key=lambda path: (-path.stat().st_size, path)):
        module = import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))
        yield from (value for value in vars(module).values() if isinstance(value, Kernel))
