"""Variable elimination: queries, maxima and traces against the whole joint distribution, and the chest clinic."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import DataError, ParameterError, SchemaError
from novacula.graph.families import CategoricalFamily
from novacula.graph.inference.elimination_trace import elimination_trace
from novacula.graph.inference.triangulation import interactions, members, min_fill
from novacula.graph.network import Network

laws = settings(deadline=None)


def question(network, seed):
    """Some nodes to ask for, and states of others."""
    rng = np.random.default_rng(seed)
    names = rng.permutation(network.nodes).tolist()
    n_asked = int(rng.integers(1, 3))
    given_nodes = names[n_asked : n_asked + int(rng.integers(0, len(names) - n_asked + 1))]
    evidence = {name: network.states[name][rng.integers(len(network.states[name]))] for name in given_nodes}
    return names[:n_asked], evidence


@laws
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(2, 8), zeros=st.booleans())
def test_queries_equal_enumeration(seed, n_nodes, zeros, random_network, brute_force):
    network = random_network(seed, n_nodes, zeros=zeros)
    asked, evidence = question(network, seed)
    table = brute_force(network, asked, evidence)
    np.testing.assert_allclose(network.probability(evidence), table.sum(), rtol=1e-10)
    if table.sum() == 0.0:
        with pytest.raises(ParameterError, match="the evidence has probability zero"):
            network.query(asked, evidence)
    else:
        answer = network.query(asked, evidence)
        assert answer.variables == tuple(asked)
        np.testing.assert_allclose(answer.table, table / table.sum(), atol=1e-12)


@laws
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(2, 7), zeros=st.booleans())
def test_maxima_equal_enumeration(seed, n_nodes, zeros, random_network, brute_force):
    network = random_network(seed, n_nodes, zeros=zeros)
    asked, evidence = question(network, seed)
    for variables in (asked, None):
        names = [n for n in network.nodes if n not in evidence] if variables is None else variables
        table = brute_force(network, names, evidence)
        if table.max() == 0.0:
            with pytest.raises(ParameterError, match="probability zero"):
                network.map_query(variables, evidence)
            continue
        best = network.map_query(variables, evidence)
        assert list(best) == list(names)
        place = tuple(network.states[name].index(state) for name, state in best.items())
        assert table[place] == pytest.approx(table.max(), rel=1e-9)


@laws
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(2, 7))
def test_a_trace_multiplies_and_sums_what_it_says(seed, n_nodes, random_network, brute_force):
    network = random_network(seed, n_nodes, max_parents=2)
    asked, evidence = question(network, seed)
    trace = elimination_trace(network, asked, evidence)
    for step in trace.steps:
        letters = {name: chr(97 + i) for i, name in enumerate(network.nodes)}
        inputs = ",".join("".join(letters[name] for name in factor.variables) for factor in step.factors)
        output = "".join(letters[name] for name in step.result.variables)
        assert step.variable not in step.result.variables
        if any(factor.table is None for factor in (*step.factors, step.result)):
            continue  # too large to be shown
        product = np.einsum(f"{inputs}->{output}", *(factor.table for factor in step.factors))
        np.testing.assert_allclose(step.result.table, product, rtol=1e-10)
    table = brute_force(network, asked, evidence)
    np.testing.assert_allclose(trace.distribution.table, table / table.sum(), atol=1e-12)
    assert trace.log_probability == pytest.approx(math.log(table.sum()), rel=1e-10)
    assert not set(trace.order) & {*asked, *evidence}


def test_the_chest_clinic(asia):
    """Posteriors as pgmpy 1.1.2 gives them for the published file."""
    assert asia.n_parameters == 18
    assert asia.query("dysp")["yes"] == pytest.approx(0.4359706, abs=1e-9)
    assert asia.query("lung", {"asia": "yes", "dysp": "yes"})["yes"] == pytest.approx(0.09952514509455446, abs=1e-9)
    assert asia.query("tub", {"asia": "yes", "dysp": "yes", "xray": "no"})["yes"] == pytest.approx(
        0.0022486953119612873, abs=1e-9
    )
    assert asia.query("bronc", {"asia": "yes", "dysp": "yes"})["yes"] == pytest.approx(0.8114020715892366, abs=1e-9)


def test_names_of_factors_say_what_is_known(asia):
    trace = elimination_trace(asia, "lung", {"dysp": "yes"})
    names = {factor.name for factor in trace.factors}
    assert "P(dysp=yes | bronc, either)" in names
    assert "P(smoke)" in names
    assert not any("xray" in name for name in names)  # barren


def test_a_long_chain_does_not_underflow():
    """A hidden chain of a thousand nodes against the forward recursion with scaling."""
    n, move, see = 1000, np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.3, 0.7], [0.6, 0.4]])
    families = [CategoricalFamily("z0", (0, 1), (), [0.5, 0.5])]
    families += [CategoricalFamily(f"z{t}", (0, 1), (f"z{t - 1}",), move) for t in range(1, n)]
    families += [CategoricalFamily(f"x{t}", (0, 1), (f"z{t}",), see) for t in range(n)]
    network = Network(tuple(families))
    seen = np.random.default_rng(0).integers(0, 2, n)
    forward, log_total = np.array([0.5, 0.5]), 0.0
    for t in range(n):
        forward = (forward if t == 0 else forward @ move) * see[:, seen[t]]
        log_total += math.log(forward.sum())
        forward /= forward.sum()
    evidence = {f"x{t}": int(seen[t]) for t in range(n)}
    assert network.log_probability(evidence) == pytest.approx(log_total, rel=1e-12)
    np.testing.assert_allclose(network.query(f"z{n - 1}", evidence).table, forward, atol=1e-12)
    tree = network.junction_tree.calibrate(evidence)
    assert tree.log_probability == pytest.approx(log_total, rel=1e-12)
    np.testing.assert_allclose(tree.marginal(f"z{n - 1}").table, forward, atol=1e-12)


def test_votes_that_cancel_come_out_even():
    """Two thousand children, half for each state: 9^1000 against 9^1000, which no double holds on the way."""
    families = [CategoricalFamily("c", ("a", "b"), (), [0.3, 0.7])]
    families += [CategoricalFamily(f"x{i}", (0, 1), ("c",), [[0.9, 0.1], [0.1, 0.9]]) for i in range(2000)]
    network = Network(tuple(families))
    evidence = {f"x{i}": int(i < 1000) for i in range(2000)}
    for method in ("elimination", "junction_tree"):
        assert network.query("c", evidence, method=method)["a"] == pytest.approx(0.3, abs=1e-9)


def test_of_equals_the_first_state_is_taken():
    fair = Network(
        (
            CategoricalFamily("a", ("x", "y"), (), [0.5, 0.5]),
            CategoricalFamily("b", ("u", "v", "w"), ("a",), np.full((2, 3), 1 / 3)),
        )
    )
    assert fair.map_query() == {"a": "x", "b": "u"}


def test_a_query_whose_tables_would_not_fit_is_refused():
    n = 30
    families = [CategoricalFamily(f"v{i}", (0, 1), (), [0.5, 0.5]) for i in range(n)]
    network = Network(tuple(families))
    with pytest.raises(ParameterError, match=r"1.07e[+]09 entries.*sample"):
        network.query([f"v{i}" for i in range(n)])


def test_min_fill_leaves_a_chain_without_new_edges():
    order = list(min_fill(interactions([(i, i + 1) for i in range(9)]), range(10), [2] * 10))
    assert sorted(node for node, _ in order) == list(range(10))
    assert max(len(list(members(around))) for _, around in order) == 1


@laws
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(2, 12))
def test_min_fill_takes_the_node_with_the_fewest_edges_missing(seed, n_nodes, random_network):
    """Each choice against a count over all pairs of neighbours in a graph of sets."""
    network = random_network(seed, n_nodes)
    scopes = [factor.scope for factor in network.factors.values()]
    around = {node: {n for scope in scopes if node in scope for n in scope} - {node} for node in range(n_nodes)}

    def cost(node):
        missing = sum(b not in around[a] for a, b in itertools.combinations(around[node], 2))
        return missing, math.prod(network.cards[n] for n in (node, *around[node])), node

    for node, clique in min_fill(interactions(scopes), range(n_nodes), network.cards):
        assert node == min(around, key=cost)
        neighbours = around.pop(node)
        assert set(members(clique)) == neighbours
        for a in neighbours:
            around[a] = (around[a] | neighbours) - {a, node}


def test_min_fill_of_a_cycle_needs_cliques_of_three():
    order = list(min_fill(interactions([(i, (i + 1) % 6) for i in range(6)]), range(6), [2] * 6))
    assert max(len(list(members(around))) for _, around in order) == 2


@pytest.mark.parametrize(
    ("variables", "evidence", "options", "sentence"),
    [
        ("lungs", {}, {}, "no node 'lungs'.*'asia'"),
        ("lung", {"smok": "yes"}, {}, "no node 'smok'"),
        ("lung", {"smoke": "maybe"}, {}, "'smoke' has no state 'maybe': its states are 'yes', 'no'"),
        ("lung", {"smoke": ["yes"]}, {}, "has no state"),
        ("lung", {"lung": "yes"}, {}, "both a variable of the query and evidence"),
        ([], {}, {}, "one node or for several"),
        (["lung", "lung"], {}, {}, "several different"),
        ("lung", {}, {"method": "guess"}, "no method 'guess': it is one of elimination, junction_tree"),
        ("lung", {}, {"n_samples": 10}, "is exact and has none"),
        ("lung", {}, {"method": "gibbs", "chains": 2}, "no option 'chains'.*n_chains"),
        ("smoke", {"either": "no", "tub": "yes"}, {}, "the evidence has probability zero"),
    ],
)
def test_what_cannot_be_asked(asia, variables, evidence, options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        asia.query(variables, evidence, **options)


def test_impossible_evidence_has_probability_zero(asia):
    assert asia.probability({"either": "no", "tub": "yes"}) == 0.0
    with pytest.raises(ParameterError, match="probability zero"):
        asia.map_query(evidence={"either": "no", "tub": "yes"})


def test_the_likelihood_of_rows_with_gaps(asia):
    rows = {"smoke": ["yes", "no", None, "no"], "lung": ["no", "no", "yes", None]}
    expected = sum(
        asia.log_probability({name: values[i] for name, values in rows.items() if values[i] is not None})
        for i in range(4)
    )
    assert asia.log_likelihood(rows) == pytest.approx(expected, rel=1e-12)
    complete = {name: [states[0], states[1]] for name, states in asia.states.items()}
    assert asia.log_likelihood(complete) == pytest.approx(
        sum(asia.log_probability({name: values[i] for name, values in complete.items()}) for i in range(2)), rel=1e-12
    )
    with pytest.raises(SchemaError, match="column 'age' is not a node"):
        asia.log_likelihood({"age": [1]})
    with pytest.raises(ParameterError, match="'smoke' has no state 'often'"):
        asia.log_likelihood({"smoke": ["often"]})


def test_rows_that_are_not_finite_are_refused(mixed_network):
    network = mixed_network(0)
    with pytest.raises(DataError, match=r"'u' is infinite .* in row 2"):
        network.log_likelihood({"u": [0.0, math.inf]})
    with pytest.raises(SchemaError, match="'u' holds words"):
        network.log_likelihood({"u": ["one"]})
