"""How a test is scored: an impurity, and a score of the gain, the split information and the cost of the attribute.

    gain              H(parent) − Σ share · H(branch), H the entropy
    gain_ratio        gain / split information, among attributes of at least the mean positive gain, as in C4.5
    plain_gain_ratio  the same among all attributes
    gini              the same as gain with Gini's impurity 1 − Σ p²
    tan_schlimmer     gain² / cost
    nunez             (2^gain − 1) / (cost + 1)^w

Every score is shape(gain) · discount / information, so that the compiled search knows three shapes and no names. A new
criterion is one more entry below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from novacula.table.chunk import Floats
from novacula.tree.constants import (
    ABSOLUTE,
    ENTROPY,
    EXPONENTIAL,
    GINI,
    LINEAR,
    NO_RATIO,
    RATIO_ABOVE_MEAN,
    RATIO_OF_ALL,
    SQUARE,
    SQUARED,
)


@dataclass(frozen=True)
class Criterion:
    """An impurity, the shape of the gain in the score, and what divides it."""

    name: str
    formula: str
    impurity: int = ENTROPY
    shape: int = LINEAR
    ratio: int = NO_RATIO
    discount: Callable[[Floats, float], Floats] | None = None  # of costs and cost_weight; None: costs do not count

    @property
    def by_information(self) -> bool:
        """Whether the gain is divided by the split information."""
        return self.ratio != NO_RATIO

    @property
    def symbol(self) -> str:
        """What the score is called in derivations."""
        return "Score" if self.discount is not None else "GainRatio" if self.by_information else "Gain"

    def discounts(self, costs: Floats, weight: float) -> Floats:
        """The factor of each attribute's score."""
        return np.ones(len(costs)) if self.discount is None else self.discount(costs, weight)

    def impurities(self, counts: Floats) -> Floats:
        """The impurity of each row of class weights (m, K), in bits for the entropy; 0 where there are none."""
        total = counts.sum(axis=-1, keepdims=True)
        share = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        if self.impurity == GINI:
            return np.where(total[..., 0] > 0, 1.0 - (share**2).sum(axis=-1), 0.0)
        logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
        return np.abs(-(share * logs).sum(axis=-1))

    def score(self, gain: Floats, information: Floats, discount: Floats) -> Floats:
        """The score of tests; 0 where a test has no split information."""
        shaped = {LINEAR: gain, SQUARE: gain**2, EXPONENTIAL: 2.0**gain - 1.0}[self.shape] * discount
        if not self.by_information:
            return shaped
        return np.divide(shaped, information, out=np.zeros_like(shaped), where=information > 0)


CRITERIA: Mapping[str, Criterion] = {
    criterion.name: criterion
    for criterion in (
        Criterion("gain", "gain"),
        Criterion("gain_ratio", "gain / split information", ratio=RATIO_ABOVE_MEAN),
        Criterion("plain_gain_ratio", "gain / split information", ratio=RATIO_OF_ALL),
        Criterion("gini", "gain", impurity=GINI),
        Criterion("tan_schlimmer", "gain² / cost", shape=SQUARE, discount=lambda costs, _: 1.0 / costs),
        Criterion(
            "nunez",
            "(2^gain − 1) / (cost + 1)^w",
            shape=EXPONENTIAL,
            discount=lambda costs, weight: (costs + 1.0) ** -weight,
        ),
    )
}

NUMBER_CRITERIA: Mapping[str, Criterion] = {
    name: Criterion(name, "gain / cost", impurity=impurity, discount=lambda costs, _: 1.0 / costs)
    for name, impurity in (("squared_error", SQUARED), ("absolute_error", ABSOLUTE))
}
"""Of numbers: by how much the mean squared deviation from the mean falls, or the absolute one from the median."""
