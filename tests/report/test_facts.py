"""Sentences that state a fact: each is computed anew here, from cells, rows and models, by other code."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import novacula as nv
from novacula.evaluate import CostMatrix
from novacula.evaluate.calibration import calibration
from novacula.explain import Importance
from novacula.report.blocks import Alert, Facts, Paragraph, TableBlock
from novacula.report.reading import Reading
from novacula.report.sections.change import facts
from novacula.report.sections.class_mistakes import calibration_sentence, reliability
from novacula.report.sections.findings import findings
from novacula.report.sections.mistakes import measures
from novacula.report.sections.model import model
from novacula.report.sections.number_mistakes import number_mistakes
from novacula.report.sections.opening import most_important, opening, warnings
from novacula.report.sections.wrong_rows import ROWS, most_wrong, wrong_rows
from novacula.study import Study, learn
from novacula.study.finding import Finding
from novacula.study.leaderboard import choice, with_interval, with_spread


def numbers(words: str) -> list[float]:
    """The numbers of a sentence."""
    return [float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", words)]


def sentence(study: Study, begins: str) -> str:
    """The sentence of the first screen that begins so."""
    [found] = [one for one in study.headline if one.startswith(begins)]
    return found


def rows_of(n: int, seed: int = 0, share: float = 0.4) -> pd.DataFrame:
    """Two classes that a column tells apart, more or less."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=n), rng.normal(size=n)
    score = x + 0.7 * rng.normal(size=n)
    return pd.DataFrame({"x": x, "noise": noise, "late": np.where(score > np.quantile(score, 1 - share), "yes", "no")})


@pytest.fixture(scope="module")
def trains() -> Study:
    """Enough test rows to speak of them, and several sizes of several learners."""
    names = ["naive-bayes", "logistic-regression", "decision-tree-classifier"]
    return learn(nv.read(rows_of(900)), "late", learners=names, folds=4, jobs=1)


@pytest.fixture(scope="module")
def houses() -> Study:
    """Prices with a long tail."""
    rng = np.random.default_rng(1)
    area = rng.lognormal(4.5, 0.5, 700)
    frame = pd.DataFrame({"area": area, "year": rng.integers(1900, 2020, 700)})
    frame["price"] = np.round(3000 * area * np.exp(0.3 * rng.normal(size=700)), -2)
    return learn(nv.read(frame), "price", learners=["ridge", "linear-regression"], folds=4, jobs=1)


# --- how often it is right ---------------------------------------------------------------------------------------


def test_right_so_many_times_is_counted_in_the_test_rows(trains: Study) -> None:
    test = trains.question.test
    assert test is not None
    said = trains.best_.predict(test.X)
    classes, count = np.unique(trains.question.train.y, return_counts=True)
    usual = classes[count.argmax()]
    words = sentence(trains, "It is right")
    found = binomtest(int((said == test.y).sum()), len(test)).proportion_ci(0.95, "wilson")
    assert f"right {100 * np.mean(said == test.y):.0f} times in 100" in words
    assert f"likely between {100 * found.low:.0f} and {100 * found.high:.0f}" in words
    assert f"always saying ‘{usual}’ is right {100 * np.mean(test.y == usual):.0f} times in 100" in words
    assert trains.headline[-1] == f"Measured on {len(test)} test rows that no learner had seen."


def test_of_few_test_rows_it_is_counted_in_the_rows_of_the_folds(iris: Study) -> None:
    assert iris.question.test is not None
    assert len(iris.question.test) < 100
    wrong = [
        np.mean(iris.question.fit(iris.choice.entry.learner, iris.choice.entry.size, iris.question.train.take(train))
                .predict(iris.question.train.take(held_out).X) != iris.question.train.y[held_out])
        for train, held_out in iris.question.folds
    ]  # fmt: skip
    assert f"right {100 * (1 - np.mean(wrong)):.0f} times in 100" in sentence(iris, "It is right")
    assert "each predicted by a model that had not seen it" in iris.headline[-1]


def test_nothing_is_said_to_be_better_where_chance_explains_it(blind: Study) -> None:
    words = " ".join(blind.headline)
    assert "for every row that it was measured on" in words
    shuffled = rows_of(500, share=0.5)
    shuffled["late"] = np.random.default_rng(5).permutation(shuffled["late"])
    study = learn(nv.read(shuffled), "late", learners=["k-neighbors-classifier"], folds=4, jobs=1)
    near = next(one for one in study.leaderboard if one.learner == "k-neighbors-classifier")
    fitted = study.question.fit("k-neighbors-classifier", 5, study.question.train)
    assert study.question.test is not None
    assert len(np.unique(fitted.predict(study.question.test.X))) == 2
    forced = replace(study, choice=replace(study.choice, entry=near), best_=fitted, answers=None)
    assert "These rows do not show that it is better than that." in forced.headline


