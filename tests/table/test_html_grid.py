"""Tables in a notebook: small, escaped, and the same words as in print."""

from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest

import novacula as nv
from novacula.checks.samples import NASTY_NAMES
from novacula.table.html_grid import WIDEST, html_grid


class Cells(HTMLParser):
    """The words of each row, and the tags there are."""

    def __init__(self, markup):
        super().__init__()
        self.rows, self.tags, self.titles, self._in_cell = [], set(), [], False
        self.feed(markup)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
            self._in_cell = True
            self.titles += [value for name, value in attrs if name == "title"]

    def handle_endtag(self, tag):
        self._in_cell = self._in_cell and tag not in ("th", "td")

    def handle_data(self, data):
        if self._in_cell:
            self.rows[-1][-1] += data


KNOWN = {"div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td"}


@pytest.mark.parametrize("name", NASTY_NAMES)
def test_names_and_values_stand_there_as_text(name):
    found = Cells(html_grid([name], [[name]], name, [True]))
    assert found.tags <= KNOWN
    assert found.rows[0] == found.rows[1]
    assert "\n" not in found.rows[0][0]


def test_long_cells_are_shortened_and_whole_in_the_title():
    long = "x" * 300
    found = Cells(html_grid(["a"], [[long]]))
    assert len(found.rows[1][0]) == WIDEST
    assert found.titles == [long]


def test_a_schema_shows_its_columns_and_what_was_left_out():
    table = nv.datasets.load("play_tennis")
    found = Cells(table.schema._repr_html_())
    assert [row[0] for row in found.rows[1:]] == list(table.schema.names)
    assert found.rows[-1][-1] == "target"
    wide = nv.read(pa.table({f"c{j}": [1.0, 2.0] for j in range(100)}))
    assert "and 40 more columns" in wide.schema._repr_html_()
    assert "and 40 more columns" in str(wide.schema)


def test_a_table_shows_its_first_rows():
    days = np.array(["2024-02-29", "2024-03-01"] * 4, "datetime64[s]")
    table = nv.read(pa.table({"day": days, "n": [1.5, None] * 4, "word<b>": ["a", "b"] * 4}))
    found = Cells(table._repr_html_())
    assert found.rows[0] == ["day (date)", "n (numeric)", "word<b> (categorical)"]
    assert found.rows[1:3] == [["2024-02-29", "1.5", "a"], ["2024-03-01", "", "b"]]
    assert len(found.rows) == 6
    assert "8 rows × 3 columns" in table._repr_html_()
