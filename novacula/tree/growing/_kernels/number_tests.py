"""The best test on one feature for a node of numbers: what divides it into branches whose means lie furthest apart.

Numbers are taken from the node's mean, so that its sums are about zero and nothing cancels. For two branches of weights
l and r that sum to n, of which the first has the sum s, and S is the sum of both, the squared deviations fall by

    Σ w (branch mean − mean)² = (s n − S l)² / (l r n)
"""

from numba import int64

from novacula.tree.constants import (
    BETTER,
    FRACTIONAL,
    GONE,
    GROUPING,
    MIN_LEAF,
    MOST_COMMON,
    NOISE,
    ORDERED,
    ROW,
    SQUARES,
    STRATEGY,
    SUBSET,
    TIE,
    TINY,
    WEIGHT,
)
from novacula.tree.growing._kernels.desk import TOTAL
from novacula.tree.growing._kernels.inlined import inner, sort_by_key

SUM = 1
"""Place of the sum of deviations in a row of sums about the node's mean."""


@inner
def fall(l, s, n, S):  # noqa: E741
    """By how much squared deviations fall if a part of weight l and sum s is taken from a whole of n and S."""
    r = n - l
    if not (l > 0.0 and r > 0.0):
        return 0.0
    t = s * n - S * l
    return t / l * (t / r) / n


@inner
def judge(l, s, n, S, gone, gone_sum, enough, strategy):  # noqa: E741
    """What a division of the known numbers, of weight n and sum S, into a part (l, s) and the rest is worth.

    Gives by how much squares fall, −1 if a branch holds less than enough, and the branch of the missing ones, −1: both.
    """
    r = n - l
    if gone == 0.0 or strategy == FRACTIONAL:
        enough *= n / (n + gone)
        return (fall(l, s, n, S), -1) if l >= enough and r >= enough else (-1.0, -1)
    left = fall(l + gone, s + gone_sum, n + gone, S + gone_sum) if l + gone >= enough and r >= enough else -1.0
    right = fall(l, s, n + gone, S + gone_sum) if l >= enough and r + gone >= enough else -1.0
    to = 0 if l >= r * (1.0 - NOISE) else 1
    if strategy == BETTER and max(left, right) >= 0.0 and abs(left - right) > NOISE * max(left, right):
        to = 0 if left > right else 1
    return left if to == 0 else right, to


@inner
def keep_test(found, f, worth, to, n, least):
    """Whether a test is the best so far on feature f; if so it is kept, with the branch of missing numbers."""
    gain = worth / n if worth / n > least else 0.0
    if worth < 0.0 or (found[f, 0] >= 0.0 and not gain > found[f, 0] * (1.0 + NOISE)):
        return False
    found[f, 0], found[f, 1] = gain, to
    return True


@inner
def cut_numbers(found, f, entries, y, centre, mass, work, rules, limits):
    """The best threshold of a sorted list, into row f of found: gain, branch of missing numbers, place."""
    unit, known, gone, gone_sum = len(mass) == 0, len(entries), 0.0, 0.0
    total, strategy, enough = work[TOTAL, WEIGHT], rules[STRATEGY], limits[MIN_LEAF] * (1.0 - NOISE)
    least = TINY * work[TOTAL, SQUARES] / total
    found[f, 0] = -1.0
    while known > 0 and entries[known - 1] & GONE:
        known -= 1
        row = entries[known] & ROW
        w = 1.0 if unit else mass[row]
        gone += w
        gone_sum += w * (y[row] - centre)
    n, S = total - gone, -gone_sum  # deviations from the mean sum to zero
    if gone == 0.0:
        S = 0.0
        _scan_numbers(found, f, entries, y, centre, mass, n, enough, least)
        return
    l, s = 0.0, 0.0  # noqa: E741
    for p in range(known):
        row = entries[p] & ROW
        if p > 0 and not entries[p] & TIE:
            worth, to = judge(l, s, n, S, gone, gone_sum, enough, strategy)
            if keep_test(found, f, worth, to, total, least):
                found[f, 2] = p
        w = 1.0 if unit else mass[row]
        l += w  # noqa: E741
        s += w * (y[row] - centre)


