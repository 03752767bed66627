"""Explicit maps: the textbook's, counts by brute force, names, and kernels that have none."""

import itertools
import math

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from novacula.errors import ParameterError
from novacula.kernel.algebra import Constant, Custom, Gaussian, Linear, Multiquadric, Polynomial, Precomputed

rng = np.random.default_rng(0)


def test_the_square_of_the_inner_product_in_two_dimensions():
    x1, x2 = 1.5, -2.0
    [phi] = Polynomial(degree=2, coef0=0).features([[x1, x2]])
    assert phi.tolist() == pytest.approx([x1**2, x2**2, math.sqrt(2) * x1 * x2])
    assert Polynomial(degree=2, coef0=0).feature_names(2) == ["x₁²", "x₂²", "√2·x₁x₂"]


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("degree", [1, 2, 3, 5])
@pytest.mark.parametrize("coef0", [0.0, 0.7])
def test_polynomials_of_any_degree(d, degree, coef0):
    kernel = Polynomial(degree, coef0, gamma=0.4)
    X, Y = rng.normal(size=(6, d)), rng.normal(size=(4, d))
    phi, psi = kernel.features(X), kernel.features(Y)
    np.testing.assert_allclose(phi @ psi.T, (0.4 * X @ Y.T + coef0) ** degree, atol=1e-10)
    totals = [sum(powers) for powers in itertools.product(range(degree + 1), repeat=d)]
    assert phi.shape[1] == sum(t <= degree if coef0 else t == degree for t in totals)
    # The same monomials as scikit-learn's, in another order and without the coefficients.
    theirs = PolynomialFeatures(degree).fit_transform(np.full((1, d), 1.0) + 0.1 * np.arange(d))
    assert phi.shape[1] == theirs.shape[1] if coef0 else phi.shape[1] < theirs.shape[1]


def test_names_of_columns_are_in_the_names_of_features():
    kernel = Polynomial(2).on(["age", "pay"])
    assert kernel.feature_names(["pay", "town", "age"]) == ["age²", "pay²", "√2·age·pay", "√2·age", "√2·pay", "1"]
    assert (4.0 * Linear() + Constant(0.5)).feature_names(2) == ["2·x₁", "2·x₂", "0.707107"]
    assert (Linear() * Linear()).feature_names(2) == ["x₁²", "x₁x₂", "x₂x₁", "x₂²"]
    assert ((Linear() + 3) ** 2).feature_names(1) == ["x₁²", "3", "√6·x₁"]
    assert Linear().normalized().feature_names(1) == ["x₁‖φ‖⁻¹"]
    assert Linear().feature_names(12)[-1] == "x₁₂"


def test_normalised_features_have_length_one_or_none():
    phi = Linear().normalized().features([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(phi, [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_allclose(Linear().normalized()([[3.0, 4.0], [0.0, 0.0]]), [[1.0, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (Gaussian(), "infinitely many positive terms"),
        (2.0 * Gaussian(0.5) + Linear(), "infinitely many positive terms"),
        (Linear().exp(), "power series of exp"),
        (Multiquadric(), "negative eigenvalues"),
        (Custom(min), "only its values are known"),
        (Precomputed(), "only products are known"),
    ],
)
def test_kernels_without_a_finite_map_say_why(kernel, reason):
    with pytest.raises(ParameterError, match=reason):
        kernel.features(np.eye(2))
    with pytest.raises(ParameterError, match=reason):
        kernel.feature_names(2)


def test_a_map_that_is_too_large_is_refused_before_it_is_made():
    with pytest.raises(ParameterError, match=f"has {math.comb(400, 4):,} features"):
        Polynomial(4, coef0=1.0).features(np.ones((1, 396)))
    with pytest.raises(ParameterError, match="use the kernel itself"):
        Polynomial(2).features(np.ones((30_000, 100)))


@pytest.mark.parametrize("columns", [0, -1, []])
def test_features_need_columns(columns):
    with pytest.raises(ParameterError, match="columns"):
        Linear().feature_names(columns)
