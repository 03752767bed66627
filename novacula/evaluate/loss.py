"""Losses: what a prediction costs where the truth is y. Lower is better.

    zero_one   [ŷ ≠ y]             absolute   |ŷ − y|           squared   (ŷ − y)²
    log        −ln P(y)            brier      Σ_t (P(t) − [t = y])², half of it for two classes
    hinge      max(0, 1 − y·f), y = ±1; for more classes max(0, 1 − f_y + max_{t ≠ y} f_t)

A loss says what it needs of a model: labels, numbers, probabilities or decision values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from novacula.arguments import as_numbers
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.words import quoted

Floats: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[Any]
Needs: TypeAlias = Literal["labels", "numbers", "probabilities", "decision"]


@runtime_checkable
class LossFunction(Protocol):
    """Anything that can be given as a loss: it has a name, says what it needs, and gives the loss of each row."""

    @property
    def name(self) -> str:
        """The name by which it is chosen and stored; `metric_name` gives the one that people read."""

    @property
    def needs(self) -> Needs:
        """What it compares the truth with."""

    def __call__(self, y: Any, prediction: Any, classes: Any = None) -> Floats:
        """The loss of each row; `classes` names the columns of probabilities and of decision values."""


LossLike: TypeAlias = str | LossFunction | Callable[[Any, Any], float]
"""What can be given as a loss: a name, a loss, or a function L(y, ŷ)."""


@dataclass(frozen=True)
class Loss:
    """A loss by a function of truth, prediction and the classes in the order of the columns.

    >>> squared = loss("squared")
    >>> squared.needs, squared([1.0, 2.0], [1.0, 5.0]).tolist()
    ('numbers', [0.0, 9.0])
    >>> loss("log")(["a", "b"], [[0.5, 0.5], [1.0, 0.0]], classes=["a", "b"]).round(4).tolist()
    [0.6931, inf]
    """

    name: str
    needs: Needs
    of: Callable[[Labels, Any, Labels], Floats]

    def __call__(self, y: Any, prediction: Any, classes: Any = None) -> Floats:
        """The loss of each row; without `classes` those of the columns are the distinct values of y, in order."""
        truth, values = self._truth(y), np.asarray(prediction)
        if len(truth) != len(values):
            raise DataError(f"{len(values)} predictions were given for {len(truth)} rows")
        if self.needs == "labels":
            return self.of(truth, values, truth)
        values = as_numbers(values, f"the predictions for the {self.name} loss", DataError)
        if np.isnan(values).any():
            raise DataError(f"the prediction for row {int(np.argwhere(np.isnan(values))[0, 0]) + 1} is NaN")
        if self.needs == "numbers":
            return _over_targets(self.of(truth, values.reshape(truth.shape), truth))
        column_classes = np.unique(truth) if classes is None else np.asarray(classes)
        _require_columns(values, column_classes, self)
        return self.of(truth, values, column_classes)

    def _truth(self, y: Any) -> Labels:
        truth = as_numbers(y, "the targets", DataError) if self.needs == "numbers" else np.asarray(y)
        if not len(truth):
            raise DataError("there are no rows, so there is no loss")
        if self.needs != "numbers" and truth.ndim != 1:
            raise DataError(f"the classes have shape {truth.shape}; give one per row")
        return truth


def _over_targets(losses: Floats) -> Floats:
    """The mean over several targets."""
    return losses if losses.ndim == 1 else losses.mean(axis=1)


def _require_columns(values: Floats, classes: Labels, of: Loss) -> None:
    """Refuse probabilities and decision values whose columns do not fit the classes."""
    flat = of.needs == "decision" and len(classes) == 2
    if values.ndim == 1 and flat:
        return
    if values.ndim != 2 or values.shape[1] != len(classes):
        raise DataError(
            f"{of.needs} of shape {values.shape} do not fit {len(classes)} classes: give one column per class, and "
            "name the classes of the columns with classes="
        )
    if of.needs == "probabilities" and ((values < 0).any() or not np.allclose(values.sum(axis=1), 1.0, atol=1e-6)):
        strange = (values < 0).any(axis=1) | ~np.isclose(values.sum(axis=1), 1.0, atol=1e-6)
        raise DataError(f"the probabilities of row {int(np.argmax(strange)) + 1} are negative or do not sum to 1")


def _zero_one(y: Labels, prediction: Labels, _: Labels) -> Floats:
    return differ(y, prediction).astype(np.float64)


def _absolute(y: Labels, prediction: Floats, _: Labels) -> Floats:
    return np.abs(prediction - y)


def _squared(y: Labels, prediction: Floats, _: Labels) -> Floats:
    return np.asarray((prediction - y) ** 2)


def differ(y: Labels, prediction: Labels) -> npt.NDArray[np.bool_]:
    """Where labels differ; a word and a number always do."""
    if (y.dtype.kind in "iufb") != (prediction.dtype.kind in "iufb"):
        y, prediction = y.astype(object), prediction.astype(object)
    return np.asarray(y != prediction, dtype=bool)


def hits(y: Labels, classes: Labels) -> npt.NDArray[np.bool_]:
    """Whether each column is that of the row's class (n, K); False in all where the class has no column."""
    return ~differ(y[:, None], classes[None, :])


