"""The Gibbs classifier: its theorem in simulation, the distribution of its draws, seeds."""

import numpy as np
import pytest
from scipy import stats

from novacula.bayes.bayes_optimal import BayesOptimalClassifier
from novacula.bayes.gibbs import GibbsClassifier
from novacula.bayes.posterior import Posterior
from novacula.checks import check_work

PLACES = np.linspace(0.0, 1.0, 21)


class Threshold:
    """x > t is true."""

    classes_ = np.array([False, True])

    def __init__(self, t):
        self.t = t

    def predict_proba(self, X):
        above = np.asarray(X)[:, 0] > self.t
        return np.column_stack([~above, above]).astype(float)


def thresholds(prior):
    return Posterior({t: Threshold(t) for t in PLACES.tolist()}, prior)


def test_at_most_twice_the_error_of_the_bayes_optimal_classifier():
    """Targets are drawn by the prior; the mean error over targets, examples and draws is what the theorem is about."""
    rng = np.random.default_rng(0)
    prior = rng.dirichlet(np.ones(len(PLACES)))
    posterior = thresholds(prior)
    gibbs, optimal, shares = [], [], []
    for seed in range(120):
        target = rng.choice(PLACES, p=prior)
        X, new = rng.random((4, 1)), rng.random((60, 1))
        drawing = GibbsClassifier(posterior, random_state=seed).fit(X, X[:, 0] > target)
        truth = new[:, 0] > target
        gibbs.append(np.mean(drawing.predict(new) != truth))
        shares.append(np.mean(1.0 - drawing.vote_shares(new)[np.arange(60), truth.astype(int)]))
        optimal.append(np.mean(BayesOptimalClassifier(posterior).fit(X, X[:, 0] > target).predict(new) != truth))
    assert 0.0 < np.mean(optimal) < np.mean(gibbs) < 2.0 * np.mean(optimal)
    assert np.mean(gibbs) == pytest.approx(np.mean(shares), abs=0.01)


def test_hypotheses_are_drawn_by_their_probability():
    prior = np.array([0.5, 0.2, 0.3])
    posterior = Posterior({t: Threshold(t) for t in (0.2, 0.5, 0.8)}, prior)
    model = GibbsClassifier(posterior, random_state=1).fit()
    rows = np.full((4000, 1), 0.6)
    assert model.vote_shares(rows[:1]) == pytest.approx(np.array([[0.3, 0.7]]))
    assert stats.binomtest(int(model.predict(rows).sum()), 4000, 0.7).pvalue > 1e-3


def test_seeds():
    model = GibbsClassifier(thresholds(None)).fit()
    rows = np.random.default_rng(2).random((200, 1))
    assert np.array_equal(model.predict(rows), model.predict(rows))
    unseeded = GibbsClassifier(thresholds(None), random_state=None).fit()
    assert not np.array_equal(unseeded.predict(rows), unseeded.predict(rows))


def test_work():
    model = GibbsClassifier(thresholds(None)).fit([[0.1], [0.9]], [False, True])
    check_work(model)
    check_work(model, [[0.3], [0.7]])
