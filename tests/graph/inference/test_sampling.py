"""Sampling: forward draws against the joint, weighted draws and Gibbs chains against exact answers, within errors."""

import numpy as np
import pytest

import novacula as nv
from novacula.errors import DataWarning, ParameterError
from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.network import Network

SAMPLERS = ("likelihood_weighting", "gibbs")
FAR = 4.5
"""Standard errors within which seeded estimates must be."""


def test_shares_of_forward_draws_are_the_joint(random_network, brute_force):
    network, n = random_network(3, 4), 40_000
    rows = network.sample(n, random_state=0)
    assert rows.column_names == list(network.nodes)
    table = brute_force(network, network.nodes, {})
    counts = np.zeros(table.shape)
    codes = [[network.states[name].index(v) for v in rows[name].to_pylist()] for name in network.nodes]
    np.add.at(counts, tuple(codes), 1.0)
    assert (np.abs(counts / n - table) <= FAR * np.sqrt(table * (1 - table) / n) + 1e-12).all()


def test_continuous_draws_have_the_moments_of_the_network(mixed_network):
    network, n = mixed_network(5), 40_000
    names = [name for name in network.nodes if name not in network.states]
    exact, rows = network.query(names), network.sample(n, random_state=1)
    x = np.column_stack([rows[name].to_numpy() for name in names])
    assert (np.abs(x.mean(axis=0) - exact.mean) < FAR * exact.std / np.sqrt(n)).all()
    np.testing.assert_allclose(np.cov(x.T), exact.cov, atol=0.05 * exact.cov.max())


def test_draws_are_seeded_and_can_be_read(asia):
    rows = asia.sample(200, random_state=7)
    assert rows.equals(asia.sample(200, random_state=7))
    assert not rows.equals(asia.sample(200, random_state=8))
    assert len(nv.read(rows)) == 200
    assert asia.sample(0, random_state=0).num_rows == 0
    with pytest.raises(ParameterError, match="n is -1: it must be a whole number of at least 0"):
        asia.sample(-1)


def test_impossible_states_are_never_drawn():
    network = Network((CategoricalFamily("a", (0, 1, 2, 3), (), [0.0, 0.3, 0.7, 0.0]),))
    assert set(network.sample(20_000, random_state=0)["a"].to_pylist()) == {1, 2}


def test_columns_are_of_the_states_type():
    network = Network(
        (CategoricalFamily("a", (True, False), (), [0.5, 0.5]), CategoricalFamily("b", (1, "one"), (), [0.5, 0.5]))
    )
    with pytest.raises(ParameterError, match=r"'b' are of several types \(int, str\)"):
        network.sample(3)
    assert set(Network(network.families[:1]).sample(50, random_state=0)["a"].to_pylist()) == {True, False}


