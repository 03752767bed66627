"""Bayesian networks: the tables of 37 nodes counted from complete rows, and EM with a hidden node."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

STEPS = 20
MOST_PARENTS = 3


def framed(data: Data) -> Data:
    """The codes as a pandas frame of categories, which every contender is given."""
    import pandas as pd

    columns = {f"n{j:02}": categories(codes, codes.max() + 1) for j, codes in enumerate(data["codes"].T)}
    return {**data, "frame": pd.DataFrame(columns)}


def categories(codes: Any, size: int) -> Any:
    """Codes as a pandas categorical with states s0, s1, …, held as objects: PyBNesian takes no other strings."""
    import pandas as pd

    return pd.Categorical.from_codes(codes, pd.Index([f"s{k}" for k in range(size)], dtype=object))


def pgmpy_network(edges: Sequence[tuple[str, str]], nodes: Sequence[str], **options: Any) -> Any:
    """An empty network of pgmpy's, which says little while it works."""
    from pgmpy.models import DiscreteBayesianNetwork

    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    network = DiscreteBayesianNetwork(edges, **options)
    network.add_nodes_from(nodes)
    return network


def our_tables(model: Any) -> dict[str, Any]:
    """Axes in the order of names, that of the node itself included."""
    return {node: _by_name(family.table, (*family.parents, node)) for node, family in sorted(model.families_.items())}


def their_tables(cpds: Sequence[Any]) -> dict[str, Any]:
    """The same of pgmpy's tables, whose first axis is the node."""
    return {cpd.variable: _by_name(cpd.values, cpd.variables) for cpd in sorted(cpds, key=lambda cpd: cpd.variable)}


def _by_name(table: Any, names: Sequence[str]) -> Any:
    return table.transpose(sorted(range(len(names)), key=lambda axis: names[axis]))


def count(data: Data) -> dict[str, Any]:
    """One pass for all families."""
    from novacula.graph import BayesianNetwork

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # configurations that no row has
        return our_tables(BayesianNetwork(data["edges"]).fit(data["frame"]))


def pgmpy_count(data: Data) -> dict[str, Any]:
    """Maximum likelihood, family by family."""
    frame = data["frame"]
    network = pgmpy_network(data["edges"], list(frame))
    return their_tables(network.fit(frame).get_cpds())


def pybnesian_count(data: Data) -> Callable[[], dict[str, Any]]:
    """Maximum likelihood; it has no way to give its tables, so they are asked for, cell by cell, once it is done."""
    from pybnesian import DiscreteBN

    network = DiscreteBN(list(data["frame"]), [tuple(edge) for edge in data["edges"]])
    network.fit(data["frame"])
    return lambda: {node: cell_by_cell(network.cpd(node), data["frame"]) for node in sorted(network.nodes())}


def cell_by_cell(cpd: Any, frame: Any) -> Any:
    """The table of one of PyBNesian's families: the probability of a row for each of its cells."""
    import numpy as np
    import pandas as pd

    names = [*cpd.evidence(), cpd.variable()]
    shape = [len(frame[name].cat.categories) for name in names]
    cells = np.indices(shape).reshape(len(names), -1)
    rows = {name: categories(codes, size) for name, codes, size in zip(names, cells, shape, strict=True)}
    return _by_name(np.exp(cpd.logl(pd.DataFrame(rows))).reshape(shape), names)


