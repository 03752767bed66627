"""Frames of every make read like the columns that they were made of."""

import datetime
import decimal

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import novacula as nv
from novacula.errors import DataError, InputTypeError, SchemaError
from novacula.table.frames import FrameSource, arrow_table, is_frame

MAKERS = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "pyarrow table": pa.table,
    "pyarrow batch": pa.RecordBatch.from_pydict,
    "dask": lambda columns: dd.from_pandas(pd.DataFrame(columns), npartitions=3),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_every_make(mixed, holds, make):
    assert holds(nv.read(make(mixed)), mixed)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_words_stay_words(make):
    """A frame says itself what is a number and what is missing, unless it is told otherwise."""
    frame = make({"a": ["1", "?", "3"], "b": ["x ", "NA", " x"]})
    plain = nv.read(frame)
    assert [column.categories for column in plain.schema] == [("1", "3", "?"), ("NA", "x")]
    told = nv.read(frame, missing=("?", "NA"), types={"a": "numeric"})
    np.testing.assert_array_equal(told.to_chunk().numeric[:, 0], [1, np.nan, 3])
    assert told.schema["b"].categories == ("x",)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_words_that_were_to_be_numbers(make):
    with pytest.raises(
        DataError, match=r"the numeric column 'a' holds 1 other value, the first being 'x' in row \d of"
    ):
        nv.read(make({"a": ["1", "x", "3"]}), types={"a": "numeric"})


def test_a_table_of_several_chunks_and_dictionaries(holds):
    parts = [["b", "a", None], ["c", "b"], []]
    chunks = [pa.table({"w": pa.array(words, pa.string()).dictionary_encode()}) for words in parts]
    assert holds(nv.read(pa.concat_tables(chunks)), {"w": ["b", "a", None, "c", "b"]})


# --- orders of categories --------------------------------------------------------------------------------

SIZES = ["small", "large", "small", None]
STATED = ("small", "medium", "large")


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(SIZES, categories=STATED, ordered=True)),
        pd.Series(pd.Categorical(SIZES, categories=STATED)),
        pl.Series(SIZES, dtype=pl.Enum(STATED)),
        pa.DictionaryArray.from_arrays(pa.array([0, 2, 0, None]), pa.array(STATED), ordered=True),
    ],
    ids=["pandas ordered", "pandas", "polars enum", "pyarrow ordered"],
)
def test_a_stated_order_is_kept(column):
    makers = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    table = nv.read(makers[type(column).__module__.split(".")[0]]({"size": column, "n": [1, 2, 3, 4]}))
    assert table.schema["size"].categories == STATED
    assert table.schema["size"].declared
    np.testing.assert_array_equal(table.to_chunk().codes[:, 0], [0, 2, 0, -1])


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    "make",
    [
        lambda words: pl.DataFrame({"w": pl.Series(words, dtype=pl.Categorical)}),
        lambda words: pa.table({"w": pa.array(words).dictionary_encode()}),
        lambda words: pa.table({"w": words}),
    ],
    ids=["polars categorical", "pyarrow dictionary", "strings"],
)
def test_an_order_by_appearance_is_none(make, order):
    table = nv.read(make(["b", "c", "a", "b"][::order]))
    assert table.schema["w"].categories == ("a", "b", "c")
    assert table.to_chunk().codes[:, 0].tolist() == [1, 2, 0, 1][::order]


@pytest.mark.parametrize("size", [2, 200])
@pytest.mark.parametrize("gap", [None, "w0"], ids=["gaps", "no gap"])
def test_pandas_categories_read_as_arrow_reads_them(size, gap):
    words = [f"w{k}" for k in range(size)]
    frame = pd.DataFrame({"w": pd.Categorical([*words, gap], categories=words[::-1]), "n": range(size + 1)})
    for rows in (frame, frame[["w"]], frame[["n"]], frame[:0]):
        theirs = pa.Table.from_pandas(rows, preserve_index=False)
        assert arrow_table(rows).to_pydict() == theirs.to_pydict()
        assert arrow_table(rows).schema.names == theirs.schema.names


def test_many_codes_of_pandas_categories_stand_in_their_rows():
    """Enough cells for the kernel that turns columns, and rows that do not fill its last block."""
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 3, (70_001, 4)).astype(np.int32)
    codes[:3] = [[0] * 4, [1] * 4, [2] * 4]
    columns = {f"c{j}": pd.Categorical.from_codes(codes[:, j], ["a", "b", "c"]) for j in range(4)}
    found = [chunk.codes for chunk in nv.read(pd.DataFrame(columns)).chunks()]
    np.testing.assert_array_equal(np.concatenate(found), codes)


