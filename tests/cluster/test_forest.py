"""Forests are grown on the workers of a cluster, with the bits of one at home, also where a worker is killed."""

import os
import signal

import numpy as np
import pandas as pd

import novacula as nv
from novacula.ensemble import RandomForestClassifier
from novacula.ensemble.forest.growing import Forester


def test_a_killed_worker_changes_no_tree(mortals, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=400), "c": rng.choice(list("pqr"), 400)})
    frame["y"] = np.where((frame.a > 0) ^ (frame.c == "p"), "yes", "no")
    for i in range(4):
        frame[100 * i : 100 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet")
    table = nv.read(str(tmp_path / "*.parquet"), target="y")
    here = RandomForestClassifier(n_estimators=40).fit(table)
    before, mark, home = set(mortals.run(os.getpid).values()), tmp_path / "killed", os.getpid()
    grow = Forester.grow

    def grow_or_die(self, tree):
        assert os.getpid() != home  # none is grown in this process
        if tree == 20 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return grow(self, tree)

    monkeypatch.setattr(Forester, "grow", grow_or_die)
    there = RandomForestClassifier(n_estimators=40).fit(table.on(mortals))
    mortals.wait_for_workers(2, timeout=30)
    assert mark.exists()
    assert set(mortals.run(os.getpid).values()) != before
    for name, array in vars(here.trees_).items():
        if not name.startswith("_"):
            np.testing.assert_array_equal(array, getattr(there.trees_, name), err_msg=name)
