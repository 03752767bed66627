"""Compiled growth of one tree of a forest, from rows that are whole numbers.

A node is a run of rows. For each drawn column the rows fall into cells, one per code, and the tests are tried along the
codes that occur: along their order, or along the means of nominal ones. What belongs to a row, its class or number and
its weight, moves with it when a node is divided; its codes stay where they are.
"""

import numpy as np
from numba import njit, uint64
from numba.types import Array, Tuple, UniTuple, boolean, float64, int32, int64, uint16

from novacula.compiling import BORROWED, kernel
from novacula.ensemble._kernels import mixed
from novacula.ensemble.forest.constants import CROWD, ENTROPY, NOISE, SQUARES

BIT = np.zeros(64, np.int64)
"""The place of the lowest bit of a word, by the top six bits of its product with a de Bruijn number."""
DE_BRUIJN = 0x03F79D71B4CB0A89
for place in range(64):
    BIT[((DE_BRUIJN << place) & 0xFFFFFFFFFFFFFFFF) >> 58] = place

COLUMNS = Array(uint16, 2, "C", readonly=True)
LONGS = Array(int64, 1, "C", readonly=True)
FLAGS = Array(boolean, 1, "C", readonly=True)
PLACES, WORDS, MARKS = Array(int64, 1, "C"), Array(uint64, 1, "C"), Array(boolean, 1, "C")
NUMBERS, CODES = Array(float64, 1, "C"), Array(int32, 1, "C")
OF_ROWS = Tuple((CODES, CODES, NUMBERS, NUMBERS))
RULES = Tuple((int64, int64, int64, int64, float64, float64, int64))
NODES = Tuple((CODES, CODES, CODES, CODES, NUMBERS, NUMBERS, Array(float64, 2, "C"), PLACES, CODES))
SCRATCH = Tuple((NUMBERS, WORDS, PLACES, PLACES, NUMBERS, NUMBERS, NUMBERS, NUMBERS))
"""Cells, words of marks, codes that occur, those of the best column, their weights and sums, two rows of classes."""
DRAWING = Tuple((PLACES, PLACES, PLACES, PLACES, PLACES, PLACES, WORDS))
"""Columns and how they were swapped; of each node the first row, the last, the depth; those that wait; their paths."""
DIVIDING = Tuple((MARKS, MARKS, CODES, NUMBERS))
"""Which rows go left, which codes do, and room for those that go right."""


@njit(nogil=True, **BORROWED)
def _fill(codes, f, rows, label, number, weight, begin, end, rules, cells, words):
    """Put the rows of a node into the cells of a column; of a few rows, mark the codes that occur."""
    is_few, k = end - begin < CROWD, rules[1]
    if rules[0] == SQUARES:
        for i in range(begin, end):
            cell = 2 * int64(codes[f, rows[i]])
            cells[cell] += weight[i]
            cells[cell + 1] += weight[i] * number[i]
    else:
        for i in range(begin, end):
            cells[int64(codes[f, rows[i]]) * k + label[i]] += weight[i]
    if is_few:
        for i in range(begin, end):
            code = uint64(codes[f, rows[i]])
            words[int64(code >> uint64(6))] |= uint64(1) << (code & uint64(63))


@njit(nogil=True, **BORROWED)
def _take(code, rules, largest, cells, found, seen, mass, total):
    """Note a code if its cells hold anything: its weight, and the sum that means are made of. How many there are."""
    k = rules[1]
    if rules[0] == SQUARES:
        heavy, part = cells[2 * code], cells[2 * code + 1]
        cells[2 * code] = cells[2 * code + 1] = 0.0
    else:
        heavy, part = 0.0, cells[code * k + largest]
        for c in range(code * k, code * k + k):
            heavy += cells[c]
        if k == 2 and heavy > 0.0:
            part = cells[2 * code + 1]
            if rules[2]:
                cells[2 * code] = cells[2 * code + 1] = 0.0
    if heavy > 0.0:
        seen[found], mass[found], total[found] = code, heavy, part
        found += 1
    return found


@njit(nogil=True, **BORROWED)
def _collect(size, is_few, rules, largest, cells, words, seen, mass, total):
    """The codes that occur, rising, the missing one last; those of few rows by their marks, which are wiped."""
    found = 0
    if not is_few:
        for code in range(size + 1):
            found = _take(code, rules, largest, cells, found, seen, mass, total)
        return found
    for w in range((size >> 6) + 1):
        word = words[w]
        words[w] = uint64(0)
        while word != uint64(0):
            low = word & (~word + uint64(1))
            code = 64 * w + BIT[int64((low * uint64(DE_BRUIJN)) >> uint64(58))]
            word ^= low
            found = _take(code, rules, largest, cells, found, seen, mass, total)
    return found


