"""How other rows differ from those of the fit, column by column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novacula as nv
from novacula.errors import ModelFileError
from novacula.linear import Ridge
from novacula.prepare import PreparedRegressor
from novacula.prepare.drift import Strangers


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.normal(40, 10, n), "job": rng.choice(["cook", "nurse", "smith"], n)})
    frame.loc[rng.random(n) < 0.05, "age"] = np.nan
    return frame.assign(y=rng.normal(size=n))


@pytest.fixture(scope="module")
def model():
    return PreparedRegressor(Ridge()).fit(nv.read(rows(), "y"))


def of(model, frame):
    return {one.name: one for one in model.drift(frame)}


def test_rows_like_those_of_the_fit_raise_no_alarm(model):
    for seed in range(1, 30):
        new = rows(300, seed)[["age", "job"]]
        known = model.seen_.low[0], model.seen_.high[0]
        new["age"] = new["age"].clip(*known)
        assert [sentence for one in model.drift(new) for sentence in one.sentences()] == []


def test_what_is_new_is_counted(model):
    new = pd.DataFrame({"job": ["cook", "pilot", None, "pilot"], "age": [41.0, 200.0, -3.0, np.nan], "more": 1})
    found = of(model, new)
    assert (found["job"].unseen, found["age"].outside) == (2, 2)
    low, high = model.seen_.low[0], model.seen_.high[0]
    assert found["age"].sentences()[0] == f"2 of 4 values of 'age' are outside of {low:g} to {high:g}"
    assert found["job"].sentences()[0] == "2 of 4 values of 'job' are none of the categories of the fit"


def test_days_outside_of_those_of_the_fit_are_named_as_days():
    days = pd.DataFrame({"when": pd.date_range("2021-01-03", periods=200), "y": np.arange(200.0)})
    model = PreparedRegressor(Ridge()).fit(nv.read(days, "y"))
    late = pd.DataFrame({"when": pd.to_datetime(["2021-02-01", "2030-01-01"])})
    [sentence, *_] = of(model, late)["when"].sentences()
    assert sentence.startswith("1 of 2 values of 'when' are outside of 2021-01-03")
    assert "2021-07-21" in sentence


def test_means_shares_and_gaps_that_move(model):
    new = rows(200, 7)[["age", "job"]]
    found = of(model, new.assign(age=new["age"] + 9.0, job=new["job"].replace("cook", "smith")))
    assert found["age"].has_moved
    assert found["age"].shift == pytest.approx((new["age"].mean() + 9.0 - model.seen_.mean[0]) / model.seen_.spread[0])
    assert found["job"].has_moved
    p = np.array([0.0, *new["job"].replace("cook", "smith").value_counts(normalize=True)[["nurse", "smith"]]])
    q = model.seen_.shares
    p, q = np.maximum(p, 1e-4), np.maximum(q, 1e-4)
    assert found["job"].shift == pytest.approx(((p - q) * np.log(p / q)).sum())
    gone = of(model, new.assign(age=np.where(np.arange(200) % 2, np.nan, new["age"])))
    assert gone["age"].has_other_gaps
    assert not gone["age"].has_moved
    assert "is missing in" in gone["age"].sentences()[-1]


def test_the_same_from_files_and_from_the_model_file(model, tmp_path):
    new = rows(300, 5)[["age", "job"]].assign(age=lambda f: f["age"] * 2)
    for k in range(3):
        new.iloc[100 * k : 100 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    model.save(tmp_path / "m.nova")
    theirs = nv.load(tmp_path / "m.nova").drift(nv.read(tmp_path / "*.parquet"))
    for one, other in zip(model.drift(new), theirs, strict=True):
        assert one.name == other.name
        assert (one.outside, one.unseen) == (other.outside, other.unseen)
        assert one.shift == pytest.approx(other.shift)


@given(seed=st.integers(0, 1000))
def test_strangers_are_a_statistic(seed):
    rng = np.random.default_rng(seed)
    chunk = nv.read(rows(20, seed)[["age", "job"]]).to_chunk()
    chunk.codes[rng.random(20) < 0.3] = -2
    low, high = np.array([35.0]), np.array([45.0])
    own = Strangers.observe(chunk, low, high)
    assert own.outside[0] == np.sum((chunk.numeric < 35) | (chunk.numeric > 45))
    parts = Strangers.observe(chunk.rows(0, 7), low, high) + Strangers.observe(chunk.rows(7, 20), low, high)
    assert own.departure(parts, 1e-12) == ""
    assert (own + Strangers.zero(1, 1)).departure(own) == ""


def test_a_forged_record_is_refused(model, tmp_path):
    from copy import deepcopy
    from dataclasses import replace

    forged = deepcopy(model)
    forged.seen_ = replace(model.seen_, shares=model.seen_.shares[:2])
    with pytest.raises(ModelFileError, match="seen_ is not of the columns"):
        forged.save(tmp_path / "m.nova")
