"""Parsed rows that are kept: text is parsed once while there is room, and gives the same rows where there is none."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.errors import DataError
from novacula.linear import LinearRegression
from novacula.table.delimited import RangePartition
from novacula.table.parse_cache import ParseCache, ParsedForm

FORM = ParsedForm({"a": pa.float64(), "b": pa.string()}, ("NA",))
BATCH = pa.record_batch({"a": [1.0, 2.0], "b": ["x", "y"]})


def through(held, form, batches, key="part"):
    return list(held.keep(key, form, iter(batches)))


@pytest.fixture
def parsed(monkeypatch):
    """The columns of each time that a range is parsed."""
    passes = []
    plain = RangePartition._parsed

    def watch(self, form, plain_text):
        passes.append(sorted(form.types))
        return plain(self, form, plain_text)

    monkeypatch.setattr(RangePartition, "_parsed", watch)
    return passes


@pytest.fixture
def rows(tmp_path):
    """A file of two numbers, a label and a word."""
    rng = np.random.default_rng(0)
    lines = [f"{x:.3f},{y:.3f},{int(x > y)},{'uv'[x > 0]}" for x, y in rng.normal(size=(500, 2)).tolist()]
    path = tmp_path / "rows.csv"
    path.write_text("x,y,label,word\n" + "\n".join(lines) + "\n")
    return path


def test_batches_come_back_and_so_do_some_of_their_columns():
    held = ParseCache()
    assert through(held, FORM, [BATCH, BATCH]) == [BATCH, BATCH]
    assert held.find("part", FORM) == [BATCH, BATCH]
    assert held.find("part", ParsedForm({"b": pa.string()}, ("NA",))) == [BATCH.select(["b"])] * 2
    assert (
        held.find("part", ParsedForm({"b": pa.string(), "a": pa.float64()}, ("NA",))) == [BATCH.select(["b", "a"])] * 2
    )


@pytest.mark.parametrize(
    ("key", "form"),
    [
        ("other", FORM),
        ("part", FORM._replace(markers=("", "NA"))),
        ("part", ParsedForm({"a": pa.string()}, ("NA",))),
        ("part", ParsedForm({"a": pa.float64(), "c": pa.string()}, ("NA",))),
    ],
    ids=["partition", "markers", "type", "column"],
)
def test_what_was_not_held_has_to_be_parsed(key, form):
    held = ParseCache()
    through(held, FORM, [BATCH])
    assert held.find(key, form) is None


def test_what_does_not_fit_or_came_as_something_else_or_only_in_part_is_given_on_but_not_held():
    small = ParseCache(BATCH.get_total_buffer_size())
    assert through(small, FORM, [BATCH, BATCH]) == [BATCH, BATCH]
    assert small.find("part", FORM) is None
    through(small, FORM, [BATCH])
    through(small, FORM, [BATCH], "second")
    assert small.find("part", FORM) == [BATCH]
    assert small.find("second", FORM) is None
    other, text = ParseCache(), pa.record_batch({"a": ["1", "x"], "b": ["x", "y"]})
    assert through(other, FORM, [BATCH, text]) == [BATCH, text]
    assert other.find("part", FORM) is None
    next(other.keep("part", FORM, iter([BATCH, BATCH])))
    assert other.find("part", FORM) is None


def test_as_many_columns_of_other_types_take_the_place_and_the_room_and_fewer_do_not():
    held, words = (
        ParseCache(2 * BATCH.get_total_buffer_size()),
        ParsedForm({"a": pa.string(), "b": pa.string()}, ("NA",)),
    )
    as_words = pa.record_batch({"a": ["1", "2"], "b": ["x", "y"]})
    for form, batch in ((FORM, BATCH), (words, as_words)) * 5:
        through(held, form, [batch])
        assert held.find("part", form) == [batch]
    through(held, ParsedForm({"a": pa.float64()}, ("NA",)), [BATCH.select(["a"])])
    assert held.find("part", words) == [as_words]


def test_nothing_is_held_in_another_process():
    sent = pickle.loads(pickle.dumps(ParseCache()))
    through(sent, FORM, [BATCH])
    assert sent.find("part", FORM) is None


@pytest.mark.parametrize("target", ["label", "word"])
def test_labels_are_found_and_counted_without_parsing_again(rows, parsed, target):
    table = nv.read(rows, target=target)
    NaiveBayes().fit(table)
    str(table)
    assert parsed == [["label", "word", "x", "y"]]


def test_numbers_to_predict_are_parsed_as_such_at_once(rows, parsed):
    LinearRegression().fit(nv.read(rows, target="y", types={"word": "ignored"}))
    assert parsed == [["label", "x", "y"]]


def test_without_room_the_model_is_the_same(rows, parsed, monkeypatch):
    held = NaiveBayes().fit(nv.read(rows, target="label"))
    monkeypatch.setattr("novacula.table.delimited.ParseCache", lambda: ParseCache(0))
    passes = len(parsed)
    parsed_again = NaiveBayes().fit(nv.read(rows, target="label"))
    assert len(parsed) > passes + 1
    np.testing.assert_array_equal(parsed_again.theta_, held.theta_)
    np.testing.assert_array_equal(parsed_again.predict_proba(nv.read(rows)), held.predict_proba(nv.read(rows)))


def test_a_file_that_changed_is_refused_though_its_rows_are_held(rows):
    table = nv.read(rows, target="label")
    rows.write_text("x,y,label,word\n1,2,0,u\n")
    with pytest.raises(DataError, match=r"rows\.csv has changed since the table was read"):
        NaiveBayes().fit(table)
    rows.unlink()
    with pytest.raises(DataError, match=r"rows\.csv is gone"):
        NaiveBayes().fit(table)
