"""The dual problem: the KKT conditions as a property, quadratic programs by interior points as an oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import svm
from sklearn.datasets import make_classification

from novacula.kernel import Custom, Gaussian, Linear, Polynomial, Precomputed
from novacula.kernel.svm import decomposition
from novacula.kernel.svm.decomposition import ConcaveError, solve_dual
from novacula.kernel.svm.dual import Dual
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.kernel_rows import KernelRows
from novacula.kernel.svm.row_cache import RowCache, products
from novacula.learner.iterate import Outcome
from novacula.optimize import quadratic_program

laws = settings(deadline=None, max_examples=30)
KERNELS = st.sampled_from([Linear(), Gaussian(0.3), Polynomial(degree=2), Gaussian(1.0) + Linear()])
LOSSES = st.sampled_from(["hinge", "squared_hinge"])


@st.composite
def problems(draw, most=40):
    """Rows, signs, numbers and costs; some rows equal, so that the kernel matrix has no full rank."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, most)), draw(st.integers(1, 4))
    X = rng.normal(size=(n, d))
    X[: n // 4] = X[n // 4 : 2 * (n // 4)]
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y, rng.normal(size=n), 10.0 ** rng.uniform(-2, 2, n)


def kkt_faults(dual, K, beta, tol):
    """What is wrong with a solution, from its definition: bounds, sums, and an intercept that fits all variables."""
    gradient = dual.target - K[np.ix_(dual.row, dual.row)] @ beta - dual.ridge * beta
    faults = [] if np.all((beta >= dual.lower) & (beta <= dual.upper)) else ["bounds"]
    for group in range(dual.n_groups):
        own = dual.group == group
        if abs((beta - dual.start)[own].sum()) > 1e-9 * max(1.0, np.abs(beta).max()):
            faults.append("sum")
        at_least = gradient[own & (beta < dual.upper)].max(initial=-np.inf)
        at_most = gradient[own & (beta > dual.lower)].min(initial=np.inf)
        if at_least - at_most > tol:
            faults.append(f"violation {at_least - at_most}")
    return faults


def as_program(dual, K):
    """The same problem for the interior-point method."""
    P = K[np.ix_(dual.row, dual.row)] + np.diag(dual.ridge)
    ends = [(sign, bound) for sign, bound in ((1, dual.upper), (-1, -dual.lower)) if np.isfinite(bound).any()]
    rows = [sign * np.eye(len(P))[np.isfinite(bound)] for sign, bound in ends]
    limits = [bound[np.isfinite(bound)] for _, bound in ends]
    return quadratic_program(P, -dual.target, np.vstack(rows), np.concatenate(limits), np.ones((1, len(P))), [0.0])


@laws
@given(problems(), KERNELS, LOSSES, st.sampled_from([1e-1, 1e-3, 1e-5]), st.booleans())
def test_solutions_satisfy_the_kkt_conditions(problem, kernel, loss, tol, numbers):
    X, y, t, cost = problem
    dual = Dual.regression(t, cost, 0.1, loss) if numbers else Dual.classification(y, cost, loss)
    found = solve_dual(dual, KernelRows.of(kernel, X), Effort(tol=tol))
    assert found.run.converged
    assert found.violation <= tol
    assert kkt_faults(dual, kernel(X), found.beta, tol * (1 + 1e-6)) == []
    assert np.all(np.diff(found.run.history) >= -1e-9 * max(1.0, abs(found.run.history[-1])))
    assert found.run.history[-1] == pytest.approx(found.objective, rel=1e-9, abs=1e-12)


@laws
@given(problems(most=14), KERNELS, LOSSES, st.booleans())
def test_agrees_with_interior_points(problem, kernel, loss, numbers):
    X, y, t, cost = problem
    dual = Dual.regression(t, cost, 0.1, loss) if numbers else Dual.classification(y, cost, loss)
    found = solve_dual(dual, KernelRows.of(kernel, X), Effort(tol=1e-7))
    expected = as_program(dual, kernel(X))
    assert expected.converged
    assert found.objective == pytest.approx(-expected.value, rel=1e-6, abs=1e-7)


@laws
@given(problems(), KERNELS, LOSSES)
def test_the_gap_to_the_primal_problem_is_small(problem, kernel, loss):
    X, y, _, cost = problem
    found = solve_dual(Dual.classification(y, cost, loss), KernelRows.of(kernel, X), Effort(tol=1e-6))
    K = kernel(X)
    slack = np.maximum(0.0, 1.0 - y * (K @ found.beta + found.intercept))
    primal = 0.5 * found.beta @ K @ found.beta + cost @ (slack if loss == "hinge" else slack**2)
    assert primal >= found.objective * (1 - 1e-9) - 1e-9
    assert primal - found.objective <= 1e-4 * max(1.0, primal)


# --- many rows ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def overlapping():
    X, y = make_classification(700, 6, n_informative=4, flip_y=0.1, random_state=3)
    return X, np.where(y > 0, 1.0, -1.0)


@pytest.fixture
def in_sets(monkeypatch):
    """Small working sets, as for many rows."""
    monkeypatch.setattr(decomposition, "WHOLE", 0)
    monkeypatch.setattr(decomposition, "SET", 40)


@pytest.mark.parametrize("cache_bytes", [1.0, 30e3, 1e9])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_working_sets_find_the_solution_of_the_whole(overlapping, in_sets, monkeypatch, cache_bytes, loss):
    X, y = overlapping
    dual, rows = Dual.classification(y, np.full(len(y), 2.0), loss), KernelRows.of(Gaussian(0.2), X)
    found = solve_dual(dual, rows, Effort(cache_bytes=cache_bytes))
    assert found.run.converged
    assert kkt_faults(dual, Gaussian(0.2)(X), found.beta, 1.2e-3) == []
    monkeypatch.undo()
    whole = solve_dual(dual, rows, Effort())
    assert len(whole.run.history) < len(found.run.history)
    assert found.objective == pytest.approx(whole.objective, rel=1e-5)


def test_rows_that_are_left_out_come_back(overlapping, in_sets, monkeypatch):
    X, y = overlapping
    restored = []
    restore = decomposition.Decomposition._restore

    def counted(self):
        restored.append(len(self.active))
        restore(self)

    monkeypatch.setattr(decomposition.Decomposition, "_restore", counted)
    dual = Dual.classification(y, np.full(len(y), 1.0), "hinge")
    found = solve_dual(dual, KernelRows.of(Gaussian(0.2), X), Effort(cache_bytes=30e3))
    assert restored
    assert restored[0] < len(y)
    assert kkt_faults(dual, Gaussian(0.2)(X), found.beta, 1.2e-3) == []


def test_numbers_in_working_sets(overlapping, in_sets):
    X, _ = overlapping
    t = np.sin(X[:, 0]) + 0.1 * X[:, 1]
    dual = Dual.regression(t, np.full(len(t), 5.0), 0.05, "hinge")
    found = solve_dual(dual, KernelRows.of(Gaussian(0.2), X), Effort(tol=1e-4))
    assert kkt_faults(dual, Gaussian(0.2)(X), found.beta, 1.2e-4) == []


def test_the_objective_is_that_of_libsvm(overlapping, in_sets):
    X, y = overlapping
    for C in (0.1, 10.0):
        found = solve_dual(
            Dual.classification(y, np.full(len(y), C), "hinge"), KernelRows.of(Gaussian(0.2), X), Effort()
        )
        other = svm.SVC(C=C, gamma=0.2).fit(X, y)
        beta = np.zeros(len(y))
        beta[other.support_] = other.dual_coef_[0]
        expected = y @ beta - 0.5 * beta @ Gaussian(0.2)(X) @ beta
        assert found.objective == pytest.approx(expected, rel=1e-5)
        assert found.intercept == pytest.approx(other.intercept_[0], abs=2e-3)
        assert np.mean((found.beta != 0) == (beta != 0)) > 0.99


def test_the_effort_is_limited(overlapping, in_sets):
    X, y = overlapping
    dual, rows = Dual.classification(y, np.ones(len(y)), "hinge"), KernelRows.of(Gaussian(0.2), X)
    few = solve_dual(dual, rows, Effort(max_iter=25))
    assert few.run.n_iter == 25
    assert not few.run.converged
    assert few.violation > 1e-3
    assert "25 iterations, as many as max_iter allows" in few.run.sentence
    assert kkt_faults(dual, Gaussian(0.2)(X), few.beta, few.violation * (1 + 1e-5)) == []
    assert "time_budget" in solve_dual(dual, rows, Effort(deadline=0.0)).run.sentence


def test_a_violation_that_rounding_hides_ends_the_search(overlapping, in_sets):
    X, y = overlapping
    dual = Dual.classification(y, np.full(len(y), 1e6), "hinge")
    found = solve_dual(dual, KernelRows.of(Linear(), 1e3 * X), Effort(tol=1e-15, max_iter=2_000_000))
    assert not found.run.converged
    assert found.run.outcome in (Outcome.STALLED, Outcome.MAX_ITER)


def test_negative_curvature_is_refused():
    X = np.linspace(-1, 1, 20)[:, None]
    rows = KernelRows.of(Custom(lambda a, b: -(a @ b.T)), X)
    with pytest.raises(ConcaveError) as met:
        solve_dual(Dual.classification(np.sign(X[:, 0]), np.ones(20), "hinge"), rows, Effort())
    i, j = met.value.rows
    assert X[i, 0] != X[j, 0]


# --- kernel rows --------------------------------------------------------------------------------------------


@laws
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.floats(1.0, 1e4))
def test_the_row_cache_adds_rows_of_the_gram_matrix(seed, n, max_bytes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    columns = np.union1d([0], np.flatnonzero(rng.random(n) < 0.7))
    cache = RowCache(KernelRows.of(Gaussian(0.5), X), columns, max_bytes, np.float64)
    assert cache.store.nbytes <= max(max_bytes, 2 * 8 * len(columns))
    K = Gaussian(0.5)(X)
    for _ in range(6):
        places = np.flatnonzero(rng.random(n) < 0.3)
        change = rng.normal(size=len(places))
        assert cache.product(places, change) == pytest.approx(change @ K[np.ix_(places, columns)], abs=1e-12)


def test_the_row_cache_keeps_what_was_needed_last():
    asked = []

    def counted(A, B):
        asked.append(len(A))
        return A @ B.T

    rows = KernelRows.of(Custom(counted), np.eye(6))
    rows.block(np.arange(2), np.arange(2))  # the probe of a function of one's own
    cache = RowCache(rows, np.arange(6), 3 * 6 * 8, np.float64)
    needed = [[0], [1], [2], [0, 1], [3], [0, 1], [2]]  # 3 displaces 2, and 2 then 3
    computed = []
    for places in needed:
        asked.clear()
        cache.product(np.array(places), np.ones(len(places)))
        computed.append(sum(asked))
    assert computed == [1, 1, 1, 0, 1, 0, 1]
    assert sorted(cache.row_in_slot.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Linear(), Precomputed(), Precomputed() + 1.0])
def test_kernel_rows_are_blocks_of_the_gram_matrix(kernel):
    X = np.random.default_rng(0).normal(size=(9, 4))
    given_rows = X @ X.T if kernel.precomputed else X
    rows, K = KernelRows.of(kernel, given_rows), kernel(given_rows)
    left, right = np.array([5, 1, 7]), np.array([0, 2])
    assert rows.block(left, right) == pytest.approx(K[np.ix_(left, right)])
    assert rows.take(left).gram(np.array([2, 0])) == pytest.approx(K[np.ix_([7, 5], [7, 5])])
    assert rows.diagonal() == pytest.approx(np.diag(K))
    assert products(rows, left, right, np.array([2.0, -1.0])) == pytest.approx(K[np.ix_(left, right)] @ [2.0, -1.0])
