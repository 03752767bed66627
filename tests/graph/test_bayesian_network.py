"""Networks learned from rows: counts and regressions by hand, enumeration as the oracle, laws, scales, bad input."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import novacula as nv
from novacula.checks import check_work
from novacula.checks.scales import CutFrame
from novacula.errors import DataError, DataWarning, InputTypeError, ParameterError, SchemaError, UnseenCategoryWarning
from novacula.graph import BayesianNetwork
from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.learning.family_layout import MOST_ENTRIES, FamilyLayout
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Variables
from novacula.table import Table

laws = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
quiet = pytest.mark.filterwarnings("ignore")


def random_edges(rng, names, most=3):
    """Edges along the order of the names."""
    edges = []
    for i, child in enumerate(names):
        for parent in rng.permutation(i)[: rng.integers(0, most + 1)]:
            edges.append((names[parent], child))
    return edges


def frame(rng, n, cards, gaps=0.0):
    """Columns a, b, … of categories s0, s1, …, as a frame or, with gaps, as lists."""
    columns = {}
    for j, card in enumerate(cards):
        codes = np.concatenate([np.arange(card), rng.integers(0, card, n - card)])
        cells = np.array([f"s{c}" for c in codes], object)
        cells[card:][rng.random(n - card) < gaps] = None
        columns["abcdefgh"[j]] = cells.tolist()
    return columns if gaps else pd.DataFrame(columns)


def joint(model):
    """P(all discrete nodes) by enumeration: names, and states → probability."""
    families = list(model.families_.values())
    states = {f.node: f.states for f in families}
    table = {}
    for values in itertools.product(*states.values()):
        cell = dict(zip(states, values, strict=True))
        p = 1.0
        for f in families:
            p *= f.table[tuple(states[u].index(cell[u]) for u in (*f.parents, f.node))]
        table[values] = p
    return list(states), table


# --- counting -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [0.0, 2.0, "laplace"])
def test_tables_are_m_estimates_of_counts(m):
    """Against pandas, on PlayTennis; "laplace" starts every count at 1."""
    data = nv.datasets.load("play_tennis").to_pandas().astype(str).drop(columns="Day", errors="ignore")
    edges = [("PlayTennis", "Outlook"), ("PlayTennis", "Wind"), ("Outlook", "Wind")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        model = BayesianNetwork(edges, m=m).fit(data)
    wind = model.families_["Wind"]
    assert wind.parents == ("PlayTennis", "Outlook")
    for (i, play), (j, outlook), (k, value) in itertools.product(
        enumerate(model.families_["PlayTennis"].states),
        enumerate(model.families_["Outlook"].states),
        enumerate(wind.states),
    ):
        rows = data[(data.PlayTennis == play) & (data.Outlook == outlook)]
        prior = 2.0 if m == "laplace" else m
        total = len(rows) + prior
        expected = ((rows.Wind == value).sum() + prior / 2) / total if total else 0.5
        assert wind.table[i, j, k] == pytest.approx(expected, rel=1e-12)


def test_bdeu_prior_spreads_over_all_cells():
    data = pd.DataFrame({"a": list("xxyy"), "b": list("uvuu")})
    model = BayesianNetwork([("a", "b")], equivalent_sample_size=4.0).fit(data)
    assert model.families_["a"].table.tolist() == [0.5, 0.5]
    np.testing.assert_allclose(model.families_["b"].table, [[(1 + 1) / 4, (1 + 1) / 4], [(2 + 1) / 4, 1 / 4]])


def test_unseen_configuration_is_even_and_reported():
    data = pd.DataFrame({"a": list("xxy"), "b": list("uvu"), "c": list("pqp")})
    with pytest.warns(DataWarning, match="1 configurations of parents occur in no row"):
        model = BayesianNetwork({"c": ["a", "b"]}).fit(data)
    assert model.families_["c"].table.tolist() == [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]]]


def test_numbers_of_parameters_of_the_heart_disease_network():
    """78 with the hidden cause, 708 without it (Russell and Norvig)."""
    rng = np.random.default_rng(0)
    causes, symptoms = ["Smoking", "Diet", "Exercise"], ["S1", "S2", "S3"]
    data = pd.DataFrame({name: rng.choice(["low", "mid", "high"], 3000) for name in (*causes, *symptoms)})
    through = [(c, "Disease") for c in causes] + [("Disease", s) for s in symptoms]
    direct = {s: [*causes, *symptoms[:i]] for i, s in enumerate(symptoms)}
    hidden = BayesianNetwork(through, hidden={"Disease": 3}, m=1.0, max_iter=3, tol=1.0).fit(data)
    assert hidden.n_parameters_ == 78
    assert BayesianNetwork(direct, m=1.0).fit(data).n_parameters_ == 708


def test_scores_are_those_of_the_formulas():
    rng = np.random.default_rng(1)
    data = frame(rng, 60, (2, 3, 2))
    model = BayesianNetwork([("a", "b"), ("a", "c"), ("b", "c")], m=1.0).fit(data)
    names, table = joint(model)
    rows = data[names].itertuples(index=False)
    log_likelihood = sum(math.log(table[tuple(row)]) for row in rows)
    assert model.log_likelihood() == pytest.approx(log_likelihood, rel=1e-12)
    assert model.log_likelihood(data) == pytest.approx(log_likelihood, rel=1e-12)
    k = 1 + 2 * 2 + 6 * 1
    assert model.n_parameters_ == k
    assert model.bic() == pytest.approx(k * math.log(60) - 2 * log_likelihood, rel=1e-12)
    assert model.aic(data) == pytest.approx(2 * k - 2 * log_likelihood, rel=1e-12)


@pytest.mark.parametrize("alpha", [1.0, 10.0])
def test_bdeu_by_gamma_functions(alpha):
    rng = np.random.default_rng(2)
    data = frame(rng, 50, (2, 3, 2))
    parents = {"a": [], "b": ["a"], "c": ["a", "b"]}
    expected = 0.0
    states = {name: sorted(data[name].unique()) for name in data}
    for node, above in parents.items():
        q, r = math.prod(len(states[p]) for p in above), len(states[node])
        for configuration in itertools.product(*(states[p] for p in above)):
            rows = data[np.logical_and.reduce([data[p] == s for p, s in zip(above, configuration, strict=True)], axis=0)
                        if above else np.ones(len(data), bool)]  # fmt: skip
            expected += math.lgamma(alpha / q) - math.lgamma(alpha / q + len(rows))
            for state in states[node]:
                count = int((rows[node] == state).sum())
                expected += math.lgamma(alpha / q / r + count) - math.lgamma(alpha / q / r)
    assert BayesianNetwork(parents, m=1.0).fit(data).bdeu(alpha) == pytest.approx(expected, rel=1e-12)


def test_gaussian_node_is_least_squares_in_each_configuration():
    rng = np.random.default_rng(3)
    n = 120
    data = pd.DataFrame({"k": rng.choice(["u", "v"], n), "x": rng.normal(5, 2, n), "z": rng.normal(size=n)})
    data["y"] = np.where(data.k == "u", 1 + 2 * data.x, 3 - data.z) + rng.normal(size=n)
    model = BayesianNetwork([("k", "y"), ("x", "y"), ("z", "y")]).fit(data)
    line = model.families_["y"]
    assert (line.parents, line.regressors) == (("k",), ("x", "z"))
    expected_ll = 0.0
    for i, state in enumerate(("u", "v")):
        rows = data[data.k == state]
        design = np.column_stack([np.ones(len(rows)), rows.x, rows.z])
        beta, rss, *_ = np.linalg.lstsq(design, rows.y, rcond=None)
        np.testing.assert_allclose([line.intercept[i], *line.weights[i]], beta, rtol=1e-9)
        assert line.variance[i] == pytest.approx(rss[0] / len(rows), rel=1e-9)
        expected_ll += stats.norm(design @ beta, math.sqrt(rss[0] / len(rows))).logpdf(rows.y).sum()
        expected_ll += len(rows) * math.log(len(rows) / n)
    for name in ("x", "z"):
        expected_ll += stats.norm(data[name].mean(), data[name].std(ddof=0)).logpdf(data[name]).sum()
    assert model.log_likelihood_ == pytest.approx(expected_ll, rel=1e-10)
    assert model.score_samples(data).sum() == pytest.approx(expected_ll, rel=1e-10)


def test_collinear_regressors_and_constant_columns_do_not_break_it():
    rng = np.random.default_rng(4)
    x = rng.normal(size=30)
    data = pd.DataFrame({"x": x, "twice": 2 * x, "one": np.ones(30), "y": x + rng.normal(size=30)})
    model = BayesianNetwork({"y": ["x", "twice", "one"]}).fit(data)
    line = model.families_["y"]
    slope = np.polyfit(x, data.y, 1)[0]
    assert line.weights[0] + 2 * line.weights[1] == pytest.approx(slope, rel=1e-9)
    assert np.isfinite(model.score_samples(data)).all()


# --- answers ------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000))
@laws
def test_posteriors_and_likelihoods_are_those_of_enumeration(seed):
    """Random networks, rows with gaps: every node, the joint summed by brute force."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 4, rng.integers(2, 6))
    data = frame(rng, 40, cards)
    model = BayesianNetwork(random_edges(rng, list(data)), m=1.0).fit(data)
    rows = frame(rng, 12, cards, gaps=0.5)
    names, table = joint(model)
    target = names[rng.integers(len(names))]
    states = model.families_[target].states
    expected, likelihood = np.zeros((12, len(states))), np.zeros(12)
    for i, row in enumerate(zip(*(rows[name] for name in names), strict=True)):
        for values, p in table.items():
            if all(cell is None or cell == v for cell, v in zip(row, values, strict=True)):
                likelihood[i] += p
            open_row = (n == target or cell is None or cell == v for n, cell, v in zip(names, row, values, strict=True))
            if all(open_row):
                expected[i, states.index(values[names.index(target)])] += p
    rows = pa.table({name: pa.array(rows[name], pa.string()) for name in data})
    np.testing.assert_allclose(model.score_samples(rows), np.log(likelihood), rtol=1e-9, atol=1e-12)
    found = model.predict_proba(rows, target)
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), rtol=1e-9)
    best = np.take_along_axis(found, np.argmax(found, axis=1)[:, None], axis=1).ravel()
    chosen = [states.index(s) for s in model.predict(rows, target)]
    np.testing.assert_array_equal(found[np.arange(12), chosen], best)


