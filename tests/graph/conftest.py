"""Networks drawn at random, and an oracle that multiplies the whole joint distribution out, state by state."""

import itertools

import numpy as np
import pytest

from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.network import Network


def _random_network(seed, n_nodes, max_parents=3, zeros=False):
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 4, n_nodes)
    names = [f"v{i}" for i in rng.permutation(n_nodes)]
    families = []
    for i, name in enumerate(names):
        above = rng.permutation(i)[: rng.integers(0, min(i, max_parents) + 1)]
        table = rng.dirichlet(np.ones(cards[i]), size=tuple(cards[above]))
        if zeros:
            table = np.where(rng.random(table.shape) < 0.3, 0.0, table)
            table[..., 0] += table.sum(axis=-1) == 0.0
            table /= table.sum(axis=-1, keepdims=True)
        states = tuple(f"s{k}" for k in range(cards[i]))
        families.append(CategoricalFamily(name, states, tuple(names[j] for j in above), table))
    return Network(tuple(families[i] for i in rng.permutation(n_nodes)))


def _joint(network, evidence):
    """P(assignment) of every assignment that agrees with the evidence, by tuples of codes in the order of nodes."""
    place = {name: i for i, name in enumerate(network.nodes)}
    choices = [
        [k for k, state in enumerate(family.states) if evidence.get(family.node, state) == state]
        for family in network.families
    ]
    joint = {}
    for codes in itertools.product(*choices):
        p = 1.0
        for family, code in zip(network.families, codes, strict=True):
            p *= family.table[(*(codes[place[parent]] for parent in family.parents), code)]
        joint[codes] = p
    return joint


def _brute_force(network, variables, evidence):
    """P(variables, evidence) as a table."""
    at = [network.nodes.index(name) for name in variables]
    table = np.zeros([len(network[name].states) for name in variables])
    for codes, p in _joint(network, evidence).items():
        table[tuple(codes[i] for i in at)] += p
    return table


def _mixed_network(seed):
    """Three discrete nodes and five continuous ones, some with parents of both kinds."""
    rng = np.random.default_rng(seed)
    names, cards = ["a", "b", "c"], dict(zip("abc", rng.integers(2, 4, 3).tolist(), strict=True))
    families = []
    for i, name in enumerate(names):
        above = tuple(n for n in names[:i] if rng.random() < 0.6)
        table = rng.dirichlet(np.ones(cards[name]), size=tuple(cards[n] for n in above))
        families.append(CategoricalFamily(name, tuple(range(cards[name])), above, table))
    continuous = ["u", "v", "w", "x", "y"]
    for i, name in enumerate(continuous):
        above = tuple(n for n in names if rng.random() < 0.4)
        regressors = tuple(n for n in continuous[:i] if rng.random() < 0.5)
        shape = tuple(cards[n] for n in above)
        families.append(
            GaussianFamily(
                name,
                above,
                regressors,
                rng.normal(size=shape),
                rng.normal(size=(*shape, len(regressors))),
                rng.uniform(0.2, 2.0, size=shape),
            )
        )
    return Network(tuple(families))


@pytest.fixture(scope="session")
def random_network():
    return _random_network


@pytest.fixture(scope="session")
def mixed_network():
    return _mixed_network


@pytest.fixture(scope="session")
def joint():
    return _joint


@pytest.fixture(scope="session")
def brute_force():
    return _brute_force


@pytest.fixture(scope="session")
def asia():
    """The chest clinic of Lauritzen and Spiegelhalter (1988)."""
    yes = ("yes", "no")
    return Network(
        (
            CategoricalFamily("asia", yes, (), [0.01, 0.99]),
            CategoricalFamily("tub", yes, ("asia",), [[0.05, 0.95], [0.01, 0.99]]),
            CategoricalFamily("smoke", yes, (), [0.5, 0.5]),
            CategoricalFamily("lung", yes, ("smoke",), [[0.1, 0.9], [0.01, 0.99]]),
            CategoricalFamily("bronc", yes, ("smoke",), [[0.6, 0.4], [0.3, 0.7]]),
            CategoricalFamily("either", yes, ("lung", "tub"), [[[1, 0], [1, 0]], [[1, 0], [0, 1]]]),
            CategoricalFamily("xray", yes, ("either",), [[0.98, 0.02], [0.05, 0.95]]),
            CategoricalFamily("dysp", yes, ("bronc", "either"), [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.1, 0.9]]]),
        )
    )
