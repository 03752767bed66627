"""Whatever is wrong with data, the user gets one sentence of ours that says where."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novacula as nv
from novacula import errors
from novacula.table import threads

OURS = (errors.DataError, errors.SchemaError, errors.ParameterError, errors.InputTypeError)

BAD_FILES = {
    "empty.csv": b"",
    "blank.csv": b"\n\n\n",
    "header.csv": b"a,b\n",
    "twice.csv": b"a,a\n1,2\n",
    "nameless.csv": b"a,,b\n1,2,3\n",
    "short.csv": b"a,b\n1,2\n3\n",
    "long.csv": b"a,b\n1,2\n3,4,5\n",
    "damaged.csv": b"a,b\n1,caf\n\xff2,x\n",
    "late.csv": b"a,b\n" + b"1,x\n" * 30_000 + b"2,\x81x\n",
    "zeros.csv": b"a,b\n\0\0,1\n\0",
    "quote.csv": b'a,b\n1,"2\n3,4\n',
    "cut.csv.gz": gzip.compress(b"a,b\n" + b"1,2\n" * 9999)[:40],
    "plain.csv.gz": b"a,b\n1,2\n",
    "text.parquet": b"a,b\n1,2\n",
    "empty.parquet": b"",
    "text.arrow": b"a,b\n1,2\n",
    "empty.arrow": b"",
    "text.arff": b"a,b\n1,2\n",
    "empty.arff": b"",
    "odd.arff": b"@relation r\n@attribute a numeric\n@data\n1,2\n",
    "text.svm": b"a,b\n1,2\n",
    "empty.svm": b"",
}


def is_one_sentence(error):
    text = str(error)
    assert isinstance(error, OURS)
    assert "\n" not in text
    assert 10 < len(text) < 400
    assert not text.endswith(".")
    return True


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(tmp_path, name):
    (tmp_path / name).write_bytes(BAD_FILES[name])
    with pytest.raises(OURS) as caught:
        nv.read(tmp_path / name).to_chunk()
    assert is_one_sentence(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("source", "arguments"),
    [
        ("no/such/file.csv", {}),
        ([], {}),
        (3, {}),
        (np.zeros(3), {}),
        (np.zeros((0, 1)), {}),
        (pd.DataFrame({"a": []}), {}),
        (pd.DataFrame({("a", "b"): [2]}), {}),
        (pd.DataFrame({1: [2], "1": [3]}), {}),
        (pd.DataFrame({"a": [1.0]}), {"target": "b"}),
        (pd.DataFrame({"a": [1.0]}), {"weight": "b"}),
        (pd.DataFrame({"a": [1.0]}), {"types": {"b": "text"}}),
        (pd.DataFrame({"a": [1.0]}), {"types": {"a": "float"}}),
        (pd.DataFrame({"a": [1.0], "b": [None]}), {"target": "b"}),
        (pd.DataFrame({"a": [1.0], "b": [-1.0]}), {"weight": "b"}),
        (pd.DataFrame({"a": ["x"]}), {"types": {"a": ["y"]}}),
        (pd.DataFrame({"a": ["x"]}), {"types": {"a": ["y", "y"]}}),
        (pa.table({"a": [[1]]}), {}),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), {}),
    ],
)
def test_bad_arguments(source, arguments):
    with pytest.raises(OURS) as caught:
        nv.read(source, **arguments).to_chunk()
    assert is_one_sentence(caught.value)


@pytest.mark.parametrize("count", [1, 4])
def test_errors_in_threads_are_raised_once_and_as_they_are(tmp_path, sums, count):
    table = pa.table({"x": np.arange(1000.0), "y": ["a"] * 500 + [None] * 500})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=10)
    with pytest.MonkeyPatch.context() as patch, threads(count):
        patch.setattr("novacula.table.columnar.RUN_BYTES", 1)
        with pytest.raises(errors.DataError) as caught:
            nv.read(tmp_path / "t.parquet", target="y").reduce(sums)
    assert is_one_sentence(caught.value)
    assert str(caught.value).startswith("row 501 of")
    assert caught.value.__context__ is None


def test_nasty_names_are_quoted_in_messages():
    nasty = "a\nb[/red]\x1b"
    with pytest.raises(errors.DataError) as caught:
        nv.read(pd.DataFrame({nasty: ["1", "x"]}), types={nasty: "numeric"})
    assert is_one_sentence(caught.value)
    assert repr(nasty) in str(caught.value)
