"""What derivations of one iteration of Baum–Welch share: parameters before and after, expected counts, and ties."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from novacula.graph.hmm.baum_welch import ExpectedCounts
from novacula.graph.hmm.derivation.passage import Passage, state_names
from novacula.graph.hmm.parameters import Emission
from novacula.graph.hmm.trace import flat_counts
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.hmm.base import HiddenMarkovModel

Path = tuple[str | int, ...]


class ChainStep:
    """One iteration; `is_last`: what it came to are the attributes of the model."""

    def __init__(
        self, model: HiddenMarkovModel, like: Emission, iteration: int, passage: Passage | None, is_last: bool
    ) -> None:
        trace = model.trace_
        self.model, self.passage, self.is_last, self.names = model, passage, is_last, state_names(model.states_)
        self.before, self.after = (trace.parameters(i, like) for i in (iteration - 1, iteration))
        self.place = int(np.searchsorted(trace.path.iterations, iteration))
        self.values, self.weight = trace.values, trace.weight
        self.others = None if trace.others is None else trace.others.at(iteration, (trace.others.states.shape[1],))
        self.times = "ω * " if self.weight != 1.0 and passage is not None else ""
        self.weights = {"ω": self.weight} if self.times else {}

    @cached_property
    def counts(self) -> Floats:
        """Expected starts, transitions and emission sums, of the kept sequence and of the others."""
        own = np.zeros(0) if self.passage is None else self._own()
        if self.others is None:
            return own
        return self.others if self.passage is None else self.others + own

    def _own(self) -> Floats:
        assert self.passage is not None  # noqa: S101  (the caller checked it)
        block = self.passage.block
        found = ExpectedCounts.observe(block, self.before)
        return self.weight * flat_counts(found, self.before.emission)

    @property
    def starts(self) -> Floats:
        """Expected starts (K,)."""
        return self.counts[: len(self.names)]

    @property
    def transitions(self) -> Floats:
        """Expected transitions (K, K)."""
        k = len(self.names)
        return self.counts[k : k + k * k].reshape(k, k)

    @property
    def first_sum(self) -> int:
        """Where the sums, and the parameters, of the emission begin."""
        return len(self.names) * (len(self.names) + 1)

    def named(self, numbers: Floats) -> dict[str, float]:
        """Numbers by state."""
        return dict(zip(self.names, map(float, numbers), strict=True))

    def tie(self, attribute: str, *place: str | int) -> Path:
        """An attribute of the model, if this iteration made it."""
        return (attribute, *place) if self.is_last else ()

    def path(self, place: int) -> Path:
        """A number of the path of parameters."""
        return ("trace_", "path", "states", self.place, place)


def share_equation(
    left: str,
    cell: str,
    row: str,
    counts: Mapping[str, float],
    name: str,
    m: float,
    chance: Floats,
    place: int,
    of: Path,
) -> Equation | str:
    """One probability from counts, (n + m) / (N + m·a), a the number that are allowed; or why there is none."""
    if sum(counts.values()) == 0.0 and m == 0.0:
        return "Nothing was counted, so what is allowed is divided evenly."
    if chance[place] == 0.0 and m:
        return "It is not allowed, so it stays 0."
    values: dict[str, object] = {cell: counts[name], row: counts}
    if not m:
        return Equation(left, f"{cell} / sum({row} for k in _)", values, of)
    values |= {"m": m, "a": float((chance > 0.0).sum())}
    where = {"m": "what the prior counts as", "a": "how many are allowed"}
    return Equation(left, f"({cell} + m) / (sum({row} for k in _) + m * a)", values, of, where)
