"""learn, predict, explain, work and pac: from a file to a report, a model and its answers."""

import csv
import json
import re
import zipfile

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

import novacula as nv
from novacula.checks.samples import NASTY_NAMES

QUICK = ("--learners", "tree,naive-bayes", "--folds", "3", "--jobs", "1")


@pytest.fixture(scope="module")
def weather(tmp_path_factory):
    path = tmp_path_factory.mktemp("weather") / "weather.csv"
    rng = np.random.default_rng(0)
    wind = rng.normal(10, 4, 60).round(2)
    frame = pd.DataFrame({"sky": rng.choice(["sun", "rain"], 60), "wind": wind})
    frame["play"] = np.where((frame["sky"] == "sun") & (frame["wind"] < 12), "yes", "no")
    frame.to_csv(path, index=False)
    return path


def test_learn_writes_report_model_and_numbers(novacula, weather, tmp_path):
    done = novacula("learn", weather, "--target", "play", *QUICK, "--out", tmp_path / "run")
    assert done.code == 0
    assert done.err.startswith("Reading ")
    assert "Plurality: 0." in done.err  # a row as soon as it is known
    assert "is chosen" in done.out
    assert "test rows that no learner had seen, the error rate is" in done.out
    assert str(tmp_path / "run" / "report.html") in done.out
    assert (tmp_path / "run" / "report.html").read_text().startswith("<!doctype html>")
    assert nv.load(tmp_path / "run" / "model.nova").predict(pd.read_csv(weather).drop(columns="play")).shape == (60,)
    numbers = json.loads((tmp_path / "run" / "study.json").read_text())
    assert numbers["target"] == "play"
    assert "--target play" in numbers["command"]


def test_a_learner_of_another_library_is_named_with_dots(novacula, weather, tmp_path):
    out = tmp_path / "run"
    assert novacula("learn", weather, "--target", "play", *QUICK, "--out", out).code == 0
    theirs = ("--learners", "sklearn.ensemble.RandomForestClassifier", "--without", "plurality", "--folds", "3")
    done = novacula("learn", weather, "--target", "play", *theirs, "--rule", "min", "--jobs", "1", "--out", out)
    assert done.code == 0
    assert "RandomForestClassifier(random_state=0) is chosen" in done.out
    assert "is another library's: no model file can hold it" in done.out
    assert done.out.endswith("report.html, and no model is written.\n")
    assert not (out / "model.nova").exists()  # that of the run before would answer for this one
    assert "model" not in json.loads((out / "study.json").read_text())


def test_json_is_json_alone(novacula, weather, tmp_path):
    done = novacula("learn", weather, "--target", "play", *QUICK, "--out", tmp_path / "run", "--json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert {row["learner"] for row in said["leaderboard"]} == {
        "plurality-classifier",
        "decision-tree-classifier",
        "naive-bayes",
    }
    assert said["model"].endswith("model.nova")


def test_a_second_run_runs_nothing_again(novacula, weather, tmp_path, monkeypatch):
    novacula("learn", weather, "--target", "play", *QUICK, "--out", tmp_path / "run")
    monkeypatch.setattr("novacula.study.cell._fit_and_measure", None)
    assert novacula("learn", weather, "--target", "play", *QUICK, "--out", tmp_path / "run").code == 0


def test_columns_can_be_dropped_and_data_sets_named(novacula, tmp_path):
    done = novacula("learn", "iris", *QUICK, "--drop", "petal width (cm)", "--out", tmp_path, "--json")
    assert json.loads(done.out)["task"] == "classification"
    assert "petal width (cm)" not in nv.load(tmp_path / "model.nova").schema_


