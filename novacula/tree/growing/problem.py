"""What both ways of growing a tree share: the rules in numbers, what the features are, and parts put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from novacula.statistics.contingency import side_by_side
from novacula.statistics.quantiles import Bins
from novacula.table.chunk import Codes, Floats
from novacula.tree.attributes import Attribute
from novacula.tree.constants import ARM, ARMS, CHILD, MULTIWAY, NOISE, NOMINAL, ORDERED, SORTED, SUBSET
from novacula.tree.criterion import Criterion
from novacula.tree.growing._kernels.arguments import GrowthData, GrowthSettings, read_only
from novacula.tree.missing import Strategy

Longs = npt.NDArray[np.int64]
T = TypeVar("T")

UNLIMITED = 2**62
NONE = np.zeros(0)


@dataclass(frozen=True)
class Rules:
    """When to split and on what; plain values, so that they can travel."""

    criterion: Criterion
    strategy: Strategy
    discount: Floats  # (F,)
    subset: bool = False
    max_depth: int | None = None
    min_split: float = 0.0
    min_leaf: float = 0.0
    min_gain: float = 0.0
    chi2_alpha: float | None = None
    release_8: bool = False  # thresholds as in C4.5 release 8

    def may_test(self, weight: float, depth: int) -> bool:
        """Whether a node of this weight is tested if its examples differ: not too deep, not too light."""
        light = weight < self.min_split * (1.0 - NOISE)
        deep = self.max_depth is not None and depth >= self.max_depth
        return not deep and not light

    def settings(self, critical: Floats = NONE, logs: Floats = NONE) -> GrowthSettings:
        """The rules as the kernels take them, with limits of χ² and tables of logarithms where there are any."""
        depth = UNLIMITED if self.max_depth is None else self.max_depth
        criterion = self.criterion
        rules = [
            criterion.impurity,
            self.strategy.number,
            SUBSET if self.subset else MULTIWAY,
            criterion.ratio,
            criterion.shape,
            depth,
            self.release_8,
        ]
        limits = np.array([self.min_split, self.min_leaf, self.min_gain])
        return read_only(GrowthSettings(self.discount, np.array(rules, np.int64), limits, critical, logs))


@dataclass(frozen=True)
class Features:
    """The features as the kernels see them: sorted lists, or columns of codes side by side.

    The columns of codes are those of the attributes, then one of bins for each numeric column that is binned.
    """

    kind: Longs  # (F,)
    place: Longs  # (F,)
    offsets: Longs  # (C + 1,)
    low: Floats  # (c,)
    high: Floats  # (c,)
    columns: Longs  # the numeric column of each sorted list, or of each column of bins

    @classmethod
    def of(cls, attributes: Sequence[Attribute], bins: Sequence[Bins] | None) -> Features:
        """Numeric attributes are sorted lists, or columns of bins where bins are given."""
        numeric = [a for a in attributes if a.kind == "numeric"]
        coded = sorted((a for a in attributes if a.kind != "numeric"), key=lambda a: a.place)
        numbered = {a.name: i for i, a in enumerate(numeric)}
        kind = [NOMINAL if a.kind != "numeric" else SORTED if bins is None else ORDERED for a in attributes]
        shift = 0 if bins is None else len(coded)
        place = [a.place if a.kind != "numeric" else shift + numbered[a.name] for a in attributes]
        sizes = [a.size for a in coded] + ([] if bins is None else [len(column.low) for column in bins])
        nothing = [np.zeros(sum(a.size for a in coded))]
        return cls(
            np.array(kind, np.int64),
            np.array(place, np.int64),
            side_by_side(sizes),
            np.concatenate(nothing + ([] if bins is None else [column.low for column in bins])),
            np.concatenate(nothing + ([] if bins is None else [column.high for column in bins])),
            np.array([a.place for a in numeric], np.int64),
        )

    def data(self, y: Codes | Floats, codes: Codes, numeric: Floats, origin: Longs) -> GrowthData:
        """Rows with these features as the kernels take them."""
        features = (self.kind, self.place, self.offsets, self.low, self.high, self.sorted_columns)
        return read_only(GrowthData(y, codes, numeric, origin, *features))

    @property
    def sorted_columns(self) -> Longs:
        """The numeric column of each sorted list; there are none where columns are binned."""
        return self.columns if (self.kind == SORTED).any() else self.columns[:0]

    @property
    def max_branches(self) -> int:
        """The largest number of branches that a test can have."""
        return max(2, int(np.diff(self.offsets).max(initial=0)))


class GrownSubtree(NamedTuple):
    """Some nodes of a tree as a kernel gives them; node 0 is node `root` of the whole."""

    root: int
    nodes: npt.NDArray[np.int32]  # (m, 7)
    numbers: Floats  # (m, 2)
    counts: Floats  # (m, K), or what else the nodes know of their examples
    arms: npt.NDArray[np.int32]  # (a, 2)


class Assembly:
    """Parts of a tree, each grown from a leaf of those before, put together."""

    def __init__(self, total: Floats) -> None:
        self.parts: list[GrownSubtree] = []
        self.size = 1
        self.add(0, *single_leaf(total))

    def add(self, root: int, nodes: Any, numbers: Any, counts: Any, arms: Any) -> int:
        """Take a part; its nodes but the first are numbered from the returned number on."""
        first = self.size
        self.parts.append(GrownSubtree(root, nodes, numbers, counts, arms))
        self.size += len(nodes) - 1
        return first

    def tree(self, make: Callable[..., T]) -> T:
        """The whole, its nodes in order of arrival, as `make` makes it of its tests and the counts (m, K)."""
        roots, *stacks = zip(*self.parts, strict=True)
        nodes, numbers, counts, arms = map(np.concatenate, stacks)
        n_nodes, n_arms = (np.array(list(map(len, stack))) for stack in (stacks[0], stacks[3]))
        begin, part = np.cumsum(n_nodes) - n_nodes, np.repeat(np.arange(len(roots)), n_nodes)
        nodes[:, CHILD] += np.where(nodes[:, CHILD] >= 0, begin[part] - part, 0)  # a root has a number already
        nodes[:, ARM] += (np.cumsum(n_arms) - n_arms)[part]
        number = np.arange(len(nodes)) - part
        number[begin] = roots
        row = np.empty(self.size, np.int64)
        row[number] = np.arange(len(nodes))  # of a leaf that was grown on, the row of the part that grew, the last one
        nodes, numbers, counts = nodes[row], numbers[row], counts[row]
        sizes = nodes[:, ARMS].astype(np.int64)
        start = np.concatenate([[0], np.cumsum(sizes)])
        taken = np.repeat(nodes[:, ARM] - start[:-1], sizes) + np.arange(start[-1])
        feature, child, arity, default, otherwise = (np.ascontiguousarray(nodes[:, c]) for c in range(5))
        threshold, gain = (np.ascontiguousarray(numbers[:, c]) for c in range(2))
        return make(
            feature, threshold, child, arity, default, otherwise, start, np.ascontiguousarray(arms[taken, 0]),
            np.ascontiguousarray(arms[taken, 1]), gain, counts,
        )  # fmt: skip


def single_leaf(total: Floats) -> tuple[Any, ...]:
    """A tree of one leaf, in the form of a part."""
    nodes = np.array([[-1, -1, 0, -1, -1, 0, 0]], np.int32)
    return nodes, np.array([[np.nan, 0.0]]), total[None, :].copy(), np.zeros((0, 2), np.int32)
