"""What every source promises: partitions that travel, keys that change with the rows, kinds by storage."""

import pickle

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novacula as nv
from novacula.table.source import CHUNK_BYTES, holds_single_values, is_textual, kind_of_type, rows_per_chunk

FRAME = pd.DataFrame({"x": np.arange(40.0), "w": ["a", "b"] * 20})


def make(kind, folder):
    path = folder / f"t.{kind}"
    if kind == "csv":
        FRAME.to_csv(path, index=False)
    elif kind == "parquet":
        pq.write_table(pa.Table.from_pandas(FRAME), path, row_group_size=7)
    elif kind == "arrow":
        table = pa.Table.from_pandas(FRAME)
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=7)
    elif kind == "arff":
        rows = "".join(f"{x},{w}\n" for x, w in FRAME.itertuples(index=False))
        path.write_text("@relation r\n@attribute x real\n@attribute w {a,b}\n@data\n" + rows)
    else:
        path.write_text("".join(f"{i % 3} 1:{i}\n" for i in range(40)))
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "arff", "svm"])
def test_partitions_of_files_travel(tmp_path, small_ranges, monkeypatch, kind):
    small_ranges(60)
    monkeypatch.setattr("novacula.table.columnar.RUN_BYTES", 1)
    path = make(kind, tmp_path)
    table = nv.read(path)
    parts = table.source.partitions()
    assert len(parts) > 1 or kind == "arff"
    assert len({part.key for part in parts}) == len(parts)
    assert [part.key for part in nv.read(path).source.partitions()] == [part.key for part in parts]
    for part in parts:
        sent = pickle.dumps(part.detached())
        assert len(sent) < 2000
        here, there = (list(p.chunks(table.layout, "error")) for p in (part, pickle.loads(sent)))
        for one, other in zip(here, there, strict=True):
            np.testing.assert_array_equal(one.dense(), other.dense())
            np.testing.assert_array_equal(one.codes, other.codes)


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "arff", "svm"])
def test_keys_change_with_the_file(tmp_path, kind):
    before = nv.read(make(kind, tmp_path)).source.partitions()[0].key
    (tmp_path / f"t.{kind}").unlink()
    assert nv.read(make(kind, tmp_path)).source.partitions()[0].key != before


def test_keys_change_with_the_way_of_reading(tmp_path):
    path = make("csv", tmp_path)
    keys = {nv.read(path, **how).source.partitions()[0].key for how in ({}, {"quote": None}, {"encoding": "latin-1"})}
    assert len(keys) == 3


def test_partitions_of_a_dask_frame():
    frame = dd.from_pandas(FRAME, npartitions=4)
    table = nv.read(frame)
    parts = table.source.partitions()
    assert len({part.key for part in parts}) == 4
    assert parts[2].name == "partition 2 of the Dask frame"
    chunks = [chunk for part in parts for chunk in part.chunks(table.layout, "error")]
    np.testing.assert_array_equal(np.concatenate([chunk.numeric[:, 0] for chunk in chunks]), FRAME["x"])


@pytest.mark.parametrize(
    ("stored", "kind"),
    [
        (pa.int8(), "numeric"),
        (pa.float64(), "numeric"),
        (pa.timestamp("s"), "numeric"),
        (pa.null(), "numeric"),
        (pa.bool_(), "categorical"),
        (pa.dictionary(pa.int8(), pa.string()), "categorical"),
        (pa.string(), None),
        (pa.large_string(), None),
        (pa.string_view(), None),
    ],
)
def test_kinds_by_storage(stored, kind):
    assert kind_of_type(stored) == kind
    assert holds_single_values(stored)
    assert is_textual(stored) == (kind is None)


@pytest.mark.parametrize(
    "stored",
    [
        pa.list_(pa.int8()),
        pa.struct([("a", pa.int8())]),
        pa.map_(pa.string(), pa.int8()),
        pa.binary(),
        pa.binary(4),
        pa.dictionary(pa.int8(), pa.binary()),
    ],
)
def test_storage_that_holds_no_single_values(stored):
    assert not holds_single_values(stored)


def test_rows_of_a_chunk():
    assert rows_per_chunk(8) == 1 << 17
    assert rows_per_chunk(160) == CHUNK_BYTES // 160
    assert rows_per_chunk(1 << 30) == 64
    assert rows_per_chunk(0) == 1 << 17
