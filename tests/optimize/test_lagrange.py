"""Lagrange: the number of the literature, SciPy on smooth problems, prices, kinds of points, bad equalities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from novacula.errors import ParameterError
from novacula.optimize import Quadratic, lagrange, quadratic_program

laws = settings(deadline=None)


def test_the_example_of_the_literature():
    """x² + 2y² + xy where x − 2y = 3: x = 9/8, y = −15/16, α = 21/16."""
    exact = lagrange(Quadratic([[2, 1], [1, 4]]), ([[1, -2]], [3]))
    smooth = lagrange(lambda x: x[0] ** 2 + 2 * x[1] ** 2 + x[0] * x[1], lambda x: x[0] - 2 * x[1] - 3, [0.0, 0.0])
    for found in (exact, smooth):
        np.testing.assert_allclose(found.x, [9 / 8, -15 / 16], rtol=1e-9)
        np.testing.assert_allclose(found.multipliers, [21 / 16], rtol=1e-8)
        assert found.kind == "minimum"
    wrong_sign = lagrange(([[2, -1], [-1, 4]], [0, 0]), ([[1, -2]], [3]))
    np.testing.assert_allclose([*wrong_sign.x, *wrong_sign.multipliers], [3 / 4, -9 / 8, 21 / 8], rtol=1e-12)


@laws
@given(st.integers(0, 2**32 - 1))
def test_quadratics_solve_their_linear_system(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    p = int(rng.integers(1, d))
    B, A = rng.normal(size=(d, d)), rng.normal(size=(p, d))
    P, q, b = B @ B.T + 0.1 * np.eye(d), rng.normal(size=d), rng.normal(size=p)
    found = lagrange((P, q), (A, b))
    whole = np.linalg.solve(np.block([[P, -A.T], [A, np.zeros((p, p))]]), np.append(-q, b))
    np.testing.assert_allclose(np.append(found.x, found.multipliers), whole, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(quadratic_program(P, q, A=A, b=b).multipliers, found.multipliers, rtol=1e-6, atol=1e-8)


SMOOTH = {
    "furthest point of a circle": (lambda x: x[0] + 2 * x[1], lambda x: x @ x - 5, [-0.5, -1.0]),
    "entropy": (lambda p: p @ np.log(p), lambda p: [p.sum() - 1, p @ np.arange(1, 5) - 2.2], [0.4, 0.3, 0.2, 0.1]),
    "rosenbrock on a circle": (
        lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
        lambda x: x @ x - 2.5,
        [1.0, 1.0],
    ),
    "nearest point of a parabola": (lambda x: (x[0] - 3) ** 2 + x[1] ** 2, lambda x: x[1] - x[0] ** 2, [2.0, 1.0]),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_problems_like_scipy(name):
    f, g, x0 = SMOOTH[name]
    found = lagrange(f, g, x0)
    known = minimize(f, x0, method="SLSQP", constraints={"type": "eq", "fun": g}, options={"ftol": 1e-14})
    assert found.converged, found.reason
    assert found.kind == "minimum"
    assert found.residuals.worst < 1e-8
    np.testing.assert_allclose(found.x, known.x, atol=1e-5)
    assert found.value <= known.fun + 1e-9


def test_given_derivatives_serve_as_well():
    given = lagrange(
        lambda x: x[0] + 2 * x[1],
        lambda x: [x @ x - 5],
        [-0.5, -1.0],
        gradient=lambda x: np.array([1.0, 2.0]),
        jacobian=lambda x: 2 * x[None, :],
        hessian=lambda x, alpha: -2 * alpha[0] * np.eye(2),
    )
    np.testing.assert_allclose(given.x, [-1, -2], atol=1e-9)
    np.testing.assert_allclose(given.multipliers, [-0.5], atol=1e-9)


def test_a_multiplier_is_a_price():
    f, g, x0 = SMOOTH["nearest point of a parabola"]
    found, more = lagrange(f, g, x0), 1e-5
    moved = lagrange(f, lambda x: g(x) - more, x0)
    assert (moved.value - found.value) / more == pytest.approx(found.multipliers[0], rel=1e-3)


def test_kinds_of_stationary_points():
    bowl, roof, saddle = np.eye(3), -np.eye(3), np.diag([1.0, -1.0, 1.0])
    plane = ([[0, 0, 1]], [1])
    assert lagrange((bowl, np.zeros(3)), plane).kind == "minimum"
    assert lagrange((roof, np.zeros(3)), plane).kind == "maximum"
    assert lagrange((saddle, np.zeros(3)), plane).kind == "saddle point"
    assert lagrange((np.diag([1.0, 0, 0]), np.zeros(3)), plane).kind == "degenerate point"
    assert lagrange((saddle, np.zeros(3)), (np.eye(3), [1, 2, 3])).kind == "only point"
    at_top = lagrange(lambda x: x[0] + 2 * x[1], lambda x: x @ x - 5, [1.0, 2.0])
    assert (at_top.kind, at_top.converged) == ("maximum", True)
    assert "a maximum" in at_top.reason


def test_redundant_equalities_share_their_price():
    once = lagrange((np.eye(2), [0, 0]), ([[1, 1]], [2]))
    twice = lagrange((np.eye(2), [0, 0]), ([[1, 1], [1, 1]], [2, 2]))
    np.testing.assert_allclose(twice.x, once.x)
    np.testing.assert_allclose(twice.multipliers, once.multipliers.repeat(2) / 2)
    assert "Redundant equalities: 1" in twice.reason


def test_equalities_that_cannot_hold():
    with pytest.raises(ParameterError, match="no x satisfies all equalities"):
        lagrange((np.eye(2), [0, 0]), ([[1, 1], [1, 1]], [2, 3]))
    found = lagrange(lambda x: x @ x, lambda x: x[0] ** 2 + 1, [1.0, 1.0])
    assert not found.converged
    assert found.kind == "not settled"


def test_bad_input():
    with pytest.raises(ParameterError, match="no stationary point"):
        lagrange((np.zeros((2, 2)), [1, 0]), ([[0, 1]], [0]))
    with pytest.raises(ParameterError, match="x0 is missing"):
        lagrange(lambda x: x @ x, lambda x: x[0] - 1)
    with pytest.raises(ParameterError, match="A has shape"):
        lagrange((np.eye(2), [0, 0]), ([[1, 1, 1]], [2]))
    with pytest.raises(ParameterError, match="f is nan at the start"):
        lagrange(lambda x: np.log(x[0]), lambda x: x[0] - 1, [-1.0])
