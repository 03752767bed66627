"""Cross-validation against scikit-learn's on the same folds, size and learning curves, and what they say."""

import math
from itertools import count

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError
from novacula.evaluate import CostMatrix, CrossValidation, cross_validate, folds, learning_curve, select_size
from novacula.evaluate.learning_curve import mixed_order
from novacula.evaluate.select_size import has_converged
from novacula.linear import Lasso, LinearRegression, LogisticRegression, Ridge
from novacula.neighbors import KNeighborsClassifier
from novacula.tree import DecisionTreeClassifier


def blobs(n=90, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, 2)) + 1.2 * y[:, None], np.array(["red", "green", "blue"])[y]


@pytest.mark.parametrize(
    "learner",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), TheirLogisticRegression()),
        NaiveBayes(),
    ],
    ids=["our learner in a pipeline", "a pipeline of theirs", "our learner"],
)
def test_classification_errors_are_those_of_the_reference_library(learner):
    X, y = blobs()
    parts = folds(y, 5, random_state=1)
    mine = cross_validate(learner, X, y, parts, ["zero_one", "log"])
    theirs = model_selection.cross_validate(
        learner, X, y, cv=parts, scoring={"a": "accuracy", "l": "neg_log_loss"}, return_train_score=True
    )
    assert mine.validation["zero_one"] == pytest.approx(1 - theirs["test_a"], abs=1e-12)
    assert mine.train["zero_one"] == pytest.approx(1 - theirs["train_a"], abs=1e-12)
    assert mine.validation["log"] == pytest.approx(-theirs["test_l"], rel=1e-9)
    assert mine.train["log"] == pytest.approx(-theirs["train_l"], rel=1e-9)


def test_regression_errors_are_those_of_the_reference_library():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1, 2, 3] + rng.normal(size=60)
    splitter = model_selection.KFold(6, shuffle=True, random_state=2)
    names = {"squared": "neg_mean_squared_error", "absolute": "neg_mean_absolute_error"}
    mine = cross_validate(Ridge(), X, y, splitter, list(names))
    theirs = model_selection.cross_validate(Ridge(), X, y, cv=splitter, scoring=names, return_train_score=True)
    for name in names:
        assert mine.validation[name] == pytest.approx(-theirs[f"test_{name}"], rel=1e-9)
        assert mine.train[name] == pytest.approx(-theirs[f"train_{name}"], rel=1e-9)
    assert mine.standard_error("squared") == pytest.approx(theirs["test_squared"].std(ddof=1) / 6**0.5)


def test_a_table_and_its_frame_give_the_same_errors():
    table = nv.datasets.load("play_tennis")
    frame = table.to_pandas()
    X, y = frame[["Outlook", "Temperature", "Humidity", "Wind"]], frame["PlayTennis"].astype(str).to_numpy()
    parts = folds(y, 4)
    mine, other = (cross_validate(NaiveBayes(), *data, folds=parts, loss="log") for data in ((table,), (X, y)))
    assert mine.validation["log"] == pytest.approx(other.validation["log"], rel=1e-12)


def test_a_table_is_a_frame_to_learners_of_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X @ [1, -1] + rng.normal(size=40)
    table = nv.read(pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}), target="y")
    parts = folds(y, 4)
    mine = cross_validate(TheirLinearRegression(), table, folds=parts)
    assert mine.mean("squared") == pytest.approx(cross_validate(LinearRegression(), X, y, parts).mean("squared"))


def test_a_continuous_target_is_refused_as_classes():
    table = nv.read(pd.DataFrame({"a": np.arange(9.0), "y": np.linspace(0, 1, 9)}), target="y")
    with pytest.raises(DataError, match="the target 'y' is continuous"):
        cross_validate(NaiveBayes(), table, folds=3)


def test_weights_count_in_fit_and_error():
    """A row of weight 2 and two rows are the same, if they are in one fold."""
    rng = np.random.default_rng(0)
    X, y, times = rng.normal(size=(30, 2)), rng.normal(size=30), np.arange(30) % 3 + 1
    group = np.repeat(np.arange(30), times)
    parts = folds(y, 5)
    twice = [(np.flatnonzero(np.isin(group, a)), np.flatnonzero(np.isin(group, b))) for a, b in parts]
    expected = cross_validate(Ridge(), X[group], y[group], twice).validation["squared"]
    for learner in (Ridge(), make_pipeline(FunctionTransformer(), Ridge())):
        mine = cross_validate(learner, X, y, parts, sample_weight=times.astype(float))
        assert mine.validation["squared"] == pytest.approx(expected, rel=1e-9)


