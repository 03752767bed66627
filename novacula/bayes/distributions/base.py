"""What a distribution within each class has to know: how to look at rows, how to solve, how to score, how to explain.

Columns that share a distribution form a `Group` and are handled together. `DistributionPart` is the fitted side of a
group: small arrays, no data. A new distribution is one file with a `DistributionPart` in it and a line in
`__init__.py`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from novacula.bayes.distributions.prior_estimate import estimate_of
from novacula.bayes.distributions.tokenization import Tokenization
from novacula.learner.derivation import SHOWN
from novacula.learner.work import Step
from novacula.mathematics import Equation
from novacula.state import State, each, label, record, text, whole, word
from novacula.statistics.base import Statistic
from novacula.table.chunk import Chunk, Floats
from novacula.table.schema import Category, Kind


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How zero counts and zero variances are kept from deciding alone."""

    m: float | Literal["laplace"] = 1.0
    prior_estimate: Any = "uniform"  # a word, a number, or by column one of these or a table
    var_smoothing: float = 1e-9

    def pseudo_count(self, n_values: int) -> float:
        """The m of the m-estimate for a variable of this number of values."""
        return float(n_values) if self.m == "laplace" else float(self.m)


@dataclass(frozen=True, slots=True)
class Group:
    """Columns of one kind that share a distribution; `places` are their positions among the columns of that kind."""

    state: ClassVar[State] = {
        "distribution": text(),
        "kind": word("numeric", "categorical", "text", "sparse"),
        "names": each(text(), "columns"),
        "places": each(whole(), "columns"),
        "categories": each(each(label())),
        "words": record(Tokenization),
        "width": whole(),
    }

    distribution: str
    kind: Kind
    names: tuple[str, ...]
    places: tuple[int, ...]
    categories: tuple[tuple[Category, ...], ...] = ()  # of each column, if categorical
    words: Tokenization = field(default_factory=Tokenization)
    width: int = 0  # of a sparse block

    def numeric(self, chunk: Chunk) -> Chunk:
        """The chunk with the group's numeric columns only; itself if these are all."""
        if self.places == tuple(range(chunk.numeric.shape[1])):
            return chunk
        return replace(chunk, numeric=np.ascontiguousarray(chunk.numeric[:, list(self.places)]))

    def categorical(self, chunk: Chunk) -> Chunk:
        """The chunk with the group's categorical columns only; itself if these are all."""
        if self.places == tuple(range(chunk.codes.shape[1])):
            return chunk
        return replace(chunk, codes=np.ascontiguousarray(chunk.codes[:, list(self.places)]))


@dataclass(frozen=True, slots=True)
class PartFacts:
    """What a part is derived from: what the rows said of it, how it was smoothed, and where the model keeps it."""

    statistic: Any
    smoothing: Smoothing
    classes: Sequence[str]
    class_count: Floats  # (K,)
    path: tuple[str | int, ...] = ()
    is_full: bool = False
    is_qualified: bool = False  # whether entries of a bag are written with the name of their column

    @property
    def has_plain_shares(self) -> bool:
        """Whether estimates are quotients of counts, without a prior estimate in them."""
        return self.smoothing.m == 0

    @property
    def n_shown(self) -> int:
        """Classes that are written out."""
        return len(self.classes) if self.is_full else min(len(self.classes), SHOWN)

    def strength(self, key: str) -> str:
        """How the m of the m-estimate is written, for a column or a bag."""
        return f"m[{key}]" if self.smoothing.m == "laplace" else "m"

    def prior(self, key: str, event: str, column: str | None = None) -> str:
        """How the p of the m-estimate is written: one for all values, or one for each."""
        estimate = estimate_of(self.smoothing.prior_estimate, column)
        return f"p[{event}]" if estimate == "empirical" or isinstance(estimate, Mapping) else f"p[{key}]"


@dataclass(frozen=True, slots=True)
class ClassFactor:
    """One factor of the product for a row and a class: what it is, its logarithm, and the equation it comes from."""

    label: str
    log: float
    equation: Callable[[], Equation] | None  # None where its numbers are too large or too small to be written out
    is_share: bool = False  # of counts and no more, short enough to be put into the product


class DistributionPart(ABC):
    """What was learned of one group of columns: the parameters of a distribution for each class."""

    __slots__ = ()
    name: ClassVar[str]
    kinds: ClassVar[tuple[Kind, ...]]
    group: Group

    @abstractmethod
    def fits(self, statistic: Any) -> bool:
        """Whether the arrays are for the columns of the group, and a statistic is what `observe` gives for them.

        It is asked after each was found to be as it is declared.
        """

    @property
    @abstractmethod
    def n_classes(self) -> int:
        """The number of classes that the arrays speak of."""

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """The number of parameters of all classes together; of shares that sum to 1 all but one."""

    @staticmethod
    @abstractmethod
    def observe(chunk: Chunk, group: Group, n_classes: int) -> Statistic:
        """What the rows say of the group."""

    @classmethod
    @abstractmethod
    def solve(cls, statistic: Any, group: Group, smoothing: Smoothing) -> Self:
        """The parameters from the statistic of all rows."""

    @abstractmethod
    def score(self, chunk: Chunk, out: Floats) -> None:
        """Add the log-likelihood of each row under each class to out (n, K)."""

    @abstractmethod
    def steps(self, facts: PartFacts) -> list[Step]:
        """How the parameters came about: in tables, and the first of them, or all, in equations."""

    @abstractmethod
    def factors(self, chunk: Chunk, facts: PartFacts, k: int) -> list[ClassFactor]:
        """The factors of class k for a chunk of one row."""


def logarithm(probability: float) -> float:
    """The natural logarithm, −∞ for 0."""
    return math.log(probability) if probability > 0.0 else -math.inf
