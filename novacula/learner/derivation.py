"""What derivations share: what is shown of something long, and the words that say so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from novacula.learner.work import Cell, Step, WorkTable
from novacula.table.chunk import Floats
from novacula.table.names import printable
from novacula.words import LABEL_WIDTH, counted, shortened

SHOWN = 12
"""Classes, columns or nodes that are derived one by one, unless everything is asked for."""
TABLE_ROWS = 20
"""Rows of a table."""


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


MEASURED = 400
"""Terms of a sum over rows that are evaluated one by one."""


def heaviest(terms: Floats, index: str = "i", most: int = MEASURED) -> tuple[Any, dict[str, float]]:
    """The places of the largest terms of a long sum, in order, and what the others come to, as `rest` of an equation.

    >>> heaviest(np.array([1.0, -5.0, 2.0, 0.5]), most=2)
    (array([1, 2]), {'i': 1.5})
    """
    if len(terms) <= most:
        return np.arange(len(terms)), {}
    places = np.array(largest(terms, most))
    return places, {index: float(np.delete(terms, places).sum())}


def indexed_corner(matrix: Floats, most: int, numbers: Sequence[Cell] | None = None) -> WorkTable:
    """The upper left corner of a square matrix, with the numbers of its rows."""
    m = min(most, len(matrix))
    named = list(range(1, m + 1)) if numbers is None else list(numbers[:m])
    rows = tuple((number, *matrix[i, :m].tolist()) for i, number in enumerate(named))
    caption = f"The first {m} of {len(matrix)} rows and columns." if m < len(matrix) else ""
    return WorkTable(("row", *map(str, named)), rows, caption)


def only_first_rows(count: int, is_cut: bool) -> list[str]:
    """A note that not all rows of X are derived, if not all are.

    >>> only_first_rows(3, True), only_first_rows(1, True), only_first_rows(3, False)
    (['Only the first 3 rows are derived.'], ['Only the first row is derived.'], [])
    """
    words = "row is" if count == 1 else f"{count} rows are"
    return [f"Only the first {words} derived."] if is_cut else []


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


def explained_once(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps, in which a name that means the same as before is not explained again.

    >>> from novacula.mathematics import Equation
    >>> half = Step("A half", Equation("a", "n / 2", {"n": 3}, where={"n": "how many there are"}))
    >>> [list(step.equations[0].where) for step in explained_once([half, half])]
    [['n'], []]
    """
    known, kept = dict[str, str](), list[Step]()
    for step in steps:
        equations = []
        for equation in step.equations:
            new = {name: words for name, words in equation.where.items() if known.get(name) != words}
            known = new | known
            equations.append(replace(equation, where=new) if len(new) < len(equation.where) else equation)
        kept.append(replace(step, equation=tuple(equations)) if equations else step)
    return tuple(kept)
