"""Rows are loaded once, loaded anew when they changed, and spread among the workers that are there."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_work import Watched, first_column, parquet, sums, wild
from dask.sizeof import sizeof
from distributed import Client

import novacula as nv
from novacula.table.chunk import Chunk
from novacula.table.cluster import evenly
from novacula.table.table import Table


@pytest.fixture
def watched(tmp_path: Path) -> tuple[Table, Watched]:
    """Six files, and the source that counts their loads."""
    table = nv.read(parquet(tmp_path, files=6))
    source = Watched(table.source, tmp_path)
    return Table(source, table.layout), source


def test_rows_are_loaded_once(client: Client, watched: Any) -> None:
    table, source = watched
    there = table.on(client)
    passes = [there.reduce(sums, scale) for scale in (1.0, 2.0)]
    there.map(first_column)
    assert there.schema["c0"].missing == 0  # what is counted of columns does not change their layout
    there.drop([]).reduce(sums)
    assert source.loads() == [part.name for part in source.partitions()]
    assert np.array_equal(passes[1], table.reduce(sums, 2.0))


def test_changed_file_is_loaded_anew(client: Client, watched: Any, tmp_path: Path) -> None:
    table, source = watched
    there = table.on(client)
    there.reduce(sums)
    assert len(source.loads()) == 6
    wild(60, seed=9).to_parquet(tmp_path / "03.parquet")
    again = nv.read(str(tmp_path / "*.parquet"))
    changed = Table(Watched(again.source, tmp_path), there.layout, runner=there.runner).reduce(sums)
    assert source.loads() == [again.source.partitions()[3].name]
    assert np.array_equal(changed, again.reduce(sums))


def test_two_layouts_stay(client: Client, watched: Any) -> None:
    table, source = watched
    there = table.on(client)
    for columns, loads in [("c0", 6), ("c1", 6), ("c0", 0), ("c1", 0), ("c2", 6), ("c1", 0), ("c0", 6)]:
        assert np.array_equal(there.select(columns).reduce(sums), table.select(columns).reduce(sums))
        found = source.loads()
        assert len(found) == loads + 6, columns  # the stream at home reads all six


def test_rows_go_with_the_runner(client: Client, watched: Any, tmp_path: Path) -> None:
    def resident() -> int:
        return sum(key.startswith("load-") and str(tmp_path) in key for key in client.futures)

    table, _ = watched
    there = table.on(client)
    there.reduce(sums)
    assert resident() == 6
    del there
    deadline = time.monotonic() + 60
    while resident() and time.monotonic() < deadline:  # Dask lets go of futures in its own thread
        time.sleep(0.01)
    assert resident() == 0


@pytest.mark.parametrize(
    ("held", "threads", "after", "moved"),
    [
        ({"a": 6, "b": 0}, {"a": 1, "b": 1}, {"a": 3, "b": 3}, 3),
        ({"a": 7, "b": 0}, {"a": 1, "b": 1}, {"a": 4, "b": 3}, 3),
        ({"a": 9, "b": 0}, {"a": 1, "b": 2}, {"a": 3, "b": 6}, 6),
        ({"a": 4, "b": 4, "c": 0, "d": 0}, dict.fromkeys("abcd", 1), dict.fromkeys("abcd", 2), 4),
        ({"a": 1, "b": 0}, {"a": 1, "b": 1}, {"a": 1, "b": 0}, 0),
        ({"a": 0, "b": 0}, {"a": 1, "b": 1}, {"a": 0, "b": 0}, 0),
        ({"a": 2, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 1}, 0),
        ({"ab": 4, "a": 2}, {"a": 1, "b": 1}, {"a": 3, "b": 3}, 0),  # four are in both workers
        ({"gone": 2, "": 1, "a": 2}, {"a": 1}, {"a": 2}, 0),  # three nobody has
    ],
)
def test_bundles_are_spread_evenly(
    held: dict[str, int], threads: dict[str, int], after: dict[str, int], moved: int
) -> None:
    holders = {(f"{who}{i}",): [who] if who == "gone" else list(who) for who in held for i in range(held[who])}
    places = evenly(holders, threads)
    assert {worker: list(places.values()).count(worker) for worker in threads} == after
    assert sum(worker not in holders[key] for key, worker in places.items()) == moved


def test_dask_knows_what_chunks_weigh() -> None:
    chunk = Chunk(np.zeros((1000, 5)), np.zeros((1000, 2), np.int32), np.ones(1000))
    assert sizeof([[chunk, chunk]]) > 2 * 8 * 1000 * 7