@njit(nogil=True, **BORROWED)
def _sort_by_mean(n, seen, mass, total):
    """Bring codes into the order of their means, equal ones into their own."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            code, heavy, part, j = seen[i], mass[i], total[i], i
            while j >= gap:
                one, two = total[j - gap] * heavy, part * mass[j - gap]
                if one < two or (one == two and seen[j - gap] < code):
                    break
                seen[j], mass[j], total[j] = seen[j - gap], mass[j - gap], total[j - gap]
                j -= gap
            seen[j], mass[j], total[j] = code, heavy, part
        gap //= 3


@njit(nogil=True, **BORROWED)
def _best_by_mean(n, has_gap, mass, total, whole, least):
    """The best division of n codes, the last of them that of missing values: (score, codes left, branch of missing).

    The score is the fall of the squares, times the square of the weight.
    """
    heavy = part = 0.0
    for i in range(n):
        heavy += mass[i]
        part += total[i]
    known = n - 1 if has_gap else n
    best, cut, way = -1.0, 0, 1
    left = summed = 0.0
    for i in range(known if has_gap else known - 1):
        left += mass[i]
        summed += total[i]
        right = heavy - left
        if left >= least and right >= least:
            gap = summed * heavy - part * left
            score = gap * gap / (left * right)
            if score > best * (1.0 + NOISE):
                best, cut, way = score, i + 1, 1
        if has_gap and i + 1 < known:
            more = left + mass[n - 1]
            if more >= least and heavy - more >= least:
                gap = (summed + total[n - 1]) * heavy - part * more
                score = gap * gap / (more * (heavy - more))
                if score > best * (1.0 + NOISE):
                    best, cut, way = score, i + 1, 0
    return (best / whole if best > 0.0 else best), cut, way


@njit(nogil=True, **BORROWED)
def _purity(amount, entropy):
    """What a class of this weight adds to the score of a branch."""
    if entropy:
        return amount * np.log2(amount) if amount > 0.0 else 0.0
    return amount * amount


@njit(nogil=True, **BORROWED)
def _branch_score(inside, weight, entropy):
    return inside - weight * np.log2(weight) if entropy else inside / weight


@njit(nogil=True, **BORROWED)
def _best_by_class(n, has_gap, seen, rules, cells, whole, counts, left, least):
    """The same by the weights of k classes; the score is the fall of the impurity, times the weight."""
    k, entropy = rules[1], rules[0] == ENTROPY
    known, last = (n - 1 if has_gap else n), int64(seen[n - 1]) * k
    base = 0.0
    for c in range(k):
        left[c] = 0.0
        base += _purity(counts[c], entropy)
    base = _branch_score(base, whole, entropy)
    best, cut, way = -1.0, 0, 1
    for i in range(known if has_gap else known - 1):
        for c in range(k):
            left[c] += cells[int64(seen[i]) * k + c]
        for option in range(1, -1 if has_gap and i + 1 < known else 0, -1):
            heavy = one = two = 0.0
            for c in range(k):
                amount = left[c] if option == 1 else left[c] + cells[last + c]
                heavy += amount
                one += _purity(amount, entropy)
                two += _purity(counts[c] - amount, entropy)
            if heavy >= least and whole - heavy >= least and heavy > 0.0 and whole > heavy:
                score = _branch_score(one, heavy, entropy) + _branch_score(two, whole - heavy, entropy) - base
                score = max(score, 0.0)
                if score > best * (1.0 + NOISE):
                    best, cut, way = score, i + 1, option
    return best, cut, way


@njit(nogil=True, **BORROWED)
def _sum_up(label, number, weight, begin, end, rules, counts):
    """The weight of a node's rows, that of each class or the sum of numbers, and whether they are all alike."""
    heavy = 0.0
    for c in range(len(counts)):
        counts[c] = 0.0
    alike = True
    if rules[0] == SQUARES:
        for i in range(begin, end):
            heavy += weight[i]
            counts[0] += weight[i] * number[i]
            alike = alike and number[i] == number[begin]
    else:
        for i in range(begin, end):
            heavy += weight[i]
            counts[label[i]] += weight[i]
            alike = alike and label[i] == label[begin]
    return heavy, alike


