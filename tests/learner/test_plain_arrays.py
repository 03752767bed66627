"""What is taken without asking scikit-learn is what scikit-learn would have given back."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import check_array
from sklearn.utils.validation import column_or_1d, validate_data

import novacula as nv
from novacula.learner.plain_arrays import LABELS, checked_labels, checked_numbers, checked_rows, is_plain
from novacula.linear import LinearRegression

TYPES = ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", ">f8", "<U3", "S3", "complex128", "M8[D]")
SHAPES = ((), (0,), (3,), (3, 2), (0, 2), (3, 0), (2, 2, 2))


class OwnArray(np.ndarray):
    """A class of its own, of which scikit-learn makes a plain array."""


def arrays():
    """Arrays of all types and shapes, of objects, and of a class of their own."""
    for shape in SHAPES:
        for kind in TYPES:
            yield np.zeros(shape, kind)
        yield np.full(shape, "a", object)
        yield np.zeros(shape).view(OwnArray)
    yield np.zeros((6, 4))[::2, ::2]
    yield np.asfortranarray(np.arange(6.0).reshape(3, 2))
    yield np.array([[np.nan, np.inf], [1.0, 2.0]])


@pytest.mark.parametrize(
    "array", list(arrays()), ids=lambda a: f"{type(a).__name__}-{a.dtype.str}-{a.shape}-{a.strides}"
)
def test_scikit_learn_gives_back_what_is_plain(array):
    if is_plain(array, 2):
        assert check_array(array, dtype="numeric", ensure_all_finite=False) is array
    if is_plain(array, 1):
        assert checked_numbers(array) is array
        assert check_array(array, ensure_2d=False, dtype="numeric", ensure_all_finite=False) is array
    if is_plain(array, 1, LABELS):
        theirs = column_or_1d(check_array(array, ensure_2d=False, dtype=None, ensure_all_finite=False), warn=True)
        ours = checked_labels(array, array)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_there_are_plain_arrays_of_every_type_of_numbers_and_no_others():
    plain = {array.dtype.str.lstrip("<>|=") for array in arrays() if is_plain(array, 2)}
    assert plain == {"b1", "i1", "u2", "i8", "f2", "f4", "f8"}
    assert not any(is_plain(array, array.ndim) for array in arrays() if isinstance(array, OwnArray) or not array.size)


class Estimator(LinearRegression):
    """A learner of which two see the same rows."""


@pytest.mark.parametrize("frame_first", [False, True])
def test_names_and_widths_are_those_that_scikit_learn_keeps(frame_first):
    X = np.arange(6.0).reshape(3, 2)
    first = pd.DataFrame(X, columns=["a", "b"]) if frame_first else X
    ours, theirs = Estimator(), Estimator()
    checked_rows(ours, first, False, reset=True)
    validate_data(theirs, first, reset=True)
    assert vars(ours).keys() == vars(theirs).keys()
    assert ours.n_features_in_ == theirs.n_features_in_ == 2
    checked_rows(ours, X, False, reset=True)
    assert not hasattr(ours, "feature_names_in_")  # an array has none, so those of the frame are gone


def test_an_array_for_a_model_of_a_frame_is_warned_of_and_one_of_another_width_refused():
    X, y = np.arange(12.0).reshape(6, 2) ** 2, np.arange(6.0)
    model = LinearRegression().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but LinearRegression was fitted with"):
        model.predict(X)
    with pytest.raises(nv.errors.DataError, match="X has 3 features, but LinearRegression is expecting 2"):
        LinearRegression().fit(X, y).predict(np.zeros((1, 3)))


def test_rows_and_target_of_other_lengths_are_refused_in_scikit_learns_words():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(nv.errors.DataError, match="inconsistent numbers of samples"):
        LinearRegression().fit(X, np.arange(5.0))
    with pytest.raises(nv.errors.DataError, match="inconsistent numbers of samples"):
        nv.tree.DecisionTreeClassifier().fit(X, np.array([0, 1, 0, 1, 0]))
