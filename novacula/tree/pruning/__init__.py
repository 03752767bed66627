"""Pruning: a grown tree in, marks of the nodes that become leaves out.

The pruners that a learner knows by name are the values of `PRUNERS`; to add one is to write its file and name it here.
The other parts prune by a parameter of their own.
"""

from collections.abc import Mapping

from novacula.tree.pruning.best_first import grow_best_first
from novacula.tree.pruning.cost_complexity import cost_complexity_path, prune_by_alpha
from novacula.tree.pruning.mdl import DescriptionLengthPruner, description_length, prune_by_description_length
from novacula.tree.pruning.merging import merge_siblings
from novacula.tree.pruning.pessimistic import PessimisticPruner, prune_by_upper_error, upper_error
from novacula.tree.pruning.pruner import Marks, PruningEvidence, TreePruner
from novacula.tree.pruning.reduced_error import (
    ReducedErrorPruner,
    prune_by_deviations,
    prune_by_squares,
    prune_by_validation,
)

PRUNERS: Mapping[str, TreePruner] = {
    "reduced_error": ReducedErrorPruner(),
    "pessimistic": PessimisticPruner(),
    "mdl": DescriptionLengthPruner(),
}

__all__ = [
    "PRUNERS",
    "DescriptionLengthPruner",
    "Marks",
    "PessimisticPruner",
    "PruningEvidence",
    "ReducedErrorPruner",
    "TreePruner",
    "cost_complexity_path",
    "description_length",
    "grow_best_first",
    "merge_siblings",
    "prune_by_alpha",
    "prune_by_description_length",
    "prune_by_deviations",
    "prune_by_squares",
    "prune_by_upper_error",
    "prune_by_validation",
    "upper_error",
]
