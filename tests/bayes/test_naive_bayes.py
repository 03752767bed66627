"""Naive Bayes: the literature's numbers, plain Python as oracle, scikit-learn as oracle, properties, bad input."""

import math
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_equations, check_work
from novacula.errors import (
    DataError,
    DataWarning,
    InputTypeError,
    ParameterError,
    SchemaError,
    UnseenCategoryWarning,
)

DAY = pd.DataFrame({"Outlook": ["Sunny"], "Temperature": ["Cool"], "Humidity": ["High"], "Wind": ["Strong"]})


# --- the numbers of the literature --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "yes", "no", "share"), [(0, 0.005291, 0.020571, 0.795417), (1, 0.006125, 0.019290, 0.759002)]
)
def test_play_tennis(m, yes, no, share):
    model = NaiveBayes(m=m).fit(nv.datasets.load("play_tennis"))
    joint = np.exp(model.predict_joint_log_proba(DAY))[0]
    assert joint == pytest.approx([no, yes], abs=5e-7)
    assert model.predict_proba(DAY)[0, 0] == pytest.approx(share, abs=5e-7)
    assert model.predict(DAY).tolist() == ["No"]


def test_class_priors_are_not_smoothed():
    model = NaiveBayes(m=100).fit(nv.datasets.load("play_tennis"))
    assert model.class_prior_.tolist() == [5 / 14, 9 / 14]


# --- an oracle in plain Python ------------------------------------------------------------------------------------


def plain_joint(rows, labels, weights, query, m):
    """log P(t) + Σ log P(x_j|t) by dictionaries, straight from the definition; None is missing."""
    total = sum(weights)
    scores = {}
    for t in sorted(set(labels)):
        score = math.log(sum(w for w, c in zip(weights, labels, strict=True) if c == t) / total)
        for j, x in enumerate(query):
            if x is None:
                continue
            known = [(r[j], w) for r, w, c in zip(rows, weights, labels, strict=True) if c == t and r[j] is not None]
            n = sum(w for _, w in known)
            if isinstance(x, str):
                k = len({r[j] for r in rows if r[j] is not None})
                hits = sum(w for v, w in known if v == x)
                p = (hits + m / k) / (n + m)
                score += math.log(p) if p > 0 else -math.inf
            else:
                mean = math.fsum(v * w for v, w in known) / n
                var = math.fsum(w * (v - mean) ** 2 for v, w in known) / n + 1e-3
                score += -0.5 * math.log(2 * math.pi * var) - (x - mean) ** 2 / (2 * var)
        scores[t] = score
    return [scores[t] for t in sorted(scores)]


@settings(deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([0.5, 1.0, 3.0]))
def test_agrees_with_plain_python(seed, m):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 25))
    words = ["a", "b", "c"]
    rows = [
        [
            None if rng.random() < 0.2 else words[rng.integers(0, 3)],
            None if rng.random() < 0.2 else float(rng.normal()),
            None if rng.random() < 0.2 else words[rng.integers(0, 2)],
        ]
        for _ in range(n)
    ]
    labels = [["no", "yes"][i % 2] for i in range(n)]
    weights = rng.integers(1, 4, n).astype(float).tolist()
    by_class = defaultdict(list)
    for r, c in zip(rows, labels, strict=True):
        by_class[c].append(r)
    frame = pd.DataFrame(rows, columns=["u", "v", "w"])
    if (
        any(sum(r[1] is not None for r in part) == 0 for part in by_class.values())
        or frame[["u", "w"]].isna().all().any()
    ):
        return
    spread = _pooled_variance([r[1] for r in rows], weights)
    if spread == 0:
        return
    model = NaiveBayes(m=m, var_smoothing=1e-3 / spread).fit(frame, labels, sample_weight=weights)
    expected = [plain_joint(rows, labels, weights, row, m) for row in rows]
    np.testing.assert_allclose(model.predict_joint_log_proba(frame), expected, rtol=1e-9, atol=1e-9)


