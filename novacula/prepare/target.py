"""What is done to the target and the weights before a learner sees them: a scale for numbers, weights for classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.table import Chunk
from novacula.table.chunk import Floats
from novacula.words import quoted


class Transform(NamedTuple):
    """What a target is learned as, how predictions are brought back, also as it is written, and the least number."""

    function: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]
    written: str
    least: float


TRANSFORMS = {
    "log": Transform(np.log, np.exp, "exp(u)", float(np.nextafter(0.0, 1.0))),
    "log1p": Transform(np.log1p, np.expm1, "exp(u) - 1", float(np.nextafter(-1.0, 0.0))),
    "sqrt": Transform(np.sqrt, np.square, "max(u, 0)**2", 0.0),
}


@dataclass(frozen=True)
class TargetTransform:
    """A function of the target that is learned in its place; predictions are brought back.

    >>> TargetTransform("log").back(TargetTransform("log").of(np.array([1.0, 10.0]))).round(6).tolist()
    [1.0, 10.0]
    """

    name: str

    def of(self, target: Floats) -> Floats:
        """The numbers that are learned."""
        transform = TRANSFORMS[self.name]
        if (wrong := target < transform.least).any():
            raise DataError(
                f"target_transform={self.name!r} cannot take the target {target[wrong].ravel()[0]:g}: leave it out, or "
                "take another"
            )
        return transform.function(target)

    def back(self, learned: Floats) -> Floats:
        """Predictions as numbers of the target."""
        with np.errstate(over="ignore"):
            return TRANSFORMS[self.name].back(np.maximum(learned, 0.0) if self.name == "sqrt" else learned)

    def __call__(self, chunk: Chunk) -> Chunk:
        """The rows with the target as it is learned."""
        return chunk if chunk.target is None else replace(chunk, target=self.of(np.asarray(chunk.target, np.float64)))


@dataclass(frozen=True, eq=False)
class ClassFactors:
    """By what the weight of a row is multiplied, for each class by its code."""

    factors: Floats

    @classmethod
    def of(cls, asked: str | Mapping[Any, float], labels: list[Any], weight: Floats) -> Self:
        """Those that were stated, or those that give every class the same weight in all ("balanced")."""
        if asked == "balanced":
            return cls(weight.sum() / (len(weight) * weight))
        assert not isinstance(asked, str)  # noqa: S101  (no other word is taken)
        if unknown := [label for label in asked if label not in labels]:
            raise ParameterError(f"class_weight names {quoted(unknown[0])}, which is not a class of the target")
        for label, factor in asked.items():
            if not isinstance(factor, Real) or not 0.0 < factor < np.inf:
                raise ParameterError(f"the class_weight of {quoted(label)} is {factor!r}; it must be above 0")
        return cls(np.array([float(asked.get(label, 1.0)) for label in labels]))

    def __call__(self, chunk: Chunk) -> Chunk:
        """The rows with their weights."""
        if chunk.target is None:
            return chunk
        return replace(chunk, weight=chunk.weight * self.factors[np.asarray(chunk.target, np.intp)])
