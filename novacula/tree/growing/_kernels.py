"""Compiled search for the best test of a node, and growth of whole subtrees.

A node holds its examples as lists of entries. List 0 has them in row order, and one list for each numeric column has
them sorted by value. An entry is a row number with two flags: TIE, the value equals that of the entry before; GONE,
the value is missing, which sends the entry to the end. To split a node is to deal its lists out, in order, so nothing
is sorted twice, and no value is looked at but those beside a chosen threshold.

Columns of codes (categories, intervals, bins) are counted instead, into a table of (code, class).

Loops over rows take the arrays of `Data` and `Desk` out first: to do so at every row, with a count of references each
time, takes longer than the counting.

Scores that differ by NOISE of their size are equal, and gains below TINY are none, because sums may have been added in
another order. All of it is one file: Numba's cache does not notice changes in functions that come from another.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.types import Array, Tuple, boolean, float64, int32, int64, uint32

from novacula.compiling import BORROWED, kernel

ROW, TIE, GONE = np.uint32(0x3FFFFFFF), np.uint32(0x80000000), np.uint32(0x40000000)
IMPURITY, STRATEGY, GROUPING, RATIO, SHAPE, MAX_DEPTH, RELEASE_8 = range(7)  # in rules
MIN_SPLIT, MIN_LEAF, MIN_GAIN = range(3)  # in limits
ENTROPY, GINI = range(2)
FRACTIONAL, MOST_COMMON, MOST_COMMON_IN_CLASS = range(3)
MULTIWAY, SUBSET = range(2)
LINEAR, SQUARE, EXPONENTIAL = range(3)
SORTED, NOMINAL, ORDERED = range(3)  # features: a sorted list, codes without order, codes in order
FEATURE, CHILD, ARITY, DEFAULT, OTHERWISE, ARM, ARMS = range(7)  # columns of nodes
THRESHOLD, GAIN = range(2)  # columns of numbers
TOTAL, KNOWN, LOST, LEFT, RIGHT, JOINED_LEFT, JOINED_RIGHT, TERM = np.arange(8)  # rows of scratch: class weights
NOISE, TINY = 1e-9, 1e-12
EXHAUSTIVE = 10
"""Categories up to which every partition into two is tried."""

INNER = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Functions that only other kernels call are compiled without an entry from Python."""
maker, inner = njit(**INNER), njit(**INNER, **BORROWED)
"""Of these, a maker makes arrays or calls one that does; all others only use those they are given."""

