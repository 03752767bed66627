"""The chosen model: its figures, its derivation with the numbers put in, and its card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from novacula.learner.card import Card
from novacula.learner.work import Step, Work, WorkTable
from novacula.report.blocks import Block, FigureBlock, FoldedBlock, Fragment, Paragraph, plain
from novacula.report.reading import Reading
from novacula.study.leaderboard import short

FIRST, LAST = 30, 5
"""Steps of a long work that are shown."""
DRAWN = 6
"""Figures of a work that are shown."""


def model(reading: Reading) -> Iterator[Block]:
    """The model that was chosen, and on how many rows it was fitted."""
    entry = reading.chosen
    yield Paragraph(
        f"{entry.label}, fitted on {reading.study.n_fitted:,} rows. It has {_parameters(entry.n_parameters)} on "
        "average over the folds: the numbers that one would need to predict as it does."
    )
    yield from model_blocks(reading.study.best_, reading.card)


def _parameters(number: float) -> str:
    return "1 parameter" if number == 1.0 else f"{short(number)} parameters"


def model_blocks(fitted: Any, card: Card) -> Iterator[Block]:
    """Figures first; the work and the card folded away."""
    work = fitted.work()
    figures = [step.figure for step in work if step.figure is not None]
    for figure in figures[:DRAWN]:
        yield FigureBlock.of(figure)
    if len(figures) > DRAWN:
        yield Paragraph(f"{len(figures) - DRAWN} more figures are left out.")
    yield FoldedBlock("The work: every number derived", (Fragment(work_html(work), "The work of the model"),))
    yield FoldedBlock("The card: what this learner assumes", (Fragment(card._repr_html_(), "The card of the learner"),))


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
