"""The chosen model: its figures, its derivation with the numbers put in, and its card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from novacula.learner.card import Card
from novacula.learner.work import Step, Work, WorkTable
from novacula.report.blocks import Block, FigureBlock, FoldedBlock, Fragment, Paragraph, plain
from novacula.report.reading import Reading
from novacula.report.sections.one_column import over_one_column
from novacula.report.sections.pictures import own_pictures
from novacula.study.leaderboard import short

FIRST, LAST = 30, 5
"""Steps of a long work that are shown."""
MEANING = {
    "naive": " Its structure is naive: no column depends on another, given the class.",
    "tan": " Its structure is a tree-augmented naive one (tan): each column may depend on one other beside the class.",
}
"""What sizes that are words mean."""


def model(reading: Reading) -> Iterator[Block]:
    """The model that was chosen, and on how many rows it was fitted."""
    entry = reading.chosen
    meaning = MEANING.get(str(entry.size), "")
    yield Paragraph(
        f"{entry.label}, fitted on {reading.study.n_fitted:,} rows. It has {_parameters(entry.n_parameters)} on "
        f"average over the folds: the numbers that one would need to predict as it does.{meaning}"
    )
    over = over_one_column(reading)
    if over is not None:
        yield FigureBlock.of(over)
    yield from model_blocks(reading.study.best_, reading.card, folded=over is not None)


def _parameters(number: float) -> str:
    return "1 parameter" if number == 1.0 else f"{short(number)} parameters"


def model_blocks(fitted: Any, card: Card, folded: bool = False) -> Iterator[Block]:
    """Figures first, or folded away as the work and the card are."""
    work = fitted.work()
    pictures = tuple(own_pictures(fitted, work))
    yield from (FoldedBlock("The figures of the learner itself", pictures),) if folded else pictures
    yield FoldedBlock("The work: every number derived", (Fragment(work_html(work), "The work of the model"),))
    own = replace(card, expected_failures={})  # which is for those who test it
    yield FoldedBlock("The card: what this learner assumes", (Fragment(own._repr_html_(), "The card of the learner"),))


def work_html(work: Work) -> str:
    """The work without its figures, which are shown above it, and without the middle of what is long."""
    steps = [replace(step, figure=None) for step in work]
    told = tuple(step for step in steps if step != Step(step.title))
    capped = replace(work, steps=told).capped(FIRST, LAST)
    brief = replace(
        capped, title=plain(work.title), steps=tuple(map(_brief, capped)), notes=tuple(map(plain, work.notes))
    )
    return brief.to_html()


def _brief(step: Step) -> Step:
    """A step whose texts are a few lines at most, however long the names in them."""
    table = step.table
    if table is not None:
        rows = (tuple(plain(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows)
        table = WorkTable(tuple(map(plain, table.header)), tuple(rows), plain(table.caption))
    return replace(step, title=plain(step.title), note=plain(step.note), table=table)