def mixed_model(rng, n=80):
    """Discrete a, b; continuous x → y with parents a and b, and a lone w with parent b."""
    data = frame(rng, n, (2, 3))
    shift = data.a.eq("s1") * 2.0 + data.b.eq("s2") * 1.0
    data["x"] = rng.normal(size=n) + shift
    data["y"] = 0.5 * data.x + rng.normal(size=n) * (1 + data.b.eq("s0"))
    data["w"] = rng.normal(size=n) - 3 * data.b.eq("s1")
    edges = [("a", "b"), ("a", "x"), ("b", "y"), ("x", "y"), ("b", "w")]
    return BayesianNetwork(edges, m=1.0).fit(data), data


def gaussian_given(model, a, b):
    """Mean and covariance of (x, y, w) for states a and b, from the fitted lines."""
    f = model.families_
    mx, vx = f["x"].intercept[a], f["x"].variance[a]
    slope, vy = f["y"].weights[b, 0], f["y"].variance[b]
    mean = np.array([mx, f["y"].intercept[b] + slope * mx, f["w"].intercept[b]])
    return mean, np.array([[vx, slope * vx, 0], [slope * vx, slope**2 * vx + vy, 0], [0, 0, f["w"].variance[b]]])


def mixed_oracle(model, row):
    """p(known cells), posterior of (a, b), and mean and variance of (x, y, w), by enumeration and SciPy."""
    f = model.families_
    weights, moments = {}, {}
    for a, b in itertools.product(range(2), range(3)):
        agrees = (row["a"] in (None, f["a"].states[a])) and (row["b"] in (None, f["b"].states[b]))
        mean, cov = gaussian_given(model, a, b)
        x = np.array([np.nan if row[name] is None else row[name] for name in "xyw"])
        known = ~np.isnan(x)
        density = (
            stats.multivariate_normal(mean[known], cov[np.ix_(known, known)]).pdf(x[known]) if known.any() else 1.0
        )
        weights[a, b] = agrees * f["a"].table[a] * f["b"].table[a, b] * density
        if known.any():
            gain = cov[:, known] @ np.linalg.inv(cov[np.ix_(known, known)])
            mean, cov = mean + gain @ (x[known] - mean[known]), cov - gain @ cov[known]
        moments[a, b] = mean, np.diag(cov)
    total = sum(weights.values())
    mean = sum(w * moments[k][0] for k, w in weights.items()) / total
    second = sum(w * (moments[k][1] + moments[k][0] ** 2) for k, w in weights.items()) / total
    return total, {k: w / total for k, w in weights.items()}, mean, second - mean**2