def test_a_dictionary_in_another_order_than_its_codes():
    column = pa.DictionaryArray.from_arrays(pa.array([2, None, 0, 1, 2], pa.int8()), pa.array(["b", "c", "a"]))
    schema = nv.read(pa.table({"w": ["a", "b"]})).schema
    table = nv.read(pa.table({"w": column}))
    assert table.to_chunk().codes[:, 0].tolist() == [0, -1, 1, 2, 0]
    assert table.conform(schema, "ignore").to_chunk().codes[:, 0].tolist() == [0, -1, 1, -2, 0]


def test_categories_may_be_numbers_or_truth_values():
    frame = pd.DataFrame(
        {
            "k": pd.Categorical([10, 2, None], categories=[10, 2]),
            "f": [True, False, True],
            "g": pd.array([True, None, False], dtype="boolean"),
        }
    )
    table = nv.read(frame)
    assert [column.categories for column in table.schema] == [(10, 2), (False, True), (False, True)]
    np.testing.assert_array_equal(table.to_chunk().codes, [[0, 1, 1], [1, 0, -1], [-1, 1, 0]])


def test_the_same_codes_from_every_source_of_the_same_words(tmp_path):
    words = ["b", "a", "c", "a"]
    frame = pd.DataFrame({"w": words})
    frame.to_csv(tmp_path / "t.csv", index=False)
    codes = [nv.read(s).to_chunk().codes.tolist() for s in (frame, pl.DataFrame({"w": words}), tmp_path / "t.csv")]
    assert codes == [[[1], [0], [2], [0]]] * 3


# --- types -----------------------------------------------------------------------------------------------


def test_pandas_types():
    frame = pd.DataFrame(
        {
            "int": pd.array([1, None], dtype="Int64"),
            "float": pd.array([0.5, None], dtype="Float32"),
            "time": pd.to_datetime(["1970-01-02", None]),
            "zone": pd.to_datetime(["1970-01-01 01:00", None]).tz_localize("Europe/Paris"),
            "span": pd.to_timedelta(["1s", None]),
            "object": pd.Series([1, None], dtype=object),
            "decimal": pd.Series([decimal.Decimal("1.5"), None], dtype=object),
            "date": pd.Series([datetime.date(1970, 1, 3), None], dtype=object),
            "nothing": pd.Series([None, None], dtype=object),
        }
    ).set_index(pd.Index(["p", "q"]))
    table = nv.read(frame)
    assert table.schema.names[-1] == "nothing"
    assert {column.kind for column in table.schema} == {"numeric"}
    first = [1, 0.5, 86400, 0, 1, 1, 1.5, 2 * 86400, np.nan]
    np.testing.assert_array_equal(table.to_chunk().numeric, [first, [np.nan] * 9])


def test_times_as_categories():
    frame = pd.DataFrame({"day": pd.to_datetime(["2001-01-02", "2001-01-01", "2001-01-02"])})
    table = nv.read(frame, types={"day": "categorical"})
    assert len(table.schema["day"].categories) == 2
    assert table.to_chunk().codes[:, 0].tolist() == [1, 0, 1]


def test_dask_categories(mixed):
    frame = pd.DataFrame({"size": pd.Categorical(SIZES, categories=STATED)})
    known = dd.from_pandas(frame, npartitions=2)
    assert nv.read(known).schema["size"].categories == STATED
    unknown = known.assign(size=known["size"].cat.as_unknown())
    assert nv.read(unknown).schema["size"].categories == ("large", "small")


def test_a_dask_array_is_refused_in_a_sentence():
    with pytest.raises(InputTypeError, match="a Dask Array has no columns: give a Dask frame, or compute"):
        nv.read(da.ones((4, 2)))


def test_dask_is_lazy():
    computed = []

    def note(frame):
        computed.append(len(frame))
        return frame

    frame = dd.from_pandas(pd.DataFrame({"x": np.arange(10.0)}), npartitions=5)
    table = nv.read(frame.map_partitions(note, meta=frame._meta))
    assert computed == []
    assert len(table) == 10
    assert sum(computed) == 10


# --- what goes wrong -------------------------------------------------------------------------------------


def test_is_frame():
    assert is_frame(pd.DataFrame({"a": [1]}))
    assert is_frame(pa.record_batch({"a": [1]}))
    assert not is_frame([[1]])
    assert not is_frame(np.eye(2))


@pytest.mark.parametrize("value", [[[1, 2]], {"a": [1]}, 3, None, object(), [], pd.Series([1.0])])
def test_what_is_no_frame(value):
    with pytest.raises(InputTypeError, match=rf"cannot read a {type(value).__name__}: give a path, an array or"):
        nv.read(value)


