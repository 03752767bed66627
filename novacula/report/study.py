"""The page of a study with a target: what was chosen and why, how well it does, and what that rests on."""

from __future__ import annotations

from novacula.report.blocks import Page
from novacula.report.making import Maker, blocks_of, sections_of
from novacula.report.reading import Reading
from novacula.report.sections.change import change
from novacula.report.sections.costs import costs
from novacula.report.sections.data import data
from novacula.report.sections.findings import findings
from novacula.report.sections.mistakes import mistakes
from novacula.report.sections.model import model
from novacula.report.sections.opening import opening
from novacula.report.sections.parts import parts
from novacula.report.sections.reproduce import reproduce
from novacula.report.sections.seeing import seeing
from novacula.report.sections.sizes import sizes
from novacula.report.sections.standing import standing
from novacula.report.sections.wrong_rows import wrong_rows
from novacula.study import Study
from novacula.table.interruption import noticed
from novacula.table.names import quoted_name

SECTIONS: tuple[Maker[Reading], ...] = (
    ("findings", "What to beware of", findings),
    ("seeing", "What the chosen model looks at", seeing),
    ("mistakes", "How the chosen model errs", mistakes),
    ("wrong", "The rows it is most wrong on", wrong_rows),
    ("costs", "What mistakes cost, and where to cut", costs),
    ("change", "What would change this answer", change),
    ("leaderboard", "The leaderboard", standing),
    ("sizes", "How large a model should be", sizes),
    ("model", "The chosen model", model),
    ("parts", "Why the finalists err: bias and variance", parts),
    ("data", "The data at a glance", data),
    ("reproduce", "How to reproduce it", reproduce),
)
"""Parts that take long stand in the order of their use, since the time may not be enough for all of them."""

LEFT_OUT = {"classification": (), "regression": ("costs",)}
"""Sections that say nothing of a task."""


def study_page(study: Study, seconds: float | None = None) -> Page:
    """The whole page, made in so many seconds, or in what is left of the study's budget."""
    reading = Reading(study, seconds)
    title = f"A study of {quoted_name(study.question.target)}"
    lead = f"{study.choice.entry.label} is chosen to predict it."
    interruption = reading.interruption
    makers = [maker for maker in SECTIONS if maker[0] not in LEFT_OUT[study.question.task]]
    with noticed(interruption):
        first = tuple(blocks_of(opening, reading, interruption))
        sections = sections_of(reading, makers, interruption)
    return Page(title, lead, first, sections, interruption.happened)
