"""What a frame must be to be learned from."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

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
