"""The opening: warnings first, then the choice, its reason, and the error on rows that no learner had seen."""

from __future__ import annotations

from collections.abc import Iterator

from novacula.report.blocks import Alert, Block, Facts, Paragraph, number
from novacula.report.reading import Reading


def opening(reading: Reading) -> Iterator[Block]:
    """Warnings, the choice in a sentence, the test in another, and the numbers that matter most."""
    study = reading.study
    for finding in study.findings:
        if finding.gravity == "warning":
            yield Alert(finding.sentence)
    if study.stopped:
        yield Alert(study.stopped)
    if study.test is not None and study.test.surprising:
        yield Alert(study.test.sentence)
    yield Facts(tuple(_numbers(reading)), large=True)
    yield Paragraph(study.reason)
    if study.test is None:
        yield Paragraph("No rows were put aside for a test, so the error of the choice on new rows was not measured.")
    elif not study.test.surprising:
        yield Paragraph(study.test.sentence)


def _numbers(reading: Reading) -> Iterator[tuple[str, str]]:
    entry, test, baseline = reading.chosen, reading.study.test, reading.baseline
    yield "chosen", entry.label
    yield f"{reading.measure} in {len(reading.question.folds)} folds", with_error(entry.error, entry.standard_error)
    if test is not None:
        yield (
            f"{reading.measure} on {test.n_rows:,} test rows, with its 95% interval",
            f"{number(test.error)} ({number(test.low)} to {number(test.high)})",
        )
    if baseline is not None and baseline is not entry:
        yield (
            f"{reading.measure} of the baseline ({baseline.name.lower()}), which uses no column",
            with_error(baseline.error, baseline.standard_error),
        )


def with_error(value: float, standard_error: float) -> str:
    """A mean and its standard error, where that is known."""
    spread = number(standard_error)
    return f"{number(value)} ± {spread}" if spread else number(value)
