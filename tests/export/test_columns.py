"""Columns as they come: times, texts, categories and classes of all types, names that no language likes."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.checks.samples import NASTY_NAMES
from novacula.errors import ExportError
from novacula.export import export_model
from novacula.export.calendar import NUMBERS, time_part
from novacula.export.program import Program, ProgramColumn
from novacula.export.vectors import Read
from novacula.linear import LogisticRegression, Ridge
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.prepare.times import ROUND, part_of
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.export.cases import Case, said_by_model
from tests.export.runners import RUNNERS


def same(found: Case, how: str) -> None:
    """Whether a file says what the model says."""
    answers, chances = said_by_model(found)
    said, shares = RUNNERS[how](found)
    if chances is None:
        np.testing.assert_allclose(said, answers, rtol=1e-9)
        return
    assert said == answers
    np.testing.assert_allclose(shares, chances, rtol=1e-9)


def fitted(model, rows, target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, target)


# --- times ----------------------------------------------------------------------------------------------------------


def moments(n: int, seed: int) -> np.ndarray:
    """Times of four thousand years, some at the turn of a day, of a year, of a leap day."""
    rng = np.random.default_rng(seed)
    turns = [f"{year}-{day}" for year in (1600, 1899, 1900, 1970, 2000, 2024) for day in ("01-01", "03-01", "12-31")]
    turns += ["2000-02-29", "1904-02-29", "1970-01-01T23:59:59", "1969-12-31T23:59:59"]
    some = rng.integers(-60 * 10**9, 60 * 10**9, n - len(turns)).astype("datetime64[s]")
    return np.concatenate([np.array(turns, "datetime64[s]"), some])


@pytest.mark.parametrize("name", [*NUMBERS, *ROUND[1:]])
def test_parts_of_times_are_those_of_the_preparation(name):
    from novacula.export.formats.python import to_python

    seconds = moments(400, 1).astype(np.int64).astype(float)
    space: dict = {}
    part = time_part(name, Read((0,)))
    exec(to_python(Program("part", (ProgramColumn("t", "number", is_time=True),), part)), space)
    found = [space["predict"]({"t": second}) for second in [*seconds, np.nan, 1e15]]
    np.testing.assert_allclose(found, part_of(name, np.array([*seconds, np.nan, 1e15])), rtol=1e-12, atol=1e-12)


@pytest.fixture(scope="module", params=["tree", "plane"])
def by_time(request):
    rng = np.random.default_rng(4)
    start = np.datetime64("2022-11-03T05:00:00")
    when = start + rng.integers(0, 3 * 365 * 86_400, 200).astype("timedelta64[s]")
    rows = pd.DataFrame({"when": pd.Series(when), "x": rng.normal(size=200)})
    target = rows["when"].dt.month * 2.0 + rows["when"].dt.day_of_week + rows["x"]
    learner = Ridge() if request.param == "plane" else DecisionTreeRegressor(max_leaf_nodes=20)
    model = fitted(PreparedRegressor(learner), rows, target)
    rows.loc[::9, "when"] = pd.NaT
    return model, rows


@pytest.mark.parametrize("how", RUNNERS)
def test_times_are_seconds_in_every_format(by_time, how):
    model, rows = by_time
    assert model.schema_["when"].is_time
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = model.predict(rows)
    seconds = (rows["when"] - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
    said, _ = RUNNERS[how](Case(model, rows.assign(when=seconds)))
    np.testing.assert_allclose(said, answers, rtol=1e-9)


def test_python_takes_dates_and_their_text(by_time):
    model, _ = by_time
    space: dict = {}
    exec(export_model(model, "python"), space)
    whens = [1_680_000_000, datetime.datetime.fromtimestamp(1_680_000_000, datetime.UTC), "2023-03-28T10:40:00"]
    whens.append(datetime.datetime(2023, 3, 28, 10, 40))
    assert len({space["predict"]({"when": when, "x": 0.5}) for when in whens}) == 1
    days = [datetime.date(2023, 3, 28), "2023-03-28", " ", None]
    assert [space["predict"]({"when": day, "x": 0.5}) for day in days[::2]] == [
        space["predict"]({"when": day, "x": 0.5}) for day in days[1::2]
    ]


# --- texts ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def messages():
    rows = pd.DataFrame(
        {"note": ["Buy now, buy!", "see you (soon)", "Über-now", None, "soon, SOON", "buy you a naïve"] * 3}
    )
    table = nv.read(
        rows.assign(kind=["spam", "ham", "spam"] * 6), target="kind", types={"note": "text"}, progress=False
    )
    return Case(PreparedClassifier(LogisticRegression(), max_words=9).fit(table), rows)


def test_words_are_counted_in_python(messages):
    same(messages, "python")


@pytest.mark.parametrize("to", ["sql", "onnx", "c", "pmml"])
def test_words_are_refused_where_they_cannot_be_counted(messages, to):
    with pytest.raises(ExportError, match=r"counts the words of texts.*'python', 'json' can hold it"):
        export_model(messages.model, to)


# --- values of all types --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["python", "json", "c", "onnx", "pmml"])
@pytest.mark.parametrize("classes", [(7, 8), (False, True)])
def test_categories_and_classes_of_all_types(classes, how):
    rng = np.random.default_rng(2)
    rows = pd.DataFrame({"n": rng.choice(["1", "2", "30"], 80), "b": rng.random(80)})
    target = np.where((rows["n"] == "2") ^ (rows["b"] > 0.5), *classes[::-1])
    same(Case(fitted(DecisionTreeClassifier(max_leaf_nodes=6), rows, target), rows), how)


def test_python_takes_categories_that_are_numbers_as_text_too():
    table = pd.DataFrame({"n": pd.Categorical([1, 2, 3, 1, 2, 3] * 4)})
    model = fitted(DecisionTreeClassifier(), table, ["a", "b", "a"] * 8)
    space: dict = {}
    exec(export_model(model, "python"), space)
    assert [space["predict"]({"n": n}) for n in (1, "1", 2.0, "2")] == ["a", "a", "b", "b"]


# --- names ----------------------------------------------------------------------------------------------------------

NAMES = (
    *NASTY_NAMES,
    "'); DROP TABLE data; --",
    '"""',
    "{name}",
    "\\'\\",
    "%s",
    "x" * 300,
    "__import__('os')",
    "class",
)
NAMES = (
    *NAMES,
    "row",
    "SELECT",
    "step_0",
    "v0",
    "t1",
    "label",
    "int",
    "*/ #error",
    "??/\n#error",
    "&amp;",
    "]]>",
    " x ",
    "é",
)


