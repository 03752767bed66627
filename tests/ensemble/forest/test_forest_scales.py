"""Forests from memory and from files, in model files, and their derivations."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.checks.state import require_refused
from novacula.checks.trace import unproved_fields
from novacula.checks.work import check_work
from novacula.ensemble import RandomForestClassifier, RandomForestRegressor


def rows(n=200, gaps=0.1):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=n), "c": rng.choice(list("pqrst"), n), "b": rng.normal(size=n)})
    frame["y"] = np.where(frame.c.isin(["p", "t"]), 2.0, 0.0) + frame.a + 0.1 * rng.normal(size=n)
    frame.loc[rng.random(n) < gaps, "a"] = None
    frame.loc[rng.random(n) < gaps, "c"] = None
    return frame


def arrays(model):
    return {k: v for k, v in vars(model.trees_).items() if not k.startswith("_")}


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_files_and_memory_give_the_same_bits(tmp_path, kind):
    frame = rows()
    if kind is RandomForestClassifier:
        frame["y"] = np.where(frame.y > 1, "high", "low")
    for i in range(4):
        frame[50 * i : 50 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet", row_group_size=20)
    files = nv.read(str(tmp_path / "*.parquet"), target="y")
    learner = kind(n_estimators=6, oob_score=True)
    there, here = learner.fit(files), kind(n_estimators=6, oob_score=True).fit(nv.read(frame, target="y"))
    for name, array in arrays(there).items():
        np.testing.assert_array_equal(array, arrays(here)[name], err_msg=name)
    assert there.oob_score_ == here.oob_score_


@pytest.mark.parametrize("settings", [{}, {"criterion": "entropy"}, {"bootstrap": False}, {"max_leaf_nodes": 4}])
def test_the_work_of_classes(settings):
    frame = rows()
    label = np.array(["low", "mid", "high"])[np.searchsorted([0.0, 1.5], frame.pop("y"))]
    model = RandomForestClassifier(n_estimators=12, **settings).fit(frame, label)
    check_work(model)
    check_work(model, frame[:4])
    check_work(model, detail="full")
    assert unproved_fields(model, frame) == []


def test_the_work_of_numbers():
    frame = rows()
    model = RandomForestRegressor(n_estimators=12).fit(frame.drop(columns="y"), frame.y)
    check_work(model)
    check_work(model, frame.drop(columns="y")[:4])
    assert unproved_fields(model, frame.drop(columns="y")) == []
    stub = RandomForestRegressor(n_estimators=2).fit([[1.0], [2.0]], [3.0, 3.0])
    check_work(stub)
    assert "one leaf" in str(stub.work())


def test_contributions_need_the_sum_of_the_trees():
    frame = rows()
    model = RandomForestRegressor(n_estimators=5).fit(frame.drop(columns="y"), frame.y)
    chunk = nv.read(frame.drop(columns="y")).conform(model.schema_, "ignore").to_chunk()
    np.testing.assert_allclose(model.additive_trees().answers(chunk)[:, 0], model.predict(frame.drop(columns="y")))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [("child", 0, 10**6), ("child", 0, 0), ("feature", 0, 7), ("missing", 0, 3), ("code", 0, 99), ("output", 1, 4)],
)
def test_forged_trees_are_refused(tmp_path, name, place, value):
    frame = rows()
    model = RandomForestRegressor(n_estimators=3).fit(frame.drop(columns="y"), frame.y)
    array = getattr(model.trees_, name).copy()
    array[place] = value
    forged = replace(model.trees_, **{name: array})
    require_refused(model, tmp_path, "trees_", trees_=forged)


def test_a_model_file_answers_alike(tmp_path):
    frame = rows()
    model = RandomForestClassifier(n_estimators=4, oob_score=True).fit(frame.drop(columns="y"), frame.y > 1)
    model.save(tmp_path / "m.nova")
    again = nv.load(tmp_path / "m.nova")
    np.testing.assert_array_equal(
        again.predict_proba(frame.drop(columns="y")), model.predict_proba(frame.drop(columns="y"))
    )
    assert again.oob_score_ == model.oob_score_
