"""Studies from beginning to end: errors against scikit-learn's, the razor, the test rows, going on."""

import json
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_validate

import novacula as nv
from novacula.errors import ParameterError
from novacula.linear import LogisticRegression, Ridge
from novacula.neighbors import KNeighborsClassifier
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.study import cell, learn, learning
from novacula.study.clock import Clock
from novacula.study.leaderboard import Entry
from novacula.study.refit import refit
from novacula.study.watching import Watcher
from novacula.table.crew import Alone


@pytest.fixture(scope="module")
def iris():
    return learn(nv.datasets.load("iris"), learners=["naive-bayes", "tree", "k-neighbors-classifier"], folds=5)


def frames(question):
    frame = question.train.X.to_pandas()
    return frame.drop(columns=question.target), question.train.y


def by_learner(study):
    return {entry.learner: entry for entry in study.leaderboard}


@pytest.mark.parametrize(
    ("data", "learner", "pipeline", "scoring"),
    [
        ("wine", "logistic-regression", lambda size: PreparedClassifier(LogisticRegression(C=size)), "accuracy"),
        ("wine", "k-neighbors-classifier", lambda k: PreparedClassifier(KNeighborsClassifier(k)), "accuracy"),
        ("diabetes", "ridge", lambda size: PreparedRegressor(Ridge(alpha=size)), "neg_root_mean_squared_error"),
    ],
)
def test_errors_are_those_of_cross_validate(data, learner, pipeline, scoring):
    study = learn(nv.datasets.load(data), learners=[learner], folds=4, jobs=1)
    entry = by_learner(study)[learner]
    X, y = frames(study.question)
    for size, errors in zip(entry.sizes, entry.curve, strict=True):
        if np.isnan(errors).any():
            continue  # it dropped out of the race
        scores = cross_validate(pipeline(size), X, y, cv=list(study.question.folds), scoring=scoring)["test_score"]
        np.testing.assert_allclose(errors, 1 - scores if scoring == "accuracy" else -scores, rtol=1e-9, atol=1e-12)


def test_the_leaderboard_is_by_error_with_the_baseline_in_it(iris):
    errors = [entry.error for entry in iris.leaderboard if entry.status == "finished"]
    assert errors == sorted(errors)
    assert by_learner(iris)["plurality-classifier"].error == pytest.approx(2 / 3)
    assert all(entry.standard_error >= 0 for entry in iris.leaderboard)
    assert iris.table()[0][1] == "error rate"


def test_the_model_was_fitted_without_the_test_rows_and_measured_on_them(iris):
    test = iris.question.test
    assert iris.test.error == pytest.approx(np.mean(iris.best_.predict(test.X) != test.y))
    assert iris.test.low <= iris.test.error <= iris.test.high
    again = iris.question.learner(iris.choice.entry.learner, iris.choice.entry.size).fit(iris.question.train.X)
    np.testing.assert_array_equal(again.predict_proba(test.X), iris.best_.predict_proba(test.X))


def test_the_model_is_saved_and_answers_for_raw_rows(iris, tmp_path):
    iris.best_.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    rows = nv.datasets.load("iris").to_pandas().drop(columns="target")
    np.testing.assert_array_equal(loaded.predict(rows), iris.best_.predict(rows))


def test_out_of_fold_predictions_are_those_of_the_folds(iris):
    said = iris.out_of_fold
    errors = [np.mean(said.prediction[held] != said.y[held]) for _, held in iris.question.folds]
    np.testing.assert_allclose(errors, iris.choice.entry.fold_errors)
    np.testing.assert_allclose(said.probability.sum(axis=1), 1.0)


def test_it_prints_and_is_json(iris):
    assert repr(iris) == f"<Study of 'target': {iris.choice.entry.label} chosen>"
    assert "<td>→ " in iris._repr_html_()
    assert f"→ {iris.choice.entry.label}" in str(iris)
    plain = json.loads(json.dumps(iris.to_dict(), allow_nan=False))
    assert plain["chosen"] == iris.choice.entry.learner
    assert {row["learner"] for row in plain["leaderboard"]} == set(by_learner(iris))


def test_the_same_seed_gives_the_same_study(iris):
    again = learn(nv.datasets.load("iris"), learners=["naive-bayes", "tree", "k-neighbors-classifier"], folds=5)
    for one, other in zip(iris.leaderboard, again.leaderboard, strict=True):
        assert (one.learner, one.error, one.size, one.n_parameters) == (
            other.learner,
            other.error,
            other.size,
            other.n_parameters,
        )


