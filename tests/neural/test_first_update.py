"""Start weights, the update that follows from them, prices of derivatives in it, and networks that say one thing."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import novacula as nv
from novacula.checks import check_work
from novacula.errors import ParameterError
from novacula.neural import MLPClassifier, MLPRegressor

X, Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
LAYERS = [[[0.1, 0.1], [0.1, 0.2], [0.3, 0.4]], [[0.1], [0.2], [0.3]]]  # the biases first


def sigma(z):
    return 1 / (1 + np.exp(-z))


def by_hand(epochs, eta, alpha, gamma):
    """Back-propagation of all four rows under squared loss: θ after so many epochs."""
    (b, *W), (c, *V) = (np.array(layer) for layer in LAYERS)
    W, V = np.array(W), np.array(V)
    parts, last = [W, b, V, c], [np.zeros_like(p) for p in (W, b, V, c)]
    for _ in range(epochs):
        W, b, V, c = parts
        h = sigma(X @ W + b)
        o = sigma(h @ V + c)
        delta = o * (1 - o) * (Y[:, None] - o)
        below = h * (1 - h) * (delta @ V.T)
        slopes = [
            X.T @ below / 4 - 2 * gamma * W,
            below.mean(axis=0),
            h.T @ delta / 4 - 2 * gamma * V,
            delta.mean(axis=0),
        ]
        last = [eta * slope + alpha * before for slope, before in zip(slopes, last, strict=True)]
        parts = [part + change for part, change in zip(parts, last, strict=True)]
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.parametrize(("alpha", "gamma"), [(0.0, 0.0), (0.9, 0.0), (0.5, 0.01)])
def test_updates_from_given_weights_are_those_by_hand(alpha, gamma):
    network = MLPClassifier(
        2, loss="squared", eta0=0.5, momentum=alpha, weight_decay=gamma, start_weights=LAYERS, max_epochs=3, tol=None,
        dtype="float64",
    ).fit(X, Y)  # fmt: skip
    np.testing.assert_allclose(network.trace_.path.states[0][:9], by_hand(0, 0.5, alpha, gamma))
    for epoch in (1, 2, 3):
        np.testing.assert_allclose(network.trace_.path.states[epoch][:9], by_hand(epoch, 0.5, alpha, gamma))
        check_work(network, iteration=epoch)
    np.testing.assert_allclose(network.weights_, by_hand(3, 0.5, alpha, gamma))
    assert "The first update" in str(network.work())
    assert "The last update" in str(network.work())


def test_the_first_update_of_exclusive_or_has_these_numbers():
    network = MLPClassifier(
        2, loss="squared", eta0=0.5, momentum=0.0, start_weights=LAYERS, max_epochs=1, tol=None, dtype="float64"
    ).fit(X, Y)
    text = str(network.work(iteration=1))
    for number in ("0.622459", "0.668188", "0.604667", "−0.144542", "0.19329", "0.0883105"):
        assert number in text
    assert network.trace_.rows.tolist() == X.tolist()  # all four are kept


def test_pieces_begin_at_given_weights_too(tmp_path):
    network = MLPClassifier(2, start_weights=LAYERS, dtype="float64").partial_fit(X, Y, classes=[0, 1])
    np.testing.assert_array_equal(network.trace_.path.states[0][:9], by_hand(0, 0, 0, 0))
    network.save(tmp_path / "n.nova")
    assert nv.load(tmp_path / "n.nova").start_weights == LAYERS


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        (LAYERS[:1], "1 layer; a network of sizes"),
        ([LAYERS[0], [[0.1], [0.2]]], r"layer 2 have shape \(2, 1\); they must have shape \(3, 1\)"),
        ([LAYERS[0], [[0.1], [0.2], ["a"]]], "not numbers"),
        ([LAYERS[0], [[0.1], [0.2], [np.inf]]], "infinite"),
    ],
)
def test_starts_that_do_not_fit_are_refused(layers, words):
    with pytest.raises(ParameterError, match=words):
        MLPClassifier(2, start_weights=layers).fit(X, Y)
    with pytest.raises(ParameterError, match="choose one"):
        MLPClassifier(2, start_weights=LAYERS, restarts=2).fit(X, Y)


# --- no better than a constant --------------------------------------------------------------------------------


def test_a_network_that_learned_nothing_says_so():
    with pytest.warns(ConvergenceWarning, match="no better than the 0.6931 of one constant answer"):
        network = MLPClassifier(2).fit(X, Y)
    assert set(network.predict(X)) != {0, 1} or (network.predict(X) == Y).all()


def test_a_network_that_learned_a_little_is_not_called_no_better():
    with pytest.warns(ConvergenceWarning, match="hardly better than the 0.6931 of one constant answer"):
        MLPClassifier(2, random_state=5).fit(X, Y)


@pytest.mark.parametrize("seed", range(12))
def test_exclusive_or_is_right_or_warned_of(seed):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        network = MLPClassifier(2, random_state=seed).fit(X, Y)
    assert (network.predict(X) == Y).all() or caught


def stuck(rows=X, labels=Y, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        network = MLPClassifier(2, solver="lbfgs", random_state=0, **settings).fit(rows, labels)
    return network, " ".join(str(one.message) for one in caught)


def test_three_of_four_right_is_said_where_all_could_be():
    network, said = stuck()
    assert (network.predict(X) == Y).sum() == 3
    assert "it has settled with 1 of 4 rows wrong, though no equal rows are of different classes" in said


def test_what_no_network_could_get_right_and_what_a_penalty_decides_is_not_said():
    rows, labels = np.vstack([X, X[:1]]), np.append(Y, 1 - Y[0])
    assert "settled with" not in stuck(rows, labels)[1]
    assert "settled with" not in stuck(weight_decay=0.01)[1]


def test_one_that_did_learn_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MLPClassifier(2, eta0=1.0, max_epochs=5000).fit(X, Y).predict(X).tolist() == Y.tolist()


# --- prices of derivatives ------------------------------------------------------------------------------------

x = np.linspace(-1, 1, 7)[:, None]
wave, steep = np.sin(3 * x[:, 0]), 3 * np.cos(3 * x)


@pytest.mark.parametrize("solver", ["sgd", "adam", "batch", "lbfgs", "lm"])
@pytest.mark.parametrize(
    "prices", [{"curvature": 0.01}, {"slope_weight": 0.1, "weight_decay": 1e-3, "curvature": 0.01}]
)
def test_updates_with_prices_are_derived(solver, prices):
    network = MLPRegressor(3, activation="tanh", solver=solver, max_epochs=4, tol=None, dtype="float64", **prices)
    network.fit(x, wave, slopes=steep if "slope_weight" in prices else None)
    for how in ({}, {"iteration": 1}, {"iteration": 3}):
        check_work(network, drawn=False, **how)


def test_prices_of_a_row_and_their_slopes_agree_with_differences():
    network = MLPRegressor(
        2, activation="tanh", eta0=0.1, momentum=0.0, max_epochs=1, tol=None, dtype="float64", curvature=0.3,
        slope_weight=0.2,
    ).fit(x, wave, slopes=steep)  # fmt: skip
    work = network.work(iteration=1)
    theta = network.trace_.path.states[0][:7]

    def output(theta, at):
        W, b, V, c = theta[:2], theta[2:4], theta[4:6], theta[6]
        return np.tanh(np.outer(at, W) + b) @ V + c

    def prices(theta, at, slope):
        h = 1e-3
        low, middle, high = (output(theta, at + shift) for shift in (-h, 0, h))
        bend = (low - 2 * middle + high) / h**2
        return 0.3 * bend**2, 0.2 * 0.5 * ((high - low) / (2 * h) - slope[:, 0]) ** 2

    by_name = {equation.left: equation for equation in work.equations}
    missed = int(np.abs(output(theta, x[:, 0]) - wave).argmax())
    curved, slanted = (price[missed] for price in prices(theta, x[:, 0], steep))
    assert by_name["C"].value == pytest.approx(curved, rel=1e-4, abs=1e-7)
    assert by_name["S"].value == pytest.approx(slanted, rel=1e-5)
    place, step = 4, 1e-4  # the weight from hidden unit 1 to the output
    sides = [theta + s * step * (np.arange(7) == place) for s in (1, -1)]
    rise = [np.mean(np.sum(prices(side, x[:, 0], steep), axis=0)) for side in sides]
    own = by_name["Δw__2[1, 1]"].values["p(w__2[1, 1])"]
    assert own == pytest.approx((rise[0] - rise[1]) / (2 * step), rel=1e-3, abs=1e-5)
    assert "its ν is then smaller by that factor" in str(work)