def test_without_a_target_clusters_are_looked_for(novacula, tmp_path):
    rng = np.random.default_rng(0)
    two = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(9, 1, (60, 2))])
    pd.DataFrame(two, columns=["a", "b"]).to_csv(tmp_path / "points.csv", index=False)
    done = novacula("learn", tmp_path / "points.csv", "--out", tmp_path / "run")
    assert done.code == 0
    assert "2 clusters" in done.out
    model = nv.load(tmp_path / "run" / "model.nova")
    assert len(set(model.predict(pd.DataFrame({"a": [0.0, 9.0], "b": [0.0, 9.0]})).tolist())) == 2
    assert novacula("predict", tmp_path / "run" / "model.nova", tmp_path / "points.csv").out.startswith('"a","b",')


def test_ctrl_c_ends_with_what_there_is_and_code_130(novacula, weather, tmp_path, monkeypatch):
    from novacula.study import race

    original = race.run

    def once(question, job):
        if job.learner == "decision-tree-classifier" and job.fold == 1:
            raise KeyboardInterrupt
        return original(question, job)

    monkeypatch.setattr(race, "run", once)
    done = novacula("learn", weather, "--target", "play", *QUICK, "--out", tmp_path / "run")
    assert done.code == 130
    assert "interrupted" in done.out
    assert (tmp_path / "run" / "model.nova").exists()


# --- predict and explain ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(weather):
    study = nv.learn(weather, "play", learners=["tree", "naive-bayes"], folds=3, jobs=1)
    study.best_.save(weather.with_name("model.nova"))
    return weather.with_name("model.nova")


def test_predictions_stand_beside_the_rows_with_probabilities(novacula, weather, model, tmp_path):
    done = novacula("predict", model, weather, "-o", tmp_path / "out.csv")
    assert done.code == 0
    rows = pd.read_csv(tmp_path / "out.csv")
    assert rows.columns.tolist() == ["sky", "wind", "play", "prediction", "P(no)", "P(yes)"]  # nothing is lost
    loaded, frame = nv.load(model), pd.read_csv(weather).drop(columns="play")
    assert rows["prediction"].tolist() == loaded.predict(frame).tolist()
    np.testing.assert_allclose(rows[["P(no)", "P(yes)"]], loaded.predict_proba(frame))


@pytest.mark.parametrize("ending", [".tsv", ".parquet"])
def test_other_formats(novacula, weather, model, tmp_path, ending):
    path = tmp_path / f"out{ending}"
    assert novacula("predict", model, weather, "-o", path).code == 0
    rows = pd.read_csv(path, sep="\t") if ending == ".tsv" else pyarrow.parquet.read_table(path).to_pandas()
    assert len(rows) == 60


def test_json_and_standard_output(novacula, weather, model):
    assert novacula("predict", model, weather).out.splitlines()[0].startswith('"sky","wind","play","prediction"')
    assert json.loads(novacula("predict", model, weather, "--json").out)[0]["prediction"] in ("yes", "no")


