"""Equal rows: against a dictionary of rows, for every type of number, dense and sparse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix

from novacula.table import equal_rows as module
from novacula.table.equal_rows import equal_rows, row_numbers

SHAPES = st.tuples(st.integers(0, 30), st.integers(1, 4))
INT64 = np.iinfo(np.int64)


def by_dictionary(rows):
    """The first row of each kind, and the kind of each row, by the order in which kinds come."""
    first = {}
    for i, row in enumerate(rows):
        first.setdefault(tuple(row), i)
    return first


def assert_grouped(same, rows):
    first = by_dictionary(rows)
    assert sorted(same.first.tolist()) == sorted(first.values())
    assert len(same) == len(first)
    assert [same.first[kind] for kind in same.kind] == [first[tuple(row)] for row in rows]


@given(hnp.arrays(np.int64, SHAPES, elements=st.sampled_from([-3, 0, 1, 2, 10**6, INT64.min, INT64.max])))
def test_whole_numbers_are_grouped_in_lexicographic_order(rows):
    same = equal_rows(rows)
    assert_grouped(same, rows.tolist())
    kinds = rows[same.first].tolist()
    assert kinds == sorted(kinds)


@given(hnp.arrays(np.float64, SHAPES, elements=st.sampled_from([-0.5, 0.0, -0.0, 1.0, 1e300, np.inf])), st.booleans())
def test_other_numbers_are_grouped_dense_and_sparse(rows, sparse):
    same = equal_rows(csr_matrix(rows) if sparse else rows)
    assert_grouped(same, rows.tolist())


@given(hnp.arrays(np.float64, SHAPES, elements=st.sampled_from([0.0, 1.0])), st.randoms(use_true_random=False))
def test_targets_must_be_equal_too(rows, random):
    target = np.array([random.choice([0.0, 1.0]) for _ in rows])
    whole = np.column_stack([rows, target]).tolist()
    assert_grouped(equal_rows(rows, target), whole)
    assert_grouped(equal_rows(rows.astype(np.int32), target.astype(np.int32)), whole)


@given(hnp.arrays(np.float64, SHAPES, elements=st.sampled_from([0.0, 1.0, 2.0])), st.randoms(use_true_random=False))
def test_the_order_of_kinds_depends_on_their_values_alone(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = rows[order]
    assert rows[equal_rows(rows).first].tolist() == shuffled[equal_rows(shuffled).first].tolist()


@pytest.mark.parametrize(("table", "few"), [(0, 0), (0, 1 << 12), (1 << 22, 0)])
def test_every_way_to_group_whole_numbers_gives_the_same(monkeypatch, table, few):
    rows = np.random.default_rng(1).integers(-2, 3, (300, 4))
    as_usual = equal_rows(rows)
    monkeypatch.setattr(module, "TABLE", table)
    monkeypatch.setattr(module, "FEW", few)
    same = equal_rows(rows)
    assert same.first.tolist() == as_usual.first.tolist()
    assert same.kind.tolist() == as_usual.kind.tolist()
    assert_grouped(same, rows.tolist())


def test_a_collision_joins_nothing(monkeypatch):
    monkeypatch.setattr(module, "_row_hashes", lambda rows, target: np.zeros(len(rows), np.uint64))
    assert len(equal_rows(np.array([[1.0], [2.0], [2.0]]))) == 2


def test_nan_equals_nothing():
    assert len(equal_rows(np.array([[np.nan], [np.nan]]))) == 2


@pytest.mark.parametrize("block", [1, 7, 1 << 19])
def test_blocks_change_nothing(monkeypatch, block):
    rows = np.random.default_rng(0).integers(0, 3, (100, 3)).astype(np.float64)
    whole = equal_rows(rows)
    monkeypatch.setattr(module, "BLOCK", block)
    same = equal_rows(rows)
    assert same.first.tolist() == whole.first.tolist()
    assert same.kind.tolist() == whole.kind.tolist()


def test_wide_rows_of_whole_numbers_keep_their_order():
    rows = np.random.default_rng(0).integers(-(2**40), 2**40, (200, 9))
    order = np.argsort(row_numbers(rows)[0], kind="stable")
    assert rows[order].tolist() == sorted(rows.tolist())
