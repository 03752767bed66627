"""Surveys: what is looked at, and how often."""

import pandas as pd
import pyarrow as pa
import pytest

import novacula as nv
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.table import Column, Schema
from novacula.table.delimited import RangePartition
from novacula.table.frames import FrameSource
from novacula.table.memory import MemoryPartition
from novacula.table.survey import StatedTypes, recount, retype, survey


@pytest.fixture
def looked_at(monkeypatch):
    """The columns of every pass over batches."""
    passes = []

    def watch(kind):
        plain = kind.batches

        def batches(self, names, schema=None):
            passes.append(sorted(names))
            return plain(self, names, schema)

        monkeypatch.setattr(kind, "batches", batches)

    watch(MemoryPartition)
    watch(RangePartition)
    return passes


def test_types_are_taken_apart():
    said = {"a": "text", "b": ["x", "y"], "c": (1, 2), "d": "date", "e": "day-month-year"}
    stated = StatedTypes.of(said, ("a", "b", "c", "d", "e"))
    assert stated.kinds == {"a": "text", "b": "categorical", "c": "categorical", "d": "numeric", "e": "numeric"}
    assert stated.categories == {"b": ("x", "y"), "c": (1, 2)}
    assert stated.dates == {"d": None, "e": "day-month-year"}
    with pytest.raises(SchemaError, match="types names 'd', which is not a column"):
        StatedTypes.of({"d": "text"}, ("a",))
    with pytest.raises(ParameterError, match=r"types\['a'\] is 'words'; it must be numeric"):
        StatedTypes.of({"a": "words"}, ("a",))


def test_typed_columns_need_no_look(looked_at):
    nv.read(pd.DataFrame({"n": [1.0], "k": pd.Categorical(["x"]), "f": [True]}))
    assert looked_at == []


def test_words_are_looked_at_once(looked_at):
    nv.read(
        pd.DataFrame({"n": [1.0], "w": ["x"], "stated": ["y"], "text": ["z"]}), types={"stated": ["y"], "text": "text"}
    )
    assert looked_at == [["w"]]


def test_text_is_looked_at_once_unless_a_guess_was_wrong(tmp_path, looked_at):
    (tmp_path / "good.csv").write_text("n,w\n1,x\n2,y\n")
    nv.read(tmp_path / "good.csv")
    assert looked_at == [["n", "w"]]
    looked_at.clear()
    (tmp_path / "late.csv").write_text("n,w\n" + "1,x\n" * 100_000 + "a,y\n")
    assert nv.read(tmp_path / "late.csv").schema["n"].categories == ("1", "a")
    assert looked_at == [["n", "w"], ["n"]]


def test_counts_are_made_when_they_are_asked_for(looked_at):
    table = nv.read(pd.DataFrame({"n": [1.0, None], "k": pd.Categorical(["x", None])}))
    assert looked_at == []
    assert [column.missing for column in table.schema] == [1, 1]
    assert looked_at == [["k", "n"]]
    assert table.schema["k"].categories == ("x",)
    assert len(looked_at) == 1


def bare(names, **roles):
    return Schema(tuple(Column(name, "ignored") for name in names), **roles)


def test_survey_retype_and_recount():
    source = FrameSource(pa.table({"n": [1, 2, None], "w": ["b", "a", "b"]}))
    schema = survey(source, bare(["n", "w"], missing=()), {}, False)
    assert [column.kind for column in schema] == ["numeric", "categorical"]
    assert schema.n_rows == 3
    changed = retype(source, schema, {"n": "categorical"}, False)
    assert changed["n"].categories == (1, 2)
    assert changed["w"] == schema["w"]
    assert recount(source, schema, False)["n"].missing == 1
    assert recount(source, changed, False) == changed


def test_recount_keeps_categories_that_do_not_occur():
    source = FrameSource(pa.table({"w": ["a"]}))
    schema = Schema((Column("w", "categorical", ("a", "b", "c")),))
    assert recount(source, schema, False)["w"].categories == ("a", "b", "c")


def test_recount_refuses_words_in_numbers():
    source = FrameSource(pa.table({"n": ["1", "x"]}))
    with pytest.raises(DataError, match="the numeric column 'n' holds 1 other value, the first being 'x' in row 2"):
        recount(source, Schema((Column("n", "numeric"),)), False)
