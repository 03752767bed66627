"""Rows under a mixture: their densities together with each component, and the shares of the components in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.learner.derivation import cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step
from novacula.mathematics import Equation
from novacula.mixture.gaussian.density import LN_2PI, MixtureDensity
from novacula.mixture.gaussian.m_step import as_matrix, is_small
from novacula.table.chunk import Floats

COMPONENTS = 4
"""Written out, unless everything is asked for."""
SMALL = -600.0
"""The logarithm below which a density is left as one."""


def row_steps(
    i: int, row: Floats, density: MixtureDensity, names: tuple[str, ...], options: WorkOptions, tied: bool
) -> Iterator[Step]:
    """One row: its density together with each component, and each component's share of it."""
    known = ~np.isnan(row)
    marginal = density if known.all() else density.marginal(known)
    x, title = row[known], f"Row {i + 1}"
    if not known.all():
        title += f", of which {', '.join(n for n, k in zip(names, known, strict=True) if k) or 'no value'} is known"
    logs = marginal.offset - 0.5 * _distances(x, marginal)
    live = [k for k in range(len(logs)) if math.isfinite(logs[k])]
    if not live:
        yield Step(title, note="Every density is 0 here.")
        return
    best = max(live, key=lambda k: logs[k])
    order = sorted(sorted(live, key=lambda k: -logs[k])[: None if options.is_full else COMPONENTS])
    plain = len(x) == 1 and logs[best] > SMALL
    written = order if options.is_full or len(x) < 2 else [best]
    joints = [equation for k in written for equation in _joint(i, k, x, marginal, plain)]
    table = None
    if len(x) > 1 and len(order) > 1 and not options.is_full:
        rows = [(k, float(marginal.components.weights[k]), float(logs[k])) for k in order]
        table = cut_table(("component", "⟦w⟧", "⟦l[k]⟧"), rows, len(rows))
    yield Step(title, (*joints, *_share_equations(i, logs, live, best, plain, tied)), table=table)


def _share_equations(i: int, logs: Floats, live: list[int], best: int, plain: bool, tied: bool) -> Iterator[Equation]:
    """The share of the likeliest component, the log density, and the component that is the answer."""
    n, share = i + 1, np.exp(logs[live] - logs[best])
    if plain:
        joint = f"p(x[{n}], {best})"
        values: dict[str, Any] = {f"p(x[{n}], k)": {str(k): math.exp(logs[k]) for k in live}}
        total = f"sum(p(x[{n}], k) for k in _)"
        ratio, logarithm, own = f"{joint} / {total}", f"log({total})", {joint: math.exp(logs[best])}
    else:
        values = {"l[k]": {str(k): logs[k] for k in live}, f"l[{best}]": logs[best]}
        total = f"sum(exp(l[k] - l[{best}]) for k in _)"
        ratio, logarithm, own = f"1 / {total}", f"l[{best}] + log({total})", {}
    yield Equation(f"p[{n}, {best}]", ratio, {**values, **own}, ("predict_proba", i, best) if tied else ())
    yield Equation(f"log(p(x[{n}]))", logarithm, values, ("score_samples", i) if tied else ())
    if tied:
        shares = {str(k): float(s / share.sum()) for k, s in zip(live, share, strict=True)}
        right = f"argmax(p[{n}, k] for k in _)"
        yield Equation("component", right, {f"p[{n}, k]": shares}, ("predict", i), therefore=True)


def _distances(x: Floats, density: MixtureDensity) -> Floats:
    """Squared distances of one row to each component, in units of its covariance."""
    gap = x - density.components.means
    if density.components.diagonal:
        white = gap * density.factor[:, 0]
    else:
        white = np.einsum("kij,kj->ki", np.tril(density.factor), gap)
    return np.asarray((white**2).sum(axis=1))


def _joint(i: int, k: int, x: Floats, density: MixtureDensity, plain: bool) -> tuple[Equation, ...]:
    """The density of a row together with one component: the bell curve for one column, by its logarithm for more."""
    held, d, n = density.components, len(x), i + 1
    w = {f"w[{k}]": float(held.weights[k])}
    if d == 0:
        return (
            Equation(f"l[{k}]", f"log(w[{k}])", w, where={f"l[{k}]": "no value is known: the weight stands alone"}),
        )
    if plain:
        values = {**w, f"x[{n}]": x[0], f"μ[{k}]": held.means[k, 0], f"σ[{k}]**2": held.covariances[k, 0, 0]}
        bell = f"w[{k}] / sqrt(2 * π * σ[{k}]**2) * exp(-(x[{n}] - μ[{k}])**2 / (2 * σ[{k}]**2))"
        return (Equation(f"p(x[{n}], {k})", bell, values),)
    square = float(_distances(x, density)[k])
    determinant = -2.0 * (float(density.offset[k]) - math.log(float(held.weights[k])) + 0.5 * d * LN_2PI)
    parts: list[Equation] = []
    covariance = as_matrix(held.covariances[k])
    if is_small(covariance.shape):
        gap = f"x[{n}] - μ[{k}]"
        values = {f"x[{n}]": x, f"μ[{k}]": held.means[k], f"Σ[{k}]": covariance}
        parts.append(Equation(f"D[{k}]**2", f"dot({gap}, inv(Σ[{k}]) @ ({gap}))", values))
        parts.append(Equation(f"δ[{k}]", f"log(det(Σ[{k}]))", {f"Σ[{k}]": covariance}))
    values = {**w, "d": d, f"D[{k}]**2": square, f"δ[{k}]": determinant}
    where = {f"δ[{k}]": "the logarithm of the determinant", f"D[{k}]**2": "squared distance in units of the covariance"}
    right = f"log(w[{k}]) - (d * log(2 * π) + δ[{k}] + D[{k}]**2) / 2"
    return (*parts, Equation(f"l[{k}]", right, values, where={**where, f"l[{k}]": "logarithm of the joint density"}))
