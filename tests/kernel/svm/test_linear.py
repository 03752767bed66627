"""Linear support vector machines on many rows: the same problem as SMO's, by any way to its solution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC, SVR, LinearSVC

import novacula.kernel
from novacula.kernel.svm import linear
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.linear import solve_linear

laws = settings(deadline=None, max_examples=30)
SETTINGS = {"effort": Effort(tol=1e-4, max_iter=20_000), "seed": 0}
WAYS = {"few columns": 10**6, "many columns": 0}
LOSSES = ("hinge", "squared_hinge")


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Newton's method, and coordinate descent."""
    monkeypatch.setattr(linear, "FEW_COLUMNS", dict.fromkeys(("dense", "sparse"), WAYS[request.param]))
    return request.param


def classes(seed, n=120, d=4, centre=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) > 0.3, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X + centre, y


def numbers(seed, n=120, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 2.0 + 0.5 * rng.normal(size=n)


# --- the same problem as others solve -----------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_classes_agree_with_libsvm(way, C, seed):
    X, y = classes(seed)
    ours = solve_linear(X, y, np.full(len(y), C), loss="hinge", **SETTINGS)
    theirs = SVC(C=C, kernel="linear", tol=1e-6).fit(X, y)
    w = theirs.coef_[0]
    dual = np.abs(theirs.dual_coef_).sum() - 0.5 * w @ w
    assert ours.run.converged
    assert ours.dual_objective == pytest.approx(dual, rel=1e-5)
    np.testing.assert_allclose(ours.coef, w, atol=1e-2 * np.abs(w).max())
    far = np.abs(theirs.decision_function(X)) > 1e-2
    assert (np.sign(X @ ours.coef + ours.intercept)[far] == theirs.predict(X)[far]).all()


@pytest.mark.parametrize("C", [0.01, 0.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_numbers_agree_with_libsvm(way, C, epsilon):
    X, y = numbers(0)
    ours = solve_linear(X, y, np.full(len(y), C), epsilon, loss="hinge", **SETTINGS)
    theirs = SVR(C=C, kernel="linear", epsilon=epsilon, tol=1e-7).fit(X, y)
    beta, w = theirs.dual_coef_[0], theirs.coef_[0]
    dual = y[theirs.support_] @ beta - epsilon * np.abs(beta).sum() - 0.5 * w @ w
    assert ours.run.converged
    assert ours.dual_objective == pytest.approx(dual, rel=1e-5)
    np.testing.assert_allclose(X @ ours.coef + ours.intercept, theirs.predict(X), atol=2e-3)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_the_squared_loss_agrees_with_liblinear(way, C):
    X, y = classes(1)
    ours = solve_linear(X, y, np.full(len(y), C), loss="squared_hinge", **SETTINGS)
    theirs = LinearSVC(C=C, dual=False, tol=1e-10, intercept_scaling=1e4).fit(X, y)  # an intercept all but free
    np.testing.assert_allclose(ours.coef, theirs.coef_[0], rtol=1e-3, atol=1e-4)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("epsilon", [None, 0.3])
def test_no_other_plane_is_better(way, loss, epsilon):
    """The primal, convex, is not bettered from the solution by a search that knows nothing of duals."""
    from scipy.optimize import minimize

    X, y = classes(2, n=40, d=2) if epsilon is None else numbers(2, n=40, d=2)
    cost = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    ours = solve_linear(X, y, cost, epsilon, loss=loss, **SETTINGS)

    def primal(v):
        f = X @ v[:-1] + v[-1]
        missed = np.maximum(1.0 - y * f if epsilon is None else np.abs(y - f) - epsilon, 0.0)
        return 0.5 * v[:-1] @ v[:-1] + cost @ (missed**2 if loss == "squared_hinge" else missed)

    at = np.append(ours.coef, ours.intercept)
    assert primal(at) == pytest.approx(ours.primal_objective, rel=1e-12)
    found = minimize(primal, at + 0.1, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000})
    assert ours.primal_objective <= found.fun * (1 + 1e-4)
    assert ours.dual_objective <= found.fun * (1 + 1e-12)  # weak duality


# --- laws ---------------------------------------------------------------------------------------------------


@st.composite
def problems(draw):
    """Classes or numbers with costs of their own, columns in any unit, rows that repeat."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(4, 60)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, d) + draw(st.sampled_from([0.0, 5.0]))
    if draw(st.booleans()):
        X = X.round()
    epsilon = draw(st.sampled_from([None, 0.0, 0.1]))
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0) if epsilon is None else rng.normal(size=n)
    y[:2] = 1.0, -1.0
    return X, y, 10.0 ** draw(st.integers(-2, 2)) * rng.uniform(0.5, 2.0, n), epsilon


def solved(problem, loss, **changed):
    return solve_linear(*problem, loss=loss, **SETTINGS | changed)


@laws
@given(problems(), st.sampled_from(LOSSES))
def test_the_conditions_of_karush_kuhn_and_tucker_hold(problem, loss):
    X, y, cost, epsilon = problem
    found = solved(problem, loss, effort=Effort(tol=1e-3, max_iter=20_000))
    assert found.run.converged
    alpha, beta = (found.alpha, found.alpha * y) if epsilon is None else (np.abs(found.alpha), found.alpha)
    np.testing.assert_allclose(X.T @ beta, found.coef, rtol=1e-9, atol=1e-9 * np.abs(X).max() * cost.sum())
    assert abs(beta.sum()) <= 1e-11 * cost.sum()
    assert alpha.min() >= 0.0
    f = X @ found.coef + found.intercept
    missed = 1.0 - y * f if epsilon is None else np.abs(y - f) - epsilon
    if loss == "hinge":
        assert (alpha <= cost).all()
        assert (missed[alpha < cost] <= 1.1e-3).all()
        assert (missed[alpha > 0.0] >= -1.1e-3).all()
    else:
        np.testing.assert_allclose(alpha / (2.0 * cost), np.maximum(missed, 0.0), atol=1.1e-3)


@laws
@given(problems(), st.sampled_from(LOSSES))
def test_primal_and_dual_meet(problem, loss):
    found = solved(problem, loss)
    gap = found.primal_objective - found.dual_objective
    cost = problem[2]
    assert -1e-9 * found.primal_objective <= gap <= 1.1e-4 * cost.sum()


@laws
@given(problems(), st.sampled_from(LOSSES))
def test_a_weight_is_a_repetition_and_none_is_none(problem, loss):
    X, y, cost, epsilon = problem
    times = np.random.default_rng(0).integers(1, 3, len(y))
    again = tuple(np.repeat(part, times, axis=0) for part in (X, y, cost))
    lost = (np.vstack([X, X[:1] + 1e3]), np.append(y, -y[0]), np.append(cost * times, 0.0))
    one, other = solved((*again, epsilon), loss), solved((*lost, epsilon), loss)
    assert one.dual_objective == pytest.approx(other.dual_objective, rel=1e-3, abs=1e-4 * cost.sum())
    assert other.alpha[-1] == 0.0
    assert len(other.alpha) == len(y) + 1


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_rows_are_the_same_problem(way, loss):
    X, y = classes(3)
    X[np.abs(X) < 0.7] = 0.0
    dense = solve_linear(X, y, np.ones(len(y)), loss=loss, **SETTINGS)
    for form in (sparse.csr_matrix, sparse.csr_array):
        found = solve_linear(form(X), y, np.ones(len(y)), loss=loss, **SETTINGS)
        np.testing.assert_allclose(found.coef, dense.coef, rtol=1e-6, atol=1e-8)
        assert found.intercept == pytest.approx(dense.intercept, abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_moving_all_rows_moves_only_the_intercept(way, loss):
    X, y = classes(4)
    here = solve_linear(X, y, np.ones(len(y)), loss=loss, **SETTINGS)
    there = solve_linear(X + 3.0, y, np.ones(len(y)), loss=loss, **SETTINGS)
    np.testing.assert_allclose(there.coef, here.coef, atol=1e-3)
    assert there.intercept == pytest.approx(here.intercept - 3.0 * here.coef.sum(), abs=1e-2)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_learners_reach_the_objective_of_smo(loss, C):
    given = {"C": C, "kernel": "linear", "loss": loss, "tol": 1e-5}
    X, y = classes(5)
    one, other = (novacula.kernel.SVC(**given, solver=solver).fit(X, y) for solver in ("linear", "smo"))
    np.testing.assert_allclose(one.dual_objective_, other.dual_objective_, rtol=1e-6)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-3)
    X, t = numbers(5)
    one, other = (novacula.kernel.SVR(**given, solver=solver).fit(X, t) for solver in ("linear", "smo"))
    np.testing.assert_allclose(one.dual_objective_, other.dual_objective_, rtol=1e-6)
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-3)
