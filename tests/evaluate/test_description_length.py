"""Bits of models and of data: by hand, by the prior they stand for, and for every learner of the library."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as TheirTree

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.concept import FindS
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.evaluate import description_length, n_parameters
from novacula.learner.registry import learners
from novacula.linear import Lasso, LinearRegression, LogisticRegression, Perceptron
from novacula.neighbors import KNeighborsClassifier
from novacula.tree import DecisionTreeClassifier, RuleListClassifier


class Coin(ClassifierMixin, BaseEstimator):
    """A hypothesis: heads with a probability, whatever the row."""

    classes_ = np.array(["heads", "tails"])

    def __init__(self, p):
        self.p = p

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.tile([self.p, 1 - self.p], (len(X), 1))

    def __sklearn_is_fitted__(self):
        return True


def test_the_shortest_description_is_the_most_probable_hypothesis():
    """Candies: five bags by prior (0.1, 0.2, 0.4, 0.2, 0.1), with shares of cherry 1, ¾, ½, ¼, 0."""
    priors, shares = [0.1, 0.2, 0.4, 0.2, 0.1], [1.0, 0.75, 0.5, 0.25, 0.0]
    for limes in range(11):
        y = np.array(["tails"] * limes + ["heads"] * (10 - limes))
        posterior = [prior * p ** (10 - limes) * (1 - p) ** limes for prior, p in zip(priors, shares, strict=True)]
        bits = [
            description_length(Coin(p), np.zeros((10, 1)), y, model_bits=-math.log2(prior)).total
            for prior, p in zip(priors, shares, strict=True)
        ]
        assert int(np.argmin(bits)) == int(np.argmax(posterior))
        known = [(b, q) for b, q in zip(bits, posterior, strict=True) if q > 0]
        assert [b for b, _ in known] == pytest.approx([-math.log2(q) for _, q in known])
        assert math.isinf(bits[0]) == (limes > 0)


def test_probability_zero_is_reported():
    result = description_length(Coin(1.0), np.zeros((3, 1)), ["heads", "tails", "heads"], model_bits=0)
    assert result.data_bits == math.inf
    assert "1 rows have probability 0, the first is row 2" in result.data_code


def test_numbers_cost_half_a_logarithm_each():
    X, y = np.random.default_rng(0).normal(size=(64, 3)), np.arange(64) % 2
    model = LogisticRegression().fit(X, y)
    result = description_length(model, X, y)
    assert result.model_bits == pytest.approx(4 * 0.5 * math.log2(64))
    shares = model.predict_proba(X)
    assert result.data_bits == pytest.approx(-np.log2(shares[np.arange(64), y]).sum())


def test_normal_residuals_at_a_precision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = (X @ [1, 2] + rng.normal(0, 3, 50)).round(1)
    model = LinearRegression().fit(X, y)
    sigma = math.sqrt(np.mean((y - model.predict(X)) ** 2))
    expected = -stats.norm.logpdf(y, model.predict(X), sigma).sum() / math.log(2) - 50 * math.log2(0.1)
    result = description_length(model, X, y, precision=0.1)
    assert result.data_bits == pytest.approx(expected)
    assert result.model_bits == pytest.approx(4 * 0.5 * math.log2(50)), "two weights, an intercept and σ"
    finer = description_length(model, X, y, precision=0.05)
    assert finer.total - result.total == pytest.approx(50), "one bit per row"
    exact = description_length(LinearRegression().fit(X, X @ [1, 2]), X, X @ [1, 2], precision=0.5)
    assert exact.data_bits == pytest.approx(50 * math.log2(math.sqrt(2 * math.pi))), (
        "σ is no smaller than the precision"
    )


def test_more_weights_must_pay_for_themselves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    y = X[:, 0] + 0.5 * rng.normal(size=200)
    bits = [description_length(LinearRegression().fit(X[:, :d], y), X[:, :d], y).total for d in range(1, 9)]
    assert int(np.argmin(bits)) == 0


def test_mistakes_of_a_model_without_probabilities():
    X = np.arange(10.0)[:, None]
    y = np.array([0] * 4 + [1] * 6)
    model = Perceptron(random_state=0).fit(X, y)
    labels = model.predict(X)
    labels[[2, 7]] = 1 - labels[[2, 7]]
    result = description_length(model, X, labels)
    assert result.data_bits == pytest.approx(math.log2(11) + math.log2(math.comb(10, 2)))
    assert result.data_code == "2 mistakes in 10 rows"


def test_finite_spaces_cost_the_logarithm_of_their_size():
    table = nv.datasets.load("enjoy_sport")
    model = FindS().fit(table)
    assert 2 ** description_length(model, table).model_bits == pytest.approx(model.space_.size_semantic)


def test_a_tree_costs_what_it_takes_to_write_it_down():
    table = nv.datasets.load("play_tennis")
    model = DecisionTreeClassifier(max_leaf_nodes=3).fit(table)  # Outlook has three values, and there are 4 attributes
    result = description_length(model, table)
    assert result.model_bits == pytest.approx(4 + math.log2(4) + 3 * 0.5 * math.log2(14))
    assert (result.model_bits, result.model_code) == model.code_length(14.0)
    assert NaiveBayes().fit(table).code_length(14.0) is None, "it costs what its parameters cost"


def test_weights_are_repetitions():
    frame = nv.datasets.load("play_tennis").to_pandas()[["Outlook", "Wind", "PlayTennis"]]
    times = np.arange(14) % 3 + 1
    rows = frame.loc[np.repeat(np.arange(14), times)]
    weighted = nv.read(frame.assign(times=times.astype(float)), target="PlayTennis", weight="times")
    repeated = nv.read(rows.reset_index(drop=True), target="PlayTennis")
    model = NaiveBayes().fit(weighted)
    assert description_length(model, weighted).total == pytest.approx(description_length(model, repeated).total)


# --- parameters ---------------------------------------------------------------------------------------------


def test_parameters_by_hand():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.array(["a", "b", "c"])[np.arange(60) % 3]
    assert n_parameters(NaiveBayes().fit(X, y)) == 2 * 3 * 4 + 2
    assert n_parameters(GaussianNB().fit(X, y)) == 2 * 3 * 4 + 2
    assert n_parameters(LogisticRegression().fit(X, y)) == n_parameters(TheirLogisticRegression().fit(X, y)) == 15
    assert n_parameters(KNeighborsClassifier().fit(X, y)) == 60 * 4 + 60
    assert n_parameters(make_pipeline(StandardScaler(), LinearRegression()).fit(X, X[:, 0] + X[:, 1])) >= 3
    sparse = Lasso(0.5).fit(X, 3 * X[:, 1] + 1)
    assert n_parameters(sparse) == 2
    play = nv.datasets.load("play_tennis")
    assert n_parameters(NaiveBayes().fit(play)) == 1 + 2 * (2 + 2 + 1 + 1)
    tree = DecisionTreeClassifier().fit(play)
    assert n_parameters(tree) == 3 + 5, "Outlook, Humidity and Wind are asked, and there are five leaves of two classes"
    frame = pd.DataFrame(X, columns=list("pqrs"))
    theirs = TheirTree(max_leaf_nodes=4, random_state=0).fit(frame, y)
    assert n_parameters(theirs) == 3 + 4 * 2
    rules = RuleListClassifier().fit(play)
    n_rules = len(rules.rule_list_)
    assert n_parameters(rules) == len(rules.rule_list_.conditions.feature) + n_rules + 1


SUPERVISED = [kind for kind in learners().values() if kind.card.task in ("classification", "regression")]


@pytest.mark.parametrize("kind", SUPERVISED, ids=lambda kind: kind.__name__)
def test_every_learner_can_be_described(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 3)) + 0.5
    y = (X[:, 0] > 1) & (X[:, 1] > 1) if kind.card.task == "classification" else X @ [1, 2, 3.0] + rng.normal(size=40)
    if kind.card.takes == ("text",) or kind.__name__.startswith("Text"):
        X = [" ".join("abc"[int(v)] * 2 for v in row) for row in X]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scales and ranks are for the learner's own tests
        model = kind().fit(X, y)
        result = description_length(model, X, y)
    assert n_parameters(model) >= 1
    assert 0 <= result.model_bits < math.inf
    assert result.data_bits >= 0
    assert "together" in str(result)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda X, y: n_parameters(StandardScaler()), ValueError, "not fitted"),
        (lambda X, y: n_parameters(Coin(0.5)), InputTypeError, "the parameters of a Coin cannot be counted"),
        (
            lambda X, y: description_length(LinearRegression().fit(X, y), X, y, precision=0),
            ParameterError,
            "precision is 0",
        ),
        (
            lambda X, y: description_length(LinearRegression().fit(X, y), X, y, model_bits=-1),
            ParameterError,
            "model_bits is -1",
        ),
        (
            lambda X, y: description_length(LinearRegression().fit(X, np.c_[y, y]), X, np.c_[y, y]),
            DataError,
            "several targets",
        ),
    ],
)
def test_bad_input_is_named(call, kind, words):
    rng = np.random.default_rng(0)
    with pytest.raises(kind, match=words):
        call(rng.normal(size=(9, 2)), rng.normal(size=9))
