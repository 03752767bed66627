"""Linear models from files that were forged: one sentence at load, and no sum that no rows can have."""

from dataclasses import replace

import numpy as np
import pytest

from novacula.checks.state import forged_file, require_refused
from novacula.errors import DataError
from novacula.learner.files import load
from novacula.linear import (
    BayesianLinearRegression,
    Lasso,
    LinearRegression,
    LinearUnit,
    LogisticRegression,
    Perceptron,
    Ridge,
)
from novacula.statistics import CoMoments

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(30, 3))
Y = X @ [1.0, -2.0, 0.5] + RANDOM.normal(size=30)
TWO, THREE = np.where(Y > 0.0, "yes", "no"), np.digitize(Y, [-1.0, 1.0])
SEVERAL = np.column_stack([Y, -Y])


def test_a_perceptron_with_more_columns_than_weights_is_refused(tmp_path):
    """Its `partial_fit` wrote behind the weights."""
    wide = Perceptron(max_iter=5).fit(np.tile(X, 50), np.where(Y > 0.0, "a", "b"))
    few = Perceptron(max_iter=5).fit(X, np.where(Y > 0.0, "a", "b"))
    columns = {"schema_": wide.schema_, "n_features_in_": 150}
    require_refused(few, tmp_path, r"its coef_ is an array .* and there are 150 inputs", **columns)


@pytest.mark.parametrize("planes", [0, 2, 3])
def test_planes_must_separate_the_classes(tmp_path, planes):
    model = LogisticRegression().fit(X, TWO)
    plane = {
        "coef_": np.ones((planes, 3)),
        "intercept_": np.ones(planes),
        "pull_": np.ones((planes, 4)),
        "centred_intercept_": np.ones(planes),
    }
    require_refused(model, tmp_path, f"its coef_ has {planes} planes, which do not separate 2 classes_", **plane)


def test_a_classifier_of_one_class_is_refused(tmp_path):
    model = Perceptron(max_iter=5).fit(X, THREE)
    one = {name: getattr(model, name)[:1] for name in ("classes_", "coef_", "intercept_", "pocket_error_")}
    one["trace_"] = with_targets(model, np.zeros(20, np.int32))
    require_refused(model, tmp_path, "its coef_ has 1 planes, which do not separate 1 classes_", **one)


def test_showings_of_a_perceptron_have_codes_of_its_classes(tmp_path):
    model = Perceptron(max_iter=5).fit(X, THREE)
    sentence = "its trace_ has showings with numbers for targets, where codes of classes should be"
    numbers, beyond = with_targets(model, np.ones(20)), with_targets(model, np.full(20, 3, np.int32))
    require_refused(model, tmp_path, sentence, trace_=numbers)
    require_refused(model, tmp_path, "its trace_ has no showings", trace_=replace(model.trace_, showings=None))
    require_refused(model, tmp_path, r"its trace_\.showings\.targets is", trace_=beyond)


def with_targets(model, targets):
    """The trace of a model, its showings with other targets."""
    return replace(model.trace_, showings=replace(model.trace_.showings, targets=targets))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (LinearUnit(), "eta_"),
        (LinearUnit("sgd", max_iter=9), "trace_"),
        (LinearUnit("exact"), "x_centre_"),
        (LinearUnit("exact", threshold=True), "classes_"),
    ],
)
def test_a_unit_has_what_its_solver_gives(tmp_path, model, name):
    model.fit(X, TWO if model.threshold else Y)
    for gone in {"eta_": ("eta_", "largest_rate_"), "x_centre_": ("x_centre_", "y_centre_")}.get(name, (name,)):
        delattr(model, gone)
    require_refused(model, tmp_path, f"its {name} is missing, which solver='{model.solver}' or a threshold needs")


def test_a_threshold_separates_two_classes(tmp_path):
    model = LinearUnit(threshold=True).fit(X, TWO)
    require_refused(model, tmp_path, "its classes_ are 3, but a threshold separates two", classes_=np.arange(3))


