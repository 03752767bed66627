"""`explore`: what is in a table without a target: directions, clusters, a density.

leave out what names rows  →  prepare the columns  →  principal components  →  k-means of every size
→  Gaussian mixtures by BIC  →  the number of clusters, and why  →  densities compared on rows left out
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from novacula.errors import DataError, ParameterError, SchemaError
from novacula.mixture import KMeans
from novacula.prepare.preparation import Preparation
from novacula.projection import PCA
from novacula.study.clusters import find_clusters, out_of_time
from novacula.study.densities import compare_densities
from novacula.study.exploration import Exploration
from novacula.study.finding import Finding
from novacula.study.profile import profile_clusters
from novacula.study.trouble import find_table_trouble
from novacula.study.trouble.columns import MAX_COLUMNS, columns_named, features_of
from novacula.study.trouble.find import by_gravity
from novacula.table import Table, read
from novacula.table.equal_rows import equal_rows

MAX_ROWS = 20_000
"""Rows that are explored; of a longer table they are drawn at random."""
MAX_CELLS = 2_000_000
"""Values that are explored, but not fewer than 1,000 rows."""
FEWEST_ROWS = 4
"""Rows below which there is nothing to explore."""
LARGEST = 10
"""Clusters that are tried, at most."""
STEPS, SPIKE = 10, 1 / 3
"""A column of numbers has a density if it has this many distinct values, and none with more than this share."""


def explore(data: Any, *, random_state: int = 0, budget: float | None = None) -> Exploration:
    """Look for clusters, directions and a density in a table without a target.

    `data` is a Table, a path or a frame; a target is left out. `budget` is seconds: when they are used up, no more
    mixtures are tried, and densities are not compared.

    >>> import novacula as nv
    >>> flowers = explore(nv.datasets.load("iris"))
    >>> flowers.n_clusters, [profile.size for profile in flowers.profiles]
    (2, [100, 50])
    """
    if budget is not None and not budget > 0:
        raise ParameterError(f"budget is {budget!r}; it must be a number of seconds above 0")
    started = time.monotonic()
    deadline = None if budget is None else started + budget
    whole = data if isinstance(data, Table) else read(data)
    whole = whole.drop(whole.layout.target) if whole.layout.target else whole
    table, findings = _sample(whole, random_state)
    findings += find_table_trouble(table, random_state)
    table, left_out = _without_names(table, findings)
    names, no_density = _with_density(table)
    dense = table.select(names) if names else None
    preparation, prepared = _prepared(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warnings of a size are in its note
        pca = PCA().fit(prepared)
        sizes = KMeans.search(prepared, range(1, _largest(prepared) + 1), random_state=random_state)
        clusters = find_clusters(table, dense, prepared, sizes, random_state, deadline)
        densities = () if dense is None else compare_densities(dense, clusters, random_state, deadline)
    profiles = profile_clusters(table, prepared, clusters.labels)
    every_finding = by_gravity([*findings, *left_out, *no_density])
    late = "The budget of time was used up: mixtures or densities are left out." if out_of_time(deadline) else ""
    seconds = time.monotonic() - started
    return Exploration(
        table,
        prepared,
        preparation,
        pca,
        sizes,
        clusters,
        densities,
        profiles,
        every_finding,
        random_state,
        seconds,
        late,
    )


def _largest(prepared: Table) -> int:
    """Clusters that can be tried: no more than there are distinct rows."""
    return min(LARGEST, len(equal_rows(prepared.to_chunk().numeric)))


def _sample(table: Table, seed: int) -> tuple[Table, list[Finding]]:
    """The table in memory, or as many of its rows as are explored."""
    n, width = len(table), max(sum(column.width for column in table.layout.features), 1)
    if n < FEWEST_ROWS:
        raise DataError(
            f"{table.source.name} has {n} rows, and there is nothing to explore in fewer than {FEWEST_ROWS}"
        )
    most = min(MAX_ROWS, max(MAX_CELLS // width, 1000))
    if n <= most:
        return table.in_memory(), []
    rows = np.sort(np.random.default_rng(seed).choice(n, most, replace=False))
    return table.take(rows), [Finding("sampled", f"{most:,} of {n:,} rows are explored, drawn at random.")]


def _without_names(table: Table, findings: Sequence[Finding]) -> tuple[Table, list[Finding]]:
    """The table without columns that have no distances, or that would make all rows different."""

    def of_kind(*kinds: str) -> list[str]:
        return [name for finding in findings if finding.kind in kinds for name in finding.columns]

    reasons = {
        "texts have no distance": [column.name for column in table.layout.of_kind("text")],
        "sparse blocks are not explored": [column.name for column in table.layout.of_kind("sparse")],
        "identifiers make all rows different": of_kind("identifier"),
        "infinity has no distance": of_kind("infinite"),
        f"only the first {MAX_COLUMNS:,} columns are taken": [
            column.name for column in table.layout.features[MAX_COLUMNS:]
        ],
    }
    left_out = {name for names in (*reasons.values(), of_kind("empty", "constant")) for name in names}
    kept = [column.name for column in table.layout.features if column.name not in left_out]
    more = [
        Finding("left-out", f"{columns_named(names)} {_is(names)} left out of the exploration: {why}.", tuple(names))
        for why, names in reasons.items()
        if names
    ]
    if not kept:
        why = " ".join(finding.sentence for finding in more)
        raise SchemaError(f"{table.source.name} has no column of numbers or categories that varies. {why}".rstrip())
    return table.select(kept).in_memory(), more


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _with_density(table: Table) -> tuple[list[str], list[Finding]]:
    """Numeric columns fit for a density: a mixture would put a spike without width on a value that comes often."""
    numeric = [one for one in features_of(table.to_chunk(), table.layout) if one.column.kind == "numeric"]
    fit = [
        one.name
        for one in numeric
        if len(one.counts) >= STEPS and one.counts.max() <= max(SPIKE * len(one.known_values), 1)
    ]
    steps = [one.name for one in numeric if one.name not in fit]
    if not steps:
        return fit, []
    sentence = (
        f"{columns_named(steps)} {_is(steps)} left out of mixtures and densities, in which a value that comes often "
        f"would be a spike without width; k-means, components and profiles use {'it' if len(steps) == 1 else 'them'}."
    )
    return fit, [Finding("no-density", sentence, tuple(steps))]


def _prepared(table: Table) -> tuple[Preparation, Table]:
    """Numbers on one scale, categories as columns of 0 and 1, gaps filled and marked."""
    preparation, _ = Preparation.find(table, KMeans.card, max_words=1)
    return preparation, table.expanded(preparation.apply, preparation.columns(table.layout.roles)).in_memory()
