"""Gradient descent, conjugate gradients and Newton: the theorems, known minima, saddle points, and bad ends."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from novacula.errors import InputTypeError, ParameterError
from novacula.optimize import conjugate_gradient, gradient_descent, newton

laws = settings(deadline=None)
seeds = st.integers(0, 2**32 - 1)
SEARCHES = ("backtracking", "wolfe", "exact")


# --- theorems -----------------------------------------------------------------------------------------------


@laws
@given(seeds, st.booleans())
def test_conjugate_gradients_end_in_n_steps_on_a_quadratic(quadratic, seed, hessian):
    q = quadratic(seed, largest=50.0)
    found = conjugate_gradient(q.f, q.gradient, q.x0, hessian=q.H if hessian else None, max_iter=len(q.c))
    assert found.gradient_norm <= 1e-5 * found.gradient_norms[0]  # 0 but for rounding


@laws
@given(seeds, st.floats(0.05, 0.98))
def test_a_step_below_two_over_the_largest_eigenvalue_converges(quadratic, seed, share):
    q = quadratic(seed, largest=10.0)
    found = gradient_descent(q.f, q.gradient, q.x0, step=share * 2 / np.linalg.eigvalsh(q.H)[-1], max_iter=5000)
    assert found.converged, found.reason
    assert (np.diff(found.values) <= 1e-15).all()
    np.testing.assert_allclose(found.x, q.c, atol=1e-7)


@laws
@example(seed=2516045, share=2.0, momentum=0.0)  # its start is almost at right angles to the steepest direction
@given(seed=seeds, share=st.floats(1.02, 3.0), momentum=st.floats(0, 0.9))
def test_a_step_beyond_it_diverges_and_the_limit_is_named(quadratic, seed, share, momentum):
    q = quadratic(seed, largest=10.0)
    limit = 2 * (1 + momentum) / np.linalg.eigvalsh(q.H)[-1]
    found = gradient_descent(q.f, q.gradient, q.x0, step=share * limit, momentum=momentum)
    assert not found.converged
    assert found.reason.startswith("It diverged")
    named = float(found.reason.rsplit("below ", 1)[1].rstrip("."))
    assert named == pytest.approx(limit, rel=0.05)


@laws
@given(seeds, st.sampled_from([*SEARCHES, 0.01]), st.sampled_from([0.0, 0.5]))
def test_ascent_on_the_negative_is_descent(quadratic, seed, step, momentum):
    q = quadratic(seed)
    down = gradient_descent(q.f, q.gradient, q.x0, step=step, momentum=momentum, max_iter=50)
    up = gradient_descent(
        lambda x: -q.f(x), lambda x: -q.gradient(x), q.x0, step=step, momentum=momentum, max_iter=50, ascent=True
    )
    assert up.method == "Gradient ascent"
    np.testing.assert_array_equal(up.path, down.path)
    np.testing.assert_array_equal(up.values, -down.values)
    np.testing.assert_array_equal(up.gradient, -down.gradient)


@laws
@given(seeds, st.sampled_from(SEARCHES))
def test_searched_steps_descend(quadratic, seed, step):
    q = quadratic(seed)
    found = gradient_descent(q.f, q.gradient, q.x0, step=step)
    assert (np.diff(found.values) <= 1e-14 * np.abs(found.values[:-1])).all()
    np.testing.assert_allclose(found.x, q.c, atol=1e-7)


def test_exact_steps_meet_the_gradient_at_right_angles(quadratic, rosenbrock):
    q = quadratic(3)
    cases = [
        (q.f, q.gradient, q.x0, q.H),
        (q.f, q.gradient, q.x0, None),
        (rosenbrock.f, rosenbrock.gradient, [-1.2, 1], None),
    ]
    for f, gradient, x0, hessian in cases:
        found = gradient_descent(f, gradient, x0, step="exact", hessian=hessian, max_iter=5)
        slopes = np.array([gradient(x) for x in found.path])
        cosines = np.sum(slopes[1:] * slopes[:-1], axis=1) / (found.gradient_norms[1:] * found.gradient_norms[:-1])
        assert np.abs(cosines).max() < 1e-5


def test_newtons_error_squares():
    """Σ eˣ − 2x has its minimum at ln 2, and there e⁺ ≈ e² f‴/2f″ = e²/2."""
    found = newton(
        lambda x: np.sum(np.exp(x) - 2 * x), lambda x: np.exp(x) - 2, lambda x: np.diag(np.exp(x)), [1.5, 1.0]
    )
    errors = np.linalg.norm(found.path - np.log(2), axis=1)
    near = [(a, b) for a, b in pairwise(errors) if 1e-7 < a < 0.2]
    assert len(near) >= 2
    assert all(b <= 0.6 * a * a + 1e-15 for a, b in near)


@laws
@given(seeds)
def test_newton_needs_one_step_on_a_quadratic(quadratic, seed):
    q = quadratic(seed)
    found = newton(q.f, q.gradient, q.H, q.x0)
    assert (found.n_iter, found.modified) == (1, ())
    np.testing.assert_allclose(found.x, q.c, atol=1e-9)


# --- known minima -------------------------------------------------------------------------------------------


def test_rosenbrock(rosenbrock):
    r = rosenbrock
    runs = [
        gradient_descent(r.f, r.gradient, r.x0, step="wolfe"),
        gradient_descent(r.f, r.gradient, r.x0, step=1e-3, momentum=0.9),
        conjugate_gradient(r.f, r.gradient, r.x0),
        conjugate_gradient(r.f, None, r.x0),
        newton(r.f, r.gradient, r.hessian, r.x0),
        newton(r.f, None, None, r.x0),
    ]
    for run in runs:
        assert run.converged, run.reason
        np.testing.assert_allclose(run.x, 1, atol=1e-6)
        assert run.path.shape == (run.n_iter + 1, 2)
        assert run.values.shape == run.steps.shape == run.gradient_norms.shape == (run.n_iter + 1,)
        assert run.value == run.values[-1] == r.f(run.x)


@laws
@given(st.floats(-5, 5), st.floats(-5, 5))
def test_newton_ends_in_a_minimum_of_himmelblau(himmelblau, x, y):
    found = newton(himmelblau.f, None, None, [x, y])
    assert found.converged, found.reason
    assert np.linalg.norm(himmelblau.minima - found.x, axis=1).min() < 1e-6


def test_beale(beale):
    for run in (conjugate_gradient(beale, None, [1.0, 1.0]), newton(beale, None, None, [1.0, 1.0])):
        assert run.converged, run.reason
        np.testing.assert_allclose(run.x, [3, 0.5], atol=1e-6)


def test_many_variables_without_a_path():
    d = 10_000
    scale = np.linspace(1, 50, d)
    for optimiser in (gradient_descent, conjugate_gradient):
        found = optimiser(lambda x: scale @ (x * x) / 2, lambda x: scale * x, np.ones(d), keep_path=False, tol=1e-6)
        assert found.converged
        assert found.path is None
        assert found.figure().title == found.method


# --- saddle points ------------------------------------------------------------------------------------------


def test_a_saddle_is_left_along_negative_curvature():
    found = newton(lambda x: x[0] ** 2 + (x[1] ** 2 - 1) ** 2, None, None, [0.5, 0.0])
    assert found.converged
    np.testing.assert_allclose(np.abs(found.x), [0, 1], atol=1e-7)
    assert found.modified
    assert "not positive definite" in str(found)


@pytest.mark.parametrize(
    "f", [lambda x: x[0] ** 2 - x[1] ** 2, lambda x: x[0] ** 3 - 3 * x[0] * x[1] ** 2], ids=["saddle", "monkey saddle"]
)
@pytest.mark.parametrize("x0", [[0.0, 0.0], [1.0, 0.0]])
def test_a_saddle_is_not_a_minimum(f, x0):
    found = newton(f, None, None, x0)
    assert not found.converged
    assert "unbounded" in found.reason


def test_a_flat_minimum_is_reported():
    found = newton(lambda x: (x[0] + x[1]) ** 2, None, None, [1.0, 2.0])
    assert found.converged
    assert "singular" in found.reason


# --- bad ends and bad input ---------------------------------------------------------------------------------


def test_max_iter_is_reported(rosenbrock):
    found = gradient_descent(rosenbrock.f, rosenbrock.gradient, rosenbrock.x0, max_iter=3)
    assert (found.n_iter, found.converged) == (3, False)
    assert "max_iter" in found.reason
    assert gradient_descent(rosenbrock.f, rosenbrock.gradient, rosenbrock.x0, max_iter=0).n_iter == 0


@pytest.mark.parametrize("optimiser", [gradient_descent, conjugate_gradient])
def test_a_wrong_gradient_is_reported(optimiser):
    found = optimiser(lambda x: x @ x, lambda x: -2 * x, [1.0, 2.0])
    assert not found.converged
    assert "check_gradient" in found.reason


@pytest.mark.parametrize("optimiser", [gradient_descent, conjugate_gradient])
def test_a_function_without_a_bound_is_reported(optimiser):
    arguments = {"step": "wolfe"} if optimiser is gradient_descent else {}
    found = optimiser(lambda x: x.sum(), lambda x: np.ones(2), [1.0, 2.0], **arguments)
    assert not found.converged
    assert "unbounded" in found.reason


def test_a_function_with_an_edge_is_not_left():
    """The logarithm ends at 0; trials beyond are NaN, and steps are shortened."""
    found = conjugate_gradient(lambda x: x[0] - np.log(x[0]), lambda x: 1 - 1 / x, [0.01])
    assert found.x == pytest.approx([1.0])


def test_an_unreachable_tolerance_ends():
    found = conjugate_gradient(lambda x: 1e6 + x @ x, lambda x: 2 * x + 1e-7 * np.sin(1e9 * x), [1.0, 1.0], tol=0)
    assert not found.converged
    assert "stalled" in found.reason


@pytest.mark.parametrize(
    ("f", "gradient", "x0", "more", "message"),
    [
        (lambda x: np.nan, None, [1.0], {}, "f is nan at the start"),
        (lambda x: x @ x, None, [1.0, np.nan], {}, "x0 has nan in place 2"),
        (lambda x: x @ x, None, [1.0, np.inf], {}, "x0 has inf"),
        (lambda x: x @ x, None, [], {}, "x0 has shape"),
        (lambda x: x @ x, None, ["1"], {}, "x0 must be an array of numbers, not of type"),
        (lambda x: x, None, [1.0, 2.0], {}, "f gave an array"),
        (lambda x: x @ x, lambda x: [1.0], [1.0, 2.0], {}, "gradient gave shape"),
        (lambda x: x @ x, lambda x: x * np.nan, [1.0], {}, "gradient is nan in place 1"),
        (lambda x: x @ x, None, [1.0], {"step": "golden"}, "step is 'golden'"),
        (lambda x: x @ x, None, [1.0], {"step": -1}, "step is -1"),
        (lambda x: x @ x, None, [1.0], {"momentum": 1}, "momentum is 1"),
        (lambda x: x @ x, None, [1.0], {"tol": -1}, "tol is -1"),
        (lambda x: x @ x, None, [1.0], {"max_iter": 1.5}, "max_iter is 1.5"),
        (lambda x: x @ x, None, [1.0], {"hessian": np.eye(2), "step": "exact"}, "hessian has shape"),
    ],
)
def test_bad_input(f, gradient, x0, more, message):
    with pytest.raises(ParameterError, match=message):
        gradient_descent(f, gradient, x0, **more)


def test_functions_are_functions():
    with pytest.raises(InputTypeError, match="f is 3; it must be a function of x"):
        gradient_descent(3, None, [1.0])
    with pytest.raises(InputTypeError, match=r"gradient is \[1.0\]; it must be a function of x"):
        conjugate_gradient(lambda x: x @ x, [1.0], [1.0])
    with pytest.raises(ParameterError, match="hessian is not symmetric"):
        newton(lambda x: x @ x, None, [[1, 2], [0, 1]], [1.0, 1.0])


def test_arguments_cannot_be_written_to():
    def f(x):
        x[0] = 0
        return 0.0

    with pytest.raises(ValueError, match="read-only"):
        gradient_descent(f, None, [1.0])
