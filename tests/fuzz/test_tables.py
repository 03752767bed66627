"""Damaged tables: every kept one again, and a few hundred new ones, in processes that check the bounds of kernels."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzz
from fuzz.campaign import Campaign, checked_environment
from fuzz.tables import Target
from fuzz.target import Misbehaviour
from fuzz.worker import randomness

FINDS = Path(fuzz.__file__).parent / "finds" / "tables"

REPLAY = """
import json, sys, warnings
from pathlib import Path
from fuzz.tables import Target
from fuzz.worker import judged
warnings.simplefilter("ignore")
target = Target()
target.ready()
for path in sys.argv[1:]:
    print(json.dumps([Path(path).name, *judged(target, Path(path))]), flush=True)
"""


def test_kept_finds_hurt_no_more():
    paths = sorted(map(str, FINDS.iterdir()))
    done = subprocess.run(
        [sys.executable, "-c", REPLAY, *paths], capture_output=True, text=True, env=checked_environment()
    )
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(name, outcome) for name, outcome, is_find in outcomes if is_find] == []
    assert len(outcomes) == len(paths), (outcomes[-1:], done.stderr[-500:])


def test_a_short_campaign(tmp_path):
    tally = Campaign("tables", seed=0, keep=tmp_path, say=lambda line: None).run(seconds=600, most=300, workers=1)
    assert tally.finds == []
    assert tally.total == 300
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