@inner
def _scan_numbers(found, f, entries, y, centre, mass, n, enough, least):
    """`cut_numbers` where none is missing, the innermost loop of all: s² / (l r) is compared without dividing."""
    unit, best, place, l, s = len(mass) == 0, -1.0, 0, 0.0, 0.0  # noqa: E741
    for p in range(len(entries)):
        entry = entries[p]
        r = n - l
        if p > 0 and not entry & TIE and l >= enough and r >= enough and s * s > best * (1.0 + NOISE) * (l * r):
            best, place = s * s / (l * r), p
        row = entry & ROW
        w = 1.0 if unit else mass[row]
        l += w  # noqa: E741
        s += w * (y[row] - centre)
    if best >= 0.0:
        keep_test(found, f, best * n, int64(-1), n, least)
        found[f, 2] = place


@inner
def search_number_codes(f, data, settings, desk):
    """The best test on a feature that is a column of codes, into desk.found."""
    j, rules, found, work = data.place[f], settings.rules, desk.found, desk.work
    a, t, enough = data.offsets[j], desk.n_seen[j], settings.limits[MIN_LEAF] * (1.0 - NOISE)
    n, S, total = 0.0, 0.0, work[TOTAL, WEIGHT]
    for i in range(t):
        cell = a + desk.seen[a + i]
        n += desk.table[cell, WEIGHT]
        S += desk.table[cell, SUM]
        desk.order[i] = i
        desk.share[i] = desk.table[cell, SUM] / desk.table[cell, WEIGHT]
    gone, gone_sum = desk.gone[j, WEIGHT], desk.gone[j, SUM]
    least = TINY * work[TOTAL, SQUARES] / total
    found[f, 0] = -1.0
    if data.kind[f] != ORDERED and rules[GROUPING] != SUBSET:
        _part_codes(f, a, t, n, S, gone, gone_sum, enough, least, rules[STRATEGY], desk)
        return
    if data.kind[f] != ORDERED:
        sort_by_key(desk.order, t, desk.share)
    l, s = 0.0, 0.0  # noqa: E741
    for i in range(t - 1):
        cell = a + desk.seen[a + desk.order[i]]
        l += desk.table[cell, WEIGHT]  # noqa: E741
        s += desk.table[cell, SUM]
        worth, to = judge(l, s, n, S, gone, gone_sum, enough, rules[STRATEGY])
        if keep_test(found, f, worth, to, total, least):
            found[f, 2] = i + 1
            for k in range(t):
                desk.side[a + desk.seen[a + desk.order[k]]] = 0 if k <= i else 1
    if found[f, 0] >= 0.0 and data.kind[f] != ORDERED and desk.side[a + desk.seen[a]] == 1:
        for i in range(t):  # the lowest code is on side 0
            desk.side[a + desk.seen[a + i]] = 1 - desk.side[a + desk.seen[a + i]]
        found[f, 1] = 1 - found[f, 1] if found[f, 1] >= 0.0 else -1.0


@inner
def _part_codes(f, a, t, n, S, gone, gone_sum, enough, least, strategy, desk):
    """A branch for each of t codes; missing numbers join none, the heaviest, or the one where they do most good."""
    table, seen, heavy, worth, to = desk.table, desk.seen, 0, 0.0, -1
    whole, whole_sum = n, S
    if gone > 0.0 and strategy != FRACTIONAL:
        whole, whole_sum, most = n + gone, S + gone_sum, 0.0
        for i in range(t):
            w, s = table[a + seen[a + i], WEIGHT], table[a + seen[a + i], SUM]
            good = w if strategy == MOST_COMMON else (s + gone_sum) ** 2 / (w + gone) - s * s / w
            if to < 0 or good > most + NOISE * abs(most):
                to, most = i, good
    else:
        enough *= n / (n + gone)
    mean = whole_sum / whole
    for i in range(t):
        w, s = table[a + seen[a + i], WEIGHT], table[a + seen[a + i], SUM]
        if i == to:
            w, s = w + gone, s + gone_sum
        heavy += w >= enough
        worth += w * (s / w - mean) ** 2
    if t >= 2 and heavy >= 2:
        keep_test(desk.found, f, worth, int64(to), desk.work[TOTAL, WEIGHT], least)
