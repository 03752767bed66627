"""Folders of runs: the same question goes on, another one is said, and another table's run stays."""

import json
import shutil

import pytest

QUICK = ("--target", "y", "--learners", "naive-bayes", "--folds", "3", "--jobs", "1", "--test", "0.25")


@pytest.fixture
def tables(tmp_path):
    for name, scale in (("a.csv", 1), ("b.csv", 7)):
        rows = [f"{scale * (i * 37 % 61)},{'uv'[i % 2]},{'no' if i < 40 else 'yes'}" for i in range(80)]
        (tmp_path / name).write_text("\n".join(["x,w,y", *rows]) + "\n")
    return tmp_path


def test_another_tables_run_is_not_overwritten(novacula, tables):
    out = tables / "run"
    assert novacula("learn", tables / "a.csv", *QUICK, "--out", out).code == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    done = novacula("learn", tables / "b.csv", *QUICK, "--out", out)
    assert done.code != 0
    assert f"{out} holds the run of another table, '" in done.err
    assert "name another folder with --out, or remove that one" in done.err
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_where_nobody_names_a_folder_another_table_gets_the_next(novacula, tables, monkeypatch):
    monkeypatch.chdir(tables)
    assert "note:" not in novacula("learn", "a.csv", *QUICK).err
    before = {path.name: path.read_bytes() for path in (tables / "run").iterdir()}
    for _ in range(2):  # the second time it goes on there
        done = novacula("learn", "b.csv", *QUICK)
        assert done.code == 0
        assert "note: run holds the run of another table, so this one is in run-2" in done.err
        assert "The report is in run-2/report.html" in done.out
    assert {path.name: path.read_bytes() for path in (tables / "run").iterdir()} == before
    assert sorted(path.name for path in tables.iterdir() if path.is_dir()) == ["run", "run-2"]
    assert "run-2/model.nova" in (tables / "run-2" / "report.html").read_text()


def test_the_same_question_goes_on_without_a_word(novacula, tables):
    out = tables / "run"
    first = novacula("learn", tables / "a.csv", *QUICK, "--out", out)
    shutil.copy(tables / "a.csv", tables / "copy.csv")
    for name in ("a.csv", "copy.csv"):
        again = novacula("learn", tables / name, *QUICK, "--out", out)
        assert (again.code, "note:" in again.err) == (0, False)
        assert again.out.splitlines()[0] == first.out.splitlines()[0]
    assert len(list(out.glob("cells-*.jsonl"))) == 1


@pytest.mark.parametrize(
    ("options", "named"), [(("--metric", "log_loss"), "'metric'"), (("--drop", "w", "--seed", "3"), "'drop', 'seed'")]
)
def test_another_question_of_the_table_is_said(novacula, tables, options, named):
    out = tables / "run"
    novacula("learn", tables / "a.csv", *QUICK, "--out", out)
    done = novacula("learn", tables / "a.csv", *QUICK, *options, "--out", out)
    assert done.code == 0
    assert (
        f"note: {out} holds a run of this table with another {named}: report, model and numbers are replaced"
        in done.err
    )


def test_a_file_that_grew_is_the_same_table(novacula, tables):
    out = tables / "run"
    novacula("learn", tables / "a.csv", *QUICK, "--out", out)
    with (tables / "a.csv").open("a") as file:
        file.write("3,u,no\n")
    assert novacula("learn", tables / "a.csv", *QUICK, "--out", out).code == 0


def test_a_run_of_an_earlier_version_is_said(novacula, tables):
    out = tables / "run"
    novacula("learn", tables / "a.csv", *QUICK, "--out", out)
    (out / "table.json").write_text("{}")
    done = novacula("learn", tables / "b.csv", *QUICK, "--out", out)
    assert done.code == 0
    assert "holds an earlier run, which does not say of which table" in done.err
    assert json.loads((out / "table.json").read_text())["files"] == [str(tables / "b.csv")]