CODES = Array(int32, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
LONGS = Array(int64, 1, "C", readonly=True)
ENTRIES = uint32[:, ::1]
NUMBERS = float64[::1]
TABLE = float64[:, ::1]
INT_TABLE = int32[:, ::1]


class Data(NamedTuple):
    """The examples, and what their features are."""

    y: Any  # (n,) class of each row
    codes: Any  # (n, C)
    offsets: Any  # (C + 1,) where the cells of each column of codes begin
    low: Any  # (c,) lowest value of a bin
    high: Any  # (c,) highest value of a bin
    kind: Any  # (F,) SORTED, NOMINAL or ORDERED
    place: Any  # (F,) which of the sorted lists or of the columns of codes


class Settings(NamedTuple):
    """How tests are judged."""

    discount: Any  # (F,) factor of a feature's score
    rules: Any  # whole numbers, laid out as the constants above say
    limits: Any
    critical: Any  # χ² by degrees of freedom below which a split is refused; empty: none is
    logs: Any  # i · log2 i where all weights are whole, else empty


class Desk(NamedTuple):
    """Scratch that is made once for all nodes."""

    table: Any  # (c, K) class weights of codes; zero between nodes
    seen: Any  # (c,) the seen codes of each column, rising
    n_seen: Any  # (C,)
    gone: Any  # (C, K) class weights of missing codes
    side: Any  # (c,) partitions in two
    work: Any  # (8, K) rows as the constants say
    order: Any  # (b,)
    found: Any  # (F, 3) gain (−1: no test is allowed), split information, place of the threshold
    known: Any  # (b, K) class weights of known examples in each branch
    counts: Any  # (b, K) the same with the missing ones
    to_branch: Any  # (b,) branch of a code
    to_class: Any  # (K,) branch of missing examples of a class, −1: every branch
    shares: Any  # (b,) of known weight
    start: Any  # (b,) where a branch's entries begin, −1: not wanted
    at: Any  # (b,) where they go on
    run: Any  # (b,) which run of equal values came last


@maker
def _new_desk(K, offsets, F):
    C, cells, width = len(offsets) - 1, offsets[-1], 2
    for j in range(C):
        width = max(width, offsets[j + 1] - offsets[j])
    return Desk(
        np.zeros((cells, K)), np.zeros(cells, np.int32), np.zeros(C, np.int32), np.zeros((C, K)),
        np.zeros(cells, np.int32), np.zeros((8, K)), np.zeros(width, np.int64), np.zeros((F, 3)), np.zeros((width, K)),
        np.zeros((width, K)), np.zeros(width, np.int32), np.zeros(K, np.int32), np.zeros(width),
        np.zeros(width, np.int64), np.zeros(width, np.int64), np.zeros(width, np.int64),
    )  # fmt: skip


# --- rows of matrices: places instead of views, whose counting of references takes longer than the arithmetic --------


@inner
def _zero(matrix, i):
    for k in range(matrix.shape[1]):
        matrix[i, k] = 0.0


@inner
def _copy(matrix, i, other, j):
    for k in range(matrix.shape[1]):
        matrix[i, k] = other[j, k]


@inner
def _add(matrix, i, other, j, sign):
    for k in range(matrix.shape[1]):
        matrix[i, k] += sign * other[j, k]


@inner
def _sum(matrix, i):
    total = 0.0
    for k in range(matrix.shape[1]):
        total += matrix[i, k]
    return total


# --- impurity ----------------------------------------------------------------------------------------------------


@inner
def _spread(counts, i, n, impurity, logs):
    """Weight times impurity of row i of class counts (·, K), which sums to n."""
    total = 0.0
    if not n > 0.0:
        return total
    if impurity == GINI:
        for k in range(counts.shape[1]):
            total += counts[i, k] * counts[i, k]
        return n - total / n
    if len(logs) > 0:
        for k in range(counts.shape[1]):
            total += logs[int64(counts[i, k])]
        return logs[int64(n)] - total
    for k in range(counts.shape[1]):
        if counts[i, k] > 0.0:
            total += counts[i, k] * np.log2(counts[i, k])
    return n * np.log2(n) - total


@inner
def _information(n, whole):
    """Bits that a branch of weight n adds to the split information of a node of weight `whole`."""
    return -n / whole * np.log2(n / whole) if n > 0.0 else 0.0


@inner
def _start(work, rules, logs):
    """The spread that a test starts from: of known examples, or of all where the missing ones join a branch."""
    i = KNOWN if rules[STRATEGY] == FRACTIONAL else TOTAL
    return _spread(work, i, _sum(work, i), rules[IMPURITY], logs)


@inner
def _accept(found, f, gain, information, work, rules):
    """Keep a test of feature f in found if it gains more than what is there, which is negative where nothing is."""
    gain = gain if gain > TINY else 0.0
    if found[f, 0] >= 0.0 and not gain > found[f, 0] * (1.0 + NOISE):
        return False
    found[f, 0], found[f, 1] = gain, information
    if rules[STRATEGY] == FRACTIONAL:
        found[f, 1] += _information(_sum(work, LOST), _sum(work, TOTAL))
    return True


@inner
def _enough(n, n_gone, K, rules, limits):
    """What each branch of a threshold must hold; with C4.5's rule a tenth of a class's even share, from 2 to 25."""
    enough = limits[MIN_LEAF]
    if rules[RELEASE_8]:
        enough = max(enough, min(max(0.1 * (n - n_gone) / K, 2.0), 25.0))
    return enough * (1.0 - NOISE)


@inner
def _charge(found, f, tries, n, rules):
    """With C4.5's rule a threshold costs log2 of those it was chosen from, and a test that gains nothing is none."""
    if rules[RELEASE_8] and found[f, 0] >= 0.0:
        found[f, 0] -= np.log2(tries) / n
        if found[f, 0] <= TINY:
            found[f, 0] = -1.0


@inner
def _two_branches(found, f, work, before, n, n_gone, enough, first, rules, logs):
    """Consider the test whose branches of known examples are LEFT and RIGHT; first says which is branch 0.

    Gives 0 if a branch holds less than enough, 1 if another test gains more, 2 if it is the best so far.
    """
    left, right = LEFT, RIGHT
    nl, nr = _sum(work, LEFT), _sum(work, RIGHT)
    if n_gone > 0.0 and rules[STRATEGY] != FRACTIONAL:
        left, right = JOINED_LEFT, JOINED_RIGHT
        _join(work, _heavier(nl, nr, first), first, rules[STRATEGY])
        nl, nr = _sum(work, left), _sum(work, right)
    if rules[STRATEGY] == FRACTIONAL:  # the missing ones will be shared out
        enough *= 1.0 - n_gone / n
    if nl < enough or nr < enough:
        return 0
    after = _spread(work, left, nl, rules[IMPURITY], logs) + _spread(work, right, nr, rules[IMPURITY], logs)
    gain = (before - after) / n
    if found[f, 0] >= 0.0 and gain <= found[f, 0]:  # most are worse, and need no split information
        return 1
    return 2 if _accept(found, f, gain, _information(nl, n) + _information(nr, n), work, rules) else 1


@inner
def _heavier(left, right, first):
    """Which of two weights is the larger, LEFT or RIGHT; of equals the one that is branch 0."""
    if first == LEFT:
        return LEFT if left >= right * (1.0 - NOISE) else RIGHT
    return RIGHT if right >= left * (1.0 - NOISE) else LEFT


@inner
def _join(work, heavier, first, strategy):
    """Let the missing examples join the heavier of two branches, or the one that most of their class take."""
    for k in range(work.shape[1]):
        side, left, right, gone = heavier, work[LEFT, k], work[RIGHT, k], work[LOST, k]
        if strategy == MOST_COMMON_IN_CLASS and left + right > NOISE * gone:
            side = _heavier(left, right, first)
        work[JOINED_LEFT, k] = left + (gone if side == LEFT else 0.0)
        work[JOINED_RIGHT, k] = right + (gone if side == RIGHT else 0.0)


# --- one feature -------------------------------------------------------------------------------------------------


@inner
def _cut_list(found, f, entries, y, mass, work, rules, limits, logs):
    """The best threshold of a sorted list, given the node's class weights TOTAL, into row f of found."""
    unit, known = len(mass) == 0, len(entries)
    _zero(work, LEFT)
    _zero(work, KNOWN)
    _zero(work, LOST)
    while known > 0 and entries[known - 1] & GONE:
        known -= 1
        row = entries[known] & ROW
        work[LOST, y[row]] += 1.0 if unit else mass[row]
    if unit:
        _copy(work, KNOWN, work, TOTAL)
        _add(work, KNOWN, work, LOST, -1.0)
    else:
        for p in range(known):
            row = entries[p] & ROW
            work[KNOWN, y[row]] += mass[row]
    _copy(work, RIGHT, work, KNOWN)
    n, n_gone, before = _sum(work, TOTAL), _sum(work, LOST), _start(work, rules, logs)
    enough, tries = _enough(n, n_gone, work.shape[1], rules, limits), 0
    found[f, 0] = -1.0
    if n_gone == 0.0 or rules[STRATEGY] == FRACTIONAL:
        tries = _cut_apart(found, f, entries, known, y, mass, work, before, n, n_gone, enough, rules, logs)
        known = 0
    for p in range(known):
        row = entries[p] & ROW
        if p > 0 and not entries[p] & TIE:
            verdict = _two_branches(found, f, work, before, n, n_gone, enough, LEFT, rules, logs)
            tries += verdict > 0
            if verdict == 2:
                found[f, 2] = p
        w = 1.0 if unit else mass[row]
        work[LEFT, y[row]] += w
        work[RIGHT, y[row]] -= w
    _charge(found, f, tries, n, rules)


@inner
def _cut_apart(found, f, entries, known, y, mass, work, before, n, n_gone, enough, rules, logs):
    """`_cut_list` where no missing example joins a branch; gives how many thresholds there were."""
    enough *= 1.0 - n_gone / n
    counted = len(logs) > 0 and rules[IMPURITY] == ENTROPY
    if counted and work.shape[1] == 2:
        best, place, below, tries = _scan_two_classes(entries, known, y, work, before, n, enough, logs)
    elif counted:
        best, place, below, tries = _scan_classes(entries, known, y, work, before, n, enough, logs)
    else:
        best, place, below, tries = _scan(entries, known, y, mass, work, before, n, n_gone, enough, rules)
    if best >= 0.0:
        found[f, 0], found[f, 2] = best if best > TINY else 0.0, place
        found[f, 1] = _information(below, n) + _information(n - n_gone - below, n) + _information(n_gone, n)
    return tries


@inner
def _scan_two_classes(entries, known, y, work, before, n, enough, logs):
    """`_scan_classes` for two classes, whose counts stay in registers."""
    least = int64(np.ceil(enough))
    first, last = max(least, 1), known - least
    left, right = 0, int64(work[KNOWN, 1])
    best, place, tries = -1.0, 0, 0
    for p in range(known):
        entry = entries[p]
        if first <= p <= last and not entry & TIE:
            after = logs[p] + logs[known - p]
            after -= logs[p - left] + logs[known - p - right]
            after -= logs[left] + logs[right]
            gain = (before - after) / n
            tries += 1
            if best < 0.0 or (gain > TINY and gain > best * (1.0 + NOISE)):
                best, place = max(gain, 0.0), p
        k = y[entry & ROW]
        left += k
        right -= k
    return best, place, float64(place), tries


@inner
def _scan_classes(entries, known, y, work, before, n, enough, logs):
    """`_scan` for the entropy where every row counts once: p rows lie below place p, and one class changes a step."""
    least = int64(np.ceil(enough))
    first, last = max(least, 1), known - least
    best, place, tries = -1.0, 0, 0
    for c in range(work.shape[1]):
        work[TERM, c] = logs[int64(work[KNOWN, c])]
    for p in range(known):
        entry = entries[p]
        if first <= p <= last and not entry & TIE:
            after = logs[p] + logs[known - p]
            for c in range(work.shape[1]):
                after -= work[TERM, c]
            gain = (before - after) / n
            tries += 1
            if best < 0.0 or (gain > TINY and gain > best * (1.0 + NOISE)):
                best, place = max(gain, 0.0), p
        k = y[entry & ROW]
        work[LEFT, k] += 1.0
        work[RIGHT, k] -= 1.0
        work[TERM, k] = logs[int64(work[LEFT, k])] + logs[int64(work[RIGHT, k])]
    return best, place, float64(place), tries


@inner
def _scan(entries, known, y, mass, work, before, n, n_gone, enough, rules):
    """The innermost loop of all, so written out: the best gain, its place, the weight below it, how many there were."""
    unit, gini, K = len(mass) == 0, rules[IMPURITY] == GINI, work.shape[1]
    nl, nr, best, place, below, tries = 0.0, n - n_gone, -1.0, 0, 0.0, 0
    for p in range(known):
        entry = entries[p]
        row = entry & ROW
        k = y[row]
        if p > 0 and not entry & TIE and nl >= enough and nr >= enough:
            if gini:
                squares_left, squares_right = 0.0, 0.0
                for c in range(K):
                    squares_left += work[LEFT, c] * work[LEFT, c]
                    squares_right += work[RIGHT, c] * work[RIGHT, c]
                after = n - n_gone - squares_left / nl - squares_right / nr
            else:
                after = nl * np.log2(nl) + nr * np.log2(nr)
                for c in range(K):
                    left, right = work[LEFT, c], work[RIGHT, c]
                    after -= (left * np.log2(left) if left > 0.0 else 0.0) + (
                        right * np.log2(right) if right > 0.0 else 0.0
                    )
            gain = (before - after) / n
            tries += 1
            if best < 0.0 or (gain > TINY and gain > best * (1.0 + NOISE)):
                best, place, below = max(gain, 0.0), p, nl
        w = 1.0 if unit else mass[row]
        work[LEFT, k] += w
        work[RIGHT, k] -= w
        nl += w
        nr -= w
    return best, place, below, tries


@inner
def _sort(items, n, keys):
    """Put the first n items in the order of keys[item], rising, equals by item; Shell's sort."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            item = items[i]
            j = i
            while j >= gap:
                other = items[j - gap]
                if keys[other] < keys[item] or (keys[other] == keys[item] and other < item):
                    break
                items[j] = other
                j -= gap
            items[j] = item
        gap //= 2


@inner
def _count_known(table, a, codes, t, work):
    """The class weights KNOWN of t codes, whose rows of the table begin at a."""
    _zero(work, KNOWN)
    for i in range(t):
        _add(work, KNOWN, table, a + codes[a + i], 1.0)


@inner
def _cut_codes(found, f, table, a, codes, order, t, enough, work, rules, logs, side):
    """The best cut between neighbours in an order of t codes, into row f of found.

    order[i] is a place in codes[a:]. The codes before the cut get side 0, the others 1. Gives how many cuts there were.
    """
    _zero(work, LEFT)
    _copy(work, RIGHT, work, KNOWN)
    n, n_gone, before = _sum(work, TOTAL), _sum(work, LOST), _start(work, rules, logs)
    tries, first = 0, RIGHT
    for i in range(t - 1):
        cell = a + codes[a + order[i]]
        first = LEFT if order[i] == 0 else first
        _add(work, LEFT, table, cell, 1.0)
        _add(work, RIGHT, table, cell, -1.0)
        verdict = _two_branches(found, f, work, before, n, n_gone, enough, first, rules, logs)
        tries += verdict > 0
        if verdict == 2:
            found[f, 2] = i + 1
            for j in range(t):
                side[a + codes[a + order[j]]] = 0 if j <= i else 1
    return tries


@inner
def _halve_codes(found, f, table, a, codes, t, enough, work, rules, logs, side):
    """Try every partition of few codes in two; the lowest code is always on side 0."""
    n, n_gone, before = _sum(work, TOTAL), _sum(work, LOST), _start(work, rules, logs)
    for mask in range(1, (1 << t) - 1, 2):
        _zero(work, LEFT)
        _zero(work, RIGHT)
        for i in range(t):
            _add(work, LEFT if (mask >> i) & 1 else RIGHT, table, a + codes[a + i], 1.0)
        if _two_branches(found, f, work, before, n, n_gone, enough, LEFT, rules, logs) == 2:
            for i in range(t):
                side[a + codes[a + i]] = 0 if (mask >> i) & 1 else 1


@maker
def _group_codes(found, f, table, a, codes, order, t, work, rules, limits, logs, side):
    """The best partition of t codes in two: of few codes, or of two classes if branches are as their codes make them.

    Of many codes with more classes, or where missing examples join a branch or a branch must hold enough, it is the
    best along the share of any class. The lowest code is on side 0.
    """
    K = work.shape[1]
    if t < 2:
        return
    joins = rules[STRATEGY] != FRACTIONAL and _sum(work, LOST) > 0.0
    enough = limits[MIN_LEAF] * (1.0 - NOISE)
    if t <= EXHAUSTIVE and (K > 2 or joins or enough > 0.0):
        _halve_codes(found, f, table, a, codes, t, enough, work, rules, logs, side)
    else:
        share = np.empty(t)
        for k in range(1 if K == 2 else 0, K):
            for i in range(t):
                cell = a + codes[a + i]
                share[i] = table[cell, k] / _sum(table, cell)
            _sort(order, t, share)
            _cut_codes(found, f, table, a, codes, order, t, enough, work, rules, logs, side)
    if found[f, 0] >= 0.0 and side[a + codes[a]] == 1:
        for i in range(t):
            side[a + codes[a + i]] = 1 - side[a + codes[a + i]]


@inner
def _heaviest(table, a, codes, t, k):
    """Which of t codes has most weight, of equals the first: in class k, or in all where k is −1; −1 if none has."""
    best, most = -1, 0.0
    for i in range(t):
        cell = a + codes[a + i]
        weight = _sum(table, cell) if k < 0 else table[cell, k]
        if weight > most * (1.0 + NOISE):
            best, most = i, weight
    return best


@inner
def _split_codes(found, f, table, a, codes, t, work, rules, limits, logs):
    """A branch for each of t codes, into row f of found."""
    n, n_gone, after, information, heavy = _sum(work, TOTAL), _sum(work, LOST), 0.0, 0.0, 0
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
        weight = _sum(work, LEFT)
        heavy += weight >= enough
        after += _spread(work, LEFT, weight, rules[IMPURITY], logs)
        information += _information(weight, n)
    if t >= 2 and heavy >= 2:
        _accept(found, f, (_start(work, rules, logs) - after) / n, information, work, rules)


# --- one node ----------------------------------------------------------------------------------------------------


@inner
def _count_codes(rows, mass, data, desk):
    """Count the codes of a node by class; the seen codes of each column are put in rising order."""
    unit, C = len(mass) == 0, len(data.offsets) - 1
    y, codes, offsets, table, gone = data.y, data.codes, data.offsets, desk.table, desk.gone
    for j in range(C):
        _zero(gone, j)
    for p in range(len(rows)):
        row = rows[p] & ROW
        k = y[row]
        w = 1.0 if unit else mass[row]
        for j in range(C):
            code = codes[row, j]
            if code >= 0:
                table[offsets[j] + code, k] += w
            else:
                gone[j, k] += w
    for j in range(C):
        start, size = data.offsets[j], data.offsets[j + 1] - data.offsets[j]
        if 4 * len(rows) >= size:
            _list_codes(start, size, j, desk)
        else:
            _gather_codes(rows, start, j, data, desk)


@inner
def _list_codes(start, size, j, desk):
    """The codes of a column that have any weight, rising."""
    t, table, seen = 0, desk.table, desk.seen
    for code in range(size):
        if _sum(table, start + code) > 0.0:
            seen[start + t] = code
            t += 1
    desk.n_seen[j] = t


@inner
def _gather_codes(rows, start, j, data, desk):
    """The same where the rows are fewer than the codes."""
    t, codes, seen = 0, data.codes, desk.seen
    for p in range(len(rows)):
        code = codes[rows[p] & ROW, j]
        if code >= 0:
            at = t
            while at > 0 and seen[start + at - 1] > code:
                at -= 1
            if at > 0 and seen[start + at - 1] == code:
                continue
            for i in range(t, at, -1):
                seen[start + i] = seen[start + i - 1]
            seen[start + at] = code
            t += 1
    desk.n_seen[j] = t


@inner
def _clear(data, desk):
    """Make the table zero again."""
    for j in range(len(data.offsets) - 1):
        for i in range(desk.n_seen[j]):
            _zero(desk.table, data.offsets[j] + desk.seen[data.offsets[j] + i])


@maker
def _search_codes(f, data, settings, desk):
    """The best test on a feature that is a column of codes, into desk.found."""
    j, rules, limits, logs = data.place[f], settings.rules, settings.limits, settings.logs
    a, t, work, found = data.offsets[j], desk.n_seen[j], desk.work, desk.found
    _copy(work, LOST, desk.gone, j)
    _count_known(desk.table, a, desk.seen, t, work)
    for i in range(t):
        desk.order[i] = i
    found[f, 0] = -1.0
    if data.kind[f] == ORDERED:
        n, n_gone = _sum(work, TOTAL), _sum(work, LOST)
        enough = _enough(n, n_gone, work.shape[1], rules, limits)
        tries = _cut_codes(found, f, desk.table, a, desk.seen, desk.order, t, enough, work, rules, logs, desk.side)
        _charge(found, f, tries, n, rules)
        return
    if rules[GROUPING] == SUBSET:
        _group_codes(found, f, desk.table, a, desk.seen, desk.order, t, work, rules, limits, logs, desk.side)
    else:
        _split_codes(found, f, desk.table, a, desk.seen, t, work, rules, limits, logs)
    _charge(found, f, 1, 1.0, rules)


@inner
def _choose(found, settings):
    """The feature whose test scores best, −1 if none is allowed."""
    rules, floor, positive = settings.rules, 0.0, 0
    if rules[RATIO]:
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
        _zero(known, int64(0))
        _zero(known, int64(1))
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
        _zero(known, b)
    for i in range(t):
        code = desk.seen[a + i]
        branch = i
        if ordered:
            branch = 0 if i < cut else 1
        elif settings.rules[GROUPING] == SUBSET:
            branch = desk.side[a + code]
        desk.to_branch[code] = branch
        _add(known, branch, desk.table, a + code, 1.0)
    return n_branches


@inner
def _settle(n_branches, settings, desk):
    """Send the missing examples on: desk.to_class, shares and counts; gives the branch of most known examples."""
    known, total, default, most, whole = desk.known, desk.work, 0, 0.0, 0.0
    for b in range(n_branches):
        weight = _sum(known, b)
        whole += weight
        if weight > most * (1.0 + NOISE):
            default, most = b, weight
    for b in range(n_branches):
        desk.shares[b] = _sum(known, b) / whole
        _copy(desk.counts, b, known, b)
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
    """Whether χ² of the branches beside the node's class weights reaches the critical value, where there is one."""
    if len(settings.critical) == 0:
        return True
    n, classes, filled, statistic = _sum(desk.work, TOTAL), 0, 0, 0.0
    for k in range(desk.work.shape[1]):
        classes += desk.work[TOTAL, k] > 0.0
    for b in range(n_branches):
        weight = _sum(desk.counts, b)
        filled += weight > 0.0
        for k in range(desk.work.shape[1]):
            expected = weight * desk.work[TOTAL, k] / n
            if expected > 0.0:
                statistic += (desk.counts[b, k] - expected) ** 2 / expected
    return statistic >= settings.critical[(filled - 1) * (classes - 1)]


@inner
def _decide(arena, lo, hi, mass, data, settings, desk):
    """The feature to test, −1 for none, how many branches that has, and which of them most known examples take."""
    f = _choose(desk.found, settings)
    if f >= 0 and desk.found[f, 0] >= settings.limits[MIN_GAIN] - TINY:
        n_branches = _branches(f, arena, lo, hi, mass, data, settings, desk)
        default = _settle(n_branches, settings, desk)
        if _significant(n_branches, settings, desk):
            return f, n_branches, default
    return -1, 0, -1


@inner
def _stops(counts, i, depth, settings):
    """Whether a node with row i of class weights is a leaf, whatever its columns: one class, too deep or too light."""
    classes = 0
    for k in range(counts.shape[1]):
        classes += counts[i, k] > 0.0
    light = _sum(counts, i) < settings.limits[MIN_SPLIT] * (1.0 - NOISE)
    return classes < 2 or depth >= settings.rules[MAX_DEPTH] or light


@inner
def _record(arena, lo, hi, mass, x, columns, origin, data, settings, desk, candidates):
    """What was found for each feature, with the class weights below its threshold and of missing values."""
    K = desk.work.shape[1]
    for f in range(len(data.kind)):
        threshold = _threshold(f, arena, lo, x, columns, origin, data, desk)
        candidates[f, 0], candidates[f, 1], candidates[f, 2] = desk.found[f, 0], desk.found[f, 1], threshold
        if data.kind[f] != NOMINAL and desk.found[f, 0] >= 0.0:
            _branches(f, arena, lo, hi, mass, data, settings, desk)
            for k in range(K):
                candidates[f, 3 + k] = desk.known[0, k]
                candidates[f, 3 + K + k] = desk.work[TOTAL, k] - desk.known[0, k] - desk.known[1, k]


@inner
def _midpoint(below, above):
    """The threshold between two neighbouring values; it never reaches the upper one."""
    middle = 0.5 * below + 0.5 * above
    return middle if below <= middle < above else below


@inner
def _threshold(f, arena, lo, x, columns, origin, data, desk):
    """The threshold of the best test on a feature; NaN if it is by category."""
    j, cut = data.place[f], int64(desk.found[f, 2])
    if data.kind[f] == NOMINAL or desk.found[f, 0] < 0.0:
        return np.nan
    if data.kind[f] == ORDERED:
        a = data.offsets[j]
        return _midpoint(data.high[a + desk.seen[a + cut - 1]], data.low[a + desk.seen[a + cut]])
    below, above = int64(arena[1 + j, lo + cut - 1] & ROW), int64(arena[1 + j, lo + cut] & ROW)
    if len(origin) > 0:
        below, above = origin[below], origin[above]
    return _midpoint(x[below, columns[j]], x[above, columns[j]])


# --- the tree ----------------------------------------------------------------------------------------------------


@maker
def _longer(array, need):
    """The array, or a copy with room for `need` rows or more."""
    if need <= len(array):
        return array
    longer = np.empty((max(need, 2 * len(array)), array.shape[1]), array.dtype)
    for i in range(len(array)):
        for j in range(array.shape[1]):
            longer[i, j] = array[i, j]
    return longer


@maker
def _new_tree(total):
    """Nodes (·, 7), numbers (·, 2), counts (·, K) and arms (·, 2) with one leaf, and how many nodes and arms (2,)."""
    nodes, numbers, counts = np.empty((16, 7), np.int32), np.empty((16, 2)), np.empty((16, len(total)))
    _write_leaf(nodes, numbers, int64(0))
    for k in range(len(total)):
        counts[0, k] = total[k]
    return nodes, numbers, counts, np.empty((16, 2), np.int32), np.array([1, 0])


@inner
def _write_leaf(nodes, numbers, at):
    for column in range(nodes.shape[1]):
        nodes[at, column] = 0 if column in (ARITY, ARM, ARMS) else -1
    numbers[at, THRESHOLD], numbers[at, GAIN] = np.nan, 0.0


@maker
def _write_test(tree, node, f, n_branches, default, threshold, data, settings, desk):
    """Write a test into a node, and leaves into its branches; gives the tree, whose arrays may have moved."""
    nodes, numbers, counts, arms, sizes = tree
    first, start, t, otherwise = sizes[0], sizes[1], 0, -1
    if data.kind[f] == NOMINAL:
        a, b = data.offsets[data.place[f]], data.offsets[data.place[f] + 1]
        t = desk.n_seen[data.place[f]]
        if t < b - a:  # codes of the domain that no example has: a branch of their own, or the larger of two
            otherwise = default if settings.rules[GROUPING] == SUBSET else n_branches
        arms = _longer(arms, start + t)
        for i in range(t):
            arms[start + i, 0], arms[start + i, 1] = desk.seen[a + i], desk.to_branch[desk.seen[a + i]]
    arity = max(n_branches, otherwise + 1)
    nodes, numbers = _longer(nodes, first + arity), _longer(numbers, first + arity)
    counts = _longer(counts, first + arity)
    for branch in range(arity):
        _write_leaf(nodes, numbers, first + branch)
        if branch < n_branches:
            _copy(counts, first + branch, desk.counts, branch)
        else:
            _zero(counts, first + branch)
    nodes[node, FEATURE], nodes[node, CHILD], nodes[node, ARITY] = f, first, arity
    nodes[node, DEFAULT], nodes[node, OTHERWISE] = default, otherwise
    nodes[node, ARM], nodes[node, ARMS] = start, t
    numbers[node, GAIN], numbers[node, THRESHOLD] = desk.found[f, 0], threshold
    sizes[0] += arity
    sizes[1] += t
    return nodes, numbers, counts, arms, sizes


@inner
def _mark(f, arena, lo, hi, data, desk, branch_of):
    """The branch of each row of a node after a test on a feature; −1 for every branch."""
    j, cut, is_sorted = data.place[f], int64(desk.found[f, 2]), data.kind[f] == SORTED
    y, codes, to_branch, to_class = data.y, data.codes, desk.to_branch, desk.to_class
    entries = arena[1 + j if is_sorted else 0, lo:hi]
    for p in range(len(entries)):
        row = entries[p] & ROW
        if is_sorted:
            known, branch = not entries[p] & GONE, 0 if p < cut else 1
        else:
            code = codes[row, j]
            known, branch = code >= 0, to_branch[max(code, 0)]
        branch_of[row] = branch if known else to_class[y[row]]


@maker
def _queue(stack, waiting, rows, lo, n_branches, first, depth, branch_of, settings, desk):
    """Put the branches that will be split again on the stack, side by side from lo on; desk.start says where.

    Gives the stack, its height and the end of the last one.
    """
    stack, size = _longer(stack, waiting + n_branches), desk.at
    for b in range(n_branches):
        size[b] = 0
    for p in range(len(rows)):
        branch = branch_of[rows[p] & ROW]
        for b in range(max(branch, 0), branch + 1 if branch >= 0 else n_branches):
            size[b] += 1
    end = lo
    for b in range(n_branches):
        desk.start[b] = -1
        if not _stops(desk.counts, b, depth, settings):
            desk.start[b] = end - lo
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 3] = first + b, end, depth
            end += size[b]
            stack[waiting, 2] = end
            waiting += 1
    return stack, waiting, end


