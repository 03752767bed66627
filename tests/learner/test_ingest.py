"""What a frame must be to be learned from."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from novacula.bayes import NaiveBayes
from novacula.errors import DataError, SchemaError
from novacula.linear import LinearRegression

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
