"""What is asked of a preparation beside what the learner's card asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from novacula.errors import DataWarning, ParameterError, warn_user
from novacula.table import Schema
from novacula.words import listed

SCALES = ("none", "standard", "range", "unit")
"""Scales that can be asked for: as it is, mean 0 and deviation 1, from 0 to 1, rows of length 1."""


@dataclass(frozen=True)
class PreparationChoice:
    """What is asked of a preparation beside what the card asks for; None leaves it to the card."""

    scale: str | None = None
    fill: str | float | None = None
    ordered: Mapping[str, Sequence[Any] | None] = field(default_factory=dict)
    """Categorical columns whose categories are in order, with that order; None: that of the schema."""

    def orders(self, schema: Schema) -> dict[int, tuple[Any, ...]]:
        """The ordered columns by their places among the categorical ones, with their categories in order."""
        coded = {column.name: (j, column) for j, column in enumerate(schema.of_kind("categorical"))}
        found = {}
        for name, stated in self.ordered.items():
            if name not in coded:
                raise ParameterError(f"ordered names {name!r}, which is no categorical column: {listed(list(coded))}")
            j, column = coded[name]
            categories = column.categories
            found[j] = order = categories if stated is None else tuple(stated)
            if len(set(order)) < len(order) or not set(categories) <= set(order):
                raise ParameterError(
                    f"ordered must have each category of {name!r} once, from the first to the last: "
                    f"{listed(list(categories))}"
                )
            if stated is None and not column.declared:
                warn_user(
                    f"nobody stated the order of {name!r}, so its categories are numbered as they sort: "
                    f"{listed(order, 5)}; state it as ordered={{{name!r}: [...]}}",
                    DataWarning,
                )
        return dict(sorted(found.items()))


AS_THE_CARD = PreparationChoice()
