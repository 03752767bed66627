"""compare: two runs beside each other, what can be subtracted, and what a folder does not say."""

import json

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.cli.compare import compare_runs
from novacula.cli.runs import StudyRun
from novacula.evaluate import compare as compare_scores

FINGERPRINT = "0123456789abcdef" * 4


def entry(learner, error, size=None, **more):
    sized = {"size": size, "size_name": None if size is None else "C"}
    numbers = {"error": error, "standard_error": 0.01, "n_parameters": 3.0}
    return {"learner": learner, "name": learner.title(), "status": "finished", "rows": None, **numbers, **sized, **more}


def write(folder, entries, cells=(), **fields):
    """A folder as `novacula learn` leaves one, as far as is said."""
    folder.mkdir()
    numbers = {
        "task": "classification",
        "target": "play",
        "metric": "error_rate",
        "rows": {"train": 80, "test": 20},
        "folds": 3,
        "leaderboard": entries,
        "chosen": entries[0]["learner"],
        "findings": [],
        "fingerprint": FINGERPRINT,
        **fields,
    }
    (folder / "study.json").write_text(json.dumps({k: v for k, v in numbers.items() if v != "left out"}))
    lines = [
        json.dumps({"job": {"learner": learner, "size": size, "rows": None, "fold": k}, "measured": {"error": error}})
        for learner, size, errors in cells
        for k, error in enumerate(errors)
    ]
    (folder / f"cells-{FINGERPRINT[:16]}.jsonl").write_text("\n".join(lines))
    return folder


def compared(a, b):
    return compare_runs(StudyRun(a), StudyRun(b))


def test_runs_of_the_same_question_are_paired_fold_by_fold(tmp_path):
    ones, others = [0.2, 0.3, 0.1], [0.25, 0.45, 0.2]
    cells = [("tree", 4, [0.9, 0.9, 0.9]), ("tree", 8, ones)]
    a = write(tmp_path / "a", [entry("tree", 0.2, 8), entry("bayes", 0.3)], cells)
    b = write(tmp_path / "b", [entry("mlp", 0.3, [2, 3]), entry("bayes", 0.35)], [("mlp", "(2, 3)", others)])
    found = compared(a, b)
    assert (found["same_question"], found["differences"], found["chosen"]) == (True, {}, ["tree", "mlp"])
    expected = compare_scores(ones, others)
    assert found["paired"]["fold_errors"] == [ones, others]
    assert found["paired"]["difference"] == pytest.approx(-0.1)
    assert (found["paired"]["p"], found["paired"]["low"]) == (expected.p, expected.interval.low)
    assert "The mean of Tree, C = 8 (A) minus Mlp, C = (2, 3) (B) is −0.1 over 3 paired" in found["sentences"][3]
    gaps = {row["learner"]: row["difference"] for row in found["learners"]}
    assert gaps == {"tree": None, "mlp": None, "bayes": pytest.approx(0.05)}


@pytest.mark.parametrize("cells", [[], [("mlp", None, [0.1, 0.2])], [("mlp", 3, [0.1, 0.2, 0.3])]])
def test_folds_that_are_not_all_there_are_not_paired(tmp_path, cells):
    a = write(tmp_path / "a", [entry("tree", 0.2)], [("tree", None, [0.2, 0.3, 0.1])])
    b = write(tmp_path / "b", [entry("mlp", 0.3)], cells)
    found = compared(a, b)
    assert found["paired"] is None
    assert found["sentences"][-1].startswith("The two choices cannot be paired fold by fold")


def test_a_line_that_was_being_written_is_passed_over(tmp_path):
    a = write(tmp_path / "a", [entry("tree", 0.2)], [("tree", None, [0.2, 0.3, 0.1])])
    b = write(tmp_path / "b", [entry("mlp", 0.3)], [("mlp", None, [0.2, 0.4, 0.1])])
    with (b / f"cells-{FINGERPRINT[:16]}.jsonl").open("a") as file:
        file.write('\n{"job": {"lea')
    assert compared(a, b)["paired"]["difference"] == pytest.approx(-1 / 30)


def test_one_choice_of_both_is_said(tmp_path):
    folders = [write(tmp_path / name, [entry("tree", 0.2, 8)]) for name in "ab"]
    assert compared(*folders)["sentences"][-1] == "Both chose the same learner of the same size."


