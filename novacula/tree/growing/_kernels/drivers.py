"""The kernels: a subtree from rows in memory, or one split from counts alone."""

import numpy as np
from numba.types import Array, NamedTuple, Tuple, boolean, float64, int32, int64, uint32

from novacula.compiling import kernel
from novacula.tree.constants import ROW, SORTED
from novacula.tree.growing._kernels.arguments import GrowthData, GrowthSettings
from novacula.tree.growing._kernels.code_counts import clear_codes, count_codes, list_codes
from novacula.tree.growing._kernels.code_tests import search_codes
from novacula.tree.growing._kernels.dealing import deal_lists, mark_branches, queue_branches, wider_arena
from novacula.tree.growing._kernels.deciding import best_threshold, decide, is_leaf, record_candidates
from novacula.tree.growing._kernels.desk import TOTAL, new_desk
from novacula.tree.growing._kernels.inlined import copy_row, pasted
from novacula.tree.growing._kernels.sorted_lists import cut_list
from novacula.tree.growing._kernels.writing import finished, new_tree, write_test

CODES = Array(int32, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
LONGS = Array(int64, 1, "C", readonly=True)
ENTRIES = uint32[:, ::1]
NUMBERS = float64[::1]
TABLE = float64[:, ::1]
INT_TABLE = int32[:, ::1]
DATA = NamedTuple((CODES, CODE_ROWS, ROWS, LONGS, LONGS, LONGS, LONGS, VALUES, VALUES, LONGS), GrowthData)
SETTINGS = NamedTuple((VALUES, LONGS, VALUES, VALUES, VALUES), GrowthSettings)


@kernel(
    Tuple((INT_TABLE, TABLE, TABLE, INT_TABLE, int64[:, ::1], ENTRIES, NUMBERS, TABLE, TABLE))(
        ENTRIES, NUMBERS, int64, int64, int64, VALUES, int64, boolean, DATA, SETTINGS
    ),
    error_model="numpy",
)
def grow(arena, masses, start, stop, depth, total, splits, record, data, settings):
    """Grow the subtree of the examples in arena[:, start:stop], of class weights total (K,), by at most `splits` tests.

    arena (1 + S, ·) and masses (·), empty where every row counts once, are used up.

    Gives nodes (m, 7), numbers (m, 2), counts (m, K), arms (a, 2), the nodes that wait (w, 4: node, start, stop, depth)
    with arena and masses to go on from; and, where asked to `record`, of the first node each feature's gain, split
    information, threshold, class weights below it and missing, thresholds it pays for (F, 4 + 2K), and the counts of
    its codes (c, K).
    """
    K, F, n, unit = len(total), len(data.kind), len(data.y), len(masses) == 0
    desk, tree = new_desk(K, data.offsets, F), new_tree(total)
    candidates, table = np.zeros((F, 4 + 2 * K)), np.zeros((0, K))
    branch_of, mass = np.empty(n, np.int32), np.empty(0 if unit else n)
    spare, spare_mass = np.empty(stop - start, np.uint32), np.empty(0 if unit else stop - start)
    stack = np.empty((16, 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, start, stop, depth
    waiting, done = 1, 0
    while waiting > 0 and done < splits:
        waiting -= 1
        node, lo, hi, depth = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        if is_leaf(tree[2], node, depth, settings):
            continue
        copy_row(desk.work, TOTAL, tree[2], node)
        done += 1
        for p in range(0 if unit else hi - lo):
            mass[arena[0, lo + p] & ROW] = masses[lo + p]
        _search(arena, lo, hi, mass, data, settings, desk)
        if record and done == 1:
            table = desk.table.copy()
            record_candidates(arena, lo, hi, mass, data, settings, desk, candidates)
        f, n_branches, default = decide(arena, lo, hi, mass, data, settings, desk)
        if f >= 0:
            threshold = best_threshold(f, arena, lo, data, desk)
            first = tree[4][0]
            tree = write_test(tree, node, f, n_branches, default, threshold, data, settings, desk)
            mark_branches(f, arena, lo, hi, data, desk, branch_of)
        clear_codes(data, desk)
        if f < 0:
            continue
        for b in range(n_branches):
            desk.start[b] = -1 if is_leaf(desk.counts, b, depth + 1, settings) else 0
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
def _search(arena, lo, hi, mass, data, settings, desk):
    """The best test on each feature of a node with the examples in arena[:, lo:hi], into desk.found."""
    count_codes(arena[0, lo:hi], mass, data, desk)
    kind, place, y, found, work = data.kind, data.place, data.y, desk.found, desk.work
    rules, limits, logs = settings.rules, settings.limits, settings.logs
    for f in range(len(kind)):
        if kind[f] == SORTED:
            cut_list(found, f, arena[1 + place[f], lo:hi], y, mass, work, rules, limits, logs)
        else:
            search_codes(f, data, settings, desk)


@kernel(
    Tuple((INT_TABLE, TABLE, TABLE, INT_TABLE, TABLE))(TABLE, TABLE, int64, VALUES, DATA, SETTINGS),
    error_model="numpy",
)
def split(table, gone, depth, total, data, settings):
    """Split one node of which only counts are known: table (c, K) of its codes, gone (C, K) of missing values.

    The data has no rows. Gives nodes, numbers, counts, arms and candidates as `grow` does.
    """
    arena, mass, nothing, root = np.empty((1, 0), np.uint32), np.empty(0), len(data.y), int64(0)
    K, F, offsets = len(total), len(data.kind), data.offsets
    desk, tree, candidates = new_desk(K, offsets, F), new_tree(total), np.zeros((F, 4 + 2 * K))
    if not is_leaf(tree[2], root, depth, settings):
        copy_row(desk.work, TOTAL, tree[2], root)
        for j in range(len(gone)):
            copy_row(desk.gone, j, gone, j)
            for cell in range(offsets[j], offsets[j + 1]):
                copy_row(desk.table, cell, table, cell)
            list_codes(offsets[j], offsets[j + 1] - offsets[j], j, desk)
        for f in range(F):
            search_codes(f, data, settings, desk)
        record_candidates(arena, nothing, nothing, mass, data, settings, desk, candidates)
        f, n_branches, default = decide(arena, nothing, nothing, mass, data, settings, desk)
        if f >= 0:
            tree = write_test(tree, root, f, n_branches, default, candidates[f, 2], data, settings, desk)
    nodes, numbers, counts, arms = finished(tree)
    return nodes, numbers, counts, arms, candidates
