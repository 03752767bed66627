"""A table on a Dask cluster: its rows stay in the workers' memory, and sums follow the same tree as at home.

    load       partitions ──▶ chunks, resident in a worker across passes
    observe    chunks ──▶ statistic, where the chunks are
    add        statistic + statistic, along the binary tree of partition index

Every task can be run again from what the scheduler holds, rows from this process's memory included, so a
worker that dies in the middle of a pass changes no digit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, NoReturn, Self, TypeAlias, TypeVar
from uuid import uuid4

from dask import delayed
from dask.sizeof import sizeof
from distributed import CancelledError, Client, KilledWorker, wait
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError
from distributed.protocol.pickle import dumps

from novacula.errors import ClusterError, InputTypeError, ParameterError
from novacula.table.chunk import Chunk
from novacula.table.memory import MemoryPartition
from novacula.table.names import printable
from novacula.table.parallel import Addable, one_blas_thread, tree_sum
from novacula.table.runner import Found, LocalRunner, first_row
from novacula.table.source import Partition
from novacula.table.table import ChunkLayout

S = TypeVar("S", bound=Addable)
T = TypeVar("T")
Bundle: TypeAlias = Sequence[Partition]  # neighbours that are loaded, observed and moved as one
Key: TypeAlias = tuple[str, ...]  # the keys of its partitions, which change with their content
Rows: TypeAlias = list[list[Chunk]]  # their chunks

PATIENCE = 30.0  # seconds without any worker after which a pass gives up
BUNDLES, PER_THREAD = 32, 4  # bundles to aim for: the scheduler spends milliseconds on every task
BUNDLE_SIZE = 8  # partitions, at most: a power of two, and few enough to fit into memory together
LAYOUTS = 2  # whose rows stay resident: that of a fit, and that of predictions in between
SHARED_BYTES = 100_000  # size from which arguments travel once to each worker instead of with every task


class ClusterRunner:
    """Runs the passes over a table on the workers of a Dask client; `Table.on` makes it.

    Rows are loaded once and stay as long as the runner lives; a file that was written again has another key
    when it is read again, and is reloaded. Many partitions go in bundles of 2ᵏ neighbours, which are whole
    branches of the tree of sums, so that bundling changes no digit either. Where workers came or went, the
    rows are spread again before the next pass. Rows in this process's memory go through the scheduler, which
    keeps them; Dask warns where that is heavy, and files that all workers can read are the way out.
    """

    is_local = False

    def __init__(self, client: Any, patience: float = PATIENCE) -> None:
        if not isinstance(client, Client):
            raise InputTypeError(f"a table runs on a dask.distributed.Client, not a {type(client).__name__}")
        if client.asynchronous:
            raise ParameterError("the client is asynchronous: a table needs one made with asynchronous=False")
        self._client = client
        self._patience = patience
        self._token = uuid4().hex
        self._serial = count()
        self._placements: dict[str, Placement] = {}

    def __reduce__(self) -> NoReturn:
        raise InputTypeError("a table on a cluster cannot be pickled: pickle the table that it was made of")

    # --- the three passes -----------------------------------------------------------------------------------

    @property
    def client(self) -> Client:
        """The Dask client, for work that is not a pass over the rows."""
        return self._client

    def reduce(self, parts: Sequence[Partition], layout: ChunkLayout, observe: Callable[..., S], args: Any) -> S:
        """Observe the rows where they are, and add along the tree."""
        with explained():
            tasks = self._tasks(observe_rows, parts, layout, observe, args)
            return self._results([tree_sum(map(Branch, tasks)).task])[0]

    def fold(self, parts: Sequence[Partition], layout: ChunkLayout, step: Callable[..., T], state: T, args: Any) -> T:
        """Pass the state along from one bundle to the next."""
        with explained():
            shared, task = self._shared(args), self._shared(state)
            for name, rows in self._resident(parts, layout):
                task = self._task(name, fold_rows, name, rows, step, shared, task)
            return self._results([task])[0]

    def map(self, parts: Sequence[Partition], layout: ChunkLayout, function: Callable[..., Any], args: Any) -> Any:
        """Apply the function where the rows are, and bring the arrays home in order."""
        with explained():
            tasks = self._tasks(map_rows, parts, layout, function, args)
            return [result for results in self._results(tasks) for result in results]

    def find(
        self, parts: Sequence[Partition], layout: ChunkLayout, examine: Callable[..., Any], args: Any
    ) -> Found | None:
        """Examine the rows where they are."""
        with explained():
            before = 0
            for n, found in self._results(self._tasks(find_row, parts, layout, examine, args)):
                if found is not None:
                    place, row, what = found
                    return parts[before + place], row, what
                before += n
            return None

    def watch(self, chunks: Iterable[Chunk], layout: ChunkLayout, propagates: bool = False) -> Iterator[Chunk]:
        """There is nothing to look for."""
        yield from chunks

    def refuse_faults(self) -> None:
        """Everything is admitted."""

    def at_home(self, table: Any) -> LocalRunner:
        """Threads."""
        return LocalRunner()

    # --- tasks ----------------------------------------------------------------------------------------------

    def _tasks(self, work: Any, parts: Sequence[Partition], layout: ChunkLayout, function: Any, args: Any) -> Any:
        """The same work on every bundle."""
        shared = self._shared(args)
        resident = self._resident(parts, layout)
        return [self._task(name, work, name, rows, function, shared) for name, rows in resident]

    def _task(self, name: str, work: Callable[..., Any], *inputs: Any) -> Any:
        """A task under a key that is never used again and ends with the name of what it works on."""
        key = f"{work.__name__}-{self._token}-{next(self._serial)}{NAMED}{printable(name)}"
        return delayed(work, pure=False)(*inputs, dask_key_name=key)

    def _shared(self, value: Any) -> Any:
        """A value for many tasks: a small one goes with each of them, a large one is a task of its own."""
        small = len(dumps(value)) < SHARED_BYTES
        return value if small else self._task("the arguments of a pass", same, value)

    def _results(self, tasks: list[Any]) -> list[Any]:
        futures = self._client.compute(tasks)
        self._wait(futures)
        return list(self._client.gather(futures))

    def _wait(self, futures: Sequence[Any]) -> None:
        """Wait for as long as there are workers."""
        while True:
            try:
                with self._client.as_current():
                    wait(futures, timeout=self._patience)
                return
            except TimeoutError:
                self._workers()

    def _workers(self) -> dict[str, int]:
        """Threads of each worker by its address; waits a while for the first one."""
        if self._client.status != "running":
            raise ClusterError(f"the Dask client is {self._client.status}: {RECONNECT}")
        workers = self._client.nthreads()
        if not workers:
            try:
                self._client.wait_for_workers(1, timeout=self._patience)
            except TimeoutError:
                what = f"the cluster had no worker for {self._patience:g} seconds"
                raise ClusterError(f"{what}: start one and try again") from None
            workers = self._client.nthreads()
        return dict(workers)

    # --- rows in the workers' memory ------------------------------------------------------------------------

    def _resident(self, parts: Sequence[Partition], layout: ChunkLayout) -> list[tuple[str, Any]]:
        """Name and future of every bundle in order; what is not there yet, or was lost, is loaded."""
        workers = self._workers()
        mark = layout.mark
        before = self._placements.pop(mark, Placement({}, set(workers), BUNDLES))
        while len(self._placements) >= LAYOUTS:
            del self._placements[next(iter(self._placements))]
        limit = max(before.limit, PER_THREAD * sum(workers.values()))
        order = [(tuple(part.key for part in bundle), bundle) for bundle in bundled(parts, limit)]
        usable = {key: rows for key, rows in before.rows.items() if rows.status in ("pending", "finished")}
        loaded = self._load({key: bundle for key, bundle in order if key not in usable}, layout)
        rows = {key: usable.get(key) or loaded[key] for key, _ in order}
        if before.workers != set(workers):
            rows = self._spread(rows, workers)
        self._placements[mark] = Placement(rows, set(workers), limit)
        return [(name_of(bundle), rows[key]) for key, bundle in order]

    def _load(self, bundles: Mapping[Key, Bundle], layout: ChunkLayout) -> dict[Key, Any]:
        """Have bundles loaded; a Dask frame is computed by the workers, all else they read or are sent."""
        tasks = {}
        for key, bundle in bundles.items():
            parts, frames = [part.detached() for part in bundle], [part.awaited for part in bundle]
            tasks[key] = self._task(name_of(bundle), load, parts, frames, layout)
        if any(isinstance(part, MemoryPartition) for bundle in bundles.values() for part in bundle):
            return {key: self._client.compute(task) for key, task in tasks.items()}  # a message each
        return dict(zip(tasks, self._client.compute(list(tasks.values())), strict=True))

    def _spread(self, rows: dict[Key, Any], workers: Mapping[str, int]) -> dict[Key, Any]:
        """Move bundles from full workers to bare ones: by tasks, which can be run again like any other."""
        self._wait(list(rows.values()))
        where = self._client.who_has(list(rows.values()))
        holders = {key: list(where.get(future.key, ())) for key, future in rows.items()}
        spread = dict(rows)
        for key, worker in evenly(holders, workers).items():
            if holders[key] != [worker]:  # elsewhere, or in copies, of which Dask would drop any
                task = self._task(name_in(rows[key].key), same, rows[key])
                spread[key] = self._client.compute(task, workers=[worker], allow_other_workers=True)
        return spread


@dataclass(frozen=True, slots=True)
class Placement:
    """Futures of the bundles of one layout, and how they were spread and cut."""

    rows: dict[Key, Any]
    workers: set[str]  # among which they were spread
    limit: int  # bundles aimed for; never lowered, lest rows be loaded again when a worker goes


@dataclass(frozen=True, slots=True)
class Branch:
    """A sum that is yet to be computed, so that `tree_sum` plans the very tree that it walks at home."""

    task: Any

    def __add__(self, other: Self) -> Self:
        return type(self)(delayed(add, pure=False)(self.task, other.task))


# --- what is decided before anything is sent ----------------------------------------------------------------


def bundled(parts: Sequence[Partition], limit: int) -> list[Bundle]:
    """Cut partitions into runs of 2ᵏ, no more than a limit of them unless they are full.

    >>> bundled("abcdefg", limit=4)
    ['ab', 'cd', 'ef', 'g']
    """
    size = 1
    while size < BUNDLE_SIZE and size * limit < len(parts):
        size *= 2
    return [parts[start : start + size] for start in range(0, len(parts), size)]


def name_of(bundle: Bundle) -> str:
    """The partition, or the first and the last one."""
    first, last = bundle[0].name, bundle[-1].name
    return first if len(bundle) == 1 else f"one of {len(bundle)} partitions, {first} to {last},"


def evenly(holders: Mapping[Key, Sequence[str]], threads: Mapping[str, int]) -> dict[Key, str]:
    """A worker for each bundle that someone holds: as few moves as it takes until none has more than it must.

    >>> evenly({("x",): ["a"], ("y",): ["a"], ("z",): ["a"]}, {"a": 2, "b": 1})
    {('x',): 'a', ('y',): 'a', ('z',): 'b'}
    """
    keys_of: dict[str, list[Key]] = {worker: [] for worker in threads}

    def share(worker: str, more: int = 0) -> float:
        return (len(keys_of[worker]) + more) / threads[worker]

    for key in sorted(holders, key=lambda key: len(holders[key])):  # those in several places come last
        if there := [worker for worker in holders[key] if worker in keys_of]:
            keys_of[min(there, key=share)].append(key)
    while True:
        full, bare = max(keys_of, key=share), min(keys_of, key=share)
        if not keys_of[full] or share(full, -1) < share(bare, 1):
            return {key: worker for worker, keys in keys_of.items() for key in keys}
        keys_of[bare].append(keys_of[full].pop())


# --- what workers do ----------------------------------------------------------------------------------------


def load(parts: Bundle, frames: Sequence[Any], layout: ChunkLayout) -> Rows:
    """Lay out the rows of a bundle."""
    rows = []
    for part, frame in zip(parts, frames, strict=True):
        if frame is not None:
            part.receive(frame)
        with at_work(part.name):
            rows.append(list(layout.chunks(part)))
    return rows


def observe_rows(name: str, rows: Rows, observe: Callable[..., S], args: Any) -> S:
    """Add within each partition first, as a thread does at home."""
    with at_work(name):
        return tree_sum(tree_sum(observe(chunk, *args) for chunk in chunks) for chunks in rows)


def fold_rows(name: str, rows: Rows, step: Callable[..., T], args: Any, state: T) -> T:
    """Take the chunks in order."""
    with at_work(name):
        for chunk in (chunk for chunks in rows for chunk in chunks):
            state = step(state, chunk, *args)
    return state


def map_rows(name: str, rows: Rows, function: Callable[..., Any], args: Any) -> list[Any]:
    """Give the function's array for each chunk."""
    with at_work(name):
        return [function(chunk, *args) for chunks in rows for chunk in chunks]


