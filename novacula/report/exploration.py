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
    name_of,
    number,
)
from novacula.report.making import Maker, sections_of
from novacula.report.sections.data import column_grid, kinds_in_words, missing_in_words
from novacula.report.sections.model import drawn
from novacula.report.sections.reproduce import versions
from novacula.study.exploration import Exploration


def exploration_page(found: Exploration) -> Page:
    """The whole page."""
    title = f"What is in {name_of(found.table.source.name)}"
    lead = "There is no target: clusters, directions and a density were looked for."
    return Page(title, lead, tuple(_opening(found)), sections_of(found, SECTIONS))


def _opening(found: Exploration) -> Iterator[Block]:
    for finding in found.findings:
        if finding.gravity == "warning":
            yield Alert(finding.sentence)
    facts = [
        ("clusters", str(found.n_clusters)),
        ("rows", f"{len(found.table):,}"),
        ("columns", f"{len(found.table.layout.features):,}"),
    ]
    if found.density:
        facts.append(("describes the rows best", found.density[0].name))
    yield Facts(tuple(facts), large=True)
    yield Paragraph(found.reason)


def _data(found: Exploration) -> Iterator[Block]:
    columns = found.table.schema.features
    yield Paragraph(f"{len(found.table):,} rows were explored. {kinds_in_words(columns)}")
    yield Paragraph(missing_in_words(columns, len(found.table)))
    notes = tuple(finding.sentence for finding in found.findings if finding.gravity != "warning")
    if notes:
        yield Points(notes)
    yield FoldedBlock("The columns", (column_grid(columns, "Columns"),))


def _clusters(found: Exploration) -> Iterator[Block]:
    yield TableBlock.of(found.profile_table())
    special = [f"Cluster {one.cluster}: {'; '.join(one.telling)}." for one in found.profiles if one.telling]
    if special:
        yield Points(tuple(special))
    if found.mixtures:
        yield FoldedBlock("The mixtures that were tried", (TableBlock.of(found.mixture_table()),))


def _pictures(found: Exploration) -> Iterator[Block]:
    for title, figure in found.figures():
        yield FigureBlock.of(figure, "" if figure.title else title)


def _directions(found: Exploration) -> Iterator[Block]:
    yield Paragraph("A direction is a weighted sum of the prepared columns; the first has the most variance of all.")
    yield TableBlock.of(found.loadings_table())


def _density(found: Exploration) -> Iterator[Block]:
    if not found.density:
        yield Paragraph("No densities were compared: rows are too few, time was short, or no column has a density.")
        return
    yield Paragraph(found.density_reason)
    yield TableBlock.of(found.density_table())


def _model(found: Exploration) -> Iterator[Block]:
    yield from drawn(found.best_, found.best_.card)


def _reproduced(found: Exploration) -> Iterator[Block]:
    yield Paragraph("The same table, seed and versions give the same numbers, but for times. The call:")
    yield Code(found.command or f"import novacula as nv\n\nfound = nv.learn(table, random_state={found.seed})")
    yield Facts((("seed", str(found.seed)), ("time", f"{number(found.seconds)} s"), *versions()))


SECTIONS: tuple[Maker[Exploration], ...] = (
    ("data", "The data at a glance", _data),
    ("clusters", "The clusters", _clusters),
    ("pictures", "What it looks like", _pictures),
    ("directions", "Directions", _directions),
    ("density", "Densities", _density),
    ("model", "The model of the clusters", _model),
    ("reproduce", "How to reproduce it", _reproduced),
)
