"""The data as a sparse solver asks for them: all products at once, or pass by pass those that it needs.

`GramSums` holds XᵀX: one pass, d² numbers, and no row is needed again. `RowsSums` goes back to the rows: a first pass
for means, lengths and Xᵀy, then one for each block of products and one for each residual. It holds some numbers per
column, and leaves sparse columns sparse: their centre is taken off the sums instead of off the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from novacula.linear.lasso.working_set import Places
from novacula.linear.solve import EPS, CentredColumns, NormalEquations, rounding
from novacula.statistics import CoMoments, Statistic
from novacula.statistics.base import require_same_layout
from novacula.statistics.comoments import targets
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

FAR = 1e4
"""Rounding of a column, in units of EPS, from which on dense rows are centred before they are multiplied."""


@dataclass(frozen=True)
class GramSums:
    """Everything from the sums of one pass."""

    moments: CoMoments
    columns: NormalEquations
    flat: bool
    table: Table | None = None

    @cached_property
    def gram(self) -> Floats:
        """XᵀX/n, nothing of columns that do not vary."""
        live = self.columns.varies
        return self.columns.gram / self.columns.weight * live * live[:, None]

    @cached_property
    def cross(self) -> Floats:
        """Xᵀy/n."""
        return self.columns.cross / self.columns.weight * self.columns.varies[:, None]

    @property
    def squares(self) -> Floats:
        """Σx²/n."""
        return np.diagonal(self.gram)

    @property
    def spread(self) -> Floats:
        """‖y‖²/n."""
        return self.columns.squares[len(self.gram) :] / self.columns.weight

    def products(self, rows: Places, columns: Places) -> Floats:
        """A part of XᵀX/n."""
        return self.gram[np.ix_(rows, columns)]

    def residual(self, target: int, coef: Floats) -> tuple[Floats, float]:
        """Xᵀr/n = Xᵀy/n − XᵀXw/n, and ‖r‖² = yᵀy − wᵀ(Xᵀy + Xᵀr)."""
        used = np.flatnonzero(coef)
        cross = self.cross[:, target]
        correlation = cross - self.gram[used].T @ coef[used]  # the matrix is symmetric, and rows are contiguous
        return correlation, max(float(self.spread[target] - coef @ (cross + correlation)), 0.0)


@dataclass(frozen=True)
class RowsSums:
    """Means and lengths, and the table to go back to for the rest."""

    columns: CentredColumns
    cross: Floats
    flat: bool
    table: Table

    @classmethod
    def of(cls, table: Table, precision: Floats, centred: bool, flat: bool) -> tuple[Self, CrossMoments]:
        """Start with one pass; the moments come along so that values that are not finite can be refused."""
        first = table.reduce(CrossMoments.observe)
        d = len(precision)
        with np.errstate(invalid="ignore", over="ignore"):
            raw = first.squares + first.weight * first.mean**2
            squares, cross = first.squares, first.cross
            if not centred:
                squares, cross = raw, cross + first.weight * np.outer(first.mean[:d], first.mean[d:])
            noise = rounding(squares, raw)[:d]
            centre = first.mean if centred else np.zeros_like(first.mean)
            grain = noise * precision / EPS
            columns = CentredColumns(first.weight, centre, squares, noise, grain, first.squares[d:].copy())
            return cls(columns, cross / first.weight * columns.varies[:, None], flat, table), first

    @property
    def moments(self) -> None:
        """There are none: that is the point."""

    @cached_property
    def squares(self) -> Floats:
        """Σx²/n."""
        d = len(self.columns.noise)
        return np.where(self.columns.varies, self.columns.squares[:d], 0.0) / self.columns.weight

    @property
    def spread(self) -> Floats:
        """‖y‖²/n."""
        return self.columns.squares[len(self.columns.noise) :] / self.columns.weight

    def products(self, rows: Places, columns: Places) -> Floats:
        """A block of XᵀX/n, by one pass."""
        return self.table.reduce(Total.products, rows, columns, self.columns.centre).value / self.columns.weight

    def residual(self, target: int, coef: Floats) -> tuple[Floats, float]:
        """Xᵀr/n and ‖r‖²/n, by one pass."""
        used, d = np.flatnonzero(coef), len(coef)
        centre = self.columns.centre
        far = bool((self.columns.noise[self.columns.varies] > FAR * EPS).any())
        total = self.table.reduce(Total.residual, target, used, coef[used], centre, far).value / self.columns.weight
        return total[:d] * self.columns.varies, float(total[d])


@dataclass(frozen=True, slots=True, eq=False)
class Total(Statistic):
    """A plain sum over rows, of any shape."""

    value: Floats

    @classmethod
    def products(cls, chunk: Chunk, rows: Places, columns: Places, centre: Floats) -> Self:
        """Σ w (xᵢ − x̄ᵢ)(xⱼ − x̄ⱼ) for columns i and j: the second are the last of the first."""
        chunk = chunk.counted()
        x = picked_columns(chunk, rows) - centre[rows]
        y = x[:, len(rows) - len(columns) :]
        return cls(x.T @ (y if (chunk.weight == 1.0).all() else y * chunk.weight[:, None]))

    @classmethod
    def residual(cls, chunk: Chunk, target: int, used: Places, coef: Floats, centre: Floats, far: bool) -> Self:
        """Σ w (x − x̄) r (d,) and Σ w r², of r = y − ȳ − Σ w (x − x̄) over the columns used."""
        chunk = chunk.counted()
        d = n_columns(chunk)
        r = targets(chunk)[:, target] - centre[d + target] - (picked_columns(chunk, used) - centre[used]) @ coef
        weighted = r * chunk.weight
        if far and chunk.sparse is None:
            return cls(np.append(weighted @ (chunk.numeric - centre[:d]), weighted @ r))
        return cls(np.append(times(chunk, weighted) - weighted.sum() * centre[:d], weighted @ r))

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.value.shape, other.value.shape)
        return type(self)(self.value + other.value)


@dataclass(frozen=True, slots=True, eq=False)
class CrossMoments(Statistic):
    """Weight, means and squares of [X, y], and products of features with targets only: 1 + 2(d + k) + dk numbers."""

    propagates: ClassVar[frozenset[str]] = frozenset({"missing", "infinite"})

    weight: float
    mean: Floats  # (d + k,)
    squares: Floats  # (d + k,), about the mean
    cross: Floats  # (d, k), about the means

    @classmethod
    def zero(cls, n_features: int, n_targets: int) -> Self:
        """No rows."""
        both = n_features + n_targets
        return cls(0.0, np.zeros(both), np.zeros(both), np.zeros((n_features, n_targets)))

    @classmethod
    def observe(cls, chunk: Chunk) -> Self:
        """The moments of a chunk about its own mean."""
        chunk = chunk.counted()
        y, weight, total = targets(chunk), chunk.weight, float(chunk.weight.sum())
        d = n_columns(chunk)
        if total == 0.0:
            return cls.zero(d, y.shape[1])
        with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused by the base
            mean = np.concatenate([times(chunk, weight), weight @ y]) / total
            y = y - mean[d:]
            squares, cross = centred_sums(chunk, mean[:d], y * weight[:, None])
            return cls(total, mean, np.append(squares, weight @ y**2), cross)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.cross.shape, other.cross.shape)
        if other.weight == 0.0:
            return self
        if self.weight == 0.0:
            return other
        weight, d = self.weight + other.weight, len(self.cross)
        share = other.weight / weight
        with np.errstate(invalid="ignore", over="ignore"):
            gap = other.mean - self.mean
            lever = self.weight * share * gap
            squares = self.squares + other.squares + lever * gap
            cross = self.cross + other.cross + np.outer(lever[:d], gap[d:])
            return type(self)(weight, self.mean + share * gap, squares, cross)


# --- chunks whose sparse columns stay sparse ----------------------------------------------------------------


def centred_sums(chunk: Chunk, mean: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Σ w (x − x̄)² (d,) and Σ (x − x̄) y (d, k) for weighted targets y that sum to zero."""
    dense = chunk.numeric.shape[1]
    x = chunk.numeric - mean[:dense]
    cross = x.T @ y
    x *= x  # in place: fresh memory costs as much as the numbers in it
    squares = chunk.weight @ x
    if chunk.sparse is None:
        return squares, cross
    raw = chunk.sparse.power(2).T @ chunk.weight
    held = np.maximum(raw - chunk.weight.sum() * mean[dense:] ** 2, 0.0)
    return np.append(squares, held), np.vstack([cross, chunk.sparse.T @ y])


def n_columns(chunk: Chunk) -> int:
    """Numeric and sparse columns."""
    return int(chunk.numeric.shape[1] + (0 if chunk.sparse is None else chunk.sparse.shape[1]))


def times(chunk: Chunk, values: Floats) -> Floats:
    """Xᵀ times a value for each row (d,)."""
    dense = values @ chunk.numeric
    return dense if chunk.sparse is None else np.append(dense, chunk.sparse.T @ values)


def picked_columns(chunk: Chunk, places: Places) -> Floats:
    """Some columns, side by side and dense."""
    if chunk.sparse is None:
        return chunk.numeric.take(places, axis=1)
    width = chunk.numeric.shape[1]
    block = np.empty((len(chunk), len(places)))
    numeric = places < width
    block[:, numeric] = chunk.numeric[:, places[numeric]]
    block[:, ~numeric] = chunk.sparse[:, places[~numeric] - width].toarray()
    return block
