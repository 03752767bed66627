"""What a preparation does to each column, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from novacula.prepare.encoding import Encoding
from novacula.table import Column
from novacula.words import listed

NAMED = 5
"""Ordered categories whose numbers are shown."""


def preparation_words(encoding: Encoding) -> Sequence[tuple[str, str]]:
    """What the preparation does to each column, in words."""
    numeric, coded = encoding.schema.of_kind("numeric"), encoding.schema.of_kind("categorical")
    rows = [(column.name, _number_words(encoding, j)) for j, column in enumerate(numeric)]
    rows += [(column.name, _category_words(encoding, j, column)) for j, column in enumerate(coded)]
    for j, column in enumerate(encoding.schema.of_kind("text")):
        n_words = None if encoding.words is None else len(encoding.words[j])
        rows.append((column.name, "as it is" if n_words is None else f"counts of its {n_words} most frequent words"))
    rows += [
        (column.name, f"{column.width} columns, written out" if encoding.dense else "as it is")
        for column in encoding.schema.of_kind("sparse")
    ]
    return rows


def _number_words(encoding: Encoding, j: int) -> str:
    words = ["over the length of the row"] if encoding.unit else []
    centre, spread = float(encoding.centre[j]), float(encoding.spread[j])
    if (centre, spread) != (0.0, 1.0):
        words.append(f"⟦(x - {centre!r}) / {spread!r}⟧")
    if encoding.fill is not None and j in encoding.holes:
        words.append(f"⟦{float(encoding.fill[j])!r}⟧ where missing, and a column that says so")
    return "; ".join(words) or "as it is"


def _category_words(encoding: Encoding, j: int, column: Column) -> str:
    if j in encoding.ordered:
        place = encoding.ordered.index(j)
        ranks, centre, spread = (
            encoding.ordered_ranks[place],
            encoding.ordered_centre[place],
            encoding.ordered_spread[place],
        )
        in_order = sorted(zip(ranks, column.categories, strict=True), key=lambda pair: pair[0])
        shown = [f"{name} {(rank - centre) / spread:g}" for rank, name in in_order[:NAMED]]
        return ", ".join(shown + ["…"] * (len(in_order) > NAMED))
    if encoding.indicator_codes is None:
        return (
            "as it is" if encoding.fill_codes is None else f"{column.categories[encoding.fill_codes[j]]} where missing"
        )
    n_columns, n_categories = len(encoding.indicator_codes[j]), len(column.categories)
    if j in encoding.means.places:
        return _mean_words(encoding, j)
    return "a column of 0 and 1" if n_columns == 1 else f"{n_columns} columns of 0 and 1 for {n_categories} categories"


def _mean_words(encoding: Encoding, j: int) -> str:
    """How the categories of a column become means."""
    means = encoding.means
    place = means.places.index(j)
    strength = means.strength[place]
    drawn = sorted({f"{m:.3g}" for m in strength[np.isfinite(strength)]}, key=float)
    what = f"the mean of {listed(means.answers)} in each of its {means.sizes[place]:,} categories"
    if not drawn:
        return f"{what}: that of all rows, since categories differ by no more than rows do"
    return f"{what}, (n·mean + m·mean of all) / (n + m), where m = {listed(drawn)}"
