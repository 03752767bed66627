"""Cross-validation of a path of penalties, from sums by fold where there are sums.

A row's fold comes from what it holds and a seed. So neither the order of rows nor how they are cut changes the folds,
and rows that are alike are never on both sides. Folds are about equally large; those that get no row are left out.

    error = Σ W_f e_f / Σ W_f        standard error = √(Σ W_f (e_f − error)² / Σ W_f / (K − 1))

for the mean squared errors e_f of K folds of weight W_f. With sums, those of a training set are the sums of the other
folds, and e_f follows from the sums of fold f: one pass over the rows serves every fold and every penalty.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np

from novacula.errors import DataError
from novacula.linear.lasso.path import LassoTerms, solve_path
from novacula.linear.lasso.sums import GramSums, RowsSums, Total, n_columns, targets
from novacula.linear.rows import stored_precision, weighted_sums
from novacula.linear.solve import EPS, NormalEquations
from novacula.statistics import Bundle, CoMoments
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.table.memory import ArraySource, MemorySource, SparseSource
from novacula.table.row_keys import row_keys

PIECE = 1 << 22
"""Numbers of a piece of a chunk whose rows are hashed at once: sparse columns are made dense for that."""


def fold_numbers(chunk: Chunk, n_folds: int, seed: int) -> Floats:
    """The fold of each row."""
    step = max(1, PIECE // max(n_columns(chunk), 1))
    keys = [row_keys(chunk.rows(i, i + step), seed) for i in range(0, max(len(chunk), 1), step)]
    return (np.concatenate(keys) % np.uint64(n_folds)).astype(np.float64)


def fold_moments(chunk: Chunk, n_folds: int, seed: int) -> Bundle:
    """The moments of the rows of each fold."""
    fold = fold_numbers(chunk, n_folds, seed)
    return Bundle(tuple(CoMoments.observe(chunk.take(fold == i)) for i in range(n_folds)))


def validate_sums(moments: Bundle, alphas: Floats, terms: LassoTerms, centred: bool) -> tuple[Floats, Floats]:
    """Mean squared errors of folds that are left out and their standard errors (m, k), from sums by fold."""
    folds = [part for part in moments.parts if isinstance(part, CoMoments) and part.weight > 0.0]
    require_folds(len(folds))
    errors = []
    for i, left_out in enumerate(folds):
        rest = reduce(add, folds[:i] + folds[i + 1 :])
        system = NormalEquations.of(rest, np.full(len(terms.factor), EPS), centred)
        coef, _, _ = solve_path(GramSums(rest, system, flat=False), terms, alphas)
        errors.append(errors_of_sums(left_out, coef, system.centre))
    return mean_over_folds(np.array(errors), np.array([fold.weight for fold in folds]))


def errors_of_sums(moments: CoMoments, coef: Floats, centre: Floats) -> Floats:
    """Mean squared errors (m, k) of planes through `centre` with these slopes (m, k, d)."""
    d, shift = coef.shape[2], moments.mean - centre
    bias = shift[d:] - coef @ shift[:d]
    explained = np.einsum("mkd,mkd->mk", coef @ moments.xx(d), coef) - 2.0 * np.einsum(
        "mkd,dk->mk", coef, moments.xy(d)
    )
    left = np.diagonal(moments.yy(d)) + explained
    return np.maximum(left, 0.0) / moments.weight + bias**2


def validate_rows(
    table: Table, alphas: Floats, terms: LassoTerms, centred: bool, n_folds: int, seed: int
) -> tuple[Floats, Floats]:
    """The same from rows, which are held in memory for it."""
    fold, table = table.map(fold_numbers, n_folds, seed), in_memory(table)
    weight = table.to_chunk().weight
    used_folds = [i for i in range(n_folds) if weight[fold == i].sum() > 0.0]
    require_folds(len(used_folds))
    errors, sizes = [], []
    for i in used_folds:
        training = table.reweighted(np.where(fold == i, 0.0, weight))
        sums, _ = RowsSums.of(training, stored_precision(training), centred, flat=False)
        coef, _, _ = solve_path(sums, terms, alphas)
        left_out = table.reweighted(np.where(fold == i, weight, 0.0))
        errors.append(left_out.reduce(squared_errors, coef, sums.columns.centre).value / weight[fold == i].sum())
        sizes.append(weight[fold == i].sum())
    return mean_over_folds(np.array(errors), np.array(sizes))


def squared_errors(chunk: Chunk, coef: Floats, centre: Floats) -> Total:
    """Σ w (y − ŷ)² (m, k) for planes through `centre` with these slopes (m, k, d)."""
    chunk = chunk.counted()
    m, k, d = coef.shape
    slopes = coef.reshape(m * k, d)
    fitted = weighted_sums(chunk, slopes.T, -slopes @ centre[:d]).reshape(len(chunk), m, k)
    missed = (targets(chunk) - centre[d:])[:, None, :] - fitted
    return Total(np.tensordot(chunk.weight, missed**2, axes=1))


def in_memory(table: Table) -> Table:
    """The same rows as a source in memory."""
    if table.is_local:
        return table
    chunk = table.to_chunk()
    source: MemorySource
    if chunk.sparse is not None:
        source = SparseSource(chunk.sparse, chunk.target, chunk.weight)
    else:
        names = [column.name for column in table.layout.of_kind("numeric")]
        source = ArraySource(chunk.numeric, chunk.target, chunk.weight, names)
    return Table(source, replace(table.layout, n_rows=len(chunk)), unseen=table.unseen, progress=False)


def require_folds(n_folds: int) -> None:
    """Refuse to validate on rows that were learned from."""
    if n_folds < 2:
        raise DataError("alpha='cv' finds rows for one fold only, as with one sample: give more rows that differ")


def mean_over_folds(errors: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Mean and standard error over folds, each as heavy as its rows, of errors (K, m, k)."""
    share = weights / weights.sum()
    mean = np.tensordot(share, errors, axes=1)
    variance = np.tensordot(share, (errors - mean) ** 2, axes=1)
    return mean, np.sqrt(variance / (len(weights) - 1))
