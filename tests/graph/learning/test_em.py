"""EM in networks: the candies, enumeration, scikit-learn's mixtures, no step that falls, priors, zeros, bad input."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn.mixture
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novacula as nv
from novacula.errors import DataError, ParameterError
from novacula.graph import BayesianNetwork
from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.learning import parameters
from novacula.graph.network import Network
from novacula.table import threads

laws = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
quiet = pytest.mark.filterwarnings("ignore")

CANDY = [("Bag", "Flavor"), ("Bag", "Wrapper"), ("Bag", "Hole")]
EVEN = {"Bag": [0.6, 0.4], "Flavor": [[0.6, 0.4], [0.4, 0.6]], "Wrapper": [[0.4, 0.6], [0.6, 0.4]],
        "Hole": [[0.4, 0.6], [0.6, 0.4]]}  # fmt: skip
"""Bag 1 holds cherry, red and hole with 0.6, bag 2 with 0.4; states are in alphabetical order."""


def candies(**parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return BayesianNetwork(CANDY, hidden={"Bag": [1, 2]}, init=EVEN, **parameters).fit(nv.datasets.load("candies"))


# --- the literature -----------------------------------------------------------------------------------------


def test_first_step_of_the_candies():
    """Russell and Norvig: θ = 0.6124, then 0.6684, 0.6483, 0.6558 and 0.3887, 0.3817, 0.3827."""
    first = candies(max_iter=1).families_
    assert first["Bag"].table[0] == pytest.approx(0.6124, abs=5e-5)
    found = [
        (first[node].table[0, k], first[node].table[1, k]) for node, k in (("Flavor", 0), ("Wrapper", 1), ("Hole", 1))
    ]
    expected = [(0.6684, 0.3887), (0.6483, 0.3817), (0.6558, 0.3827)]
    np.testing.assert_allclose(found, expected, atol=5e-5)


def test_climb_of_the_candies():
    model = candies(tol=1e-13, max_iter=5000)
    np.testing.assert_allclose(model.history_[:3], [-2044.260, -2021.026, -2003.025], atol=5e-4)
    assert model.history_[10] == pytest.approx(-1982.018, abs=5e-4)
    assert model.log_likelihood_ == pytest.approx(-1979.36, abs=5e-3)
    assert model.converged_
    assert np.all(np.diff(model.history_) >= 0)
    true = {"Bag": [0.5, 0.5], "Flavor": [[0.8, 0.2], [0.3, 0.7]], "Wrapper": [[0.2, 0.8], [0.7, 0.3]],
            "Hole": [[0.2, 0.8], [0.7, 0.3]]}  # fmt: skip
    states = {"Bag": (1, 2), "Flavor": ("cherry", "lime"), "Wrapper": ("green", "red"), "Hole": ("no", "yes")}
    network = Network(
        tuple(CategoricalFamily(n, states[n], () if n == "Bag" else ("Bag",), t) for n, t in true.items())
    )
    model.families_ = {family.node: family for family in network.families}
    assert model.log_likelihood(nv.datasets.load("candies")) == pytest.approx(-1982.214, abs=5e-4)


def test_families_may_stand_in_any_order_of_states():
    """Given as a network whose states and axes are turned round, the start is the same."""
    turned = Network((
        CategoricalFamily("Bag", (2, 1), (), [0.4, 0.6]),
        CategoricalFamily("Flavor", ("lime", "cherry"), ("Bag",), [[0.6, 0.4], [0.4, 0.6]]),
        CategoricalFamily("Wrapper", ("red", "green"), ("Bag",), [[0.4, 0.6], [0.6, 0.4]]),
        CategoricalFamily("Hole", ("yes", "no"), ("Bag",), [[0.4, 0.6], [0.6, 0.4]]),
    ))  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = BayesianNetwork(CANDY, hidden={"Bag": [1, 2]}, init=turned, max_iter=3)
        np.testing.assert_array_equal(model.fit(nv.datasets.load("candies")).history_, candies(max_iter=3).history_)


# --- oracles ------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000))
@laws
@quiet
def test_a_step_of_em_is_that_of_enumeration(seed):
    """Random networks with a hidden node and gaps: expected counts summed over all completions of each row."""
    rng = np.random.default_rng(seed)
    names, cards = ["h", "a", "b", "c"], rng.integers(2, 4, 4)
    states = {n: tuple(f"s{k}" for k in range(c)) for n, c in zip(names, cards, strict=True)}
    parents = {n: [p for p in names[:i] if rng.random() < 0.6] for i, n in enumerate(names)}
    parents["a"] = sorted({*parents["a"], "h"}, key=names.index)
    start = {n: rng.dirichlet(np.ones(len(states[n])), size=[len(states[p]) for p in parents[n]]) for n in names}
    full = [list(states[n]) + rng.choice(states[n], 20).tolist() for n in names[1:]]
    rows = [[None if rng.random() < 0.3 and i >= 3 else col[i] for col in (c + c[:3] for c in full)] for i in range(20)]
    columns = {n: pa.array([row[j] for row in rows], pa.string()) for j, n in enumerate(names[1:])}
    data = pa.table(columns)
    present = {n: sorted({v for v in columns[n].to_pylist() if v is not None}) for n in names[1:]}
    if any(len(present[n]) < len(states[n]) for n in names[1:]):
        return
    model = BayesianNetwork(parents, hidden={"h": list(states["h"])}, init=start, max_iter=1).fit(data)
    counts = {n: np.zeros(start[n].shape) for n in names}
    log_likelihood = 0.0
    for row in rows:
        weights = {}
        for codes in itertools.product(*(range(len(states[n])) for n in names)):
            at = dict(zip(names, codes, strict=True))
            if all(v is None or states[n][at[n]] == v for n, v in zip(names[1:], row, strict=True)):
                weights[codes] = math.prod(start[n][(*(at[p] for p in parents[n]), at[n])] for n in names)
        total = sum(weights.values())
        log_likelihood += math.log(total)
        for codes, weight in weights.items():
            at = dict(zip(names, codes, strict=True))
            for n in names:
                counts[n][(*(at[p] for p in parents[n]), at[n])] += weight / total
    assert model.history_[0] == pytest.approx(log_likelihood, rel=1e-10)
    for n in names:
        total = counts[n].sum(axis=-1, keepdims=True)
        expected = np.divide(counts[n], total, out=np.full(counts[n].shape, 1 / len(states[n])), where=total > 0)
        np.testing.assert_allclose(model.families_[n].table, expected, atol=1e-10)


@quiet
def test_a_hidden_parent_of_numbers_is_a_mixture():
    """H → x, H → y from a given start: scikit-learn's diagonal mixture after as many steps."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(3, 1.5, (40, 2))])
    means = np.array([[0.5, 0.5], [2.0, 2.5]])
    theirs = sklearn.mixture.GaussianMixture(
        2, covariance_type="diag", weights_init=[0.5, 0.5], means_init=means, precisions_init=np.ones((2, 2)),
        tol=0.0, max_iter=10, reg_covar=0.0,
    ).fit(X)  # fmt: skip
    start = {"H": [0.5, 0.5]} | {
        name: GaussianFamily(name, ("H",), (), means[:, j], np.empty((2, 0)), np.ones(2)) for j, name in enumerate("xy")
    }
    ours = BayesianNetwork([("H", "x"), ("H", "y")], hidden={"H": 2}, init=start, max_iter=10, tol=0.0)
    ours.fit(pd.DataFrame(X, columns=["x", "y"]))
    np.testing.assert_allclose(ours.families_["H"].table, theirs.weights_, rtol=1e-9)
    for j, name in enumerate("xy"):
        np.testing.assert_allclose(ours.families_[name].intercept, theirs.means_[:, j], rtol=1e-9)
        np.testing.assert_allclose(ours.families_[name].variance, theirs.covariances_[:, j], rtol=1e-9)


