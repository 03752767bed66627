"""`novacula learn`: from a table to a leaderboard, a report and a model file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic as now
from typing import Annotated, Any, Literal

import typer

from novacula.cli.output import echo_json, print_sentence, print_table, say
from novacula.cli.reading import ReadingOptions, reads_tables
from novacula.cli.stopping import INTERRUPTED, resumable

LEAST = 2.0
"""Seconds that a study has at least, however long reading took."""


@reads_tables
def learn(
    data: Annotated[list[str], typer.Argument(help="A file, several, a glob, or a data set by name.")],
    target: Annotated[
        str | None, typer.Option(help="The column to learn; without one, clusters are looked for.")
    ] = None,
    learners: Annotated[
        str | None,
        typer.Option(
            help="Learners, separated by commas; by default all that fit. With dots another library's: sklearn.svm.SVC."
        ),
    ] = None,
    without: Annotated[str | None, typer.Option(help="Learners that take no part, separated by commas.")] = None,
    folds: Annotated[
        int | None, typer.Option(help="Folds of cross-validation; by default 10, or 5 or 3 of many rows.")
    ] = None,
    test: Annotated[
        str, typer.Option(help="Share of the rows that is put aside for the test, or a file of other rows.")
    ] = "0.2",
    rule: Annotated[
        Literal["one_se", "min"], typer.Option(help="one_se: the simplest within one standard error; min: the best.")
    ] = "one_se",
    metric: Annotated[
        str | None,
        typer.Option(
            help="error_rate, accuracy, balanced, f1, auc, log_loss, brier; rmse, mae, mse, r2; or cost, with --costs."
        ),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help='What answers cost by the truth: \'{"no": {"no": 0, "yes": 1}, "yes": {"no": 10, "yes": 0}}\'.'
        ),
    ] = None,
    task: Annotated[
        Literal["classification", "regression"] | None,
        typer.Option(help="classification or regression, if the target leaves it open."),
    ] = None,
    groups: Annotated[
        str | None, typer.Option(help="A column; rows with the same value in it are held out together.")
    ] = None,
    time: Annotated[
        str | None, typer.Option(help="A column of dates; learners are measured on later rows than they learned from.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="The column of weights.")] = None,
    class_weight: Annotated[
        str | None, typer.Option(help="balanced, or by what each class is multiplied: '{\"yes\": 5}'.")
    ] = None,
    target_transform: Annotated[
        str | None, typer.Option(help="log, log1p or sqrt of a target of numbers; predictions are brought back.")
    ] = None,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="Go on though most rows have no target; they are left out.")
    ] = False,
    budget: Annotated[
        float, typer.Option(min=0, help="Seconds that the study may take; 0: as long as it takes.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the split, the folds and the learners.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="Processes; by default as many as cores.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers do the work.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report, the model, and what a later run goes on from; by default run, or run-2 where "
            "that is of another table."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Compare learners honestly, choose the simplest that is as good as the best, and write report and model."""
    started = now()
    say(f"Reading {', '.join(data)}.")
    from novacula.cli.data import read_table
    from novacula.cli.run_folder import RunOf, take_folder
    from novacula.study import learn as study_of
    from novacula.study.watching import Watcher

    table = read_table(data, target, reading, weight)
    asked: dict[str, Any] = {
        "target": target,
        "learners": learners,
        "without": without,
        "folds": folds,
        "test": test,
        "rule": rule,
    }
    asked |= {"metric": metric, "costs": costs, "task": task, "groups": groups, "time": time, "weight": weight}
    asked |= {"class_weight": class_weight, "target_transform": target_transform, "budget": budget, "seed": seed}
    run = RunOf.of(data, table, asked | reading.for_reading())
    table = table.labelled(most=1.0) if unlabelled else table.labelled()
    folder = take_folder(out, run)
    with resumable(folder), Watcher(lines=True) as watcher, connected(scheduler) as client:
        study = study_of(
            table,
            learners=named(learners),
            without=named(without) or (),
            folds=folds,
            test=test_of(test, target, reading),
            rule=rule,
            metric=metric_of(metric, costs),
            task=task,
            groups=groups,
            time=time,
            keep=reading.keep or (),
            class_weight=weights_of(class_weight),
            target_transform=target_transform,
            budget=None if budget == 0 else max(budget - (now() - started), min(budget, LEAST)),
            random_state=seed,
            jobs=jobs,
            client=client,
            resume=folder,
            watch=watcher,
            command=shlex.join(["novacula", *sys.argv[1:], *([] if out else ["--out", str(folder)])]),
        )
    with resumable(folder):
        written = write(study, folder)
    if json:
        echo_json({**study.to_dict(), **{name: str(path) for name, path in written.items()}})
    else:
        print_study(study, written)
    if getattr(study, "stopped", "").startswith("The study was interrupted"):
        raise typer.Exit(INTERRUPTED)


