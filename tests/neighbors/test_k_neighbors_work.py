"""The derivations come to what the models say, for every metric and setting, and survive hostile names."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from novacula.checks import check_equations, check_work
from novacula.checks.samples import NASTY_NAMES
from novacula.neighbors import KNeighborsClassifier, KNeighborsDensity, KNeighborsRegressor

METRICS = [("euclidean", 2), ("manhattan", 2), ("chebyshev", 2), ("minkowski", 3), ("heom", 2)]


OTHERS = [pytest.param(*metric, marks=pytest.mark.slow) for metric in METRICS[1:3]]


@pytest.mark.parametrize(("metric", "p"), [METRICS[0], *OTHERS, *METRICS[3:]])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_arithmetic_is_right(metric, p, weights):
    rng = np.random.default_rng(0)
    X, y, t = rng.normal(size=(60, 20)), rng.integers(0, 3, 60), rng.normal(size=(60, 2))
    Q = np.vstack([X[:2], rng.normal(size=(6, 20))])
    for k in (1, 4, 30):
        settings = {"metric": metric, "p": p, "weights": weights}
        for model in (
            KNeighborsClassifier(k, **settings).fit(X, y, sample_weight=rng.integers(0, 3, 60)),
            KNeighborsRegressor(k, **settings).fit(X, t),
        ):
            check = check_work if k == 4 else check_equations
            check(model)
            check(model, Q)


@pytest.mark.parametrize("scale", [None, "range", "standard"])
def test_density_arithmetic_is_right(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    model = KNeighborsDensity(4, scale=scale).fit(X, sample_weight=rng.uniform(0, 2, 60))
    check_equations(model)
    check_equations(model, rng.normal(size=(7, 2)))


def test_the_choice_of_k_is_a_conclusion():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    for model in (
        KNeighborsClassifier("loo").fit(X, X[:, 0] > 0),
        KNeighborsRegressor("loo").fit(X, X[:, 0]),
        KNeighborsDensity("loo").fit(X),
    ):
        check_equations(model)
        assert [e.value for e in model.work().equations if e.of == ("n_neighbors_",)] == [model.n_neighbors_]


def test_votes_are_written_out():
    model = KNeighborsClassifier(3).fit([[0.0], [1.0], [2.0], [9.0]], ["low", "low", "high", "high"])
    page = model.work([[1.4]]).to_text()
    assert re.search(r"row 2 +0\.4 +1 +low +1\n", page)
    assert "(1 + 1) / (1 + 1 + 1) = 0.666667" in page


def test_ties_are_explained():
    model = KNeighborsClassifier(2).fit([[0.0], [1.0]], ["a", "b"])
    assert "as many votes" in model.work([[0.4]]).to_text()
    assert "as many votes" not in KNeighborsClassifier(1).fit([[0.0], [1.0]], ["a", "b"]).work([[0.4]]).to_text()


def test_long_queries_are_cut_and_say_so():
    model = KNeighborsRegressor(1).fit([[0.0], [1.0]], [0.0, 1.0])
    assert "first 3 rows" in model.work(np.zeros((9, 1))).to_text()
    assert "rows are derived" not in model.work(np.zeros((9, 1)), rows=9).to_text()


def test_rows_left_out_are_counted_and_not_made_of_the_score():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(700, 2)), rng.normal(size=700)
    score = next(e for e in KNeighborsRegressor(3).fit(X, y).work().equations if e.of == ("loo_score",))
    assert set(score.rest) == {"i", "j"}
    by_class = KNeighborsClassifier(3).fit(X, y > 0)
    counts = next(e for e in by_class.work().equations if e.of == ("loo_score",)).values["c[t]"]
    assert all(count == int(count) for count in counts.values())
    check_work(by_class)


def test_gaps_of_mixed_columns():
    frame = pd.DataFrame({"age": [20.0, 30.0, np.nan], "job": ["cook", "smith", None]})
    model = KNeighborsClassifier(2, metric="heom").fit(frame, ["a", "b", "b"])
    check_work(model)
    check_work(model, frame)


@pytest.mark.parametrize("names", [NASTY_NAMES[:2], NASTY_NAMES[2:4], NASTY_NAMES[7:9], ("x" * 5000, "y" * 5000)])
def test_hostile_names_and_classes_in_pictures(names):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=list(names))
    labels = np.array(names, object)[rng.integers(0, 2, 30)]
    for model in (
        KNeighborsClassifier(1).fit(frame, labels),
        KNeighborsRegressor(2).fit(frame, rng.normal(size=30)),
        KNeighborsDensity(3).fit(frame),
    ):
        page = model.work().to_html() + model.work(frame.head(1)).to_html()
        assert "<script" not in page
        assert "<svg" in page


@pytest.mark.parametrize(
    ("n", "k", "formula", "words"),
    [
        (30, 2, "/ N + ψ′(j)", "5 neighbours, which has less variance"),
        (4, 2, "/ N + ψ′(j)", "3 neighbours, which has less variance"),
        (30, 5, "/ N + 2 · ψ′(k) − ψ′(j)", "5 neighbours, as many"),
        (30, 9, "/ N + 2 · ψ′(k) − ψ′(j)", "5 neighbours, which has more variance and less bias"),
    ],
)
def test_few_neighbours_are_compared_with_more_or_fewer_in_true_words(n, k, formula, words):
    model = KNeighborsDensity(k).fit(np.random.default_rng(3).normal(size=(n, 1)))
    step = next(step for step in model.work() if step.title.startswith("Squared error"))
    text = str(model.work())
    assert formula in text
    assert words in text
    lacks = "the gaps lack this much" in step.note
    assert lacks is (k < 5)
    check_equations(model)


def test_distances_that_underflow_bring_no_foreign_warning():
    """ln p̂ of two numbers of neighbours was ∞ − ∞."""
    X = np.random.default_rng(0).random((24, 2)) * 1e-300
    model = KNeighborsDensity().fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert "nan" not in str(model.work()).lower()
