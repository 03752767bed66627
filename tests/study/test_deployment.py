"""What cross-validation measures is what happens: a model fitted on a file, asked about another."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.evaluate import CostMatrix
from novacula.learner.registry import find
from novacula.study import learn
from novacula.study.asking import ask
from novacula.study.candidates import candidates
from novacula.study.cell import Job, run


def rows(seed, n=60):
    """Columns of numbers and categories; most categories of `rare` stand in one or two rows."""
    rng = np.random.default_rng(seed)
    x, rare = rng.normal(size=n).round(3), rng.integers(40, size=n)
    noise = rng.normal(size=n)
    z = (x + (rare % 2) + noise).round(3)
    c = rng.choice(["u", "v"], n)
    return pd.DataFrame({"x": x, "rare": [f"r{i}" for i in rare], "c": c, "z": z, "y": np.where(z > 0.5, "yes", "no")})


def question_of(frame, target):
    table = nv.read(frame, target).drop("z" if target == "y" else "y")
    return ask(table, folds=4, test=0.0, metric=None, task=None, seed=0)


LEARNERS = [one.learner for target in ("y", "z") for one in candidates(question_of(rows(0), target), None)]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=2)
@given(seed=st.integers(0, 1000))
def test_an_error_of_a_fold_is_that_of_two_files(tmp_path_factory, learner, seed):
    folder, frame = tmp_path_factory.mktemp("files"), rows(seed)
    target = "y" if find(learner).card.task == "classification" else "z"
    question = question_of(frame, target)
    size = candidates(question, [learner])[-1].sizes[0]
    train, held_out = question.folds.pairs[0]
    frame = frame.drop(columns="z" if target == "y" else "y")
    assume(set(frame["rare"].iloc[held_out]) - set(frame["rare"].iloc[train]))  # new categories
    frame.iloc[train].to_csv(folder / "train.csv", index=False)
    frame.iloc[held_out].to_csv(folder / "new.csv", index=False)
    measured = run(question, Job(learner, size, 0))
    model = question.learner(learner, size).fit(nv.read(folder / "train.csv", target))
    said, y = model.predict(nv.read(folder / "new.csv")), frame[target].to_numpy()[held_out]
    expected = np.mean(said != y) if target == "y" else np.sqrt(np.mean((said - y) ** 2))
    assert measured.failure == ""
    assert measured.error == pytest.approx(expected, rel=1e-6, abs=1e-12)
    said, y = model.predict(nv.read(folder / "train.csv")), frame[target].to_numpy()[train]
    trained = np.mean(said != y) if target == "y" else np.sqrt(np.mean((said - y) ** 2))
    assert measured.train_error == pytest.approx(trained, rel=1e-6, abs=1e-9)  # of all rows that it learned from


# --- costs ------------------------------------------------------------------------------------------------------------

COSTS = CostMatrix(["no", "yes"], [[0, 1], [10, 0]])  # a "yes" that is missed costs ten false alarms


@pytest.fixture(scope="module")
def priced():
    return learn(nv.read(rows(3, 200), "y").drop("z"), learners=["naive-bayes", "logistic", "perceptron"], metric=COSTS,
                 folds=4, jobs=1)  # fmt: skip


def test_models_the_baseline_and_the_file_decide_by_costs(priced, tmp_path):
    by_learner = {entry.learner: entry for entry in priced.leaderboard}
    assert set(priced.question.train.y) == {"no", "yes"}
    share_of_no = np.mean(priced.question.train.y == "no")
    assert by_learner["plurality-classifier"].error == pytest.approx(share_of_no, abs=0.02)  # it always answers "yes"
    assert priced.choice.entry.error <= by_learner["plurality-classifier"].error
    priced.best_.save(tmp_path / "m.nova")
    loaded, X = nv.load(tmp_path / "m.nova"), priced.question.test.X
    shares = loaded.predict_proba(X)
    cheapest = np.where(shares[:, 0] * 1 < shares[:, 1] * 10, "yes", "no")
    np.testing.assert_array_equal(loaded.predict(X), cheapest)
    np.testing.assert_array_equal(loaded.predict(X), priced.best_.predict(X))


def test_balanced_accuracy_is_decided_for():
    frame = rows(4, 300)
    frame["y"] = np.where(frame["z"] > 1.8, "yes", "no")
    plain, balanced = (
        learn(nv.read(frame, "y").drop("z"), learners=["logistic"], metric=metric, folds=3, test=0.0, jobs=1)
        for metric in ("accuracy", "balanced")
    )
    recall = [np.mean(one.out_of_fold.prediction[one.out_of_fold.y == "yes"] == "yes") for one in (plain, balanced)]
    assert recall[1] > recall[0]
    said = balanced.out_of_fold
    recalls = [np.mean(said.prediction[said.y == label] == label) for label in ("no", "yes")]
    assert 1.0 - balanced.choice.entry.error == pytest.approx(np.mean(recalls), abs=0.05)  # of folds, and of all rows