def test_rows_of_a_rare_class_that_are_found_are_counted() -> None:
    study = learn(nv.read(rows_of(3000, share=0.03)), "late", learners=["naive-bayes"], folds=3, jobs=1, rule="min")
    test = study.question.test
    assert test is not None
    rare = test.y == "yes"
    found = int((study.best_.predict(test.X)[rare] == "yes").sum())
    assert sentence(study, "Of the") == f"Of the {rare.sum()} rows that are ‘yes’ it finds {found or 'none'}."
    assert "times in 100 " in sentence(study, "It ") or "times in 1,000 " in sentence(study, "It ")


def test_costs_are_those_of_the_test_rows_and_of_the_best_constant_answer() -> None:
    priced = CostMatrix(["no", "yes"], [[0.0, 1.0], [10.0, 0.0]])
    study = learn(nv.read(rows_of(900)), "late", learners=["naive-bayes"], folds=3, jobs=1, metric=priced)
    test, train = study.question.test, study.question.train
    assert test is not None
    cost = {("no", "yes"): 1.0, ("yes", "no"): 10.0}
    own = np.mean([cost.get(pair, 0.0) for pair in zip(test.y, study.best_.predict(test.X), strict=True)])
    constant = {a: np.mean([cost.get((y, a), 0.0) for y in train.y]) for a in ("no", "yes")}
    usual = min(constant, key=lambda one: constant[one])
    words = sentence(study, "An answer costs")
    first, *_, last = numbers(words)
    assert first == pytest.approx(own, abs=0.03)
    assert f"always answering ‘{usual}’ costs" in words
    assert last == pytest.approx(np.mean([cost.get((y, usual), 0.0) for y in test.y]), abs=0.03)


def test_how_far_it_is_off_is_measured_on_the_test_rows(houses: Study) -> None:
    test = houses.question.test
    assert test is not None
    left = test.y - houses.best_.predict(test.X)
    mean = houses.question.train.y.mean()
    words = sentence(houses, "It is off by")
    error, low, high, root, said, without = numbers(words)
    spread = np.std(np.abs(left), ddof=1) / np.sqrt(len(left))
    unit = 10.0 ** np.floor(np.log10(spread))
    assert error == pytest.approx(np.abs(left).mean(), abs=unit / 2)
    assert low == pytest.approx(np.abs(left).mean() - 1.98 * spread, abs=unit)
    assert high == pytest.approx(np.abs(left).mean() + 1.98 * spread, abs=unit)
    assert root == pytest.approx(np.sqrt(np.mean(left**2)), abs=unit / 2)
    assert said == pytest.approx(mean, rel=0.05)
    assert without == pytest.approx(np.abs(test.y - mean).mean(), abs=unit / 2)


def test_a_metric_that_is_read_upwards_is_shown_so() -> None:
    study = learn(nv.read(rows_of(900)), "late", learners=["naive-bayes"], folds=3, jobs=1, metric="auc")
    test = study.question.test
    assert test is not None
    scores = study.best_.predict_proba(test.X)[:, 1]
    yes, no = scores[test.y == "yes"], scores[test.y == "no"]
    area = np.mean((yes[:, None] > no[None, :]) + 0.5 * (yes[:, None] == no[None, :]))
    words = sentence(study, "Its AUC is")
    assert numbers(words)[0] == pytest.approx(area, abs=0.006)
    assert "higher is better" in words
    header, rows = study.table()
    assert header[1] == "AUC"
    assert float(rows[0][1]) == pytest.approx(1 - study.leaderboard[0].error, abs=1e-3)


# --- the choice --------------------------------------------------------------------------------------------------


def errors_by_size(study: Study) -> list[tuple[float, float, Any]]:
    """Mean error, mean parameters and label of every cell that was measured in all folds."""
    return [(float(np.mean(one.fold_errors)), one.n_parameters, one) for one in study.cells if one.status == "finished"]


def test_the_least_error_and_the_simplest_are_those_of_all_cells(trains: Study) -> None:
    cells = errors_by_size(trains)
    least, _, best = min(cells, key=lambda one: (one[0], one[1]))
    spread = np.std(best.fold_errors, ddof=1) / 2  # four folds
    near = [one for one in cells if one[0] <= least + spread]
    fewest = min(n for _, n, _ in near)
    wanted = min((one for one in near if one[1] <= 2 * fewest), key=lambda one: (one[0], one[1]))[2]
    assert trains.choice.entry.label == wanted.label
    assert trains.reason.startswith(f"{wanted.label} is chosen")
    assert with_spread(best, trains.question.metric) in trains.reason
    if "the simplest within" in trains.reason:
        assert wanted.n_parameters == fewest


