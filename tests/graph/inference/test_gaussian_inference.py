"""Conditional linear Gaussians: against the joint normal of each configuration, built from the equations at once."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from novacula.errors import ParameterError
from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.inference.elimination_trace import elimination_trace
from novacula.graph.inference.normal import NormalMixture
from novacula.graph.network import Network

laws = settings(deadline=None, max_examples=25)
METHODS = ("elimination", "junction_tree")


def configurations(network):
    """For each assignment of the discrete nodes: probability, mean and covariance of all continuous ones.

    x = a + W x + e gives x = (I − W)⁻¹ (a + e), a mean and a covariance in one stroke.
    """
    discrete = list(network.states)
    continuous = [name for name in network.nodes if name not in network.states]
    for codes in itertools.product(*(range(len(network.states[name])) for name in discrete)):
        at = dict(zip(discrete, codes, strict=True))
        p = np.prod([network[n].table[(*(at[q] for q in network[n].parents), at[n])] for n in discrete])
        a, w, v = np.zeros(len(continuous)), np.zeros((len(continuous),) * 2), np.zeros(len(continuous))
        for i, name in enumerate(continuous):
            family, config = network[name], tuple(at[q] for q in network[name].parents)
            a[i], v[i] = family.intercept[config], family.variance[config]
            for j, regressor in enumerate(family.regressors):
                w[i, continuous.index(regressor)] = family.weights[config][j]
        inverse = np.linalg.inv(np.eye(len(a)) - w)
        yield at, p, continuous, inverse @ a, inverse @ np.diag(v) @ inverse.T


def posterior(network, evidence):
    """Each configuration that agrees with the evidence: weight, and mean and covariance of what is not seen."""
    for at, p, names, mean, cov in configurations(network):
        if any(network[n].code(evidence[n]) != k for n, k in at.items() if n in evidence):
            continue
        seen = [i for i, name in enumerate(names) if name in evidence]
        hidden = [i for i, name in enumerate(names) if name not in evidence]
        values = np.array([evidence[names[i]] for i in seen])
        if seen:
            p *= multivariate_normal(mean[seen], cov[np.ix_(seen, seen)]).pdf(values)
            gain = cov[np.ix_(hidden, seen)] @ np.linalg.inv(cov[np.ix_(seen, seen)])
            mean_hidden = mean[hidden] + gain @ (values - mean[seen])
            cov_hidden = cov[np.ix_(hidden, hidden)] - gain @ cov[np.ix_(seen, hidden)]
        else:
            mean_hidden, cov_hidden = mean, cov
        yield at, p, [names[i] for i in hidden], mean_hidden, cov_hidden


def draw_evidence(network, seed):
    rng = np.random.default_rng(seed)
    evidence = {}
    for name in network.nodes:
        if rng.random() < 0.35:
            states = network.states.get(name)
            evidence[name] = float(rng.normal()) if states is None else states[rng.integers(len(states))]
    return evidence


@laws
@given(seed=st.integers(0, 10**6))
def test_mixtures_equal_the_joint_normals(seed, mixed_network):
    network = mixed_network(seed)
    evidence = draw_evidence(network, seed)
    rows = list(posterior(network, evidence))
    total = sum(p for _, p, *_ in rows)
    assert network.probability(evidence) == pytest.approx(total, rel=1e-9)
    hidden = rows[0][2]
    for method in METHODS:
        for name in [n for n in network.states if n not in evidence]:
            expected = np.zeros(len(network.states[name]))
            for at, p, *_ in rows:
                expected[at[name]] += p / total
            np.testing.assert_allclose(network.query(name, evidence, method=method).table, expected, atol=1e-10)
        if hidden:
            mixture = network.query(hidden, evidence, method=method)
            mean = sum(p / total * m for _, p, _, m, _ in rows)
            cov = sum(p / total * (c + np.outer(m - mean, m - mean)) for _, p, _, m, c in rows)
            np.testing.assert_allclose(mixture.mean, mean, atol=1e-9)
            np.testing.assert_allclose(mixture.cov, cov, atol=1e-9)
            x = np.zeros(len(hidden))
            density = sum(p / total * multivariate_normal(m, c).pdf(x) for _, p, _, m, c in rows)
            assert mixture.density(x) == pytest.approx(density, rel=1e-7)


CLASS = CategoricalFamily("c", ("a", "b"), (), [0.3, 0.7])


def gaussian(name, parents=(), regressors=(), intercept=0.0, weights=(), variance=1.0):
    return GaussianFamily(name, parents, regressors, intercept, weights, variance)


def test_two_normals_and_a_class():
    network = Network((CLASS, gaussian("x", ("c",), (), [0.0, 2.0], np.zeros((2, 0)), [1.0, 4.0])))
    a, b = 0.3 * norm(0, 1).pdf(1.5), 0.7 * norm(2, 2).pdf(1.5)
    assert network.query("c", {"x": 1.5})["a"] == pytest.approx(a / (a + b))
    mixture = network.query("x")
    np.testing.assert_array_equal(mixture.weights, [0.3, 0.7])
    assert mixture.mean[0] == pytest.approx(1.4)
    assert mixture.std[0] ** 2 == pytest.approx(0.3 * 1 + 0.7 * 4 + 0.3 * 0.7 * 4)
    assert mixture.density(1.5) == pytest.approx(a + b)
    np.testing.assert_allclose(mixture.density([1.5, 1.5]), [a + b, a + b])


def test_evidence_far_from_both_does_not_underflow():
    """At −100 the densities are exp(−5000) and exp(−5202), and each of 50 columns speaks so."""
    families = [CLASS] + [gaussian(f"x{i}", ("c",), (), [0.0, 2.0], np.zeros((2, 0)), [1.0, 1.0]) for i in range(50)]
    network = Network(tuple(families))
    even = {f"x{i}": 101.0 if i < 25 else -99.0 for i in range(50)}  # as far from 0 as from 2 in all
    for method in METHODS:
        assert network.query("c", even, method=method)["a"] == pytest.approx(0.3, abs=1e-9)


def test_a_node_without_variance_is_a_sum():
    network = Network(
        (
            gaussian("x", variance=2.0),
            gaussian("y", variance=3.0),
            gaussian("s", (), ("x", "y"), 1.0, [1.0, -1.0], 0.0),
        )
    )
    total = network.query("s")
    assert (total.mean[0], total.cov[0, 0]) == (1.0, 5.0)
    back = network.query(["x", "y"], {"s": 2.0})
    np.testing.assert_allclose(back.mean, [0.4, -0.6])
    with pytest.raises(ParameterError, match="'s' has no density"):
        network.probability({"x": 1.0, "y": 0.0, "s": 2.0})
    with pytest.raises(ParameterError, match="there is no density"):
        network.query(["x", "y", "s"]).density([0.0, 0.0, 1.0])


def test_known_regressors_keep_blocks_apart():
    """Forty columns in a row, each with its own two-state parent: one block would have 2⁴⁰ configurations."""
    families = []
    for i in range(40):
        families.append(CategoricalFamily(f"d{i}", (0, 1), (), [0.5, 0.5]))
        above = (f"x{i - 1}",) if i else ()
        families.append(gaussian(f"x{i}", (f"d{i}",), above, [0.0, 1.0], np.ones((2, len(above))), [1.0, 1.0]))
    network = Network(tuple(families))
    evidence = {f"x{i}": float(i) for i in range(40)}
    assert network.query("d5", evidence)[1] == pytest.approx(
        norm(1, 1).pdf(1) / (norm(1, 1).pdf(1) + norm(0, 1).pdf(1))
    )
    with pytest.raises(ParameterError, match="entries"):
        network.query("x39")


def test_what_cannot_be_asked_of_continuous_nodes(mixed_network):
    network = mixed_network(0)
    with pytest.raises(ParameterError, match="'x' is continuous: ask for it apart"):
        network.query(["a", "x"])
    with pytest.raises(ParameterError, match="'x' is continuous and has no states"):
        network.map_query("x")
    with pytest.raises(ParameterError, match="'x' is continuous and has no states"):
        network.junction_tree.calibrate().marginal("x")
    with pytest.raises(ParameterError, match="'x' is continuous and has no states"):
        elimination_trace(network, "x")
    for value in ("high", None, np.nan, np.inf):
        with pytest.raises(ParameterError, match="'x' is continuous: its evidence must be a finite number"):
            network.query("a", {"x": value})
    with pytest.raises(ParameterError, match="is both a variable of the query and evidence"):
        network.query("x", {"x": 0.0})


def test_a_maximum_given_continuous_evidence():
    network = Network((CLASS, gaussian("x", ("c",), (), [0.0, 2.0], np.zeros((2, 0)), [1.0, 1.0])))
    assert network.map_query(evidence={"x": -1.0}) == {"c": "a"}
    assert network.map_query(evidence={"x": 3.0}) == {"c": "b"}


def test_mixtures_are_conditioned_and_cut():
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(2, 3, 3))
    mixture = NormalMixture(("x", "y", "z"), [0.4, 0.6], rng.normal(size=(2, 3)), roots @ np.swapaxes(roots, 1, 2))
    given_y = mixture.condition({"y": 0.3})
    assert given_y.variables == ("x", "z")
    whole, edge = mixture.density([0.1, 0.3, -0.2]), mixture.marginal("y").density(0.3)
    assert given_y.density([0.1, -0.2]) == pytest.approx(whole / edge)
    np.testing.assert_array_equal(mixture.marginal(["z", "x"]).means, mixture.means[:, [2, 0]])
    with pytest.raises(ParameterError, match="not on none or all"):
        mixture.condition({})
    with pytest.raises(ParameterError, match="'q' is not one of the variables"):
        mixture.condition({"q": 1.0})
    with pytest.raises(ParameterError, match=r"shape \(2,\) are not points of 3"):
        mixture.density([0.0, 1.0])
    with pytest.raises(ParameterError, match=r"means of the mixture have shape \(1, 2\)"):
        NormalMixture(("x",), [1.0], [[0.0, 1.0]], [[[1.0]]])
