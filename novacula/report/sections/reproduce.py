"""How to reproduce it: seed, folds, versions, the hash of the data, and the call."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version
from pprint import pformat

from novacula.evaluate.metric import METRICS
from novacula.learner.registry import learners
from novacula.report.blocks import Block, Code, Facts, Paragraph, number
from novacula.report.reading import Reading
from novacula.study.candidates import BASELINES
from novacula.table.names import name_of
from novacula.version import __version__

WIDTH = 80
"""Characters of a line of a long list."""
LIBRARIES = ("numpy", "scipy", "scikit-learn")


def reproduce(reading: Reading) -> Iterator[Block]:
    """The call, and what else decides the numbers."""
    study, question = reading.study, reading.question
    yield Paragraph(f"{what_stays_the_same(study.clock.budget is not None)} The call:")
    yield Code(study.command or call(reading))
    facts = [
        ("table", name_of(question.table.source.name)),
        ("hash of rows, split and measure", question.fingerprint),
        ("seed", str(question.seed)),
        ("folds", str(len(question.folds))),
        (
            "rows",
            f"{len(question.train):,} to learn from, {0 if question.test is None else len(question.test):,} to test",
        ),
        ("rule", study.rule),
        ("measure", reading.measure),
        ("time", f"{number(study.seconds)} s"),
        *versions(),
    ]
    yield Facts(tuple(facts))


def what_stays_the_same(timed: bool) -> str:
    """What the same table, seed and versions give again, where a budget of time decides on sizes and rows, or not.

    >>> what_stays_the_same(timed=False)
    'The same table, seed and versions give the same numbers, except times.'
    """
    same = "The same table, seed and versions give the same numbers, except times"
    if not timed:
        return f"{same}."
    return (
        f"{same}, as long as time is not short: within its budget a slower or busier machine tries fewer learners, "
        "sizes and rows, and a quicker one more."
    )


def versions() -> Iterator[tuple[str, str]]:
    """Names and versions of what was running."""
    yield "Novacula", __version__
    yield "Python", platform.python_version()
    for name in LIBRARIES:
        yield name, version(name)


def share(part: int, whole: int) -> float:
    """The roundest share that gives this part of the whole.

    >>> share(114, 569), share(3, 14), share(0, 9)
    (0.2, 0.2, 0.0)
    """
    portions = (round(part / whole, digits) for digits in range(1, 17))
    return next((portion for portion in portions if round(portion * whole) == part), part / whole)


def call(reading: Reading) -> str:
    """The call of `learn` that repeats this study, where the study does not know its command."""
    study, question = reading.study, reading.question
    n_test = 0 if question.test is None else len(question.test)
    arguments = {
        "target": question.target,
        "folds": len(question.folds),
        "test": share(n_test, n_test + len(question.train)),
        "rule": study.rule,
        "budget": study.clock.budget,
        "task": question.task,
        "random_state": question.seed,
    }
    named = [entry.learner for entry in study.leaderboard]
    usual = {name for name, kind in learners().items() if kind.card.task == question.task and kind.card.in_studies}
    if set(named) != usual | {BASELINES[question.task]}:
        arguments["learners"] = [question.estimator(name) for name in sorted(named)]
    lines = []
    for name, value in arguments.items():
        words = pformat(value, width=WIDTH).replace("\n", "\n" + " " * (len(name) + 5))
        lines.append(f"    {name}={words},")
    if question.metric != METRICS.get(question.metric.name):
        lines.append("    metric=metric,  # as it was given")
    else:
        lines.append(f"    metric={question.metric.name!r},")
    return "\n".join(["import novacula as nv", "", "study = nv.learn(", "    table,", *lines, ")"])
