"""What the tests send to workers by name, as a learner's functions are, and the data that they run over."""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from novacula.table.chunk import Chunk
from novacula.table.schema import Schema
from novacula.table.source import Partition, Source


def wild(rows: int, columns: int = 20, seed: int = 0) -> pd.DataFrame:
    """Numbers of different sizes, so that another order of adding gives other bits."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, columns)) * 10.0 ** rng.uniform(-2, 2, size=(rows, columns))
    return pd.DataFrame(values, columns=[f"c{j}" for j in range(columns)])


def parquet(folder: Path, files: int = 11, rows: int = 50) -> str:
    """Write Parquet files, each of which is a partition; gives the glob that finds them in order."""
    for i in range(files):
        wild(rows, seed=i).to_parquet(folder / f"{i:02}.parquet")
    return str(folder / "*.parquet")


# --- observing ----------------------------------------------------------------------------------------------


def sums(chunk: Chunk, scale: Any = 1.0) -> Any:
    return (chunk.numeric * scale).sum(axis=0)


def slow_sums(chunk: Chunk, scale: Any, seconds: float) -> Any:
    time.sleep(seconds)
    return sums(chunk, scale)


BEGUN, OVER = threading.Event(), threading.Event()


def held_sums(chunk: Chunk) -> Any:
    """Say that it is under way, and end when told to; for workers that are threads of the tests' process."""
    BEGUN.set()
    OVER.wait(60)
    return sums(chunk)


def sums_of_all(chunk: Chunk, scales: Any) -> Any:
    return sum(sums(chunk, scale) for scale in scales)


def divided(chunk: Chunk) -> float:
    return 1 / (len(chunk) - len(chunk))


def first_column(chunk: Chunk) -> Any:
    return chunk.numeric[:, 0]


def doubled(chunk: Chunk) -> Any:
    return 2 * chunk.numeric


def decayed(state: Any, chunk: Chunk, rate: float) -> Any:
    """A state that tells in which order it saw the chunks."""
    return rate * state + chunk.numeric.sum(axis=0)


# --- threads ------------------------------------------------------------------------------------------------


def threads_seen(chunk: Chunk | None = None) -> Any:
    """Threads of BLAS and of Numba, as one row."""
    import numba
    from threadpoolctl import threadpool_info

    blas = max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
    return np.array([[blas, numba.get_num_threads()]])


# --- loading ------------------------------------------------------------------------------------------------


class Watched(Source):
    """A source that notes each load in a folder; one partition suffers what a flag in the folder says."""

    def __init__(self, inner: Source, folder: Path, victim: str = "") -> None:
        self.inner, self.folder, self.victim = inner, folder, victim
        self.name = inner.name

    def arrow_schema(self) -> Any:
        return self.inner.arrow_schema()

    def partitions(self) -> Sequence[Partition]:
        return [WatchedPartition(part, self.folder, self.victim) for part in self.inner.partitions()]

    def loads(self) -> list[str]:
        """Names of the partitions that were loaded since this was asked last, sorted."""
        notes = list(self.folder.glob("*.load"))
        names = sorted(note.read_text() for note in notes)
        for note in notes:
            note.unlink()
        return names


class WatchedPartition(Partition):
    def __init__(self, inner: Partition, folder: Path, victim: str) -> None:
        self.inner, self.folder, self.victim = inner, folder, victim
        self.name, self.key = inner.name, inner.key

    def batches(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        return self.inner.batches(*args, **kwargs)

    def chunks(self, schema: Schema, unseen: Any) -> Iterator[Chunk]:
        (self.folder / f"{time.monotonic_ns()}-{os.getpid()}.load").write_text(self.name)
        flag = self.folder / "flag"
        if self.name == self.victim and flag.exists():
            suffer(flag.read_text())
        yield from self.inner.chunks(schema, unseen)


def suffer(what: str) -> None:
    """What can befall a worker at a partition."""
    if what == "die":
        os._exit(1)
    if what == "grow":  # slowly enough for the nanny, which looks ten times a second
        held = []
        while True:
            held.append(np.ones(1 << 20))
            time.sleep(0.01)
    raise {"refuse": MemoryError(), "miss": FileNotFoundError(2, "No such file or directory")}[what]