@quiet
def test_a_line_given_in_another_order_of_states_is_the_same_start():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"z": rng.normal(size=30), "x": rng.normal(size=30)})
    first, second = (
        {
            "H": CategoricalFamily("H", states, (), share),
            "x": GaussianFamily("x", ("H",), ("z",), level, [[w] for w in slope], variance),
        }
        for states, share, level, slope, variance in (
            ((0, 1), [0.3, 0.7], [-1.0, 1.0], [0.1, 0.2], [1.0, 2.0]),
            ((1, 0), [0.7, 0.3], [1.0, -1.0], [0.2, 0.1], [2.0, 1.0]),
        )
    )
    runs = [
        BayesianNetwork([("z", "x"), ("H", "x")], hidden={"H": 2}, init=init, max_iter=3).fit(data).history_
        for init in (first, second)
    ]
    np.testing.assert_array_equal(*runs)


def test_gaps_in_a_chain_of_numbers_are_those_of_a_full_gaussian():
    """x → y → z, y often missing: the maximum has no downhill neighbour, by the density of SciPy."""
    from scipy.stats import multivariate_normal

    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    y = 1 + 0.8 * x + 0.5 * rng.normal(size=80)
    z = -0.5 * y + 0.7 * rng.normal(size=80)
    y[rng.random(80) < 0.4] = np.nan
    data = pd.DataFrame({"x": x, "y": y, "z": z})
    model = BayesianNetwork([("x", "y"), ("y", "z")], tol=1e-14, max_iter=2000).fit(data)

    def log_likelihood(a, b, v, c, d, u):
        """Of y = a + bx + N(0, v), z = c + dy + N(0, u), given x."""
        total = 0.0
        for row in data.to_numpy():
            mean = np.array([a + b * row[0], c + d * (a + b * row[0])])
            cov = np.array([[v, d * v], [d * v, d * d * v + u]])
            known = ~np.isnan(row[1:])
            total += multivariate_normal(mean[known], cov[np.ix_(known, known)]).logpdf(row[1:][known])
        return total

    fy, fz = model.families_["y"], model.families_["z"]
    best = np.array([fy.intercept, fy.weights[0], fy.variance, fz.intercept, fz.weights[0], fz.variance], float)
    top = log_likelihood(*best)
    gaussian_x = multivariate_normal(x.mean(), x.var()).logpdf(x).sum()
    assert model.log_likelihood_ == pytest.approx(top + gaussian_x, rel=1e-9)
    for i, step in itertools.product(range(6), (-1e-3, 1e-3)):
        moved = best.copy()
        moved[i] += step
        assert log_likelihood(*moved) < top


