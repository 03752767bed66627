"""What a tree does with an example whose value is missing: three strategies.

fractional            it goes down every branch, with the branch's share of the known weight
most_common           it takes the branch that most known examples at the node take
most_common_in_class  at fit, the one that most of its class take; in prediction, where the class is not known, the
                      most common one
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Strategy:
    """A strategy: its number in the compiled search, and a sentence for people."""

    name: str
    number: int
    sentence: str

    @property
    def is_fractional(self) -> bool:
        """Whether an example can be in several branches at once."""
        return self.name == "fractional"


STRATEGIES: Mapping[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("fractional", 0, "A missing value goes down every branch, with the branch's share of the examples."),
        Strategy("most_common", 1, "A missing value takes the branch that most examples at the node take."),
        Strategy(
            "most_common_in_class",
            2,
            "A missing value takes the branch that most examples of its class take; in prediction, that of most.",
        ),
    )
}
