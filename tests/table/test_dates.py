"""Dates in text: each order, times, zones, and what no calendar has."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacula.table.dates import DATE_ORDERS, seconds_of
from novacula.table.spelling import spelled_numbers

FORMATS = {
    "year-month-day": ["%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S.%f"],
    "day-month-year": ["%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y %H:%M:%S"],
    "month-day-year": ["%m/%d/%Y", "%m-%d-%Y %H:%M", "%m/%d/%Y %I:%M %p", "%m/%d/%Y %I:%M:%S%p"],
}


@pytest.mark.parametrize(("order", "written"), [(order, f) for order in FORMATS for f in FORMATS[order]])
@given(moment=st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)))
def test_what_python_writes_is_read(order, written, moment):
    text = moment.strftime(written)
    expected = datetime.strptime(text, written) - datetime(1970, 1, 1)
    assert seconds_of(pa.array([text]), order).item() == pytest.approx(expected.total_seconds(), abs=1e-3)


@given(
    moment=st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(lambda m: m.replace(microsecond=0)),
    minutes=st.integers(-14 * 60, 14 * 60),
)
def test_offsets_are_taken_off(moment, minutes):
    aware = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert seconds_of(pa.array([aware.isoformat()]), "year-month-day").item() == aware.timestamp()


@pytest.mark.parametrize("order", DATE_ORDERS)
@pytest.mark.parametrize(
    "word",
    ["", "soon", "2023-02-29", "2024-13-01", "31/04/2020", "00/01/2020", "2024-01-01 25:00", "2024-01-01 10:60",
     "1-2-3", "2024-01", "10:30", "2024-01-01x", "13:00 pm", "1/1/2020 13:00 pm", "12345678", "192.168.1.10"],
)  # fmt: skip
def test_what_is_no_date_is_none(order, word):
    assert np.isnan(seconds_of(pa.array([word]), order)).all()


def test_orders_are_told_apart_by_days_above_twelve():
    fits = spelled_numbers(pa.array(["01/02/2020", "13/02/2020", "01/31/2020", None]))
    assert np.isfinite(fits["day-month-year"]).tolist() == [True, True, False, False]
    assert np.isfinite(fits["month-day-year"]).tolist() == [True, False, True, False]
    assert "year-month-day" not in fits
    assert not spelled_numbers(pa.array(["yes", "no", None]))


@given(
    st.lists(
        st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(lambda m: m.replace(microsecond=0)), min_size=1
    )
)
def test_what_arrow_reads_fast_is_read_the_same(moments):
    plain = [str(moment)[:length] for moment in moments for length in (10, 16, 19)]
    odd = pa.array([*plain, "2024-2-9"])  # which makes the others be read by the pattern
    assert seconds_of(pa.array(plain), "year-month-day").tolist() == seconds_of(odd, "year-month-day").tolist()[:-1]


@pytest.mark.parametrize("word", ["2024-01-01 10", "2024-01-01T1030", "20240101 10", "2024-13-01", "2024-02-30 10:00"])
def test_what_arrow_alone_would_read_is_no_date(word):
    assert np.isnan(seconds_of(pa.array([word]), "year-month-day")).all()


def test_short_years_are_of_the_last_and_this_century():
    years = [datetime.fromtimestamp(s, UTC).year for s in seconds_of(pa.array(["1/1/70", "1/1/00"]), "month-day-year")]
    assert years == [1970, 2000]
