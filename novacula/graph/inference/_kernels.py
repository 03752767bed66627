"""Compiled loops of inference: expected counts where cells are empty.

Signatures are stated, so that a kernel has one compiled form, also for the read-only arrays of files and of other
processes. What rows of weight 0 hold has no effect on counts.

`expect` goes through rows one by one. Of each clique it holds only the entries that agree with the row's known cells:
those of its free variables. Where these entries are in tables and messages depends only on which cells are empty, so it
is worked out again only when that changes from one row to the next.

Beliefs are products. Where one becomes too small for a double, the row is done again with the logarithms of beliefs.
"""

import numpy as np
from numba import njit
from numba.types import Array, UniTuple, float64, int32, int64, void

from novacula.compiling import kernel

CODE_ROWS = Array(int32, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
ROWS = Array(float64, 2, "C", readonly=True)
PLACES = Array(int64, 1, "C", readonly=True)
VECTOR = float64[::1]
TABLE = float64[:, ::1]

SMALL = 1e-200
"""A product below this moves into the logarithm before it can vanish."""
LOST = 1e-300
"""A product of positive numbers below this has lost digits, or is about to."""


@njit(nogil=True)
def _spread(clique, member_start, member, free, cards, digit, entry):
    """The states of a clique's free variables at one of its entries, the last variable turning fastest."""
    for a in range(member_start[clique + 1] - 1, member_start[clique] - 1, -1):
        v = member[a]
        if free[v]:
            digit[v] = entry % cards[v]
            entry //= cards[v]


@njit(nogil=True)
def _among_separator(clique, member_start, member, shared, free, cards, digit):
    """The place of the present states in the message of a clique to its parent."""
    place = 0
    for a in range(member_start[clique], member_start[clique + 1]):
        v = member[a]
        if shared[a] and free[v]:
            place = place * cards[v] + digit[v]
    return place


@njit(nogil=True)
def _lay_out(tree, free, settled, size, n_messages, at, up_at, down_at, family_at, up, down, into, digit):
    """Where the entries of each clique are, and for each entry its place in messages and families' tables.

    Families that know all their cells are settled. A clique without free variables has one entry, of value 1.
    """
    cards, start, variable, stride, _, member_start, member, shared, parent, hold_start, hold = tree
    n_cliques = len(parent)
    entries, messages, n_down, n_into = 0, 0, 0, 0
    for c in range(n_cliques):
        size[c], n_messages[c] = 1, 1
        for a in range(member_start[c], member_start[c + 1]):
            if free[member[a]]:
                size[c] *= cards[member[a]]
                if shared[a]:
                    n_messages[c] *= cards[member[a]]
        at[c], up_at[c] = entries, messages
        entries += size[c]
        messages += n_messages[c]
        for h in range(hold_start[c], hold_start[c + 1]):
            f = hold[h]
            family_at[f], settled[f] = n_into, True
            for a in range(start[f], start[f + 1]):
                settled[f] = settled[f] and not free[variable[a]]
            n_into += 0 if settled[f] else size[c]
    for c in range(n_cliques):
        if size[c] == 1:
            continue
        for e in range(size[c]):
            _spread(c, member_start, member, free, cards, digit, e)
            up[at[c] + e] = _among_separator(c, member_start, member, shared, free, cards, digit)
            for h in range(hold_start[c], hold_start[c + 1]):
                f, place = hold[h], 0
                if settled[f]:
                    continue
                for a in range(start[f], start[f + 1]):
                    if free[variable[a]]:
                        place += digit[variable[a]] * stride[a]
                into[family_at[f] + e] = place
        p = parent[c]
        if p >= 0 and n_messages[c] > 1:
            down_at[c] = n_down
            for e in range(size[p]):
                _spread(p, member_start, member, free, cards, digit, e)
                down[n_down + e] = _among_separator(c, member_start, member, shared, free, cards, digit)
            n_down += size[p]


@njit(nogil=True)
def _fill(i, codes, tree, free, settled, size, n_tables, theta, evidence, logs, at, family_at, into, base, belief):
    """Products of the families' entries in each clique, or their logarithms, if `logs`, with those of the evidence.

    Gives the logarithm of the entries that are settled, and whether a product was too small.
    """
    _, start, variable, stride, offset, _, _, _, parent, hold_start, hold = tree
    product, log_product, lost = 1.0, 0.0, False
    for c in range(len(parent)):
        for e in range(at[c], at[c] + size[c]):
            belief[e] = 0.0 if logs else 1.0
        for h in range(hold_start[c], hold_start[c + 1]):
            f = hold[h]
            base[f] = offset[f]
            for a in range(start[f], start[f + 1]):
                if not free[variable[a]]:
                    base[f] += max(codes[i, variable[a]], 0) * stride[a]
            if settled[f] and logs and f >= n_tables:
                log_product += evidence[i, base[f]]
            elif settled[f]:
                product *= theta[base[f]] if f < n_tables else evidence[i, base[f]]
                if product < SMALL:
                    log_product += np.log(product) if product > 0.0 else -np.inf
                    product = 1.0
            elif logs:
                for e in range(size[c]):
                    place = base[f] + into[family_at[f] + e]
                    belief[at[c] + e] += np.log(theta[place]) if f < n_tables else evidence[i, place]
            else:
                for e in range(size[c]):
                    place = base[f] + into[family_at[f] + e]
                    value, before = theta[place] if f < n_tables else evidence[i, place], belief[at[c] + e]
                    belief[at[c] + e] = before * value
                    lost = lost or (before * value < LOST and before > 0.0 and value > 0.0)
    return log_product + np.log(product), lost


@njit(nogil=True)
def _collect(parent, size, n_messages, at, up_at, down_at, up, down, belief, message, total):
    """Messages to the root, each summing to 1.

    Gives the logarithm of what they were divided by, and whether a product was too small.
    """
    log_total, lost = 0.0, False
    for c in range(len(parent)):
        if size[c] == 1:
            continue
        first, here = up_at[c], at[c]
        for s in range(n_messages[c]):
            message[first + s] = 0.0
        total[c] = 0.0
        for e in range(here, here + size[c]):
            message[first + up[e]] += belief[e]
            total[c] += belief[e]
        if total[c] == 0.0:
            return -np.inf, lost
        log_total += np.log(total[c])
        for s in range(n_messages[c]):
            message[first + s] /= total[c]
        p = parent[c]
        if p >= 0 and n_messages[c] > 1:
            for e in range(size[p]):
                value, before = message[first + down[down_at[c] + e]], belief[at[p] + e]
                belief[at[p] + e] = before * value
                lost = lost or (before * value < LOST and before > 0.0 and value > 0.0)
    return log_total, lost


@njit(nogil=True)
def _collect_logs(parent, size, n_messages, at, up_at, down_at, up, down, belief, message, total, scratch):
    """The same with the logarithms of beliefs, messages and what these are divided by."""
    log_total = 0.0
    for c in range(len(parent)):
        if size[c] == 1:
            continue
        first, here = up_at[c], at[c]
        for s in range(n_messages[c]):
            message[first + s], scratch[s] = -np.inf, 0.0
        total[c] = -np.inf
        for e in range(here, here + size[c]):
            message[first + up[e]] = max(message[first + up[e]], belief[e])
            total[c] = max(total[c], belief[e])
        if total[c] == -np.inf:
            return -np.inf
        for e in range(here, here + size[c]):
            if belief[e] > -np.inf:
                scratch[up[e]] += np.exp(belief[e] - message[first + up[e]])
        top, share = total[c], 0.0
        for s in range(n_messages[c]):
            if scratch[s] > 0.0:
                message[first + s] += np.log(scratch[s])
                share += np.exp(message[first + s] - top)
        total[c] = top + np.log(share)
        log_total += total[c]
        p = parent[c]
        for s in range(n_messages[c]):
            message[first + s] -= total[c]
        if p >= 0 and n_messages[c] > 1:
            for e in range(size[p]):
                belief[at[p] + e] += message[first + down[down_at[c] + e]]
    return log_total


@njit(nogil=True)
def _given_separators(parent, size, n_messages, at, up_at, up, belief, message, total):
    """From logarithms back to numbers: the beliefs of each clique given the states that it shares with its parent."""
    for c in range(len(parent)):
        if size[c] == 1:
            continue
        alone = parent[c] < 0 or n_messages[c] == 1
        for e in range(at[c], at[c] + size[c]):
            sent = total[c] + (0.0 if alone else message[up_at[c] + up[e]])
            belief[e] = np.exp(belief[e] - sent) if belief[e] > -np.inf else 0.0
        total[c] = 1.0
        for s in range(n_messages[c]):
            message[up_at[c] + s] = 1.0


@njit(nogil=True)
def _distribute(parent, size, n_messages, at, up_at, down_at, up, down, belief, message, total, answer):
    """Beliefs of the cliques given all known cells, the root first."""
    for c in range(len(parent) - 1, -1, -1):
        p, first = parent[c], up_at[c]
        if size[c] == 1:
            continue
        if p < 0 or n_messages[c] == 1:
            for e in range(at[c], at[c] + size[c]):
                belief[e] /= total[c]
            continue
        for s in range(n_messages[c]):
            answer[s] = 0.0
        for e in range(size[p]):
            answer[down[down_at[c] + e]] += belief[at[p] + e]
        for s in range(n_messages[c]):
            sent = message[first + s] * total[c]
            answer[s] = answer[s] / sent if sent > 0.0 else 0.0
        for e in range(at[c], at[c] + size[c]):
            belief[e] *= answer[up[e]]


@njit(nogil=True)
def _add_posteriors(i, w, tree, settled, size, n_tables, at, family_at, into, base, belief, counts, posterior):
    """Add the beliefs of families to counts and, of evidence, to the row's posterior."""
    parent, hold_start, hold = tree[8], tree[9], tree[10]
    for c in range(len(parent)):
        for h in range(hold_start[c], hold_start[c + 1]):
            f = hold[h]
            if settled[f] and f < n_tables:
                counts[base[f]] += w
            elif settled[f]:
                posterior[i, base[f]] = 1.0
            else:
                for e in range(size[c]):
                    place, b = base[f] + into[family_at[f] + e], belief[at[c] + e]
                    if f < n_tables:
                        counts[place] += w * b
                    else:
                        posterior[i, place] += b


@kernel(
    void(
        CODE_ROWS, VALUES, VALUES, ROWS, ROWS, int64, UniTuple(PLACES, 11), int64, int64, int64,
        VECTOR, TABLE, VECTOR, TABLE,
    ),
)  # fmt: skip
def expect(
    codes, weight, theta, evidence, log_evidence, n_tables, tree, room, target, home,
    counts, posterior, log_likelihood, marginal,
):  # fmt: skip
    """Expected counts of families, given what is known in each row of codes (n, D).

    The tables of the first n_tables families are in theta; of the others each row has its own, in evidence (n, Q), and
    their logarithms in log_evidence.
    tree: states of each variable; families by start, variable, stride and offset; cliques, children first, by the
    start of their members, members, whether the parent shares them, and parent; families held, by start and number.
    Adds to counts (T,), and to posterior (n, Q); sets log_likelihood (n,), −∞ where a row is impossible, and, if
    target ≥ 0, its probabilities marginal (n, K) from the clique `home`. room: the entries of the largest layout.
    """
    cards, member_start, member, parent = tree[0], tree[5], tree[6], tree[8]
    n_variables, n_cliques, n_families = len(cards), len(parent), len(tree[4])
    size, n_messages = np.zeros(n_cliques, np.int64), np.zeros(n_cliques, np.int64)
    at, up_at, down_at = np.zeros(n_cliques, np.int64), np.zeros(n_cliques, np.int64), np.zeros(n_cliques, np.int64)
    family_at, base = np.zeros(n_families, np.int64), np.zeros(n_families, np.int64)
    up, down, into = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    belief, message, answer = np.empty(room), np.empty(room), np.empty(room)
    total, digit = np.empty(n_cliques), np.zeros(n_variables, np.int64)
    free, settled = np.zeros(n_variables, np.bool_), np.zeros(n_families, np.bool_)
    laid = False
    for i in range(codes.shape[0]):
        w, same = weight[i], laid
        for v in range(n_variables):
            unknown = codes[i, v] < 0 and cards[v] > 1  # of one state there is nothing to be unknown
            same = same and free[v] == unknown
            free[v] = unknown
        if not same:
            _lay_out(tree, free, settled, size, n_messages, at, up_at, down_at, family_at, up, down, into, digit)
            laid = True
        known, lost = _fill(
            i, codes, tree, free, settled, size, n_tables, theta, evidence, False, at, family_at, into, base, belief
        )  # fmt: skip
        summed, too = _collect(parent, size, n_messages, at, up_at, down_at, up, down, belief, message, total)
        log_likelihood[i] = known + summed
        in_logs = lost or too or log_likelihood[i] == -np.inf
        if in_logs:
            known, _ = _fill(
                i, codes, tree, free, settled, size, n_tables, theta, log_evidence, True, at, family_at, into, base,
                belief,
            )  # fmt: skip
            summed = _collect_logs(
                parent, size, n_messages, at, up_at, down_at, up, down, belief, message, total, answer
            )  # fmt: skip
            log_likelihood[i] = known + summed
        if log_likelihood[i] == -np.inf:
            continue
        if in_logs:
            _given_separators(parent, size, n_messages, at, up_at, up, belief, message, total)
        _distribute(parent, size, n_messages, at, up_at, down_at, up, down, belief, message, total, answer)
        _add_posteriors(i, w, tree, settled, size, n_tables, at, family_at, into, base, belief, counts, posterior)
        if target >= 0:
            for e in range(size[home]):
                _spread(home, member_start, member, free, cards, digit, e)
                marginal[i, digit[target]] += belief[at[home] + e]
