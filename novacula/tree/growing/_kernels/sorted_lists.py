"""The best threshold of a sorted list of entries, in one pass over it."""

import numpy as np
from numba import float64, int64

from novacula.tree.constants import ENTROPY, FRACTIONAL, GINI, GONE, IMPURITY, NOISE, ROW, STRATEGY, TIE, TINY
from novacula.tree.growing._kernels.desk import KNOWN, LEFT, LOST, RIGHT, TERM, TOTAL
from novacula.tree.growing._kernels.inlined import add_row, copy_row, inner, row_sum, zero_row
from novacula.tree.growing._kernels.judging import (
    charge_threshold,
    consider_two_branches,
    least_weight,
    split_information,
    starting_spread,
)


@inner
def cut_list(found, f, entries, y, mass, work, rules, limits, logs):
    """The best threshold of a sorted list, given the node's class weights TOTAL, into row f of found."""
    unit, known = len(mass) == 0, len(entries)
    zero_row(work, LEFT)
    zero_row(work, KNOWN)
    zero_row(work, LOST)
    while known > 0 and entries[known - 1] & GONE:
        known -= 1
        row = entries[known] & ROW
        work[LOST, y[row]] += 1.0 if unit else mass[row]
    if unit:
        copy_row(work, KNOWN, work, TOTAL)
        add_row(work, KNOWN, work, LOST, -1.0)
    else:
        for p in range(known):
            row = entries[p] & ROW
            work[KNOWN, y[row]] += mass[row]
    copy_row(work, RIGHT, work, KNOWN)
    n, n_gone, before = row_sum(work, TOTAL), row_sum(work, LOST), starting_spread(work, rules, logs)
    enough, tries = least_weight(n, n_gone, work.shape[1], rules, limits), 0
    found[f, 0] = -1.0
    if n_gone == 0.0 or rules[STRATEGY] == FRACTIONAL:
        tries = _cut_apart(found, f, entries, known, y, mass, work, before, n, n_gone, enough, rules, logs)
        known = 0
    for p in range(known):
        row = entries[p] & ROW
        if p > 0 and not entries[p] & TIE:
            verdict = consider_two_branches(found, f, work, before, n, n_gone, enough, LEFT, rules, logs)
            tries += verdict > 0
            if verdict == 2:
                found[f, 2] = p
        w = 1.0 if unit else mass[row]
        work[LEFT, y[row]] += w
        work[RIGHT, y[row]] -= w
    charge_threshold(found, f, tries, n, rules)


@inner
def _cut_apart(found, f, entries, known, y, mass, work, before, n, n_gone, enough, rules, logs):
    """`cut_list` where no missing example joins a branch; gives how many thresholds there were."""
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
        found[f, 1] = (
            split_information(below, n) + split_information(n - n_gone - below, n) + split_information(n_gone, n)
        )
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
    """`_scan` for the entropy where every row counts once: p rows lie below place p, and one class changes per step."""
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
