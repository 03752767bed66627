"""Hypotheses as derivations write them: their names, those that are shown, and values by name."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import numpy as np

from novacula.learner.derivation import SHOWN, distinct_names, largest
from novacula.learner.figure import few_digits
from novacula.learner.showing import WorkOptions
from novacula.table.chunk import Floats
from novacula.table.names import printable

NAME = 40
"""Characters of a name."""


class Weighed(Protocol):
    """Hypotheses with their probabilities."""

    @property
    def names(self) -> tuple[Any, ...]:
        """Their names in order."""

    @property
    def weights(self) -> Floats:
        """The probability of each, in order."""


def shown_hypotheses(weighed: Weighed, options: WorkOptions) -> list[int]:
    """The hypotheses to write out, in their order: the most probable, or all."""
    return largest(weighed.weights, len(weighed.names) if options.is_full else SHOWN)


def names_of(weighed: Weighed) -> list[str]:
    """The hypotheses as a derivation writes them."""
    return distinct_names(map(called, weighed.names), NAME)


def by_name(names: Sequence[str], values: Floats, kept: Sequence[int] | None = None) -> dict[str, float]:
    """Values of the hypotheses, or of some of them, by name."""
    return {names[k]: float(values[k]) for k in (range(len(names)) if kept is None else kept)}


def called(name: Hashable) -> str:
    """A name or datum as a derivation writes it."""
    if isinstance(name, (int, float, np.integer, np.floating)) and not isinstance(name, (bool, np.bool_)):
        return few_digits(float(name))
    return printable(str(name), NAME)
