"""Tables without a target: clusters that are there are found, those that are not are not, and hostile input holds."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import novacula as nv
from novacula.checks.samples import NASTY_NAMES
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.mixture import GaussianMixture, KMeans
from novacula.study.unlabelled import explore


def balls(n=150, gap=8.0, seed=0):
    """Three round clusters in two columns, a category that goes with them, and a column of noise."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 3, n)
    places = gap * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[label] + rng.normal(size=(n, 2))
    words = np.where(rng.random(n) < 0.9, np.array(["ape", "bee", "cat"], object)[label], "dog")
    return pd.DataFrame({"a": places[:, 0], "b": places[:, 1], "kind": words, "noise": rng.normal(size=n)}), label


@pytest.fixture(scope="module")
def explored():
    return explore(balls()[0])


# --- how many ------------------------------------------------------------------------------------------------


def test_three_clusters_are_found_and_the_reason_is_given(explored):
    assert explored.n_clusters == 3
    assert adjusted_rand_score(explored.labels_, balls()[1]) > 0.99
    assert explored.reason.startswith("3 clusters: a mixture of 3 ")
    assert "Models of two halves of the rows agree on the clusters (Rand index " in explored.reason
    assert "K-means with as many clusters agrees (Rand index " in explored.reason
    assert explored.clusters.stability > 0.95
    assert explored.clusters.agreement > 0.95


def test_the_choice_is_the_smallest_within_ten_of_the_least_bic(explored):
    scores = {(c.candidate.n_components, c.candidate.score) for c in explored.mixtures if c.counts}
    least = min(score for _, score in scores)
    assert explored.n_clusters == min(k for k, score in scores if score <= least + 10)
    assert explored.best_.bic() in {score for k, score in scores if k == explored.n_clusters}


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_one_cluster(seed):
    rng = np.random.default_rng(seed)
    noise = explore(pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc")), random_state=seed)
    assert noise.n_clusters == 1
    assert noise.reason.startswith("One cluster: one ")
    assert "have" in noise.reason
    assert set(noise.labels_) == {0}
    assert math.isnan(noise.clusters.stability)


def test_irises_are_two_clusters():
    """Setosa, and the two others: BIC 574 for two full Gaussians, as in the literature on mixtures."""
    irises = explore(nv.datasets.load("iris"))
    assert irises.n_clusters == 2
    assert sorted(profile.size for profile in irises.profiles) == [50, 100]
    assert irises.best_.bic() == pytest.approx(574.02, abs=0.05)


def test_a_difference_of_bic_that_does_not_decide():
    from novacula.mixture.gaussian.search import MixtureCandidate
    from novacula.study.clusters import TriedMixture, _by_bic

    class Fitted:
        collapsed_ = ()

    class Collapsed:
        collapsed_ = (0,)

    def tried(k, score, model):
        return TriedMixture(MixtureCandidate(k, "full", score, 0.0, k, True, ""), model)

    chosen, reason = _by_bic([tried(1, 140.0, Fitted), tried(2, 108.0, Fitted), tried(3, 100.0, Fitted)])
    assert chosen.candidate.n_components == 2
    assert "The least has 3 full Gaussians, 100, but a difference of 8 does not decide" in reason
    chosen, _ = _by_bic([tried(1, 140.0, Fitted), tried(2, 120.0, Fitted), tried(3, 100.0, Fitted)])
    assert chosen.candidate.n_components == 3
    chosen, _ = _by_bic([tried(1, 140.0, Fitted), tried(2, 120.0, Fitted), tried(3, -100.0, Collapsed)])
    assert chosen.candidate.n_components == 2


def test_categories_alone_are_clustered_by_k_means():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 120)
    columns = {f"c{j}": np.array(["x", "y"], object)[label ^ (rng.random(120) < 0.03)] for j in range(6)}
    words = explore(pd.DataFrame(columns))
    assert isinstance(words.best_.model_, KMeans)
    assert words.n_clusters == 2
    assert "no column has a density" in words.reason
    assert adjusted_rand_score(words.labels_, label) > 0.95
    assert words.mixtures == ()
    assert words.density == ()
    assert words.figures()