@inner
def _deal(entries, branch_of, n_branches, desk, out):
    """Deal entries out to the branches that are wanted, in order; a row of every branch is written to each."""
    at, run, runs = desk.at, desk.run, 0
    for b in range(n_branches):
        at[b], run[b] = desk.start[b], -1
    for p in range(len(entries)):
        entry = entries[p]
        branch = branch_of[entry & ROW]
        runs += 0 if entry & TIE else 1
        b = max(branch, 0)
        while True:  # as a rule once: a loop over a range takes twice the time
            place = at[b]
            if place >= 0:
                out[place] = (entry & ~TIE) | (TIE if run[b] == runs else uint32(0))
                run[b] = runs
                at[b] = place + 1
            b += 1
            if branch >= 0 or b == n_branches:
                break


@inner
def _deal_mass(rows, branch_of, n_branches, desk, mass, out):
    """Deal the weights of rows out, as `_deal` does the entries of the list in row order."""
    at, shares = desk.at, desk.shares
    for b in range(n_branches):
        at[b] = desk.start[b]
    for p in range(len(rows)):
        row = rows[p] & ROW
        branch = branch_of[row]
        for b in range(max(branch, 0), branch + 1 if branch >= 0 else n_branches):
            if at[b] >= 0:
                out[at[b]] = mass[row] if branch >= 0 else mass[row] * shares[b]
                at[b] += 1