def find_row(name: str, rows: Rows, examine: Callable[..., Any], args: Any) -> tuple[int, Any]:
    """How many partitions there are, and the place of the first that holds something, its row and what it is."""
    with at_work(name):
        places = ((place, first_row(chunks, examine, args)) for place, chunks in enumerate(rows))
        return len(rows), next(((place, *found) for place, found in places if found is not None), None)


def add(left: S, right: S) -> S:
    """Add two statistics."""
    with at_work("a sum of statistics"):
        return left + right


def same(value: T) -> T:
    """Give the value itself: a task that brings it to where the task runs."""
    return value


@contextmanager
def at_work(name: str) -> Iterator[None]:
    """Work with one thread, for the tasks are the parallelism; name what the machine refuses."""
    try:
        with one_blas_thread(), one_numba_thread():
            yield
    except MemoryError as error:
        raise ClusterError(f"{name} does not fit into a worker's memory: {SMALLER}") from error
    except OSError as error:
        raise ClusterError(f"a worker cannot read {name} ({error}): every worker must see it") from error


@contextmanager
def one_numba_thread() -> Iterator[None]:
    """Hold Numba to one thread, if anything has loaded it."""
    if "numba" not in sys.modules:
        yield
        return
    import numba  # waits where another thread is still loading it

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


@sizeof.register(Chunk)
def bytes_of(chunk: Chunk) -> int:
    """Tell Dask what a chunk weighs, lest it take moving one for free."""
    return chunk.nbytes


# --- what goes wrong ----------------------------------------------------------------------------------------

NAMED = ": "
SMALLER = "write smaller row groups or files, or give the workers more memory"
RECONNECT = "connect a client and call table.on(client)"


def name_in(key: Any) -> str:
    """What a task works on, by its key."""
    return str(key).partition(NAMED)[2] or f"the task {key}"


@contextmanager
def explained() -> Iterator[None]:
    """Say in one sentence what has become of the cluster; errors of tasks come as they are."""
    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"{name_in(error.task)} brought down {error.allowed_failures + 1} workers one after the other, "
            f"most likely by the memory that it takes: {SMALLER}"
        ) from error
    except CancelledError as error:
        gone = "the cluster dropped the pass, as when its scheduler dies or is closed"
        raise ClusterError(f"{gone}: {RECONNECT}") from error
    except (CommClosedError, ClosedClientError) as error:
        raise ClusterError(f"the cluster is gone ({error}): {RECONNECT}") from error