def test_costs_are_a_loss_and_names_must_differ():
    X, y = blobs()
    cost = CostMatrix(["blue", "green", "red"], 1 - np.eye(3))
    result = cross_validate(NaiveBayes(), X, y, 3, [cost, "zero_one"])
    assert result.mean("cost") == result.mean("zero_one")
    with pytest.raises(ParameterError, match="two losses have the same name"):
        cross_validate(NaiveBayes(), X, y, 3, ["l1", "absolute"])
    with pytest.raises(ParameterError, match="there are no folds"):
        cross_validate(NaiveBayes(), X, y, [])
    with pytest.raises(DataError, match="the target y is None"):
        cross_validate(NaiveBayes(), X)


# --- sizes --------------------------------------------------------------------------------------------------


def cubic(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    return x[:, None], x**3 - 2 * x + rng.normal(0, 0.6, n)


@pytest.mark.parametrize("seed", range(4))
def test_the_degree_of_a_noisy_cubic_is_found(seed):
    X, y = cubic(150, seed)
    learner = make_pipeline(PolynomialFeatures(include_bias=False), LinearRegression())
    curve = select_size(learner, "polynomialfeatures__degree", range(1, 10), X, y, rule="one_se", random_state=seed)
    assert curve.best_size == 3
    assert curve.best_learner.predict(X).shape == (150,), "it is fitted"
    assert curve.best_learner.named_steps["polynomialfeatures"].degree == 3
    assert "converged at" in curve.stopped
    assert np.isnan(curve.validation[-1]).all()
    assert curve.validation.shape == (9, 10)


def test_every_size_is_the_cross_validation_of_that_size():
    X, y = blobs()
    sizes = [30, 10, 3, 1]
    parts = folds(y, 5)
    curve = select_size(KNeighborsClassifier(), "n_neighbors", sizes, X, y, folds=parts, until_converged=False)
    for i, k in enumerate(sizes):
        alone = cross_validate(KNeighborsClassifier(k), X, y, parts)
        assert curve.validation[i] == pytest.approx(alone.validation["zero_one"])
        assert curve.train[i] == pytest.approx(alone.train["zero_one"])
    assert curve.best == int(np.argmin(curve.validation_mean))
    assert curve.stopped == ""


def test_one_standard_error_takes_a_simpler_size_and_says_so():
    X, y = cubic(60, 1)
    learner = make_pipeline(PolynomialFeatures(include_bias=False), LinearRegression())
    chosen = {
        rule: select_size(learner, "polynomialfeatures__degree", range(1, 8), X, y, rule=rule)
        for rule in ("min", "one_se")
    }
    best = chosen["min"]
    bound = best.validation_mean[best.best] + best.standard_error[best.best]
    assert chosen["one_se"].best == np.flatnonzero(best.validation_mean <= bound)[0]
    assert chosen["one_se"].best <= best.best


def test_the_card_names_the_size_also_inside_a_pipeline():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + rng.normal(0, 0.3, 60)
    curve = select_size(Ridge(), None, None, X, y, folds=5)
    assert curve.size_name == "alpha"
    assert curve.sizes == tuple(Ridge.card.sizes(nv.learner.card.Extent(48, 4, target_spread=y.std())))
    inside = select_size(make_pipeline(StandardScaler(), Lasso()), None, [1.0, 0.1, 0.01], X, y, folds=5)
    assert inside.size_name == "lasso__alpha"


@pytest.mark.parametrize(
    ("learner", "param", "sizes", "words"),
    [
        (NaiveBayes(), None, None, "NaiveBayes names no size of its own"),
        (Ridge(), "alfa", [1.0], "Ridge has no parameter 'alfa'"),
        (NaiveBayes(), "m", None, "there are no sizes to try for m"),
        (Ridge(), "alpha", [], "there are no sizes to try"),
    ],
)
def test_sizes_that_are_missing_are_named(learner, param, sizes, words):
    X, y = blobs(20, 2)
    with pytest.raises(ParameterError, match=words):
        select_size(learner, param, sizes, X, (y == "red") * 1.0, folds=2)


def test_folds_that_lack_a_class_say_so():
    X, y = blobs(30, 2)
    y[:] = "red"
    y[:3] = "blue"
    curve = select_size(DecisionTreeClassifier(), None, [2, 4], X, y)
    assert curve.reason == "folds without a row of the class 'blue', which has 3 rows"
    assert curve.reason in curve.sentence()


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([9, 1, 1, 1], True),
        ([9, 1, 1], False),  # one step is not a plateau
        ([5, 5, 5, 5], False),  # it has not fallen yet
        ([9, 5, 1, 0.95, 0.9], True),
        ([9, 5, 1, 0.5, 0.2], False),
        ([1, 2, 2, 2], False),
    ],
)
def test_convergence_is_a_plateau_after_a_fall(errors, expected):
    assert has_converged(np.array(errors, float)) is expected


