"""A block of rows as arrays: what `observe` sees.

Every source, whether an array, a frame, a file or a partition on a cluster, ends as chunks of one layout, so
that a learner is written once. Columns are split by kind, each kind in schema order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int32]
Texts: TypeAlias = npt.NDArray[np.object_]

MISSING = -1
"""The code of a missing category."""
UNSEEN = -2
"""The code of a category that the schema does not know; learners treat every negative code as missing."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """n rows of a table; the arrays may be views, so they are never written to."""

    numeric: Floats  # (n, numeric columns), C order, NaN where missing
    codes: Codes  # (n, categorical columns), C order, negative where missing or unseen
    weight: Floats  # (n,)
    sparse: Any = None  # scipy CSR (n, width), float64, or None
    text: tuple[Texts, ...] = ()  # one object array (n,) of str per text column, None where missing
    target: Floats | Codes | None = None  # (n,) int32 codes, or (n,) or (n, k) float64

    def __len__(self) -> int:
        return len(self.weight)

    def rows(self, start: int, stop: int) -> Self:
        """Give rows start to stop, without copying dense columns."""
        return type(self)(
            self.numeric[start:stop],
            self.codes[start:stop],
            self.weight[start:stop],
            None if self.sparse is None else sparse_rows(self.sparse, start, stop),
            tuple(column[start:stop] for column in self.text),
            None if self.target is None else self.target[start:stop],
        )

    def take(self, rows: Any) -> Self:
        """Give some rows, by their numbers or by a mask."""
        return type(self)(
            self.numeric[rows],
            self.codes[rows],
            self.weight[rows],
            None if self.sparse is None else self.sparse[rows],
            tuple(column[rows] for column in self.text),
            None if self.target is None else self.target[rows],
        )

    def counted(self) -> Self:
        """Give the rows that have weight: what the others hold must have no effect."""
        held = self.weight > 0.0
        return self if held.all() else self.take(held)

    @property
    def nbytes(self) -> int:
        """Bytes held, text counted as its pointers only."""
        held = [getattr(self, field.name) for field in fields(self) if field.name not in ("sparse", "text")]
        total = sum(array.nbytes for array in held if array is not None) + sum(t.nbytes for t in self.text)
        if self.sparse is not None:
            total += self.sparse.data.nbytes + self.sparse.indices.nbytes + self.sparse.indptr.nbytes
        return int(total)

    def dense(self) -> Floats:
        """Give the numeric and the sparse columns side by side, as a dense C-ordered array."""
        if self.sparse is None:
            return self.numeric
        if self.numeric.shape[1] == 0:
            return np.ascontiguousarray(self.sparse.toarray())
        return np.ascontiguousarray(np.hstack([self.numeric, self.sparse.toarray()]))

    @classmethod
    def concatenate(cls, chunks: Sequence[Self]) -> Self:
        """Put chunks of one layout under each other."""
        if len(chunks) == 1:
            return chunks[0]
        from scipy.sparse import vstack

        first = chunks[0]
        return cls(
            np.concatenate([chunk.numeric for chunk in chunks]),
            np.concatenate([chunk.codes for chunk in chunks]),
            np.concatenate([chunk.weight for chunk in chunks]),
            None if first.sparse is None else vstack([chunk.sparse for chunk in chunks], format="csr"),
            tuple(np.concatenate(columns) for columns in zip(*(chunk.text for chunk in chunks), strict=True)),
            None if first.target is None else np.concatenate([chunk.target for chunk in chunks]),
        )


def sparse_rows(matrix: Any, start: int, stop: int) -> Any:
    """Rows start to stop of a CSR matrix whose data and indices stay views."""
    from scipy.sparse import csr_matrix

    pointer = matrix.indptr[start : stop + 1]
    held = slice(pointer[0], pointer[-1])
    rows = csr_matrix((len(pointer) - 1, matrix.shape[1]), dtype=matrix.dtype)
    # Set one by one: the constructor copies arrays that are small parts of others.
    rows.data, rows.indices, rows.indptr = matrix.data[held], matrix.indices[held], pointer - pointer[0]
    return rows


def without_duplicates(matrix: Any) -> Any:
    """A CSR matrix that stores no position twice: the same one, if it does not."""
    if matrix.has_canonical_format:
        return matrix
    matrix = matrix.copy()
    matrix.sum_duplicates()
    return matrix
