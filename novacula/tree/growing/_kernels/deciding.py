"""One node, of which each feature's best test is known: which to take, what its branches hold, whether it counts."""

import numpy as np
from numba import int64

from novacula.tree.constants import (
    EXPONENTIAL,
    FRACTIONAL,
    GONE,
    GROUPING,
    MAX_DEPTH,
    MIN_GAIN,
    MIN_SPLIT,
    MOST_COMMON_IN_CLASS,
    NOISE,
    NOMINAL,
    ORDERED,
    RATIO,
    RATIO_ABOVE_MEAN,
    ROW,
    SHAPE,
    SORTED,
    SQUARE,
    STRATEGY,
    SUBSET,
    TINY,
)
from novacula.tree.growing._kernels.desk import TOTAL
from novacula.tree.growing._kernels.inlined import add_row, copy_row, inner, row_sum, zero_row


@inner
def decide(arena, lo, hi, mass, data, settings, desk):
    """The feature to test, −1 for none, how many branches that has, and which of them most known examples take."""
    f = _choose(desk.found, settings)
    if f >= 0 and desk.found[f, 0] >= settings.limits[MIN_GAIN] - TINY:
        n_branches = _branches(f, arena, lo, hi, mass, data, settings, desk)
        default = _settle(n_branches, settings, desk)
        if _significant(n_branches, settings, desk):
            return f, n_branches, default
    return -1, 0, -1


@inner
def _choose(found, settings):
    """The feature whose test scores best, −1 if none is allowed."""
    rules, floor, positive = settings.rules, 0.0, 0
    if rules[RATIO] == RATIO_ABOVE_MEAN:
        for f in range(len(found)):
            if found[f, 0] > 0.0:
                floor += found[f, 0]
                positive += 1
        floor = floor / positive * (1.0 - NOISE) if positive else 0.0
    best, highest = -1, 0.0
    for f in range(len(found)):
        score = found[f, 0]
        if score < 0.0 or score < floor:
            continue
        if rules[SHAPE] == SQUARE:
            score = score * score
        elif rules[SHAPE] == EXPONENTIAL:
            score = 2.0**score - 1.0
        score *= settings.discount[f]
        if rules[RATIO]:
            score /= found[f, 1]
        if best < 0 or score > highest * (1.0 + NOISE):
            best, highest = f, score
    return best


@inner
def _branches(f, arena, lo, hi, mass, data, settings, desk):
    """The branches of the best test on a feature: desk.known, desk.to_branch; gives how many."""
    j, cut, known, y = data.place[f], int64(desk.found[f, 2]), desk.known, data.y
    if data.kind[f] == SORTED:
        zero_row(known, int64(0))
        zero_row(known, int64(1))
        entries = arena[1 + j, lo:hi]
        for p in range(len(entries)):
            if entries[p] & GONE:
                break
            row = entries[p] & ROW
            known[0 if p < cut else 1, y[row]] += 1.0 if len(mass) == 0 else mass[row]
        return 2
    a, t, ordered = data.offsets[j], desk.n_seen[j], data.kind[f] == ORDERED
    n_branches = 2 if ordered or settings.rules[GROUPING] == SUBSET else t
    for b in range(n_branches):
        zero_row(known, b)
    for i in range(t):
        code = desk.seen[a + i]
        branch = i
        if ordered:
            branch = 0 if i < cut else 1
        elif settings.rules[GROUPING] == SUBSET:
            branch = desk.side[a + code]
        desk.to_branch[code] = branch
        add_row(known, branch, desk.table, a + code, 1.0)
    return n_branches


