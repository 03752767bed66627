"""Queries of a Bayesian network of alarm's shape: posteriors of single nodes given a few others."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

NODES, STATES, PARENTS, WINDOW, GIVEN = 37, 3, 2, 6, 4


def our_network(data: Data) -> tuple[Any, Data]:
    """The network as ours."""
    from novacula.graph import CategoricalFamily, Network

    states = tuple(range(STATES))
    families = [
        CategoricalFamily(f"v{i}", states, tuple(f"v{j}" for j in parents), data[f"table{i}"])
        for i, parents in enumerate(data["parents"])
    ]
    return Network(tuple(families)), data


def questions(data: Data) -> list[tuple[str, dict[str, int]]]:
    """The node that each query asks for, and the states that it is given."""
    return [
        (f"v{asked}", {f"v{node}": int(state) for node, state in zip(nodes, states, strict=True)})
        for asked, nodes, states in zip(data["asked"], data["given"], data["states"], strict=True)
    ]


def answers(data: Data, one: Any) -> dict[str, Any]:
    """The probabilities of all queries, one row each."""
    import numpy as np

    return {"posteriors": np.array([one(asked, evidence) for asked, evidence in questions(data)])}


def by_elimination(ready: tuple[Any, Data]) -> dict[str, Any]:
    """Min-fill elimination; what is done is planned at the first query of a kind."""
    network, data = ready
    return answers(data, lambda asked, evidence: network.query(asked, evidence).table)


def pgmpy_model(data: Data) -> tuple[Any, Data]:
    """The network as pgmpy's."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork()
    model.add_nodes_from([f"v{i}" for i in range(NODES)])
    for i, parents in enumerate(data["parents"]):
        names = [f"v{j}" for j in parents]
        model.add_edges_from([(name, f"v{i}") for name in names])
        columns = data[f"table{i}"].reshape(-1, STATES).T
        model.add_cpds(TabularCPD(f"v{i}", STATES, columns, evidence=names, evidence_card=[STATES] * len(names)))
    return model, data


def by_pgmpy(ready: tuple[Any, Data]) -> dict[str, Any]:
    """Its VariableElimination, in its default order."""
    from pgmpy.inference import VariableElimination

    model, data = ready
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine = VariableElimination(model)
        return answers(
            data, lambda asked, evidence: engine.query([asked], evidence=evidence, show_progress=False).values
        )


class Queries(Race):
    """From evidence to posteriors, the network being there."""

    name = "network_queries"
    title = "Bayesian network queries"
    full = ({"queries": 1000},)
    quick = ({"queries": 100},)

    def data(self, size: Size, folder: Path) -> Data:
        """Nodes with parents among the few before them, tables at random, and evidence that is always possible."""
        import numpy as np

        rng = np.random.default_rng(0)
        parents = [
            sorted(int(j) for j in rng.choice(range(max(0, i - WINDOW), i), min(i, PARENTS), replace=False))
            for i in range(NODES)
        ]
        tables = {
            f"table{i}": rng.dirichlet(np.ones(STATES), size=(STATES,) * len(above)) for i, above in enumerate(parents)
        }
        picked = np.array([rng.choice(NODES, GIVEN + 1, replace=False) for _ in range(size["queries"])])
        states = rng.integers(0, STATES, (size["queries"], GIVEN))
        return {"parents": parents, "asked": picked[:, 0], "given": picked[:, 1:], "states": states, **tables}

    def contenders(self) -> Sequence[Contender]:
        """Each makes its network before the clock starts."""
        return [
            Contender("Novacula", "novacula", by_elimination, our_network),
            Contender("pgmpy VariableElimination", "pgmpy", by_pgmpy, pgmpy_model, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same posteriors."""
        return same_numbers(ours, theirs, 1e-9)

    def limit(self, data: Data) -> Limit:
        """Read every table once per query."""
        tables = sum(table.nbytes for name, table in data.items() if name.startswith("table"))
        return Limit(len(data["asked"]) * tables)
