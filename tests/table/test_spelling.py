"""Numbers that are written for people: what is read is what was written, and nothing else is a number."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.table.spelling import NUMBER_STYLES, read_spelled, spelled_numbers

numbers = st.decimals(-(10**12), 10**12, places=3).map(float)


def written(value, style, *, grouped=True, money=""):
    text = f"{abs(value):,.3f}" if grouped else f"{abs(value):.3f}"
    if style.startswith("1."):
        text = text.translate(str.maketrans(",.", ".,"))
    return ("-" if value < 0 else "") + money + text + ("%" if style.endswith("%") else "")


@settings(deadline=None)
@given(st.lists(numbers, min_size=1), st.sampled_from(NUMBER_STYLES), st.booleans(), st.sampled_from(["", "$", "€"]))
def test_what_is_written_is_read(values, style, grouped, money):
    words = pa.array([written(value, style, grouped=grouped, money=money) for value in values])
    assert read_spelled(words, style).tolist() == values
    assert spelled_numbers(words)[style].tolist() == values


@pytest.mark.parametrize(
    ("word", "style", "value"),
    [
        ("(1,234.50)", "1,234.5", -1234.5),
        ("5,00 €", "1.234,5", 5.0),
        ("$-5", "1,234.5", -5.0),
        ("−7", "1,234.5", -7.0),
        ("1'234.5", "1,234.5", 1234.5),
        ("12 %", "1,234.5%", 12.0),
        ("1e3", "1,234.5", 1000.0),
        (".5", "1,234.5", 0.5),
        (",5", "1.234,5", 0.5),
        ("12", "1.234,5", 12.0),
        ("12,50\u00a0€", "1.234,5", 12.5),
        ("1 000,50 €", "1.234,5", 1000.5),
        ("1 000 €", "1.234,5", 1000.0),
        ("USD 1.50", "1,234.5", 1.5),
        ("5 EUR", "1,234.5", 5.0),
        ("CHF 1'002.07", "1,234.5", 1002.07),
        ("0,125", "1.234,5", 0.125),
    ],
)
def test_how_people_write(word, style, value):
    assert read_spelled(pa.array([word]), style).tolist() == [value]


@pytest.mark.parametrize("style", NUMBER_STYLES)
@pytest.mark.parametrize(
    "word",
    ["", "abc", "(5", "5)", "--5", "(-5)", "-$-5", "1,23,456", "12,34.5", "1 234", "192.168.1.10", "1.2.3", "$", "%",
     "5-", "0x10", "1,234,", "nan", "five", ",", "1 000 000", "5 KGS", "EURO 5", "012,345,678"],
)  # fmt: skip
def test_what_is_no_number(word, style):
    assert np.isnan(read_spelled(pa.array([word, None]), style)).all()


def test_percent_is_for_all_values_or_none(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i}%,{i}{'%' if i else ''}\n" for i in range(150)))
    table = nv.read(tmp_path / "t.csv")
    assert (table.schema["a"].spelling, table.schema["a"].high) == ("1,234.5%", 149.0)
    assert table.schema["b"].kind == "categorical"


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        ('"1,234"\n"950"\n', {}, [1234.0, 950.0]),  # thousands, where a comma would otherwise be between fields
        ("1,234;x\n0,950;x\n", {"delimiter": ";", "names": ["n", "w"]}, [1.234, 0.95]),  # where such files come from
        ("1.234;x\n950;x\n", {"delimiter": ";", "names": ["n", "w"], "decimal": ","}, [1234.0, 950.0]),
        ("1.234;x\n950;x\n", {"delimiter": ";", "names": ["n", "w"]}, [1234.0, 950.0]),  # small ones have no mark
        ("1.234;x\n950;x\n", {"delimiter": ";", "names": ["n", "w"], "decimal": "."}, [1.234, 950.0]),
        ('"1,234"\n"950"\n', {"decimal": "."}, [1234.0, 950.0]),
        ("NA\n$5.00\n?\n", {}, [math.nan, 5.0, math.nan]),
    ],
)
def test_marks_that_may_mean_two_things(tmp_path, rows, options, expected):
    (tmp_path / "t.csv").write_text(rows if "names" in options else "n\n" + rows)
    table = nv.read(tmp_path / "t.csv", **options)
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], expected)
    known = [value for value in expected if value == value]
    assert (table.schema["n"].low, table.schema["n"].high) == (min(known), max(known))


def test_numbers_for_people_beyond_the_cap_of_categories(tmp_path):
    (tmp_path / "t.csv").write_text("n\n" + "".join(f'"${i:,}.25"\n' for i in range(12_000)))
    table = nv.read(tmp_path / "t.csv")
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], np.arange(12_000) + 0.25)
    assert table.notes == ("column 'n' is read as numbers that are written like 1,234.5",)


def test_a_late_thousand_needs_another_look_only(tmp_path):
    (tmp_path / "t.csv").write_text("n,m\n" + "".join(f"{i},1\n" for i in range(999)) * 300 + '"1,000",1\n')
    assert nv.read(tmp_path / "t.csv").schema["n"].high == 1000.0


def test_a_wrong_decimal_mark_is_refused(tmp_path):
    with pytest.raises(nv.errors.ParameterError, match="decimal is ';'; it must be"):
        nv.read(tmp_path, decimal=";")


@pytest.mark.parametrize("write", ["${}.50", '"{}.000,5"', "{}%", "2020-01-{:02d}", "{}"])
def test_one_odd_value_among_numbers_for_people_is_named(tmp_path, write):
    rows = ["a", *(write.format(i % 28 + 1) for i in range(60))]
    rows[10] = "tbd"
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    [note] = nv.read(tmp_path / "t.csv").notes
    assert "holds 59 " in note
    assert "and 1 other value, the first being 'tbd' in row 10 of " in note
    assert note.endswith("if such values are missing ones, say missing=[..., 'tbd']")
    kind = "date" if "-" in write else "numeric"
    with pytest.raises(
        nv.errors.DataError, match=r"holds 1 other value, the first being 'tbd' in row 10 of .*: say mis"
    ):
        nv.read(tmp_path / "t.csv", types={"a": kind})
    assert nv.read(tmp_path / "t.csv", missing=[..., "tbd"]).schema["a"].kind == "numeric"


def test_values_that_are_written_in_several_ways_are_not_called_missing(tmp_path):
    (tmp_path / "t.csv").write_text("a\n" + "".join(f"{i}{'%' if i % 3 else ''}\n" for i in range(60)))
    [note] = nv.read(tmp_path / "t.csv").notes
    assert "holds 40 numbers and 20 other values, the first being '0' in row 1 of " in note
    assert note.endswith("it is read as categories: write all of them in one way")


def test_numbers_among_words_of_small_tables_are_said(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i},x\n" for i in range(30)) + "Total,x\n")
    [note] = nv.read(tmp_path / "t.csv").notes
    assert note.startswith("column 'a' holds 30 numbers and 1 other value, the first being 'Total' in row 31 of ")
    lines = [f'{{"a": {i if i % 5 else repr("n/a")}}}'.replace("'", '"') for i in range(50)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    [note] = nv.read(tmp_path / "t.jsonl").notes
    assert note.startswith("column 'a' holds 40 numbers and 10 other values, the first being 'n/a' in row 1 of ")


def test_a_few_codes_are_categories_on_purpose(tmp_path):
    (tmp_path / "t.csv").write_text("a\n" + "1\n2\n3\nother\n" * 30)
    assert nv.read(tmp_path / "t.csv").notes == ()
