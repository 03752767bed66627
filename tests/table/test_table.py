"""Tables: the loop over rows, and making one table of another."""

import gc
import threading
import weakref

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import novacula as nv
from novacula.errors import DataError, SchemaError
from novacula.table import threads
from novacula.table.chunk import UNSEEN
from novacula.table.memory import ArraySource

PENGUINS = pd.DataFrame(
    {
        "species": ["Adelie", "Gentoo", "Adelie", "Chinstrap", "Gentoo"],
        "mass": [3.5, 5.1, None, 3.9, 4.8],
        "sex": ["f", None, "m", "f", "m"],
        "note": ["a b c", "d", None, "e", "f"],
        "count": [1, 2, 1, 1, 3],
    }
)


@pytest.fixture
def penguins():
    return nv.read(PENGUINS, target="species", types={"note": "text"})


@pytest.fixture
def long_table(tmp_path):
    """40 row groups of 500 rows."""
    rng = np.random.default_rng(9)
    columns = {f"x{j}": rng.normal(size=20_000) * 10.0**j for j in range(4)}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=500)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("novacula.table.columnar.RUN_BYTES", 1)
        yield nv.read(tmp_path / "t.parquet"), np.column_stack(list(columns.values()))


def our_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("novacula")]


# --- reduce ----------------------------------------------------------------------------------------------


def test_reduce_is_a_sum_over_all_rows(long_table, sums):
    table, array = long_table
    np.testing.assert_allclose(table.reduce(sums)[0], array.sum(axis=0), rtol=1e-10)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 2000), st.integers(1, 6), st.integers(1, 300))