@pytest.mark.parametrize("method", SAMPLERS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_estimates_are_within_their_errors(method, seed, random_network):
    network = random_network(seed, 7)
    evidence = {name: network.states[name][0] for name in network.nodes[-2:]}
    asked = list(network.nodes[:2])
    exact = network.query(asked, evidence)
    estimate = network.query(asked, evidence, method=method, n_samples=6000, random_state=seed)
    assert estimate.table.sum() == pytest.approx(1.0)
    assert (np.abs(estimate.table - exact.table) <= FAR * estimate.std_error + 1e-3).all()
    assert 100 < estimate.effective_sample_size <= 6000
    assert "± one standard error" in repr(estimate)


@pytest.mark.parametrize("method", SAMPLERS)
def test_estimates_in_mixed_networks(method, mixed_network):
    network = mixed_network(11)
    evidence = {"y": 0.5, "v": -0.3}
    names = [name for name in network.nodes if name not in {*network.states, *evidence}]
    exact = network.query(names, evidence)
    estimate = network.query(names, evidence, method=method, n_samples=8000, random_state=0)
    assert (np.abs(estimate.mean - exact.mean) <= FAR * estimate.std_error).all()
    np.testing.assert_allclose(estimate.cov, exact.cov, atol=0.15 * exact.cov.max())
    discrete = network.query("a", evidence, method=method, n_samples=8000, random_state=1)
    gap = np.abs(discrete.table - network.query("a", evidence).table)
    assert (gap <= FAR * discrete.std_error).all()


@pytest.mark.parametrize("method", SAMPLERS)
def test_the_stated_error_is_the_spread_of_estimates(method, random_network):
    network = random_network(4, 5)
    evidence = {network.nodes[-1]: network.states[network.nodes[-1]][0]}
    options = {"burn_in": 20} if method == "gibbs" else {}
    runs = [
        network.query(network.nodes[0], evidence, method=method, n_samples=400, random_state=seed, **options)
        for seed in range(30)
    ]
    spread = np.std([run.table[0] for run in runs], ddof=1)
    stated = np.mean([run.std_error[0] for run in runs])
    assert 0.6 < stated / spread < 1.7


def test_a_lone_node_is_drawn_again_in_each_chain():
    network = Network((CategoricalFamily("a", (0, 1), (), [0.3, 0.7]),))
    estimate = network.query("a", method="gibbs", n_samples=4000, burn_in=0, random_state=0)
    assert estimate[0] == pytest.approx(0.3, abs=FAR * np.sqrt(0.21 / 4000))
    assert estimate.std_error[0] == pytest.approx(np.sqrt(0.21 / 4000), rel=0.5)


def test_chains_that_may_be_stuck_are_reported(asia):
    with pytest.warns(DataWarning, match="'either' is certain in some draws"):
        asia.query("bronc", {"dysp": "yes"}, method="gibbs", n_samples=200, burn_in=10, random_state=0)


def test_a_copy_that_cannot_move_has_large_errors():
    """Two nodes that must agree: each chain stays where it started, and only chains as wholes differ."""
    network = Network(
        (
            CategoricalFamily("a", (0, 1), (), [0.5, 0.5]),
            CategoricalFamily("b", (0, 1), ("a",), [[1.0, 0.0], [0.0, 1.0]]),
            CategoricalFamily("c", (0, 1), ("b",), [[0.5, 0.5], [0.5, 0.5]]),
        )
    )
    with pytest.warns(DataWarning, match="'a', 'b' is certain"):
        stuck = network.query("a", {"c": 0}, method="gibbs", n_samples=2000, n_chains=10, random_state=0)
    assert stuck.std_error[0] > 0.1
    assert stuck.effective_sample_size < 20


def test_draws_that_all_contradict_the_evidence(asia):
    for method in SAMPLERS:
        with pytest.raises(ParameterError, match=r"draws have weight zero.*elimination"):
            asia.query("smoke", {"either": "no", "tub": "yes"}, method=method, random_state=0)


def test_nodes_without_variance(mixed_network):
    network = Network((GaussianFamily("x", (), (), 0.0, [], 1.0), GaussianFamily("y", (), ("x",), 0.0, [2.0], 0.0)))
    estimate = network.query("y", method="likelihood_weighting", n_samples=4000, random_state=0)
    assert estimate.cov[0, 0] == pytest.approx(4.0, rel=0.1)
    with pytest.raises(ParameterError, match="'y' has variance zero"):
        network.query("x", {"y": 1.0}, method="likelihood_weighting")
    with pytest.raises(ParameterError, match="'y' has variance zero"):
        network.query("y", method="gibbs")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_samples": 0}, "n_samples is 0"),
        ({"n_samples": 10.5}, "n_samples is 10.5"),
        ({"n_chains": 1}, "n_chains is 1: it must be a whole number of at least 2"),
        ({"burn_in": -1}, "burn_in is -1"),
    ],
)
def test_counts_that_make_no_sense(asia, options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        asia.query("lung", method="gibbs", **options)
