"""`novacula export`: files that give what `novacula predict` gives."""

import csv
import json
import sqlite3
from contextlib import closing

import pytest

import novacula as nv
from novacula.linear import LogisticRegression
from novacula.prepare import PreparedClassifier


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tennis.nova"
    PreparedClassifier(LogisticRegression()).fit(nv.datasets.load("play_tennis")).save(path)
    return path


@pytest.fixture
def days(tmp_path):
    path = tmp_path / "days.csv"
    path.write_text(
        "Day,Outlook,Temperature,Humidity,Wind\nD1,Sunny,Hot,High,Weak\nD2,Rain,Mild,?,Strong\nD3,Fog,,Normal,Weak\n"
    )
    return path


@pytest.fixture
def predicted(novacula, model, days):
    done = novacula("predict", model, days)
    assert "1 of 3 values of 'Outlook' are none of the categories of the fit" in done.err
    return [row["prediction"] for row in csv.DictReader(done.out.splitlines())]


def test_a_python_file_predicts_the_rows_of_a_csv_file(novacula, model, days, predicted, tmp_path):
    done = novacula("export", model, "--to", "python", "-o", tmp_path / "scorer.py")
    assert (done.code, done.out, done.err) == (0, "", f"The model is in {tmp_path / 'scorer.py'}.\n")
    space: dict = {}
    exec((tmp_path / "scorer.py").read_text(), space)
    with days.open() as file:
        assert [space["predict"](row) for row in csv.DictReader(file)] == predicted


def test_text_is_printed_without_a_file(novacula, model, days, predicted):
    done = novacula("export", model, "--to", "sql", "--table", "some days", "--keep", "Day", "--keep", "Wind")
    assert done.code == 0
    with closing(sqlite3.connect(":memory:")) as base, days.open() as file:
        rows = list(csv.reader(file))
        base.execute('CREATE TABLE "some days" (Day, Outlook, Temperature, Humidity, Wind)')
        base.executemany('INSERT INTO "some days" VALUES (?, ?, ?, ?, ?)', rows[1:])
        found = base.execute(done.out).fetchall()
    assert [row[:3] for row in found] == [(row[0], row[4], said) for row, said in zip(rows[1:], predicted, strict=True)]
    assert json.loads(novacula("export", model, "--to", "json").out)["model"] == "Logistic regression"


@pytest.mark.parametrize("to", ["c", "pmml", "onnx"])
def test_other_formats_are_written(novacula, model, tmp_path, to):
    assert novacula("export", model, "--to", to, "-o", tmp_path / "file").code == 0
    assert (tmp_path / "file").stat().st_size > 1000


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["--to", "java"], "novacula: to is 'java'; the formats are"),
    (["--to", "onnx"], "novacula: an ONNX file is not text: name it with -o"),
    (["--to", "c", "--table", "t"], "novacula: --table and --keep are of --to sql: leave them out"),
    (["--to", "python", "-o", "there/is/no/folder.py"], "novacula: "),
])  # fmt: skip
def test_a_wrong_call_gets_a_sentence(novacula, model, arguments, sentence):
    done = novacula("export", model, *arguments)
    assert done.code == 2
    assert done.err.startswith(sentence)
    assert done.err.count("\n") == 1
