"""What is shown of the chosen model: its figures, or something else of it, in units that a reader knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.learner.figure import Figure
from novacula.learner.work import Step, Work
from novacula.linear import Ridge
from novacula.prepare import PreparedRegressor
from novacula.report.blocks import Block, Code, FigureBlock, FoldedBlock, Paragraph, TableBlock
from novacula.report.reading import Reading
from novacula.report.sections.model import model
from novacula.report.sections.one_column import over_one_column
from novacula.report.sections.pictures import own_pictures
from novacula.report.sections.telling_words import frequent_words, telling_words
from novacula.study import Study, learn
from novacula.tree import DecisionTreeClassifier

from .test_sections import text


def shown(fitted: Any) -> list[Block]:
    return list(own_pictures(fitted, fitted.work()))


def test_a_tree_that_is_too_large_to_be_drawn_shows_its_first_levels() -> None:
    rng = np.random.default_rng(0)
    tree = DecisionTreeClassifier().fit(rng.normal(size=(800, 3)), rng.integers(0, 2, 800))
    first, code, leaves = shown(tree)
    assert isinstance(first, Paragraph)
    assert f"A tree of {tree.get_n_leaves()} leaves" in first.text
    assert isinstance(code, Code)
    assert max(line.count("|") for line in code.lines) == 2
    assert isinstance(leaves, Paragraph)
    assert "how many of them it is wrong about" in leaves.text


def test_a_linear_model_without_a_figure_shows_its_weights() -> None:
    X = np.random.default_rng(0).normal(size=(60, 25))
    ridge = PreparedRegressor(Ridge()).fit(X, X @ np.arange(25.0))
    [picture] = shown(ridge)
    assert isinstance(picture, FigureBlock)
    largest = max(range(25), key=lambda j: abs(ridge.model_.coef_[j]))
    assert f"Bars: x{largest} " in picture.svg


def test_a_model_of_which_nothing_can_be_seen_says_why() -> None:
    rng = np.random.default_rng(0)
    [words] = shown(NaiveBayes().fit(rng.normal(size=(60, 3)), rng.integers(0, 3, 60)))
    assert isinstance(words, Paragraph)
    assert words.text.startswith("It has no picture of its own")


def test_a_figure_without_a_title_has_that_of_its_step() -> None:
    bare = Figure(lambda axes: None, "A curve of the likelihood.")
    [picture] = own_pictures(object(), Work("EM", [Step("The likelihood rises", figure=bare)]))
    titled = Figure(lambda axes: None, "A curve of the likelihood.", "The likelihood rises")
    assert isinstance(picture, FigureBlock)
    assert picture.svg == titled.svg()


@pytest.fixture(scope="module")
def geyser() -> Study:
    """One column, which the learner gets scaled."""
    rng = np.random.default_rng(0)
    waiting = rng.uniform(40.0, 95.0, 150)
    frame = pd.DataFrame({"waiting": waiting, "eruptions": 0.07 * waiting + 0.3 * rng.normal(size=150)})
    return learn(nv.read(frame), "eruptions", learners=["mlp-regressor"], folds=3, jobs=1, rule="min")


def test_predictions_over_one_column_are_in_the_units_of_the_table(geyser: Study) -> None:
    figure = over_one_column(Reading(geyser))
    assert figure is not None
    ends = geyser.best_.predict(pd.DataFrame({"waiting": [geyser.question.train.X.to_pandas()["waiting"].min()]}))
    assert f"from {ends[0]:.4g} to" in figure.alt

    from matplotlib.figure import Figure as Canvas

    axes = Canvas().add_subplot()
    figure.draw(axes)
    assert 35.0 < axes.get_xlim()[0] < 40.5
    assert 94.0 < axes.get_xlim()[1] < 100.0
    assert axes.get_ylim()[0] > -2.0
    blocks = list(model(Reading(geyser)))
    assert isinstance(blocks[1], FigureBlock)
    [own] = [block for block in blocks if isinstance(block, FoldedBlock) and "the learner itself" in block.title]
    assert "scaled to the same spread around 0" in text(own.blocks)


def test_several_columns_have_no_curve_of_their_own(diabetes: Study, iris: Study) -> None:
    assert over_one_column(Reading(diabetes)) is None
    assert over_one_column(Reading(iris)) is None


@pytest.mark.parametrize("learner", ["naive-bayes", "logistic-regression"])
def test_the_words_that_speak_for_each_class_are_shown(learner: str) -> None:
    rng = np.random.default_rng(0)
    common, own = [f"word{k}" for k in range(20)], {"spam": ["prize", "claim"], "ham": ["later", "home"]}
    kind = rng.choice(list(own), 200)
    notes = [" ".join([*rng.choice(common, 6), *(w for w in own[k] if rng.random() < 0.7)]) for k in kind]
    table = nv.read(pd.DataFrame({"note": notes, "kind": kind})).with_types({"note": "text"})
    study = learn(table, "kind", learners=[learner], folds=3, jobs=1, rule="min")
    [words, found] = telling_words(Reading(study))
    assert isinstance(words, Paragraph)
    assert f"of {len(frequent_words(notes))} words" in words.text
    assert isinstance(found, TableBlock)
    assert {label: set(str(said).split(", ")[:2]) for label, said in found.rows} == {k: set(v) for k, v in own.items()}


def test_a_table_without_words_has_no_words(iris: Study) -> None:
    assert list(telling_words(Reading(iris))) == []
