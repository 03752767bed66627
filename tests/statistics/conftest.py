"""A chunk from the columns that a test cares about."""

import numpy as np
import pytest

from novacula.table.chunk import Chunk


def build_chunk(numeric=None, codes=None, weight=None, sparse=None, text=(), target=None):
    columns = [c for c in (numeric, codes, weight, *text, target) if c is not None]
    n = len(columns[0]) if columns else sparse.shape[0]
    return Chunk(
        np.empty((n, 0)) if numeric is None else np.ascontiguousarray(numeric, np.float64),
        np.empty((n, 0), np.int32) if codes is None else np.ascontiguousarray(codes, np.int32),
        np.ones(n) if weight is None else np.asarray(weight, np.float64),
        sparse,
        tuple(np.array(column, dtype=object) for column in text),
        None if target is None else np.asarray(target),
    )


@pytest.fixture
def chunk_of():
    return build_chunk


@pytest.fixture
def rng():
    return np.random.default_rng(20_240_229)
