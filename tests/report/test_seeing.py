"""The section on what the chosen model looks at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import novacula as nv
from novacula.explain import importance, surrogate
from novacula.linear import LinearRegression
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
    wanted = importance(iris.best_, iris.question.train.X, repeats=section.REPEATS, metric=iris.question.metric)
    assert table.rows == wanted.table().rows
    assert "training rows, which the model has seen" in words(found)


def test_the_dependence_of_what_matters_is_drawn(iris: Study) -> None:
    [row] = [block for block in seeing(Reading(iris)) if isinstance(block, FigureRow)]
    assert 1 <= len(row.pictures) <= section.DRAWN


def test_a_model_that_is_hard_to_read_gets_a_tree_beside_it(neighbours: Study) -> None:
    found = list(seeing(Reading(neighbours)))
    assert "is hard to read" in words(found)
    assert any(
        "of the variance" in b.caption or "agrees with" in b.caption for b in found if isinstance(b, FigureBlock)
    )


def test_a_tree_needs_no_tree_beside_it() -> None:
    study = learn(nv.datasets.load("wine"), learners=["decision-tree-classifier"], folds=3, jobs=1)
    assert "is hard to read" not in words(seeing(Reading(study)))


def test_what_takes_too_long_is_left_out(neighbours: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(section, "_seconds_per_row", lambda model, rows: 10.0)
    assert words(seeing(Reading(neighbours))) == "Predictions take too long to ask the model about what it looks at."


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
