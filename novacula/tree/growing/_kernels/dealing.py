"""The examples of a node dealt out to its branches, list by list, each in its order."""

import numpy as np
from numba import int64, uint32

from novacula.tree.constants import GONE, ROW, SORTED, TIE
from novacula.tree.growing._kernels.inlined import inner, maker, pasted
from novacula.tree.growing._kernels.writing import with_room


@inner
def mark_branches(f, arena, lo, hi, data, desk, branch_of):
    """The branch of each row of a node of classes after a test on a feature; −1 for every branch."""
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
def queue_branches(stack, waiting, rows, lo, n_branches, first, depth, branch_of, desk):
    """Put the branches that are marked by desk.start ≥ 0 on the stack, side by side from lo on; desk.start says where.

    Gives the stack, its height and the end of the last one.
    """
    stack, size = with_room(stack, waiting + n_branches), desk.at
    for b in range(n_branches):
        size[b] = 0
    for p in range(len(rows)):
        branch = branch_of[rows[p] & ROW]
        for b in range(max(branch, 0), branch + 1 if branch >= 0 else n_branches):
            size[b] += 1
    end = lo
    for b in range(n_branches):
        if desk.start[b] >= 0:
            desk.start[b] = end - lo
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 3] = first + b, end, depth
            end += size[b]
            stack[waiting, 2] = end
            waiting += 1
    return stack, waiting, end


@pasted
def deal_lists(arena, masses, lo, hi, end, n_branches, branch_of, mass, spare, spare_mass, desk):
    """Deal all lists of arena[:, lo:hi] out, and the weights in masses, in place: they then end at `end`."""
    for s in range(arena.shape[0] if end > lo else 0):
        if s == 0 and len(masses) > 0:
            _deal_mass(arena[0, lo:hi], branch_of, n_branches, desk, mass, spare_mass)
            for p in range(end - lo):
                masses[lo + p] = spare_mass[p]
        _deal_entries(arena[s, lo:hi], branch_of, n_branches, desk, spare)
        for p in range(end - lo):
            arena[s, lo + p] = spare[p]


@inner
def _deal_entries(entries, branch_of, n_branches, desk, out):
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
    """Deal the weights of rows out, as `_deal_entries` does the entries of the list in row order."""
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
def wider_arena(arena, masses, end):
    """Copies of arena and masses with room for `end` entries and more."""
    wider = np.empty((arena.shape[0], 2 * end), arena.dtype)
    longer = np.empty(2 * end if len(masses) else 0)
    for s in range(arena.shape[0]):
        for p in range(arena.shape[1]):
            wider[s, p] = arena[s, p]
    for p in range(len(masses)):
        longer[p] = masses[p]
    return wider, longer
