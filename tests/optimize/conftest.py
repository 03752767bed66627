"""Functions with known minima, their derivatives by hand."""

from types import SimpleNamespace

import numpy as np
import pytest


def random_quadratic(seed, largest=100.0):
    """½(x − c)ᵀH(x − c), with eigenvalues of H from 1 to `largest`."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 8))
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    H = Q @ np.diag(largest ** rng.uniform(size=d)) @ Q.T
    H, c = (H + H.T) / 2, rng.normal(size=d)
    return SimpleNamespace(
        f=lambda x: (x - c) @ H @ (x - c) / 2, gradient=lambda x: H @ (x - c), H=H, c=c, x0=c + rng.normal(size=d)
    )


@pytest.fixture(scope="session")
def quadratic():
    return random_quadratic


@pytest.fixture(scope="session")
def rosenbrock():
    return SimpleNamespace(
        f=lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
        gradient=lambda x: np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)]),
        hessian=lambda x: np.array([[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200.0]]),
        residuals=lambda x: np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]]),
        jacobian=lambda x: np.array([[-20 * x[0], 10.0], [-1.0, 0.0]]),
        x0=[-1.2, 1.0],
    )


@pytest.fixture(scope="session")
def himmelblau():
    def f(x):
        return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2

    minima = [
        [3, 2],
        [-2.805118086953, 3.131312518250],
        [-3.779310253378, -3.283185991286],
        [3.584428340330, -1.848126526964],
    ]
    return SimpleNamespace(f=f, minima=np.array(minima))


@pytest.fixture(scope="session")
def beale():
    """Its minimum, 0, is at (3, 0.5)."""
    return lambda x: sum((c - x[0] * (1 - x[1] ** k)) ** 2 for k, c in enumerate((1.5, 2.25, 2.625), start=1))
