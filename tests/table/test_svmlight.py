"""svmlight files: bases, widths, labels and damage."""

import gzip

import numpy as np
import pytest
from scipy.sparse import random_array
from sklearn.datasets import dump_svmlight_file

import novacula as nv
from novacula.errors import DataError, SchemaError

MATRIX = np.array([[0, 1.5, 0, 2], [3, 0, 0, 0], [0, 0, 0, 0], [-1, 0, 0, 5e-3]])
LABELS = np.array([1.0, -1.0, 1.0, 2.5])


@pytest.fixture
def svm(tmp_path):
    def make(text, name="t.svm"):
        (tmp_path / name).write_bytes(text.encode())
        return tmp_path / name

    return make


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("size", [1, 12, 1 << 20])
@pytest.mark.parametrize("name", ["t.svm", "t.svmlight", "t.libsvm"])
def test_bases_and_cuts(tmp_path, small_ranges, zero_based, size, name):
    small_ranges(size)
    dump_svmlight_file(MATRIX, LABELS, str(tmp_path / name), zero_based=zero_based, comment="a comment")
    table = nv.read(tmp_path / name)
    chunk = table.to_chunk()
    np.testing.assert_array_equal(chunk.sparse.toarray(), MATRIX)
    np.testing.assert_array_equal(chunk.target, LABELS)
    assert table.schema["features"].width == 4
    assert (len(table), table.schema.target) == (4, ("target",))


def test_large_random_matrix(tmp_path, small_ranges):
    small_ranges(1000)
    matrix = random_array((300, 50), density=0.1, format="csr", rng=np.random.default_rng(3))
    dump_svmlight_file(matrix, np.arange(300), str(tmp_path / "t.svm"))
    chunk = nv.read(tmp_path / "t.svm", n_features=60).to_chunk()
    np.testing.assert_allclose(chunk.sparse.toarray()[:, :50], matrix.toarray(), rtol=1e-12)
    assert chunk.sparse.shape == (300, 60)
    np.testing.assert_array_equal(chunk.target, np.arange(300))


def test_several_files_share_their_width_and_base(svm):
    one, two = svm("1 1:5\n", "p.svm"), svm("0 3:7\n", "q.svm")
    np.testing.assert_array_equal(nv.read([one, two]).to_chunk().sparse.toarray(), [[5, 0, 0], [0, 0, 7]])


def test_compressed(tmp_path):
    (tmp_path / "t.svm.gz").write_bytes(gzip.compress(b"1 1:5\n0 2:6\n"))
    np.testing.assert_array_equal(nv.read(tmp_path / "t.svm.gz").to_chunk().sparse.toarray(), [[5, 0], [0, 6]])


def test_labels_as_classes(svm):
    table = nv.read(svm("+1 1:1\n-1 1:2\n+1 2:1\n"), types={"target": "categorical"})
    assert table.schema["target"].categories == (-1.0, 1.0)
    assert table.to_chunk().target.tolist() == [1, 0, 1]
    assert table.to_chunk().target.dtype == np.int32


def test_without_target(svm):
    chunk = nv.read(svm("1 1:5\n")).with_target(None).to_chunk()
    assert chunk.target is None
    np.testing.assert_array_equal(chunk.numeric, np.empty((1, 0)))


def test_head(svm):
    head = nv.read(svm("1 1:5\n0 2:6\n1 1:1\n")).head(2)
    np.testing.assert_array_equal(head.to_chunk().sparse.toarray(), [[5, 0], [0, 6]])
    assert head.to_chunk().target.tolist() == [1, 0]


def test_a_sparse_table_has_no_frame(svm):
    with pytest.raises(SchemaError, match=r"t\.svm is sparse: take its rows by chunks"):
        nv.read(svm("1 1:5\n")).to_pandas()


@pytest.mark.parametrize("size", [5, 1 << 20])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 x:5", "line 3: .*x"),
        ("one 1:5", "line 3: .*one"),
        ("1 2:5 1:3", "line 3: indices must be whole numbers that grow along the line"),
        ("1 1:5 1:3", "line 3: indices must"),
        ("1 -1:5", "line 3: indices must"),
        ("1 1:", "line 3"),
        ("1 1:a", "line 3: .*a"),
        ("1 5", "line 3"),
        ("1,2 1:5", "line 3"),
    ],
)
def test_bad_lines_are_named(svm, small_ranges, size, line, message):
    small_ranges(size)
    with pytest.raises(DataError, match=rf"t\.svm, {message}"):
        nv.read(svm(f"1 1:5\n0 2:6\n{line}\n1 1:1\n"))


def test_empty_and_too_narrow(svm):
    with pytest.raises(DataError, match=r"t\.svm is empty"):
        nv.read(svm(""))
    with pytest.raises(DataError, match=r"has 7 columns, which is more than n_features=5"):
        nv.read(svm("1 7:1\n"), n_features=5)


def test_labels_that_are_missing_or_unknown(svm, small_ranges):
    small_ranges(4)
    path = svm("1 1:1\n2 1:1\nnan 1:1\n")
    with pytest.raises(DataError, match=r"row 3 of \S*t\.svm has no value for the target 'target'"):
        nv.read(path).to_chunk()
    with pytest.raises(DataError, match=r"row 2 of \S*t\.svm holds 2.0 in column 'target', which is none of its 1"):
        nv.read(path, types={"target": [1]}).to_chunk()


def test_rows_of_nothing_but_a_label(svm):
    table = nv.read(svm("1\n0\n"), n_features=3)
    assert table.to_chunk().sparse.shape == (2, 3)


def test_lines_that_end_differently(svm):
    """A comment took the row behind a carriage return with it."""
    table = nv.read(svm("1 1:2 # one\r0 2:3\r\n1 1:4\n"))
    np.testing.assert_array_equal(table.to_chunk().sparse.toarray(), [[2, 0], [0, 3], [4, 0]])
