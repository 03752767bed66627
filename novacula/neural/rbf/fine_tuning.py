"""Fine-tuning: centres and widths go down the gradient of the error, with the best output weights at each place.

    E(μ, σ) = min over w, b of Σ (y − b − Σ wₖφₖ(x))² + α Σ wₖ²

Since the weights are at their minimum, moving them a little changes nothing, so the gradient of E is that with the
weights held (variable projection; Golub and Pereyra, 1973). With e = y − ŷ, s = r²/σ² and φ′ = dφ/ds:

    h = −2 Σ_outputs e w φ′        ∂E/∂μ = Σ_rows h · 2(μ − x)/σ²        ∂E/∂ ln σ = −Σ_rows h · 2s
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Self

import numpy as np

from novacula.errors import DataError
from novacula.neural.rbf.basis import FUNCTIONS, RadialBasis
from novacula.neural.rbf.output_layer import OutputLayer, solve_least_squares, targets_of
from novacula.neural.rbf.trace import MOST_NUMBERS, TuningTrace
from novacula.optimize import Result
from novacula.optimize.lbfgs import lbfgs
from novacula.statistics import Statistic
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

SETTLED = 1e-6
"""Length of the gradient of E over its start, in widths, at which there is nothing left to gain."""


def fine_tune(
    table: Table, basis: RadialBasis, n_classes: int, alpha: float, max_steps: int
) -> tuple[RadialBasis, Result, TuningTrace | None]:
    """Go down from a basis by L-BFGS, at most `max_steps`; the values of the result are E over its start.

    The way is kept unless it is long.
    """
    descent = BasisDescent(table, basis, n_classes, alpha)
    start = descent.place(basis)
    keep = start.size * (max_steps + 1) <= MOST_NUMBERS
    seen: dict[bytes, Floats] = {}

    def gradient(place: Floats) -> Floats:
        slopes = descent.gradient(place)
        if keep:
            seen[place.tobytes()] = slopes
        return slopes

    result = lbfgs(descent.value, gradient, start, tol=SETTLED, max_iter=max_steps, keep_path=keep)
    trace = None
    if result.path is not None:
        trace = TuningTrace.of(result.path, [seen[place.tobytes()] for place in result.path], result.steps)
    return descent.basis(result.x), result, trace


class BasisDescent:
    """E and its gradient as functions of one vector: centres in units of the mean width, and ln σ."""

    def __init__(self, table: Table, start: RadialBasis, n_classes: int, alpha: float) -> None:
        self.table, self.start, self.n_classes, self.alpha = table, start, n_classes, alpha
        self.unit = float(start.widths.mean())
        self._last_point: tuple[bytes, BasisGradient] | None = None
        error = self._at(self.place(start)).error
        self.scale = error if error > 0.0 else 1.0

    def place(self, basis: RadialBasis) -> Floats:
        """A basis as a vector (K·d + K,)."""
        moved = (basis.centers - self.start.centers) / self.unit
        return np.concatenate([moved.ravel(), np.log(basis.widths)])

    def basis(self, place: Floats) -> RadialBasis:
        """The basis that a vector stands for."""
        K, d = self.start.centers.shape
        with np.errstate(over="ignore"):  # a step too far, which the search takes back
            widths = np.exp(place[K * d :])
        moved = place[: K * d].reshape(K, d)
        return RadialBasis(self.start.function, self.start.centers + self.unit * moved, widths)

    def value(self, place: Floats) -> float:
        """E over its value at the start; infinite where the answers of the units are."""
        try:
            return self._at(place).error / self.scale
        except DataError:
            return math.inf

    def gradient(self, place: Floats) -> Floats:
        """The gradient of `value`."""
        slopes = self._at(place)
        return np.concatenate([self.unit * slopes.centers.ravel(), slopes.log_widths]) / self.scale

    def _at(self, place: Floats) -> BasisGradient:
        """E and its gradient by two passes over the rows, one if the place is the same as the last."""
        key = place.tobytes()
        if self._last_point is None or self._last_point[0] != key:
            basis = self.basis(place)
            layer = solve_least_squares(self.table, basis, self.n_classes, self.alpha)
            slopes = self.table.reduce(BasisGradient.observe, basis, layer, self.n_classes)
            self._last_point = key, slopes.penalised(self.alpha * float((layer.coef**2).sum()))
        return self._last_point[1]


@dataclass(frozen=True, slots=True, eq=False)
class BasisGradient(Statistic):
    """The squared error and its derivatives by centres and by ln σ: 1 + Kd + K numbers for any number of rows."""

    error: float
    centers: Floats  # (K, d)
    log_widths: Floats  # (K,)

    @classmethod
    def zero(cls, n_centers: int, n_columns: int) -> Self:
        """No rows."""
        return cls(0.0, np.zeros((n_centers, n_columns)), np.zeros(n_centers))

    @classmethod
    def observe(cls, chunk: Chunk, basis: RadialBasis, layer: OutputLayer, n_classes: int) -> Self:
        """The sums over the rows of a chunk."""
        pieces = (piece.counted() for piece in basis.blocks(chunk))
        return reduce(add, (cls._piece(piece, basis, layer, n_classes) for piece in pieces))

    @classmethod
    def _piece(cls, chunk: Chunk, basis: RadialBasis, layer: OutputLayer, n_classes: int) -> Self:
        function, x = FUNCTIONS[basis.function], chunk.numeric
        squares = basis.squares(x)
        answers = function.value(squares)
        missed = targets_of(chunk, n_classes) - layer.intercept - answers @ layer.coef
        weighted = chunk.weight[:, None] * missed
        pull = -2.0 * (weighted @ layer.coef.T) * function.slope(squares, answers)
        # Rows are seen from amid the centres: far from zero a difference of sums would lose its digits.
        origin = basis.centers.mean(axis=0)
        towards = pull.sum(axis=0)[:, None] * (basis.centers - origin) - pull.T @ (x - origin)
        return cls(
            float((weighted * missed).sum()),
            2.0 * towards / basis.widths[:, None] ** 2,
            -2.0 * (pull * squares).sum(axis=0),
        )

    def __add__(self, other: Self) -> Self:
        return type(self)(self.error + other.error, self.centers + other.centers, self.log_widths + other.log_widths)

    def penalised(self, price: float) -> Self:
        """The same with the price of the output weights added, on which centres and widths have no direct hold."""
        return type(self)(self.error + price, self.centers, self.log_widths)