def test_rows_whose_beliefs_no_double_holds_are_done_in_logarithms():
    """A class with 1500 children, itself and one child empty: half of the others speak for each class.

    Each half alone makes the classes differ by a factor of 2⁷⁵⁰, and the products are about 10⁻⁶⁷⁷.
    """
    n = 1500
    tables = [[0.5, 0.5], [0.25, 0.75]], [[0.25, 0.75], [0.5, 0.5]]
    children = [CategoricalFamily(f"x{i:04}", (0, 1), ("c",), tables[i >= n // 2]) for i in range(n)]
    network = Network((CategoricalFamily("c", (0, 1), (), [0.3, 0.7]), *children))
    row = {family.node: [0] for family in children[:-1]}
    expected = np.logaddexp(
        math.log(0.3) + (n // 2) * math.log(0.5) + (n // 2 - 1) * math.log(0.25),
        math.log(0.7) + (n // 2) * math.log(0.25) + (n // 2 - 1) * math.log(0.5),
    )
    assert network.log_likelihood({**row, "x1499": [None]}) == pytest.approx(expected, rel=1e-12)
    model = BayesianNetwork.from_network(network)
    cells = pa.table({"c": pa.array([None], pa.int64()), **row, "x1499": pa.array([None], pa.int64())})
    assert model.score_samples(cells)[0] == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(model.predict_proba(cells, "c"), [[0.15 / 0.325, 0.175 / 0.325]], rtol=1e-9)
    np.testing.assert_allclose(
        model.predict_proba(cells, "x1499")[0, 0], (0.15 * 0.25 + 0.175 * 0.5) / 0.325, rtol=1e-9
    )


def test_missing_at_random_of_one_column_is_the_share_among_known():
    data = pa.table({"a": ["u", "u", "v", None, None]})
    model = BayesianNetwork(tol=1e-13).fit(data)
    np.testing.assert_allclose(model.families_["a"].table, [2 / 3, 1 / 3], atol=1e-5)


def test_a_node_of_one_state_has_nothing_to_be_unknown():
    data = pa.table({"a": ["u", None, "u", None], "b": ["p", "p", "q", None]})
    model = BayesianNetwork([("a", "b")], tol=1e-13).fit(data)
    np.testing.assert_allclose(model.families_["b"].table, [[2 / 3, 1 / 3]], atol=1e-5)
    np.testing.assert_allclose(model.score_samples(data), np.log([2 / 3, 2 / 3, 1 / 3, 1.0]), atol=1e-5)
    assert model.predict_proba(data, "a").tolist() == [[1.0]] * 4


# --- laws ---------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.sampled_from([0.0, 1.0, "laplace"]), st.booleans())
@laws
@quiet
def test_no_step_falls(seed, m, numeric):
    rng = np.random.default_rng(seed)
    n = 50
    columns = {name: [None if rng.random() < 0.2 else f"s{k}" for k in rng.integers(0, 3, n)] for name in "abc"}
    edges = [("h", "a"), ("h", "b"), ("a", "c"), ("b", "c")]
    if numeric:
        columns["x"] = [None if rng.random() < 0.2 else float(v) for v in rng.normal(size=n)]
        columns["y"] = rng.normal(size=n).tolist()
        edges += [("h", "x"), ("x", "y"), ("c", "y")]
    model = BayesianNetwork(edges, hidden={"h": 2}, m=m, random_state=seed, max_iter=30).fit(pa.table(columns))
    loss = np.diff(model.history_)
    assert np.all(loss >= -1e-9 * np.abs(model.history_[1:]))


@quiet
def test_restarts_keep_the_best_and_start_apart():
    table = nv.datasets.load("candies")
    model = BayesianNetwork(CANDY, hidden={"Bag": 2}, n_init=5, random_state=0, max_iter=30).fit(table)
    objectives = [restart.objective for restart in model.restarts_]
    assert len(set(np.round(objectives, 6))) > 1
    assert model.history_[-1] == max(objectives)
    assert not np.allclose(model.families_["Flavor"].table[0], model.families_["Flavor"].table[1])


def test_threads_and_weights_do_not_matter():
    """Eight weighted rows are the thousand rows they stand for; bits do not depend on threads."""
    table = nv.datasets.load("candies").to_pandas()
    long = table.loc[table.index.repeat(table.Count)].drop(columns="Count").reset_index(drop=True)
    parameters = {"edges": CANDY, "hidden": {"Bag": [1, 2]}, "init": EVEN, "max_iter": 1000}
    repeated = BayesianNetwork(**parameters).fit(long)
    weighted = BayesianNetwork(**parameters).fit(table.drop(columns="Count"), sample_weight=table.Count)
    np.testing.assert_allclose(repeated.history_, weighted.history_, rtol=1e-12)
    with threads(1):
        alone = BayesianNetwork(**parameters).fit(long)
    np.testing.assert_array_equal(alone.history_, repeated.history_)


def test_more_distinct_rows_than_are_kept_are_read_again_at_each_step(monkeypatch):
    """The same climb, whether distinct rows are kept or every step is a pass."""
    rng = np.random.default_rng(0)
    columns = {name: [None if rng.random() < 0.2 else f"s{k}" for k in rng.integers(0, 3, 200)] for name in "abc"}
    learner = BayesianNetwork([("h", "a"), ("h", "b"), ("a", "c")], hidden={"h": 2}, m=1.0, max_iter=10, tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        kept = learner.fit(pa.table(columns)).history_
        monkeypatch.setattr(parameters, "MOST_CELLS", 20)
        np.testing.assert_allclose(learner.fit(pa.table(columns)).history_, kept, rtol=1e-12)


def test_zeros_of_the_start_stay_also_under_a_prior():
    start = {**EVEN, "Flavor": [[1.0, 0.0], [0.4, 0.6]]}
    model = BayesianNetwork(CANDY, hidden={"Bag": [1, 2]}, init=start, m=2.0, tol=1e-6).fit(nv.datasets.load("candies"))
    assert model.families_["Flavor"].table[0].tolist() == [1.0, 0.0]
    assert (model.families_["Hole"].table > 0).all()


def test_map_em_ends_where_counts_and_prior_agree():
    """At the end each table is the m-estimate of its own expected counts, and the objective holds the prior."""
    model = candies(m=4.0, tol=1e-13, max_iter=5000)
    expected = []
    for counts, family in zip(model._layout().split(model.counts_.counts), model.families_.values(), strict=True):
        expected.append(2.0 * np.log(family.table).sum())
        np.testing.assert_allclose(family.table, (counts + 2.0) / (counts.sum(axis=-1, keepdims=True) + 4.0), atol=1e-9)
    assert model.history_[-1] == pytest.approx(model.log_likelihood_ + sum(expected), rel=1e-10)


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("init", "sentence"),
    [
        ({"Bug": [0.5, 0.5]}, "'Bug', which is not a node"),
        ({"Bag": [0.5, 0.4]}, "sum to"),
        ({"Bag": CategoricalFamily("Bag", (1, 3), (), [0.5, 0.5])}, "the states"),
        ({"Hole": CategoricalFamily("Hole", ("no", "yes"), (), [0.5, 0.5])}, "its edges say"),
        ({"Hole": np.full((3, 2), 0.5)}, "3 rows for the 2 states of 'Bag'"),
    ],
)
def test_a_wrong_start_is_refused(init, sentence):
    with pytest.raises(ParameterError, match=sentence):
        BayesianNetwork(CANDY, hidden={"Bag": [1, 2]}, init=init).fit(nv.datasets.load("candies"))


def test_a_row_that_the_start_makes_impossible_is_named():
    start = {"Bag": [0.5, 0.5], "Flavor": [[1.0, 0.0], [1.0, 0.0]]}
    with pytest.raises(DataError, match=r"probability zero .*Flavor = lime"):
        BayesianNetwork(CANDY, hidden={"Bag": [1, 2]}, init=start).fit(nv.datasets.load("candies"))


def test_too_few_iterations_are_reported():
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        BayesianNetwork(CANDY, hidden={"Bag": 2}, max_iter=2).fit(nv.datasets.load("candies"))


def test_more_empty_cells_than_can_be_summed_are_refused():
    """Forty hidden states that all meet in one child's parents."""
    hidden = {f"h{i}": 6 for i in range(10)}
    edges = {f"h{i}": [f"h{j}" for j in range(i)][-6:] for i in range(10)}
    with pytest.raises(DataError, match="entries, more than"):
        BayesianNetwork({**edges, "a": [f"h{i}" for i in range(10)]}, hidden=hidden).fit(
            pd.DataFrame({"a": list("uvuv")})
        )
