"""Iterations of EM over rows that miss values: every kept number is proved, and the numbers are those of a plain EM."""

import warnings

import numpy as np
import pytest

import novacula as nv
from novacula.checks import check_work
from novacula.checks.trace import unproved_fields
from novacula.errors import ParameterError
from novacula.projection import PCA


def rows(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    X[0, 1] = X[3, 0] = np.nan
    X[4, 1:3] = np.nan
    return X


def fitted(X, k, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few steps need not settle
        return PCA(k, **settings).fit(X)


@pytest.mark.parametrize(("n", "d", "k"), [(6, 3, 1), (6, 3, None), (60, 4, 2)])
def test_iterations_are_derived_and_every_kept_number_is_proved(n, d, k):
    X = rows(n, d)
    model = fitted(X, k, max_iter=30)
    assert model.method_ == "em"
    check_work(model, iteration=1, drawn=False)
    check_work(model, iteration=model.n_iter_, detail="full", drawn=False)
    assert unproved_fields(model, X) == []


def plain_em(X, k, steps):
    """Fill, add what is left, and take directions, row by row and without any of the library."""
    mean, cov = np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0))
    cov = low_rank(cov, k)
    for _ in range(steps):
        filled, left = X.copy(), np.zeros_like(cov)
        for r, x in enumerate(X):
            o, m = np.flatnonzero(~np.isnan(x)), np.flatnonzero(np.isnan(x))
            bridge = cov[np.ix_(m, o)] @ np.linalg.inv(cov[np.ix_(o, o)])
            filled[r, m] = mean[m] + bridge @ (x[o] - mean[o])
            left[np.ix_(m, m)] += cov[np.ix_(m, m)] - bridge @ cov[np.ix_(o, m)]
        mean = filled.mean(axis=0)
        cov = low_rank(((filled - mean).T @ (filled - mean) + left) / len(X), k)
    return mean, cov


def low_rank(cov, k):
    values, vectors = np.linalg.eigh(cov)
    values[: len(cov) - k] = values[: len(cov) - k].mean()
    return (vectors * values) @ vectors.T


@pytest.mark.parametrize("iteration", [0, 1, 2, 5])
def test_the_kept_models_are_those_of_a_plain_em(iteration):
    X = rows(6, 3)
    model = fitted(X, 1, max_iter=5, tol=0.0)
    mean, cov = plain_em(X, 1, iteration)
    state = model.trace_.path.at(iteration, (12,))
    np.testing.assert_allclose(state, [*mean, *cov.ravel()], rtol=1e-9)


def test_the_way_is_saved(tmp_path):
    model = fitted(rows(6, 3), 1)
    model.save(tmp_path / "model.nova")
    assert str(nv.load(tmp_path / "model.nova").work(iteration=2)) == str(model.work(iteration=2))


def test_many_columns_keep_no_way_and_whole_rows_need_none():
    with pytest.raises(ParameterError, match="keeps no iterations"):
        fitted(rows(40, 21), 1, max_iter=2).work(iteration=1)
    with pytest.raises(ParameterError, match="keeps no iterations"):
        PCA(1).fit(np.eye(4)).work(iteration=1)
    with pytest.raises(ParameterError, match="counted from 1"):
        fitted(rows(6, 3), 1).work(iteration=10_000)
