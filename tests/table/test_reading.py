"""`read`: what it takes, what it refuses, and that the same rows read the same from everywhere."""

import pathlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novacula as nv
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.table.opening import format_of


@pytest.fixture
def everywhere(tmp_path, mixed, write_csv):
    """The same rows in every format."""
    table = pa.table({name: pa.array(values) for name, values in mixed.items()})
    pq.write_table(table, tmp_path / "t.parquet")
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    write_csv(tmp_path / "t.csv", mixed)
    write_csv(tmp_path / "t.tsv", mixed, delimiter="\t")
    names = ("t.csv", "t.tsv", "t.parquet", "t.arrow")
    return [*(tmp_path / name for name in names), table, pd.DataFrame(mixed)]


def test_every_source_gives_the_same_schema_and_chunks(everywhere, mixed, holds):
    tables = [nv.read(source, target="count") for source in everywhere]
    first = tables[0].to_chunk()
    for table in tables:
        assert table.schema.columns == tables[0].schema.columns
        chunk = table.to_chunk()
        np.testing.assert_array_equal(chunk.numeric, first.numeric)
        np.testing.assert_array_equal(chunk.codes, first.codes)
        np.testing.assert_array_equal(chunk.target, mixed["count"])
    assert holds(nv.read(everywhere[0]), mixed)


def test_stated_types_mean_the_same_everywhere(everywhere):
    types = {"colour": ["red", "gr,een", "blue", 'o"dd'], "count": "categorical", "note": "text", "size": "ignored"}
    tables = [nv.read(source, types=types) for source in everywhere]
    for table in tables:
        assert table.schema["count"].categories == (1, 3, 4, 5, 9)
        assert table.schema.columns == tables[0].schema.columns
        np.testing.assert_array_equal(table.to_chunk().codes[:, 0], [0, 2, -1, 0, 1, 3])
        np.testing.assert_array_equal(table.to_chunk().codes[:, 1], [1, 0, 2, 0, 3, 4])
        assert table.to_chunk().text[0].tolist() == ["two\nlines", "blue", "a\r\nb", None, "x", "ünï"]
        assert table.to_chunk().numeric.shape == (6, 0)


@pytest.mark.parametrize("as_path", [str, pathlib.Path])
def test_globs_lists_and_folders(tmp_path, as_path):
    for i in range(3):
        (tmp_path / f"part{i}.csv").write_text(f"a\n{i}\n{i + 10}\n")
    expected = [0, 10, 1, 11, 2, 12]
    lists = [as_path(tmp_path / f"part{i}.csv") for i in range(3)]
    for source in (as_path(tmp_path / "part*.csv"), as_path(tmp_path), lists, tuple(lists)):
        assert nv.read(source).to_chunk().numeric[:, 0].tolist() == expected
    assert nv.read(lists[::-1]).to_chunk().numeric[:, 0].tolist() == [2, 12, 1, 11, 0, 10]


def test_formats_by_name():
    assert format_of("x/Data.PARQUET") == "parquet"
    assert format_of("a.b.csv.gz") == "csv"
    assert format_of("a.arff.bz2") == "arff"
    assert format_of("a.libsvm.gz") == "svmlight"
    assert format_of("adult.data") == format_of("SMSSpamCollection") == "csv"


def test_a_format_may_be_stated(tmp_path):
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "odd.bin")
    assert nv.read(tmp_path / "odd.bin", format="parquet").schema.names == ("a",)
    with pytest.raises(
        ParameterError, match="format is 'xlsx'; it must be one of csv, json, excel, ods, sqlite, duckdb"
    ):
        nv.read(tmp_path / "odd.bin", format="xlsx")
    with pytest.raises(DataError, match="holds zero bytes: it is not text"):
        nv.read(tmp_path / "odd.bin", format="csv")
    assert nv.read(tmp_path / "odd.bin").schema.names == ("a",)  # by its first bytes


def test_files_of_several_formats(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "b.parquet").write_text("?")
    with pytest.raises(DataError, match=r"the files are of several formats \(csv, parquet\): give files of one"):
        nv.read(tmp_path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"^there is no file '.*nope\.parquet'$"):
        nv.read(tmp_path / "nope.parquet")


def test_a_table_is_read_as_itself():
    table = nv.read(np.arange(6.0).reshape(3, 2))
    assert nv.read(table) is table
    assert nv.read(table, target="x1").schema.target == ("x1",)
    assert nv.read(table, types={"x0": "categorical"}).schema["x0"].kind == "categorical"


def test_one_marker_is_one_marker():
    """A string is not the sequence of its letters."""
    frame = pd.DataFrame({"a": ["N", "A", "NA"]})
    assert nv.read(frame, missing="NA").schema["a"].categories == ("A", "N")


def test_counts_of_columns_that_nothing_looked_at_come_when_asked_for():
    frame = pd.DataFrame({"a": [1.0, None], "b": pd.Categorical(["x", None]), "c": ["u", "v"]})
    table = nv.read(frame)
    assert [column.missing for column in table.layout] == [None, None, 0]
    assert [column.missing for column in table.schema] == [1, 1, 0]
    assert table.schema["a"].note == table.schema["b"].note == "one value only"


