"""Clusters on the loopback: two processes of one thread each, under nannies, gone when the tests are."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

pytest.importorskip("distributed")

import dask
from distributed import Client, LocalCluster

# Workers take over this process's path, so they find by name what the tests send them.
sys.path.insert(0, str(Path(__file__).parent))

Start: TypeAlias = Callable[..., AbstractContextManager[Client]]

SETTINGS = {
    "distributed.comm.timeouts.connect": "30s",
    # Workers are forked from a process that has imported what they need, which takes most of the time of a start.
    "distributed.worker.multiprocessing-method": "forkserver",
    # On a busy machine a worker may take longer than the usual 15 s to come back; then its nanny is dismissed.
    "distributed.deploy.lost-worker-timeout": "100s",
    # Two threads in every worker on any machine, so that it shows when a task is held to one.
    "distributed.nanny.pre-spawn-environ.OPENBLAS_NUM_THREADS": 2,
    "distributed.nanny.pre-spawn-environ.NUMBA_NUM_THREADS": 2,
}


@contextmanager
def local_client(**options: Any) -> Iterator[Client]:
    """A client of a new cluster, of which the check of every test finds what is left in the end."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, **options}
    options |= {"host": "127.0.0.1"} if options["processes"] else {}
    with (
        dask.config.set(SETTINGS),
        LocalCluster(dashboard_address="127.0.0.1:0", **options) as cluster,
        Client(cluster, timeout="30s") as client,
    ):
        yield client
    client._loop_runner.stop()  # Dask leaves its thread running where the scheduler was the first to go


@pytest.fixture(scope="session")
def start() -> Start:
    """Starts a cluster of its own for a test."""
    return local_client


@pytest.fixture(scope="package")
def client() -> Iterator[Client]:
    """Two workers that no test harms."""
    with local_client() as client:
        yield client


@pytest.fixture(scope="module")
def mortals() -> Iterator[Client]:
    """Two workers that tests may kill; their nannies start them again."""
    with local_client() as client:
        yield client
