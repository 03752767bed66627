"""Preparation: what a learner is given is what scikit-learn's own steps would give it, from the training rows alone."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_equations
from novacula.concept import FindS
from novacula.errors import DataError, UnseenCategoryWarning
from novacula.learner.registry import learners
from novacula.linear import LinearRegression, LogisticRegression, Ridge
from novacula.neighbors import KNeighborsClassifier
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.tree import DecisionTreeClassifier


def frame(n=200, seed=0, holes=True):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "a": rng.normal(50, 20, n),
            "b": rng.normal(-1, 0.01, n),
            "c": rng.choice(["red", "green", "blue"], n),
            "d": rng.choice(["no", "yes"], n),
        }
    )
    score = (rows["a"] - 50) / 20 + 100 * (rows["b"] + 1) + (rows["c"] == "red") - (rows["d"] == "yes")
    y = np.where(score + rng.normal(0, 0.5, n) > 0, "+", "-")
    if holes:
        rows.loc[rng.random(n) < 0.1, "a"] = np.nan
        rows.loc[rng.random(n) < 0.1, "c"] = None
    return rows, y


def test_logistic_regression_gets_what_a_pipeline_would_give_it():
    X, y = frame()
    steps = make_column_transformer(
        (make_pipeline(SimpleImputer(add_indicator=True)), ["a"]),
        ("passthrough", ["b"]),
        (OneHotEncoder(categories=[["blue", "green", "red", None]]), ["c"]),
        (OneHotEncoder(drop="first"), ["d"]),
    )
    known = X.assign(c=X["c"].astype(object).where(X["c"].notna(), None))
    numbers = np.asarray(steps.fit_transform(known), float)
    mean, deviation = X[["a", "b"]].mean().to_numpy(), X[["a", "b"]].std(ddof=0).to_numpy()
    numbers[:, 0] = (numbers[:, 0] - mean[0]) / deviation[0]
    numbers[:, 2] = (numbers[:, 2] - mean[1]) / deviation[1]
    theirs = TheirLogisticRegression(tol=1e-10, max_iter=1000).fit(numbers, y)
    ours = PreparedClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(numbers), atol=1e-4)
    names = [column.name for column in ours.model_.schema_.features]
    assert names == ["a", "b", "a is missing", "c = blue", "c = green", "c = red", "d = yes", "c is missing"]


def test_scaling_is_scikit_learns():
    X, y = frame(holes=False)
    ours = PreparedClassifier(KNeighborsClassifier(n_neighbors=3)).fit(X[["a", "b"]], y)
    chunk = nv.read(X[["a", "b"]]).to_chunk()
    np.testing.assert_allclose(ours.preparation_.apply(chunk).numeric, StandardScaler().fit_transform(X[["a", "b"]]))


def test_what_is_taken_natively_is_given_natively():
    X, y = frame()
    for learner in (DecisionTreeClassifier(), NaiveBayes()):
        behind, alone = PreparedClassifier(learner).fit(X, y), learner.fit(X, y)
        np.testing.assert_allclose(behind.predict_proba(X), alone.predict_proba(X))
        assert [c.name for c in behind.model_.schema_.features] == ["a", "b", "c", "d"]


def test_full_rank_leaves_out_a_category():
    X, y = frame(holes=False)
    numbers = (y == "+").astype(float)
    model = PreparedRegressor(LinearRegression()).fit(X, numbers)
    design = np.column_stack([np.ones(len(X)), model.preparation_.apply(nv.read(X).to_chunk()).numeric])
    assert np.linalg.matrix_rank(design) == design.shape[1] == 6
    best = np.linalg.lstsq(design, numbers, rcond=None)[0]
    np.testing.assert_allclose(model.predict(X), design @ best, atol=1e-8)


def test_learners_of_categories_without_holes_get_the_most_frequent_one():
    X = pd.DataFrame({"sky": ["sun", None, "sun", "rain"], "wind": ["hi", "hi", "lo", "lo"]})
    model = PreparedClassifier(FindS()).fit(X, [True, True, False, False])
    assert model.preparation_.apply(nv.read(X).conform(model.schema_, "ignore").to_chunk()).codes[1, 0] == 1  # "sun"


def test_words_are_counted():
    spam = nv.datasets.load("spam_messages")
    model = PreparedClassifier(LogisticRegression(C=100.0)).fit(spam)
    names = [column.name for column in model.model_.schema_.features]
    assert "'secret' in Message" in names
    assert model.score(spam) == 1.0
    few = PreparedClassifier(LogisticRegression(), max_words=2).fit(spam)
    assert [c.name for c in few.model_.schema_.features] == ["'secret' in Message", "'sports' in Message"]


def test_only_training_rows_count():
    X, y = frame(holes=False)
    half = PreparedClassifier(LogisticRegression()).fit(X[:100], y[:100])
    assert half.preparation_.encoding.centre[0] == pytest.approx(X["a"][:100].mean())
    before = half.predict_proba(X[100:])
    X.loc[150, "a"] = 1e9  # a row to be predicted changes no other answer
    after = half.predict_proba(X[100:])
    np.testing.assert_array_equal(np.delete(before, 50, axis=0), np.delete(after, 50, axis=0))


def test_rows_of_weight_zero_leave_no_trace():
    X, y = frame()
    weight = np.r_[np.ones(100), np.zeros(100)]
    part = PreparedClassifier(LogisticRegression()).fit(X[:100], y[:100])
    all_rows = PreparedClassifier(LogisticRegression()).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(all_rows.predict_proba(X), part.predict_proba(X), atol=1e-8)


def test_a_class_without_rows_is_no_class():
    table = nv.datasets.load("iris").take(np.arange(100))  # two of its three species
    model = PreparedClassifier(LogisticRegression()).fit(table)
    assert model.classes_.tolist() == ["setosa", "versicolor"]


def test_unseen_categories_are_reported_or_refused():
    X, y = frame(holes=False)
    strange = X[:2].assign(c=["violet", "red"])
    with pytest.warns(UnseenCategoryWarning, match="'c'"):
        PreparedClassifier(LogisticRegression()).fit(X, y).predict(strange)
    with pytest.raises(ValueError, match="violet"):
        PreparedClassifier(LogisticRegression(), unseen="error").fit(X, y).predict(strange)


def test_names_that_meet_stay_apart():
    X = pd.DataFrame({"c = red": [1.0, 2.0, 3.0, 4.0], "c": ["red", "blue", "green", "red"]})
    model = PreparedClassifier(LogisticRegression()).fit(X, [0, 1, 0, 1])
    names = [column.name for column in model.model_.schema_.features]
    assert names == ["c = red", "c = blue", "c = green", "c = red′"]


def test_infinity_is_refused_with_its_column():
    X = pd.DataFrame({"a": [1.0, np.inf, 2.0], "b": ["x", "y", "x"]})
    with pytest.raises(DataError, match=r"column 'a' is infinite \(inf\) in row 2 of X"):
        PreparedClassifier(KNeighborsClassifier()).fit(X, [0, 1, 0])


def test_numbers_of_a_preparation_are_shown():
    X, y = frame()
    words = str(PreparedClassifier(LogisticRegression()).fit(X, y).work())
    assert "where missing, and a column that says so" in words
    assert "3 columns of 0 and 1 for 3 categories" in words


def test_a_model_comes_back_from_its_file(tmp_path):
    X, y = frame()
    model = PreparedClassifier(LogisticRegression()).fit(X, y)
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict_proba(X), model.predict_proba(X))


def test_prepared_ridge_on_numbers_is_ridge_on_scaled_numbers():
    X = nv.datasets.load("diabetes")
    ours = PreparedRegressor(Ridge(alpha=3.0)).fit(X)
    values = X.to_pandas()
    scaled = StandardScaler().fit_transform(values.drop(columns="target"))
    np.testing.assert_allclose(ours.predict(X), Ridge(alpha=3.0).fit(scaled, values["target"]).predict(scaled))


@pytest.mark.parametrize(
    "name", [n for n, kind in learners().items() if kind.card.task == "classification" and n != "prepared-classifier"]
)
@pytest.mark.filterwarnings("ignore:centers=20, and")  # of four distinct rows
def test_every_classifier_stands_behind_a_preparation(name):
    table = nv.datasets.load("enjoy_sport").take(np.tile(np.arange(4), 3))  # a conjunction, for learners of concepts
    assert PreparedClassifier(learners()[name]()).fit(table).predict(table).shape == (12,)


# --- work ------------------------------------------------------------------------------------------------------------


def test_what_is_asked_of_the_work_goes_to_the_learner_behind():
    weather = pd.DataFrame({"sky": ["sunny", "rain", "rain", "sunny"] * 3, "wind": [3.0, None, 9.0, 5.0] * 3})
    model = PreparedClassifier(NaiveBayes()).fit(weather, ["play", "stay", "stay", "play"] * 3)
    for how in ({}, {"detail": "full"}):
        check_equations(model, **how)
        check_equations(model, weather, **how)
    assert [step.title for step in model.work(weather, rows=1)][-1] == "Row 1: the answer"
    assert model.work(weather, notation="mitchell").names == {"t̂": "v_NB"}
    assert model.work(digits=3).digits == 3
    tied = [equation.of for equation in model.work().equations if equation.of]
    assert tied
    assert all(of[0] == "model_" for of in tied)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"iteration": 1}, "NaiveBayes keeps no iterations"),
        ({"digits": 0}, "digits is 0"),
        ({"notation": "bishop"}, "notation is 'bishop'"),
        ({"X": pd.DataFrame({"rain": [1.0]})}, "wind"),
    ],
)
def test_what_cannot_be_shown_is_said(asked, sentence):
    model = PreparedClassifier(NaiveBayes()).fit(pd.DataFrame({"wind": [1.0, 2.0, 5.0, 6.0]}), [0, 0, 1, 1])
    with pytest.raises(ValueError, match=sentence):
        model.work(**asked)
