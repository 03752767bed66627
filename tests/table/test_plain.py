"""Plain text: the compiled parser gives what Python's float and Arrow's parser give, or gives up."""

import gzip
import random
import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.errors import DataError
from novacula.table.dialect import Dialect
from novacula.table.parser import parse
from novacula.table.plain import NotPlain, may_be_plain, parse_plain

TYPES = {"a": pa.float64(), "b": pa.dictionary(pa.int32(), pa.string())}


def plain(data, types=TYPES, columns=("a", "b"), markers=("", "NA"), block=1 << 20, **dialect):
    dialect = Dialect(**({"delimiter": ","} | dialect))
    return list(parse_plain(pa.BufferReader(data), columns, types, markers=markers, dialect=dialect, block=block))


def rows_of(data, *args, **options):
    return [tuple(row.values()) for batch in plain(data, *args, **options) for row in batch.to_pylist()]


def bits(number):
    return struct.pack("d", number)


def numbers_of(spelled):
    """What the parser makes of numbers, None where it gives up."""
    try:
        return [value for (value,) in rows_of("\n".join(spelled).encode(), {"a": pa.float64()}, ("a",), ())]
    except NotPlain:
        return None


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(1e-150, 1e150) | st.floats(-1e9, -1e-9) | st.sampled_from([0.0, -0.0]), min_size=1))
def test_every_float_comes_back_from_its_shortest_spelling(values):
    assert list(map(bits, numbers_of(map(repr, values)))) == list(map(bits, values))


spellings = st.from_regex(r"[-+]?([0-9]{1,20}\.?[0-9]{0,9}|\.[0-9]{1,25})([eE][-+]?[0-9]{1,3})?", fullmatch=True)


@settings(deadline=None)
@given(spellings)
@example("9007199254740993")  # half-way between two floats
@example("9007199254740993.0")
@example("0.000000000000000000000000123456789012345678")
@example("-0.0e999")
@example("123456789012345678901234567890")
def test_numbers_are_those_of_python_or_left_to_others(spelled):
    found = numbers_of([spelled])
    assert found is None or bits(found[0]) == bits(float(spelled))
    inside = numbers_of([spelled, *"00000000"])  # not at the end of the text, where eight digits are read at once
    assert (inside is None) == (found is None)
    assert inside is None or bits(inside[0]) == bits(float(spelled))


@pytest.mark.parametrize("digits", [1, 8, 15, 16, 17, 18])
def test_numbers_of_up_to_eighteen_digits_are_not_left_to_others(digits):
    rng = random.Random(digits)
    first, last = 10 ** (digits - 1), 10**digits
    spelled = [f"{rng.randrange(first, last)}e{rng.randrange(-150, 150)}" for _ in range(500)]
    assert list(map(bits, numbers_of(spelled))) == [bits(float(number)) for number in spelled]


@pytest.mark.parametrize(
    "cell", [".", "-", "e5", "1e", "1e+", "1 2", "1..2", "--1", "x", "nan", "inf", "0x1", "1_0", "é"]
)
def test_what_is_no_plain_number(cell):
    with pytest.raises(NotPlain):
        rows_of(f"1,x\n{cell},x\n".encode())


@pytest.mark.parametrize("row", ["1", "1,2,3", '1,"x"', "1,é", "1,x\r2,y", ",,"])
def test_what_is_no_plain_record(row):
    with pytest.raises(NotPlain):
        rows_of(f"1,x\n{row}\n1,x\n".encode())


def test_lines_longer_than_a_block_are_not_plain():
    with pytest.raises(NotPlain):
        rows_of(b"1,x\n1," + b"x" * 100 + b"\n", block=50)


def test_what_can_be_plain():
    comma = Dialect(delimiter=",")
    assert may_be_plain(("", "NA"), comma, "utf-8")
    assert not may_be_plain(("", "-999"), comma, "utf-8")
    assert not may_be_plain((), Dialect(delimiter="-"), "utf-8")
    assert not may_be_plain((), comma, "shift_jis")


def test_rows_markers_and_words():
    long = "a word of more than twelve letters"
    data = f"1,x\n\n NA , y\r\n\r\n,NA\n-2.5e1,\n 7 ,{long}"
    expected = [(1.0, "x"), (None, " y"), (None, "NA"), (-25.0, ""), (7.0, long)]
    assert rows_of(data.encode()) == expected
    assert rows_of(data.encode(), block=40) == expected


def test_columns_in_any_order():
    types = {"c": pa.float64(), "a": pa.string()}
    assert rows_of(b"x,?,1\ny,?,2\n", types, ("a", "b", "c")) == [(1.0, "x"), (2.0, "y")]
    assert rows_of(b'"x,1\n', quote=None, columns=("b", "a")) == [(1.0, '"x')]


