"""The works of the family: every equation true and tied, whatever is asked for; wrong requests get one sentence."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.bayes import (
    BayesOptimalClassifier,
    BetaBernoulli,
    DirichletCategorical,
    GibbsClassifier,
    GridPosterior,
    Joint,
    NaiveBayes,
    NormalInverseGamma,
    NormalMean,
    Posterior,
    TextNaiveBayes,
    gaussian_ml,
)
from novacula.checks import check_equations
from novacula.concept import ConjunctiveSpace
from novacula.errors import ParameterError

TENNIS = nv.datasets.load("play_tennis")
DAYS = TENNIS.head(4)
POINTS = np.random.default_rng(0).normal(size=(40, 3))
HALVES = np.arange(40) % 2


def _grid():
    return GridPosterior(lambda θ: θ * (1 - θ), lambda θ, x: θ if x else 1 - θ, (0, 1), points=200, closed=True)


def _space():
    rows = [("Sunny", "Weak"), ("Rainy", "Weak")]
    space = ConjunctiveSpace({"Sky": ["Sunny", "Rainy"], "Wind": ["Strong", "Weak"]})
    return Posterior(space).update((rows, [True, False]))


MODELS = {
    "m = 0": (lambda: NaiveBayes(m=0).fit(TENNIS), DAYS),
    "m = 1": (lambda: NaiveBayes().fit(TENNIS), DAYS),
    "laplace": (lambda: NaiveBayes(m="laplace", prior_estimate="empirical").fit(TENNIS), DAYS),
    "stated prior": (lambda: NaiveBayes(class_prior=[0.5, 0.5]).fit(POINTS, HALVES), POINTS[:2]),
    "text": (lambda: TextNaiveBayes().fit(nv.datasets.load("spam_messages")), ["secret secret link", "unheard", ""]),
    "presence": (lambda: TextNaiveBayes(model="bernoulli").fit(nv.datasets.load("spam_messages")), ["secret link"]),
    "optimal": (lambda: BayesOptimalClassifier().fit(POINTS, HALVES), POINTS[:5]),
    "Gibbs": (lambda: GibbsClassifier().fit(POINTS, HALVES), POINTS[:5]),
    "posterior": (lambda: Posterior({"a": {0: 0.3, 1: 0.7}, "b": {0: 0.5, 1: 0.5}}).update([1, 0, 1]), 1),
    "version space": (_space, [("Sunny", "Strong")]),
    "joint": (lambda: Joint({("a", 0): 0.25, ("a", 1): 0.25, ("b", 1): 0.5}, ["x", "y"]), None),
    "coin": (lambda: BetaBernoulli(2, 2).update([1, 1, 0]), [1, 0]),
    "die": (lambda: DirichletCategorical({"red": 2, "blue": 1}).update(["red", "blue", "red"]), ["blue"]),
    "mean": (lambda: NormalMean(170, 10, 6).update([181, 178, 185]), [180.0, 150.0]),
    "mean and variance": (lambda: NormalInverseGamma(0.0, 1.0, 2.0, 2.0).update([1.0, 2.0, 3.0]), [1.5]),
    "Gaussian": (lambda: gaussian_ml(POINTS[:, 0], np.arange(40.0)), None),
    "grid": (lambda: _grid().update([1, 1, 0, 1]), 1),
}


@pytest.mark.parametrize("kind", MODELS)
def test_every_equation_is_true(kind):
    make, rows = MODELS[kind]
    model = make()
    check_equations(model)
    check_equations(model, detail="full")
    if rows is not None:
        check_equations(model, rows)
        check_equations(model, rows, detail="full", rows=1, notation="mitchell")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"iteration": 1}, "keeps no iterations, so it has no iteration 1 to show"),
        ({"digits": 0}, "digits is 0; it must be a whole number from 1 to 17"),
        ({"notation": "bishop"}, "notation is 'bishop'; it must be None, 'mitchell' or 'aima'"),
        ({"detail": "long"}, "detail is 'long'; it must be 'brief' or 'full'"),
    ],
)
@pytest.mark.parametrize("kind", ["m = 0", "posterior", "joint", "coin", "Gaussian", "grid"])
def test_what_cannot_be_shown_is_said(kind, asked, sentence):
    with pytest.raises(ParameterError, match=sentence):
        MODELS[kind][0]().work(**asked)


@pytest.mark.parametrize(
    ("kind", "rows", "sentence"),
    [
        ("m = 0", pd.DataFrame({"Outlook": ["Sunny"]}), "Temperature"),
        ("coin", [2], "they must be 0 and 1"),
        ("die", ["green"], "which is none of"),
        ("mean", ["tall"], "data"),
        ("joint", [("a", 0)], "a Joint derives no rows"),
        ("Gaussian", [1.0], "derives itself, not rows"),
    ],
)
def test_rows_of_another_kind_are_refused(kind, rows, sentence):
    with pytest.raises(ValueError, match=sentence):
        MODELS[kind][0]().work(rows)


@pytest.mark.parametrize("name", ["first", "weight", "rest_sum", "rest_squares", "n"])
def test_a_wrong_number_in_the_trace_of_a_gaussian_is_found(name):
    estimate = MODELS["Gaussian"][0]()
    trace = estimate.trace_
    assert name in {field.name for field in fields(trace)}
    wrong = replace(estimate, trace_=replace(trace, **{name: np.asarray(getattr(trace, name)) * 1.001}))
    check_equations(estimate)
    with pytest.raises(AssertionError):
        check_equations(wrong)