@given(st.integers(0, 10_000))
@settings(laws, max_examples=10)
def test_mixed_networks_are_exact(seed):
    """Any cells missing: SciPy's densities, enumerated over the discrete configurations."""
    rng = np.random.default_rng(seed)
    model, data = mixed_model(rng)
    kept = {name: (v if rng.random() < 0.6 else None for v in data[name].head(8)) for name in data}
    columns = {
        name: pa.array(list(cells), pa.string() if name in "ab" else pa.float64()) for name, cells in kept.items()
    }
    rows = pa.table(columns)

    def oracles(hidden=None):
        return [mixed_oracle(model, {**row, hidden: None} if hidden else row) for row in rows.to_pylist()]

    np.testing.assert_allclose(model.score_samples(rows), np.log([o[0] for o in oracles()]), rtol=1e-9, atol=1e-10)
    expected = [[sum(p for (_, b), p in o[1].items() if b == k) for k in range(3)] for o in oracles("b")]
    np.testing.assert_allclose(model.predict_proba(rows, "b"), expected, rtol=1e-8, atol=1e-12)
    found = model.predict_proba(rows, "y")
    np.testing.assert_allclose(found[:, 0], [o[2][1] for o in oracles("y")], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found[:, 1], np.sqrt([o[3][1] for o in oracles("y")]), rtol=1e-8)
    np.testing.assert_array_equal(model.predict(rows, "y"), found[:, 0])


