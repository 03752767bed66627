"""A learner for a table: as it is where it takes the columns, else behind its preparation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from novacula.cli.data import named_values
from novacula.errors import ParameterError
from novacula.learner.registry import find, look_up

if TYPE_CHECKING:
    from novacula.table import Table


def fit_learner(name: str, table: Table, settings: Sequence[str]) -> Any:
    """The learner of this name with these settings, fitted."""
    return unfitted_learner(name, table, settings).fit(table)


def unfitted_learner(name: str, table: Table, settings: Sequence[str]) -> Any:
    """The learner of this name with these settings, behind its preparation where it needs one for the table."""
    kind = find(look_up(name, _task(name, table)))
    values = named_values(settings)
    unknown = [key for key in values if key not in kind._get_param_names()]
    if unknown:
        raise ParameterError(
            f"{kind.__name__} has no parameter {unknown[0]!r}: it has {', '.join(kind._get_param_names())}"
        )
    model: Any = kind(**values)
    kinds = {column.kind for column in table.layout.features}
    missing = any(column.missing for column in table.schema.features)
    if kinds <= set(kind.card.takes) and (kind.card.admits.missing or not missing):
        return model
    from novacula.prepare import PreparedClassifier, PreparedRegressor

    if kind.card.task not in ("classification", "regression"):
        return model  # whose error says what it does not take
    return (PreparedClassifier if kind.card.task == "classification" else PreparedRegressor)(model)


def _task(name: str, table: Table) -> str | None:
    """The task by which learners of one word differ, from the target; None for a name that is written out."""
    from novacula.learner.registry import learners

    if name in learners() or not table.layout.target:
        return None
    return "regression" if table.layout.target_columns[0].kind == "numeric" else "classification"
