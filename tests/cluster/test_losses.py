"""Workers die, memory ends, files are missing: no digit changes, or one sentence says what and where."""

import asyncio
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_work import BEGUN, OVER, Watched, divided, held_sums, parquet, slow_sums, sums, wild
from distributed import Client

import novacula as nv
from novacula.errors import ClusterError, DataError, InputTypeError, ParameterError
from novacula.learner.fit_journal import FitJournal
from novacula.linear import LinearRegression
from novacula.mixture import KMeans
from novacula.table.cluster import ClusterRunner
from novacula.table.table import Table


def pids(client: Client) -> set[int]:
    return set(client.run(os.getpid).values())


def test_killed_worker_changes_no_digit(mortals: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two workers is killed in the second of four passes, each of which builds on the last one."""
    monkeypatch.setattr("novacula.table.source.CHUNK_BYTES", 1)  # blocks of 64 rows
    table, array = nv.read(parquet(tmp_path, files=12)), nv.read(wild(640).to_numpy())
    there, array_there, before = table.on(mortals), array.on(mortals), pids(mortals)
    array_there.reduce(sums)
    here = far = np.ones(20)
    for turn in range(4):
        if turn == 1:
            killer = threading.Timer(0.3, os.kill, (min(before), signal.SIGKILL))
            killer.start()
        far = np.tanh(there.reduce(slow_sums, far, 0.1)) + 0.1
        here = np.tanh(table.reduce(slow_sums, here, 0.0)) + 0.1
        assert np.array_equal(far, here), turn
    killer.join()
    mortals.wait_for_workers(2, timeout=30)
    assert min(before) not in pids(mortals)
    assert np.array_equal(there.reduce(sums), table.reduce(sums))
    assert min(bundles_held(mortals, "parquet")) >= 4
    assert np.array_equal(array_there.reduce(sums), array.reduce(sums))
    assert min(bundles_held(mortals, "the array")) >= 3


def bundles_held(client: Client, name: str) -> list[int]:
    """How many of the bundles of a table each worker has; Dask itself may move one or two meanwhile."""
    return [sum(name in key for key in keys) for keys in client.has_what().values()]


def test_worker_that_joins_gets_rows(start: Any, tmp_path: Path) -> None:
    table = nv.read(parquet(tmp_path))
    with start(n_workers=1, processes=False) as client:
        there = table.on(client)
        there.reduce(sums)
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=10)
        assert np.array_equal(there.reduce(sums), table.reduce(sums))
        assert min(bundles_held(client, "parquet")) >= 4


@pytest.fixture
def endangered(tmp_path: Path) -> Table:
    """Four files; loading the third does what the file `flag` says."""
    table = nv.read(parquet(tmp_path, files=4))
    victim = table.source.partitions()[2].name
    assert str(tmp_path / "02.parquet") in victim
    return Table(Watched(table.source, tmp_path, victim), table.layout)


def third_file(folder: Path) -> str:
    return re.escape(str(folder / "02.parquet"))


def test_partition_that_kills_workers_is_named(mortals: Client, endangered: Table, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flag.write_text("die")
    there = endangered.on(mortals)
    with pytest.raises(ClusterError, match=f"{third_file(tmp_path)}.*brought down 4 workers.*smaller row groups"):
        there.reduce(sums)
    flag.unlink()  # as if there were more memory now
    assert np.array_equal(there.reduce(sums), endangered.reduce(sums))


@pytest.mark.slow
def test_partition_that_outgrows_memory_is_named(start: Any, endangered: Table, tmp_path: Path) -> None:
    (tmp_path / "flag").write_text("grow")
    with start(memory_limit="600MB") as client, pytest.raises(ClusterError, match=third_file(tmp_path)):
        endangered.on(client).reduce(sums)


@pytest.mark.parametrize(
    ("befalls", "sentence"),
    [
        ("refuse", "{} .*does not fit into a worker's memory: write smaller row groups"),
        ("miss", "a worker cannot read {} .*: every worker must see it"),
    ],
    ids=["memory", "file"],
)
def test_refusal_names_the_partition(
    client: Client, endangered: Table, tmp_path: Path, befalls: str, sentence: str
) -> None:
    flag = tmp_path / "flag"
    flag.write_text(befalls)
    there = endangered.on(client)
    with pytest.raises(ClusterError, match=sentence.format(third_file(tmp_path))):
        there.reduce(sums)
    flag.unlink()
    assert np.array_equal(there.reduce(sums), endangered.reduce(sums))


def test_error_in_a_file_is_that_of_the_stream(client: Client, tmp_path: Path) -> None:
    for i in range(3):
        (tmp_path / f"{i}.csv").write_text("a,b\n1,2\n3,four\n" if i == 1 else "a,b\n1,2\n3,4\n")
    table = nv.read(str(tmp_path / "*.csv"))
    numeric = Table(table.source, table.layout.with_columns([replace(table.layout["b"], kind="numeric")]))
    with pytest.raises(DataError, match=r"1\.csv.*'b'") as here:
        numeric.reduce(sums)
    for run in (numeric.on(client).reduce, numeric.on(client).map):
        with pytest.raises(DataError) as there:
            run(sums)
        assert str(there.value) == str(here.value)


def test_error_of_a_learner_comes_as_it_is(client: Client, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        nv.read(parquet(tmp_path, files=1)).on(client).reduce(divided)


def test_no_workers(start: Any, tmp_path: Path) -> None:
    table = nv.read(parquet(tmp_path, files=1))
    with start(n_workers=0) as client:
        runner = ClusterRunner(client, patience=0.2)
        with pytest.raises(ClusterError, match=r"no worker for 0\.2 seconds"):
            Table(table.source, table.layout, runner=runner).reduce(sums)


def test_last_worker_leaves(start: Any, tmp_path: Path) -> None:
    table = nv.read(parquet(tmp_path, files=1))
    with start(n_workers=1, processes=False) as client:
        there = Table(table.source, table.layout, runner=ClusterRunner(client, patience=0.5))
        leaver = threading.Thread(target=lambda: BEGUN.wait() and client.cluster.scale(0))
        leaver.start()
        try:
            with pytest.raises(ClusterError, match=r"no worker for 0\.5 seconds"):
                there.reduce(held_sums)
        finally:
            BEGUN.set()
            OVER.set()
            leaver.join()


def test_closed_cluster_and_client(start: Any, tmp_path: Path) -> None:
    with start(n_workers=1, processes=False) as client:
        there = nv.read(parquet(tmp_path, files=1)).on(client)
        there.reduce(sums)
        client.cluster.close()
        began = time.monotonic()
        with pytest.raises(ClusterError, match=r"call table.on\(client\)"):
            there.reduce(sums)
        client.close()
        with pytest.raises(ClusterError, match=r"the Dask client is closed: connect a client"):
            there.reduce(sums)
        assert time.monotonic() - began < 20


@pytest.fixture
def lone_scheduler(tmp_path: Path) -> Iterator[tuple[Client, subprocess.Popen[bytes]]]:
    """A client of a scheduler that is a process of its own, and that process."""
    place, here = tmp_path / "scheduler.json", ["--host", "127.0.0.1", "--no-dashboard"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    commands = (
        ("distributed.cli.dask_scheduler", "--port", "0"),
        ("distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1"),
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", *command, *here, "--scheduler-file", str(place)], env=env, stderr=subprocess.DEVNULL
        )
        for command in commands
    ]
    try:
        wait_until(place.exists)
        with Client(scheduler_file=str(place), timeout="60s") as client:
            client.wait_for_workers(1, timeout=60)
            yield client, processes[0]
        client._loop_runner.stop()  # Dask leaves its thread running where the scheduler was the first to go
    finally:
        for process in processes:
            process.kill()
            process.wait()


def wait_until(event: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not event():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_killed_scheduler_is_said_in_one_sentence(lone_scheduler: Any, tmp_path: Path) -> None:
    client, scheduler = lone_scheduler
    table = nv.read(parquet(tmp_path, files=6))
    there = Table(Watched(table.source, tmp_path), table.layout).on(client)

    def kill() -> None:
        wait_until(lambda: any(tmp_path.glob("*.load")))
        scheduler.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(ClusterError) as fault:
        there.reduce(slow_sums, 1.0, 1.0)
    killer.join()
    gone = "the cluster dropped the pass, as when its scheduler dies or is closed"
    assert str(fault.value) == f"{gone}: connect a client and call table.on(client)"
    with pytest.raises(ClusterError, match=r"^the Dask client is \w+: connect a client and call table\.on\(client\)$"):
        there.reduce(sums)


def test_only_a_client_will_do(client: Client, tmp_path: Path) -> None:
    table = nv.read(parquet(tmp_path, files=1))
    with pytest.raises(InputTypeError, match="not a str"):
        table.on("tcp://127.0.0.1:8786")

    async def asynchronous() -> None:
        async with Client(client.scheduler.address, asynchronous=True) as other:
            table.on(other)

    with pytest.raises(ParameterError, match="asynchronous=False"):
        asyncio.run(asynchronous())


def test_model_is_the_same_and_carries_no_cluster_away(client: Client, tmp_path: Path) -> None:
    table = nv.read(parquet(tmp_path, files=5), target="c0")
    there = table.on(client)
    with pytest.raises(InputTypeError, match="cannot be pickled"):
        pickle.dumps(there)
    model = pickle.loads(pickle.dumps(LinearRegression().fit(there)))
    assert np.array_equal(model.coef_, LinearRegression().fit(table).coef_)


def test_killed_workers_and_a_killed_leader_change_no_digit_of_a_fit_with_checkpoints(
    mortals: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is killed after a drawn pass of each life, and the leader gives up after another one."""
    draw = np.random.default_rng(5)
    table = nv.read(parquet(tmp_path, files=4))
    table = table.select(list(table.layout.names[:3]))
    model = KMeans(3, max_iter=6, tol=0.0)
    expected = model.fit(table).cluster_centers_
    keep, made, fatal = FitJournal._keep, [0], [0, 0]

    def kept(journal: FitJournal, *pass_: Any) -> None:
        keep(journal, *pass_)
        made[0] += 1
        if made[0] == fatal[0]:
            os.kill(min(pids(mortals)), signal.SIGKILL)
        if made[0] == fatal[1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(FitJournal, "_keep", kept)
    made[0], fatal[:] = 0, [int(draw.integers(1, 3)), 3]
    with pytest.raises(KeyboardInterrupt), nv.checkpoint(tmp_path / "kept", every=0):
        KMeans(3, max_iter=6, tol=0.0).fit(table.on(mortals))
    made[0], fatal[:] = 0, [1, 0]
    with nv.checkpoint(tmp_path / "kept", every=0):
        again = KMeans(3, max_iter=6, tol=0.0).fit(table.on(mortals))
    assert again.cluster_centers_.tobytes() == expected.tobytes()
    assert made[0] > 0
    mortals.wait_for_workers(2, timeout=60)
