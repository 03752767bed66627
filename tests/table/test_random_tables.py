"""Random tables: what was written to a file is what is read back, in every format and in memory alike."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.table.schema import DEFAULT_MISSING


def is_plain(word):
    """Whether a word is one: no number, no marker, no white space around it."""
    odd = word in DEFAULT_MISSING or re.match(r"[-+.\d]|(?i:inf)", word)
    return word == word.strip() and not odd


numbers = st.floats(allow_nan=False)
letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
words = st.text(letters, min_size=1, max_size=5).filter(is_plain)


@st.composite
def tables(draw, words=words):
    n = draw(st.integers(1, 8))
    columns = {}
    for j, values in enumerate(draw(st.lists(st.sampled_from([numbers, words]), min_size=1, max_size=4))):
        cells = st.lists(st.none() | values, min_size=n, max_size=n)
        columns[f"c{j}"] = draw(cells.filter(lambda cells: any(cell is not None for cell in cells)))
    columns["last"] = [1.0] * n  # in CSV a row of nothing but missing values is a blank line
    return columns


def types_of(columns):
    return {name: pa.float64() if is_number(values) else pa.string() for name, values in columns.items()}


def is_number(values):
    return all(isinstance(value, float) for value in values if value is not None)


@settings(deadline=None)
@given(tables(), st.sampled_from([0, 1]), st.integers(1, 80))
def test_csv(tmp_path_factory, holds, write_csv, columns, quoting, size):
    path = write_csv(tmp_path_factory.mktemp("random") / "t.csv", columns, quoting=quoting)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("novacula.table.textfile.RANGE_BYTES", size)
        patch.setattr("novacula.table.delimited.COLUMN_BYTES", 0)
        assert holds(nv.read(path), columns)


@settings(deadline=None)
@given(tables(), st.integers(1, 5))
def test_parquet(tmp_path_factory, holds, columns, rows):
    path = tmp_path_factory.mktemp("random") / "t.parquet"
    schema = pa.schema(list(types_of(columns).items()))
    pq.write_table(pa.table(columns, schema=schema), path, row_group_size=rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("novacula.table.columnar.RUN_BYTES", 1)
        assert holds(nv.read(path), columns)


def quoted(value):
    if value is None:
        return "?"
    escaped = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return repr(value) if isinstance(value, float) else f"'{escaped}'"


arff_words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5).filter(is_plain)


@settings(deadline=None)
@given(tables(arff_words))
def test_arff(tmp_path_factory, holds, columns):
    path = tmp_path_factory.mktemp("random") / "t.arff"
    lines = ["@relation random"]
    for name, values in columns.items():
        nominal = sorted({value for value in values if value is not None} if not is_number(values) else ())
        kind = "{" + ",".join(map(quoted, nominal)) + "}" if nominal else "numeric"
        lines.append(f"@attribute {name} {kind}")
    rows = [",".join(map(quoted, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([*lines, "@data", *rows]), encoding="utf-8")
    assert holds(nv.read(path), columns)


@settings(deadline=None)
@given(tables())
def test_memory(holds, columns):
    assert holds(nv.read(pa.table(columns, schema=pa.schema(list(types_of(columns).items())))), columns)
    assert holds(nv.read(pd.DataFrame(columns)), columns)
    objects = np.array(list(zip(*columns.values(), strict=True)), dtype=object)
    assert holds(nv.read(objects), {f"x{j}": values for j, values in enumerate(columns.values())})
