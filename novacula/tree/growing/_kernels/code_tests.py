"""The best test on a column of codes: a cut where they have an order, else a branch for each or a partition in two."""

from numba import int64

from novacula.tree.constants import (
    FRACTIONAL,
    GROUPING,
    IMPURITY,
    MIN_LEAF,
    MOST_COMMON_IN_CLASS,
    NOISE,
    ORDERED,
    STRATEGY,
    SUBSET,
)
from novacula.tree.growing._kernels.desk import JOINED_LEFT, KNOWN, LEFT, LOST, RIGHT, TOTAL
from novacula.tree.growing._kernels.inlined import add_row, copy_row, inner, row_sum, sort_by_key, zero_row
from novacula.tree.growing._kernels.judging import (
    accept_test,
    charge_threshold,
    consider_two_branches,
    least_weight,
    split_information,
    spread,
    starting_spread,
)

EXHAUSTIVE = 10
"""Categories up to which every partition into two is tried."""


@inner
def search_codes(f, data, settings, desk):
    """The best test on a feature that is a column of codes, into desk.found."""
    j, rules, limits, logs = data.place[f], settings.rules, settings.limits, settings.logs
    a, t, work, found = data.offsets[j], desk.n_seen[j], desk.work, desk.found
    copy_row(work, LOST, desk.gone, j)
    _count_known(desk.table, a, desk.seen, t, work)
    for i in range(t):
        desk.order[i] = i
    found[f, 0] = -1.0
    if data.kind[f] == ORDERED:
        n, n_gone = row_sum(work, TOTAL), row_sum(work, LOST)
        enough = least_weight(n, n_gone, work.shape[1], rules, limits)
        tries = _cut_codes(found, f, desk.table, a, desk.seen, desk.order, t, enough, work, rules, logs, desk.side)
        charge_threshold(found, f, tries, n, rules)
        return
    if rules[GROUPING] == SUBSET:
        _group_codes(
            found, f, desk.table, a, desk.seen, desk.order, desk.share, t, work, rules, limits, logs, desk.side
        )
    else:
        _split_codes(found, f, desk.table, a, desk.seen, t, work, rules, limits, logs)
    charge_threshold(found, f, int64(1), 1.0, rules)


@inner
def _count_known(table, a, codes, t, work):
    """The class weights KNOWN of t codes, whose rows of the table begin at a."""
    zero_row(work, KNOWN)
    for i in range(t):
        add_row(work, KNOWN, table, a + codes[a + i], 1.0)


@inner
def _cut_codes(found, f, table, a, codes, order, t, enough, work, rules, logs, side):
    """The best cut between neighbours in an order of t codes, into row f of found.

    order[i] is a place in codes[a:]. The codes before the cut get side 0, the others 1. Gives how many cuts there were.
    """
    zero_row(work, LEFT)
    copy_row(work, RIGHT, work, KNOWN)
    n, n_gone, before = row_sum(work, TOTAL), row_sum(work, LOST), starting_spread(work, rules, logs)
    tries, first = 0, RIGHT
    for i in range(t - 1):
        cell = a + codes[a + order[i]]
        first = LEFT if order[i] == 0 else first
        add_row(work, LEFT, table, cell, 1.0)
        add_row(work, RIGHT, table, cell, -1.0)
        verdict = consider_two_branches(found, f, work, before, n, n_gone, enough, first, rules, logs)
        tries += verdict > 0
        if verdict == 2:
            found[f, 2] = i + 1
            for j in range(t):
                side[a + codes[a + order[j]]] = 0 if j <= i else 1
    return tries


@inner
def _group_codes(found, f, table, a, codes, order, share, t, work, rules, limits, logs, side):
    """The best partition of t codes in two: of few codes, or of two classes if branches are as their codes make them.

    Of many codes with more classes, or where missing examples join a branch or a branch must hold enough, it is the
    best along the share of any class. The lowest code is on side 0.
    """
    K = work.shape[1]
    if t < 2:
        return
    joins = rules[STRATEGY] != FRACTIONAL and row_sum(work, LOST) > 0.0
    enough = limits[MIN_LEAF] * (1.0 - NOISE)
    if t <= EXHAUSTIVE and (K > 2 or joins or enough > 0.0):
        _halve_codes(found, f, table, a, codes, t, enough, work, rules, logs, side)
    else:
        for k in range(1 if K == 2 else 0, K):
            for i in range(t):
                cell = a + codes[a + i]
                share[i] = table[cell, k] / row_sum(table, cell)
            sort_by_key(order, t, share)
            _cut_codes(found, f, table, a, codes, order, t, enough, work, rules, logs, side)
    if found[f, 0] >= 0.0 and side[a + codes[a]] == 1:
        for i in range(t):
            side[a + codes[a + i]] = 1 - side[a + codes[a + i]]


@inner
def _halve_codes(found, f, table, a, codes, t, enough, work, rules, logs, side):
    """Try every partition of few codes in two; the lowest code is always on side 0."""
    n, n_gone, before = row_sum(work, TOTAL), row_sum(work, LOST), starting_spread(work, rules, logs)
    for mask in range(1, (1 << t) - 1, 2):
        zero_row(work, LEFT)
        zero_row(work, RIGHT)
        for i in range(t):
            add_row(work, LEFT if (mask >> i) & 1 else RIGHT, table, a + codes[a + i], 1.0)
        if consider_two_branches(found, f, work, before, n, n_gone, enough, LEFT, rules, logs) == 2:
            for i in range(t):
                side[a + codes[a + i]] = 0 if (mask >> i) & 1 else 1


@inner
def _split_codes(found, f, table, a, codes, t, work, rules, limits, logs):
    """A branch for each of t codes, into row f of found."""
    n, n_gone, after, information, heavy = row_sum(work, TOTAL), row_sum(work, LOST), 0.0, 0.0, 0
    enough = limits[MIN_LEAF] * (1.0 - NOISE)
    if rules[STRATEGY] == FRACTIONAL:
        enough *= 1.0 - n_gone / n
    for k in range(work.shape[1]):  # JOINED_LEFT: the branch that missing examples of a class join
        work[JOINED_LEFT, k] = -1.0
        if n_gone > 0.0 and rules[STRATEGY] != FRACTIONAL:
            most = _heaviest(table, a, codes, t, k) if rules[STRATEGY] == MOST_COMMON_IN_CLASS else -1
            work[JOINED_LEFT, k] = most if most >= 0 else _heaviest(table, a, codes, t, int64(-1))
    for i in range(t):
        for k in range(work.shape[1]):
            joins = work[JOINED_LEFT, k] == i
            work[LEFT, k] = table[a + codes[a + i], k] + (work[LOST, k] if joins else 0.0)
        weight = row_sum(work, LEFT)
        heavy += weight >= enough
        after += spread(work, LEFT, weight, rules[IMPURITY], logs)
        information += split_information(weight, n)
    if t >= 2 and heavy >= 2:
        accept_test(found, f, (starting_spread(work, rules, logs) - after) / n, information, work, rules)


@inner
def _heaviest(table, a, codes, t, k):
    """Which of t codes has most weight, in class k or in all where k is −1; ties go to the first; −1 if none has."""
    best, most = -1, 0.0
    for i in range(t):
        cell = a + codes[a + i]
        weight = row_sum(table, cell) if k < 0 else table[cell, k]
        if weight > most * (1.0 + NOISE):
            best, most = i, weight
    return best
