"""Linear layers made one, networks that are built, and weights that are taken out."""

from itertools import product

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy import special

import novacula as nv
from novacula.checks import check_work
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.neural import MLPClassifier, MLPRegressor, collapse, prune_weights

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def axes_of(figure):
    axes = Canvas().add_subplot()
    figure.draw(axes)
    return axes


# --- linear layers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", [(), (4,), (3, 5, 2)])
def test_linear_layers_are_one_layer(hidden):
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(20, 3)), random.normal(size=(20, 2))
    network = MLPRegressor(hidden, activation="linear", solver="lbfgs", tol=None, max_epochs=20, dtype="float64")
    network.fit(X, Y)
    one = collapse(network)
    np.testing.assert_allclose(X @ one.coef + one.intercept, network.predict(X), atol=1e-12)
    np.testing.assert_allclose(one.coef, np.linalg.multi_dot([*network.coefs_, np.eye(2)]))
    check_work(one)
    check_work(network, drawn=False)
    assert ("Linear layers are one" in str(network.work())) == bool(hidden)


def test_bent_layers_are_not_one():
    with pytest.raises(ParameterError, match="tanh, which bend"):
        collapse(MLPClassifier(2, activation="tanh", solver="lbfgs", restarts=3).fit(*XOR))
    with pytest.raises(InputTypeError, match="fitted network"):
        collapse(MLPRegressor())