@inner
def _settle(n_branches, settings, desk):
    """Send the missing examples on: desk.to_class, shares and counts; gives the branch of most known examples."""
    known, total, default, most, whole = desk.known, desk.work, 0, 0.0, 0.0
    for b in range(n_branches):
        weight = row_sum(known, b)
        whole += weight
        if weight > most * (1.0 + NOISE):
            default, most = b, weight
    for b in range(n_branches):
        desk.shares[b] = row_sum(known, b) / whole
        copy_row(desk.counts, b, known, b)
    for k in range(known.shape[1]):
        present, most = 0.0, 0.0
        to = -1 if settings.rules[STRATEGY] == FRACTIONAL else default
        for b in range(n_branches):
            present += known[b, k]
            if settings.rules[STRATEGY] == MOST_COMMON_IN_CLASS and known[b, k] > most * (1.0 + NOISE):
                to, most = b, known[b, k]
        desk.to_class[k] = to
        gone = total[TOTAL, k] - present
        if gone > NOISE * total[TOTAL, k]:
            for b in range(n_branches):
                desk.counts[b, k] += gone * desk.shares[b] if to < 0 else (gone if to == b else 0.0)
    return default


@inner
def _significant(n_branches, settings, desk):
    """Whether χ² of the branches against the node's class weights reaches the critical value, where there is one."""
    if len(settings.critical) == 0:
        return True
    n, classes, filled, statistic = row_sum(desk.work, TOTAL), 0, 0, 0.0
    for k in range(desk.work.shape[1]):
        classes += desk.work[TOTAL, k] > 0.0
    for b in range(n_branches):
        weight = row_sum(desk.counts, b)
        filled += weight > 0.0
        for k in range(desk.work.shape[1]):
            expected = weight * desk.work[TOTAL, k] / n
            if expected > 0.0:
                statistic += (desk.counts[b, k] - expected) ** 2 / expected
    return statistic >= settings.critical[(filled - 1) * (classes - 1)]


@inner
def is_leaf(counts, i, depth, settings):
    """Whether a node with row i of class weights is a leaf, whatever its columns: one class, too deep or too light."""
    classes = 0
    for k in range(counts.shape[1]):
        classes += counts[i, k] > 0.0
    light = row_sum(counts, i) < settings.limits[MIN_SPLIT] * (1.0 - NOISE)
    return classes < 2 or depth >= settings.rules[MAX_DEPTH] or light


@inner
def record_candidates(arena, lo, hi, mass, data, settings, desk, candidates):
    """What was found for each feature, with class weights below its threshold and of missing values, and its price."""
    K = desk.work.shape[1]
    for f in range(len(data.kind)):
        threshold = best_threshold(f, arena, lo, data, desk)
        candidates[f, 0], candidates[f, 1], candidates[f, 2] = desk.found[f, 0], desk.found[f, 1], threshold
        candidates[f, 3 + 2 * K] = desk.found[f, 3]
        if data.kind[f] != NOMINAL and desk.found[f, 0] >= 0.0:
            _branches(f, arena, lo, hi, mass, data, settings, desk)
            for k in range(K):
                candidates[f, 3 + k] = desk.known[0, k]
                candidates[f, 3 + K + k] = desk.work[TOTAL, k] - desk.known[0, k] - desk.known[1, k]


@inner
def _midpoint(below, above):
    """The threshold between two neighbouring values; it never reaches the upper one.

    Where it is a number of at most 12 digits but for rounding, it is that number: between 3.3 and 3.4 it is 3.35.
    """
    middle = 0.5 * below + 0.5 * above
    size = abs(middle)
    if 1e-10 < size < 1e11:
        scale = 10.0 ** (11.0 - np.floor(np.log10(size)))
        short = np.rint(middle * scale) / scale
        if below <= short < above and abs(short - middle) <= 1e-15 * size:
            return short
    return middle if below <= middle < above else below


@inner
def best_threshold(f, arena, lo, data, desk):
    """The threshold of the best test on a feature; NaN if it is by category."""
    j, cut = data.place[f], int64(desk.found[f, 2])
    if data.kind[f] == NOMINAL or desk.found[f, 0] < 0.0:
        return np.nan
    if data.kind[f] == ORDERED:
        a = data.offsets[j]
        return _midpoint(data.high[a + desk.seen[a + cut - 1]], data.low[a + desk.seen[a + cut]])
    below, above = int64(arena[1 + j, lo + cut - 1] & ROW), int64(arena[1 + j, lo + cut] & ROW)
    if len(data.origin) > 0:
        below, above = data.origin[below], data.origin[above]
    return _midpoint(data.x[below, data.columns[j]], data.x[above, data.columns[j]])
