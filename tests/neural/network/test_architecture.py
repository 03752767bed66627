"""Where weights are, how they start, and what networks can represent."""

import numpy as np
import pytest

from novacula.errors import ParameterError
from novacula.neural.network import Architecture, forward


def test_layers_are_views_in_order():
    network = Architecture((2, 3, 1), "tanh", "linear")
    theta = np.arange(13.0)
    (W, b), (V, c) = network.layers(theta)
    assert W.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert b.tolist() == [6, 7, 8]
    assert V.tolist() == [[9], [10], [11]]
    assert c.tolist() == [12]
    assert network.is_weight.tolist() == [True] * 6 + [False] * 3 + [True] * 3 + [False]
    W[1, 2] = -1
    assert theta[5] == -1


def test_initial_weights():
    network = Architecture((40, 60, 3), "logistic", "softmax")
    theta = network.initial(np.random.default_rng(0))
    for (W, b), bound in zip(network.layers(theta), (2 * (3 / 40) ** 0.5, (3 / 60) ** 0.5), strict=True):
        assert 0.95 * bound < np.abs(W).max() <= bound
        assert np.abs(b).max() <= bound
        assert W.std() == pytest.approx(bound / 3**0.5, rel=0.1)
    np.testing.assert_array_equal(network.initial(np.random.default_rng(0), np.float32), theta.astype(np.float32))


def test_xor_with_two_hidden_units():
    """One unit is OR, the other AND, and XOR is the first without the second."""
    network = Architecture((2, 2, 1), "logistic", "logistic")
    theta = np.array([20, 20, 20, 20, -10, -30, 20, -20, -10], float)
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    hidden, o = forward(network, theta, X)
    assert hidden.round(3).tolist() == [[0, 0], [1, 0], [1, 0], [1, 1]]
    assert o.round(3).ravel().tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_linear_layers_are_one_linear_unit(problem, depth):
    """The product of the matrices, and the biases pushed through the layers above them."""
    case = problem("linear", "linear", depth)
    W, b = np.eye(3), np.zeros(3)
    for V, c in case.architecture.layers(case.theta):
        W, b = W @ V, b @ V + c
    np.testing.assert_allclose(forward(case.architecture, case.theta, case.X)[-1], case.X @ W + b, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((3,), "tanh", "linear"), r"sizes is \(3,\)"),
        (((3, 0, 1), "tanh", "linear"), "a size of the network is 0"),
        (((3, 1.5), "tanh", "linear"), "a size of the network is 1.5"),
        (((3, 1), "step", "linear"), "activation is 'step'"),
        (((3, 1), "tanh", "tanh"), "output is 'tanh'"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ParameterError, match=message):
        Architecture(*arguments)


def test_weights_of_another_network():
    with pytest.raises(ParameterError, match=r"shape \(3,\); a network of sizes \(3, 1\) has 4"):
        Architecture((3, 1), "tanh", "linear").layers(np.zeros(3))
