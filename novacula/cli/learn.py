"""`novacula learn`: from a table to a leaderboard, a report and a model file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from novacula.cli.output import echo_json, print_table, say
from novacula.cli.stopping import INTERRUPTED, resumable


def learn(
    data: Annotated[list[str], typer.Argument(help="A file, several, a glob, or a data set by name.")],
    target: Annotated[
        str | None, typer.Option(help="The column to learn; without one, clusters are looked for.")
    ] = None,
    learners: Annotated[
        str | None, typer.Option(help="Learners, separated by commas; by default all that fit.")
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of cross-validation.")] = 10,
    test: Annotated[float, typer.Option(help="Share of the rows that is put aside for the test.")] = 0.2,
    rule: Annotated[
        Literal["one_se", "min"], typer.Option(help="one_se: the simplest within one standard error; min: the best.")
    ] = "one_se",
    metric: Annotated[
        str | None, typer.Option(help="zero_one (the error rate), log, brier, hinge; squared, absolute.")
    ] = None,
    task: Annotated[
        Literal["classification", "regression"] | None,
        typer.Option(help="classification or regression, if the target leaves it open."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be given several times.")] = None,
    weight: Annotated[str | None, typer.Option(help="The column of weights.")] = None,
    budget: Annotated[float | None, typer.Option(help="Seconds that the study may take.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the split, the folds and the learners.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="Processes; by default as many as cores.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers do the work.")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for the report, the model, and what a later run goes on from.")
    ] = Path("run"),
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare learners honestly, choose the simplest that is as good as the best, and write report and model."""
    say(f"Reading {', '.join(data)}; the first study on a machine compiles kernels, which takes up to a minute.")
    from novacula.cli.data import read_table
    from novacula.study import learn as study_of
    from novacula.study.watching import Watcher

    table = read_table(data, target, drop or (), weight)
    out.mkdir(parents=True, exist_ok=True)
    with resumable(out), Watcher(lines=True) as watcher, connected(scheduler) as client:
        study = study_of(
            table,
            learners=None if learners is None else [name.strip() for name in learners.split(",") if name.strip()],
            folds=folds,
            test=test,
            rule=rule,
            metric=metric,
            task=task,
            budget=budget,
            random_state=seed,
            jobs=jobs,
            client=client,
            resume=out,
            watch=watcher,
            command=shlex.join(["novacula", *sys.argv[1:]]),
        )
    with resumable(out):
        written = write(study, out)
    if json:
        echo_json({**study.to_dict(), **{name: str(path) for name, path in written.items()}})
    else:
        print_study(study, written)
    if getattr(study, "stopped", "").startswith("The study was interrupted"):
        raise typer.Exit(INTERRUPTED)


def write(study: Any, out: Path) -> dict[str, Path]:
    """Report, model and numbers, each in its file."""
    import json

    from novacula.writing import replace_file

    paths = {"report": out / "report.html", "model": out / "model.nova", "numbers": out / "study.json"}
    study.report(paths["report"])
    study.best_.save(paths["model"])
    replace_file(paths["numbers"], json.dumps(study.to_dict(), ensure_ascii=False, indent=1).encode())
    return paths


def print_study(study: Any, written: dict[str, Path]) -> None:
    """Print the leaderboard, the choice, the test, the findings, and where everything is."""
    from novacula.study import Study

    if isinstance(study, Study):
        header, rows = study.table()
        print_table(header[:-1], [row[:-1] for row in rows], json=False)
        typer.echo()
        remarks = [entry.remark for entry in study.leaderboard if entry.remark]
        sentences = [*remarks, *study.sentences(), *(finding.sentence for finding in study.findings)]
    else:
        sentences = [str(study)]
    for sentence in sentences:
        typer.echo(sentence)
    typer.echo(f"The report is in {written['report']}, the model in {written['model']}.")


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """A Dask client for the time of a study, if an address is given."""
    if address is None:
        yield None
        return
    from dask.distributed import Client

    with Client(address) as client:
        yield client
