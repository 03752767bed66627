"""Another scale, another filling, and categories in order as numbers: what a preparation can be asked for."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MinMaxScaler, Normalizer, OrdinalEncoder, StandardScaler

import novacula as nv
from novacula.checks import check_work
from novacula.errors import DataWarning, ParameterError
from novacula.linear import Ridge
from novacula.neighbors import KNeighborsClassifier
from novacula.prepare import PreparedClassifier, PreparedClusterer, PreparedRegressor
from novacula.tree import DecisionTreeClassifier

SIZES = ["small", "medium", "large"]
Y = [1.0, 2.0, 4.0, 3.0, 2.0, 5.0]


def shirts(gap=False):
    size = pd.Categorical(["small", "large", "large", "medium", None if gap else "small", "large"], SIZES, ordered=True)
    price = [9.0, 20.0, 31.0, 15.0, np.nan if gap else 10.0, 28.0]
    return pd.DataFrame({"price": price, "sold": [3.0, 4.0, 0.0, 1.0, 2.0, 5.0], "size": size})


def seen(model, frame):
    """What the learner behind the preparation is given."""
    return model.preparation_.apply(nv.read(frame).to_chunk()).numeric


@pytest.mark.parametrize(
    ("scale", "oracle"), [("standard", StandardScaler()), ("range", MinMaxScaler()), ("unit", Normalizer())]
)
def test_scales_against_scikit_learn(scale, oracle):
    frame = shirts()[["price", "sold"]]
    model = PreparedRegressor(Ridge(), scale=scale).fit(frame, Y)
    np.testing.assert_allclose(seen(model, frame), oracle.fit_transform(frame), atol=1e-9)
    check_work(model)


def test_no_scale_for_a_learner_whose_card_asks_for_one():
    frame, labels = shirts()[["price", "sold"]], ["a", "b", "a", "b", "a", "b"]
    np.testing.assert_array_equal(
        seen(PreparedClassifier(KNeighborsClassifier(1), scale="none").fit(frame, labels), frame), frame
    )
    asked = PreparedClassifier(KNeighborsClassifier(1)).fit(frame, labels)
    np.testing.assert_allclose(seen(asked, frame), StandardScaler().fit_transform(frame), atol=1e-9)


@pytest.mark.parametrize(("fill", "expected"), [(None, 20.6), ("mean", 20.6), ("median", 20.0), (0, 0.0), (-7.5, -7.5)])
def test_fillings(fill, expected):
    frame = shirts(gap=True)[["price", "sold"]]
    model = PreparedRegressor(Ridge(), scale="none", fill=fill).fit(frame, Y)
    assert seen(model, frame)[4, 0] == pytest.approx(expected)
    assert seen(model, frame)[:, 2].tolist() == [0, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("n", [7, 8, 2001])
def test_medians_against_numpy(n):
    rng = np.random.default_rng(n)
    frame = pd.DataFrame({"a": rng.normal(size=n).round(1), "b": rng.integers(0, 3, n).astype(float)})
    frame.iloc[0, 0] = frame.iloc[1, 1] = np.nan
    model = PreparedRegressor(Ridge(), scale="none", fill="median").fit(frame, rng.normal(size=n))
    np.testing.assert_allclose(model.preparation_.encoding.fill, np.nanmedian(frame, axis=0), rtol=1e-9)
    check_work(model)


def test_a_median_counts_weights_as_repetitions():
    frame, weight = pd.DataFrame({"a": [1.0, 2.0, 10.0, np.nan]}), [1.0, 1.0, 4.0, 1.0]
    model = PreparedRegressor(Ridge(), fill="median").fit(frame, [1.0, 2.0, 3.0, 4.0], sample_weight=weight)
    assert model.preparation_.encoding.fill.tolist() == [10.0]


def test_a_filling_that_is_asked_for_is_made_for_learners_that_take_gaps_too():
    frame, labels = shirts(gap=True)[["price"]], ["a", "b", "a", "b", "a", "b"]
    assert np.isnan(seen(PreparedClassifier(DecisionTreeClassifier()).fit(frame, labels), frame)).any()
    filled = PreparedClassifier(DecisionTreeClassifier(), fill="mean").fit(frame, labels)
    assert not np.isnan(seen(filled, frame)).any()


def test_categories_in_order_become_numbers(tmp_path):
    frame = shirts()
    model = PreparedRegressor(Ridge(), scale="none", ordered=["size"]).fit(frame, Y)
    codes = OrdinalEncoder(categories=[SIZES]).fit_transform(frame[["size"]])
    np.testing.assert_array_equal(seen(model, frame)[:, [2]], codes)
    assert [column.name for column in model.columns_] == ["price", "sold", "size"]
    check_work(model)
    check_work(model, frame)
    assert "small 0, medium 1, large 2" in model.work().to_text()
    model.save(tmp_path / "model.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "model.nova").predict(frame), model.predict(frame))


def test_categories_in_order_are_scaled_with_the_others_and_filled_by_the_most_frequent():
    frame = shirts(gap=True)
    model = PreparedRegressor(Ridge(), scale="range", ordered=["size"]).fit(frame, Y)
    assert [column.name for column in model.columns_] == [
        "price",
        "sold",
        "price is missing",
        "size",
        "size is missing",
    ]
    assert seen(model, frame)[:, 3].tolist() == [0.0, 1.0, 1.0, 0.5, 1.0, 1.0]
    assert seen(model, frame)[:, 4].tolist() == [0, 0, 0, 0, 1, 0]


def test_categories_in_order_beside_others_that_a_tree_takes_as_they_are():
    frame = shirts().assign(kind=["a", "b", "a", "b", "a", "b"])
    model = PreparedClassifier(DecisionTreeClassifier(), ordered=["size"]).fit(frame, ["x", "y", "y", "x", "x", "y"])
    assert [(c.name, c.kind) for c in model.columns_] == [
        ("price", "numeric"),
        ("sold", "numeric"),
        ("size", "numeric"),
        ("kind", "categorical"),
    ]
    assert model.predict(frame).tolist() == ["x", "y", "y", "x", "x", "y"]


def test_limits_come_from_all_chunks(tmp_path):
    frame = shirts().assign(y=Y)
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=2)
    streamed = PreparedRegressor(scale="range").fit(nv.read(tmp_path / "a.parquet", target="y"))
    np.testing.assert_allclose(streamed.preparation_.encoding.centre, [9.0, 0.0])
    np.testing.assert_allclose(streamed.preparation_.encoding.spread, [22.0, 5.0])


@pytest.mark.parametrize("settings", [{"scale": "metric"}, {"fill": "mode"}, {"ordered": 3}])
def test_choices_that_there_are_not(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        PreparedClusterer(**settings).fit(shirts())


def test_columns_that_are_in_no_order():
    with pytest.raises(ParameterError, match="'price', which is no categorical column"):
        PreparedRegressor(ordered=["price"]).fit(shirts(), Y)


def test_an_order_that_is_stated(tmp_path):
    """Of plain text the schema knows no order but the alphabet's; a stated one may have categories that no row has."""
    frame = shirts(gap=True).assign(size=["small", "large", "large", "medium", None, "large"])
    order = ["tiny", "small", "medium", "large"]
    model = PreparedRegressor(Ridge(), scale="range", ordered={"size": order}).fit(frame, Y)
    np.testing.assert_allclose(seen(model, frame)[:, 3], np.array([1, 3, 3, 2, 3, 3]) / 3)
    assert "small 0.333333, medium 0.666667, large 1" in model.work().to_text()
    check_work(model)
    model.save(tmp_path / "model.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "model.nova").predict(frame), model.predict(frame))


@pytest.mark.parametrize("order", [["small", "large"], ["small", "medium", "large", "small"]])
def test_an_order_that_is_not_one(order):
    with pytest.raises(ParameterError, match="each category of 'size' once, from the first to the last"):
        PreparedRegressor(ordered={"size": order}).fit(shirts(), Y)


def test_categories_in_order_have_mean_0_and_deviation_1_on_the_standard_scale():
    frame = shirts()
    model = PreparedRegressor(Ridge(), scale="standard", ordered=["size"]).fit(frame, Y)
    codes = OrdinalEncoder(categories=[SIZES]).fit_transform(frame[["size"]])
    np.testing.assert_allclose(seen(model, frame)[:, [2]], StandardScaler().fit_transform(codes), atol=1e-9)
    check_work(model, frame)


def test_an_order_that_nobody_stated_is_told():
    frame = shirts().astype({"size": str})
    with pytest.warns(DataWarning, match="nobody stated the order of 'size'.*: 'large', 'medium', 'small'"):
        PreparedRegressor(ordered=["size"]).fit(frame, Y)
    PreparedRegressor(ordered={"size": SIZES}).fit(frame, Y)  # warnings are errors


def test_one_number_a_row_has_nothing_left_at_length_1():
    with pytest.warns(DataWarning, match="'price' is the only one: nothing but its sign is left"):
        PreparedRegressor(scale="unit").fit(shirts()[["price"]], Y)
