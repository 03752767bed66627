"""JSON: lines as a stream, arrays and columns as a whole; what is no table is refused."""

import gzip
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.errors import DataError

FRAME = pd.DataFrame({"n": [1.5, None, -3.0], "k": [3, 1, 4], "w": ["red", "blue", None], "b": [True, False, True]})
RECORDS = json.loads(FRAME.to_json(orient="records"))


@pytest.mark.parametrize("form", ["lines", "array", "pretty array", "columns", "lists", "lines.gz", "utf-16 lines"])
@pytest.mark.parametrize("size", [20, 1 << 20])
def test_every_form_gives_the_same_table(tmp_path, small_ranges, form, size):
    small_ranges(size)
    lines = "\n".join(map(json.dumps, RECORDS))
    data = {
        "lines": lines.encode(),
        "array": json.dumps(RECORDS).encode(),
        "pretty array": json.dumps(RECORDS, indent=2).encode(),
        "columns": FRAME.to_json().encode(),
        "lists": json.dumps({name: [row[name] for row in RECORDS] for name in FRAME}).encode(),
        "lines.gz": gzip.compress(lines.encode()),
        "utf-16 lines": lines.encode("utf-16"),
    }[form]
    path = tmp_path / ("t.json.gz" if form == "lines.gz" else "t.json")
    path.write_bytes(data)
    table = nv.read(path)
    assert [column.kind for column in table.schema] == ["numeric", "numeric", "categorical", "categorical"]
    assert table.schema["b"].categories == (False, True)
    chunk = table.to_chunk()
    np.testing.assert_array_equal(chunk.numeric, [[1.5, 3], [math.nan, 1], [-3, 4]])
    np.testing.assert_array_equal(chunk.codes, [[1, 1], [0, 0], [-1, 1]])


def test_the_contents_tell_too(tmp_path):
    (tmp_path / "export.txt.1").write_text('[{"a": 1}, {"a": 2}]')
    assert nv.read(tmp_path / "export.txt.1").schema["a"].high == 2


def test_objects_within_objects_and_keys_that_come_late(tmp_path):
    rows = [{"a": {"b": 1, "c": {"d": "x"}}}, {"a": {}}, {"a": {"b": 2}, "late": 5}, {}]
    (tmp_path / "t.jsonl").write_text("\n\n".join(map(json.dumps, rows)) + "\n")
    table = nv.read(tmp_path / "t.jsonl")
    assert table.schema.names == ("a.b", "a.c.d", "a", "late")
    assert [table.schema[name].missing for name in ("a.b", "a.c.d", "late")] == [2, 3, 3]
    np.testing.assert_array_equal(table.to_chunk().numeric[:, 0], [1, math.nan, 2, math.nan])


def test_values_of_several_kinds_are_as_they_are_written(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        '{"a": 1, "q": "7"}\n{"a": "x", "q": "8"}\n{"a": 2.5, "q": 9}\n{"a": true, "q": null}\n'
    )
    table = nv.read(tmp_path / "t.jsonl")
    assert table.schema["a"].categories == ("1", "2.5", "True", "x")
    assert (table.schema["q"].kind, table.schema["q"].high, table.schema["q"].missing) == ("numeric", 9, 1)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.fixed_dictionaries(
            {}, optional={k: st.none() | st.floats() | st.integers() | st.text("ab\ud800") for k in "xy"}
        ),
        min_size=1,
    )
)
def test_lines_and_arrays_are_the_same(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("json")
    (folder / "l.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "a.json").write_text(json.dumps(rows))
    outcomes = []
    for path in (folder / "l.jsonl", folder / "a.json"):
        try:
            table = nv.read(path)
        except DataError:
            outcomes.append(None)
        else:
            outcomes.append((table.schema.columns, table.to_arrow().to_pylist()))
    assert str(outcomes[0]) == str(outcomes[1])  # NaN and all
    assert (outcomes[0] is None) == (not any(rows))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("[]", "has no rows"),
        ("[1, 2]", "is no table: JSON must be objects line by line, or an array of objects"),
        ('"a"', "is no table"),
        ('[{"a": 1}, 2]', "is no table"),
        ("[" * 100_000, "is not JSON that can be read: it is nested too deeply"),
        ('{"a":' * 30_000, "JSON"),
        ('{"a": 1}\n{"a": 2', "line 2, is not JSON"),
        ('{"a": 1}\n[2]\n', "line 2, is no object"),
        ('{"a": 1}\n{"a": ' + "9" * 5000 + "}\n", "line 2, is not JSON"),
        ('{"a": [1]}\n{"a": [2]}\n', r"column 'a' of .* holds .*, not single values: unpack it, or say types="),
        ('{"": 1}\n', "has a column called '': rename it"),
        ('{"\\ud800": 1}\n', "has a column called '.ud800': rename it"),
        ('{"a": {"b": 1}, "a.b": 2}\n{"a": {"b": 1}, "a.b": 2}\n', "has two values called 'a.b'"),
        ('{"a": 1}\n{"a": 2, \x00}\n', "line 2, is not JSON"),
        ("{" + '"a":{' * 30 + "}" * 31 + "\n", "more than 20 deep: flatten it first"),
    ],
)
def test_what_is_no_table(tmp_path, text, message):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        nv.read(tmp_path / "t.json").to_chunk()
    assert "t.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ['{{"a": "{}"}}\n{{"a": "y"}}\n', '[{{"a": "{}"}}, {{"a": "y"}}]'])
def test_encodings_and_damage(tmp_path, form):
    (tmp_path / "t.json").write_bytes(form.format("caf\xe9 noir").encode("cp1252"))
    table = nv.read(tmp_path / "t.json")
    assert (table.schema["a"].categories, len(table.notes)) == (("café noir", "y"), 1)
    (tmp_path / "t.json").write_bytes(form.format("1\xff").encode("latin-1"))
    with pytest.raises(DataError, match=r"t\.json, line 1: the byte 0xff is not utf-8: say encoding="):
        nv.read(tmp_path / "t.json")


def test_rows_are_named(tmp_path, small_ranges):
    small_ranges(50)
    (tmp_path / "t.jsonl").write_text(
        "".join(f'{{"a": "{i}", "y": 1}}\n' for i in range(30)) + '{"a": "x", "y": null}\n'
    )
    with pytest.raises(DataError, match=r"row 31 of .*t\.jsonl has no value for the target 'y'"):
        nv.read(tmp_path / "t.jsonl", target="y").to_chunk()
