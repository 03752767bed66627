"""Training and validation errors over sizes, fold by fold: what `select_size` and `learning_curve` share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.evaluate.derivation.errors import derive_error_curve
from novacula.evaluate.intervals import standard_error
from novacula.evaluate.loss import Floats, metric_name
from novacula.evaluate.printing import TabularResult
from novacula.learner.figure import COLOURS, INK, LINES, Figure, few_digits, literal
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import capitalised, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class ErrorCurve(TabularResult):
    """Errors for m sizes and k folds; NaN where a size was not tried."""

    size_name: str
    sizes: tuple[Any, ...]
    train: Floats  # (m, k)
    validation: Floats  # (m, k)
    loss: str

    @property
    def train_mean(self) -> Floats:
        """The mean training error of each size (m,)."""
        return np.asarray(self.train.mean(axis=1))

    @property
    def validation_mean(self) -> Floats:
        """The mean validation error of each size (m,)."""
        return np.asarray(self.validation.mean(axis=1))

    @property
    def standard_error(self) -> Floats:
        """The standard error of the mean validation error of each size (m,), as if folds were independent."""
        return spread(self.validation)

    @property
    def tried(self) -> list[int]:
        """The places of the sizes that were tried."""
        return np.flatnonzero(~np.isnan(self.validation_mean)).tolist()

    def _derive(self, options: WorkOptions) -> Work:
        return derive_error_curve(self, options)

    def table(self) -> WorkTable:
        """Errors by size, for those that were tried."""
        columns = self.train_mean, self.validation_mean, self.standard_error
        rows = [(size_cell(self.sizes[i]), *(float(column[i]) for column in columns)) for i in self.tried]
        header = (self.size_name, "training error", "validation error", "standard error")
        words = f"{capitalised(metric_name(self.loss))} over {self.train.shape[1]} folds, lower is better"
        return WorkTable(header, tuple(rows), words)

    def plot(self) -> Figure:
        """Mean training and validation error over the sizes; bands are one standard error on either side."""
        return Figure(self._draw, self._in_words(), f"Training and validation error over {shortened(self.size_name)}")

    def _draw(self, axes: Axes) -> None:
        """Numbers are placed by their value, on a logarithmic axis where their range is wide; words side by side."""
        drawn = [i for i in self.tried if np.isfinite([self.train_mean[i], self.validation_mean[i]]).all()]
        places = place_sizes(axes, [self.sizes[i] for i in drawn])
        curves = {"training": self.train, "validation": self.validation}
        for i, (name, errors) in enumerate(curves.items()):
            mean, half = errors[drawn].mean(axis=1), np.nan_to_num(spread(errors[drawn]))
            axes.fill_between(places, mean - half, mean + half, color=COLOURS[i], alpha=0.2, linewidth=0)
            axes.plot(places, mean, color=COLOURS[i], linestyle=LINES[i], marker="o", markersize=4, label=name)
        self._mark(axes, places, drawn)
        axes.set_xlabel(literal(shortened(self.size_name)))
        axes.set_ylabel(literal(f"{metric_name(self.loss)} (lower is better)"))
        axes.grid()
        axes.legend()

    def _mark(self, axes: Axes, places: Floats, drawn: list[int]) -> None:
        """Mark the choice, where there is one."""

    def _in_words(self) -> str:
        first, last = self.tried[0], self.tried[-1]
        train, validation = self.train_mean, self.validation_mean
        return (
            f"{capitalised(metric_name(self.loss))} over {self.size_name}, from {size_words(self.sizes[first])} to "
            f"{size_words(self.sizes[last])}. "
            f"The training error goes from {few_digits(train[first])} to {few_digits(train[last])}, "
            f"the validation error from {few_digits(validation[first])} to {few_digits(validation[last])}."
        )


def mark_choice(axes: Axes, place: float, error: float, size: Any) -> None:
    """Draw a ring around the size that was chosen."""
    label = literal(f"chosen: {shortened(size_words(size), 20)}")
    axes.plot([place], [error], "o", color="none", markeredgecolor=INK, markersize=11, markeredgewidth=1.5, label=label)


def place_sizes(axes: Axes, sizes: list[Any]) -> Floats:
    """The places of sizes on the axis, which is labelled accordingly."""
    numbers = [isinstance(size, (int, float, np.number)) and not isinstance(size, bool) for size in sizes]
    if not all(numbers):
        places = np.arange(len(sizes), dtype=np.float64)
        axes.set_xticks(places, [literal(shortened(str(size), 12)) for size in sizes])
        return places
    places = np.array(sizes, np.float64)
    if len(places) > 2 and places.min() > 0 and places.max() >= 100 * places.min():
        axes.set_xscale("log")
    elif (places == np.round(places)).all():
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    if len(places) > 1 and places[0] > places[-1]:
        axes.invert_xaxis()  # the simplest is on the left
    return places


def spread(errors: Floats) -> Floats:
    """The standard error of the mean of each row of (m, k); NaN where it is not known."""
    return np.array([standard_error(row) for row in errors])


def size_words(size: Any) -> str:
    """A size as it is written in a sentence."""
    return few_digits(size) if isinstance(size, float) else str(size)


def size_cell(size: Any) -> str | int | float:
    """A size as it is written in a table."""
    return size if isinstance(size, (int, float, str)) and not isinstance(size, bool) else str(size)
