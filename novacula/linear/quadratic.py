"""The least of a quadratic with an L1 price, ½wᵀHw − cᵀw + Σ lⱼ|wⱼ|, over all w or over w ≥ 0, from H and c alone.

A lasso on its working set is such a problem, and a ridge whose weights must not be negative.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from novacula.linear.solve import cholesky
from novacula.table.chunk import Floats

SWEEPS = (4, 4, 8, 8, 16, 16, 32, 64, 128, 512, 2048, 8192)
"""Sweeps of coordinate descent between attempts to solve the equations of the coefficients that are not zero."""
STILL = 1e-14
"""A move of a coordinate, relative to the largest that there can be, that is taken for none."""
LOOSE = 0.01
"""The share of a gap that may be left while columns still enter the working set."""
SLACK = 1e-11
"""How much more than lⱼ a gradient may be, relative to it, for a coefficient to stay zero."""
MANY = 64
"""Sweeps after which coefficients that still move are those of columns that depend on each other."""
CONDITION = 1e-13
"""Reciprocal condition down to which equations are solved rather than descended."""


def solve_quadratic(
    hessian: Floats, linear: Floats, l1: Floats, positive: bool, start: Floats, gap: float = 0.0
) -> Floats:
    """Minimise ½wᵀHw − cᵀw + Σ lⱼ|wⱼ|, over w ≥ 0 if `positive`; w (p,) begins at `start`.

    Coordinate descent finds which coefficients are zero and the signs of the others; these then solve equations. What
    is left to gain is rounding, or with a `gap` about a hundredth of it.
    """
    from novacula.linear._kernels import descend_quadratic

    curved = np.diagonal(hessian) > 0.0
    scale = np.sqrt(np.where(curved, np.diagonal(hessian), 1.0))
    w = np.where(curved, start, 0.0)
    still = max(STILL * float(np.abs(linear / scale).max(initial=0.0)), math.sqrt(LOOSE * gap / max(len(w), 1)))
    for sweeps in SWEEPS:
        made, _ = descend_quadratic(hessian, l1, positive, w, hessian @ w - linear, still, sweeps)
        if gap > 0.0 and made < sweeps:  # fewer than allowed: nothing moves any more
            break
        if made == sweeps >= MANY:
            w = thin_out(hessian, linear, l1, positive, w, scale)
        w, exact = solve_signs(hessian, linear, l1, positive, w, scale)
        if exact or made < sweeps:
            break
    return w


def solve_signs(H: Floats, c: Floats, l1: Floats, positive: bool, w: Floats, scale: Floats) -> tuple[Floats, bool]:
    """Solve the equations that hold if zeros and signs are those of w; true where they are.

    Coefficients that turn their sign are set to zero. That is a step of Newton's, kept if it is one downwards.
    Columns are brought to length 1 by `scale`, so that units do not matter.
    """
    live = (w != 0.0) | ((l1 == 0.0) & (np.diagonal(H) > 0.0) & (not positive))
    solution, unit = np.zeros_like(w), scale[live]
    if live.any():
        upper, rcond = cholesky(H[np.ix_(live, live)] / unit / unit[:, None])
        if rcond < CONDITION:
            return w, False
        right = (c[live] - l1[live] * np.sign(w[live])) / unit
        solution[live] = linalg.cho_solve((upper, False), right) / unit
    turned = live & ((l1 > 0.0) | positive) & (np.sign(solution) != np.sign(w))
    if not turned.any():
        pull = c - H @ solution
        bound = l1 * (1.0 + SLACK) + STILL * scale * np.abs(c / scale).max(initial=0.0)
        if (live | ((pull if positive else np.abs(pull)) <= bound)).all():
            return solution, True
    solution[turned] = 0.0
    return (solution if is_lower(H, c, l1, w, solution) else w), False


def thin_out(H: Floats, c: Floats, l1: Floats, positive: bool, w: Floats, scale: Floats) -> Floats:
    """Go from w to where the columns of coefficients that are not zero do not depend on each other.

    As long as they do, there are directions without curvature, and the objective falls along one of them until a
    coefficient is zero. Coordinate descent takes steps across them, and so next to none along them.
    """
    while (live := np.flatnonzero(w)).size:
        unit = scale[live]
        curvature, directions = linalg.eigh(H[np.ix_(live, live)] / unit / unit[:, None])
        flat = directions[:, curvature < CONDITION * curvature[-1]]
        slope = (H[live] @ w - c[live] + l1[live] * np.sign(w[live])) / unit
        move = -flat @ (slope @ flat) / unit
        ends = (move * w[live] < 0.0) & ((l1[live] > 0.0) | positive)
        if not ends.any():
            break
        lengths = -w[live][ends] / move[ends]
        there = w.copy()
        there[live] += lengths.min() * move
        there[live[ends][lengths.argmin()]] = 0.0
        if not is_lower(H, c, l1, w, there):
            break
        w = there
    return w


def is_lower(H: Floats, c: Floats, l1: Floats, w: Floats, there: Floats) -> bool:
    """Whether the objective is lower there than at w."""
    moved = w != there
    gain = 0.5 * (w - there) @ (H @ (w + there)) - c @ (w - there)
    return bool(gain + l1[moved] @ (np.abs(w[moved]) - np.abs(there[moved])) > 0.0)