@pytest.mark.parametrize("names", [[], ["a", "b"]])
def test_the_layout_of_coefficients_fits_the_targets(tmp_path, names):
    model = LinearUnit("sgd", max_iter=300).fit(X / 9.0, Y)
    sentence = rf"its coef_ of shape \(3,\) does not fit its {len(names)} target_names_"
    require_refused(model, tmp_path, sentence, target_names_=names)


def test_all_that_is_there_for_each_target_has_one_layout(tmp_path):
    model = LinearRegression().fit(X, SEVERAL)
    require_refused(
        model, tmp_path, r"its sigma_ is a float, where numbers \(targets\), at least 0 should be", sigma_=1.0
    )


@pytest.mark.parametrize(
    ("learner", "names", "sentence"),
    [
        (Ridge("loo"), ["alphas_"], "its loo_error_ is there without its alphas_"),
        (Lasso("cv", n_alphas=5), ["cv_std_error_"], "its cv_error_ is there without its cv_std_error_"),
        (BayesianLinearRegression(noise="inverse_gamma"), ["scale_"], "its shape_ is there without its scale_"),
        (BayesianLinearRegression(noise="evidence"), ["converged_"], "its alpha_ is there without its converged_"),
    ],
)
def test_what_belongs_together_is_there_together(tmp_path, learner, names, sentence):
    learner.fit(X, Y)
    for name in names:
        delattr(learner, name)
    require_refused(learner, tmp_path, sentence)


@pytest.mark.parametrize("learner", [LinearRegression(), Ridge(), Lasso(), BayesianLinearRegression(), LinearUnit()])
def test_sums_are_those_of_rows(tmp_path, learner):
    moments = learner.fit(X, Y).moments_
    sentence = "its moments_ are not those of any rows: a weight or a sum of squares is too small"
    require_refused(learner, tmp_path, sentence, moments_=CoMoments(0.0, moments.mean, moments.scatter))
    require_refused(learner, tmp_path, sentence, moments_=CoMoments(30.0, moments.mean, -moments.scatter))


def test_the_covariance_of_estimates_has_their_number(tmp_path):
    model = LogisticRegression(penalty=None).fit(X[:, :1], THREE)
    require_refused(
        model, tmp_path, "its covariance_ is that of 2 estimates, of which there are 4", covariance_=np.eye(2)
    )


@pytest.mark.parametrize(
    "learner", [LinearRegression(), Ridge(), Lasso(), BayesianLinearRegression(fit_intercept=False)]
)
def test_sums_that_overflow_with_more_rows_are_a_data_error(tmp_path, learner):
    moments = learner.set_params(fit_intercept=False).fit(X, Y).moments_
    far = CoMoments(moments.weight, np.full(4, 1e300), moments.scatter)
    model = load(forged_file(learner, tmp_path, moments_=far))
    with pytest.raises(DataError, match="hold numbers whose squares overflow when they are added: scale them"):
        model.partial_fit(X, Y)


@pytest.mark.parametrize("sigma", [1e300, 0.0])
def test_a_noise_beyond_all_squares_is_summarised(tmp_path, sigma):
    model = load(forged_file(LinearRegression().fit(X, Y), tmp_path, sigma_=sigma))
    assert model.summary()[0].facts["sigma"] == sigma
    assert "Least squares" in str(model.work())


def test_an_evidence_whose_prior_became_flat_is_an_error_of_ours(tmp_path):
    model = BayesianLinearRegression(noise="evidence").fit(X, Y).set_params(prior_precision=[0.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="prior_precision is flat in 1 of 3 directions"):
        load(forged_file(model, tmp_path)).work()


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (LinearRegression(), SEVERAL),
        (Ridge("loo"), SEVERAL),
        (Lasso("cv", n_alphas=5), Y),
        (BayesianLinearRegression(fit_intercept=False), Y),
        (LinearUnit("exact"), Y),
        (Perceptron(max_iter=5), THREE),
        (LogisticRegression(fit_intercept=False), THREE),
    ],
    ids=lambda value: type(value).__name__,
)
def test_models_pass_as_they_are(tmp_path, model, target):
    loaded = load(forged_file(model.fit(X, target), tmp_path))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
