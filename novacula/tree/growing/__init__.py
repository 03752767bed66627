"""Growing a tree: from rows in memory exactly or on bins, from files and clusters on bins, by the same search."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.statistics import QuantileSketch
from novacula.statistics.histogram import bin_codes
from novacula.statistics.quantiles import Bins, column_bins
from novacula.table import Chunk, Table
from novacula.table.chunk import Codes, Floats
from novacula.table.parallel import map_ordered
from novacula.tree.attributes import Attribute, attribute_codes
from novacula.tree.growing.candidates import (
    Candidates,
    ClassCandidates,
    DeviationCandidates,
    NumberCandidates,
)
from novacula.tree.growing.coded_columns import CodedColumns
from novacula.tree.growing.exact import Grower, TreeExamples
from novacula.tree.growing.kinds import ClassKind, DeviationKind, GrowthKind, NumberKind
from novacula.tree.growing.levels import grow_by_levels
from novacula.tree.growing.problem import Features, Rules
from novacula.tree.growing.target_scale import TargetScale
from novacula.tree.structure import Integers, Tree

STREAM_BINS = 256
"""Bins of a numeric column where its values cannot be sorted as a whole."""
CODED_ROWS = 1 << 14
"""Rows whose bins are found at once."""


@dataclass(frozen=True)
class Grown:
    """A tree level by level, what was found at its first nodes, and how many thresholds each attribute offered."""

    tree: Any  # of the kind that was asked for
    candidates: Any
    cuts: Integers  # (F,)


def grow_tree(
    table: Table,
    attributes: tuple[Attribute, ...],
    cut_places: tuple[int, ...],
    kind: GrowthKind,
    total: Floats,
    rules: Rules,
    max_bins: int | None,
) -> Grown:
    """Grow from a table of whose rows total (K,) is known."""
    if table.is_local:
        return _in_memory(table, attributes, cut_places, kind, rules, max_bins)
    bins = _sketch_bins(table, attributes, STREAM_BINS if max_bins is None else max_bins)
    features = Features.of(attributes, bins)
    columns = CodedColumns(attributes, cut_places, bins, features)
    tree, candidates = grow_by_levels(table, columns, total, kind, rules)
    return _by_level(tree, candidates, attributes, [len(column.edges) for column in bins])


def _in_memory(
    table: Table,
    attributes: tuple[Attribute, ...],
    cut_places: tuple[int, ...],
    kind: GrowthKind,
    rules: Rules,
    max_bins: int | None,
) -> Grown:
    chunk = table.to_chunk()
    codes, bins = attribute_codes(chunk, attributes, cut_places), None
    if max_bins is not None:
        bins, codes = _bin_columns(chunk, codes, attributes, max_bins)
    features = Features.of(attributes, bins)
    grower = Grower(TreeExamples(chunk.numeric, codes, *kind.examples(chunk)), features, kind, rules)
    tree, candidates = grower.grow()
    offered = grower.n_cuts if bins is None else [len(column.edges) for column in bins]
    return _by_level(tree, candidates, attributes, offered)


def _bin_columns(
    chunk: Chunk, codes: Codes, attributes: tuple[Attribute, ...], max_bins: int
) -> tuple[tuple[Bins, ...], Codes]:
    """The bins of the numeric attributes, and the codes of each column, these after the given ones."""
    places = [a.place for a in attributes if a.kind == "numeric"]
    n_before = codes.shape[1]
    all_codes = np.empty((len(codes), n_before + len(places)), np.int32)
    all_codes[:, :n_before] = codes

    def bins_of(place: int) -> Bins:
        return column_bins(chunk.numeric[:, place], chunk.weight, max_bins)

    with closing(map_ordered(bins_of, places)) as found:
        bins = tuple(found)
    edges = [column.edges for column in bins]
    x = chunk.numeric if places == list(range(chunk.numeric.shape[1])) else chunk.numeric[:, places]

    def fill(start: int) -> None:
        rows = slice(start, start + CODED_ROWS)
        all_codes[rows, n_before:] = bin_codes(x[rows], edges)

    with closing(map_ordered(fill, range(0, len(all_codes), CODED_ROWS))) as filled:
        deque(filled, maxlen=0)
    return bins, all_codes


def _by_level(tree: Tree, candidates: Candidates, attributes: tuple[Attribute, ...], offered: Sequence[int]) -> Grown:
    """The nodes level by level; offered are the thresholds of the numeric attributes."""
    number = np.full(len(tree), -1, np.int64)
    order = tree.order()
    number[order] = np.arange(len(order))
    cuts = np.zeros(len(attributes), np.int64)
    cuts[[a.kind == "numeric" for a in attributes]] = np.maximum(np.array(offered, np.int64), 0)
    return Grown(tree.by_level(order), candidates.renumbered(number), cuts)


def _sketch_bins(table: Table, attributes: tuple[Attribute, ...], max_bins: int) -> tuple[Bins, ...]:
    places = tuple(a.place for a in attributes if a.kind == "numeric")
    if not places:
        return ()
    return table.reduce(QuantileSketch.observe, 1, places).bins(max_bins)


__all__ = [
    "ClassCandidates",
    "ClassKind",
    "DeviationCandidates",
    "DeviationKind",
    "Grown",
    "NumberCandidates",
    "NumberKind",
    "Rules",
    "TargetScale",
    "grow_tree",
]
