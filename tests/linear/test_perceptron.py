"""The perceptron: the textbook's facts, the bound on its mistakes, brute force and scikit-learn as oracles."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize
import sklearn.linear_model
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from novacula.linear import Perceptron
from novacula.linear.online._kernels import fast_tanh

laws = settings(deadline=None, max_examples=25)
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
seeds = st.integers(0, 2**32 - 1)


def by_hand(X, t, epochs, eta=Fraction(1)):
    """w ← w + η(t − o)x in fractions, which have no rounding: weights with the bias last, and mistakes by epoch."""
    w, history = [Fraction(0)] * (X.shape[1] + 1), []
    for _ in range(epochs):
        history.append(0)
        for row, sign in zip(X.tolist(), t.tolist(), strict=True):
            x = [*map(Fraction, row), Fraction(1)]
            o = 1 if sum(a * b for a, b in zip(w, x, strict=True)) > 0 else -1
            if o != sign:
                history[-1] += 1
                w = [a + eta * (sign - o) * b for a, b in zip(w, x, strict=True)]
        if history[-1] == 0:
            break
    return [float(a) for a in w], tuple(history)


def separable(seed, n, d):
    """Rows with a gap about a random plane."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    plane = rng.normal(size=d + 1)
    value = X @ plane[:d] + 0.3 * plane[d]
    return X, np.where(value > 0, 1, -1), np.abs(value).min()


# --- the textbook -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("t", [[0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0]], ids=["and", "or", "nand"])
@pytest.mark.parametrize("response", ["step", "linear", "tanh"])
def test_and_and_or_are_learned(t, response):
    model = Perceptron(0.1, response=response).fit(SQUARE, t)
    assert model.converged_
    assert model.predict(SQUARE).tolist() == t
    assert model.pocket_error_.tolist() == [0.0]
    assert response != "step" or model.history_[-1] == 0


def test_exclusive_or_is_not():
    with pytest.warns(ConvergenceWarning, match="not separated within max_iter=1000 epochs, and the pocket's weights"):
        model = Perceptron(shuffle=True, random_state=0).fit(SQUARE, [0, 1, 1, 0])
    assert not model.converged_
    assert model.n_iter_ == len(model.history_) == 1000
    assert model.pocket_error_.tolist() == [0.25]  # no plane has less
    assert model.score(SQUARE, [0, 1, 1, 0]) == 0.75


def test_every_separable_dichotomy_of_three_points_is_learned():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for t in itertools.product([0, 1], repeat=3):
        if 0 < sum(t) < 3:
            assert Perceptron().fit(points, t).score(points, t) == 1.0


# --- laws ---------------------------------------------------------------------------------------------------


@laws
@given(seeds, st.integers(2, 20), st.integers(1, 4), st.booleans())
def test_mistakes_are_at_most_the_square_of_radius_over_margin(seed, n, d, shuffle):
    X, t, gap = separable(seed, n, d)
    assume(gap > 0.05 and len(set(t.tolist())) == 2)
    model = Perceptron(shuffle=shuffle, random_state=0, max_iter=100_000).fit(X, t)
    signed = t[:, None] * np.column_stack([X, np.ones(n)])
    guess = np.linalg.lstsq(signed, np.ones(n), rcond=None)[0]
    best = scipy.optimize.minimize(
        lambda u: u @ u, guess, jac=lambda u: 2 * u, constraints={"type": "ineq", "fun": lambda u: signed @ u - 1}
    ).x
    margin = (signed @ best).min() / np.linalg.norm(best)
    radius = np.linalg.norm(signed, axis=1).max()
    assert model.converged_
    assert model.score(X, t) == 1.0
    assert model.n_updates_ == model.n_mistakes_ == sum(model.history_)
    if margin > 0.0:  # the solver found a plane, so this bound holds, and is the best where it found the best
        assert model.n_mistakes_ <= (radius / margin) ** 2 * (1 + 1e-9)


@quiet
@laws
@given(seeds, st.integers(2, 12), st.integers(1, 3))
def test_is_the_rule_by_hand(seed, n, d):
    rng = np.random.default_rng(seed)
    X, t = rng.integers(-3, 4, (n, d)).astype(float), rng.choice([-1, 1], n)
    assume(len(set(t.tolist())) == 2)
    weights, history = by_hand(X, t, 20)
    model = Perceptron(pocket=False, max_iter=20).fit(X, t)
    assert [*model.coef_[0], *model.intercept_] == weights
    assert model.history_ == history
    assert model.converged_ == (history[-1] == 0)