def _log(y: Labels, proba: Floats, classes: Labels) -> Floats:
    with np.errstate(divide="ignore"):  # what was called impossible and happened costs ∞
        return np.abs(np.log((proba * hits(y, classes)).sum(axis=1).clip(max=1.0)))


def _brier(y: Labels, proba: Floats, classes: Labels) -> Floats:
    score: Floats = ((proba - hits(y, classes)) ** 2).sum(axis=1)
    return score / 2 if len(classes) == 2 else score


def _hinge(y: Labels, decision: Floats, classes: Labels) -> Floats:
    mine = hits(y, classes)
    if not mine.any(axis=1).all():
        raise DataError(f"row {int(np.argmin(mine.any(axis=1))) + 1} is of a class that the model does not know")
    if decision.ndim == 1:
        return np.maximum(0.0, 1.0 - decision * np.where(mine[:, 1], 1.0, -1.0))
    rival = np.where(mine, -np.inf, decision).max(axis=1)
    return np.maximum(0.0, 1.0 - decision[mine] + rival)


LOSSES = {
    entry.name: entry
    for entry in (
        Loss("zero_one", "labels", _zero_one),
        Loss("absolute", "numbers", _absolute),
        Loss("squared", "numbers", _squared),
        Loss("log", "probabilities", _log),
        Loss("hinge", "decision", _hinge),
        Loss("brier", "probabilities", _brier),
    )
}
OTHER_NAMES = {"0/1": "zero_one", "l1": "absolute", "l2": "squared"}
METRIC_NAMES = {
    "zero_one": "error rate",
    "absolute": "mean absolute error",
    "squared": "mean squared error",
    "log": "log loss",
    "hinge": "hinge loss",
    "brier": "Brier score",
}
"""What people call the mean of a loss."""


def metric_name(which: str | LossFunction) -> str:
    """What the mean of a loss is called in tables, figures and sentences.

    >>> metric_name("zero_one"), metric_name("cost")
    ('error rate', 'mean cost')
    """
    name = which if isinstance(which, str) else which.name
    return METRIC_NAMES.get(name, f"mean {name}")


def loss(which: LossLike) -> LossFunction:
    """Give a loss by its name, or of a function L(y, ŷ); a `Loss` or a `CostMatrix` is returned as it is.

    >>> loss("zero_one")(["a", "b"], ["a", "c"]).tolist()
    [0.0, 1.0]
    >>> loss(lambda y, guess: 10 if guess < y else 1)([3, 3], [2, 4]).tolist()
    [10.0, 1.0]
    """
    if isinstance(which, str):
        name = OTHER_NAMES.get(which.lower(), which)
        if name not in LOSSES:
            raise ParameterError(f"there is no loss {which!r}, only {', '.join(LOSSES)}")
        return LOSSES[name]
    if isinstance(which, LossFunction):
        return which
    if callable(which) and not isinstance(which, type):
        return Loss(_name_of(which), "labels", RowByRow(which))
    raise InputTypeError(
        f"{quoted(which)} is not a loss: name one of {', '.join(LOSSES)}, or give a function L(y, ŷ), a Loss or a "
        "CostMatrix"
    )


def _name_of(function: Callable[..., Any]) -> str:
    """The name of a function, as the name of a loss."""
    name = getattr(function, "__name__", "<lambda>")
    return "loss" if name == "<lambda>" else name.replace("_", " ")


@dataclass(frozen=True)
class RowByRow:
    """A function L(y, ŷ) of one row, called for each of them."""

    function: Callable[[Any, Any], float]

    def __call__(self, y: Labels, prediction: Labels, _: Labels) -> Floats:
        """The loss of each row."""
        costs = [self.function(truth, said) for truth, said in zip(y.tolist(), prediction.tolist(), strict=True)]
        losses = as_numbers(costs, "what the loss gives", DataError)
        if losses.shape != (len(y),) or np.isnan(losses).any():
            raise DataError("the loss must give one number for each row")
        return losses
