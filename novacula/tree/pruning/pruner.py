"""What a pruner is: given a grown tree, it marks the nodes that become leaves.

The marks are for `Tree.pruned`, which makes the marked nodes leaves and drops what was below them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute
from novacula.tree.structure import ClassTree, Integers

Marks: TypeAlias = npt.NDArray[np.bool_]
Need: TypeAlias = Literal["validation", "cuts"]


@dataclass(frozen=True, eq=False)
class PruningEvidence:
    """What a pruner may judge a tree of m nodes by besides the tree; only what the pruner needs is there."""

    attributes: Sequence[Attribute]  # d
    validation: Floats | None = None  # (m, K) weight of the validation examples of each class that pass a node
    cuts: Integers | None = None  # (d,) thresholds that an attribute offers: its distinct values less one


class TreePruner(Protocol):
    """A way to prune."""

    @property
    def needs(self) -> tuple[Need, ...]:
        """The evidence that must be gathered for it."""

    def stop(self, tree: ClassTree, evidence: PruningEvidence) -> Marks:
        """The nodes (m,) that become leaves."""
