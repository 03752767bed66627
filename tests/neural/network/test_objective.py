"""The objective: its formula in plain loops, weights as repetitions, sums of blocks, bad input."""

import math

import numpy as np
import pytest

from novacula.errors import DataError, ParameterError
from novacula.neural.network import Architecture, NetworkObjective, Penalties, Tying, why_no_curvature
from novacula.optimize.differences import central_differences


def brute_force(case, loss, gamma, nu, mu, by_hand):
    """E by its formula: outputs in loops, their derivatives by central differences."""
    architecture, total = case.architecture, 0.0
    for x, t, s, slopes in zip(case.X, case.T, case.weight, case.slopes, strict=True):
        o = lambda x: np.array(by_hand(architecture, case.theta, x))  # noqa: E731
        given = list(zip(o(x), t, strict=True))
        if loss == "squared":
            value = sum((b - a) ** 2 for a, b in given) / 2
        elif architecture.output == "softmax":
            value = -sum(b * math.log(a) for a, b in given)
        else:
            value = -sum(b * math.log(a) + (1 - b) * math.log(1 - a) for a, b in given)
        first = central_differences(o, x)  # (k, d)
        second = np.einsum("kii->ki", central_differences(lambda x: central_differences(o, x), x))  # noqa: B023
        total += s * (value + nu * np.mean(second**2) + mu * np.sum((first - slopes) ** 2) / 2)
    weights = [W for W, _ in architecture.layers(case.theta)]
    return total / case.weight.sum() + gamma * sum(float((W**2).sum()) for W in weights)


@pytest.mark.parametrize(
    ("output", "loss"),
    [
        ("linear", "squared"),
        ("logistic", "squared"),
        ("softmax", "squared"),
        ("logistic", "cross_entropy"),
        ("softmax", "cross_entropy"),
    ],
)
def test_value_by_its_formula(problem, by_hand, output, loss):
    case = problem("tanh", output, 3)
    E = NetworkObjective(case.architecture, loss, Penalties(0.1, 0.3, 0.7))
    value = E.value(case.theta, case.X, case.T, case.weight, case.slopes)
    assert value == pytest.approx(brute_force(case, loss, 0.1, 0.3, 0.7, by_hand), rel=1e-7)


def test_weights_are_repetitions(problem):
    case = problem("logistic", "softmax", 2)
    E, counts = NetworkObjective(case.architecture, "cross_entropy", Penalties(0.1, 0.2, 0.3)), np.array([2, 0, 1, 3])
    again = np.repeat(np.arange(4), counts)
    weighted = E.value_and_gradient(case.theta, case.X, case.T, counts.astype(float), case.slopes)
    repeated = E.value_and_gradient(case.theta, case.X[again], case.T[again], None, case.slopes[again])
    assert weighted[0] == pytest.approx(repeated[0], rel=1e-12)
    np.testing.assert_allclose(weighted[1], repeated[1], atol=1e-13)


def test_sums_of_parts_add_up(problem):
    case = problem("tanh", "linear", 3, rows=9)
    E = NetworkObjective(case.architecture, "squared", Penalties(0.1, 0.2, 0.3))
    whole = E.value_and_gradient(case.theta, case.X, case.T, case.weight, case.slopes)
    parts = [
        E.sums(case.theta, case.X[p], case.T[p], case.weight[p], case.slopes[p]) for p in (slice(0, 2), slice(2, 9))
    ]
    total, gradient = (sum(part[i] for part in parts) for i in (0, 1))
    value, slope = E.combine(case.theta, total, gradient, case.weight.sum())
    assert value == pytest.approx(whole[0], rel=1e-12)
    np.testing.assert_allclose(slope, whole[1], atol=1e-13)


