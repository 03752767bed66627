"""Arrow's parser: what comes out, and how it says no."""

import pyarrow as pa
import pytest

from novacula.table.dialect import Dialect
from novacula.table.parser import NotANumber, RaggedRow, RecordTooLong, parse


def rows_of(data, types=None, wanted=("a", "b"), markers=("", "NA"), block=1 << 20, **dialect):
    dialect = Dialect(**({"delimiter": ","} | dialect))
    types = dict.fromkeys(wanted, pa.string()) if types is None else types
    batches = parse(
        pa.BufferReader(data),
        ("a", "b"),
        types,
        wanted=wanted,
        markers=markers,
        dialect=dialect,
        block=block,
    )
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def test_text_is_text():
    assert rows_of(b'1,"x\ny"\n NA ,\n') == [("1", "x\ny"), (" NA ", "")]
    assert rows_of(b'1,"x\n', quote=None) == [("1", '"x')]


def test_types_and_markers():
    types = {"a": pa.float64(), "b": pa.dictionary(pa.int32(), pa.string())}
    assert rows_of(b"1,NA\nNA,x\n NA,\n 2 ,x\n", types) == [(1.0, "NA"), (None, "x"), (None, ""), (2.0, "x")]


def test_columns_in_any_order():
    assert rows_of(b"1,x\n", wanted=("b",)) == [("x",)]
    assert rows_of(b"1,x\n", wanted=("b", "a")) == [("x", "1")]


def test_nothing():
    assert rows_of(b"") == []
    assert rows_of(b"\n\n") == []


@pytest.mark.parametrize("cell", [b"x", b"NA ", b"nan", b"-NaN", b"1_000", b"0x1"])
def test_what_is_not_a_number(cell):
    with pytest.raises(NotANumber):
        rows_of(b"1,x\n" + cell + b",x\n", {"a": pa.float64(), "b": pa.string()})


def test_a_type_that_is_left_open_is_guessed():
    assert rows_of(b"1,x\nnan,y\n", {}, markers=("",)) == [(1.0, "x"), (pytest.approx(float("nan"), nan_ok=True), "y")]


@pytest.mark.parametrize(("row", "found"), [(b"3", 1), (b"3,4,5", 3)])
@pytest.mark.parametrize("block", [64, 1 << 20])
def test_ragged_rows_are_counted_from_one(row, found, block):
    data = b"1,x\n" * 100 + b"\n" + row + b"\n"
    with pytest.raises(RaggedRow) as caught:
        rows_of(data, block=block)
    assert caught.value.number == 101
    assert caught.value.description == f"{found} values where there are 2 columns: {row.decode()!r}"


def test_records_longer_than_a_block():
    with pytest.raises(RecordTooLong):
        rows_of(b"1,x\n1," + b"x" * 1000 + b"\n1,x\n", block=50)


def test_other_errors_are_passed_on():
    with pytest.raises(pa.ArrowInvalid, match="invalid UTF8"):
        rows_of(b"1,\xff\n")
