"""The work of multilayer perceptrons: δ against differences, the textbook's rules by hand, pictures, and cuts."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.figure import Figure as Canvas
from sklearn.exceptions import ConvergenceWarning

from novacula.checks import check_equations, check_work
from novacula.errors import ParameterError
from novacula.neural.derivation.drawing import network_figure
from novacula.neural.derivation.passage import RowPassage
from novacula.neural.derivation.replay import updates_of
from novacula.neural.mlp_classifier import MLPClassifier
from novacula.neural.mlp_regressor import MLPRegressor
from novacula.neural.network import Architecture, NetworkObjective
from novacula.optimize.differences import central_differences

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
CLASSES = np.searchsorted([-0.5, 0.5], X[:, 0] - X[:, 1])
XOR, PARITY = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


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
    theta, x = architecture.initial(np.random.default_rng(1)), np.array([[0.7, -0.4], [0.1, 1.2]])
    t, shares = np.array([target, target[::-1]]), np.array([1.0, 0.3])
    rows = RowPassage.of(architecture, theta, x)
    objective = NetworkObjective(architecture, loss)
    slopes = central_differences(lambda w: shares.sum() * objective.value(np.array(w), x, t, shares), theta)
    np.testing.assert_allclose(rows.sums(rows.deltas(t, loss), shares), -slopes, rtol=1e-6, atol=1e-8)
    mean = float(shares @ rows.losses(t, loss) / shares.sum())
    assert mean == pytest.approx(objective.value(theta, x, t, shares), rel=1e-12)


def test_the_rules_of_the_textbook():
    """Logistic units under squared loss, by hand: δ_k = o_k(1 − o_k)(t_k − o_k), δ_h = o_h(1 − o_h) w_h δ_k."""
    architecture = Architecture((2, 2, 1), "logistic", "logistic")
    theta = np.array([0.1, 0.2, 0.3, 0.4, 0.0, -0.1, 0.5, -0.6, 0.05])  # W row by row, then b, layer by layer
    example = RowPassage.of(architecture, theta, np.array([[1.0, 0.5]]))

    def logistic(z):
        return 1 / (1 + math.exp(-z))

    h1, h2 = logistic(0.1 + 0.3 * 0.5), logistic(-0.1 + 0.2 + 0.4 * 0.5)
    o = logistic(0.05 + 0.5 * h1 - 0.6 * h2)
    np.testing.assert_allclose(example.outputs[0], [[h1, h2]])
    np.testing.assert_allclose(example.outputs[1], [[o]])
    hidden, output = example.deltas(np.array([[1.0]]), "squared")
    δ = o * (1 - o) * (1 - o)
    np.testing.assert_allclose(output, [[δ]])
    np.testing.assert_allclose(hidden, [[h1 * (1 - h1) * 0.5 * δ, h2 * (1 - h2) * -0.6 * δ]])


# --- the work ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu", "linear"])
@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
def test_work_of_classifiers_is_right(activation, loss):
    labels = np.column_stack([CLASSES == 0, CLASSES == 2]).astype(int)
    for y in (CLASSES, CLASSES == 1, labels) if activation == "logistic" else (CLASSES,):
        model = MLPClassifier((3, 2), activation=activation, loss=loss, max_epochs=2, tol=None).fit(X, y)
        check_equations(model)
        check_equations(model, X[:3])


@pytest.mark.parametrize("y", [X[:, 0], np.column_stack([X[:, 0], 100 * X[:, 1]])])
def test_work_of_regressors_is_right(y):
    for solver in ("sgd", "adam", "lbfgs"):
        model = MLPRegressor((2,), solver=solver, max_epochs=3, tol=None).fit(X, y)
        check_equations(model)
        check_equations(model, X[:3])
    flat = MLPRegressor((), max_epochs=2, tol=None).fit(X, y)
    check_equations(flat)
    check_equations(flat, X[:1])


def test_exclusive_or_step_by_step():
    model = MLPClassifier(2, activation="tanh", solver="lbfgs", restarts=3).fit(XOR, PARITY)
    text = str(model.work())
    for words in (
        "(2 + 1) × 2 + (2 + 1) × 1 = 9",
        "hidden unit 2",
        "o⁽¹⁾₁ = tanh(net⁽¹⁾₁)",
        "output for 1: δ",
        "δ⁽¹⁾₁ = (1 − o⁽¹⁾₁²) · Σₖ w⁽²⁾₁ₖ · δ⁽²⁾ₖ",
        "E = −Σₖ (tₖ · ln(o⁽²⁾ₖ) + (1 − tₖ) · ln(1 − o⁽²⁾ₖ))",
        "of the best start",
    ):
        assert words in text, words
    assert [step.title for step in model.work() if step.figure is not None] == [
        "The network",
        "The learning curve",
        "What the network says",
    ]
    np.testing.assert_array_equal(model.trace_.rows, XOR)  # all four points are kept and drawn


# --- updates ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["sgd", "adam", "batch"])
@pytest.mark.parametrize(
    "more", [{}, {"weight_decay": 0.01, "batch_size": 1}, {"loss": "squared", "momentum": 0.0, "batch_size": 3}]
)
def test_updates_that_are_derived_are_those_of_training(solver, more):
    """The last update of every epoch that was kept leads to the weights that training came to."""
    weight = np.array([1.0, 0.5, 2.0, 1.25])
    model = MLPClassifier(2, solver=solver, max_epochs=30, tol=None, dtype="float64", **more).fit(XOR, PARITY, weight)
    path, p = model.trace_.path, model.architecture_.n_parameters
    for epoch in (1, 2, 7, 19, model.n_iter_):
        *_, update = updates_of(model, epoch)
        place = path.iterations.tolist().index(epoch)
        np.testing.assert_allclose(update.after[0], path.states[place, :p], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(path.states[-1, :p], model.weights_, rtol=1e-9)


def test_the_update_is_written_as_training_makes_it():
    """It was Δw = η δ·input, while the fit had momentum and decay."""
    model = MLPClassifier(2, eta0=0.25, weight_decay=0.1, max_epochs=3, tol=None, dtype="float64").fit(XOR, PARITY)
    changes = [e for e in model.work(iteration=2, detail="full").equations if e.left.startswith("Δ")]
    assert len(changes) == 9
    for change in changes:
        is_weight = change.left.startswith("Δw")
        assert ("γ" in change.values) == is_weight
        assert change.values["α"] == 0.9
        assert change.values["η"] == 0.25
    moved = np.sort([change.value for change in changes])
    p = model.architecture_.n_parameters
    np.testing.assert_allclose(moved, np.sort(np.diff(model.trace_.path.states[1:3, :p], axis=0)[0]), rtol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("solver", ["sgd", "adam", "batch", "cg", "lbfgs"])
def test_iterations_are_right(solver, dtype):
    model = MLPClassifier(2, solver=solver, max_epochs=24, tol=None, dtype=dtype).fit(XOR, PARITY)
    for iteration in {1, model.n_iter_}:
        check_equations(model, iteration=iteration)
    check_equations(model, iteration=1, detail="full", notation="aima")


def test_of_many_rows_the_first_update_is_kept():
    model = MLPRegressor(2, max_epochs=2, tol=None, dtype="float64").fit(X, 100 * X[:, 0])
    assert len(model.trace_.rows) == 20
    assert not model.trace_.by_epoch
    check_work(model)
    check_work(model, iteration=1)
    assert "the rest:" in str(model.work(iteration=1))


@pytest.mark.parametrize("name", ["rows", "targets", "shares", "share", "path", "rest", "orders"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_trace_that_is_not_that_of_the_fit_is_found(name, dtype):
    few = name != "rest"
    more = {"batch_size": 3} if name == "orders" else {}
    model = MLPClassifier((3,), max_epochs=30, tol=None, dtype=dtype, **more)
    model.fit(X[:20] if few else X, CLASSES[:20] if few else CLASSES)
    trace = model.trace_
    value = getattr(trace, name)
    if name == "path":
        value = replace(value, states=1.001 * value.states)
    else:
        value = np.roll(value, 1, axis=1) if name == "orders" else 1.001 * value
    model.trace_ = replace(trace, **{name: value})
    with pytest.raises(AssertionError):  # noqa: PT012
        check_equations(model)
        check_equations(model, iteration=1)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"iteration": 99}, "iteration is 99; the fit made 30 iterations, counted from 1"),
        ({"iteration": 0}, "iteration is 0"),
        ({"iteration": 23}, "iteration 23 of 30 was not kept|iteration 22 of 30 was not kept"),
        ({"digits": 0}, "digits is 0"),
        ({"notation": "bishop"}, "notation is 'bishop'"),
        ({"X": [[1.0, 2.0, 3.0]]}, "features|columns"),
        ({"X": XOR, "iteration": 1}, "not both"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(how, words):
    model = MLPClassifier(2, max_epochs=30, tol=None).fit(XOR, PARITY)
    with pytest.raises(ValueError, match=words):
        model.work(**how)


def test_iterations_of_large_tied_and_built_networks_are_refused_in_a_sentence():
    large = MLPClassifier(200, max_epochs=1, tol=None).fit(XOR, PARITY)
    tied = MLPClassifier(2, tied=[[(0, 0, 0), (0, 1, 0)]], max_epochs=1, tol=None).fit(XOR, PARITY)
    for model in (large, tied):
        check_equations(model)
        with pytest.raises(ParameterError, match="kept no iterations"):
            model.work(iteration=1)
    with pytest.raises(ParameterError, match="built, not learned"):
        MLPClassifier.from_boolean([0, 1, 1, 0]).work(iteration=1)
    with pytest.raises(ParameterError, match="of a fit to more than 32 rows it is iteration 1 alone"):
        MLPClassifier(2, max_epochs=3, tol=None).fit(X, CLASSES).work(iteration=2)


def test_a_network_that_was_built_has_a_work_too():
    model = MLPClassifier.from_boolean([0, 1, 1, 0])
    check_work(model)
    check_work(model, XOR)
    assert not any("update" in step.title for step in model.work())


def test_net_inputs_too_large_for_their_exponential_are_not_written_out():
    model = MLPClassifier(2, max_epochs=1, tol=None).fit(X, CLASSES == 1)
    model.coefs_[0] *= 1e4
    check_work(model, X[:3])
    softmax = MLPClassifier(2, max_epochs=1, tol=None).fit(X, CLASSES)
    softmax.coefs_[1] *= 1e4
    check_work(softmax, X[:3])
    assert "the largest net input" in str(softmax.work(X[:3]))


def test_large_networks_are_cut_and_say_so():
    wide = RNG.normal(size=(40, 30))
    model = MLPClassifier((50, 20), max_epochs=1, tol=None).fit(wide, np.arange(40) % 12)
    check_work(model)
    text = str(model.work())
    assert "Of each layer the first 4 units are derived" in text
    assert "the first 9 units of a layer are drawn" in text
    assert "Only the first 2 rows are derived." in str(model.work(wide, rows=2))
    assert len(text) < 30_000


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


def test_one_input_and_one_epoch_are_one():
    with pytest.warns(ConvergenceWarning, match="still falling after 1 epoch, as many"):
        model = MLPRegressor(2, max_epochs=1, random_state=0).fit(np.arange(6.0)[:, None], np.arange(6.0))
    captions = [step.table.caption for step in model.work() if step.table is not None]
    assert "1 input" in captions
