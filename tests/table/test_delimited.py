"""Delimited text in every form, cut anywhere."""

import csv
import gzip
from itertools import product, zip_longest

import numpy as np
import pytest

import novacula as nv
from novacula.errors import DataError, SchemaError
from novacula.table import threads

SIZES = (1, 5, 13, 40, 1 << 20)


# --- forms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_delimiters_and_line_ends(tmp_path, mixed, holds, write_csv, small_ranges, size, delimiter, newline):
    small_ranges(size)
    path = write_csv(tmp_path / "t.csv", mixed, delimiter=delimiter, lineterminator=newline)
    assert holds(nv.read(path), mixed)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
def test_quotes_across_cuts(tmp_path, mixed, holds, write_csv, small_ranges, size, quoting):
    small_ranges(size)
    mixed["note"] = ['""', "\n\n", 'a",\n"b', ",", '"\n', "\n1.5,red,3.0,x\n"]
    path = write_csv(tmp_path / "t.csv", mixed, quoting=quoting)
    mixed["note"][1] = None  # nothing but white space
    assert holds(nv.read(path), mixed)


def test_cuts_really_are_many(tmp_path, mixed, write_csv, small_ranges):
    path = write_csv(tmp_path / "t.csv", mixed)
    assert len(nv.read(path).source.partitions()) == 1
    small_ranges(5)
    assert len(nv.read(path).source.partitions()) > 4


@pytest.mark.parametrize("size", SIZES)
def test_a_quote_inside_a_plain_field_is_a_character(tmp_path, holds, small_ranges, size):
    small_ranges(size)
    path = tmp_path / "t.csv"
    path.write_text('pipe,note\n12",a\n6" wide,"b\nc"\n3",d\n')
    assert holds(nv.read(path), {"pipe": ['12"', '6" wide', '3"'], "note": ["a", "b\nc", "d"]})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("size", [5, 1 << 20])
def test_encodings(tmp_path, mixed, holds, write_csv, small_ranges, encoding, size):
    small_ranges(size)
    path = write_csv(tmp_path / "t.csv", {"größe": mixed.pop("size")} | mixed, encoding=encoding)
    expected = nv.read(path, encoding=encoding)
    assert expected.schema.names[0] == "größe"
    assert expected.schema["note"].categories[-1] == "ünï"


def test_bom(tmp_path, mixed, holds, write_csv):
    assert holds(nv.read(write_csv(tmp_path / "t.csv", mixed, encoding="utf-8-sig")), mixed)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv.gz"])
def test_compressed(tmp_path, mixed, holds, write_csv, small_ranges, name):
    small_ranges(10)
    plain = write_csv(tmp_path / "plain", mixed, delimiter="\t" if "tsv" in name else ",")
    with open(plain, "rb") as file:
        (tmp_path / name).write_bytes(gzip.compress(file.read()))
    assert holds(nv.read(tmp_path / name), mixed)


def test_without_header(tmp_path, mixed, holds, write_csv):
    path = write_csv(tmp_path / "t.csv", mixed, header=False)
    assert holds(nv.read(path, names=list(mixed)), mixed)
    assert nv.read(path, header=False).schema.names == ("x0", "x1", "x2", "x3")


def test_names_instead_of_a_header(tmp_path, mixed, holds, write_csv):
    path = write_csv(tmp_path / "t.csv", {f"old {name}": values for name, values in mixed.items()})
    assert holds(nv.read(path, names=list(mixed), header=True), mixed)


@pytest.mark.parametrize("size", SIZES)
def test_lines_to_skip(tmp_path, mixed, holds, write_csv, small_ranges, size):
    small_ranges(size)
    path = write_csv(tmp_path / "t.csv", mixed, before='# "odd\n\n# 3; 4\n')
    assert holds(nv.read(path, skip=3), mixed)


@pytest.mark.parametrize("size", SIZES)
def test_quotes_as_they_are(tmp_path, holds, small_ranges, size):
    small_ranges(size)
    (tmp_path / "t.csv").write_text('class,text\nham,"Hi\nspam,5" off"\n')
    expected = {"class": ["ham", "spam"], "text": ['"Hi', '5" off"']}
    assert holds(nv.read(tmp_path / "t.csv", quote=None), expected)


def test_another_quote(tmp_path, holds):
    (tmp_path / "t.csv").write_text("a,b\n'x,y',1\n'it''s',2\n")
    assert holds(nv.read(tmp_path / "t.csv", quote="'"), {"a": ["x,y", "it's"], "b": [1.0, 2.0]})