# --- built networks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_every_boolean_function_explains_its_weights(n):
    rows = np.array(list(product((0, 1), repeat=n)))
    for values in list(product((0, 1), repeat=2**n))[:: max(1, 4**n // 16)]:
        network = MLPClassifier.from_boolean(values)
        assert network.predict(rows).tolist() == list(values)
        check_work(network, drawn=False, detail="full")
        table = next(step.table for step in network.work(detail="full") if step.title == "The truth table")
        cells = np.array(table.rows)
        np.testing.assert_array_equal(cells[:, :n], rows)
        np.testing.assert_allclose(cells[:, n : n + 2**n], np.eye(2**n), atol=1e-6)  # a unit answers its row alone
        np.testing.assert_array_equal(cells[:, -1], values)


def test_exclusive_or_has_a_reason_for_each_weight():
    work = MLPClassifier.from_boolean([0, 1, 1, 0]).work()
    text = str(work)
    assert "= −40 × (0 + 1 − 1/2) = −20" in text
    assert "= 40 × (2 × 1 − 1) = 40" in text
    assert "The output adds the rows that are true" in work.to_latex()
    assert "The truth table" in work.to_html()


def test_bumps_follow_a_function_the_nearer_the_more_there_are(tmp_path):
    x = np.linspace(0, 6, 500)
    errors = []
    for bumps in (5, 50, 500):
        network = MLPRegressor.from_function(np.sin, 0, 6, bumps)
        edges = np.linspace(0, 6, bumps + 1)
        heights, steep = np.sin((edges[1:] + edges[:-1]) / 2), 100 * bumps / 6
        by_hand = (
            special.expit(steep * (x[:, None] - edges[:-1])) - special.expit(steep * (x[:, None] - edges[1:]))
        ) @ heights
        np.testing.assert_allclose(network.predict(x[:, None]), by_hand, atol=1e-9)
        errors.append(np.abs(network.predict(x[1:-1, None]) - np.sin(x[1:-1])).mean())
    assert errors[1] < errors[0] / 8
    assert errors[2] < errors[1] / 4
    network.save(tmp_path / "b.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "b.nova").predict(x[:, None]), network.predict(x[:, None]))


def test_bumps_and_their_sum_are_drawn():
    network = MLPRegressor.from_function(lambda x: x * x, 0, 1, 4)
    check_work(network)
    check_work(network, [[0.3]])
    step = next(step for step in network.work() if step.title == "The bumps and their sum")
    assert [row[3] for row in step.table.rows] == [0.015625, 0.140625, 0.390625, 0.765625]
    axes = axes_of(step.figure)
    assert len(axes.lines) == 5
    x, total = axes.lines[4].get_data()
    np.testing.assert_allclose(total, sum(line.get_ydata() for line in axes.lines[:4]), atol=1e-12)
    np.testing.assert_allclose(total, network.predict(x[:, None]), atol=1e-9)


@pytest.mark.parametrize(("low", "high", "bumps"), [(1, 0, 3), (0, np.inf, 3), (0, 1, 0), (0, 1, 10**6)])
def test_bumps_that_cannot_be_are_refused(low, high, bumps):
    with pytest.raises(ParameterError):
        MLPRegressor.from_function(np.sin, low, high, bumps)
    with pytest.raises(ParameterError, match="not finite"):
        MLPRegressor.from_function(lambda x: np.inf, 0, 1, 3)


@pytest.mark.parametrize(
    ("function", "low", "words"),
    [
        (np.sin, "a", "low and high must be an array of numbers"),
        (lambda x: "high", 0, "what the function gives must be an array of numbers"),
        (lambda x: [x, x], 0, "it must give one number"),
    ],
)
def test_bumps_of_what_is_not_a_number_are_refused(function, low, words):
    with pytest.raises(ParameterError, match=words):
        MLPRegressor.from_function(function, low, 1, 3)


def test_bumps_need_a_function():
    with pytest.raises(InputTypeError, match="the function is 3; give a function of one number"):
        MLPRegressor.from_function(3, 0, 6, 8)


def test_the_corners_of_a_truth_table_are_drawn_and_weights_of_zero_are_not():
    network = MLPClassifier.from_boolean([0, 1, 1, 0])
    figures = {step.figure.title.split()[0]: step.figure for step in network.work() if step.figure is not None}
    points = {line.get_label(): line.get_xydata().tolist() for line in axes_of(figures["Regions"]).lines}
    assert points == {"0": [[0, 0], [1, 1]], "1": [[0, 1], [1, 0]]}
    lines = [line for line in axes_of(figures["Weights:"]).lines if line.get_linestyle() != "None"]
    assert len(lines) == 8 + 2  # the rows 00 and 11 add nothing to the output


# --- pruning --------------------------------------------------------------------------------------------------


def loss_by_hand(model, X, y):
    h = np.clip(model.predict_proba(X)[:, 1], 1e-15, 1 - 1e-15)
    return -np.mean(np.where(y == 1, np.log(h), np.log(1 - h)))


@pytest.fixture(scope="module")
def trained():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    y = (X[:, 0] - X[:, 1] + 0.3 * random.normal(size=200) > 0).astype(int)  # two columns say nothing
    network = MLPClassifier(5, activation="tanh", solver="lbfgs", weight_decay=1e-3, max_epochs=300, dtype="float64")
    return network.fit(X, y), X, y


@pytest.mark.parametrize("by", ["size", "saliency"])
def test_weights_that_matter_least_go_first(trained, by):
    model, X, y = trained
    pruned = prune_weights(model, X, y, by=by, allowed=0.02)
    assert 0 < pruned.n_removed < len(pruned.order) == 25
    assert np.all(np.diff(pruned.saliencies) >= 0)
    assert pruned.losses[0] == pytest.approx(loss_by_hand(model, X, y))
    assert pruned.losses[pruned.n_removed] == pytest.approx(loss_by_hand(pruned.model, X, y))
    assert pruned.losses[pruned.n_removed] <= pruned.losses[0] + 0.02 < pruned.losses[pruned.n_removed + 1]
    assert sum((W == 0).sum() for W in pruned.model.coefs_) == pruned.n_removed
    assert all((W != 0).all() for W in model.coefs_)  # the network that was given stays as it was
    if by == "size":
        np.testing.assert_allclose(
            pruned.saliencies, np.sort(np.abs(np.concatenate([W.ravel() for W in model.coefs_])))
        )
    for how in ({}, {"detail": "full"}):
        check_work(pruned, **how)
    check_work(pruned.model, X[:2], drawn=False)
    check_work(pruned.model, drawn=False)


def test_saliency_is_the_second_order_rise_of_the_loss(trained):
    model, X, y = trained
    pruned = prune_weights(model, X, y)
    theta = model.weights_

    def loss(w):
        return loss_by_hand(model.with_weights(w), X, y)

    for i in (0, 10, 24):
        place, step = pruned.order[i], 1e-3
        sides = [theta + s * step * (np.arange(len(theta)) == place) for s in (-1, 0, 1)]
        low, middle, high = map(loss, sides)
        curvature = (low - 2 * middle + high) / step**2
        assert pruned.saliencies[i] == pytest.approx(0.5 * curvature * theta[place] ** 2, rel=1e-2, abs=1e-6)


def test_the_loss_is_drawn_by_weights_taken_out(trained, tmp_path):
    model, X, y = trained
    pruned = prune_weights(model, X, y, allowed=0.05)
    lines = axes_of(pruned.figure()).lines
    np.testing.assert_array_equal(lines[0].get_ydata(), pruned.losses)
    assert set(lines[1].get_ydata()) == {pruned.losses[0] + 0.05}
    pruned.model.save(tmp_path / "p.nova")
    assert np.array_equal(nv.load(tmp_path / "p.nova").weights_, pruned.model.weights_)


def test_numbers_and_several_classes_are_pruned_too():
    x = np.linspace(-1, 1, 30)[:, None]
    regressor = MLPRegressor(4, activation="tanh", solver="lm", max_epochs=60, tol=None).fit(x, x[:, 0] ** 2)
    check_work(prune_weights(regressor, x, x[:, 0] ** 2, allowed=1.0), drawn=False)
    many = MLPClassifier(3, solver="lbfgs", max_epochs=60, tol=None).fit(x, np.repeat(["a", "b", "c"], 10))
    check_work(prune_weights(many, x, np.repeat(["a", "b", "c"], 10), by="size"), drawn=False)


def test_rows_that_do_not_fit_are_refused(trained):
    model, X, y = trained
    for rows, targets, words in ((X[:, :2], y, "4 numbers"), (X, y[:9], "targets"), (X, y + 1, "classes")):
        with pytest.raises(DataError, match=words):
            prune_weights(model, rows, targets)
    with pytest.raises(ParameterError, match="X has nan"):
        prune_weights(model, np.where(X[0, 0] == X, np.nan, X), y)
    with pytest.raises(ParameterError, match="by"):
        prune_weights(model, X, y, by="age")
    with pytest.raises(InputTypeError, match="fitted network"):
        prune_weights(MLPClassifier(), X, y)
