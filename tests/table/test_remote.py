"""Files at other places, by fsspec."""

import gzip
import io
import sys

import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import novacula as nv
from novacula.errors import DataError

FRAME = pd.DataFrame({"a": [1.5, 2.5, 3.5], "w": ["x", "y", "x"]})
TEXT = FRAME.to_csv(index=False).encode()


@pytest.fixture
def place():
    """Write bytes to a place in memory."""
    system = fsspec.filesystem("memory")

    def write(name, data):
        system.pipe_file(f"/novacula/{name}", data)
        return f"memory://novacula/{name}"

    yield write
    system.rm("/novacula", recursive=True)


def arrow_file(frame):
    sink, table = io.BytesIO(), pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


FILES = {
    "t.csv": TEXT,
    "t.csv.gz": gzip.compress(TEXT),
    "t.jsonl": FRAME.to_json(orient="records", lines=True).encode(),
    "t.parquet": FRAME.to_parquet(index=False),
    "t.arrow": arrow_file(FRAME),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format(place, name):
    table = nv.read(place(name, FILES[name]))
    assert table.schema["w"].categories == ("x", "y")
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], FRAME.a)
    assert table.source.name == f"memory://novacula/{name}"


def test_globs_and_folders(place):
    place("one.csv", TEXT)
    place("two.csv", TEXT)
    assert len(nv.read("memory://novacula")) == len(nv.read("memory://novacula/*.csv")) == 6


def test_a_file_that_was_written_again(place):
    path = place("t.csv", TEXT)
    table = nv.read(path, types={"a": "numeric", "w": ["x", "y"]})
    place("t.csv", TEXT + b"4.5,x\n")
    with pytest.raises(DataError, match="has changed since the table was read"):
        table.to_chunk()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("memory://novacula/nope.csv", "there is no file 'memory://novacula/nope.csv'"),
        ("nonsense://bucket/a.csv", "nonsense://bucket/a.csv cannot be opened"),
    ],
)
def test_what_is_not_there(path, message):
    with pytest.raises(DataError, match=message):
        nv.read(path)


def test_databases_are_copied_first(place):
    with pytest.raises(DataError, match="is a database: copy it to this machine first"):
        nv.read(place("t.db", b"SQLite format 3\0"))


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(DataError, match="is read by fsspec, which is not installed: pip install fsspec"):
        nv.read("s3://bucket/a.csv")