def test_old_line_ends(tmp_path, holds):
    (tmp_path / "t.csv").write_bytes(b"a,b\r1,x\r2,y\r")
    assert holds(nv.read(tmp_path / "t.csv"), {"a": [1.0, 2.0], "b": ["x", "y"]})


@pytest.mark.parametrize("size", [3, 1 << 20])
@pytest.mark.parametrize("ends", list(product(["\n", "\r", "\r\n"], repeat=3)))
@pytest.mark.parametrize("plain_bytes", [0, 1 << 20])
def test_mixed_line_ends(tmp_path, holds, small_ranges, monkeypatch, size, ends, plain_bytes):
    """A header that ended in a carriage return took the first row with it, where the rows ended in line feeds."""
    small_ranges(size)
    monkeypatch.setattr("novacula.table.delimited.PLAIN_BYTES", plain_bytes)
    rows = ["a,b", "1,x", "3,y", "5,z"]
    text = "".join(map("".join, zip_longest(rows, ends, fillvalue="")))
    (tmp_path / "t.csv").write_bytes(text.encode())
    assert holds(nv.read(tmp_path / "t.csv"), {"a": [1.0, 3.0, 5.0], "b": ["x", "y", "z"]})


def test_skipped_lines_end_in_any_way(tmp_path, holds):
    (tmp_path / "t.csv").write_bytes(b"one\rtwo\r\nthree\na,b\r1,2\n")
    assert holds(nv.read(tmp_path / "t.csv", skip=3), {"a": [1.0], "b": [2.0]})


def test_blank_lines_are_no_rows(tmp_path, holds, small_ranges):
    small_ranges(3)
    (tmp_path / "t.csv").write_text("\n\na,b\n\n1,x\n\n\n2,y\n\n")
    assert holds(nv.read(tmp_path / "t.csv"), {"a": [1.0, 2.0], "b": ["x", "y"]})


def test_the_last_line_may_have_no_end(tmp_path, holds, small_ranges):
    small_ranges(3)
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y")
    assert holds(nv.read(tmp_path / "t.csv"), {"a": [1.0, 2.0], "b": ["x", "y"]})


def test_files_may_order_their_columns_differently(tmp_path, holds):
    (tmp_path / "p.csv").write_text("a,b\n1,x\n")
    (tmp_path / "q.csv").write_text("b,a\ny,2\n")
    expected = {"a": [1.0, 2.0], "b": ["x", "y"]}
    assert holds(nv.read(tmp_path), expected)
    assert holds(nv.read([tmp_path / "p.csv", tmp_path / "q.csv"]), expected)


# --- numbers and words -----------------------------------------------------------------------------------


def test_what_is_a_number(tmp_path):
    spelled = ["1", "-2.5", "+3", ".5", "5.", "1e3", "1E-3", "inf", "-Infinity", " 7 ", '" 8"', "1e400"]
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{s},x\n" for s in spelled))
    found = nv.read(tmp_path / "t.csv").to_chunk().numeric[:, 0]
    inf = np.inf
    np.testing.assert_array_equal(found, [1, -2.5, 3, 0.5, 5, 1000, 0.001, inf, -inf, 7, 8, inf])


@pytest.mark.parametrize("marker", ["NA", " NA", "NA ", "  NA  ", '"NA"', '" NA "', ""])
@pytest.mark.parametrize("size", [4, 1 << 20])
def test_markers_with_space_around(tmp_path, small_ranges, marker, size):
    """Arrow knows some of these; a range with any other is read as text, each row once."""
    small_ranges(size)
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n" + f"{marker},NA\n" + "4,z\n")
    table = nv.read(tmp_path / "t.csv")
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], [1, 2, np.nan, 4])
    assert table.schema["a"].missing == table.schema["b"].missing == 1


def test_odd_markers_in_a_stream_that_is_parsed_piece_by_piece(tmp_path, monkeypatch):
    """Rows that were given before the odd value turned up are not given again."""
    monkeypatch.setattr("novacula.table.delimited._BLOCK_BYTES", 1000)
    monkeypatch.setattr("novacula.table.delimited.COLUMN_BYTES", 0)
    rows = "".join(f"{i},{i * i}\n" for i in range(500)) + "NA  ,7\n"
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(("a,b\n" + rows).encode()))
    numeric = nv.read(tmp_path / "t.csv.gz").to_chunk().numeric
    np.testing.assert_array_equal(numeric[:, 0], [*range(500), np.nan])
    np.testing.assert_array_equal(numeric[:, 1], [*(i * i for i in range(500)), 7])


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_records_longer_than_a_block(tmp_path, monkeypatch, holds, name):
    monkeypatch.setattr("novacula.table.delimited._BLOCK_BYTES", 100)
    monkeypatch.setattr("novacula.table.delimited.COLUMN_BYTES", 0)
    texts = [f"{i} " + "x" * 10 * i for i in range(100)]
    data = ("n,t\n" + "".join(f"{i},{text}\n" for i, text in enumerate(texts))).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    table = nv.read(tmp_path / name, types={"t": "text"})
    assert table.to_chunk().text[0].tolist() == texts
    assert table.to_chunk().numeric[:, 0].tolist() == list(range(100))


