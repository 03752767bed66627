"""How many numbers the tables of a network hold, told from its graph alone.

    q = Σ over nodes of (states − 1) · Π states of its parents

A hidden cause makes tables small: without it each of its effects hangs on all of its causes, and on each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

from novacula.errors import ParameterError
from novacula.graph.structure.dag import Dag
from novacula.learner.figure import Figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.words import quoted


@dataclass(frozen=True)
class ParameterCounts(ShowsWork):
    """The numbers to learn of each node of a graph whose nodes have so many states; `parameter_counts` gives it."""

    dag: Dag
    states: Mapping[str, int]

    @property
    def by_node(self) -> dict[str, int]:
        """(states − 1) · Π states of the parents, of each node, parents first."""
        return {
            node: (self.states[node] - 1) * math.prod(self.states[parent] for parent in parents)
            for node, parents in self.dag.parents.items()
        }

    @property
    def total(self) -> int:
        """Of all nodes together."""
        return sum(self.by_node.values())

    def without(self, node: str) -> Self:
        """The counts after a node is summed out: its children take its parents, and each the children before it."""
        if node not in self.dag.nodes:
            raise ParameterError(f"there is no node {quoted(node)} to leave out")
        parents = {name: [*above] for name, above in self.dag.parents.items()}
        inherited, earlier = parents[node], list[str]()
        for child in (name for name in self.dag.nodes if node in self.dag.parents[name]):
            own = [parent for parent in parents[child] if parent != node]
            parents[child] = list(dict.fromkeys([*inherited, *earlier, *own]))
            inherited = list(dict.fromkeys([*inherited, *own]))
            earlier.append(child)
        left = {name: above for name, above in parents.items() if name != node}
        return type(self)(Dag.of(left), {name: count for name, count in self.states.items() if name != node})

    def plot(self) -> Figure:
        """The graph."""
        from novacula.graph.drawing.figure import network_figure

        return network_figure(self.dag)

    def _derive(self, options: WorkOptions) -> Work:
        equations, rows = list[Equation](), list[tuple[str, str, int]]()
        for node, parents in self.dag.parents.items():
            name, count = word(node), self.by_node[node]
            values: dict[str, Any] = {f"r[{name}]": self.states[node]}
            right = f"(r[{name}] - 1)"
            if parents:
                right += " * product(r[u] for u in _)"
                values["r[u]"] = {parent: self.states[parent] for parent in parents}
            meaning = {f"r[{name}]": f"states of {node}"} if not equations else {}
            equations.append(Equation(f"q[{name}]", right, values, ("by_node", node), meaning))
            rows.append((node, ", ".join(parents), count))
        total = Equation("q", "sum(q[v] for v in _)", {"q[v]": self.by_node}, ("total",), therefore=True)
        table = WorkTable(("node", "parents", "⟦q⟧"), tuple(rows))
        steps = [Step("Each node", tuple(equations), table=table, figure=self.plot()), Step("Together", total)]
        return Work("Numbers to learn", steps)


def parameter_counts(edges: Any, states: int | Mapping[str, int] = 2) -> ParameterCounts:
    """The numbers to learn of a graph, without any table.

    Parameters
    ----------
    edges : list of (parent, child), or dict node → parents
    states : how many states each node has, one number for all or by node

    >>> causes = ["Smoking", "Diet", "Exercise"]
    >>> graph = {"HeartDisease": causes} | {f"Symptom{i}": ["HeartDisease"] for i in (1, 2, 3)}
    >>> heart = parameter_counts(graph, 3)
    >>> heart.total, heart.without("HeartDisease").total
    (78, 708)
    """
    dag = Dag.of(edges)
    named = dict(states) if isinstance(states, Mapping) else dict.fromkeys(dag.nodes, states)
    for node in dag.nodes:
        count = named.get(node)
        if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
            raise ParameterError(f"{quoted(node)} has {quoted(count)} states; give a whole number of at least 1")
    if strange := [node for node in named if node not in dag.nodes]:
        raise ParameterError(f"states names {quoted(strange[0])}, which is no node")
    return ParameterCounts(dag, {node: int(named[node]) for node in dag.nodes})
