"""Jets compared with central differences of the outputs themselves."""

import numpy as np
import pytest

from novacula.neural.network import Tape, forward
from novacula.optimize.differences import central_differences


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("output", ["linear", "logistic", "softmax"])
@pytest.mark.parametrize("activation", ["logistic", "tanh", "linear"])
def test_slopes_and_curvatures_of_outputs(problem, activation, output, depth):
    case = problem(activation, output, depth, rows=2)
    jets = Tape.record(case.architecture, case.theta, case.X, order=2).outputs
    for x, jet in zip(case.X, jets, strict=True):
        o = lambda x: forward(case.architecture, case.theta, x[None])[-1][0]  # noqa: E731
        np.testing.assert_allclose(jet[0], o(x), rtol=1e-12)
        np.testing.assert_allclose(jet[1:4], central_differences(o, x).T, atol=1e-10)
        twice = central_differences(lambda x: central_differences(o, x), x)  # noqa: B023  (k, d, d)
        np.testing.assert_allclose(jet[4:], np.einsum("kii->ik", twice), atol=1e-7)


def test_lower_orders_are_the_first_entries(problem):
    case = problem("tanh", "softmax", 3)
    whole = Tape.record(case.architecture, case.theta, case.X, order=2).outputs
    for order, entries in ((0, 1), (1, 4)):
        part = Tape.record(case.architecture, case.theta, case.X, order=order).outputs
        np.testing.assert_allclose(part, whole[:, :entries], rtol=1e-12)


def test_relu_has_no_curvature_that_derivatives_see(problem):
    case = problem("relu", "linear", 3)
    jets = Tape.record(case.architecture, case.theta, case.X, order=2).outputs
    assert np.abs(jets[:, 1:4]).max() > 0.1
    assert (jets[:, 4:] == 0).all()
