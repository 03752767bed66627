"""Dates in text are the same numbers as dates in frames, whatever they are written like, and stay so in a model."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import DataError, DataWarning
from novacula.table import Schema

DAYS = pd.date_range("2019-11-28", periods=90)
WRITTEN = {
    "%Y-%m-%d": "year-month-day",
    "%Y/%m/%d %H:%M": "year-month-day",
    "%Y-%m-%dT%H:%M:%SZ": "year-month-day",
    "%d.%m.%Y": "day-month-year",
    "%d/%m/%Y": "day-month-year",
    "%m/%d/%Y": "month-day-year",
    "%m/%d/%y": "month-day-year",
}


@pytest.mark.parametrize("style", WRITTEN)
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_file_and_a_frame_hold_the_same_times(tmp_path, style, ending):
    text = pd.DataFrame({"when": DAYS.strftime(style), "n": range(90)})
    path = tmp_path / f"t.{ending}"
    text.to_csv(path, index=False) if ending == "csv" else text.to_json(path, orient="records", lines=True)
    table, frame = nv.read(path), nv.read(pd.DataFrame({"when": DAYS, "n": range(90)}))
    np.testing.assert_array_equal(table.to_chunk().numeric, frame.to_chunk().numeric)
    column = table.schema["when"]
    assert (column.kind, column.is_time, column.spelling) == ("numeric", True, WRITTEN[style])
    assert column.describe() == frame.schema["when"].describe() == "2019-11-28 to 2020-02-25"
    assert table.notes == (f"column 'when' is read as dates ({WRITTEN[style]})",)
    assert nv.read(text).schema["when"] == column  # a frame of strings too
    assert table.head(2).to_pandas()["when"].tolist() == DAYS[:2].tolist()


def test_more_times_than_a_column_may_have_categories(tmp_path):
    moments = pd.date_range("2020-01-01", periods=12_000, freq="s")
    (tmp_path / "t.csv").write_text("when\n" + "\n".join(map(str, moments)))
    numbers = nv.read(tmp_path / "t.csv").to_chunk().numeric[:, 0]
    np.testing.assert_array_equal(numbers, moments.to_numpy().astype("datetime64[s]").astype(float))


def test_missing_cells_and_other_columns_stay(tmp_path):
    (tmp_path / "t.csv").write_text("when,kind\n2020-01-01,a\nNA,b\n,a\n2020-01-03,b\n")
    table = nv.read(tmp_path / "t.csv")
    assert (table.schema["when"].missing, table.schema["kind"].kind) == (2, "categorical")


AMBIGUOUS = "when,n\n01/02/2020,1\n05/06/2020,2\n11/12/2020,3\n"


def test_an_order_that_no_value_settles_is_said(tmp_path):
    (tmp_path / "t.csv").write_text(AMBIGUOUS)
    with pytest.warns(DataWarning, match="in the order month-day-year, though no value settles what is the day"):
        table = nv.read(tmp_path / "t.csv")
    assert table.schema["when"].describe() == "2020-01-02 to 2020-11-12"
    assert "say types={'when': 'day-month-year'}" in table.notes[0]
    other = nv.read(tmp_path / "t.csv", types={"when": "day-month-year"})
    assert (other.schema["when"].describe(), other.notes) == ("2020-02-01 to 2020-12-11", ())


def test_dots_are_behind_a_day(tmp_path):
    (tmp_path / "t.csv").write_text(AMBIGUOUS.replace("/", "."))
    assert nv.read(tmp_path / "t.csv").schema["when"].spelling == "day-month-year"


def test_types_settle_what_is_a_date(tmp_path):
    (tmp_path / "t.csv").write_text("when,epoch,word\n2020-01-01,0,x\n2020-01-02,86400,y\n")
    table = nv.read(tmp_path / "t.csv", types={"when": "categorical", "epoch": "date"})
    assert table.schema["when"].categories == ("2020-01-01", "2020-01-02")
    assert table.schema["epoch"].describe() == "1970-01-01 to 1970-01-02"
    assert nv.read(tmp_path / "t.csv", types={"when": "text"}).schema["when"].kind == "text"
    with pytest.raises(
        DataError, match=r"the column of dates 'word' holds 2 other values, the first being 'x' in row 1"
    ):
        nv.read(tmp_path / "t.csv", types={"word": "date"})
    again = nv.read(tmp_path / "t.csv").with_types({"when": "categorical"})
    assert (again.schema["when"].kind, again.notes) == ("categorical", ())
    assert again.with_types({"when": "date"}).schema["when"].is_time


def test_a_value_that_is_no_date_is_named(tmp_path):
    days = [*DAYS.strftime("%d/%m/%Y"), *(DAYS + pd.Timedelta(days=90)).strftime("%d/%m/%Y"), "soon"]
    (tmp_path / "t.csv").write_text("when\n" + "\n".join(days))
    table = nv.read(tmp_path / "t.csv")
    assert table.schema["when"].kind == "categorical"
    assert "column 'when' holds 180 dates and 1 other value, the first being 'soon' in row 181 of" in table.notes[0]
    assert nv.read(tmp_path / "t.csv", missing=[..., "soon"]).schema["when"].missing == 1
    with pytest.raises(DataError, match="holds 1 other value, the first being 'soon' in row 181"):
        nv.read(tmp_path / "t.csv", types={"when": "date"})


@pytest.mark.parametrize("words", [["01-02-0304"], ["1.2.3"], ["10:30"], ["2020-13-01"], ["123-45-6789"], ["2020"]])
def test_what_is_no_date(tmp_path, words):
    (tmp_path / "t.csv").write_text("w,v\n" + "".join(f"{word},x\n" for word in words))
    assert not nv.read(tmp_path / "t.csv").schema["w"].is_time


def test_a_model_reads_new_text_in_the_order_of_its_fit(tmp_path):
    from novacula.tree import DecisionTreeRegressor

    frame = pd.DataFrame({"when": DAYS.strftime("%d/%m/%Y"), "y": np.arange(90.0)})
    frame.to_csv(tmp_path / "fit.csv", index=False)
    model = DecisionTreeRegressor().fit(nv.read(tmp_path / "fit.csv", "y"))
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    assert Schema.from_json(loaded.schema_.to_json()) == loaded.schema_
    assert loaded.schema_["when"].spelling == "day-month-year"
    few = frame[frame.when.isin(["01/12/2019", "03/02/2020"])]  # which do not say what is the day
    few.to_csv(tmp_path / "new.csv", index=False)
    with pytest.warns(DataWarning, match="month-day-year"):
        new = nv.read(tmp_path / "new.csv")
    iso = pd.DataFrame({"when": pd.to_datetime(few.when, format="%d/%m/%Y")})
    iso.to_csv(tmp_path / "iso.csv", index=False)
    for rows in (new, nv.read(tmp_path / "iso.csv"), nv.read(iso), iso, few[["when"]]):
        assert loaded.predict(rows).tolist() == few.y.tolist()


def test_a_model_of_a_frame_reads_text(tmp_path):
    from novacula.tree import DecisionTreeRegressor

    model = DecisionTreeRegressor().fit(pd.DataFrame({"when": DAYS}), np.arange(90.0))
    pd.DataFrame({"when": DAYS.strftime("%d.%m.%Y")}).to_csv(tmp_path / "t.csv", index=False)
    np.testing.assert_allclose(model.predict(nv.read(tmp_path / "t.csv")), np.arange(90.0), atol=1e-9)