cells = st.sampled_from(["1", "-2.75", "3e-4", "NA", "", " 5", "0.1234567890123456"])
names = st.text("abc NA?.-", max_size=16)


@settings(deadline=None)
@given(
    st.lists(st.tuples(cells, names), min_size=1, max_size=20), st.sampled_from(["\n", "\r\n"]), st.integers(60, 500)
)
def test_as_arrow_does(records, newline, block):
    data = "".join(f"{cell},{name}{newline}" for cell, name in records).encode()
    options = {"wanted": ("a", "b"), "markers": ("", "NA"), "dialect": Dialect(delimiter=",")}
    arrow = parse(pa.BufferReader(data), ("a", "b"), TYPES, block=1 << 20, **options)
    assert rows_of(data, block=block) == [tuple(row.values()) for batch in arrow for row in batch.to_pylist()]


# --- in a table ------------------------------------------------------------------------------------------


@pytest.fixture
def always_plain(monkeypatch):
    """Try the compiled parser on small files too, some lines at a time."""
    monkeypatch.setattr("novacula.table.delimited.PLAIN_BYTES", 0)
    monkeypatch.setattr("novacula.table.delimited._BLOCK_BYTES", 200)
    monkeypatch.setattr("novacula.table.delimited.COLUMN_BYTES", 0)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize("late", ["", '"quoted"', "NA  ", "ünï", "\tx"])
def test_rows_that_are_not_plain_come_once_and_in_their_place(tmp_path, always_plain, holds, name, late):
    words = [*(f"w{i % 7}" for i in range(100)), late, "w1"]
    data = ("n,w\n" + "".join(f"{i}.5,{word}\n" for i, word in enumerate(words))).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    words[100] = late.strip().strip('"').replace("NA", "") or None
    assert holds(nv.read(tmp_path / name), {"n": [i + 0.5 for i in range(102)], "w": words})


def test_errors_name_the_row(tmp_path, always_plain):
    (tmp_path / "t.csv").write_text("n,m\n" + "".join(f"{i},1\n" for i in range(300)) + "7\n")
    with pytest.raises(DataError, match=r"row 301 of .*t\.csv has 1 values where there are 2 columns: '7'"):
        nv.read(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("n,m\n" + "".join(f"{i},1\n" for i in range(300)) + "abc,2\n")
    [note] = nv.read(tmp_path / "t.csv").notes
    assert "300 numbers and 1 other value, the first being 'abc' in row 301 of" in note


def test_a_damaged_archive(tmp_path, always_plain):
    data = ("n,m\n" + "".join(f"{i},{i * i % 997}\n" for i in range(50_000))).encode()
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(data)[:100_000])
    with pytest.raises(DataError, match=r"t\.csv\.gz cannot be read"):
        nv.read(tmp_path / "t.csv.gz")


def test_missing_numbers_are_null(tmp_path, always_plain):
    (tmp_path / "t.csv").write_text("n,m\n1,1\nNA,2\n")
    table = nv.read(tmp_path / "t.csv")
    np.testing.assert_array_equal(table.to_chunk().numeric, [[1, 1], [np.nan, 2]])
    assert table.to_arrow().column("n").to_pylist() == [1.0, None]


def test_numbers_that_mark_stay_missing(tmp_path, always_plain):
    (tmp_path / "t.csv").write_text("n,m\n1,-999\n-999.0,2\n")
    numeric = nv.read(tmp_path / "t.csv", missing="-999").to_chunk().numeric
    np.testing.assert_array_equal(numeric, [[1, np.nan], [np.nan, 2]])


AWKWARD = ("+5", "1.", ".5", "1e400", "-1e-400", "nan", "inf", " 5 ", "0x10", "１", "1e", "1_0", "1,5", "", "NA", "é")
AWKWARD += (
    "00",
    "-0",
    "123456789012345678901",
    "1.0000000000000000001",
    "5\t",
    "- 5",
    "1e+5",
    "1E5",
    "TRUE",
    "?",
    "''",
)


@pytest.mark.parametrize("cell", AWKWARD)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_awkward_cells_mean_the_same_to_both_parsers(tmp_path, monkeypatch, cell, delimiter):
    path = tmp_path / "t.csv"
    rows = ["1.5", "2", cell, "4", cell]
    path.write_text("\n".join(delimiter.join(row) for row in [("n", "w"), *((row, "x" + row) for row in rows)]) + "\n")
    found = []
    for least in (0, 1 << 30):
        monkeypatch.setattr("novacula.table.delimited.PLAIN_BYTES", least)
        try:
            table = nv.read(path, delimiter=delimiter)
            found.append((table.schema.to_dict(), table.to_arrow().to_pydict()))
        except DataError as error:
            found.append(str(error))
    assert repr(found[0]) == repr(found[1])  # so that NaN equals NaN, and −0 is not 0
