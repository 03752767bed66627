"""What EM keeps of its way over rows that miss values: models, expected moments, and rows where they are few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from novacula.learner.trace import FewRows, FitPath, PathRecorder
from novacula.state import State, floats, nullable, record, whole
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.projection.em import NormalEstimate
    from novacula.table import Table

MOST_COLUMNS = 20
"""Columns up to which the way is kept: 1,220 numbers for each iteration."""


@dataclass(frozen=True, eq=False)
class FillingTrace:
    """Up to 25 models and as many expected moments, with k directions of their own in each model."""

    state: ClassVar[State] = {
        "path": record(FitPath),
        "filled": record(FitPath),
        "left": record(FitPath),
        "n_directions": whole(least=1),
        "rows": nullable(floats("kept", "columns", finite=False)),
        "weight": nullable(floats("kept", above=0.0)),
    }

    path: FitPath  # μ and C after each iteration
    filled: FitPath  # the covariance of the filled rows, whose mean is the new μ
    left: FitPath  # the covariance that is left of missing values, as a mean over the rows
    n_directions: int
    rows: Floats | None  # with NaN where they miss values, if they are few
    weight: Floats | None


class FillingRecorder:
    """A monitor of EM that keeps its way."""

    def __init__(self, n_directions: int) -> None:
        self.n_directions = n_directions
        self.path, self.filled, self.left = PathRecorder(), PathRecorder(), PathRecorder()

    def __call__(self, iteration: int, objective: float, params: NormalEstimate) -> None:
        """Note a model, and what it was made of."""
        normal, expected = params.normal, params.expected
        self.path(iteration, objective, np.concatenate([normal.mean, normal.covariance.ravel()]))
        nothing = np.zeros_like(normal.covariance)
        weight = 1.0 if expected is None else expected.filled.weight
        self.filled(iteration, objective, nothing if expected is None else expected.filled.scatter / weight)
        self.left(iteration, objective, nothing if expected is None else expected.left / weight)

    def kept(self, table: Table) -> FillingTrace:
        """What was noted, with the rows of a small table."""
        rows = weight = None
        if FewRows.are_few(len(table), len(table.layout.features)):
            chunk = table.to_chunk()
            says = (chunk.weight > 0.0) & ~np.isnan(chunk.dense()).all(axis=1)
            rows, weight = chunk.dense()[says].copy(), chunk.weight[says].copy()
        paths = (self.path.kept(), self.filled.kept(), self.left.kept())
        return FillingTrace(*paths, self.n_directions, rows, weight)