@maker
def _room(arena, masses, end):
    """Arena and masses, or copies with room for `end` entries and more."""
    wider = np.empty((arena.shape[0], 2 * end), arena.dtype)
    longer = np.empty(2 * end if len(masses) else 0)
    for s in range(arena.shape[0]):
        for p in range(arena.shape[1]):
            wider[s, p] = arena[s, p]
    for p in range(len(masses)):
        longer[p] = masses[p]
    return wider, longer


# --- what the drivers call -----------------------------------------------------------------------------------------


@kernel(
    Tuple((INT_TABLE, TABLE, TABLE, INT_TABLE, int64[:, ::1], ENTRIES, NUMBERS, TABLE, TABLE))(
        ENTRIES, NUMBERS, int64, int64, int64, int64, boolean, VALUES, CODES, CODE_ROWS, LONGS, VALUES, VALUES, LONGS,
        LONGS, ROWS, LONGS, LONGS, VALUES, LONGS, VALUES, VALUES, VALUES,
    ),
    error_model="numpy",
)  # fmt: skip
def grow(
    arena, masses, start, stop, depth, splits, record, total, y, codes, offsets, low, high, kind, place, x, columns,
    origin, discount, rules, limits, critical, logs,
):  # fmt: skip
    """Grow the subtree of the examples in arena[:, start:stop], of class weights total (K,), by at most `splits` tests.

    arena (1 + S, ·) and masses (·), empty where every row counts once, are used up. Sorted list s is column columns[s]
    of x, of whose rows ours are origin (n,), or all where that is empty. The rest is `Data` and `Settings`.

    Gives nodes (m, 7), numbers (m, 2), counts (m, K), arms (a, 2), the nodes that wait (w, 4: node, start, stop, depth)
    with arena and masses to go on from; and, where asked to `record`, of the first node each feature's gain, split
    information, threshold, class weights below it and missing (F, 3 + 2K), and the counts of its codes (c, K).
    """
    data = Data(y, codes, offsets, low, high, kind, place)
    settings = Settings(discount, rules, limits, critical, logs)
    K, F, unit = len(total), len(kind), len(masses) == 0
    desk, tree = _new_desk(K, offsets, F), _new_tree(total)
    candidates, table = np.zeros((F, 3 + 2 * K)), np.zeros((0, K))
    branch_of, mass = np.empty(len(y), np.int32), np.empty(0 if unit else len(y))
    spare, spare_mass = np.empty(stop - start, np.uint32), np.empty(0 if unit else stop - start)
    stack = np.empty((16, 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, start, stop, depth
    waiting, done = 1, 0
    while waiting > 0 and done < splits:
        waiting -= 1
        node, lo, hi, depth = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        if _stops(tree[2], node, depth, settings):
            continue
        _copy(desk.work, TOTAL, tree[2], node)
        done += 1
        for p in range(0 if unit else hi - lo):
            mass[arena[0, lo + p] & ROW] = masses[lo + p]
        _count_codes(arena[0, lo:hi], mass, data, desk)
        for f in range(F):
            if kind[f] == SORTED:
                _cut_list(desk.found, f, arena[1 + place[f], lo:hi], y, mass, desk.work, rules, limits, logs)
            else:
                _search_codes(f, data, settings, desk)
        if record and done == 1:
            table = desk.table.copy()
            _record(arena, lo, hi, mass, x, columns, origin, data, settings, desk, candidates)
        f, n_branches, default = _decide(arena, lo, hi, mass, data, settings, desk)
        if f >= 0:
            threshold = _threshold(f, arena, lo, x, columns, origin, data, desk)
            first = tree[4][0]
            tree = _write_test(tree, node, f, n_branches, default, threshold, data, settings, desk)
            _mark(f, arena, lo, hi, data, desk, branch_of)
        _clear(data, desk)
        if f < 0:
            continue
        stack, waiting, end = _queue(
            stack, waiting, arena[0, lo:hi], lo, n_branches, first, depth + 1, branch_of, settings, desk
        )
        if end - lo > len(spare):
            spare, spare_mass = np.empty(end - lo, np.uint32), np.empty(0 if unit else end - lo)
        if end > arena.shape[1]:
            arena, masses = _room(arena, masses, end)
        for s in range(arena.shape[0] if end > lo else 0):
            if s == 0 and not unit:
                _deal_mass(arena[0, lo:hi], branch_of, n_branches, desk, mass, spare_mass)
                for p in range(end - lo):
                    masses[lo + p] = spare_mass[p]
            _deal(arena[s, lo:hi], branch_of, n_branches, desk, spare)
            for p in range(end - lo):
                arena[s, lo + p] = spare[p]
    nodes, numbers, counts, arms, sizes = tree
    m, a = sizes[0], sizes[1]
    return (
        nodes[:m].copy(), numbers[:m].copy(), counts[:m].copy(), arms[:a].copy(), stack[:waiting].copy(), arena,
        masses, candidates, table,
    )  # fmt: skip


@kernel(
    Tuple((INT_TABLE, TABLE, TABLE, INT_TABLE, TABLE))(
        TABLE, TABLE, int64, VALUES, CODES, CODE_ROWS, LONGS, VALUES, VALUES, LONGS, LONGS, ROWS, VALUES, LONGS, VALUES,
        VALUES, VALUES,
    ),
    error_model="numpy",
)  # fmt: skip
def split(
    table, gone, depth, total, y, codes, offsets, low, high, kind, place, x, discount, rules, limits, critical, logs
):  # fmt: skip
    """Split one node of which only counts are known: table (c, K) of its codes, gone (C, K) of missing values.

    Of `Data`, y, codes and x are empty. Gives nodes, numbers, counts, arms and candidates as `grow` does.
    """
    arena, mass, nothing = np.empty((1, 0), np.uint32), np.empty(0), len(y)
    data = Data(y, codes, offsets, low, high, kind, place)
    settings = Settings(discount, rules, limits, critical, logs)
    K, F = len(total), len(kind)
    desk, tree, candidates = _new_desk(K, offsets, F), _new_tree(total), np.zeros((F, 3 + 2 * K))
    if not _stops(tree[2], 0, depth, settings):
        _copy(desk.work, TOTAL, tree[2], 0)
        for j in range(len(gone)):
            _copy(desk.gone, j, gone, j)
            for cell in range(offsets[j], offsets[j + 1]):
                _copy(desk.table, cell, table, cell)
            _list_codes(offsets[j], offsets[j + 1] - offsets[j], j, desk)
        for f in range(F):
            _search_codes(f, data, settings, desk)
        _record(arena, nothing, nothing, mass, x, offsets, offsets, data, settings, desk, candidates)
        f, n_branches, default = _decide(arena, nothing, nothing, mass, data, settings, desk)
        if f >= 0:
            tree = _write_test(tree, 0, f, n_branches, default, candidates[f, 2], data, settings, desk)
    nodes, numbers, counts, arms, sizes = tree
    m, a = sizes[0], sizes[1]
    return nodes[:m].copy(), numbers[:m].copy(), counts[:m].copy(), arms[:a].copy(), candidates