def _pooled_variance(values, weights):
    known = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None]
    n = sum(w for _, w in known)
    mean = sum(v * w for v, w in known) / n
    return sum(w * (v - mean) ** 2 for v, w in known) / n


# --- scikit-learn as oracle ---------------------------------------------------------------------------------------


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("shift", [0.0, 1e8])
def test_gaussian_equals_scikit_learn(rng, shift):
    X, y, w = rng.normal(size=(500, 4)) + shift, rng.integers(0, 3, 500), rng.uniform(0.5, 2, 500)
    X[:, 1] += y
    ours, theirs = NaiveBayes().fit(X, y, sample_weight=w), GaussianNB().fit(X - shift, y, sample_weight=w)
    np.testing.assert_allclose(ours.theta_ - shift, theirs.theta_, atol=1e-6)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X - shift), atol=1e-6)


def test_categorical_equals_scikit_learn(rng):
    X, y = rng.integers(0, 4, (400, 5)), rng.integers(0, 3, 400)
    ours = NaiveBayes(m="laplace", distributions="categorical").fit(X, y)
    theirs = CategoricalNB(alpha=1.0).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("form", [csr_matrix, np.asarray])
def test_multinomial_equals_scikit_learn(rng, form):
    X, y, w = rng.poisson(0.7, (300, 20)), rng.integers(0, 3, 300), rng.integers(1, 4, 300)
    ours = NaiveBayes(m="laplace", distributions="multinomial").fit(form(X), y, sample_weight=w)
    theirs = MultinomialNB(alpha=1.0).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.predict_log_proba(form(X)), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("form", [csr_matrix, np.asarray])
def test_bernoulli_equals_scikit_learn(rng, form):
    X, y = rng.poisson(0.7, (300, 20)), rng.integers(0, 2, 300)
    ours = NaiveBayes(m="laplace", distributions="bernoulli").fit(form(X), y)
    theirs = BernoulliNB(alpha=1.0).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(form(X)), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-10)


# --- what must hold -----------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(*(st.floats(0.05, 0.95) for _ in range(5)))
def test_equals_bayes_rule_when_columns_are_independent_within_classes(p_t, a_0, a_1, b_0, b_1):
    """The theorem: under its assumption it is the exact posterior. The rows are the joint table itself, weighted."""
    cells = [(t, a, b) for t in (0, 1) for a in (0, 1) for b in (0, 1)]
    share = lambda p, there: p if there else 1 - p  # noqa: E731
    weights = [share(p_t, t) * share((a_0, a_1)[t], a) * share((b_0, b_1)[t], b) for t, a, b in cells]
    frame = pd.DataFrame([["ny"[a], "ny"[b]] for _, a, b in cells], columns=["a", "b"])
    model = NaiveBayes(m=0).fit(frame, [t for t, _, _ in cells], sample_weight=weights)
    exact = [weights[i % 4] / (weights[i % 4] + weights[4 + i % 4]) for i in range(8)]
    np.testing.assert_allclose(model.predict_proba(frame)[:, 0], exact, rtol=1e-9)


def test_a_row_without_values_gets_the_prior():
    model = NaiveBayes().fit(nv.datasets.load("play_tennis"))
    blank = pd.DataFrame({c.name: pd.array([None], dtype="string") for c in model.schema_})
    assert model.predict_proba(blank)[0] == pytest.approx([5 / 14, 9 / 14])


def test_large_m_leaves_only_the_prior():
    model = NaiveBayes(m=1e12).fit(nv.datasets.load("play_tennis"))
    assert model.predict_proba(DAY)[0] == pytest.approx([5 / 14, 9 / 14], abs=1e-9)


def test_empirical_prior_estimate():
    table = nv.datasets.load("play_tennis")
    model = NaiveBayes(m=2, prior_estimate="empirical").fit(table)
    sunny = (3 + 2 * 5 / 14) / (5 + 2)
    column = model.groups_[0].names.index("Outlook")
    place = model.groups_[0].categories[column].index("Sunny")
    assert model.parts_[0].prob[0, model.parts_[0].offsets[column] + place] == pytest.approx(sunny)


