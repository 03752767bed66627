"""Fits whose numbers overflow on the way are refused in one sentence, or say so in a warning."""

from typing import ClassVar

import numpy as np
import pytest

from novacula.baseline import MeanRegressor
from novacula.errors import DataError
from novacula.state import State, number


class Squaring(MeanRegressor):
    """Squares a number that is too large for that, and may keep the square."""

    state: ClassVar[State] = {**MeanRegressor.state, "square_": number()}

    def __init__(self, keep=False):
        self.keep = keep

    def _learn(self, table):
        super()._learn(table)
        square = float(np.square(np.float64(1e200)))
        self.square_ = square if self.keep else 0.0


def test_an_overflow_that_the_model_survives_is_warned_of():
    sentence = r"Squaring is fitted, but numbers on the way were not finite \('overflow'\): bring columns, target"
    with pytest.warns(RuntimeWarning, match=sentence):
        assert Squaring().fit([[1.0], [2.0]], [1.0, 3.0]).mean_ == 2.0


def test_an_overflow_that_the_model_keeps_is_refused_without_a_warning():
    with pytest.raises(DataError, match=r"Squaring cannot be fitted, since square_ .* the target reaches 3 in size"):
        Squaring(keep=True).fit([[1.0], [2.0]], [1.0, 3.0])
