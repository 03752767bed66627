"""AdaBoost: plain NumPy, scikit-learn, the bound on the training error, ends of fits, other learners, files."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier as Peer
from sklearn.tree import DecisionTreeClassifier as PeerTree

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks.state import require_refused
from novacula.checks.work import check_work
from novacula.ensemble import AdaBoostClassifier
from novacula.linear import LogisticRegression
from novacula.prepare import PreparedClassifier
from novacula.tree import DecisionTreeClassifier

TEN = np.arange(10.0)[:, None]
SIGNS = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])


def gain_of_cut(x, y, weight, t):
    """By how much a cut lowers the entropy, with weights."""

    def entropy(rows):
        shares = np.array([weight[rows & (y == k)].sum() for k in np.unique(y)]) / weight[rows].sum()
        shares = shares[shares > 0]
        return -(shares * np.log2(shares)).sum()

    whole = np.ones(len(y), bool)
    sides = [x <= t, x > t]
    return entropy(whole) - sum(weight[s].sum() / weight.sum() * entropy(s) for s in sides)


def stump(x, y, weight):
    """The cut of the largest gain, and the heaviest class on each side."""
    cuts = (np.unique(x)[:-1] + np.unique(x)[1:]) / 2
    gains = np.array([gain_of_cut(x, y, weight, t) for t in cuts])
    t = cuts[np.flatnonzero(gains >= gains.max() - 1e-12)[0]]
    sides = [np.bincount(y[side], weight[side], 2).argmax() for side in (x <= t, x > t)]
    return lambda x: np.where(x <= t, *sides)


def plain_ada_boost(x, y, rounds):
    """AdaBoost.M1 with ½ ln((1 − ε) / ε): errors, weights of models, and the sign of the vote."""
    weight, errors, alphas, score = np.full(len(y), 1 / len(y)), [], [], 0.0
    for _ in range(rounds):
        said = stump(x, y, weight)(x)
        error = weight[said != y].sum()
        alpha = 0.5 * np.log((1 - error) / error)
        weight = weight * np.exp(-alpha * (2 * y - 1) * (2 * said - 1))
        weight /= weight.sum()
        errors, alphas, score = [*errors, error], [*alphas, alpha], score + alpha * (2 * said - 1)
    return errors, alphas, (score > 0).astype(int)


def test_plain_numpy_with_half_the_weights_gives_the_same_vote():
    model = AdaBoostClassifier(n_estimators=6).fit(TEN, SIGNS)
    errors, alphas, said = plain_ada_boost(TEN[:, 0], SIGNS, 6)
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_weights_, 2 * np.array(alphas), rtol=1e-9)
    assert (model.predict(TEN) == said).all()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_scikit_learn_with_the_same_stumps(load):
    X, y = load(return_X_y=True)
    model = AdaBoostClassifier(DecisionTreeClassifier(criterion="gain", max_depth=1), n_estimators=5).fit(X, y)
    peer = Peer(PeerTree(criterion="entropy", max_depth=1), n_estimators=5).fit(X, y)
    np.testing.assert_allclose(model.estimator_errors_, peer.estimator_errors_, rtol=1e-6)
    np.testing.assert_allclose(model.estimator_weights_, peer.estimator_weights_, rtol=1e-6)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    for mine, theirs in zip(model.staged_predict(X), peer.staged_predict(X), strict=True):
        assert (mine == theirs).mean() > 0.99


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(1, 8))
def test_the_training_error_is_never_above_the_bound(seed, rounds):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(30, 2)), rng.integers(1, 4, 30).astype(float)
    y = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
    if len(np.unique(y)) < 2:
        return
    model = AdaBoostClassifier(n_estimators=rounds).fit(X, y, weight)
    if model.outcome_ == "chance":
        return
    bound = np.cumprod(2 * np.sqrt(model.estimator_errors_ * (1 - model.estimator_errors_)))
    if model.outcome_ != "perfect":
        assert (model.training_errors_ <= bound + 1e-9).all()
    wrong = model.predict(X) != y
    assert model.training_errors_[-1] == pytest.approx(weight[wrong].sum() / weight.sum())


def test_the_weights_stay_repetitions():
    """Weights that sum to 1 made every leaf too small for five rows, and the accuracy 0.627, in silence."""
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(DecisionTreeClassifier(min_samples_leaf=5, max_depth=3), n_estimators=5).fit(X, y)
    assert len(model.estimators_) == 5
    assert model.score(X, y) > 0.97
    for inner in model.estimators_:
        assert inner.tree_.weight[0] == pytest.approx(len(y))


def test_ends_of_fits():
    perfect = AdaBoostClassifier().fit([[0.0], [1.0]], ["a", "b"])
    assert (perfect.outcome_, len(perfect.estimators_)) == ("perfect", 1)
    assert "no error" in str(perfect.work())
    cross = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    chance = AdaBoostClassifier().fit(cross, [0, 1, 1, 0])
    assert (chance.outcome_, len(chance.estimators_)) == ("chance", 1)
    check_work(chance)
    check_work(perfect)


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_the_work(rate):
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=15, learning_rate=rate).fit(X, y)
    check_work(model)
    check_work(model, X[::40])
    check_work(AdaBoostClassifier(n_estimators=4, learning_rate=rate).fit(TEN, SIGNS), TEN)


def test_learners_of_other_kinds():
    X, y = load_iris(return_X_y=True)
    for learner in (NaiveBayes(), LogisticRegression()):
        model = AdaBoostClassifier(learner, n_estimators=3).fit(X, y)
        assert model.score(X, y) > 0.9
    frame = pd.DataFrame({"a": [1.0, None, 3.0, 4.0] * 10, "c": ["p", "q", "q", None] * 10})
    mixed = AdaBoostClassifier(PreparedClassifier(LogisticRegression()), n_estimators=3).fit(frame, [0, 0, 1, 1] * 10)
    assert mixed.score(frame, [0, 0, 1, 1] * 10) == 1.0


def test_model_files(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=4).fit(X, y)
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict_proba(X), model.predict_proba(X))
    other = DecisionTreeClassifier(max_depth=1).fit(X[:100], y[:100])
    require_refused(model, tmp_path, "estimators_ have other classes", estimators_=[other] * 4)
    naive = NaiveBayes().fit(X, y)
    require_refused(model, tmp_path, "another learner", estimators_=[naive] * 4)
