"""`novacula exercise`, and the options of `novacula work`: sheets, solutions, marks, and bad input."""

import json
import subprocess

import pytest

from novacula import datasets
from novacula.checks.work import html_fault
from novacula.datasets.made import made_table
from novacula.errors import ParameterError
from novacula.learner.showing import ShowsWork
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation


class CountedRoot(ShowsWork):
    """Stands for a learner: the entropy of the target, from its counts."""

    def __init__(self, table):
        self.schema_ = table.schema
        labels = table.to_arrow().column(table.schema.target[0]).to_pylist()
        self.counts = {label: labels.count(label) for label in sorted(set(labels))}

    def _derive(self, options):
        right = "-sum(size(S[v]) / size(S) * log2(size(S[v]) / size(S)) for v in _)"
        values = {"size(S[v])": self.counts, "size(S)": sum(self.counts.values())}
        return Work("Entropy", [Step("The root", Equation("H(S)", right, values))])

    def _derive_answers(self, X, options):
        n = min(len(X), options.rows)
        return Work("Answers", [Step(f"Row {i + 1}", Equation("y", "n / 7", {"n": n})) for i in range(n)])


@pytest.fixture
def counted(monkeypatch):
    monkeypatch.setattr("novacula.cli.fitting.fit_learner", lambda name, table, settings: CountedRoot(table))


@pytest.mark.usefixtures("counted")
def test_without_a_file_the_sheet_is_printed(novacula):
    done = novacula("exercise", "tree", "play_tennis", "--target", "PlayTennis")
    assert done.code == 0
    assert "= −(5/14 × log₂(5/14) + 9/14 × log₂(9/14)) = ____" in done.out
    assert "Question 1: find H(S) to 3 significant digits." in done.out
    assert "Overcast" in done.out  # the table comes along
    assert "0.94" not in done.out


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    ("suffix", "mark"), [(".html", "nv-blank"), (".md", "## Entropy"), (".tex", r"\end{document}"), (".txt", "____")]
)
def test_the_solution_goes_beside_the_sheet(novacula, tmp_path, suffix, mark):
    out = tmp_path / f"sheet{suffix}"
    done = novacula("exercise", "tree", "play_tennis", "--out", out, "--digits", 4)
    assert done.code == 0, done.err
    sheet, solution = out.read_text(), (tmp_path / f"sheet.solution{suffix}").read_text()
    assert mark in sheet
    assert "0.940" not in sheet
    assert "0.940286" in solution
    assert "Answer 1" in solution
    if suffix == ".html":
        assert html_fault(sheet.removeprefix("<!doctype html>")) is None
        assert "<title>Entropy</title>" in sheet


@pytest.mark.slow
@pytest.mark.usefixtures("counted")
def test_the_latex_of_a_sheet_is_a_document(novacula, tmp_path):
    import shutil

    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    novacula("exercise", "tree", "play_tennis", "--out", tmp_path / "sheet.tex")
    for name in ("sheet.tex", "sheet.solution.tex"):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60).returncode == 0


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("0.940", "1. right: 0.940."),
        ("0.652", "the logarithm is natural, and not to base 2."),
        ("-0.940", "the sign is wrong"),
        ("13/14", "1. wrong: 13/14 in place of 0.940."),
    ],
)
def test_answers_are_marked(novacula, answer, words):
    assert words in novacula("exercise", "tree", "play_tennis", "--answer", f"1={answer}").out
    marked = json.loads(novacula("exercise", "tree", "play_tennis", "--answer", f"1={answer}", "--json").out)
    assert marked["score"] == float(answer == "0.940")


