"""Arrow and Parquet files that lead out of themselves: refused in a sentence, before anything follows them.

Without validation several of these end the process, so that they are read in one of their own.
"""

import io
import json
import re
import struct
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novacula as nv
from novacula.errors import DataError
from novacula.table.columnar import RowGroups

READ = """
import json, sys
import novacula as nv
for path in sys.argv[1:]:
    try:
        print(json.dumps(len(nv.read(path))), flush=True)
    except nv.errors.DataError as error:
        print(json.dumps(str(error)), flush=True)
"""


def outcomes(paths):
    """What a process of their own says of files: a sentence for each, or the rows that it read."""
    done = subprocess.run([sys.executable, "-c", READ, *map(str, paths)], capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def ipc_bytes(table, stream=False, compression=None):
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def replaced(data, old, new):
    """Bytes in which a run that stands there once is another one of the same length."""
    assert data.count(old) == 1
    assert len(old) == len(new)
    return data.replace(old, new)


def int32s(*numbers):
    return struct.pack(f"<{len(numbers)}i", *numbers)


WORDS = pa.table({"w": ["seven", "letters", "or", "fewer"]})
OFFSETS = int32s(0, 5, 12, 14, 19)


WRONG_OFFSETS = (
    (0, 5, 12, 14, 1 << 30),
    (0, 1 << 30, 12, 14, 19),
    (0, 12, 5, 14, 19),
    (-(1 << 30), 5, 12, 14, 19),
)


def test_offsets_and_codes_that_lead_elsewhere(tmp_path):
    codes = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 2, 0], pa.int32()), pa.array(["a", "b", "c"]))
    damaged = []
    for stream in (False, True):
        words, coded = ipc_bytes(WORDS, stream), ipc_bytes(pa.table({"w": codes}), stream)
        damaged += [replaced(words, OFFSETS, int32s(*offsets)) for offsets in WRONG_OFFSETS]
        right = int32s(1, 0, 1, 2, 0)
        damaged += [replaced(coded, right, int32s(1, 0, wrong, 2, 0)) for wrong in (9, -1, 2**31 - 1)]
    paths = [tmp_path / f"{i}.arrow" for i in range(len(damaged))]
    for path, data in zip(paths, damaged, strict=True):
        path.write_bytes(data)
    for path, sentence in zip(paths, outcomes(paths), strict=True):
        assert re.fullmatch(rf"{path}( \(batch 0\))? is damaged: In column 0: [^\n]+", sentence)


def test_words_that_are_not_utf_8(tmp_path):
    (tmp_path / "t.arrow").write_bytes(replaced(ipc_bytes(WORDS), b"letters", b"l\xfftters"))
    with pytest.raises(DataError, match=r"t\.arrow \(batch 0\) is damaged: In column 0: .*UTF8"):
        nv.read(tmp_path / "t.arrow")
    pq.write_table(WORDS, tmp_path / "t.parquet", compression="none", write_statistics=False)
    (tmp_path / "t.parquet").write_bytes(replaced((tmp_path / "t.parquet").read_bytes(), b"letters", b"l\xfftters"))
    with pytest.raises(DataError, match=r"t\.parquet \(row group 0\) cannot be read: In column 0: .*UTF8"):
        nv.read(tmp_path / "t.parquet")


@pytest.mark.parametrize("name", ["t.arrow", "t.parquet"])
def test_a_column_whose_name_is_not_utf_8(tmp_path, name):
    path, table = tmp_path / name, pa.table({"colour": [1.0, 2.0]})
    pq.write_table(table, path, store_schema=False) if name == "t.parquet" else path.write_bytes(ipc_bytes(table))
    path.write_bytes(path.read_bytes().replace(b"colour", b"col\xffur"))
    with pytest.raises(DataError, match=rf"{name} is not an? (Arrow|Parquet) file that can be read: .*utf-8"):
        nv.read(path)


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
@pytest.mark.parametrize("claim", [1 << 40, 1 << 62, -5])
def test_a_buffer_that_claims_to_be_huge(tmp_path, compression, claim):
    data = ipc_bytes(pa.table({"x": np.zeros(5000)}), compression=compression)
    (tmp_path / "t.arrow").write_bytes(replaced(data, struct.pack("<q", 40_000), struct.pack("<q", claim)))
    with pytest.raises(DataError, match=r"t\.arrow \(batch 0\) cannot be read: [^\n]+$"):
        nv.read(tmp_path / "t.arrow").to_chunk()


