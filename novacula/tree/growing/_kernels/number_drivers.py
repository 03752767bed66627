"""The kernels of trees for numbers: a subtree from rows in memory, or one split from sums alone."""

import numpy as np
from numba.types import NamedTuple, Tuple, boolean, int64

from novacula.compiling import kernel
from novacula.tree.constants import (
    ABSOLUTE,
    GROUPING,
    IMPURITY,
    MEAN,
    NOMINAL,
    ROW,
    SORTED,
    SQUARES,
    SUBSET,
    WEIGHT,
)
from novacula.tree.growing._kernels.arguments import GrowthData
from novacula.tree.growing._kernels.code_counts import clear_codes
from novacula.tree.growing._kernels.dealing import deal_lists, queue_branches, wider_arena
from novacula.tree.growing._kernels.deciding import best_threshold
from novacula.tree.growing._kernels.desk import TOTAL, new_bench, new_desk
from novacula.tree.growing._kernels.deviations import (
    cut_deviations,
    divide_codes,
    line_up_codes,
    line_up_list,
    part_deviations,
    rank_targets,
    settle_deviations,
)
from novacula.tree.growing._kernels.drivers import (
    CODE_ROWS,
    ENTRIES,
    INT_TABLE,
    LONGS,
    NUMBERS,
    ROWS,
    SETTINGS,
    TABLE,
    VALUES,
)
from novacula.tree.growing._kernels.inlined import copy_row, inner, pasted
from novacula.tree.growing._kernels.number_deciding import (
    decide_numbers,
    is_number_leaf,
    list_summed_codes,
    mark_number_branches,
    missing_branch,
    record_number_candidates,
    settle_rows,
    settle_sums,
    sum_branches,
    sum_codes,
)
from novacula.tree.growing._kernels.number_tests import SUM, cut_numbers, search_number_codes
from novacula.tree.growing._kernels.writing import finished, new_tree, write_test

NUMBER_DATA = NamedTuple((VALUES, CODE_ROWS, ROWS, LONGS, LONGS, LONGS, LONGS, VALUES, VALUES, LONGS), GrowthData)
CANDIDATE = 6
"""Numbers that are recorded of a feature."""