# --- names that are not there ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "spcies"}, "there is no column 'spcies'; did you mean 'species'?"),
        ({"target": ["species", "mas"]}, "there is no column 'mas'; did you mean 'mass'?"),
        ({"weight": "wieght"}, "there is no column 'wieght'; did you mean 'weight'?"),
        ({"types": {"specie": "text"}}, "types names 'specie', which is not a column; did you mean 'species'?"),
        ({"missing": {"mass.": "-1"}}, "there is no column 'mass.'; did you mean 'mass'?"),
        ({"target": "weight", "weight": "weight"}, "column 'weight' cannot be target and weight at once"),
        ({"target": "zebra"}, "there is no column 'zebra'; the columns are 'species', 'mass', 'weight'"),
    ],
)
def test_names_that_are_not_there(arguments, message):
    frame = pd.DataFrame({"species": ["a", "b"], "mass": [1.0, 2.0], "weight": [1.0, 1.0]})
    with pytest.raises(SchemaError) as caught:
        nv.read(frame, **arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize("said", ["float", "sparse", ""])
def test_kinds_that_do_not_exist(said):
    with pytest.raises(ParameterError, match=f"types\\['a'\\] is '{said}'; it must be numeric, categorical, text"):
        nv.read(pd.DataFrame({"a": [1.0]}), types={"a": said})


def test_categories_that_stand_twice():
    with pytest.raises(SchemaError, match="column 'a' names the category 'x' twice"):
        nv.read(pd.DataFrame({"a": ["x"]}), types={"a": ["x", "y", " x "]})


# --- roles -----------------------------------------------------------------------------------------------


def test_weights_are_numbers_also_as_text(tmp_path):
    (tmp_path / "t.csv").write_text("x,w\n1,0\n2,2.5\n")
    table = nv.read(tmp_path / "t.csv", weight="w")
    assert table.to_chunk().weight.tolist() == [0, 2.5]
    assert table.schema.features == (table.schema["x"],)


@pytest.mark.parametrize(
    ("cell", "what"),
    [("-1", "the weight -1"), ("NA", r"no weight \(NaN\)"), ("inf", "the weight inf"), ("-inf", "the weight -inf")],
)
def test_bad_weights(tmp_path, small_ranges, cell, what):
    small_ranges(8)
    (tmp_path / "t.csv").write_text("x,w\n1,1\n1,1\n1,1\n" + f"1,{cell}\n")
    with pytest.raises(DataError, match=rf"^row 4 of \S*t\.csv has {what} in column 'w': weights are finite"):
        nv.read(tmp_path / "t.csv", weight="w").to_chunk()


def test_weights_that_are_words(tmp_path):
    (tmp_path / "t.csv").write_text("x,w\n1,1\n1,many\n")
    with pytest.raises(DataError, match=r"the numeric column 'w' holds 1 other value, the first being 'many' in row 2"):
        nv.read(tmp_path / "t.csv", weight="w")


def test_missing_targets(tmp_path):
    (tmp_path / "t.csv").write_text("x,y,z\n1,a,1\n1,a,\n1,?,3\n")
    with pytest.raises(DataError, match=r"^row 3 of \S*t\.csv has no value for the target 'y': fill"):
        nv.read(tmp_path / "t.csv", target="y").to_chunk()
    with pytest.raises(DataError, match=r"^row 2 of \S*t\.csv has no value for the target 'z': fill"):
        nv.read(tmp_path / "t.csv", target="z").to_chunk()


def test_several_targets_are_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("x,y,z\n1,2,a\n3,4,b\n")
    chunk = nv.read(tmp_path / "t.csv", target=["y", "x"]).to_chunk()
    np.testing.assert_array_equal(chunk.target, [[2, 1], [4, 3]])
    with pytest.raises(SchemaError, match="the target 'z' is one of several targets and categorical"):
        nv.read(tmp_path / "t.csv", target=["y", "z"]).to_chunk()


def test_a_text_cannot_be_a_target():
    frame = pd.DataFrame({"x": [1.0, 2.0], "note": ["a b c", "d e f"]})
    table = nv.read(frame, target="note", types={"note": "text"})
    with pytest.raises(SchemaError, match=r"the target 'note' is text: say types=\{'note': 'numeric'\}"):
        table.to_chunk()


# --- wide tables -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "words", "parquet", "array", "frame"])
@pytest.mark.parametrize("width", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_hundred_thousand_columns(tmp_path, kind, width):
    """Whatever takes a millisecond a column would take minutes; the limit of the test run is the only clock."""
    array = np.random.default_rng(0).integers(0, 9, (5, width)).astype(float)
    names = [f"x{j}" for j in range(width)]
    if kind in ("csv", "words"):
        cell = "{:.0f}".format if kind == "csv" else "w{:.0f}".format
        lines = [",".join(names), *(",".join(map(cell, row)) for row in array)]
        (tmp_path / "t.csv").write_text("\n".join(lines))
        source = tmp_path / "t.csv"
    elif kind == "parquet":
        source = tmp_path / "t.parquet"
        pq.write_table(pa.table(list(array.T), names=names), source, compression="none", use_dictionary=False)
    else:
        source = array if kind == "array" else pd.DataFrame(array, columns=names)
    table = nv.read(source, target=names[-1])
    chunk = table.to_chunk()
    if kind == "words":
        first = [float(table.schema["x7"].categories[code][1:]) for code in chunk.codes[:, 7]]
        np.testing.assert_array_equal(first, array[:, 7])
    else:
        np.testing.assert_array_equal(chunk.numeric, array[:, :-1])
    assert len(str(table.schema).splitlines()) < 70
