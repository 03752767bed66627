"""ARFF files: headers, dense and sparse rows, quotes, and what is wrong with them."""

import gzip

import numpy as np
import pytest

import novacula as nv
from novacula.errors import DataError
from novacula.table.arff import split_values

WEATHER = """% comment
@RELATION weather

@ATTRIBUTE outlook {sunny, overcast, rainy}
@attribute 'wind speed' REAL
@attribute "it's" {'a, b', "c%d", '\\'x\\''}
@attribute humid\tinteger
@attribute note string
@attribute day date "yyyy-MM-dd"
@attribute windy{TRUE, FALSE}

@data
sunny, 1.5, 'a, b', 3, 'long text, quoted', '2001-02-03', TRUE
% another comment
rainy,?,"c%d",?,?,?,?

overcast,-2e3,'\\'x\\'',4,plain,"2001-02-04",FALSE
"""


@pytest.fixture
def arff(tmp_path):
    def make(text, name="t.arff", encoding="utf-8"):
        (tmp_path / name).write_bytes(text.encode(encoding))
        return tmp_path / name

    return make


def test_kinds_names_and_the_stated_order(arff):
    table = nv.read(arff(WEATHER), target="outlook")
    assert table.schema.names == ("outlook", "wind speed", "it's", "humid", "note", "day", "windy")
    assert table.schema["outlook"].categories == ("sunny", "overcast", "rainy")
    assert table.schema["it's"].categories == ("a, b", "c%d", "'x'")
    assert table.schema["windy"].categories == ("TRUE", "FALSE")
    chunk = table.to_chunk()
    days = np.array(["2001-02-03", "NaT", "2001-02-04"], "datetime64[s]").astype(float)
    days[1] = np.nan
    np.testing.assert_array_equal(chunk.numeric, np.c_[[[1.5, 3], [np.nan, np.nan], [-2000, 4]], days])
    assert table.schema["day"].is_time
    np.testing.assert_array_equal(chunk.codes, [[0, 0], [1, -1], [2, 1]])
    np.testing.assert_array_equal(chunk.target, [0, 2, 1])
    assert [column.tolist() for column in chunk.text] == [["long text, quoted", None, "plain"]]
    assert [table.schema[name].missing for name in ("wind speed", "windy", "note")] == [1, 1, 1]


STYLES = [
    str,
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace("\n", "\r", 5),
    lambda text: "\ufeff" + text,
]


@pytest.mark.parametrize("style", STYLES)
def test_line_ends_and_bom(arff, style):
    assert len(nv.read(arff(style(WEATHER)))) == 3


def test_compressed_and_encoded(arff, tmp_path):
    text = "@relation r\n@attribute größe {klein,groß}\n@data\ngroß\n"
    plain = nv.read(arff(text, encoding="latin-1"), encoding="latin-1").schema
    assert plain["größe"].categories == ("klein", "groß")
    (tmp_path / "t.arff.gz").write_bytes(gzip.compress(text.encode()))
    assert nv.read(tmp_path / "t.arff.gz").schema == plain
    with pytest.raises(DataError, match=r"t\.arff, line 2: the byte 0xf6 is not utf-8"):
        nv.read(tmp_path / "t.arff", encoding="utf-8")
    assert nv.read(tmp_path / "t.arff").schema == plain


def test_sparse_rows(arff):
    text = """@relation r
@attribute a numeric
@attribute b {x, 'y, z'}
@attribute c numeric
@data
{0 2.5, 1 'y, z'}
{}
{ 2 -1 }
3,x,4
{1 ?, 2 ?}
"""
    chunk = nv.read(arff(text)).to_chunk()
    np.testing.assert_array_equal(chunk.numeric, [[2.5, 0], [0, 0], [0, -1], [3, 4], [0, np.nan]])
    np.testing.assert_array_equal(chunk.codes[:, 0], [1, 0, 0, 0, -1])


