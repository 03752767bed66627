"""Parquet and Arrow files: groups, files, dictionaries, damage."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novacula as nv
from novacula.errors import DataError, SchemaError
from novacula.table import threads


def as_arrow(columns):
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def write_ipc(table, path, rows=2, stream=False, compression=None):
    opened = pa.ipc.new_stream if stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as file, opened(file, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)


@pytest.fixture(params=[1, 1 << 30])
def runs(request, monkeypatch):
    """A partition for each row group, or for all of a file."""
    monkeypatch.setattr("novacula.table.columnar.RUN_BYTES", request.param)


# --- formats ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("options", [{}, {"row_group_size": 2}, {"compression": "zstd"}, {"use_dictionary": False}])
def test_parquet(tmp_path, mixed, holds, options):
    pq.write_table(as_arrow(mixed), tmp_path / "t.parquet", **options)
    assert holds(nv.read(tmp_path / "t.parquet"), mixed)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("name", ["t.arrow", "t.feather", "t.ipc"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("compression", [None, "lz4"])
def test_arrow_files_and_streams(tmp_path, mixed, holds, name, stream, compression):
    write_ipc(as_arrow(mixed), tmp_path / name, stream=stream, compression=compression)
    assert holds(nv.read(tmp_path / name), mixed)


def test_a_partition_is_a_run_of_row_groups(tmp_path, monkeypatch):
    pq.write_table(pa.table({"x": np.arange(10.0)}), tmp_path / "t.parquet", row_group_size=1)
    monkeypatch.setattr("novacula.table.columnar.RUN_BYTES", 1)
    assert len(nv.read(tmp_path / "t.parquet").source.partitions()) == 10
    size = pq.ParquetFile(tmp_path / "t.parquet").metadata.row_group(0).total_byte_size
    monkeypatch.setattr("novacula.table.columnar.RUN_BYTES", 4 * size)
    parts = nv.read(tmp_path / "t.parquet").source.partitions()
    assert [part.name.rpartition("(")[2] for part in parts] == [
        "row groups 0 to 3)",
        "row groups 4 to 7)",
        "row groups 8 to 9)",
    ]


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("write", [lambda table, path: pq.write_table(table, path, row_group_size=2), write_ipc])
def test_several_files_in_any_order_of_columns(tmp_path, mixed, holds, write):
    table = as_arrow(mixed)
    write(table.slice(0, 3), tmp_path / "p.parquet")
    write(table.slice(3).select(table.column_names[::-1]), tmp_path / "q.parquet")
    assert holds(nv.read(tmp_path, format="parquet" if write is not write_ipc else "arrow"), mixed)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("write", [lambda table, path: pq.write_table(table, path), write_ipc])
def test_dictionaries_whose_codes_differ(tmp_path, holds, write):
    parts = [["b", "a", None, "b"], ["c", "b", "c"], ["a", "a"]]
    paths = []
    for i, words in enumerate(parts):
        column = pa.array(words).dictionary_encode()
        assert column.dictionary[0].as_py() == words[0]  # codes by appearance
        paths.append(tmp_path / f"{i}.data")
        write(pa.table({"w": column, "n": [float(i)] * len(words)}), paths[-1])
    expected = {"w": [word for words in parts for word in words], "n": [0.0] * 4 + [1.0] * 3 + [2.0] * 2}
    assert holds(nv.read(paths, format="arrow" if write is write_ipc else "parquet"), expected)


def test_storage_types(tmp_path):
    table = pa.table(
        {
            "int8": pa.array([1, None], pa.int8()),
            "uint64": pa.array([1, 2], pa.uint64()),
            "half": pa.array(np.array([0.5, 2], np.float16)),
            "single": pa.array([0.5, 2], pa.float32()),
            "decimal": pa.array(["1.25", None], pa.string()).cast(pa.decimal128(5, 2)),
            "when": pa.array([0, 1_500_000_000], pa.timestamp("ns", "UTC")),
            "day": pa.array([1, None], pa.date32()),
            "hour": pa.array([3_600, 0], pa.time32("s")),
            "lasts": pa.array([1500, 0], pa.duration("ms")),
            "nothing": pa.nulls(2),
            "flag": pa.array([True, None]),
            "large": pa.array(["a", "b"], pa.large_string()),
            "view": pa.array(["a", None], pa.string_view()),
        }
    )
    write_ipc(table, tmp_path / "t.arrow")
    read = nv.read(tmp_path / "t.arrow")
    schema, chunk = read.schema, read.to_chunk()
    assert schema["flag"].categories == (False, True)
    assert schema["large"].categories == ("a", "b")
    assert schema["nothing"].note == "no values"
    expected = [
        [1, 1, 0.5, 0.5, 1.25, 0, 86400, 3600, 1.5, np.nan],
        [np.nan, 2, 2, 2, np.nan, 1.5, np.nan, 0, 0, np.nan],
    ]
    np.testing.assert_array_equal(chunk.numeric, expected)
    np.testing.assert_array_equal(chunk.codes, [[1, 0, 0], [-1, 1, -1]])


def test_files_may_store_numbers_in_different_types(tmp_path, holds):
    pq.write_table(pa.table({"x": pa.array([1, 2], pa.int32()), "k": pa.array([1, 2])}), tmp_path / "p.parquet")
    pq.write_table(pa.table({"x": [0.5, None], "k": [2.5, 1.0]}), tmp_path / "q.parquet")
    table = nv.read(tmp_path, types={"k": "categorical"})
    assert table.schema["k"].categories == (1, 2, 2.5)
    np.testing.assert_array_equal(table.to_chunk().codes[:, 0], [0, 1, 2, 0])
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], [1, 2, 0.5, np.nan])


def test_a_file_in_which_a_column_has_no_values(tmp_path, holds):
    pq.write_table(pa.table({"x": pa.nulls(2), "n": [1.0, 2.0]}), tmp_path / "p.parquet")
    pq.write_table(pa.table({"x": ["b", "a"], "n": [3.0, 4.0]}), tmp_path / "q.parquet")
    assert holds(nv.read(tmp_path), {"x": [None, None, "b", "a"], "n": [1.0, 2.0, 3.0, 4.0]})


def test_digits_that_are_stored_as_text_are_words(tmp_path, holds):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": ["1", " 2.5 ", "?"]}), path)
    assert nv.read(path).schema["x"].categories == ("1", "2.5", "?")
    assert holds(nv.read(path, types={"x": "numeric"}, missing="?"), {"x": [1.0, 2.5, None]})


def test_a_marker_that_is_a_number(tmp_path):
    pq.write_table(pa.table({"x": [1, -999, 3], "k": [-999, 7, 7]}), tmp_path / "t.parquet")
    table = nv.read(tmp_path / "t.parquet", missing=("-999",), types={"k": "categorical"})
    assert table.schema["x"].missing == table.schema["k"].missing == 1
    assert (table.schema["x"].low, table.schema["k"].categories) == (1, (7,))
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], [1, np.nan, 3])
    np.testing.assert_array_equal(table.to_chunk().codes[:, 0], [-1, 0, 0])


def test_row_groups_give_the_same_bits_on_any_number_of_threads(tmp_path, monkeypatch, sums):
    monkeypatch.setattr("novacula.table.columnar.RUN_BYTES", 1)
    rng = np.random.default_rng(5)
    pq.write_table(
        pa.table({f"x{j}": rng.normal(size=5000) for j in range(3)}), tmp_path / "t.parquet", row_group_size=301
    )
    table = nv.read(tmp_path / "t.parquet")
    totals = []
    for count in (1, 2, 3, 7):
        with threads(count):
            totals.append(table.reduce(sums).tobytes())
    assert len(set(totals)) == 1


def test_empty_row_groups_and_files(tmp_path, holds):
    schema = pa.schema([("x", pa.float64()), ("w", pa.string())])
    empty, full = schema.empty_table(), pa.table({"x": [1.0], "w": ["a"]}, schema=schema)
    with pq.ParquetWriter(tmp_path / "p.parquet", schema) as writer:
        for part in (empty, full, empty, full):
            writer.write_table(part)
    pq.write_table(empty, tmp_path / "q.parquet")
    assert holds(nv.read(tmp_path), {"x": [1.0, 1.0], "w": ["a", "a"]})
    with pytest.raises(DataError, match=r"q\.parquet has no rows"):
        nv.read(tmp_path / "q.parquet")


# --- what goes wrong -------------------------------------------------------------------------------------


@pytest.fixture
def wide(tmp_path):
    """A Parquet file of two compressed row groups."""
    path = tmp_path / "t.parquet"
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.integers(0, 1000, 20_000), "y": rng.normal(size=20_000)})
    pq.write_table(table, path, row_group_size=10_000, compression="zstd", use_dictionary=False)
    return path


def spoil(path, at, count=200):
    data = bytearray(path.read_bytes())
    data[at : at + count] = os.urandom(count)
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("keep", [0, 3, 1000, -5])
def test_a_truncated_parquet_file(wide, keep):
    wide.write_bytes(wide.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"^\S*t\.parquet is not a Parquet file that can be read: [^\n]+$"):
        nv.read(wide)


def test_a_corrupt_page_names_its_row_group(wide, sums, monkeypatch):
    monkeypatch.setattr("novacula.table.columnar.RUN_BYTES", 1)
    page = pq.ParquetFile(wide).metadata.row_group(1).column(0).data_page_offset
    spoil(wide, page + 100)
    table = nv.read(wide)
    with pytest.raises(DataError, match=r"^\S*t\.parquet \(row group 1\) cannot be read: [^\n]+$"):
        table.reduce(sums)


def test_a_checksum_that_does_not_fit(tmp_path, sums):
    path = tmp_path / "t.parquet"
    pq.write_table(
        pa.table({"x": np.arange(1000.0)}), path, compression="none", use_dictionary=False, write_page_checksum=True
    )
    spoil(path, 1000, 8)
    with pytest.raises(DataError, match=r"row group 0\) cannot be read: .*(CRC|checksum)"):
        nv.read(path).reduce(sums)


def test_files_that_are_something_else(tmp_path):
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    (tmp_path / "t.arrow").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="is not a Parquet file that can be read"):
        nv.read(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="is not an Arrow file that can be read"):
        nv.read(tmp_path / "t.arrow")


@pytest.mark.parametrize("stream", [False, True])
def test_a_truncated_arrow_file(tmp_path, sums, stream):
    path = tmp_path / "t.arrow"
    write_ipc(pa.table({"x": np.arange(10_000.0)}), path, rows=1000, stream=stream)
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(DataError, match=r"t\.arrow (is not an Arrow file that can|cannot) be read: [^\n]+$"):
        nv.read(path).reduce(sums)


@pytest.mark.parametrize("change", [lambda path: path.unlink(), lambda path: path.write_bytes(b"PAR1" * 100)])
@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_a_file_that_changes_or_goes_between_passes(tmp_path, sums, name, change):
    path = tmp_path / name
    columns = pa.table({"x": [1.0, 2.0]})
    pq.write_table(columns, path) if name == "t.parquet" else write_ipc(columns, path)
    table = nv.read(path)
    change(path)
    with pytest.raises(DataError, match=rf"^\S*{name} (is gone|has changed)"):
        table.reduce(sums)


def test_files_of_different_columns_or_types(tmp_path):
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "p.parquet")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "q.parquet")
    with pytest.raises(DataError, match=r"q\.parquet has no column 'b', which \S*p\.parquet has"):
        nv.read(tmp_path)
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), tmp_path / "q.parquet")
    with pytest.raises(DataError, match=r"q\.parquet stores column 'b' as string, but \S*p\.parquet as int64"):
        nv.read(tmp_path)


def test_columns_that_hold_no_single_values(tmp_path):
    table = pa.table({"x": [1.0], "list": [[1, 2]], "record": [{"a": 1}], "bytes": [b"\x00"]})
    write_ipc(table, tmp_path / "t.arrow")
    with pytest.raises(DataError, match=r"column 'list' of \S*t\.arrow holds list<.*>, not single values"):
        nv.read(tmp_path / "t.arrow")
    ignored = dict.fromkeys(["list", "record", "bytes"], "ignored")
    assert nv.read(tmp_path / "t.arrow", types=ignored).to_chunk().numeric.tolist() == [[1.0]]


def test_names_that_stand_twice(tmp_path):
    write_ipc(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "t.arrow")
    with pytest.raises(SchemaError, match="the column name 'a' stands twice"):
        nv.read(tmp_path / "t.arrow")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_rows_are_counted_from_the_top_of_the_file(tmp_path, monkeypatch, name):
    monkeypatch.setattr("novacula.table.columnar.RUN_BYTES", 1)
    table = pa.table({"x": [1.0] * 9, "y": ["a"] * 7 + [None, "b"]})
    if name == "t.parquet":
        pq.write_table(table, tmp_path / name, row_group_size=2)
    else:
        write_ipc(table, tmp_path / name)
    with pytest.raises(DataError, match=rf"^row 8 of \S*{name} has no value for the target 'y': fill"):
        nv.read(tmp_path / name, target="y").to_chunk()
