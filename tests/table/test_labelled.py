"""Rows without a target: left out and counted where that is asked for, refused everywhere else."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import novacula as nv
from novacula.errors import DataError
from novacula.linear import LinearRegression

FRAME = pd.DataFrame(
    {
        "x": np.arange(40.0),
        "w": [f"w{i % 3}" for i in range(40)],
        "y": [None if i % 5 == 2 else "ab"[i % 2] for i in range(40)],
        "z": [np.nan if i % 4 == 1 else i / 2 for i in range(40)],
    }
)


@pytest.fixture(params=["csv", "small csv", "parquet", "frame", "json"])
def source(request, tmp_path, small_ranges):
    if "csv" in request.param:
        small_ranges(60 if request.param == "small csv" else 1 << 20)
        FRAME.to_csv(tmp_path / "t.csv", index=False)
        return tmp_path / "t.csv"
    if request.param == "parquet":
        FRAME.to_parquet(tmp_path / "t.parquet", row_group_size=7)
        return tmp_path / "t.parquet"
    if request.param == "json":
        FRAME.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
        return tmp_path / "t.jsonl"
    return FRAME


@pytest.mark.parametrize("target", ["y", "z"])
def test_rows_without_a_target_are_left_out(source, target):
    table = nv.read(source, target).labelled()
    known = FRAME[FRAME[target].notna()]
    assert len(table) == len(known)
    gone = 40 - len(known)
    assert table.notes[-1] == f"{gone} of 40 rows have no value for the target {target!r} and are left out"
    chunk = table.drop("y" if target == "z" else "z").to_chunk()
    np.testing.assert_array_equal(chunk.numeric[:, 0], known.x)
    labels = table.layout[target].categories
    found = [labels[code] for code in chunk.target] if labels else chunk.target.tolist()
    assert found == known[target].tolist()
    assert (table.schema["x"].low, table.schema["x"].high, table.schema[target].missing) == (0, 39, 0)
    assert len(table.take(np.arange(5))) == 5
    assert len(table.labelled()) == len(known)


def test_a_fit_refuses(source):
    with pytest.raises(DataError, match=r"row 2 of .* has no value for the target 'z'"):
        LinearRegression().fit(nv.read(source, "z").select("x"))
    LinearRegression().fit(nv.read(source, "z").select("x").labelled())


def test_rows_keep_their_names(tmp_path):
    FRAME.assign(x=["1"] * 39 + ["?"]).to_csv(tmp_path / "t.csv", index=False)
    table = nv.read(tmp_path / "t.csv", "z").select("x").labelled()
    with pytest.raises(DataError, match=r"column 'x' is missing \(NaN\) in row 40 of"):
        LinearRegression().fit(table)


def test_a_whole_target_is_left_as_it_is():
    table = nv.read(FRAME, "x")
    assert table.labelled() is table
    assert nv.read(FRAME).labelled().notes == ()


def test_most_without_a_target_is_asked_about():
    frame = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", None, None, None], "n": pa.nulls(4)})
    table = nv.read(frame, "y")
    with pytest.raises(
        DataError, match=r"3 of the 4 rows of the frame have no value for 'y': say labelled\(most=1.0\)"
    ):
        table.labelled()
    assert len(table.labelled(most=1.0)) == 1
    with pytest.raises(DataError, match="no row of the frame has a value for the target 'n'"):
        nv.read(frame, "n").labelled(most=1.0)
