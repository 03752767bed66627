"""Linear support vector machines where rows or columns are many, and what happens when they are cut short."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from novacula.errors import ParameterError
from novacula.kernel.svm import linear
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.linear import few_columns, solve_linear
from novacula.table import threads

SETTINGS = {"effort": Effort(tol=1e-3), "seed": 0}
LOSSES = ("hinge", "squared_hinge")


def overlapping(n=6_000, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X @ rng.normal(size=d) + rng.logistic(size=n) > 1.0, 1.0, -1.0)


def words(n=400, d=3_000, seed=0):
    """Rows of unit length with few of many columns."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.01, rng=rng, format="csr")
    X = sparse.csr_matrix(sparse.diags_array(1.0 / np.sqrt(X.power(2).sum(axis=1))) @ X)
    return X, np.where(X @ rng.normal(size=d) + 0.3 > 0.0, 1.0, -1.0)


@pytest.fixture
def small_samples(monkeypatch):
    """Samples of a few rows, so that much is thought of them that is wrong."""
    monkeypatch.setattr(few_columns, "FEWEST", 100)
    monkeypatch.setattr(few_columns, "PER_COLUMN", 1)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_sample_changes_the_way_and_not_the_solution(loss, small_samples, monkeypatch):
    X, y = overlapping()
    cost = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    sampled = solve_linear(X, y, cost, loss=loss, **SETTINGS)
    monkeypatch.setattr(few_columns, "WORTH", 10**6)
    whole = solve_linear(X, y, cost, loss=loss, **SETTINGS)
    assert sampled.run.converged
    assert sampled.dual_objective == pytest.approx(whole.dual_objective, rel=1e-6)
    np.testing.assert_allclose(sampled.coef, whole.coef, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("reach", [1.0, 2.0])
def test_rows_that_were_set_aside_in_error_take_part_again(reach, small_samples, monkeypatch):
    X, y = overlapping()
    good = solve_linear(X, y, np.ones(len(y)), loss="hinge", **SETTINGS)
    monkeypatch.setattr(few_columns, "REACH", reach)  # far too near: a width has not settled yet
    found = solve_linear(X, y, np.ones(len(y)), loss="hinge", **SETTINGS)
    assert found.run.converged
    assert found.dual_objective == pytest.approx(good.dual_objective, rel=1e-6)


def test_a_class_of_few_rows_is_in_every_sample(small_samples):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6_000, 3))
    y = -np.ones(len(X))
    y[:5] = 1.0
    X[:5] += 1.5
    found = solve_linear(X, y, np.where(y > 0, 100.0, 0.1), loss="hinge", **SETTINGS)
    theirs = SVC(kernel="linear", C=0.1, class_weight={1.0: 1000.0}, tol=1e-5).fit(X, y)
    assert found.run.converged
    np.testing.assert_allclose(found.coef, theirs.coef_[0], atol=2e-2)


def test_regression_on_many_rows(small_samples):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6_000, 3)) + 50.0
    y = 1e3 * (X @ [1.0, -2.0, 0.5] + rng.normal(size=len(X)))
    found = solve_linear(X, y, np.full(len(y), 100.0), 500.0, loss="hinge", **SETTINGS)
    assert found.run.converged
    np.testing.assert_allclose(found.coef, [1e3, -2e3, 500.0], rtol=0.1)


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_many_columns_agree_with_libsvm(C):
    X, y = words()
    found = solve_linear(X, y, np.full(len(y), C), loss="hinge", **SETTINGS)
    theirs = SVC(C=C, kernel="linear", tol=1e-5).fit(X, y)
    dual = np.abs(theirs.dual_coef_).sum() - 0.5 * float(theirs.coef_.multiply(theirs.coef_).sum())
    assert found.run.converged
    assert found.dual_objective == pytest.approx(dual, rel=1e-4)


def test_a_dense_matrix_of_many_columns_is_its_sparse_one(monkeypatch):
    X, y = words(n=200, d=1_500)
    monkeypatch.setattr(linear, "FEW_COLUMNS", {"dense": 0, "sparse": 0})
    one = solve_linear(X, y, np.ones(len(y)), loss="hinge", **SETTINGS)
    other = solve_linear(X.toarray(), y, np.ones(len(y)), loss="hinge", **SETTINGS)
    np.testing.assert_allclose(one.coef, other.coef, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("make", [overlapping, words])
def test_bits_do_not_depend_on_the_threads(make, loss):
    X, y = make()
    found = []
    for count in (1, 2, 3):
        with threads(count):
            found.append(solve_linear(X, y, np.ones(len(y)), loss=loss, **SETTINGS))
    for other in found[1:]:
        assert np.array_equal(found[0].coef, other.coef)
        assert np.array_equal(found[0].alpha, other.alpha)
        assert found[0].intercept == other.intercept


# --- the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [overlapping, words])
def test_too_few_iterations_are_reported(make):
    X, y = make()
    found = solve_linear(X, y, np.ones(len(y)), loss="hinge", **SETTINGS | {"effort": Effort(max_iter=2)})
    assert not found.run.converged
    assert found.run.n_iter == 2
    assert "2 iterations, as many as max_iter allows" in found.run.sentence
    assert found.kkt_violation > SETTINGS["effort"].tol


@pytest.mark.parametrize("make", [overlapping, words])
def test_too_little_time_is_reported(make):
    X, y = make()
    found = solve_linear(X, y, np.ones(len(y)), loss="hinge", **SETTINGS | {"effort": Effort(deadline=0.0)})
    assert not found.run.converged
    assert "time_budget" in found.run.sentence


def test_positions_that_are_stored_twice_are_added():
    X, y = words()
    twice = sparse.csr_matrix((np.repeat(X.data / 2.0, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    one, other = (solve_linear(rows, y, np.ones(len(y)), loss="hinge", **SETTINGS) for rows in (X, twice))
    np.testing.assert_allclose(one.coef, other.coef, rtol=1e-9, atol=1e-12)


def test_cut_short_it_is_still_a_dual_point():
    X, y = overlapping()
    good = solve_linear(X, y, np.ones(len(y)), loss="hinge", **SETTINGS)
    for steps in (0, 1, 5, 20):
        found = solve_linear(X, y, np.ones(len(y)), loss="hinge", **SETTINGS | {"effort": Effort(max_iter=steps)})
        assert abs((found.alpha * y).sum()) < 1e-8
        assert (found.alpha >= 0.0).all()
        assert (found.alpha <= 1.0).all()
        assert found.dual_objective <= good.primal_objective <= found.primal_objective * (1 + 1e-6)


def test_a_hard_margin_is_refused():
    X, y = overlapping(20)
    with pytest.raises(ParameterError, match="finite C: for a hard margin use solver='smo'"):
        solve_linear(X, y, np.full(20, np.inf), loss="hinge", **SETTINGS)
