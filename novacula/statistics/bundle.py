"""Several statistics as one, so that one pass over the data serves them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from novacula.state import State, any_record, each
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk


@dataclass(frozen=True, slots=True, eq=False)
class Bundle(Statistic):
    """The product of statistics, added part by part: as large as its parts together.

    >>> from functools import partial
    >>> import numpy as np
    >>> from novacula.statistics import ClassMoments, QuantileSketch
    >>> chunk = Chunk(np.array([[1.0], [3.0]]), np.empty((2, 0), np.int32), np.ones(2))
    >>> observers = ClassMoments.observe, partial(QuantileSketch.observe, capacity=16)
    >>> moments, sketch = Bundle.observe(chunk, observers).parts
    >>> moments.mean.item(), sketch.quantile(1.0).item()
    (2.0, 3.0)
    """

    state: ClassVar[State] = {"parts": each(any_record(Statistic))}

    parts: tuple[Statistic, ...]

    @classmethod
    def zero(cls, parts: Sequence[Statistic]) -> Self:
        """No rows: the zeros of the parts."""
        return cls(tuple(parts))

    @classmethod
    def observe(cls, chunk: Chunk, observers: Sequence[Callable[[Chunk], Statistic]]) -> Self:
        """What each observer makes of the chunk."""
        return cls(tuple(observe(chunk) for observe in observers))

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, [type(part) for part in self.parts], [type(part) for part in other.parts])
        return type(self)(tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))