def test_infinite_losses_are_an_infinite_error_and_not_a_crash():
    """Of a neighbour alone every other class is impossible, so the log loss is infinite where it is wrong."""
    X, y = blobs()
    curve = select_size(KNeighborsClassifier(), None, [1, 1], X, y, folds=3, loss="log")
    assert np.isinf(curve.validation_mean).all()
    assert np.isnan(curve.standard_error).all()
    assert curve.best == 0
    assert curve.plot().svg()
    assert np.isnan(cross_validate(KNeighborsClassifier(1), X, y, 3, "log").standard_error("log"))


# --- learning curves ----------------------------------------------------------------------------------------


def test_learning_curve_is_the_error_of_fits_on_beginnings():
    X, y = blobs()
    curve = learning_curve(NaiveBayes(), X, y, sizes=[12, 0.5, 1.0], folds=folds(y, 3))
    assert curve.sizes == (12, 30, 60)
    whole = cross_validate(NaiveBayes(), X, y, folds(y, 3))
    assert curve.validation[-1] == pytest.approx(whole.validation["zero_one"])
    assert curve.train[-1] == pytest.approx(whole.train["zero_one"])


def test_beginnings_have_the_classes_in_their_shares():
    y = np.repeat([0, 1], [30, 10])
    order = mixed_order(y, np.random.default_rng(0))
    assert sorted(order.tolist()) == list(range(40))
    for n in range(1, 41):
        assert abs((y[order[:n]] == 1).sum() - n / 4) <= 1


@pytest.mark.parametrize("sizes", [[0], [1.5], [100], [5, 5], [], ["a"]])
def test_bad_sizes_are_named(sizes):
    with pytest.raises(ParameterError, match="size"):
        learning_curve(NaiveBayes(), *blobs(), sizes=sizes)


def test_the_published_errors_of_five_folds_and_their_mean():
    errors = np.array([5.1, 3.7, 4.6, 4.6, 3.3])
    found = CrossValidation({"squared": np.zeros(5)}, {"squared": errors})
    check_work(found)
    [step, _] = found.work()
    assert [row[2] for row in step.table.rows] == errors.tolist()
    assert step.equations[0].value == pytest.approx(4.26)
    assert "= (5.1 + 3.7 + 4.6 + 4.6 + 3.3) / 5 = 4.3" in found.work(digits=2).to_text()


def test_sizes_without_end_are_tried_until_the_training_error_has_converged():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    endless = select_size(DecisionTreeClassifier(), "max_depth", count(1), X, y, folds=4)
    listed = select_size(DecisionTreeClassifier(), "max_depth", range(1, 60), X, y, folds=4)
    assert endless.sizes == listed.sizes[: len(endless.sizes)]
    assert len(endless.sizes) == len(listed.tried)
    assert endless.best_size == listed.best_size
    assert "no richer size was tried" in endless.stopped
    check_work(endless)
    flat = select_size(DecisionTreeClassifier(), "max_depth", count(1), X, np.where(X[:, 0] > 0, "yes", "no"), folds=4)
    assert len(flat.sizes) < 15
    with pytest.raises(ParameterError, match="may have no end"):
        select_size(DecisionTreeClassifier(), "max_depth", count(1), X, y, until_converged=False)
    refused = select_size(KNeighborsClassifier(), "n_neighbors", count(89), X, y, folds=4)
    assert "was refused" in refused.stopped


def test_errors_of_folds_that_are_known_already():
    """(5.1 + 3.7 + 4.6 + 4.6 + 3.3) / 5 = 4.26, and s² = (0.84² + 0.56² + 2 · 0.34² + 0.96²) / 20."""
    found = CrossValidation.of_errors([5.1, 3.7, 4.6, 4.6, 3.3])
    assert found.mean("error") == pytest.approx(4.26)
    assert found.standard_error("error") == pytest.approx(math.sqrt(2.172 / 20))
    check_work(found)
    assert "= (5.1 + 3.7 + 4.6 + 4.6 + 3.3) / 5 = 4.26" in found.work().to_text()
    both = CrossValidation.of_errors([2.0, 4.0], train=[1.0, 2.0])
    assert both.train_means == {"error": 1.5}
    check_work(both)
    for bad, words in (([1.0], "there is 1 error; give"), ([1.0, math.nan], "validation has nan in place 2")):
        with pytest.raises(ParameterError, match=words):
            CrossValidation.of_errors(bad)
