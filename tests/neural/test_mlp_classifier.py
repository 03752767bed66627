"""The multilayer perceptron for classes: what it represents, logistic regression and brute force as oracles."""

import itertools

import numpy as np
import pytest
import sklearn.datasets
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from novacula.errors import DataError, ParameterError
from novacula.neural.mlp_classifier import MLPClassifier

laws = settings(deadline=None, max_examples=15)
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
seeds = st.integers(0, 2**32 - 1)
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])


def blobs(n=60, d=3, classes=3, seed=0):
    """Classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    y[:classes] = range(classes)
    return rng.normal(size=(n, d)) + 1.2 * np.eye(max(classes, d))[y][:, :d], y


# --- what it represents -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"solver": "lbfgs", "restarts": 5},
        {"solver": "cg", "restarts": 5},
        {"solver": "lm", "loss": "squared", "restarts": 5, "tol": 1e-5},
        {"solver": "batch", "restarts": 5, "max_epochs": 1000, "tol": 1e-3},
        {"solver": "sgd", "restarts": 3, "eta0": 0.5, "max_epochs": 1000, "tol": None},
        {"solver": "adam", "restarts": 5, "eta0": 0.05, "max_epochs": 600, "tol": None},
    ],
    ids=lambda settings: settings["solver"],
)
def test_two_hidden_units_learn_exclusive_or(settings):
    model = MLPClassifier(2, activation="tanh", **settings).fit(SQUARE, XOR)
    assert model.predict(SQUARE).tolist() == XOR.tolist()
    assert np.abs(model.predict_proba(SQUARE)[:, 1] - XOR).max() < 0.2


@laws
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(0, 1), min_size=2**n, max_size=2**n)), st.booleans())
def test_any_boolean_function_is_built(values, as_mapping):
    n = len(values).bit_length() - 1
    rows = list(itertools.product((0, 1), repeat=n))
    model = MLPClassifier.from_boolean(dict(zip(rows, values, strict=True)) if as_mapping else values)
    assert model.predict(rows).tolist() == values
    assert model.coefs_[0].shape == (n, 2**n)
    assert model.score(rows, values) == 1.0


def test_a_truth_table_must_be_whole():
    with pytest.raises(ParameterError, match="2ⁿ values"):
        MLPClassifier.from_boolean([0, 1, 1])


# --- oracles ------------------------------------------------------------------------------------------------


@laws
@given(seeds, st.sampled_from([2, 3, 4]), st.sampled_from([1e-3, 0.1]), st.sampled_from(["lbfgs", "cg"]))
def test_without_a_hidden_layer_it_is_logistic_regression(seed, classes, decay, solver):
    """γΣw² with a mean of n losses is ½Σw² with C = 1/(2γn) times their sum."""
    X, y = blobs(classes=classes, seed=seed % 1000)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    ours = MLPClassifier((), solver=solver, weight_decay=decay, tol=1e-6, max_epochs=2000, dtype="float64")
    ours.fit(X, y, weight)
    theirs = sklearn.linear_model.LogisticRegression(C=1 / (2 * decay * weight.sum()), tol=1e-8, max_iter=5000)
    theirs.fit(X, y, weight)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-4)
    assert ours.n_parameters_ == 4 * (1 if classes == 2 else classes)


def test_labels_without_a_hidden_layer_are_logistic_regressions_of_their_own():
    X, y = blobs(n=80)
    labels = np.column_stack([y == 0, y < 2, X[:, 0] > 0]).astype(int)
    model = MLPClassifier((), solver="lbfgs", weight_decay=0.01, tol=1e-7, dtype="float64").fit(X, labels)
    assert model.out_activation_ == "logistic"
    for k in range(3):
        theirs = sklearn.linear_model.LogisticRegression(C=1 / (2 * 0.01 * 80), tol=1e-8).fit(X, labels[:, k])
        np.testing.assert_allclose(model.predict_proba(X)[:, k], theirs.predict_proba(X)[:, 1], atol=2e-4)
    np.testing.assert_array_equal(model.predict(X), (model.predict_proba(X) > 0.5).astype(int))
    assert model.score(X, labels) == (model.predict(X) == labels).all(axis=1).mean()


@quiet
@laws
@given(seeds, st.sampled_from(["sgd", "adam", "lbfgs"]), st.sampled_from(["cross_entropy", "squared"]))
def test_the_loss_is_that_of_the_probabilities(seed, solver, loss):
    X, y = blobs(seed=seed % 1000)
    model = MLPClassifier(5, solver=solver, loss=loss, weight_decay=0.02, max_epochs=8, dtype="float64").fit(X, y)
    P, T = model.predict_proba(X), np.eye(3)[y]
    one = -np.log(P[T == 1]) if loss == "cross_entropy" else 0.5 * ((T - P) ** 2).sum(axis=1)
    decay = 0.02 * sum((W**2).sum() for W in model.coefs_)
    assert model.loss_ == pytest.approx(one.mean() + decay, rel=1e-9)


def ring():
    """Two columns, and whether a row is far out."""
    X = np.random.default_rng(0).normal(size=(400, 2))
    return X, ((X**2).sum(axis=1) > 1.4).astype(int)


@quiet
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits", "ring"])
def test_the_defaults_learn_small_tables(name):
    X, y = ring() if name == "ring" else getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    train, test, t, s = train_test_split(StandardScaler().fit_transform(X), y, test_size=0.3, random_state=0)
    model = MLPClassifier().fit(train, t)
    assert model.score(test, s) > 0.93
    assert model.converged_ or name in ("breast_cancer", "ring")  # whose classes are separated ever more surely
    assert model.loss_ < 0.12


# --- weights ------------------------------------------------------------------------------------------------


@quiet
@laws
@given(seeds, st.sampled_from(["sgd", "adam", "lbfgs"]), st.booleans())
def test_a_row_of_weight_two_is_two_rows_and_of_weight_zero_none(seed, solver, stopping):
    rng = np.random.default_rng(seed)
    X, y = blobs(n=40, seed=seed % 1000)
    weight = rng.integers(0, 4, 40)
    weight[:3] = 1
    X[weight == 0] = np.nan
    stopping = stopping and solver != "lbfgs"
    model = MLPClassifier(
        4, solver=solver, batch_size=7, max_epochs=5, early_stopping=stopping, validation_fraction=0.3
    )
    weighted = model.fit(X, y, weight.astype(float)).weights_
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).weights_
    if solver == "lbfgs":
        np.testing.assert_allclose(weighted, repeated, atol=1e-5)
    else:
        np.testing.assert_array_equal(weighted, repeated)


@quiet
@pytest.mark.parametrize("solver", ["sgd", "lbfgs"])
def test_class_weights_are_weights(solver):
    X, y = blobs(n=50)
    stated = MLPClassifier(4, solver=solver, max_epochs=5, class_weight={0: 3.0, 2: 0.5}).fit(X, y)
    given_ = MLPClassifier(4, solver=solver, max_epochs=5).fit(X, y, np.array([3.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(stated.weights_, given_.weights_, atol=1e-6)
    share = 50 / (3 * np.bincount(y))
    balanced = MLPClassifier(4, solver=solver, max_epochs=5, class_weight="balanced").fit(X, y)
    same = MLPClassifier(4, solver=solver, max_epochs=5, class_weight=dict(enumerate(share))).fit(X, y)
    np.testing.assert_array_equal(balanced.weights_, same.weights_)


# --- a training and what is kept of it ----------------------------------------------------------------------


@quiet
def test_all_starts_are_recorded_and_the_best_is_kept():
    X, y = blobs()
    model = MLPClassifier(3, restarts=4, max_epochs=20).fit(X, y)
    losses = [start.loss for start in model.starts_]
    assert len(set(losses)) == 4
    assert model.loss_ == min(losses)
    assert MLPClassifier(3, max_epochs=20).fit(X, y).loss_ == losses[0]


def test_held_out_rows_end_the_training_and_the_best_weights_are_kept():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 10)), rng.integers(0, 2, 300)  # nothing to learn but noise
    model = MLPClassifier(50, activation="relu", early_stopping=True, validation_fraction=0.3, dtype="float64").fit(
        X, y
    )
    curve = model.learning_curve_
    assert len(curve.train) == len(curve.validation) == model.n_iter_ < 200
    best = int(curve.validation.argmin())
    assert best < model.n_iter_ - 5
    again = MLPClassifier(
        50,
        activation="relu",
        early_stopping=True,
        validation_fraction=0.3,
        dtype="float64",
        tol=None,
        max_epochs=best + 1,
    ).fit(X, y)
    np.testing.assert_array_equal(model.weights_, again.weights_)


@quiet
def test_a_warm_start_goes_on():
    X, y = blobs()
    whole = MLPClassifier(4, momentum=0.0, shuffle=False, max_epochs=5).fit(X, y)
    parts = MLPClassifier(4, momentum=0.0, shuffle=False, max_epochs=2).fit(X, y)
    parts.set_params(warm_start=True, max_epochs=3).fit(X, y)
    np.testing.assert_array_equal(whole.weights_, parts.weights_)
    with pytest.raises(ParameterError, match=r"sizes \(3, 4, 3\).*now it would be \(3, 5, 3\).*warm_start=False"):
        parts.set_params(hidden=5).fit(X, y)
    with pytest.raises(DataError, match="not named in classes"):
        parts.set_params(hidden=4).fit(X, y + 1)
    before = parts.predict(X)
    with pytest.raises(ParameterError, match="has learned 1 target, and now there are 3: to begin again"):
        parts.fit(X, np.eye(3)[y])
    np.testing.assert_array_equal(parts.predict(X), before)


@quiet
@pytest.mark.parametrize("solver", ["sgd", "adam"])
def test_pieces_one_after_the_other_are_one_pass(solver):
    X, y = blobs(n=50)
    whole = MLPClassifier(4, solver=solver, batch_size=1, shuffle=False, max_epochs=1).fit(X, y)
    pieces = MLPClassifier(4, solver=solver)
    for start in range(0, 50, 20):
        pieces.partial_fit(X[start : start + 20], y[start : start + 20], classes=[0, 1, 2])
    np.testing.assert_array_equal(whole.weights_, pieces.weights_)
    assert len(pieces.history_) == pieces.n_iter_ == 3


def test_partial_fit_learns_digits():
    X, y = sklearn.datasets.load_digits(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = MLPClassifier(30)
    for _ in range(3):
        model.partial_fit(X, y)
    assert model.score(X, y) > 0.95
    assert list(model.history_) == sorted(model.history_, reverse=True)
