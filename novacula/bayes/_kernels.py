"""Log-likelihoods of rows under each class, added to `out` (n, K): plain loops that release the GIL.

Signatures are stated, so that a kernel has one compiled form, also for the read-only arrays of files and of other
processes.
"""

import numpy as np
from numba.types import Array, float64, int32, int64, void

from novacula.compiling import kernel

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
CODES = Array(int32, 1, "C", readonly=True)
CODE_ROWS = Array(int32, 2, "C", readonly=True)
OFFSETS = Array(int64, 1, "C", readonly=True)
SCORES = float64[:, ::1]

# Sums over columns may be taken in any order, which lets them run in vector registers; NaN keeps its meaning.
_REORDER = {"reassoc", "contract"}


@kernel(void(ROWS, ROWS, ROWS, ROWS, SCORES), fastmath=_REORDER)
def gaussian_scores(x, mean, half_precision, constant, out):
    """x (n, d); mean, half_precision, constant (K, d): adds Σ_j constant − half_precision·(x − mean)², NaN left out."""
    n, d = x.shape
    for i in range(n):
        for k in range(mean.shape[0]):
            total = 0.0
            for j in range(d):
                gap = x[i, j] - mean[k, j]
                term = constant[k, j] - half_precision[k, j] * gap * gap
                total += term if gap == gap else 0.0
            out[i, k] += total


@kernel(void(CODE_ROWS, OFFSETS, ROWS, SCORES))
def category_scores(codes, offsets, log_prob, out):
    """codes (n, d); offsets (d + 1,); log_prob (Σc, K): adds the row of each category, negative codes left out."""
    n, d = codes.shape
    for i in range(n):
        for j in range(d):
            code = codes[i, j]
            if code >= 0:
                at = offsets[j] + code
                for k in range(log_prob.shape[1]):
                    out[i, k] += log_prob[at, k]


@kernel(void(VALUES, CODES, CODES, ROWS, SCORES))
def count_scores(data, indices, indptr, log_prob, out):
    """CSR rows; log_prob (V, K): adds Σ count·log_prob; a count of 0, or a missing one, adds nothing, even to −∞."""
    for i in range(len(indptr) - 1):
        for at in range(indptr[i], indptr[i + 1]):
            count = data[at]
            if count > 0.0:
                for k in range(log_prob.shape[1]):
                    out[i, k] += count * log_prob[indices[at], k]


@kernel(void(VALUES, CODES, CODES, ROWS, ROWS, SCORES))
def presence_scores(data, indices, indptr, log_there, log_gone, out):
    """CSR rows; log_there, log_gone (V, K): adds Σ over all V of the one that applies; NaN left out.

    Impossible events (−∞) are counted apart from the finite sum, so that −∞ − −∞ never arises.
    """
    width, n_classes = log_there.shape
    base = np.zeros(n_classes)
    impossible = np.zeros(n_classes)
    for v in range(width):
        for k in range(n_classes):
            if log_gone[v, k] == -np.inf:
                impossible[k] += 1
            else:
                base[k] += log_gone[v, k]
    for i in range(len(indptr) - 1):
        for k in range(n_classes):
            total, never = base[k], impossible[k]
            for at in range(indptr[i], indptr[i + 1]):
                if data[at] == 0.0:
                    continue
                v = indices[at]
                if log_gone[v, k] == -np.inf:
                    never -= 1
                else:
                    total -= log_gone[v, k]
                if data[at] == data[at]:
                    if log_there[v, k] == -np.inf:
                        never += 1
                    else:
                        total += log_there[v, k]
            out[i, k] += -np.inf if never > 0 else total


@kernel(void(VALUES, VALUES, VALUES, float64, float64[::1]))
def kernel_scores(x, points, log_weight, width, out):
    """x (n,); points, log_weight (m,) of one class and column: adds log Σ w·N(x; point, width²), NaN left out."""
    constant = -np.log(width) - 0.5 * np.log(2.0 * np.pi)
    for i in range(len(x)):
        if x[i] == x[i]:
            highest = -np.inf
            for p in range(len(points)):
                gap = (x[i] - points[p]) / width
                highest = max(highest, log_weight[p] - 0.5 * gap * gap)
            if highest == -np.inf:
                out[i] = -np.inf
                continue
            total = 0.0
            for p in range(len(points)):
                gap = (x[i] - points[p]) / width
                total += np.exp(log_weight[p] - 0.5 * gap * gap - highest)
            out[i] += highest + np.log(total) + constant


@kernel(int64(VALUES, int64, VALUES, VALUES, VALUES, ROWS, VALUES, float64[:, ::1]))
def metropolis_walk(log_density, points, low, width, start, jumps, log_uniform, out):
    """log_density (points^d,) by cell; low, width, start (d,); jumps, out (n, d); log_uniform (n,): jumps accepted."""
    n, d = jumps.shape
    here = start.copy()
    there = np.empty(d)
    cell = 0
    for k in range(d):
        cell = cell * points + int(np.floor((here[k] - low[k]) / width[k]))
    height = log_density[cell]
    accepted = 0
    for i in range(n):
        cell = 0
        inside = True
        for k in range(d):
            there[k] = here[k] + jumps[i, k]
            place = np.floor((there[k] - low[k]) / width[k])
            inside = inside and place >= 0 and place < points
            cell = cell * points + int(place) if inside else 0
        if inside and log_uniform[i] < log_density[cell] - height:
            height = log_density[cell]
            accepted += 1
            for k in range(d):
                here[k] = there[k]
        for k in range(d):
            out[i, k] = here[k]
    return accepted