@pytest.mark.usefixtures("counted")
def test_json_has_questions_and_answers(novacula):
    told = json.loads(novacula("exercise", "tree", "play_tennis", "--json").out)
    assert told["answers"] == [pytest.approx(0.9402859586706309)]
    assert told["questions"][0]["equation"].endswith("= ____")


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--out", "sheet.pdf"), "a worksheet is written as .html, .md, .tex or .txt, not as '.pdf'"),
        (("--out", "nowhere/sheet.html"), "there is no folder 'nowhere' to write 'sheet.html' to: make it first"),
        (("--out", "sheet"), "a worksheet is written as .html, .md, .tex or .txt, not as 'a folder'"),
        (("--digits", 0), "digits is 0; it must be a whole number from 1 to 12"),
        (("--seed", -1), "seed is -1; it must be a whole number of at least 0"),
        (("--hide", "nothing"), "'nothing' is not one of"),
        (("--answer", "0.94"), "'0.94' answers no question: write --answer number=value"),
        (("--answer", "1=0.94", "--answer", "1=0.6"), "there are two answers to question 1; give one of them"),
        (("--answer", "7=0.94"), "there is an answer to question '7'; the sheet has 1 question"),
        (("--row", 99), "there is no row 99"),
    ],
)
def test_bad_input_is_one_sentence(novacula, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    done = novacula("exercise", "tree", "play_tennis", *arguments)
    assert done.code == 2
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("counted")
def test_a_folder_in_the_place_of_a_file_is_said_in_one_sentence(novacula, tmp_path):
    (tmp_path / "sheet.md").mkdir()
    done = novacula("exercise", "tree", "play_tennis", "--out", tmp_path / "sheet.md")
    assert done.code == 2
    assert done.err == f"novacula: '{tmp_path}/sheet.md' cannot be used: Is a directory\n"


# --- another table of the same kind -------------------------------------------------------------------------


@pytest.mark.usefixtures("counted")
def test_made_tables_give_each_student_other_numbers(novacula):
    sheets = {novacula("exercise", "tree", "play_tennis", "--made", "--seed", seed).out for seed in range(6)}
    assert len(sheets) == 6
    assert novacula("exercise", "tree", "play_tennis", "--made", "--seed", 3).out in sheets


@pytest.mark.parametrize("name", ["play_tennis", "enjoy_sport", "restaurant"])
def test_a_made_table_has_the_columns_and_categories_of_the_other(name):
    schema = datasets.load(name).schema
    for seed in range(20):
        table = made_table(schema, seed)
        assert 8 <= len(table) <= 16
        assert table.schema.target == schema.target
        for column in table.schema:
            assert column.categories == schema[column.name].categories
        labels = table.to_arrow().column(schema.target[0]).to_pylist()
        assert len(set(labels)) > 1
        assert table.to_arrow().equals(made_table(schema, seed).to_arrow())


def test_what_has_no_categories_cannot_be_made():
    with pytest.raises(ParameterError, match=r"columns with two or more categories, and '.*' is numeric"):
        made_table(datasets.load("iris").schema)
    with pytest.raises(ParameterError, match="one target and at least one other column"):
        made_table(datasets.load("play_tennis").with_target(None).schema)


# --- the options of work ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("counted")
def test_work_takes_what_the_method_takes(novacula):
    assert "= 0.94\n" in novacula("work", "tree", "play_tennis", "--digits", 2).out
    assert "[1 more: " in novacula("work", "tree", "play_tennis", "--terms", 1).out
    assert novacula("work", "tree", "play_tennis", "--rows", 2).out.count("Row ") == 2
    assert novacula("work", "tree", "play_tennis", "--rows", 99).out.count("Row ") == 14
    told = json.loads(novacula("work", "tree", "play_tennis", "--json").out)["steps"][0]["equations"][0]
    assert told["left"] == "H(S)"
    assert told["values"] == {"size(S[v])": {"No": 5.0, "Yes": 9.0}, "size(S)": 14.0}
    assert told["value"] == pytest.approx(0.9402859586706309)


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--digits", 0), "digits is 0; it must be a whole number from 1 to 17"),
        (("--terms", 0), "terms is 0; it must be a whole number of at least 1"),
        (("--rows", 0), "rows is 0; it must be a whole number of at least 1"),
        (("--detail", "all"), "detail is 'all'; it must be 'brief' or 'full'"),
        (("--notation", "bishop"), "notation is 'bishop'; it must be None, 'mitchell' or 'aima'"),
        (("--iteration", 1), "keeps no iterations, so it has no iteration 1 to show"),
        (("--row", 1, "--iteration", 1), "work takes X or iteration, not both"),
        (("--row", 1, "--rows", 2), "--row derives one row and --rows the first ones: give one of them"),
    ],
)
def test_bad_options_of_work_are_one_sentence(novacula, arguments, words):
    done = novacula("work", "tree", "play_tennis", *arguments)
    assert done.code == 2
    assert words in done.err