def test_the_best_of_the_simplest_is_not_called_the_simplest(trains: Study) -> None:
    one = replace(trains.choice.entry, n_parameters=10.0, error=0.22, standard_error=0.01)
    entries = [
        replace(one, learner="naive-bayes", name="Small", n_parameters=6.0, error=0.23, size=None),
        replace(one, name="Middle", size=None),
        replace(one, learner="svc", name="Large", n_parameters=100.0, error=0.215, standard_error=0.02, size=None),
    ]
    taken = choice(entries, "one_se", "classification", trains.question.metric)
    assert taken.entry.name == "Middle"
    assert "the best of the simplest within one standard error" in taken.reason
    alone = choice(entries[:1], "one_se", "classification", trains.question.metric)
    assert alone.reason.endswith("no other learner finished.")


def test_the_other_rule_would_choose_the_least_error(trains: Study) -> None:
    least = min(errors_by_size(trains), key=lambda one: (one[0], one[1]))[2]
    [words] = [one for one in facts(Reading(trains)) if one.startswith("The other rule")]
    if least is trains.choice.entry:
        assert words.endswith("would choose the same.")
    else:
        assert f"would choose {least.label}, {with_spread(least, trains.question.metric)}." in words


def test_rivals_within_one_standard_error_are_named(trains: Study) -> None:
    best = trains.choice.best
    limit = np.mean(best.fold_errors) + np.std(best.fold_errors, ddof=1) / 2
    near = [
        one.label
        for one in trains.leaderboard
        if np.mean(one.fold_errors) <= limit and one.label != trains.choice.entry.label
    ]
    [words] = [one for one in facts(Reading(trains)) if "within one standard error of the least" in one][:1]
    assert all(label in words for label in near)
    assert words.startswith("Also" if near else "No other")


def test_the_page_says_on_how_many_rows_the_model_was_fitted(trains: Study) -> None:
    for n, study in ((720, trains), (500, replace(trains, n_fitted=500))):
        first = next(block for block in model(Reading(study)) if isinstance(block, Paragraph))
        assert f"fitted on {n} rows" in first.text


# --- what matters, what is wrong -----------------------------------------------------------------------------------


def test_what_matters_most_is_what_permuting_makes_worse(trains: Study) -> None:
    reading = Reading(trains)
    assert isinstance(reading.matters, Importance)
    test = trains.question.test
    assert test is not None
    frame, rng = test.X.to_pandas(), np.random.default_rng(3)
    before, rise = np.mean(trains.best_.predict(frame[["x", "noise"]]) != test.y), {}
    for name in ("x", "noise"):
        worse = []
        for _ in range(30):
            changed = frame[["x", "noise"]].copy()
            changed[name] = rng.permutation(changed[name].to_numpy())
            worse.append(np.mean(trains.best_.predict(changed) != test.y) - before)
        rise[name] = max(float(np.mean(worse)), 0.0)
    words = most_important(reading.matters)
    assert words.startswith("What matters most is ‘x’, with ")
    assert numbers(words)[0] == pytest.approx(100 * rise["x"] / sum(rise.values()), abs=6)
    assert "‘noise’" not in words


def test_the_rows_that_are_most_wrong_are_those_farthest_off(houses: Study) -> None:
    answers = houses.out_of_fold
    [said] = [block for block in wrong_rows(Reading(houses)) if isinstance(block, TableBlock)]
    off = np.abs(answers.y - answers.prediction)
    wanted = np.sort(off)[::-1][:ROWS]
    assert [row[3] for row in said.rows] == pytest.approx(list(wanted))
    assert [row[1] for row in said.rows] == pytest.approx(list(answers.y[np.argsort(-off)[:ROWS]]))


def test_the_number_of_a_row_leads_to_it_in_the_table_that_was_read() -> None:
    frame = rows_of(300)
    frame.loc[[5, 50, 51], "late"] = None  # which are left out
    study = learn(nv.read(frame), "late", learners=["naive-bayes"], folds=3, jobs=1)
    for answers, rows in ((study.out_of_fold, study.question.train), (study.on_test, study.question.test)):
        assert answers is not None
        assert rows is not None
        assert answers.numbers is not None
        there = frame.iloc[answers.numbers - 1]
        assert there["late"].tolist() == answers.y.tolist()
        assert there["x"].tolist() == rows.X.take(answers.places).to_pandas()["x"].tolist()


def test_of_classes_the_surest_mistakes_come_first(trains: Study) -> None:
    answers = trains.out_of_fold
    worst = most_wrong(answers, "classification")
    wrong = answers.prediction != answers.y
    given = answers.probability[np.arange(len(answers)), (answers.y == "yes").astype(int)]
    assert wrong[worst].all()
    assert given[worst].tolist() == sorted(given[wrong])[:ROWS]


