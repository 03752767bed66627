"""What derivations share: what is shown of something long, and the words that say so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from novacula.learner.work import Cell, Step, WorkTable
from novacula.table.chunk import Floats
from novacula.words import counted

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


def only_first_rows(shown: int, is_cut: bool) -> list[str]:
    """A note that not all rows are derived, if not all are.

    >>> only_first_rows(1, True), only_first_rows(3, True), only_first_rows(3, False)
    (['Only the first row is derived.'], ['Only the first 3 rows are derived.'], [])
    """
    words = "row is" if shown == 1 else f"{shown} rows are"
    return [f"Only the first {words} derived."] if is_cut else []


def explained_once(steps: Iterable[Step]) -> list[Step]:
    """The steps, in which each name is explained where it first occurs only."""
    seen, kept = set[str](), list[Step]()
    for step in steps:
        equations = []
        for equation in step.equations:
            new = {name: words for name, words in equation.where.items() if name not in seen}
            seen |= new.keys()
            equations.append(replace(equation, where=new))
        kept.append(replace(step, equation=tuple(equations)))
    return kept
