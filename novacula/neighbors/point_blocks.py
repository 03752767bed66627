"""Nearest rows by matrix products: every pair is compared, but most of them in single precision only.

    ‖q − x‖² = ‖q − c‖² + ‖x − c‖² − 2(q − c)·(x − c)

The last two terms are one product of a block of queries and a block of rows about its centre c. Rounding moves it by a
known bound. A row that lies beyond the k-th best by more than that is passed over; the others are computed exactly, in
double precision and without the identity, which loses all digits near zero. The answer is that of brute force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from novacula.neighbors.kd_tree import KDTree, Places, empty_heaps
from novacula.table.chunk import Floats

BLOCK = 2048
"""Rows in a block, at most."""
HALF_ULP = 2.0**-24
"""Relative rounding error of single precision."""
FAR = 1e15
"""Radii from which on a query is too far from a block for single precision: it is compared with each row."""


@dataclass(frozen=True, slots=True, eq=False)
class PointBlocks:
    """n rows in b blocks of neighbours, each as it is and, about its centre, lifted by one coordinate.

    A row x lies in `lifted` as u·(−2(x − c), u‖x − c‖²), so that its product with (u(q − c), 1) is
    u²(‖x − c‖² − 2(q − c)·(x − c)). The unit u is one over the largest radius of a block, lest anything overflow.
    """

    rows: Floats  # (n, d)
    order: Places  # (n,): the row's number
    lifted: npt.NDArray[np.float32]  # (n, d + 1)
    edge: Places  # (b + 1,): where blocks start and end
    centre: Floats  # (b, d)
    radius: Floats  # (b,)
    unit: float

    @classmethod
    def build(cls, rows: Floats) -> Self:
        """The blocks of rows (n, d), finite and at least one: the leaves of a tree, so that radii are small."""
        tree = KDTree.build(rows, leaf_size=BLOCK)
        leaves = len(tree.start) // 2
        edge = np.append(tree.start[leaves:], len(rows))
        sorted_rows = np.ascontiguousarray(tree.points.T)
        centre = (tree.low[leaves:] + tree.high[leaves:]) / 2
        gap = sorted_rows - np.repeat(centre, np.diff(edge), axis=0)
        square = np.einsum("ij,ij->i", gap, gap)
        radius = np.sqrt(np.maximum.reduceat(square, edge[:-1]))
        unit = 1.0 / radius.max() if radius.max() > 0.0 else 1.0
        gap *= -2.0 * unit
        lifted = np.empty((len(rows), rows.shape[1] + 1), np.float32)
        lifted[:, :-1] = gap
        lifted[:, -1] = unit**2 * square
        return cls(sorted_rows, tree.order, lifted, edge, centre, radius, unit)

    def search(self, queries: Floats, k: int, p: float) -> tuple[Floats, Places]:
        """The k nearest rows to each of queries (m, d), nearest first: squared distances, and rows.

        Of rows at one distance the one with the smaller number comes first.
        """
        from novacula.neighbors._kernels import refine_products, sort_heaps

        distance, row = empty_heaps(len(queries), k, len(self.rows))
        for b in range(len(self.radius)):
            held = slice(self.edge[b], self.edge[b + 1])
            products, base, slack = self._products(queries, b, distance[:, 0])
            scaled = (products, base, slack, self.unit**2)
            refine_products(*scaled, self.rows[held], self.order[held], queries, distance, row)
        sort_heaps(distance, row)
        return distance, row

    def _products(self, queries: Floats, b: int, worst: Floats) -> tuple[npt.NDArray[np.float32], Floats, Floats]:
        """The products of queries (m, d) and the rows of a block, ‖q − c‖² (m,), and how far off they may be (m,)."""
        gap = queries - self.centre[b]
        base = np.einsum("ij,ij->i", gap, gap)
        far = ~(self.unit * np.sqrt(base) < FAR)
        gap[far] = 0.0
        lifted = np.ones((len(queries), gap.shape[1] + 1), np.float32)
        lifted[:, :-1] = self.unit * gap
        products = lifted @ self.lifted[self.edge[b] : self.edge[b + 1]].T
        return products, base, np.where(far, np.inf, self._slack(base, self.radius[b], worst))

    def _slack(self, base: Floats, radius: float, worst: Floats) -> Floats:
        """Twice the bound on the rounding error of a product.

        A product of d + 1 terms, each rounded thrice, is off by (d + 4) half units of its terms' sizes at most; the
        sums in double precision have an error of the same form, in their own half units.
        """
        d = self.rows.shape[1]
        q, r = self.unit * np.sqrt(base), self.unit * radius
        held = self.unit**2 * np.where(np.isfinite(worst), worst, 0.0)
        return 2.0 * (d + 4) * (HALF_ULP * (2.0 * q * r + r * r) + HALF_ULP**2 * (q * q + held))
