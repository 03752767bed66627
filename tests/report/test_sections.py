"""What the sections say: numbers from the study, sentences for what is left out."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem

import novacula as nv
from novacula.evaluate import Loss, metric
from novacula.evaluate.learning_curve import LearningCurve
from novacula.report.blocks import FoldedBlock, Fragment, Paragraph, Points, TableBlock, number
from novacula.report.reading import Reading
from novacula.report.sections.change import change, more_rows, outlook
from novacula.report.sections.class_mistakes import class_mistakes
from novacula.report.sections.costs import costs
from novacula.report.sections.data import kinds_in_words, missing_in_words
from novacula.report.sections.mistakes import measures, mistakes
from novacula.report.sections.model import model
from novacula.report.sections.opening import opening
from novacula.report.sections.parts import parts
from novacula.report.sections.reproduce import call, reproduce, share
from novacula.report.sections.sizes import SizePath, mean_and_spread, sizes, without_curve
from novacula.report.sections.standing import leaderboard, remarks, standing
from novacula.report.sections.wrong_rows import wrong_rows
from novacula.study import Study, learn
from novacula.study.clock import Clock
from novacula.study.leaderboard import with_interval
from novacula.table.schema import Column


def text(blocks: Any) -> str:
    """The sentences of blocks."""
    said: list[str] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            said.append(block.text)
        elif isinstance(block, Points):
            said += block.items
        elif isinstance(block, FoldedBlock):
            said.append(text(block.blocks))
    return " ".join(said)


def grids(blocks: Any) -> list[TableBlock]:
    return [block for block in blocks if isinstance(block, TableBlock)]


def slow(study: Study) -> Study:
    """The same study, had every fit taken a hundred seconds."""
    entries = {id(one): replace(one, fit_seconds=100.0) for one in study.leaderboard}
    taken = replace(study.choice, entry=entries[id(study.choice.entry)], best=entries[id(study.choice.best)])
    return replace(study, leaderboard=tuple(entries.values()), choice=taken, answers=None)


def test_the_leaderboard_has_the_numbers_of_the_study(iris: Study) -> None:
    table = leaderboard(Reading(iris))
    assert [float(str(row[2])) for row in table.rows] == pytest.approx(
        [one.error for one in iris.leaderboard], abs=5e-4
    )
    marked = [row[0] for row in table.rows if str(row[0]).endswith("✓")]
    assert marked == [f"{iris.choice.entry.name} ✓"]
    assert list(table.right)[1:] == [False, True, True, True, True, True, True]


def test_the_choice_is_compared_with_the_baseline_fold_by_fold(iris: Study) -> None:
    said = text(standing(Reading(iris)))
    plurality = next(one for one in iris.leaderboard if one.name == "Plurality")
    gap = np.mean(iris.choice.entry.fold_errors - plurality.fold_errors)
    wanted = (
        f"the error rate of {iris.choice.entry.label} minus that of Plurality is {number(gap)} over 3 paired scores"
    )
    assert wanted in said


def test_infinite_errors_are_reported_and_not_compared(iris: Study) -> None:
    reading = Reading(iris)
    endless = replace(iris.choice.entry, fold_errors=np.array([0.1, np.inf, 0.2]))
    study = replace(iris, choice=replace(iris.choice, entry=endless))
    assert "cannot be compared: in a fold one of them is infinite" in text(standing(Reading(study)))
    assert text(standing(reading)) != ""


def test_remarks_come_once_under_the_name_of_their_learner(iris: Study) -> None:
    entries = (
        replace(iris.leaderboard[0], note=f"{iris.leaderboard[0].name}: it wavered"),
        replace(iris.leaderboard[1], status="failed", note="it broke"),
    )
    assert list(remarks(Reading(replace(iris, leaderboard=entries)))) == [
        f"{entries[0].name}: it wavered",
        f"{entries[1].name} failed: it broke",
    ]


def test_out_of_fold_mistakes_are_those_of_the_folds(iris: Study) -> None:
    # Three folds of 40 rows: the mean of their errors is the share of all rows that are wrong.
    table = measures(Reading(iris))
    assert table.header == ("measure", "training rows, out of fold (120)", "test rows (30)")
    wrong = {str(name): cells for name, *cells in table.rows}["error rate, the share that is wrong"]
    assert iris.test is not None
    for cell, error in zip(wrong, (iris.choice.entry.error, iris.test.error), strict=True):
        assert float(str(cell).partition(" ")[0]) == pytest.approx(error, abs=1e-3)
    assert str(wrong[1]) == with_interval(iris.test.error, iris.test.low, iris.test.high)


def test_measures_of_numbers(diabetes: Study) -> None:
    rows = {str(name): str(cell) for name, cell, _ in measures(Reading(diabetes)).rows}
    said = diabetes.out_of_fold
    left = said.y - said.prediction
    wanted = {
        "root mean squared error (RMSE)": np.sqrt(np.mean(left**2)),
        "mean absolute error (MAE)": np.mean(np.abs(left)),
        "median absolute error: half of the rows are nearer": np.median(np.abs(left)),
        "R², the share of the variance that is explained (higher is better)": 1 - np.mean(left**2) / np.var(said.y),
    }
    assert set(rows) == set(wanted)
    for name, value in wanted.items():
        middle, low, high = (float(one) for one in re.findall(r"-?[\d.]+", rows[name].replace(",", "")))
        assert middle == pytest.approx(value, rel=1e-2)
        assert low < value < high


def test_intervals_of_measures_hold_what_resampling_finds(diabetes: Study) -> None:
    rows = {str(name): str(cell) for name, cell, _ in measures(Reading(diabetes)).rows}
    said, rng = diabetes.out_of_fold, np.random.default_rng(0)
    drawn = rng.integers(len(said), size=(1000, len(said)))
    y, left = said.y[drawn], (said.y - said.prediction)[drawn]
    again = 1 - (left**2).mean(axis=1) / y.var(axis=1)
    cell = next(cell for name, cell in rows.items() if name.startswith("R²"))
    _, low, high = (float(one) for one in re.findall(r"-?[\d.]+", cell))
    assert np.quantile(again, [0.025, 0.975]) == pytest.approx([low, high], abs=0.03)


def test_slow_learners_are_left_out_with_a_reason(iris: Study) -> None:
    reading = Reading(slow(iris))
    assert "What follows is about the test rows" in text(mistakes(reading))
    assert "fitted 20 times, is left out, since it would take about 3,000 s." in text(parts(reading))
    assert "What more rows would bring is left out, since it would take about" in text(more_rows(reading))
    untested = Reading(replace(slow(iris), question=replace(iris.question, test=None)))
    assert "nothing to say about single mistakes" in text(mistakes(untested))


def test_a_learner_that_cannot_be_refitted_costs_its_own_part_only(iris: Study) -> None:
    tree = next(one for one in iris.leaderboard if one.learner == "decision-tree-classifier")
    broken = replace(tree, size=-1)  # leaves
    entries = tuple(broken if one is tree else one for one in iris.leaderboard)
    blocks = list(parts(Reading(replace(iris, leaderboard=entries))))
    assert "since it could not be fitted on a sample" in text(blocks)
    assert [row[0] for row in grids(blocks)[0].rows] == [one.label for one in entries if one is not broken]


def test_a_blind_choice_is_not_ranked(blind: Study) -> None:
    reading = Reading(blind)
    said = reading.answers
    assert said is not None
    assert "predicts the same for every row" in text(class_mistakes(reading, said))
    assert not [row[0] for row in measures(reading).rows if "AUC" in str(row[0])]
    assert "No rows were put aside for a test" in text(opening(reading))
    assert grids(costs(reading)) == []


def test_other_costs_move_the_threshold(nasty: Study) -> None:
    [table] = grids(costs(Reading(nasty)))
    found, alarms = (np.array([str(row[k]).rstrip("%") for row in table.rows], float) for k in (2, 3))
    assert (np.diff(found) <= 0).all()  # the dearer a false alarm, the fewer are called so
    assert (np.diff(alarms) <= 0).all()
    assert found[0] > found[-1]


def test_a_rare_class_is_reported(iris: Study) -> None:
    y = np.array(["common"] * 115 + ["rare"] * 5, object)
    study = replace(iris, question=replace(iris.question, train=replace(iris.question.train, y=y)))
    said = text(change(Reading(slow(study))))
    assert "‘rare’ is 4.2% of the rows" in said
    even = replace(iris.question.train, y=np.array([f"class {k % 30}" for k in range(120)], object))
    many = replace(iris, question=replace(iris.question, train=even))  # each is 3.3% of the rows
    assert "hardly change" not in text(change(Reading(slow(many))))


def test_why_there_is_no_curve_over_sizes(nasty: Study) -> None:
    entry = next(one for one in nasty.leaderboard if one.name == "Logistic regression")
    assert without_curve(replace(entry, sizes=())) == "Logistic regression has only one size."
    words = without_curve(entry)
    assert words.startswith(f"Of the {len(entry.sizes)} sizes of Logistic regression only C = ")
    alone = np.full_like(entry.curve, np.nan)
    alone[-1] = 0.25
    single = replace(entry, curve=alone)
    others = [one for one in nasty.leaderboard if one is not entry]
    study = replace(nasty, leaderboard=(single, *others), choice=replace(nasty.choice, entry=single))
    assert words in text(sizes(Reading(study)))


def test_only_learners_that_were_fitted_are_said_to_be(iris: Study) -> None:
    assert text(standing(Reading(iris))).startswith("Every learner was fitted 3 times")
    late = replace(iris.leaderboard[-1], status="left out", note="left out because time was short")
    study = replace(iris, leaderboard=(*iris.leaderboard[:-1], late))
    assert text(standing(Reading(study))).startswith("Every learner with an error was fitted 3 times")
    assert f"{late.name} did not finish or was left out" in text(change(Reading(slow(study))))


def test_nothing_is_hoped_for_where_no_error_is_left() -> None:
    validation = np.array([[0.2, 0.3], [0.1, 0.2], [0.1, 0.1], [0.0, 0.0]])
    curve = LearningCurve("examples", (10, 20, 30, 40), validation, validation, "zero_one")
    assert outlook(curve).endswith("goes from 0.15 to 0: there is nothing left that more rows could bring.")
    less = LearningCurve("examples", (10, 20, 30, 40), validation + 0.05, validation + 0.05, "zero_one")
    assert "more rows may help" in outlook(less)


def test_a_study_with_a_budget_is_not_promised_to_repeat(iris: Study) -> None:
    def promise(budget: float | None) -> str:
        return text(reproduce(Reading(replace(iris, clock=Clock(budget)))))

    assert promise(None).startswith("The same table, seed and versions give the same numbers, except times. The call:")
    assert "within its budget a slower or busier machine tries fewer learners, sizes and rows" in promise(30.0)
    assert "budget=30.0," in call(Reading(replace(iris, clock=Clock(30.0))))


def test_missing_values_are_counted_by_column() -> None:
    def words(*missing: int) -> str:
        columns = [Column(f"c{j}", "numeric", missing=count) for j, count in enumerate(missing)]
        return missing_in_words(columns, 200)

    assert words(0, 0) == "No value is missing."
    assert words(0, 10) == "10 values are missing, in ‘c1’ only: 5.0% of the rows."
    assert words(1) == "1 value is missing, in ‘c0’ only: 0.5% of the rows."
    assert words(40, 55, 42) == "137 values are missing, in 3 columns; ‘c1’ lacks the most, 55: 28% of the rows."


def test_numbers_have_the_digits_that_they_deserve(iris: Study) -> None:
    assert [number(one) for one in (5361.0, 18170.0, 5361, 0.041666)] == ["5,361", "18,170", "5,361", "0.04167"]
    table = TableBlock(("", "variance", "note"), (("a", "740 million", "x"), ("b", "20.93 billion", "y")), "")
    assert list(table.right) == [False, True, False]
    said = iris.out_of_fold
    sure = np.asarray(said.y)[:, None] == np.asarray(said.classes)[None, :]
    nearly = np.abs(sure - np.linspace(1e-16, 9e-14, sure.size).reshape(sure.shape))
    untested = replace(iris.question, test=None)
    study = replace(iris, answers=replace(said, probability=nearly), best_=None, question=untested)
    cells = {str(row[0]): row[1] for row in measures(Reading(study)).rows}
    assert cells["log loss (lower is better)"] == "0 (0 to 0)"


def test_what_is_for_testers_is_not_on_the_card(iris: Study) -> None:
    assert "expected failures" in iris.best_.card._repr_html_() or not iris.best_.card.expected_failures
    [card] = [
        inner.html
        for block in model(Reading(iris))
        if isinstance(block, FoldedBlock) and "card" in block.title
        for inner in block.blocks
        if isinstance(inner, Fragment)
    ]
    assert "expected failures" not in card


def test_a_size_that_is_a_word_is_explained(iris: Study) -> None:
    named = replace(iris.choice.entry, size_name="structure", size="tan")
    said = text(model(Reading(replace(iris, choice=replace(iris.choice, entry=named)))))
    assert "each column may depend on one other beside the class" in said


def test_values_of_rows_are_as_the_file_has_them() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"year": rng.integers(1900, 2020, 90), "share": rng.normal(size=90).round(2)})
    frame["y"] = frame["year"] / 10 + rng.normal(size=90)
    study = learn(nv.read(frame), "y", learners=["linear-regression"], folds=3, jobs=1)
    blocks = list(wrong_rows(Reading(study)))
    assert "training rows, each predicted by a model without it, it is most wrong on these" in text(blocks)
    [table] = grids(blocks)
    years = {row[table.header.index("year")] for row in table.rows}
    assert years <= set(map(str, frame["year"]))


def test_classes_are_told_apart_in_the_rows_that_are_most_wrong() -> None:
    rng = np.random.default_rng(0)
    names = np.array([f"product line {k:02d} / region" for k in range(8)])
    kind = rng.integers(0, 8, 240)
    frame = pd.DataFrame({"x": kind + rng.normal(size=240), "product": names[kind]})
    study = learn(nv.read(frame), "product", learners=["naive-bayes"], folds=3, jobs=1, rule="min")
    [table] = grids(wrong_rows(Reading(study)))
    true = [str(row[1]).partition(" (")[0] for row in table.rows]
    assert set(true) <= {f"…{k:02d} / region" for k in range(8)}


def test_kinds_of_columns_are_counted_in_english() -> None:
    columns = [Column("a", "numeric"), Column("b", "numeric"), Column("c", "categorical", ("x",))]
    assert kinds_in_words(columns) == "2 numeric columns and 1 categorical column."


def test_means_of_sizes_are_over_the_folds_that_were_run() -> None:
    errors = np.array([[0.5, 0.4, 0.6, np.nan], [0.1, 0.2, 0.3, 0.2], [0.7, np.nan, np.nan, np.nan]])
    mean, spread = mean_and_spread(errors)
    assert mean == pytest.approx([0.5, 0.2, 0.7])
    assert spread == pytest.approx([sem([0.5, 0.4, 0.6]), sem([0.1, 0.2, 0.3, 0.2]), 0.0])


def test_sizes_given_up_early_are_drawn_hollow_and_counted(nasty: Study) -> None:
    entry = next(one for one in nasty.leaderboard if one.name == "Logistic regression")
    curve = np.array(entry.curve)
    curve[0, 2:] = np.nan
    path = SizePath(replace(entry, curve=curve), nasty.question.metric)
    assert not path.whole[0]
    assert path.early().startswith("Hollow points: one size was not run in every fold")
    endless = np.array(entry.curve)
    endless[0, 0] = np.inf
    assert len(SizePath(replace(entry, curve=endless), nasty.question.metric).names) == len(entry.sizes) - 1


def test_the_call_makes_the_same_study_again(iris: Study, nasty: Study) -> None:
    code = call(Reading(iris))
    room: dict[str, Any] = {"nv": SimpleNamespace(learn=learn), "table": nv.datasets.load("iris")}
    exec(code.replace("import novacula as nv", ""), room)  # which must not hide the stand-in
    again = room["study"]
    assert again.question.fingerprint == iris.question.fingerprint
    assert [(one.learner, one.error) for one in again.leaderboard] == [
        (one.learner, one.error) for one in iris.leaderboard
    ]
    compile(call(Reading(nasty)), "the call", "exec")
    own = metric(Loss("mine", "labels", lambda y, prediction, _: (y != prediction).astype(float)))
    assert "metric=metric,  # as it was given" in call(
        Reading(replace(iris, question=replace(iris.question, metric=own)))
    )


def test_shares_give_their_part_back() -> None:
    for whole in range(1, 120):
        for part in range(whole):
            assert round(share(part, whole) * whole) == part
