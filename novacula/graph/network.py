"""A Bayesian network whose parameters are known: a graph and one family per node, which answer queries.

    P(x₁, …, xₙ) = Π P(xᵢ | parents of xᵢ)

A `Network` is written by hand, read from a BIF file, or learned by `BayesianNetwork`, which holds one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.families import CategoricalFamily, Family, GaussianFamily, lines_of, tables_of
from novacula.graph.inference.distribution import Distribution, Estimate, MeanEstimate
from novacula.graph.inference.elimination import EliminationPlan, eliminate
from novacula.graph.inference.evidence import NodeEvidence
from novacula.graph.inference.factor import DiscreteFactor
from novacula.graph.inference.junction_tree import JunctionTree
from novacula.graph.inference.normal import NormalMixture
from novacula.graph.inference.queries import answer, best_assignment
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Variables
from novacula.table.chunk import Floats
from novacula.words import listed
from novacula.writing import replace_file

if TYPE_CHECKING:
    from novacula.learner.figure import Figure


@dataclass(frozen=True)
class Network:
    """A Bayesian network: families in any order, kept with parents first.

    >>> network = Network((
    ...     CategoricalFamily("Rain", ("yes", "no"), (), [0.2, 0.8]),
    ...     CategoricalFamily("Sprinkler", ("on", "off"), ("Rain",), [[0.01, 0.99], [0.4, 0.6]]),
    ...     CategoricalFamily("Grass", ("wet", "dry"), ("Sprinkler", "Rain"),
    ...                       [[[0.99, 0.01], [0.9, 0.1]], [[0.8, 0.2], [0.0, 1.0]]]),
    ... ))
    >>> network.query("Rain", {"Grass": "wet"})
    Rain  P
    yes   0.357688
    no    0.642312
    >>> network.map_query(evidence={"Grass": "wet"})
    {'Rain': 'no', 'Sprinkler': 'on'}
    >>> round(network.probability({"Grass": "wet"}), 5)
    0.44838
    """

    families: tuple[Family, ...]

    def __post_init__(self) -> None:
        if not self.families:
            raise ParameterError("a network needs a node: give at least one family")
        by_name: dict[str, Family] = {}
        for family in self.families:
            if family.node in by_name:
                raise ParameterError(f"node {family.node!r} has two families: give one")
            by_name[family.node] = family
        for family in by_name.values():
            _check_parents(family, by_name)
        dag = Dag.of({name: family.all_parents for name, family in by_name.items()})
        object.__setattr__(self, "families", tuple(by_name[name] for name in dag.nodes))

    def __getitem__(self, node: str) -> Family:
        """The family of a node."""
        return self.families[self._place(node)]

    @cached_property
    def dag(self) -> Dag:
        """The graph: d-separation, ancestors, Markov blankets."""
        return Dag({family.node: family.all_parents for family in self.families})

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, parents first."""
        return tuple(family.node for family in self.families)

    @cached_property
    def states(self) -> dict[str, tuple[Any, ...]]:
        """The states of each discrete node."""
        return {family.node: family.states for family in self.families if family.states}

    @property
    def n_parameters(self) -> int:
        """Parameters of all families."""
        return sum(family.n_parameters for family in self.families)

    # --- asked ----------------------------------------------------------------------------------------------

    def query(
        self,
        variables: str | Sequence[str],
        evidence: Mapping[str, Any] | None = None,
        *,
        method: str = "elimination",
        **options: Any,
    ) -> Distribution | NormalMixture | Estimate | MeanEstimate:
        """P(variables | evidence): of discrete nodes a table, of continuous ones a mixture of normal densities.

        `method` is exact with "elimination" and "junction_tree". With "likelihood_weighting" (`n_samples`,
        `random_state`) and "gibbs" (also `n_chains`, `burn_in`) it samples, and gives standard errors.
        """
        node_evidence = self.read_evidence(evidence)
        return answer(self, self.query_places(variables, node_evidence), node_evidence, method, options)

    def map_query(
        self, variables: str | Sequence[str] | None = None, evidence: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The most probable states of discrete nodes, jointly; of all that are not given, unless some are named.

        Nodes that are neither named nor given are summed out. Of assignments that are equally probable, one is
        given: node by node the first state, in the order of states, that belongs to one of them.
        """
        node_evidence = self.read_evidence(evidence)
        free = [node for node in self.factors if node not in node_evidence.codes]
        nodes = free if variables is None else self.query_places(variables, node_evidence)
        codes = best_assignment(self, nodes, node_evidence)
        return {self.nodes[node]: self.states[self.nodes[node]][codes[node]] for node in nodes}

    def log_probability(self, evidence: Mapping[str, Any]) -> float:
        """log P(evidence), a density where continuous nodes are given; −∞ if it cannot be."""
        return float(eliminate(self, (), self.read_evidence(evidence)).table)

    def probability(self, evidence: Mapping[str, Any]) -> float:
        """P(evidence), which is 0 if it cannot be."""
        return math.exp(self.log_probability(evidence))

    def log_likelihood(self, rows: Any) -> float:
        """Σ log P(row) over the rows of a frame whose columns are nodes; what is missing is summed out."""
        from novacula.graph.inference.likelihood import log_likelihood

        return log_likelihood(self, rows)

    def sample(self, n: int, random_state: Any = None) -> Any:
        """Rows drawn from the network, parents first, as a PyArrow table that `novacula.read` takes."""
        from novacula.graph.inference.sampling import sample

        return sample(self, n, random_state)

    # --- kept -----------------------------------------------------------------------------------------------

    @classmethod
    def from_bif(cls, path: str | os.PathLike[str]) -> Self:
        """A network from a file in the Bayesian interchange format; see `novacula.graph.files.bif`."""
        from novacula.graph.files.bif import read_bif

        return cls(read_bif(path))

    def to_bif(self, path: str | os.PathLike[str]) -> None:
        """Write a discrete network to a file in the Bayesian interchange format, all digits kept."""
        from novacula.graph.files.bif_writer import bif_text

        replace_file(path, bif_text(self).encode())

    def plot(self, evidence: Iterable[str] = (), title: str = "") -> Figure:
        """The graph in layers, parents above their children; nodes named in `evidence` are shaded."""
        from novacula.graph.drawing.figure import network_figure

        return network_figure(self.dag, evidence, title)

    # --- compiled once --------------------------------------------------------------------------------------

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each node among the families."""
        return {family.node: i for i, family in enumerate(self.families)}

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """How many states each node has, 0 for a continuous one."""
        return tuple(len(self.states.get(family.node, ())) for family in self.families)

    @cached_property
    def variables(self) -> Variables:
        """The nodes by kind, as engines for rows take them."""
        return Variables.of_families(self.families, ())

    @cached_property
    def parent_places(self) -> tuple[tuple[int, ...], ...]:
        """The places of the parents of each node, in their order."""
        return tuple(tuple(self.index[parent] for parent in family.all_parents) for family in self.families)

    @cached_property
    def lines(self) -> dict[str, GaussianFamily]:
        """The families of the continuous nodes."""
        return lines_of({family.node: family for family in self.families})

    @cached_property
    def factors(self) -> dict[int, DiscreteFactor]:
        """P(node | parents) of each discrete node."""
        return {
            i: DiscreteFactor.of((*self.parent_places[i], i), family.table)
            for i, family in tables_of(dict(enumerate(self.families))).items()
        }

    @cached_property
    def log_factors(self) -> dict[int, DiscreteFactor]:
        """log P(node | parents) of each discrete node."""
        with np.errstate(divide="ignore"):
            return {i: DiscreteFactor(factor.scope, np.log(factor.table)) for i, factor in self.factors.items()}

    @cached_property
    def plans(self) -> dict[Any, EliminationPlan]:
        """The orders of elimination that were found so far, by what is asked and given."""
        return {}

    @cached_property
    def junction_tree(self) -> JunctionTree:
        """The tree of cliques, built once."""
        return JunctionTree(self)

    def ancestral(self, places: Iterable[int]) -> set[int]:
        """These nodes and all from which a path leads to them: the others say nothing, and are left out."""
        ancestors: set[int] = set()
        waiting = list(places)
        while waiting:
            place = waiting.pop()
            if place not in ancestors:
                ancestors.add(place)
                waiting += self.parent_places[place]
        return ancestors

    def read_evidence(self, evidence: Mapping[str, Any] | None) -> NodeEvidence:
        """States as codes and values as floats, each checked."""
        codes, values = {}, {}
        for node, value in (evidence or {}).items():
            place = self._place(node)
            family = self.families[place]
            if isinstance(family, CategoricalFamily):
                codes[place] = family.code(value)
            else:
                values[place] = family.number(value)
        return NodeEvidence(codes, values)

    def query_places(self, variables: str | Sequence[str], evidence: NodeEvidence) -> tuple[int, ...]:
        """The places of the nodes that a query asks for, checked."""
        names = (variables,) if isinstance(variables, str) else tuple(variables)
        if not names or len(set(names)) < len(names):
            raise ParameterError(f"a query asks for one node or for several different ones, not for {variables!r}")
        places = tuple(map(self._place, names))
        for name, place in zip(names, places, strict=True):
            if place in evidence.codes or place in evidence.values:
                raise ParameterError(f"node {name!r} is both a variable of the query and evidence: leave it out of one")
        return places

    def distribution(self, places: Sequence[int], table: Floats) -> Distribution:
        """A table of probabilities under the names of its nodes."""
        names = tuple(self.families[place].node for place in places)
        return Distribution(names, tuple(self.states[name] for name in names), table)

    def _place(self, node: str) -> int:
        try:
            return self.index[node]
        except (KeyError, TypeError):
            raise ParameterError(f"there is no node {node!r}: the nodes are {listed(self.index)}") from None


def _check_parents(family: Family, by_name: Mapping[str, Family]) -> None:
    """Parents must be there, of the right kind, and have as many states as the family says."""
    for parent in family.all_parents:
        if parent not in by_name:
            raise ParameterError(f"the parent {parent!r} of {family.node!r} has no family: give it one")
    for parent, card in zip(family.parents, family.cards, strict=True):
        above = by_name[parent]
        if not above.states:
            problem = (
                "a discrete node cannot depend on a continuous one in a conditional linear Gaussian network: turn the "
                "edge round, or cut the parent into intervals"
                if family.states
                else "a continuous parent belongs among the regressors"
            )
            raise ParameterError(f"the parent {parent!r} of {family.node!r} is continuous: {problem}")
        if len(above.states) != card:
            raise ParameterError(
                f"the table of {family.node!r} has {card} rows for {parent!r}, which has {len(above.states)} states"
            )
    for parent in family.all_parents[len(family.parents) :]:
        if by_name[parent].states:
            raise ParameterError(
                f"the regressor {parent!r} of {family.node!r} is discrete: name it among the parents instead"
            )
