"""Threads, and sums whose bits do not depend on how many there are.

Work is cut into partitions by the source, never by the number of threads; results come back in order and are
added along a binary tree that is fixed by their index. At most `2 × threads` results are under way at a time.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from itertools import chain, count, islice
from typing import Any, Protocol, Self, TypeVar

from novacula.errors import DataError, ParameterError


class Addable(Protocol):
    """What can be added to its like: every statistic."""

    def __add__(self, other: Any) -> Self: ...


S = TypeVar("S", bound=Addable)
T = TypeVar("T")
R = TypeVar("R")

_setting: int | None = None
_inside = threading.local()


def thread_count() -> int:
    """Threads that a pass may use: `threads(n)`, else NOVACULA_THREADS, else the cores of this process."""
    if _setting is not None:
        return _setting
    asked = os.environ.get("NOVACULA_THREADS")
    if asked is not None:
        if not asked.isdigit() or int(asked) < 1:
            raise ParameterError(f"NOVACULA_THREADS is {asked!r}; it must be a whole number of at least 1")
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Use this many threads within the block; the models are the same, to the bit, for any number.

    >>> with threads(1):
    ...     thread_count()
    1
    """
    global _setting
    if not isinstance(count, int) or count < 1:
        raise ParameterError(f"threads is {count!r}; it must be a whole number of at least 1")
    before, _setting = _setting, count
    try:
        yield
    finally:
        _setting = before


def tree_sum(items: Iterable[S]) -> S:
    """Add items along the binary tree of their index, holding no more than log2 of them.

    >>> tree_sum([1, 2, 3, 4, 5])
    15
    """
    stack: list[tuple[int, S]] = []
    for item in items:
        size = 1
        while stack and stack[-1][0] == size:
            item = stack.pop()[1] + item
            size *= 2
        stack.append((size, item))
    if not stack:
        raise DataError("there is nothing to add: the table has no partition")
    total = stack.pop()[1]
    while stack:
        total = stack.pop()[1] + total
    return total


def map_ordered(function: Callable[[T], R], items: Iterable[T]) -> Generator[R, None, None]:
    """Apply a function to each item on a pool of threads, giving results in order and a bounded way ahead.

    Close it where it may not be used up, lest its threads live as long as a traceback that mentions it.
    """
    supply = iter(items)
    first = list(islice(supply, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    workers = 1 if getattr(_inside, "pool", False) else thread_count()
    with one_blas_thread():  # with one worker too: BLAS on several threads would give other bits
        supply = chain(first, supply)
        yield from map(function, supply) if workers == 1 else _map_on_pool(function, supply, workers)


def _map_on_pool(function: Callable[[T], R], supply: Iterator[T], workers: int) -> Generator[R, None, None]:
    with ThreadPoolExecutor(workers, "novacula", _enter_pool) as pool:
        waiting = deque(pool.submit(function, item) for item in islice(supply, 2 * workers))
        try:
            while waiting:
                result = waiting.popleft().result()
                waiting.extend(pool.submit(function, item) for item in islice(supply, 1))
                yield result
        finally:
            for future in waiting:
                future.cancel()


class ThreadPool:
    """Threads that live as long as a fit, for thousands of short calls; the caller works along with them."""

    def __init__(self, workers: int, pool: ThreadPoolExecutor | None) -> None:
        self.workers = workers
        self._pool = pool

    def each(self, function: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Apply a function to each item, and give the results in order; from inside of such a call, one by one."""
        if self._pool is None or len(items) < 2 or getattr(_inside, "pool", False):
            return [function(item) for item in items]
        results: list[Any] = [None] * len(items)
        places = count()

        def work() -> None:
            while (i := next(places)) < len(items):
                results[i] = function(items[i])

        others = [self._pool.submit(work) for _ in range(min(self.workers, len(items)) - 1)]
        _inside.pool = True
        try:
            work()
        finally:
            _inside.pool = False
            wait(others)
        for other in others:
            other.result()
        return results


@contextmanager
def thread_pool() -> Iterator[ThreadPool]:
    """A pool of as many threads as a pass may use, with one thread of BLAS each.

    >>> with threads(2), thread_pool() as pool:
    ...     pool.each(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    workers = 1 if getattr(_inside, "pool", False) else thread_count()
    with one_blas_thread():
        if workers == 1:
            yield ThreadPool(1, None)
            return
        with ThreadPoolExecutor(workers - 1, "novacula", _enter_pool) as pool:
            yield ThreadPool(workers, pool)


def prefetched(items: Iterable[T]) -> Generator[T, None, None]:
    """Give items in order while a thread makes the next one."""
    supply = iter(items)
    with ThreadPoolExecutor(1, "novacula-read") as pool:
        ahead = pool.submit(next, supply, _END)
        while (item := ahead.result()) is not _END:
            ahead = pool.submit(next, supply, _END)
            yield item  # type: ignore[misc]


_END = object()


def _enter_pool() -> None:
    _inside.pool = True


_blas_lock = threading.Lock()
_blas_depth = 0
_blas_limit: Any = None


@cache
def _libraries(scipy_too: bool) -> Any:  # noqa: ARG001  (looked for again when it changes)
    """The BLAS libraries that are loaded: NumPy's, and SciPy's own once it is there. To look for them takes time."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread: one layer of parallelism at a time. Blocks may nest and overlap."""
    global _blas_depth, _blas_limit
    with _blas_lock:
        if _blas_depth == 0:
            _blas_limit = _libraries("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")
        _blas_depth += 1
    try:
        yield
    finally:
        with _blas_lock:
            _blas_depth -= 1
            if _blas_depth == 0:
                _blas_limit.restore_original_limits()
