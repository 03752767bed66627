"""Kernels made of one or two kernels by arithmetic, and why each is one if its parts are.

k₁ + k₂        features side by side                    c·k            features times √c
k₁ k₂          all products of a feature of each        kⁿ             products of n features
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from novacula.kernel.algebra.elementary import whole_power
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.monomials import Expansion, Monomial, count_monomials, row_tensor
from novacula.kernel.algebra.parameters import POWER, require_count, require_kernel, require_positive
from novacula.kernel.algebra.rows import Rows
from novacula.state import State, any_record, number
from novacula.table.chunk import Floats


@dataclass(eq=False, repr=False)
class KernelSum(Kernel):
    """k₁ + k₂."""

    state: ClassVar[State] = {"left": any_record(Kernel), "right": any_record(Kernel)}

    left: Any
    right: Any

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_kernel("KernelSum", "left", self.left)
        require_kernel("KernelSum", "right", self.right)

    @property
    def positive(self) -> bool | None:
        """True if both are; otherwise one may make up for the other."""
        return True if self.left.positive and self.right.positive else None

    def block(self, A: Rows, B: Rows) -> Floats:
        """k₁ + k₂."""
        return np.asarray(self.left.block(A, B) + self.right.block(A, B))

    def block_diagonal(self, rows: Rows) -> Floats:
        """k₁(x, x) + k₂(x, x)."""
        return np.asarray(self.left.block_diagonal(rows) + self.right.block_diagonal(rows))

    def n_features(self, d: int) -> int:
        """As many as both have."""
        return int(self.left.n_features(d) + self.right.n_features(d))

    def feature_block(self, X: Floats) -> Floats:
        """Those of both, side by side."""
        return np.hstack([self.left.feature_block(X), self.right.feature_block(X)])

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """Those of both."""
        return [*self.left.feature_terms(names), *self.right.feature_terms(names)]

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """Those of the one, then those of the other."""
        yield from self.left.gradients(A, B)
        yield from self.right.gradients(A, B)

    def __repr__(self) -> str:
        return f"{self.left!r} + {enclosed(self.right, KernelSum)}"


@dataclass(eq=False, repr=False)
class KernelProduct(Kernel):
    """k₁ k₂."""

    state: ClassVar[State] = {"left": any_record(Kernel), "right": any_record(Kernel)}

    left: Any
    right: Any

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_kernel("KernelProduct", "left", self.left)
        require_kernel("KernelProduct", "right", self.right)

    @property
    def positive(self) -> bool | None:
        """True if both are (Schur): the features are all products of one of each."""
        return True if self.left.positive and self.right.positive else None

    def block(self, A: Rows, B: Rows) -> Floats:
        """k₁ k₂."""
        return np.asarray(self.left.block(A, B) * self.right.block(A, B))

    def block_diagonal(self, rows: Rows) -> Floats:
        """k₁(x, x) k₂(x, x)."""
        return np.asarray(self.left.block_diagonal(rows) * self.right.block_diagonal(rows))

    def n_features(self, d: int) -> int:
        """As many as there are pairs."""
        return int(self.left.n_features(d) * self.right.n_features(d))

    def feature_block(self, X: Floats) -> Floats:
        """All products of a feature of each."""
        return row_tensor(self.left.feature_block(X), self.right.feature_block(X))

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """All products of a feature of each."""
        return [one * other for one in self.left.feature_terms(names) for other in self.right.feature_terms(names)]

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """∂k₁ k₂, then k₁ ∂k₂."""
        for one, other in ((self.left, self.right), (self.right, self.left)):
            if one.free:
                K = other.block(A, B)
                yield from (inner * K for inner in one.gradients(A, B))

    def __repr__(self) -> str:
        return f"{enclosed(self.left, KernelSum)} * {enclosed(self.right, KernelSum, KernelProduct, Scaled)}"


@dataclass(eq=False, repr=False)
class Scaled(Kernel):
    """c·k for a number c > 0."""

    state: ClassVar[State] = {"kernel": any_record(Kernel), "scale": number(least=0.0)}

    kernel: Any
    scale: Any

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_kernel("Scaled", "kernel", self.kernel)
        require_positive("Scaled", "scale", self.scale)

    @property
    def positive(self) -> bool | None:
        """As the kernel."""
        return self.kernel.positive

    def block(self, A: Rows, B: Rows) -> Floats:
        """c·k."""
        return np.asarray(float(self.scale) * self.kernel.block(A, B))

    def block_diagonal(self, rows: Rows) -> Floats:
        """c·k(x, x)."""
        return np.asarray(float(self.scale) * self.kernel.block_diagonal(rows))

    def n_features(self, d: int) -> int:
        """As many as the kernel has."""
        return int(self.kernel.n_features(d))

    def feature_block(self, X: Floats) -> Floats:
        """Those of the kernel times √c."""
        return np.asarray(np.sqrt(float(self.scale)) * self.kernel.feature_block(X))

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """Those of the kernel times √c."""
        return [term.scaled(float(self.scale)) for term in self.kernel.feature_terms(names)]

    @property
    def free(self) -> tuple[str, ...]:
        """The scale, then those of the kernel."""
        return ("scale", *super().free)

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """c·k for the scale, then c·∂k."""
        yield self.block(A, B)
        yield from (float(self.scale) * inner for inner in self.kernel.gradients(A, B))

    def __repr__(self) -> str:
        return f"{float(self.scale)!r} * {enclosed(self.kernel, KernelSum, KernelProduct, Scaled)}"


@dataclass(eq=False, repr=False)
class Power(Kernel):
    """kⁿ for a whole number n ≥ 1."""

    state: ClassVar[State] = {"kernel": any_record(Kernel), "exponent": POWER}

    kernel: Any
    exponent: Any

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_kernel("Power", "kernel", self.kernel)
        require_count("Power", "exponent", self.exponent)

    @property
    def positive(self) -> bool | None:
        """True if the kernel is: a power is a product."""
        return True if self.kernel.positive else None

    def block(self, A: Rows, B: Rows) -> Floats:
        """kⁿ."""
        return whole_power(self.kernel.block(A, B), int(self.exponent))

    def block_diagonal(self, rows: Rows) -> Floats:
        """k(x, x)ⁿ."""
        return whole_power(self.kernel.block_diagonal(rows), int(self.exponent))

    def n_features(self, d: int) -> int:
        """As many as there are monomials of degree n."""
        return count_monomials(self.kernel.n_features(d), int(self.exponent))

    def feature_block(self, X: Floats) -> Floats:
        """The monomials of degree n of the kernel's features."""
        inner = self.kernel.feature_block(X)
        return Expansion.of(inner.shape[1], int(self.exponent)).values(inner)

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """The monomials of degree n of the kernel's features."""
        inner = self.kernel.feature_terms(names)
        return Expansion.of(len(inner), int(self.exponent)).terms(inner)

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """n kⁿ⁻¹ ∂k."""
        if self.free:
            slope = float(self.exponent) * whole_power(self.kernel.block(A, B), int(self.exponent) - 1)
            yield from (slope * inner for inner in self.kernel.gradients(A, B))

    def __repr__(self) -> str:
        return f"{enclosed(self.kernel, KernelSum, KernelProduct, Scaled, Power)} ** {int(self.exponent)}"


def enclosed(kernel: Kernel, *looser: type[Kernel]) -> str:
    """A kernel as it is written, in parentheses if it is one of those that bind no tighter."""
    return f"({kernel!r})" if isinstance(kernel, looser) else repr(kernel)