def test_other_questions_are_told_and_nothing_is_subtracted(tmp_path):
    a = write(tmp_path / "a", [entry("tree", 0.2)])
    b = write(
        tmp_path / "b", [entry("tree", 0.4)], metric="log_loss", rows={"train": 60, "test": 20}, fingerprint="f" * 64
    )
    found = compared(a, b)
    assert found["same_question"] is False
    assert found["differences"] == {"metric": ["error rate", "log loss"], "number of training rows": [80, 60]}
    assert (
        "the metric is 'error rate' in A and 'log loss' in B; the number of training rows is 80 in A and 60 in B"
        in (found["sentences"][0])
    )
    assert found["learners"][0]["difference"] is None
    assert found["paired"] is None
    c = write(tmp_path / "c", [entry("tree", 0.4)], fingerprint="e" * 64)
    assert compared(a, c)["sentences"][0].startswith("They ask different questions: the values of the rows")


def test_findings_of_one_run_are_told(tmp_path):
    def finding(sentence):
        return {"kind": "leak", "sentence": sentence, "columns": [], "gravity": "warning"}

    a = write(tmp_path / "a", [entry("tree", 0.2)], findings=[finding("One."), finding("Both.")])
    b = write(tmp_path / "b", [entry("tree", 0.2)], findings=[finding("Both."), finding("Two."), "odd"])
    found = compared(a, b)
    assert found["findings"] == {"only_a": ["One."], "only_b": ["Two."]}
    assert {"Only A finds: One.", "Only B finds: Two."} < set(found["sentences"])


def test_what_a_folder_does_not_say_is_said(tmp_path):
    gone = dict.fromkeys(("target", "metric", "chosen", "fingerprint", "findings", "rows", "folds", "task"), "left out")
    a = write(tmp_path / "a", [entry("tree", 0.2), {"learner": 5}, "odd", {"learner": "bare"}], **gone)
    b = write(tmp_path / "b", [entry("tree", None, standard_error="much")])
    found = compared(a, b)
    assert found["same_question"] is None
    assert found["sentences"][0] == "Whether they ask the same question is not said, so errors are not subtracted."
    assert found["sentences"][1] == "A does not say which learner it chose."
    assert found["sentences"][2] == "B chose Tree: no error was measured by error rate, 3 parameters."
    assert found["missing"] == [["target", "metric", "chosen", "fingerprint", "findings"], []]
    assert "does not say: target, metric, chosen, fingerprint, findings." in found["sentences"][-1]
    assert [row["learner"] for row in found["learners"]] == ["tree", "bare"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no study.json in"),
        ("{", "is not what novacula learn wrote"),
        ("[" * 100_000, "is not what novacula learn wrote"),
        ("[]", "is not what novacula learn wrote"),
        ('{"clusters": 3}', "has no leaderboard: only studies of a target can be compared"),
    ],
)
def test_what_is_no_run_is_one_sentence(novacula, tmp_path, content, sentence):
    good = write(tmp_path / "good", [entry("tree", 0.2)])
    (tmp_path / "bad").mkdir()
    if content is not None:
        (tmp_path / "bad" / "study.json").write_text(content)
    done = novacula("compare", good, tmp_path / "bad")
    assert done.code == 2
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_studies_are_compared_as_they_are_written(novacula, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sky": rng.choice(["sun", "rain"], 60), "wind": rng.normal(10, 4, 60).round(2)})
    frame["play"] = np.where((frame["sky"] == "sun") & (frame["wind"] < 12), "yes", "no")
    for run, learners in (("a", ["tree"]), ("b", ["naive-bayes"])):
        study = nv.learn(nv.read(frame, "play"), learners=learners, folds=3, jobs=1, resume=tmp_path / run)
        (tmp_path / run / "study.json").write_text(json.dumps(study.to_dict()))
    done = novacula("compare", tmp_path / "a", tmp_path / "b")
    assert done.code == 0
    assert done.out.startswith(f"A: {tmp_path / 'a'}")
    assert "Both ask the same question" in done.out
    said = json.loads(novacula("compare", tmp_path / "a", tmp_path / "b", "--json").out)
    assert said["same_question"] is True
    for letter, errors in zip("ab", said["paired"]["fold_errors"], strict=True):
        [chosen] = [row[letter] for row in said["learners"] if row[letter] is not None and row[letter]["chosen"]]
        assert np.mean(errors) == pytest.approx(chosen["error"])
