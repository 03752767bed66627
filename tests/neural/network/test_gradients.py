"""Every gradient compared with central differences: activation × output and loss × penalty × tying × depth."""

from itertools import product

import numpy as np
import pytest

from novacula.neural.network import NetworkObjective, Penalties, Tying
from novacula.optimize import check_gradient

PAIRS = [
    ("linear", "squared"),
    ("logistic", "squared"),
    ("softmax", "squared"),
    ("logistic", "cross_entropy"),
    ("softmax", "cross_entropy"),
]
PENALTIES = {
    "none": Penalties(),
    "decay": Penalties(weight_decay=0.1),
    "curvature": Penalties(curvature=0.3),
    "slopes": Penalties(slope_weight=0.7),
    "all": Penalties(0.1, 0.3, 0.7),
}
GROUPS = [[(0, 0, 0), (0, 1, 1), (0, 2, 0)], [(0, None, 0), (0, -1, 1)]]


def objective_of(case, loss, penalty, tied):
    tying = Tying(GROUPS, case.architecture) if tied else None
    E = NetworkObjective(case.architecture, loss, PENALTIES[penalty], tying)
    free = tying.contract(case.theta) if tied else case.theta
    return E, free, (case.X, case.T, case.weight, case.slopes)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize(("output", "loss"), PAIRS)
@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu", "linear"])
def test_gradient_along_random_directions(problem, activation, output, loss, depth):
    """A wrong entry of a gradient shows in all random directions, and a direction costs no more than a coordinate."""
    for penalty, tied in product(PENALTIES, (False, True)):
        case = problem(activation, output, depth)
        E, free, rows = objective_of(case, loss, penalty, tied)
        V = case.rng.normal(size=(len(free), 3))
        V /= np.linalg.norm(V, axis=0)
        check = check_gradient(
            lambda t: E.value(free + V @ t, *rows),  # noqa: B023
            lambda t: E.value_and_gradient(free + V @ t, *rows)[1] @ V,  # noqa: B023
            np.zeros(3),
        )
        assert check.passed, (penalty, tied, str(check))


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize(("output", "loss"), PAIRS)
@pytest.mark.parametrize("activation", ["logistic", "tanh"])
def test_gradient_coordinate_by_coordinate(problem, activation, output, loss, depth):
    case = problem(activation, output, depth, seed=1, rows=2)
    E, free, rows = objective_of(case, loss, "all", tied=False)
    check = check_gradient(lambda t: E.value(t, *rows), lambda t: E.value_and_gradient(t, *rows)[1], free)
    assert check.passed, str(check)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize(("output", "loss"), PAIRS)
@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu", "linear"])
def test_every_gradient_coordinate_by_coordinate(problem, activation, output, loss, depth):
    for penalty, tied in product(PENALTIES, (False, True)):
        E, free, rows = objective_of(problem(activation, output, depth, rows=2), loss, penalty, tied)
        check = check_gradient(lambda t: E.value(t, *rows), lambda t: E.value_and_gradient(t, *rows)[1], free)  # noqa: B023
        assert check.passed, (penalty, tied, str(check))


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("output", ["linear", "logistic", "softmax"])
def test_residuals_are_the_objective(problem, output, penalty, tied):
    """½ Σ r² is the value, Jᵀr its gradient, and J agrees with central differences of r."""
    case = problem("tanh", output, 2, seed=2)
    E, free, rows = objective_of(case, "squared", penalty, tied)
    r, J = E.residuals(free, *rows), E.jacobian(free, *rows)
    value, gradient = E.value_and_gradient(free, *rows)
    assert r @ r / 2 == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(J.T @ r, gradient, atol=1e-12)
    check = check_gradient(lambda t: E.residuals(t, *rows), lambda t: E.jacobian(t, *rows), free)
    assert check.passed, str(check)
