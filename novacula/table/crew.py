"""Somebody to give jobs to: this process, processes of this machine, or a Dask cluster; the same futures from all.

A job is `function(shared, *arguments)`. What is shared is sent to each worker once. A worker keeps to one thread, so
that as many workers as cores do not get in each other's way.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from novacula.errors import ParameterError
from novacula.table.parallel import thread_count, threads
from novacula.table.time_limit import TimeLimitError, time_limit
from novacula.table.worker import receive, send

ONE_THREAD = dict.fromkeys(("NOVACULA_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Crew(ABC):
    """Takes jobs, and does `places` of them at a time."""

    places: int = 1

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Future[Any]:
        """Have `function(shared, *arguments)` done; a job of more than so many seconds ends in a `TimeLimitError`."""


class Alone(Crew):
    """Does each job at once, in this process."""

    def __init__(self, shared: Any) -> None:
        self.shared = shared

    def submit(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Future[Any]:
        """Do it now; Ctrl-C and errors of the job itself come through."""
        future: Future[Any] = Future()
        try:
            with time_limit(seconds):
                future.set_result(function(self.shared, *arguments))
        except TimeLimitError as error:
            future.set_exception(error)
        return future


class Processes(Crew):
    """Processes of this machine, each led by a thread; one whose job takes too long is ended, and another started."""

    def __init__(self, shared: Any, folder: str, places: int) -> None:
        import cloudpickle

        self.places = places
        self._path = Path(folder) / "shared"
        self._path.write_bytes(cloudpickle.dumps(shared, protocol=5))
        self._first = cloudpickle.dumps((_is_there, str(self._path), ()))
        self._leaders = ThreadPoolExecutor(places, thread_name_prefix="crew")
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._every: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    def submit(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Future[Any]:
        """Hand it to the next process that is free."""
        import cloudpickle

        job = cloudpickle.dumps((function, str(self._path), arguments))
        return self._leaders.submit(self._have_done, job, seconds)

    def _have_done(self, job: bytes, seconds: float | None) -> Any:
        """Have a process do a job, and wait for its answer."""
        process = self._free_process()
        over = threading.Event()
        clock = threading.Timer(seconds, _end_process, (process, over)) if seconds is not None else None
        if clock is not None:
            clock.start()
        try:
            answer = _asked(process, job)
        finally:
            if clock is not None:
                clock.cancel()
                clock.join()
        if answer is None:
            self._remove(process)
            raise TimeLimitError(seconds or 0.0) if over.is_set() else ProcessLostError(process.poll())
        self._idle.put(process)
        done, result = pickle.loads(answer)  # noqa: S301  (written by a process that this one started)
        if not done:
            raise result
        return result

    def _free_process(self) -> subprocess.Popen[bytes]:
        try:
            return self._idle.get_nowait()
        except Empty:
            process = _started()
            self._every.add(process)
            _asked(process, self._first)  # what is shared is read before any clock is started
            if self._is_closed:
                process.kill()
            return process

    def _remove(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        self._every.discard(process)

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        self._is_closed = True
        self._leaders.shutdown(wait=False, cancel_futures=True)
        for process in list(self._every):
            process.kill()
        self._leaders.shutdown(wait=True)
        for process in list(self._every):
            self._remove(process)


class ProcessLostError(RuntimeError):
    """A process ended in the middle of a job."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"a process ended with exit code {code}")


def _started() -> subprocess.Popen[bytes]:
    """A process that waits for jobs; in a session of its own, since Ctrl-C in a terminal is not meant for it."""
    command = f"from novacula.table.worker import work; work({os.getpid()})"
    places = os.pathsep.join(path or os.getcwd() for path in sys.path)
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": places}
    return subprocess.Popen(  # noqa: S603  (this interpreter, and a line of our own)
        [sys.executable, "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )


def _is_there(shared: Any) -> bool:
    return shared is not None


def _asked(process: subprocess.Popen[bytes], job: bytes) -> bytes | None:
    """The answer of a process to a job; None if it ended before."""
    assert process.stdin is not None  # noqa: S101  (it was started with pipes)
    assert process.stdout is not None  # noqa: S101
    try:
        send(process.stdin, job)
        return receive(process.stdout)
    except OSError:
        return None


def _end_process(process: subprocess.Popen[bytes], over: threading.Event) -> None:
    over.set()
    process.kill()


class Cluster(Crew):
    """Workers of a Dask cluster, on which what is shared is a result that can be made again."""

    def __init__(self, client: Any, shared: Any) -> None:
        self.executor = client.get_executor(pure=False, retries=2)
        self.places = max(sum(client.nthreads().values()), 1)
        self.shared = client.submit(_itself, shared, pure=False)

    def submit(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Future[Any]:
        """Hand it to the scheduler; a job on a cluster is not ended, whatever time it takes."""
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
    with tempfile.TemporaryDirectory(prefix="novacula-") as folder:
        helpers = Processes(shared, folder, places)
        try:
            yield helpers
        finally:
            helpers.close()


def _itself(shared: Any) -> Any:
    return shared


def _on_one_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    from threadpoolctl import threadpool_limits

    with threads(1), threadpool_limits(1):
        return function(*arguments)
