"""What a frame must be to be learned from."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from novacula.bayes import NaiveBayes
from novacula.errors import DataError, SchemaError
from novacula.learner.ingest import memory_table, target_names
from novacula.learner.labels import labels_of
from novacula.linear import LinearRegression
from novacula.table import Column, Schema
from novacula.table.memory import ArraySource
from novacula.table.survey import survey

LABELS = [0, 1, 0]


@pytest.mark.parametrize("learner", [NaiveBayes(), LinearRegression()])
def test_two_columns_of_one_name_are_refused(learner):
    frame = pd.DataFrame(np.eye(3), columns=["a", "b", "a"])
    with pytest.raises(SchemaError, match="more than one column 'a'"):
        learner.fit(frame, LABELS)
    learner.fit(frame.iloc[:, :2], LABELS)
    with pytest.raises(SchemaError, match="more than one column 'a'"):
        learner.predict(frame)


@pytest.mark.parametrize("learner", [NaiveBayes(), LinearRegression()])
@pytest.mark.parametrize("frame", [pd.DataFrame(index=range(3)), pl.DataFrame()])
def test_a_frame_without_columns_is_refused(learner, frame):
    with pytest.raises(DataError, match="found no columns"):
        learner.fit(frame, LABELS)


@pytest.mark.parametrize(
    "y",
    [
        np.array([2, 0, 1, 2]),
        np.array([7, -3, 7, 2]),
        np.array([-128, 127, 0, 127], np.int8),
        np.array([255, 3, 255], np.uint8),
        np.array([True, False, True]),
        np.array([10**9, 3, 10**9]),
        np.array(["b", "a", "b"]),
    ],
    ids=lambda y: f"{y.dtype} {y.tolist()}",
)
def test_classes_and_their_codes(y):
    classes, codes = labels_of(y, y[:, None])
    known, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, known, strict=True)
    np.testing.assert_array_equal(codes, places.astype(np.int32), strict=True)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.uint8])
def test_an_array_of_numbers_has_the_schema_that_a_survey_would_find(kind):
    source = ArraySource(np.ones((3, 2), kind), names=["a", "y"])
    fields = tuple(Column(field.name, "ignored") for field in source.arrow_schema())
    assert memory_table(source, []).layout == survey(source, Schema(fields, missing=()), {}, progress=False)
    assert target_names(source, np.zeros(3)) == ["y_"]


def test_labels_that_look_like_numbers_to_predict_are_pointed_out():
    with pytest.warns(UserWarning, match="greater than 50% of the number of samples"):
        labels_of(1_000 * np.arange(100), np.zeros((100, 1)))


MAKES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow table": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "record batch": lambda frame: pa.RecordBatch.from_pandas(frame, preserve_index=False),
}


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize(("learner", "columns"), [(NaiveBayes(), ["a", "b", "w"]), (LinearRegression(), ["a", "b"])])
def test_answers_take_columns_by_their_names(make, learner, columns):
    """In any order, and with others beside them; a record batch has names too, of which scikit-learn knows nothing."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40), "w": rng.choice(["u", "v"], 40)})
    y = rng.choice(["p", "q"], 40) if isinstance(learner, NaiveBayes) else frame.a - 2 * frame.b
    model = clone(learner).fit(MAKES[make](frame[columns]), y)
    assert model.feature_names_in_.tolist() == columns
    expected = model.predict(frame[columns]).tolist()
    others = frame[columns[::-1]].assign(more="z", first=1.0)[["first", *columns[::-1], "more"]]
    for other in MAKES.values():
        assert model.predict(other(others)).tolist() == expected
    with pytest.raises(DataError, match="yet now missing: - a"):
        model.predict(MAKES[make](frame[columns[1:]].assign(more=1.0)))


def test_numbered_columns_are_taken_by_their_places():
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 2)))
    model = LinearRegression().fit(rows, rows[0])
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_allclose(model.predict(rows), rows[0], atol=1e-9)
    np.testing.assert_allclose(model.predict(rows.to_numpy()), rows[0], atol=1e-9)
    mixed = NaiveBayes().fit(rows.assign(w=list("uvuvuv")).set_axis([0, 1, 2], axis=1), [0, 1] * 3)
    assert mixed.schema_.names == ("0", "1", "2")
