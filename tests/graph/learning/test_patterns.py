"""Distinct rows: the laws of statistics, also where there are too many to be kept, and grouping row by row."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks import check_statistic
from novacula.graph.learning.patterns import Patterns
from novacula.table import Chunk


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=10)
def test_patterns_obey_the_laws(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 2, (30, 3)).astype(np.int32)
    chunk = Chunk(np.empty((30, 0)), codes, rng.integers(0, 3, 30).astype(float))
    for most in (2**24, 60, 0):  # all are kept, some sums are too large, and every row is one too many
        check_statistic(
            lambda c, most=most: Patterns.of_rows(c.codes, c.weight, most), chunk, Patterns.zero(3, most), exact=True
        )


def test_patterns_are_the_distinct_rows():
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 3, (500, 40)).astype(np.int32)  # keys of 40 columns do not fit into 64 bits
    codes = codes[rng.integers(0, 50, 500)]
    weight = rng.random(500)
    found = Patterns.of_rows(codes, weight)
    expected = {}
    for row, w in zip(map(tuple, codes.tolist()), weight, strict=True):
        expected[row] = expected.get(row, 0.0) + w
    assert len(found.weight) == len(expected)
    for row, w in zip(map(tuple, found.codes.tolist()), found.weight, strict=True):
        assert w == pytest.approx(expected[row])
    masks = [tuple(row < 0) for row in found.codes]
    assert len(list(itertools.groupby(masks))) == len(set(masks))
