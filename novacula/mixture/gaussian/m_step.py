"""The M-step of Gaussians as equations: sums over the first rows, and one number each for the other rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from novacula.mathematics import Equation, word
from novacula.mixture.gaussian.trace import RowShares
from novacula.table.chunk import Floats
from novacula.words import shortened

Path = tuple[str | int, ...]


@dataclass(frozen=True, eq=False)
class GaussianStep:
    """From shares of rows to weights, means and covariances; `others` are sums about the means before the step."""

    rows: RowShares
    weight: Floats  # (n,), of the rows
    others: tuple[Floats, Floats, Floats] | None  # Σp, Σp(x − μ), Σp(x − μ)(x − μ)ᵀ; None: there are no other rows
    before: Floats  # (K, d), the means that the sums are about
    means: Floats  # (K, d), the means after the step
    names: tuple[str, ...]
    share: str = "p"
    index: str = "i"
    kind: str = "component"
    row: str = "row"

    @cached_property
    def n(self) -> Floats:
        """Expected rows of each component (K,)."""
        own: Floats = self.weight @ self.rows.share
        return own if self.others is None else own + self.others[0]

    def symbol(self, letter: str, c: int, *columns: int) -> str:
        """The name of a parameter: of one column by its component alone."""
        named = [word(shortened(self.names[j], 20)) for j in columns] if len(self.names) > 1 else []
        return f"{letter}[{', '.join([str(c), *named])}]"

    def count(self, c: int, of: Path = ()) -> Equation:
        """n = Σp."""
        where = {
            self._share(c): f"the share of {self.kind} {c} in {'row' if self.index == 'i' else 'step'} {self.index}"
        }
        rest = 0.0 if self.others is None else self.others[0][c]
        return self._total(f"n[{c}]", "", {}, c, rest, of, where=where)

    def mean(self, c: int, j: int, of: Path = ()) -> Equation:
        """μ = Σpx / n."""
        rest = 0.0 if self.others is None else self.others[1][c, j] + self.others[0][c] * self.before[c, j]
        values = {self._cell("x", j): self.rows.x[:, c, j], f"n[{c}]": self.n[c]}
        return self._total(self.symbol("μ", c, j), f" * {self._cell('x', j)}", values, c, rest, of, f" / n[{c}]")

    def covariance(self, left: str, c: int, j: int, k: int, of: Path = (), over: bool = True) -> Equation:
        """Σp(x − μ)(y − μ)ᵀ / n of two columns, or of one with itself; not `over` n, the sum alone."""
        one, other = (f"({self._cell('x', b)} - {self.symbol('μ', c, b)})" for b in (j, k))
        body = f"{one}**2" if j == k else f"{one} * {other}"
        values: dict[str, Any] = {}
        for b in dict.fromkeys((j, k)):
            values |= {self._cell("x", b): self.rows.x[:, c, b], self.symbol("μ", c, b): self.means[c, b]}
        left_over = self.rows.spread[:, c, 0 if self.rows.spread.shape[2] == 1 else j, k]
        if left_over.any():
            body, values = f"({body} + v[{self.index}])", values | {f"v[{self.index}]": left_over}
        values |= {f"n[{c}]": self.n[c]} if over else {}
        rest = 0.0 if self.others is None else self._rest(c, j, k)
        where = {f"v[{self.index}]": "the covariance that is left of missing values"} if "v[" in body else {}
        return self._total(left, f" * {body}", values, c, rest, of, f" / n[{c}]" if over else "", where)

    def squares(self, c: int, j: int) -> float:
        """Σp(x − μ)² of a column."""
        return float(self.covariance("S", c, j, j, over=False).value)

    def _rest(self, c: int, j: int, k: int) -> float:
        """The products of the other rows about the means after the step, from those about the means before."""
        assert self.others is not None  # noqa: S101  (the caller checked it)
        n, first, second = (part[c] for part in self.others)
        step = self.means[c] - self.before[c]
        product = second[0, j] if second.shape[0] == 1 else second[j, k]
        return float(product - step[j] * first[k] - step[k] * first[j] + n * step[j] * step[k])

    def _share(self, c: int) -> str:
        return f"{self.share}[{self.index}, {c}]"

    def _cell(self, letter: str, j: int) -> str:
        column = f", {word(shortened(self.names[j], 20))}" if len(self.names) > 1 else ""
        return f"{letter}[{self.index}{column}]"

    def _total(
        self, left: str, factor: str, values: Mapping[str, Any], c: int, rest: float, of: Path, after: str = "",
        where: Mapping[str, str] | None = None,
    ) -> Equation:  # fmt: skip
        """Σ a · share · factor, and what stands after the sum."""
        weight, weights, meaning = "", {}, dict(where or {})
        if (self.weight != 1.0).any():
            weight, weights = f"a[{self.index}] * ", {f"a[{self.index}]": self.weight}
            meaning[f"a[{self.index}]"] = f"the weight of {self.row} {self.index}"
        right = f"sum({weight}{self._share(c)}{factor} for {self.index} in _){after}"
        own = {self._share(c): self.rows.share[:, c], **weights, **values}
        return Equation(left, right, own, of, meaning, {} if self.others is None else {self.index: float(rest)})


def is_small(shape: tuple[int, ...]) -> bool:
    """Whether a matrix is written out."""
    return max(shape) <= 4


def as_matrix(covariance: Floats) -> Floats:
    """A covariance (d, d), also where it is kept as one row."""
    return np.diag(covariance[0]) if covariance.shape[0] == 1 else covariance
