"""The page of a study with a target: what was chosen and why, how well it does, and what that rests on."""

from __future__ import annotations

from novacula.report.blocks import Page, quoted_name
from novacula.report.making import Maker, sections_of
from novacula.report.reading import Reading
from novacula.report.sections.change import change
from novacula.report.sections.data import data
from novacula.report.sections.mistakes import mistakes
from novacula.report.sections.model import model
from novacula.report.sections.opening import opening
from novacula.report.sections.parts import parts
from novacula.report.sections.reproduce import reproduce
from novacula.report.sections.seeing import seeing
from novacula.report.sections.sizes import sizes
from novacula.report.sections.standing import standing
from novacula.study import Study

SECTIONS: tuple[Maker[Reading], ...] = (
    ("data", "The data at a glance", data),
    ("leaderboard", "The leaderboard", standing),
    ("sizes", "How large a model should be", sizes),
    ("mistakes", "How the chosen model errs", mistakes),
    ("parts", "Why the finalists err: bias and variance", parts),
    ("model", "The chosen model", model),
    ("seeing", "What the chosen model looks at", seeing),
    ("change", "What would change this answer", change),
    ("reproduce", "How to reproduce it", reproduce),
)


def study_page(study: Study) -> Page:
    """The whole page."""
    reading = Reading(study)
    title = f"A study of {quoted_name(study.question.target)}"
    lead = f"{study.choice.entry.label} is chosen to predict it."
    return Page(title, lead, tuple(opening(reading)), sections_of(reading, SECTIONS))
