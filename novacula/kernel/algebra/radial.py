"""The kernels of distances.

    Gaussian    exp(−γ ‖x − y‖²),  γ = 1/(2w²)        Multiquadric    √(‖x − y‖² + c²)

The first falls with the distance and is positive semi-definite in any number of columns. The second grows and is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from novacula.errors import ParameterError
from novacula.kernel.algebra.distances import gaussians, squared_distances
from novacula.kernel.algebra.elementary import gamma_number, gamma_of
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.monomials import no_map
from novacula.kernel.algebra.parameters import GAMMA, WORDS, require_gamma, require_square
from novacula.kernel.algebra.rows import ColumnSpread, Rows
from novacula.state import State, nullable, number
from novacula.table.chunk import Floats


@dataclass(eq=False, repr=False)
class Gaussian(Kernel):
    """k(x, y) = exp(−γ ‖x − y‖²), the radial basis function; 1 for equal rows, towards 0 for distant ones.

    `gamma` is a positive number, "scale", which is 1/(d·v) for d columns whose entries have the variance v, or "auto",
    which is 1/d. Instead of it `width` can be given: γ = 1/(2w²), where k has fallen to e^(−½) at distance w.

    >>> Gaussian(gamma=0.5)([[0.0, 0.0]], [[1.0, 1.0]]).round(6).tolist()
    [[0.367879]]
    >>> Gaussian(width=2.0).features([[0.0, 0.0]])
    Traceback (most recent call last):
    novacula.errors.ParameterError: Gaussian(width=2.0) has no finite feature map: its power series has infinitely many
    positive terms, each with features of its own; RandomFourierFeatures and Nystroem approximate it
    """

    state: ClassVar[State] = {"gamma": GAMMA, "width": nullable(number(least=0.0))}

    gamma: Any = "scale"
    width: Any = None

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_gamma("Gaussian", self.gamma, WORDS)
        if self.width is not None:
            require_square("Gaussian", "width", self.width)
            if self.gamma != "scale":
                raise ParameterError(
                    f"Gaussian has gamma={self.gamma!r} and width={self.width!r}, which say the same: give one of them"
                )

    def resolved_by(self, spread: ColumnSpread) -> Kernel:
        """A copy whose gamma is a number, unless it has a width."""
        self.validate()
        return Gaussian(width=self.width) if self.width is not None else Gaussian(gamma_of(self.gamma, spread))

    @property
    def rate(self) -> float:
        """γ as a number."""
        return gamma_number(self.gamma) if self.width is None else 0.5 / float(self.width) ** 2

    def block(self, A: Rows, B: Rows) -> Floats:
        """exp(−γ ‖x − y‖²)."""
        return gaussians(squared_distances(A, B), self.rate)

    def block_diagonal(self, rows: Rows) -> Floats:
        """1 for every row."""
        return np.ones(rows.shape[0])

    def n_features(self, d: int) -> int:
        """None that are finite in number."""
        raise no_map(
            self,
            "its power series has infinitely many positive terms, each with features of its own; "
            "RandomFourierFeatures and Nystroem approximate it",
        )

    @property
    def free(self) -> tuple[str, ...]:
        """Gamma or width, whichever was given."""
        return ("gamma",) if self.width is None else ("width",)

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """−γ d² k for γ; 2γ d² k for the width."""
        squared = squared_distances(A, B)
        change = gaussians(squared.copy(), self.rate)
        change *= squared
        change *= -self.rate if self.width is None else 2.0 * self.rate
        yield change


@dataclass(eq=False, repr=False)
class Multiquadric(Kernel):
    """k(x, y) = √(‖x − y‖² + c²), which grows with the distance; as a similarity it is not positive semi-definite.

    Interpolation by it still has one solution (Micchelli 1986): on weights that sum to 0 its matrix is negative.

    >>> Multiquadric().is_psd([[0.0], [1.0]])
    False
    """

    state: ClassVar[State] = {"c": number(least=0.0)}

    c: Any = 1.0

    def validate(self) -> None:
        """Refuse parameters that make no sense."""
        require_square("Multiquadric", "c", self.c)

    @property
    def positive(self) -> bool | None:
        """False: two rows suffice for a negative eigenvalue."""
        return False

    def block(self, A: Rows, B: Rows) -> Floats:
        """√(‖x − y‖² + c²)."""
        return np.sqrt(squared_distances(A, B) + float(self.c) ** 2)

    def block_diagonal(self, rows: Rows) -> Floats:
        """c for every row."""
        return np.full(rows.shape[0], float(self.c))

    def n_features(self, d: int) -> int:
        """None: it is not positive semi-definite."""
        raise no_map(self, "its Gram matrices have negative eigenvalues, and those of features never do")

    @property
    def free(self) -> tuple[str, ...]:
        """c."""
        return ("c",)

    def gradient_blocks(self, A: Rows, B: Rows) -> Iterator[Floats]:
        """c² / k."""
        yield float(self.c) ** 2 / self.block(A, B)
