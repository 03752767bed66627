"""Layouts and the local runner, on partitions made for the test."""

import threading
from contextlib import closing

import numpy as np
import pytest

from novacula.table import Chunk, Column, Schema, Table, threads
from novacula.table.memory import ArraySource
from novacula.table.runner import ChunkLayout, LocalRunner
from novacula.table.source import Partition

SCHEMA = Schema((Column("x", "numeric"),))


class Numbers(Partition):
    """Chunks of one column of numbers."""

    def __init__(self, *chunks):
        self.numbers = chunks
        self.name = self.key = repr(chunks)

    def batches(self, names, schema=None):
        raise NotImplementedError

    def chunks(self, schema, unseen):
        for numbers in self.numbers:
            column = np.array(numbers, float)[:, None]
            yield Chunk(column, np.empty((len(numbers), 0), np.int32), np.ones(len(numbers)))


PARTS = [Numbers([1, 2], [3]), Numbers(), Numbers([4]), Numbers([], [5, 6, 7])]
LAYOUT = ChunkLayout(SCHEMA, "error")


class Trace(str):
    """A statistic that shows how it was added."""

    def __add__(self, other):
        return Trace(f"({self}+{other})")


def trace(chunk, mark=""):
    return Trace("".join(f"{value:.0f}" for value in chunk.numeric[:, 0]) + mark)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_sums_follow_partitions_then_chunks(count):
    with threads(count):
        assert LocalRunner().reduce(PARTS, LAYOUT, trace, ("!",)) == "(((12!+3!)+!)+(4!+(!+567!)))"


def test_fold_goes_from_first_to_last():
    def step(state, chunk, mark):
        return f"{state}{trace(chunk)}{mark}"

    assert LocalRunner().fold(PARTS, LAYOUT, step, "0", (";",)) == "012;3;;4;;567;"


@pytest.mark.parametrize("count", [1, 2, 5])
def test_map_gives_one_result_a_chunk(count):
    with threads(count):
        assert LocalRunner().map(PARTS, LAYOUT, trace, ()) == ["12", "3", "", "4", "", "567"]


def test_a_partition_without_chunks_has_an_empty_one():
    assert [len(chunk) for chunk in LAYOUT.chunks(Numbers())] == [0]
    assert [len(chunk) for chunk in LAYOUT.chunks(Numbers([], [1]))] == [0, 1]


@pytest.mark.parametrize(
    ("targets", "shape", "dtype"),
    [
        ((Column("y", "categorical", ("a",)),), (0,), np.int32),
        ((Column("y", "numeric"),), (0,), np.float64),
        ((Column("y", "numeric"), Column("z", "numeric")), (0, 2), np.float64),
    ],
)
def test_empty_chunks_have_the_layout_of_full_ones(targets, shape, dtype):
    columns = (Column("n", "numeric"), Column("k", "categorical"), Column("t", "text"), *targets)
    empty = ChunkLayout(Schema(columns, tuple(t.name for t in targets)), "error").empty()
    assert (empty.numeric.shape, empty.codes.shape, len(empty.text)) == ((0, 1), (0, 1), 1)
    assert (empty.target.shape, empty.target.dtype, empty.codes.dtype) == (shape, dtype, np.int32)
    assert ChunkLayout(SCHEMA, "error").empty().target is None


def test_one_block_in_memory_is_read_without_a_thread():
    class Noted(Numbers):
        """Says which thread makes its chunks."""

        def chunks(self, schema, unseen):
            makers.append(threading.get_ident())
            yield from super().chunks(schema, unseen)

    class Block(Noted):
        is_one_chunk = True

    own = threading.get_ident()
    for parts, alone in (([Block([1])], True), ([Noted([1])], False), ([Block([1]), Block([2])], False)):
        makers = []
        with closing(LAYOUT.read_ahead(parts)) as chunks:
            assert [chunk.numeric.ravel().tolist() for chunk in chunks] == [[i + 1.0] for i in range(len(parts))]
        assert (set(makers) == {own}) is alone


def test_a_partition_of_numbers_in_memory_gives_one_chunk():
    table = Table(ArraySource(np.arange(6.0)[:, None], names=["x"]), SCHEMA)
    [part] = table.source.partitions()
    assert part.is_one_chunk
    assert [len(chunk) for chunk in LAYOUT.chunks(part)] == [6]
    assert [len(chunk) for chunk in table.chunks()] == [6]
