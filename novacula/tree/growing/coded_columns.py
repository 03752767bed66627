"""The columns of codes that are counted where rows are not held: those of the attributes, then bins of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from novacula.statistics.histogram import bin_codes
from novacula.statistics.quantiles import Bins
from novacula.table import Chunk
from novacula.table.chunk import Codes
from novacula.tree.attributes import Attribute
from novacula.tree.growing.problem import Features


@dataclass(frozen=True)
class CodedColumns:
    """What is counted: the attributes' codes, then the bins of numeric columns."""

    attributes: tuple[Attribute, ...]
    cut_places: tuple[int, ...]
    bins: tuple[Bins, ...]
    features: Features

    def codes(self, chunk: Chunk, codes: Codes) -> Codes:
        """The columns of codes of a chunk, given those of its attributes."""
        binned = bin_codes(np.ascontiguousarray(chunk.numeric[:, self.features.columns]), [b.edges for b in self.bins])
        return np.ascontiguousarray(np.hstack([codes, binned]))
