"""Columns of times become the parts that differ between rows, the same from memory and from files."""

from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novacula as nv
from novacula.linear import LogisticRegression, Ridge
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.prepare.times import FARTHEST, NUMBERS, part_of
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor


def days(n=400, seed=0):
    """A year and more of days, with a yearly wave, and a few days missing."""
    rng = np.random.default_rng(seed)
    when = pd.Series(pd.date_range("2019-11-05", periods=n, freq="D"))
    rows = pd.DataFrame({"when": when, "wind": rng.normal(size=n)})
    rows["rain"] = np.cos(2 * np.pi * when.dt.day_of_year / 365.25) + 0.1 * rng.normal(size=n)
    rows.loc[rng.random(n) < 0.05, "when"] = pd.NaT
    return rows


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)))
def test_parts_are_those_of_the_calendar(moment):
    seconds = np.array([(moment - datetime(1970, 1, 1)).total_seconds()])
    if abs(seconds[0]) > FARTHEST:
        assert all(np.isnan(part_of(name, seconds)).all() for name in NUMBERS)
        return
    hour = (moment - datetime(moment.year, moment.month, moment.day)).total_seconds() / 3600
    expected = [moment.year, moment.month, moment.timetuple().tm_yday, moment.isoweekday(), hour]
    np.testing.assert_allclose([part_of(name, seconds).item() for name in NUMBERS], expected, atol=1e-3)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e300])
def test_what_is_no_time_has_no_parts(wrong):
    assert all(np.isnan(part_of(name, np.array([wrong]))).all() for name in (*NUMBERS, "sine of hour"))


def test_parts_that_do_not_differ_are_left_out():
    rows = days()
    names = [c.name for c in PreparedRegressor(DecisionTreeRegressor()).fit(rows[["when"]], rows["rain"]).columns_]
    assert names == ["when", "year of when", "month of when", "day of year of when", "weekday of when"]


def test_cycles_are_points_on_a_circle_for_learners_that_weigh_columns():
    rows = days()
    model = PreparedRegressor(Ridge()).fit(rows[["when"]], rows["rain"])
    names = [column.name for column in model.columns_]
    assert names == [
        "when",
        "year of when",
        *(f"{wave} of {cycle} of when" for cycle in ("day of year", "weekday") for wave in ("sine", "cosine")),
        "when is missing",
    ]
    assert model.score(rows[["when"]], rows["rain"]) > 0.9


def test_the_same_from_a_file_in_pieces(tmp_path):
    rows = days()
    rows["wet"] = np.where(rows.pop("rain") > 0, "wet", "dry")
    for k, start in enumerate(range(0, len(rows), 100)):
        rows[start : start + 100].to_parquet(tmp_path / f"rows{k}.parquet")
    file = nv.read(tmp_path / "*.parquet", "wet")
    for learner in (LogisticRegression(), DecisionTreeClassifier(max_depth=3)):
        ours = PreparedClassifier(learner).fit(file)
        theirs = PreparedClassifier(learner).fit(nv.read(rows, "wet"))
        assert ours.columns_ == theirs.columns_
        np.testing.assert_allclose(ours.predict_proba(file), theirs.predict_proba(file), rtol=1e-6, atol=1e-9)


def test_a_model_of_times_comes_back_and_shows_its_work(tmp_path):
    rows = days()
    X, y = rows[["when", "wind"]], rows["rain"]
    model = PreparedRegressor(Ridge()).fit(X, y)
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert "sine of day of year of when" in str(model.work())
    assert set(model.preparation_.origins()) == {"when", "wind"}


def test_a_schema_shows_dates():
    assert "when    date     " in str(nv.read(days()).schema)
    assert "2019-11-05 to 2020-12-08" in nv.read(days()).schema["when"].describe()


def test_a_target_named_like_a_part_keeps_its_name():
    rows = days().dropna().rename(columns={"rain": "year of when"})
    model = PreparedRegressor(DecisionTreeRegressor()).fit(nv.read(rows, "year of when"))
    assert "year of when′" in [column.name for column in model.columns_]
    assert set(model.preparation_.origins()) == {"when", "wind"}
