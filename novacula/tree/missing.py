"""What a tree does with an example whose value is missing: four strategies.

fractional            it goes down every branch, with the branch's share of the known weight
most_common           it takes the branch that most known examples at the node take
most_common_in_class  at fit, the one that most of its class take; in prediction, where the class is not known, the
                      most common one
better                at fit, the branch in which those without a value make the gain largest, and so in prediction; if
                      none was missing, the most common one
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from novacula.tree.constants import BETTER, FRACTIONAL, MOST_COMMON, MOST_COMMON_IN_CLASS


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
        Strategy(
            "fractional", FRACTIONAL, "A missing value goes down every branch, with the branch's share of the examples."
        ),
        Strategy("most_common", MOST_COMMON, "A missing value takes the branch that most examples at the node take."),
        Strategy(
            "most_common_in_class",
            MOST_COMMON_IN_CLASS,
            "A missing value takes the branch that most examples of its class take; in prediction, that of most.",
        ),
        Strategy("better", BETTER, "A missing value takes the branch in which the examples without one do most good."),
    )
}
CLASS_STRATEGIES = frozenset({"fractional", "most_common", "most_common_in_class"})
NUMBER_STRATEGIES = frozenset({"fractional", "most_common", "better"})
