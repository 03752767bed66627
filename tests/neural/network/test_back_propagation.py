"""Mini-batches: the textbook's rule in loops, the exact objective, float32, memory, NaN."""

import itertools
import math
from functools import partial

import numpy as np
import pytest

from novacula.errors import ParameterError
from novacula.neural.network import Architecture, BackPropagation, NetworkObjective, forward

PAIRS = [
    ("linear", "squared"),
    ("logistic", "squared"),
    ("softmax", "squared"),
    ("logistic", "cross_entropy"),
    ("softmax", "cross_entropy"),
]


def gradient_of(case, loss, dtype, weight="given", batch=10):
    architecture = case.architecture
    theta, gradient = case.theta.astype(dtype), np.full(architecture.n_parameters, np.nan, dtype)
    X, T, s = (array.astype(dtype) for array in (case.X, case.T, case.weight))
    total = BackPropagation(architecture, loss, batch, dtype).gradient(
        architecture.layers(theta), X, T, s if weight == "given" else None, architecture.layers(gradient)
    )
    return total, gradient


def test_the_textbook_rule_in_loops():
    """δₖ = oₖ(1−oₖ)(tₖ−oₖ), δₕ = oₕ(1−oₕ) Σ wₕₖδₖ, Δw = ηδ·input: one example through 2–2–1 logistic units."""
    network = Architecture((2, 2, 1), "logistic", "logistic")
    w, b, v, c = [[0.3, -0.2], [0.5, 0.4]], [0.1, -0.1], [0.7, -0.6], 0.2
    x, t = [1.0, 0.5], 1.0
    sigmoid = lambda z: 1 / (1 + math.exp(-z))  # noqa: E731
    h = [sigmoid(b[j] + x[0] * w[0][j] + x[1] * w[1][j]) for j in (0, 1)]
    o = sigmoid(c + h[0] * v[0] + h[1] * v[1])
    delta_k = o * (1 - o) * (t - o)
    delta_h = [h[j] * (1 - h[j]) * v[j] * delta_k for j in (0, 1)]
    step = [delta_h[j] * x[i] for i in (0, 1) for j in (0, 1)] + delta_h + [delta_k * h[0], delta_k * h[1], delta_k]
    theta, gradient = np.array([*w[0], *w[1], *b, *v, c]), np.empty(9)
    workspace = BackPropagation(network, "squared", 1, np.float64)
    error = workspace.gradient(network.layers(theta), np.array([x]), np.array([[t]]), None, network.layers(gradient))
    np.testing.assert_allclose(-gradient, step, rtol=1e-12)
    assert error == pytest.approx((t - o) ** 2 / 2)


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize(("output", "loss"), PAIRS)
@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu", "linear"])
def test_same_as_the_objective(problem, activation, output, loss, depth):
    """In float64 to the last digits, and in float32 to its own; the batch is smaller than the workspace."""
    case = problem(activation, output, depth, rows=7)
    E = NetworkObjective(case.architecture, loss)
    for weight, s in (("given", case.weight), (None, None)):
        total, gradient = E.sums(case.theta, case.X, case.T, s)
        found, slope = gradient_of(case, loss, np.float64, weight)
        assert found == pytest.approx(total, rel=1e-12)
        np.testing.assert_allclose(slope, gradient, atol=1e-12)
        found, slope = gradient_of(case, loss, np.float32, weight)
        assert found == pytest.approx(total, rel=1e-5)
        np.testing.assert_allclose(slope, gradient, rtol=1e-5, atol=2e-5)
        assert slope.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("output", ["linear", "logistic", "softmax"])
@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu", "linear"])
def test_outputs_in_loops(problem, by_hand, activation, output, dtype):
    case = problem(activation, output, 3, rows=5)
    architecture, theta, X = case.architecture, case.theta.astype(dtype), case.X.astype(dtype)
    expected = [by_hand(architecture, case.theta, x) for x in case.X]
    out = np.empty((5, 2), dtype)
    BackPropagation(architecture, "squared", 8, dtype).outputs(architecture.layers(theta), X, out)
    np.testing.assert_allclose(out, expected, rtol=1e-5 if dtype == np.float32 else 1e-12)
    np.testing.assert_array_equal(forward(architecture, theta, X)[-1], out)


