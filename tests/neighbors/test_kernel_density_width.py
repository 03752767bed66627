"""Widths: the rules in numbers, the fixed point without grid or transform, and rows left out by all pairs."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.distance import cdist

from novacula.neighbors import KernelDensity

CLAW = np.concatenate([np.random.default_rng(0).normal(size=300), np.random.default_rng(1).normal(4, 0.4, 150)])


@pytest.mark.parametrize(("rule", "factor"), [("scott", 6 ** (-1 / 6)), ("silverman", (6 * 4 / 4) ** (-1 / 6))])
def test_the_rules(rule, factor):
    X = np.array([[0.0, 10.0], [1.0, 0.0], [2.0, 5.0], [4.0, 5.0], [5.0, 3.0], [9.0, 1.0]])
    model = KernelDensity(rule).fit(X)
    np.testing.assert_allclose(model.bandwidth_, factor * X.std(axis=0, ddof=1), rtol=1e-12)
    np.testing.assert_allclose(model.root_, np.diag(model.bandwidth_))


def test_rules_follow_the_unit_and_not_the_origin():
    X = np.random.default_rng(0).normal(size=(80, 2))
    for rule in ("scott", "silverman", "isj", "cv_ml"):
        plain, moved = (KernelDensity(rule).fit(rows) for rows in (X, X * [10.0, 0.01] + [1e6, -3.0]))
        np.testing.assert_allclose(moved.bandwidth_, plain.bandwidth_ * [10.0, 0.01], rtol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "deviation"),
    [
        ("epanechnikov", math.sqrt(1 / 5)),
        ("tophat", math.sqrt(1 / 3)),
        ("linear", math.sqrt(1 / 6)),
        ("exponential", math.sqrt(2)),
        ("cosine", math.sqrt(1 - 8 / math.pi**2)),
    ],
)
def test_rules_give_the_deviation_of_the_kernel(kernel, deviation):
    """The deviations are those of the textbook for one dimension."""
    X = CLAW[:, None]
    for rule in ("scott", "isj"):
        plain, other = (KernelDensity(rule, kernel=name).fit(X) for name in ("gaussian", kernel))
        np.testing.assert_allclose(other.bandwidth_ * deviation, plain.bandwidth_, rtol=1e-10)


def test_a_number_is_a_width_or_a_multiple_of_the_spread():
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, 7.0]
    assert KernelDensity(0.3).fit(X).bandwidth_.tolist() == [0.3, 0.3]
    assert KernelDensity([0.3, 2.0]).fit(X).bandwidth_.tolist() == [0.3, 2.0]
    multiple = KernelDensity(0.3, spread="diagonal").fit(X)
    np.testing.assert_allclose(multiple.bandwidth_, 0.3 * X.std(axis=0, ddof=1), rtol=1e-12)
    full = KernelDensity(0.3, spread="full").fit(X)
    np.testing.assert_allclose(full.root_ @ full.root_.T, 0.09 * np.cov(X.T), rtol=1e-12)


# --- improved Sheather–Jones --------------------------------------------------------------------------------------


def slow_sheather_jones(x):
    """Botev's fixed point with cosine coefficients of the rows themselves, by summation."""
    span = x.max() - x.min()
    z = (x - x.min() + span / 2) / (2 * span)
    n = len(np.unique(x))
    k = np.arange(1, 1500)
    coefficient = np.array([np.cos(np.pi * j * z).mean() for j in k])

    def norm(s, time):
        return 2 * np.pi ** (2 * s) * np.sum(k ** (2.0 * s) * coefficient**2 * np.exp(-(k**2) * np.pi**2 * time))

    def gap(t):
        f = norm(7, t)
        for s in (6, 5, 4, 3, 2):
            double_factorial = math.factorial(2 * s) / (2**s * math.factorial(s))
            constant = (1 + 0.5 ** (s + 0.5)) / 3 * 2 * double_factorial / math.sqrt(2 * np.pi)
            f = norm(s, (constant / (n * f)) ** (2 / (3 + 2 * s)))
        return t - (2 * n * math.sqrt(np.pi) * f) ** (-2 / 5)

    return 2 * span * math.sqrt(brentq(gap, 1e-7, 0.02, xtol=1e-15))


@pytest.mark.parametrize(
    "x",
    [
        CLAW,
        np.random.default_rng(2).normal(size=1000),
        np.random.default_rng(3).exponential(size=400),
        100 + 0.01 * np.random.default_rng(4).uniform(size=300),
    ],
)
def test_the_fixed_point(x):
    assert math.isclose(KernelDensity("isj").fit(x[:, None]).bandwidth_[0], slow_sheather_jones(x), rel_tol=1e-3)


