"""What a test is worth: impurity of class weights, and whether one test is better than another.

Class weights are in rows of the desk's scratch `work`, those of missing examples among them.
"""

import numpy as np
from numba import int64

from novacula.tree.constants import (
    FRACTIONAL,
    GINI,
    IMPURITY,
    MIN_LEAF,
    MOST_COMMON_IN_CLASS,
    NOISE,
    RELEASE_8,
    STRATEGY,
    TINY,
)
from novacula.tree.growing._kernels.desk import JOINED_LEFT, JOINED_RIGHT, KNOWN, LEFT, LOST, RIGHT, TOTAL
from novacula.tree.growing._kernels.inlined import inner, row_sum


@inner
def spread(counts, i, n, impurity, logs):
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
def split_information(n, whole):
    """Bits that a branch of weight n adds to the split information of a node of weight `whole`."""
    return -n / whole * np.log2(n / whole) if n > 0.0 else 0.0


@inner
def starting_spread(work, rules, logs):
    """The spread that a test starts from: of known examples, or of all where the missing ones join a branch."""
    i = KNOWN if rules[STRATEGY] == FRACTIONAL else TOTAL
    return spread(work, i, row_sum(work, i), rules[IMPURITY], logs)


@inner
def accept_test(found, f, gain, information, work, rules):
    """Keep a test of feature f in found if it gains more than what is there, which is negative where nothing is."""
    gain = gain if gain > TINY else 0.0
    if found[f, 0] >= 0.0 and not gain > found[f, 0] * (1.0 + NOISE):
        return False
    found[f, 0], found[f, 1] = gain, information
    if rules[STRATEGY] == FRACTIONAL:
        found[f, 1] += split_information(row_sum(work, LOST), row_sum(work, TOTAL))
    return True


@inner
def least_weight(n, n_gone, K, rules, limits):
    """What each branch of a threshold must hold; with C4.5's rule a tenth of a class's even share, from 2 to 25."""
    enough = limits[MIN_LEAF]
    if rules[RELEASE_8]:
        enough = max(enough, min(max(0.1 * (n - n_gone) / K, 2.0), 25.0))
    return enough * (1.0 - NOISE)


@inner
def charge_threshold(found, f, tries, n, rules):
    """With C4.5's rule a threshold costs log2 of those it was chosen from, and a test that gains nothing is none."""
    if not rules[RELEASE_8]:
        return
    found[f, 3] = tries
    if found[f, 0] >= 0.0:
        found[f, 0] -= np.log2(tries) / n
        if found[f, 0] <= TINY:
            found[f, 0] = -1.0


@inner
def consider_two_branches(found, f, work, before, n, n_gone, enough, first, rules, logs):
    """Consider the test whose branches of known examples are LEFT and RIGHT; first says which is branch 0.

    Gives 0 if a branch holds less than enough, 1 if another test gains more, 2 if it is the best so far.
    """
    left, right = LEFT, RIGHT
    nl, nr = row_sum(work, LEFT), row_sum(work, RIGHT)
    if n_gone > 0.0 and rules[STRATEGY] != FRACTIONAL:
        left, right = JOINED_LEFT, JOINED_RIGHT
        _join(work, _heavier(nl, nr, first), first, rules[STRATEGY])
        nl, nr = row_sum(work, left), row_sum(work, right)
    if rules[STRATEGY] == FRACTIONAL:  # the missing ones will be shared out
        enough *= 1.0 - n_gone / n
    if nl < enough or nr < enough:
        return 0
    after = spread(work, left, nl, rules[IMPURITY], logs) + spread(work, right, nr, rules[IMPURITY], logs)
    gain = (before - after) / n
    if found[f, 0] >= 0.0 and gain <= found[f, 0]:  # most are worse, and need no split information
        return 1
    return 2 if accept_test(found, f, gain, split_information(nl, n) + split_information(nr, n), work, rules) else 1


@inner
def _heavier(left, right, first):
    """Which of two weights is the larger, LEFT or RIGHT; a tie goes to branch 0."""
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
