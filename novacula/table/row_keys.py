"""A number for each row, mixed from what it holds: the same wherever the row stands and however the table is cut."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Chunk

Keys: TypeAlias = npt.NDArray[np.uint64]


def row_keys(chunk: Chunk, seed: int) -> Keys:
    """A number for each row that depends on its values, its target and the seed only."""
    target: Any = chunk.target
    numbers = [chunk.dense()]
    if target is not None and target.dtype == np.float64:
        numbers.append(target.reshape(len(chunk), -1))
    columns = [column for block in numbers for column in _bits(block)]
    columns += [*chunk.codes.T.astype(np.int64).view(np.uint64)]
    if target is not None and target.dtype != np.float64:
        columns.append(target.astype(np.uint64))
    key = np.full(len(chunk), seed, np.uint64)
    for column in columns:
        key = mixed(key, column)
    return key


def mixed(key: Keys, value: Keys) -> Keys:
    """Mix a value into a key: Steele, Lea and Flood's SplitMix64."""
    z = (key ^ value) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _bits(block: Any) -> Keys:
    """The numbers of a block (n, d) as whole numbers (d, n), with one NaN and one zero."""
    numbers = np.where(np.isnan(block), np.nan, block) + 0.0
    return np.ascontiguousarray(numbers.T).view(np.uint64)