def test_cells_that_a_spreadsheet_would_run_are_made_harmless(novacula, tmp_path):
    hostile = ["=cmd()", "+1+1", "@sum", "plain", "-minus", "a=b"]
    frame = pd.DataFrame({"=name": hostile * 10, "y": (["a", "b", "a"] * 20)})
    frame.to_csv(tmp_path / "in.csv", index=False)
    learned = ("--target", "y", "--learners", "naive-bayes", "--folds", "3", "--jobs", "1", "--out", tmp_path)
    assert novacula("learn", tmp_path / "in.csv", *learned).code == 0
    assert novacula("predict", tmp_path / "model.nova", tmp_path / "in.csv", "-o", tmp_path / "safe.csv").code == 0
    with (tmp_path / "safe.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header[0] == "'=name"
    assert [row[0] for row in rows[:6]] == ["'=cmd()", "'+1+1", "'@sum", "plain", "'-minus", "a=b"]
    novacula("predict", tmp_path / "model.nova", tmp_path / "in.csv", "-o", tmp_path / "raw.csv", "--raw")
    assert "'=cmd" not in (tmp_path / "raw.csv").read_text()


def test_explain_derives_the_model_or_a_row(novacula, weather, model):
    assert "Preparation" in novacula("explain", model).out
    row = novacula("explain", model, weather, "--row", 3, "--json")
    assert json.loads(row.out)["steps"]
    assert "<table" in novacula("explain", model, weather, "--row", 3, "--format", "html").out
    assert "no row 61" in novacula("explain", model, weather, "--row", 61).err
    assert "--row needs a table" in novacula("explain", model, "--row", 3).err


# --- work and pac -----------------------------------------------------------------------------------------------------


def test_work_of_the_textbook(novacula):
    assert "0.940286" in novacula("work", "tree", "play_tennis").out
    assert (
        "0.0274286" in novacula("work", "naive-bayes", "play_tennis", "--row", "1", "--set", "m=0").out
    )  # 5/14 · 3/5 · 2/5 · 4/5 · 2/5
    assert "columns of 0 and 1" in novacula("work", "logistic", "play_tennis").out
    assert json.loads(novacula("work", "ridge", "diabetes", "--json").out)["title"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--hypotheses", "2^30", "--epsilon", "0.01", "--delta", "1e-6"), "3,461 examples"),
        (("--hypotheses", "973", "--epsilon", "0.1", "--delta", "0.05"), "99 examples"),
        (("--vc", "3", "--epsilon", "0.1", "--delta", "0.05"), "1,899 examples"),
        (("--hypotheses", "2**30", "--delta", "1e-6", "--examples", "3461"), "at most 0.00999"),
    ],
)
def test_pac(novacula, arguments, words):
    assert words in novacula("pac", *arguments).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pac",), "either --hypotheses"),
        (("pac", "--hypotheses", "two"), "'two' is not the size"),
        (("pac", "--hypotheses", "9^9999999"), "too large"),
        (("pac", "--hypotheses", "10", "--epsilon", "2"), "epsilon"),
        (("work", "tree", "play_tennis", "--set", "depth"), "sets nothing"),
        (("work", "tree", "play_tennis", "--set", "depht=3"), "no parameter 'depht'"),
        (("work", "ridge", "play_tennis"), "not numeric"),
        (("card", "neighbors"), "may be"),
        (("explain", "no.nova"), "no.nova"),
        (("predict", "no.nova", "iris"), "no.nova"),
    ],
)
def test_wrong_questions_are_one_sentence(novacula, arguments, words):
    done = novacula(*arguments)
    assert done.code == 2
    assert words in done.err
    assert done.err.startswith("novacula: ")
    assert len(done.err.strip().splitlines()) == 1


def test_a_file_that_is_no_model(novacula, tmp_path):
    (tmp_path / "m.nova").write_text("not a model")
    assert "cannot be loaded" in novacula("explain", tmp_path / "m.nova").err
    with zipfile.ZipFile(tmp_path / "z.nova", "w") as archive:
        archive.writestr("evil.py", "print(1)")
    assert novacula("explain", tmp_path / "z.nova").code == 2


# --- bad tables -------------------------------------------------------------------------------------------------------

