"""What holds of any model: sums, columns that are not used, columns that change places, additive models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.explain import contributions, dependence, importance, interaction
from novacula.tree import DecisionTreeRegressor

SEEDS = st.integers(0, 2**31 - 1)


class Additive:
    """Σ g_j(x_j) over the first columns; the last one is not used."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.weights, self.waves = rng.normal(size=3), rng.normal(size=3)

    def column(self, j, values):
        return self.weights[j] * np.sin(3 * self.waves[j] * values)

    def predict(self, X):
        return sum(self.column(j, X[:, j]) for j in range(3))


class Mixing(Additive):
    """The same, and products."""

    def predict(self, X):
        return super().predict(X) + X[:, 0] * X[:, 1] * self.waves[0]


def rows(seed, n=25, d=4):
    return np.random.default_rng(seed).normal(size=(n, d)).round(2)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_contributions_sum_to_the_prediction(seed):
    X = rows(seed, n=60)
    tree = DecisionTreeRegressor(min_samples_leaf=3).fit(X, Mixing(seed).predict(X))
    for model in (tree, Mixing(seed)):
        result = contributions(model, X[:6], background=X)
        np.testing.assert_allclose(result.base + result.values.sum(axis=1), result.prediction, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_a_column_that_is_not_used_has_nothing(seed):
    X = rows(seed)
    model = Mixing(seed)
    assert np.abs(contributions(model, X[:4], background=X).values[:, 3]).max() < 1e-12
    assert importance(model, X, model.predict(X) + X[:, 3]).rise[3] == 0.0
    assert np.ptp(dependence(model, X, [3]).mean) < 1e-12
    tree = DecisionTreeRegressor().fit(X[:, :2], model.predict(X))
    wide = DecisionTreeRegressor(max_depth=3).fit(np.column_stack([X[:, :2], np.ones(len(X))]), tree.predict(X[:, :2]))
    assert not contributions(wide, X[:, :3]).values[:, 2].any()


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_columns_that_change_places_exchange_their_contributions(seed):
    X = rows(seed, n=50, d=3)
    swapped = X[:, [1, 0, 2]]
    model = Mixing(seed)

    class Exchanged:
        def predict(self, X):
            return model.predict(X[:, [1, 0, 2]])

    one = contributions(model, X[:5], background=X)
    other = contributions(Exchanged(), swapped[:5], background=swapped)
    np.testing.assert_allclose(one.values[:, [1, 0, 2]], other.values, atol=1e-12)
    y = model.predict(X) + np.random.default_rng(seed).normal(size=50)
    tree, exchanged = (DecisionTreeRegressor(max_depth=4, min_samples_leaf=4).fit(Z, y) for Z in (X, swapped))
    if np.array_equal(tree.predict(X), exchanged.predict(swapped)):  # else two tests were equally good
        first, second = contributions(tree, X), contributions(exchanged, swapped)
        if np.array_equal(np.array([1, 0, 2, -1])[tree.tree_.feature], exchanged.tree_.feature):
            np.testing.assert_allclose(first.values[:, [1, 0, 2]], second.values, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, j=st.integers(0, 2))
def test_of_an_additive_model_dependence_is_its_own_curve_up_to_a_constant(seed, j):
    X, model = rows(seed), Additive(seed)
    result = dependence(model, X, [j])
    gap = result.mean[:, 0] - model.column(j, result.axes[0].values)
    assert np.ptp(gap) < 1e-12
    parts = contributions(model, X[:5], background=X).values[:, j, 0]
    np.testing.assert_allclose(parts, model.column(j, X[:5, j]) - model.column(j, X[:, j]).mean(), atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_an_additive_model_has_no_interactions(seed):
    result = interaction(Additive(seed), rows(seed))
    assert np.nan_to_num(result.h2).max() == pytest.approx(0.0, abs=1e-12)
    assert np.nan_to_num(result.h2_with_rest).max() == pytest.approx(0.0, abs=1e-12)
