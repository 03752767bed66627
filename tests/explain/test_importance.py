"""Importance against loops over rows and permutations, scikit-learn's, and what has to be 0."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression as ForeignRegression

import novacula as nv
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError
from novacula.evaluate import loss
from novacula.explain import importance
from novacula.linear import LinearRegression, LogisticRegression
from novacula.prepare import PreparedClassifier
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .mixed import NASTY, mixed_frame, three_classes


def test_it_is_the_rise_of_the_loss_over_all_permutations():
    frame, y = mixed_frame(40)
    model = DecisionTreeRegressor(max_depth=4).fit(frame, y)
    result = importance(model, frame, y, repeats=4, random_state=3, metric="absolute")
    rng = np.random.default_rng(3)
    orders = [rng.permutation(40) for _ in range(4)]
    base = np.abs(model.predict(frame) - y)
    assert result.baseline == pytest.approx(base.mean())
    for j, name in enumerate(frame.columns):
        rises = []
        for order in orders:
            other = frame.copy()
            other[name] = frame[name].to_numpy()[order]
            rises.append(np.abs(model.predict(other) - y) - base)
        rises = np.array(rises)
        assert result.rise[j] == pytest.approx(rises.mean(), abs=1e-12)
        assert result.row_error[j] == pytest.approx(rises.mean(axis=0).std(ddof=1) / np.sqrt(40))
        assert result.order_error[j] == pytest.approx(rises.mean(axis=1).std(ddof=1) / 2)
    assert (result.low <= result.rise).all()
    assert (result.rise <= result.high).all()


def test_scikit_learn_finds_the_same_within_the_intervals():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = X @ [3.0, 1.0, 0.3, 0.0] + rng.normal(size=400)
    model = LinearRegression().fit(X, y)
    theirs = permutation_importance(
        ForeignRegression().fit(X, y), X, y, scoring="neg_mean_squared_error", n_repeats=40, random_state=1
    )
    result = importance(model, X, y, repeats=20)
    assert (np.abs(theirs.importances_mean - result.rise) <= result.t * result.error + 0.02).all()
    # a plane's loss rises by twice its share of the variance
    np.testing.assert_allclose(result.rise, 2 * model.coef_**2 * X.var(axis=0), atol=1.0)


def test_intervals_cover_the_rise_on_all_rows():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(20_000, 2))
    y = X @ [1.0, 0.5] + rng.normal(size=20_000)
    model = LinearRegression().fit(X, y)
    true = 2 * model.coef_**2
    inside = 0
    for seed in range(60):
        rows = rng.choice(20_000, 150, replace=False)
        result = importance(model, X[rows], y[rows], repeats=5, random_state=seed)
        inside += ((result.low <= true) & (true <= result.high)).sum()
    assert inside >= 0.88 * 120


def test_what_is_constant_or_not_used_is_exactly_0():
    frame, y = mixed_frame()
    frame["same"], frame["empty"] = 4.0, np.nan
    table = frame.assign(y=y)
    model = DecisionTreeRegressor(max_leaf_nodes=2).fit(nv.read(table, "y"))
    result = importance(model, nv.read(table, "y"))
    used = model.attributes_[model.tree_.feature[0]].name
    assert [name for name, rise in zip(result.names, result.rise, strict=True) if rise != 0.0] == [used]
    others = [j for j, name in enumerate(result.names) if name != used]
    assert not result.low[others].any()
    assert not result.high[others].any()


def test_a_column_is_the_same_whichever_others_are_asked_for():
    frame, y = mixed_frame()
    model = DecisionTreeClassifier(max_depth=4).fit(frame, three_classes(y))
    whole = importance(model, frame, three_classes(y))
    one = importance(model, frame, three_classes(y), columns=[NASTY[2]])
    assert one.names == (NASTY[2],)
    assert one.rise[0] == whole.rise[whole.names.index(NASTY[2])]


def test_a_table_brings_its_target_and_its_weights():
    frame, y = mixed_frame()
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    table = nv.read(frame.assign(y=y, w=weight), "y", weight="w")
    model = DecisionTreeRegressor(max_depth=3).fit(table)
    result = importance(model, table)
    assert result.baseline == pytest.approx(np.average((model.predict(frame) - y) ** 2, weights=weight))
    check_work(result)


def test_probabilities_words_and_models_of_others():
    frame, y = mixed_frame()
    frame["note"] = [f"word{i % 5} text {i}" for i in range(len(frame))]
    classes = np.where(y > 0, "yes", "no")
    model = PreparedClassifier(LogisticRegression()).fit(
        nv.read(frame).with_types({"note": "text"}).to_pandas(), classes
    )
    result = importance(model, frame, classes, metric="log")
    assert result.baseline == pytest.approx(loss("log")(classes, model.predict_proba(frame), model.classes_).mean())
    assert result.measure == "log loss"
    numbers = pd.DataFrame({"a": y, "b": np.arange(len(y)) % 3.0})
    foreign = importance(ForeignRegression().fit(numbers, y), numbers, y)
    assert foreign.names == ("a", "b")
    array = importance(ForeignRegression().fit(numbers.to_numpy(), y), numbers.to_numpy(), y)
    np.testing.assert_allclose(foreign.rise, array.rise)


def test_of_many_rows_a_sample_is_taken_and_said():
    frame, y = mixed_frame(300)
    model = DecisionTreeRegressor(max_depth=3).fit(frame, y)
    result = importance(model, frame, y, rows=100)
    assert (len(result.losses), result.n_rows) == (100, 300)
    assert "a sample of 100 of 300 rows" in str(result)


def test_it_shows_itself():
    frame, y = mixed_frame()
    result = importance(DecisionTreeClassifier(max_depth=3).fit(frame, three_classes(y)), frame, three_classes(y))
    check_work(result)
    check_work(result, detail="full")
    assert "<script" not in result._repr_html_()
    assert result.table().rows[0][0] == result.names[result.order[0]]


def test_what_cannot_be_is_refused_in_a_sentence():
    frame, y = mixed_frame()
    model = DecisionTreeRegressor(max_depth=3).fit(frame, y)
    with pytest.raises(DataError, match="the target y is None"):
        importance(model, frame)
    with pytest.raises(ParameterError, match="repeats is 1"):
        importance(model, frame, y, repeats=1)
    with pytest.raises(ParameterError, match="no column 'sise'"):
        importance(model, frame, y, columns=["sise"])
    with pytest.raises(ParameterError, match="each of them once"):
        importance(model, frame, y, columns=[0, 0])
    sure = DecisionTreeClassifier(max_depth=2).fit(frame, three_classes(y))
    with pytest.raises(DataError, match="take metric='brier'"):
        importance(sure, frame, np.where(y > -9, "never", ""), metric="log")
    one = importance(model, frame[:1], y[:1])
    assert not one.rise.any()


def test_of_a_file_the_same_sample_is_taken(tmp_path):
    frame, y = mixed_frame(300)
    frame["y"] = y
    frame.to_parquet(tmp_path / "rows.parquet")
    model = DecisionTreeRegressor(max_depth=4).fit(nv.read(frame, "y"))
    for rows in (70, 1000):
        here = importance(model, nv.read(frame, "y"), rows=rows)
        there = importance(model, nv.read(tmp_path / "rows.parquet", "y"), rows=rows)
        assert here.n_rows == there.n_rows == 300
        np.testing.assert_array_equal(here.rise, there.rise)


def test_numbers_have_the_digits_that_their_intervals_allow():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 3))
    y = 1e5 * (X @ [2.0, 1.0, 0.0] + rng.normal(size=1200))
    result = importance(LinearRegression().fit(X, y), X, y, metric="absolute")
    for name, rise, low, high in result.table().rows:
        j = result.names.index(name)
        unit = 10.0 ** np.floor(np.log10(result.error[j])) / 10
        for shown, exact in ((rise, result.rise[j]), (low, result.low[j]), (high, result.high[j])):
            assert shown == pytest.approx(exact, abs=unit / 2 * (1 + 1e-9))
            assert shown / unit == pytest.approx(round(shown / unit), abs=1e-6)
    assert f"is {float(f'{result.baseline:.4g}'):,.0f} on 1,200 rows" in result.notes[0]
