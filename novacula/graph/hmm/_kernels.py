"""Compiled passes over the steps of sequences: forward, backward, and the best path.

Sequences are under each other; `bounds` (S + 1,) says where each begins and ends. The observation of step t is row
code[t] of a table (P, K) of likelihoods, so that equal observations share a row. `label` (n,) is the known state of a
step, or −1. Inner loops run over states, which are side by side. Divisions follow NumPy, lest tests for a divisor of
zero keep loops from being vectorised.
"""

from math import exp, log

import numpy as np
from numba import njit
from numba.types import Array, boolean, float64, int32, int64, void

from novacula.compiling import kernel
from novacula.loops.exponentials import exponentials
from novacula.loops.gaussians import BLOCK, add_block_moments, deviations, squared_distances, turn

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
BOUNDS = Array(int64, 1, "C", readonly=True)
FACTORS = Array(float64, 3, "C", readonly=True)
CUBE = float64[:, :, ::1]
TABLE = float64[:, ::1]
VECTOR = float64[::1]

SUMS = {"reassoc", "contract", "nsz"}
ROW_BLOCK = 256
"""Rows whose exponentials are taken at once."""
LEAST = 1e-300
"""The least likelihood, relative to the largest of its row, that is not 0: what is possible stays possible."""
LEAST_LOG = -690.0
LOST = 1e-200
"""A share of the states below which a path may get lost to rounding where transitions cannot bring it back."""


@kernel(void(ROWS, TABLE, VECTOR))
def scale_rows(logs, table, shift):
    """Each row of logs (P, K) as likelihoods (P, K) whose largest is 1, and its logarithm in shift (P,)."""
    n, n_states = logs.shape
    scratch = np.empty(ROW_BLOCK * n_states)
    for begin in range(0, n, ROW_BLOCK):
        end = min(begin + ROW_BLOCK, n)
        for r in range(begin, end):
            top = logs[r, 0]
            for k in range(1, n_states):
                top = max(top, logs[r, k])
            top = top if top > -np.inf else 0.0
            shift[r] = top
            for k in range(n_states):
                table[r, k] = max(logs[r, k] - top, LEAST_LOG)
        exponentials(table[begin:end].reshape(-1), scratch, (end - begin) * n_states)
        for r in range(begin, end):
            for k in range(n_states):
                if logs[r, k] == -np.inf:
                    table[r, k] = 0.0


@kernel(
    void(ROWS, VALUES, CODES, CODES, BOUNDS, VALUES, ROWS, boolean, TABLE, VECTOR, VECTOR),
    fastmath=SUMS,
    error_model="numpy",
)
def forward(table, shift, code, label, bounds, start, transition, strict, alpha, scale, score):
    """The states given the steps so far, alpha (n, K), each step's scale (n,), each sequence's ln p in score (S,).

    The score is NaN where everything, or with `strict` any path, became too small for a double.
    """
    n_states = len(start)
    ahead = np.empty(n_states)
    for s in range(len(score)):
        total = 0.0
        for t in range(bounds[s], bounds[s + 1]):
            if t == bounds[s]:
                for j in range(n_states):
                    ahead[j] = start[j]
            else:
                for j in range(n_states):
                    ahead[j] = 0.0
                for i in range(n_states):
                    a = alpha[t - 1, i]
                    if a > 0.0:
                        for j in range(n_states):
                            ahead[j] += a * transition[i, j]
            if label[t] >= 0:
                for j in range(n_states):
                    ahead[j] = ahead[j] if j == label[t] else 0.0
            row, now = table[code[t]], alpha[t]
            norm = 0.0
            for j in range(n_states):
                now[j] = ahead[j] * row[j]
                norm += now[j]
            if not norm > LEAST:
                total = np.nan
                break
            inverse = 1.0 / norm
            for j in range(n_states):
                now[j] *= inverse
            if strict:
                for j in range(n_states):
                    if ahead[j] > 0.0 and row[j] > 0.0 and now[j] < LOST:
                        total = np.nan
                if np.isnan(total):
                    break
            scale[t] = norm
            total += log(norm) + shift[code[t]]
        score[s] = total


@kernel(
    void(ROWS, CODES, CODES, BOUNDS, VALUES, ROWS, ROWS, VALUES, VALUES, TABLE, VECTOR, TABLE),
    fastmath=SUMS,
    error_model="numpy",
)
def backward(table, code, place, bounds, weight, transition, alpha, scale, score, visits, starts, pairs):
    """Add what sequences are expected to do, times their weight (S,); those without a finite score are left out.

    To visits (·, K), at row place[t], is added P(state at t); to starts (K,) that at the first step; to pairs (K, K)
    the sum over steps which, times the transition, is the expected number of each. Where alpha is 0, beta does not
    matter and might overflow: it is set to 0.
    """
    n_states = transition.shape[0]
    beta, onward = np.empty(n_states), np.empty(n_states)
    for s in range(len(score)):
        if not np.isfinite(score[s]):
            continue
        own = weight[s]
        last = bounds[s + 1] - 1
        for j in range(n_states):
            beta[j] = 1.0
            visits[place[last], j] += own * alpha[last, j]
        for t in range(last - 1, bounds[s] - 1, -1):
            row, now = table[code[t + 1]], alpha[t]
            inverse = 1.0 / scale[t + 1]
            for j in range(n_states):
                onward[j] = row[j] * beta[j] * inverse if beta[j] > 0.0 else 0.0
            norm = 0.0
            for i in range(n_states):
                a = now[i]
                beta[i] = 0.0
                if a > 0.0:
                    total, share = 0.0, a * own
                    for j in range(n_states):
                        total += transition[i, j] * onward[j]
                        pairs[i, j] += share * onward[j]
                    beta[i] = total
                    norm += a * total
            inverse = 1.0 / norm  # 1 but for rounding, which must not build up over a million steps
            seen = visits[place[t]]
            for i in range(n_states):
                beta[i] *= inverse
                seen[i] += own * now[i] * beta[i]
        for j in range(n_states):
            starts[j] += own * alpha[bounds[s], j] * beta[j]


