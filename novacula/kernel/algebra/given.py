"""Kernels that come from outside: a function of one's own, or a Gram matrix that is there already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.monomials import no_map
from novacula.kernel.algebra.rows import ColumnSpread, Rows, is_sparse
from novacula.state import State, instance
from novacula.table.chunk import Floats


@dataclass(eq=False, repr=False)
class Custom(Kernel):
    """A function of one's own: f(A, B) of rows (n, d) and (m, d) gives the matrix (n, m), or f(x, y) a number.

    Which of the two it is shows at its first call, on two rows and three or four others: if it gives a matrix of that
    shape, it takes matrices; otherwise it is called for each pair of rows. Nothing is assumed about it: `check` tests
    whether it is symmetric and positive semi-definite on some rows. It cannot be saved to a file, which holds no code.

    >>> import numpy as np
    >>> histogram = Custom(lambda x, y: np.minimum(x, y).sum())
    >>> histogram([[1.0, 3.0], [2.0, 2.0]]).tolist()
    [[4.0, 3.0], [3.0, 4.0]]
    """

    state: ClassVar[State] = {"f": instance(object)}  # any that can be called: no file holds one

    f: Callable[[Any, Any], Any]

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        if not callable(self.f):
            raise ParameterError(
                f"f of Custom is {self.f!r}; it must be a function of two rows, or of two sets of rows"
            )

    @property
    def positive(self) -> bool | None:
        """None: nothing is known of the function."""
        return None

    def block(self, A: Rows, B: Rows) -> Floats:
        """What the function gives."""
        if self._takes_matrices(A, B):
            return np.array(self.f(A, B), np.float64)
        return np.array([[self._pair(x, y) for y in _each(B)] for x in _each(A)], np.float64)

    def _takes_matrices(self, A: Rows, B: Rows) -> bool:
        of_matrices: bool | None = getattr(self, "_of_matrices", None)
        if of_matrices is None:
            of_matrices = self._of_matrices = self._probe(A, B)
        return of_matrices

    def _probe(self, A: Rows, B: Rows) -> bool:
        # As many rows as columns would let x @ y of two matrices pass for a Gram matrix.
        m = 3 if A.shape[1] != 3 else 4
        few, some = A[np.arange(2) % A.shape[0]], B[np.arange(m) % B.shape[0]]
        try:
            return np.shape(self.f(few, some)) == (2, m)
        except Exception:  # a function of two rows may raise anything on matrices
            return False

    def _pair(self, x: Any, y: Any) -> float:
        value = self.f(x, y)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ParameterError(
                f"{self!r} gives {type(value).__name__} of shape {np.shape(value)} for two rows, and no matrix for two "
                "sets of rows: it must give a number, or a matrix"
            ) from None

    def n_features(self, d: int) -> int:
        """None that are known."""
        raise no_map(self, "of a function only its values are known")

    def __repr__(self) -> str:
        return f"Custom({getattr(self.f, '__qualname__', None) or repr(self.f)})"


@dataclass(eq=False, repr=False)
class Precomputed(Kernel):
    """The rows are rows of a Gram matrix: X is (n, n) at fit, and (n, rows of the fit) afterwards.

    >>> Precomputed()([[1.0, 0.5], [0.5, 1.0]]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    @property
    def positive(self) -> bool | None:
        """None: it depends on the matrix."""
        return None

    @property
    def precomputed(self) -> bool:
        """True."""
        return True

    def resolved_by(self, spread: ColumnSpread) -> Kernel:
        """A copy; there is nothing to find."""
        return Precomputed()

    def block(self, A: Rows, B: Rows) -> Floats:
        """A itself, a column for each row of B."""
        if A.shape[1] != B.shape[0]:
            raise DataError(
                f"a precomputed Gram matrix of shape {A.shape} has no column for each of {B.shape[0]} rows: "
                "pass k(X, rows of the fit)"
            )
        return np.asarray(A.toarray() if is_sparse(A) else A)

    def block_diagonal(self, rows: Rows) -> Floats:
        """The diagonal of the matrix."""
        if rows.shape[0] != rows.shape[1]:
            raise DataError(f"a precomputed Gram matrix of shape {rows.shape} does not hold k(x, x) of its rows")
        return np.array(rows.diagonal())

    def n_features(self, d: int) -> int:
        """None that are known."""
        raise no_map(self, "of its rows only products are known")


def _each(rows: Rows) -> Any:
    """The rows one by one, as arrays (d,)."""
    return rows.toarray() if is_sparse(rows) else rows
