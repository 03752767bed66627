"""How a network is trained: the solvers, and what "auto" stands for."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from novacula.errors import ParameterError
from novacula.neural.training.epochs import UpdateRule
from novacula.neural.training.lesson import NetworkLesson
from novacula.optimize.updates import Adam, Momentum

TOLERANCES = {"sgd": 1e-4, "adam": 1e-4, "batch": 1e-5, "cg": 1e-5, "lbfgs": 1e-5, "lm": 1e-5}
"""The solvers, with the tolerance of each unless it is stated."""
BATCH, LEAST_BATCH, STEPS = 128, 32, 16
"""Showings of a batch unless stated: at most, at least, and batches of an epoch in between."""
RATES = {"adam": 3e-3, "sgd": 0.15, "sgd on numbers": 0.01}
"""η of batches of 128 unless stated: what learns quickest without harm on small standardised tables of all kinds."""


@dataclass(frozen=True)
class TrainingSettings:
    """The parameters of a learner that say how its network is trained."""

    solver: str
    eta0: float | str
    schedule: str
    momentum: float
    batch_size: int | str
    max_epochs: int
    tol: float | str | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    dtype: str

    @classmethod
    def of(cls, learner: Any) -> Self:
        """Those of a learner."""
        return cls(**{field.name: getattr(learner, field.name) for field in fields(cls)})

    def check(self, lesson: NetworkLesson, restarts: int, warm_start: bool) -> None:
        """Refuse settings that contradict each other."""
        if restarts > 1 and warm_start:
            raise ParameterError(f"restarts={restarts} begins again, and warm_start=True goes on: choose one of them")
        if self.by_batches:
            return
        if self.early_stopping:
            raise ParameterError(f"early_stopping goes with solver 'sgd' or 'adam', and it is {self.solver!r}")
        if self.schedule != "constant":
            raise ParameterError(f"schedule={self.schedule!r} goes with solver 'sgd' or 'adam', not {self.solver!r}")
        if self.solver == "lm" and lesson.objective.loss.name != "squared":
            raise ParameterError(
                f"solver='lm' needs loss='squared', a sum of squares, and the loss is {lesson.objective.loss.name!r}"
            )

    def for_pieces(self) -> Self:
        """Those with which rows are shown once, as they come: "auto" batches are of one."""
        batch_size = 1 if isinstance(self.batch_size, str) else self.batch_size
        return replace(self, shuffle=False, early_stopping=False, batch_size=batch_size)

    @property
    def by_batches(self) -> bool:
        """Whether showings are taught in batches rather than all rows at once."""
        return self.solver in ("sgd", "adam")

    @property
    def precision(self) -> str:
        """The type of the weights while they are learned: whole-batch methods need all digits of the objective."""
        return self.dtype if self.by_batches else "float64"

    @property
    def tolerance(self) -> float | None:
        """The tolerance that ends the training, None where all epochs are made in any case."""
        return TOLERANCES[self.solver] if self.tol == "auto" else self.tol  # type: ignore[return-value]

    def batch(self, showings: int) -> int:
        """Showings of a batch."""
        if not isinstance(self.batch_size, str):
            return min(int(self.batch_size), showings)
        return min(BATCH, max(LEAST_BATCH, showings // STEPS), showings)

    def rate(self, lesson: NetworkLesson, batch: int) -> float:
        """η: that which is stated, or else one that falls with √batch, as the noise of a mean grows."""
        if not isinstance(self.eta0, str):
            return float(self.eta0)
        on_numbers = self.solver == "sgd" and lesson.architecture.output == "linear"
        return RATES["sgd on numbers" if on_numbers else self.solver] * math.sqrt(min(batch, BATCH) / BATCH)

    def rule(self) -> UpdateRule:
        """What makes steps of gradients."""
        return Momentum(float(self.momentum)) if self.solver == "sgd" else Adam()
