"""The first few directions by subspace iteration from a random start (Halko, Martinsson and Tropp 2011).

    Q ← orthonormal basis of CQ, a few times        QᵀCQ = E diag(λ) Eᵀ        V = QE

Each product CQ is a sum over rows, so this streams, runs on a cluster and leaves sparse rows sparse; d × d numbers
are never held. The random start depends on the seed and the number of columns alone, and never on how rows are cut.
"""

from __future__ import annotations

import numpy as np

from novacula.projection.spectrum import CovarianceSpectrum, cut
from novacula.projection.sums import FeatureSpread, ScatterProduct
from novacula.table import Table
from novacula.table.chunk import Floats


def solve_randomized(
    table: Table, spread: FeatureSpread, n_directions: int, power: int, rng: np.random.RandomState
) -> CovarianceSpectrum:
    """The largest eigenvalues; `power` products sharpen the subspace before the one that is decomposed."""
    d = len(spread.mean)
    basis = orthonormal(rng.normal(size=(d, n_directions)))
    for _ in range(power):
        basis = orthonormal(table.reduce(ScatterProduct.observe, spread.mean, basis).product)
    small = basis.T @ table.reduce(ScatterProduct.observe, spread.mean, basis).product
    values, mix = np.linalg.eigh((small + small.T) / (2.0 * (spread.weight - 1.0)))
    values, vectors = cut(values[::-1], 4.0 * d * np.finfo(float).eps), (basis @ mix[:, ::-1]).T
    total = float(spread.ssd.sum()) / (spread.weight - 1.0)
    return CovarianceSpectrum(spread.weight, spread.mean, values, total, lambda k: vectors[:k], whole=n_directions == d)


def orthonormal(columns: Floats) -> Floats:
    """An orthonormal basis (d, l) of columns."""
    return np.asarray(np.linalg.qr(columns)[0])
