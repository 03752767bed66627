"""Nonlinear least squares: SciPy on random curves, Rosenbrock, Jacobians without full rank, bad input."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from novacula.errors import ParameterError
from novacula.optimize import levenberg_marquardt
from novacula.optimize.levenberg_marquardt import Damped, DampedSystem


@pytest.mark.parametrize("given_jacobian", [True, False])
def test_rosenbrock(rosenbrock, given_jacobian):
    found = levenberg_marquardt(rosenbrock.residuals, rosenbrock.jacobian if given_jacobian else None, rosenbrock.x0)
    assert found.converged, found.reason
    np.testing.assert_allclose(found.x, 1, atol=1e-8)
    assert (np.diff(found.values) < 0).all()


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(177)  # where the sum of squares has no digits left before the gradient is as small as asked
def test_noisy_exponentials_like_scipy(seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 4, 25)
    y = rng.uniform(1, 5) * np.exp(-rng.uniform(0.3, 2) * t) + rng.normal(0, 0.05, 25)

    def residuals(x):
        return x[0] * np.exp(-x[1] * t) - y

    def jacobian(x):
        return np.column_stack([np.exp(-x[1] * t), -x[0] * t * np.exp(-x[1] * t)])

    found = levenberg_marquardt(residuals, jacobian, [1.0, 1.0])
    known = least_squares(residuals, [1.0, 1.0], jacobian, xtol=1e-15, ftol=1e-15, gtol=1e-12)
    assert found.converged, found.reason
    assert found.value == pytest.approx(known.cost, rel=1e-9)
    np.testing.assert_allclose(found.x, known.x, rtol=1e-5)


def test_a_jacobian_without_full_rank():
    found = levenberg_marquardt(lambda x: [x[0] + x[1] - 2, 2 * (x[0] + x[1]) - 5], None, [0.0, 0.0])
    assert found.converged
    assert found.x.sum() == pytest.approx(2.4)
    unused = levenberg_marquardt(lambda x: [x[0] - 2], lambda x: [[1.0, 0.0]], [0.0, 7.0])
    np.testing.assert_allclose(unused.x, [2, 7], atol=1e-8)


@pytest.mark.parametrize("shape", [(9, 4), (3, 7)])
@pytest.mark.parametrize("damping", [1e-6, 1.0, 1e6])
def test_the_step_solves_the_damped_equations(shape, damping):
    """(JᵀJ + μD²) δ = −Jᵀr, as least squares of J over √μD, for more residuals than variables and for fewer."""
    rng = np.random.default_rng(0)
    J, r, scale = rng.normal(size=shape), rng.normal(size=shape[0]), rng.uniform(1, 9, shape[1])
    point = Damped(np.zeros(shape[1]), r @ r / 2, J.T @ r, residuals=r, jacobian=J, scale=scale, damping=damping)
    tall, target = np.vstack([J, np.diag(np.sqrt(damping) * scale)]), np.append(-r, np.zeros(shape[1]))
    known = np.linalg.lstsq(tall, target, rcond=None)[0]
    np.testing.assert_allclose(DampedSystem.at(point).move(damping), known, rtol=1e-7)


def test_units_do_not_matter():
    t = np.linspace(0, 3, 10)
    y = 3 * np.exp(-0.7 * t) + 0.01 * np.cos(9 * t)
    plain = levenberg_marquardt(lambda x: x[0] * np.exp(-x[1] * t) - y, None, [1.0, 1.0])
    scaled = levenberg_marquardt(lambda x: 1e-3 * x[0] * np.exp(-x[1] * t) - y, None, [1e3, 1.0])
    np.testing.assert_allclose(scaled.x, plain.x * [1e3, 1], rtol=1e-6)


@pytest.mark.parametrize(
    ("residuals", "jacobian", "message"),
    [
        (lambda x: [np.nan], None, "f is nan at the start"),
        (lambda x: [x[0]], lambda x: [[1.0, 2.0]], "jacobian has shape"),
        (lambda x: [x[0]], lambda x: [[np.nan]], "jacobian is nan in row 1, column 1"),
        (lambda x: ["a"], None, "what residuals gives must be an array of numbers, not of type"),
    ],
)
def test_bad_input(residuals, jacobian, message):
    with pytest.raises(ParameterError, match=message):
        levenberg_marquardt(residuals, jacobian, [1.0])


def test_a_wrong_jacobian_is_reported():
    found = levenberg_marquardt(lambda x: [x[0] - 3, x[0] + 1], lambda x: [[-1.0], [-1.0]], [10.0])
    assert not found.converged
    assert "check_gradient" in found.reason
