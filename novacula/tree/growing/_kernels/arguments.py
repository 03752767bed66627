"""What the kernels are given, as tuples with names: arrays that can only be read."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar


class GrowthData(NamedTuple):
    """The examples, and what their features are."""

    y: Any  # (n,) class of each row
    codes: Any  # (n, C)
    x: Any  # (m, d) numbers of which thresholds are made
    origin: Any  # (n,) which row of x each row is; empty where they are the same
    kind: Any  # (F,) SORTED, NOMINAL or ORDERED
    place: Any  # (F,) which of the sorted lists or of the columns of codes
    offsets: Any  # (C + 1,) where the cells of each column of codes begin
    low: Any  # (c,) lowest value of a bin
    high: Any  # (c,) highest value of a bin
    columns: Any  # (S,) the column of x of each sorted list


class GrowthSettings(NamedTuple):
    """How tests are judged."""

    discount: Any  # (F,) factor of a feature's score
    rules: Any  # whole numbers, laid out as the constants say
    limits: Any
    critical: Any  # χ² by degrees of freedom below which a split is refused; empty: none is
    logs: Any  # i · log2 i where all weights are whole, else empty


Arrays = TypeVar("Arrays", GrowthData, GrowthSettings)


def read_only(arrays: Arrays) -> Arrays:
    """The same arrays as views that cannot be written to: within a tuple, Numba takes no others in their stead."""
    views = [array.view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    return type(arrays)(*views)
