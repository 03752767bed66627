"""The triangular factor of tall data, built block by block (TSQR): least squares without squares.

With Z = √w ([X, y] − centre) / scale and Z = QR, the cross-products are RᵀR = ZᵀZ, but they are never
formed, so an error grows with cond(X) and not with cond(X)². Factors of blocks join as the factor of the
blocks stacked:

    R = qr([R_A; R_B])

The diagonal is made non-negative. Then R is unique where the columns of Z are independent; RᵀR always is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.errors import ParameterError
from novacula.state import State, floats, number
from novacula.statistics.base import Statistic, require_same_layout
from novacula.statistics.comoments import counted_rows, deviations
from novacula.table.chunk import Chunk, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Triangle(Statistic):
    """Weight and R of the centred and scaled [X, y]: 1 + p² numbers for p = d + k columns.

    Factors may only be added when they were observed with one and the same centre and scale.
    """

    state: ClassVar[State] = {
        "weight": number(least=0.0),
        "r": floats("columns", "columns"),
    }

    weight: float
    r: Floats  # (p, p), upper triangular

    @classmethod
    def zero(cls, n_columns: int) -> Self:
        """No rows, for p columns: features and targets together."""
        return cls(0.0, np.zeros((n_columns, n_columns)))

    @classmethod
    def observe(cls, chunk: Chunk, centre: Floats, scale: Floats) -> Self:
        """The factor of a chunk, given centre and scale (p,) of features and targets, from `CoMoments`."""
        if not np.all(scale > 0.0):
            raise ParameterError("a scale is not positive: give a column that does not vary the scale 1")
        x, y, weight = counted_rows(chunk)
        z = deviations(x, y, centre)
        z /= scale
        z *= np.sqrt(weight)[:, None]
        return cls(float(weight.sum()), upper_factor(z))

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.r.shape, other.r.shape)
        if other.weight == 0.0:
            return self
        if self.weight == 0.0:
            return other
        return type(self)(self.weight + other.weight, upper_factor(np.concatenate([self.r, other.r])))


def upper_factor(z: Floats) -> Floats:
    """The square R of z = QR with a non-negative diagonal, filled up with zeros where z has few rows."""
    n_columns = z.shape[1]
    r = np.zeros((n_columns, n_columns))
    factor = np.asarray(np.linalg.qr(z, mode="r"))
    factor *= np.where(np.diagonal(factor) < 0.0, -1.0, 1.0)[:, None]
    r[: len(factor)] = factor
    return r
