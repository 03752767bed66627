"""Whole-batch training: the optimisers of `novacula.optimize` on the objective over all rows, in double precision.

batch   gradient descent, with a rate or a line search, and momentum
cg      conjugate gradients
lbfgs   quasi-Newton with a limited memory
lm      Levenberg–Marquardt on the residuals, for small networks under squared loss
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from novacula.errors import ParameterError
from novacula.neural.training.gauge import Gauge
from novacula.neural.training.lesson import NetworkLesson
from novacula.neural.training.record import Start, TrainingEnd
from novacula.neural.training.sums import WholeBatch, counted_rows
from novacula.neural.training.tracing import trace_of_solver
from novacula.optimize import conjugate_gradient, gradient_descent, lbfgs, levenberg_marquardt
from novacula.optimize.result import Result
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.words import counted

WHOLE: dict[str, Callable[..., Result]] = {
    "batch": gradient_descent,
    "cg": conjugate_gradient,
    "lbfgs": lbfgs,
}
JACOBIAN = 1 << 27
"""Numbers that the derivatives of all residuals may have: a gigabyte."""


@dataclass(frozen=True, eq=False)
class LessonRows:
    """The rows that are learned from; with a gauge, the optimiser sees f / s² as a function of u = D⁻¹θ."""

    table: Table
    lesson: NetworkLesson
    gauge: Gauge | None

    @property
    def unit(self) -> float:
        """s²."""
        return 1.0 if self.gauge is None else self.gauge.scale**2

    @property
    def stretch(self) -> Any:
        """D."""
        return 1.0 if self.gauge is None else self.gauge.stretch(self.lesson)


@dataclass(frozen=True)
class NetworkDescent:
    """How to go down; `step` is a rate, or the way to search for one, of gradient descent."""

    solver: str
    step: float | str
    momentum: float
    tol: float
    max_iter: int
    keep_path: bool = False

    def run(self, rows: LessonRows, free: Floats) -> TrainingEnd:
        """Train from weights that can be chosen."""
        start = free / rows.stretch
        result = self._least_squares(rows, start) if self.solver == "lm" else self._whole(rows, start)
        diverged = result.reason.startswith("It diverged") or not math.isfinite(result.value)
        loss = math.inf if diverged else rows.unit * float(result.value)
        end = Start(loss, result.n_iter, result.converged, self._sentence(result))
        history = tuple((rows.unit * result.values).tolist())
        trace = partial(trace_of_solver, rows.table, rows.lesson, result, rows.stretch)
        return TrainingEnd(result.x * rows.stretch, history, (), end, trace)

    def _sentence(self, result: Result) -> str:
        if result.converged or result.n_iter < self.max_iter:
            return result.reason
        made = counted(result.n_iter, "iteration")
        return (
            f"The objective was still falling after {made}, as many as max_epochs allows: raise "
            "it, or tol if that precision is not needed, or say tol=None to have that many iterations and no more."
        )

    def _whole(self, rows: LessonRows, start: Floats) -> Result:
        """One pass over the rows for each place that the optimiser tries."""
        batch, stretch, unit = WholeBatch(rows.table, rows.lesson), rows.stretch, rows.unit
        options: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "keep_path": self.keep_path}
        if self.solver == "batch":
            options |= {"step": self.step, "momentum": self.momentum}
        return WHOLE[self.solver](
            lambda u: batch.value(stretch * u) / unit,
            lambda u: stretch * batch.gradient(stretch * u) / unit,
            start,
            **options,
        )

    def _least_squares(self, rows: LessonRows, start: Floats) -> Result:
        """All rows at once, since every step needs the derivatives of all residuals."""
        lesson, table, stretch, root = rows.lesson, rows.table, rows.stretch, math.sqrt(rows.unit)
        objective, entries = lesson.objective, 1 + lesson.objective.penalties.order * lesson.architecture.sizes[0]
        numbers = len(table) * lesson.targets.outputs * entries * lesson.architecture.n_parameters
        if numbers > JACOBIAN:
            raise ParameterError(
                f"solver='lm' would hold {numbers:.2g} derivatives, for {len(table)} rows and {len(start)} weights: "
                "take 'lbfgs', fewer hidden units or fewer rows"
            )
        chunk = table.to_chunk()
        x, t, weight = counted_rows(chunk.dense(), chunk, lesson)
        target, slopes = lesson.targets.split(t)
        return levenberg_marquardt(
            lambda u: objective.residuals(stretch * u, x, target, weight, slopes) / root,
            lambda u: objective.jacobian(stretch * u, x, target, weight, slopes) * (stretch / root),
            start,
            tol=self.tol,
            max_iter=self.max_iter,
            keep_path=self.keep_path,
        )
