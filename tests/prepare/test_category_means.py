"""Columns of many categories become the target's mean in each, drawn to that of all rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novacula as nv
from novacula.linear import LogisticRegression, Ridge
from novacula.neighbors import KNeighborsClassifier
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.prepare.category_means import moments_by_category
from novacula.prepare.sums import MAX_CATEGORIES
from novacula.table import Chunk
from novacula.tree import DecisionTreeClassifier


def shops(n=4000, n_shops=400, spread=2.0, seed=0):
    """Sales that depend on the shop, of which there are many."""
    rng = np.random.default_rng(seed)
    effect = spread * rng.normal(size=n_shops)
    shop = rng.integers(0, n_shops, n)
    rows = pd.DataFrame({"shop": pd.Categorical([f"s{i}" for i in shop]), "price": rng.normal(size=n)})
    return rows, effect[shop] + rows["price"] + rng.normal(size=n)


def test_the_values_are_those_of_a_random_effect():
    rows, y = shops()
    model = PreparedRegressor(Ridge()).fit(rows, y)
    means = model.preparation_.encoding.means
    by_shop = pd.DataFrame({"y": y, "shop": rows["shop"]}).groupby("shop", observed=False)["y"]
    n, mean, ssd = by_shop.size(), by_shop.mean(), by_shop.var(ddof=0) * by_shop.size()
    N, C, common = n.sum(), len(n), y.mean()
    noise = ssd.sum() / (N - C)
    usual = (N - (n**2).sum() / N) / (C - 1)
    signal = ((n * (mean - common) ** 2).sum() / (C - 1) - noise) / usual
    m = max(noise / signal, 1.0)
    assert means.strength.item() == pytest.approx(m, rel=1e-8)
    np.testing.assert_allclose(means.means[:-1, 0], (n * mean + m * common) / (n + m), rtol=1e-8)
    assert means.means[-1, 0] == pytest.approx(common)


def test_means_predict_where_indicators_of_the_most_frequent_do_not():
    rows, y = shops()
    half = np.arange(len(rows)) % 2 == 0
    model = PreparedRegressor(Ridge()).fit(rows[half], y[half])
    assert model.score(rows[~half], y[~half]) > 0.7
    assert [column.name for column in model.columns_] == ["price", "y by shop"]


def test_what_says_nothing_gives_nothing_away():
    """An identifier: every category has one row, so the means of the rows are their targets."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"id": pd.Categorical([f"r{i}" for i in range(300)]), "x": rng.normal(size=300)})
    y = rng.integers(0, 2, 300)
    model = PreparedClassifier(KNeighborsClassifier(5)).fit(rows, y)
    assert np.isinf(model.preparation_.encoding.means.strength).all()
    assert len(np.unique(model.preparation_.encoding.means.means)) == 1
    assert "categories differ by no more than rows do" in str(model.work())


@pytest.mark.parametrize(("n_classes", "names"), [(2, ["b by shop"]), (3, ["a by shop", "b by shop", "c by shop"])])
def test_classes_have_shares(n_classes, names):
    rows, y = shops()
    labels = np.array(list("abc"))[np.digitize(y, [0.0, 2.0]) if n_classes == 3 else (y > 0).astype(int)]
    model = PreparedClassifier(LogisticRegression()).fit(rows[["shop"]], labels)
    assert [column.name for column in model.columns_] == names
    assert model.n_parameters_ > 400


def test_learners_of_categories_get_them_as_they_are():
    rows, y = shops()
    model = PreparedClassifier(DecisionTreeClassifier(max_depth=2)).fit(rows, y > 0)
    assert [column.name for column in model.columns_] == ["price", "shop"]


def test_missing_and_unseen_categories_have_the_mean_of_all():
    rows, y = shops()
    rows.loc[::50, "shop"] = None
    model = PreparedRegressor(Ridge()).fit(rows, y)
    assert [column.name for column in model.columns_] == ["price", "y by shop", "shop is missing"]
    with pytest.warns(UserWarning, match="shop"):
        answers = model.predict(pd.DataFrame({"shop": ["new", "new"], "price": [0.0, 1.0]}))
    assert np.isfinite(answers).all()


def test_the_same_from_a_file_in_pieces_and_from_a_model_file(tmp_path):
    rows, y = shops()
    rows["sales"] = y
    for k, start in enumerate(range(0, len(rows), 700)):
        rows[start : start + 700].astype({"shop": str}).to_parquet(tmp_path / f"rows{k}.parquet")
    file = nv.read(tmp_path / "*.parquet", "sales")
    ours, theirs = PreparedRegressor(Ridge()).fit(file), PreparedRegressor(Ridge()).fit(nv.read(rows, "sales"))
    np.testing.assert_allclose(ours.predict(file), theirs.predict(file), rtol=1e-8)
    ours.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict(file), ours.predict(file))


@given(st.data())
def test_moments_of_parts_add_up(data):
    n = data.draw(st.integers(1, 30))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    codes = rng.integers(-1, 4, (n, 1)).astype(np.int32)
    chunk = Chunk(np.empty((n, 0)), codes, rng.integers(0, 3, n).astype(float), target=rng.normal(size=n))
    cut = data.draw(st.integers(0, n))
    whole = moments_by_category(chunk, 0, 4, 0)
    parts = moments_by_category(chunk.rows(0, cut), 0, 4, 0) + moments_by_category(chunk.rows(cut, n), 0, 4, 0)
    assert not parts.departure(whole, rtol=1e-9)


def test_of_few_categories_each_has_a_column():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"town": [f"t{i}" for i in range(MAX_CATEGORIES)] * 3})
    model = PreparedClassifier(LogisticRegression()).fit(rows.astype("category"), rng.integers(0, 2, len(rows)))
    assert len(model.columns_) == MAX_CATEGORIES
