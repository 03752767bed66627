"""A warning where columns are of wildly different sizes.

A kernel adds over columns, so that one which is wide by its unit alone outvotes all others. A column counts as wide
by its standard deviation and as narrow by half its range: an indicator that is rarely 1 has a small deviation, yet
its step from 0 to 1 is as large as that of any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from novacula.errors import ScaleWarning, warn_user
from novacula.table.chunk import Floats
from novacula.table.names import printable

RATIO = 50.0
"""How many times the narrowest column's half range the widest column's deviation may be.

Standardised columns and indicators stay below 2 and pixels below 15; raw measurements in several units, on which
a support vector machine does badly, begin at about 100.
"""
SAMPLE = 10_000
"""Rows that are checked, evenly spread."""
NAMED = 3
"""Columns of each kind that are named."""
LETTERS = 40
"""Letters of a name that are shown."""


def warn_of_scales(X: Any, names: Sequence[str], learner: str) -> None:
    """Warn if columns of X, dense (n, d) or CSR, differ wildly in size, naming the learner and a few columns."""
    deviation, half_range = spreads(X[:: -(-X.shape[0] // SAMPLE)])
    widest, least = deviation.max(), half_range[half_range > 0.0].min(initial=np.inf)
    if widest <= RATIO * least:
        return
    wide = np.flatnonzero(deviation > RATIO * least)
    narrow = np.flatnonzero((half_range > 0.0) & (half_range < widest / RATIO))
    warn_user(
        f"{learner} adds over columns, and these differ wildly in size (wide: {named(names, wide, -deviation)}; "
        f"narrow: {named(names, narrow, half_range)}), so that the narrow ones hardly count: bring the columns to one "
        f"scale first, as make_pipeline(StandardScaler(), {learner}()) does",
        ScaleWarning,
    )


def spreads(X: Any) -> tuple[Floats, Floats]:
    """The standard deviation of each column, and half its range."""
    if not issparse(X):
        return X.std(axis=0), (X.max(axis=0) - X.min(axis=0)) / 2.0
    mean = np.asarray(X.mean(axis=0)).ravel()
    square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
    high, low = (np.asarray(end.todense()).ravel() for end in (X.max(axis=0), X.min(axis=0)))
    return np.sqrt(np.maximum(square - mean**2, 0.0)), (high - low) / 2.0


def named(names: Sequence[str], places: Any, order: Floats) -> str:
    """A few columns by name, the first by `order` first."""
    first = places[np.argsort(order[places], kind="stable")][:NAMED]
    words = ", ".join(repr(printable(names[j], LETTERS)) for j in first)
    return words if len(places) <= NAMED else f"{words} and {len(places) - NAMED} more"
