"""Hypotheses that are written down: a mapping or a function from an instance to its class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.bayes.probabilities import as_probabilities, refuse_doubled
from novacula.errors import DataError, InputTypeError
from novacula.table.chunk import Floats
from novacula.words import listed, quoted


@dataclass(frozen=True, eq=False)
class Labelling:
    """A hypothesis that says of each instance its class, or the probabilities of the classes by name.

    >>> Labelling("h", {"x1": "+", "x2": {"+": 0.25, "-": 0.75}}, ("+", "-")).predict_proba(["x1", "x2"]).tolist()
    [[1.0, 0.0], [0.25, 0.75]]
    """

    name: Any
    rule: Any
    labels: tuple[Any, ...]

    def __post_init__(self) -> None:
        refuse_doubled(self.labels, "classes")
        if not isinstance(self.rule, Mapping) and not callable(self.rule):
            raise InputTypeError(
                f"the hypothesis {quoted(self.name)} is {quoted(self.rule)}; with classes, give a mapping or a "
                f"function of an instance to its class"
            )

    @property
    def classes_(self) -> Any:
        """The classes in the order given."""
        return np.array(self.labels)

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes for each instance of a sequence (n, K)."""
        if isinstance(X, (str, bytes, Mapping)) or not hasattr(X, "__iter__"):
            raise InputTypeError(f"instances are a sequence: put {quoted(X)} in a list")
        return np.array([self._shares(x) for x in X]).reshape(-1, len(self.labels))

    def _shares(self, x: Any) -> Floats:
        said = self._said(x)
        if isinstance(said, Mapping):
            return as_probabilities(said, self.labels, f"what {quoted(self.name)} says of {quoted(x)}")
        if said not in self.labels:
            raise DataError(
                f"the hypothesis {quoted(self.name)} says {quoted(said)} of {quoted(x)}, which is none of "
                f"{listed(self.labels)}"
            )
        return np.eye(len(self.labels))[self.labels.index(said)]

    def _said(self, x: Any) -> Any:
        if not isinstance(self.rule, Mapping):
            return self.rule(x)
        if x not in self.rule:
            raise DataError(
                f"the hypothesis {quoted(self.name)} says nothing of {quoted(x)}; it knows {listed(list(self.rule))}"
            )
        return self.rule[x]


def labellings(hypotheses: Mapping[Any, Any], classes: Sequence[Any]) -> dict[Any, Labelling]:
    """Hypotheses by name, each of them a rule from instances to these classes."""
    if isinstance(classes, str) or not isinstance(classes, Sequence | np.ndarray):
        raise InputTypeError(f"classes are a sequence of labels, not {quoted(classes)}")
    labels = tuple(classes.tolist() if isinstance(classes, np.ndarray) else classes)
    return {name: Labelling(name, rule, labels) for name, rule in hypotheses.items()}