@quiet
@laws
@given(seeds, st.booleans(), st.integers(1, 6))
def test_agrees_with_scikit_learn(seed, intercept, epochs):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    t = rng.choice([-1, 1], 40)
    t[0] = 1  # at w = 0 scikit-learn corrects rows of both classes, we those of class +1 only
    assume((t == -1).any())
    ours = Perceptron(fit_intercept=intercept, pocket=False, max_iter=epochs).fit(X, t)
    theirs = sklearn.linear_model.Perceptron(fit_intercept=intercept, shuffle=False, tol=None, max_iter=epochs).fit(
        X, t
    )
    np.testing.assert_allclose(ours.coef_, 2 * theirs.coef_, rtol=1e-12, atol=1e-12)  # a mistake moves by 2ηtx
    np.testing.assert_allclose(ours.intercept_, 2 * theirs.intercept_, rtol=1e-12, atol=1e-12)


@quiet
@laws
@given(seeds, st.sampled_from([2.0**-7, 0.5, 4.0, 1024.0]))
def test_weights_scale_with_the_rate_and_predictions_do_not_change(seed, eta):
    rng = np.random.default_rng(seed)
    X, t = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    assume(0 < t.sum() < 30)
    one, other = Perceptron(max_iter=30).fit(X, t), Perceptron(eta, max_iter=30).fit(X, t)
    np.testing.assert_array_equal(other.coef_, eta * one.coef_)
    np.testing.assert_array_equal(other.predict(X), one.predict(X))


@quiet
@laws
@given(seeds, st.sampled_from(["step", "linear", "tanh"]))
def test_a_row_of_weight_two_is_two_rows_and_of_weight_zero_none(seed, response):
    rng = np.random.default_rng(seed)
    X, t, weight = rng.normal(size=(20, 2)), rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    t[:3], weight[:3] = [0, 1, 2], 1
    X[weight == 0] = np.nan
    model = Perceptron(0.05, response=response, max_iter=25)
    weighted = model.fit(X, t, weight.astype(float)).__dict__ | {}
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(t, weight)).__dict__
    for name in ("coef_", "intercept_", "pocket_error_", "history_", "n_mistakes_", "n_updates_"):
        np.testing.assert_allclose(weighted[name], repeated[name], rtol=1e-12, atol=1e-14)


def test_a_fraction_of_a_showing_moves_by_that_fraction():
    model = Perceptron(fit_intercept=False).fit([[2.0], [-1.0]], [1, 0], [0.25, 1.0])
    assert model.coef_.tolist() == [[2 * 0.25 * 2.0]]


@quiet
@laws
@given(seeds)
def test_class_weights_are_weights(seed):
    rng = np.random.default_rng(seed)
    X, t = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    t[:2] = [0, 1]
    stated = Perceptron(class_weight={0: 3.0, 1: 0.5}, max_iter=20).fit(X, t)
    given_ = Perceptron(max_iter=20).fit(X, t, np.where(t == 0, 3.0, 0.5))
    np.testing.assert_array_equal(stated.coef_, given_.coef_)
    share = np.bincount(t) / 30
    balanced = Perceptron(class_weight="balanced", max_iter=20).fit(X, t)
    same = Perceptron(class_weight={0: 0.5 / share[0], 1: 0.5 / share[1]}, max_iter=20).fit(X, t)
    np.testing.assert_allclose(balanced.coef_, same.coef_, rtol=1e-9)


@laws
@given(st.floats(-1e308, 1e308) | st.floats(-25.0, 25.0) | st.floats(-1e-3, 1e-3))
def test_its_tanh_is_that_of_the_library(v):
    assert fast_tanh(v) == pytest.approx(np.tanh(v), abs=3e-16)
    assert np.signbit(fast_tanh(v)) == np.signbit(v)


