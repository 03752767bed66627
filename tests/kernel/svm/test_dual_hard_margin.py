"""The hard margin: points by hand, quadratic programs and linear programs as oracles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from novacula.kernel import Gaussian, Linear
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.hard_margin import HullsMeetError, solve_hard_margin
from novacula.kernel.svm.kernel_rows import KernelRows
from novacula.optimize import quadratic_program

laws = settings(deadline=None)


def solve(X, y, kernel=None, **effort):
    return solve_hard_margin(KernelRows.of(kernel or Linear(), X), y, Effort(**effort))


def separable(X, y):
    """Whether some plane has y(w·x + b) ≥ 1 for every row: a linear program."""
    found = linprog(np.zeros(X.shape[1] + 1), A_ub=-y[:, None] * np.c_[X, np.ones(len(X))], b_ub=-np.ones(len(X)),
                    bounds=(None, None))  # fmt: skip
    return found.status == 0


@st.composite
def clouds(draw):
    """Two clouds of few points on a grid, near each other or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    X = rng.integers(-3, 4, (n, d)).astype(float)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X[y > 0] += draw(st.integers(0, 5))
    return X, y


def test_two_points():
    found = solve(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([-1.0, 1.0]))
    assert found.beta == pytest.approx([-0.08, 0.08])  # 2/‖p − q‖² = 2/25
    assert found.intercept == pytest.approx(-1.0)
    assert found.objective == pytest.approx(0.08)
    assert found.violation == pytest.approx(0.0, abs=1e-12)


def test_a_point_and_an_edge():
    X, y = np.array([[0.0, 1.0], [0.0, -1.0], [2.0, 0.0], [5.0, 0.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    found = solve(X, y)
    assert found.beta == pytest.approx([-0.25, -0.25, 0.5, 0.0])
    assert X.T @ found.beta == pytest.approx([1.0, 0.0])
    assert found.intercept == pytest.approx(-1.0)


@laws
@given(clouds())
def test_exists_where_a_linear_program_finds_a_plane(clouds):
    X, y = clouds
    if not separable(X, y):
        with pytest.raises(HullsMeetError) as met:
            solve(X, y)
        rows, share = met.value.rows, met.value.share
        assert np.all(np.sign(share) == y[rows])
        assert share[share > 0].sum() == pytest.approx(1.0)
        assert share @ X[rows] == pytest.approx(0.0, abs=1e-3)  # the certificate: one point of both hulls
        return
    found = solve(X, y, tol=1e-6)
    expected = quadratic_program(
        np.diag([*np.ones(X.shape[1]), 0.0]), np.zeros(X.shape[1] + 1), -y[:, None] * np.c_[X, np.ones(len(X))],
        -np.ones(len(X)),
    )  # fmt: skip
    assert found.objective == pytest.approx(expected.value, rel=1e-5)
    assert X.T @ found.beta == pytest.approx(expected.x[:-1], abs=1e-4)
    assert np.all(y * (X @ X.T @ found.beta + found.intercept) >= 1.0 - 1e-5)


def test_distinct_rows_always_have_a_margin_under_a_gaussian():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), np.where(rng.random(300) < 0.5, 1.0, -1.0)
    found = solve(X, y, Gaussian(20.0), tol=1e-4)
    assert found.run.converged
    assert np.all(y * (Gaussian(20.0)(X) @ found.beta + found.intercept) >= 1.0 - 1e-3)
    assert np.all(np.diff(found.run.history) >= -1e-9)


def test_equal_rows_of_both_classes_meet():
    with pytest.raises(HullsMeetError) as met:
        solve(np.array([[1.0], [2.0], [1.0]]), np.array([1.0, 1.0, -1.0]), Gaussian(1.0))
    assert met.value.rows.tolist() == [0, 2]


def test_the_effort_is_limited():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    found = solve(X, np.sign(X[:, 0] + 0.1 * X[:, 1]), max_iter=5)
    assert found.run.n_iter == 5
    assert not found.run.converged
    assert "5 iterations, as many as max_iter allows" in found.run.sentence
