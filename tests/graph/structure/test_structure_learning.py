"""Edges from rows: every graph and every tree enumerated, scores by hand, limits, streams, bad input."""

import itertools
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.errors import DataError, DataWarning, ParameterError
from novacula.graph import BayesianNetwork
from novacula.graph.structure.dag import Dag
from novacula.graph.structure.hill_climb import Move

laws = settings(deadline=None, max_examples=6, suppress_health_check=[HealthCheck.too_slow])
quiet = pytest.mark.filterwarnings("ignore")


def chained(rng, n=200, numeric=0):
    """Columns that depend on one or two of those before them."""
    columns = {"a": rng.integers(0, 2, n)}
    for name in "bcd":
        before = list(columns.values())
        picked = before[rng.integers(len(before))]
        columns[name] = np.where(rng.random(n) < 0.6, picked % 3, rng.integers(0, 3, n))
    frame = pd.DataFrame({name: [f"s{v}" for v in values] for name, values in columns.items()})
    for j in range(numeric):
        frame[f"x{j}"] = rng.normal(size=n) + columns["ab"[j % 2]] + (0.7 * frame[f"x{j - 1}"] if j else 0.0)
    return frame


def family_score(data, node, parents, score, alpha=10.0):
    """The score of one family, by pandas."""
    n = len(data)
    groups = [rows for _, rows in data.groupby(parents)] if parents else [data]
    r = data[node].nunique()
    q = math.prod(data[p].nunique() for p in parents)
    if score == "bdeu":
        total = 0.0
        for rows in groups:
            total += math.lgamma(alpha / q) - math.lgamma(alpha / q + len(rows))
            total += sum(math.lgamma(alpha / q / r + c) - math.lgamma(alpha / q / r) for c in rows[node].value_counts())
        return total
    likelihood = sum(c * math.log(c / len(rows)) for rows in groups for c in rows[node].value_counts())
    return likelihood - {"aic": 1.0, "bic": math.log(n) / 2, "log_likelihood": 0.0}[score] * q * (r - 1)


def all_dags(names):
    """The parents of each node, for every acyclic graph."""
    pairs = list(itertools.combinations(names, 2))
    for choice in itertools.product((None, 0, 1), repeat=len(pairs)):
        edges = [pair if way == 0 else pair[::-1] for pair, way in zip(pairs, choice, strict=True) if way is not None]
        try:
            yield Dag.of(edges, names).parents
        except ParameterError:
            continue


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu"])
@given(seed=st.integers(0, 10_000))
@settings(laws, max_examples=3)
@quiet
def test_hill_climbing_against_every_graph(score, seed):
    """Never above the best of all 543 graphs of four nodes, nor below no edges; no neighbour is better."""
    data = chained(np.random.default_rng(seed), 80)
    cache = {}

    def total(parents):
        for node, above in parents.items():
            key = node, frozenset(above)
            if key not in cache:
                cache[key] = family_score(data, node, sorted(above), score)
        return sum(cache[node, frozenset(above)] for node, above in parents.items())

    scores = {frozenset(Dag(p).edges): total(p) for p in all_dags(list(data))}
    assert len(scores) == 543
    model = BayesianNetwork().fit_structure(data, score=score)
    edges = frozenset(model.edges_)
    found, slack = scores[edges], 1e-8 * max(map(abs, scores.values()))
    assert scores[frozenset()] - slack <= found <= max(scores.values()) + slack
    assert model.moves_ == () or model.moves_[-1].score == pytest.approx(found)
    for other, value in scores.items():
        changed = len({frozenset(e) for e in edges ^ other})
        if changed == 1:
            assert value <= found + slack
    walked = BayesianNetwork().fit_structure(data, score=score, tabu=5)
    assert scores[frozenset(walked.edges_)] >= found - slack


def spanning_trees(names):
    for edges in itertools.combinations(itertools.combinations(names, 2), len(names) - 1):
        groups = {name: {name} for name in names}
        for a, b in edges:
            if groups[a] is groups[b]:
                break
            merged = groups[a] | groups[b]
            groups.update(dict.fromkeys(merged, merged))
        else:
            yield edges


def directed(edges, root):
    """Edges of a tree, away from the root."""
    found, waiting, left = [], [root], set(edges)
    while waiting:
        node = waiting.pop()
        for edge in [e for e in left if node in e]:
            other = edge[1] if edge[0] == node else edge[0]
            found.append((node, other))
            waiting.append(other)
            left.remove(edge)
    return found


@given(st.integers(0, 10_000))
@laws
def test_chow_liu_is_the_best_of_all_trees(seed):
    """All sixteen trees of four nodes; the root may be chosen."""
    rng = np.random.default_rng(seed)
    data = chained(rng)
    values = []
    for edges in spanning_trees(list(data)):
        parents = Dag.of(directed(edges, "a"), list(data)).parents
        values.append(sum(family_score(data, n, list(p), "log_likelihood") for n, p in parents.items()))
    assert len(values) == 16
    root = rng.choice(list(data))
    model = BayesianNetwork().fit_structure(data, method="chow_liu", root=root)
    assert model.log_likelihood_ == pytest.approx(max(values), rel=1e-10)
    assert all(len(f.parents) <= 1 for f in model.families_.values())
    assert model.families_[root].parents == ()


@given(st.integers(0, 10_000))
@laws
@quiet
def test_tan_is_the_best_tree_within_the_class(seed):
    data = chained(np.random.default_rng(seed))
    names = ["b", "c", "d"]
    values = []
    for edges in spanning_trees(names):
        parents = {n: ["a", *p] for n, p in Dag.of(directed(edges, "b"), names).parents.items()}
        values.append(sum(family_score(data, n, p, "log_likelihood") for n, p in parents.items()))
    model = BayesianNetwork().fit_structure(data, method="tan", target="a")
    best = max(values) + family_score(data, "a", [], "log_likelihood")
    assert model.log_likelihood_ == pytest.approx(best, rel=1e-10)
    assert all("a" in f.parents for n, f in model.families_.items() if n != "a")


