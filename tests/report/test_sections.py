"""What the sections say: numbers from the study, sentences for what is left out."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import sem

import novacula as nv
from novacula.evaluate import Loss
from novacula.report.blocks import FoldedBlock, Paragraph, Points, TableBlock, number
from novacula.report.reading import Reading
from novacula.report.sections.change import change, more_rows
from novacula.report.sections.class_mistakes import class_mistakes
from novacula.report.sections.mistakes import measures, mistakes
from novacula.report.sections.opening import opening
from novacula.report.sections.parts import parts
from novacula.report.sections.reproduce import call, share
from novacula.report.sections.sizes import SizePath, mean_and_spread
from novacula.report.sections.standing import leaderboard, remarks, standing
from novacula.study import Study, learn


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
    return replace(study, leaderboard=tuple(entries.values()), choice=taken)


def test_the_leaderboard_has_the_numbers_of_the_study(iris: Study) -> None:
    table = leaderboard(Reading(iris))
    assert [row[2] for row in table.rows] == [entry.error for entry in iris.leaderboard]
    marked = [row[0] for row in table.rows if str(row[0]).endswith("✓")]
    assert marked == [f"{iris.choice.entry.name} ✓"]
    assert list(table.right) == [False, False, True, True, True, True, True, False]


def test_the_choice_is_compared_with_the_baseline_fold_by_fold(iris: Study) -> None:
    said = text(standing(Reading(iris)))
    plurality = next(one for one in iris.leaderboard if one.name == "Plurality")
    gap = np.mean(iris.choice.entry.fold_errors - plurality.fold_errors)
    assert f"{iris.choice.entry.label} minus that of Plurality is {number(gap)} over 3 paired scores" in said


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
    assert str(table.rows[0][1]).startswith(f"{number(iris.choice.entry.error)} (")
    assert iris.test is not None
    assert str(table.rows[0][2]).startswith(f"{number(iris.test.error)} ({number(iris.test.low)} to ")


def test_measures_of_numbers(diabetes: Study) -> None:
    rows = {str(name): str(cell) for name, cell, _ in measures(Reading(diabetes)).rows}
    said = diabetes.out_of_fold
    left = said.y - said.prediction
    assert rows["mean squared error"].startswith(number(np.mean(left**2)))
    assert rows["its square root, in units of the target"] == number(np.sqrt(np.mean(left**2)))
    assert rows["mean absolute error"].startswith(number(np.mean(np.abs(left))))
    explained = next(cell for name, cell in rows.items() if name.startswith("R²"))
    assert explained == number(1 - np.mean(left**2) / np.var(said.y))


def test_slow_learners_are_left_out_with_a_reason(iris: Study) -> None:
    reading = Reading(slow(iris))
    assert "What follows is about the test rows" in text(mistakes(reading))
    assert "is left out: 20 fits would take about" in text(parts(reading))
    assert more_rows(reading) is None
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
    assert [row[0] for row in measures(reading).rows] == ["error rate", "log loss", "Brier score"]
    assert "No rows were put aside for a test" in text(opening(reading))
    assert grids(change(reading)) == []


def test_other_costs_move_the_threshold(nasty: Study) -> None:
    costs, *_ = grids(change(Reading(nasty)))
    found, alarms = (np.array([row[k] for row in costs.rows], float) for k in (2, 3))
    assert (np.diff(found) <= 0).all()  # the dearer a false alarm, the fewer are called so
    assert (np.diff(alarms) <= 0).all()
    assert found[0] > found[-1]


def test_a_rare_class_is_reported(iris: Study) -> None:
    y = np.array(["common"] * 115 + ["rare"] * 5, object)
    study = replace(iris, question=replace(iris.question, train=replace(iris.question.train, y=y)))
    said = text(change(Reading(slow(study))))
    assert "‘rare’ is 4.167% of the rows" in said


def test_means_of_sizes_are_over_the_folds_that_were_run() -> None:
    errors = np.array([[0.5, 0.4, 0.6, np.nan], [0.1, 0.2, 0.3, 0.2], [0.7, np.nan, np.nan, np.nan]])
    mean, spread = mean_and_spread(errors)
    assert mean == pytest.approx([0.5, 0.2, 0.7])
    assert spread == pytest.approx([sem([0.5, 0.4, 0.6]), sem([0.1, 0.2, 0.3, 0.2]), 0.0])


def test_sizes_given_up_early_are_drawn_hollow_and_counted(nasty: Study) -> None:
    entry = next(one for one in nasty.leaderboard if one.name == "Logistic regression")
    curve = np.array(entry.curve)
    curve[0, 2:] = np.nan
    path = SizePath(replace(entry, curve=curve), "error")
    assert not path.whole[0]
    assert path.early().startswith("Hollow points: one size was not run in every fold")
    endless = np.array(entry.curve)
    endless[0, 0] = np.inf
    assert len(SizePath(replace(entry, curve=endless), "error").names) == len(entry.sizes) - 1


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
    own = Loss("zero_one", "labels", lambda y, prediction, _: (y != prediction).astype(float))
    assert "metric=metric,  # as it was given" in call(
        Reading(replace(iris, question=replace(iris.question, metric=own)))
    )


def test_shares_give_their_part_back() -> None:
    for whole in range(1, 120):
        for part in range(whole):
            assert round(share(part, whole) * whole) == part
