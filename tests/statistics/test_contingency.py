"""Contingency against counting by hand."""

from collections import Counter

import numpy as np
import pytest

from novacula.errors import DataError, ParameterError
from novacula.statistics import Contingency


def test_equals_counting(chunk_of, rng):
    n, sizes = 400, (3, 1, 5)
    codes = np.column_stack([rng.integers(-2, size, n) for size in sizes])
    code, weight = rng.integers(0, 2, n).astype(np.int32), rng.integers(0, 4, n)
    seen = Contingency.observe(chunk_of(codes=codes, weight=weight, target=code), 2, sizes)
    for j, size in enumerate(sizes):
        counter = Counter()
        for k, c, w in zip(code, codes[:, j], weight, strict=True):
            counter[k, c] += w
        assert seen.column(j).tolist() == [[counter[k, c] for c in range(size)] for k in range(2)]


def test_a_code_beyond_the_vocabulary_is_named(chunk_of):
    with pytest.raises(DataError, match="column 1 holds code 2, but only 2 categories"):
        Contingency.observe(chunk_of(codes=[[0, 2]]), 1, (1, 2))


def test_sizes_are_needed_for_each_column(chunk_of):
    with pytest.raises(ParameterError, match="1 sizes were given for 2"):
        Contingency.observe(chunk_of(codes=[[0, 1]]), 1, (2,))


def test_no_columns(chunk_of):
    assert Contingency.observe(chunk_of(weight=[1.0, 1.0]), 1, ()).counts.shape == (1, 0)


def test_recode_follows_a_grown_vocabulary(chunk_of):
    old = Contingency.observe(chunk_of(codes=[[0, 0], [1, 0], [1, -1]]), 1, (2, 1))
    new = old.recode((3, 2), [np.array([2, 0]), np.array([1])])
    assert new.layout == (1, 3, 2)
    assert new.column(0).tolist() == [[2.0, 0.0, 1.0]]
    assert new.column(1).tolist() == [[0.0, 2.0]]


def test_recode_adds_codes_that_become_one(chunk_of):
    old = Contingency.observe(chunk_of(codes=[[0], [1], [1]]), 1, (2,))
    assert old.recode((1,), [np.array([0, 0])]).counts.tolist() == [[3.0]]


@pytest.mark.parametrize(
    ("sizes", "maps", "message"),
    [
        ((3,), [[0]], "one new code for each"),
        ((3,), [[0, 3]], "outside"),
        ((3,), [[0, -1]], "outside"),
        ((), [], "each"),
    ],
)
def test_recode_refuses_maps_that_do_not_fit(chunk_of, sizes, maps, message):
    old = Contingency.observe(chunk_of(codes=[[0], [1]]), 1, (2,))
    with pytest.raises(ParameterError, match=message):
        old.recode(sizes, [np.array(new) for new in maps])
