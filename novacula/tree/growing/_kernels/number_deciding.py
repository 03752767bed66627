"""One node of numbers: what its columns hold, which test is best, and what its branches get."""

from numba import int64

from novacula.tree.constants import (
    FRACTIONAL,
    GONE,
    GROUPING,
    MAX_DEPTH,
    MEAN,
    MIN_GAIN,
    MIN_SPLIT,
    NOISE,
    NOMINAL,
    ORDERED,
    PURE,
    ROW,
    SORTED,
    SQUARES,
    STRATEGY,
    SUBSET,
    WEIGHT,
)
from novacula.tree.growing._kernels.code_counts import gather_codes
from novacula.tree.growing._kernels.deciding import best_threshold
from novacula.tree.growing._kernels.desk import TOTAL
from novacula.tree.growing._kernels.inlined import add_row, inner, zero_row
from novacula.tree.growing._kernels.number_tests import SUM


@inner
def is_number_leaf(counts, i, depth, settings):
    """Whether row i of weight, mean and squares is a leaf, whatever its columns: equal numbers, too deep or light."""
    weight = counts[i, WEIGHT]
    light = weight < settings.limits[MIN_SPLIT] * (1.0 - NOISE)
    return not counts[i, SQUARES] > PURE * weight or depth >= settings.rules[MAX_DEPTH] or light


@inner
def sum_codes(rows, centre, mass, data, desk):
    """The weight of a node's codes and the sum of their deviations from its mean; codes seen are listed."""
    unit, C = len(mass) == 0, len(data.offsets) - 1
    y, codes, offsets, table, gone = data.y, data.codes, data.offsets, desk.table, desk.gone
    for j in range(C):
        zero_row(gone, j)
    for p in range(len(rows)):
        row = rows[p] & ROW
        w = 1.0 if unit else mass[row]
        s = w * (y[row] - centre)
        for j in range(C):
            code = codes[row, j]
            if code >= 0:
                table[offsets[j] + code, WEIGHT] += w
                table[offsets[j] + code, SUM] += s
            else:
                gone[j, WEIGHT] += w
                gone[j, SUM] += s
    for j in range(C):
        start, size = data.offsets[j], data.offsets[j + 1] - data.offsets[j]
        if 4 * len(rows) >= size:
            list_summed_codes(start, size, j, desk)
        else:
            gather_codes(rows, start, j, data, desk)


@inner
def list_summed_codes(start, size, j, desk):
    """The codes of a column that have any weight, rising."""
    t, table, seen = 0, desk.table, desk.seen
    for code in range(size):
        if table[start + code, WEIGHT] > 0.0:
            seen[start + t] = code
            t += 1
    desk.n_seen[j] = t


@inner
def decide_numbers(settings, desk):
    """The feature to test, −1 for none: that of the largest gain for its cost."""
    found, best, highest = desk.found, -1, 0.0
    for f in range(len(found)):
        score = found[f, 0] * settings.discount[f]
        if found[f, 0] >= 0.0 and (best < 0 or score > highest * (1.0 + NOISE)):
            best, highest = f, score
    if best >= 0 and found[best, 0] < settings.limits[MIN_GAIN] * (1.0 - NOISE):
        return -1
    return best


@inner
def sum_branches(f, entries, centre, mass, data, settings, desk):
    """The known numbers of each branch of the best test on a feature: weight and sum into desk.known.

    desk.to_branch has the branch of each code. Gives how many branches there are.
    """
    j, cut, known = data.place[f], int64(desk.found[f, 2]), desk.known
    if data.kind[f] == SORTED:
        y = data.y
        zero_row(known, int64(0))
        zero_row(known, int64(1))
        for p in range(len(entries)):
            if entries[p] & GONE:
                break
            row, b = entries[p] & ROW, 0 if p < cut else 1
            w = 1.0 if len(mass) == 0 else mass[row]
            known[b, WEIGHT] += w
            known[b, SUM] += w * (y[row] - centre)
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
def missing_branch(f, n_branches, settings, desk):
    """The shares of the branches, the branch of rows without a value later on, and that of those here: −1 for all."""
    most, default, whole = 0.0, 0, 0.0
    for b in range(n_branches):
        whole += desk.known[b, WEIGHT]
        if desk.known[b, WEIGHT] > most * (1.0 + NOISE):
            default, most = b, desk.known[b, WEIGHT]
    for b in range(n_branches):
        desk.shares[b] = desk.known[b, WEIGHT] / whole
    if settings.rules[STRATEGY] == FRACTIONAL:
        return default, -1
    chosen = int64(desk.found[f, 1])
    return (chosen, chosen) if chosen >= 0 else (default, default)


