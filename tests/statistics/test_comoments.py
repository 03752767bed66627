"""CoMoments against NumPy's covariance and exact rational arithmetic."""

import operator
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from novacula.statistics import CoMoments
from novacula.statistics.comoments import BLOCK, SAMPLE


def test_equals_numpy_covariance_over_several_blocks(chunk_of, rng):
    n = 2 * BLOCK + 17
    x, y, weight = rng.normal(size=(n, 3)), rng.normal(size=(n, 2)), rng.integers(0, 4, n)
    seen = CoMoments.observe(chunk_of(x, weight=weight, target=y))
    z = np.column_stack([x, y])
    scatter = np.cov(z, rowvar=False, fweights=weight, bias=True) * weight.sum()
    assert seen.weight == weight.sum()
    np.testing.assert_allclose(seen.mean, np.average(z, axis=0, weights=weight), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(seen.scatter, scatter, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(seen.scatter, seen.scatter.T)
    np.testing.assert_array_equal(np.block([[seen.xx(3), seen.xy(3)], [seen.xy(3).T, seen.yy(3)]]), seen.scatter)


def test_equals_rational_arithmetic_at_mean_1e8(chunk_of, rng):
    z = rng.normal(1e8, 1.0, size=(50, 2))
    pieces = [CoMoments.observe(chunk_of(z[i : i + 7, :1], target=z[i : i + 7, 1])) for i in range(0, 50, 7)]
    seen = sum(pieces[1:], pieces[0])
    assert seen.mean == pytest.approx([float(sum(map(Fraction, column)) / 50) for column in z.T], rel=1e-15)
    assert seen.scatter == pytest.approx(exact_scatter(*z.T), rel=1e-6, abs=1e-6)


def exact_scatter(*columns):
    """Sums of products of deviations, by fractions."""
    exact = [[Fraction(v) for v in column] for column in columns]
    means = [sum(column) / len(column) for column in exact]
    deviations = [[v - mean for v in column] for column, mean in zip(exact, means, strict=True)]
    return np.array([[float(sum(map(operator.mul, one, other))) for other in deviations] for one in deviations])


@pytest.mark.parametrize("shift", [0.0, 0.5, 2.0, 3.0, 1e3, 1e8])
@pytest.mark.parametrize("first", [SAMPLE, 2 * SAMPLE])
def test_equals_rational_arithmetic_where_later_rows_lie_elsewhere(chunk_of, rng, shift, first):
    """Near the first rows and far from them, on both sides of the bound from which on a chunk is gone through again."""
    n = 4 * SAMPLE
    x, y = rng.normal(size=(n, 2)), rng.normal(1e6, 1.0, size=n)
    x[first:, 1] += shift
    seen, exact = CoMoments.observe(chunk_of(x, target=y)), exact_scatter(*x.T, y)
    size = np.sqrt(np.outer(exact.diagonal(), exact.diagonal()))
    rounding = np.array([1e-15, 1e-15, 1e-10])  # of a target that has six digits before the point
    assert (np.abs(seen.scatter - exact) <= 20 * np.maximum.outer(rounding, rounding) * size).all()
    np.testing.assert_array_equal(seen.scatter, seen.scatter.T)


@pytest.mark.parametrize("value", [0.1, 1e8 / 3.0, -7e-5])
def test_columns_that_do_not_vary_have_no_scatter(chunk_of, rng, value):
    x = np.column_stack([rng.normal(size=500), np.full(500, value)])
    seen = CoMoments.observe(chunk_of(x, weight=rng.integers(0, 3, 500)))
    assert seen.mean[1] == value
    np.testing.assert_array_equal(seen.scatter[1], 0.0)


@pytest.mark.parametrize("late", [np.nan, np.inf, 1e200, 1e9])
def test_what_the_first_rows_do_not_show(chunk_of, rng, late):
    """Rows near zero, and one after those that are looked at which is not."""
    x = rng.normal(size=(SAMPLE + 50, 2))
    x[-1, 1] = late
    seen, alone = CoMoments.observe(chunk_of(x, target=x[:, 0])), CoMoments.observe(chunk_of(x[:, :1], target=x[:, 0]))
    assert np.isfinite(seen.mean).tolist() == [True, bool(np.isfinite(late)), True]
    np.testing.assert_allclose(seen.scatter[::2, ::2], alone.scatter, rtol=1e-13)
    if late == 1e9:
        np.testing.assert_allclose(seen.scatter, np.cov(np.column_stack([x, x[:, 0]]).T) * (len(x) - 1), rtol=1e-9)


def test_sparse_columns_follow_the_numeric_ones(chunk_of, rng):
    dense, extra = rng.normal(size=(30, 2)), scipy.sparse.random(30, 3, density=0.5, format="csr", rng=rng)
    seen = CoMoments.observe(chunk_of(dense, sparse=extra))
    z = np.hstack([dense, extra.toarray()])
    np.testing.assert_allclose(seen.scatter, np.cov(z, rowvar=False) * 29, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_surfaces_quietly(chunk_of, value):
    seen = CoMoments.observe(chunk_of([[1.0, value], [2.0, 3.0]], target=[1.0, 2.0]))
    assert np.isfinite(seen.mean).tolist() == [True, False, True]
    assert np.isfinite((seen + seen).mean).tolist() == [True, False, True]


def test_no_rows(chunk_of):
    chunk = chunk_of(np.empty((0, 2)), target=np.empty(0))
    assert CoMoments.observe(chunk).departure(CoMoments.zero(3)) == ""
