"""Kernels made of one kernel: its exponential, its normalised form, and itself on some columns only.

exp(k) = Σ kⁿ/n!                      a sum of products with positive weights, so a kernel if k is one
k(x, y) / √(k(x, x) k(y, y))          features divided by their length
k on columns                          the same features, of fewer columns
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.kernel.algebra.compositions import KernelProduct, KernelSum, Power, Scaled, enclosed
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.monomials import Monomial, no_map
from novacula.kernel.algebra.parameters import require_kernel
from novacula.kernel.algebra.rows import Columns, ColumnSpread, Rows, listed, on_columns, places_of
from novacula.state import State, any_record, each, one_of, text, whole
from novacula.table.chunk import Floats

LENGTH = "‖φ‖"
"""What a normalised feature is divided by."""
MOST_NORMALIZED = 6
"""How often kernels within each other may be normalised: each level makes slopes cost three times as much."""


@dataclass(eq=False, repr=False)
class Exponential(Kernel):
    """exp(k)."""

    state: ClassVar[State] = {"kernel": any_record(Kernel)}

    kernel: Any

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_kernel("Exponential", "kernel", self.kernel)

    @property
    def positive(self) -> bool | None:
        """True if the kernel is: Σ kⁿ/n! has positive terms."""
        return True if self.kernel.positive else None

    def block(self, A: Rows, B: Rows) -> Floats:
        """exp(k)."""
        return np.asarray(np.exp(self.kernel.block(A, B)))

    def block_diagonal(self, rows: Rows) -> Floats:
        """exp(k(x, x))."""
        return np.asarray(np.exp(self.kernel.block_diagonal(rows)))

    def n_features(self, d: int) -> int:
        """None that are finite in number."""
        raise no_map(self, "the power series of exp has infinitely many positive terms, each with features of its own")

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """exp(k) ∂k."""
        if self.free:
            K = self.block(A, B)
            yield from (K * inner for inner in self.kernel.gradients(A, B))

    def __repr__(self) -> str:
        return f"{enclosed(self.kernel, KernelSum, KernelProduct, Scaled, Power)}.exp()"


@dataclass(eq=False, repr=False)
class Normalized(Kernel):
    """k(x, y) / √(k(x, x) k(y, y)): the cosine of the angle between features.

    Where k(x, x) = 0 all features are 0 and have no direction: then it is 0.
    """

    state: ClassVar[State] = {"kernel": any_record(Kernel)}

    kernel: Any

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_kernel("Normalized", "kernel", self.kernel)
        if times_normalized(self) > MOST_NORMALIZED:
            raise ParameterError(
                f"a kernel is normalised more than {MOST_NORMALIZED} times over: normalise it once, which suffices"
            )

    @property
    def positive(self) -> bool | None:
        """As the kernel: rows and columns are multiplied by positive numbers."""
        return self.kernel.positive

    def block(self, A: Rows, B: Rows) -> Floats:
        """k(x, y) / √(k(x, x) k(y, y))."""
        return np.asarray(self.kernel.block(A, B) * np.outer(self._shrink(A), self._shrink(B)))

    def _shrink(self, rows: Rows) -> Floats:
        """1/√k(x, x) of each row, 0 where that is 0."""
        squared = self.kernel.block_diagonal(rows)
        if (squared < 0.0).any():
            i = int(np.argmax(squared < 0.0))
            raise DataError(f"{self.kernel!r} is {squared[i]:g} of row {i + 1} with itself, so it cannot be normalised")
        return np.divide(1.0, np.sqrt(squared), out=np.zeros_like(squared), where=squared > 0.0)

    def block_diagonal(self, rows: Rows) -> Floats:
        """1, or 0 where k(x, x) is 0."""
        return np.asarray(self._shrink(rows) > 0.0, np.float64)

    def n_features(self, d: int) -> int:
        """As many as the kernel has."""
        return int(self.kernel.n_features(d))

    def feature_block(self, X: Floats) -> Floats:
        """Those of the kernel, divided by their length."""
        return np.asarray(self.kernel.feature_block(X) * self._shrink(X)[:, None])

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """Those of the kernel, divided by their length."""
        return [term * Monomial(1.0, {LENGTH: -1}) for term in self.kernel.feature_terms(names)]

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """∂k/√(…) − ½ k̃ (∂k(x, x)/k(x, x) + ∂k(y, y)/k(y, y))."""
        if self.free:
            K, left, right = self.block(A, B), self._shrink(A), self._shrink(B)
            changes = (self.kernel.gradients(*pair) for pair in ((A, B), (A, A), (B, B)))
            for inner, of_a, of_b in zip(*changes, strict=True):
                own = np.add.outer(np.diagonal(of_a) * left**2, np.diagonal(of_b) * right**2)
                yield inner * np.outer(left, right) - 0.5 * K * own

    def __repr__(self) -> str:
        return f"{enclosed(self.kernel, KernelSum, KernelProduct, Scaled, Power)}.normalized()"


@dataclass(eq=False, repr=False)
class OnColumns(Kernel):
    """A kernel of some columns only: places, counted from 0, or names for rows that have them."""

    state: ClassVar[State] = {
        "kernel": any_record(Kernel),
        "columns": one_of(whole(), text(), each(one_of(whole(), text()))),
    }

    kernel: Any
    columns: Columns

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_kernel("OnColumns", "kernel", self.kernel)
        if not isinstance(self.columns, (int, str, list, tuple)):
            raise ParameterError(f"columns of OnColumns is {self.columns!r}; it must be a list of places or of names")
        columns = listed(self.columns)
        if self.kernel.precomputed:
            raise ParameterError(f"{self.kernel!r} takes rows of a Gram matrix, which has no columns to choose from")
        if not columns:
            raise ParameterError("a kernel on no columns compares nothing: name at least one")
        for column in columns:
            whole = isinstance(column, (int, np.integer)) and not isinstance(column, bool) and column >= 0
            if not whole and not isinstance(column, str):
                raise ParameterError(f"a kernel is on column {column!r}; columns are places from 0 on, or names")
        if len(set(columns)) < len(columns):
            raise ParameterError(f"a kernel is on the columns {columns}, and one of them is named twice")

    @property
    def positive(self) -> bool | None:
        """As the kernel."""
        return self.kernel.positive

    def resolved_by(self, spread: ColumnSpread) -> Kernel:
        """A copy with places for names, whose kernel is resolved on these columns."""
        self.validate()
        return OnColumns(self.kernel.resolved_by(spread.on(self.columns)), spread.places(self.columns))

    def _taken(self, rows: Rows) -> Rows:
        return on_columns(rows, listed(self.columns))

    def block(self, A: Rows, B: Rows) -> Floats:
        """k of these columns."""
        return np.asarray(self.kernel.block(self._taken(A), self._taken(B)))

    def block_diagonal(self, rows: Rows) -> Floats:
        """k(x, x) of these columns."""
        return np.asarray(self.kernel.block_diagonal(self._taken(rows)))

    def n_features(self, d: int) -> int:
        """As many as the kernel has of these columns."""
        return int(self.kernel.n_features(len(listed(self.columns))))

    def feature_block(self, X: Floats) -> Floats:
        """Those of the kernel of these columns."""
        return np.asarray(self.kernel.feature_block(self._taken(X)))

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """Those of the kernel of these columns."""
        return list(self.kernel.feature_terms([names[j] for j in places_of(self.columns, len(names), names)]))

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """Those of the kernel on these columns."""
        yield from self.kernel.gradients(self._taken(A), self._taken(B))

    def __repr__(self) -> str:
        columns = [c if isinstance(c, str) else int(c) for c in listed(self.columns)]
        return f"{enclosed(self.kernel, KernelSum, KernelProduct, Scaled, Power)}.on({columns})"


def times_normalized(kernel: Kernel) -> int:
    """How many normalised kernels there are within each other, at most."""
    return isinstance(kernel, Normalized) + max((times_normalized(part) for _, part in kernel.parts()), default=0)
