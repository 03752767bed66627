"""Chunks: rows, sizes, and putting them under each other."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

from novacula.table import Chunk
from novacula.table.chunk import sparse_rows


@pytest.fixture
def chunk():
    rng = np.random.default_rng(1)
    return Chunk(
        rng.normal(size=(10, 3)),
        rng.integers(-2, 4, (10, 2), dtype=np.int32),
        rng.random(10),
        random_array((10, 7), density=0.4, format="csr", rng=rng),
        (np.array([f"t{i}" if i % 3 else None for i in range(10)], object),),
        rng.integers(0, 2, 10, dtype=np.int32),
    )


def test_rows_are_views(chunk):
    part = chunk.rows(3, 7)
    assert len(part) == 4
    np.testing.assert_array_equal(part.numeric, chunk.numeric[3:7])
    np.testing.assert_array_equal(part.sparse.toarray(), chunk.sparse.toarray()[3:7])
    assert part.text[0].tolist() == chunk.text[0].tolist()[3:7]
    np.testing.assert_array_equal(part.target, chunk.target[3:7])
    for whole, piece in (
        (chunk.numeric, part.numeric),
        (chunk.codes, part.codes),
        (chunk.sparse.data, part.sparse.data),
    ):
        assert np.shares_memory(whole, piece)


@pytest.mark.parametrize(("start", "stop"), [(0, 0), (0, 10), (4, 4), (9, 10), (8, 99)])
def test_sparse_rows(chunk, start, stop):
    part = sparse_rows(chunk.sparse, start, stop)
    np.testing.assert_array_equal(part.toarray(), chunk.sparse.toarray()[start:stop])
    assert part.has_sorted_indices


def test_concatenate_undoes_cutting(chunk):
    whole = Chunk.concatenate([chunk.rows(0, 4), chunk.rows(4, 4), chunk.rows(4, 10)])
    np.testing.assert_array_equal(whole.numeric, chunk.numeric)
    np.testing.assert_array_equal(whole.codes, chunk.codes)
    np.testing.assert_array_equal(whole.weight, chunk.weight)
    np.testing.assert_array_equal(whole.sparse.toarray(), chunk.sparse.toarray())
    assert whole.text[0].tolist() == chunk.text[0].tolist()
    np.testing.assert_array_equal(whole.target, chunk.target)


def test_concatenate_without_target_and_sparse(chunk):
    bare = Chunk(chunk.numeric, chunk.codes, chunk.weight)
    whole = Chunk.concatenate([bare, bare])
    assert whole.target is None
    assert whole.sparse is None
    assert whole.text == ()
    assert len(whole) == 20
    assert Chunk.concatenate([bare]) is bare


def test_dense_puts_sparse_columns_behind(chunk):
    dense = chunk.dense()
    assert dense.flags.c_contiguous
    np.testing.assert_array_equal(dense, np.hstack([chunk.numeric, chunk.sparse.toarray()]))
    only = Chunk(np.empty((10, 0)), chunk.codes, chunk.weight, chunk.sparse).dense()
    np.testing.assert_array_equal(only, chunk.sparse.toarray())
    bare = Chunk(chunk.numeric, chunk.codes, chunk.weight)
    assert bare.dense() is bare.numeric


def test_bytes():
    matrix = csr_matrix(np.eye(4))
    chunk = Chunk(np.zeros((4, 2)), np.zeros((4, 1), np.int32), np.ones(4), matrix, (np.empty(4, object),))
    assert chunk.nbytes == 4 * 2 * 8 + 4 * 4 + 4 * 8 + (4 * 8 + 4 * 4 + 5 * 4) + 4 * 8
