"""Extreme arrays, weights and labels: every input that once hurt, a few hundred new ones, and the sentences."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fuzz
from fuzz.arrays import Target
from fuzz.target import describe
from fuzz.worker import randomness
from novacula.bayes import NaiveBayes
from novacula.concept import FindS
from novacula.errors import DataError, InputTypeError
from novacula.kernel import SVC, SVR
from novacula.linear import LinearRegression, LinearUnit, Perceptron, Ridge
from novacula.projection import PCA, FeatureRanker
from novacula.table import read
from novacula.tree import DecisionTreeClassifier

FINDS = sorted((Path(fuzz.__file__).parent / "finds" / "arrays").glob("*.npz"))
X = np.array([[0.0], [1.0], [2.0], [3.0]])


@pytest.mark.parametrize("path", FINDS, ids=lambda path: path.stem)
def test_what_hurt_once_does_not_hurt_again(path):
    Target().attempt(path)


def test_new_inputs(tmp_path):
    """The first inputs of a seed: numbers, or a sentence."""
    target = Target()
    for number in range(150):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = target.write(randomness("arrays", 7, number), folder)
        try:
            target.attempt(path)
        except Exception as error:
            pytest.fail(f"input {number}: {describe(error)}")


LABELS = {
    "missing": ([None, "a", "b", "a"], r"row 1 of X has no value for the target 'y'"),
    "not a number": ([float("nan"), "a", "b", "a"], r"row 1 of X has no value for the target 'y'"),
    "number and word": ([1, "a", 1, "a"], r"labels of mixed types: the first are numbers, but row 2 of X has 'a'"),
    "flag and word": ([True, "x", True, "x"], r"the first are true and false, but row 2 of X has 'x'"),
    "sets": ([{1}, {2}, {1}, {2}], r"row 1 of X has the label \{1\}, of type set: labels are words, whole numbers"),
}


@pytest.mark.parametrize("how", [list, tuple, lambda y: np.array(y, object), lambda y: pd.Series(y, dtype=object)])
@pytest.mark.parametrize(("labels", "sentence"), LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("learner", [DecisionTreeClassifier, NaiveBayes])
def test_labels_that_are_none_or_mixed(learner, labels, sentence, how):
    with pytest.raises(DataError, match=sentence):
        learner().fit(X, how(labels))


def test_labels_of_a_table():
    frame = pd.DataFrame({"x": X[:, 0], "y": pd.Series(LABELS["missing"][0], dtype=object)})
    with pytest.raises(DataError, match="has no value"):
        DecisionTreeClassifier().fit(read(frame, "y"))
    frame["y"] = pd.Series([1, "a", 1, "a"], dtype=object)  # words, as in a file
    assert DecisionTreeClassifier().fit(read(frame, "y")).classes_.tolist() == ["1", "a"]


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(), LinearUnit(threshold=True), FindS(), FeatureRanker()])
@pytest.mark.parametrize("as_table", [False, True])
def test_labels_that_numpy_would_make_equal(learner, as_table):
    labels = np.array(["", "\0", "", "\0"], object)
    given = (X, labels) if not as_table else (read(pd.DataFrame({"x": X[:, 0], "y": labels}), "y"),)
    with pytest.raises(DataError, match=r"the label '\\x00' ends in a null character, which NumPy drops: rename it"):
        learner.fit(*given)


def test_objects_of_one_kind_are_labels():
    for labels in ([1, 2, 1, 2], [True, False, True, False], ["a", "b", "a", "b"]):
        found = DecisionTreeClassifier().fit(X, np.array(labels, object)).classes_
        assert found.tolist() == sorted(set(labels))


@pytest.mark.parametrize(("weight", "size"), [(1e300, "large"), (1e-300, "small"), (1.7e308, "large")])
@pytest.mark.parametrize("learner", [SVC, NaiveBayes, Perceptron])
def test_weights_beyond_bounds(learner, weight, size):
    with pytest.raises(DataError, match=rf"the weights of X sum to .*, too {size} to calculate with: multiply all"):
        learner().fit(X, [0, 1, 0, 1], sample_weight=np.full(4, weight))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("learner", [SVC, SVR])
@pytest.mark.parametrize("low", [1e-90, 1e-12, 1e90])
def test_support_vectors_end_for_any_weights(learner, loss, low):
    """Steps that weights make invisibly small went on for ever."""
    rows = np.random.default_rng(0).normal(size=(40, 2))
    weight = np.where(np.arange(40) % 3, 1.0, low)
    model = learner(kernel="linear", solver="smo", loss=loss).fit(rows, np.arange(40) % 2, sample_weight=weight)
    assert np.isfinite(model.predict(rows)).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_equal_rows_of_huge_weights_end_soon():
    """Their kernel has no curvature, and each of 1e8 steps went as far as 1e12."""
    model = SVC(kernel="linear").fit(np.zeros((4, 1)), [0, 1, 0, 1], sample_weight=[1e19, 2e19, 3e19, 4e19])
    assert int(model.n_iter_.sum()) <= 50_000


def test_a_row_is_not_shown_for_ever():
    with pytest.raises(DataError, match=r"a weight of 1e\+20 would have its row shown as often in each epoch"):
        LinearUnit(solver="sgd").fit(X, X[:, 0], sample_weight=[1, 1, 1, 1e20])


def test_a_fit_that_overflows_names_the_column():
    with pytest.raises(DataError, match=r"column 'x0'"):
        PCA().fit(np.array([[1e300, 1.0], [-1e300, 2.0], [3e299, 0.0]]))


def test_an_answer_that_overflows_names_row_and_column():
    model = LinearRegression().fit(X, 1e10 * X[:, 0])
    sentence = r"the answer for row 2 of X is not finite: its largest value is 1e\+300, in column 'x0'; scale"
    with pytest.raises(DataError, match=sentence):
        model.predict([[1.0], [1e300]])


def test_what_scikit_learn_refuses_is_refused_in_our_errors():
    with pytest.raises(DataError, match="Expected 2D array"):
        Ridge().fit(X[:, 0], X[:, 0])
    with pytest.raises(InputTypeError, match="which are not numbers"):
        Ridge().fit(X.astype("timedelta64[s]"), X[:, 0])
    with pytest.raises(DataError, match="inconsistent numbers of samples"):
        Ridge().fit(X, X[:3, 0])


def test_probabilities_of_rows_far_away_sum_to_one():
    model = NaiveBayes().fit(X, ["a", "b", "a", "b"])
    np.testing.assert_allclose(model.predict_proba([[1e80]]).sum(axis=1), 1.0)


def test_a_class_without_weight_has_no_least_value_and_is_no_overflow():
    model = NaiveBayes().fit(np.hstack([X, X**2]), ["a", "b", "a", "b"], sample_weight=[1.0, 0.0, 1.0, 0.0])
    assert model.predict([[1.0, 1.0]]).tolist() == ["a"]
