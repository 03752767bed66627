"""The work of multilayer perceptrons: δ against differences, the textbook's rules by hand, pictures, and cuts."""

import math

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.figure import Figure as Canvas

from novacula.checks import check_work
from novacula.neural.derivation.drawing import network_figure
from novacula.neural.derivation.example import Example
from novacula.neural.mlp_classifier import MLPClassifier
from novacula.neural.mlp_regressor import MLPRegressor
from novacula.neural.network import Architecture, NetworkObjective
from novacula.optimize.differences import central_differences

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
CLASSES = np.searchsorted([-0.5, 0.5], X[:, 0] - X[:, 1])
XOR, PARITY = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def example_of(architecture, theta, x):
    """An example without a model around it."""

    class Holder:
        architecture_, weights_ = architecture, theta

    return Example.of(Holder(), x)


# --- forward and back -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu", "linear"])
@pytest.mark.parametrize(
    ("output", "loss", "target"),
    [
        ("linear", "squared", [0.3, -2.0, 1.0]),
        ("logistic", "squared", [0.0, 1.0, 1.0]),
        ("logistic", "cross_entropy", [0.0, 1.0, 1.0]),
        ("softmax", "cross_entropy", [0.0, 1.0, 0.0]),
        ("softmax", "squared", [0.0, 1.0, 0.0]),
    ],
)
@pytest.mark.parametrize("hidden", [(), (4,), (3, 2)])
def test_delta_times_input_is_minus_the_gradient(activation, output, loss, target, hidden):
    architecture = Architecture((2, *hidden, 3), activation, output)
    theta, x, t = architecture.initial(np.random.default_rng(1)), np.array([0.7, -0.4]), np.array(target)
    example = example_of(architecture, theta, x)
    objective = NetworkObjective(architecture, loss)
    slopes = central_differences(lambda w: objective.value(np.array(w), x[None], t[None]), theta)
    deltas = example.deltas(t, loss)
    for layer, (W, b) in enumerate(architecture.layers(slopes)):
        np.testing.assert_allclose(np.outer(example.inputs(layer), deltas[layer]), -W, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(deltas[layer], -b, rtol=1e-6, atol=1e-9)


def test_the_rules_of_the_textbook():
    """Logistic units under squared loss, by hand: δ_k = o_k(1 − o_k)(t_k − o_k), δ_h = o_h(1 − o_h) w_h δ_k."""
    architecture = Architecture((2, 2, 1), "logistic", "logistic")
    theta = np.array([0.1, 0.2, 0.3, 0.4, 0.0, -0.1, 0.5, -0.6, 0.05])  # W row by row, then b, layer by layer
    example = example_of(architecture, theta, np.array([1.0, 0.5]))

    def logistic(z):
        return 1 / (1 + math.exp(-z))

    h1, h2 = logistic(0.1 + 0.3 * 0.5), logistic(-0.1 + 0.2 + 0.4 * 0.5)
    o = logistic(0.05 + 0.5 * h1 - 0.6 * h2)
    np.testing.assert_allclose(example.outputs[0], [h1, h2])
    np.testing.assert_allclose(example.outputs[1], [o])
    hidden, output = example.deltas(np.array([1.0]), "squared")
    δ = o * (1 - o) * (1 - o)
    np.testing.assert_allclose(output, [δ])
    np.testing.assert_allclose(hidden, [h1 * (1 - h1) * 0.5 * δ, h2 * (1 - h2) * -0.6 * δ])


# --- the work ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu", "linear"])
@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
def test_work_of_classifiers_is_right(activation, loss):
    labels = np.column_stack([CLASSES == 0, CLASSES == 2]).astype(int)
    for y in (CLASSES, CLASSES == 1, labels) if activation == "logistic" else (CLASSES,):
        model = MLPClassifier((3, 2), activation=activation, loss=loss, max_epochs=2, tol=None).fit(X, y)
        check_work(model)
        check_work(model, X[:3])


@pytest.mark.parametrize("y", [X[:, 0], np.column_stack([X[:, 0], 100 * X[:, 1]])])
def test_work_of_regressors_is_right(y):
    for solver in ("sgd", "adam", "lbfgs"):
        model = MLPRegressor((2,), solver=solver, max_epochs=3, tol=None).fit(X, y)
        check_work(model)
        check_work(model, X[:3])
    flat = MLPRegressor((), max_epochs=2, tol=None).fit(X, y)
    check_work(flat)
    check_work(flat, X[:1])


def test_exclusive_or_step_by_step():
    model = MLPClassifier(2, activation="tanh", solver="lbfgs", restarts=3).fit(XOR, PARITY)
    text = str(model.work())
    for words in (
        "(2 + 1) × 2 + (2 + 1) × 1 = 9",
        "hidden unit 2: net",
        "o = tanh(net)",
        "output for 1: δ",
        "δ_h = (1 − o²) Σ w_hk δ_k",
        "−∂E/∂w = δ·input",
        "of the best start",
    ):
        assert words in text, words
    assert [step.title for step in model.work() if step.figure is not None] == [
        "The network",
        "The learning curve",
        "What the network says",
    ]


def test_the_rate_is_written_where_it_was_the_same_for_all_layers():
    sgd = MLPClassifier(2, eta0=0.25, max_epochs=3, tol=None).fit(X, CLASSES)
    changes = [step for step in sgd.work() if step.formula == "Δw = η δ·input"]
    assert changes
    assert all(step.values["eta"] == 0.25 for step in changes)
    adam = MLPClassifier(2, solver="adam", max_epochs=3, tol=None).fit(X, CLASSES)
    assert not any("eta" in step.values for step in adam.work())


def test_a_network_that_was_built_has_a_work_too():
    model = MLPClassifier.from_boolean([0, 1, 1, 0])
    check_work(model)
    check_work(model, XOR)
    assert not any("Example" in step.title for step in model.work())


def test_net_inputs_too_large_for_their_exponential_are_not_written_out():
    model = MLPClassifier(2, max_epochs=1, tol=None).fit(X, CLASSES == 1)
    model.coefs_[0] *= 1e4
    check_work(model)
    assert "not written out" in str(model.work())


def test_large_networks_are_cut_and_say_so():
    wide = RNG.normal(size=(40, 30))
    model = MLPClassifier((50, 20), max_epochs=1, tol=None).fit(wide, np.arange(40) % 12)
    check_work(model)
    text = str(model.work())
    assert "Of each layer the first 4 units are derived" in text
    assert "the first 9 units of a layer are drawn" in text
    assert "Only the first 2 rows are derived." in str(model.work(wide))
    assert len(text) < 20_000


# --- pictures ---------------------------------------------------------------------------------------------------


def lines_of(model):
    """Weight, width and style of each line between units, in the order of drawing."""
    axes = Canvas().add_subplot()
    network_figure(model, ("a", "b"), ("yes",)).draw(axes)
    lines = [line for line in axes.lines if len(line.get_xdata()) == 2 and line.get_xdata()[0] != line.get_xdata()[1]]
    weights = np.concatenate([W.ravel() for W in model.coefs_])
    assert len(lines) == len(weights)
    return weights, lines


def test_lines_are_wide_for_large_weights_and_dashed_for_negative_ones():
    model = MLPClassifier(2, activation="tanh", solver="lbfgs", restarts=3).fit(XOR, PARITY)
    weights, lines = lines_of(model)
    widths = np.array([line.get_linewidth() for line in lines])
    np.testing.assert_array_equal(np.argsort(widths), np.argsort(np.abs(weights)))
    positive = np.array([line.get_linestyle() == "-" for line in lines])
    np.testing.assert_array_equal(positive, weights > 0)
    colours = {line.get_color() for line in lines}
    assert len(colours) == 2


def test_hostile_names_do_no_harm():
    frame = pa.table({"$\\bad$": X[:, 0], "<script>" * 20: X[:, 1]})
    model = MLPClassifier(2, max_epochs=2, tol=None).fit(frame, np.where(CLASSES == 1, "[/red]", "=cmd"))
    page = model.work().to_html() + model.work(frame.slice(0, 3)).to_html()
    assert "<script" not in page


def test_held_out_loss_is_drawn_with_that_of_training():
    model = MLPClassifier(2, early_stopping=True, max_epochs=5, tol=None).fit(X, CLASSES)
    [curve] = [step.figure for step in model.work() if step.title == "The learning curve"]
    assert "held out from" in curve.alt
