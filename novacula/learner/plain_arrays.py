"""Arrays that scikit-learn's checks give back as they are, which shows in their type: they need not be checked.

These checks ask of everything which of a dozen libraries it comes from. For an array of NumPy that takes longer than to
answer a row, or to fit a mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

NUMBERS = "biuf"
LABELS = "biufU"


def is_plain(values: Any, ndim: int, kinds: str = NUMBERS) -> bool:
    """Whether this is an array of NumPy's own, of values of these kinds, with rows and columns."""
    return type(values) is np.ndarray and values.ndim == ndim and values.dtype.kind in kinds and values.size > 0


def checked_rows(learner: Any, X: Any, takes_sparse: bool, reset: bool) -> Any:
    """X as an array (n, d) or a sparse matrix of the form of the fit, which `reset` sets; any number may be in it."""
    if not is_plain(X, 2):
        return validate_data(
            learner,
            X,
            accept_sparse="csr" if takes_sparse else False,
            ensure_all_finite=False,
            dtype="numeric",
            reset=reset,
        )
    if hasattr(learner, "feature_names_in_"):  # which an array has not
        _check_feature_names(learner, X, reset=reset)
    _check_n_features(learner, X, reset=reset)
    return X


def checked_numbers(y: Any) -> Any:
    """A target of numbers, of as many dimensions as it has."""
    if is_plain(y, 1):
        return y
    return check_array(y, ensure_2d=False, dtype="numeric", ensure_all_finite=False, input_name="y")


def checked_labels(y: Any, X: Any) -> Any:
    """Labels (n,), one for each row of X."""
    if is_plain(y, 1, LABELS):
        y = np.ascontiguousarray(y)
    else:
        y = check_array(y, ensure_2d=False, dtype=None, ensure_all_finite=False, input_name="y")
        y = column_or_1d(y, warn=True)
    require_same_length(X, y)
    return y


def require_same_length(X: Any, y: Any) -> None:
    """Refuse a target that has more or fewer rows than X."""
    if not (type(X) is np.ndarray and X.ndim and len(X) == len(y)):
        check_consistent_length(X, y)
