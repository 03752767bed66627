"""Trees and rules with gaps, bins, costs and pruning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from novacula.checks.samples import sample
from novacula.tree import DecisionTreeClassifier, RuleListClassifier


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    card = DecisionTreeClassifier.card
    data, gaps = sample(card, n=60), sample(card, n=60, missing=True)
    yield "tree-gaps", DecisionTreeClassifier(), gaps.X, gaps.target
    yield "tree-pruned", DecisionTreeClassifier(prune="mdl"), data.X, data.target
    yield "rules-gaps", RuleListClassifier(), gaps.X, gaps.target
