"""The best test on one feature for a node of numbers, by absolute deviations from the median.

    D = Σ w |y − median|        a test gains D(node) − Σ D(branch)

Rows enter one by one in the order of the feature; their numbers wait in a Fenwick tree by rank, from which the median
and D of what has entered are found in log n steps. A node's rows in the order of their numbers are the arena's last
list, so that ranks are places in it.
"""

from numba import int64

from novacula.tree.constants import (
    BETTER,
    FRACTIONAL,
    GONE,
    GROUPING,
    MEAN,
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
from novacula.tree.growing._kernels.inlined import inner, sort_by_key, zero_row
from novacula.tree.growing._kernels.number_tests import keep_test

LEFT, RIGHT, LEFT_JOINED, RIGHT_JOINED = range(4)
"""Columns of deviations: of the rows before a place or from it on, with and without those whose value is missing."""


@inner
def rank_targets(by_target, y, bench):
    """Find the rank of each row of a node, from 1 on, and the number at each rank."""
    for p in range(len(by_target)):
        row = by_target[p] & ROW
        bench.rank[row] = p + 1
        bench.value[p + 1] = y[row]


@inner
def _enter(row, sign, mass, m, bench):
    """A row enters the tree, or leaves it as the last of its kind if the sign is 0; gives its weight."""
    rank, w = int64(bench.rank[row]), 1.0 if len(mass) == 0 else mass[row]
    v, fenwick = bench.value[rank], bench.fenwick
    while rank <= m:
        fenwick[rank, 0] = sign * (fenwick[rank, 0] + w)
        fenwick[rank, 1] = sign * (fenwick[rank, 1] + w * v)
        rank += rank & -rank
    return w


@inner
def _deviation(m, weight, total, bench):
    """D of what has entered, of this weight and sum."""
    place, w, s, step = int64(0), 0.0, 0.0, int64(1)
    while 2 * step <= m:
        step *= 2
    while step > 0:
        following = place + step
        if following <= m and w + bench.fenwick[following, 0] < 0.5 * weight:
            place = following
            w += bench.fenwick[following, 0]
            s += bench.fenwick[following, 1]
        step //= 2
    middle = bench.value[min(place + 1, m)]
    return max(middle * w - s + (total - s) - middle * (weight - w), 0.0)


@inner
def _scan(known, m, forward, joined, mass, column, bench):
    """D of the rows up to each place of the sequence, or from it on, into a column of bench.deviations."""
    weight, total, sequence = 0.0, 0.0, bench.sequence
    for r in range(m + 1):
        zero_row(bench.fenwick, r)
    for i in range(known if joined else m, m):
        w = _enter(sequence[i], 1.0, mass, m, bench)
        weight += w
        total += w * bench.value[bench.rank[sequence[i]]]
    for i in range(known):
        p = i if forward else known - 1 - i
        w = _enter(sequence[p], 1.0, mass, m, bench)
        weight += w
        total += w * bench.value[bench.rank[sequence[p]]]
        if bench.ends[p] if forward else p > 0 and bench.ends[p - 1]:
            bench.deviations[p, column] = _deviation(m, weight, total, bench)
    return weight


@inner
def _scan_all(known, m, strategy, mass, bench):
    """All columns that are needed; gives the weight of the known rows, and D of all rows that a test divides."""
    joins, n, base = known < m and strategy != FRACTIONAL, 0.0, 0.0
    bench.ends[known - 1] = True
    for column in range(4 if joins else 2):
        weight = _scan(known, m, column % 2 == LEFT, column >= 2, mass, column, bench)
        if column == LEFT:
            n = weight
        if column % 2 == LEFT:
            base = bench.deviations[known - 1, column]
    bench.ends[known - 1] = False
    return n, base


@inner
def _judge(p, l, n, gone, base, enough, strategy, bench):  # noqa: E741
    """What a cut before place p, with weight l of n before it, is worth: −1 if a branch holds less than enough.

    With it the branch of the missing rows, −1 for both.
    """
    r, deviations = n - l, bench.deviations
    before, after = deviations[p - 1, LEFT], deviations[p, RIGHT]
    if gone == 0.0 or strategy == FRACTIONAL:
        enough *= n / (n + gone)
        return (max(base - before - after, 0.0), -1) if l >= enough and r >= enough else (-1.0, -1)
    left = max(base - deviations[p - 1, LEFT_JOINED] - after, 0.0) if l + gone >= enough and r >= enough else -1.0
    right = max(base - before - deviations[p, RIGHT_JOINED], 0.0) if l >= enough and r + gone >= enough else -1.0
    to = 0 if l >= r * (1.0 - NOISE) else 1
    if strategy == BETTER and max(left, right) >= 0.0 and abs(left - right) > NOISE * max(left, right):
        to = 0 if left > right else 1
    return left if to == 0 else right, to


@inner
def line_up_list(entries, bench):
    """The rows of a node in the order of a sorted list, ends marked where values differ; gives how many are known."""
    m, known = len(entries), len(entries)
    for p in range(m):
        bench.sequence[p] = entries[p] & ROW
        bench.ends[p] = p + 1 < m and not entries[p + 1] & TIE and not entries[p + 1] & GONE
    while known > 0 and entries[known - 1] & GONE:
        known -= 1
    return known


@inner
def cut_deviations(f, known, m, by_place, mass, settings, desk, bench):
    """The best cut of the sequence, into row f of desk.found, by its place or by how many ends there are up to it."""
    found, total, ends = desk.found, desk.work[TOTAL, WEIGHT], 0
    strategy, enough = settings.rules[STRATEGY], settings.limits[MIN_LEAF] * (1.0 - NOISE)
    least, l = TINY * desk.work[TOTAL, SQUARES] / total, 0.0  # noqa: E741
    found[f, 0] = -1.0
    n, bench.base[f] = _scan_all(known, m, strategy, mass, bench)
    gone = total - n if known < m else 0.0
    for p in range(known):
        if p > 0 and bench.ends[p - 1]:
            ends += 1
            worth, to = _judge(p, l, n, gone, bench.base[f], enough, strategy, bench)
            if keep_test(found, f, worth, to, total, least):
                found[f, 2] = p if by_place else ends
                bench.sides[f, 0] = bench.deviations[p - 1, LEFT_JOINED if to == 0 else LEFT]
                bench.sides[f, 1] = bench.deviations[p, RIGHT_JOINED if to == 1 else RIGHT]
        l += 1.0 if len(mass) == 0 else mass[bench.sequence[p]]  # noqa: E741


@inner
def _line_up(j, by_target, data, desk, bench):
    """The rows of a node by their codes in a column, in desk.order, each code in the order of numbers; missing last.

    Gives how many are known; bench.start has where each code begins.
    """
    a, t, codes, at = data.offsets[j], desk.n_seen[j], data.codes, bench.start
    for i in range(t + 2):
        at[i] = 0
    for i in range(t):
        bench.turn[desk.seen[a + desk.order[i]]] = i
    for p in range(len(by_target)):
        code = codes[by_target[p] & ROW, j]
        at[(bench.turn[code] if code >= 0 else t) + 1] += 1
    for i in range(t + 1):
        at[i + 1] += at[i]
    for p in range(len(by_target)):
        row = by_target[p] & ROW
        code = codes[row, j]
        i = bench.turn[code] if code >= 0 else int64(t)
        bench.sequence[at[i]] = row
        at[i] += 1
    for i in range(t, 0, -1):
        at[i] = at[i - 1]
    at[0] = 0
    return at[t]


@inner
def _middle(low, high, mass, bench):
    """The median of the rows of a stretch of the sequence, which are in the order of their numbers."""
    weight, upto = 0.0, 0.0
    for p in range(low, high):
        weight += 1.0 if len(mass) == 0 else mass[bench.sequence[p]]
    for p in range(low, high):
        upto += 1.0 if len(mass) == 0 else mass[bench.sequence[p]]
        if upto >= 0.5 * weight * (1.0 - NOISE):
            return bench.value[bench.rank[bench.sequence[p]]]
    return 0.0


@inner
def line_up_codes(f, by_target, mass, data, settings, desk, bench):
    """The rows of a node by a column of codes, in its order or that of the medians of groups; gives how many are known.

    Ends are marked where a code ends.
    """
    j, t = data.place[f], desk.n_seen[data.place[f]]
    for i in range(t):
        desk.order[i] = i
    known = int64(0)
    for ordering in range(2 if data.kind[f] != ORDERED and settings.rules[GROUPING] == SUBSET else 1):
        if ordering == 1:
            for i in range(t):
                desk.share[i] = _middle(bench.start[i], bench.start[i + 1], mass, bench)
            sort_by_key(desk.order, t, desk.share)
        known = _line_up(j, by_target, data, desk, bench)
    for p in range(len(by_target)):
        bench.ends[p] = False
    for i in range(1, t):
        bench.ends[bench.start[i] - 1] = True
    return known


@inner
def divide_codes(f, data, desk, bench):
    """The codes before the best cut are one branch, the others the other; the lowest code is in the first."""
    j, found, side = data.place[f], desk.found, desk.side
    a, t = data.offsets[j], desk.n_seen[j]
    for k in range(t):
        side[a + desk.seen[a + desk.order[k]]] = 0 if k < found[f, 2] else 1
    if found[f, 0] >= 0.0 and data.kind[f] != ORDERED and side[a + desk.seen[a]] == 1:
        for i in range(t):
            side[a + desk.seen[a + i]] = 1 - side[a + desk.seen[a + i]]
        found[f, 1] = 1 - found[f, 1] if found[f, 1] >= 0.0 else -1.0
        bench.sides[f, 0], bench.sides[f, 1] = bench.sides[f, 1], bench.sides[f, 0]


@inner
def _stretch(low, high, known, joined, m, mass, bench):
    """D of the rows of a stretch of the sequence, with the missing ones if they have joined them."""
    weight, total, found, size = 0.0, 0.0, 0.0, high - low + (m - known if joined else 0)
    for turn in range(2 * size):  # all enter, and then all leave
        i = turn % size
        row = bench.sequence[low + i if low + i < high else known + i - (high - low)]
        if turn == size:
            found = _deviation(m, weight, total, bench)
        w = _enter(row, 1.0 if turn < size else 0.0, mass, m, bench)
        weight += w
        total += w * bench.value[bench.rank[row]]
    return found


@inner
def part_deviations(f, known, m, mass, data, settings, desk, bench):
    """A branch for each code; missing rows join none, the heaviest, or the one where they do most good."""
    j, strategy, total = data.place[f], settings.rules[STRATEGY], desk.work[TOTAL, WEIGHT]
    a, t, gone, heavy, after, to = data.offsets[j], desk.n_seen[j], desk.gone[j, WEIGHT], 0, 0.0, -1
    enough, joins = settings.limits[MIN_LEAF] * (1.0 - NOISE), known < m and strategy != FRACTIONAL
    best, added, own = 0.0, 0.0, 0.0
    for r in range(m + 1):
        zero_row(bench.fenwick, r)
    if not joins:
        enough *= (total - gone) / total
    for turn in range(2 * t + 1):  # each code alone and with the missing rows, then all of them
        i, joined = turn // 2, joins and (turn % 2 == 1 or turn == 2 * t)
        if turn % 2 == 1 and not joins:
            continue
        low, high = (bench.start[i], bench.start[i + 1]) if i < t else (int64(0), known)
        found = _stretch(low, high, known, joined, m, mass, bench)
        if i == t:
            bench.base[f] = found
        elif not joined:
            own = found
            after += own
            bench.parts[a + desk.seen[a + i]] = own
        else:
            good = desk.table[a + desk.seen[a + i], WEIGHT] if strategy == MOST_COMMON else own - found
            if to < 0 or good > best + NOISE * abs(best):
                to, best, added = i, good, found - own
    if joins:
        bench.parts[a + desk.seen[a + to]] += added
    for i in range(t):
        heavy += desk.table[a + desk.seen[a + i], WEIGHT] + (gone if i == to else 0.0) >= enough
    desk.found[f, 0] = -1.0
    if heavy >= 2:
        least = TINY * desk.work[TOTAL, SQUARES] / total
        keep_test(desk.found, f, max(bench.base[f] - after - added, 0.0), int64(to), total, least)


@inner
def settle_deviations(by_target, n_branches, branch_of, mass, desk, bench):
    """Weight, median and D of the branches into desk.counts; rows of every branch count by its share."""
    counts, shares, unit = desk.counts, desk.shares, len(mass) == 0
    low, high, upto = bench.low, bench.high, bench.upto
    for b in range(n_branches):
        zero_row(counts, b)
        low[b], high[b], upto[b] = 0, 0, 0.0
    for step in range(3):  # first weights, then medians, halfway between two numbers where the weight is even, then D
        for p in range(len(by_target)):
            row = by_target[p] & ROW
            branch, w = branch_of[row], 1.0 if unit else mass[row]
            for b in range(max(branch, 0), branch + 1 if branch >= 0 else n_branches):
                part = w if branch >= 0 else w * shares[b]
                if step == 0:
                    counts[b, WEIGHT] += part
                elif step == 1:
                    upto[b] += part
                    if low[b] == 0 and upto[b] >= 0.5 * counts[b, WEIGHT] * (1.0 - NOISE):
                        low[b] = p + 1
                    if high[b] == 0 and upto[b] > 0.5 * counts[b, WEIGHT] * (1.0 + NOISE):
                        high[b] = p + 1
                else:
                    counts[b, SQUARES] += part * abs(bench.value[p + 1] - counts[b, MEAN])
        for b in range(n_branches if step == 1 else 0):
            counts[b, MEAN] = 0.5 * bench.value[low[b]] + 0.5 * bench.value[max(high[b], low[b])]
