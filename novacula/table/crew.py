"""Somebody to give jobs to: this process, processes of this machine, or a Dask cluster; the same futures from all.

A job is `function(shared, *arguments)`. What is shared is sent to each worker once. A worker keeps to one thread, so
that as many workers as cores do not get in each other's way.
"""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Thread
from typing import Any

from novacula.errors import ParameterError
from novacula.table.parallel import thread_count, threads

ONE_THREAD = dict.fromkeys(("NOVACULA_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

LOOK = 1.0
"""Seconds after which a process looks again whether the one that started it is still there."""


class Crew(ABC):
    """Takes jobs, and does `places` of them at a time."""

    places: int = 1

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have `function(shared, *arguments)` done."""


class Alone(Crew):
    """Does each job at once, in this process."""

    def __init__(self, shared: Any) -> None:
        self.shared = shared

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Do it now; Ctrl-C and errors of the job itself come through."""
        future: Future[Any] = Future()
        future.set_result(function(self.shared, *arguments))
        return future


class Processes(Crew):
    """Processes of this machine, which read what is shared from a file."""

    def __init__(self, executor: Any, path: Path, places: int) -> None:
        self.executor, self.path, self.places = executor, path, places

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand it to the next process that is free."""
        future: Future[Any] = self.executor.submit(_from_file, function, str(self.path), *arguments)
        return future


class Cluster(Crew):
    """Workers of a Dask cluster, on which what is shared is a result that can be made again."""

    def __init__(self, client: Any, shared: Any) -> None:
        self.executor = client.get_executor(pure=False, retries=2)
        self.places = max(sum(client.nthreads().values()), 1)
        self.shared = client.submit(_itself, shared, pure=False)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand it to the scheduler."""
        future: Future[Any] = self.executor.submit(_on_one_thread, function, self.shared, *arguments)
        return future


@contextmanager
def crew(shared: Any, places: int | None = None, client: Any = None) -> Iterator[Crew]:
    """Give a crew of this many places, as many as there are cores unless said; none of it is left afterwards."""
    if places is not None and (not isinstance(places, int) or places < 1):
        raise ParameterError(f"jobs is {places!r}; it must be a whole number of at least 1")
    if client is not None:
        yield from _cluster(client, shared)
    elif (places or thread_count()) == 1:
        yield Alone(shared)
    else:
        yield from _processes(shared, places or thread_count())


def _cluster(client: Any, shared: Any) -> Iterator[Crew]:
    helpers = Cluster(client, shared)
    try:
        yield helpers
    finally:
        helpers.executor.shutdown(wait=False)  # which cancels what is under way


def _processes(shared: Any, places: int) -> Iterator[Crew]:
    from joblib.externals.loky import ProcessPoolExecutor  # starts without running the caller's script again

    with tempfile.TemporaryDirectory(prefix="novacula-") as folder:
        path = Path(folder) / "shared"
        path.write_bytes(pickle.dumps(shared, protocol=5))
        executor = ProcessPoolExecutor(
            places, initializer=_follow, initargs=(os.getpid(),), env={**os.environ, **ONE_THREAD}
        )
        try:
            yield Processes(executor, path, places)
        finally:
            executor.shutdown(wait=True, kill_workers=True)


def _follow(leader: int) -> None:
    """Leave Ctrl-C to the leader, and end when the leader does, even if it was killed and could not say so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(leader,), daemon=True).start()


def _end_with(leader: int) -> None:
    while os.getppid() == leader:
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)


def _from_file(function: Callable[..., Any], path: str, *arguments: Any) -> Any:
    return function(_read(path), *arguments)


@lru_cache(maxsize=1)
def _read(path: str) -> Any:
    return pickle.loads(Path(path).read_bytes())  # noqa: S301  (written by the process that started this one)


def _itself(shared: Any) -> Any:
    return shared


def _on_one_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    from threadpoolctl import threadpool_limits

    with threads(1), threadpool_limits(1):
        return function(*arguments)
