"""L-BFGS: the matrix of its memory by brute force, known minima, SciPy on curved valleys, and bad ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der

from novacula.errors import ParameterError
from novacula.optimize import lbfgs
from novacula.optimize.lbfgs import StepMemory

laws = settings(deadline=None)
seeds = st.integers(0, 2**32 - 1)


def bfgs_inverse(start, pairs):
    """The inverse Hessian of BFGS as a matrix: B ← (I − ρsyᵀ) B (I − ρysᵀ) + ρssᵀ, pair by pair."""
    B = start
    for s, y in pairs:
        rho, eye = 1 / (s @ y), np.eye(len(s))
        B = (eye - rho * np.outer(s, y)) @ B @ (eye - rho * np.outer(y, s)) + rho * np.outer(s, s)
    return B


@laws
@given(seeds, st.integers(1, 6))
def test_two_loops_are_the_matrix_of_bfgs(quadratic, seed, size):
    q, rng = quadratic(seed), np.random.default_rng(seed)
    memory, start = StepMemory(size), np.diag(rng.uniform(0.5, 2.0, len(q.c)))
    pairs = [(s, q.H @ s) for s in rng.normal(size=(size + 2, len(q.c)))]
    assert all(memory.remember(s, y) for s, y in pairs)
    g = rng.normal(size=len(q.c))
    expected = bfgs_inverse(start, pairs[-size:]) @ g
    np.testing.assert_allclose(memory.product(g, lambda v: start @ v), expected, rtol=1e-6, atol=1e-9)


@laws
@given(seeds, st.integers(1, 10))
def test_it_finds_the_minimum_of_a_quadratic(quadratic, seed, memory):
    q = quadratic(seed)
    found = lbfgs(q.f, q.gradient, q.x0, memory=memory, tol=1e-9)
    assert found.converged, found.reason
    assert (np.diff(found.values) <= 1e-12).all()
    np.testing.assert_allclose(found.x, q.c, atol=1e-7)


def test_long_valleys_take_few_steps_as_in_scipy():
    x0 = np.tile([-1.2, 1.0], 10)
    found = lbfgs(rosen, rosen_der, x0, tol=1e-8)
    theirs = minimize(rosen, x0, jac=rosen_der, method="L-BFGS-B", options={"gtol": 1e-8, "ftol": 0, "maxiter": 1000})
    assert found.converged
    np.testing.assert_allclose(found.x, 1.0, atol=1e-7)
    assert found.n_gradients < 3 * theirs.nfev


def test_a_pair_that_bends_the_wrong_way_is_not_kept():
    memory = StepMemory(3)
    assert not memory.remember(np.array([1.0, 0.0]), np.array([-1.0, 0.5]))
    np.testing.assert_array_equal(memory.product(np.ones(2), memory.scaled), np.ones(2))


def test_it_leaves_ground_that_is_not_convex(himmelblau):
    found = lbfgs(himmelblau.f, None, [-0.27, -0.92])  # near the maximum in the middle
    assert found.converged
    assert np.abs(himmelblau.minima - found.x).max(axis=1).min() < 1e-6


def test_without_an_end_it_says_so():
    found = lbfgs(lambda x: -x[0], lambda x: np.array([-1.0]), [0.0])
    assert not found.converged
    assert "unbounded" in found.reason


def test_bad_arguments():
    with pytest.raises(ParameterError, match="memory is 0"):
        lbfgs(lambda x: x @ x, lambda x: 2 * x, [1.0], memory=0)
    with pytest.raises(ParameterError, match="start where f is finite"):
        lbfgs(lambda x: np.log(x[0]), None, [-1.0])
