"""What a logistic model makes smallest, as a function of its parameters that a solver can call.

    f(W) = C Σ s·loss + l2 · ½‖w‖² + l1 · ‖w‖₁          the intercepts are free of charge

Each call is one pass over the rows. Parameters belong to columns about their means, which changes the intercepts
only; they are one vector, plane by plane, each with its d weights and then its intercept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from novacula.linear.logistic.columns import ClassColumns
from novacula.linear.logistic.sums import Frame, LogisticSums, Loss
from novacula.table import Table
from novacula.table.chunk import Codes, Floats

SHORT = 1e-4
"""The share of the slope that a step has to gain (Armijo's rule)."""
BLUR = 1e-13
"""The share of the objective that rounding of sums may blur."""
HALVINGS = 40


@dataclass(frozen=True, eq=False)
class LogisticPoint:
    """Parameters (P,), and what is known of the smooth part of the objective there."""

    theta: Floats
    value: float  # with the l1 penalty
    gradient: Floats  # (P,), without it
    hessian: Floats | None
    loss: float = 0.0  # Σ s·loss alone
    share: float = 1.0  # of the step that led here


@dataclass(frozen=True, eq=False)
class LogisticObjective:
    """The objective of a fit: the rows and the penalties."""

    table: Table
    frame: Frame
    columns: ClassColumns
    C: float
    l1: float
    l2: float
    loss: Loss = "cross_entropy"

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Planes, and parameters of each."""
        n_classes = len(self.frame.factor)
        return 1 if n_classes == 2 else n_classes, len(self.frame.centre) + int(self.frame.intercept)

    @cached_property
    def weight(self) -> float:
        """C Σ s: the unit in which steps are measured, so that rows and C do not decide when to stop."""
        return self.C * float(self.columns.weight @ self.frame.factor)

    @cached_property
    def charged(self) -> Floats:
        """1 for each parameter that is penalised, 0 for intercepts (P,)."""
        planes, q = self.shape
        return np.tile(np.arange(q) < len(self.frame.centre), planes).astype(np.float64)

    @cached_property
    def varies(self) -> Codes:
        """The columns that can have a weight, with that of the intercept."""
        d, q = len(self.frame.centre), self.shape[1]
        return np.append(np.flatnonzero(self.columns.varies), np.arange(d, q)).astype(np.int32)

    @property
    def start(self) -> Floats:
        """All parameters zero: every class is as probable as any other."""
        return np.zeros(self.shape[0] * self.shape[1])

    def at(self, theta: Floats, curved: Codes | None = None) -> LogisticPoint:
        """Read the rows once; with the Hessian of these columns, plane by plane."""
        sums = self.table.reduce(LogisticSums.observe, theta.reshape(self.shape), self.frame, self.loss, curved)
        held = theta * self.charged
        value = self.C * sums.loss + 0.5 * self.l2 * float(held @ held) + self.l1 * float(np.abs(held).sum())
        gradient = self.C * sums.gradient.ravel() + self.l2 * held
        if curved is None:
            return LogisticPoint(theta, value, gradient, None, sums.loss)
        hessian = self.C * sums.hessian
        hessian[np.diag_indices_from(hessian)] += self.l2 * self.charged[self.places(curved)]
        return LogisticPoint(theta, value, gradient, hessian, sums.loss)

    def hessian(self, theta: Floats) -> Floats:
        """The whole Hessian (P, P)."""
        found = self.at(theta, np.arange(self.shape[1], dtype=np.int32)).hessian
        return np.empty((0, 0)) if found is None else found

    def places(self, columns: Codes) -> Codes:
        """The parameters of these columns, plane by plane."""
        planes, q = self.shape
        return (np.arange(planes)[:, None] * q + columns).ravel()

    def with_loss(self, loss: Loss) -> Self:
        """The same rows and penalties under another loss."""
        return replace(self, loss=loss)

    def search(
        self, point: LogisticPoint, step: Floats, slope: float, curved: Codes | None = None
    ) -> LogisticPoint | None:
        """Go along the step, or half of it and so on, until the objective falls enough; None if it never does.

        `slope` is what the step promises to first order, a negative number.
        """
        share = 1.0
        for _ in range(HALVINGS):
            found = self.at(point.theta + share * step, curved)
            if found.value <= point.value + SHORT * share * slope + BLUR * abs(point.value):
                return found if share == 1.0 else replace(found, share=share)
            share *= 0.5
        return None