def test_a_marker_may_be_a_value(arff):
    text = "@relation r\n@attribute vote {y, n, ?}\n@attribute age numeric\n@data\ny,1\n?,?\n"
    table = nv.read(arff(text))
    assert table.to_chunk().codes[:, 0].tolist() == [0, 2]
    assert table.schema["age"].missing == 1
    hidden = nv.read(arff(text), types={"vote": ["y", "n"]})
    assert hidden.to_chunk().codes[:, 0].tolist() == [0, -1]


def test_types_overrule_the_header(arff):
    table = nv.read(arff(WEATHER), types={"humid": "categorical", "outlook": "text", "day": "ignored"})
    assert table.schema["humid"].categories == (3, 4)
    assert table.to_chunk().text[0].tolist() == ["sunny", "rainy", "overcast"]


def test_several_files(arff):
    first, second = arff(WEATHER, "p.arff"), arff(WEATHER, "q.arff")
    assert len(nv.read([first, second])) == 6
    arff(WEATHER.replace("rainy}", "rainy, foggy}"), "q.arff")
    with pytest.raises(DataError, match=r"q\.arff declares other attributes than \S*p\.arff"):
        nv.read([first, second])


def test_more_rows_than_a_batch(arff, monkeypatch):
    monkeypatch.setattr("novacula.table.arff._ROWS", 7)
    text = "@relation r\n@attribute a numeric\n@data\n" + "".join(f"{i}\n" for i in range(50))
    np.testing.assert_array_equal(nv.read(arff(text)).to_chunk().numeric[:, 0], range(50))


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("a,b", ["a", "b"]),
        ("a , 'b, c' ,d", ["a", "b, c", "d"]),
        ('\'it\\\'s\',"say \\"x\\""', ["it's", 'say "x"']),
        ("'a',", ["a", ""]),
        ("'',b", ["", "b"]),
        ("", [""]),
        ("it's, b", ["it's", "b"]),
        ("'a\\\\',b", ["a\\", "b"]),
    ],
)
def test_values_of_a_line(line, values):
    assert split_values(line) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no @data section"),
        ("@relation r\n@attribute a numeric\n", "has no @data section"),
        ("@relation r\n@data\n", "declares no attribute"),
        ("@relation r\n@attribute a numeric\n@data\n", "has no rows"),
        ("@relation r\n@attribute a\n@data\n1\n", "line 2: an attribute needs a name and a type"),
        ("@relation r\n@attribute a complex\n@data\n1\n", "line 2: attribute 'a' has the type 'complex'"),
        ("@relation r\n@attribute a {x,y\n@data\nx\n", "line 2: attribute 'a' has the type '{x,y'"),
        ("@relation r\n@attribute a {x,x}\n@data\nx\n", "line 2: attribute 'a' names the value 'x' twice"),
        ("@relation r\n@attribute a numeric\n@attribute a real\n@data\n1,2\n", "declares the attribute 'a' twice"),
        ("1,2,3\n", "line 1: expected @attribute or @data, found '1,2,3'"),
        ("@relation r\n@attribute a numeric\n@data\n1\n1,2\n", "line 5: 2 values where there are 1 attributes"),
        ("@relation r\n@attribute a numeric\n@data\n{1 2}\n", "line 4: there is no attribute 1"),
        ("@relation r\n@attribute a numeric\n@data\n{0 1, x}\n", "line 4: 'x' is not an index and a value"),
        ("@relation r\n@attribute a numeric\n@data\n{0 1\n", "line 4: '0 1' is not an index and a value"),
        ("@relation r\n@attribute a numeric\n@data\n1\ntwo\n", "row 2 of .* holds 'two' in the numeric column 'a'"),
        (
            "@relation r\n@attribute a {x,y}\n@data\nx\nz\n",
            "row 2 of .* holds 'z' in column 'a', which is none of its 2",
        ),
    ],
)
def test_what_is_wrong_is_named(arff, text, message):
    with pytest.raises(DataError, match=message):
        nv.read(arff(text)).to_chunk()
