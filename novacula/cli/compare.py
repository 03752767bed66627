"""`novacula compare`: two runs of `novacula learn` beside each other, and whether they can be compared at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novacula.cli.output import echo_json, print_table
from novacula.cli.work import AsJson

if TYPE_CHECKING:
    from novacula.cli.runs import RunEntry, StudyRun

RunFolder = Annotated[Path, typer.Argument(help="A folder that `novacula learn --out` wrote.")]
HEADER = ("learner", "A", "error", "± s.e.", "B", "error", "± s.e.", "B − A")


def compare(run_a: RunFolder, run_b: RunFolder, json: AsJson = False) -> None:
    """Put two runs beside each other: their questions, choices, errors and findings."""
    from novacula.cli.runs import StudyRun
    from novacula.table.names import printable

    a, b = StudyRun(run_a), StudyRun(run_b)
    compared = compare_runs(a, b)
    if json:
        echo_json(compared)
        return
    for letter, run in (("A", a), ("B", b)):
        command = run.field("command", str)
        typer.echo(printable(f"{letter}: {run.path}{f' ({command})' if command else ''}"))
    typer.echo()
    print_table(HEADER, [_cells(row) for row in compared["learners"]], json=False)
    typer.echo()
    for sentence in compared["sentences"]:
        typer.echo(sentence)


def compare_runs(a: StudyRun, b: StudyRun) -> dict[str, Any]:
    """What two runs say, as values that JSON can hold."""
    same = _same_question(a, b)
    paired = _paired(a, b) if same else None
    only_a = [finding for finding in a.findings if finding not in b.findings]
    only_b = [finding for finding in b.findings if finding not in a.findings]
    return {
        "runs": [str(a.path), str(b.path)],
        "same_question": same,
        "differences": _differences(a, b),
        "chosen": [run.field("chosen", str) for run in (a, b)],
        "learners": _learners(a, b, bool(same)),
        "paired": paired,
        "findings": {"only_a": only_a, "only_b": only_b},
        "missing": [run.missing for run in (a, b)],
        "sentences": [
            _question_sentence(same, _differences(a, b)),
            *(f"{letter} {_choice_sentence(run)}" for letter, run in (("A", a), ("B", b))),
            *(f"{letter}: {words}" for letter, run in (("A", a), ("B", b)) if (words := _test_sentence(run))),
            *_paired_sentences(same, paired, a, b),
            *(f"Only A finds: {finding}" for finding in only_a),
            *(f"Only B finds: {finding}" for finding in only_b),
            *(f"{run.path / 'study.json'} does not say: {', '.join(run.missing)}." for run in (a, b) if run.missing),
        ],
    }


def _same_question(a: StudyRun, b: StudyRun) -> bool | None:
    """Whether rows, split, folds and metric are the same; None where a run does not say."""
    prints = [run.field("fingerprint", str) for run in (a, b)]
    return None if None in prints else prints[0] == prints[1]


def _differences(a: StudyRun, b: StudyRun) -> dict[str, list[Any]]:
    """What both say of their question, and say differently."""
    return {name: [value, b.asked[name]] for name, value in a.asked.items() if b.asked.get(name, value) != value}


def _question_sentence(same: bool | None, differences: dict[str, list[Any]]) -> str:
    told = "; ".join(f"the {name} is {_word(a)} in A and {_word(b)} in B" for name, (a, b) in differences.items())
    if same:
        return "Both ask the same question: the same rows, test rows, folds and metric."
    if told:
        return f"They ask different questions: {told}. So their errors differ for more reasons than their learners."
    if same is None:
        return "Whether they ask the same question is not said, so errors are not subtracted."
    return "They ask different questions: the values of the rows, or which of them are in which fold, differ."


def _word(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _choice_sentence(run: StudyRun) -> str:
    entry = run.chosen
    if entry is None:
        return "does not say which learner it chose."
    parameters = "" if entry.n_parameters is None else f", {entry.n_parameters:,.0f} parameters"
    return f"chose {entry.label}: {_error(entry)}{f' by {run.metric_word}' if run.metric_word else ''}{parameters}."


def _test_sentence(run: StudyRun) -> str | None:
    from novacula.cli.runs import taken

    return taken(run.field("test", dict), "sentence", str)


def _error(entry: RunEntry) -> str:
    error = "no error was measured" if entry.error is None else f"error {_short(entry.error)}"
    return error if entry.standard_error is None else f"{error} ± {_short(entry.standard_error)}"


def _short(value: float | None) -> str:
    from novacula.study.leaderboard import short

    return "" if value is None else short(value)


# --- learner by learner -------------------------------------------------------------------------------------


def _learners(a: StudyRun, b: StudyRun, same: bool) -> list[dict[str, Any]]:
    """Every learner of one of the runs; differences of errors only where the question is the same."""
    names = dict.fromkeys(entry.learner for run in (a, b) for entry in run.entries)
    rows = []
    for learner in names:
        one, other = a.entry(learner), b.entry(learner)
        errors = [entry.error for entry in (one, other) if entry is not None and entry.error is not None]
        rows.append(
            {
                "learner": learner,
                "name": next(entry.name for entry in (one, other) if entry is not None),
                "a": _entry(one, a),
                "b": _entry(other, b),
                "difference": errors[1] - errors[0] if same and len(errors) == 2 else None,
            }
        )
    return rows


def _entry(entry: RunEntry | None, run: StudyRun) -> dict[str, Any] | None:
    if entry is None:
        return None
    numbers = {"error": entry.error, "standard_error": entry.standard_error, "n_parameters": entry.n_parameters}
    chosen = entry.learner == run.field("chosen", str)
    return {"label": entry.label, "status": entry.status, "chosen": chosen, **numbers}


def _cells(row: dict[str, Any]) -> list[str]:
    cells = [row["name"]]
    for entry in (row["a"], row["b"]):
        if entry is None:
            cells += ["", "", ""]
            continue
        size = entry["label"].removeprefix(row["name"]).removeprefix(", ") or entry["status"].replace("finished", "–")
        numbers = [_short(entry[name]) for name in ("error", "standard_error")]
        cells += [f"{'→ ' if entry['chosen'] else ''}{size}", *numbers]
    gap = row["difference"]
    return [*cells, "" if gap is None else f"{gap:+.4g}" if gap else "0"]


# --- fold by fold -------------------------------------------------------------------------------------------


def _paired(a: StudyRun, b: StudyRun) -> dict[str, Any] | None:
    """The two choices on the same folds; None where an error of a fold is not there, or they are one choice."""
    from novacula.evaluate import compare as compare_scores

    pair = [(run, run.chosen) for run in (a, b)]
    errors = [None if entry is None else run.fold_errors(entry) for run, entry in pair]
    if errors[0] is None or errors[1] is None or _is_one_choice(a, b):
        return None
    names = [f"{entry.label} ({letter})" for letter, (_, entry) in zip("AB", pair, strict=True) if entry is not None]
    found = compare_scores(errors[0], errors[1], names=(names[0], names[1]))
    numbers = {"difference": found.difference, "low": found.interval.low, "high": found.interval.high, "p": found.p}
    return {**numbers, "fold_errors": errors, "sentence": found.sentence()}


def _is_one_choice(a: StudyRun, b: StudyRun) -> bool:
    one, other = a.chosen, b.chosen
    if one is None or other is None:
        return False
    return (one.learner, one.size, one.rows) == (other.learner, other.size, other.rows)


def _paired_sentences(same: bool | None, paired: dict[str, Any] | None, a: StudyRun, b: StudyRun) -> list[str]:
    if paired is not None:
        return [paired["sentence"]]
    if not same:
        return []
    if _is_one_choice(a, b):
        return ["Both chose the same learner of the same size."]
    return ["The two choices cannot be paired fold by fold: the errors of their folds are not in both folders."]
