"""The options of reading: every command that reads a table takes all of them, and messages name them."""

import json
import subprocess
import sys

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.cli.app import app
from novacula.cli.reading import ReadingOptions, reads_tables
from novacula.errors import ParameterError
from novacula.tree import DecisionTreeClassifier

OPTIONS = ["types", "missing", "encoding", "delimiter", "decimal", "names", "header", "skip", "drop", "keep", "sheet"]
READERS = ("learn", "predict", "explain", "work", "exercise", "schema")


def command(name):
    from typer.main import get_command

    return get_command(app).commands[name]


@pytest.mark.parametrize("name", READERS)
def test_every_command_that_reads_has_them(name):
    assert set(OPTIONS) <= {parameter.name for parameter in command(name).params}


def test_no_other_command_has_them():
    others = [name for name in command_names() if name not in (*READERS, "export")]  # whose --keep is of the SQL table
    assert not any(set(OPTIONS) & {p.name for p in command(name).params} for name in others)


def command_names():
    from typer.main import get_command

    return list(get_command(app).commands)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"types": ["zip=categorical", "a=b=date"]}, {"types": {"zip": "categorical", "a=b": "date"}}),
        ({"types": ["size=s, m,l", 'x=["a=b", "c,d"]']}, {"types": {"size": ["s", "m", "l"], "x": ["a=b", "c,d"]}}),
        ({"missing": ["-999", "none"]}, {"missing": [..., "-999", "none"]}),
        ({"names": 'a,"b, c",d'}, {"names": ["a", "b, c", "d"]}),
        ({"delimiter": "tab"}, {"delimiter": "\t"}),
        ({"delimiter": ";", "decimal": ","}, {"delimiter": ";", "decimal": ","}),
        ({"header": False, "sheet": "2"}, {"header": False, "sheet": "2"}),
        ({"drop": ["a"], "keep": []}, {"drop": ["a"]}),
    ],
)
def test_what_they_are_in_python(given, expected):
    assert ReadingOptions(**given).for_reading() == expected


@pytest.mark.parametrize("setting", ["zip", "=date", "x=[1,"])
def test_types_that_say_nothing(setting):
    with pytest.raises(ParameterError, match="--types"):
        ReadingOptions(types=[setting, "x=["]).for_reading() if setting != "x=[1," else ReadingOptions(
            types=["x=[1,]"]
        ).for_reading()


def test_a_command_keeps_its_own_parameters():
    @reads_tables
    def some_command(data: str, flag: bool = False, *, reading: ReadingOptions) -> None:
        seen.append((data, flag, reading))

    seen = []
    some_command(data="t.csv", flag=True, **dict.fromkeys(OPTIONS))
    assert seen == [("t.csv", True, ReadingOptions())]


@pytest.fixture
def euro(tmp_path):
    rows = "".join(f"{i},5;{i % 7}.{i % 12 + 1}.2020;{'ja' if i % 2 else 'none'};x{i}\n" for i in range(1, 40))
    (tmp_path / "t.csv").write_text("zahl;tag;wort;id\n" + rows.replace(";0.", ";7."), encoding="utf-16")
    return tmp_path / "t.csv"


def test_schema_says_what_was_decided(novacula, euro):
    done = novacula("schema", euro, "--missing", "none", "--drop", "id", "--types", "tag=categorical")
    assert done.code == 0, done.err
    assert "zahl    numeric" in done.out
    assert "tag     categorical" in done.out
    assert f"note: the encoding of {euro} is taken to be utf-16: say --encoding if it is another one" in done.out
    assert "note: column 'zahl' is read as numbers that are written like 1.234,5" in done.out
    assert "id" not in done.out.splitlines()[4:][0]
    notes = json.loads(novacula("schema", euro, "--json").out)["notes"]
    assert [column for _, column in notes] == [None, "zahl", "tag"]


