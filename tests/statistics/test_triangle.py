"""Triangle against LAPACK on the whole data, and on least squares that normal equations cannot solve."""

from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
import scipy.linalg

from novacula.errors import ParameterError
from novacula.statistics import CoMoments, Triangle


def observed(chunk_of, x, y, centre, scale, size, weight=None):
    weight = np.ones(len(x)) if weight is None else weight
    parts = [slice(i, i + size) for i in range(0, len(x), size)]
    chunks = [chunk_of(x[part], weight=weight[part], target=y[part]) for part in parts]
    return reduce(add, [Triangle.observe(chunk, centre, scale) for chunk in chunks])


def test_equals_lapack_on_the_whole_data(chunk_of, rng):
    x, y, weight = rng.normal(size=(100, 4)), rng.normal(size=(100, 2)), rng.uniform(0.1, 3.0, 100)
    centre, scale = rng.normal(size=6), rng.uniform(0.5, 2.0, 6)
    seen = observed(chunk_of, x, y, centre, scale, 9, weight)
    z = (np.column_stack([x, y]) - centre) / scale * np.sqrt(weight)[:, None]
    (r,) = scipy.linalg.qr(z, mode="r")
    np.testing.assert_allclose(seen.r, r[:6] * np.sign(np.diag(r))[:, None], atol=1e-12)
    assert seen.weight == pytest.approx(weight.sum())


def test_dependent_columns_keep_their_sums_of_squares(chunk_of, rng):
    x = rng.normal(size=(40, 2))
    x = np.column_stack([x, x[:, 0] - x[:, 1], np.zeros(40)])
    seen = observed(chunk_of, x, x[:, 1], np.zeros(5), np.ones(5), 3)
    z = np.column_stack([x, x[:, 1]])
    np.testing.assert_allclose(seen.r.T @ seen.r, z.T @ z, atol=1e-12)
    assert np.all(np.diag(seen.r) >= 0.0)


def test_error_grows_with_the_condition_not_with_its_square(chunk_of):
    # The Hilbert matrix has a known integer inverse; cond ≈ 1.6e10, so its square is beyond double precision.
    n = 8
    x = np.vstack([scipy.linalg.hilbert(n)] * 3)
    wanted = np.arange(1.0, n + 1)
    y = np.array([float(sum(Fraction(int(wanted[j]), i + j + 1) for j in range(n))) for i in range(n)] * 3)
    centre, scale = np.zeros(n + 1), np.ones(n + 1)
    r = observed(chunk_of, x, y, centre, scale, 5).r
    error = np.abs(scipy.linalg.solve_triangular(r[:n, :n], r[:n, n]) - wanted).max()
    gram = np.column_stack([x, y]).T @ np.column_stack([x, y])
    squared = np.abs(np.linalg.solve(gram[:n, :n], gram[:n, n]) - wanted).max()
    assert error < 1e-4 < 1e-1 < squared


def test_centre_and_scale_of_comoments_give_correlations(chunk_of, rng):
    x, y = rng.normal(5e7, 3.0, size=(200, 2)), rng.normal(size=200)
    chunk = chunk_of(x, target=y)
    moments = CoMoments.observe(chunk)
    scale = np.sqrt(np.diag(moments.scatter))
    r = Triangle.observe(chunk, moments.mean, scale).r
    np.testing.assert_allclose(r.T @ r, np.corrcoef(np.column_stack([x, y]), rowvar=False), atol=1e-9)


def test_a_scale_of_zero_is_refused(chunk_of):
    with pytest.raises(ParameterError, match="scale is not positive"):
        Triangle.observe(chunk_of([[1.0]]), np.zeros(1), np.zeros(1))
