"""A cluster gives the bits of a stream, whatever the rows come from."""

from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_work import decayed, doubled, first_column, parquet, sums, sums_of_all, threads_seen, wild
from distributed import Client

import novacula as nv
from novacula.table.cluster import bundled
from novacula.table.frames import DaskPartition
from novacula.table.parallel import tree_sum
from novacula.table.table import Table


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut what is in memory every 64 rows, the least there is."""
    monkeypatch.setattr("novacula.table.source.CHUNK_BYTES", 1)


def assert_same_bits(table: Table, client: Client, partitions: int) -> None:
    """Every pass on the cluster must give what it gives at home; and another order of adding would show."""
    assert len(table.source.partitions()) == partitions
    there = table.on(client)
    here = table.reduce(sums, 0.1)
    assert np.array_equal(there.reduce(sums, 0.1), here)
    assert not np.array_equal(reduce(add, [sums(chunk, 0.1) for chunk in table.chunks()]), here)
    assert np.array_equal(there.map(first_column), table.map(first_column))
    assert np.array_equal(there.fold(decayed, 0.0, 0.7), table.fold(decayed, 0.0, 0.7))


def test_parquet(client: Client, tmp_path: Path) -> None:
    assert_same_bits(nv.read(parquet(tmp_path)), client, 11)


def test_csv(client: Client, tmp_path: Path) -> None:
    for i in range(7):
        wild(40, seed=i).to_csv(tmp_path / f"{i}.csv", index=False)
    assert_same_bits(nv.read(str(tmp_path / "*.csv")), client, 7)


@pytest.mark.usefixtures("small_blocks")
def test_array(client: Client) -> None:
    assert_same_bits(nv.read(wild(640).to_numpy()), client, 10)


@pytest.mark.usefixtures("small_blocks")
def test_frame(client: Client) -> None:
    assert_same_bits(nv.read(wild(700)), client, 11)


def test_dask_frame(client: Client) -> None:
    import dask.dataframe as dd

    assert_same_bits(nv.read(dd.from_pandas(wild(600), npartitions=6)), client, 6)


def test_persisted_dask_frame_stays_with_the_workers(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask.dataframe as dd

    frame = wild(600)
    table = nv.read(dd.from_pandas(frame, npartitions=6).persist())
    monkeypatch.setattr(DaskPartition, "chunks", None)  # so that nobody can compute it in this process
    assert np.array_equal(table.on(client).map(first_column), frame["c0"].to_numpy())


def test_many_partitions_go_in_bundles(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novacula.table.cluster.BUNDLES", 3)
    monkeypatch.setattr("novacula.table.cluster.PER_THREAD", 1)
    table = nv.read(parquet(tmp_path))
    there = table.on(client)
    there.reduce(sums)
    named = [key.partition(": ")[2] for key in client.futures if str(tmp_path) in key]
    assert sorted(name[:19] for name in named) == ["one of 3 partitions", *2 * ["one of 4 partitions"]]
    assert_same_bits(table, client, 11)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 64])
def test_bundles_are_branches_of_the_tree(limit: int) -> None:
    values = wild(70, 1)["c0"].tolist()
    for n in range(1, len(values) + 1):
        whole: Any = values[:n]
        assert tree_sum(tree_sum(bundle) for bundle in bundled(whole, limit)) == tree_sum(whole)
        assert [value for bundle in bundled(whole, limit) for value in bundle] == whole


def test_file_that_is_listed_twice_counts_twice(client: Client, tmp_path: Path) -> None:
    path = parquet(tmp_path, files=1)
    assert len(nv.read([path, path]).on(client).map(first_column)) == 100


def test_large_arguments(client: Client, tmp_path: Path) -> None:
    table = nv.read(parquet(tmp_path))
    scales = np.random.default_rng(1).normal(size=(1000, 20))  # 160 kB
    assert np.array_equal(table.on(client).reduce(sums_of_all, scales), table.reduce(sums_of_all, scales))


def test_threads_instead_of_processes(start: Any, tmp_path: Path) -> None:
    with start(processes=False) as client:
        assert_same_bits(nv.read(parquet(tmp_path)), client, 11)


def test_one_thread_of_blas_and_numba(client: Client, tmp_path: Path) -> None:
    there = nv.read(parquet(tmp_path)).on(client)
    outside = [[[2, 2]], [[2, 2]]]
    assert [seen.tolist() for seen in client.run(threads_seen).values()] == outside
    assert np.array_equal(np.unique(there.map(threads_seen)), [1])
    assert [seen.tolist() for seen in client.run(threads_seen).values()] == outside


@pytest.mark.parametrize("kind", ["files", "dask"])
def test_expanded(client: Client, tmp_path: Path, kind: str) -> None:
    import dask.dataframe as dd

    table = nv.read(parquet(tmp_path) if kind == "files" else dd.from_pandas(wild(600), npartitions=6))
    seen = table.expanded(doubled, [f"2·{column.name}" for column in table.layout.of_kind("numeric")])
    assert_same_bits(seen, client, len(table.source.partitions()))
    assert np.array_equal(seen.on(client).map(first_column), 2 * table.map(first_column))