def test_zero_counts_without_smoothing():
    frame = pd.DataFrame({"x": ["a", "a", "b", "b"], "z": ["u", "u", "v", "v"]})
    model = NaiveBayes(m=0).fit(frame, [0, 0, 1, 1])
    assert model.predict_proba(pd.DataFrame({"x": ["a"], "z": ["u"]})).tolist() == [[1.0, 0.0]]
    contradiction = pd.DataFrame({"x": ["a"], "z": ["v"]})
    with pytest.warns(DataWarning, match="row 1"):
        assert model.predict_proba(contradiction).tolist() == [[0.5, 0.5]]
    with pytest.warns(DataWarning, match="priors"):
        model.predict(contradiction)


def test_a_class_without_known_values_in_a_column_is_not_nan():
    frame = pd.DataFrame({"x": [1.0, 2.0, None, None], "c": [None, None, "a", "b"]})
    for distributions in ("auto", {"x": "kernel"}, {"x": "poisson"}):
        model = NaiveBayes(distributions=distributions).fit(frame, [0, 0, 1, 1])
        assert np.isfinite(model.predict_proba(frame)).all()


def test_class_prior_is_taken_as_given():
    model = NaiveBayes(m=0, class_prior=[0.5, 0.5]).fit(nv.datasets.load("play_tennis"))
    joint = np.exp(model.predict_joint_log_proba(DAY))[0]
    assert joint == pytest.approx([0.020571 / (5 / 14) / 2, 0.005291 / (9 / 14) / 2], rel=1e-4)
    check_work(model)


def test_extreme_rows_do_not_underflow(rng):
    X, y = rng.normal(size=(200, 400)), rng.integers(0, 2, 200)
    proba = NaiveBayes().fit(X, y).predict_proba(X * 50)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


# --- growing ------------------------------------------------------------------------------------------------------


def test_partial_fit_takes_new_categories_in():
    frame = pd.DataFrame({"c": ["m", "m", "z", "a", "k", "m"], "x": [1.0, 2, 3, 4, 5, 6]})
    y = ["p", "q", "p", "q", "p", "q"]
    grown = NaiveBayes().partial_fit(frame[:2], y[:2], classes=["p", "q"])
    grown.partial_fit(frame[2:4], y[2:4]).partial_fit(frame[4:], y[4:])
    whole = NaiveBayes().fit(frame, y)
    assert grown.groups_ == whole.groups_
    np.testing.assert_allclose(grown.predict_joint_log_proba(frame), whole.predict_joint_log_proba(frame), rtol=1e-12)


def test_partial_fit_refuses_what_was_not_announced():
    frame = pd.DataFrame({"c": ["m", "n"]})
    model = NaiveBayes().partial_fit(frame, ["p", "q"], classes=["p", "q"])
    with pytest.raises(DataError, match="'r'"):
        model.partial_fit(frame, ["p", "r"])
    closed = frame.astype(pd.CategoricalDtype(["m", "n"]))
    stated = NaiveBayes().partial_fit(closed, ["p", "q"])
    with pytest.raises(SchemaError, match="'o'"):
        stated.partial_fit(pd.DataFrame({"c": ["o", "n"]}), ["p", "q"])


def test_partial_fit_from_tables_equals_fit(tmp_path):
    table = nv.datasets.load("play_tennis")
    frame = table.to_pandas()
    frame[:7].to_csv(tmp_path / "a.csv", index=False)
    frame[7:].to_csv(tmp_path / "b.csv", index=False)
    model = NaiveBayes()
    for name in ("a.csv", "b.csv"):
        model.partial_fit(nv.read(tmp_path / name, "PlayTennis", types={"Day": "ignored"}), classes=["No", "Yes"])
    assert model.predict_proba(DAY)[0, 0] == pytest.approx(0.759002, abs=5e-7)


