"""Boosting on a cluster has the bits of boosting at home, also where a worker is killed."""

import os
import signal

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.ensemble import GradientBoostingClassifier
from novacula.ensemble.boosting import coded_table

SETTINGS = {"max_iter": 6, "min_samples_leaf": 5, "subsample": 0.8, "random_state": 0}


@pytest.mark.parametrize("class_weight", [None, {"no": 1.0, "yes": 3.0}])
def test_a_killed_worker_changes_no_bit(class_weight, mortals, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=400), "c": rng.choice(list("pqr"), 400)})
    frame["y"] = np.where((frame.a > 0) ^ (frame.c == "p"), "yes", "no")
    for i in range(4):
        frame[100 * i : 100 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet")
    table = nv.read(str(tmp_path / "*.parquet"), target="y")
    here = GradientBoostingClassifier(class_weight=class_weight, **SETTINGS).fit(table)
    mark, home, records = tmp_path / "killed", os.getpid(), coded_table.coded_records

    def records_or_death(chunk, binned):
        assert os.getpid() != home  # no row is coded in this process
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return records(chunk, binned)

    monkeypatch.setattr(coded_table, "coded_records", records_or_death)
    there = GradientBoostingClassifier(class_weight=class_weight, **SETTINGS).fit(table.on(mortals))
    mortals.wait_for_workers(2, timeout=30)
    assert mark.exists()
    for name, array in vars(here.trees_).items():
        if not name.startswith("_"):
            np.testing.assert_array_equal(array, getattr(there.trees_, name), err_msg=name)
    np.testing.assert_array_equal(here.constant_, there.constant_)
    np.testing.assert_array_equal(here.predict_proba(table), there.predict_proba(table))
