"""Forms of rows: dense, or sparse where the columns are. What a sparse matrix refers to is checked as it is decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.state.arrays import ArrayForm
from novacula.state.base import Dim, Form, Scope, StateError


@dataclass(frozen=True)
class SparseForm(Form):
    """A matrix of finite numbers in double precision, compressed row by row."""

    dims: tuple[Dim, Dim]

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Class, type and dimensions, then the numbers that it holds."""
        shape = getattr(value, "shape", ())
        if not is_sparse(value) or value.dtype != np.float64 or len(shape) != 2:
            raise self.refuse(value, where)
        for dim, size in zip(self.dims, shape, strict=True):
            if not scope.fits(dim, size):
                raise StateError(f"{where} is a sparse matrix of shape {shape}, but there are {scope.size(dim)} {dim}")
        ArrayForm("numbers", ("float64",), ("any",)).check(value.data, f"{where}.data", scope)

    def words(self) -> str:
        """The noun and the dimensions."""
        return f"a sparse matrix of numbers ({', '.join(map(str, self.dims))})"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Dense, of another shape or type, and with numbers that are not finite."""
        dense = value.toarray()
        forged = [*super().forgeries(value, random), dense, dense[0], value[1:], value[:, 1:], value[:0], value[:, :0]]
        forged += [value.T.tocsr(), value.astype(np.float32), value.astype(np.int64), type(value)(np.zeros((1, 1)))]
        for extreme in (np.nan, np.inf, 0.0, 1e300):
            changed = value.copy()
            changed.data[: int(random.integers(value.nnz + 1))] = extreme
            forged.append(changed)
        return forged


@dataclass(frozen=True)
class RowsForm(Form):
    """Rows of numeric and of sparse columns as a table gives them: sparse if all columns are, and dense otherwise."""

    dims: tuple[Dim, Dim]

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """As the kinds of columns say."""
        sparse = scope.size("numbers") > scope.size("numeric") == 0
        self._form(sparse).check(value, where, scope)

    def _form(self, sparse: bool) -> Form:
        return SparseForm(self.dims) if sparse else ArrayForm("numbers", ("float64",), self.dims)

    def words(self) -> str:
        """As those of an array."""
        return f"numbers ({', '.join(map(str, self.dims))}), sparse where all columns are"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Those of the form that the value has."""
        return self._form(is_sparse(value)).forgeries(value, random)


def is_sparse(value: Any) -> bool:
    """Whether a value is of one of SciPy's classes of matrices that are compressed row by row."""
    from scipy.sparse import csr_array, csr_matrix

    return type(value) in (csr_array, csr_matrix)


def rows(dim: Dim, width: Dim = "numbers") -> Form:
    """Rows of finite numbers, sparse if all columns are; a record that holds them needs `numbers` and `numeric`."""
    return RowsForm((dim, width))
