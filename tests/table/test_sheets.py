"""Workbooks of Excel and OpenDocument: the same rows as anywhere, and what is refused."""

import sys
import zipfile
from contextlib import suppress
from datetime import datetime
from xml.sax.saxutils import escape

import numpy as np
import openpyxl
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import DataError, ParameterError

ROWS = [
    ["size", "when", "word", "mixed", "flag"],
    [1.5, datetime(2020, 1, 2), "a", "7", True],
    [None, datetime(2020, 3, 4, 5, 30), "b", 8, False],
    [3, None, " a", "x", True],
]
NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)


def xlsx(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def ods_cell(value):
    if value is None:
        return "<table:table-cell/>"
    kinds = {bool: "boolean", int: "float", float: "float", datetime: "date"}
    kind = kinds.get(type(value))
    if kind is None:
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
    name = "value" if kind == "float" else f"{kind}-value"
    said = value.isoformat() if kind == "date" else str(value).lower()
    return f'<table:table-cell office:value-type="{kind}" office:{name}="{said}"><text:p>?</text:p></table:table-cell>'


def ods(path, sheets, body=None):
    tables = body or "".join(
        f'<table:table table:name="{escape(name)}">'
        + "".join(f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>" for row in rows)
        + '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
        + 'table:number-columns-repeated="16384"/></table:table-row></table:table>'
        for name, rows in sheets.items()
    )
    content = f"<office:document-content {NAMESPACES}>{tables}</office:document-content>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
    return path


WRITERS = {"xlsx": xlsx, "ods": ods}


@pytest.fixture(params=WRITERS)
def book(request, tmp_path):
    """Write a workbook: book({"sheet": rows})."""
    return lambda sheets: WRITERS[request.param](tmp_path / f"t.{request.param}", sheets)


def test_the_first_sheet(book):
    table = nv.read(book({"Data": ROWS}))
    assert [column.kind_word for column in table.schema] == [
        "numeric",
        "date",
        "categorical",
        "categorical",
        "categorical",
    ]
    assert table.schema["when"].describe() == "2020-01-02 to 2020-03-04 05:30:00"
    assert table.schema["word"].categories == ("a", "b")
    assert table.schema["mixed"].categories == ("7", "8", "x")
    assert table.schema["flag"].categories == (False, True)
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], [1.5, np.nan, 3])
    assert table.notes == ()


def test_other_sheets(book):
    path = book({"Data": ROWS, "2": [["a"], [4]], "Last one": [["b"], [5]]})
    first = nv.read(path)
    assert first.schema.names[0] == "size"
    assert "is read from its sheet 'Data'; others are '2', 'Last one': say sheet='2'" in first.notes[0]
    assert nv.read(path, sheet="2").schema.names == ("a",)
    assert nv.read(path, sheet=2).schema.names == ("a",)
    assert nv.read(path, sheet="3").schema.names == ("b",)
    with pytest.raises(ParameterError, match="has no sheet 'Lost': it has 'Data', '2', 'Last one'"):
        nv.read(path, sheet="Lost")
    with pytest.raises(ParameterError, match="has no sheet 4: it has 3"):
        nv.read(path, sheet=4)


def test_cells_around_the_table_and_text_that_is_numbers(book):
    rows = [[], [None, None], [None, "pay", "share"], [None, "$1,200.50", "12%"], [], [None, "$5", "7%"]]
    table = nv.read(book({"Data": rows}))
    np.testing.assert_array_equal(table.to_chunk().numeric, [[1200.5, 12], [5, 7]])
    assert len(table.notes) == 2


def test_names_of_rows_and_no_names(book):
    named = nv.read(book({"Data": [[None, "a"], ["r1", 1], ["r2", 2]]}))
    assert named.schema.names == ("row name", "a")
    assert [column.name for column in named.schema.features] == ["a"]
    bare = nv.read(book({"Data": [[1.5, "x"], [2.5, "y"], [3.5, "x"]]}))
    assert (bare.schema.names, len(bare)) == (("x0", "x1"), 3)
    assert "say header=True" in bare.notes[0]
    assert nv.read(book({"Data": ROWS[1:]}), names=list("abcde")).schema.names == tuple("abcde")