def test_rows_that_hold_nothing(tmp_path):
    """Columns of nulls take no bytes, so any number of rows can be claimed."""
    data = ipc_bytes(pa.table({"x": pa.nulls(1234)}))
    (tmp_path / "t.arrow").write_bytes(data)
    assert len(nv.read(tmp_path / "t.arrow")) == 1234
    (tmp_path / "t.arrow").write_bytes(data.replace(struct.pack("<q", 1234), struct.pack("<q", 1 << 40)))
    with pytest.raises(DataError, match=r"is damaged: it claims 1,099,511,627,776 rows that hold nothing$"):
        nv.read(tmp_path / "t.arrow")


def thrift_number(number):
    """A number as Thrift's compact protocol writes it: zigzag, seven bits a byte."""
    number, written = 2 * number, bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


@pytest.mark.parametrize(
    ("claimed", "message"),
    [
        (70_001, r" \(row group 0\) is damaged: it holds 70,000 rows, and its footer says 70,001$"),
        (1 << 61, r" is damaged: \S+ bytes cannot hold the 2,305,843,009,213,693,952 rows of its footer$"),
    ],
)
def test_a_footer_with_other_rows_than_the_pages(tmp_path, claimed, message):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": np.arange(70_000.0)}), path, use_dictionary=False, write_statistics=False)
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = data[start:-8].replace(thrift_number(70_000), thrift_number(claimed))
    path.write_bytes(data[:start] + footer + struct.pack("<i", len(footer)) + b"PAR1")
    with pytest.raises(DataError, match=rf"t\.parquet{message}"):
        nv.read(path).to_chunk()


def test_a_constant_column_of_very_many_rows(tmp_path):
    """Parquet writes a run of equal values once: a few bytes may well hold millions of rows."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": np.ones(3_000_000)}), path, row_group_size=3_000_000)
    assert path.stat().st_size < 20_000
    assert nv.read(path).fold(lambda total, chunk: total + chunk.numeric.sum(), 0.0) == 3_000_000


@pytest.mark.parametrize("encoding", ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_words_that_arrow_cannot_decode_as_a_dictionary(tmp_path, encoding):
    """Such columns were refused, since categories are asked for as dictionaries."""
    table = pa.table({"w": ["a", "b", None, "c"] * 50})
    pq.write_table(table, tmp_path / "t.parquet", use_dictionary=False, column_encoding={"w": encoding})
    read = nv.read(tmp_path / "t.parquet")
    assert read.schema["w"].categories == ("a", "b", "c")
    np.testing.assert_array_equal(read.to_chunk().codes[:, 0], [0, 1, -1, 2] * 50)


def test_rows_that_were_given_as_a_dictionary_are_not_given_again(tmp_path, monkeypatch):
    """The encoding may change from one row group to the next, when rows of the first have been given."""
    pq.write_table(pa.table({"w": ["a", "b", "c", "d", "e"]}), tmp_path / "t.parquet")
    decoded = RowGroups._decoded

    def fail_in_the_middle(self, names, coded):
        [batch] = decoded(self, names, coded)
        if coded:
            yield batch.slice(0, 2)
            raise OSError("Not yet implemented: DecodeArrow of DictAccumulator for DeltaByteArrayDecoder.")
        yield from (batch.slice(0, 1), batch.slice(1, 2), batch.slice(3))

    monkeypatch.setattr(RowGroups, "_decoded", fail_in_the_middle)
    np.testing.assert_array_equal(nv.read(tmp_path / "t.parquet").to_chunk().codes[:, 0], range(5))