def test_sheets_names_and_kept_columns(novacula, tmp_path):
    book = openpyxl.Workbook()
    book.active.append([1.5, "x"])
    other = book.create_sheet("Other")
    other.append([None, "a"])
    other.append(["r", 3])
    book.save(tmp_path / "t.xlsx")
    assert "row name  categorical" in novacula("schema", tmp_path / "t.xlsx", "--sheet", "2", "--keep", "row name").out
    assert "p       numeric" in novacula("schema", tmp_path / "t.xlsx", "--sheet", "1", "--names", "p,q").out
    assert "say --sheet Other" in novacula("schema", tmp_path / "t.xlsx").out


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        ("a,,b\n1,2,3\n", (), "has no name for column 2: say --names 'a,column 2,b' and --header"),
        ('{"a": [1]}\n{"a": [2]}\n', (), "unpack it, or say --types a=ignored or --drop a"),
        (
            "n,y\n1,a\nx,b\n",
            ("--types", "n=numeric"),
            "say --missing x if it stands for a missing value, or --types n=categorical",
        ),
        ("n,y\n1,a\n", ("--drop", "z"), "there is no column 'z'"),
        ("n,y\n1,a\n", ("--keep", "z"), "there is no column 'z'"),
        ("n,y\n1,a\n", ("--drop", "y", "--target", "y"), "column 'y' cannot be dropped: it is the target"),
        ("n,y\n1,a\n", ("--decimal", ";"), "decimal is ';'"),
    ],
)
def test_messages_name_options_of_the_command_line(novacula, tmp_path, text, arguments, words):
    (tmp_path / "t.csv").write_text(text)
    done = novacula("schema", tmp_path / "t.csv", *arguments)
    assert done.code == 2
    assert words in done.err


def test_options_of_files_are_refused_for_data_sets(novacula):
    assert "--encoding is for files, and wine is a data set" in novacula("schema", "wine", "--encoding", "utf-8").err
    out = novacula("schema", "wine", "--drop", "magnesium", "--types", "alcohol=categorical").out
    assert "magnesium" not in out
    assert "alcohol                       categorical" in out


def test_a_dropped_column_makes_no_reading_fail(novacula, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1, "b": [1]}\n{"a": 2, "b": [2]}\n')
    assert novacula("schema", tmp_path / "t.jsonl").code == 2
    assert novacula("schema", tmp_path / "t.jsonl", "--drop", "b").code == 0


@pytest.mark.filterwarnings("always")
def test_predict_reads_what_the_model_needs(novacula, tmp_path):
    frame = pd.DataFrame({"n": np.arange(20.0), "w": ["x", "y"] * 10, "y": ["a", "b"] * 10})
    NaiveBayes().fit(nv.read(frame, "y")).save(tmp_path / "m.nova")
    rows = [{"bad": [1, 2], "w": "x", "n": "$1,000.50"}, {"bad": {}, "w": "new", "n": "7"}]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    done = novacula("predict", tmp_path / "m.nova", tmp_path / "t.json", "--drop", "bad", "--json")
    assert "categories that were not there at fit were treated as missing in 'w' (1)" in done.err
    assert [row["n"] for row in json.loads(done.out)] == [1000.5, 7.0]
    assert "written like 1,234.5" in done.err
    (tmp_path / "t.csv").write_text("id;w;n;late\n007;x;1;2020-13-45\n008;y;2;\n")
    done = novacula("predict", tmp_path / "m.nova", tmp_path / "t.csv")
    assert done.out.splitlines()[1].startswith('"007","x",1,"2020-13-45",')  # what is not needed stays as it is
    assert "has no column 'n'" in novacula("predict", tmp_path / "m.nova", tmp_path / "t.csv", "--drop", "n").err


