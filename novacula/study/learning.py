"""`learn`: from a table to the simplest model that is as good as the best, in one call.

read the schema  →  put the test rows aside  →  look for trouble  →  race learners and sizes on the same folds
→  choose by the razor  →  fit the choice on all training rows  →  measure it once on the test rows
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from novacula.errors import ParameterError
from novacula.evaluate.metric import MetricLike
from novacula.evaluate.one_standard_error import Rule
from novacula.learner.checkpointing import without_checkpoints
from novacula.study.asking import ask
from novacula.study.candidates import BASELINES, candidates
from novacula.study.clock import Clock
from novacula.study.contender import Contender
from novacula.study.finding import Finding
from novacula.study.guest import guests
from novacula.study.leaderboard import Entry, cells, choice, leaderboard, without_twins
from novacula.study.ledger import Ledger
from novacula.study.out_of_fold import with_honesty
from novacula.study.plan import MANY, plan
from novacula.study.printing import Findings, Leaderboard
from novacula.study.question import Question, Task
from novacula.study.race import Race, Watch
from novacula.study.refit import fit_on_all, refit
from novacula.study.study import Study
from novacula.study.trouble import find_trouble
from novacula.study.verdict import Verdict, verdict
from novacula.study.watching import COMPILES, Watcher
from novacula.table import Table, read
from novacula.table.crew import Alone, Worker, crew, waiting_workers
from novacula.table.interruption import Interruption, noticed
from novacula.table.parallel import thread_count
from novacula.table.time_limit import can_limit_time
from novacula.table.warming import cold_kernels, compile_kernels
from novacula.words import capitalised

WIDE = 100_000
"""Values of a table from which processes are started at once, as they are where trials are needed; below, only if the
race turns out to be long."""
LEARNED_FROM = 0.7
"""The part of the rows of a table that a fold learns from, about."""
LONG = 8.0
"""Seconds of work left for which it pays to start processes."""
SLOW = 4.0
"""Seconds after which a cell is left to a process, which can be ended."""
STRANGE = 1000
"""Rows from which it is strange that nothing can be learned."""
NEARLY_ALL = 0.9
"""The share of a class from which always saying it is hard to beat by the error rate."""
LEFT_OUT = ("identifier", "row-names", "constant", "empty")
"""Findings whose columns no learner is given."""


@without_checkpoints()  # cells have a ledger, and which of them are run depends on what is in it
def learn(
    data: Any,
    target: str | None = None,
    *,
    learners: Sequence[Any] | None = None,
    without: Collection[str] = (),
    folds: int | None = None,
    test: float | Any = 0.2,
    rule: Rule = "one_se",
    metric: MetricLike | None = None,
    task: Task | None = None,
    groups: str | None = None,
    time: str | None = None,
    keep: Collection[str] = (),
    class_weight: str | Mapping[Any, float] | None = None,
    target_transform: str | None = None,
    budget: float | None = 60.0,
    random_state: int = 0,
    jobs: int | None = None,
    client: Any = None,
    resume: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
    command: str = "",
) -> Any:
    """Compare learners on a table, choose the simplest that is as good as the best, and test it once.

    Parameters
    ----------
    data : a Table, a path, a frame; what `novacula.read` takes
    target : the column to learn; a table may name its own. Without one, clusters and densities are looked for
    learners : ids of learners, or words of them; every learner whose card fits, if None. An estimator takes part as it
        is: one of ours with parameters of its own, one of scikit-learn's behind the same preparation, or a pipeline,
        which is given a frame of the columns
    without : ids of learners that take no part
    folds : of cross-validation, the same for all learners; if None 10, 5 from 10,000 rows on and 3 from 100,000
    test : share of the rows that is put aside for one test of the choice, at the end; or a table of other rows
    rule : "one_se", the simplest within one standard error of the best, or "min", the best
    metric : what learners are compared by: "error_rate" (of classes, by default), "accuracy", "balanced", "f1", "auc",
        "log_loss", "brier", "hinge"; "rmse" (of numbers, by default), "mae", "mse", "r2"; a `CostMatrix`, or
        another loss
    task : "classification" or "regression", where the target does not say
    groups : a column; rows with the same value in it are held out together
    time : a column of dates or numbers; learners are measured on rows that come later than those they learned from
    class_weight : "balanced", or by what the weight of the rows of each class is multiplied
    target_transform : "log", "log1p" or "sqrt", which learners learn of the target; predictions are brought back
    keep : columns that take part even if they look like identifiers or never change
    budget : seconds. When time is short, learners that are behind give up sizes, then slow ones get fewer rows.
        None: as long as it takes
    random_state : of the split, the folds and the learners
    jobs : processes; as many as cores if None, none at all for small tables
    client : a `dask.distributed.Client`, whose workers run the cells instead
    resume : a folder in which finished cells are kept, so that none is run twice
    watch : is called after every cell with the state of the race; a progress bar, on a terminal, if None
    command : what repeats this study, for the report

    Examples
    --------
    >>> import novacula as nv
    >>> study = nv.learn(nv.datasets.load("iris"), learners=["naive-bayes", "decision-tree"], folds=5)
    >>> study.choice.entry.name, round(study.choice.entry.error, 3)
    ('Decision tree', 0.042)
    """
    clock = Clock(budget)
    _check(folds, budget, rule)
    table = data if isinstance(data, Table) else read(data)
    table = table if target is None else table.with_target(target)
    if not table.layout.target:
        from novacula.study.unlabelled import explore

        return replace(explore(table, random_state=random_state, budget=budget), command=command)
    if budget is not None and client is None:  # else nothing ends a learner while its loops are compiled
        clock = _with_compiled_loops(jobs, watch, clock)
    table = table.labelled()
    apart = test if isinstance(test, float | int | Table) else read(test)
    with _workers(table, jobs, client) as waiting:
        question = ask(
            table,
            folds=folds,
            test=apart,
            metric=metric,
            task=task,
            seed=random_state,
            groups=groups,
            time=time,
            class_weight=class_weight,
            target_transform=target_transform,
        )
        question, findings = _without_names(question, (*_of_reading(table), *find_trouble(question, keep)))
        names, given = guests(learners, question.task, random_state)
        question = replace(question, guests=given)
        ledger, interruption = Ledger(resume, question.fingerprint), Interruption()
        race = _race(question, candidates(question, names, without), ledger, clock, interruption)
        try:
            with noticed(interruption), Watcher() if watch is None else nullcontext(watch) as watcher:
                _run(race, question, jobs, client, watcher, clock, waiting)
        except KeyboardInterrupt:  # between two races, or while processes are started
            race.interrupt(Alone(question))
    return _finished(race, question, findings, table, rule, clock, command)


def _with_compiled_loops(jobs: int | None, watch: Watch | None, clock: Clock) -> Clock:
    """The clock without the time that all loops took to be compiled, where none is yet: a machine does that once."""
    started, cold = clock.now, cold_kernels()
    if not cold:
        return clock
    if isinstance(watch, Watcher):
        watch.say(COMPILES)
    compile_kernels(cold, jobs, None if watch is None else False)
    return replace(clock, started=clock.started + clock.now - started)


def _workers(table: Table, jobs: int | None, client: Any) -> AbstractContextManager[list[Worker]]:
    """Processes for a study that is certain to need some, which load while the question is settled."""
    places = thread_count() if jobs is None else jobs
    if client is not None or not isinstance(places, int) or places == 1:
        return nullcontext([])
    is_large = not _is_small(int(LEARNED_FROM * len(table)), len(table.layout.features))
    return waiting_workers(places, "novacula.study.at_work") if is_large else nullcontext([])


def _is_small(n_rows: int, n_columns: int) -> bool:
    """Whether a table is so small that it may be studied in this process; rows are those of a fold."""
    return n_rows <= MANY and n_rows * n_columns < WIDE


def _check(folds: int | None, budget: float | None, rule: str) -> None:
    if rule not in get_args(Rule):
        raise ParameterError(f"rule is {rule!r}; it must be {' or '.join(map(repr, get_args(Rule)))}")
    if folds is not None and (not isinstance(folds, int) or isinstance(folds, bool) or folds < 2):
        raise ParameterError(f"folds is {folds!r}; it must be a whole number of at least 2")
    if budget is not None and not budget > 0:
        raise ParameterError(f"budget is {budget!r}; it must be a number of seconds above 0")


def _without_names(question: Question, findings: Sequence[Finding]) -> tuple[Question, Sequence[Finding]]:
    """The question without columns that name rows or say nothing, unless there would be none left."""
    names = {name for finding in findings if finding.kind in LEFT_OUT for name in finding.columns}
    if len(names) < len(question.table.layout.features):
        return question.without(names), findings
    sentence = "No column would be left, so those that look like identifiers or never change take part all the same."
    return question, (*findings, Finding("kept", sentence, gravity="warning"))


def _of_reading(table: Table) -> list[Finding]:
    """What reading the table decided on its own."""
    notes = table.layout.notes
    return [
        Finding("read", f"{capitalised(str(note))}.", () if note.column is None else (note.column,)) for note in notes
    ]


def _of_choice(taken: Entry, question: Question) -> list[Finding]:
    """That nothing was learned from many rows, which is worth a look at the columns; or that the choice is not ours."""
    if question.is_foreign(taken.learner):
        sentence = (
            f"{taken.name} is another library's: no model file can hold it, and it derives nothing. Leave it out to "
            "have the best of the others."
        )
        return [Finding("foreign", sentence, (), "warning")]
    if taken.learner != BASELINES[question.task] or len(question.train) < STRANGE:
        return []
    usual = _share_of_usual(question)
    if usual > NEARLY_ALL and question.metric.name in ("error_rate", "accuracy"):
        sentence = (
            f"The same answer for every row is right for {usual:.1%} of {len(question.train):,} rows, and by the "
            f"{question.metric.words} nothing is clearly better. Whether rare classes can be told shows by another "
            "metric, 'auc' or 'balanced', or by costs."
        )
        return [Finding("nothing-learned", sentence, (), "warning")]
    sentence = (
        f"Nothing was learned from {len(question.train):,} rows: the answer that uses no column is chosen. Look at how "
        "the columns were read (`novacula schema`), and give the study more time."
    )
    return [Finding("nothing-learned", sentence, (), "warning")]


def _share_of_usual(question: Question) -> float:
    """The share of the most frequent class; 0 of numbers."""
    if question.task == "regression":
        return 0.0
    _, codes = np.unique(question.train.y, return_inverse=True)
    count = np.bincount(codes, weights=question.train.weight)
    return float(count.max() / count.sum())


def _race(question: Question, entered: Sequence[Any], ledger: Ledger, clock: Clock, interruption: Interruption) -> Race:
    contenders = [Contender(one, len(question.folds), obstacle=one.obstacle) for one in entered]
    return Race(contenders, ledger, clock.end_of_race, question.extent.n_rows, question.metric, interruption)


def _run(
    race: Race, question: Question, jobs: int | None, client: Any, watch: Watch, clock: Clock, waiting: list[Worker]
) -> None:
    """Run the race: the baseline and what is short in this process, the rest with a crew."""
    race.recall()
    baseline = race.contenders[0]
    race.run(Alone(question), watch, lambda: not baseline.waiting)
    if race.stopped:
        return
    small = _is_small(question.extent.n_rows, question.extent.n_columns)
    has_foreign = any(map(question.is_foreign, question.guests))  # whose loops only the end of their process ends
    starts_here = client is None and (jobs == 1 or (jobs is None and small and can_limit_time() and not has_foreign))
    if starts_here:
        alone = Alone(question)
        _plan(race, question, alone, thread_count() if jobs is None else jobs, clock)
        race.patience = SLOW if jobs is None and thread_count() > 1 else None

        def long() -> bool:
            is_long = race.has_slow_cells or (race.knows_times() and race.seconds_left() > LONG)
            return race.patience is not None and is_long

        if not race.stopped:
            race.run(alone, watch, long)
        if not race.waiting or race.stopped:
            return
    race.patience = None
    with crew(question, jobs, client, waiting) as helpers:
        if not starts_here:
            _plan(race, question, helpers, helpers.places, clock)
        if not race.stopped:
            race.run(helpers, watch)


def _plan(race: Race, question: Question, helpers: Any, places: int, clock: Clock) -> None:
    """Give slow learners fewer sizes or rows, where there is a budget."""
    if race.deadline is not None:
        try:
            helpers.await_workers()
            plan(question, race.contenders, helpers, max(race.deadline - clock.now, 0.0) * places)
        except KeyboardInterrupt:
            race.interrupt(helpers)


def _finished(
    race: Race, question: Question, findings: Sequence[Finding], table: Table, rule: Rule, clock: Clock, command: str
) -> Study:
    """Choose, fit the choice to all rows, find out how far it can be trusted, and test it once."""
    clock = clock.interrupt() if race.interrupted else clock
    for contender in race.contenders:
        contender.settle()
    measured = [entry for contender in race.contenders for entry in cells(contender, race.stopped)]
    if question.task == "regression":
        measured = without_twins(measured, set(filter(question.is_foreign, question.guests)))
    taken = choice(measured, rule, question.task, question.metric)
    fitted = refit(taken.entry, question, clock)
    fitted, answers = with_honesty(fitted, question, taken.entry, clock)
    measured_model = fitted.model if question.n_drawn_from else None
    tested: Verdict | None = None
    met: Sequence[Finding] = ()
    try:
        if question.test is not None:
            tested, met = verdict(fitted.model, question, taken.entry)
        if question.n_drawn_from:
            fitted = fit_on_all(taken.entry, question, table, fitted, clock)
    except KeyboardInterrupt:
        stopped = "The study was interrupted before the choice was tested and fitted to all rows."
        fitted = replace(fitted, stopped=stopped)
    return Study(
        question,
        rule,
        tuple(measured),
        Leaderboard(leaderboard(measured, taken.entry)),
        taken,
        fitted.model,
        tested,
        Findings((*findings, *_of_choice(taken.entry, question), *fitted.findings, *met)),
        clock.seconds,
        race.stopped or fitted.stopped,
        command,
        fitted.n_rows,
        clock,
        measured_model,
        answers,
    )