# --- distributions ------------------------------------------------------------------------------------------------


def test_distributions_by_name_position_and_for_all(rng):
    X, y = rng.integers(0, 3, (60, 2)).astype(float), rng.integers(0, 2, 60)
    by_position = NaiveBayes(distributions={0: "categorical"}).fit(X, y)
    by_name = NaiveBayes(distributions={"x0": "categorical"}).fit(X, y)
    np.testing.assert_array_equal(by_position.predict_proba(X), by_name.predict_proba(X))
    assert [g.distribution for g in by_name.groups_] == ["gaussian", "categorical"]


def test_two_categories_may_be_called_bernoulli():
    frame = pd.DataFrame({"c": ["no", "yes", "yes", "no"], "b": [True, False, True, True]})
    a = NaiveBayes(distributions="bernoulli").fit(frame, [0, 1, 1, 0])
    b = NaiveBayes().fit(frame, [0, 1, 1, 0])
    np.testing.assert_array_equal(a.predict_proba(frame), b.predict_proba(frame))


def test_weighted_table_equals_repeated_rows():
    candies = nv.datasets.load("candies")
    weighted = NaiveBayes().fit(candies)
    frame = candies.to_pandas()
    every = frame.loc[frame.index.repeat(frame.Count)]
    repeated = NaiveBayes().fit(every[["Wrapper", "Hole"]], every.Flavor)
    np.testing.assert_allclose(weighted.predict_proba(frame[["Wrapper", "Hole"]]),
                               repeated.predict_proba(frame[["Wrapper", "Hole"]]), rtol=1e-12)  # fmt: skip
    assert weighted.class_count_.tolist() == [560, 440]


# --- work ---------------------------------------------------------------------------------------------------------


def test_the_product_is_written_out():
    model = NaiveBayes(m=0).fit(nv.datasets.load("play_tennis"))
    text = " ".join(str(model.work(DAY)).split())
    assert "5/14 × 3/5 × 1/5 × 4/5 × 3/5 = 0.0205714" in text
    assert "9/14 × 2/9 × 3/9 × 3/9 × 3/9 = 0.00529101" in text
    assert "0.0205714 / (0.0205714 + 0.00529101) = 0.795417" in text
    check_work(model)
    check_work(model, DAY)


@pytest.mark.parametrize("distribution", ["gaussian", "categorical", "bernoulli", "multinomial", "poisson", "kernel"])
def test_every_distribution_derives_its_numbers(rng, distribution):
    X, y = rng.poisson(2.0, (60, 3)).astype(float), rng.integers(0, 2, 60)
    model = NaiveBayes(distributions={0: distribution, 1: distribution}).fit(X, y)
    check_equations(model)
    check_equations(model, X[:3])