def test_learn_leaves_out_rows_without_a_target_and_says_so(novacula, tmp_path):
    rows = "".join(f"{i},{'ab'[i % 2] if i % 6 else ''}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    settings = ("--target", "y", "--learners", "naive-bayes", "--folds", "3", "--jobs", "1", "--out", tmp_path / "run")
    done = novacula("learn", tmp_path / "t.csv", *settings)
    assert done.code == 0, done.err
    assert "10 of 60 rows have no value for the target 'y' and are left out." in done.out
    (tmp_path / "t.csv").write_text("x,y\n" + rows + "1,\n" * 60)
    assert "say --unlabelled if they are to be left out" in novacula("learn", tmp_path / "t.csv", *settings).err
    assert novacula("learn", tmp_path / "t.csv", *settings, "--unlabelled").code == 0


def test_predictions_of_anything_can_be_written(novacula, tmp_path):
    """Lists, bytes and times of columns that no model needs were an error of Arrow's writer, or of JSON."""
    days = pd.date_range("2020-01-01", periods=20)
    frame = pd.DataFrame({"when": days.strftime("%d/%m/%Y"), "y": ["a", "b"] * 10})
    frame.to_csv(tmp_path / "fit.csv", index=False)
    NaiveBayes().fit(nv.read(tmp_path / "fit.csv", "y")).save(tmp_path / "m.nova")
    rows = pa.table(
        {
            "when": days,
            "lists": [[1, 2]] * 20,
            "bytes": [b"x"] * 20,
            "moment": days + pd.Timedelta(hours=3),
            "fraction": days + pd.Timedelta(milliseconds=5),
            "gone": pa.nulls(20, pa.timestamp("ns")),
        }
    )
    pq.write_table(rows, tmp_path / "t.parquet")
    expected = ["2020-01-01", "[1, 2]", "b'x'", "2020-01-01 03:00:00", "2020-01-01 00:00:00.005000", None]
    found = json.loads(novacula("predict", tmp_path / "m.nova", tmp_path / "t.parquet", "--json").out)[0]
    assert list(found.values())[:6] == expected
    line = novacula("predict", tmp_path / "m.nova", tmp_path / "t.parquet").out.splitlines()[1]
    assert line.startswith(",".join("" if value is None else f'"{value}"' for value in expected))
    text = novacula("predict", tmp_path / "m.nova", tmp_path / "fit.csv").out.splitlines()[1]
    assert text.startswith('"2020-01-01","a","a"')


def test_lines_above_the_names_are_skipped(novacula, tmp_path):
    (tmp_path / "t.csv").write_text("# made by hand\na,b\n" + "1,x\n" * 9)
    done = novacula("schema", tmp_path / "t.csv")
    assert "seems to be a title: say --skip 1 to leave it out, or --header if it is none" in done.err
    assert "9 rows × 2 columns" in novacula("schema", tmp_path / "t.csv", "--skip", "1").out


def test_an_option_that_says_nothing_is_refused(novacula, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n")
    done = novacula("schema", tmp_path / "t.csv", "--sheet", "1")
    assert "--sheet is for excel or ods, and" in done.err
    assert done.code != 0


def test_lists_of_json_are_passed_on_as_they_were(novacula, tmp_path):
    lines = [f'{{"a": {i}, "tags": {tags}, "y": "{y}"}}' for i, tags, y in ((1, "[1]", "u"), (2, '["p", 2]', "v")) * 5]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    DecisionTreeClassifier().fit(nv.read(tmp_path / "t.jsonl", "y", drop="tags")).save(tmp_path / "m.nova")
    done = novacula("predict", tmp_path / "m.nova", tmp_path / "t.jsonl")
    assert done.out.splitlines()[1].startswith('1,"[1]","u"')
    assert done.out.splitlines()[2].startswith('2,"[""p"", 2]","v"')


def test_predict_reads_the_standard_input(tmp_path):
    (tmp_path / "t.csv").write_text("p;share;y\n" + "".join(f"{i}.835,00;{i}%;{'uv'[i > 4]}\n" for i in range(1, 10)))
    DecisionTreeClassifier().fit(nv.read(tmp_path / "t.csv", "y")).save(tmp_path / "m.nova")
    call = [sys.executable, "-m", "novacula", "predict", str(tmp_path / "m.nova"), "-"]
    rows = "p,share\n3835.0,3\n7835.0,7\n"
    done = subprocess.run(call, input=rows, capture_output=True, text=True, check=True)
    assert [line.split(",")[2] for line in done.stdout.splitlines()[1:]] == ['"u"', '"v"']
