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
from typing import Any, TypeAlias

from novacula.errors import ParameterError
from novacula.table.parallel import thread_count, threads
from novacula.table.time_limit import TimeLimitError, time_limit
from novacula.table.worker import receive, send

ONE_THREAD = dict.fromkeys(("NOVACULA_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Worker: TypeAlias = "subprocess.Popen[bytes]"


class Crew(ABC):
    """Takes jobs, and does `places` of them at a time."""

    places: int = 1

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Future[Any]:
        """Have `function(shared, *arguments)` done; a job of more than so many seconds ends in a `TimeLimitError`."""

    def await_workers(self) -> None:  # noqa: B027  (this process is there)
        """Return when every worker is there, so that what is timed does not pay for its start."""


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

    def __init__(self, shared: Any, folder: str, places: int, waiting: list[Worker]) -> None:
        import cloudpickle

        self.places, self._waiting = places, waiting
        self._path = Path(folder) / "shared"
        self._path.write_bytes(cloudpickle.dumps(shared, protocol=5))
        self._first = cloudpickle.dumps((_is_there, str(self._path), ()))
        self._leaders = ThreadPoolExecutor(places, thread_name_prefix="crew")
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        self._every: set[Worker] = set()
        self._is_closed = False

    def submit(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Future[Any]:
        """Hand it to the next process that is free."""
        import cloudpickle

        job = cloudpickle.dumps((function, str(self._path), arguments))
        return self._leaders.submit(self._have_done, job, seconds)

    def await_workers(self) -> None:
        """Have each do nothing."""
        for there in [self.submit(_is_there) for _ in range(self.places)]:
            there.result()

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

    def _free_process(self) -> Worker:
        try:
            return self._idle.get_nowait()
        except Empty:
            process = self._waiting_process()
            self._every.add(process)
            _asked(process, self._first)  # what is shared is read before any clock is started
            if self._is_closed:
                process.kill()
            return process

    def _waiting_process(self) -> Worker:
        """One that has begun to load, or where another thread took the last of them a new one."""
        try:
            return self._waiting.pop()
        except IndexError:
            return _started()

    def _remove(self, process: Worker) -> None:
        _end(process)
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


@contextmanager
def waiting_workers(places: int, module: str) -> Iterator[list[Worker]]:
    """Processes that load a module while something else is done; a crew takes them from the list, others are ended."""
    waiting = [_started(module) for _ in range(places)]
    try:
        yield waiting
    finally:
        for process in waiting:
            _end(process)


def _end(process: Worker) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            stream.close()  # type: ignore[union-attr]


def _started(module: str = "novacula.table.worker") -> Worker:
    """A process that loads a module and waits for jobs; in a session of its own, since Ctrl-C is not meant for it."""
    command = f"from novacula.table.worker import work; import {module}; work({os.getpid()})"
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


def _asked(process: Worker, job: bytes) -> bytes | None:
    """The answer of a process to a job; None if it ended before."""
    assert process.stdin is not None  # noqa: S101  (it was started with pipes)
    assert process.stdout is not None  # noqa: S101
    try:
        send(process.stdin, job)
        return receive(process.stdout)
    except OSError:
        return None


def _end_process(process: Worker, over: threading.Event) -> None:
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
def crew(
    shared: Any, places: int | None = None, client: Any = None, waiting: list[Worker] | None = None
) -> Iterator[Crew]:
    """Give a crew of this many places, as many as there are cores unless said; none of it is left afterwards.

    It begins with the workers that are `waiting`, if there are any.
    """
    if places is not None and (not isinstance(places, int) or places < 1):
        raise ParameterError(f"jobs is {places!r}; it must be a whole number of at least 1")
    if client is not None:
        yield from _cluster(client, shared)
    elif (places or thread_count()) == 1:
        yield Alone(shared)
    else:
        yield from _processes(shared, places or thread_count(), [] if waiting is None else waiting)


def _cluster(client: Any, shared: Any) -> Iterator[Crew]:
    helpers = Cluster(client, shared)
    try:
        yield helpers
    finally:
        helpers.executor.shutdown(wait=False)  # which cancels what is under way


def _processes(shared: Any, places: int, waiting: list[Worker]) -> Iterator[Crew]:
    with tempfile.TemporaryDirectory(prefix="novacula-") as folder:
        helpers = Processes(shared, folder, places, waiting)
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
