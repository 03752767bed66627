"""The first screen: what the model does and how well, what matters most, what to beware of, how to use it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from novacula.evaluate.metric import Metric
from novacula.explain import Importance
from novacula.report.blocks import Alert, Block, Code, Facts, Paragraph, Pointer, Statement
from novacula.report.reading import Reading
from novacula.report.wording import series
from novacula.study.finding import Finding
from novacula.study.leaderboard import with_interval, with_spread
from novacula.study.verdict import Verdict
from novacula.table.names import quoted_name

SHOWN = 3
"""Warnings that are on the first screen, and columns that are named."""
GRAVEST = (
    "target-copy",
    "giveaway",
    "telling-gap",
    "test-duplicates",
    "ordered",
    "duplicates",
    "contradictions",
    "fewer-rows",
    "drift",
    "new-categories",
)
"""Findings that make the numbers of this page wrong, the gravest first; others come after them."""


def opening(reading: Reading) -> Iterator[Block]:
    """Sentences for somebody who reads no further, and the numbers that the rest of the page is about."""
    study = reading.study
    yield Statement(" ".join(study.headline))
    if isinstance(reading.matters, Importance):
        yield Paragraph(most_important(reading.matters))
    yield from _warnings(reading)
    yield Facts(tuple(_numbers(reading)), large=True)
    yield Paragraph(study.reason)
    if study.test is None:
        yield Paragraph("No rows were put aside for a test, so the error of the choice on new rows was not measured.")
    elif not reading.disappoints:
        yield Paragraph(study.test.sentence)
    yield Paragraph("To predict new rows, in a file with the same columns or in Python:")
    yield Code(how_to_use(study.command, study.is_foreign))


def most_important(importance: Importance) -> str:
    """The columns that matter most, with their share of what all columns matter."""
    if len(importance.names) == 1:
        return f"It looks at one column, {quoted_name(importance.names[0])}."
    gains = importance.rise.clip(min=0.0)
    clear = [j for j in importance.order[:SHOWN] if importance.low[j] > 0.0]
    if not clear:
        return "No single column matters clearly: what one says, others may say as well."
    names = [quoted_name(importance.names[j]) for j in clear]
    shares = [f"{gains[j] / gains.sum():.0%}" for j in clear]
    most = f"What matters most is {names[0]}, with {shares[0]} of what all columns matter together"
    others = [f"{name} with {share}" for name, share in zip(names[1:], shares[1:], strict=True)]
    return f"{most}, then {series(others)}." if others else f"{most}."


def _warnings(reading: Reading) -> Iterator[Block]:
    """The gravest warnings, and where the others are."""
    sentences = warnings(reading)
    for sentence in sentences[:SHOWN]:
        yield Alert(sentence)
    more = len(sentences) - SHOWN
    notes = len(reading.study.findings) - len(reading.study.findings.warnings)
    if more > 0:
        yield Pointer(f"{more} more {'warning' if more == 1 else 'warnings'}, and what else was found", "findings")
    elif notes:
        yield Pointer(f"{notes} {'note' if notes == 1 else 'notes'} on the data", "findings")


def warnings(reading: Reading) -> list[str]:
    """What to beware of, the gravest first."""
    study = reading.study
    own = [study.stopped]
    if reading.blind and len(reading.finished) == 1:
        own.append("No learner but the baseline finished: allow more time with budget= or --budget.")
    if study.test is not None and reading.disappoints:
        own.append(study.test.sentence)
    return [*filter(None, own), *(one.sentence for one in sorted(study.findings.warnings, key=_gravity))]


def _gravity(finding: Finding) -> int:
    return GRAVEST.index(finding.kind) if finding.kind in GRAVEST else len(GRAVEST)


def how_to_use(command: str, is_foreign: bool = False) -> str:
    """The lines that predict new rows: where `novacula learn` has written the model, or where it is to be saved."""
    if is_foreign:
        return "import novacula as nv\nstudy.best_.predict(nv.read('new.csv'))"
    words = shlex.split(command) if command.startswith("novacula ") else []
    given = [after for word, after in pairwise(words) if word == "--out"]
    given += [word.removeprefix("--out=") for word in words if word.startswith("--out=")]
    path = str(Path(given[-1] if given else "run") / "model.nova") if words else "model.nova"
    lines = [
        f"novacula predict {shlex.quote(path)} new.csv",
        "",
        "import novacula as nv",
        f"model = nv.load({path!r})",
        "model.predict(nv.read('new.csv'))",
    ]
    return "\n".join(lines if words else [f"study.best_.save({path!r})", "", *lines])


def test_cell(test: Verdict, measure: Metric) -> str:
    """The error on the test rows as people read it, with its interval."""
    low, high = sorted((measure.shown(test.low), measure.shown(test.high)))
    return with_interval(measure.shown(test.error), low, high)


def _numbers(reading: Reading) -> Iterator[tuple[str, str]]:
    measure = reading.question.metric
    entry, test, baseline = reading.chosen, reading.study.test, reading.baseline
    yield "chosen", entry.label
    yield f"{measure.words} in {len(reading.question.folds)} folds", with_spread(entry, measure)
    if test is not None:
        yield f"{measure.words} on {test.n_rows:,} test rows, with its 95% interval", test_cell(test, measure)
    if baseline is not None and baseline is not entry:
        yield (
            f"{measure.words} of the baseline ({baseline.name.lower()}), which uses no column",
            with_spread(baseline, measure),
        )
