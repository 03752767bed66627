"""Kills a worker of a cluster at drawn moments of a fit, and compares the model with that of a fit at home.

    python tests/faults/cluster_moments.py 30 0        how many moments, a seed

A moment is a line of the library that the worker is about to run for a task, drawn evenly from those that it runs in a
fit left in peace. The scheduler gives tasks to whoever is free, so a worker may come to have fewer: then it lives.
"""

import json
import os
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from moments import ONE, follow_tasks, lines_of_tasks

import novacula as nv
from novacula.learner.files import content_of


def write_rows(folder: Path) -> str:
    """Files of two clusters, each of which is a partition; gives the glob that finds them."""
    draw = np.random.default_rng(0)
    for i in range(8):
        rows = draw.normal(size=(60, 3)) + np.repeat([[0.0], [3.0]], 30, axis=0)
        pd.DataFrame(rows, columns=list("abc")).to_parquet(folder / f"{i}.parquet")
    return str(folder / "*.parquet")


def fit(table: Any) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return b"".join(content_of(nv.mixture.GaussianMixture(3, random_state=0, max_iter=12).fit(table)))


def fit_on_cluster(table: Any, last: int) -> tuple[bytes, int]:
    """The model of a fit during which one of two workers dies; and how many lines it has run, 0 if it did die."""
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    forked = {"distributed.worker.multiprocessing-method": "forkserver"}  # which imports once for all workers
    with dask.config.set(forked), LocalCluster(**options) as cluster, Client(cluster) as client:
        victim = min(client.scheduler_info()["workers"])
        client.run(follow_tasks, last, workers=[victim])
        model = fit(table.on(client))
        return model, client.run(lines_of_tasks).get(victim, 0)


def campaign(moments: int, seed: int) -> dict[str, int]:
    """Kill and compare; says how many workers were killed, and how many models were others."""
    draw, killed, wrong = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        table = nv.read(write_rows(Path(folder)))
        expected = fit(table)
        model, lines = fit_on_cluster(table, 0)
        assert model == expected
        for _ in range(moments):
            model, lived = fit_on_cluster(table, draw.randrange(1, lines + 1))
            killed += lived == 0
            wrong += model != expected
    return {"moments": moments, "killed": killed, "wrong": wrong, "lines": lines}


if __name__ == "__main__":
    os.environ.update(ONE)
    moments, seed = map(int, sys.argv[1:])
    sys.stdout.write(json.dumps({"scenario": "cluster", **campaign(moments, seed)}) + "\n")
