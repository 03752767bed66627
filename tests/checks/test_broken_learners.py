"""The checks say no: learners that are broken in one way each are caught by the check that is about it."""

import numpy as np
import pytest

from novacula.bayes import NaiveBayes
from novacula.checks import learner_checks
from novacula.checks.learner import check_weights
from novacula.learner.work import Work


class Weightless(NaiveBayes):
    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, y)


class Forgetful(NaiveBayes):
    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        return self.fit(X, y)


class OrderBound(NaiveBayes):
    """Its prior leans towards the class of the first row."""

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        first = y[0] if y is not None else next(X.chunks()).target[0]
        code = first if isinstance(first, (int, np.integer)) else int(np.flatnonzero(self.classes_ == first)[0])
        self.class_prior_ = np.where(np.arange(len(self.classes_)) == code, 0.9, 0.05)
        return self


class Silent(NaiveBayes):
    def _report_unseen(self, table, counts):
        pass


class Drifting(NaiveBayes):
    def work(self, X=None):
        work = super().work(X)
        self.class_prior_ = np.roll(self.class_prior_, 1)
        return Work(work.title, work.steps)


class Unseeded(NaiveBayes):
    def predict(self, X):
        return np.random.default_rng().permutation(super().predict(X))


class NotANumber(NaiveBayes):
    def predict_proba(self, X):
        return np.full_like(super().predict_proba(X), np.nan)


@pytest.mark.parametrize(
    ("learner", "check"),
    [
        (Weightless(), "weights"),
        (Forgetful(), "chunking"),
        (OrderBound(), "chunking"),
        (Silent(), "unseen"),
        (Drifting(), "work"),
        (Unseeded(), "reproducible"),
        (NotANumber(), "missing"),
    ],
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_a_broken_learner_is_caught(learner, check):
    with pytest.raises(AssertionError, match=r"\w"):
        dict(learner_checks(learner))[check]()


def test_a_sound_one_is_not():
    check_weights(NaiveBayes())
