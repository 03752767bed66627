"""What ends the whole part of numbers, where values may be read in two ways: other columns say, or nobody does."""

import warnings

import numpy as np
import pytest

import novacula as nv
from novacula.errors import DataError, DataWarning
from novacula.tree import DecisionTreeClassifier

TENS = [f"{i}" if i < 1000 else f"{i // 1000}.{i % 1000:03d}" for i in range(500, 1500, 10)]
"""500 to 1.490, as German spreadsheets write them."""


def values(path, text, **how):
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return nv.read(path, **how).to_chunk().numeric.T.tolist()


def lines(*columns, delimiter=";"):
    return "".join(delimiter.join(row) + "\n" for row in zip(*columns, strict=True))


def with_comma(words):
    return [word.replace(".", ",") for word in words]


@pytest.mark.parametrize(
    ("small", "other", "expected"),
    [
        (TENS, [f"{i},5" for i in range(100)], range(500, 1500, 10)),
        (with_comma(TENS), [f"{i}.5" for i in range(100)], range(500, 1500, 10)),
        ([f"{i}.000" for i in range(1, 101)], [f"{i},5" for i in range(100)], range(1000, 101_000, 1000)),
        ([f"{i},000" for i in range(1, 101)], [f"{i}.5" for i in range(100)], range(1000, 101_000, 1000)),
        ([f"{i}.125" for i in range(1, 101)], [f"{i}.5" for i in range(100)], np.arange(1, 101) + 0.125),
        ([f"{i},125" for i in range(1, 101)], [f"{i},5" for i in range(100)], np.arange(1, 101) + 0.125),
    ],
)
def test_other_columns_show_the_mark(tmp_path, small, other, expected):
    found = values(tmp_path / "t.csv", "a;b\n" + lines(small, other))
    assert found == [list(map(float, expected)), [i + 0.5 for i in range(100)]]


def test_a_column_of_quoted_decimal_commas_shows_it_in_other_files_too(tmp_path):
    text = lines(TENS, [f'"{i},5"' for i in range(100)], delimiter=",")
    assert values(tmp_path / "t.csv", "a,b\n" + text)[0] == list(map(float, range(500, 1500, 10)))


@pytest.mark.parametrize("words", [TENS, with_comma(TENS)])
def test_marks_that_only_numbers_from_a_thousand_have_group_them(tmp_path, words):
    (tmp_path / "t.csv").write_text("a;y\n" + lines(words, "uv" * 50))
    table = nv.read(tmp_path / "t.csv")
    assert (table.schema["a"].low, table.schema["a"].high) == (500.0, 1490.0)
    assert "since those below a thousand have no mark: say decimal=" in table.notes[0]


@pytest.mark.parametrize(("words", "other"), [(["1.000", "2.000"], ","), (["1,000", "2,000"], ".")])
def test_what_stays_open_is_said(tmp_path, words, other):
    (tmp_path / "t.csv").write_text("a;y\n" + lines(words, "uv"))
    with pytest.warns(DataWarning, match=f"groups thousands: say decimal='{other}' if it groups thousands"):
        assert nv.read(tmp_path / "t.csv").schema["a"].high == 2.0
    assert nv.read(tmp_path / "t.csv", decimal=other).schema["a"].high == 2000.0


def test_plain_numbers_stay_so_where_another_mark_is_shown(tmp_path):
    plain = [f"{i}.25" for i in range(100)]
    text = "a;b;c\n" + lines(plain, [f"{i},5" for i in range(100)], map(str, range(100)))
    assert values(tmp_path / "t.csv", text)[0] == [i + 0.25 for i in range(100)]


def test_no_thousand_begins_with_zero(tmp_path):
    words = [f'"0,{i}"' for i in range(100, 200)]
    assert values(tmp_path / "t.csv", "a,y\n" + lines(words, "uv" * 50, delimiter=","))[0][:2] == [0.1, 0.101]
    words[0] = '"7,100"'
    assert values(tmp_path / "t.csv", "a,y\n" + lines(words, "uv" * 50, delimiter=","))[0][0] == 7.1


def test_numbers_of_later_files_are_looked_at_too(tmp_path):
    (tmp_path / "1.csv").write_text("a;b\n")
    (tmp_path / "2.csv").write_text("a;b\n" + lines(["7", "1.250"], ["0,5", "1,5"]))
    assert nv.read(tmp_path).schema["a"].high == 1250.0


# --- rows for a model -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def german(tmp_path_factory):
    """A model of numbers that were written like 3.835,00, 2,875 and 14%."""
    path = tmp_path_factory.mktemp("german") / "t.csv"
    rows = [f"{i}.835,00;{i},875;{i}%;{'ja' if i > 4 else 'nein'}\n" for i in range(1, 10)]
    path.write_text("p;q;r;y\n" + "".join(rows))
    return DecisionTreeClassifier().fit(nv.read(path, "y"))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("t.csv", "p,q,r\n3.835,2.875,14\n", [3.835, 2.875, 14.0]),
        ("t.csv", "p,q,r\n3835.0,2.875,14%\n", [3835.0, 2.875, 14.0]),
        ("t.csv", 'p,q,r\n"$3,835.00",2.875,14 %\n', [3835.0, 2.875, 14.0]),
        ("t.csv", "p;q;r\n3835,0;2,875;14\n", [3835.0, 2.875, 14.0]),
        ("t.csv", "p;q;r\n3.835;2,875;14%\n", [3835.0, 2.875, 14.0]),  # open: as at the fit
        ("t.csv", 'p,q,r\n5,"2,875",14%\n', [5.0, 2.875, 14.0]),
        ("t.jsonl", '{"p": 3835.0, "q": 2.875, "r": 14}\n', [3835.0, 2.875, 14.0]),
    ],
)
@pytest.mark.parametrize("only", [True, False])
def test_rows_to_predict_are_read_as_they_are_written(tmp_path, german, name, text, expected, only):
    (tmp_path / name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        table = nv.read(tmp_path / name, **({"only": german.schema_} if only else {}))
    assert table.conform(german.schema_, "ignore").to_chunk().numeric.tolist() == [expected]
    german.predict(table)


def test_the_decimal_mark_that_is_said_has_the_last_word(tmp_path, german):
    (tmp_path / "t.csv").write_text("p;q;r\n3.835;2.875;14\n")
    for mark, expected in ((",", [3835.0, 2875.0, 14.0]), (".", [3.835, 2.875, 14.0])):
        table = nv.read(tmp_path / "t.csv", only=german.schema_, decimal=mark)
        assert table.conform(german.schema_, "ignore").to_chunk().numeric.tolist() == [expected]


def test_a_word_among_rows_to_predict_is_the_one_that_is_named(tmp_path, german):
    (tmp_path / "t.csv").write_text("p,q,r\n3835.0,1,1\ntbd,1,1\n3835.5,1,1\n")
    with pytest.raises(DataError, match=r"holds 1 other value, the first being 'tbd' in row 2 of "):
        nv.read(tmp_path / "t.csv", only=german.schema_)


def test_per_cent_that_was_not_at_the_fit_is_said(tmp_path):
    (tmp_path / "t.csv").write_text("r,y\n" + "".join(f"{i},{'uv'[i % 2]}\n" for i in range(9)))
    (tmp_path / "new.csv").write_text("r\n14%\n")
    model = DecisionTreeClassifier().fit(nv.read(tmp_path / "t.csv", "y"))
    with pytest.warns(
        DataWarning, match="column 'r' of .* is in per cent, and was not at the fit: 12% is taken for 12"
    ):
        nv.read(tmp_path / "new.csv", only=model.schema_).conform(model.schema_, "ignore")
