"""The works of what is measured: sums from folds, counts and rows, each tied to the result."""

import numpy as np
import pytest

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_equations
from novacula.errors import ParameterError
from novacula.evaluate import (
    bias_variance,
    calibration,
    compare,
    confusion,
    cross_validate,
    description_length,
    learning_curve,
    leave_one_out,
    mcnemar,
    precision_recall,
    roc,
    select_size,
)
from novacula.evaluate.cross_validation import CrossValidation
from novacula.linear import LinearRegression, Perceptron
from novacula.neighbors import KNeighborsRegressor
from novacula.tree import DecisionTreeClassifier

x = np.linspace(0, 6, 40)
y = np.sin(x) + np.random.default_rng(0).normal(0, 0.2, 40)
LABELS, SCORES = ["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8]


def tennis():
    return nv.datasets.load("play_tennis")


def parabola(rng):
    points = rng.uniform(-1, 1, (30, 1))
    f = points[:, 0] ** 2
    return points, f + rng.normal(0, 0.1, 30), f


@pytest.mark.parametrize(
    "measure",
    [
        lambda: cross_validate(NaiveBayes(), tennis(), folds=5, loss=["zero_one", "log"]),
        lambda: bias_variance(LinearRegression(), parabola, n_sets=12),
        lambda: bias_variance(KNeighborsRegressor(), x[:, None], y, n_sets=12),
        lambda: bias_variance(DecisionTreeClassifier(), tennis(), loss="zero_one", n_sets=12),
        lambda: roc(LABELS, SCORES),
        lambda: precision_recall(LABELS, SCORES),
        lambda: calibration([0, 0, 1, 0, 1, 1], [0.2, 0.3, 0.2, 0.7, 0.7, 0.6], bins=2),
        lambda: confusion(["a", "a", "b", "b", "c"], ["a", "b", "b", "b", "a"]),
        lambda: description_length(DecisionTreeClassifier(max_leaf_nodes=3).fit(tennis()), tennis()),
        lambda: description_length(LinearRegression().fit(x[:, None], y), x[:, None], y, sample_weight=1 + x),
        lambda: description_length(Perceptron(max_iter=5).fit(x[:, None], y > 0), x[:, None], y > 0),
        lambda: compare([0.20, 0.22, 0.19, 0.25, 0.21], [0.24, 0.23, 0.25, 0.26, 0.25]),
        lambda: mcnemar([1] * 12, [0] * 9 + [1] * 3, [1] * 9 + [0] + [1] * 2),
        lambda: select_size(KNeighborsRegressor(), None, [20, 10, 5, 2], x[:, None], y, folds=4, rule="one_se"),
        lambda: select_size(KNeighborsRegressor(), None, [20, 10, 5, 2], x[:, None], y, folds=4),
        lambda: learning_curve(KNeighborsRegressor(1), x[:, None], y, folds=4),
        lambda: leave_one_out(LinearRegression(), x[:, None], y),
        lambda: leave_one_out(LinearRegression(), x[:, None], y, sample_weight=1 + x),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_works_are_right(measure):
    result = measure()
    check_equations(result)
    check_equations(result, detail="full", digits=3)


def test_the_mean_of_folds_as_the_lecture_has_it():
    """(5.1 + 3.7 + 4.6 + 4.6 + 3.3) / 5 = 4.26."""
    errors = np.array([5.1, 3.7, 4.6, 4.6, 3.3])
    result = CrossValidation({"squared": errors}, {"squared": errors})
    assert "(5.1 + 3.7 + 4.6 + 4.6 + 3.3) / 5 = 4.26" in str(result.work())


def test_counts_of_a_roc_curve_are_those_of_the_rows():
    curve = roc(LABELS, SCORES)
    assert curve.true_positives.tolist() == [0, 1, 1, 2, 2]
    assert curve.false_positives.tolist() == [0, 0, 1, 1, 2]
    assert curve.work()[0].table.rows[3] == (0.35, 2.0, 1.0, 1.0, 0.0, 1.0, 0.5)


def test_a_result_that_was_changed_is_found():
    from dataclasses import replace

    curve = roc(LABELS, SCORES)
    for name in ("true_positives", "false_positives", "tpr", "fpr", "auc"):
        with pytest.raises(AssertionError):
            check_equations(replace(curve, **{name: getattr(curve, name) * 1.001}))


@pytest.mark.parametrize(
    ("how", "words"),
    [({"X": [[1.0]]}, "takes no rows X"), ({"iteration": 1}, "keeps no iterations"), ({"digits": 0}, "digits is 0")],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(how, words):
    with pytest.raises(ParameterError, match=words):
        roc(LABELS, SCORES).work(**how)
