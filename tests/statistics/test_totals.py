"""ClassTotals against SciPy's and NumPy's sums."""

import numpy as np
import pytest
import scipy.sparse

from novacula.errors import ParameterError
from novacula.statistics import ClassTotals


@pytest.fixture
def case(chunk_of, rng):
    n, n_classes = 300, 3
    sparse = scipy.sparse.random(n, 40, density=0.2, format="csr", rng=rng)
    weight, code = rng.uniform(0, 2, n), rng.integers(0, n_classes, n).astype(np.int32)
    membership = scipy.sparse.csr_matrix((weight, (code, np.arange(n))), shape=(n_classes, n))
    return chunk_of(weight=weight, sparse=sparse, target=code), membership


def test_sums_equal_scipy(case):
    chunk, membership = case
    seen = ClassTotals.observe(chunk, 3)
    np.testing.assert_allclose(seen.total, (membership @ chunk.sparse).toarray(), rtol=1e-12)
    np.testing.assert_allclose(seen.weight, np.asarray(membership.sum(axis=1))[:, 0])
    np.testing.assert_allclose(seen.known, np.repeat(seen.weight[:, None], 40, axis=1), rtol=1e-12)


def test_presence_equals_scipy(case):
    chunk, membership = case
    chunk.sparse.data[::3] = 0.0  # stored, but zero
    seen = ClassTotals.observe(chunk, 3, presence=True)
    np.testing.assert_allclose(seen.total, (membership @ (chunk.sparse != 0)).toarray(), rtol=1e-12)


def test_missing_values_are_counted_out(chunk_of):
    sparse = scipy.sparse.csr_matrix(np.array([[np.nan, 2.0], [3.0, 0.0]]))
    for presence, total in ((False, [[3.0, 2.0]]), (True, [[1.0, 1.0]])):
        for seen in (
            ClassTotals.observe(chunk_of(sparse=sparse), presence=presence),
            ClassTotals.observe_numeric(chunk_of(sparse.toarray()), presence=presence),
        ):
            assert (seen.weight.tolist(), seen.known.tolist()) == ([2.0], [[1.0, 2.0]])
            assert seen.total.tolist() == total


def test_dense_equals_numpy(chunk_of, rng):
    x, weight = rng.poisson(3.0, size=(200, 4)).astype(float), rng.uniform(0, 2, 200)
    x[rng.random(x.shape) < 0.2] = np.nan
    seen = ClassTotals.observe_numeric(chunk_of(x, weight=weight), columns=(2, 0))
    np.testing.assert_allclose(seen.total[0], np.nansum(weight[:, None] * x, axis=0)[[2, 0]], rtol=1e-12)
    np.testing.assert_allclose(seen.known[0], (weight @ ~np.isnan(x))[[2, 0]], rtol=1e-12)


def test_no_columns_leave_the_weight_of_the_classes(chunk_of):
    chunk = chunk_of([[1.0], [2.0], [4.0]], weight=[1.0, 2.0, 4.0], target=np.array([1, 0, 1], np.int32))
    seen = ClassTotals.observe_numeric(chunk, 2, columns=())
    assert (seen.weight.tolist(), seen.total.shape) == ([2.0, 5.0], (2, 0))


def test_negative_and_infinite_values_surface(chunk_of):
    x = np.array([[-2.0, 1.0, 5.0], [-3.0, np.inf, 1.0]])
    for seen in (
        ClassTotals.observe_numeric(chunk_of(x)),
        ClassTotals.observe(chunk_of(sparse=scipy.sparse.csr_matrix(x))),
    ):
        assert seen.low.tolist() == [-3.0, 0.0, 0.0]
        assert seen.total.tolist() == [[-5.0, np.inf, 6.0]]


def test_long_indices_are_taken(case):
    chunk, _ = case
    wanted = ClassTotals.observe(chunk, 3)
    chunk.sparse.indices, chunk.sparse.indptr = (
        chunk.sparse.indices.astype(np.int64),
        chunk.sparse.indptr.astype(np.int64),
    )
    assert ClassTotals.observe(chunk, 3).departure(wanted) == ""


def test_a_chunk_without_sparse_columns_is_refused(chunk_of):
    with pytest.raises(ParameterError, match="without sparse columns"):
        ClassTotals.observe(chunk_of([[1.0]]))