@quiet
def test_trees_of_mixed_columns_are_the_best_that_are_allowed():
    """Two discrete and two continuous columns: every legal forest scored by fitting it."""
    data = chained(np.random.default_rng(3), 150, numeric=2)[["a", "b", "x0", "x1"]]
    best = -math.inf
    for edges in spanning_trees(list(data)):
        for root in ("a", "b"):
            try:
                best = max(best, BayesianNetwork(directed(edges, root)).fit(data).log_likelihood_)
            except ParameterError:
                continue
    model = BayesianNetwork().fit_structure(data, method="chow_liu")
    assert model.log_likelihood_ == pytest.approx(best, rel=1e-9)
    climbed = BayesianNetwork().fit_structure(data)
    assert climbed.bic() <= BayesianNetwork().fit(data).bic()
    assert not any(child in "ab" and parent in ("x0", "x1") for parent, child in climbed.edges_)


def test_pairs_are_counted_where_both_are_known():
    """A column that is half empty still finds its partner, in the rows that it has."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b = np.where(rng.random(400) < 0.9, a, 1 - a)
    c = rng.integers(0, 2, 400)
    gone = rng.random(400) < 0.5
    data = pa.table({"a": [f"s{v}" for v in a], "b": [None if g else f"s{v}" for v, g in zip(b, gone, strict=True)],
                     "c": [f"s{v}" for v in c]})  # fmt: skip
    model = BayesianNetwork(tol=1e-6).fit_structure(data, method="chow_liu")
    assert ("a", "b") in model.edges_


# --- limits, traces, scales ---------------------------------------------------------------------------------


@quiet
def test_lists_and_limits_are_kept():
    data = chained(np.random.default_rng(5), 400)
    free = BayesianNetwork().fit_structure(data)
    parent, child = free.edges_[0]
    barred = BayesianNetwork().fit_structure(data, blacklist=[(parent, child), (child, parent)])
    assert not {(parent, child), (child, parent)} & set(barred.edges_)
    forced = BayesianNetwork().fit_structure(data, whitelist=[("d", "a")])
    assert ("d", "a") in forced.edges_
    single = BayesianNetwork().fit_structure(data, max_parents=1)
    assert max(len(f.parents) for f in single.families_.values()) == 1
    assert BayesianNetwork().fit_structure(data, max_parents=0).edges_ == ()


def test_moves_lead_from_no_edges_to_the_graph():
    data = chained(np.random.default_rng(6), 300)
    model = BayesianNetwork(m=1.0).fit_structure(data)
    edges = set()
    for move in model.moves_:
        assert isinstance(move, Move)
        assert move.gain > 0
        edges ^= {(move.parent, move.child)}
        if move.kind == "reverse":
            edges.add((move.child, move.parent))
    assert edges == set(model.edges_)


def test_a_stream_finds_the_same_edges(tmp_path):
    data = pa.Table.from_pandas(chained(np.random.default_rng(7), 300, numeric=2), preserve_index=False)
    for i in range(3):
        pq.write_table(data.slice(100 * i, 100), tmp_path / f"{i}.parquet")
    files = nv.read(str(tmp_path / "*.parquet"), progress=False)
    for method in ("hill_climb", "chow_liu"):
        here = BayesianNetwork(m=1.0).fit_structure(data, method=method)
        there = BayesianNetwork(m=1.0).fit_structure(files, method=method)
        assert here.edges_ == there.edges_
        assert here.log_likelihood_ == pytest.approx(there.log_likelihood_, rel=1e-10)


def test_saves_its_moves(tmp_path):
    model = BayesianNetwork(m=1.0).fit_structure(chained(np.random.default_rng(8)))
    model.save(tmp_path / "m.nova")
    assert nv.load(tmp_path / "m.nova").moves_ == model.moves_


def test_rows_with_gaps_are_reported():
    rows = chained(np.random.default_rng(9)).to_dict("list")
    rows["a"][:50] = [None] * 50
    with pytest.warns(DataWarning, match="25% of the rows"):
        BayesianNetwork(m=1.0).fit_structure(pa.table(rows))
    rows["b"] = [None if a else b for a, b in zip(rows["a"], rows["b"], strict=True)]
    with pytest.raises(DataError, match="no row knows every cell"):
        BayesianNetwork().fit_structure(pa.table(rows))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"method": "best"}, "method is 'best'"),
        ({"score": "mdl"}, "score is 'mdl'"),
        ({"method": "tan"}, "tan needs a class"),
        ({"method": "tan", "target": "x0"}, "must be discrete"),
        ({"method": "chow_liu", "root": "q"}, "root 'q'"),
        ({"method": "chow_liu", "root": "x0"}, "is continuous"),
        ({"method": "chow_liu", "tabu": 3}, "no use for tabu"),
        ({"max_parents": -1}, "max_parents"),
        ({"whitelist": [("a", "q")]}, "no node 'q'"),
        ({"whitelist": [("a", "b")], "blacklist": [("a", "b")]}, "a → b is on the whitelist"),
        ({"whitelist": [("x0", "a")]}, "is continuous"),
        ({"score": "bdeu"}, "'x0' is continuous"),
    ],
)
def test_refusals(parameters, sentence):
    data = chained(np.random.default_rng(0), 40, numeric=1)
    with pytest.raises(ParameterError, match=sentence):
        BayesianNetwork().fit_structure(data, **parameters)
    with pytest.raises(ParameterError, match="hidden"):
        BayesianNetwork(hidden={"h": 2}).fit_structure(data)
