"""What the first lines of a file say: delimiters, names, and where the rows begin."""

import codecs

import pytest

import novacula as nv
from novacula.errors import DataError, ParameterError
from novacula.table.dialect import Dialect, Head
from novacula.table.textfile import TextFile


@pytest.fixture
def text_of(tmp_path):
    def make(data, name="t.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode(encoding))
        return TextFile(str(path), encoding)

    return make


@pytest.mark.parametrize(
    ("data", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a\tb\n1\t2\n", "\t"),
        ("a;b\n1,5;2,5\n", ";"),
        ("a|b\n1|2\n", "|"),
        ("a;b\n1;2;3\n4;5\n", ";"),
        ('a;b\n"x;y,z";2\n', ";"),
        ('"a,b";c\n"d,e,f";1\n', ";"),
        ("word\nother\n", ","),
        ("a b,c\n1 2,3", ","),
    ],
)
def test_delimiters_are_found(text_of, data, delimiter):
    assert Dialect().sniffed(text_of(data)).delimiter == delimiter


def test_the_name_of_a_file_settles_tabs(text_of):
    assert Dialect().sniffed(text_of("a,b\n1,2\n", "t.tsv")).delimiter == "\t"
    assert Dialect(delimiter=",").sniffed(text_of("a,b\n1,2\n", "t.tsv")).delimiter == ","


def test_skipped_lines_do_not_mislead(text_of):
    data = "# a; b; c\n# d; e; f\nx,y\n1,2\n"
    assert Dialect(skip=2).sniffed(text_of(data)).delimiter == ","


def test_a_sample_that_ends_inside_quotes(text_of):
    data = "a,b\n" + "".join(f'{i},"first\nsecond"\n' for i in range(30))
    assert Dialect().sniffed(text_of(data)).delimiter == ","


@pytest.mark.parametrize(
    ("data", "dialect", "names", "rows"),
    [
        (b"a,b\n1,2\n", {}, ("a", "b"), b"1,2\n"),
        (b"a,b\r\n1,2\r\n", {}, ("a", "b"), b"1,2\r\n"),
        (b"a,b\r1,2\r", {}, ("a", "b"), b"1,2\r"),
        (b" a , b \n1,2", {}, ("a", "b"), b"1,2"),
        (b"\n\n  \na,b\n1,2", {}, ("a", "b"), b"1,2"),
        (codecs.BOM_UTF8 + b"a,b\n1,2", {}, ("a", "b"), b"1,2"),
        (b'"a\nb","c,""d"\n1,2', {}, ("a\nb", 'c,"d'), b"1,2"),
        (b'junk "\nmore\na,b\n1,2', {"skip": 2}, ("a", "b"), b"1,2"),
        (b"1,2\n3,4\n", {"header": False}, ("x0", "x1"), b"1,2\n3,4\n"),
        (b"1,2\n3,4\n", {"names": ("p", "q")}, ("p", "q"), b"1,2\n3,4\n"),
        (b"a,a\n3,4\n", {"names": ("p", "q"), "header": True}, ("p", "q"), b"3,4\n"),
        (b'"a,b\n1,2\n', {"quote": None}, ('"a', "b"), b"1,2\n"),
        (b"a,b", {}, ("a", "b"), b""),
    ],
)
def test_names_and_the_first_row(text_of, data, dialect, names, rows):
    head = Head.of(text_of(data), Dialect(delimiter=",", **dialect))
    assert head.names == names
    assert data[head.start :] == rows


def test_a_header_longer_than_the_sample(text_of):
    names = [f"column{j}" for j in range(50_000)]
    head = Head.of(text_of(",".join(names) + "\n" + ",".join("1" * 50_000)), Dialect(delimiter=","))
    assert head.names == tuple(names)


def test_a_preamble_longer_than_the_sample(text_of):
    head = Head.of(text_of("# note\n" * 30_000 + "a,b\n1,2\n"), Dialect(delimiter=",", skip=30_000))
    assert head.names == ("a", "b")


def test_utf16(text_of):
    text = text_of("größe,b\n1,2\n", encoding="utf-16")
    head = Head.of(text, Dialect(delimiter=",", encoding="utf-16"))
    assert head.names == ("größe", "b")
    assert head.start == len("größe,b\n".encode())


@pytest.mark.parametrize(
    ("data", "dialect", "message"),
    [
        (b"", {}, "is empty"),
        (b"\n \n", {}, "is empty"),
        (b"a\nb", {"skip": 5}, "is empty"),
        (b"a,b,a\n", {}, r"has two columns called 'a': say names=\['a', 'b', 'a 3'\] and header=True"),
        (b"a,,c\n", {}, "has no name for column 2"),
        (b"a,b\n", {"names": ("p",)}, "1 names were given for the 2 columns"),
        (b"a,b\n", {"names": ("p", "p")}, "has two columns called 'p'"),
        ("a,b\n1,2\n".encode("utf-16-le"), {}, "holds zero bytes: it is not text, unless you say encoding='utf-16'"),
        (b"a\xe9,b\n1,2\n", {}, r"line 1: the byte 0xe9 is not utf-8"),
        (b'"' + b"a" * 200_000 + b'",b\n', {}, "field larger than field limit"),
    ],
)
def test_heads_that_cannot_be_taken(text_of, data, dialect, message):
    with pytest.raises(DataError, match=message):
        Head.of(text_of(data), Dialect(delimiter=",", **dialect))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ",,"}, "delimiter is ',,'; it must be one ASCII character"),
        ({"delimiter": "\n"}, "delimiter is"),
        ({"delimiter": "é"}, "delimiter is"),
        ({"quote": ""}, "quote is ''"),
        ({"skip": -1}, "skip is -1"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ParameterError, match=message):
        Dialect(**options)


