"""What derivations share: what is shown of something long, and the words that say so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from novacula.learner.work import Cell, WorkTable
from novacula.table.chunk import Floats
from novacula.table.names import printable
from novacula.words import LABEL_WIDTH, counted, shortened

SHOWN = 12
"""Classes, columns or nodes that are derived one by one, unless everything is asked for."""
TABLE_ROWS = 20
"""Rows of a table."""
TERMS_GIVEN = 200
"""Terms that a long sum is given one by one; what the others add is one number."""


def only_first(shown: int, total: int, noun: str) -> list[str]:
    """A note that not all is derived, if not all is.

    >>> only_first(3, 5, "class"), only_first(5, 5, "class")
    (['Only the first 3 of 5 classes are derived.'], [])
    """
    plural = counted(2, noun).removeprefix("2 ") if not noun.endswith("s") else f"{noun}es"
    return [f"Only the first {shown} of {total} {plural} are derived."] if shown < total else []


def largest(values: Floats, most: int) -> list[int]:
    """The places of the largest values by size, in their order.

    >>> largest(np.array([1.0, -5.0, 2.0]), 2)
    [1, 2]
    """
    return sorted(np.argsort(-np.abs(values), kind="stable")[:most].tolist())


def cut_table(
    header: Sequence[str], rows: Iterable[Sequence[Cell]], total: int, caption: str = "", most: int = TABLE_ROWS
) -> WorkTable:
    """A table of the first rows, whose caption says how many there are in all."""
    kept = tuple(tuple(row) for row in islice(rows, most))
    cut = f"The first {most} of {total} rows." if total > most else ""
    return WorkTable(tuple(header), kept, " ".join(words for words in (caption, cut) if words))


def distinct_names(names: Iterable[object], width: int = LABEL_WIDTH) -> list[str]:
    """Names as a derivation writes them: shortened, and numbered where two would look the same.

    >>> distinct_names(["tree", 2.5, "tree"])
    ['tree', '2.5', 'tree (2)']
    """
    found: dict[str, int] = {}
    for name in names:
        text = printable(shortened(str(name), width))
        count = 1
        while text in found:
            count += 1
            text = f"{printable(shortened(str(name), width))} ({count})"
        found[text] = count
    return list(found)


def only_rows(n: int, is_cut: bool) -> list[str]:
    """A note that there are more rows than are derived, if there are.

    >>> only_rows(3, True), only_rows(1, True), only_rows(3, False)
    (['Only the first 3 rows are derived.'], ['Only the first row is derived.'], [])
    """
    return [f"Only the first {f'{n} rows are' if n > 1 else 'row is'} derived."] if is_cut else []


def leading(terms: Floats, index: str, most: int = TERMS_GIVEN) -> tuple[list[int], dict[str, float]]:
    """The places of the largest terms of a long sum, and by its index what all others add, for `rest`.

    >>> leading(np.array([1.0, -5.0, 2.0, 0.5]), "i", 2)
    ([1, 2], {'i': 1.5})
    """
    kept = largest(terms, most)
    return kept, {index: float(np.delete(terms, kept).sum())} if len(kept) < len(terms) else {}
