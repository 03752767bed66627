"""Quadratic programs: every active set tried, linear programs by SciPy, the conditions of a minimum, certificates."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from novacula.errors import ParameterError
from novacula.optimize import QuadraticProgram, SmoothProgram, kkt_residuals, quadratic_program

laws = settings(deadline=None)
seeds = st.integers(0, 2**32 - 1)


def random_program(seed, rank=None):
    """A feasible program with a convex objective: h and b are made to fit a point."""
    rng = np.random.default_rng(seed)
    d, m = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    p = int(rng.integers(0, d))
    B = rng.normal(size=(d if rank is None else rank, d))
    G, A, inside = rng.normal(size=(m, d)), rng.normal(size=(p, d)), rng.normal(size=d)
    return B.T @ B, rng.normal(size=d), G, G @ inside + rng.exponential(size=m), A, A @ inside


def by_active_sets(P, q, G, h, A, b):
    """The least value over all subsets of inequalities taken as equalities."""
    best = np.inf
    for k in range(len(G) + 1):
        for active in combinations(range(len(G)), k):
            rows, sides = np.vstack([A, G[list(active)]]), np.append(b, h[list(active)])
            system = np.block([[P, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
            x = np.linalg.lstsq(system, np.append(-q, sides), rcond=None)[0][: len(q)]
            if (G @ x <= h + 1e-9).all() and np.abs(A @ x - b).max(initial=0) < 1e-8:
                best = min(best, x @ P @ x / 2 + q @ x)
    return best


@laws
@given(seeds)
def test_the_best_of_all_active_sets(seed):
    program = random_program(seed)
    found = quadratic_program(*program)
    assert found.converged, found.reason
    assert found.value == pytest.approx(by_active_sets(*program), rel=1e-8, abs=1e-8)


@laws
@given(seeds)
def test_the_conditions_of_a_minimum(seed):
    P, q, G, h, A, b = program = random_program(seed)
    found = quadratic_program(*program)
    z, alpha, x = found.inequality_multipliers, found.multipliers, found.x
    size = 1 + max(np.abs(z).max(), np.abs(x).max(), np.abs(P @ x).max(), np.abs(h).max())
    assert np.abs(P @ x + q + G.T @ z - A.T @ alpha).max() <= 1e-8 * size
    assert (G @ x - h).max() <= 1e-8 * size
    assert np.abs(A @ x - b).max(initial=0) <= 1e-8 * size
    assert z.min() >= 0
    assert np.abs(z * (G @ x - h)).max() <= 1e-8 * size**2
    assert kkt_residuals(QuadraticProgram(*program), x, z, alpha) == found.residuals


@laws
@given(seeds)
def test_linear_programs_like_scipy(seed):
    _, q, G, h, A, b = random_program(seed)
    known = linprog(q, G, h, A if len(A) else None, b if len(A) else None, bounds=(None, None))
    found = quadratic_program(None, q, G, h, A, b)
    if known.status == 0:
        assert found.converged, found.reason
        assert found.value == pytest.approx(known.fun, rel=1e-8, abs=1e-8)
    else:
        d = found.certificate["direction"]
        assert not found.converged
        assert q @ d < 0
        assert (G @ d).max() <= 1e-8
        assert np.abs(A @ d).max(initial=0) <= 1e-8


@laws
@given(seeds)
def test_a_program_without_points_has_a_proof(seed):
    P, q, G, h, A, b = random_program(seed)
    row = G[0] if not len(A) else A[0]
    limit = h[0] if not len(A) else b[0]
    G, h = np.vstack([G, -row, row]), np.append(h, [-limit - 1, limit])  # row·x ≥ limit + 1 and row·x ≤ limit
    found = quadratic_program(P, q, G, h, A, b)
    z, alpha = found.certificate["inequalities"], found.certificate["equalities"]
    assert not found.converged
    assert found.reason.startswith("No x satisfies")
    assert z.min() >= -1e-9
    assert np.abs(G.T @ z - A.T @ alpha).max() <= 1e-7
    assert h @ z - b @ alpha < -1e-7
    assert np.isnan(found.x).all()


def test_singular_objectives_work():
    """A flat direction that the constraints bound; the minimum is a face."""
    found = quadratic_program([[2.0, 0], [0, 0]], [0, 0], G=[[0, 1], [0, -1], [-1, 0]], h=[1, 1, -2])
    assert found.converged
    assert found.x[0] == pytest.approx(2, abs=1e-9)
    assert abs(found.x[1]) <= 1 + 1e-9
    assert found.value == pytest.approx(4, abs=1e-8)


def test_an_objective_that_falls_along_a_flat_direction_has_no_bound():
    found = quadratic_program([[2.0, 0], [0, 0]], [0, 1.0], G=[[1, 0]], h=[1])
    assert not found.converged
    assert "no bound" in found.reason
    assert found.certificate["direction"][1] < 0
    assert "no bound" in quadratic_program([[0.0]], [1.0]).reason


def test_redundant_constraints_survive():
    G, h = np.array([[1.0, 0], [1, 0], [2, 0], [0, 0]]), np.array([1.0, 1, 2, 5])
    found = quadratic_program(np.eye(2), [-3, -3], G, h, A=[[1, 1], [2, 2]], b=[2, 4])
    assert found.converged
    np.testing.assert_allclose(found.x, [1, 1], atol=1e-9)
    np.testing.assert_allclose(found.residuals.worst, 0, atol=1e-8)


def test_inequalities_that_make_an_equality():
    found = quadratic_program(np.eye(2), [0, 0], G=[[1, 1], [-1, -1]], h=[2, -2])
    assert found.converged
    np.testing.assert_allclose(found.x, [1, 1], atol=1e-8)


def test_infinite_limits():
    found = quadratic_program([[2.0]], [-4.0], G=[[1.0], [1.0]], h=[np.inf, 1.0])
    assert found.x == pytest.approx([1.0])
    assert found.inequality_multipliers == pytest.approx([0.0, 2.0])
    assert quadratic_program([[2.0]], [-4.0], G=[[1.0]], h=[np.inf]).x == pytest.approx([2.0])
    nowhere = quadratic_program([[2.0]], [-4.0], G=[[1.0]], h=[-np.inf])
    assert not nowhere.converged
    assert nowhere.reason.startswith("No x satisfies")


def test_contradictory_equalities():
    found = quadratic_program(np.eye(2), [0, 0], A=[[1, 1], [1, 1]], b=[1, 2])
    y = found.certificate["equalities"]
    assert not found.converged
    np.testing.assert_allclose(np.array([[1, 1], [1, 1]]).T @ y, 0, atol=1e-12)
    assert np.array([1, 2]) @ y > 0.1


def test_scales_do_not_matter():
    program = random_program(7)
    P, q, G, h, A, b = program
    plain = quadratic_program(*program)
    scaled = quadratic_program(1e6 * P, 1e6 * q, 1e-4 * G, 1e-4 * h, 1e5 * A, 1e5 * b)
    np.testing.assert_allclose(scaled.x, plain.x, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(scaled.inequality_multipliers, 1e10 * plain.inequality_multipliers, rtol=1e-6, atol=1)


def test_multipliers_are_prices():
    P, q, G, h, A, b = random_program(10)
    assert len(A)
    found, more = quadratic_program(P, q, G, h, A, b), 1e-5
    for k in range(len(h)):
        loose = quadratic_program(P, q, G, h + more * np.eye(len(h))[k], A, b)
        assert (found.value - loose.value) / more == pytest.approx(found.inequality_multipliers[k], abs=1e-3, rel=1e-3)
    for k in range(len(b)):
        moved = quadratic_program(P, q, G, h, A, b + more * np.eye(len(b))[k])
        assert (moved.value - found.value) / more == pytest.approx(found.multipliers[k], abs=1e-3, rel=1e-3)


def test_residuals_of_a_smooth_program():
    """x² + y² on the line x + y = 2 with x ≥ 1.5: x = 1.5, y = 0.5, by hand α = 1 and z = 2."""
    program = SmoothProgram(lambda x: 2 * x, lambda x: 1.5 - x[0], lambda x: x[0] + x[1] - 2)
    assert kkt_residuals(program, [1.5, 0.5], [2.0], [1.0]).worst < 1e-9
    off = kkt_residuals(program, [1.0, 0.5], [-1.0], [1.0])
    assert off.primal_feasibility == pytest.approx(0.5)
    assert off.dual_feasibility == pytest.approx(1.0)
    assert off.complementary_slackness == pytest.approx(0.5)
    assert off.stationarity == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 0], [0, -2]], [0, 0]), "negative eigenvalue -2"),
        (([[1, 1], [0, 1]], [0, 0]), "P is not symmetric"),
        ((np.eye(3), [0, 0]), "q has shape"),
        ((np.eye(2), [0, np.nan]), "q has nan in place 2"),
        ((np.eye(2), [0, 0], [[1, 0, 0]], [1]), "G has shape"),
        ((np.eye(2), [0, 0], [[1, 0]], [1, 2]), "h has shape"),
        ((np.eye(2), [0, 0], [[1, 0]], [np.nan]), "h is NaN in row 1"),
        ((np.eye(2), [0, 0], [[1, 0]]), "only one is given"),
        ((np.eye(2), [0, 0], None, None, [[1, 0]], [np.inf]), "b has inf"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ParameterError, match=message):
        quadratic_program(*arguments)
