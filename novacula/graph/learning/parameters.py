"""Learning the parameters of a network whose graph is known: one pass of counting, or EM where cells are empty.

Rows that know every cell are counted once. Of the others the E-step takes expected counts by exact inference; where
all nodes are discrete, equal rows are grouped first, so that a step costs as much as there are distinct ones; if these
are too many to be kept, or a node is continuous, a step is a pass over the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from novacula.errors import DataError, DataWarning, warn_user
from novacula.graph.families import Family, tables_of
from novacula.graph.inference.rows import Expected, Inference, Structure, expect_incomplete, expect_patterns
from novacula.graph.learning.estimates import FamilySolver, TablePrior, log_likelihood
from novacula.graph.learning.family_counts import FamilyCounts
from novacula.graph.learning.patterns import MOST_CELLS, SortedRows
from novacula.graph.learning.starts import NetworkStarts, given_families
from novacula.graph.learning.trace import GraphTrace
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Cells, Variables
from novacula.learner.expectation_maximization import EMResult, expectation_maximization
from novacula.statistics import Bundle, ClassMoments
from novacula.table import Chunk, Table
from novacula.table.chunk import Codes, Floats
from novacula.table.parallel import map_ordered, tree_sum

BLOCK = 2048
"""Patterns that one thread takes at a time."""


@dataclass(frozen=True)
class NetworkSettings:
    """The settings of a learner of networks that parameters depend on."""

    prior: TablePrior
    var_smoothing: float
    init: Any
    n_init: int
    max_iter: int
    tol: float
    random_state: Any


@dataclass(frozen=True)
class Learned:
    """Families with what they were solved from; `run` is the climb of EM, None where one pass sufficed."""

    families: dict[str, Family]
    counts: FamilyCounts
    log_likelihood: float
    run: EMResult[Any, Any] | None
    trace: GraphTrace | None = None


def learn_parameters(table: Table, dag: Dag, variables: Variables, settings: NetworkSettings) -> Learned:
    """The families of a graph from the rows of a table."""
    structure = Structure.of(dag, variables)
    cells = Cells.of(variables, table.layout)
    parts: Any = table.reduce(survey_rows, cells, structure).parts
    family_counts, columns = parts
    solver = _solver(structure, columns, settings)
    if not variables.hidden and family_counts.incomplete == 0.0:
        families = solver.families(family_counts)
        learned = Learned(families, family_counts, log_likelihood(family_counts, families, structure.layout), None)
    else:
        learned = _climb(table, cells, solver, structure, family_counts, settings)
    _report(learned, solver)
    return learned


def survey_rows(chunk: Chunk, cells: Cells, structure: Structure) -> Bundle:
    """What is known of each family and of each column."""
    numbers = cells.numbers(chunk)
    columns = ClassMoments.observe(replace(chunk, numeric=np.ascontiguousarray(numbers)))
    return Bundle((FamilyCounts.of_rows(cells.codes(chunk), numbers, chunk.weight, structure.layout), columns))


def _solver(structure: Structure, columns: ClassMoments, settings: NetworkSettings) -> FamilySolver:
    weight = columns.weight[0]
    for name, known in zip(structure.variables.continuous, weight, strict=True):
        if not known > 0.0:
            raise DataError(f"column {name!r} has no value in any row: drop it")
    variance = columns.ssd[0] / weight
    # A column that does not vary counts as one of variance 1.
    varies = np.where(variance > 0.0, variance, 1.0)
    floor = np.maximum(settings.var_smoothing * varies, np.finfo(np.float64).tiny)
    return FamilySolver(
        structure.dag, structure.variables, structure.layout, settings.prior, floor, columns.mean[0], varies
    )


def _climb(
    table: Table,
    cells: Cells,
    solver: FamilySolver,
    structure: Structure,
    family_counts: FamilyCounts,
    settings: NetworkSettings,
) -> Learned:
    given = given_families(settings.init, structure.dag.parents, structure.variables)
    # A zero in a given table is knowledge: it stays under any prior.
    allowed = {node: family.table > 0.0 for node, family in tables_of(given).items()}
    solver = replace(solver, allowed=allowed)
    e_step = _e_step(table, cells, structure)
    seeds = check_random_state(settings.random_state).randint(2**31, size=settings.n_init)
    result = expectation_maximization(
        e_step,
        solver.families,
        NetworkStarts(solver, family_counts, given, tuple(seeds.tolist())),
        n_init=settings.n_init,
        tol=settings.tol,
        max_iter=settings.max_iter,
        log_prior=solver.log_prior,
    )
    if result.statistics is None:
        raise DataError(f"EM could not make a step from its start: {result.sentence}")
    trace = None
    if isinstance(e_step, _GroupedRows):
        trace = GraphTrace.of(e_step.blocks, e_step.whole, structure, result.path)
    return Learned(result.params, result.statistics, result.log_likelihood, result, trace)


def _e_step(table: Table, cells: Cells, structure: Structure) -> _GroupedRows | _AllRows:
    """Over distinct rows, if all nodes are discrete and there are few of them, else over the table."""
    if structure.variables.continuous:
        whole = table.reduce(FamilyCounts.observe, cells, structure.layout, True)
        return _AllRows(table, cells, structure, whole)
    rows = table.reduce(SortedRows.observe, cells, structure.layout, MOST_CELLS)
    if rows.patterns.too_many:
        return _AllRows(table, cells, structure, rows.whole)
    return _GroupedRows(rows.patterns.blocks(BLOCK), structure, rows.whole)


@dataclass(frozen=True)
class _GroupedRows:
    """The E-step over distinct rows of codes."""

    blocks: list[tuple[Codes, Floats]]
    structure: Structure
    whole: FamilyCounts

    def __call__(self, families: Mapping[str, Family]) -> tuple[FamilyCounts, float]:
        """Counts of whole rows and expected counts of patterns, and the log-likelihood of all."""
        inference = Inference.of(self.structure, families)
        with closing(map_ordered(partial(expect_patterns, inference=inference), self.blocks)) as parts:
            return _together(self.whole, tree_sum(parts), families, self.structure)


@dataclass(frozen=True)
class _AllRows:
    """The E-step as a pass over the table."""

    table: Table
    cells: Cells
    structure: Structure
    whole: FamilyCounts

    def __call__(self, families: Mapping[str, Family]) -> tuple[FamilyCounts, float]:
        """Counts of whole rows and expected counts of the others, and the log-likelihood of all."""
        expected = self.table.reduce(expect_incomplete, self.cells, Inference.of(self.structure, families))
        return _together(self.whole, expected, families, self.structure)


def _together(
    whole: FamilyCounts, expected: Expected, families: Mapping[str, Family], structure: Structure
) -> tuple[FamilyCounts, float]:
    known = log_likelihood(whole, families, structure.layout)
    total = replace(expected.counts, weight=0.0, incomplete=0.0) + whole  # whose weight is that of all rows
    return total, known + expected.log_likelihood


def _report(learned: Learned, solver: FamilySolver) -> None:
    """Warn of EM that did not converge, and of configurations that nothing is known of."""
    if learned.run is not None and not learned.run.converged:
        from sklearn.exceptions import ConvergenceWarning

        warn_user(f"EM: {learned.run.sentence}", ConvergenceWarning)
    silent = solver.never_seen(learned.counts)
    if silent:
        warn_user(
            f"{silent} configurations of parents occur in no row, so their tables are even, or those of all rows "
            "together where a node is continuous; m above 0 says that this is meant",
            DataWarning,
        )
