"""What near means: Minkowski distances (Σ|gap|ᵖ)^(1/p), and HEOM for mixed columns (Wilson and Martinez 1997).

HEOM is √Σ gap², where the gap of two numbers is their difference as a share of the column's range, that of two
categories is 0 if they are equal and else 1, and that of a missing value is 1.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from novacula.table.chunk import Floats

POWERS = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf, "heom": 2.0}
METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski")
MIXED = "heom"


def power(metric: str, p: float) -> float:
    """The power of a metric's gaps; p is that of "minkowski"."""
    return POWERS.get(metric, float(p))


def rooted(total: Floats, p: float) -> Floats:
    """The distance that a sum of powers stands for.

    >>> rooted(np.array([25.0]), 2.0).tolist(), rooted(np.array([25.0]), np.inf).tolist()
    ([5.0], [25.0])
    """
    if p in (1.0, np.inf):
        return total
    return np.asarray(np.sqrt(total) if p == 2.0 else total ** (1.0 / p))


def log_ball_volume(d: int, p: float) -> float:
    """The logarithm of the volume of all points within distance 1 in d dimensions: (2Γ(1 + 1/p))ᵈ / Γ(1 + d/p).

    >>> round(float(np.exp(log_ball_volume(2, 2.0))), 6), round(float(np.exp(log_ball_volume(3, np.inf))), 6)
    (3.141593, 8.0)
    """
    share = 0.0 if p == np.inf else 1.0 / p
    return float(d * (np.log(2.0) + gammaln(1.0 + share)) - gammaln(1.0 + d * share))