def test_a_far_outlier_does_not_make_a_row_impossible():
    """Two columns that pull to different classes by e^±5000 each: only their sum decides."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"c": ["u"] * 30 + ["v"] * 30, "x": np.r_[np.zeros(30), np.ones(30)] + 0.01 * rng.normal(size=60)}
    )
    data["y"] = data.x + 0.01 * rng.normal(size=60)
    model = BayesianNetwork([("c", "x"), ("c", "y")]).fit(data)
    row = pa.table({"c": pa.array([None], pa.string()), "x": [0.0], "y": [1.0]})
    assert np.isfinite(model.score_samples(row)).all()
    assert model.predict_proba(row, "c").sum() == pytest.approx(1.0)


def test_column_to_predict_need_not_be_there():
    data = nv.datasets.load("play_tennis")
    model = BayesianNetwork([("PlayTennis", "Outlook"), ("PlayTennis", "Wind")], m=1.0).fit(data)
    rows = data.to_pandas().head(4).drop(columns=["PlayTennis", "Day"])
    with_it = model.predict_proba(rows, "Wind")
    np.testing.assert_array_equal(model.predict_proba(rows.drop(columns="Wind"), "Wind"), with_it)
    # A table brings its target as evidence.
    for row, found in zip(
        data.to_pandas().head(4).to_dict("records"), model.predict_proba(data.head(4), "Wind"), strict=True
    ):
        known = {name: row[name] for name in ("Outlook", "Temperature", "Humidity", "PlayTennis")}
        np.testing.assert_allclose(found, model.query("Wind", known).table, rtol=1e-12)


def test_delegates_to_the_network():
    model = BayesianNetwork([("a", "b")], m=1.0).fit(pd.DataFrame({"a": list("xxyy"), "b": list("uvuu")}))
    assert model.query("a", {"b": "u"}).to_dict() == model.network_.query("a", {"b": "u"}).to_dict()
    assert set(model.map_query()) == {"a", "b"}
    assert model.sample(7).num_rows == 7
    assert model.network_.dag.edges == model.edges_ == (("a", "b"),)
    np.testing.assert_allclose(model.network_.log_likelihood({"a": ["x"], "b": [None]}), model.score_samples(
        pa.table({"a": ["x"], "b": pa.array([None], pa.string())})
    )[0])  # fmt: skip


# --- laws and scales ----------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("hidden", [None, {"h": 2}])
@pytest.mark.parametrize("numeric", [False, True])
def test_files_and_cuts_give_the_same_model(tmp_path, hidden, numeric):
    """A graph with edges, gaps, hidden nodes and continuous ones: memory, pieces of seven rows, Parquet."""
    rng = np.random.default_rng(0)
    data = frame(rng, 90, (2, 3, 2), gaps=0.1)
    if numeric:
        values = rng.normal(size=90) + 2.0 * (np.array(data["a"], object) == "s1")
        data["x"] = [None if rng.random() < 0.1 else v for v in values.tolist()]
    edges = [("a", "b"), ("b", "c")] + ([("a", "x"), ("c", "x")] if numeric else [])
    edges += [("h", "a"), ("h", "c")] if hidden else []
    learner = BayesianNetwork(edges, hidden=hidden, m=1.0, max_iter=15)
    arrow = pa.table(data)
    whole = learner.fit(arrow)
    for i in range(3):
        pq.write_table(arrow.slice(30 * i, 30), tmp_path / f"{i}.parquet", row_group_size=11)
    layout = nv.read(arrow, progress=False).layout
    sources = Table(CutFrame(arrow), layout), nv.read(str(tmp_path / "*.parquet"), progress=False)
    for source in sources:
        other = BayesianNetwork(edges, hidden=hidden, m=1.0, max_iter=15).fit(source)
        for node, family in whole.families_.items():
            mine = family.table if isinstance(family, CategoricalFamily) else family.intercept
            found = other.families_[node]
            np.testing.assert_allclose(
                found.table if isinstance(found, CategoricalFamily) else found.intercept, mine, rtol=1e-8, atol=1e-10
            )
        np.testing.assert_allclose(other.history_, whole.history_, rtol=1e-10)


def test_a_table_brings_its_target_as_a_node():
    table = nv.datasets.load("play_tennis")
    model = BayesianNetwork([("PlayTennis", "Wind")], m=1.0).fit(table)
    X, y = table.to_pandas().drop(columns=["PlayTennis", "Day"]), table.to_pandas().PlayTennis.astype(str)
    assert model.target_names_ == ("PlayTennis",)
    assert model.log_likelihood(table) == pytest.approx(model.log_likelihood_)
    assert model.log_likelihood(X, y) == pytest.approx(model.log_likelihood_)
    by_arrays = BayesianNetwork([("y", "Wind")], m=1.0).fit(X, y)
    np.testing.assert_array_equal(by_arrays.predict_proba(X), model.predict_proba(X))


def test_rows_without_a_target_still_count(tmp_path):
    """Semi-supervised: an empty target is an empty cell."""
    frame = pa.table({"c": ["u", "v", None, "u", "v", None], "x": ["p", "q", "q", "p", "q", "q"]})
    model = BayesianNetwork([("c", "x")], tol=1e-12).fit(nv.read(frame, "c", progress=False))
    # q rows belong to v: 2 seen with v and none with u, so both empty cells become v
    np.testing.assert_allclose(model.families_["c"].table, [1 / 3, 2 / 3], atol=1e-5)


def test_model_file_and_work(tmp_path):
    model, data = mixed_model(np.random.default_rng(0))
    check_work(model)
    model.save(tmp_path / "m.nova")
    same_model_families(nv.load(tmp_path / "m.nova"), model)
    hidden = BayesianNetwork([("h", "a"), ("h", "b")], hidden={"h": 2}, m=1.0).fit(data[["a", "b"]])
    check_work(hidden)
    hidden.save(tmp_path / "h.nova")
    assert nv.load(tmp_path / "h.nova").families_ == hidden.families_


def same_model_families(one, other):
    assert one.families_ == other.families_
    assert all(isinstance(f, CategoricalFamily | GaussianFamily) for f in one.families_.values())


# --- bad input ----------------------------------------------------------------------------------------------

ROWS = pd.DataFrame({"a": list("xxyy"), "b": list("uvuu"), "z": [1.0, 2.0, 3.0, 4.0]})


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ({"edges": [("a", "b"), ("b", "a")]}, ParameterError, "a → b → a"),
        ({"edges": [("a", "q")]}, SchemaError, "'q', which is neither a column nor hidden"),
        ({"edges": [("z", "a")]}, ParameterError, "the parent 'z' of 'a' is continuous"),
        ({"edges": ["ab"]}, InputTypeError, "a pair"),
        ({"hidden": {"a": 2}}, ParameterError, "'a' is a column"),
        ({"hidden": {"h": 1}, "edges": [("h", "a")]}, ParameterError, "at least 2"),
        ({"hidden": {"h": 2}}, ParameterError, "'h' has no edge"),
        ({"m": 1.0, "equivalent_sample_size": 1.0}, ParameterError, "leave one of them out"),
    ],
)
def test_refusals(parameters, error, sentence):
    with pytest.raises(error, match=sentence):
        BayesianNetwork(**parameters).fit(ROWS)


def test_more_refusals():
    model = BayesianNetwork([("a", "b")]).fit(ROWS)
    with pytest.raises(ParameterError, match="name the node"):
        model.predict(ROWS)
    with pytest.raises(ParameterError, match="no node 'q'"):
        model.predict(ROWS, "q")
    with pytest.raises(DataError, match="row 2 has probability zero"):
        model.predict_proba(pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "z": [1.0, 1.0]}), "z")
    with pytest.warns(UnseenCategoryWarning, match="'b'"):
        model.predict(pd.DataFrame({"a": ["x"], "b": ["never"], "z": [1.0]}), "a")
    with pytest.raises(DataError, match="infinite"):
        BayesianNetwork().fit(ROWS.assign(z=[1.0, np.inf, 2.0, 3.0]))
    with pytest.raises(ValueError, match="sum to zero"):
        BayesianNetwork().fit(ROWS, sample_weight=np.zeros(4))
    with pytest.raises(DataError, match="bdeu"):
        model.bdeu()


def test_a_huge_table_is_refused_with_its_size():
    names = tuple(f"n{i}" for i in range(27))
    variables = Variables(dict.fromkeys(names, ("p", "q")), ())
    with pytest.raises(DataError, match=f"{2**27:,} entries, more than {MOST_ENTRIES:,}"):
        FamilyLayout.of(Dag.of({"n26": names[:26]}, names).parents.items(), variables)


def test_a_network_that_is_given_needs_no_fit(tmp_path):
    given = BayesianNetwork({"Wet": ["Rain"]}).fit(pd.DataFrame({"Rain": list("nnny"), "Wet": list("nnyy")}))
    given.to_bif(tmp_path / "wet.bif")
    loaded = BayesianNetwork.from_bif(tmp_path / "wet.bif")
    assert loaded.edges_ == (("Rain", "Wet"),)
    assert loaded.query("Rain", {"Wet": "y"}).to_dict() == given.query("Rain", {"Wet": "y"}).to_dict()
    rows = pd.DataFrame({"Rain": ["n", None], "Wet": ["y", "y"]})
    np.testing.assert_allclose(loaded.predict_proba(rows, "Rain"), [[0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(loaded.score_samples(rows), np.log([0.25, 0.5]))
    assert loaded.n_parameters_ == 3
    assert "as it was given" in str(loaded.work())
    for question in (loaded.bic, loaded.bdeu, loaded.log_likelihood):
        with pytest.raises(DataError, match="saw no rows of a fit"):
            question()
    loaded.save(tmp_path / "wet.nova")
    assert nv.load(tmp_path / "wet.nova").query("Wet").to_dict() == given.query("Wet").to_dict()


def test_the_work_of_rows_is_the_same_for_any_frame():
    frame = pd.DataFrame({"Rain": list("nnny"), "Wet": list("nnyy")})
    model = BayesianNetwork({"Wet": ["Rain"]}).fit(frame)
    table = pa.Table.from_pandas(frame)
    forms = [table, pl.from_pandas(frame), nv.read(frame)]
    assert {str(model.work(form)) for form in forms} == {str(model.work(frame))}


def test_the_graph_answers_for_itself():
    edges = [("A", "B"), ("C", "B"), ("B", "D")]
    model = BayesianNetwork(edges, m=1.0).fit(pd.DataFrame({name: list("xyxy") for name in "ABCD"}))
    assert model.d_separated("A", "C")
    assert not model.d_separated("A", "C", "D")
    assert model.markov_blanket("A") == ("C", "B")
    assert "B" in model.plot().svg()