def test_the_rows_of_a_learner_are_settled_once(monkeypatch):
    """A race that goes over to processes must not plan again: cells of one learner would have unlike rows."""
    planned, handed_over = [], []

    @contextmanager
    def crew(question, *_):
        handed_over.append(1)
        yield Alone(question)  # what matters is that somebody else goes on

    monkeypatch.setattr(learning, "plan", lambda *_: planned.append(1))
    monkeypatch.setattr(learning, "LONG", 0.0)
    monkeypatch.setattr(learning, "crew", crew)
    study = learn(nv.datasets.load("iris"), learners=["naive-bayes", "tree"], folds=3)
    assert planned == handed_over == [1]
    assert by_learner(study)["naive-bayes"].status == "finished"


def test_loops_are_compiled_before_the_clock_starts(monkeypatch, capsys):
    """A machine that has compiled none would spend its budget on that, and choose among what is left."""
    compiled = []
    monkeypatch.setattr(learning, "cold_kernels", lambda: ["one", "two"])
    monkeypatch.setattr(learning, "compile_kernels", lambda *how: compiled.append(how))
    clock = learning._with_compiled_loops(2, Watcher(lines=True), Clock(60.0, started=100.0))
    assert compiled == [(["one", "two"], 2, False)]
    assert clock.started >= 100.0
    assert "Loops are compiled, once on this machine" in capsys.readouterr().err
    learn(nv.datasets.load("iris"), learners=["naive-bayes"], folds=3, jobs=1)
    assert len(compiled) == 2  # also for a few learners, which a deadline may end as well
    learn(nv.datasets.load("iris"), learners=["naive-bayes"], folds=3, jobs=1, budget=None)
    assert len(compiled) == 2  # nothing ends what is compiled as it is needed


def test_processes_change_no_number(iris):
    names = ["naive-bayes", "tree", "k-neighbors-classifier"]
    apart = learn(nv.datasets.load("iris"), learners=names, folds=5, jobs=2)
    for one, other in zip(iris.leaderboard, apart.leaderboard, strict=True):
        assert (one.learner, one.size) == (other.learner, other.size)
        np.testing.assert_allclose(one.fold_errors, other.fold_errors)


def test_rule_min_takes_the_least_error():
    study = learn(nv.datasets.load("iris"), learners=["naive-bayes", "tree"], folds=4, rule="min", jobs=1)
    assert study.choice.entry is study.choice.best
    assert "least error" in study.reason


def test_a_learner_that_fails_is_a_row_with_its_reason():
    study = learn(nv.datasets.load("restaurant"), learners=["candidate-elimination", "tree"], folds=3, test=0.0, jobs=1)
    failed = by_learner(study)["candidate-elimination"]
    assert failed.status == "failed"
    assert "no conjunction" in failed.note
    assert study.test is None


def test_log_loss_by_probabilities():
    study = learn(nv.datasets.load("iris"), learners=["naive-bayes", "perceptron"], metric="log_loss", folds=4, jobs=1)
    X, y = frames(study.question)
    model = study.question.learner("naive-bayes", None)
    theirs = cross_validate(model, X, y, cv=list(study.question.folds), scoring="neg_log_loss")["test_score"]
    np.testing.assert_allclose(by_learner(study)["naive-bayes"].fold_errors, -theirs)
    assert by_learner(study)["perceptron"].status == "left out"


def test_a_study_goes_on_where_it_stopped(tmp_path, monkeypatch):
    kept = learn(nv.datasets.load("iris"), learners=["naive-bayes", "tree"], folds=4, resume=tmp_path, jobs=1)
    monkeypatch.setattr(cell, "_fit_and_measure", None)  # nothing may be run again
    again = learn(nv.datasets.load("iris"), learners=["naive-bayes", "tree"], folds=4, resume=tmp_path, jobs=1)
    assert [entry.error for entry in again.leaderboard] == [entry.error for entry in kept.leaderboard]


def test_ctrl_c_leaves_a_valid_study():
    def stop(standing):
        if standing.done == 20:
            raise KeyboardInterrupt

    study = learn(nv.datasets.load("iris"), folds=4, jobs=1, watch=stop)
    assert "interrupted" in study.stopped
    assert by_learner(study)["plurality-classifier"].status == "finished"
    assert "unfinished" in {entry.status for entry in study.leaderboard}
    assert study.best_.predict(study.question.test.X).shape == (30,)


