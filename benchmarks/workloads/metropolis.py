"""Metropolis: a chain of a million steps through a density of one number that a grid holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

CELLS, LOW, HIGH = 2000, -8.0, 8.0
"""The grid of both."""
NEAR = 0.02
"""Means of a million draws that hang together are this near in more than 99 of 100 chains."""


def on_a_grid(data: Data) -> Data:
    """The density as a posterior on a grid, which is not timed."""
    import numpy as np

    from novacula.bayes import GridPosterior

    def density(x: Any) -> Any:
        return np.exp(-(x**2) / 2.0)

    return data | {"target": GridPosterior(density, density, (LOW, HIGH), CELLS, closed=True)}


def ours(data: Data) -> Any:
    """Jumps and random numbers drawn at once, and the walk in a kernel."""
    from novacula.bayes import metropolis

    sample = metropolis(data["target"], n=data["steps"], burn=0)
    return {"mean": float(sample.mean[0]), "deviation": float(sample.std[0])}


def numpy_loop(data: Data) -> Any:
    """The same walk, step by step, in a loop of Python over arrays of NumPy."""
    import numpy as np

    rng = np.random.default_rng(0)
    logs = data["logs"]
    jumps, uniform = rng.normal(size=data["steps"]) * 2.4, np.log(rng.random(data["steps"]))
    draws, x = np.empty(data["steps"]), 0.0
    at, width = logs[CELLS // 2], (HIGH - LOW) / CELLS
    for i in range(data["steps"]):
        y = x + jumps[i]
        cell = int((y - LOW) // width)
        if 0 <= cell < CELLS and uniform[i] < logs[cell] - at:
            x, at = y, logs[cell]
        draws[i] = x
    return {"mean": float(draws.mean()), "deviation": float(draws.std())}


class MetropolisChain(Race):
    """From a density to draws with their mean."""

    name = "metropolis"
    title = "Metropolis, one number"
    full = ({"steps": 1_000_000},)
    quick = ({"steps": 100_000},)

    def data(self, size: Size, folder: Path) -> Data:
        """A standard normal density in the middle of each cell of a grid."""
        import numpy as np

        middles = LOW + (HIGH - LOW) * (np.arange(CELLS) + 0.5) / CELLS
        return {"logs": -(middles**2) / 2.0, "steps": size["steps"]}

    def contenders(self) -> Sequence[Contender]:
        """A chain cannot be cut into pieces, so a plain loop is what one would write."""
        return [
            Contender("Novacula", "novacula", ours, on_a_grid),
            Contender("NumPy, a loop", "numpy", numpy_loop, goal=10.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """Mean and deviation, to what chance leaves; 0 and 1 are exact."""
        gap = max(abs(ours[name] - theirs[name]) for name in ours)
        return Agreement(gap < NEAR, f"mean and deviation within {gap:.1g}")

    def limit(self, data: Data) -> Limit:
        """Writing the draws."""
        return Limit(8 * data["steps"])