ROWS = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20))
BAD = {
    "empty file": (b"", "is empty"),
    "no rows": (b"x,y\n", "has no rows"),
    "one column": (b"y\n" + b"a\nb\n" * 5, "no column to learn from, only the target 'y'"),
    "unknown target": (f"x,z\n{ROWS}".encode(), "no column 'y'"),
    "one class": (b"x,y\n" + b"1,a\n2,a\n" * 5, "one class only, 'a'"),
    "missing targets": (
        f"x,y\n{ROWS}{'21,NA' + chr(10)}".replace(",a", ",").encode(),
        "11 of the 21 rows of .* have no value for 'y': say --unlabelled if they are to be left out",
    ),
    "two columns of one name": (f"x,y,x\n{ROWS.replace(',a', ',a,1').replace(',b', ',b,2')}".encode(), "called 'x'"),
    "damaged": (b"x,y\n1,a\n1\xff,b\n", "line 3: the byte 0xff is not utf-8: say --encoding cp1252"),
    "ragged": (f"x,y\n{ROWS}21\n".encode(), "row 21 of .* has 1 value"),
    "zero bytes": (b"x,y\0\n" + ROWS.encode(), "zero bytes"),
    "no text": (bytes(range(256)), "is not text, nor of another format"),
    "few rows": (b"x,y\n1,a\n2,b\n", "needs at least 4"),
    "10,001 columns": (
        (",".join(f"c{i}" for i in range(10_001)) + ",y\n").encode()
        + (b"1," * 10_001 + b"a\n" + b"1," * 10_001 + b"b\n") * 3,
        "10,001 columns, and a study compares learners on at most 10,000",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_refused_in_one_sentence(novacula, tmp_path, case):
    content, words = BAD[case]
    (tmp_path / "bad.csv").write_bytes(content)
    done = novacula("learn", tmp_path / "bad.csv", "--target", "y", *QUICK, "--out", tmp_path / "run")
    assert done.code == 2
    last = done.err.strip().splitlines()[-1]
    assert last.startswith("novacula: ")
    assert re.search(words, last), last
    assert "Traceback" not in done.err


def test_a_missing_file(novacula, tmp_path):
    done = novacula("learn", tmp_path / "nothing.csv", "--target", "y")
    assert done.code == 2
    assert "nothing.csv" in done.err


def test_a_column_without_values_and_mixed_types_are_reported(novacula, tmp_path):
    rows = "".join(f"{i},,{'oops' if i == 13 else i},{'ab'[i % 2]}\n" for i in range(20))
    (tmp_path / "odd.csv").write_text(f"x,gone,mixed,y\n{rows}")
    done = novacula("learn", tmp_path / "odd.csv", "--target", "y", *QUICK, "--out", tmp_path / "run")
    assert done.code == 0
    assert "'gone' has no values at all" in done.out
    assert "'oops'" in done.out


def test_nasty_names_go_through_everything(novacula, tmp_path):
    rng = np.random.default_rng(0)
    names = [name for name in NASTY_NAMES if name]
    frame = pd.DataFrame({name: rng.choice(["<b>", "=1+1", "[red]", "$x$"], 40) for name in names[:-1]})
    frame[names[-1]] = rng.choice(["=yes", "<no>"], 40)
    frame.to_parquet(tmp_path / "nasty.parquet")
    learned = ("--target", names[-1], *QUICK, "--out", tmp_path / "run")
    done = novacula("learn", tmp_path / "nasty.parquet", *learned)
    assert done.code == 0, done.err
    page = (tmp_path / "run" / "report.html").read_text()
    assert "<script" not in page
    model = tmp_path / "run" / "model.nova"
    assert novacula("predict", model, tmp_path / "nasty.parquet", "-o", tmp_path / "out.csv").code == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        assert not [cell for row in csv.reader(file) for cell in row if cell.startswith(("=", "@", "+"))]
    assert novacula("explain", model, tmp_path / "nasty.parquet", "--row", 1).code == 0
    assert novacula("schema", tmp_path / "nasty.parquet").code == 0


# --- what predict says beside the answers -----------------------------------------------------------------------------


@pytest.fixture
def prices(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(80, 20, 200).round(1), "kind": rng.choice(["flat", "house"], 200)})
    frame["price"] = (frame["size"] * 3 + 50 * (frame["kind"] == "house") + rng.normal(0, 20, 200)).round(1)
    nv.learn(nv.read(frame, "price"), learners=["ridge"], folds=4, jobs=1, budget=None).best_.save(tmp_path / "p.nova")
    frame.to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


def test_intervals_and_contributions_stand_beside_the_prediction(novacula, prices):
    done = novacula("predict", prices / "p.nova", prices / "new.csv", "--explain", "-o", prices / "out.csv")
    assert done.code == 0, done.err
    rows, model = pd.read_csv(prices / "out.csv"), nv.load(prices / "p.nova")
    assert rows.columns.tolist()[3:] == ["prediction", "90% from", "90% to", "size adds", "kind adds"]
    ends = model.predict_interval(nv.read(prices / "new.csv"))
    np.testing.assert_allclose(rows[["90% from", "90% to"]], ends)
    rest = rows["prediction"] - rows["size adds"] - rows["kind adds"]
    np.testing.assert_allclose(rest, rest[0])  # what is left is the same for all
    assert rows["price"].between(rows["90% from"], rows["90% to"]).mean() == pytest.approx(0.9, abs=0.05)


def test_a_long_file_is_written_piece_by_piece(novacula, prices):
    frame = pd.read_csv(prices / "new.csv").drop(columns="price")
    long = pd.concat([frame] * 1000, ignore_index=True)  # some megabytes, which are parsed in several pieces
    long.to_csv(prices / "long.csv", index=False)
    assert len(list(nv.read(prices / "long.csv").batches())) > 1
    assert novacula("predict", prices / "p.nova", prices / "long.csv", "-o", prices / "out.csv").code == 0
    rows = pd.read_csv(prices / "out.csv")
    pd.testing.assert_frame_equal(rows[["size", "kind"]], long)
    np.testing.assert_allclose(rows["prediction"], nv.load(prices / "p.nova").predict(long))


def test_what_is_new_about_the_rows_is_said(novacula, prices):
    frame = pd.read_csv(prices / "new.csv")
    frame.assign(size=frame["size"] + 500, kind=["boat", *frame["kind"][1:]]).to_csv(prices / "odd.csv", index=False)
    done = novacula("predict", prices / "p.nova", prices / "odd.csv", "-o", prices / "out.csv")
    assert "note: 200 of 200 values of 'size' are outside of" in done.err
    assert "note: 'size' has drifted: its mean is" in done.err
    assert "note: 1 of 200 values of 'kind' are none of the categories of the fit" in done.err
    assert "UnseenCategoryWarning" not in done.err
    same = novacula("predict", prices / "p.nova", prices / "new.csv", "-o", prices / "out.csv")
    assert "drifted" not in same.err


# --- options of learn -------------------------------------------------------------------------------------------------


def test_costs_groups_and_a_test_file(novacula, weather, tmp_path):
    base = ("learn", weather, "--target", "play", "--learners", "naive-bayes", "--folds", "3", "--jobs", "1")
    costs = '{"no": {"no": 0, "yes": 1}, "yes": {"no": 9, "yes": 0}}'
    done = novacula(*base, "--metric", "cost", "--costs", costs, "--out", tmp_path / "c")
    assert done.code == 0, done.err
    assert "mean cost" in done.out
    assert nv.load(tmp_path / "c" / "model.nova").costs["yes"] == {"no": 9.0, "yes": 0.0}
    done = novacula(*base, "--test", weather, "--out", tmp_path / "t")
    assert "On 60 test rows" in done.out
    done = novacula(*base, "--groups", "sky", "--test", "0", "--out", tmp_path / "g")
    assert "Rows with the same 'sky' are held out together" in done.out
    done = novacula(*base, "--class-weight", "balanced", "--out", tmp_path / "w")
    assert nv.load(tmp_path / "w" / "model.nova").class_weight == "balanced"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--metric", "cost"), "--metric cost and --costs go together"),
        (("--costs", "{}"), "--metric cost and --costs go together"),
        (("--metric", "cost", "--costs", "[1]"), "--costs says for each class what each answer costs"),
        (("--metric", "r2"), "R² is not a measure of classification"),
        (("--class-weight", "{yes"), "--class-weight is balanced, or a weight by class"),
        (("--class-weight", "even"), "class_weight is 'even'"),
        (("--target-transform", "log"), "target_transform is for a target of numbers"),
        (("--time", "sky"), "time names 'sky', which is categorical"),
        (("--without", "nobody"), "nobody"),
        (("--test", "nowhere.csv"), "there is no file 'nowhere.csv'"),
    ],
)
def test_options_that_make_no_sense(novacula, weather, tmp_path, options, words):
    done = novacula("learn", weather, "--target", "play", "--out", tmp_path / "x", *options)
    assert done.code == 2
    assert words in done.err
