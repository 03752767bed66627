"""Radial functions: how strongly a unit answers to a row, by the distance r from its centre in units of its width σ.

    Gaussian                 φ = exp(−r²/2σ²)
    multiquadric             φ = √(1 + r²/σ²)
    inverse multiquadric     φ = 1 / √(1 + r²/σ²)
    thin plate               φ = (r/σ)² ln(r/σ)

All are functions of s = r²/σ², and are computed, and differentiated, as functions of s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from novacula.table.chunk import Chunk, Floats
from novacula.table.parallel import map_ordered

ANSWERS = 2**18
"""Answers of units that are computed together, 2 MB: a chunk of few columns holds many rows."""


@dataclass(frozen=True, slots=True)
class RadialFunction:
    """φ as a function of s = r²/σ², its derivative from s and φ, and φ of unit k in the language of mathematics.

    `sign` is that of Σ wᵢwⱼφ(‖μᵢ − μⱼ‖/σ) for all weights that sum to 0 (Micchelli 1986), 0 where it may be either.
    """

    value: Callable[[Floats], Floats]
    slope: Callable[[Floats, Floats], Floats]
    sign: float
    expression: str  # over r[k] and σ[k]


def _thin_plate(s: Floats) -> Floats:
    return 0.5 * s * _log(s)


def _log(s: Floats) -> Floats:
    """ln s, and 0 at a centre, where s ln s is 0."""
    return np.log(s, out=np.zeros_like(s), where=s > 0.0)


FUNCTIONS: Mapping[str, RadialFunction] = {
    "gaussian": RadialFunction(
        lambda s: np.exp(-0.5 * s), lambda _, φ: -0.5 * φ, 1.0, "exp(-(r[k] ** 2 / (2 * σ[k] ** 2)))"
    ),
    "multiquadric": RadialFunction(
        lambda s: np.sqrt(1.0 + s), lambda _, φ: 0.5 / φ, -1.0, "sqrt(1 + r[k] ** 2 / σ[k] ** 2)"
    ),
    "inverse_multiquadric": RadialFunction(
        lambda s: 1.0 / np.sqrt(1.0 + s), lambda _, φ: -0.5 * φ**3, 1.0, "1 / sqrt(1 + r[k] ** 2 / σ[k] ** 2)"
    ),
    "thin_plate": RadialFunction(
        _thin_plate, lambda s, _: 0.5 * (_log(s) + 1.0), 0.0, "(r[k] / σ[k]) ** 2 * log(r[k] / σ[k])"
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class RadialBasis:
    """K radial units: their function, centres and widths."""

    function: str
    centers: Floats  # (K, d)
    widths: Floats  # (K,)

    def __len__(self) -> int:
        return len(self.widths)

    def squares(self, x: Floats) -> Floats:
        """s = r²/σ² of rows x (n, d) and units: (n, K); NaN for rows with a value that is not finite."""
        return self._in_pieces(self._squares, x)

    def answers(self, x: Floats) -> Floats:
        """φ of rows x (n, d) and units: (n, K)."""
        value = FUNCTIONS[self.function].value
        return self._in_pieces(lambda piece: value(self._squares(piece)), x)

    def _in_pieces(self, function: Callable[[Floats], Floats], x: Floats) -> Floats:
        """What a function says of rows x (n, d), in pieces that stay in the cache, on several threads: (n, K)."""
        answers, step = np.empty((len(x), len(self))), max(1, ANSWERS // len(self))

        def fill(start: int) -> None:
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is for the learner to report
                answers[start : start + step] = function(x[start : start + step])

        for _ in map_ordered(fill, range(0, len(x), step)):
            pass
        return answers

    def _squares(self, x: Floats) -> Floats:
        # Not by ‖x‖² − 2xᵀc + ‖c‖², which loses its digits where a row is near a centre.
        squares: Floats = cdist(x, self.centers, "sqeuclidean")
        squares /= self.widths**2
        squares[~np.isfinite(x).all(axis=1)] = np.nan  # most functions would take an infinite value for a far one
        return squares

    def blocks(self, chunk: Chunk) -> Iterator[Chunk]:
        """The rows of a chunk in pieces, the answers to which are few, or square where units are many; at least one."""
        step = max(ANSWERS // len(self), len(self))
        return (chunk.rows(start, start + step) for start in range(0, max(len(chunk), 1), step))
