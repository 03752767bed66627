"""How often each category of each column occurs in each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, ParameterError
from novacula.state import State, floats, offsets
from novacula.statistics.base import Statistic, class_codes, require_same_layout
from novacula.table.chunk import Chunk, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Contingency(Statistic):
    """Weight per class, column and category: K·Σc numbers for columns of c categories.

    The columns lie side by side, column j from offsets[j] to offsets[j + 1]. Missing categories are left out.

    >>> codes = np.array([[0, 1], [0, -1], [1, 2]], np.int32)
    >>> chunk = Chunk(np.empty((3, 0)), codes, np.ones(3), target=np.array([0, 0, 1], np.int32))
    >>> Contingency.observe(chunk, n_classes=2, sizes=(2, 3)).column(1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """

    state: ClassVar[State] = {
        "counts": floats("classes", "entries", least=0.0),
        "offsets": offsets("columns+1", "entries"),
    }

    counts: Floats  # (K, offsets[d])
    offsets: npt.NDArray[np.int64]  # (d + 1,)

    @classmethod
    def zero(cls, n_classes: int, sizes: Sequence[int]) -> Self:
        """No rows, for columns with these numbers of categories."""
        offsets = side_by_side(sizes)
        return cls(np.zeros((n_classes, offsets[-1])), offsets)

    @classmethod
    def observe(cls, chunk: Chunk, n_classes: int, sizes: tuple[int, ...]) -> Self:
        """The counts of the categorical columns; sizes are their numbers of categories."""
        from novacula.statistics._kernels import contingency

        if chunk.codes.shape[1] != len(sizes):
            raise ParameterError(f"{len(sizes)} sizes were given for {chunk.codes.shape[1]} categorical columns")
        counts = cls.zero(n_classes, sizes)
        code = class_codes(chunk, n_classes)
        beyond = contingency(chunk.codes, code, chunk.weight, counts.offsets, counts.counts)
        if beyond:
            column = int(np.argmax(chunk.codes.max(axis=0) >= np.asarray(sizes)))
            raise DataError(
                f"categorical column {column} holds code {chunk.codes[:, column].max()}, but only "
                f"{sizes[column]} categories are known: grow the vocabulary first"
            )
        return counts

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.layout, other.layout)
        return type(self)(self.counts + other.counts, self.offsets)

    @property
    def layout(self) -> tuple[int, ...]:
        """The number of classes, then the number of categories of each column."""
        return (len(self.counts), *np.diff(self.offsets).tolist())

    def column(self, j: int) -> Floats:
        """The counts of one column: classes × categories."""
        return self.counts[:, self.offsets[j] : self.offsets[j + 1]]

    def recode(self, new_sizes: Sequence[int], maps: Sequence[npt.NDArray[np.integer]]) -> Self:
        """Move the counts to another vocabulary: maps[j][old code] is the new code in column j.

        Codes that become one are added.
        """
        if [len(new) for new in maps] != np.diff(self.offsets).tolist() or len(new_sizes) != len(maps):
            raise ParameterError("each column needs one new size, and one new code for each of its old ones")
        if any(len(new) and not 0 <= new.min() <= new.max() < size for new, size in zip(maps, new_sizes, strict=True)):
            raise ParameterError("a new code lies outside of the new vocabulary")
        moved = type(self).zero(len(self.counts), new_sizes)
        for j, new in enumerate(maps):
            np.add.at(moved.column(j).T, new, self.column(j).T)
        return moved


def side_by_side(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """Where each of several ragged columns starts when they lie in one array, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