@kernel(
    Tuple((INT_TABLE, TABLE, TABLE, INT_TABLE, int64[:, ::1], ENTRIES, NUMBERS, TABLE, TABLE))(
        ENTRIES, NUMBERS, int64, int64, int64, VALUES, int64, boolean, NUMBER_DATA, SETTINGS
    ),
    error_model="numpy",
)
def grow_numbers(arena, masses, start, stop, depth, total, splits, record, data, settings):
    """Grow the subtree of the examples in arena[:, start:stop] by at most `splits` tests, as `grow` does for classes.

    total (3,) and counts (m, 3) are weight, mean and squares. What is recorded of the first node is each feature's
    gain, threshold, weight and sum below the threshold and missing (F, 6), and the weight and sum of its codes (c, 3);
    sums are of deviations from the node's mean. With absolute deviations they are medians in place of means, the last
    list of the arena has the rows in the order of their numbers, and `_record_deviations` says what is recorded.
    """
    F, n, unit, absolute = len(data.kind), len(data.y), len(masses) == 0, settings.rules[IMPURITY] == ABSOLUTE
    desk, tree = new_desk(int64(3), data.offsets, F), new_tree(total)
    bench, last = new_bench(n if absolute else int64(0), data.offsets, F), arena.shape[0] - 1
    candidates, table = np.zeros((F, CANDIDATE)), np.zeros((0, 3))
    branch_of, mass = np.empty(n, np.int32), np.empty(0 if unit else n)
    spare, spare_mass = np.empty(stop - start, np.uint32), np.empty(0 if unit else stop - start)
    stack = np.empty((16, 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, start, stop, depth
    waiting, done = 1, 0
    while waiting > 0 and done < splits:
        waiting -= 1
        node, lo, hi, depth = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        if is_number_leaf(tree[2], node, depth, settings):
            continue
        copy_row(desk.work, TOTAL, tree[2], node)
        done += 1
        centre = tree[2][node, MEAN]
        for p in range(0 if unit else hi - lo):
            mass[arena[0, lo + p] & ROW] = masses[lo + p]
        sum_codes(arena[0, lo:hi], centre, mass, data, desk)
        if absolute:
            _search_deviations(arena, lo, hi, mass, data, settings, desk, bench)
        else:
            _search_numbers(arena, lo, hi, centre, mass, data, settings, desk)
        if record and done == 1:
            table = desk.table.copy()
            if absolute:
                _record_deviations(arena, lo, data, settings, desk, bench, candidates, table)
            else:
                record_number_candidates(arena, lo, hi, centre, mass, data, settings, desk, candidates)
        f, first, n_branches = decide_numbers(settings, desk), int64(0), 0
        if f >= 0:
            threshold = best_threshold(f, arena, lo, data, desk)
            list_of = 1 + data.place[f] if data.kind[f] == SORTED else 0
            n_branches = sum_branches(f, arena[list_of, lo:hi], centre, mass, data, settings, desk)
            default, to = missing_branch(f, n_branches, settings, desk)
            mark_number_branches(f, arena, lo, hi, to, data, desk, branch_of)
            if absolute:
                settle_deviations(arena[last, lo:hi], n_branches, branch_of, mass, desk, bench)
            else:
                settle_rows(arena[0, lo:hi], centre, n_branches, branch_of, mass, data, desk)
            first = tree[4][0]
            tree = write_test(tree, node, f, n_branches, default, threshold, data, settings, desk)
        clear_codes(data, desk)
        if f < 0:
            continue
        for b in range(n_branches):
            desk.start[b] = -1 if is_number_leaf(desk.counts, b, depth + 1, settings) else 0
        rows = arena[0, lo:hi]
        stack, waiting, end = queue_branches(stack, waiting, rows, lo, n_branches, first, depth + 1, branch_of, desk)
        if end - lo > len(spare):
            spare, spare_mass = np.empty(end - lo, np.uint32), np.empty(0 if unit else end - lo)
        if end > arena.shape[1]:
            arena, masses = wider_arena(arena, masses, end)
        deal_lists(arena, masses, lo, hi, end, n_branches, branch_of, mass, spare, spare_mass, desk)
    nodes, numbers, counts, arms = finished(tree)
    return nodes, numbers, counts, arms, stack[:waiting].copy(), arena, masses, candidates, table


@pasted
def _search_numbers(arena, lo, hi, centre, mass, data, settings, desk):
    """The best test on each feature of a node with the examples in arena[:, lo:hi], into desk.found."""
    kind, place, y, found, work = data.kind, data.place, data.y, desk.found, desk.work
    for f in range(len(kind)):
        if kind[f] == SORTED:
            entries = arena[1 + place[f], lo:hi]
            cut_numbers(found, f, entries, y, centre, mass, work, settings.rules, settings.limits)
        else:
            search_number_codes(f, data, settings, desk)


@pasted
def _search_deviations(arena, lo, hi, mass, data, settings, desk, bench):
    """The same by absolute deviations; the last list of the arena has the examples in the order of their numbers."""
    by_target = arena[arena.shape[0] - 1, lo:hi]
    rank_targets(by_target, data.y, bench)
    kind, place, m = data.kind, data.place, hi - lo
    for f in range(len(kind)):
        is_list = kind[f] == SORTED
        if is_list:
            known = line_up_list(arena[1 + place[f], lo:hi], bench)
        else:
            known = line_up_codes(f, by_target, mass, data, settings, desk, bench)
        desk.found[f, 0] = -1.0
        if known < 2 or not (is_list or desk.n_seen[place[f]] > 1):
            continue
        if kind[f] == NOMINAL and settings.rules[GROUPING] != SUBSET:
            part_deviations(f, known, m, mass, data, settings, desk, bench)
        else:
            cut_deviations(f, known, m, is_list, mass, settings, desk, bench)
            if not is_list:
                divide_codes(f, data, desk, bench)


@inner
def _record_deviations(arena, lo, data, settings, desk, bench, candidates, table):
    """Of each feature gain, threshold, deviations of two branches, and those of what they divide.

    For tests by category the table has of each code its branch, from 1 on, and the deviations there.
    """
    for f in range(len(data.kind)):
        candidates[f, 0], candidates[f, 1] = desk.found[f, 0], best_threshold(f, arena, lo, data, desk)
        if desk.found[f, 0] < 0.0:
            continue
        candidates[f, 2], candidates[f, 3], candidates[f, 4] = bench.sides[f, 0], bench.sides[f, 1], bench.base[f]
        for i in range(desk.n_seen[data.place[f]] if data.kind[f] == NOMINAL else 0):
            cell = data.offsets[data.place[f]] + desk.seen[data.offsets[data.place[f]] + i]
            if settings.rules[GROUPING] == SUBSET:
                table[cell, SUM], table[cell, SQUARES] = bench.sides[f, desk.side[cell]], 1 + desk.side[cell]
            else:
                table[cell, SUM], table[cell, SQUARES] = bench.parts[cell], 1 + i


@kernel(
    Tuple((INT_TABLE, TABLE, TABLE, INT_TABLE, TABLE, TABLE))(TABLE, TABLE, int64, VALUES, NUMBER_DATA, SETTINGS),
    error_model="numpy",
)
def split_numbers(table, gone, depth, total, data, settings):
    """Split one node of which only sums about a point are known: table (c, 3) of codes, gone (C, 3) of missing ones.

    total (3,) has that point in the place of the mean. The node's own mean is found from its first column; sums are
    moved there. Gives nodes, numbers, counts, arms, candidates and the sums of codes as `grow_numbers` does.
    """
    arena, mass, nothing, root = np.empty((1, 0), np.uint32), np.empty(0), len(data.y), int64(0)
    F, offsets = len(data.kind), data.offsets
    desk, tree, candidates = new_desk(int64(3), offsets, F), new_tree(total), np.zeros((F, CANDIDATE))
    shift = 0.0
    if len(gone) > 0:
        w, s, q = gone[0, WEIGHT], gone[0, SUM], gone[0, SQUARES]
        for cell in range(offsets[1]):
            w, s, q = w + table[cell, WEIGHT], s + table[cell, SUM], q + table[cell, SQUARES]
        shift = s / w
        counts = tree[2]
        counts[0, WEIGHT], counts[0, MEAN], counts[0, SQUARES] = w, total[MEAN] + shift, max(q - s * shift, 0.0)
    if not is_number_leaf(tree[2], root, depth, settings):
        copy_row(desk.work, TOTAL, tree[2], root)
        centre = tree[2][0, MEAN]
        for j in range(len(gone)):
            _move(desk.gone, j, gone, j, shift)
            for cell in range(offsets[j], offsets[j + 1]):
                _move(desk.table, cell, table, cell, shift)
            list_summed_codes(offsets[j], offsets[j + 1] - offsets[j], j, desk)
        for f in range(F):
            search_number_codes(f, data, settings, desk)
        record_number_candidates(arena, nothing, nothing, centre, mass, data, settings, desk, candidates)
        f = decide_numbers(settings, desk)
        if f >= 0:
            n_branches = sum_branches(f, arena[0], centre, mass, data, settings, desk)
            default, to = missing_branch(f, n_branches, settings, desk)
            settle_sums(data.place[f], centre, n_branches, to, desk)
            tree = write_test(tree, root, f, n_branches, default, candidates[f, 1], data, settings, desk)
    nodes, numbers, counts, arms = finished(tree)
    return nodes, numbers, counts, arms, candidates, desk.table


@pasted
def _move(matrix, i, sums, j, shift):
    """Row i of a matrix becomes row j of sums, about a point that lies `shift` further."""
    w, s = sums[j, WEIGHT], sums[j, SUM]
    matrix[i, WEIGHT], matrix[i, SUM] = w, s - w * shift
    matrix[i, SQUARES] = sums[j, SQUARES] - 2.0 * s * shift + w * shift * shift
