"""Rows as small whole numbers: each number by the bin it falls into, each category by its code, missing values last.

    source ──sketch──▶ bins ──▶ codes: one byte per value (two, where a column has more than 255 categories)

Bins depend only on which values there are and how often, so they are the same for any order of rows, in memory, from
files and on a cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.errors import SchemaError
from novacula.statistics import QuantileSketch
from novacula.statistics.contingency import side_by_side
from novacula.statistics.histogram import bin_codes
from novacula.statistics.quantiles import Bins, column_bins
from novacula.table import Chunk, Table
from novacula.table.parallel import map_ordered
from novacula.tree.attributes import Attribute

MOST_BINS = 255
"""Bins of a numeric column, so that with missing values a code fits into a byte."""
MOST_CODES = 65_535
"""Categories of a column, so that a code fits into two."""
CODED_ROWS = 1 << 14
"""Rows whose bins are found at once."""

CodeMatrix = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class BinnedColumns:
    """How chunks become codes; numbers and categories, which must not be cut at thresholds of their own."""

    attributes: tuple[Attribute, ...]
    bins: tuple[Bins, ...]  # of the numeric attributes, in their order

    @classmethod
    def of(cls, table: Table, attributes: Sequence[Attribute], max_bins: int = MOST_BINS) -> BinnedColumns:
        """Find the bins of a table, in one pass where it is not in memory."""
        for attribute in attributes:
            if attribute.size > MOST_CODES:
                raise SchemaError(
                    f"{attribute.name!r} has {attribute.size:,} categories, and at most {MOST_CODES:,} can be told "
                    "apart: leave it out, or join its rare ones"
                )
        places = tuple(a.place for a in attributes if a.kind == "numeric")
        if not places:
            return cls(tuple(attributes), ())
        if not table.is_local:
            return cls(tuple(attributes), table.reduce(QuantileSketch.observe, 1, places).bins(max_bins))
        chunk = table.to_chunk()

        def bins_of(place: int) -> Bins:
            return column_bins(chunk.numeric[:, place], chunk.weight, max_bins)

        with closing(map_ordered(bins_of, places)) as found:
            return cls(tuple(attributes), tuple(found))

    @cached_property
    def edges(self) -> tuple[np.ndarray, ...]:
        """The inner edges of each attribute; none of a category."""
        found = iter(self.bins)
        return tuple(next(found).edges if a.kind == "numeric" else np.zeros(0) for a in self.attributes)

    @cached_property
    def ordered(self) -> npt.NDArray[np.bool_]:
        """Whether each attribute (F,) is a number, whose bins are in order."""
        return np.array([a.kind == "numeric" for a in self.attributes], bool)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many codes each attribute (F,) has; the code of a missing value is this number."""
        return np.array(
            [len(e) + 1 if a.kind == "numeric" else a.size for a, e in zip(self.attributes, self.edges, strict=True)],
            np.int64,
        )

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where the cells of each attribute begin, side by side, those of missing values among them: (F + 1,)."""
        return side_by_side((self.sizes + 1).tolist())

    @property
    def dtype(self) -> Any:
        """The type of a code."""
        return np.uint8 if self.sizes.max(initial=0) <= MOST_BINS else np.uint16

    def codes(self, chunk: Chunk) -> CodeMatrix:
        """The codes (n, F) of a chunk."""
        codes = np.empty((len(chunk), len(self.attributes)), self.dtype)
        self.fill(chunk, codes)
        return codes

    def fill(self, chunk: Chunk, codes: CodeMatrix) -> None:
        """Write the codes (n, F) of a chunk, block by block."""
        numbers = [f for f, a in enumerate(self.attributes) if a.kind == "numeric"]
        places = [self.attributes[f].place for f in numbers]
        edges = [self.edges[f] for f in numbers]
        for start in range(0, len(chunk), CODED_ROWS):
            rows = slice(start, start + CODED_ROWS)
            if numbers:
                found = bin_codes(np.ascontiguousarray(chunk.numeric[rows][:, places]), edges)
                codes[rows, numbers] = np.where(found < 0, self.sizes[numbers], found)
            for f, attribute in enumerate(self.attributes):
                if attribute.kind != "numeric":
                    given = chunk.codes[rows, attribute.place]
                    codes[rows, f] = np.where(given < 0, self.sizes[f], given)