STEPS = [
    ("logistic", "softmax", "cross_entropy"),
    ("tanh", "logistic", "cross_entropy"),
    ("relu", "linear", "squared"),
]


def steps():
    """A gradient of 1024 rows for each kind of network and number."""
    for (activation, output, loss), dtype in itertools.product(STEPS, ("float32", "float64")):
        network, rng = Architecture((16, 128, 128, 10), activation, output), np.random.default_rng(0)
        theta = network.initial(rng, dtype)
        gradient = np.empty_like(theta)
        X, T = rng.normal(size=(1024, 16)).astype(dtype), np.eye(10, dtype=dtype)[rng.integers(0, 10, 1024)]
        workspace = BackPropagation(network, loss, 1024, dtype)
        layers, into, weight = network.layers(theta), network.layers(gradient), np.ones(1024, dtype)
        yield f"{activation} {dtype}", partial(workspace.gradient, layers, X, T, weight, into)


@pytest.fixture(scope="module")
def peaks(peaks_of):
    return peaks_of(__file__, "steps")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("activation", [activation for activation, _, _ in STEPS])
def test_a_step_allocates_nothing(peaks, activation, dtype):
    """What is left are heads of views, and the 64 kB in which NumPy spreads a bias over rows, however many."""
    assert peaks[f"{activation} {dtype}"] < 80_000 < 1024 * 128 * np.dtype(dtype).itemsize


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("activation", ["logistic", "tanh"])
def test_units_far_out(activation, dtype):
    """Nothing overflows, and NaN stays NaN."""
    network = Architecture((1, 1, 1), activation, "linear")
    theta = np.array([1, 0, 1, 0], dtype)
    X = np.array([[-1e30], [-100], [-1], [0], [1e-3], [1], [100], [1e30], [np.nan]], dtype)
    hidden = forward(network, theta, X)[0].ravel()
    low, exact = (
        (0.0, 1 / (1 + np.exp(-X[2:6, 0].astype(float))))
        if activation == "logistic"
        else (
            -1.0,
            np.tanh(X[2:6, 0].astype(float)),
        )
    )
    np.testing.assert_allclose(hidden[[0, 1, 6, 7]], [low, low, 1.0, 1.0], atol=1e-30)
    np.testing.assert_allclose(hidden[2:6], exact, atol=2e-7 if dtype == np.float32 else 1e-15)
    assert np.isnan(hidden[8])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("output", "loss"), PAIRS)
def test_weights_that_diverged_show_in_the_loss(problem, output, loss, dtype):
    case = problem("tanh", output, 2)
    case.theta[0] = np.nan
    total, _ = gradient_of(case, loss, dtype)
    assert math.isnan(total)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_certain_errors_stay_finite(dtype):
    network = Architecture((1, 3), "tanh", "softmax")
    theta, gradient = np.array([1000, -1000, 0, 0, 0, 0], dtype), np.empty(6, dtype)
    workspace = BackPropagation(network, "cross_entropy", 1, dtype)
    T = np.array([[0, 1, 0]], dtype)
    total = workspace.gradient(network.layers(theta), np.ones((1, 1), dtype), T, None, network.layers(gradient))
    assert total == pytest.approx(2000)
    np.testing.assert_allclose(gradient, [1, -1, 0, 1, -1, 0], atol=1e-30)


def test_bad_input(problem):
    case = problem("tanh", "linear", 2)
    with pytest.raises(ParameterError, match="a batch has 4 rows; this workspace was made for 3"):
        gradient_of(case, "squared", np.float64, batch=3)
    with pytest.raises(ParameterError, match="cross-entropy needs probabilities"):
        BackPropagation(case.architecture, "cross_entropy", 3, np.float64)
    with pytest.raises(ParameterError, match="loss is 'hinge'"):
        BackPropagation(case.architecture, "hinge", 3, np.float64)
    with pytest.raises(ParameterError, match="batch_rows is 0"):
        BackPropagation(case.architecture, "squared", 0, np.float64)
