"""How the values of numeric columns fall into given bins, per class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.state import State, floats, offsets
from novacula.statistics.base import Statistic, class_codes, require_same_layout
from novacula.statistics.contingency import side_by_side
from novacula.table.chunk import MISSING, Chunk, Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Histogram(Statistic):
    """Weight per class, numeric column and bin: K·(Σb + d) numbers for columns of b bins.

    The inner edges e₀ < e₁ < … of a column make one bin more than there are edges. A value x is in bin
    `np.searchsorted(edges, x, side="left")`: bin 0 is x ≤ e₀, bin i is eᵢ₋₁ < x ≤ eᵢ, and the last one is
    above all edges. The columns lie side by side, column j from offsets[j] to offsets[j + 1]. Missing values
    are counted apart.

    >>> chunk = Chunk(np.array([[0.0], [1.0], [1.5], [np.nan]]), np.empty((4, 0), np.int32), np.ones(4))
    >>> histogram = Histogram.observe(chunk, n_classes=1, edges=(np.array([0.5, 1.0]),))
    >>> histogram.column(0), histogram.missing
    (array([[1., 1., 1.]]), array([[1.]]))
    """

    state: ClassVar[State] = {
        "counts": floats("classes", "entries", least=0.0),
        "missing": floats("classes", "columns", least=0.0),
        "offsets": offsets("columns+1", "entries"),
    }

    counts: Floats  # (K, offsets[d])
    missing: Floats  # (K, d)
    offsets: npt.NDArray[np.int64]  # (d + 1,)

    @classmethod
    def zero(cls, n_classes: int, edges: Sequence[Floats]) -> Self:
        """No rows, for columns with these inner edges."""
        offsets = side_by_side([len(column) + 1 for column in edges])
        return cls(np.zeros((n_classes, offsets[-1])), np.zeros((n_classes, len(edges))), offsets)

    @classmethod
    def observe(cls, chunk: Chunk, n_classes: int, edges: Sequence[Floats]) -> Self:
        """The histograms of the numeric columns with these inner edges, one rising array for each column."""
        from novacula.statistics._kernels import contingency

        if len(edges) != chunk.numeric.shape[1]:
            raise ParameterError(f"edges were given for {len(edges)} of {chunk.numeric.shape[1]} numeric columns")
        seen = cls.zero(n_classes, edges)
        code, bins = class_codes(chunk, n_classes), bin_codes(chunk.numeric, edges)
        contingency(bins, code, chunk.weight, seen.offsets, seen.counts)
        row, column = np.nonzero(bins == MISSING)
        np.add.at(seen.missing, (code[row], column), chunk.weight[row])
        return seen

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.layout, other.layout)
        return type(self)(self.counts + other.counts, self.missing + other.missing, self.offsets)

    @property
    def layout(self) -> tuple[int, ...]:
        """The number of classes, then the number of bins of each column."""
        return (len(self.counts), *np.diff(self.offsets).tolist())

    def column(self, j: int) -> Floats:
        """The histogram of one column: classes × bins."""
        return self.counts[:, self.offsets[j] : self.offsets[j + 1]]


def bin_codes(x: Floats, edges: Sequence[Floats]) -> Codes:
    """The bin of every value, as codes: (n, d), negative where the value is missing."""
    from novacula.statistics._kernels import find_bins

    codes = np.empty(x.shape, np.int32)
    find_bins(
        np.ascontiguousarray(x), np.concatenate([np.empty(0), *edges]), side_by_side(list(map(len, edges))), codes
    )
    return codes