# --- in logarithms, slowly, where a double is too small ---------------------------------------------------------


@njit(nogil=True)
def _log_sum(x):
    """ln Σ eˣ of x (K,)."""
    top = x[0]
    for value in x:
        top = max(top, value)
    if top == -np.inf:
        return top
    total = 0.0
    for value in x:
        total += exp(value - top)
    return top + log(total)


@kernel(float64(ROWS, CODES, CODES, VALUES, ROWS, TABLE))
def log_forward(logs, code, label, log_start, log_transition, log_alpha):
    """One sequence: ln p(steps so far, state) into log_alpha (n, K); gives ln p of all steps."""
    n, n_states = log_alpha.shape
    terms = np.empty(n_states)
    for t in range(n):
        for j in range(n_states):
            ahead = log_start[j]
            if t > 0:
                for i in range(n_states):
                    terms[i] = log_alpha[t - 1, i] + log_transition[i, j]
                ahead = _log_sum(terms)
            log_alpha[t, j] = ahead + logs[code[t], j] if label[t] < 0 or label[t] == j else -np.inf
    return _log_sum(log_alpha[n - 1])


@kernel(void(ROWS, CODES, CODES, float64, ROWS, ROWS, float64, TABLE, VECTOR, TABLE))
def log_backward(logs, code, place, weight, log_transition, log_alpha, score, visits, starts, pairs):
    """One sequence of a finite score: as `backward`, but pairs (K, K) take the expected numbers themselves."""
    n, n_states = log_alpha.shape
    beta, onward, terms = np.zeros(n_states), np.empty(n_states), np.empty(n_states)
    for t in range(n - 1, -1, -1):
        if t < n - 1:
            for j in range(n_states):
                onward[j] = logs[code[t + 1], j] + beta[j] if log_alpha[t + 1, j] > -np.inf else -np.inf
            for i in range(n_states):
                for j in range(n_states):
                    terms[j] = log_transition[i, j] + onward[j]
                    pairs[i, j] += weight * exp(log_alpha[t, i] + terms[j] - score)
                beta[i] = _log_sum(terms)
        for j in range(n_states):
            visits[place[t], j] += weight * exp(log_alpha[t, j] + beta[j] - score)
    for j in range(n_states):
        starts[j] += weight * exp(log_alpha[0, j] + beta[j] - score)


# --- numbers ----------------------------------------------------------------------------------------------------


@kernel(void(ROWS, ROWS, FACTORS, VALUES, TABLE))
def log_densities(x, mean, factor, offset, out):
    """ln N(x; mean, ·) of rows x (n, d) under K Gaussians into out (n, K); factors as those of a mixture."""
    n, d = x.shape
    columns, gap, y, q = np.empty((d, BLOCK)), np.empty((d, BLOCK)), np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        turn(x, start, m, columns)
        for k in range(len(offset)):
            deviations(columns, mean, k, m, gap)
            squared_distances(gap, factor, k, m, y, q)
            for i in range(m):
                out[start + i, k] = offset[k] - 0.5 * q[i]


@kernel(void(ROWS, ROWS, ROWS, VECTOR, TABLE, CUBE))
def add_moments(x, share, mean, weight, first, second):
    """Add Σp, Σp(x − mean) and the lower triangle of Σp(x − mean)(x − mean)ᵀ of rows x (n, d), p = share (n, K)."""
    n, d = x.shape
    columns, gap, y, p = np.empty((d, BLOCK)), np.empty((d, BLOCK)), np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        turn(x, start, m, columns)
        for k in range(len(weight)):
            for i in range(m):
                p[i] = share[start + i, k]
            deviations(columns, mean, k, m, gap)
            add_block_moments(gap, p, k, m, y, weight, first, second)


# --- the best path ----------------------------------------------------------------------------------------------


@kernel(void(ROWS, CODES, CODES, BOUNDS, VALUES, ROWS, int32[:, ::1], int32[::1], VECTOR))
def best_paths(logs, code, label, bounds, log_start, log_transition, back, path, score):
    """Viterbi: the most probable states path (n,) of each sequence and the ln p of path and steps in score (S,).

    back (n, K) takes the best state before each; ties go to the lowest.
    """
    n_states = len(log_start)
    best, now, origin = np.empty(n_states), np.empty(n_states), np.empty(n_states, np.int64)
    for s in range(len(score)):
        for t in range(bounds[s], bounds[s + 1]):
            for j in range(n_states):
                now[j] = log_start[j] if t == bounds[s] else -np.inf
                origin[j] = 0
            if t > bounds[s]:
                for i in range(n_states):
                    here = best[i]
                    for j in range(n_states):
                        there = here + log_transition[i, j]
                        origin[j] = i if there > now[j] else origin[j]
                        now[j] = there if there > now[j] else now[j]
            row, pointer = logs[code[t]], back[t]
            for j in range(n_states):
                best[j] = now[j] + row[j] if label[t] < 0 or label[t] == j else -np.inf
                pointer[j] = origin[j]
        last = bounds[s + 1] - 1
        top = 0
        for j in range(1, n_states):
            top = j if best[j] > best[top] else top
        score[s] = best[top]
        path[last] = top
        for t in range(last, bounds[s], -1):
            path[t - 1] = back[t, path[t]]
