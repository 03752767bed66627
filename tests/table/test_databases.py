"""Tables of SQLite and DuckDB: streamed, by name, whatever the names are."""

import sqlite3
import sys
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import DataError

NASTY = 'a"; DROP TABLE people; --'


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (name TEXT, age INTEGER, pay REAL, born TEXT, odd)")
        rows = [(f"p{i % 3}", i, i / 4, f"2020-01-{i % 28 + 1:02d}", [i, "x", 2.5, None][i % 4]) for i in range(40)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute('CREATE TABLE "a""; DROP TABLE people; --" ("x"" ,y" INTEGER, z)')
        connection.execute('INSERT INTO "a""; DROP TABLE people; --" VALUES (1, NULL), (2, NULL)')
        connection.execute("CREATE VIEW old AS SELECT age FROM people WHERE age > 30")
        connection.execute("CREATE TABLE bytes (b BLOB, n INTEGER)")
        connection.execute("INSERT INTO bytes VALUES (x'00ff', 1)")
    connection.close()
    return path


def test_a_table(database):
    table = nv.read(f"{database}::people", target="age")
    kinds = {column.name: column.kind_word for column in table.schema}
    assert kinds == {"name": "categorical", "age": "numeric", "pay": "numeric", "born": "date", "odd": "categorical"}
    assert table.schema["odd"].categories[-1] == "x"
    chunk = table.to_chunk()
    assert chunk.target.tolist() == list(range(40))
    assert chunk.numeric[:, 0].tolist() == [i / 4 for i in range(40)]
    assert (len(table), table.schema["odd"].missing) == (40, 10)


def test_hostile_names_and_views(database):
    assert nv.read(f"{database}::{NASTY}").schema.names == ('x" ,y', "z")
    assert nv.read(f"{database}::old").schema["age"].low == 31
    assert len(nv.read(f"{database}::people")) == 40


def test_tables_are_listed(database, tmp_path):
    with pytest.raises(DataError, match=r"holds 4 tables \('a.*', 'bytes', 'old', 'people'\): name one of them, as in"):
        nv.read(database)
    with pytest.raises(DataError, match="holds no table 'poeple'; did you mean 'people'"):
        nv.read(f"{database}::poeple")
    with sqlite3.connect(tmp_path / "one.sqlite") as connection:
        connection.execute("CREATE TABLE only_one AS SELECT 1 AS a")
    connection.close()
    assert "is read from its only table, 'only_one'" in nv.read(tmp_path / "one.sqlite").notes[0]


def test_bytes_are_no_values(database):
    with pytest.raises(DataError, match=r"column 'b' of .* holds binary, not single values"):
        nv.read(f"{database}::bytes")
    assert nv.read(f"{database}::bytes", drop="b").schema.names == ("n",)


def test_what_is_no_database(tmp_path):
    (tmp_path / "t.db").write_bytes(b"hello" * 100)
    with pytest.raises(DataError, match=r"t\.db is not a database that can be read: file is not a database"):
        nv.read(tmp_path / "t.db")
    (tmp_path / "e.db").write_bytes(b"")
    with pytest.raises(DataError, match=r"e\.db holds no table"):
        nv.read(tmp_path / "e.db")
    with pytest.raises(DataError, match="there is no file"):
        nv.read(f"{tmp_path}/nowhere.db::t")


def test_a_damaged_database(database):
    data = database.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(30):
        broken = bytearray(data)
        for place in rng.integers(0, len(data), 20):
            broken[place] = rng.integers(256)
        database.write_bytes(bytes(broken))
        with suppress(DataError, nv.errors.SchemaError):
            nv.read(f"{database}::people").to_chunk()


def test_the_file_is_only_read(database):
    before = database.read_bytes()
    nv.read(f"{database}::people").to_chunk()
    assert database.read_bytes() == before


def test_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    frame = pd.DataFrame({"a": [1.5, 2.5], "w": ["x", None], "when": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.register("frame", frame)
        connection.execute('CREATE TABLE "my "" table" AS SELECT * FROM frame')
    table = nv.read(f'{tmp_path}/t.duckdb::my " table')
    assert [column.kind_word for column in table.schema] == ["numeric", "categorical", "date"]
    assert table.to_chunk().numeric[:, 0].tolist() == [1.5, 2.5]
    with pytest.raises(DataError, match="holds no table 'x'"):
        nv.read(f"{tmp_path}/t.duckdb::x")
    (tmp_path / "bad.duckdb").write_bytes(b"hello")
    with pytest.raises(DataError, match=r"bad\.duckdb cannot be read"):
        nv.read(tmp_path / "bad.duckdb")


def test_without_duckdb(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "t.duckdb").write_bytes(b"hello")
    with pytest.raises(DataError, match="is read by DuckDB, which is not installed: pip install duckdb"):
        nv.read(tmp_path / "t.duckdb")
