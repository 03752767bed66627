"""The section on what the chosen model looks at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.explain import Importance, importance, surrogate
from novacula.linear import LinearRegression
from novacula.report import mattering
from novacula.report.blocks import Code, FigureBlock, FigureRow, FoldedBlock, Paragraph, TableBlock
from novacula.report.reading import Reading
from novacula.report.sections import seeing as section
from novacula.report.sections.seeing import seeing
from novacula.study import Study, learn


def words(blocks: Any) -> str:
    return " ".join(block.text for block in blocks if isinstance(block, Paragraph))


@pytest.fixture(scope="module")
def neighbours() -> Study:
    """A choice that is hard to read."""
    return learn(nv.datasets.load("wine"), learners=["k-neighbors-classifier"], folds=3, jobs=1)


def test_importance_is_that_of_the_chosen_model(iris: Study) -> None:
    found = list(seeing(Reading(iris)))
    [table] = [inner for block in found if isinstance(block, FoldedBlock) for inner in block.blocks][:1]
    assert isinstance(table, TableBlock)
    loss = iris.question.metric.loss
    wanted = importance(iris.best_, iris.question.train.X, repeats=mattering.REPEATS, metric=loss)
    assert table.rows == wanted.table().rows
    assert "training rows, which the model has seen" in words(found)


def test_of_one_column_the_importance_is_a_sentence() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    study = learn(
        nv.read(pd.DataFrame({"x": x, "y": x + 0.1 * rng.normal(size=200)})), "y", learners=["ridge"], folds=3
    )
    reading = Reading(study)
    assert isinstance(reading.matters, Importance)
    said = words(seeing(reading))
    assert said.startswith("It has one column, ‘x’: where its values are permuted over the rows, the mean absolute")
    found = float(said.partition(" by ")[2].partition(" (")[0])
    assert found == pytest.approx(reading.matters.rise[0], abs=reading.matters.error[0])
    assert not [block for block in seeing(reading) if isinstance(block, FoldedBlock) and "table" in block.title]


def test_the_dependence_of_what_matters_is_drawn(iris: Study) -> None:
    [row] = [block for block in seeing(Reading(iris)) if isinstance(block, FigureRow)]
    assert 1 <= len(row.pictures) <= section.DRAWN


def test_a_model_that_is_hard_to_read_gets_a_tree_beside_it(neighbours: Study) -> None:
    found = list(seeing(Reading(neighbours)))
    assert "is hard to read" in words(found)
    assert any(
        "of the variance" in b.caption or "agrees with" in b.caption for b in found if isinstance(b, FigureBlock)
    )


@pytest.mark.parametrize("agreement", [0.05, 0.9999])
def test_a_tree_that_says_no_more_than_a_constant_is_not_shown(
    neighbours: Study, monkeypatch: pytest.MonkeyPatch, agreement: float
) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3000, 2000)

    def useless(model: Any, X: Any, **how: Any) -> Any:
        noise = rng.normal(size=(400, 2))
        return surrogate(LookUp(), noise, agreement=agreement, max_leaves=4)

    class LookUp:
        classes_ = np.array(["a", "b"])

        def predict(self, X: Any) -> Any:
            return self.classes_[codes[: len(X)] % 2]

    monkeypatch.setattr(section, "surrogate", useless)
    found = list(seeing(Reading(neighbours)))
    assert "No small tree says much of it: the best agrees with it on" in words(found)
    assert not any("agrees with the model" in block.caption for block in found if isinstance(block, FigureBlock))


def test_a_tree_needs_no_tree_beside_it() -> None:
    study = learn(nv.datasets.load("wine"), learners=["decision-tree-classifier"], folds=3, jobs=1)
    assert "is hard to read" not in words(seeing(Reading(study)))


def test_what_takes_too_long_is_left_out(neighbours: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reading, "seconds_per_row", 10.0)
    said = words(seeing(Reading(neighbours)))
    assert said.startswith("What the model looks at is left out, since it would take about 15,000 s.")
    assert "A tree that says nearly the same is left out, since it would take about" in said


def test_of_many_columns_those_that_go_with_the_answers_are_permuted(
    neighbours: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All thirteen columns of thirty rows would take longer than four seconds, and ten of them do not."""
    monkeypatch.setattr(Reading, "seconds_per_row", mattering.PATIENCE / (mattering.REPEATS * mattering.FEWEST * 11.5))
    reading = Reading(neighbours)
    assert isinstance(reading.matters, Importance)
    assert len(reading.matters.names) == 11
    assert "Of 13 columns the 11 that go most with the answers were permuted" in words(seeing(reading))
    rows = neighbours.question.train
    by_hand = {}
    answers = neighbours.best_.predict_proba(rows.X)
    frame = rows.X.to_pandas()
    for name in neighbours.best_.schema_.column_names():
        by_hand[name] = max(abs(np.corrcoef(frame[name], answers[:, k])[0, 1]) for k in range(3))
    wanted = sorted(by_hand, key=lambda name: -by_hand[name])
    assert mattering.most_related(neighbours.best_, rows, 5) == wanted[:5]


def test_of_many_categories_the_lowest_and_the_highest_are_drawn() -> None:
    rng = np.random.default_rng(0)
    city = rng.integers(0, 30, 600)
    frame = pd.DataFrame({"city": [f"c{code:02d}" for code in city], "y": city + rng.normal(size=600)})
    study = learn(nv.read(frame), "y", learners=["decision-tree-regressor"], folds=3, jobs=1)
    [row] = [block for block in seeing(Reading(study)) if isinstance(block, FigureRow)]
    assert "moves with city, the lowest and the highest of 30" in row.pictures[0].svg


def test_a_choice_that_uses_no_column_is_not_seen_into(iris: Study) -> None:
    reading = Reading(iris)
    assert reading.baseline is not None
    blind = Reading(replace(iris, choice=replace(iris.choice, entry=reading.baseline)))
    assert "uses no column" in words(seeing(blind))


def test_a_tree_that_is_too_large_to_be_drawn_is_text() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    large = surrogate(LinearRegression().fit(X, X.sum(axis=1)), X)
    assert large.n_leaves > section.LEAVES
    sentence, folded, _ = section.blocks_of(large)
    assert isinstance(sentence, Paragraph)
    assert isinstance(folded, FoldedBlock)
    assert isinstance(folded.blocks[0], Code)
