"""The kernels of inner products.

Linear    xᵀy        Constant    c        Polynomial    (γ xᵀy + c)ᵖ
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.monomials import Expansion, Monomial, count_monomials
from novacula.kernel.algebra.parameters import GAMMA, POWER, WORDS, require_count, require_gamma, require_positive
from novacula.kernel.algebra.rows import ColumnSpread, Rows, products, squares
from novacula.state import State, number
from novacula.table.chunk import Floats


@dataclass(eq=False, repr=False)
class Linear(Kernel):
    """k(x, y) = xᵀy: the columns are the features.

    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    def block(self, A: Rows, B: Rows) -> Floats:
        """xᵀy."""
        return products(A, B)

    def block_diagonal(self, rows: Rows) -> Floats:
        """‖x‖²."""
        return squares(rows)

    def n_features(self, d: int) -> int:
        """The columns."""
        return d

    def feature_block(self, X: Floats) -> Floats:
        """The columns."""
        return X.copy()

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """The columns."""
        return [Monomial(1.0, {name: 1}) for name in names]


@dataclass(eq=False, repr=False)
class Constant(Kernel):
    """k(x, y) = c ≥ 0 for all rows, as in `k + 1`: one feature, √c.

    >>> (Linear() + 1)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[12.0]]
    """

    state: ClassVar[State] = {"value": number(least=0.0)}

    value: Any = 1.0

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_positive("Constant", "value", self.value, zero=True)

    def block(self, A: Rows, B: Rows) -> Floats:
        """c everywhere."""
        return np.full((A.shape[0], B.shape[0]), float(self.value))

    def block_diagonal(self, rows: Rows) -> Floats:
        """c."""
        return np.full(rows.shape[0], float(self.value))

    def n_features(self, d: int) -> int:
        """One."""
        return 1

    def feature_block(self, X: Floats) -> Floats:
        """√c."""
        return np.full((len(X), 1), np.sqrt(float(self.value)))

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """√c."""
        return [Monomial(float(self.value))]

    @property
    def free(self) -> tuple[str, ...]:
        """Its value, unless that is 0."""
        return ("value",) if self.value > 0 else ()

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """∂c/∂ln c = c."""
        if self.value > 0:
            yield self.block(A, B)


@dataclass(eq=False, repr=False)
class Polynomial(Kernel):
    """k(x, y) = (γ xᵀy + c)ᵖ: all monomials of degree p and, if c > 0, of lower degrees.

    `gamma` may also be "scale" or "auto", as for `Gaussian`.

    >>> Polynomial(degree=2, coef0=0)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[121.0]]
    >>> Polynomial(degree=2).feature_names(2)
    ['x₁²', 'x₂²', '√2·x₁x₂', '√2·x₁', '√2·x₂', '1']
    """

    state: ClassVar[State] = {"degree": POWER, "coef0": number(least=0.0), "gamma": GAMMA}

    degree: Any = 3
    coef0: Any = 1.0
    gamma: Any = 1.0

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_count("Polynomial", "degree", self.degree)
        require_positive("Polynomial", "coef0", self.coef0, zero=True)
        require_gamma("Polynomial", self.gamma, WORDS)

    def resolved_by(self, spread: ColumnSpread) -> Kernel:
        """A copy whose gamma is a number."""
        self.validate()
        return Polynomial(self.degree, self.coef0, gamma_of(self.gamma, spread))

    def block(self, A: Rows, B: Rows) -> Floats:
        """(γ xᵀy + c)ᵖ."""
        return whole_power(self._base(products(A, B)), int(self.degree))

    def _base(self, inner: Floats) -> Floats:
        return np.asarray(gamma_number(self.gamma) * inner + self.coef0)

    def block_diagonal(self, rows: Rows) -> Floats:
        """(γ ‖x‖² + c)ᵖ."""
        return whole_power(self._base(squares(rows)), int(self.degree))

    def n_features(self, d: int) -> int:
        """As many as there are monomials."""
        return count_monomials(d, int(self.degree), self.coef0)

    def _expansion(self, d: int) -> Expansion:
        return Expansion.of(d, int(self.degree), float(self.coef0), gamma_number(self.gamma))

    def feature_block(self, X: Floats) -> Floats:
        """The monomials with their coefficients."""
        return self._expansion(X.shape[1]).values(X)

    def feature_terms(self, names: Sequence[str]) -> list[Monomial]:
        """The monomials with their coefficients."""
        return self._expansion(len(names)).terms(Linear().feature_terms(names))

    @property
    def free(self) -> tuple[str, ...]:
        """Gamma, and coef0 unless it is 0."""
        return ("coef0", "gamma") if self.coef0 > 0 else ("gamma",)

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """p (γ xᵀy + c)ᵖ⁻¹ times c, and times γ xᵀy."""
        inner = products(A, B)
        slope = float(self.degree) * whole_power(self._base(inner), int(self.degree) - 1)
        if self.coef0 > 0:
            yield slope * self.coef0
        yield slope * (gamma_number(self.gamma) * inner)


def whole_power(base: Floats, n: int) -> Floats:
    """The n-th power of each entry by squaring, many times faster than a power of any number."""
    if n == 0:
        return np.ones_like(base)
    power = base.copy()
    for bit in bin(n)[3:]:
        power *= power
        if bit == "1":
            power *= base
    return power


def gamma_of(gamma: Any, spread: ColumnSpread) -> Any:
    """Gamma as it is, or the number that a word stands for; 1 for "scale" where nothing varies."""
    if not isinstance(gamma, str):
        return gamma
    d = len(spread.mean)
    if gamma == "auto":
        return 1.0 / d
    if not np.isfinite(spread.whole):
        raise DataError("gamma='scale' cannot be found: the variance of the columns overflows; scale them")
    return 1.0 / (d * spread.whole) if spread.whole > 0.0 else 1.0


def gamma_number(gamma: Any) -> float:
    """Gamma as a number."""
    if isinstance(gamma, str):
        raise ParameterError(f"gamma={gamma!r} has no number yet: use resolved(X), which finds it in the rows")
    return float(gamma)
