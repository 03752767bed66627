"""Zip archives: of one file, and those that are refused."""

import zipfile

import pytest

import novacula as nv
from novacula.errors import DataError

ROWS = b"a,b\n1,x\n2,y\n"


@pytest.fixture
def archive(tmp_path):
    def make(files, name="t.zip", method=zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / name, "w", method) as packed:
            for inside, data in files.items():
                packed.writestr(inside, data)
        return tmp_path / name

    return make


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("inside", ["train.csv", "folder/train.csv", "no ending"])
def test_one_file(archive, method, inside):
    table = nv.read(archive({inside: ROWS, "__MACOSX/._train.csv": b"?", "folder/.DS_Store": b"?"}, method=method))
    assert table.schema["b"].categories == ("x", "y")
    assert table.to_chunk().numeric[:, 0].tolist() == [1, 2]


def test_its_format_is_that_of_the_file_inside(archive):
    assert nv.read(archive({"t.jsonl": b'{"a": 1}\n{"a": 2}\n'})).schema["a"].high == 2
    assert nv.read(archive({"t.arff": b"@relation r\n@attribute a numeric\n@data\n3\n"})).schema["a"].high == 3
    assert nv.read(archive({"t.tsv": b"a\tb\n1\tx,y\n"})).schema["b"].categories == ("x,y",)


def test_a_file_of_several_by_its_name(archive):
    path = archive({"train.csv": ROWS, "test.csv": b"a,b\n9,z\n"})
    with pytest.raises(DataError, match=r"t\.zip holds 2 files \('train.csv', 'test.csv'\): name one of them, as in"):
        nv.read(path)
    assert nv.read(f"{path}::test.csv").schema["b"].categories == ("z",)
    with pytest.raises(DataError, match=r"holds no file 'tst.csv'; it holds 'train.csv', 'test.csv'"):
        nv.read(f"{path}::tst.csv")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "holds no files"),
        ({"inner.zip": b"PK"}, "holds another archive, 'inner.zip': unpack it first"),
        ({"rows.csv.gz": b"?"}, "holds another archive"),
        ({"t.parquet": b"PAR1"}, "holds a file of the format parquet, which is not read from an archive: unpack it"),
        ({"bomb.csv": b"1,2\n" * 25_000_000}, "would unpack from .* to 100,000,000 bytes, more than 200 times"),
        ({"t.csv": b""}, "is empty"),
    ],
)
def test_what_is_refused(archive, files, message):
    with pytest.raises(DataError, match=message):
        nv.read(archive(files))


def test_damaged_archives(archive, tmp_path):
    data = archive({"t.csv": b"a,b\n" + b"1,x\n" * 9999}).read_bytes()
    for cut in (0, 10, len(data) // 2, len(data) - 5):
        (tmp_path / "cut.zip").write_bytes(data[:cut])
        with pytest.raises(DataError, match=r"cut\.zip is not a zip archive that can be read"):
            nv.read(tmp_path / "cut.zip")
    for place in (31, 45, 60):
        broken = bytearray(data)
        broken[place] ^= 0xFF
        (tmp_path / "bad.zip").write_bytes(bytes(broken))
        with pytest.raises(DataError, match=r"bad\.zip"):
            nv.read(tmp_path / "bad.zip").to_chunk()


def test_an_encrypted_file(archive, tmp_path):
    data = bytearray(archive({"t.csv": ROWS}, method=zipfile.ZIP_STORED).read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(bytes(data))
    with pytest.raises(DataError, match=r"locked\.zip cannot be unpacked: .* is encrypted"):
        nv.read(tmp_path / "locked.zip")