# --- what is in it -------------------------------------------------------------------------------------------


def test_profiles_are_means_by_cluster(explored):
    frame = balls()[0].assign(cluster=explored.labels_)
    for profile in explored.profiles:
        held = frame[frame["cluster"] == profile.cluster]
        assert profile.size == len(held)
        assert profile.means["a"] == pytest.approx(held["a"].mean())
        most = held["kind"].value_counts(normalize=True)
        assert profile.categories["kind"] == (most.index[0], pytest.approx(most.iloc[0]))
        assert any(word in " ".join(profile.traits) for word in ("a ", "b ", "kind = "))
    assert sum(profile.share for profile in explored.profiles) == pytest.approx(1.0)


def test_components_are_those_of_scaled_columns(explored):
    frame = balls()[0]
    numbers = frame[["a", "b", "noise"]]
    scaled = (numbers - numbers.mean()) / numbers.std(ddof=0)
    words = pd.get_dummies(frame["kind"]).astype(float)
    whole = np.cov(np.hstack([scaled, words]).T)
    shares = np.sort(np.linalg.eigvalsh(whole))[::-1] / np.trace(whole)
    np.testing.assert_allclose(
        explored.pca.explained_variance_ratio_, shares[: len(explored.pca.components_)], atol=1e-9
    )


def test_densities_are_compared_on_rows_left_out(explored):
    from novacula.evaluate.folds import folds

    scores = {score.name: score for score in explored.density}
    assert set(scores) == {"One Gaussian", explored.density[0].name, "Kernel density", "Nearest neighbours"}
    assert explored.density[0].name.startswith("Mixture of 3")
    assert not scores["Nearest neighbours"].comparable
    rows = balls()[0][["a", "b", "noise"]].to_numpy()
    from scipy.stats import multivariate_normal

    losses = [
        -multivariate_normal(rows[t].mean(axis=0), np.cov(rows[t].T, ddof=0)).logpdf(rows[h]).mean()
        for t, h in folds(len(rows), 5, random_state=0)
    ]
    assert scores["One Gaussian"].error == pytest.approx(np.mean(losses), abs=1e-6)
    assert scores["One Gaussian"].standard_error == pytest.approx(np.std(losses, ddof=1) / math.sqrt(5), abs=1e-6)
    assert explored.density_reason.startswith("Mixture of 3")
    assert "over 5 folds of 150 rows" in explored.density_reason


def test_missing_values_are_integrated_out():
    frame, label = balls()
    frame["a"] = frame["a"].mask(np.random.default_rng(1).random(len(frame)) < 0.15)
    gappy = explore(frame)
    assert gappy.n_clusters == 3
    assert adjusted_rand_score(gappy.labels_, label) > 0.8
    assert {score.name: score.note for score in gappy.density}["Kernel density"] == "takes no missing values"
    assert "a is missing" in [column.name for column in gappy.prepared.layout.features]


def test_columns_that_cannot_take_part_are_reported():
    frame, _ = balls(160)
    rng = np.random.default_rng(0)
    frame["id"] = range(160)
    frame["note"] = [" ".join(rng.choice(["lorem", "ipsum", "dolor", "sit"], 6)) + f" {i}" for i in range(160)]
    frame["same"] = 1.0
    frame["zeros"] = np.where(rng.random(160) < 0.6, 0.0, rng.normal(size=160))
    exploration = explore(frame)
    left = {
        finding.columns[0]: finding.kind
        for finding in exploration.findings
        if finding.kind in ("left-out", "no-density")
    }
    assert left == {"note": "left-out", "id": "left-out", "zeros": "no-density"}
    assert exploration.table.layout.names == ("a", "b", "kind", "noise", "zeros")
    assert exploration.best_.feature_names_in_.tolist() == ["a", "b", "noise"]
    assert exploration.n_clusters == 3


def test_a_target_is_left_out():
    assert "PlayTennis" not in explore(nv.datasets.load("play_tennis")).table.layout