def named(words: str | None) -> list[str] | None:
    """Names with commas between them."""
    return None if words is None else [name.strip() for name in words.split(",") if name.strip()]


def test_of(test: str, target: str | None, reading: ReadingOptions) -> Any:
    """A share of the rows, or the rows of a file."""
    from novacula.cli.data import read_table

    try:
        return float(test)
    except ValueError:
        return read_table([test], target, reading)


def weights_of(words: str | None) -> Any:
    """`balanced`, or the factors that were typed."""
    import json

    from novacula.errors import ParameterError

    if words is None or not words.startswith("{"):
        return words
    try:
        return dict(json.loads(words))
    except ValueError as error:
        raise ParameterError(f"--class-weight is balanced, or a weight by class: {words!r} is neither") from error


def metric_of(metric: str | None, costs: str | None) -> Any:
    """A metric by its name, or the costs that were typed."""
    import json

    from novacula.errors import ParameterError
    from novacula.evaluate import CostMatrix

    if (metric == "cost") != (costs is not None):
        raise ParameterError("--metric cost and --costs go together: give both of them")
    if costs is None:
        return metric
    example = '{"no": {"no": 0, "yes": 1}, "yes": {"no": 10, "yes": 0}}'
    try:
        table = json.loads(costs)
        answers = list(next(iter(table.values())))
        return CostMatrix(list(table), [[row[answer] for answer in answers] for row in table.values()], answers)
    except (ValueError, KeyError, AttributeError, StopIteration, TypeError) as error:
        raise ParameterError(f"--costs says for each class what each answer costs, as {example}") from error


def write(study: Any, out: Path) -> dict[str, Path]:
    """Report, model and numbers, each in its file."""
    import json

    from novacula.writing import replace_file

    paths = {"report": out / "report.html", "model": out / "model.nova", "numbers": out / "study.json"}
    if study.is_foreign:
        paths.pop("model").unlink(missing_ok=True)  # of an earlier run, whose choice was another
    else:
        study.best_.save(paths["model"])
    replace_file(paths["numbers"], json.dumps(study.to_dict(), ensure_ascii=False, indent=1).encode())
    study.report(paths["report"])  # last: Ctrl-C ends what takes long in it, and is raised again
    return paths


def print_study(study: Any, written: dict[str, Path]) -> None:
    """Print the leaderboard, the choice, the test, the findings, and where everything is."""
    from novacula.study import Study

    if isinstance(study, Study):
        header, rows = study.table()
        print_table(header[:-1], [row[:-1] for row in rows], json=False)
        typer.echo()
        sentences = [*study.sentences(), *study.leaderboard.remarks, *study.findings.lines()]
    else:
        sentences = [str(study)]
    for sentence in sentences:
        print_sentence(sentence)
    model = f"the model in {written['model']}" if "model" in written else "and no model is written"
    typer.echo(f"The report is in {written['report']}, {model}.")


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """A Dask client for the time of a study, if an address is given."""
    if address is None:
        yield None
        return
    from dask.distributed import Client

    with Client(address) as client:
        yield client
