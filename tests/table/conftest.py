"""Plain columns as lists: what a table must hold, said without any of the code that reads one."""

import csv
import math

import numpy as np
import pytest

MIXED = {
    "size": [1.5, None, -3.0, 1e300, 0.1, 7.0],
    "colour": ["red", "blue", None, "red", "gr,een", 'o"dd'],
    "count": [3.0, 1.0, 4.0, 1.0, 5.0, 9.0],
    "note": ["two\nlines", "blue", "a\r\nb", None, "x", "ünï"],
}


@pytest.fixture
def mixed():
    return {name: list(values) for name, values in MIXED.items()}


def is_numeric(values):
    return all(isinstance(value, float) for value in values if value is not None)


def categories_of(values):
    return tuple(sorted({value.strip() for value in values if value is not None}))


def check_holds(table, columns):
    """The table has these columns, numeric where all values are, and exactly these values."""
    schema = table.schema
    chunk = table.to_chunk()
    assert schema.names == tuple(columns)
    assert schema.n_rows == len(chunk) == len(next(iter(columns.values())))
    numeric = {name: values for name, values in columns.items() if is_numeric(values)}
    words = {name: values for name, values in columns.items() if name not in numeric}
    assert [c.name for c in schema.of_kind("numeric")] == list(numeric)
    assert [c.name for c in schema.of_kind("categorical")] == list(words)
    for j, values in enumerate(numeric.values()):
        wanted = [math.nan if value is None else value for value in values]
        np.testing.assert_array_equal(chunk.numeric[:, j], wanted)
    for j, (name, values) in enumerate(words.items()):
        known = schema[name].categories
        assert known == categories_of(values)
        found = [None if code == -1 else known[code] for code in chunk.codes[:, j]]
        assert found == [None if value is None else value.strip() for value in values]
    for name, values in columns.items():
        assert schema[name].missing == values.count(None)
    return True


@pytest.fixture(scope="session")
def holds():
    return check_holds


def write_rows(path, columns, *, header=True, encoding="utf-8", before="", **style):
    """Write columns with Python's own writer; None is an empty field."""
    with open(path, "w", newline="", encoding=encoding) as file:
        file.write(before)
        writer = csv.writer(file, **style)
        if header:
            writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(
                ["" if value is None else repr(value) if isinstance(value, float) else value for value in row]
            )
    return str(path)


@pytest.fixture(scope="session")
def write_csv():
    return write_rows


@pytest.fixture
def small_ranges(monkeypatch):
    """Cut text files every few bytes."""

    def shrink(size):
        monkeypatch.setattr("novacula.table.textfile.RANGE_BYTES", size)
        monkeypatch.setattr("novacula.table.delimited.COLUMN_BYTES", 0)

    return shrink


def summed(chunk):
    """A statistic of every number in a chunk, whose rounding depends on the order of addition."""
    return np.array([chunk.numeric.sum(axis=0)])


@pytest.fixture(scope="session")
def sums():
    return summed
