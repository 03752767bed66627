"""Encodings that nobody stated: those of Western Europe and UTF-16 are found out, damage is not taken for one."""

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import novacula as nv
from novacula.errors import DataError
from novacula.table.encoding import encoding_of

WORDS = ["Köln", "naïve café", "señor", "Ærø", "“quoted” – dash", "5 €", "20 °C", "Ürdingen", "plain"]


def rows(words=WORDS, n=40):
    return "word,n\n" + "".join(f'"{words[i % len(words)]} street",{i}.5\n' for i in range(n))


@pytest.mark.parametrize(
    ("encoding", "found"),
    [("cp1252", "cp1252"), ("utf-16", "utf-16"), ("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be"),
     ("utf-32", "utf-32"), ("utf-8", None), ("utf-8-sig", None)],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_found_and_said(tmp_path, encoding, found, packed):
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    data = rows().encode(encoding)
    path.write_bytes(gzip.compress(data) if packed else data)
    table = nv.read(path)
    assert table.schema["word"].categories == tuple(sorted(f"{word} street" for word in WORDS))
    notes = [f"the encoding of {path} is taken to be {found}: say encoding= if it is another one"]
    assert list(table.notes) == (notes if found else [])


def test_bytes_beyond_the_beginning(tmp_path):
    (tmp_path / "t.csv").write_bytes(("a,b\n" + "1,x\n" * 40_000).encode() + "2,café\n".encode("cp1252") * 3)
    table = nv.read(tmp_path / "t.csv")
    assert table.schema["b"].categories == ("café", "x")
    assert "taken to be cp1252" in table.notes[0]


def test_each_file_has_its_own(tmp_path):
    (tmp_path / "a.csv").write_text(rows(), encoding="utf-8")
    (tmp_path / "b.csv").write_bytes(rows().encode("cp1252"))
    (tmp_path / "c.csv").write_bytes(rows().encode("utf-16"))
    assert nv.read(tmp_path).schema["word"].categories == tuple(sorted(f"{word} street" for word in WORDS))


@pytest.mark.parametrize("place", [30, 150, 400])
@pytest.mark.parametrize("byte", [0x81, 0xFF, 0xB5 ^ 0xFF])
def test_a_damaged_byte_is_named_and_no_encoding(tmp_path, capfd, place, byte):
    data = bytearray(("a,b\n" + "1234,56.5\n" * 60).encode())
    data[place] = byte | 0x80
    (tmp_path / "t.csv").write_bytes(bytes(data))
    line = bytes(data[:place]).count(b"\n") + 1
    with pytest.raises(
        DataError, match=rf"t\.csv, line {line}: the byte 0x{byte | 0x80:02x} is not utf-8: say encoding="
    ):
        nv.read(tmp_path / "t.csv")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-16"])
def test_damage_in_a_stated_encoding_is_one_sentence(tmp_path, capfd, encoding):
    """A decoder below Arrow printed its traceback before the sentence."""
    data = "a,b\n".encode(encoding) + "1,x\n".encode(encoding).replace(b"\xff\xfe", b"") * 30_000
    bad = b"\x00\xd8a\x00" if encoding == "utf-16" else b"1,\x81\n"
    (tmp_path / "t.csv").write_bytes(data + bad)
    with pytest.raises(DataError, match=rf"line 3000\d: .* is not {encoding}: say encoding="):
        nv.read(tmp_path / "t.csv", encoding=encoding)
    assert capfd.readouterr() == ("", "")


@given(st.binary(max_size=300))
def test_anything_may_be_asked(data):
    assert encoding_of(data) in (None, "utf-8", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32")


@given(st.text(st.sampled_from("abc äöüéèñç, \n19"), min_size=1))
def test_utf_8_is_always_known(text):
    assert encoding_of(text.encode()) == "utf-8"


def test_other_alphabets_are_not_taken_for_western():
    word = "".join(random.Random(0).choices("абвгдежзиклмнопрст", k=400))
    assert encoding_of(f"id,word\n1,{word}\n".encode("cp1251")) is None


@pytest.mark.parametrize("name", ["rot13", "base64", "idna", "punycode", "undefined", "klingon", "a\0b"])
def test_what_is_no_encoding_of_texts_is_refused(tmp_path, name):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(nv.errors.ParameterError, match="encoding"):
        nv.read(tmp_path / "t.csv", encoding=name)


def test_a_damaged_byte_of_a_file_in_utf_8_is_no_reason_for_another_encoding(tmp_path):
    data = rows().encode()
    place = data.index(b"plain", 200)
    (tmp_path / "t.csv").write_bytes(data[:place] + b"\xff" + data[place + 1 :])
    with pytest.raises(DataError, match=r"the byte 0xff is not utf-8: other lines are, .* repair this one"):
        nv.read(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "t.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
            r"is an old Excel workbook \(.xls\): save it as .xlsx",
        ),
        ("t.csv", b"\x89PNG\r\n\x1a\n" + bytes(500), "is a picture, and no table"),
        ("t.csv", b"%PDF-1.4\n" + bytes(500), "is a PDF document"),
        ("t.csv", b"\n<!DOCTYPE html>\n<html><body>404</body></html>\n", "is a page of HTML: save the table in it"),
        ("t.csv", random.Random(0).randbytes(3000), "is not text, nor of another format"),
    ],
)
def test_what_is_no_text_is_named(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=message):
        nv.read(tmp_path / name)
