"""Junction trees: the running intersection, and every marginal against elimination and enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.graph.families import CategoricalFamily
from novacula.graph.inference.junction_tree import JunctionTree
from novacula.graph.network import Network

laws = settings(deadline=None)


@laws
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(1, 12))
def test_cliques_hold_families_and_form_a_tree_for_each_node(seed, n_nodes, random_network):
    network = random_network(seed, n_nodes)
    tree = JunctionTree(network)
    for factor in network.factors.values():
        assert any(set(factor.scope) <= set(clique) for clique in tree.cliques)
    for clique in tree.cliques:
        assert sum(set(clique) <= set(other) for other in tree.cliques) == 1
    for node in range(n_nodes):
        held = {k for k, clique in enumerate(tree.cliques) if node in clique}
        inside = sum(tree.parent[k] in held for k in held)
        assert inside == len(held) - 1  # connected: one edge less than cliques
    assert all(above < k for k, above in enumerate(tree.parent))


@laws
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(2, 7), zeros=st.booleans())
def test_marginals_equal_enumeration(seed, n_nodes, zeros, random_network, brute_force):
    network = random_network(seed, n_nodes, zeros=zeros)
    rng = np.random.default_rng(seed)
    names = rng.permutation(network.nodes).tolist()
    evidence = {name: network.states[name][0] for name in names[: rng.integers(0, n_nodes)]}
    calibrated = network.junction_tree.calibrate(evidence)
    total = brute_force(network, [], evidence).item()
    np.testing.assert_allclose(np.exp(calibrated.log_probability), total, rtol=1e-10)
    if total == 0.0:
        with pytest.raises(ParameterError, match="probability zero"):
            calibrated.marginals()
        return
    marginals = calibrated.marginals()
    assert set(marginals) == set(names) - set(evidence)
    for name, marginal in marginals.items():
        np.testing.assert_allclose(marginal.table, brute_force(network, [name], evidence) / total, atol=1e-12)
    if len(marginals) > 1:
        pair = list(marginals)[:2]
        np.testing.assert_allclose(
            calibrated.marginal(pair).table, brute_force(network, pair, evidence) / total, atol=1e-12
        )


def test_a_network_in_several_parts(brute_force):
    network = Network(
        (
            CategoricalFamily("a", (0, 1), (), [0.2, 0.8]),
            CategoricalFamily("b", (0, 1), (), [0.3, 0.7]),
            CategoricalFamily("c", (0, 1), ("b",), [[0.1, 0.9], [0.6, 0.4]]),
        )
    )
    calibrated = network.junction_tree.calibrate({"c": 1})
    np.testing.assert_allclose(calibrated.marginal(["b", "a"]).table, brute_force(network, ["b", "a"], {"c": 1}) / 0.55)
    assert np.exp(calibrated.log_probability) == pytest.approx(0.55)


def test_a_tree_whose_cliques_would_not_fit_is_refused():
    """A grid of 30 × 30 has cliques of about thirty nodes."""
    families, n = [], 30
    for i, j in np.ndindex(n, n):
        parents = [f"v{a}_{b}" for a, b in ((i - 1, j), (i, j - 1)) if min(a, b) >= 0]
        families.append(CategoricalFamily(f"v{i}_{j}", (0, 1), tuple(parents), np.full((2,) * (len(parents) + 1), 0.5)))
    network = Network(tuple(families))
    with pytest.raises(ParameterError, match=r"entries.*sample"):
        network.query("v0_0", {"v29_29": 0}, method="junction_tree")
    with pytest.raises(ParameterError, match=r"entries.*sample"):
        network.query("v0_0", {"v29_29": 0})
    estimate = network.query("v0_0", {"v29_29": 0}, method="likelihood_weighting", n_samples=500, random_state=0)
    assert abs(estimate[0] - 0.5) < 5.0 * estimate.std_error[0]