def test_lazy_frames_must_be_collected():
    with pytest.raises(InputTypeError, match="cannot read a LazyFrame: collect it first"):
        nv.read(pl.LazyFrame({"a": [1]}))


def test_names_must_be_text():
    with pytest.raises(SchemaError, match="the column name None is not text"):
        nv.read(pd.DataFrame({None: [1]}))
    with pytest.raises(SchemaError, match=r"the column name \('a', 'b'\) is not text"):
        nv.read(pd.DataFrame({("a", "b"): [1]}))


def test_whole_numbers_are_names_by_their_digits():
    frame = pd.DataFrame({"a": ["x", "y"], 1: [2, 3], np.int64(7): pd.Categorical(["u", "v"])})
    table = nv.read(frame, target=7)
    assert (table.schema.names, table.schema.target) == (("a", "1", "7"), ("7",))
    assert table.to_chunk().numeric.tolist() == [[2], [3]]
    assert nv.read(pd.DataFrame([[1, 2]])).schema.names == ("0", "1")
    with pytest.raises(SchemaError, match="the column name '1' stands twice"):
        nv.read(pd.DataFrame({1: [2], "1": [3]}))


def test_names_must_differ():
    with pytest.raises(SchemaError, match="the column name 'a' stands twice"):
        nv.read(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(SchemaError, match="the column name 'a' stands twice"):
        nv.read(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_numbers_among_words_are_words_as_in_files():
    odd = [1, "a", 2.5, None, np.nan, pd.NA, pd.NaT]
    frame = pd.DataFrame({"fine": range(7), "odd": pd.Series(odd, dtype=object)})
    for table in (nv.read(frame), nv.read(frame, types={"odd": "categorical"})):
        assert table.schema["odd"].categories == ("1", "2.5", "a")
        assert table.schema["odd"].missing == 4
    assert nv.read(frame, drop="odd").schema.names == ("fine",)
    assert nv.read(np.array([[1, "a"], [2, 3]], dtype=object)).schema["x1"].categories == ("3", "a")
    objects = pl.DataFrame({"odd": odd[:3]}, schema={"odd": pl.Object}, strict=False)
    assert nv.read(objects).schema["odd"].categories == ("1", "2.5", "a")
    amounts = pd.DataFrame({"odd": pd.Series([decimal.Decimal("1.5"), 2.5, None], dtype=object)})
    assert nv.read(amounts).schema["odd"].high == 2.5


def test_what_no_column_holds_is_named():
    with pytest.raises(DataError, match="column 'odd' holds complex numbers: make them numbers or text, or leave"):
        nv.read(pd.DataFrame({"fine": [1, 2], "odd": [1 + 2j, 3]}))
    with pytest.raises(DataError, match="column 'odd' holds values of the type Series"):
        nv.read(pd.DataFrame({"odd": pd.Series([pd.Series([1]), 2], dtype=object)}))


def test_sparse_columns_are_read():
    frame = pd.get_dummies(pd.DataFrame({"c": list("abca"), "x": [1.0, 2.0, 3.0, 4.0]}), sparse=True)
    frame["s"] = pd.arrays.SparseArray([0.0, np.nan, 2.0, 0.0])
    table = nv.read(frame)
    assert table.schema["c_a"].categories == (False, True)
    assert (table.schema["s"].missing, table.schema["s"].high) == (1, 2.0)


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}, b"bytes"])
def test_cells_must_be_single_values(cell):
    with pytest.raises(DataError, match=r"column 'odd' of the frame holds .*, not single values: unpack it"):
        nv.read(pa.table({"odd": [cell]}))
    ignored = nv.read(pa.table({"odd": [cell], "x": [1.0]}), types={"odd": "ignored"})
    assert ignored.to_chunk().numeric.tolist() == [[1.0]]


def test_frames_without_rows():
    with pytest.raises(DataError, match="the frame has no rows"):
        nv.read(pd.DataFrame({"a": []}))


# --- beside the columns ----------------------------------------------------------------------------------


def test_target_and_weight_beside_the_columns():
    table = arrow_table(pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}))
    target, weight = np.array([2, 0, 1], np.int32), np.array([0.5, 1, 2])
    source = FrameSource(table, target, weight)
    schema = nv.read(table).schema
    roles = nv.Schema((*schema, nv.table.Column("z", "categorical", (0, 1, 2))), target=("z",))
    chunk = nv.Table(source, roles).to_chunk()
    assert chunk.target.tolist() == [2, 0, 1]
    assert chunk.weight.tolist() == [0.5, 1, 2]
    assert chunk.codes[:, 0].tolist() == [0, 1, 0]
    part = source.rows(1, 3)
    assert (part.n_rows, part.target.tolist(), part.weight.tolist()) == (2, [0, 1], [1, 2])
