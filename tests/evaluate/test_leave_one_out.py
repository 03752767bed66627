"""Leave-one-out in closed form against fitting n times."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.model_selection import LeaveOneOut as TheirLeaveOneOut
from sklearn.model_selection import cross_val_predict

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.evaluate import leave_one_out
from novacula.graph import LinearGaussian
from novacula.kernel import Gaussian, GaussianProcessRegressor, KernelRidge
from novacula.linear import LinearRegression, Ridge
from novacula.neighbors import KNeighborsClassifier, KNeighborsRegressor
from novacula.tree import DecisionTreeClassifier


def by_force(learner, X, y):
    return cross_val_predict(learner, X, y, cv=TheirLeaveOneOut())


def numbers(n=25, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** np.arange(d) + 3
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def labelled(n=40, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, 2)) + y[:, None], np.array(["low", "mid", "top"])[y]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("make", [LinearRegression, lambda **kw: Ridge(0.7, **kw), lambda **kw: Ridge(0.0, **kw)])
def test_least_squares_and_ridge(make, intercept):
    X, y = numbers()
    learner = make(fit_intercept=intercept)
    result = leave_one_out(learner, X, y)
    assert (result.method, result.n_fits) == ("hat matrix", 1)
    assert result.predictions == pytest.approx(by_force(learner, X, y), rel=1e-8)
    assert result.error == pytest.approx(np.mean((by_force(learner, X, y) - y) ** 2), rel=1e-7)


@pytest.mark.parametrize(
    "learner",
    [
        KernelRidge(0.5),
        KernelRidge(0.1, kernel=Gaussian(width=30.0) + 1.0),
        GaussianProcessRegressor(4.0 * Gaussian(width=30.0), noise=0.3, optimize=False),
        LinearGaussian(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_kernels_and_linear_gaussians(learner):
    X, y = numbers(d=2)
    result = leave_one_out(learner, X, y)
    assert result.n_fits == 1
    assert result.predictions == pytest.approx(by_force(learner, X, y), rel=1e-7, abs=1e-9)


def test_kernel_ridge_with_several_targets_and_prices():
    X, y = numbers(d=2)
    both, learner = np.column_stack([y, np.abs(y)]), KernelRidge([0.5, 2.0])
    result = leave_one_out(learner, X, both)
    assert result.n_fits == 1
    assert result.predictions == pytest.approx(by_force(learner, X, both), rel=1e-7)


@pytest.mark.parametrize(
    "learner",
    [
        Ridge("loo"),
        Ridge(1.0, positive=True),
        Ridge(1.0, penalty_factor=[1.0, 2.0]),
        Ridge([1.0]),
        KNeighborsRegressor("loo"),
        KNeighborsRegressor(3, scale="standard"),
        KNeighborsRegressor(3, metric="heom"),
        KernelRidge(0.5, kernel="rbf"),
        GaussianProcessRegressor(Gaussian(width=30.0), noise=0.3, optimize=False, normalize_y=True),
        GaussianProcessRegressor(noise=0.3, optimize=False),
        GaussianProcessRegressor(Gaussian("scale"), noise=0.3, optimize=False),
        GaussianProcessRegressor(Gaussian(width=30.0), optimize=False),
    ],
    ids=repr,
)
def test_a_learner_knows_when_its_formula_does_not_hold(learner):
    """A row that goes would change the penalty, the scale, k, the kernel or the noise."""
    X, y = numbers(14, 2)
    X[0] += 40.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # wild scales
        assert learner.fit(X, y).left_out(X, y) is None
        result = leave_one_out(learner, X, y)
        assert (result.method, result.n_fits) == ("refitting", 15), "one fit to ask, and one for each row"
        assert result.predictions == pytest.approx(by_force(learner, X, y), rel=1e-9)


def test_a_process_whose_kernel_the_rows_choose_has_no_formula():
    X, y = numbers(14, 2)
    assert GaussianProcessRegressor(Gaussian(width=30.0), max_iter=20).fit(X / 30, y / 30).left_out(X, y) is None


def test_several_targets_and_absolute_loss():
    X, y = numbers()
    both = np.column_stack([y, y**2])
    result = leave_one_out(Ridge(2.0), X, both, loss="absolute")
    expected = by_force(Ridge(2.0), X, both)
    assert result.predictions == pytest.approx(expected, rel=1e-8)
    assert result.losses == pytest.approx(np.abs(expected - both).mean(axis=1), rel=1e-7)


def test_a_row_that_alone_holds_a_direction_is_left_out_by_fitting_again():
    """Its leverage is 1, and the others say nothing of it: 0/0 in the formula."""
    X, y = numbers(12, 2)
    X[:, 1] = 0.0
    X[4, 1] = 1.0
    with pytest.warns(nv.errors.RankWarning):
        expected = by_force(LinearRegression(), X, y)
    with pytest.warns(nv.errors.RankWarning):
        result = leave_one_out(LinearRegression(), X, y)
    assert result.n_fits == 2
    assert result.predictions == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 4, 9])
def test_neighbours(k, weights):
    X, y = labelled()
    X = X.round(1)  # so that there are ties
    learner = KNeighborsClassifier(k, weights=weights)
    result = leave_one_out(learner, X, y)
    assert result.method == "neighbours without the row"
    assert (result.predictions == by_force(learner, X, y)).all()
    learner = KNeighborsRegressor(k, weights=weights, metric="manhattan")
    target = X[:, 0] ** 2
    assert leave_one_out(learner, X, target).predictions == pytest.approx(by_force(learner, X, target))


def test_scales_that_a_row_would_change_are_not_taken_for_granted():
    X, y = labelled(21)
    X[0] = 50.0
    learner = KNeighborsClassifier(3, scale="range")
    result = leave_one_out(learner, X, y)
    assert result.method == "refitting"
    assert (result.predictions == by_force(learner, X, y)).all()


@pytest.mark.parametrize(
    "learner",
    [
        NaiveBayes(),
        NaiveBayes(m="laplace", prior_estimate="empirical"),
        NaiveBayes(m=0.0, class_prior=[0.2, 0.3, 0.5], var_smoothing=0.1),
        NaiveBayes(distributions={0: "poisson"}),
    ],
)
def test_naive_bayes_on_numbers(learner):
    X, y = labelled()
    X = np.abs(X).round()
    result = leave_one_out(learner, X, y)
    assert result.method == "counts without the row"
    assert result.n_fits < len(y) / 2
    assert (result.predictions == by_force(learner, X, y)).all()


@pytest.mark.parametrize("m", [0.0, 1.0, "laplace"])
def test_naive_bayes_on_a_mixed_table_keeps_the_domains(m):
    rng = np.random.default_rng(3)
    n = 40
    frame = pd.DataFrame({
        "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
        "size": rng.normal(size=n).round(2),
        "y": rng.choice(["no", "yes"], n),
    })  # fmt: skip
    frame.loc[frame["y"] == "yes", "size"] += 1
    frame.loc[[3, 9], "size"] = np.nan
    frame.loc[5, "colour"] = None
    table = nv.read(frame, target="y")
    learner = NaiveBayes(m=m)
    result = leave_one_out(learner, table)
    assert result.n_fits < 5
    for i in range(n):
        model = NaiveBayes(m=m).fit(table.take(np.delete(np.arange(n), i)))
        assert result.predictions[i] == model.predict(table.take([i]))[0]
    assert result.error == np.mean(result.predictions != frame["y"].to_numpy())


def test_the_only_row_of_a_class_or_of_a_value_is_left_out_by_fitting_again():
    frame = pd.DataFrame({"a": pd.Categorical(list("xxyyyxz")), "y": list("pppqqqr")})
    table = nv.read(frame, target="y")
    result = leave_one_out(NaiveBayes(), table)
    assert result.n_fits == 2
    assert result.predictions[6] != "r", "nothing else is of that class"


def test_distributions_that_keep_their_rows_are_fitted_again():
    X, y = labelled(15)
    learner = NaiveBayes(distributions="kernel")
    result = leave_one_out(learner, X, y)
    assert result.method == "refitting"
    assert (result.predictions == by_force(learner, X, y)).all()


def test_any_other_learner_is_fitted_n_times():
    X, y = labelled(24)
    result = leave_one_out(DecisionTreeClassifier(), X, y)
    assert (result.method, result.n_fits) == ("refitting", 24)
    assert (result.predictions == by_force(DecisionTreeClassifier(), X, y)).all()
    X, y = numbers(12)
    assert leave_one_out(TheirLinearRegression(), X, y).error == pytest.approx(
        leave_one_out(LinearRegression(), X, y).error, rel=1e-7
    )


def test_losses_of_probabilities_are_those_of_each_left_out_row():
    X, y = labelled(24)
    result = leave_one_out(NaiveBayes(), X, y, loss="log")
    shares = cross_val_predict(NaiveBayes(), X, y, cv=TheirLeaveOneOut(), method="predict_proba")
    place = np.searchsorted(["low", "mid", "top"], y)
    assert result.losses == pytest.approx(-np.log(shares[np.arange(24), place]), rel=1e-9)
    assert result.predictions == pytest.approx(shares)
    assert "refitting" in str(result)
