"""Naive Bayes without one row: the row's counts are taken off those of all rows, and the estimates solved again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from novacula.bayes.naive_bayes import NaiveBayes, joint_scores, observe
from novacula.learner.left_out import LeftOut
from novacula.statistics import Bundle, ClassMoments, ClassTotals, Contingency
from novacula.statistics.base import Statistic
from novacula.table import Table
from novacula.table.chunk import Chunk

FEW = 2
"""Values of a class whose moments, with one taken off, are rounding errors."""
LOST = 1e-6
"""The share of a sum of squares below which what is left of it is a rounding error."""


def left_out_of_counts(model: NaiveBayes, table: Table, y: Any) -> LeftOut | None:
    """The classes of rows by the counts of all others; None for words and kernels, which do not let go of a row."""
    if not all(isinstance(part, (ClassTotals, Contingency, ClassMoments)) for part in model.statistic_.parts):
        return None
    classes, trusted = np.empty(len(y), model.classes_.dtype), np.zeros(len(y), bool)
    codes = np.searchsorted(model.classes_, y).astype(np.int32)
    chunk = replace(table.to_chunk(), target=codes)
    for i, code in enumerate(codes.tolist()):
        scores = left_out_scores(model, chunk.rows(i, i + 1), code)
        if scores is not None:
            classes[i], trusted[i] = model.classes_[np.argmax(scores)], True
    return LeftOut(classes, trusted, "counts without the row")


def left_out_scores(model: NaiveBayes, row: Chunk, code: int) -> Any:
    """log P(t) + Σ log P(x|t) for each class by all rows but this one; None where the sums do not say."""
    own = observe(row, len(model.classes_), model.groups_)
    parts = [without(whole, part, code) for whole, part in zip(model.statistic_.parts, own.parts, strict=True)]
    if any(part is None for part in parts):
        return None
    prior, solved = model.estimates(Bundle(tuple(part for part in parts if part is not None)))
    with np.errstate(divide="ignore"):
        scores = joint_scores(row, np.log(prior), solved)[0]
    return scores if np.isfinite(scores).any() else None


def without(whole: Any, row: Any, code: int) -> Statistic | None:
    """A statistic without a row of a class; None where the row is all there is of something."""
    if isinstance(whole, ClassTotals):
        rest = replace(
            whole, weight=whole.weight - row.weight, total=whole.total - row.total, known=whole.known - row.known
        )
        return rest if rest.weight[code] > 0.0 else None
    if isinstance(whole, Contingency):
        gone = (row.counts.sum(axis=0) > 0.0) & (whole.counts.sum(axis=0) <= 1.0)
        return None if gone.any() else replace(whole, counts=whole.counts - row.counts)
    return _moments_without(whole, row)


def _moments_without(whole: ClassMoments, row: ClassMoments) -> ClassMoments | None:
    """Chan's formula backwards."""
    there = row.weight > 0.0
    weight = whole.weight - row.weight
    if (whole.weight[there] <= FEW).any():
        return None
    gap = np.where(there, row.mean - whole.mean, 0.0)
    share = np.divide(row.weight, weight, out=np.zeros_like(weight), where=there)
    ssd = whole.ssd - share * whole.weight * gap**2
    if (ssd < LOST * whole.ssd).any():
        return None
    return replace(whole, weight=weight, mean=whole.mean - share * gap, ssd=ssd)