@pytest.fixture(scope="module")
def nasty():
    """A model whose columns, categories and classes all have names to be afraid of."""
    names = [name for name in dict.fromkeys(NAMES) if name]  # DuckDB and ONNX have no names without a character
    rng = np.random.default_rng(5)
    rows = pd.DataFrame({f"{name}": rng.choice([f"{name}{v}" for v in range(3)], 300) for name in names})
    rows["number"] = rng.normal(size=300)
    target = np.array(names)[
        (rng.integers(0, 2, 300) + (rows["number"] > 0) * 2 + (rows[names[0]] == f"{names[0]}1") * 4)
    ]
    model = fitted(DecisionTreeClassifier(max_leaf_nodes=60), rows, target)
    assert len(np.unique(target)) == 8
    return Case(model, rows.iloc[:60])


@pytest.mark.parametrize("how", RUNNERS)
def test_hostile_names_stay_names(nasty, how):
    same(nasty, how)


@pytest.mark.parametrize(("to", "name", "fault"), [
    ("sql", "a\0b", "zero character"),
    ("c", "a\0b", "zero character"),
    ("pmml", "a\x01b", "a character that XML cannot"),
    ("onnx", "\ud800", "not valid Unicode"),
    ("c", "\ud800", "not valid Unicode"),
])  # fmt: skip
def test_what_a_language_cannot_write_is_refused(to, name, fault):
    from novacula.export.formats.c import to_c
    from novacula.export.formats.onnx import to_onnx
    from novacula.export.formats.pmml import to_pmml
    from novacula.export.formats.sql import to_sql

    program = Program("model", (ProgramColumn("c", "category", (name,)),), Read((0,)))
    with pytest.raises(ExportError, match=fault):
        {"sql": to_sql, "c": to_c, "pmml": to_pmml, "onnx": to_onnx}[to](program)


