"""Blocks of whole sequences: what one thread works on at a time.

Blocks are cut by the lengths of the sequences, never by the number of threads, and what they add up to is summed along
a fixed tree. So the bits of a model do not depend on threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np

from novacula.graph.hmm.columns import UNKNOWN
from novacula.graph.hmm.sequences import Places
from novacula.table.chunk import Codes, Floats
from novacula.table.distinct import distinct
from novacula.table.parallel import map_ordered

STEPS = 1 << 14
"""Steps of a block, at least, unless the data end: few enough for the cache, many enough for a thread."""

R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class SequenceBlock:
    """Sequences under each other; the observation of step t is row code[t] of `values`."""

    first: int  # the number of its first sequence among all
    values: Any  # (P, d): numbers, or codes of symbols, negative where missing
    code: Codes  # (n,)
    label: Codes  # (n,), the state of a step where it is known, else −1
    bounds: Places  # (S + 1,)
    weight: Floats  # (S,)

    @classmethod
    def of(cls, values: Any, label: Codes | None, lengths: Places, weight: Floats, first: int, discrete: bool) -> Self:
        """A block; of discrete observations in one column equal ones share a row."""
        n = len(values)
        if discrete and values.shape[1] == 1:
            found, code = distinct(values[:, 0])
            values = found[:, None]
        else:
            code = np.arange(n, dtype=np.int32)
        label = np.full(n, UNKNOWN, np.int32) if label is None else label
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        return cls(first, np.ascontiguousarray(values), code, label, bounds, weight)

    def __len__(self) -> int:
        return len(self.code)

    def first_sequence(self) -> SequenceBlock:
        """The first sequence alone."""
        n = int(self.bounds[1])
        return SequenceBlock(self.first, self.values, self.code[:n], self.label[:n], self.bounds[:2], self.weight[:1])

    @property
    def opening(self) -> Any:
        """Which steps are the first of their sequence (n,)."""
        flags = np.zeros(len(self), bool)
        flags[self.bounds[:-1]] = True
        return flags

    @property
    def step_weight(self) -> Floats:
        """The weight of each step (n,)."""
        return np.repeat(self.weight, np.diff(self.bounds))


def cut(values: Any, label: Codes | None, lengths: Places, weight: Floats, discrete: bool) -> list[SequenceBlock]:
    """Steps under each other as blocks of whole sequences."""
    ends = np.cumsum(lengths)
    blocks: list[SequenceBlock] = []
    start = done = 0  # the first sequence of the block, and the steps before it
    for s, end in enumerate(ends.tolist()):
        if end - done >= STEPS or s == len(ends) - 1:
            own = slice(done, end)
            known = None if label is None else np.ascontiguousarray(label[own])
            inside = slice(start, s + 1)
            blocks.append(SequenceBlock.of(values[own], known, lengths[inside], weight[inside], start, discrete))
            start, done = s + 1, end
    return blocks


def map_blocks(function: Callable[[SequenceBlock], R], blocks: list[SequenceBlock]) -> Iterator[R]:
    """Apply a function to blocks on threads; what it gives comes in order."""
    with closing(map_ordered(function, blocks)) as results:
        yield from results
