"""Fields between runs of blanks: what is read is what Python's own splitting gives."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import novacula as nv
from novacula.table.blanks import BlankSqueezer, squeezed
from novacula.table.records import RecordSyntax
from novacula.table.textfile import ChangedStream

words = st.text("ab1.", min_size=1, max_size=4)
blanks = st.text(" \t", min_size=1, max_size=3)


@given(st.lists(st.lists(st.tuples(words, blanks), min_size=1), min_size=1), st.booleans())
def test_each_run_is_one_blank(rows, indented):
    text = "".join(("  " if indented else "") + "".join(map("".join, row)) + "\n" for row in rows)
    assert squeezed(text.encode()).decode() == "".join(" ".join(line.split()) + "\n" for line in text.splitlines())


def test_blanks_within_quotes_stay():
    assert squeezed(b'a  "b   c"\t"d""  e"  \r\n') == b'a "b   c" "d""  e"\r\n'


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_pieces_are_cut_after_records(size, monkeypatch):
    monkeypatch.setattr("novacula.table.textfile._PIECE_BYTES", size)
    text = b'1   "a\n  b"  2 \n 3  c\t4'
    stream = ChangedStream(io.BytesIO(text), BlankSqueezer(RecordSyntax(b" ", b'"')))
    assert stream.read() == b'1 "a\n  b" 2\n3 c 4'


def test_such_a_file_is_read_and_said(tmp_path):
    (tmp_path / "t.data").write_text("".join(f'  {i}.5   {i % 4}  7\t"car {i % 2}"\n' for i in range(30)))
    table = nv.read(tmp_path / "t.data")
    assert table.to_chunk().numeric.tolist() == [[i + 0.5, i % 4, 7.0] for i in range(30)]
    assert table.schema["x3"].categories == ("car 0", "car 1")
    assert "the fields of" in table.notes[0]
    assert "are those between blanks: say delimiter=','" in table.notes[0]
    said = nv.read(tmp_path / "t.data", delimiter=" ")
    assert said.schema == table.schema
    assert len(said.notes) == len(table.notes) - 1
