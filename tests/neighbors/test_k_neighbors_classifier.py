"""Votes: scikit-learn's where it has no ties, by hand where there are, and leave-one-out by leaving one out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import neighbors as sk
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novacula.neighbors import KNeighborsClassifier


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_probabilities_are_those_of_scikit_learn(k, weights):
    rng = np.random.default_rng(k)
    X, y, Q = rng.normal(size=(300, 3)), rng.choice(["a", "b", "c"], 300), rng.normal(size=(80, 3))
    Q[:10] = X[:10]
    ours = KNeighborsClassifier(k, weights=weights).fit(X, y)
    theirs = sk.KNeighborsClassifier(k, weights=weights, algorithm="kd_tree").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-9, atol=1e-12)
    assert (ours.predict(Q[:10]) == y[:10]).all() or weights == "uniform"


def test_at_distance_zero_only_those_there_vote():
    X, y = [[0.0], [0.0], [0.0], [1.0], [2.0]], [0, 0, 1, 1, 1]
    model = KNeighborsClassifier(5, weights="distance").fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba([[0.0], [0.5]]), [[2 / 3, 1 / 3], [4, 2 + 2 + 2 / 3]] / np.array([[1], [8 + 2 / 3]])
    )


def test_iris_leave_one_out():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier("loo").fit(X, y)
    scores = [cross_val_score(KNeighborsClassifier(k), X, y, cv=LeaveOneOut()).mean() for k in (1, 5, 19)]
    np.testing.assert_allclose(1 - model.loo_error_[[0, 4, 18]], scores, rtol=1e-12)
    # Known: 144 of 150 are right for k = 1, and 147 at best.
    assert round(150 * (1 - model.loo_error_[0])) == 144
    assert model.n_neighbors_ == 1 + np.argmin(model.loo_error_)
    np.testing.assert_allclose(model.loo_score(), 1 - model.loo_error_.min(), rtol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from(["uniform", "distance"]))
@settings(max_examples=30, deadline=None)
def test_loo_score_is_that_of_n_fits(seed, k, weights):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (15, 2)).astype(float), rng.integers(0, 3, 15)
    y[:3] = [0, 1, 2]
    right = 0
    for i in range(15):
        others = np.arange(15) != i
        model = KNeighborsClassifier(k, weights=weights).fit(X[others], y[others])
        right += model.predict(X[i : i + 1])[0] == y[i]
    np.testing.assert_allclose(KNeighborsClassifier(k, weights=weights).fit(X, y).loo_score(), right / 15)


@given(st.integers(0, 10_000), st.sampled_from(["euclidean", "chebyshev"]))
@settings(max_examples=30, deadline=None)
def test_all_rows_together_vote_their_frequencies(seed, metric):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 4, 40)
    model = KNeighborsClassifier(40, metric=metric).fit(X, y)
    frequencies = [(y == t).mean() for t in model.classes_]
    np.testing.assert_allclose(model.predict_proba(rng.normal(size=(5, 2))), [frequencies] * 5)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_the_nearest_of_a_row_of_the_fit_is_itself(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 4, 40)
    np.testing.assert_array_equal(KNeighborsClassifier(1).fit(X, y).predict(X), y)


def test_ties_in_the_vote_go_to_the_nearer_then_to_the_first():
    model = KNeighborsClassifier(4).fit([[-1.0], [-4.0], [2.0], [2.5], [90.0]], ["b", "b", "a", "a", "a"])
    # two votes each: a is at 2 + 2.5, b at 1 + 4
    assert model.predict([[0.0]]).tolist() == ["a"]
    assert model.predict([[-0.2]]).tolist() == ["b"]  # 2.2 + 2.7 = 4.9 against 0.8 + 3.8 = 4.6
    even = KNeighborsClassifier(2).fit([[-1.0], [1.0]], ["b", "a"])
    assert even.predict([[0.0]]).tolist() == ["a"]
    assert even.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]


def test_ties_in_distance_go_to_the_earlier_row():
    X, y = [[1.0], [-1.0], [1.0], [-1.0]], ["d", "c", "b", "a"]
    for algorithm in ("kd_tree", "brute"):
        model = KNeighborsClassifier(2, algorithm=algorithm).fit(X, y)
        assert model.kneighbors([[0.0]])[1].tolist() == [[0, 1]]


def test_it_is_at_home_in_scikit_learn():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [1, 5, 15]},
    ).fit(X, y)
    assert search.best_score_ > 0.94
