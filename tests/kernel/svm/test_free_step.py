"""Newton's step of the free variables: linear equations and quadratic programs as oracles, the laws of a step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification

from novacula.kernel import Gaussian, Linear
from novacula.kernel.svm import decomposition
from novacula.kernel.svm.decomposition import solve_dual
from novacula.kernel.svm.dual import Dual
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.free_step import free_step
from novacula.kernel.svm.hard_margin import solve_hard_margin
from novacula.kernel.svm.kernel_rows import KernelRows
from novacula.optimize import quadratic_program

laws = settings(deadline=None)
LOSSES = ("hinge", "squared_hinge")


@st.composite
def states(draw):
    """A dual problem on the way: variables within their bounds, some of them at one, and the scores that they have."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, loss = draw(st.integers(1, 25)), draw(st.sampled_from(LOSSES))
    kernel = draw(st.sampled_from([Gaussian(0.5), Linear()]))
    X, cost = rng.normal(size=(n, 2)), 10.0 ** rng.uniform(-1, 3, n)
    X[: n // 4] = X[n // 4 : 2 * (n // 4)]
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    kind = draw(st.sampled_from(["classes", "numbers", "hulls"]))
    if kind == "numbers":
        dual = Dual.regression(rng.normal(size=n), cost, 0.1, loss)
    else:
        dual = Dual.classification(y, cost, loss) if kind == "classes" else Dual.nearest_points(np.append(y, [1, -1]))
    X = np.vstack([X, rng.normal(size=(2, 2))]) if kind == "hulls" else X
    low, high = np.maximum(dual.lower, -100.0), np.minimum(dual.upper, 100.0)
    share = np.clip(rng.uniform(-0.3, 1.3, len(low)), 0.0, 1.0)
    beta = np.where(share == 1.0, high, low + share * (high - low))
    return dual, kernel(X), beta


def scores_of(dual, K, beta):
    return dual.target - K[np.ix_(dual.row, dual.row)] @ beta - dual.ridge * beta


def objective(dual, K, beta):
    return float(beta @ (dual.target + scores_of(dual, K, beta)) / 2.0)


@laws
@given(states())
def test_a_step_gains_within_bounds_and_keeps_sums(state):
    dual, K, start = state
    beta, score = start.copy(), scores_of(dual, K, start)
    free_step(K, dual.row, dual, beta, score)
    size = max(1.0, np.abs(start).max())
    assert np.all((beta >= dual.lower) & (beta <= dual.upper))
    held = (start <= dual.lower) | (start >= dual.upper)
    assert np.array_equal(beta[held], start[held])
    for group in range(dual.n_groups):
        assert abs((beta - start)[dual.group == group].sum()) <= 1e-12 * len(beta) * size
    np.testing.assert_allclose(score, scores_of(dual, K, beta), atol=1e-10 * size * len(beta))
    before = objective(dual, K, start)
    assert objective(dual, K, beta) >= before - 1e-10 * max(1.0, abs(before))


@pytest.mark.parametrize("loss", LOSSES)
def test_without_bounds_on_the_way_it_is_the_solution_of_linear_equations(loss):
    rng = np.random.default_rng(0)
    K, y = Gaussian(20.0)(rng.normal(size=(12, 2))), np.repeat([1.0, -1.0], 6)
    dual = Dual.classification(y, np.full(12, 1e6), loss)
    start = 5.0 * y
    beta, score = start.copy(), scores_of(dual, K, start)
    free_step(K, dual.row, dual, beta, score)
    system = np.block([[K + np.diag(dual.ridge), np.ones((12, 1))], [np.ones((1, 12)), np.zeros((1, 1))]])
    expected = np.linalg.solve(system, np.append(y, 0.0))
    assert np.all(expected[:-1] * y > 0.0)  # so no bound is met
    np.testing.assert_allclose(beta, expected[:-1], rtol=1e-6)
    np.testing.assert_allclose(score, expected[-1], atol=1e-6)


def test_variables_that_meet_a_bound_stay_there_and_the_others_go_on():
    """The multipliers that fall to 0 on the way are those of rows that need none, so that it ends at the solution."""
    X = np.array([[-3.0], [-1.0], [1.0], [4.0]])
    dual = Dual.classification(np.array([-1.0, -1.0, 1.0, 1.0]), np.full(4, 10.0), "squared_hinge")
    K, beta = Linear()(X), np.array([-1.0, -1.0, 1.0, 1.0])
    score = scores_of(dual, K, beta)
    free_step(K, dual.row, dual, beta, score)
    P = K + np.diag(dual.ridge)
    expected = quadratic_program(P, -dual.target, -np.diag(dual.target), np.zeros(4), np.ones((1, 4)), [0.0]).x
    np.testing.assert_allclose(beta, expected, atol=1e-6)
    assert beta[0] == beta[3] == 0.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("numbers", [False, True])
def test_solutions_with_a_step_after_each_pair(monkeypatch, loss, numbers):
    X, y = make_classification(60, 4, flip_y=0.1, random_state=0)
    y, cost = np.where(y > 0, 1.0, -1.0), np.full(60, 100.0)
    rows = KernelRows.of(Gaussian(0.1), X)
    dual = Dual.regression(X[:, 0] * X[:, 1], cost, 0.1, loss) if numbers else Dual.classification(y, cost, loss)
    alone = solve_dual(dual, rows, Effort(tol=1e-6))
    monkeypatch.setattr(decomposition, "PAIRS", 1)
    found = solve_dual(dual, rows, Effort(tol=1e-6))
    scores = scores_of(dual, Gaussian(0.1)(X), found.beta)
    assert found.run.converged
    assert dual.violation(scores, found.beta) <= 1.01e-6
    assert found.run.n_iter < alone.run.n_iter
    assert found.objective == pytest.approx(alone.objective, rel=1e-8)
    assert np.all(np.diff(found.run.history) >= -1e-9 * abs(found.objective))


def test_a_hard_margin_with_a_step_after_each_pair(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), np.where(rng.random(80) < 0.5, 1.0, -1.0)
    monkeypatch.setattr(decomposition, "PAIRS", 1)
    found = solve_hard_margin(KernelRows.of(Gaussian(20.0), X), y, Effort(tol=1e-4))
    assert found.run.converged
    assert np.all(y * (Gaussian(20.0)(X) @ found.beta + found.intercept) >= 1.0 - 1e-3)