def test_a_long_product_is_a_sum_of_logarithms(rng):
    X, y = rng.normal(size=(50, 40)), rng.integers(0, 2, 50)
    model = NaiveBayes().fit(X, y)
    check_work(model, X[:2])
    assert "[32 more:" in str(model.work(X[:1]))
    assert "Only the first 3 rows are derived." in str(model.work(X))
    far = model.work(X[:1] * 100)
    assert "ln(P(0, x)) = ln(P(0)) + Σⱼ ln(P(xⱼ | 0))" in str(far)
    check_work(model, X[:1] * 100)


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda X, y: NaiveBayes(m=-1).fit(X, y), ValueError, "'m' parameter"),
        (lambda X, y: NaiveBayes(distributions="cauchy").fit(X, y), ParameterError, "'cauchy'"),
        (lambda X, y: NaiveBayes(distributions={"nope": "gaussian"}).fit(X, y), ParameterError, "'nope'"),
        (lambda X, y: NaiveBayes(class_prior=[1.0]).fit(X, y), ParameterError, "1 entries for 2"),
        (lambda X, y: NaiveBayes(class_prior=[0.9, 0.9]).fit(X, y), ParameterError, "sum to 1"),
        (lambda X, y: NaiveBayes().fit(X, y, sample_weight=np.zeros(len(X))), ValueError, "sum to zero"),
        (lambda X, y: NaiveBayes().fit(X, y, sample_weight=-np.ones(len(X))), ValueError, "weight -1 "),
        (lambda X, y: NaiveBayes(distributions="poisson").fit(X - 9, y), DataError, "negative"),
        (lambda X, y: NaiveBayes(distributions="multinomial").fit(X - 9, y), DataError, "negative"),
        (lambda X, y: NaiveBayes().fit(np.where(X > 1, np.inf, X), y), DataError, "infinite"),
        (
            lambda X, y: NaiveBayes(distributions="kernel").fit(np.where(X > 1, np.inf, X), y),
            DataError,
            "infinite",
        ),
        (
            lambda X, y: NaiveBayes(distributions="poisson").fit(np.where(X > 1, np.inf, X), y),
            DataError,
            "infinite",
        ),
        (lambda X, y: NaiveBayes(var_smoothing=0).fit(np.ones_like(X), y), DataError, "var_smoothing"),
        (lambda X, y: NaiveBayes().fit(X, np.linspace(0, 1, len(X))), ValueError, "continuous"),
        (lambda X, y: NaiveBayes().fit(X), ValueError, "y is None"),
        (lambda X, y: NaiveBayes().fit(nv.read(X), sample_weight=y), InputTypeError, "weight="),
        (lambda X, y: NaiveBayes().fit(nv.read(X), y), InputTypeError, "name of its target"),
        (lambda X, y: NaiveBayes().fit(nv.read(X)), SchemaError, "needs a target"),
        (lambda X, y: NaiveBayes().fit(nv.read(X + 0.5), "x0"), DataError, "continuous"),
    ],
)
def test_bad_input(rng, make, error, words):
    X, y = rng.poisson(2.0, (40, 2)).astype(float), np.arange(40) % 2
    with pytest.raises(error, match=words) as caught:
        make(X, y)
    assert "\n" not in str(caught.value)


def test_wrong_kind_for_a_distribution():
    frame = pd.DataFrame({"c": ["a", "b", "c"]})
    with pytest.raises(SchemaError, match="'c' is categorical"):
        NaiveBayes(distributions={"c": "gaussian"}).fit(frame, [0, 1, 1])
    with pytest.raises(SchemaError, match="'c' is categorical"):
        NaiveBayes(distributions={"c": "bernoulli"}).fit(frame, [0, 1, 1])


def test_unseen_categories_are_reported_once_with_columns_and_counts():
    model = NaiveBayes().fit(nv.datasets.load("play_tennis"))
    strange = DAY.assign(Outlook="Foggy")
    with pytest.warns(UnseenCategoryWarning, match=r"'Outlook' \(1\)"):
        proba = model.predict_proba(strange)
    blank = DAY.assign(Outlook=pd.array([None], dtype="string"))
    np.testing.assert_allclose(proba, model.predict_proba(blank))
    with pytest.raises(DataError, match="'Foggy'"):
        NaiveBayes(unseen="error").fit(nv.datasets.load("play_tennis")).predict(strange)


def test_predicting_a_table_without_a_column_names_it():
    table = nv.datasets.load("play_tennis")
    with pytest.raises(SchemaError, match="'Wind'"):
        NaiveBayes().fit(table).predict(table.drop("Wind"))


# --- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("distribution", ["gaussian", "categorical", "bernoulli", "multinomial", "poisson", "kernel"])
def test_every_distribution_comes_back_from_its_file(rng, tmp_path, distribution):
    X, y = rng.poisson(2.0, (60, 3)).astype(float), rng.integers(0, 2, 60)
    model = NaiveBayes(distributions=distribution).fit(X, y)
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict_proba(X), model.predict_proba(X))
