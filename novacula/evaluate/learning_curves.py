"""Learning curves of several learners on one picture: who is better with few examples, and who with many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import ParameterError
from novacula.evaluate.derivation.errors import derive_error_curves
from novacula.evaluate.error_curve import place_sizes
from novacula.evaluate.learning_curve import LearningCurve, learning_curve
from novacula.evaluate.loss import LossLike, metric_name
from novacula.evaluate.printing import TabularResult
from novacula.learner.figure import COLOURS, LINES, Figure, few_digits, literal
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import capitalised, counted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDING = 1e-12
"""Mean errors that differ by a smaller share are equal."""


@dataclass(frozen=True, eq=False)
class LearningCurves(TabularResult):
    """The learning curve of each learner, by its name, over the same examples and folds."""

    curves: Mapping[str, LearningCurve]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of examples."""
        return next(iter(self.curves.values())).sizes

    @property
    def best(self) -> tuple[str | None, ...]:
        """Who has the least mean validation error after each number of examples; None where several share it."""
        errors = np.array([curve.validation_mean for curve in self.curves.values()])
        least = errors.min(axis=0)
        first = errors <= least + ROUNDING * np.abs(least)
        names = list(self.curves)
        return tuple(names[int(np.argmax(ahead))] if ahead.sum() == 1 else None for ahead in first.T)

    def sentence(self) -> str:
        """Who is best with the fewest examples, and where that changes."""
        words = ["no learner" if name is None else shortened(name) for name in self.best]
        if len(words) > 1 and len(set(words)) == 1:
            return f"With {self.sizes[0]} to {self.sizes[-1]} examples {words[0]} errs less than all others"
        changes = [
            f", from {size} on {after}"
            for size, (before, after) in zip(self.sizes[1:], pairwise(words), strict=True)
            if after != before
        ]
        return f"With {counted(self.sizes[0], 'example')} {words[0]} errs less than all others" + "".join(changes)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_error_curves(self, options)

    def table(self) -> WorkTable:
        """The mean validation error of each learner, by the number of examples."""
        columns = [curve.validation_mean.tolist() for curve in self.curves.values()]
        rows = tuple((size, *(column[i] for column in columns)) for i, size in enumerate(self.sizes))
        return WorkTable(("examples", *self.curves), rows, f"{self._measure()}. {self.sentence()}")

    def _measure(self) -> str:
        first = next(iter(self.curves.values()))
        return f"{capitalised(metric_name(first.loss))} of rows not seen over {first.train.shape[1]} folds"

    def plot(self) -> Figure:
        """The mean validation error of each learner over the examples; bands are one standard error on either side."""
        ends = "; ".join(
            f"{name} from {few_digits(curve.validation_mean[0])} to {few_digits(curve.validation_mean[-1])}"
            for name, curve in self.curves.items()
        )
        words = f"{self._measure()}, from {self.sizes[0]} to {self.sizes[-1]} examples: {ends}. {self.sentence()}."
        return Figure(self._draw, words, "Learning curves")

    def _draw(self, axes: Axes) -> None:
        places = place_sizes(axes, list(self.sizes))
        for i, (name, curve) in enumerate(self.curves.items()):
            mean, half = curve.validation_mean, np.nan_to_num(curve.standard_error)
            look: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)]}
            axes.fill_between(places, mean - half, mean + half, alpha=0.2, linewidth=0, **look)
            label = literal(shortened(name))
            axes.plot(places, mean, linestyle=LINES[i % len(LINES)], marker="o", markersize=4, label=label, **look)
        axes.set_xlabel("examples")
        axes.set_ylabel(literal(f"{metric_name(next(iter(self.curves.values())).loss)} (lower is better)"))
        axes.grid()
        axes.legend()


def learning_curves(
    learners: Mapping[str, Any],
    X: Any,
    y: Any = None,
    sizes: Sequence[float] | None = None,
    folds: int | Iterable[Any] = 5,
    *,
    loss: LossLike | None = None,
    random_state: int = 0,
) -> LearningCurves:
    """Measure several learners, by their names, after more and more of the same examples, in the same folds.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> from novacula.neighbors import KNeighborsRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = np.abs(X[:, 0]) + 0.3 * X[:, 1] + rng.normal(0, 0.1, 300)
    >>> learners = {"plane": LinearRegression(), "neighbours": KNeighborsRegressor(5)}
    >>> print(learning_curves(learners, X, y, [6, 20, 80, 240]).sentence())
    With 6 to 240 examples neighbours errs less than all others
    """
    if not learners:
        raise ParameterError("there are no learners to compare: give at least one, by its name")
    pairs = folds if isinstance(folds, int) else tuple(folds)

    def curve(learner: Any) -> LearningCurve:
        return learning_curve(learner, X, y, sizes, pairs, loss=loss, random_state=random_state)

    return LearningCurves({name: curve(learner) for name, learner in learners.items()})
