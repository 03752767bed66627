"""Damaged tables: those that hurt once, and a few hundred new ones, in processes that check the bounds of kernels."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzz.campaign import Campaign
from fuzz.tables import Target
from fuzz.target import Misbehaviour, kept_inputs
from fuzz.worker import randomness

INPUTS = 300
"""How many new ones the gate tries."""


def test_tables_that_hurt_once_and_new_ones_are_read_or_refused(tmp_path):
    most = INPUTS + len(kept_inputs("tables"))
    tally = Campaign("tables", seed=0, keep=tmp_path, say=lambda line: None).run(seconds=600, most=most, workers=1)
    assert tally.finds == []
    assert tally.total == most
    assert tally.outcomes["refused"] > 100
    assert tally.outcomes["read and learned"] > 30


def test_inputs_are_made_from_the_seed_alone(tmp_path):
    for number in range(30):
        made = []
        for copy in ("one", "other"):
            folder = tmp_path / f"{number}-{copy}"
            folder.mkdir()
            path = Target().write(randomness("tables", 3, number), folder)
            made.append((path.name, path.read_bytes()))
        assert made[0] == made[1]


@pytest.fixture
def spoiled(monkeypatch):
    """A library that reads something else than what there is."""

    def spoil(change):
        from novacula.table.columnar import RowGroups

        batches = RowGroups.batches
        monkeypatch.setattr(
            RowGroups, "batches", lambda self, names, schema=None: map(change, batches(self, names, schema))
        )

    return spoil


def one_row_less(batch):
    return batch.slice(1)


def turned_around(batch):
    return batch.take(pa.array(range(batch.num_rows - 1, -1, -1)))


def unchanged(batch):
    return batch


def test_differences_are_noticed(tmp_path, spoiled):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [1.0, 2.0, None], "w": ["a", "b", "c"]}), path)
    spoiled(unchanged)
    assert Target().attempt(path) == "read and learned"
    spoiled(one_row_less)
    with pytest.raises(Misbehaviour, match="2 rows in column 'x' and 2 in all; there are 3"):
        Target().attempt(path)


def test_rows_in_another_order_are_noticed(tmp_path, spoiled):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [1.0, 2.0, None], "w": ["a", "b", "c"]}), path)
    spoiled(turned_around)
    with pytest.raises(Misbehaviour, match=r"column 'x', row 1: nan where there is 1\.0"):
        Target().attempt(path)
