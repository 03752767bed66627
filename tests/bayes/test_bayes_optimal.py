"""The Bayes-optimal classifier: three hypotheses, mixtures by hand, optimality by enumeration, files, bad input."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import novacula as nv
from novacula.bayes import GibbsClassifier, NaiveBayes
from novacula.bayes.bayes_optimal import BayesOptimalClassifier
from novacula.bayes.posterior import Posterior
from novacula.checks import check_work
from novacula.concept import CandidateElimination, ConjunctiveSpace
from novacula.errors import DataError, InputTypeError, ModelFileError, ParameterError
from novacula.learner.files import load, save


class Always:
    """A hypothesis that gives every row the same probabilities."""

    classes_ = np.array(["+", "-"])

    def __init__(self, plus):
        self.plus = plus

    def predict_proba(self, X):
        return np.tile([self.plus, 1.0 - self.plus], (len(X), 1))


THREE = Posterior({"h1": Always(1.0), "h2": Always(0.0), "h3": Always(0.0)}, [0.4, 0.3, 0.3])


def rows(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.5 * rng.normal(size=n), [-0.5, 0.5])]


def test_three_hypotheses():
    model = BayesOptimalClassifier(THREE).fit()
    assert THREE.predictive_map([[0]]).tolist() == [[1.0, 0.0]]
    assert model.predict_proba([[0]]) == pytest.approx(np.array([[0.4, 0.6]]))
    assert model.predict([[0]]).tolist() == ["-"]
    check_work(model)
    check_work(model, [[0], [1]])


def test_the_mixture_by_hand():
    X, y = rows()
    parts = {"deep": DecisionTreeClassifier(max_depth=2, random_state=0), "plane": LogisticRegression()}
    model = BayesOptimalClassifier(parts, prior={"plane": 0.25, "deep": 0.75}).fit(X, y)
    fitted = [clone(part).fit(X, y) for part in parts.values()]
    place = np.searchsorted(["a", "b", "c"], y)
    likelihood = [part.predict_proba(X)[np.arange(len(y)), place] for part in fitted]
    joint = np.log([0.75, 0.25]) + np.log(likelihood).sum(axis=1)
    weights = np.exp(joint - joint.max()) / np.exp(joint - joint.max()).sum()
    assert model.posterior_.weights == pytest.approx(weights)
    mixed = sum(w * part.predict_proba(X) for w, part in zip(weights, fitted, strict=True))
    assert model.predict_proba(X) == pytest.approx(mixed)
    assert np.array_equal(model.predict(X), np.array(["a", "b", "c"])[mixed.argmax(axis=1)])


def test_rows_update_a_posterior_and_leave_it_as_it_was():
    model = BayesOptimalClassifier(THREE).fit([[0.0], [1.0]], ["-", "-"])
    assert model.posterior_.weights == pytest.approx([0.0, 0.5, 0.5])
    assert THREE.weights == pytest.approx([0.4, 0.3, 0.3])


def test_no_classifier_makes_fewer_errors_under_the_prior():
    """Each target is drawn by the prior and seen at two places; all labellings of the third are tried."""
    targets = list(itertools.product(["+", "-"], repeat=3))
    prior = np.random.default_rng(1).dirichlet(np.ones(len(targets)))

    class Labelling(Always):
        def __init__(self, labels):
            self.labels = labels

        def predict_proba(self, X):
            chosen = [self.labels[int(x[0])] for x in X]
            return np.array([[float(c == "+"), float(c == "-")] for c in chosen])

    posterior = Posterior({"".join(t): Labelling(t) for t in targets}, prior)
    right = 0.0
    for seen in itertools.product(["+", "-"], repeat=2):
        model = BayesOptimalClassifier(posterior).fit([[0], [1]], list(seen))
        answer = model.predict([[2]])[0]
        right += sum(p for p, t in zip(prior, targets, strict=True) if t[:2] == seen and t[2] == answer)
    best = 0.0
    for rule in itertools.product(["+", "-"], repeat=4):
        answers = dict(zip(itertools.product(["+", "-"], repeat=2), rule, strict=True))
        best = max(best, sum(p for p, t in zip(prior, targets, strict=True) if t[2] == answers[t[:2]]))
    assert right == pytest.approx(best)


def test_conjunctions_vote_as_candidate_elimination_does():
    space = ConjunctiveSpace({"a": ["x", "y", "z"], "b": ["p", "q"]})
    X, y = np.array([["x", "p"], ["y", "q"]], object), [True, False]
    listed = BayesOptimalClassifier(Posterior(list(space.hypotheses()))).fit(X, y)
    everything = np.array(list(space.instances()), object)
    model = CandidateElimination(space=space).fit(X, y)
    assert listed.predict_proba(everything) == pytest.approx(model.predict_proba(everything))


def test_by_default_naive_bayes_with_four_values_of_m():
    table = nv.datasets.load("play_tennis")
    model = BayesOptimalClassifier().fit(table)
    assert [h.m for h in model.hypotheses_] == [0.25, 1.0, 4.0, 16.0]
    alone = [NaiveBayes(m=m).fit(table) for m in (0.25, 1.0, 4.0, 16.0)]
    y = table.to_pandas()["PlayTennis"].to_numpy()
    logs = [m.predict_log_proba(table)[np.arange(14), (y == "Yes").astype(int)].sum() for m in alone]
    assert model.log_likelihood_ == pytest.approx(logs)


def test_pairs_and_lists_of_estimators():
    X, y = rows()
    pair = BayesOptimalClassifier([("one", NaiveBayes(m=1)), ("two", NaiveBayes(m=2))]).fit(X, y)
    assert pair.hypothesis_names_ == ("one", "two")
    bare = BayesOptimalClassifier([NaiveBayes(), LogisticRegression()]).fit(X, y)
    assert bare.hypothesis_names_ == ("NaiveBayes", "LogisticRegression")


@pytest.mark.parametrize("learner", [BayesOptimalClassifier(), GibbsClassifier()])
def test_what_all_hypotheses_notice_is_said_once(learner):
    frame = pd.DataFrame({"a": list("xyxyxyxy"), "b": list("uuvvuvuv")})
    model = learner.fit(frame, list("ppnnppnn"))
    for method in (model.predict, getattr(model, "predict_proba", model.predict)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            method(pd.DataFrame({"a": ["z", "x"], "b": ["u", "q"]}))
        assert [str(warning.message) for warning in caught] == [
            "categories that were not there at fit were treated as missing in 'a' (1), 'b' (1)"
        ]


@pytest.mark.parametrize("learner", [BayesOptimalClassifier(), GibbsClassifier()])
def test_the_card_says_that_naive_bayes_takes_no_infinite_values(learner):
    assert not learner.card.admits.infinite
    X = np.array([[1.0], [2.0], [np.inf], [4.0]])
    with pytest.raises(DataError, match=r"column 'x0' is infinite \(inf\) in row 3 of X"):
        learner.fit(X, [0, 0, 1, 1])


def test_files(tmp_path):
    known = {"bayes-optimal-classifier": BayesOptimalClassifier, "naive-bayes": NaiveBayes}
    X, y = rows()
    model = BayesOptimalClassifier({"flat": NaiveBayes(m=9), "sharp": NaiveBayes(m=0)}, [0.9, 0.1]).fit(X, y)
    save(model, tmp_path / "model.nova", registry=known)
    loaded = load(tmp_path / "model.nova", registry=known)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ModelFileError, match="of type Posterior, which a model file does not hold"):
        save(BayesOptimalClassifier(THREE).fit(), tmp_path / "model.nova", registry=known)


@pytest.mark.parametrize(
    ("estimators", "prior", "error", "sentence"),
    [
        ([NaiveBayes(), NaiveBayes()], None, ParameterError, "the name 'NaiveBayes' stands twice"),
        ([], None, ParameterError, "there are no hypotheses"),
        ({"a": NaiveBayes()}, [0.5], ParameterError, "prior sums to 0.5"),
        ({"a": "words"}, None, InputTypeError, "the estimator 'a' cannot be fitted to give probabilities"),
        (THREE, [0.4, 0.3, 0.3], ParameterError, "a Posterior has a prior of its own"),
        (Posterior({"a": {0: 1.0}}), None, ParameterError, "label no rows one by one"),
        (Posterior(ConjunctiveSpace({"a": [0, 1]})), None, ParameterError, "CandidateElimination"),
    ],
)
def test_bad_estimators(estimators, prior, error, sentence):
    X, y = rows()
    with pytest.raises(error, match=sentence):
        BayesOptimalClassifier(estimators, prior).fit(X, y)


def test_bad_rows():
    X, y = rows()
    with pytest.raises(ValueError, match="sum to zero"):
        BayesOptimalClassifier().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(InputTypeError, match="the estimator 'a' takes no Table"):
        BayesOptimalClassifier({"a": LogisticRegression()}).fit(nv.datasets.load("iris"))
