"""What is known when a network is asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NodeEvidence:
    """The code of a state by the place of a discrete node, the value by that of a continuous one."""

    codes: dict[int, int]
    values: dict[int, float]
