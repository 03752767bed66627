"""The posterior of a whole space of conjunctions, all equally probable before: the version space, counted.

    P(D | h) = 1 if h agrees with every example, else 0        P(h | D) = 1 / |VS| if h ∈ VS, else 0

So every consistent hypothesis is a most probable one, P(D) = |VS| / |H|, and P(yes | x) is the share of the version
space that says yes: what `CandidateElimination` gives. Nothing is listed.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np

from novacula.bayes.derivation.version_space import derive_version_space, derive_version_votes
from novacula.bayes.posterior import Posterior
from novacula.bayes.posterior_figures import stages_figure
from novacula.bayes.probabilities import as_weights
from novacula.concept import Conjunction, ConjunctiveSpace, VersionSpace
from novacula.concept.rows import read_positions
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats
from novacula.words import quoted

_DRAWN = 200  # version spaces counted for the picture
_BARS = 1000  # hypotheses that are drawn one by one


class VersionSpacePosterior(Posterior):
    """What `Posterior` is of a `ConjunctiveSpace`: data are (X, y) with y true for examples of the concept.

    >>> space = ConjunctiveSpace({"Sky": ["Sunny", "Rainy"], "Wind": ["Strong", "Weak"]})
    >>> after = Posterior(space).update(([("Sunny", "Weak"), ("Rainy", "Weak")], [True, False]))
    >>> after.version_space.size, after.predict([("Sunny", "Strong")]).tolist()
    (2, [[0.5, 0.5]])
    >>> after.probabilities[space.conjunction("Sunny", "?")]
    0.5
    """

    def __init__(
        self,
        hypotheses: ConjunctiveSpace,
        prior: Any = None,
        likelihood: Any = None,
        density: bool = False,
        classes: Any = None,
    ) -> None:
        if prior is not None or likelihood is not None or density or classes is not None:
            raise ParameterError(
                "a space of conjunctions has a uniform prior and says true or false: for another prior, list it with "
                "Posterior(list(space.hypotheses()), prior=…)"
            )
        self.space = hypotheses
        self.positions = np.empty((0, len(hypotheses.names)), np.int64)
        self.positive = np.empty(0, bool)
        self.updates: tuple[int, ...] = (0,)  # how many examples were known before any, and after each update

    def update(self, data: Any, weight: Any = None) -> Self:
        """The posterior after more examples (X, y); one seen 0 times says nothing, others count once."""
        if not isinstance(data, (tuple, list)) or len(data) != 2:
            raise InputTypeError("data are a pair (X, y) of rows and true or false for each")
        rows, labels = read_positions(self.space, data[0]), np.asarray(data[1]).reshape(-1)
        if len(rows) != len(labels) or not len(rows):
            raise DataError(f"there are {len(rows)} rows in X and {len(labels)} labels in y; give as many, and some")
        for i, (row, label) in enumerate(zip(rows, labels.tolist(), strict=True)):
            self.space.refuse_unknown(row, f"row {i + 1}")
            if label not in (True, False):
                raise DataError(
                    f"row {i + 1} has the label {quoted(label)}; say y == {quoted(label)} if it is the concept"
                )
        seen = as_weights(weight, len(rows)) > 0
        after = copy.copy(self)
        vars(after).pop("version_space", None)
        after.positions = np.vstack([self.positions, rows[seen]])
        after.positive = np.concatenate([self.positive, labels[seen].astype(bool)])
        after.updates = (*self.updates, len(after.positive))
        if not after.version_space.size:
            raise DataError("no hypothesis explains the data: no conjunction of the space fits all examples")
        return after

    # --- what is believed --------------------------------------------------------------------------------------------

    @cached_property
    def version_space(self) -> VersionSpace:
        """The hypotheses that are left."""
        return self.left_after(len(self.positive))

    @property
    def probabilities(self) -> Mapping[Any, float]:
        """P(h | D) of every conjunction of the space, found when first read."""
        return UniformOver(self, 1 / self.version_space.size, 0.0)

    @property
    def log_probabilities(self) -> Mapping[Any, float]:
        """ln P(h | D) of every conjunction of the space, found when first read."""
        return UniformOver(self, -math.log(self.version_space.size), -math.inf)

    @property
    def log_likelihoods(self) -> Mapping[Any, float]:
        """ln P(D | h): 0 for what agrees with every example, else −∞."""
        return UniformOver(self, 0.0, -math.inf)

    @property
    def description_lengths(self) -> Mapping[Any, float]:
        """log₂ |H| bits for what agrees with every example, else ∞."""
        return UniformOver(self, math.log2(self.space.size_semantic), math.inf)

    @property
    def log_evidence(self) -> float:
        """ln P(D) = ln(|VS| / |H|)."""
        return math.log(self.version_space.size) - math.log(self.space.size_semantic)

    @property
    def n_observations(self) -> float:
        """How many examples were seen."""
        return float(len(self.positive))

    def map(self) -> Conjunction:
        """A most probable hypothesis: all that are left are, and this is the first of them."""
        return next(self.version_space.members())

    def ml(self) -> Conjunction:
        """The same: under a uniform prior the most probable hypothesis is the likeliest."""
        return self.map()

    def predict(self, x: Any) -> Floats:
        """P(no | x, D) and P(yes | x, D) for each row (n, 2): the shares of the version space, exactly rounded."""
        size = self.version_space.size
        votes = self.version_space.votes(read_positions(self.space, x))
        return np.array([[(size - yes) / size, yes / size] for yes in votes])

    def predictive_map(self, x: Any) -> Floats:
        """What the hypothesis of `map` says of each row, as probabilities of no and yes (n, 2)."""
        yes = self.map().covers(read_positions(self.space, x))
        return np.column_stack([~yes, yes]).astype(np.float64)

    # --- to see ------------------------------------------------------------------------------------------------------

    def plot(self, x: Any = None) -> Figure:
        """How many hypotheses are left after each example, as bits: log₂ |VS|."""
        if x is not None:
            raise ParameterError("a space of conjunctions labels instances, so no next datum can be drawn")
        places = np.unique(np.linspace(0, len(self.positive), _DRAWN).astype(int))
        bits = [math.log2(self.left_after(n).size) for n in places.tolist()]
        title = "Hypotheses that are left: each has probability 1 / |VS|"
        return curve_figure(places, {"bits": bits}, title=title, xlabel="examples", ylabel="log₂ |VS|")

    def plot_stages(self) -> Figure:
        """P(h), P(h | D₁), P(h | D₁, D₂), …: a panel for the prior and for each update, in each a bar a hypothesis."""
        if not self.is_listed:
            raise ParameterError(
                f"the space has {self.space.size_semantic} hypotheses, of which no more than {_BARS} can be drawn"
            )
        listed = list(self.space.hypotheses())
        stages = []
        for n in self.updates:
            rows, positive = self.positions[:n], self.positive[:n]
            fits = np.array([np.array_equal(h.covers(rows), positive) for h in listed])
            stages.append(fits / fits.sum())
        return stages_figure(listed, stages)

    @property
    def is_listed(self) -> bool:
        """Whether the space is small enough to draw each hypothesis."""
        return self.space.size_semantic <= _BARS

    def left_after(self, n: int) -> VersionSpace:
        """The hypotheses that were left after the first n examples."""
        rows, positive = self.positions[:n], self.positive[:n]
        return VersionSpace.of(self.space, rows[positive], rows[~positive])

    def _derive(self, options: WorkOptions) -> Work:
        """The posterior by counting what is left."""
        return derive_version_space(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The vote on each row."""
        return derive_version_votes(self, read_positions(self.space, X), options)

    def __repr__(self) -> str:
        return f"<Posterior of {self.space.size_semantic} conjunctions, {self.version_space.size} left>"


class UniformOver(Mapping[Any, float]):
    """One value for what agrees with every example and one for the rest, over a space that is not listed."""

    def __init__(self, posterior: VersionSpacePosterior, consistent: float, other: float) -> None:
        self._posterior, self._consistent, self._other = posterior, consistent, other

    def __getitem__(self, h: Any) -> float:
        if not isinstance(h, Conjunction) or h.space != self._posterior.space:
            raise KeyError(h)
        fits = np.array_equal(h.covers(self._posterior.positions), self._posterior.positive)
        return self._consistent if fits else self._other

    def __iter__(self) -> Iterator[Conjunction]:
        return self._posterior.space.hypotheses()

    def __len__(self) -> int:
        return self._posterior.space.size_semantic
