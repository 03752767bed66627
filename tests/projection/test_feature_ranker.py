"""Feature ranking: scikit-learn's tests and SciPy's as oracles, textbook gains, laws, and bad input."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.feature_selection import f_classif, f_regression
from sklearn.metrics import mutual_info_score
from sklearn.pipeline import make_pipeline

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.errors import DataError, SchemaError
from novacula.projection import FeatureRanker

laws = settings(deadline=None)
seeds = st.integers(0, 2**32 - 1)


def rows(seed, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 3
    numbers = X[:, 0] + rng.normal(size=n)
    return X, numbers, np.searchsorted([2.5, 3.5], numbers)


def entropy(labels):
    _, counts = np.unique(labels, return_counts=True)
    p = counts / counts.sum()
    return -(p * np.log2(p)).sum()


# --- numbers ------------------------------------------------------------------------------------------------


@laws
@given(seeds)
def test_anova_is_scikit_learns(seed):
    X, numbers, classes = rows(seed)
    for y, oracle in ((classes, f_classif), (numbers, f_regression)):
        ranker = FeatureRanker("anova").fit(X, y)
        f, p = oracle(X, y)
        np.testing.assert_allclose(ranker.scores_, f, rtol=1e-8)
        np.testing.assert_allclose(ranker.pvalues_, p, rtol=1e-6, atol=1e-14)


@laws
@given(seeds)
def test_correlation_is_pearsons_and_its_ratio(seed):
    X, numbers, classes = rows(seed)
    ranker = FeatureRanker().fit(X, numbers)
    for j in range(4):
        r = stats.pearsonr(X[:, j], numbers)
        assert ranker.scores_[j] == pytest.approx(abs(r.statistic), abs=1e-9)
        assert ranker.pvalues_[j] == pytest.approx(r.pvalue, rel=1e-6)
    by_class = FeatureRanker().fit(X, classes)
    for j in range(4):
        total = ((X[:, j] - X[:, j].mean()) ** 2).sum()
        between = sum((classes == c).sum() * (X[classes == c, j].mean() - X[:, j].mean()) ** 2 for c in set(classes))
        assert by_class.scores_[j] == pytest.approx(np.sqrt(between / total))
        oneway = stats.f_oneway(*(X[classes == c, j] for c in sorted(set(classes))))
        assert by_class.pvalues_[j] == pytest.approx(oneway.pvalue, rel=1e-6)


def test_categories_by_cramer_and_by_means():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 200)
    label = np.where(rng.random(200) < 0.6, colour == "red", rng.random(200) < 0.5)
    size = rng.normal(size=200) + (colour == "blue")
    frame = pd.DataFrame({"colour": colour})
    table = pd.crosstab(label, colour)
    ranker = FeatureRanker().fit(frame, label)
    assert ranker.scores_[0] == pytest.approx(stats.contingency.association(table.to_numpy(), method="cramer"))
    assert ranker.pvalues_[0] == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)
    by_means = FeatureRanker("anova").fit(frame, size)
    oneway = stats.f_oneway(*(size[colour == c] for c in ("blue", "green", "red")))
    assert by_means.scores_[0] == pytest.approx(oneway.statistic)
    assert by_means.pvalues_[0] == pytest.approx(oneway.pvalue)


def equal_bins(x, n_bins):
    """Bins of equal weight by sorting: distinct values, so a tie never has to be kept together."""
    return np.argsort(np.argsort(x)) * n_bins // len(x)


@laws
@given(seeds, st.sampled_from([2, 5, 10]))
def test_mutual_information_is_scikit_learns_on_binned_columns(seed, n_bins):
    X, numbers, classes = rows(seed)
    for y, labels in ((classes, classes), (numbers, equal_bins(numbers, n_bins))):
        ranker = FeatureRanker("mutual_information", n_bins=n_bins).fit(X, y)
        for j in range(4):
            bins = equal_bins(X[:, j], n_bins)
            assert ranker.scores_[j] == pytest.approx(mutual_info_score(labels, bins), abs=1e-9)
            table = pd.crosstab(labels, bins)
            g = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
            assert ranker.pvalues_[j] == pytest.approx(g.pvalue, rel=1e-6, abs=1e-12)


@laws
@given(seeds)
def test_gain_is_that_of_the_best_threshold(seed):
    X, _, classes = rows(seed, n=30)
    ranker = FeatureRanker("gain").fit(X, classes)
    for j in range(4):
        gains = []
        for cut in np.sort(X[:, j])[:-1]:
            left = X[:, j] <= cut
            gains.append(
                entropy(classes) - left.mean() * entropy(classes[left]) - (~left).mean() * entropy(classes[~left])
            )
        assert ranker.scores_[j] == pytest.approx(max(gains), abs=1e-9)
    assert ranker.pvalues_ is None


def test_the_gains_of_tennis():
    ranker = FeatureRanker("gain").fit(nv.datasets.load("play_tennis"))
    np.testing.assert_allclose(ranker.scores_, [0.2467, 0.0292, 0.1518, 0.0481], atol=5e-5)
    assert ranker.ranks_.tolist() == [1, 4, 2, 3]
    nats = FeatureRanker("mutual_information").fit(nv.datasets.load("play_tennis"))
    np.testing.assert_allclose(nats.scores_, ranker.scores_ * np.log(2))


# --- laws ---------------------------------------------------------------------------------------------------


@laws
@given(seeds, st.sampled_from(["correlation", "anova", "mutual_information", "gain"]), st.booleans())
def test_a_missing_value_leaves_its_row_out_for_its_column(seed, score, classed):
    X, numbers, classes = rows(seed)
    y = classes if classed else numbers
    gone = np.random.default_rng(seed).random(len(X)) < 0.3
    gappy = X.copy()
    gappy[gone, 1] = np.nan
    ranker, whole = FeatureRanker(score).fit(gappy, y), FeatureRanker(score).fit(X, y)
    np.testing.assert_array_equal(ranker.scores_[[0, 2, 3]], whole.scores_[[0, 2, 3]])
    if classed or score in ("correlation", "anova"):  # else the bins of the target are those of all rows
        alone = FeatureRanker(score).fit(X[~gone], y[~gone])
        assert ranker.scores_[1] == pytest.approx(alone.scores_[1])


@laws
@given(seeds, st.sampled_from(["correlation", "anova", "mutual_information", "gain"]))
def test_scores_do_not_depend_on_units(seed, score):
    X, numbers, _ = rows(seed)
    moved = FeatureRanker(score).fit(X * [2.0, 1e3, 1e-3, 1.0] + [0, 5, 0, 1e6], numbers * 8)
    np.testing.assert_allclose(moved.scores_, FeatureRanker(score).fit(X, numbers).scores_, rtol=1e-6)


def test_a_column_that_does_not_vary_says_nothing():
    X = np.column_stack([np.full(50, 0.1), np.arange(50.0)])
    y = np.arange(50) % 7 * 1.5
    for score in ("correlation", "anova", "mutual_information", "gain"):
        ranker = FeatureRanker(score).fit(X, y)
        assert ranker.scores_[0] == 0.0
        assert ranker.pvalues_ is None or ranker.pvalues_[0] == 1.0
        assert ranker.ranks_.tolist() == [2, 1]


def test_a_perfect_column_has_an_infinite_f():
    ranker = FeatureRanker("anova").fit(np.array([[0.0], [0.0], [1.0], [1.0]]), ["a", "a", "b", "b"])
    assert ranker.scores_[0] == np.inf
    assert ranker.pvalues_[0] == 0.0
    assert "nothing is left unexplained" in str(ranker.work())


@pytest.mark.parametrize("score", ["correlation", "anova", "mutual_information", "gain"])
def test_files_give_the_ranks_of_memory(tmp_path, score):
    X, numbers, _ = rows(0, n=300)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=numbers)
    for i in range(3):
        pq.write_table(pa.Table.from_pandas(frame[100 * i : 100 * i + 100]), tmp_path / f"{i}.parquet")
    frame.to_csv(tmp_path / "all.csv", index=False)
    memory = FeatureRanker(score).fit(frame.drop(columns="y"), frame["y"])
    for name in ("*.parquet", "all.csv"):
        streamed = FeatureRanker(score).fit(nv.read(str(tmp_path / name), target="y"))
        np.testing.assert_allclose(streamed.scores_, memory.scores_, rtol=1e-9)


# --- selecting ----------------------------------------------------------------------------------------------


@pytest.fixture
def flats():
    rng = np.random.default_rng(1)
    size, town = rng.uniform(30, 120, 80), rng.choice(["Bonn", "Ulm"], 80)
    rent = 9 * size + 100 * (town == "Bonn") + rng.normal(size=80)
    return pd.DataFrame({"noise": rng.normal(size=80), "size": size, "town": town, "rent": rent})


def test_frames_come_back_as_they_are(flats):
    X, y = flats.drop(columns="rent"), flats["rent"]
    ranker = FeatureRanker(k=2).fit(X, y)
    assert ranker.get_support().tolist() == [False, True, True]
    pd.testing.assert_frame_equal(ranker.transform(X), X[["size", "town"]])
    assert ranker.transform(pl.from_pandas(X)).columns == ["size", "town"]
    assert ranker.transform(pa.Table.from_pandas(X)).column_names == ["size", "town"]
    table = nv.read(flats, target="rent")
    kept = FeatureRanker(k=2).fit(table).transform(table)
    assert [(c.name, c.kind) for c in kept.schema.features] == [("size", "numeric"), ("town", "categorical")]
    assert kept.layout.target == ("rent",)
    numbers = X[["noise", "size"]].to_numpy()
    np.testing.assert_array_equal(FeatureRanker(k=1).fit(numbers, y).transform(numbers), numbers[:, 1:])
    assert ranker.get_feature_names_out().tolist() == ["size", "town"]


def test_in_a_pipeline(flats):
    X, y = flats.drop(columns="rent"), flats["rent"] > flats["rent"].median()
    assert make_pipeline(FeatureRanker(k=1), NaiveBayes()).fit(X, y).score(X, y) > 0.9


def test_what_a_target_is():
    X = np.arange(40.0)[:, None]
    assert FeatureRanker().fit(X, np.arange(40) % 3).classes_.tolist() == [0, 1, 2]
    assert FeatureRanker().fit(X, np.arange(40)).classes_ is None
    assert FeatureRanker().fit(X, np.arange(40) % 3 * 1.0).classes_ is None
    assert FeatureRanker(target="numbers").fit(X, np.arange(40) % 3).classes_ is None
    assert len(FeatureRanker(target="classes").fit(X, np.arange(40) % 3 * 1.0).classes_) == 3
    table = nv.read(pd.DataFrame({"x": X[:, 0], "y": np.arange(40) % 3}), target="y")
    assert FeatureRanker().fit(table).classes_.tolist() == [0, 1, 2]
    assert FeatureRanker(target="numbers").fit(table).classes_ is None


# --- bad input ----------------------------------------------------------------------------------------------


def test_what_cannot_be_ranked_is_said(flats):
    X, y = flats.drop(columns="rent"), flats["rent"]
    with pytest.raises(SchemaError, match="compares means, but column 'town' and the target"):
        FeatureRanker("anova").fit(X, y > 500)
    with pytest.raises(DataError, match="column 'size' is infinite"):
        FeatureRanker().fit(X.assign(size=np.inf), y)
    with pytest.raises(DataError, match="no row counts"):
        FeatureRanker().fit(nv.read(flats.assign(w=0.0), target="rent", weight="w"))
    for without in (lambda: FeatureRanker().fit(X), lambda: FeatureRanker().fit(nv.read(flats))):
        with pytest.raises(SchemaError, match=r"^FeatureRanker needs a target, so it requires y to be passed, but the"):
            without()
    with pytest.raises(SchemaError, match="FeatureRanker learns one target"):
        FeatureRanker().fit(nv.read(flats, target=["rent", "town"]))
    with pytest.raises(SchemaError, match="holds categories, not numbers"):
        FeatureRanker(target="numbers").fit(nv.read(flats, target="town"))
    ranker = FeatureRanker(k=1).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but FeatureRanker is expecting 1"):
        FeatureRanker().fit(np.arange(9.0)[:, None], np.arange(9.0)).transform(np.ones((2, 2)))
    with pytest.raises(ValueError, match="feature names should match"):
        ranker.transform(X[["noise", "size"]])
    with pytest.raises(SchemaError, match="no column"):
        ranker.transform(nv.read(flats.drop(columns="size")))


@pytest.mark.parametrize("score", ["correlation", "anova"])
def test_squares_that_overflow_between_classes_are_refused(score):
    """Each class alone has no spread, so that its own squares are fine; the score was NaN."""
    with pytest.raises(DataError, match="column 'x1' holds numbers whose squares overflow"):
        FeatureRanker(score).fit([[0.0, -2e159], [1.0, 7e159], [0.5, 7e159]], ["a", "b", "b"])


def test_large_numbers_are_correlated_as_small_ones():
    x = np.random.default_rng(0).normal(size=(50, 2))
    small = FeatureRanker().fit(x, x[:, 0] + x[:, 1]).scores_
    np.testing.assert_allclose(FeatureRanker().fit(1e150 * x, 1e100 * (x[:, 0] + x[:, 1])).scores_, small)
