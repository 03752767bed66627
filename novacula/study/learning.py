"""`learn`: from a table to the simplest model that is as good as the best, in one call.

read the schema  →  put the test rows aside  →  look for trouble  →  race learners and sizes on the same folds
→  choose by the razor  →  fit the choice on all training rows  →  measure it once on the test rows
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from novacula.errors import ParameterError
from novacula.evaluate.loss import LossFunction
from novacula.evaluate.one_standard_error import Rule
from novacula.learner.checkpointing import without_checkpoints
from novacula.learner.registry import find
from novacula.study.candidates import candidates
from novacula.study.cell import build, message_line
from novacula.study.contender import Contender
from novacula.study.finding import Finding
from novacula.study.leaderboard import Entry, choice, entry
from novacula.study.ledger import Ledger
from novacula.study.plan import PATIENCE, plan
from novacula.study.question import Question, Task, ask, subsample
from novacula.study.race import Race, Watch
from novacula.study.study import Study
from novacula.study.trouble import find_trouble
from novacula.study.verdict import verdict
from novacula.study.watching import Watcher
from novacula.table import Table, read
from novacula.table.crew import Alone, crew
from novacula.table.parallel import thread_count

WIDE = 300_000
"""Values of a table from which processes are started at once; below, only if the race turns out to be long."""
LONG = 8.0
"""Seconds of work left for which it pays to start processes."""


@without_checkpoints()  # cells have a ledger, and which of them are run depends on what is in it
def learn(
    data: Any,
    target: str | None = None,
    *,
    learners: Sequence[str] | None = None,
    folds: int = 10,
    test: float = 0.2,
    rule: Rule = "one_se",
    metric: str | LossFunction | None = None,
    task: Task | None = None,
    budget: float | None = None,
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
    learners : ids of learners, or words of them; every learner whose card fits, if None
    folds : of cross-validation; the same for all learners
    test : share of the rows that is put aside for one test of the choice, at the end
    rule : "one_se", the simplest within one standard error of the best, or "min", the best
    metric : a loss by name or a `Loss`; the error rate ("zero_one") or the mean squared error ("squared") by default
    task : "classification" or "regression", where the target does not say
    budget : seconds; large sizes are dropped first, and slow learners are given fewer rows
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
    started = time.monotonic()
    _check(folds, budget, rule)
    table = data if isinstance(data, Table) else read(data)
    table = table if target is None else table.with_target(target)
    if not table.layout.target:
        from novacula.study.unlabelled import explore

        return replace(explore(table, random_state=random_state, budget=budget), command=command)
    question = ask(table, folds=folds, test=test, metric=metric, task=task, seed=random_state)
    findings = find_trouble(question)
    ledger = Ledger(resume, question.fingerprint)
    contenders = [
        Contender(candidate, len(question.folds), obstacle=candidate.obstacle)
        for candidate in candidates(question, learners)
    ]
    race = Race(contenders, ledger, None if budget is None else started + budget)
    with Watcher() as watcher:
        _run(race, question, jobs, client, watcher if watch is None else watch, budget)
    entries = [entry(contender, rule, race.stopped) for contender in contenders]
    taken = choice(entries, rule, question.task)
    model, fit_findings, n_fitted = _refit(taken.entry, question)
    tested = None if question.test is None else verdict(model, question.test, question.metric, taken.entry)
    if question.n_drawn_from:
        model, n_fitted, finding = _fit_on_all(taken.entry, question, table, model, n_fitted)
        fit_findings = [*fit_findings, finding]
    entries.sort(key=lambda one: (one.status != "finished", one.error, one.n_parameters))
    return Study(
        question,
        rule,
        tuple(entries),
        taken,
        model,
        tested,
        (*findings, *fit_findings),
        time.monotonic() - started,
        race.stopped,
        command,
        n_fitted,
    )


def _check(folds: int, budget: float | None, rule: str) -> None:
    if rule not in get_args(Rule):
        raise ParameterError(f"rule is {rule!r}; it must be {' or '.join(map(repr, get_args(Rule)))}")
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 2:
        raise ParameterError(f"folds is {folds!r}; it must be a whole number of at least 2")
    if budget is not None and not budget > 0:
        raise ParameterError(f"budget is {budget!r}; it must be a number of seconds above 0")


def _run(race: Race, question: Question, jobs: int | None, client: Any, watch: Watch, budget: float | None) -> None:
    """Run the race: in this process as long as it is short, then with a crew."""
    small = question.extent.n_rows * question.extent.n_columns < WIDE
    patience = PATIENCE if budget is None else budget
    starts_here = client is None and (jobs == 1 or (jobs is None and small))
    if starts_here:
        alone = Alone(question)
        plan(question, race.contenders, alone, patience * (thread_count() if jobs is None else jobs))

        def long() -> bool:
            return jobs is None and race.knows_times() and race.seconds_left() > LONG

        race.run(alone, watch, long)
        if not race.waiting or race.stopped:
            return
    with crew(question, jobs, client) as helpers:
        if not starts_here:
            plan(question, race.contenders, helpers, patience * helpers.places)
        race.run(helpers, watch)


def _refit(taken: Entry, question: Question) -> tuple[Any, list[Finding], int]:
    """The choice, fitted on the training rows, what it warned of, and on how many rows it was fitted."""
    rows = subsample(question.train, _rows_to_refit(taken, question), question.seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = rows.fit(build(taken.learner, taken.size, question.task, question.seed))
    sentences = dict.fromkeys(message_line(warning.message) for warning in caught)
    findings = [Finding("fit", f"The chosen model warned: {sentence}", (), "warning") for sentence in sentences]
    return model, findings, len(rows)


def _fit_on_all(taken: Entry, question: Question, table: Table, tested: Any, rows: int) -> tuple[Any, int, Finding]:
    """The choice fitted on every row of a table too large to hold, if it streams; else the model that was tested."""
    n = question.n_drawn_from
    if "stream" not in find(taken.learner).card.scales:
        sentence = f"The model was fitted on {rows:,} of {n:,} rows, since {taken.name} needs all its rows in memory."
        return tested, rows, Finding("sampled", sentence)
    if question.task == "classification" and table.layout[question.target].kind == "numeric":
        table = table.with_types({question.target: "categorical"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it gave its warnings on the rows that were drawn
        model = build(taken.learner, taken.size, question.task, question.seed).fit(table)
    sentence = (
        f"The test measured the model fitted on {rows:,} rows drawn at random; the returned model was then "
        f"fitted on all {n:,} rows."
    )
    return model, n, Finding("sampled", sentence)


def _rows_to_refit(taken: Entry, question: Question) -> int | None:
    """All rows, or those that the learner had in the race if all would take more than a hundred times as long."""
    if taken.rows is None:
        return None
    growth = (len(question.train) / taken.rows) ** _exponent(taken.learner)
    return taken.rows if growth > 100.0 else None


def _exponent(learner: str) -> float:
    return float(find(learner).card.cost_exponents.get("n", 1.0))
