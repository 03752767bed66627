"""Forms of rows: sparse where all columns are, dense otherwise, and of numbers that are finite."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_array, csr_matrix

from novacula.state import Scope, StateError, floats, number, rows

FORM = rows("examples")


def scope_of(numeric, sparse):
    return Scope({"numeric": numeric, "numbers": numeric + sparse})


@pytest.mark.parametrize("kind", [csr_matrix, csr_array])
def test_rows_of_sparse_columns_are_sparse(kind):
    scope = scope_of(0, 3)
    FORM.check(kind(np.eye(4, 3)), "rows", scope)
    assert scope.size("examples") == 4


def test_rows_of_other_columns_are_dense():
    FORM.check(np.eye(4, 3), "rows", scope_of(3, 0))
    FORM.check(np.eye(4, 3), "rows", scope_of(1, 2))  # sparse columns beside others are made dense


@pytest.mark.parametrize(
    ("value", "numeric", "reason"),
    [
        (np.eye(4, 3), 0, "rows is an array of float64 of shape .* where a sparse matrix of numbers"),
        (csr_matrix(np.eye(4, 3)), 3, "rows is a csr_matrix, where numbers"),
        (coo_matrix(np.eye(4, 3)), 0, "rows is a coo_matrix"),
        (csr_matrix(np.eye(4, 3, dtype=np.float32)), 0, "rows is a csr_matrix, where"),
        (csr_matrix(np.eye(4, 2)), 0, "sparse matrix of shape .*, but there are 3 numbers"),
        (csr_matrix(np.diag([1.0, np.nan, np.inf])), 0, r"rows.data holds a number that is not finite"),
        (None, 0, "rows is None"),
    ],
)
def test_other_rows_are_refused(value, numeric, reason):
    with pytest.raises(StateError, match=reason):
        FORM.check(value, "rows", scope_of(numeric, 3 - numeric))


@pytest.mark.parametrize("value", [np.eye(4, 3), csr_matrix(np.eye(4, 3))])
def test_forgeries_are_near_a_right_value(value):
    forged = FORM.forgeries(value, np.random.default_rng(0))
    dense = isinstance(value, np.ndarray)
    refused = 0
    for other in forged:
        try:
            FORM.check(other, "rows", scope_of(3 * dense, 3 * (not dense)))
        except StateError:
            refused += 1
    assert len(forged) > refused > len(forged) // 2


def test_what_must_not_be_zero_is_above_it():
    assert floats("rows", above=0.0).words() == "numbers (rows), above 0"
    assert number(above=0.0).words() == "a number above 0"
    floats("rows", above=0.0).check(np.array([5e-324]), "weight", Scope())
    with pytest.raises(StateError, match="weight holds a number that is out of range"):
        floats("rows", above=0.0).check(np.array([1.0, 0.0]), "weight", Scope())