# --- numbers and dates as a file has them ---------------------------------------------------------------------------


GERMAN = {
    "p": ["3.777,00 €", "1.214,50 €", "999,00 €", "-7,00 €", ""],
    "r": ["14%", "94%", "3,5%", "0%", "12%"],
    "w": ["14.01.2022", "16.08.2022", "1.2.2022 13:05", "31.12.2021", ""],
}


def test_python_reads_rows_of_a_file_as_the_model_does(tmp_path):
    import csv

    rows = [dict(zip(GERMAN, cells, strict=True)) for cells in zip(*GERMAN.values(), strict=True)] * 12
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*GERMAN, "y"], delimiter=";")
        writer.writeheader()
        writer.writerows({**row, "y": "uv"[i % 5 < 2]} for i, row in enumerate(rows))
    table = nv.read(tmp_path / "t.csv", "y")
    assert [column.kind_word for column in table.schema] == ["numeric", "numeric", "date", "categorical"]
    model = fitted(PreparedClassifier(LogisticRegression()), table, None)
    space: dict = {}
    exec(export_model(model, "python"), space)
    with (tmp_path / "t.csv").open(newline="") as file:
        found = [space["predict_proba"](row) for row in csv.DictReader(file, delimiter=";")]
    np.testing.assert_allclose(found, model.predict_proba(table), rtol=1e-9)
    plain = {"p": "3777.0", "r": "14", "w": "2022-01-14"}
    np.testing.assert_allclose(space["predict_proba"](plain), found[0], rtol=1e-12)
    typed = {"p": 3777, "r": 14.0, "w": datetime.date(2022, 1, 14)}
    np.testing.assert_allclose(space["predict_proba"](typed), found[0], rtol=1e-12)
    with pytest.raises(
        ValueError, match="'cheap' in column 'p' is not a number as the model knows them: give a number"
    ):
        space["predict"]({"p": "cheap"})
    with pytest.raises(ValueError, match="'soon' in column 'w' is not a time as the model knows them: give a date"):
        space["predict"]({"w": "soon"})


@pytest.mark.parametrize("style", ["1,234.5", "1.234,5", "1,234.5%", "1.234,5%"])
def test_patterns_of_numbers_mean_the_same_in_python(style):
    import pyarrow as pa

    from novacula.export.formats.python import to_python
    from novacula.table.spelling import read_spelled

    words = [
        "1,234.50",
        "1.234,50",
        "(7)",
        "−3",
        "USD 5",
        "5\u00a0€",
        "12,5 %",
        "12.5%",
        "1'234",
        ".5",
        ",5",
        "1e3",
        "0",
    ]
    column = ProgramColumn("x", "number", spelling=style)
    space: dict = {}
    exec(to_python(Program("part", (column,), Read((0,)))), space)
    for word, expected in zip(words, read_spelled(pa.array(words), style).tolist(), strict=True):
        if expected == expected:
            assert space["predict"]({"x": word}) == expected


@pytest.mark.parametrize("order", ["year-month-day", "day-month-year", "month-day-year"])
def test_patterns_of_dates_mean_the_same_in_python(order):
    import pyarrow as pa

    from novacula.export.formats.python import to_python
    from novacula.table.dates import seconds_of

    words = ["2024-02-29", "2024/2/9 13:05", "9.2.2024", "2/9/24 1:05 pm", "9.2.69", "2024-02-09T13:05:10.5+05:30"]
    column = ProgramColumn("t", "number", is_time=True, spelling=order)
    space: dict = {}
    exec(to_python(Program("part", (column,), Read((0,)))), space)
    for word, expected in zip(words, seconds_of(pa.array(words), order).tolist(), strict=True):
        if expected == expected:
            assert space["predict"]({"t": word}) == expected
