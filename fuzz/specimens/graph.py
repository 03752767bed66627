"""Networks and chains: given and learned, with gaps and hidden nodes, of every covariance and kind of column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.checks.samples import sample
from novacula.graph import (
    BayesianNetwork,
    BayesianNetworkClassifier,
    CategoricalHMM,
    GaussianHMM,
    LinearGaussian,
    PoissonHMM,
)


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    yield from networks()
    yield from chains()
    few = sample(LinearGaussian.card, n=3)
    yield "line-few-rows", LinearGaussian(), few.X, few.target


def networks() -> Iterator[tuple[str, Any, Any, Any]]:
    """Tables and lines, of complete rows and of rows with gaps, as they were counted or climbed to."""
    mixed = mixed_rows(np.random.default_rng(0), 40)
    edges = [("a", "b"), ("b", "u"), ("u", "v"), ("a", "v"), ("v", "w"), ("y", "a")]
    gaps = mixed.set_column(0, "a", pa.array([None if i % 5 == 0 else v for i, v in enumerate(mixed["a"].to_pylist())]))
    words = ["yes" if i % 3 else "no" for i in range(len(mixed))]
    yield "network-edges", BayesianNetwork(edges, m=1.0), mixed, words
    yield "network-target", BayesianNetwork([("y", "a"), ("a", "u")], m="laplace"), mixed, words
    yield "network-number", BayesianNetwork([("a", "y"), ("u", "y")]), mixed, np.arange(len(mixed)) / 7.0
    yield "network-gaps", BayesianNetwork(edges, m=1.0, n_init=2, max_iter=5), gaps, words
    hidden = BayesianNetwork([("h", "a"), ("h", "y"), ("h", "u")], hidden={"h": 2}, max_iter=5, m=1.0)
    yield "network-hidden", hidden, mixed, words
    for structure in ("naive", "hill_climb"):
        learner = BayesianNetworkClassifier(structure, equivalent_sample_size=2.0, m=0.0)
        yield f"network-{structure}", learner, mixed, words
    given = BayesianNetwork(edges[:-1], m=1.0).fit(mixed).network_
    yield "network-given", BayesianNetwork.from_network(given), mixed, None
    yield "network-classes-gaps", BayesianNetworkClassifier(max_iter=5), gaps, [*"abc" * 13, "a"]


def chains() -> Iterator[tuple[str, Any, Any, Any]]:
    """Hidden Markov models whose states are known or not, of one column and several."""
    rng = np.random.default_rng(0)
    numbers = np.repeat([[0.0, 1.0], [5.0, 3.0], [1.0, 8.0]], 10, axis=0) + rng.normal(size=(30, 2))
    numbers[3, 1] = np.nan
    for kind in ("full", "tied", "diag", "spherical"):
        yield f"chain-{kind}", GaussianHMM(3, covariance_type=kind, max_iter=5), numbers, None
    yield "chain-one-column", GaussianHMM(2, m=1.0, n_init=2, max_iter=5), numbers[:, :1], None
    yield "chain-known", GaussianHMM(), numbers, np.repeat(["low", "mid", "high"], 10)
    counts = rng.poisson(np.repeat([1.0, 9.0], 15)[:, None] * [1.0, 3.0]).astype(float)
    yield "chain-counts", PoissonHMM(3, m=0.5, n_init=2, max_iter=5), counts, None
    yield "chain-counts-known", PoissonHMM(), counts[:, :1], np.repeat(["few", "many"], 15)
    symbols = rng.integers(0, 3, (30, 2))
    yield "chain-symbols", CategoricalHMM(3, m=1.0, max_iter=5, init={"start": [1.0, 0.0, 0.0]}), symbols, None
    yield "chain-words", CategoricalHMM(max_iter=5), np.array(["sun", "rain"])[symbols[:, :1] % 2], None
    even = [[0.5, 0.5], [0.25, 0.75]]
    yield "chain-symbols-given", CategoricalHMM.from_parameters([1.0, 0.0], even, even), symbols[:, :1] % 2, None
    given = GaussianHMM.from_parameters([0.5, 0.5], even, [[0.0], [1.0]], [1.0, 2.0], covariance_type="spherical")
    yield "chain-numbers-given", given, numbers[:, :1], None
    mask = [[True, True, False], [False, True, True], [True, False, True]]
    yield "chain-masked", CategoricalHMM(3, transition_mask=mask, max_iter=5), symbols[:, :1], None


def mixed_rows(rng: np.random.Generator, n: int) -> pa.Table:
    """Two columns of words and three of numbers, which depend on each other."""
    a, b = rng.integers(0, 3, n), rng.integers(0, 2, n)
    u = b + rng.normal(size=n)
    v = a + 0.5 * u + rng.normal(size=n)
    w = v + rng.normal(size=n)
    words = {"a": np.array(["x", "y", "z"])[a], "b": np.array(["no", "yes"])[b]}
    return pa.table(words | {"u": u, "v": v, "w": w})