def test_a_record_beyond_all_limits(tmp_path, monkeypatch):
    monkeypatch.setattr("novacula.table.delimited._BLOCK_BYTES", 100)
    monkeypatch.setattr("novacula.table.delimited._BLOCK_LIMIT", 4000)
    monkeypatch.setattr("novacula.table.delimited.COLUMN_BYTES", 0)
    (tmp_path / "t.csv").write_text("n,t\n1,y\n1," + "x" * 50_000 + "\n1,y\n")
    with pytest.raises(DataError, match=r"t\.csv holds a record of more than 0 GB: is a quote not closed\?"):
        nv.read(tmp_path / "t.csv")


def test_nan_is_a_word_unless_it_is_a_marker(tmp_path):
    (tmp_path / "t.csv").write_text("a\n" + "".join(f"{i}\n" for i in range(200)) + "nan\n")
    assert nv.read(tmp_path / "t.csv").schema["a"].missing == 1
    [note] = nv.read(tmp_path / "t.csv", missing=()).notes
    assert f"200 numbers and 1 other value, the first being 'nan' in row 201 of {tmp_path / 't.csv'}; " in note


def test_a_million_integers_then_a_fraction(tmp_path):
    (tmp_path / "t.csv").write_text("n,m\n" + "".join(f"{i},1\n" for i in range(400_000)) + "2.5,1\n")
    column = nv.read(tmp_path / "t.csv").schema["n"]
    assert (column.kind, column.low, column.high) == ("numeric", 0, 399_999)


@pytest.mark.parametrize("size", [1 << 12, 1 << 24])
def test_late_words_are_named_with_row_value_and_remedy(tmp_path, small_ranges, size):
    small_ranges(size)
    (tmp_path / "t.csv").write_text("n,m\n" + "".join(f"{i},1\n" for i in range(40_000)) + "abc,1\n7,x\n")
    table = nv.read(tmp_path / "t.csv", types={"m": "text"})
    assert table.schema["n"].kind == "text"
    where = f"row 40001 of {tmp_path / 't.csv'}"
    advice = "it is read as text: if such values are missing ones, say missing=[..., 'abc']"
    mixture = f"column 'n' holds 40,001 numbers and 1 other value, the first being 'abc' in {where}"
    assert table.notes == (f"{mixture}; {advice}",)


def test_late_words_in_a_later_file(tmp_path):
    (tmp_path / "p.csv").write_text("n\n" + "".join(f"{i}\n" for i in range(200)))
    (tmp_path / "q.csv").write_text("n\n1\n2\nabc\n")
    [note] = nv.read(tmp_path).notes
    assert f"the first being 'abc' in row 3 of {tmp_path / 'q.csv'}; it is read as categories" in note
    assert nv.read(tmp_path, types={"n": "categorical"}).schema["n"].categories[:2] == ("0", "1")
    assert nv.read(tmp_path, types={"n": "text"}).to_chunk().text[0][-1] == "abc"
    assert nv.read(tmp_path, missing="abc").schema["n"].missing == 1


def test_a_column_of_few_values_may_mix_numbers_and_words(tmp_path):
    (tmp_path / "t.csv").write_text("grade\n" + "1\n2\n10\n" * 50 + "none\n")
    assert nv.read(tmp_path / "t.csv").schema["grade"].categories == ("1", "10", "2", "none")


def test_a_column_declared_numeric_with_words(tmp_path):
    (tmp_path / "t.csv").write_text("n,m\nx,1\n,2\ny,3\n4,4\n")
    with pytest.raises(DataError, match=r"the numeric column 'n' holds 2 other values, the first being 'x' in row 1"):
        nv.read(tmp_path / "t.csv", types={"n": "numeric"})


