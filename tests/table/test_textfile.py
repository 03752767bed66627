"""Text files: encodings, compression, ranges and lines."""

import bz2
import codecs
import gzip
import os

import pyarrow as pa
import pytest

from novacula.errors import DataError, ParameterError
from novacula.table.records import RecordSyntax
from novacula.table.textfile import TextFile

TEXT = "name,größe\nä,1\nö,2\n"


def read_all(text, start=0, stop=None):
    with text.open(start, stop) as stream:
        return stream.read()


@pytest.mark.parametrize(
    ("encoding", "divisible"),
    [
        *((name, True) for name in ("utf-8", "UTF8", "utf-8-sig", "latin-1", "cp1252", "shift_jis")),
        *((name, False) for name in ("utf-16", "utf-16-le", "utf-32", "utf-7", "cp500")),
    ],
)
def test_where_bytes_can_be_cut(tmp_path, encoding, divisible):
    (tmp_path / "t").write_bytes(TEXT.encode("utf-8" if encoding == "shift_jis" else encoding))
    assert TextFile(str(tmp_path / "t"), encoding).divisible is divisible


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "cp500"])
def test_what_cannot_be_cut_comes_as_utf8(tmp_path, encoding):
    (tmp_path / "t").write_bytes(TEXT.encode(encoding))
    text = TextFile(str(tmp_path / "t"), encoding)
    assert read_all(text) == TEXT.encode()
    assert read_all(text, 12) == TEXT.encode()[12:]
    assert list(text.ranges(12, RecordSyntax())) == [(12, None)]


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_compressed(tmp_path, ending, pack):
    path = tmp_path / f"t.csv{ending}"
    path.write_bytes(pack(TEXT.encode("latin-1")))
    text = TextFile(str(path), "latin-1")
    assert read_all(text) == TEXT.encode()
    assert text.beginning(4) == (b"name", False)
    assert text.beginning(4000) == (TEXT.encode(), True)


def test_zstd(tmp_path):
    path = str(tmp_path / "t.csv.zst")
    with pa.output_stream(path) as stream:
        stream.write(TEXT.encode())
    assert read_all(TextFile(path, "utf-8")) == TEXT.encode()


@pytest.mark.parametrize("size", [1, 7, 10, 1000])
def test_ranges_cover_the_file_in_whole_lines(tmp_path, small_ranges, size):
    small_ranges(size)
    data = b"".join(b"%d,%d\n" % (i, i * i) for i in range(50)) + b"last,line"
    (tmp_path / "t").write_bytes(data)
    text = TextFile(str(tmp_path / "t"), "utf-8")
    ranges = list(text.ranges(4, RecordSyntax()))
    assert b"".join(read_all(text, *cut) for cut in ranges) == data[4:]
    assert all(read_all(text, *cut).endswith(b"\n") for cut in ranges[:-1])
    assert len(ranges) > 1 or size == 1000


def test_lines_are_numbered_and_stripped(tmp_path):
    (tmp_path / "t").write_bytes(codecs.BOM_UTF8 + b" a \r\n\n\tb\n")
    assert list(TextFile(str(tmp_path / "t"), "utf-8").lines()) == [(1, "a"), (3, "b")]


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"a\nb\nc\xe9\n", "utf-8", r"line 3: the byte 0xe9 is not utf-8: say encoding='cp1252'"),
        (b"a\rb\r\n\xe9\n", "utf-8", r"line 3: the byte 0xe9"),
        (b"a\n\xff\n", "ascii", r"line 2: the byte 0xff is not ascii"),
        ("a\nb".encode("utf-16"), "utf-8", r"line 1: the byte 0xff is not utf-8: say encoding='utf-16'$"),
        (b"a" * (1 << 20) + b"\n\xe9", "utf-8", r"line 2: the byte 0xe9"),
    ],
)
def test_wrong_encodings_name_line_and_byte(tmp_path, data, encoding, message):
    (tmp_path / "t").write_bytes(data)
    error = TextFile(str(tmp_path / "t"), encoding).undecodable()
    with pytest.raises(DataError, match=message):
        raise error


def test_right_encodings_are_not_blamed(tmp_path):
    (tmp_path / "t").write_bytes(TEXT.encode())
    assert TextFile(str(tmp_path / "t"), "utf-8").undecodable() is None


def test_an_encoding_that_does_not_exist(tmp_path):
    (tmp_path / "t").write_text("a")
    with pytest.raises(ParameterError, match="there is no encoding called 'utf-9'"):
        TextFile(str(tmp_path / "t"), "utf-9")


def test_a_damaged_archive(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(os.urandom(5000))[:3000])
    with pytest.raises(DataError, match=r"t\.csv\.gz cannot be read"):
        TextFile(str(path), "latin-1").beginning(1 << 20)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "t.csv").write_text("a\n1\n")
    text = TextFile(str(tmp_path / "t.csv"), "utf-8")
    monkeypatch.setattr("novacula.table.textfile.open", refuse, raising=False)
    with pytest.raises(DataError, match=r"t\.csv cannot be read: \[Errno 13\] Permission denied"):
        text.open()