@inner
def settle_sums(j, centre, n_branches, to, desk):
    """Weight, mean and squares of the branches into desk.counts, from the sums of a column j of codes alone."""
    known, gone, counts = desk.known, desk.gone, desk.counts
    for b in range(n_branches):
        share = desk.shares[b] if to < 0 else (1.0 if to == b else 0.0)
        w, s = known[b, WEIGHT] + share * gone[j, WEIGHT], known[b, SUM] + share * gone[j, SUM]
        q = known[b, SQUARES] + share * gone[j, SQUARES]
        counts[b, WEIGHT], counts[b, MEAN], counts[b, SQUARES] = w, centre, 0.0
        if w > 0.0:
            counts[b, MEAN] = centre + s / w
            counts[b, SQUARES] = max(q - s * (s / w), 0.0)


@inner
def mark_number_branches(f, arena, lo, hi, to, data, desk, branch_of):
    """The branch of each row of a node after a test on a feature; −1 for every branch."""
    j, cut, is_sorted = data.place[f], int64(desk.found[f, 2]), data.kind[f] == SORTED
    codes, to_branch = data.codes, desk.to_branch
    entries = arena[1 + j if is_sorted else 0, lo:hi]
    for p in range(len(entries)):
        row = entries[p] & ROW
        if is_sorted:
            known, branch = not entries[p] & GONE, 0 if p < cut else 1
        else:
            code = codes[row, j]
            known, branch = code >= 0, to_branch[max(code, 0)]
        branch_of[row] = branch if known else to


@inner
def settle_rows(rows, centre, n_branches, branch_of, mass, data, desk):
    """Weight, mean and squares of the branches into desk.counts, from their rows: once for means, once for squares."""
    y, counts, shares, unit = data.y, desk.counts, desk.shares, len(mass) == 0
    for b in range(n_branches):
        zero_row(counts, b)
    for p in range(len(rows)):
        row = rows[p] & ROW
        branch, w = branch_of[row], 1.0 if unit else mass[row]
        for b in range(max(branch, 0), branch + 1 if branch >= 0 else n_branches):
            part = w if branch >= 0 else w * shares[b]
            counts[b, WEIGHT] += part
            counts[b, MEAN] += part * (y[row] - centre)
    for b in range(n_branches):
        counts[b, MEAN] = centre + (counts[b, MEAN] / counts[b, WEIGHT] if counts[b, WEIGHT] > 0.0 else 0.0)
    for p in range(len(rows)):
        row = rows[p] & ROW
        branch, w = branch_of[row], 1.0 if unit else mass[row]
        for b in range(max(branch, 0), branch + 1 if branch >= 0 else n_branches):
            gap = y[row] - counts[b, MEAN]
            counts[b, SQUARES] += (w if branch >= 0 else w * shares[b]) * gap * gap


@inner
def record_number_candidates(arena, lo, hi, centre, mass, data, settings, desk, candidates):
    """Of each feature gain and threshold, and of thresholds weight and sum of the numbers below and of missing ones."""
    for f in range(len(data.kind)):
        candidates[f, 0], candidates[f, 1] = desk.found[f, 0], best_threshold(f, arena, lo, data, desk)
        if data.kind[f] != NOMINAL and desk.found[f, 0] >= 0.0:
            list_of = 1 + data.place[f] if data.kind[f] == SORTED else 0
            sum_branches(f, arena[list_of, lo:hi], centre, mass, data, settings, desk)
            candidates[f, 2], candidates[f, 3] = desk.known[0, WEIGHT], desk.known[0, SUM]
            candidates[f, 4] = desk.work[TOTAL, WEIGHT] - desk.known[0, WEIGHT] - desk.known[1, WEIGHT]
            candidates[f, 5] = -(desk.known[0, SUM] + desk.known[1, SUM])
