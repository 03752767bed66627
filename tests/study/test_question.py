"""The question: what is to be predicted, which rows are put aside, what is refused."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.evaluate import CostMatrix
from novacula.study import question as questions
from novacula.study.candidates import candidates
from novacula.study.question import ask


def question_of(table, **changes):
    settings = {"folds": 5, "test": 0.2, "metric": None, "task": None, "seed": 0}
    return ask(table, **(settings | changes))


def table(**columns):
    return nv.read(pd.DataFrame(columns), "y")


def test_words_are_classes_and_decimals_are_numbers():
    assert question_of(nv.datasets.load("iris")).task == "classification"
    question = question_of(nv.datasets.load("diabetes"))
    assert question.task == "regression"
    assert question.metric.name == "squared"


def test_few_whole_numbers_are_classes_unless_said_otherwise():
    rows = table(x=np.arange(60.0), y=np.arange(60) % 3)
    question = question_of(rows)
    assert question.task == "classification"
    assert question.notes[0] == "The target 'y' has 3 distinct whole numbers, so they are treated as classes."
    assert question_of(rows, task="regression").task == "regression"
    assert question_of(rows, task="classification").notes == ()


def test_test_rows_and_training_rows_have_nothing_in_common():
    rows = table(x=np.arange(100.0), y=["a", "b"] * 50)
    question = question_of(rows)
    train = question.train.X.to_pandas()["x"].tolist()
    test = question.test.X.to_pandas()["x"].tolist()
    assert len(test) == 20
    assert sorted(train + test) == list(range(100))
    held = np.concatenate([held for _, held in question.folds])
    assert sorted(held.tolist()) == list(range(80))
    assert sum(question.test.y == "a") == 10


def test_without_a_test_all_rows_are_for_training():
    question = question_of(nv.datasets.load("iris"), test=0.0)
    assert question.test is None
    assert len(question.train) == 150


def test_the_same_question_has_the_same_fingerprint():
    one, same = question_of(nv.datasets.load("iris")), question_of(nv.datasets.load("iris"))
    assert one.fingerprint == same.fingerprint
    others = [
        question_of(nv.datasets.load("iris"), seed=1),
        question_of(nv.datasets.load("iris"), folds=4),
        question_of(nv.datasets.load("iris"), metric="log"),
        question_of(nv.datasets.load("iris").drop("petal width (cm)")),
        question_of(nv.datasets.load("wine")),
    ]
    assert len({one.fingerprint, *(other.fingerprint for other in others)}) == 6


def test_a_class_with_one_row_is_reported():
    question = question_of(table(x=np.arange(21.0), y=["a", "b"] * 10 + ["c"]))
    assert any("one row" in note for note in question.notes)


def test_a_large_table_is_sampled_and_that_is_said(monkeypatch):
    monkeypatch.setattr(questions, "MAX_CELLS", 3000)
    rows = nv.read(pd.DataFrame({"x": np.arange(5000.0), "z": 0.5, "y": ["a", "b"] * 2500}), "y")
    question = question_of(rows)
    assert len(question.train) + len(question.test) == 1000
    assert "1,000 rows drawn at random from 5,000" in question.notes[0]
    assert question.n_drawn_from == 5000


def test_of_a_table_that_cannot_be_held_the_choice_is_fitted_on_all_rows(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=5000), "z": rng.choice(["u", "v"], 5000)})
    frame["y"] = np.where(frame["x"] + rng.normal(0, 0.5, 5000) > 0, "a", "b")
    for k in range(5):
        frame[1000 * k : 1000 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    rows = nv.read(tmp_path / "*.parquet", "y")
    monkeypatch.setattr(questions, "MAX_CELLS", 3000)
    streams = nv.learn(rows, learners=["naive-bayes"], folds=3, jobs=1)
    assert streams.n_fitted == 5000
    assert streams.best_.model_.class_count_.tolist() == frame["y"].value_counts().sort_index().tolist()
    assert any("was then fitted on all 5,000 rows" in finding.sentence for finding in streams.findings)
    held = nv.learn(rows, learners=["k-neighbors-classifier"], folds=3, jobs=1)
    assert held.n_fitted == len(held.question.train) == 800
    assert any("800 of 5,000 rows, since" in finding.sentence for finding in held.findings)


@pytest.mark.parametrize(
    ("rows", "changes", "error", "words"),
    [
        (lambda: table(x=[1.0, 2.0, 3.0, 4.0], y=["a"] * 4), {}, DataError, "one class only"),
        (lambda: table(y=["a", "b"] * 4), {}, SchemaError, "no column to learn from, only the target"),
        (lambda: table(x=[1.0, 2.0], y=["a", "b"]), {}, DataError, "at least 4"),
        (lambda: nv.datasets.load("linnerud"), {}, SchemaError, "one target"),
        (
            lambda: nv.datasets.load("iris"),
            {"metric": "squared"},
            ParameterError,
            "the mean squared error is not a measure of classification",
        ),
        (lambda: nv.datasets.load("iris"), {"metric": "sharp"}, ParameterError, "no loss 'sharp'"),
        (
            lambda: nv.datasets.load("diabetes"),
            {"metric": "log"},
            ParameterError,
            "the log loss is not a measure of regression",
        ),
        (
            lambda: nv.datasets.load("iris"),
            {"task": "regression"},
            SchemaError,
            "holds words, which regression cannot learn",
        ),
        (lambda: nv.datasets.load("iris"), {"task": "ranking"}, ParameterError, "task is 'ranking'"),
        (lambda: nv.datasets.load("iris"), {"test": 1.2}, ParameterError, "test is 1.2"),
    ],
)
def test_what_cannot_be_asked(rows, changes, error, words):
    with pytest.raises(error, match=words):
        question_of(rows(), **changes)


# --- who takes part ---------------------------------------------------------------------------------------------------


def test_learners_are_found_by_their_cards():
    names = [one.learner for one in candidates(question_of(nv.datasets.load("iris")), None)]
    assert names[0] == "plurality-classifier"
    assert {"naive-bayes", "decision-tree-classifier", "logistic-regression", "k-neighbors-classifier"} <= set(names)
    assert not {"ridge", "k-means", "prepared-classifier"} & set(names)
    assert "ridge" in [one.learner for one in candidates(question_of(nv.datasets.load("diabetes")), None)]


def test_learners_are_named_by_words():
    question = question_of(nv.datasets.load("iris"))
    assert [one.learner for one in candidates(question, ["tree", "neighbors"])] == [
        "plurality-classifier",
        "decision-tree-classifier",
        "k-neighbors-classifier",
    ]
    with pytest.raises(ParameterError, match="did you mean 'naive-bayes'"):
        candidates(question, ["nave-bayes"])
    with pytest.raises(ParameterError, match="'ridge' is a learner for regression"):
        candidates(question, ["ridge"])
    with pytest.raises(ParameterError, match="the list of learners is empty"):
        candidates(question, [])


def test_those_that_cannot_take_part_say_why():
    reasons = {
        one.learner: one.obstacle for one in candidates(question_of(nv.datasets.load("iris"), metric="log"), None)
    }
    assert "two classes, and there are 3" in reasons["find-s"]
    assert "gives no probabilities" in reasons["perceptron"]
    assert reasons["naive-bayes"] == ""


def test_costs_are_a_metric():
    costs = CostMatrix(["setosa", "versicolor", "virginica"], [[0, 1, 1], [5, 0, 1], [5, 1, 0]])
    assert question_of(nv.datasets.load("iris"), metric=costs).metric is costs