@pytest.mark.parametrize(
    ("data", "delimiter"),
    [
        ("3,5;4,5;a\n1,5;2,5;b\n", ";"),
        ("3.777,00 €;14%;14.01.2022;2;ja\n4.777,00 €;15%;15.01.2022;3;nein\n", ";"),
        ("3,5\t4,5\n1,5\t2,5\n", "\t"),
        ("Müller, Hans;3,5\nMeyer, Eva;4,5\nAb, Cd;1,5\n", ";"),
        ("a,b;c,d\n1,b;c,2\n3,x;y,4\n", ","),  # commas between words
        ("1,2,3\n4,5,6\n", ","),
    ],
)
def test_a_comma_within_numbers_is_between_no_fields(text_of, data, delimiter):
    assert Dialect().sniffed(text_of(data)).delimiter == delimiter


@pytest.mark.parametrize(
    ("data", "delimiter"),
    [
        ("a b y\n0 1 u\n1 2 v\n", " "),
        ("a   b  y\n0   1  u\n10  2  v\n", " "),
        ('"a" "b" "y"\n"1" 0 1 "u v"\n"2" 1 2 "v"\n', " "),  # R's write.table
        ('18.0   8   307.0\t"chevrolet malibu"\n15.0   8   350.0\t"buick skylark"\n18 8 318\t"p s"\n', " "),
        ("full name\nJohn Smith\nJane Doe\n", ","),
        ("Ticket\nPC 17599\nPC 17600\n", ","),
        ("when\n2020-01-01 10:00\n2020-01-02 11:00\n", ","),
        ("a b\tc\n1 x\t2\n3 y\t4\n5 z\t6\n", "\t"),
    ],
)
def test_runs_of_blanks_between_numbers(text_of, data, delimiter):
    assert Dialect().sniffed(text_of(data)).delimiter == delimiter


@pytest.mark.parametrize("first", ["sep=;\n", '"sep=;"\r\n', "\ufeffSEP=;\n"])
def test_the_delimiter_that_excel_names_is_obeyed(tmp_path, first):
    (tmp_path / "t.csv").write_text(f"{first}a;b,c\n1;2\n3;4\n", newline="")
    table = nv.read(tmp_path / "t.csv")
    assert (table.schema.names, len(table)) == (("a", "b,c"), 2)


@pytest.mark.parametrize(("above", "skip"), [("Report 2024\n\n", 1), ("# created 2024\n# by me\n", 2), ("Report\n", 1)])
def test_lines_above_the_names_are_left_out_by_skip(tmp_path, above, skip):
    (tmp_path / "t.csv").write_text(above + "a,b,y\n" + "1,2,u\n" * 9)
    with pytest.raises(DataError, match=f"say skip={skip} to leave "):
        nv.read(tmp_path / "t.csv")
    assert nv.read(tmp_path / "t.csv", skip=skip).schema.names == ("a", "b", "y")


def test_columns_that_are_left_out_may_share_a_name(tmp_path):
    (tmp_path / "t.csv").write_text("a,a,b,a\n1,2,3,x\n4,5,6,y\n")
    with pytest.raises(DataError, match=r"has two columns called 'a': say names=\['a', 'a 2', 'b', 'a 4'\] and header"):
        nv.read(tmp_path / "t.csv")
    table = nv.read(tmp_path / "t.csv", drop="a")
    assert (table.schema.names, table.to_chunk().numeric.tolist()) == (("b",), [[3.0], [6.0]])
    renamed = nv.read(tmp_path / "t.csv", names=["a", "a 2", "b", "a 4"], header=True)
    assert renamed.schema.names == ("a", "a 2", "b", "a 4")
