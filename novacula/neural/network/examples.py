"""Examples as an objective reads them: arrays of float64 that fit each other and the network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.neural.network.architecture import Architecture
from novacula.neural.network.jet import Array


@dataclass(frozen=True, eq=False)
class WeightedExamples:
    """Rows with their targets, weights and, where these are known, slopes."""

    X: Array  # (n, d)
    T: Array  # (n, k)
    weight: Array  # (n,)
    slopes: Array | None  # (n, k, d): ∂oₖ/∂xᵢ as it should be

    @classmethod
    def of(
        cls, architecture: Architecture, X: Array, T: Array, weight: Array | None, slopes: Array | None
    ) -> WeightedExamples:
        """Take arrays, and say which does not fit."""
        n, d, k = len(X), architecture.sizes[0], architecture.sizes[-1]
        wanted = {"X": (X, (n, d)), "T": (T, (n, k)), "weight": (weight, (n,)), "slopes": (slopes, (n, k, d))}
        arrays = {
            name: None if array is None else as_shape(array, name, shape) for name, (array, shape) in wanted.items()
        }
        arrays["weight"] = np.ones(n) if weight is None else arrays["weight"]
        return cls(**arrays)  # type: ignore[arg-type]

    @property
    def total(self) -> float:
        """The sum of the weights."""
        total = float(self.weight.sum())
        if not total > 0:
            raise DataError("the weights sum to zero: no row counts")
        return total

    def blocks(self, size: int) -> Iterator[WeightedExamples]:
        """The same in blocks of rows."""
        for i in range(0, len(self.X), size):
            part = slice(i, i + size)
            slopes = None if self.slopes is None else self.slopes[part]
            yield WeightedExamples(self.X[part], self.T[part], self.weight[part], slopes)


def as_shape(array: Array, name: str, shape: tuple[int, ...]) -> Array:
    """The array as float64, if it has the shape that it must have."""
    if array.shape != shape:
        raise ParameterError(f"{name} has shape {array.shape}; with this network and these rows it must be {shape}")
    return np.asarray(array, np.float64)
