"""The checks say no: learners that are broken in one way each are caught by the check that is about it."""

from dataclasses import replace

import numpy as np
import pytest

from novacula.baseline import PluralityClassifier
from novacula.bayes import NaiveBayes
from novacula.checks import check_study, learner_checks
from novacula.checks.learner import check_weights
from novacula.errors import DataError
from novacula.learner import Admits, Learner, LeftOut
from novacula.learner.work import Work
from novacula.neighbors import KNeighborsRegressor
from novacula.state import floats, one_of


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
    reports_unseen = False


class TakesAnything(NaiveBayes):
    """It looks at nothing that it is given, though its card refuses infinite values."""

    _admits = Admits(missing=True, infinite=True)


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


class Uncounted(NaiveBayes):
    n_parameters_ = Learner.n_parameters_


class CountedInHalves(NaiveBayes):
    n_parameters_ = 2.5


class Misspelt(NaiveBayes):
    card = replace(NaiveBayes.card, size="shrinkag", sizes=(1, 2))


class OutOfRange(NaiveBayes):
    card = replace(NaiveBayes.card, size="m", sizes=lambda extent: (1.0, -1.0))


class StrangelySet(NaiveBayes):
    card = replace(NaiveBayes.card, study_settings={"max_depth": 3})


class WronglySet(NaiveBayes):
    card = replace(NaiveBayes.card, study_settings={"m": "some"})


class FailsWhenLarge(NaiveBayes):
    card = replace(NaiveBayes.card, size="m", sizes=(1.0, 2.0))

    def fit(self, X, y=None, sample_weight=None):
        if self.m > 1.0:
            raise ValueError("there is no room")
        return super().fit(X, y, sample_weight)


class Mutters(NaiveBayes):
    """Keeps something in a dictionary that is another one in every fit."""

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.notes_ = {"inner": {"draw": np.random.default_rng().normal()}}
        return self


class Hides(NaiveBayes):
    """Keeps something in an object into which nobody can look."""

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.notes_ = {"inner": object()}
        return self


class Undeclared(PluralityClassifier):
    """Keeps something that it does not declare."""

    def _learn(self, table):
        super()._learn(table)
        self.median_ = 0.5


class Understated(PluralityClassifier):
    state = {"share_": one_of(floats("classes"), floats("any", "any"))}  # noqa: RUF012


class SawTheRow(NaiveBayes):
    def left_out(self, X, y):
        return LeftOut(self.predict(X), np.ones(len(y), bool), "as if nothing were left out")


class Absent(KNeighborsRegressor):
    def left_out(self, X, y):
        return LeftOut(np.zeros(3), np.ones(3, bool), "of three rows")


class Refuses(KNeighborsRegressor):
    @property
    def boundary_(self):
        raise DataError("there are two columns")


class LoopsOverRows(KNeighborsRegressor):
    @property
    def total_(self):
        return sum(float(value) for value in self.examples_["weight"])


class SquaresRows(KNeighborsRegressor):
    @property
    def gram_(self):
        return self.examples_["rows"] @ self.examples_["rows"].T


class AsksItself(KNeighborsRegressor):
    @property
    def score_(self):
        return self.loo_score()


@pytest.mark.parametrize(
    ("learner", "check", "sentence"),
    [
        (Uncounted(), "study", "Uncounted does not say how many parameters it has in n_parameters_"),
        (CountedInHalves(), "study", "n_parameters_ of CountedInHalves is 2.5; it must be a whole number"),
        (Misspelt(), "study", "Misspelt has size='shrinkag', which is not one of its parameters: class_prior"),
        (OutOfRange(), "study", "OutOfRange does not take the sizes of its card: .*-1.0"),
        (StrangelySet(), "study", "StrangelySet has 'max_depth' in study_settings, which is not one of its parameters"),
        (WronglySet(), "study", "WronglySet does not take the study_settings of its card: .*'some'"),
        (FailsWhenLarge(), "study", "FailsWhenLarge with m=2.0 fails behind its preparation: there is no room"),
        (SawTheRow(), "study", "left_out of SawTheRow says .* of row .* fitted without it says"),
        (Absent(), "study", "left_out of Absent must give an answer and a flag for each of 30 rows"),
        (Refuses(), "display", "reading boundary_ raises a DataError, there are two columns: .* make it a method"),
        (LoopsOverRows(), "display", "reading total_ calls .* functions, the more the more rows there are"),
        (SquaresRows(), "display", "reading gram_ takes .* bytes, as the square of the rows"),
        (AsksItself(), "display", "reading score_ runs a compiled loop"),
        (Mutters(), "chunking", "Mutters cut into chunks of seven rows has another notes_.inner.draw"),
        (Mutters(), "reproducible", "the same seed gives another notes_.inner.draw"),
        (
            Undeclared(),
            "state",
            "is not as its class declares in `state`: median_ is not an attribute",
        ),
        (Understated(), "state", "share_ may have any dimensions: declare them in `state`"),
        (Hides(), "chunking", "Hides keeps a object in notes_.inner, which cannot be compared"),
    ],
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_a_broken_learner_is_named_with_its_fault(learner, check, sentence):
    with pytest.raises(AssertionError, match=sentence):
        dict(learner_checks(learner))[check]()


@pytest.mark.parametrize(
    ("learner", "check"),
    [
        (Weightless(), "weights"),
        (Forgetful(), "chunking"),
        (OrderBound(), "chunking"),
        (Silent(), "unseen"),
        (TakesAnything(), "admission"),
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
    check_study(NaiveBayes())
