"""Metrics against scikit-learn's, and what people read of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs

from novacula.errors import DataError, ParameterError
from novacula.evaluate import CostMatrix, metric
from novacula.evaluate.metric import METRICS, of_rarer, require_classes, require_task


def answers(seed, n_classes):
    rng = np.random.default_rng(seed)
    classes = np.array(["a", "b", "c", "d"][:n_classes])
    y = classes[np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=30)])]
    proba = rng.dirichlet(np.ones(n_classes), len(y)).round(2) + 1e-9
    proba /= proba.sum(axis=1, keepdims=True)
    return y, proba, classes, classes[proba.argmax(axis=1)], rng.integers(1, 4, len(y)).astype(float)


@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 4), weighted=st.booleans())
def test_metrics_of_classes_are_the_reference_librarys(seed, n_classes, weighted):
    y, proba, classes, said, w = answers(seed, n_classes)
    w = w if weighted else None
    f1 = {"pos_label": "b"} if n_classes == 2 else {"average": "macro"}
    area = {"y_score": proba[:, 1]} if n_classes == 2 else {"y_score": proba, "multi_class": "ovr"}
    expected = {
        "accuracy": theirs.accuracy_score(y, said, sample_weight=w),
        "balanced": theirs.balanced_accuracy_score(y, said, sample_weight=w),
        "f1": theirs.f1_score(y, said, sample_weight=w, **f1),
        "auc": theirs.roc_auc_score(y, sample_weight=w, **area),
    }
    for name, value in expected.items():
        measure = metric(name)
        given_answers = proba if measure.needs == "scores" else said
        assert measure.shown(measure.error(y, given_answers, classes, w)) == pytest.approx(value), name
        assert measure.direction == "higher is better"
    assert metric("log_loss").error(y, proba, classes, w) == pytest.approx(
        theirs.log_loss(y, proba, sample_weight=w, labels=classes)
    )


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_metrics_of_numbers_are_the_reference_librarys(seed, weighted):
    rng = np.random.default_rng(seed)
    y, said = rng.normal(size=(2, 20))
    w = rng.random(20) if weighted else None
    assert metric("rmse").error(y, said, weight=w) == pytest.approx(
        theirs.root_mean_squared_error(y, said, sample_weight=w)
    )
    assert metric("mae").error(y, said, weight=w) == pytest.approx(theirs.mean_absolute_error(y, said, sample_weight=w))
    r2 = metric("r2")
    assert r2.shown(r2.error(y, said, weight=w)) == pytest.approx(theirs.r2_score(y, said, sample_weight=w))


def test_the_area_takes_decision_values():
    y, f = np.array(["no", "yes", "no", "yes"]), np.array([-2.0, 0.3, 0.1, 0.2])
    assert metric("auc").error(y, f, ["no", "yes"]) == 0.0
    assert metric("auc").error(y, -f, ["no", "yes"]) == 1.0
    assert math.isnan(metric("auc").error(y[[0, 2]], f[[0, 2]], ["no", "yes"]))


def test_a_class_that_the_model_does_not_know_is_no_hit():
    y, proba = ["a", "b", "z"], [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]
    assert metric("log_loss").error(y, proba, ["a", "b"]) == math.inf
    assert metric("f1").error(y, ["a", "b", "a"], ["a", "b"]) == pytest.approx(1 - (2 / 3 + 1 + 0) / 3)


@pytest.mark.parametrize("name", ["accuracy", "balanced", "f1", "auc", "rmse", "r2", "mae", "log_loss"])
def test_intervals_hold_the_error_and_shrink_with_rows(name):
    measure, widths = metric(name), []
    for n in (60, 960):
        rng = np.random.default_rng(0)
        x = rng.normal(size=n)
        if measure.needs == "numbers":
            y, said, classes = x + rng.normal(size=n), x, None
        else:
            chance = 1 / (1 + np.exp(-2 * x))
            y, classes = np.where(rng.random(n) < chance, "b", "a"), np.array(["a", "b"])
            proba = np.column_stack([1 - chance, chance])
            said = classes[(chance > 0.5).astype(int)] if measure.needs == "labels" else proba
        low, high = measure.interval(y, said, classes)
        assert low < measure.error(y, said, classes) < high
        widths.append(high - low)
    assert widths[1] < 0.5 * widths[0]


def test_f1_of_two_classes_is_that_of_the_rarer():
    y = np.array(["fraud"] * 3 + ["ok"] * 9)
    measure = of_rarer(metric("f1"), y)
    said = np.array(["fraud", "fraud", "ok", "fraud", *["ok"] * 8])
    assert measure.words == "F1 of 'fraud'"
    assert measure.shown(measure.error(y, said, ["fraud", "ok"])) == pytest.approx(
        theirs.f1_score(y, said, pos_label="fraud")
    )
    assert measure.error(y, np.full(12, "ok"), ["fraud", "ok"]) == 1.0
    assert of_rarer(metric("auc"), y) is metric("auc")
    assert of_rarer(metric("f1"), ["a", "b", "c"]) is metric("f1")


def test_a_target_that_does_not_vary():
    assert metric("r2").error([2.0, 2.0], [2.0, 2.0]) == 0.0
    assert metric("r2").error([2.0, 2.0], [2.0, 3.0]) == math.inf


def test_losses_are_metrics_and_names_are_known():
    assert metric("zero_one") is METRICS["error_rate"]
    assert metric("log") is METRICS["log_loss"]
    assert metric("absolute") is METRICS["mae"]
    costs = CostMatrix(["a", "b"], [[0, 5], [1, 0]])
    assert metric(costs).error(["a", "b"], ["b", "b"]) == 2.5
    require_classes(metric(costs), ["a", "b"])
    with pytest.raises(DataError, match="say nothing of the class 'c'"):
        require_classes(metric(costs), ["a", "c"])
    with pytest.raises(ParameterError, match="there is no metric 'good'"):
        metric("good")
    with pytest.raises(ParameterError, match="R² is not a measure of classification: take one of 'accuracy'"):
        require_task(metric("r2"), "classification")
    with pytest.raises(ParameterError, match="AUC is not a measure of regression: take one of 'rmse'"):
        require_task(metric("auc"), "regression")
