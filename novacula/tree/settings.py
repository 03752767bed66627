"""From a learner's parameters to what growing and pruning take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.learner.card import Extent
from novacula.table.chunk import Floats
from novacula.table.names import did_you_mean
from novacula.tree.attributes import Attribute
from novacula.tree.criterion import CRITERIA, NUMBER_CRITERIA
from novacula.tree.growing import Rules
from novacula.tree.missing import STRATEGIES
from novacula.tree.pruning import PRUNERS, PessimisticPruner, TreePruner


def leaf_counts(extent: Extent) -> tuple[int, ...]:
    """Numbers of leaves that a study tries: each twice the last, as long as a leaf may hold three rows."""
    return tuple(leaves for leaves in (2, 4, 8, 16, 32, 64, 128, 256) if leaves == 2 or 3 * leaves <= extent.n_rows)


def rules(learner: Any, attributes: Sequence[Attribute], total: float) -> Rules:
    """How a tree is grown from examples of this total weight."""
    criterion = CRITERIA[learner.criterion]
    cost = costs(learner.costs, attributes)
    if learner.criterion == "tan_schlimmer" and not (cost > 0).all():
        free = attributes[int(np.argmin(cost > 0))].name
        raise ParameterError(f"criterion='tan_schlimmer' divides by costs, so that of {free!r} must be above 0")
    release_8 = learner.release_8
    if release_8 == "auto":
        release_8 = learner.criterion == "gain_ratio" and learner.prune == "pessimistic"
    return Rules(
        criterion,
        STRATEGIES[learner.missing],
        criterion.discounts(cost, learner.cost_weight),
        learner.nominal == "subset",
        learner.max_depth,
        least_weight(learner.min_samples_split, 2, total),
        max(least_weight(learner.min_samples_leaf, 1, total), 2.0 if release_8 else 0.0),
        float(learner.min_gain),
        learner.chi2_alpha,
        release_8,
    )


def number_rules(learner: Any, attributes: Sequence[Attribute], total: float) -> Rules:
    """How a tree for numbers is grown from examples of this total weight."""
    cost = costs(learner.costs, attributes)
    if not (cost > 0).all():
        free = attributes[int(np.argmin(cost > 0))].name
        raise ParameterError(f"a gain is divided by the cost of its attribute, so that of {free!r} must be above 0")
    criterion = NUMBER_CRITERIA[learner.criterion]
    return Rules(
        criterion,
        STRATEGIES[learner.missing],
        criterion.discounts(cost, 1.0),
        learner.nominal == "subset",
        learner.max_depth,
        least_weight(learner.min_samples_split, 2, total),
        least_weight(learner.min_samples_leaf, 1, total),
        float(learner.min_gain),
    )


def least_weight(value: float, default: int, total: float) -> float:
    """A weight of examples; the default never binds, so that small weights do not stop a tree."""
    if isinstance(value, Integral):
        return float(value) if value > default else 0.0
    return value * total


def costs(by_name: Mapping[str, float] | None, attributes: Sequence[Attribute]) -> Floats:
    """The cost of each attribute, 1 where none is given."""
    names = [a.name for a in attributes]
    values = np.ones(len(names))
    for name, cost in (by_name or {}).items():
        if name not in names:
            raise ParameterError(f"costs names {name!r}, which is not a column{did_you_mean(str(name), names)}")
        if isinstance(cost, (str, bool)) or not np.isfinite(cost) or cost < 0:
            raise ParameterError(f"the cost of {name!r} is {cost!r}; it must be a number that is not negative")
        values[names.index(name)] = cost
    return values


def pruner(name: str, confidence: float) -> TreePruner:
    """The pruner of this name."""
    return PessimisticPruner(confidence) if name == "pessimistic" else PRUNERS[name]


def pseudo_examples(learner: Any) -> float:
    """m of the estimate (n_k + m/K) / (n + m)."""
    return float(len(learner.classes_)) if learner.m == "laplace" else float(learner.m)