@njit(nogil=True, **BORROWED)
def _divide(goes, begin, end, rows, label, number, weight, spare, spare_numbers):
    """Bring the rows that go left before the others, both in their order; where the others begin."""
    kept, moved, n = begin, 0, len(rows)
    for i in range(begin, end):
        if goes[i]:
            rows[kept], label[kept], number[kept], weight[kept] = rows[i], label[i], number[i], weight[i]
            kept += 1
        else:
            spare[moved], spare[n + moved] = rows[i], label[i]
            spare_numbers[moved], spare_numbers[n + moved] = number[i], weight[i]
            moved += 1
    for i in range(moved):
        rows[kept + i], label[kept + i] = spare[i], spare[n + i]
        number[kept + i], weight[kept + i] = spare_numbers[i], spare_numbers[n + i]
    return kept


@njit(nogil=True, **BORROWED)
def _draw(path, i, most_columns, order, picks):
    """The i-th column that a node tries: by its path, so that it does not matter when it is its turn."""
    picks[i] = i
    if most_columns < len(order):
        chance = mixed(path + uint64(0x9E3779B97F4A7C15) * uint64(i + 1))
        picks[i] = i + int64(chance % uint64(len(order) - i))
        order[i], order[picks[i]] = order[picks[i]], order[i]
    return order[i]


@njit(nogil=True, **BORROWED)
def _try_column(f, a, b, codes, sizes, ordered, of_rows, rules, whole, largest, scratch):
    """The best test on a column: (score, codes left, branch of missing values, codes that occur, whether some miss)."""
    rows, label, number, weight = of_rows
    cells, words, seen, _, heavy, total, counts, left = scratch
    is_few, k, by_mean = b - a < CROWD, rules[1], rules[0] == SQUARES or rules[2] == 1
    _fill(codes, f, rows, label, number, weight, a, b, rules, cells, words)
    found = _collect(sizes[f], is_few, rules, largest, cells, words, seen, heavy, total)
    score, at, option, has_gap = -1.0, 0, 1, seen[found - 1] == sizes[f]
    if found > 1:
        if not ordered[f]:
            _sort_by_mean(found - int64(has_gap), seen, heavy, total)
        if by_mean:
            score, at, option = _best_by_mean(found, has_gap, heavy, total, whole, rules[5])
        else:
            score, at, option = _best_by_class(found, has_gap, seen, rules, cells, whole, counts, left, rules[5])
    if not by_mean:
        for j in range(found):
            for c in range(seen[j] * k, seen[j] * k + k):
                cells[c] = 0.0
    return score, at, option, found, has_gap


@njit(nogil=True, **BORROWED)
def _find_test(a, b, path, codes, sizes, ordered, of_rows, rules, most_columns, whole, largest, scratch, order, picks):
    """The best test on the drawn columns, of which those that say nothing do not count.

    (Column or −1, score, codes left, branch of missing values, codes that occur, whether values are missing, by how
    much the codes left weigh more than the others.)
    """
    _, _, seen, best_seen, heavy, _, _, _ = scratch
    feature, best, where, way, n_best, gap, more = -1, -1.0, 0, 1, 0, False, 0.0
    n_seen, tested = 0, 0
    while n_seen < len(order) and (n_seen < most_columns or tested == 0):
        f = _draw(path, n_seen, most_columns, order, picks)
        n_seen += 1
        score, at, option, found, has_gap = _try_column(
            f, a, b, codes, sizes, ordered, of_rows, rules, whole, largest, scratch
        )
        tested += int64(found > 1)
        is_equal = score >= 0.0 and abs(score - best) <= NOISE * best
        if (is_equal and f < feature) or (score > best and not is_equal):
            feature, best, where, way, n_best, gap, more = f, score, at, option, found, has_gap, 0.0
            for j in range(found):
                best_seen[j] = seen[j]
            for j in range(found - int64(has_gap)):
                more += heavy[j] if j < at else -heavy[j]
    for i in range(n_seen - 1, -1, -1):  # the next node draws from columns in their order
        order[i], order[picks[i]] = order[picks[i]], order[i]
    return feature, best, where, way, n_best, gap, more


@njit(nogil=True, **BORROWED)
def _list_codes(where, known, more, best_seen, code, n_codes):
    """List the codes of branch 0, the lighter one, so that codes that did not occur take the heavier."""
    start, stop = (0, where) if more <= 0.0 else (where, known)
    for j in range(start, stop):
        code[n_codes + j - start] = best_seen[j]
    return n_codes + stop - start


@njit(nogil=True, **BORROWED)
def _next_node(waiting, n_waiting, is_best_first, gain, mass):
    """The place of the node that is divided next: the last one, or the one whose test gains most."""
    chosen = n_waiting - 1
    if is_best_first:
        for i in range(n_waiting):
            if gain[waiting[i]] * mass[waiting[i]] > gain[waiting[chosen]] * mass[waiting[chosen]] * (1.0 + NOISE):
                chosen = i
    return chosen


