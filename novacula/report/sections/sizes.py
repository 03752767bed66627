"""Size curves: what larger hypotheses do to the error on rows that were learned from, and on others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.evaluate.error_curve import mark_choice, place_sizes
from novacula.evaluate.loss import Floats
from novacula.evaluate.metric import Metric
from novacula.learner.figure import COLOURS, LINES, Figure, few_digits, literal
from novacula.report.blocks import Block, FigureBlock, FoldedBlock, Paragraph
from novacula.report.reading import Reading
from novacula.study.leaderboard import Entry, short
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


A_FIGURE, PATIENCE = 0.15, 10.0
"""Seconds that a figure takes, and that those of the other learners may take together."""


def sizes(reading: Reading) -> Iterator[Block]:
    """The curve of the chosen learner; those of the others folded away."""
    paths = [SizePath(one, reading.question.metric) for one in reading.finished if one.sizes]
    curves = {id(path.entry): path for path in paths if len(path.names) > 1}
    own = curves.pop(id(reading.chosen), None)
    if own is None:
        yield Paragraph(without_curve(reading.chosen))
    else:
        yield Paragraph(
            "As a model gets larger, it does better and better on the rows it learned from. On rows that were held out "
            "it does better as long as there is something to find, and worse when it learns noise."
        )
        yield FigureBlock.of(own.figure(), own.early())
    others = list(curves.values())
    if not reading.allows(A_FIGURE * len(others), PATIENCE):
        yield Paragraph(f"The curves of the other learners are {reading.too_long(A_FIGURE * len(others), PATIENCE)}.")
        return
    for path in others:
        yield FoldedBlock(
            f"{path.entry.name}, by {path.entry.size_name}", (FigureBlock.of(path.figure(), path.early()),)
        )


def without_curve(entry: Entry) -> str:
    """Why there is no curve over the sizes of a learner."""
    if len(entry.sizes) < 2:
        return f"{entry.name} has only one size."
    return (
        f"Of the {len(entry.sizes)} sizes of {entry.name} only {entry.size_name} = {short(entry.size)} has errors that "
        "can be drawn, so there is no curve: others were left out, failed or have infinite errors. The leaderboard "
        "says more."
    )


def shown_curve(curve: Any, measure: Metric) -> Floats:
    """What people read of errors."""
    errors = np.asarray(curve, np.float64)
    return 1.0 - errors if measure.is_complement else errors


class SizePath:
    """The sizes of a learner whose errors can be drawn, from the simplest on."""

    def __init__(self, entry: Entry, measure: Metric) -> None:
        self.entry, self.measure = entry, measure
        errors, trained = (shown_curve(curve, measure) for curve in (entry.curve, entry.train_curve))
        infinite = np.isinf(errors).any(axis=1) | np.isinf(trained).any(axis=1)
        tried = np.flatnonzero(np.isfinite(errors).any(axis=1) & ~infinite)
        self.errors, self.trained = errors[tried], trained[tried]
        self.whole = ~np.isnan(self.errors).any(axis=1)
        self.names = [entry.sizes[i] for i in tried]

    def early(self) -> str:
        """How many sizes were not run to the end, if some were not."""
        count = int((~self.whole).sum())
        if not count:
            return ""
        sizes, they = ("one size was", "it was") if count == 1 else (f"{count} sizes were", "they were")
        return (
            f"Hollow points: {sizes} not run in every fold, because {they} clearly behind or time was short; these "
            "means are over fewer folds."
        )

    def figure(self) -> Figure:
        """Mean errors over the sizes; bands are one standard error on either side."""
        entry = self.entry
        title = f"{entry.name}: {self.measure.words} over {entry.size_name}"
        return Figure(self._draw, self._in_words(), title)

    def _draw(self, axes: Axes) -> None:
        places = place_sizes(axes, self.names)
        for i, (name, errors) in enumerate({"training": self.trained, "held out": self.errors}.items()):
            mean, half = mean_and_spread(errors)
            axes.fill_between(places, mean - half, mean + half, color=COLOURS[i], alpha=0.2, linewidth=0)
            axes.plot(places, mean, color=COLOURS[i], linestyle=LINES[i], marker="o", markersize=5, label=name)
            early = ~self.whole
            axes.plot(places[early], mean[early], "o", color=COLOURS[i], markerfacecolor="white", markersize=5)
        if self.entry.size in self.names:
            place = self.names.index(self.entry.size)
            mark_choice(axes, places[place], mean_and_spread(self.errors)[0][place], short(self.entry.size))
        axes.set_xlabel(literal(shortened(str(self.entry.size_name))))
        axes.set_ylabel(literal(f"{self.measure.words} ({self.measure.direction})"))
        axes.grid()
        axes.legend()

    def _in_words(self) -> str:
        trained, held_out = mean_and_spread(self.trained)[0], mean_and_spread(self.errors)[0]
        return (
            f"The {self.measure.words} of {self.entry.name} for {self.entry.size_name} from {short(self.names[0])} to "
            f"{short(self.names[-1])}. On training rows it goes from {few_digits(trained[0])} to "
            f"{few_digits(trained[-1])}, on rows held out from {few_digits(held_out[0])} to "
            f"{few_digits(held_out[-1])}; {short(self.entry.size)} is chosen."
        )


def mean_and_spread(errors: Floats) -> tuple[Floats, Floats]:
    """The mean over the folds that were run, and its standard error; 0 where that is not known."""
    runs = (~np.isnan(errors)).sum(axis=1)
    mean = np.nanmean(errors, axis=1)
    squares = np.nansum((errors - mean[:, None]) ** 2, axis=1)
    return mean, np.sqrt(squares / np.maximum(runs - 1, 1) / runs)
