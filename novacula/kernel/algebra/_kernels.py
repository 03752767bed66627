"""Compiled loops over the entries of a Gram matrix, each in place."""

import numpy as np
from numba.types import Array, float64, void

from novacula.compiling import kernel
from novacula.loops.exponentials import exponentials

ROWS = Array(float64, 2, "C", readonly=True)
VALUES = Array(float64, 1, "C", readonly=True)
TABLE = float64[:, ::1]

SMALL = 1e-4
"""Below this share of ‖x‖² + ‖y‖² a difference has lost more than four of its sixteen digits."""


@kernel(void(TABLE, ROWS, ROWS, VALUES, VALUES))
def distances_of_products(squared, a, b, left, right):
    """Turn xᵀy (n, m) of rows a (n, d) and b (m, d), of squares left (n,) and right (m,), into ‖x − y‖²."""
    for i in range(squared.shape[0]):
        small = 0
        for j in range(squared.shape[1]):
            both = left[i] + right[j]
            squared[i, j] = both - 2.0 * squared[i, j]
            small += squared[i, j] <= SMALL * both
        if small == 0:
            continue
        for j in range(squared.shape[1]):
            if squared[i, j] <= SMALL * (left[i] + right[j]):
                total = 0.0
                for k in range(a.shape[1]):
                    gap = a[i, k] - b[j, k]
                    total += gap * gap
                squared[i, j] = total


@kernel(void(TABLE))
def exponentials_of_rows(x):
    """Turn x (n, m), none of it above 700, into eˣ."""
    scale = np.empty(x.shape[1])
    for i in range(x.shape[0]):
        exponentials(x[i], scale, x.shape[1])