@njit(nogil=True, **BORROWED)
def _go(f, a, b, cut, way, codes, rows, size, is_ordered, listed, begin_listed, end_listed, side, goes):
    """Mark the rows that take branch 0."""
    for j in range(begin_listed, end_listed):
        side[listed[j]] = True
    for i in range(a, b):
        at = int64(codes[f, rows[i]])
        if at == size:
            goes[i] = way == 0
        else:
            goes[i] = at <= cut if is_ordered else side[at]
    for j in range(begin_listed, end_listed):
        side[listed[j]] = False


@kernel(
    UniTuple(int64, 2)(
        COLUMNS, LONGS, FLAGS, OF_ROWS, RULES, int64, uint64, NODES, SCRATCH, DRAWING, DIVIDING,
    ),
    **BORROWED,
)  # fmt: skip
def grow_tree(codes, sizes, ordered, of_rows, rules, most_columns, seed, nodes, scratch, drawing, dividing):
    """Grow a tree from codes (F, n) and from the (number, class, value and weight) of each row, which are reordered.

    Rules are (criterion, classes, whether two classes are compared by their mean, depth, weight to be tested, weight
    of a branch, leaves). Fills nodes (feature, cut, child, missing, gain, mass, value, code_start, code) and gives the
    number of nodes and of listed codes; no nodes if there is no room for the codes.
    """
    feature, cut, child, missing, gain, mass, value, code_start, code = nodes
    rows, label, number, weight = of_rows
    _, _, _, best_seen, _, _, counts, _ = scratch
    order, picks, begin, end, depth, waiting, path = drawing
    goes, side, spare, spare_numbers = dividing
    begin[0], end[0], depth[0], path[0], code_start[0] = 0, len(label), 0, mixed(seed), 0
    first, n_nodes, n_waiting, n_codes, n_leaves = 0, 1, 0, 0, 1
    while True:
        for node in range(first, n_nodes):  # find the test of each new node
            a, b = begin[node], end[node]
            whole, alike = _sum_up(label, number, weight, a, b, rules, counts)
            mass[node], feature[node], child[node], missing[node], gain[node], cut[node] = whole, -1, -1, 0, 0.0, 0
            largest = 0
            for c in range(len(counts)):
                value[node, c] = counts[c] / whole
                largest = c if counts[c] > counts[largest] else largest
            code_start[node + 1] = n_codes
            if alike or whole < rules[4] or depth[node] == rules[3]:
                continue
            f, score, where, way, n_best, has_gap, more = _find_test(
                a, b, path[node], codes, sizes, ordered, of_rows, rules, most_columns, whole, largest, scratch, order,
                picks,
            )  # fmt: skip
            if f < 0:
                continue
            feature[node], gain[node] = f, score / whole * (2.0 if rules[2] == 1 else 1.0)
            known = n_best - int64(has_gap)
            if not has_gap:
                way = 0 if more > 0.0 else 1  # where nothing is missing, missing values take the heavier branch
            if ordered[f]:
                cut[node] = (best_seen[where - 1] + best_seen[where] - 1) // 2 if where < known else sizes[f] - 1
            else:
                if n_codes + known > len(code):
                    return 0, 0
                n_codes = _list_codes(where, known, more, best_seen, code, n_codes)
                code_start[node + 1] = n_codes
                way = 1 - way if more > 0.0 else way
            missing[node] = way
            waiting[n_waiting] = node
            n_waiting += 1
        if n_waiting == 0 or n_leaves == rules[6]:
            break
        chosen = _next_node(waiting, n_waiting, rules[6] > 0, gain, mass)
        node = waiting[chosen]
        n_waiting -= 1
        waiting[chosen] = waiting[n_waiting]
        f, a, b = feature[node], begin[node], end[node]
        _go(
            f, a, b, cut[node], missing[node], codes, rows, sizes[f], ordered[f], code, code_start[node],
            code_start[node + 1], side, goes,
        )  # fmt: skip
        middle = _divide(goes, a, b, rows, label, number, weight, spare, spare_numbers)
        child[node] = first = n_nodes
        begin[first], end[first], begin[first + 1], end[first + 1] = a, middle, middle, b
        for branch in range(2):
            depth[first + branch] = depth[node] + 1
            path[first + branch] = mixed(path[node] + uint64(branch + 1))
        n_nodes, n_leaves = n_nodes + 2, n_leaves + 1
    for i in range(n_waiting):  # what there were no leaves left for
        feature[waiting[i]], gain[waiting[i]], cut[waiting[i]], missing[waiting[i]] = -1, 0.0, 0, 0
    return n_nodes, n_codes