# --- out -----------------------------------------------------------------------------------------------------


def test_the_model_can_be_saved_and_answers_for_rows_as_they_come(explored, tmp_path):
    explored.best_.save(tmp_path / "clusters.nova")
    again = nv.load(tmp_path / "clusters.nova")
    assert isinstance(again, GaussianMixture)
    np.testing.assert_array_equal(again.predict(nv.read(balls()[0], progress=False)), explored.labels_)


def test_the_same_seed_gives_the_same(explored):
    again = explore(balls()[0])
    first, second = explored.to_dict(), again.to_dict()
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_words_and_json(explored):
    said = str(explored)
    assert explored.reason in said
    assert "cluster 2" in said
    assert "of the variance" in said
    plain = json.loads(json.dumps(explored.to_dict(), allow_nan=False))
    assert plain["n_clusters"] == 3
    assert len(plain["clusters"]) == 3
    assert len(explored.loadings_table().rows) == 1 + len(explored.prepared.layout.features)
    assert explored.density_table().rows[0][0] == explored.density[0].name
    assert sum(row[-1] == "chosen" for row in explored.mixture_table().rows) == 1


def test_figures_can_be_drawn_and_read(explored):
    figures = explored.figures()
    assert [title for title, _ in figures] == [
        "Rows by cluster", "What the clusters are", "How many Gaussians", "How many clusters, by k-means",
        "Variance by direction", "Densities",
    ]  # fmt: skip
    for _, figure in figures:
        assert figure.svg().startswith("<svg")
        assert len(figure.alt) > 20


def test_one_column():
    rng = np.random.default_rng(0)
    single = explore(pd.DataFrame({"x": np.r_[rng.normal(size=80), rng.normal(9, 1, 80)]}))
    assert single.n_clusters == 2
    title, figure = single.figures()[0]
    assert title == "Rows by cluster"
    assert figure.svg().startswith("<svg")


def test_nasty_names():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 120)
    frame = pd.DataFrame({name: rng.normal(size=120) + 6 * label for name in NASTY_NAMES[:4]})
    frame[NASTY_NAMES[7] + "x" * 3000] = rng.choice(list(NASTY_NAMES[:3]), 120)
    nasty = explore(frame)
    assert nasty.n_clusters == 2
    assert "\u202e" not in str(nasty)
    assert "x" * 100 not in str(nasty)
    for _, figure in nasty.figures()[:2]:  # the ones that name columns
        assert "<script>" not in figure.svg()


# --- bounds and bad input ------------------------------------------------------------------------------------


def test_long_tables_are_sampled_and_say_so(monkeypatch):
    from novacula.study import unlabelled

    monkeypatch.setattr(unlabelled, "MAX_ROWS", 100)
    sampled = explore(balls()[0])
    assert len(sampled.labels_) == 100
    assert "100 of 150 rows are explored, drawn at random." in {finding.sentence for finding in sampled.findings}


def test_a_budget_that_is_used_up_leaves_a_whole_exploration():
    short = explore(balls()[0], budget=1e-6)
    assert len(short.mixtures) == 1
    assert short.density == ()
    assert short.stopped in str(short)
    assert "budget of time" in short.stopped
    assert short.profiles


def test_bad_input():
    with pytest.raises(ParameterError, match="budget is 0"):
        explore(balls()[0], budget=0)
    with pytest.raises(DataError, match="has 3 rows"):
        explore(pd.DataFrame({"x": [1.0, 2.0, 3.0]}))
    with pytest.raises(SchemaError, match="no column of numbers or categories that varies"):
        explore(pd.DataFrame({"x": [1.0] * 30, "id": range(30)}))


def test_four_rows():
    few = explore(pd.DataFrame({"x": [1.0, 2.0, 8.0, 9.0], "w": list("abab")}))
    assert few.n_clusters >= 1
    assert len(few.labels_) == 4


def test_learn_explores_tables_without_a_target():
    assert nv.learn(balls(120)[0]).n_clusters == 3
