"""The desk: scratch that is made once for all nodes."""

from typing import Any, NamedTuple

import numpy as np

from novacula.tree.growing._kernels.inlined import maker

TOTAL, KNOWN, LOST, LEFT, RIGHT, JOINED_LEFT, JOINED_RIGHT, TERM = np.arange(8)
"""Rows of class weights in `work`. They are no Python numbers, of which each would make a function of its own."""


class Desk(NamedTuple):
    """Arrays for c codes in C columns, K classes, F features and at most b branches."""

    table: Any  # (c, K) class weights of codes; zero between nodes
    seen: Any  # (c,) the seen codes of each column, rising
    n_seen: Any  # (C,)
    gone: Any  # (C, K) class weights of missing codes
    side: Any  # (c,) partitions in two
    work: Any  # (8, K) rows as the constants say
    order: Any  # (b,) codes by their share of a class
    share: Any  # (b,) that share
    found: Any  # (F, 4) gain (−1: no test is allowed), split information, place of the threshold, those it pays for
    known: Any  # (b, K) class weights of known examples in each branch
    counts: Any  # (b, K) the same with the missing ones
    to_branch: Any  # (b,) branch of a code
    to_class: Any  # (K,) branch of missing examples of a class, −1: every branch
    shares: Any  # (b,) of known weight
    start: Any  # (b,) where a branch's entries begin, −1: not wanted
    at: Any  # (b,) where they go on
    run: Any  # (b,) which run of equal values came last


@maker
def new_desk(K, offsets, F):
    """A desk for K classes and F features, with columns of codes whose cells begin at offsets (C + 1,)."""
    C, cells, width = len(offsets) - 1, offsets[-1], 2
    for j in range(C):
        width = max(width, offsets[j + 1] - offsets[j])
    return Desk(
        np.zeros((cells, K)), np.zeros(cells, np.int32), np.zeros(C, np.int32), np.zeros((C, K)),
        np.zeros(cells, np.int32), np.zeros((8, K)), np.zeros(width, np.int64), np.zeros(width), np.zeros((F, 4)),
        np.zeros((width, K)), np.zeros((width, K)), np.zeros(width, np.int32), np.zeros(K, np.int32), np.zeros(width),
        np.zeros(width, np.int64), np.zeros(width, np.int64), np.zeros(width, np.int64),
    )  # fmt: skip


class Bench(NamedTuple):
    """More scratch, for n rows, where deviations from medians are compared; empty elsewhere."""

    rank: Any  # (n,) of a row in its node, by its number, from 1 on
    value: Any  # (n + 1,) the number of each rank
    fenwick: Any  # (n + 1, 2) weights and sums by rank, as a Fenwick tree
    sequence: Any  # (n,) rows in the order of a feature
    ends: Any  # (n + 1,) whether a branch may end with the row at a place
    deviations: Any  # (n, 4) of the rows before a place or from it on
    start: Any  # (b + 2,) where each code begins in the sequence
    turn: Any  # (b,) the place of a code among those seen
    base: Any  # (F,) the deviations of what a test on a feature divides
    sides: Any  # (F, 2) the deviations of the two branches of the best test on a feature
    parts: Any  # (c,) the deviations of each code's branch
    low: Any  # (b,) the rank of the lower median of a branch
    high: Any  # (b,) that of the upper one
    upto: Any  # (b,) the weight up to a place


@maker
def new_bench(n, offsets, F):
    """A bench for n rows and F features."""
    width = 2
    for j in range(len(offsets) - 1):
        width = max(width, offsets[j + 1] - offsets[j])
    return Bench(
        np.zeros(n, np.int64), np.zeros(n + 1), np.zeros((n + 1, 2)), np.zeros(n, np.int64), np.zeros(n + 1, np.bool_),
        np.zeros((n, 4)), np.zeros(width + 2, np.int64), np.zeros(width, np.int64), np.zeros(F), np.zeros((F, 2)),
        np.zeros(offsets[-1]), np.zeros(width, np.int64), np.zeros(width, np.int64), np.zeros(width),
    )  # fmt: skip
