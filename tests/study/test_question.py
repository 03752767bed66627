"""The question: what is to be predicted, which rows are put aside, what is refused."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.evaluate import CostMatrix
from novacula.study import asking
from novacula.study.asking import ask, folds_in_order
from novacula.study.candidates import candidates


def question_of(table, **changes):
    settings = {"folds": 5, "test": 0.2, "metric": None, "task": None, "seed": 0}
    return ask(table, **(settings | changes))


def table(**columns):
    return nv.read(pd.DataFrame(columns), "y")


def test_words_are_classes_and_decimals_are_numbers():
    assert question_of(nv.datasets.load("iris")).task == "classification"
    question = question_of(nv.datasets.load("diabetes"))
    assert question.task == "regression"
    assert question.metric.name == "rmse"


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
    monkeypatch.setattr(asking, "MAX_CELLS", 3000)
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
    monkeypatch.setattr(asking, "MAX_CELLS", 3000)
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
        (lambda: nv.datasets.load("iris"), {"metric": "sharp"}, ParameterError, "there is no metric 'sharp'"),
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
    assert "find-s" not in reasons  # a conjunction of numbers can hardly be right
    named = candidates(question_of(nv.datasets.load("iris")), ["find-s"])
    assert "two classes, and there are 3" in named[1].obstacle
    assert "gives no probabilities" in reasons["perceptron"]
    assert reasons["naive-bayes"] == ""


def test_costs_are_a_metric():
    costs = CostMatrix(["setosa", "versicolor", "virginica"], [[0, 1, 1], [5, 0, 1], [5, 1, 0]])
    question = question_of(nv.datasets.load("iris"), metric=costs)
    assert question.metric.loss is costs
    assert question.costs["versicolor"] == {"setosa": 5.0, "versicolor": 0.0, "virginica": 1.0}
    with pytest.raises(DataError, match="the costs say nothing of the class 'virginica'"):
        question_of(nv.datasets.load("iris"), metric=CostMatrix(["setosa", "versicolor"], [[0, 1], [5, 0]]))


def test_concepts_take_part_where_a_conjunction_may_be_right():
    nominal = question_of(nv.datasets.load("play_tennis"), folds=3)
    assert "find-s" in {one.learner for one in candidates(nominal, None)}
    contradicted = table(a=list("uvuv") * 4, y=list("ppqq") * 4)
    assert "find-s" not in {one.learner for one in candidates(question_of(contradicted), None)}
    without = {one.learner for one in candidates(nominal, None, ["find-s", "tree"])}
    assert "find-s" not in without
    assert "decision-tree-classifier" not in without


def test_densities_are_not_of_words():
    texts = [f"{'good' if i % 2 else 'bad'} thing number {i}" for i in range(60)]
    rows = nv.read(pd.DataFrame({"t": texts, "y": ["a", "b"] * 30}), "y", types={"t": "text"})
    reasons = {one.learner: one.obstacle for one in candidates(question_of(rows), None)}
    assert reasons["bayesian-network-classifier"] == "it takes densities of numbers, and 't' would be counts of words"
    assert reasons["naive-bayes"] == ""


# --- which rows are held out ------------------------------------------------------------------------------------------


def test_rows_of_a_group_are_held_out_together():
    rows = table(x=np.arange(120.0), who=np.repeat(np.arange(24), 5), y=["a", "b"] * 60)
    question = question_of(rows, groups="who")
    group = {x: int(x) // 5 for x in range(120)}
    train, test = (part.X.to_pandas() for part in (question.train, question.test))
    assert not {group[x] for x in train["x"]} & {group[x] for x in test["x"]}
    assert "who" not in train.columns
    for fit, held_out in question.folds:
        assert not {group[x] for x in train["x"].iloc[fit]} & {group[x] for x in train["x"].iloc[held_out]}
    assert any("Rows with the same 'who' are held out together" in note for note in question.notes)


def test_by_time_later_rows_are_held_out():
    rng = np.random.default_rng(0)
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.permutation(100), "D")
    question = question_of(table(when=when, x=rng.normal(size=100), y=rng.normal(size=100)), time="when")
    days = question.train.X.to_pandas()["when"].to_numpy()
    assert days.max() < question.test.X.to_pandas()["when"].to_numpy().min()
    assert len(question.folds) == 5
    for fit, held_out in question.folds:
        assert days[fit].max() < days[held_out].min()
    held = np.concatenate([held_out for _, held_out in folds_in_order(23, 4)])
    assert held.tolist() == list(range(5, 23))


def test_a_table_of_its_own_is_the_test():
    rows, other = (
        table(x=np.arange(40.0), z=list("uv") * 20, y=["a", "b"] * 20),
        table(z=["w", "u"], x=[1.0, 2.0], more=[0, 0], y=["b", "b"]),
    )
    question = question_of(rows, test=other)
    assert len(question.train) == 40
    assert question.test.y.tolist() == ["b", "b"]
    assert [column.name for column in question.test.X.layout.features] == ["x", "z"]
    assert question.test.X.to_chunk().codes.tolist() == [[-2], [0]]


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"groups": "nobody"}, SchemaError, "groups names 'nobody', which is not a column"),
        ({"time": "z"}, SchemaError, "time names 'z', which is categorical"),
        ({"groups": "z", "time": "x"}, ParameterError, "cannot both"),
        ({"groups": "x"}, DataError, "row 3 has no value in 'x'"),
        ({"test": nv.read(pd.DataFrame({"x": [1.0], "z": ["u"]}))}, SchemaError, "has no column 'y'"),
    ],
)
def test_rows_that_cannot_be_held_out_so(changes, kind, words):
    rows = table(x=[0.0, 1.0, np.nan, *range(37)], z=list("uv") * 20, y=["a", "b"] * 20)
    with pytest.raises(kind, match=words):
        question_of(rows, **changes)
