"""The page of a table without a target: how many clusters, what they are like, which density describes the rows."""

from __future__ import annotations

from collections.abc import Iterator

from novacula.report.blocks import (
    Alert,
    Block,
    Code,
    Facts,
    FigureBlock,
    FoldedBlock,
    Page,
    Paragraph,
    Points,
    TableBlock,
    number,
)
from novacula.report.making import Maker, sections_of
from novacula.report.sections.data import column_grid, kinds_in_words, missing_in_words
from novacula.report.sections.model import model_blocks
from novacula.report.sections.reproduce import versions, what_stays_the_same
from novacula.study.exploration import Exploration
from novacula.table.interruption import Interruption, noticed
from novacula.table.names import name_of


def exploration_page(exploration: Exploration) -> Page:
    """The whole page."""
    title = f"What is in {name_of(exploration.table.source.name)}"
    lead = "There is no target: clusters, directions and a density were looked for."
    interruption = Interruption()
    with noticed(interruption):
        sections = sections_of(exploration, SECTIONS, interruption)
    return Page(title, lead, tuple(_opening(exploration)), sections, interruption.happened)


def _opening(exploration: Exploration) -> Iterator[Block]:
    for finding in exploration.findings:
        if finding.gravity == "warning":
            yield Alert(finding.sentence)
    facts = [
        ("clusters", str(exploration.n_clusters)),
        ("rows", f"{len(exploration.table):,}"),
        ("columns", f"{len(exploration.table.layout.features):,}"),
    ]
    if exploration.density:
        facts.append(("describes the rows best", exploration.density[0].name))
    yield Facts(tuple(facts), large=True)
    yield Paragraph(exploration.reason)


def _data(exploration: Exploration) -> Iterator[Block]:
    columns = exploration.table.schema.features
    yield Paragraph(f"{len(exploration.table):,} rows were explored, with {kinds_in_words(columns)}")
    yield Paragraph(missing_in_words(columns, len(exploration.table)))
    notes = tuple(finding.sentence for finding in exploration.findings if finding.gravity != "warning")
    if notes:
        yield Points(notes)
    yield FoldedBlock("The columns", (column_grid(columns, "Columns"),))


def _clusters(exploration: Exploration) -> Iterator[Block]:
    yield TableBlock.of(exploration.profile_table())
    special = [f"Cluster {one.cluster}: {'; '.join(one.traits)}." for one in exploration.profiles if one.traits]
    if special:
        yield Points(tuple(special))
    if exploration.mixtures:
        yield FoldedBlock("The mixtures that were tried", (TableBlock.of(exploration.mixture_table()),))


def _pictures(exploration: Exploration) -> Iterator[Block]:
    for title, figure in exploration.figures():
        yield FigureBlock.of(figure, "" if figure.title else title)


def _directions(exploration: Exploration) -> Iterator[Block]:
    yield Paragraph("A direction is a weighted sum of the prepared columns; the first has the most variance.")
    yield TableBlock.of(exploration.loadings_table())


def _density(exploration: Exploration) -> Iterator[Block]:
    if not exploration.density:
        yield Paragraph("No densities were compared: rows are too few, time was short, or no column has a density.")
        return
    yield Paragraph(exploration.density_reason)
    yield TableBlock.of(exploration.density_table())


def _model(exploration: Exploration) -> Iterator[Block]:
    yield from model_blocks(exploration.best_, exploration.best_.card)


def _reproduce(exploration: Exploration) -> Iterator[Block]:
    yield Paragraph(f"{what_stays_the_same(bool(exploration.stopped))} The call:")
    yield Code(
        exploration.command
        or f"import novacula as nv\n\nexploration = nv.learn(table, random_state={exploration.seed})"
    )
    yield Facts((("seed", str(exploration.seed)), ("time", f"{number(exploration.seconds)} s"), *versions()))


SECTIONS: tuple[Maker[Exploration], ...] = (
    ("data", "The data at a glance", _data),
    ("clusters", "The clusters", _clusters),
    ("pictures", "What it looks like", _pictures),
    ("directions", "Directions", _directions),
    ("density", "Densities", _density),
    ("model", "The model of the clusters", _model),
    ("reproduce", "How to reproduce it", _reproduce),
)
