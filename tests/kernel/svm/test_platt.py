"""Platt's sigmoid against scikit-learn and brute force; the coupling of pairs against direct optimisation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.calibration import _sigmoid_calibration

from novacula.kernel.svm.platt import Sigmoid, couple, fit_sigmoid

laws = settings(deadline=None)


@st.composite
def decisions(draw):
    """Values of overlapping classes in any unit, with whole weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, unit = draw(st.integers(5, 60)), 10.0 ** draw(st.integers(-6, 6))
    positive = rng.random(n) < 0.4
    positive[:2] = True, False
    f = unit * (rng.normal(size=n) + draw(st.floats(0.0, 2.0)) * np.where(positive, 1.0, -1.0))
    return f, positive, rng.integers(1, 4, n).astype(float)


def deviance(a, b, f, positive, weight):
    """Written from the definition, with Laplace's targets."""
    up, down = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))
    p = 1.0 / (1.0 + np.exp(a * f + b))
    return -(weight * (target * np.log(p) + (1 - target) * np.log(1 - p))).sum()


@laws
@given(decisions())
def test_no_other_sigmoid_is_more_probable(case):
    f, positive, weight = case
    fit = fit_sigmoid(f, positive, weight)
    unit = np.abs(f).max()
    least = deviance(fit.a, fit.b, f, positive, weight)
    best = minimize(lambda at: deviance(at[0] / unit, at[1], *case), [fit.a * unit + 0.1, fit.b - 0.1], tol=1e-12)
    assert least <= best.fun * (1 + 1e-12)
    np.testing.assert_allclose([fit.a * unit, fit.b], best.x, rtol=1e-3, atol=1e-4)


@laws
@given(decisions())
def test_agrees_with_scikit_learn(case):
    f, positive, weight = case
    f = f / np.abs(f).max()
    a, b = _sigmoid_calibration(f, positive.astype(float), sample_weight=weight)
    fit = fit_sigmoid(f, positive, weight)
    ours, theirs = fit.probabilities(f), Sigmoid(a, b).probabilities(f)
    np.testing.assert_allclose(ours, theirs, atol=1e-3)  # theirs stops where its gradient is small


@laws
@given(decisions())
def test_a_weight_is_a_repetition(case):
    f, positive, weight = case
    times = weight.astype(int)
    again = fit_sigmoid(np.repeat(f, times), np.repeat(positive, times), np.ones(times.sum()))
    fit = fit_sigmoid(f, positive, weight)
    np.testing.assert_allclose([fit.a, fit.b], [again.a, again.b], rtol=1e-6, atol=1e-9 / np.abs(f).max())


def test_separated_classes_and_huge_values_stay_finite():
    f = np.array([-1e300, -1e299, 1e299, 1e300])
    fit = fit_sigmoid(f, f > 0, np.ones(4))
    p = fit.probabilities(f)
    assert np.isfinite([fit.a, fit.b]).all()
    assert p[0] < 0.5 < p[3]
    np.testing.assert_allclose(p + p[::-1], 1.0)  # the classes mirror each other


def test_far_out_the_probabilities_are_0_and_1_without_overflow():
    assert Sigmoid(-1.0, 0.0).probabilities(np.array([-1e6, 1e6])).tolist() == [0.0, 1.0]


def test_decisions_that_say_nothing_give_the_share_of_the_class():
    positive = np.array([True, True, True, False])
    p = fit_sigmoid(np.zeros(4), positive, np.ones(4)).probabilities(np.zeros(1))
    np.testing.assert_allclose(p, (3 * 4 / 5 + 1 / 3) / 4)  # the mean of the targets


def test_one_class_alone_is_smoothed_too():
    fit = fit_sigmoid(np.array([1.0, 2.0, 3.0]), np.ones(3, bool), np.ones(3))
    np.testing.assert_allclose(fit.probabilities(np.array([2.0])), 4 / 5, rtol=1e-6)


# --- coupling -----------------------------------------------------------------------------------------------


def random_pairs(rng, n, k):
    """Probabilities of pairs that need not come from any distribution."""
    r = rng.uniform(0.02, 0.98, (n, k, k))
    upper = np.triu(r, 1)
    return upper + np.tril(1.0 - upper.transpose(0, 2, 1), -1)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_coupling_is_the_least_of_its_objective(k):
    r = random_pairs(np.random.default_rng(k), 8, k)

    def objective(p, row):
        return sum((row[j, i] * p[i] - row[i, j] * p[j]) ** 2 for i in range(k) for j in range(k) if i != j)

    for row, p in zip(r, couple(r), strict=True):
        assert p.min() >= 0.0
        assert abs(p.sum() - 1.0) < 1e-12
        limits = {"type": "eq", "fun": lambda p: p.sum() - 1.0}
        best = minimize(objective, np.full(k, 1 / k), (row,), bounds=[(0, 1)] * k, constraints=limits, tol=1e-14)
        assert objective(p, row) <= best.fun + 1e-12
        np.testing.assert_allclose(p, best.x, atol=1e-4)


@laws
@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_pairs_of_one_distribution_give_it_back(k, seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(k), 20) + 1e-3
    p /= p.sum(axis=1, keepdims=True)
    r = p[:, :, None] / (p[:, :, None] + p[:, None, :])
    np.testing.assert_allclose(couple(r), p, rtol=1e-8)


def test_certain_pairs_give_a_certain_class():
    r = np.array([[[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]])
    np.testing.assert_allclose(couple(r), [[1.0, 0.0, 0.0]], atol=1e-6)


def test_many_rows_are_coupled_in_blocks_as_one_by_one(monkeypatch):
    r = random_pairs(np.random.default_rng(1), 30, 4)
    whole = couple(r)
    monkeypatch.setattr("novacula.kernel.svm.platt.BLOCK", 7 * 25)
    np.testing.assert_array_equal(couple(r), whole)


def test_no_rows_give_no_rows():
    assert couple(np.empty((0, 3, 3))).shape == (0, 3)