@quiet
@laws
@given(seeds, st.floats(1e-3, 0.5))
def test_the_tanh_response_is_logistic_regression_by_stochastic_gradient_descent(seed, eta):
    rng = np.random.default_rng(seed)
    X, t = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    t[:2] = [0, 1]
    model = Perceptron(eta / 4, response="tanh", pocket=False, max_iter=4).fit(X, t)
    rows = {"max_iter": model.n_iter_, "tol": None, "shuffle": False}
    oracle = sklearn.linear_model.SGDClassifier("log_loss", penalty=None, learning_rate="constant", eta0=eta, **rows)
    oracle.fit(X, t)
    np.testing.assert_allclose(2 * model.coef_, oracle.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(2 * model.intercept_, oracle.intercept_, rtol=1e-9, atol=1e-12)


# --- the pocket ---------------------------------------------------------------------------------------------


@quiet
@laws
@given(seeds, st.sampled_from(["step", "linear", "tanh"]), st.booleans())
def test_the_pocket_says_what_it_gets_wrong_and_never_gets_worse(seed, response, shuffle):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(40, 2)), rng.random(40)
    t = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    assume(0 < t.sum() < 40)
    errors = []
    for epochs in (1, 2, 5, 20):
        model = Perceptron(0.05, response=response, max_iter=epochs, shuffle=shuffle, random_state=1)
        model.fit(X, t, weight)
        errors.append(float(model.pocket_error_[0]))
        assert errors[-1] == pytest.approx(weight[model.predict(X) != t].sum() / weight.sum())
    assert errors == sorted(errors, reverse=True)


@quiet
@laws
@given(seeds, st.sampled_from(["linear", "tanh"]), st.sampled_from([2, 3]))
def test_without_the_pocket_it_ends_where_it_would_with_one(seed, response, classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    t = np.digitize(X[:, 0] + 0.1 * rng.normal(size=30), [0.0, 0.5][: classes - 1])
    assume(len(set(t)) == classes)
    kept, last = (Perceptron(0.05, response=response, pocket=p, max_iter=30).fit(X, t) for p in (True, False))
    assert (last.converged_, last.history_, last.n_updates_) == (kept.converged_, kept.history_, kept.n_updates_)
    assert not last.converged_ or all(
        ((X @ w + b > 0) == (t == k)).all()
        for w, b, k in zip(last.coef_, last.intercept_, [1] if classes == 2 else range(3), strict=True)
    )


@quiet
def test_the_pocket_beats_the_last_weights_on_rows_sorted_by_class():
    X, t = load_iris(return_X_y=True)
    X, t = X[50:], t[50:]  # versicolor and virginica, which no plane separates
    kept, last = Perceptron().fit(X, t), Perceptron(pocket=False).fit(X, t)
    assert not kept.converged_
    assert kept.score(X, t) >= last.score(X, t)
    assert kept.score(X, t) > 0.9
    assert not hasattr(last, "pocket_error_")


@quiet
def test_one_plane_per_class():
    X, t = load_iris(return_X_y=True)
    names = load_iris().target_names[t]
    model = Perceptron(max_iter=200).fit(X, names)
    assert model.coef_.shape == (3, 4)
    assert model.decision_function(X).shape == (150, 3)
    for k, name in enumerate(model.classes_):
        alone = Perceptron(max_iter=200).fit(X, (names == name).astype(int))
        assert model.pocket_error_[k] == pytest.approx(alone.pocket_error_[0])
        np.testing.assert_array_equal(model.coef_[k], alone.coef_[0])
    assert model.pocket_error_[0] == 0.0  # setosa can be separated from the others
    assert model.score(X, names) > 0.6


# --- going on -----------------------------------------------------------------------------------------------


def test_partial_fit_is_an_epoch_from_where_it_was():
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = Perceptron()
    for start in (0, 25):
        model.partial_fit(X[start : start + 25], t[start : start + 25], classes=[0, 1])
    model.partial_fit(X[50:], t[50:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole = Perceptron(pocket=False, max_iter=1).fit(X, t)
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    np.testing.assert_array_equal(model.intercept_, whole.intercept_)
    assert model.n_mistakes_ == whole.n_mistakes_
    assert model.n_iter_ == 3


def test_partial_fit_after_fit_forgets_the_pocket_only():
    model = Perceptron().fit(SQUARE, [0, 0, 0, 1])
    before = model.coef_.copy()
    model.partial_fit(SQUARE, [0, 0, 0, 1])
    np.testing.assert_array_equal(model.coef_, before)
    assert model.converged_
    assert not hasattr(model, "pocket_error_")
