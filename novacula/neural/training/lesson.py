"""What a network is taught: what it makes smallest, and what its outputs should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.neural.network import Architecture, NetworkObjective
from novacula.neural.training.targets import Targets


@dataclass(frozen=True, eq=False)
class NetworkLesson:
    """An objective of the weights that can be chosen, and the targets that it takes from rows."""

    objective: NetworkObjective
    targets: Targets

    @property
    def architecture(self) -> Architecture:
        """The network."""
        return self.objective.architecture

    @property
    def plain(self) -> bool:
        """Whether back-propagation alone gives the gradient: no weights are tied, and no derivatives are priced."""
        return self.objective.tying is None and self.objective.penalties.order == 0

    def expand(self, free: Any) -> Any:
        """All weights θ from those that can be chosen."""
        return free if self.objective.tying is None else self.objective.tying.expand(free)

    def contract(self, theta: Any) -> Any:
        """Those that can be chosen from all."""
        return theta if self.objective.tying is None else self.objective.tying.contract(theta)

    def sums(self, free: Any, x: Any, t: Any, weight: Any) -> tuple[float, Any]:
        """Σ weight·loss of rows, with what their derivatives cost, and its gradient; t as `Targets.of` gives it."""
        target, slopes = self.targets.split(t)
        with np.errstate(over="ignore", invalid="ignore"):  # weights that grow without end show in the sum
            return self.objective.sums(free, x, target, weight, slopes)

    def loss_sum(self, free: Any, x: Any, t: Any, weight: Any) -> float:
        """Σ weight·loss of rows alone."""
        target, slopes = self.targets.split(t)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = self.objective.value(free, x, target, weight, slopes) - self.decay(free)
        return mean * float(weight.sum(dtype=np.float64))

    def decay(self, free: Any) -> float:
        """γ Σ w²."""
        if not self.objective.penalties.weight_decay:
            return 0.0
        return self.objective.decay(self.expand(free).astype(np.float64))