def test_several_workbooks(tmp_path):
    for i in range(2):
        xlsx(tmp_path / f"{i}.xlsx", {"Data": [["a", "b"], [i, "x"]]})
    assert nv.read(tmp_path).to_chunk().numeric[:, 0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        ({"Data": []}, "sheet 'Data' of .* is empty"),
        ({"Data": [["a", "b"]]}, "has no rows"),
        (
            {"Data": [["a", None, "c"], [1, 2, 3]]},
            "has no name for column 2: say names=\\['a', 'column 2', 'c'\\] and header=True",
        ),
        ({"Data": [["a", "a"], [1, 2]]}, "has two columns called 'a'"),
    ],
)
def test_sheets_that_cannot_be_taken(book, sheets, message):
    with pytest.raises(DataError, match=message):
        nv.read(book(sheets))


def test_cells_with_errors_are_missing(tmp_path):
    frame = pd.DataFrame({"a": [1, "#DIV/0!", 3], "b": ["#N/A", "x", "y"]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    table = nv.read(tmp_path / "t.xlsx")
    assert (table.schema["a"].kind, table.schema["a"].missing, table.schema["b"].missing) == ("numeric", 1, 1)
    assert table.notes[0].startswith("2 cells of")


@pytest.mark.parametrize("ending", ["xlsx", "ods"])
def test_damaged_workbooks(tmp_path, ending):
    path = WRITERS[ending](tmp_path / f"t.{ending}", {"Data": ROWS * 50})
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    bad = [b"hello", b"", data[: len(data) // 2]]
    for _ in range(40):
        broken = bytearray(data)
        for place in rng.integers(0, len(data), 3):
            broken[place] = rng.integers(256)
        bad.append(bytes(broken))
    for content in bad:
        path.write_bytes(content)
        with suppress(DataError, nv.errors.SchemaError):
            nv.read(path)
    path.write_bytes(b"hello")
    with pytest.raises(DataError, match="is not a zip archive that can be read"):
        nv.read(path)


def test_other_archives_are_no_workbooks(tmp_path):
    for ending, missing in (("xlsx", "not a workbook"), ("ods", "not a sheet of OpenDocument")):
        with zipfile.ZipFile(tmp_path / f"t.{ending}", "w") as archive:
            archive.writestr("a.txt", "hello")
        with pytest.raises(DataError, match=rf"is {missing} that can be read"):
            nv.read(tmp_path / f"t.{ending}")


def test_bombs(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"<c/>" * 25_000_000)
    with pytest.raises(DataError, match=r"would unpack from \S+ to 100,000,000 bytes"):
        nv.read(tmp_path / "t.xlsx")
    huge = '<table:table-row table:number-rows-repeated="999999999"><table:table-cell office:value-type="float" '
    huge += 'office:value="1" table:number-columns-repeated="900"/></table:table-row>'
    ods(tmp_path / "t.ods", {}, f'<table:table table:name="x">{huge}</table:table>')
    with pytest.raises(DataError, match="is too large to be held: save it as CSV"):
        nv.read(tmp_path / "t.ods")
    entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(10)
    )
    with zipfile.ZipFile(tmp_path / "e.ods", "w") as archive:
        archive.writestr("content.xml", entities + "]><x>&k;</x>")
    with pytest.raises(DataError, match="is not a sheet of OpenDocument"):
        nv.read(tmp_path / "e.ods")


def test_without_openpyxl(tmp_path, monkeypatch):
    path = xlsx(tmp_path / "t.xlsx", {"Data": ROWS})
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        DataError, match=r"is read by openpyxl, which is not installed: pip install 'novacula\[excel\]'"
    ):
        nv.read(path)


def test_columns_that_are_left_out_may_share_a_name(book):
    path = book({"Data": [["a", "a", "b"], [1, 2, 3], [4, 5, 6]]})
    assert nv.read(path, drop="a").schema.names == ("b",)


def test_numbers_among_words_of_a_sheet_are_said(book):
    tickets = [[1000 + i if i % 4 else f"PC {i}", "uv"[i % 2]] for i in range(60)]
    [note] = nv.read(book({"Data": [["ticket", "y"], *tickets]})).notes
    assert note.startswith("column 'ticket' holds 45 numbers and 15 other values, the first being 'PC 0' in row 1 of ")