def test_numbers_as_categories(tmp_path):
    (tmp_path / "t.csv").write_text("whole,part,zip,m\n10,2.5,02134,1\n9,1,10001,1\n10,1.0,00501,1\n")
    types = dict.fromkeys(["whole", "part", "zip"], "categorical")
    table = nv.read(tmp_path / "t.csv", types=types)
    assert table.schema["whole"].categories == (9, 10)
    assert table.schema["part"].categories == (1.0, 2.5)
    assert table.schema["zip"].categories == ("00501", "02134", "10001")  # a name, not a number
    np.testing.assert_array_equal(table.to_chunk().codes, [[1, 1, 1], [0, 0, 2], [1, 0, 0]])


# --- markers ---------------------------------------------------------------------------------------------

VOTES = "vote,age\ny,1\n?,?\nn,3\n"


def test_a_marker_is_missing_by_default(tmp_path, holds):
    (tmp_path / "t.csv").write_text(VOTES)
    assert holds(nv.read(tmp_path / "t.csv"), {"vote": ["y", None, "n"], "age": [1.0, None, 3.0]})


def test_a_marker_is_a_value_when_nothing_is_missing(tmp_path):
    (tmp_path / "t.csv").write_text(VOTES)
    table = nv.read(tmp_path / "t.csv", missing=())
    assert table.schema["vote"].categories == ("?", "n", "y")
    assert table.schema["age"].categories == ("1", "3", "?")
    assert table.to_chunk().codes.min() == 0


def test_a_marker_is_a_value_when_it_is_stated_as_one(tmp_path):
    (tmp_path / "t.csv").write_text(VOTES)
    table = nv.read(tmp_path / "t.csv", types={"vote": ["y", "n", "?"]})
    assert table.schema["vote"].missing == 0
    assert table.schema["age"].missing == 1
    np.testing.assert_array_equal(table.to_chunk().codes[:, 0], [0, 2, 1])
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], [1, np.nan, 3])


