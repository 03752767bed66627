"""Tables whose rows are laid out: the same rows, and some of them, whatever they came from."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.errors import DataError

FRAME = pd.DataFrame(
    {
        "size": [1.5, None, 3.0, -2.0, 0.0, 7.0],
        "colour": ["red", "blue", None, "red", "green", "blue"],
        "words": ["a b", "c", "d e f", None, "g", "h"],
        "w": [1.0, 2.0, 0.5, 1.0, 0.0, 3.0],
        "kind": ["x", "y", "x", "y", "y", "x"],
    }
)


def table():
    return nv.read(FRAME, "kind", weight="w", types={"words": "text", "colour": ["green", "red", "blue"]})


def test_the_rows_stay_the_same():
    laid = table().in_memory()
    pd.testing.assert_frame_equal(laid.to_pandas(), table().to_pandas())
    a, b = table().to_chunk(), laid.to_chunk()
    np.testing.assert_array_equal(a.numeric, b.numeric)
    np.testing.assert_array_equal(a.codes, b.codes)
    np.testing.assert_array_equal(a.weight, b.weight)
    np.testing.assert_array_equal(a.target, b.target)
    assert all((p == q).all() for p, q in zip(a.text, b.text, strict=True))
    assert str(laid.schema) == str(table().schema)


@settings(deadline=None, max_examples=25)
@given(rows=st.lists(st.integers(0, 5), max_size=12))
def test_any_rows_can_be_taken(rows):
    part = table().take(np.array(rows, int))
    assert len(part) == len(rows)
    expected = table().to_pandas().iloc[rows].reset_index(drop=True)
    if rows:
        pd.testing.assert_frame_equal(part.to_pandas(), expected)


def test_rows_come_as_an_arrow_table():
    assert table().take([2, 0]).to_arrow().to_pylist()[1] == {
        "size": 1.5, "colour": "red", "words": "a b", "w": 1.0, "kind": "x",
    }  # fmt: skip


def test_a_mask_takes_rows_too():
    mask = np.array([True, False, True, False, False, True])
    assert table().take(mask).to_pandas()["size"].tolist() == [1.5, 3.0, 7.0]


def test_columns_can_be_left_out_and_put_in_another_order():
    part = table().in_memory().select(["colour", "size"])
    assert part.to_chunk().codes[:, 0].tolist() == [1, 2, -1, 1, 0, 2]
    assert part.to_chunk().numeric.shape == (6, 1)
    assert part.to_chunk().text == ()


def test_ignored_columns_stay_behind():
    kept = nv.read(FRAME, "kind", types={"words": "ignored"}).in_memory()
    assert "words" not in kept.layout.names


def test_models_are_those_of_the_table_itself():
    own, laid = NaiveBayes().fit(table()), NaiveBayes().fit(table().in_memory())
    np.testing.assert_array_equal(own.predict_proba(table()), laid.predict_proba(table()))


def test_other_categories_are_translated():
    laid = nv.read(pd.DataFrame({"c": ["b", "a", "z", None], "y": ["p", "q", "p", "q"]}), "y").in_memory()
    other = nv.read(pd.DataFrame({"c": ["a", "b"], "y": ["p", "q"]}), "y").layout
    assert laid.conform(other, "ignore").to_chunk().codes[:, 0].tolist() == [1, 0, -2, -1]
    with pytest.raises(DataError, match=r"row 3 of .* 'c'"):
        laid.conform(other, "error").to_chunk()


def test_roles_and_kinds_can_be_changed_afterwards():
    laid = nv.read(pd.DataFrame({"x": [1.0, 2.0, 3.0], "k": [0, 1, 1], "c": ["a", "b", "a"]}), "k").in_memory()
    classes = laid.with_types({"k": "categorical"})
    assert classes.to_chunk().target.tolist() == [0, 1, 1]
    assert classes.take([2, 0]).to_chunk().target.tolist() == [1, 0]
    other = laid.with_target("c")
    assert other.to_chunk().target.tolist() == [0, 1, 0]
    assert other.to_chunk().numeric.tolist() == [[1.0, 0.0], [2.0, 1.0], [3.0, 1.0]]
    plain = laid.with_target(None)
    assert plain.to_chunk().target is None
    assert plain.to_chunk().numeric.shape == (3, 2)
    words = laid.with_types({"x": "categorical"})
    assert words.to_chunk().codes.tolist() == [[0, 0], [1, 1], [2, 0]]


def test_several_targets_and_sparse_blocks():
    several = nv.datasets.load("linnerud").take([3, 5])
    assert several.to_pandas().columns.tolist() == nv.datasets.load("linnerud").to_pandas().columns.tolist()
    from scipy.sparse import csr_matrix

    laid = nv.read(csr_matrix(np.eye(4))).take([1, 3])
    assert laid.to_chunk().sparse.toarray().tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]


def test_blocks_of_many_rows_are_those_rows():
    numbers = np.random.default_rng(0).normal(size=(300_000, 2))
    laid = nv.read(pa.table({"a": numbers[:, 0], "b": numbers[:, 1]})).in_memory()
    np.testing.assert_array_equal(np.concatenate([chunk.numeric for chunk in laid.chunks()]), numbers)
