"""What is seen of a fitted model: its own figures, else its weights or the first levels of its tree, else why not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.explain.surrogate import LEAF_WORDS
from novacula.learner.figure import Figure, bar_figure
from novacula.learner.work import Work
from novacula.report.blocks import Block, Code, FigureBlock, Paragraph

DRAWN = 6
"""Figures of a work that are shown."""
WEIGHTS = 20
"""Weights that are drawn."""
LEVELS = 3
"""Levels of a large tree that are shown."""


def own_pictures(fitted: Any, work: Work) -> Iterator[Block]:
    """The figures of a model's work; where it has none something else of it, or why there is nothing to be seen."""
    drawn = [(step.title, step.figure) for step in work if step.figure is not None]
    figures = [figure if figure.title else replace(figure, title=title) for title, figure in drawn]
    if not figures:
        yield from _instead(getattr(fitted, "model_", fitted))
        return
    if is_scaled(fitted):
        yield Paragraph("In these figures columns are as the learner gets them: scaled to the same spread around 0.")
    for figure in figures[:DRAWN]:
        yield FigureBlock.of(figure)
    if len(figures) > DRAWN:
        yield Paragraph(f"{len(figures) - DRAWN} more figures are left out.")


def is_scaled(fitted: Any) -> bool:
    """Whether numbers are scaled before the learner of a model gets them."""
    preparation = getattr(fitted, "preparation_", None)
    if preparation is None:
        return False
    encoding = preparation.encoding
    return bool(encoding.unit or (encoding.centre != 0.0).any() or (encoding.spread != 1.0).any())


def _instead(learner: Any) -> Iterator[Block]:
    """Weights of a linear model, the first levels of a tree that is too large to be drawn, or a sentence."""
    weights = np.atleast_2d(getattr(learner, "coef_", np.empty((0, 0))))
    if len(weights) == 1 and weights.any():
        yield FigureBlock.of(weight_figure(learner.schema_.column_names(), weights[0]))
    elif hasattr(learner, "to_text") and hasattr(learner, "get_n_leaves"):
        leaves = int(learner.get_n_leaves())
        yield Paragraph(f"A tree of {leaves:,} leaves is too large to be drawn. Its first {LEVELS} levels:")
        yield Code(learner.to_text(max_depth=LEVELS))
        yield Paragraph(LEAF_WORDS[hasattr(learner, "classes_")])
    else:
        yield Paragraph("It has no picture of its own: what can be said of how it answers is in its work, below.")


def weight_figure(names: Any, weights: Floats) -> Figure:
    """Bars of the weights, the largest on top."""
    order = np.argsort(-np.abs(weights), kind="stable")
    order = order[weights[order] != 0.0]
    left = f" ({len(order) - WEIGHTS:,} smaller ones are not drawn)" if len(order) > WEIGHTS else ""
    shown = order[:WEIGHTS]
    title = f"Weights of the columns, as they are prepared{left}"
    return bar_figure([str(names[j]) for j in shown], weights[shown], title=title, xlabel="weight")