def test_after_ctrl_c_little_time_is_taken():
    clock = Clock(None).interrupt()
    assert clock.left < 6.0
    assert Clock(60.0).interrupt().left < 6.0
    assert Clock(1.0).interrupt().left <= 1.0
    question = learn(nv.datasets.load("iris"), learners=["naive-bayes"], folds=3, jobs=1).question
    slow = Entry("k-neighbors-classifier", "k nearest neighbours", "finished", size=3, fit_seconds=100.0, rows=40)
    fitted = refit(slow, question, clock)
    assert fitted.n_rows == 40
    assert "drawn at random, since the study was interrupted." in fitted.findings[0].sentence


def test_that_a_rare_class_is_not_told_by_the_error_rate_is_said_with_what_to_do():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    frame = pd.DataFrame({"x": x, "y": np.where(x + rng.normal(size=4000) > 3.6, "fraud", "fine")})
    study = learn(nv.read(frame, "y"), learners=["logistic-regression"], folds=3, jobs=1)
    share = np.mean(study.question.train.y == "fine")
    [finding] = [one for one in study.findings if one.kind == "nothing-learned"]
    assert f"is right for {share:.1%} of 3,200 rows" in finding.sentence
    assert "'auc' or 'balanced'" in finding.sentence
    ranked = learn(nv.read(frame, "y"), learners=["logistic-regression"], folds=3, jobs=1, metric="auc")
    assert not [one for one in ranked.findings if one.kind == "nothing-learned"]
    [said] = [sentence for sentence in ranked.headline if "AUC" in sentence]  # though it says "fine" for every row
    assert said.startswith("Its AUC is 0.9")


def test_the_noise_of_a_table_is_found_out():
    """An interval of a weight that supposes a noise of 1 is off by as much as the target's unit."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300)})
    frame["y"] = 50_000 * frame.x + 100_000 * rng.normal(size=300)
    study = learn(nv.read(frame, "y"), learners=["bayesian-linear"], folds=3, jobs=1, rule="min")
    model = study.question.fit("bayesian-linear-regression", None, study.question.train).model_
    assert np.sqrt(model.covariance_[1, 1]) == pytest.approx(100_000 / np.sqrt(240), rel=0.2)


def test_weights_count_as_repetition():
    frame = nv.datasets.load("iris").to_pandas()
    frame["w"] = 1.0
    light = nv.read(frame, "target", weight="w")
    one = learn(light, learners=["naive-bayes"], folds=4, jobs=1)
    plain = learn(nv.datasets.load("iris"), learners=["naive-bayes"], folds=4, jobs=1)
    assert by_learner(one)["naive-bayes"].error == pytest.approx(by_learner(plain)["naive-bayes"].error)


def test_the_interval_of_weighted_rows_is_about_the_weighted_error():
    frame = nv.datasets.load("iris").to_pandas()
    frame["w"] = np.where(frame["target"] == "virginica", 9.0, 1.0)
    study = learn(nv.read(frame, "target", weight="w"), learners=["plurality-classifier"], folds=3, jobs=1)
    share = study.question.test.weight / study.question.test.weight.sum()
    assert study.best_.predict(study.question.test.X)[0] == "virginica"  # by its weight
    wrong = share @ (study.question.test.y != "virginica")
    assert study.test.error == pytest.approx(wrong)
    spread = np.sqrt(share**2 @ ((study.question.test.y != "virginica") - wrong) ** 2)
    assert study.test.high - wrong == pytest.approx(1.96 * spread, rel=1e-4)


def test_text_categories_and_holes_take_part():
    rng = np.random.default_rng(0)
    n = 60
    colour = rng.choice(["red", "blue"], n)
    frame = pd.DataFrame(
        {
            "colour": colour,
            "size": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "words": [f"{'good' if c == 'red' else 'bad'} thing number {i}" for i, c in enumerate(colour)],
            "y": np.where(colour == "red", "yes", "no"),
        }
    )
    study = learn(nv.read(frame, "y", types={"words": "text"}), folds=3, jobs=1)
    finished = {entry.learner for entry in study.leaderboard if entry.status == "finished"}
    assert {"naive-bayes", "decision-tree-classifier", "logistic-regression", "k-neighbors-classifier"} <= finished
    assert study.test.error == 0.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"folds": 1}, "folds is 1"),
        ({"folds": 2.5}, "folds is 2.5"),
        ({"budget": 0}, "budget is 0"),
        ({"rule": "best"}, "rule is 'best'"),
        ({"jobs": 0}, "jobs is 0"),
    ],
)
def test_settings_that_make_no_sense(changes, words):
    with pytest.raises(ParameterError, match=words):
        learn(nv.datasets.load("iris"), **changes)


def test_a_report_is_written(iris, tmp_path):
    iris.report(tmp_path / "report.html")
    assert iris.choice.entry.name in (tmp_path / "report.html").read_text()
