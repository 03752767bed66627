"""The unit of numeric targets, so that neither a rate that is chosen for them nor a tolerance depends on it.

With outputs o = m + s·õ, the network of õ learns targets (t − m) / s with the objective f / s². Its weights u are
those of o's network θ = D u, where D is s for the weights of the outputs and 1 for those below. To teach õ at one
rate η is to teach o with another rate for each layer: θ ← θ − η D² ∇f / s², or with steps of a size of their own
(Adam) of size η D. The start is that of õ too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.neural.network import Architecture
from novacula.neural.training.lesson import NetworkLesson
from novacula.neural.training.targets import Targets
from novacula.statistics import ClassMoments
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

DIGITS = 16.0
"""The means are multiples of s / 16, and s is a power of 2: so the rounding of sums does not show in them."""


@dataclass(frozen=True, eq=False)
class Gauge:
    """m (k,) and s of the targets."""

    mean: Floats
    scale: float = 1.0

    @classmethod
    def of(cls, table: Table, targets: Targets) -> Self:
        """The means and the common spread of the targets, by one pass."""
        moments = table.reduce(target_moments, targets)
        spread = float(np.sqrt(moments.ssd.mean() / moments.weight.max()))
        scale = 2.0 ** round(np.log2(spread)) if spread > 0.0 else 1.0
        return cls(np.round(moments.mean[0] / scale * DIGITS) * scale / DIGITS, scale)

    def start(self, architecture: Architecture, theta: Any) -> Any:
        """A start θ of õ's network as one of o's."""
        shifted = theta.copy()
        W, b = architecture.layers(shifted)[-1]
        W *= self.scale
        b[...] = self.mean + self.scale * b
        return shifted

    def stretch(self, lesson: NetworkLesson) -> Floats:
        """D, of the weights that can be chosen."""
        stretch = np.ones(lesson.architecture.n_parameters)
        for part in lesson.architecture.layers(stretch)[-1]:
            part[...] = self.scale
        return np.asarray(lesson.contract(stretch))


def target_moments(chunk: Chunk, targets: Targets) -> ClassMoments:
    """The moments of the targets of a chunk's outputs."""
    columns = np.ascontiguousarray(targets.split(targets.of(chunk))[0])
    return ClassMoments.observe(Chunk(columns, np.empty((len(chunk), 0), np.int32), chunk.weight))
