"""A preparation is a function of chunks: what streams behind it streams, and the model is the same at every scale."""

import warnings

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_chunking, check_scales, check_statistic
from novacula.errors import UnseenCategoryWarning
from novacula.linear import LogisticRegression, Ridge
from novacula.mixture import KMeans
from novacula.neighbors import KNeighborsClassifier
from novacula.prepare import PreparedClassifier, PreparedClusterer, PreparedRegressor
from novacula.prepare.sums import Gaps
from novacula.table import Chunk, Table
from novacula.tree import DecisionTreeClassifier


def mixed(n=900, seed=0):
    """Numbers, categories and words, all with gaps, and a rare class."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "size": rng.normal(50, 20, n),
            "flat": rng.normal(0, 1e-3, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "text": [" ".join(rng.choice(["cheap", "secret", "link", "play", "sports"], 5)) for _ in range(n)],
        }
    )
    score = (rows["size"] - 50) / 20 + (rows["colour"] == "red") + rows["text"].str.count("secret")
    rows["kind"] = np.select([score > 2.5, score > 0.5], ["high", "middle"], "low")
    rows.loc[rng.random(n) < 0.1, "size"] = np.nan
    rows.loc[rng.random(n) < 0.1, "colour"] = None
    return rows


LEARNERS = [
    NaiveBayes(),
    LogisticRegression(),
    DecisionTreeClassifier(max_depth=3, max_bins=16),
    KNeighborsClassifier(3),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_file_in_many_pieces_gives_the_answers_of_rows_in_memory(tmp_path, learner):
    rows, types = mixed(), {"text": "text"}
    for k, start in enumerate(range(0, len(rows), 150)):
        rows[start : start + 150].to_parquet(tmp_path / f"rows{k}.parquet")
    held = nv.read(rows, "kind", types=types)
    file = nv.read(tmp_path / "*.parquet", "kind", types=types)
    assert len(file.source.partitions()) == 6
    ours = PreparedClassifier(learner).fit(file)
    theirs = PreparedClassifier(learner).fit(held)
    assert [c.name for c in ours.columns_] == [c.name for c in theirs.columns_]
    np.testing.assert_allclose(ours.predict_proba(file), theirs.predict_proba(held), rtol=1e-6, atol=1e-9)
    assert (ours.predict(file) == theirs.predict(held)).all()


@pytest.mark.parametrize(
    "prepared",
    [
        PreparedClassifier(NaiveBayes()),
        PreparedClassifier(LogisticRegression()),
        PreparedRegressor(Ridge()),
        PreparedClusterer(KMeans(3)),
    ],
    ids=lambda prepared: type(prepared.inner_learner()).__name__,
)
def test_it_scales_as_the_learner_behind_it(prepared):
    assert prepared.card.scales == prepared.inner_learner().card.scales
    assert prepared.card.uses == prepared.inner_learner().card.uses
    check_chunking(prepared)
    check_scales(prepared)


def test_a_learner_of_arrays_claims_no_stream():
    assert PreparedClassifier(KNeighborsClassifier()).card.scales == ("memory",)


def test_a_stream_is_never_held_whole(tmp_path, monkeypatch):
    mixed().to_parquet(tmp_path / "rows.parquet", row_group_size=50)
    file = nv.read(tmp_path / "rows.parquet", "kind", types={"text": "text"})
    for name in ("to_chunk", "in_memory", "take"):
        monkeypatch.setattr(Table, name, lambda *_: pytest.fail("the rows of a stream were brought together"))
    PreparedClassifier(NaiveBayes()).fit(file)
    PreparedClassifier(LogisticRegression()).fit(file)


def test_a_class_without_rows_that_count_is_no_class():
    rows = mixed(120).drop(columns="text")
    weight = (rows["kind"] != "high").astype(float).to_numpy()
    some = rows[weight > 0]
    ours = PreparedClassifier(LogisticRegression()).fit(rows.drop(columns="kind"), rows["kind"], sample_weight=weight)
    theirs = PreparedClassifier(LogisticRegression()).fit(some.drop(columns="kind"), some["kind"])
    assert ours.classes_.tolist() == theirs.classes_.tolist() == ["low", "middle"]
    X = rows.drop(columns="kind")
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


def test_weights_are_repetitions_also_where_categories_are_counted():
    rows = mixed(60).drop(columns="text")
    times = np.random.default_rng(1).integers(0, 4, len(rows))
    repeated = rows.loc[np.repeat(rows.index, times)]
    X, y = rows.drop(columns="kind"), rows["kind"]
    ours = PreparedClassifier(LogisticRegression()).fit(X, y, sample_weight=times.astype(float))
    theirs = PreparedClassifier(LogisticRegression()).fit(repeated.drop(columns="kind"), repeated["kind"])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7)


def test_unseen_categories_are_reported_once():
    rows = mixed(80).drop(columns="text")
    model = PreparedClassifier(NaiveBayes()).fit(rows.drop(columns="kind"), rows["kind"])
    strange = rows.drop(columns="kind").assign(colour="violet")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.predict(strange)
    messages = [str(w.message) for w in caught if issubclass(w.category, UnseenCategoryWarning)]
    assert messages == ["categories that were not there at fit were treated as missing in 'colour' (80)"]


def test_gaps_obey_the_laws_of_statistics():
    rng = np.random.default_rng(0)
    numbers, codes = rng.normal(size=(40, 2)), rng.integers(-1, 3, (40, 3)).astype(np.int32)
    numbers[rng.random((40, 2)) < 0.2] = np.nan
    check_statistic(Gaps.observe, Chunk(numbers, codes, np.ones(40)), Gaps.zero(2, 3), exact=True)