def test_markers_by_column(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\n-1,-1,x\n2,2,-1\n")
    table = nv.read(tmp_path / "t.csv", missing={"a": "-1", "c": ["-1"]})
    np.testing.assert_array_equal(table.to_chunk().numeric, [[np.nan, -1], [2, 2]])
    assert table.schema["c"].categories == ("x",)
    with pytest.raises(SchemaError, match="no column 'd'"):
        nv.read(tmp_path / "t.csv", missing={"d": "-1"})


def test_a_number_that_marks_is_missing_however_it_is_spelled(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n-999,1\n-999.0,-999\n3,2\n")
    numeric = nv.read(tmp_path / "t.csv", missing=("", "-999")).to_chunk().numeric
    np.testing.assert_array_equal(numeric, [[np.nan, 1], [np.nan, np.nan], [3, 2]])


# --- the same whatever the cut ---------------------------------------------------------------------------


def test_schema_and_bits_depend_on_the_rows_alone(tmp_path, write_csv, small_ranges, sums):
    rng = np.random.default_rng(0)
    n = 500
    columns = {
        "x": rng.normal(size=n).tolist(),
        "word": [f"w{i}" for i in rng.integers(0, 40, n)],
        "few": [None if i == 3 else f"{i}" for i in rng.integers(0, 4, n)],
        "mixed": ["late" if i > n - 3 else str(float(i % 7)) for i in range(n)],
    }
    path = write_csv(tmp_path / "t.csv", columns)
    whole = nv.read(path).schema
    for size in (200, 3000):
        small_ranges(size)
        table = nv.read(path)
        assert table.schema == whole
        totals = []
        for count in (1, 2, 3, 7):
            with threads(count):
                assert nv.read(path).schema == whole
                totals.append(table.reduce(sums).tobytes())
        assert len(set(totals)) == 1


def test_schema_does_not_depend_on_row_order_or_files(tmp_path, write_csv):
    columns = {"word": ["b", "c", "a", None] * 5, "n": [float(i) for i in range(20)]}
    backwards = {name: values[::-1] for name, values in columns.items()}
    one = nv.read(write_csv(tmp_path / "one.csv", columns)).schema
    assert nv.read(write_csv(tmp_path / "two.csv", backwards)).schema == one
    parts = [write_csv(tmp_path / f"part{i}.csv", {k: v[i::3] for k, v in columns.items()}) for i in range(3)]
    assert nv.read(parts).schema == one
    assert nv.read(parts[::-1]).schema == one


# --- what goes wrong -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [6, 1 << 20])
@pytest.mark.parametrize(("row", "width"), [("3", 1), ("3,4,5", 3), (",,,", 4)])
def test_ragged_rows(tmp_path, small_ranges, size, row, width):
    small_ranges(size)
    (tmp_path / "t.csv").write_text(f"a,b\n1,2\n\n2,3\n{row}\n4,5\n")
    advice = "give it as many, or put quotes around a value"
    message = rf"^row 3 of .*t\.csv has {width} values where there are 2 columns: '{row}': {advice}"
    with pytest.raises(DataError, match=message):
        nv.read(tmp_path / "t.csv")


@pytest.mark.parametrize("size", [6, 1 << 20])
def test_a_quote_that_is_never_closed(tmp_path, small_ranges, size):
    """It would take all the rest of the file for one value."""
    small_ranges(size)
    (tmp_path / "t.csv").write_text('a,b\n1,"x"\n2,"y\n3,z\n')
    with pytest.raises(DataError, match=r"^\S*t\.csv, line 3: a quote opens here and is never closed$"):
        nv.read(tmp_path / "t.csv")


def test_ragged_rows_in_an_archive(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n2,3\n3\n"))
    with pytest.raises(DataError, match=r"row 3 of .*t\.csv\.gz has 1 values where there are 2 columns"):
        nv.read(tmp_path / "t.csv.gz")


@pytest.mark.parametrize("size", [6, 1 << 20])
@pytest.mark.parametrize("types", [{}, {"b": "numeric"}, {"b": "text"}, {"b": ["x"]}])
def test_wrong_encodings(tmp_path, small_ranges, size, types):
    small_ranges(size)
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,x\n2,x\n3,caf\xe9\n")
    with pytest.raises(DataError, match=r"t\.csv, line 4: the byte 0xe9 is not utf-8: say encoding='cp1252'"):
        nv.read(tmp_path / "t.csv", types=types, encoding="utf-8").to_chunk()


def test_a_codec_that_does_not_fit(tmp_path):
    (tmp_path / "t.csv").write_bytes("a,b\n1,é\n".encode())
    with pytest.raises(DataError, match=r"t\.csv, line 2: the byte 0xc3 is not ascii"):
        nv.read(tmp_path / "t.csv", encoding="ascii")


@pytest.mark.parametrize(
    ("data", "message"), [("", "is empty"), ("a,b\n", "has no rows"), ("a,a\n1,2\n", "two columns called 'a'")]
)
def test_files_without_rows_or_names(tmp_path, data, message):
    (tmp_path / "t.csv").write_text(data)
    with pytest.raises(DataError, match=rf"t\.csv {message}|t\.csv has {message}"):
        nv.read(tmp_path / "t.csv")


def test_an_empty_file_among_others_adds_nothing(tmp_path, holds):
    (tmp_path / "p.csv").write_text("a,b\n")
    (tmp_path / "q.csv").write_text("a,b\n1,x\n")
    assert holds(nv.read(tmp_path), {"a": [1.0], "b": ["x"]})


def test_files_of_different_columns(tmp_path):
    (tmp_path / "p.csv").write_text("a,b\n1,2\n")
    (tmp_path / "q.csv").write_text("a,c\n1,2\n")
    with pytest.raises(DataError, match=r"q\.csv has no column 'b', which .*p\.csv has"):
        nv.read(tmp_path)


def test_a_file_that_changes_or_goes_between_passes(tmp_path, sums):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    table = nv.read(path)
    path.write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match=r"t\.csv has changed since the table was read"):
        table.reduce(sums)
    path.unlink()
    with pytest.raises(DataError, match=r"t\.csv is gone"):
        table.reduce(sums)


def test_rows_are_counted_from_the_top_of_their_file(tmp_path, small_ranges):
    small_ranges(20)
    (tmp_path / "p.csv").write_text("a,y\n" + "1,u\n" * 10)
    (tmp_path / "q.csv").write_text("a,y\n" + "1,u\n" * 30 + "1,\n" + "1,v\n" * 9)
    table = nv.read(tmp_path, target="y")
    with pytest.raises(DataError, match=r"^row 31 of .*q\.csv has no value for the target 'y': fill"):
        table.to_chunk()


@pytest.mark.parametrize("plain_bytes", [0, 1 << 30])
@pytest.mark.parametrize("types", [{}, {"b": "text"}])
def test_a_zero_byte_is_refused_with_its_row(tmp_path, monkeypatch, plain_bytes, types):
    monkeypatch.setattr("novacula.table.delimited.PLAIN_BYTES", plain_bytes)
    lines = ["a,b", *(f"{i},word" for i in range(300))]
    lines[150] = "149,wo\0d"
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"^row 150 of .*t\.csv holds a zero byte in column 'b': the file is damaged"):
        nv.read(tmp_path / "t.csv", types=types).to_chunk()
