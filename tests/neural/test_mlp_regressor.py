"""The multilayer perceptron for numbers: least squares, Levenberg–Marquardt, units, curvature, slopes, tied weights."""

import numpy as np
import pytest
import sklearn.datasets
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from novacula.neural.mlp_regressor import MLPRegressor

laws = settings(deadline=None, max_examples=10)
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
seeds = st.integers(0, 2**32 - 1)
LINE = np.linspace(0.0, 6.0, 20)[:, None]
WAVE = np.sin(LINE[:, 0])


# --- oracles ------------------------------------------------------------------------------------------------


@laws
@given(seeds, st.sampled_from([(), (3,), (4, 3)]), st.sampled_from(["lbfgs", "lm"]), st.integers(1, 2))
def test_linear_layers_are_one_linear_unit(seed, hidden, solver, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    y = X @ rng.normal(size=(3, k)) + 5.0 + 0.3 * rng.normal(size=(30, k))
    weight = rng.uniform(0.2, 2.0, 30)
    model = MLPRegressor(hidden, activation="linear", solver=solver, tol=1e-7, max_epochs=2000, dtype="float64")
    found = model.fit(X, y, weight).predict(X)
    wanted = sklearn.linear_model.LinearRegression().fit(X, y, weight).predict(X)
    np.testing.assert_allclose(found, wanted, atol=1e-4)


@laws
@given(seeds, st.sampled_from([0.01, 0.5]))
def test_without_a_hidden_layer_weight_decay_is_ridge(seed, decay):
    """γΣw² with the mean of ½(t − o)² is αΣw² with Σ(t − o)² for α = 2γn."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    model = MLPRegressor((), solver="lbfgs", weight_decay=decay, tol=1e-9, dtype="float64").fit(X, y)
    theirs = sklearn.linear_model.Ridge(alpha=2 * decay * 30).fit(X, y)
    np.testing.assert_allclose(model.coefs_[0][:, 0], theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercepts_[0][0], theirs.intercept_, atol=1e-6)


@quiet
def test_levenberg_marquardt_comes_where_descent_does_not():
    errors = {}
    for solver in ("lm", "sgd", "adam", "batch"):
        model = MLPRegressor(5, activation="tanh", solver=solver, max_epochs=300, dtype="float64").fit(LINE, WAVE)
        errors[solver] = np.mean((model.predict(LINE) - WAVE) ** 2)
    assert errors["lm"] < 1e-6
    assert all(errors[solver] > 1e3 * errors["lm"] for solver in ("sgd", "adam", "batch"))


def test_the_defaults_learn_diabetes_in_any_unit_of_the_target():
    X, y = sklearn.datasets.load_diabetes(return_X_y=True)
    train, test, t, s = train_test_split(StandardScaler().fit_transform(X), y, test_size=0.3, random_state=0)
    for scale in (1.0, 1e-4, 1 / y.std()):
        model = MLPRegressor().fit(train, scale * t)  # and settles: a warning would be an error
        assert model.score(test, scale * s) > 0.33


# --- the unit of the target ---------------------------------------------------------------------------------


@quiet
@laws
@given(
    seeds,
    st.sampled_from(["sgd", "adam", "lbfgs", "cg", "batch", "lm"]),
    st.sampled_from([2.0**-9, 2.0**7]),
    st.sampled_from([0.0, 1024.0]),
)
def test_a_rate_that_is_chosen_does_not_depend_on_the_unit(seed, solver, scale, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y = np.round(np.tanh(X[:, 0]) + 0.1 * rng.normal(size=40), 4)
    model = MLPRegressor(4, activation="tanh", solver=solver, max_epochs=6, dtype="float64")
    plain, moved = model.fit(X, y).predict(X), model.fit(X, scale * (y + shift)).predict(X)
    np.testing.assert_allclose(moved / scale - shift, plain, rtol=1e-5, atol=1e-6)


@quiet
def test_a_rate_that_is_stated_is_taken_as_it_is():
    model = MLPRegressor(3, eta0=0.01, max_epochs=1, momentum=0.0, dtype="float64").fit(LINE, 100 + WAVE)
    assert model.eta_ == 0.01
    assert model.target_scale_ == 1.0
    assert abs(model.intercepts_[-1].item()) < 5.0  # it does not begin at the mean


# --- curvature and slopes -----------------------------------------------------------------------------------


def second_differences(model, x, h=1e-3):
    return (model.predict(x + h) - 2 * model.predict(x) + model.predict(x - h)) / h**2


@quiet
@pytest.mark.parametrize("solver", ["lbfgs", "lm", "adam"])
def test_a_price_on_curvature_bends_less(solver):
    eta = 0.05 if solver == "adam" else "auto"
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, (25, 1))
    y = np.sin(2 * x[:, 0]) + 0.3 * rng.normal(size=25)
    bends = []
    for price in (0.0, 1e-3, 0.1):
        model = MLPRegressor(8, activation="tanh", solver=solver, eta0=eta, curvature=price, max_epochs=200)
        model.fit(x, y)
        bends.append(np.mean(second_differences(model, x) ** 2))
    assert bends[0] > 1.1 * bends[1]
    assert bends[1] > 5 * bends[2]


@quiet
@pytest.mark.parametrize("solver", ["lbfgs", "lm"])
def test_slopes_help_where_rows_are_few(solver):
    x = np.linspace(0.0, 6.0, 6)[:, None]
    between = np.linspace(0.0, 6.0, 200)[:, None]
    error = {}
    for price in (0.0, 1.0):
        model = MLPRegressor(6, activation="tanh", solver=solver, slope_weight=price, restarts=4)
        model.fit(x, np.sin(x[:, 0]), slopes=np.cos(x) if price else None)
        error[price] = np.mean((model.predict(between) - np.sin(between[:, 0])) ** 2)
    assert error[1.0] < 0.5 * error[0.0]


@quiet
def test_slopes_of_several_outputs():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (12, 2))
    y = np.column_stack([X[:, 0] * X[:, 1], X[:, 0] ** 2])
    slopes = np.stack([np.column_stack([X[:, 1], X[:, 0]]), np.column_stack([2 * X[:, 0], np.zeros(12)])], axis=1)
    model = MLPRegressor(6, activation="tanh", solver="lbfgs", slope_weight=1.0, max_epochs=500, dtype="float64")
    model.fit(X, y, slopes=slopes)
    h = 1e-5
    for i in range(2):
        step = h * np.eye(2)[i]
        found = (model.predict(X + step) - model.predict(X - step)) / (2 * h)
        np.testing.assert_allclose(found, slopes[:, :, i], atol=0.1)
    np.testing.assert_allclose(model.predict(X), y, atol=0.05)
    weighted = MLPRegressor(3, solver="sgd", slope_weight=0.5, max_epochs=2, batch_size=4, activation="tanh")
    twice = weighted.fit(X, y, np.full(12, 2.0), slopes=slopes).weights_
    repeated = weighted.fit(np.repeat(X, 2, axis=0), np.repeat(y, 2, axis=0), slopes=np.repeat(slopes, 2, axis=0))
    np.testing.assert_array_equal(twice, repeated.weights_)


# --- tied weights -------------------------------------------------------------------------------------------


def convolution(layer, i, j):
    """Windows of three inputs, which share weights and bias."""
    if layer == 0:
        return "bias" if i is None else i - j if 0 <= i - j <= 2 else "absent"
    return None if i is None else "sum"


@quiet
@pytest.mark.parametrize("solver", ["sgd", "adam", "lbfgs", "lm"])
def test_tied_weights_stay_equal(solver):
    """A sum over windows of three inputs that are all treated alike."""
    eta = 0.05 if solver == "adam" else "auto"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    y = sum(np.tanh(X[:, j] - X[:, j + 2]) for j in range(4))
    model = MLPRegressor(4, activation="tanh", solver=solver, eta0=eta, tied=convolution, max_epochs=300).fit(X, y)
    W, b = model.coefs_[0], model.intercepts_[0]
    assert model.n_parameters_ == 3 + 1 + 1 + 1
    assert len(set(b.tolist())) == len(set(model.coefs_[1].ravel().tolist())) == 1
    for i in range(6):
        for j in range(4):
            assert W[i, j] == (W[i - j, 0] if 0 <= i - j <= 2 else 0.0)
    assert model.score(X, y) > (0.999 if solver in ("lbfgs", "lm") else 0.8)
