"""What a distribution within each class has to know: how to look at rows, how to solve, how to score, how to explain.

Columns that share a distribution form a `Group` and are handled together. `DistributionPart` is the fitted side of a
group: small arrays, no data. A new distribution is one file with a `DistributionPart` in it and a line in
`__init__.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from novacula.bayes.distributions.tokenization import Tokenization
from novacula.learner.worded_step import WordedStep as Step
from novacula.state import State, each, label, record, text, whole, word
from novacula.statistics.base import Statistic
from novacula.table.chunk import Chunk, Floats
from novacula.table.schema import Category, Kind

Estimate: TypeAlias = Literal["uniform", "empirical"]


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How zero counts and zero variances are kept from deciding alone."""

    m: float | Literal["laplace"] = 1.0
    prior_estimate: Estimate = "uniform"
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
class ClassFactor:
    """One factor of the product for a row and a class: P(column = value given class), as arithmetic."""

    label: str
    expression: str
    values: dict[str, float]
    value: float


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
    def steps(
        self, statistic: Any, classes: list[str], smoothing: Smoothing, path: tuple[str | int, ...]
    ) -> list[Step]:
        """How the parameters came about, capped; `path` leads to this part in the model."""

    @abstractmethod
    def factors(self, chunk: Chunk, statistic: Any, smoothing: Smoothing, k: int, mark: str) -> list[ClassFactor]:
        """The factors of class k for a chunk of one row; names of values end in `mark`, to be unique in a product."""


def conditional(name: str, value: object, class_: str) -> str:
    """P(name = value | class), as it is written in a derivation."""
    return f"P({name} = {value} | {class_})"
