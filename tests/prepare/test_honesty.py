"""Prediction intervals that hold what they promise, and probabilities that are right as often as they say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression as Reference

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_work
from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.linear import LogisticRegression, Perceptron
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.prepare.calibration import Sureness, mean_surprise
from novacula.prepare.interval import ResidualInterval

# --- intervals --------------------------------------------------------------------------------------------------------


@given(n=st.integers(40, 200), level=st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_the_next_of_any_rows_is_inside_as_often_as_promised(n, level):
    """Of n + 1 numbers in any order the last has each rank equally often: the theorem, by counting all ranks."""
    values = np.arange(n + 1.0)
    inside = [
        interval.below <= rank <= interval.above
        for rank in range(n + 1)
        for interval in [ResidualInterval.of(np.delete(values, rank), level)]
    ]
    assert level <= np.mean(inside) <= level + 2 / (n + 1) + 1e-12


def test_intervals_of_skewed_residuals_are_skewed():
    residuals = np.random.default_rng(0).exponential(size=400) - 1.0
    interval = ResidualInterval.of(residuals)
    assert -1.0 < interval.below < -0.8
    assert 1.5 < interval.above < 2.6


def test_coverage_of_studies():
    """Twenty studies of generated data: the share of new rows inside is 90 of 100, within two."""
    covered = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(2300, 2))
        frame = pd.DataFrame(x, columns=["a", "b"]).assign(y=x @ [2.0, -1.0] + rng.gamma(2.0, size=2300))
        study = nv.learn(
            nv.read(frame.iloc[:300], "y"), learners=["linear-regression"], folds=5, test=0.0, jobs=1, budget=None
        )
        new = frame.iloc[300:]
        low, high = study.best_.predict_interval(new.drop(columns="y")).T
        covered.append(np.mean((new["y"] >= low) & (new["y"] <= high)))
    assert np.mean(covered) == pytest.approx(0.9, abs=0.02)


def test_an_interval_travels_with_its_model(tmp_path):
    table = nv.datasets.load("diabetes")
    model = PreparedRegressor().fit(table)
    with pytest.raises(ParameterError, match="has no prediction interval"):
        model.predict_interval(table)
    model.set_interval(np.linspace(-3.0, 5.0, 101), level=0.8)
    assert model.interval_.coverage([0.0, 9.0], np.zeros(2)) == 0.5
    model.save(tmp_path / "m.nova")
    ends = nv.load(tmp_path / "m.nova").predict_interval(table)
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], model.interval_.above - model.interval_.below)
    np.testing.assert_array_equal(ends, model.predict_interval(table))
    assert model.fit(table).interval_ is None  # another fit knows nothing of its residuals


def test_intervals_that_cannot_be():
    with pytest.raises(DataError, match="18 residuals are too few for an interval of 90%: 19 are needed"):
        ResidualInterval.of(np.arange(18.0))
    with pytest.raises(ParameterError, match="level is 1"):
        ResidualInterval.of(np.arange(18.0), 1)


# --- sureness ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [50, 6000])
def test_rows_without_a_mistake_do_not_make_a_model_certain(n):
    rng = np.random.default_rng(n)
    sure = np.where(rng.random(n) < 0.5, 0.9, 0.99)
    codes = rng.integers(0, 2, n)
    answers = np.where(np.arange(2) == codes[:, None], sure[:, None], 1 - sure[:, None])
    said = Sureness.of(answers, codes, of_decision=False).apply(answers)[np.arange(n), codes]
    assert (1 - said).mean() == pytest.approx(1 / (n + 2), rel=0.7)


@given(seed=st.integers(0, 10**6), factor=st.floats(0.1, 5.0))
def test_the_factor_is_that_of_a_logistic_regression_without_intercept(seed, factor):
    rng = np.random.default_rng(seed)
    f = rng.normal(size=400)
    y = (rng.random(400) < 1 / (1 + np.exp(-factor * f))).astype(int)
    doubt = np.repeat([1 - 1 / 402, 1 / 402], 400)  # one row in n + 2 is taken to be of the other class
    rows, labels = np.concatenate([f, f])[:, None], np.concatenate([y, 1 - y])
    reference = Reference(C=np.inf, fit_intercept=False, tol=1e-10)
    theirs = reference.fit(rows, labels, sample_weight=doubt).coef_.item()
    if 1e-3 < theirs < 1e3:
        assert Sureness.of(f, y, of_decision=True).factor == pytest.approx(theirs, rel=1e-3)


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5))
def test_no_factor_makes_the_rows_likelier_and_the_answer_stays(seed, k):
    rng = np.random.default_rng(seed)
    proba, codes = rng.dirichlet(np.ones(k), 60), rng.integers(k, size=60)
    sureness = Sureness.of(proba, codes, of_decision=False)
    logs = np.log(np.maximum(proba, 1e-12))
    truth = np.full((60, k), 1 / 62 / (k - 1))  # one row in n + 2 is taken to be of another class
    truth[np.arange(60), codes] = 1 - 1 / 62

    def surprise(factor):
        return -(truth * log_softmax(factor * logs, axis=1)).sum(axis=1).mean()

    for other in (0.01, 0.3, 0.9, 1.1, 3.0, 100.0):  # the factor stops at 1e-4
        assert surprise(sureness.factor) <= surprise(other * sureness.factor) + 1e-4
    best = mean_surprise(sureness.factor * logs, codes)
    calibrated = sureness.apply(proba)
    np.testing.assert_allclose(calibrated.sum(axis=1), 1.0)
    np.testing.assert_array_equal(calibrated.argmax(axis=1), proba.argmax(axis=1))
    assert best == pytest.approx(-np.log(calibrated[np.arange(60), codes]).mean())


def test_a_perceptron_is_given_probabilities(tmp_path):
    table = nv.datasets.load("wine")
    model = PreparedClassifier(Perceptron()).fit(table)
    assert not hasattr(model, "predict_proba")
    values = model.decision_function(table)
    model.set_sureness(values, table.to_pandas()["target"])
    proba = model.predict_proba(table)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(table))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(table)), proba)
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict_proba(table), proba)
    check_work(model, table.head(3))
    model.sureness_ = Sureness(1.0, False)
    with pytest.raises(ModelFileError, match="sureness_ is not of what its model_ answers"):
        model.save(tmp_path / "forged.nova")


def test_naive_bayes_that_counts_everything_twice_is_made_less_sure():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y = np.where(x + rng.normal(size=500) > 0, "b", "a")
    frame = pd.DataFrame({f"copy{j}": x for j in range(6)}).assign(y=y)
    study = nv.learn(nv.read(frame, "y"), learners=["naive-bayes"], folds=5, jobs=1, budget=None)
    assert study.best_.sureness_.factor < 0.5
    assert any("made less sure of its answers" in finding.sentence for finding in study.findings)
    fine = nv.learn(nv.read(frame[["copy0", "y"]], "y"), learners=["naive-bayes"], folds=5, jobs=1, budget=None)
    assert fine.best_.sureness_ is None  # nothing to be put right


# --- costs ------------------------------------------------------------------------------------------------------------

COSTS = {"No": {"No": 0, "Yes": 10, "ask": 2}, "Yes": {"No": 1, "Yes": 0, "ask": 2}}


def test_answers_of_least_expected_cost_travel_with_the_model(tmp_path):
    table = nv.datasets.load("play_tennis")
    model = PreparedClassifier(NaiveBayes(), costs=COSTS).fit(table)
    share_of_no = model.predict_proba(table)[:, 0]
    cost = np.column_stack([1 - share_of_no, 10 * share_of_no, np.full(14, 2.0)])
    np.testing.assert_array_equal(model.predict(table), np.array(["No", "Yes", "ask"])[cost.argmin(axis=1)])
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict(table), model.predict(table))
    check_work(model, table.head(3))


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ({"No": {"No": 0, "Yes": 1}}, "does not say what answers cost where the truth is 'Yes'"),
        ({"No": {"No": 0, "Yes": 1}, "Yes": {"No": 1}}, "give the same answers for every class"),
        ({"No": {"No": 0, "Yes": np.inf}, "Yes": {"No": 1, "Yes": 0}}, "the cost of 'Yes' where the truth is 'No' is"),
        ({"No": {}, "Yes": {}}, "give the same answers"),
    ],
)
def test_costs_that_make_no_sense(costs, words):
    with pytest.raises(ParameterError, match=words):
        PreparedClassifier(LogisticRegression(), costs=costs).fit(nv.datasets.load("play_tennis"))


def test_costs_need_probabilities():
    with pytest.raises(ParameterError, match="gives no probabilities, by which costs could be weighed"):
        PreparedClassifier(Perceptron(), costs=COSTS).fit(nv.datasets.load("play_tennis"))
