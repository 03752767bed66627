"""Partial dependence against loops and scikit-learn's."""

import numpy as np
import pytest
from sklearn.inspection import partial_dependence
from sklearn.tree import DecisionTreeRegressor as ForeignTree

import novacula as nv
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.explain import dependence
from novacula.linear import LogisticRegression, Ridge
from novacula.prepare import PreparedClassifier
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .mixed import NASTY, mixed_frame, three_classes


def test_it_is_the_mean_over_rows_set_to_each_value():
    frame, y = mixed_frame(50)
    model = DecisionTreeClassifier(max_depth=4).fit(frame, three_classes(y))
    for column in frame.columns:
        result = dependence(model, frame, column, grid=7)
        for i, value in enumerate(result.axes[0].values):
            other = frame.copy()
            other[column] = value if result.axes[0].is_numeric else result.axes[0].labels[i]
            np.testing.assert_allclose(result.curves[:, i], model.predict_proba(other), atol=1e-12)
        np.testing.assert_allclose(result.mean.sum(axis=1), 1.0)


def test_two_columns_give_a_surface():
    frame, y = mixed_frame(30)
    model = DecisionTreeRegressor(max_depth=5).fit(frame, y)
    result = dependence(model, frame, [NASTY[2], NASTY[1]], grid=4)
    assert result.mean.shape == (4, 3, 1)
    for i, number in enumerate(result.axes[0].values):
        for k, label in enumerate(result.axes[1].labels):
            other = frame.copy()
            other[NASTY[2]], other[NASTY[1]] = number, label
            assert result.mean[i, k, 0] == pytest.approx(model.predict(other).mean())


def test_scikit_learn_finds_the_same():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] * X[:, 1] + np.abs(X[:, 2])
    model = ForeignTree(max_depth=5, random_state=0).fit(X, y)
    result = dependence(model, X, [1], grid=9)
    theirs = partial_dependence(model, X, [1], method="brute", kind="both", custom_values={1: result.axes[0].values})
    np.testing.assert_allclose(result.mean[:, 0], theirs["average"][0], atol=1e-9)
    np.testing.assert_allclose(result.curves[:, :, 0], theirs["individual"][0], atol=1e-9)


def test_the_grid_is_of_values_that_occur_and_of_all_categories():
    frame, y = mixed_frame()
    frame[NASTY[4]] = np.where(np.arange(len(frame)) % 2, 1.0, 2.0)
    model = DecisionTreeRegressor().fit(nv.read(frame.assign(y=y), "y").with_types({NASTY[3]: ["yes", "no", "maybe"]}))
    assert dependence(model, frame, NASTY[4]).axes[0].values.tolist() == [1.0, 2.0]
    assert dependence(model, frame, NASTY[3]).axes[0].labels == ("yes", "no", "maybe")
    assert np.isin(dependence(model, frame, NASTY[0]).axes[0].values, frame[NASTY[0]]).all()


def test_a_column_that_is_mostly_one_value_is_set_to_its_others_too():
    """Of a column that is 0 in nine rows of ten the curve had 0 and the largest value, and missed what lies between."""
    rng = np.random.default_rng(0)
    loss = np.where(rng.random(500) < 0.95, 0.0, rng.integers(1500, 2500, 500))
    X = np.column_stack([loss, rng.normal(size=500)])
    y = ((loss > 1800) & (loss < 2000)).astype(float)
    result = dependence(DecisionTreeRegressor(min_samples_leaf=1).fit(X, y), X, [0], grid=20)
    values = result.axes[0].values
    assert len(values) == 20
    assert np.isin(values, loss).all()
    assert values.min() == 0.0
    assert values.max() == loss.max()
    assert result.mean[:, 0].max() > 0.9


def test_of_many_classes_those_that_move_most_are_drawn_and_it_says_so():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 1))
    names = np.array([f"product line {k:02d} / region" for k in range(50)])
    kind = np.clip((x[:, 0] * 2 + 5).astype(int), 0, 9) * 5 + rng.integers(0, 5, 2000)
    result = dependence(DecisionTreeClassifier(max_leaf_nodes=10).fit(x, names[kind]), x, [0])
    figure = result.figure()
    assert figure.title.endswith("the 4 of 50 classes for which it moves most")
    moved = np.ptp(result.mean, axis=0)
    drawn = [k for k, name in enumerate(result.outputs) if f"of {name} from" in figure.alt]
    assert sorted(moved)[-4:] == sorted(moved[drawn])
    assert figure.size[1] > 4.0  # the legend has a line for each of the long names


def test_of_two_classes_it_is_the_probability_of_the_second():
    frame, y = mixed_frame()
    model = PreparedClassifier(LogisticRegression()).fit(frame, np.where(y > 0, "yes", "no"))
    result = dependence(model, frame, NASTY[2])
    assert (result.outputs, result.scale) == (("yes",), "probability")


@pytest.mark.parametrize("columns", [[2], [1], [2, 0], [2, 1], [1, 3]])
def test_it_shows_itself(columns):
    frame, y = mixed_frame()
    for model in (
        DecisionTreeRegressor(max_depth=3).fit(frame, y),
        DecisionTreeClassifier(max_depth=3).fit(frame, three_classes(y)),
    ):
        result = dependence(model, frame, columns, rows=60)
        check_work(result)
        check_work(result, detail="full", drawn=False)
        assert "<script" not in result._repr_html_()
        assert "a sample of 60 of 120 rows" in str(result)
        assert result.figure(output=result.outputs[-1]).svg().startswith("<svg")


def test_what_cannot_be_is_refused_in_a_sentence():
    frame, y = mixed_frame()
    frame["empty"] = np.nan
    model = DecisionTreeRegressor().fit(nv.read(frame.assign(y=y), "y").with_types({"empty": "numeric"}))
    with pytest.raises(ParameterError, match="3 columns: name one column, or two"):
        dependence(model, frame, [0, 1, 2])
    with pytest.raises(ParameterError, match="no column"):
        dependence(model, frame, "wind")
    with pytest.raises(DataError, match="no known value"):
        dependence(model, nv.read(frame).with_types({"empty": "numeric"}), "empty")
    frame["note"] = [f"word {i}" for i in range(len(frame))]
    texts = PreparedClassifier(LogisticRegression()).fit(
        nv.read(frame.assign(y=three_classes(y)), "y").with_types({"note": "text", "empty": "numeric"})
    )
    with pytest.raises(SchemaError, match="holds words"):
        dependence(texts, nv.read(frame).with_types({"note": "text", "empty": "numeric"}), "note")
    same = Ridge().fit([[1.0, 2.0], [1.0, 3.0], [1.0, 5.0]], [1.0, 2.0, 3.0])
    assert dependence(same, [[1.0, 2.0], [1.0, 4.0]], 0).figure().svg()
