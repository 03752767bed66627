"""`novacula explain` beyond derivations: what is printed, and the page."""

import json

import numpy as np
import pytest

from novacula.checks.work import html_fault
from novacula.cli.app import run
from novacula.prepare import PreparedClassifier
from novacula.tree import DecisionTreeClassifier

from .mixed import NASTY, mixed_frame, three_classes


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seen")
    frame, y = mixed_frame()
    frame = frame.rename(columns={NASTY[4]: "a,b"})
    classes = three_classes(y)
    PreparedClassifier(DecisionTreeClassifier(max_depth=3)).fit(frame, classes).save(folder / "model.nova")
    frame.assign(truth=classes).to_parquet(folder / "rows.parquet")
    return folder / "model.nova", folder / "rows.parquet"


@pytest.fixture
def called(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["novacula", "explain", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            run()
        except SystemExit as stop:
            code = stop.code or 0
        return code, *capsys.readouterr()

    return call


def test_what_is_asked_is_printed(called, files):
    code, out, _ = called(*files, "--importance", "--target", "truth", "--interaction", "--surrogate")
    assert code == 0
    assert "What the model needs\n====" in out
    assert "H²" in out
    assert "agrees with the model" in out
    _, out, _ = called(
        *files, "--dependence", NASTY[0], "--dependence", f"{NASTY[1]},{NASTY[2]}", "--dependence", "a,b"
    )
    assert out.count("How it moves with") == 3
    _, out, _ = called(*files, "--contributions", "--row", 3)
    assert "(base)" in out
    _, out, _ = called(*files, "--contributions", "--row", 3, "--format", "html")
    assert "<math" in out


def test_json_has_the_table(called, files):
    code, out, _ = called(*files, "--importance", "--target", "truth", "--contributions", "--json")
    first, second = json.loads(out)
    assert code == 0
    assert {row["column"] for row in first["rows"]} == {*NASTY[:4], "a,b"}
    assert len(second["rows"]) == 5


def test_a_page_is_whole_and_runs_nothing(called, files, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = called(
        *files, "--importance", "--target", "truth", "--dependence", NASTY[2], "--contributions", "--surrogate",
        "--interaction", "--out", page,
    )  # fmt: skip
    assert (code, out) == (0, "")
    assert "page.html" in err
    text = page.read_text()
    assert html_fault(text) is None
    assert "<script" not in text
    assert text.count("<svg role") == 5
    assert np.all([f'href="#part-{i}"' in text for i in range(1, 6)])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--importance",), "name its column with --target"),
        (("--dependence", "wind"), "no column 'wind'"),
        (("--interaction", "--row", "2"), "--row is of --contributions"),
        (("--interaction", "--target", "truth"), "--target is of --importance"),
        (("--out", "page.html"), "add one of them"),
    ],
)
def test_what_is_missing_is_said(called, files, arguments, words):
    code, _, err = called(*files, *arguments)
    assert code == 2
    assert words in err
    assert "by rows" in called(files[0], "--importance")[2]