def test_reduce_of_random_arrays(n, d, rows):
    array = np.random.default_rng(n * d).normal(size=(n, d))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("novacula.table.memory.rows_per_chunk", lambda _: rows)
        table = nv.read(array)
        gram = table.reduce(lambda chunk: chunk.numeric.T @ chunk.numeric)
        assert len(list(table.chunks())) == -(-n // rows)
    np.testing.assert_allclose(gram, array.T @ array, rtol=1e-9, atol=1e-9)


def test_bits_do_not_depend_on_threads(long_table):
    table, _ = long_table
    found = set()
    for count in (1, 2, 3, 7):
        with threads(count):
            found.add(table.reduce(lambda chunk, scale: scale * (chunk.numeric.T @ chunk.numeric), 0.1).tobytes())
    assert len(found) == 1


def test_arguments_are_passed_on(penguins):
    assert penguins.reduce(lambda chunk, a, b: len(chunk) * a + b, 2, 3) == 13


def test_chunks_alive_are_bounded(long_table):
    """Memory does not grow with rows: two chunks a thread, whatever the number of partitions."""
    table, _ = long_table
    alive, peak, lock = set(), 0, threading.Lock()

    def observe(chunk):
        nonlocal peak
        token = object()
        with lock:
            alive.add(id(token))
            peak = max(peak, len(alive))
        weakref.finalize(chunk.weight, alive.discard, id(token))
        keep.append(token)
        return len(chunk)

    for count in (1, 2, 3):
        keep, peak = [], 0
        with threads(count):
            assert table.reduce(observe) == 20_000
        gc.collect()
        assert alive == set()
        assert peak <= 2 * count


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("error", [DataError, KeyboardInterrupt, ZeroDivisionError])
def test_errors_of_observe_surface_and_leave_nothing(long_table, count, error):
    table, _ = long_table

    def observe(chunk):
        raise error("once")

    with threads(count), pytest.raises(error, match=r"^once$"):
        table.reduce(observe)
    assert our_threads() == []


def test_errors_of_adding_leave_no_thread(long_table):
    table, _ = long_table

    class Stubborn:
        def __add__(self, other):
            raise ZeroDivisionError

    with threads(2), pytest.raises(ZeroDivisionError) as caught:
        table.reduce(lambda _: Stubborn())
    assert caught.traceback  # still alive, and with it all frames
    assert our_threads() == []


def test_an_unreadable_partition_in_the_middle(tmp_path, sums):
    for i in range(20):
        (tmp_path / f"{i:02}.csv").write_text("a\n1\n2\n")
    table = nv.read(tmp_path)
    (tmp_path / "11.csv").unlink()
    with threads(3), pytest.raises(DataError, match=r"^\S*11\.csv is gone: it was there when the table was read$"):
        table.reduce(sums)
    assert our_threads() == []


# --- fold, map, chunks -----------------------------------------------------------------------------------


def test_fold_sees_rows_in_order(long_table):
    table, array = long_table
    seen = table.fold(lambda state, chunk, j: [*state, *chunk.numeric[:, j]], [], 2)
    assert seen == array[:, 2].tolist()


def test_errors_of_a_step_leave_no_thread(long_table):
    table, _ = long_table
    with pytest.raises(ZeroDivisionError) as caught:
        table.fold(lambda state, chunk: 1 / 0, 0)
    assert caught.traceback
    assert our_threads() == []


@pytest.mark.parametrize("count", [1, 2, 7])
def test_map_keeps_row_order(long_table, count):
    table, array = long_table
    with threads(count):
        np.testing.assert_array_equal(table.map(lambda chunk: chunk.numeric[:, [1]]), array[:, [1]])


def test_chunks_and_one_chunk(long_table):
    table, array = long_table
    np.testing.assert_array_equal(np.concatenate([chunk.numeric for chunk in table.chunks()]), array)
    np.testing.assert_array_equal(table.to_chunk().numeric, array)
    assert our_threads() == []


def test_empty_partitions(tmp_path, sums):
    for i, rows in enumerate(["", "1,a,u v\n", "", "2,b,w\n", ""]):
        (tmp_path / f"{i}.csv").write_text("x,y,t\n" + rows)
    table = nv.read(tmp_path, target="y", types={"t": "text"})
    sizes = [len(chunk) for chunk in table.chunks()]
    assert sizes == [0, 1, 0, 1, 0]
    assert table.reduce(sums).tolist() == [[3.0]]
    assert table.map(lambda chunk: chunk.target).tolist() == [0, 1]
    whole = table.to_chunk()
    assert (whole.numeric.shape, whole.codes.shape, whole.text[0].tolist()) == ((2, 1), (2, 0), ["u v", "w"])


# --- another table ---------------------------------------------------------------------------------------


def test_select_drop_and_targets(penguins):
    chosen = penguins.select(["sex", "mass"])
    assert chosen.schema.names == ("sex", "mass", "species")
    assert penguins.select("mass").schema.names == ("mass", "species")
    assert penguins.drop(("mass", "species")).schema.names == ("sex", "note", "count")
    assert penguins.drop("species").schema.target == ()
    assert penguins.with_target("sex").schema.target == ("sex",)
    assert penguins.with_target(None).to_chunk().target is None
    np.testing.assert_array_equal(chosen.to_chunk().numeric[:, 0], PENGUINS["mass"])
    with pytest.raises(SchemaError, match="no column 'masss'; did you mean 'mass'"):
        penguins.drop("masss")


def test_tables_are_not_changed(penguins):
    before = penguins.schema
    penguins.with_types({"count": "categorical", "mass": "ignored"}).drop("sex")
    assert penguins.schema == before


def test_with_types(penguins):
    table = penguins.with_types({"count": "categorical", "sex": ["m", "f"], "mass": "ignored", "note": "ignored"})
    assert table.schema["count"].categories == (1, 2, 3)
    assert table.to_chunk().codes.tolist() == [[1, 0], [-1, 1], [0, 0], [1, 0], [0, 2]]
    assert table.schema["mass"].low is None
    back = table.with_types({"mass": "numeric"})
    assert (back.schema["mass"].low, back.schema["mass"].missing) == (3.5, 1)
    assert back.with_types({"species": "text"}).schema["species"].kind == "text"


def test_with_types_on_files(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n01,x\n1,y\n")
    table = nv.read(tmp_path / "t.csv")
    words = table.with_types({"a": "categorical"})
    assert words.to_chunk().codes[:, 0].tolist() == [0, 1]
    assert words.schema["a"].categories == ("01", "1")
    assert table.to_chunk().numeric[:, 0].tolist() == [1, 1]
    with pytest.raises(DataError, match=r"the numeric column 'b' holds 2 other values, the first being 'x' in row 1"):
        table.with_types({"b": "numeric"})
    with pytest.raises(SchemaError, match="types names 'c', which is not a column"):
        table.with_types({"c": "numeric"})


def test_categories_outside_a_stated_set(penguins):
    with pytest.raises(
        DataError, match=r"^row 2 of the frame holds 'Gentoo' in column 'species', which is none of its 1"
    ):
        penguins.with_types({"species": ["Adelie"]}).to_chunk()
    with pytest.raises(DataError, match=r"^row 3 of the frame holds 'm' in column 'sex', which is none of its 1 cat"):
        penguins.with_types({"sex": ["f"]}).to_chunk()


def test_length_and_names(penguins, tmp_path):
    assert len(penguins) == 5
    assert repr(penguins) == "Table('the frame', 5 columns, target='species')"
    assert str(penguins).startswith("5 rows × 5 columns\ncolumn ")
    table = pa.table({"a": [1.0, 2.0]})
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    assert nv.read(tmp_path / "t.arrow").layout.n_rows is None
    assert len(nv.read(tmp_path / "t.arrow")) == 2


# --- head and frames -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", None])
@pytest.mark.parametrize("n", [0, 1, 3, 99])
def test_head(tmp_path, small_ranges, name, n):
    small_ranges(40)
    source = PENGUINS
    if name is not None:
        source = tmp_path / name
        PENGUINS.to_csv(source, index=False) if name == "t.csv" else pq.write_table(
            pa.Table.from_pandas(PENGUINS), source
        )
    table = nv.read(source, target="species", types={"note": "text"})
    head = table.head(n)
    rows = min(n, 5)
    assert len(head) == rows
    np.testing.assert_array_equal(head.to_chunk().codes, table.to_chunk().codes[:rows])
    np.testing.assert_array_equal(head.to_chunk().target, table.to_chunk().target[:rows])
    assert head.schema["species"].categories == ("Adelie", "Chinstrap", "Gentoo")
    assert head.schema["mass"].missing == int(PENGUINS["mass"][:rows].isna().sum())


def test_head_of_sparse_rows_and_of_rows_with_a_target_beside():
    matrix = csr_matrix(np.eye(3))
    assert nv.read(matrix).head(2).to_chunk().sparse.toarray().tolist() == [[1, 0, 0], [0, 1, 0]]
    source = ArraySource(np.eye(3), np.array([5.0, 6.0, 7.0]))
    schema = nv.Schema((*nv.read(np.eye(3)).layout, nv.table.Column("y", "numeric")), target=("y",))
    assert nv.Table(source, schema).head(2).to_chunk().target.tolist() == [5, 6]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", None])
def test_to_pandas(tmp_path, small_ranges, name):
    small_ranges(40)
    source = PENGUINS
    if name is not None:
        source = tmp_path / name
        text = PENGUINS.fillna({"sex": "?"}).map(lambda value: f" {value} " if isinstance(value, str) else value)
        text.to_csv(source, index=False) if name == "t.csv" else pq.write_table(pa.Table.from_pandas(text), source)
    types = {"note": "text", "sex": ["m", "f"]}
    frame = nv.read(source, target="species", types=types, missing=("?", "")).to_pandas()
    assert list(frame.columns) == list(PENGUINS.columns)
    assert frame["species"].tolist() == PENGUINS["species"].tolist()
    assert frame["sex"].cat.categories.tolist() == ["m", "f"]
    assert frame["sex"].isna().tolist() == [False, True, False, False, False]
    np.testing.assert_array_equal(frame["mass"], PENGUINS["mass"])
    assert frame["count"].tolist() == [1, 2, 1, 1, 3]
    assert frame["note"].isna().sum() == 1


def test_to_pandas_keeps_types_of_frames():
    frame = pd.DataFrame({"when": pd.to_datetime(["2001-01-01", None]), "n": pd.array([1, 2], dtype="int32")})
    back = nv.read(frame, types={"n": "numeric"}).to_pandas()
    assert back["n"].dtype == "int32"
    assert back["when"].dtype.kind == "M"


# --- the schema of a model -------------------------------------------------------------------------------

FITTED = nv.read(PENGUINS, target="species").layout


def test_conform_lays_new_rows_out_like_the_old_ones(tmp_path):
    new = pd.DataFrame({"count": [7], "sex": ["m"], "extra": [1], "note": ["d"], "mass": [4.0]})
    new.to_csv(tmp_path / "t.csv", index=False)
    for source in (new, tmp_path / "t.csv"):
        table = nv.read(source).conform(FITTED, "error")
        chunk = table.to_chunk()
        assert chunk.numeric.tolist() == [[4.0, 7.0]]
        assert chunk.codes.tolist() == [[1, 1]]
        assert chunk.target is None
        assert table.schema.names == ("mass", "sex", "note", "count")
        assert (table.schema.n_rows, table.schema["mass"].missing) == (1, 0)


def test_unseen_categories(tmp_path):
    new = pd.DataFrame({"mass": [1.0, 2.0, 3.0], "sex": ["m", None, "x"], "note": ["d", "d", "d"], "count": [1, 1, 1]})
    new.to_csv(tmp_path / "t.csv", index=False)
    for source, name in ((new, "the frame"), (tmp_path / "t.csv", r"\S*t\.csv")):
        ignored = nv.read(source).conform(FITTED, "ignore").to_chunk()
        assert ignored.codes[:, 0].tolist() == [1, -1, UNSEEN]
        with pytest.raises(DataError, match=rf"^row 3 of {name} holds 'x' in column 'sex', which is none of its 2 cat"):
            nv.read(source).conform(FITTED, "error").to_chunk()


def test_conform_when_new_rows_look_like_another_kind(tmp_path):
    """What a file seems to hold by itself does not matter: its text is read as what the model knows."""
    fitted = nv.read(pd.DataFrame({"k": ["1", "02", "x"], "t": ["a b c", "1", "2"]}), types={"t": "text"}).layout
    (tmp_path / "t.csv").write_text("k,t\n02,7\n1,08\n3,9\n")
    chunk = nv.read(tmp_path / "t.csv").conform(fitted, "ignore").to_chunk()
    assert chunk.codes[:, 0].tolist() == [0, 1, UNSEEN]
    assert chunk.text[0].tolist() == ["7", "08", "9"]


def test_conform_with_words_where_numbers_were():
    numeric = nv.Schema((nv.table.Column("a", "numeric"),))
    with pytest.raises(DataError, match=r"^row 2 of the frame holds 'two' in the numeric column 'a'"):
        nv.read(pd.DataFrame({"a": ["1", "two"]})).conform(numeric, "error").to_chunk()


def test_conform_joins_the_markers_of_both():
    """A marker of the fit still marks, and one that was a category at fit does not."""
    old = pd.DataFrame({"a": ["1", "-", "3"], "b": ["?", "y", "-"]})
    fitted = nv.read(old, missing="-", types={"a": "numeric"}).layout
    new = nv.read(pd.DataFrame({"a": ["-", "NA"], "b": ["?", "NA"]}), missing=("NA", "?"))
    chunk = new.conform(fitted, "error").to_chunk()
    assert np.isnan(chunk.numeric).all()
    assert chunk.codes[:, 0].tolist() == [0, -1]


def test_conform_needs_all_columns_but_no_target():
    with pytest.raises(SchemaError, match="the frame has no column 'sex', which the model knows"):
        nv.read(PENGUINS.drop(columns=["sex"])).conform(FITTED, "error")
    assert len(nv.read(PENGUINS.drop(columns=["species"])).conform(FITTED, "error")) == 5


def test_conform_of_sparse_rows():
    fitted = nv.read(csr_matrix(np.eye(3))).layout
    assert nv.read(csr_matrix(np.ones((2, 3)))).conform(fitted, "error").to_chunk().sparse.shape == (2, 3)
    with pytest.raises(SchemaError, match="'features' in the sparse matrix is 4 columns, in the model 3 columns"):
        nv.read(csr_matrix(np.eye(4))).conform(fitted, "error")


def test_rows_are_taken_from_files_without_holding_the_rest(tmp_path, monkeypatch):
    frame = pd.DataFrame({"a": np.arange(100.0), "c": ["u", "v"] * 50})
    for k in range(4):
        frame[25 * k : 25 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    file = nv.read(tmp_path / "*.parquet")
    monkeypatch.setattr(nv.Table, "to_chunk", lambda *_: pytest.fail("all rows were brought together"))
    for rows in ([3, 99, 50, 3], np.arange(100) % 7 == 0, [], np.arange(100)):
        taken = file.take(rows)
        monkeypatch.undo()
        expected = frame["a"].to_numpy()[np.asarray(rows, int) if isinstance(rows, list) else rows]
        assert taken.to_chunk().numeric.ravel().tolist() == expected.tolist()
        monkeypatch.setattr(nv.Table, "to_chunk", lambda *_: pytest.fail("all rows were brought together"))
    with pytest.raises(SchemaError, match="has 100 rows, and there is none with the number 100"):
        file.take([1, 100])


# --- categories of its own --------------------------------------------------------------------------------------------


@given(
    words=st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("pqr"), st.floats(-9, 9)), min_size=4),
    data=st.data(),
)
def test_a_part_with_its_own_categories_is_what_reading_it_gives(words, data):
    frame = pd.DataFrame(words, columns=["c", "y", "x"])
    rows = data.draw(st.lists(st.integers(0, len(words) - 1), min_size=2, unique=True))
    part = nv.read(frame, "y").take(rows).with_own_categories()
    alone = nv.read(frame.iloc[rows], "y")
    assert [column.categories for column in part.layout] == [column.categories for column in alone.layout]
    ours, theirs = part.to_chunk(), alone.to_chunk()
    np.testing.assert_array_equal(ours.codes, theirs.codes)
    np.testing.assert_array_equal(ours.target, theirs.target)
    np.testing.assert_array_equal(ours.numeric, theirs.numeric)


def test_categories_that_were_stated_stay_and_missing_ones_stay_missing():
    frame = pd.DataFrame({"c": ["a", None, "b"], "d": ["u", "v", "w"], "y": [1.0, 2.0, 3.0]})
    part = nv.read(frame, "y", types={"d": ["w", "v", "u", "t"]}).take([1, 2]).with_own_categories()
    assert part.layout["c"].categories == ("b",)
    assert part.layout["d"].categories == ("w", "v", "u", "t")
    assert part.to_chunk().codes.tolist() == [[-1, 1], [0, 0]]
