"""What a source is: by its first bytes where its name leaves it open, and which options say something of it."""

import os
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import DataError, ParameterError


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("t.jsonl", '{"a": 1}\n{"a": 2}\n', {"names": ["b"]}, "names= is for csv or excel or ods, and .* is json"),
        ("t.jsonl", '{"a": 1}\n{"a": 2}\n', {"header": False}, "header= is for csv"),
        ("t.jsonl", '{"a": 1}\n{"a": 2}\n', {"skip": 1}, "skip= is for csv"),
        ("t.csv", "a,b\n1,2\n", {"sheet": "1"}, "sheet= is for excel or ods, and .*t.csv is csv: leave it out"),
        ("t.arff", "@relation r\n@attribute a numeric\n@data\n1\n", {"delimiter": ";"}, "delimiter= is for csv, and"),
    ],
)
def test_options_that_say_nothing_are_refused(tmp_path, name, content, options, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(ParameterError, match=message):
        nv.read(tmp_path / name, **options)


@pytest.mark.parametrize("option", [{"names": ["x", "y"]}, {"decimal": ","}, {"encoding": "cp1252"}, {"sheet": 1}])
def test_nor_do_they_of_frames_and_typed_files(tmp_path, option):
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    frame.to_parquet(tmp_path / "t.parquet")
    for source in (frame, frame.to_numpy(), tmp_path / "t.parquet"):
        with pytest.raises(ParameterError, match=f"{next(iter(option))}= is for .*: leave it out"):
            nv.read(source, **option)


def test_what_is_so_anyway_may_be_said(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    assert len(nv.read(tmp_path / "t.jsonl", header=True, encoding="utf-8", decimal=".")) == 2
    assert len(nv.read(np.eye(2), header=True)) == 2


def test_a_database_is_known_by_its_first_bytes(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "t.db")) as database:
        database.execute("create table t as select * from range(5) r(a)")
    assert nv.read(tmp_path / "t.db").schema["a"].high == 4.0
    assert nv.read(f"{tmp_path / 't.db'}::t").schema["a"].high == 4.0


def test_what_comes_out_of_a_pipe_is_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = ("a,b\n" + "1,cafeteria é\n" * 9).encode("cp1252")
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    table = nv.read(pipe, types={"a": "categorical"})
    writer.join()
    assert (len(table), table.schema["b"].categories) == (9, ("cafeteria é",))
    assert len(table.to_chunk()) == 9


def test_a_dash_is_the_standard_input(tmp_path):
    call = [sys.executable, "-m", "novacula", "schema", "-"]
    done = subprocess.run(call, input="a;b\n1;2\n", capture_output=True, text=True, check=True)
    assert "1 rows × 2 columns" in done.stdout


def test_a_device_is_no_file():
    with pytest.raises(DataError, match="/dev/null is neither a file nor a pipe: name one"):
        nv.read("/dev/null")
