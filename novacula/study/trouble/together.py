"""Columns compared with each other: of different scale, copies of each other, too many for the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from novacula.study.finding import Finding
from novacula.study.trouble.columns import Feature, safe_quote

UNLIKE = 1e6
"""The ratio of two columns' spreads from which scaling matters much."""
ALIKE = 0.99
"""The correlation from which two columns say the same."""
FEW_ROWS = 5
"""Rows for each column, below which there are few."""
FEWEST = 20
"""Rows below which correlations are large by chance."""
MOST_COMPARED = 500
"""Columns of which all pairs are compared."""
PAIRS_NAMED = 5
"""Pairs that a sentence names, the closest first."""


def find_few_rows(n_rows: int, n_columns: int) -> Iterator[Finding]:
    """Too few rows for the number of columns."""
    if n_rows < FEW_ROWS * n_columns:
        sentence = (
            f"There are {n_rows:,} rows for {n_columns:,} columns, fewer than {FEW_ROWS} for each: learners with many "
            "parameters will fit chance, and measured errors will vary much."
        )
        yield Finding("few-rows", sentence)


def find_scales(features: Sequence[Feature]) -> Iterator[Finding]:
    """Numeric columns whose spreads are of different orders."""
    spreads = {one.name: _spread(one) for one in features if one.column.kind == "numeric" and not one.column.is_time}
    spreads = {name: spread for name, spread in spreads.items() if 0.0 < spread < np.inf}
    if len(spreads) < 2:
        return
    least, most = min(spreads, key=spreads.__getitem__), max(spreads, key=spreads.__getitem__)
    if spreads[most] > UNLIKE * spreads[least]:
        sentence = (
            f"Columns are of very different scale: the standard deviation of {safe_quote(least)} is "
            f"{spread_words(spreads[least])}, that of {safe_quote(most)} {spread_words(spreads[most])}. A study scales "
            "them for learners that need it."
        )
        yield Finding("scales", sentence, (least, most))


def spread_words(spread: float) -> str:
    """A standard deviation with two digits, and without a power of ten where people read none.

    >>> spread_words(38e6), spread_words(0.99)
    ('38,000,000', '0.99')
    """
    rounded = float(f"{spread:.2g}")
    return f"{rounded:,.0f}" if 100.0 <= rounded < 1e15 else f"{rounded:g}"


def _spread(feature: Feature) -> float:
    if not len(feature.known_values) or not np.isfinite(feature.known_values).all():
        return 0.0
    return float(np.std(feature.known_values))


def find_alike(features: Sequence[Feature]) -> Iterator[Finding]:
    """Pairs of numeric columns that are almost the same except for their unit."""
    numeric = [one for one in features if one.column.kind == "numeric" and 0.0 < _spread(one) < np.inf][:MOST_COMPARED]
    if len(numeric) < 2 or len(numeric[0].values) < FEWEST:
        return
    rows = np.column_stack([_standard(one) for one in numeric])
    correlation = np.abs(rows.T @ rows) / len(rows)
    first, second = np.nonzero(np.triu(correlation >= ALIKE, 1))
    if not len(first):
        return
    order = np.argsort(-correlation[first, second], kind="stable")
    pairs = [(numeric[first[i]].name, numeric[second[i]].name, correlation[first[i], second[i]]) for i in order]
    words = "; ".join(f"{safe_quote(a)} and {safe_quote(b)} ({r:.3f})" for a, b, r in pairs[:PAIRS_NAMED])
    more = f" and {len(pairs) - PAIRS_NAMED:,} more pairs" if len(pairs) > PAIRS_NAMED else ""
    sentence = (
        f"Columns say nearly the same, by their correlation: {words}{more}. One of each pair is enough; weights "
        "that two such columns share mean little on their own."
    )
    names = dict.fromkeys(name for a, b, _ in pairs for name in (a, b))
    yield Finding("alike", sentence, tuple(names))


def _standard(feature: Feature) -> np.ndarray:
    """The column with mean 0 and variance 1, its gaps filled with the mean."""
    centred = np.where(feature.missing, 0.0, feature.values - feature.known_values.mean())
    return centred / np.sqrt((centred**2).mean())