def test_it_tends_to_the_best_width_of_a_normal_density():
    x = np.random.default_rng(0).normal(size=50_000)
    best = (4 / 3 / len(x)) ** 0.2
    assert abs(KernelDensity("isj").fit(x[:, None]).bandwidth_[0] / best - 1) < 0.05


def test_it_sees_peaks_that_the_normal_rules_smooth_away():
    isj, silverman = (KernelDensity(rule).fit(CLAW[:, None]).bandwidth_[0] for rule in ("isj", "silverman"))
    assert isj < silverman / 2


def test_columns_get_widths_of_their_own():
    X = np.column_stack([CLAW, 50 * np.random.default_rng(2).normal(size=450)])
    both = KernelDensity("isj").fit(X).bandwidth_
    alone = [KernelDensity("isj").fit(X[:, [j]]).bandwidth_[0] for j in range(2)]
    np.testing.assert_allclose(both, alone, rtol=1e-12)


# --- rows left out ------------------------------------------------------------------------------------------------


def left_out(X, h):
    """The mean ln p̂ of each row from all others, Gaussian, by all pairs."""
    n, d = X.shape
    pairs = np.exp(-cdist(X / h, X / h, "sqeuclidean") / 2)
    np.fill_diagonal(pairs, 0.0)
    return np.mean(np.log(pairs.sum(axis=1) / (n - 1) / np.prod(h) / (2 * np.pi) ** (d / 2)))


@pytest.mark.parametrize("d", [1, 2])
def test_rows_that_are_left_out(d):
    X = np.column_stack([CLAW[::3], 5 * np.random.default_rng(3).normal(size=150)])[:, :d]
    model = KernelDensity("cv_ml").fit(X)
    base = X.std(axis=0, ddof=1) * len(X) ** (-1 / (d + 4))
    for multiple, likelihood in zip(model.trial_.multiple, model.trial_.likelihood, strict=True):
        if multiple > 0.1:  # below, exp is 0 where logarithms are not
            assert math.isclose(likelihood, left_out(X, multiple * base), rel_tol=1e-9)
    multiples = np.geomspace(0.1, 4, 400)
    best = multiples[np.argmax([left_out(X, m * base) for m in multiples])]
    assert abs(model.trial_.best / best - 1) < 0.01
    np.testing.assert_allclose(model.bandwidth_, model.trial_.best * base, rtol=1e-12)


def test_a_lone_row_far_away_counts_with_its_true_logarithm():
    """Were its own kernel taken off the sum, nothing would be left of a density of 1e-100."""
    X = np.concatenate([np.random.default_rng(0).normal(size=40), [25.0]])[:, None]
    model = KernelDensity(1.0).fit(X)
    scores = model._density_of(np.eye(1)).log_density_left_out(0.0)
    gaps = X[:-1, 0] - 25.0
    expected = np.log(np.mean(np.exp(-(gaps**2) / 2))) - math.log(math.sqrt(2 * math.pi))
    assert expected < -250
    assert math.isclose(scores[-1], expected, rel_tol=1e-12)


def test_at_bounds_a_row_is_left_out_with_its_mirror_images():
    X = np.random.default_rng(0).uniform(size=(30, 1))
    model = KernelDensity(0.2, boundary="reflect", bounds=(0, 1)).fit(X)
    scores = model._density_of(model.root_).log_density_left_out(0.0)
    for i in (0, 7):
        others = KernelDensity(0.2, boundary="reflect", bounds=(0, 1)).fit(np.delete(X, i, axis=0))
        assert math.isclose(scores[i], others.score_samples(X[[i]])[0], rel_tol=1e-9)


def test_a_kernel_with_an_end_reaches_every_row():
    X = np.concatenate([np.random.default_rng(0).normal(size=60), [9.0]])[:, None]
    model = KernelDensity("cv_ml", kernel="epanechnikov").fit(X)
    assert model.bandwidth_[0] > 9.0 - X[:-1].max()
    assert np.isfinite(model.trial_.likelihood.max())


def test_narrow_kernels_have_a_width():
    """The square of such a width is 0."""
    model = KernelDensity(bandwidth=1e-300).fit([[0.0, 1.0], [1e-300, 1.0]])
    assert model.bandwidth_.tolist() == [1e-300, 1e-300]
