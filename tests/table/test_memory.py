"""Arrays and sparse matrices: views, types, codes, and their messages."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix, random_array

import novacula as nv
from novacula.errors import DataError, InputTypeError, SchemaError
from novacula.linear import LogisticRegression
from novacula.table import Column, Schema, Table
from novacula.table.memory import ArraySource, SparseSource

REAL = [np.dtype(code) for code in "?bBhHiIlLqQefdg"] + [np.dtype(">f8"), np.dtype(">i4")]


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_all_real_types(dtype, order):
    array = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype, order=order)
    table = nv.read(array)
    if dtype.kind == "b":
        assert table.schema["x0"].categories == (False, True)
        found = table.to_chunk().codes
    else:
        found = table.to_chunk().numeric
        assert found.dtype == np.float64
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, [[0, 1, 1], [1, 0, 1]])


def test_rows_of_a_float_array_are_views():
    array = np.random.default_rng(0).normal(size=(200_000, 5))
    chunks = list(nv.read(array).chunks())
    assert len(chunks) > 1
    assert all(np.shares_memory(chunk.numeric, array) for chunk in chunks)
    np.testing.assert_array_equal(np.concatenate([chunk.numeric for chunk in chunks]), array)


@pytest.mark.parametrize(
    "array", [np.asfortranarray(np.arange(12.0).reshape(4, 3)), np.arange(24.0).reshape(4, 6)[:, ::2]]
)
def test_other_orders_are_copied_right(array):
    np.testing.assert_array_equal(nv.read(array).to_chunk().numeric, array)


def test_a_subset_of_columns():
    array = np.arange(12.0).reshape(4, 3)
    table = nv.read(array, target="x1", weight="x2").select(["x0"])
    chunk = table.to_chunk()
    np.testing.assert_array_equal(chunk.numeric, array[:, [0]])
    np.testing.assert_array_equal(chunk.target, array[:, 1])
    np.testing.assert_array_equal(chunk.weight, array[:, 2])
    both = nv.read(array, target=["x2", "x0"]).to_chunk()
    np.testing.assert_array_equal(both.target, array[:, [2, 0]])


def test_objects_and_strings():
    objects = np.array([["a", 1, None], [None, 2.5, True], ["b", float("nan"), False]], dtype=object)
    table = nv.read(objects)
    assert [column.kind for column in table.schema] == ["categorical", "numeric", "categorical"]
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], [1, 2.5, np.nan])
    np.testing.assert_array_equal(table.to_chunk().codes, [[0, -1], [-1, 1], [1, 0]])
    assert nv.read(np.array([["b", "1"], ["a", "2"]])).schema["x0"].categories == ("a", "b")
    assert nv.read(np.array([[b"b"], ["é".encode()]])).schema["x0"].categories == ("b", "é")
    missing = np.array([[pd.NA, "x"], [1, pd.NaT]], dtype=object)
    assert [column.missing for column in nv.read(missing).schema] == [1, 1]


def test_masked_cells_are_missing():
    array = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(nv.read(array).to_chunk().numeric, [[1, np.nan], [3, 4]])


def test_a_marker_that_is_a_number():
    array = np.array([[1.0, -9.0], [-9.0, 2.0]])
    np.testing.assert_array_equal(nv.read(array, missing="-9").to_chunk().numeric, [[1, np.nan], [np.nan, 2]])
    by_column = nv.read(array, missing={"x1": "-9"})
    np.testing.assert_array_equal(by_column.to_chunk().numeric, [[1, np.nan], [-9, 2]])
    assert [column.missing for column in by_column.schema] == [0, 1]
    assert array[0, 1] == -9.0


# --- codes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [[3, 1, 2, 1], [1_000_000_007, -5, 3, -5], [0.5, np.nan, -1.5, 0.5], [2**60, 1, 2**60, 7], [200, 0, 255, 0]],
)
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8, np.float32])
def test_numbers_as_categories(values, dtype):
    with np.errstate(invalid="ignore"):
        array = np.array(values, np.float64).astype(dtype)[:, None]
    table = nv.read(array, types={"x0": "categorical"})
    known = sorted({v for v in array[:, 0].tolist() if v == v})
    assert table.schema["x0"].categories == tuple(known)
    expected = [known.index(v) if v == v else -1 for v in array[:, 0].tolist()]
    assert table.to_chunk().codes[:, 0].tolist() == expected


def test_declared_numbers_keep_their_order():
    table = nv.read(np.array([[1], [3], [2]]), types={"x0": [3, 2, 1]})
    assert table.to_chunk().codes[:, 0].tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    "array", [np.array([[1], [5], [9]]), np.array([[1.0], [5.0], [9.0]]), np.array([[1], [5], [2**40]])]
)
def test_unknown_numbers(array):
    schema = Schema((Column("x0", "categorical", (1, 9)),))
    codes = Table(ArraySource(array), schema, unseen="ignore").to_chunk().codes[:, 0]
    assert codes[1] == -2
    with pytest.raises(DataError, match=r"row 2 of the array holds 5.* in column 'x0', which is none of its 2"):
        Table(ArraySource(array), schema).to_chunk()


def test_numbers_where_words_were_categories():
    schema = Schema((Column("x0", "categorical", ("1", "2", "x")),))
    for array in (np.array([[2], [1], [3]]), np.array([[2.0], [1.0], [3.5]])):
        table = Table(ArraySource(array), schema, unseen="ignore")
        assert table.to_chunk().codes[:, 0].tolist() == [1, 0, -2]


def test_two_million_codes_equal_a_plain_lookup():
    array = np.random.default_rng(1).integers(0, 7, (200_000, 3))
    table = nv.read(array, types=dict.fromkeys(["x0", "x1", "x2"], "categorical"))
    np.testing.assert_array_equal(table.to_chunk().codes, array)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("beside", [False, True], ids=["all columns", "a numeric column among them"])
@pytest.mark.parametrize("many", [1, 1 << 18], ids=["one table", "column by column"])
def test_whole_numbers_have_their_codes(order, dtype, beside, many, monkeypatch):
    """Also at the ends of the type, where a distance from the least category has no room in it."""
    monkeypatch.setattr("novacula.table.encode.MANY", many)
    ends = np.iinfo(dtype)
    known = [(3, 1, 7), (ends.min, ends.min + 2), (ends.max - 1, ends.max), (5,)]
    values = np.array([ends.min, ends.min + 1, ends.min + 2, 1, 3, 5, 6, 7, 8, ends.max - 1, ends.max], dtype)
    array = np.asarray(np.random.default_rng(2).choice(values, (2500, 4)), order=order)
    columns = [Column(f"x{j}", "categorical", categories) for j, categories in enumerate(known)]
    if beside:
        columns[1] = Column("x1", "numeric")
    chunk = Table(ArraySource(array), Schema(tuple(columns)), unseen="ignore").to_chunk()
    coded = [j for j in range(4) if not (beside and j == 1)]
    plain = [[known[j].index(v) if v in known[j] else -2 for v in array[:, j].tolist()] for j in coded]
    assert chunk.codes.T.tolist() == plain
    assert chunk.codes.dtype == np.int32
    assert chunk.codes.flags.c_contiguous


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
@pytest.mark.parametrize("low", [0, 5, "least", "most"])
def test_whole_numbers_without_gaps_have_their_codes(dtype, low, monkeypatch):
    """Also where some follow each other and others do not, and beside numbers that are none of them."""
    monkeypatch.setattr("novacula.table.encode.MANY", 1)
    ends = np.iinfo(dtype)
    first = {"least": ends.min, "most": ends.max - 3}.get(low, low)
    array = np.random.default_rng(4).integers(ends.min, ends.max, (3000, 3), dtype=dtype, endpoint=True)
    array[::2] = (first + np.random.default_rng(5).integers(0, 4, (1500, 3))).astype(dtype)
    rising, falling = tuple(range(first, first + 4)), tuple(range(first + 3, first - 1, -1))
    for known in ([rising, rising, rising[1:3]], [rising, falling, rising], [rising, rising[:1], (first, first + 2)]):
        columns = [Column(f"x{j}", "categorical", categories) for j, categories in enumerate(known)]
        codes = Table(ArraySource(array), Schema(tuple(columns)), unseen="ignore").to_chunk().codes
        plain = [
            [c.index(v) if v in c else -2 for v in column] for c, column in zip(known, array.T.tolist(), strict=True)
        ]
        assert codes.T.tolist() == plain


@pytest.mark.parametrize("spread", [1, 31, 32, 33, 64, 65, 2000, 2048, 2049, 5000])
def test_whole_numbers_within_any_range_are_profiled_at_once_as_one_by_one(spread, monkeypatch):
    """Bits serve up to some range about the first row, marks up to another, and beyond it columns are looked at."""
    rng = np.random.default_rng(spread)
    array = rng.integers(-spread, spread, (2500, 2), endpoint=True)
    array[0], array[1], array[-1] = 0, -spread, spread
    read = nv.read(array, types={"x0": "categorical", "x1": "categorical"}).schema
    monkeypatch.setattr("novacula.table.profile.MANY", 1)
    assert nv.read(array, types={"x0": "categorical", "x1": "categorical"}).schema == read
    assert set(read["x0"].categories) == set(array[:, 0].tolist())


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
@pytest.mark.parametrize("first", [0, 50, "least", "most"])
def test_whole_numbers_are_profiled_at_once_as_one_by_one(dtype, first, monkeypatch):
    """Close together, far apart, beyond the cap of categories, and at the ends of the type."""
    ends, rng = np.iinfo(dtype), np.random.default_rng(3)
    start = {"least": ends.min, "most": ends.max - 3}.get(first, first)
    array = (start + rng.integers(0, 4, (1500, 3))).astype(dtype)
    array[:, 1] = rng.integers(ends.min, ends.max, 1500, dtype=dtype, endpoint=True)
    few = array[:, [0, 2]]
    read = [nv.read(array), nv.read(few), nv.read(few, types={"x0": "categorical"})]
    monkeypatch.setattr("novacula.table.profile.MANY", 1)
    marked = [nv.read(array), nv.read(few), nv.read(few, types={"x0": "categorical"})]
    assert [table.schema for table in marked] == [table.schema for table in read]


@pytest.mark.parametrize("many", [1, 1 << 18], ids=["one table", "column by column"])
@pytest.mark.parametrize("known", [(4, 6), (3, 4)], ids=["with a gap", "without"])
def test_an_unknown_whole_number_is_named_by_its_column(many, known, monkeypatch):
    monkeypatch.setattr("novacula.table.encode.MANY", many)
    array = np.array([[1, 4], [2, 5]])
    schema = Schema((Column("x0", "categorical", (1, 2)), Column("x1", "categorical", known)))
    with pytest.raises(DataError, match=r"row 2 of the array holds 5 in column 'x1', which is none of its 2"):
        Table(ArraySource(array), schema).to_chunk()


# --- sparse ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [csr_matrix, csr_array, coo_array, lambda m: csr_matrix(m.astype(np.float32))])
def test_sparse_matrices(make):
    dense = np.array([[0, 2, 0], [1, 0, 0], [0, 0, 0]], float)
    table = nv.read(make(dense))
    np.testing.assert_array_equal(table.to_chunk().sparse.toarray(), dense)
    assert table.to_chunk().sparse.dtype == np.float64
    assert str(table.schema).splitlines()[2].split() == ["features", "sparse", "0", "3", "columns"]


def test_entries_that_stand_twice_are_added_up():
    matrix = csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    assert nv.read(matrix).to_chunk().sparse.data.tolist() == [4.0, 3.0]
    assert matrix.nnz == 3


def test_sparse_blocks_are_views_and_cover_all_rows():
    matrix = random_array((100_000, 50), density=0.2, format="csr", rng=np.random.default_rng(0))
    matrix = csr_matrix(matrix)
    source = SparseSource(matrix, np.arange(100_000.0))
    assert len(source.partitions()) > 1
    schema = Schema((*source.blocks(), Column("y", "numeric")), target=("y",))
    chunks = list(Table(source, schema).chunks())
    assert all(np.shares_memory(chunk.sparse.data, matrix.data) for chunk in chunks)
    np.testing.assert_array_equal(np.concatenate([c.target for c in chunks]), np.arange(100_000.0))
    assert sum(chunk.sparse.nnz for chunk in chunks) == matrix.nnz


def test_columns_cannot_be_taken_out_of_a_sparse_matrix():
    with pytest.raises(SchemaError, match="the sparse matrix is sparse"):
        list(SparseSource(csr_matrix(np.eye(2))).partitions()[0].batches(["x"]))


# --- partitions elsewhere --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["array", "sparse", "frame"])
def test_a_detached_partition_has_its_own_rows_only(kind):
    rng = np.random.default_rng(0)
    array = rng.integers(0, 3, (80_000, 30)).astype(float)
    whole = {
        "array": array,
        "sparse": csr_matrix(array),
        "frame": pd.DataFrame(array, columns=[f"x{j}" for j in range(30)]),
    }
    table = nv.read(whole[kind])
    parts = table.source.partitions()
    assert len(parts) > 1
    for part in parts:
        alone = pickle.loads(pickle.dumps(part.detached()))
        assert alone.key == part.key
        assert len(pickle.dumps(part.detached())) < 1.5 * len(pickle.dumps(array)) / len(parts) + 20_000
        (one,), (other,) = part.chunks(table.layout, "error"), alone.chunks(table.layout, "error")
        np.testing.assert_array_equal(one.dense(), other.dense())


def test_a_detached_partition_counts_rows_from_the_first_of_all():
    array = np.ones((40_000, 30))
    array[39_999, 0] = np.nan
    table = nv.read(array, target="x0")
    last = table.source.partitions()[-1].detached()
    with pytest.raises(DataError, match="row 40000 of the array has no value for the target 'x0'"):
        list(last.chunks(table.layout, "error"))


def test_keys_differ_between_sources():
    keys = {ArraySource(np.eye(2)).partitions()[0].key for _ in range(10)}
    assert len(keys) == 10


# --- what goes wrong -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        (np.zeros(3), DataError, "the array has 1 dimensions; a table has 2"),
        (np.zeros((2, 2, 2)), DataError, "the array has 3 dimensions"),
        (np.zeros((2, 2), complex), InputTypeError, "the array holds complex128, which is not a number"),
        (np.zeros((2, 2), "M8[s]"), InputTypeError, r"the array holds datetime64\[s\]"),
        (np.zeros((0, 2)), DataError, "the array has no rows"),
        (np.array([[b"\xff"]]), DataError, "the array holds bytes that are not utf-8"),
    ],
)
def test_arrays_that_cannot_be_taken(array, error, message):
    with pytest.raises(error, match=message):
        nv.read(array)


def test_names_must_fit():
    with pytest.raises(SchemaError, match="1 names were given for 2 columns"):
        ArraySource(np.eye(2), names=["a"])


@pytest.mark.parametrize(
    ("value", "what"), [(-0.5, "the weight -0.5"), (np.nan, r"no weight \(NaN\)"), (np.inf, "the weight inf")]
)
def test_bad_weights(value, what):
    array = np.ones((3, 2))
    array[2, 1] = value
    with pytest.raises(DataError, match=f"^row 3 of the array has {what} in column 'x1': weights are finite"):
        nv.read(array, weight="x1").to_chunk()


def test_missing_targets():
    array = np.array([[1, 2], [np.nan, 3]])
    for target in ("x0", ["x1", "x0"]):
        with pytest.raises(DataError, match="row 2 of the array has no value for the target 'x0'"):
            nv.read(array, target=target).to_chunk()


def test_a_target_beside_the_rows_comes_only_if_the_schema_names_it():
    rows = nv.read(np.arange(6.0).reshape(3, 2), target="x1").in_memory()
    assert rows.to_chunk().target.tolist() == [1.0, 3.0, 5.0]
    assert rows.drop("x1").to_chunk().target is None


@pytest.mark.parametrize(
    "some",
    [
        lambda table: table.take(range(5, 30)),
        lambda table: table.take(range(5, 30)).take([1, 2, 4, 7]),
        lambda table: table.take(np.arange(30) > 3).in_memory(),
        lambda table: table.in_memory().take([9, 2]).with_own_categories(),
        lambda table: table.in_memory().take([0, -21]),
    ],
)
def test_messages_name_rows_of_the_file_wherever_they_are(tmp_path, some):
    lines = [f"{'inf' if i == 9 else i},{'uv'[i % 2]}" for i in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["a,y", *lines]) + "\n")
    part = some(nv.read(tmp_path / "t.csv", "y"))
    with pytest.raises(DataError, match=r"is infinite \(inf\) in row 10 of "):
        LogisticRegression().fit(part)


def test_rows_without_a_target_are_counted_too(tmp_path):
    lines = [f"{'inf' if i == 9 else i},{'uv'[i % 2] if i % 8 else ''}" for i in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["a,y", *lines]) + "\n")
    for part in (table := nv.read(tmp_path / "t.csv", "y").labelled(), table.in_memory(), table.take(range(3, 20))):
        with pytest.raises(DataError, match=r"is infinite \(inf\) in row 10 of "):
            LogisticRegression().fit(part)
