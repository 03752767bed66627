"""Where EM begins: given families, what the known cells say, and chance where nothing was ever seen.

A hidden node whose states all begin alike stays so for ever, since every step treats them alike. So tables that touch
a hidden node are drawn at random, and several starts differ from each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.families import CategoricalFamily, Family, GaussianFamily
from novacula.graph.learning.estimates import FamilySolver, TablePrior
from novacula.graph.learning.family_counts import FamilyCounts
from novacula.graph.network import Network
from novacula.graph.variables import Variables
from novacula.words import listed, quoted


@dataclass(frozen=True)
class NetworkStarts:
    """Gives the start number 0, 1, …; `seen` holds the families whose cells were known."""

    solver: FamilySolver
    family_counts: FamilyCounts
    given: Mapping[str, Family]
    seeds: tuple[int, ...]

    def __call__(self, number: int) -> dict[str, Family]:
        """Families in the order of the graph; later starts are further from what was seen."""
        rng = np.random.default_rng(self.seeds[number])
        # One row of prior knowledge keeps every entry above 0: from 0 no step leads away.
        solver = replace(self.solver, prior=TablePrior(m=1.0), allowed={})
        families = solver.families(self.family_counts)
        for node, family in families.items():
            hidden = any(name in self.solver.variables.hidden for name in (node, *family.parents))
            if node in self.given:
                families[node] = self.given[node]
            elif isinstance(family, CategoricalFamily):
                families[node] = _drawn_table(family, 1.0 if hidden else 0.5 * (number > 0), rng)
            else:
                place = self.solver.variables.place[node]
                width = float(np.sqrt(self.solver.column_variance[place]))
                families[node] = _drawn_line(family, width * (1.0 if hidden else 0.5 * (number > 0)), rng)
        return families


def _drawn_table(family: CategoricalFamily, share: float, rng: np.random.Generator) -> CategoricalFamily:
    """The table with a share of each row drawn evenly from all distributions."""
    shape = family.table.shape
    drawn = rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])
    return CategoricalFamily(family.node, family.states, family.parents, (1.0 - share) * family.table + share * drawn)


def _drawn_line(family: GaussianFamily, width: float, rng: np.random.Generator) -> GaussianFamily:
    """The line moved up or down by chance."""
    moved = family.intercept + width * rng.standard_normal(family.intercept.shape)
    return GaussianFamily(family.node, family.parents, family.regressors, moved, family.weights, family.variance)


def given_families(init: Any, parents: Mapping[str, tuple[str, ...]], variables: Variables) -> dict[str, Family]:
    """The families that a user gave to start from, their states and parents put into our order."""
    if init is None:
        return {}
    pairs: Iterable[tuple[str, Any]]
    if isinstance(init, Network):
        pairs = [(family.node, family) for family in init.families]
    elif isinstance(init, Mapping):
        pairs = init.items()
    else:
        pairs = [(getattr(family, "node", ""), family) for family in init]
    named = list(pairs)
    theirs = {node: value.states for node, value in named if isinstance(value, CategoricalFamily)}
    return {node: _aligned(node, value, parents, variables, theirs) for node, value in named}


def _aligned(
    node: str,
    value: Any,
    parents: Mapping[str, tuple[str, ...]],
    variables: Variables,
    theirs: Mapping[str, tuple[Any, ...]],
) -> Family:
    """A given family, or a table in our own order, with its axes turned to our order of parents and states."""
    if node not in parents:
        raise ParameterError(f"init has a family of {node!r}, which is not a node of the network")
    own = parents[node]
    if node in variables.states:
        family = value
        if not isinstance(value, CategoricalFamily):
            table = _by_state(value, node, (*own, node), variables) if isinstance(value, Mapping) else value
            family = CategoricalFamily(node, variables.states[node], own, table)
        _require_parents(node, family.parents, own)
        table = family.table.transpose(*(family.parents.index(parent) for parent in own), -1)
        return CategoricalFamily(node, variables.states[node], own, _turned(table, (*own, node), variables, theirs))
    above = tuple(parent for parent in own if parent in variables.states)
    if not isinstance(value, GaussianFamily):
        raise ParameterError(f"init must give the continuous node {node!r} a GaussianFamily, not {value!r}")
    _require_parents(node, value.all_parents, own)
    if not (value.variance > 0.0).all():
        raise ParameterError(f"init gives {node!r} a variance of 0, from which no step leads away: give one above 0")
    along = tuple(parent for parent in own if parent not in variables.states)
    axes = [value.parents.index(parent) for parent in above]
    weights = value.weights.transpose(*axes, -1)[..., [value.regressors.index(parent) for parent in along]]
    turned = (
        _turned(part, above, variables, theirs)
        for part in (value.intercept.transpose(axes), weights, value.variance.transpose(axes))
    )
    return GaussianFamily(node, above, along, *turned)


def _by_state(value: Any, node: str, axes: tuple[str, ...], variables: Variables) -> Any:
    """A table given by states, first those of the parents, then those of the node, as lists in our order."""
    if not axes:
        return value
    states = variables.states[axes[0]]
    if not isinstance(value, Mapping) or set(value) != set(states):
        found = f"{listed(value)}" if isinstance(value, Mapping) else quoted(value)
        raise ParameterError(
            f"init of {quoted(node)} has {found} where the states of {quoted(axes[0])} should be: {listed(states)}"
        )
    return [_by_state(value[state], node, axes[1:], variables) for state in states]


def _require_parents(node: str, given: tuple[str, ...], own: tuple[str, ...]) -> None:
    if set(given) != set(own):
        raise ParameterError(f"init gives {node!r} the parents {given}, but its edges say {own}")


def _turned(array: Any, names: tuple[str, ...], variables: Variables, theirs: Mapping[str, tuple[Any, ...]]) -> Any:
    """An array with one axis per name, the states of each put into our order."""
    for axis, name in enumerate(names):
        ours = variables.states[name]
        states = theirs.get(name, ours)
        if set(states) != set(ours):
            raise ParameterError(f"init gives {name!r} the states {list(states)}, but the rows have {list(ours)}")
        if array.shape[axis] != len(ours):
            raise ParameterError(f"init has {array.shape[axis]} rows for the {len(ours)} states of {name!r}")
        array = np.take(array, [states.index(state) for state in ours], axis=axis)
    return array