# --- probabilities and intervals -----------------------------------------------------------------------------------


def test_probabilities_that_come_true_are_said_to(trains: Study) -> None:
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    true = rng.random(4000) < p
    assert "can be taken as they are" in calibration_sentence(reliability(true, p, True))
    words = calibration_sentence(reliability(true, p**3, True))
    n, said, came = numbers(words)
    inside = np.abs(np.digitize(p**3, np.quantile(p**3, np.linspace(0, 1, 11)[1:-1])))
    gaps = [abs(true[inside == k].mean() - (p**3)[inside == k].mean()) for k in range(10)]
    worst = int(np.argmax(gaps))
    assert n == pytest.approx((inside == worst).sum(), abs=1)
    assert came == pytest.approx(100 * true[inside == worst].mean(), abs=1)
    assert said == pytest.approx(100 * (p**3)[inside == worst].mean(), abs=1)


def test_few_rows_of_a_bin_do_not_show_that_probabilities_fail() -> None:
    """One miss in 13 rows at 99.5% comes in 6 bins of 100, and ten bins were looked at."""
    p = np.repeat([0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.995], 13)
    came = [1, 3, 5, 6, 8, 10, 12]
    true = np.concatenate([np.arange(13) < count for count in came])
    assert "can be taken as they are" in calibration_sentence(calibration(true, p, True, bins=7))
    true[-6:] = False  # which chance does not explain
    assert "do not come true everywhere: of 13 rows" in calibration_sentence(calibration(true, p, True, bins=7))


def test_one_interval_is_given_for_one_number(houses: Study) -> None:
    test = houses.test
    assert test is not None
    reading = Reading(houses)
    [first] = [cell for block in opening(reading) if isinstance(block, Facts) for name, cell in block.pairs
               if "test rows" in name]  # fmt: skip
    cells = {str(row[0]): row[2] for row in measures(reading).rows}
    assert cells["root mean squared error (RMSE)"] == first
    areas = learn(nv.read(rows_of(300)), "late", learners=["naive-bayes"], folds=3, jobs=1, metric="auc")
    assert areas.test is not None
    cells = {str(row[0]): row[2] for row in measures(Reading(areas)).rows}
    [area] = [cell for name, cell in cells.items() if name.startswith("AUC")]
    assert area == with_interval(1 - areas.test.error, 1 - areas.test.high, 1 - areas.test.low)


def test_a_test_error_that_is_better_than_promised_is_no_warning(trains: Study) -> None:
    test, promised = trains.test, trains.choice.entry.error
    assert test is not None
    for error, is_warning in ((promised / 2, False), (promised * 2, True)):
        verdict = replace(test, error=error, surprising=True, sentence="This is the verdict.")
        reading = Reading(replace(trains, test=verdict))
        assert (verdict.sentence in warnings(reading)) is is_warning
        shown = [block for block in opening(reading) if getattr(block, "text", "") == verdict.sentence]
        assert [type(block) for block in shown] == [Alert if is_warning else Paragraph]


def test_warnings_that_are_counted_are_those_that_are_shown(trains: Study) -> None:
    found = (Finding("leak", "A column gives it away.", gravity="warning"), Finding("few", "Rows are few."))
    reading = Reading(replace(trains, findings=found, stopped="Time was up."))
    shown = [block for block in findings(reading) if isinstance(block, Alert)]
    assert f"{len(shown)} warnings are among what to beware of: acting on them may change everything." in facts(reading)


def test_the_coverage_of_the_interval_is_counted_in_the_test_rows(houses: Study) -> None:
    test = houses.question.test
    assert test is not None
    ends = houses.best_.predict_interval(test.X)
    inside = np.mean((test.y >= ends[:, 0]) & (test.y <= ends[:, 1]))
    reading = Reading(houses)
    [words] = [
        block.text
        for block in number_mistakes(reading, houses.out_of_fold)
        if isinstance(block, Paragraph) and "predict_interval" in block.text
    ]
    assert words.endswith(f"Of {len(test)} test rows {inside:.1%} were.")
    residuals = houses.out_of_fold.y - houses.out_of_fold.prediction
    interval = houses.best_.interval_
    assert np.mean((residuals >= interval.below) & (residuals <= interval.above)) == pytest.approx(0.9, abs=0.01)


def test_why_a_learner_is_left_out_is_said_once(trains: Study) -> None:
    late = replace(trains.leaderboard[-1], status="left out", note="left out because time was short: too slow")
    study = replace(trains, leaderboard=(*trains.leaderboard[:-1], late))
    board = study.leaderboard
    assert board.table()[1][-1][-1] == "left out because time was short: too slow"
    assert board.remarks == [f"Left out because time was short: {late.name} (too slow)."]