class Tables(Race):
    """From a frame of categories to the tables of all nodes."""

    name = "network_tables"
    title = "Bayesian network, tables of 37 nodes"
    full = ({"rows": 1_000_000, "nodes": 37},)
    quick = ({"rows": 20_000, "nodes": 37},)

    def data(self, size: Size, folder: Path) -> Data:
        """Nodes of two to four states, each with up to three parents among those before it."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        n, d = size["rows"], size["nodes"]
        cards = rng.integers(2, 5, d)
        codes, edges = np.empty((n, d), np.int64), []
        for j in range(d):
            parents = np.sort(rng.permutation(j)[: rng.integers(0, MOST_PARENTS + 1)])
            edges += [(f"n{p:02}", f"n{j:02}") for p in parents.tolist()]
            place = np.zeros(n, np.int64)
            for parent in parents:
                place = place * cards[parent] + codes[:, parent]
            shares = rng.dirichlet(np.ones(cards[j]), place.max() + 1).cumsum(axis=1)[place]
            codes[:, j] = (rng.random((n, 1)) > shares[:, :-1]).sum(axis=1)
        return {"codes": codes, "edges": edges}

    def contenders(self) -> Sequence[Contender]:
        """The same frame for all."""
        return [
            Contender("Novacula", "novacula", count, framed),
            Contender("pgmpy", "pgmpy", pgmpy_count, framed, goal=1.0),
            Contender("PyBNesian", "pybnesian", pybnesian_count, framed, goal=1.0),
        ]

    def agree(self, ours: Mapping[str, Any], theirs: Any) -> Agreement:
        """The same probabilities."""
        return same_numbers(ours, theirs() if callable(theirs) else theirs, 1e-9)

    def limit(self, data: Data) -> Limit:
        """Read one byte per cell, and add once per family and row."""
        n, d = data["codes"].shape
        return Limit(n * d, n * d)


# --- a hidden node ------------------------------------------------------------------------------------------


def start_of(data: Data) -> dict[str, Any]:
    """The tables from which both climb."""
    import numpy as np

    return {name: np.array(table) for name, table in data["start"].items()}


def climb(data: Data) -> dict[str, Any]:
    """Rows that are equal are grouped; all steps from the same start."""
    from novacula.graph import BayesianNetwork

    start = start_of(data)
    model = BayesianNetwork(data["edges"], hidden={"H": start["H"].size}, init=start, max_iter=STEPS, tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the steps are not meant to converge
        return our_tables(model.fit(data["frame"]))


def pgmpy_climb(data: Data) -> dict[str, Any]:
    """From the same tables."""
    from pgmpy.estimators import ExpectationMaximization
    from pgmpy.factors.discrete import TabularCPD

    frame, start = data["frame"], start_of(data)
    network = pgmpy_network(data["edges"], list(frame), latents={"H"})
    card = start["H"].size
    states = {name: list(frame[name].cat.categories) for name in frame} | {"H": list(range(card))}
    cpds = {"H": TabularCPD("H", card, start["H"][:, None], state_names={"H": states["H"]})}
    for name in frame:
        named = {"H": states["H"], name: states[name]}
        cpds[name] = TabularCPD(name, len(states[name]), start[name].T, ["H"], [card], state_names=named)
    run = ExpectationMaximization(network, frame)
    found = run.get_parameters(
        latent_card={"H": card}, max_iter=STEPS, atol=0.0, init_cpds=cpds, n_jobs=1, show_progress=False
    )
    return their_tables(found)


class HiddenNode(Race):
    """Twenty steps of EM with one hidden cause of all columns."""

    name = "network_em"
    title = f"Bayesian network with a hidden node, {STEPS} iterations"
    full = ({"rows": 100_000, "nodes": 6, "states": 3},)
    quick = ({"rows": 2_000, "nodes": 3, "states": 2},)

    def data(self, size: Size, folder: Path) -> Data:
        """Columns that show the hidden state in two of three rows, and a start that is drawn."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        n, d, k = size["rows"], size["nodes"], size["states"]
        cause = rng.integers(0, k, n)
        noise = np.where(rng.random((n, d)) < 0.35, rng.integers(0, k, (n, d)), 0)
        start = {"H": rng.dirichlet(np.ones(k))} | {f"n{j:02}": rng.dirichlet(np.ones(k), k) for j in range(d)}
        edges = [("H", f"n{j:02}") for j in range(d)]
        plain = {name: table.tolist() for name, table in start.items()}  # data are kept as arrays and JSON
        return {"codes": (cause[:, None] + noise) % k, "edges": edges, "start": plain}

    def contenders(self) -> Sequence[Contender]:
        """The same frame and the same start for both."""
        return [
            Contender("Novacula", "novacula", climb, framed),
            Contender("pgmpy", "pgmpy", pgmpy_climb, framed, goal=50.0),
        ]

    def agree(self, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Agreement:
        """The same tables; pgmpy makes fewer steps once no entry changes by more than 1e-5 of itself."""
        return same_numbers(ours, theirs, 1e-4)

    def limit(self, data: Data) -> Limit:
        """Read the rows once to group them; a step sums the hidden states of each distinct row."""
        n, d = data["codes"].shape
        k = len(data["start"]["H"])
        return Limit(n * d, STEPS * float(k) ** (d + 1) * d)