def test_blocks_do_not_change_it(problem):
    case = problem("tanh", "softmax", 2, rows=9)
    E = NetworkObjective(case.architecture, "cross_entropy", Penalties(0, 0.2, 0.3))
    rows = case.X, case.T, case.weight, case.slopes
    whole, value = E.value_and_gradient(case.theta, *rows), E.value(case.theta, *rows)
    E.block_rows = 2
    np.testing.assert_allclose(E.value_and_gradient(case.theta, *rows)[1], whole[1], atol=1e-13)
    assert E.value(case.theta, *rows) == pytest.approx(value, rel=1e-12) == pytest.approx(whole[0], rel=1e-12)


def test_weight_decay_leaves_biases_alone():
    line = Architecture((1, 1), "linear", "linear")
    E = NetworkObjective(line, "squared", Penalties(weight_decay=2.0))
    assert E.decay(np.array([3.0, 100.0])) == 18.0


def test_decay_counts_every_tied_weight():
    pair = Architecture((2, 1), "linear", "linear")
    E = NetworkObjective(pair, "squared", Penalties(weight_decay=1.0), Tying([[(0, 0, 0), (0, 1, 0)]], pair))
    zero = np.zeros((1, 2)), np.zeros((1, 1))
    value, gradient = E.value_and_gradient(np.array([3.0, 0.0]), *zero)
    assert value == 18.0
    assert gradient.tolist() == [12.0, 0.0]


@pytest.mark.parametrize(("output", "wrong"), [("logistic", 1000.0), ("softmax", 2000.0)])
def test_cross_entropy_of_certain_errors_is_finite(output, wrong):
    """The probability is rounded to 0; its logarithm is not."""
    network = Architecture((1, 2 if output == "softmax" else 1), "tanh", output)
    theta = np.array([1000.0, -1000.0, 0.0, 0.0]) if output == "softmax" else np.array([1000.0, 0.0])
    T = np.array([[0.0, 1.0]]) if output == "softmax" else np.array([[0.0]])
    value, gradient = NetworkObjective(network, "cross_entropy").value_and_gradient(theta, np.ones((1, 1)), T)
    assert value == pytest.approx(wrong)
    np.testing.assert_allclose(np.abs(gradient), 1.0)


def test_bad_input(problem):
    case = problem("tanh", "linear", 2)
    E = NetworkObjective(case.architecture, "squared", Penalties(slope_weight=1.0))
    with pytest.raises(ParameterError, match="no slopes are given"):
        E.value(case.theta, case.X, case.T)
    with pytest.raises(ParameterError, match=r"slopes has shape \(4, 3\)"):
        E.value(case.theta, case.X, case.T, None, case.slopes[:, 0])
    with pytest.raises(ParameterError, match=r"T has shape \(3, 2\)"):
        E.value(case.theta, case.X, case.T[:3])
    with pytest.raises(DataError, match="sum to zero"):
        E.value_and_gradient(case.theta, case.X, case.T, np.zeros(4), case.slopes)
    with pytest.raises(ParameterError, match="the weights have shape"):
        E.value(case.theta[1:], case.X, case.T)
    with pytest.raises(ParameterError, match="cross-entropy needs probabilities"):
        NetworkObjective(case.architecture, "cross_entropy")
    entropy = NetworkObjective(Architecture((3, 2), "tanh", "logistic"), "cross_entropy")
    with pytest.raises(ParameterError, match="needs the 'squared' loss"):
        entropy.residuals(np.zeros(8), case.X, case.T)
    with pytest.raises(ParameterError, match="curvature is -1"):
        Penalties(curvature=-1)


@pytest.mark.parametrize(
    ("sizes", "activation", "output", "word"),
    [
        ((2, 3, 1), "relu", "linear", "relu"),
        ((2, 3, 1), "relu", "logistic", "relu"),
        ((2, 3, 1), "linear", "linear", "straight everywhere"),
        ((2, 1), "tanh", "linear", "straight everywhere"),
        ((2, 3, 1), "tanh", "linear", None),
        ((2, 1), "relu", "logistic", None),
        ((2, 3, 2), "linear", "softmax", None),
    ],
)
def test_where_curvature_says_nothing(sizes, activation, output, word):
    obstacle = why_no_curvature(Architecture(sizes, activation, output))
    assert (obstacle is None) if word is None else (word in obstacle)
