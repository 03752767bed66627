"""What to beware of: every warning and every note, in order of gravity."""

from __future__ import annotations

from collections.abc import Iterator

from novacula.report.blocks import Alert, Block, Paragraph, Points
from novacula.report.reading import Reading
from novacula.report.sections.opening import warnings


def findings(reading: Reading) -> Iterator[Block]:
    """Warnings, then notes."""
    grave = warnings(reading)
    for sentence in grave:
        yield Alert(sentence)
    notes = tuple(one.sentence for one in reading.study.findings if one.gravity != "warning")
    if notes:
        yield Points(notes)
    if not grave and not notes:
        yield Paragraph("Nothing was found in the data that would make these numbers wrong.")
