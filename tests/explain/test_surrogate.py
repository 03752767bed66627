"""Surrogates: the smallest tree is found where it is known, and what does not agree enough says so."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError
from novacula.explain import surrogate
from novacula.explain.surrogate import ratio_interval
from novacula.linear import LinearRegression
from novacula.neighbors import KNeighborsRegressor
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .mixed import mixed_frame, three_classes


@pytest.mark.parametrize("leaves", [2, 3, 5, 9])
def test_of_a_tree_a_tree_that_is_no_larger_is_found(leaves):
    rng = np.random.default_rng(leaves)
    X = rng.normal(size=(3000, 4))
    y = np.sin(3 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0)
    model = DecisionTreeRegressor(max_leaf_nodes=leaves).fit(X, y)
    result = surrogate(model, X, agreement=0.99)
    assert result.reached
    assert result.n_leaves <= leaves + 1
    labels = DecisionTreeClassifier(max_leaf_nodes=leaves).fit(X, y > 0)
    assert surrogate(labels, X, agreement=0.97).n_leaves <= leaves + 1


def test_fidelity_is_that_on_the_rows_held_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    model = KNeighborsRegressor().fit(X, X[:, 0] ** 2 + X[:, 1])
    result = surrogate(model, X, agreement=0.8, random_state=7)
    held = np.sort(np.random.default_rng(7).permutation(500)[:150])
    said = model.predict(X[held])
    guess = result.tree.predict(_frame(X[held], result))
    wanted = 1 - ((guess - said) ** 2).sum() / ((said - said.mean()) ** 2).sum()
    assert result.fidelity == pytest.approx(wanted)
    assert result.interval.low < wanted < result.interval.high
    smaller = [found for size, found in zip(result.sizes, result.fidelities, strict=True) if size < result.n_leaves]
    assert max(smaller) < 0.8 <= result.fidelity


def _frame(X, result):
    import pandas as pd

    return pd.DataFrame(X, columns=[column.name for column in result.tree.schema_.features])


def test_the_interval_of_r2_agrees_with_resampled_rows():
    rng = np.random.default_rng(0)
    said = rng.normal(size=400)
    left, spread = rng.exponential(0.2, 400), (said - said.mean()) ** 2
    found = 1 - left.sum() / spread.sum()
    interval = ratio_interval(left, spread, found)
    draws = rng.integers(0, 400, (4000, 400))
    ratios = 1 - left[draws].sum(axis=1) / spread[draws].sum(axis=1)
    assert interval == pytest.approx(tuple(np.quantile(ratios, [0.025, 0.975])), abs=0.015)


def test_what_does_not_agree_enough_says_so():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 6))
    result = surrogate(LinearRegression().fit(X, X.sum(axis=1)), X, max_leaves=8)
    assert not result.reached
    assert "none that was tried reaches 95%, and this is the best" in str(result)
    assert result.fidelity == max(result.fidelities)
    check_work(result)


def test_a_model_that_says_one_thing():
    X = np.random.default_rng(1).normal(size=(50, 2))
    for model in (
        DecisionTreeRegressor().fit(X, np.full(50, 2.0)),
        DecisionTreeClassifier(min_samples_leaf=50).fit(X, np.arange(50) % 3 == 0),
    ):
        result = surrogate(model, X)
        assert result.reached
        assert result.n_leaves == 1
        assert "1 leaf " in result.sentence()


def test_the_gain_is_what_a_constant_misses():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    rare = surrogate(DecisionTreeClassifier().fit(X, X[:, 0] > 2.0), X)
    said = np.sort(np.random.default_rng(0).permutation(1000)[:300])
    share = np.mean(X[said, 0] > 2.0)
    assert rare.constant == pytest.approx(1 - share)
    assert rare.gain == pytest.approx((rare.fidelity - 1 + share) / share)
    numbers = surrogate(LinearRegression().fit(X, X.sum(axis=1)), X, max_leaves=4)
    assert numbers.constant == 0.0
    assert numbers.gain == numbers.fidelity


def test_columns_of_words_stay_behind_and_the_tree_is_an_ordinary_one():
    frame, y = mixed_frame()
    table = nv.read(frame.assign(note=[f"word {i} of {i % 7}" for i in range(len(y))], y=three_classes(y)), "y")
    table = table.with_types({"note": "text"})
    model = NaiveBayes().fit(table)
    result = surrogate(model, table, agreement=0.7)
    assert "note" not in result.tree.schema_.names
    assert set(result.tree.classes_) <= set(model.classes_)
    assert result.to_text()


def test_it_shows_itself():
    frame, y = mixed_frame()
    for model in (NaiveBayes().fit(frame, three_classes(y)), DecisionTreeRegressor(max_depth=6).fit(frame, y)):
        result = surrogate(model, frame, agreement=0.8)
        check_work(result)
        assert "<script" not in result._repr_html_()


def test_what_cannot_be_is_refused_in_a_sentence():
    frame, y = mixed_frame()
    model = DecisionTreeRegressor().fit(frame, y)
    with pytest.raises(DataError, match="cannot be parted"):
        surrogate(model, frame[:3])
    with pytest.raises(ParameterError, match=r"agreement is 1\.5"):
        surrogate(model, frame, agreement=1.5)
    with pytest.raises(ParameterError, match="max_leaves is 1"):
        surrogate(model, frame, max_leaves=1)
    several = LinearRegression().fit([[1.0], [2.0], [4.0], [5.0]], np.ones((4, 2)))
    with pytest.raises(ParameterError, match="several targets"):
        surrogate(several, [[1.0], [2.0], [4.0], [5.0]])


def test_a_first_split_into_many_categories_does_not_end_the_search():
    """The best first split needed seven leaves, which a tree of two has no room for, and the search ended there."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 7, 700)
    frame = pd.DataFrame({"kind": [f"k{code}" for code in kind], "x": rng.normal(size=700)})
    frame["y"] = np.where(kind % 2 == 0, "even", "odd")
    model = DecisionTreeClassifier().fit(nv.read(frame, "y"))
    found = surrogate(model, nv.read(frame, "y"))
    assert found.fidelity == 1.0
    assert found.n_leaves == 7
