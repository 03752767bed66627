"""What each learner answers, as vectors of a program: one function for each family, found by the learner's id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from novacula.errors import ExportError
from novacula.export.inputs import Inputs
from novacula.export.said import Said
from novacula.learner.registry import learner_id


def said_by(model: Any, inputs: Inputs) -> Said:
    """What a fitted learner says of a row of these inputs.

    A row with a missing value, of which a learner says nothing, gets no answer.
    """
    known = _functions()
    if learner_id(type(model)) not in known:
        raise ExportError(f"{model.card.name} cannot be exported in any format: it is no sum, tree or table of numbers")
    said = known[learner_id(type(model))](model, inputs)
    if model.card.admits.missing or inputs.is_filled or not inputs.numeric.width:
        return said
    return said.through(lambda vector: vector + inputs.gap())


@cache
def _functions() -> Mapping[str, Callable[[Any, Inputs], Said]]:
    """The function of each learner that can be exported."""
    from novacula.export.learners.bayes import BAYES
    from novacula.export.learners.constants import CONSTANTS
    from novacula.export.learners.ensembles import ENSEMBLES
    from novacula.export.learners.graphs import GRAPHS
    from novacula.export.learners.kernels import KERNEL_MACHINES
    from novacula.export.learners.neighbors import NEIGHBORS
    from novacula.export.learners.networks import NETWORKS
    from novacula.export.learners.planes import PLANES
    from novacula.export.learners.prepared import PREPARED
    from novacula.export.learners.trees import TREES

    parts = (BAYES, CONSTANTS, ENSEMBLES, GRAPHS, KERNEL_MACHINES, NEIGHBORS, NETWORKS, PLANES, PREPARED, TREES)
    return {name: function for part in parts for name, function in part.items()}


def exportable() -> tuple[str, ...]:
    """The ids of the learners that some format can hold."""
    return tuple(sorted(_functions()))
