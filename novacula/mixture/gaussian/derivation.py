"""The work of a mixture: the last M-step from its expected sums, and the responsibilities for rows written out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.mixture.gaussian.density import LN_2PI, GaussianComponents, MixtureDensity
from novacula.mixture.gaussian.figures import climb_figure, density_figure, ellipse_figure
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.mixture.gaussian_mixture import GaussianMixture

COMPONENTS = 4  # written out
COLUMNS = 3  # written out of each component
ROWS = 5  # predictions derived
SMALL = -600.0  # the logarithm below which a number is shown as a logarithm
NEAR_ZERO = 1e-6  # a logarithm smaller than this is mostly rounding, so it is not compared


def derive_model(model: GaussianMixture, components: GaussianComponents, names: tuple[str, ...]) -> Work:
    """The last M-step, the climb to it, and a picture."""
    shown, columns = range(min(COMPONENTS, len(components.weights))), range(min(COLUMNS, len(names)))
    steps = [_overview(model, names)]
    for k in shown:
        steps.append(_weight(model, k))
        for j in columns:
            steps.append(_mean(model, k, j, names[j]))
            steps += _variance(model, components, k, j, names[j])
    steps += [_climb(model), _bic(model)]
    picture = density_figure(components, names[0]) if len(names) == 1 else ellipse_figure(components, names)
    steps.append(Step("The components", figure=picture))
    left = [
        f"{len(whole) - len(part)} more {what} are derived alike."
        for whole, part, what in ((components.weights, shown, "components"), (names, columns, "columns"))
        if len(whole) > len(part)
    ]
    return Work(f"A mixture of {len(components.weights)} Gaussians by EM", steps, left)


def _overview(model: GaussianMixture, names: tuple[str, ...]) -> Step:
    header = ("component", "weight", *(f"mean of {name}" for name in names[:COLUMNS]))
    rows: list[tuple[Cell, ...]] = [
        (k, float(w), *map(float, mean[:COLUMNS]))
        for k, (w, mean) in enumerate(zip(model.weights_[:20], model.means_, strict=False))
    ]
    return Step(
        "The model, and the step that EM repeats",
        formula="p(x) = Σ wₖ N(x; μₖ, Σₖ);  E: pₖ = wₖ N(x; μₖ, Σₖ) / p(x);  M: n = Σp, w = n/N, μ = Σpx / n, "
        "Σ = Σp(x − μ)(x − μ)ᵀ / n",
        table=WorkTable(header, tuple(rows), "Components" + (", the first 20" if len(model.weights_) > 20 else "")),
        note=f"{model.outcome_} Below is the last M-step; p are the responsibilities of the E-step before it.",
    )


def _weight(model: GaussianMixture, k: int) -> Step:
    weight = float(model.weights_[k])
    if model.weights == "equal":
        return Step(
            f"Weight of component {k}", "w = 1 / K", "1 / K", {"K": model.n_components}, weight, ("weights_", k)
        )
    n = model.moments_.weight
    values = {"n": n[k], "N": n.sum()}
    return Step(f"Weight of component {k}", "w = n / N", "n / N", values, weight, ("weights_", k))


def _mean(model: GaussianMixture, k: int, j: int, name: str) -> Step:
    n, mean = float(model.moments_.weight[k]), float(model.means_[k, j])
    title, of = f"Mean of component {k}, {name}", ("means_", k, j)
    if n == 0.0:
        return Step(title, result=mean, of=of, note="No row belongs to it, so it stays where it was.")
    return Step(title, "μ = Σpx / n", "S / n", {"S": n * mean, "n": n}, mean, of, {"S": "Σpx"})


def _variance(model: GaussianMixture, components: GaussianComponents, k: int, j: int, name: str) -> Iterator[Step]:
    """The variance of one column, where the family gives it one and the floor leaves it alone."""
    n, held = model.moments_.weight, model.moments_.covariance
    spread = held[:, 0] if components.diagonal else np.diagonal(held, axis1=1, axis2=2)  # (K, d)
    kind, title = model.covariance_type, f"Variance of component {k}, {name}"
    if not isinstance(model.variance, str):
        return
    if kind in ("full", "diag"):
        of: tuple[str | int, ...] = ("covariances_", k, j, j) if kind == "full" else ("covariances_", k, j)
        values = {"S": float(n[k] * spread[k, j]), "n": float(n[k])}
        labels, formula, expression = {"S": "Σp(x − μ)²"}, "σ² = Σp(x − μ)² / n", "S / n"
    elif kind == "spherical":
        if j > 0:
            return
        of, title = ("covariances_", k), f"Variance of component {k}"
        values = {"S": float(n[k] * spread[k].sum()), "n": float(n[k]), "d": float(spread.shape[1])}
        labels, formula, expression = {"S": "Σp|x − μ|²"}, "σ² = Σp|x − μ|² / (n·d)", "S / (n * d)"
    else:
        if k > 0:
            return
        of, title = ("covariances_", j, j), f"Variance of every component, {name}"
        values = {f"S{i}": float(n[i] * spread[i, j]) for i in range(len(n))} | {"N": float(n.sum())}
        labels, formula = {}, "σ² = Σₖ Σp(x − μₖ)² / N"
        expression = f"({' + '.join(f'S{i}' for i in range(len(n)))}) / N"
    if k in model.collapsed_ or n[k] == 0.0:
        note = "On the floor of reg_covar." if n[k] > 0.0 else "No row belongs to it, so it keeps its shape."
        yield Step(title, result=float(components.matrices()[k, j, j]), of=of, note=note)
        return
    yield Step(title, formula, expression, values, float(components.matrices()[k, j, j]), of, labels)


def _climb(model: GaussianMixture) -> Step:
    history = model.history_
    return Step(
        "Mean log-likelihood of a row",
        formula="ln L / N",
        expression="L / N",
        values={"L": model.log_likelihood_, "N": model.moments_.weight.sum()},
        result=history[-1],
        of=("history_", len(history) - 1),
        labels={"L": "ln L"},
        figure=climb_figure(history),
    )


def _bic(model: GaussianMixture) -> Step:
    values = {"p": model.n_parameters_, "N": model.moments_.weight.sum(), "L": model.log_likelihood_}
    expression = "p * log(N) - 2 * L"
    return Step(
        "Bayesian information criterion", "BIC = p ln N − 2 ln L", expression, values, model.bic(), (), {"L": "ln L"}
    )


# --- rows -----------------------------------------------------------------------------------------------------


def derive_predictions(density: MixtureDensity, x: Floats, names: tuple[str, ...]) -> Work:
    """Joint densities, responsibilities and the log density of each row; then what these rows make of the means."""
    steps: list[Step] = []
    shown = x[:ROWS]
    for i, row in enumerate(shown):
        known = ~np.isnan(row)
        marginal = density if known.all() else density.marginal(known)
        steps += _row_steps(i, row[known], marginal, [name for name, k in zip(names, known, strict=True) if k])
    complete = shown[~np.isnan(shown).any(axis=1)]
    if len(complete):
        steps.append(_next_mean(complete, density, names[0]))
    notes = [f"The first {ROWS} rows are derived; more are alike."] if len(x) > ROWS else []
    return Work("Responsibilities of the components", steps, notes)


def _row_steps(i: int, x: Floats, density: MixtureDensity, names: list[str]) -> Iterator[Step]:
    """One row of known values x: each component's share of p(x)."""
    held, found = density.components, density.posterior(x[None])[0]
    joint = density.offset - 0.5 * _distances(x, density)
    best = int(np.argmax(found[:-1]))
    order = [best, *(k for k in np.argsort(-joint, kind="stable") if k != best)][:COMPONENTS]
    for k in order:
        if held.weights[k] > 0.0:
            yield _joint_step(i, k, x, density, float(joint[k]), names)
    if not math.isfinite(found[-1]):
        yield Step(f"Row {i + 1}", note="Every density is 0 here.")
        return
    scale = 0.0 if found[-1] > SMALL else float(joint.max())
    with np.errstate(under="ignore"):
        parts = np.exp(joint - scale)
    rest = float(parts.sum() - parts[order].sum())
    values = {f"j{k}": float(parts[k]) for k in order} | ({"rest": rest} if rest > 0.0 else {})
    labels = {f"j{k}": f"w N for component {k}" for k in order}
    total = f"({' + '.join(values)})"
    note = f"Each divided by the largest, e^{scale:.6g}." if scale else ""
    share = f"Row {i + 1}, responsibility of component {best}"
    of = ("predict_proba", i, best)
    yield Step(share, "p = w N / Σ w N", f"j{best} / {total}", values, float(found[best]), of, labels, note=note)
    logarithm = f"log{total}" + (" + s" if scale else "")
    shifted = values | ({"s": scale} if scale else {})
    title, formula = f"Row {i + 1}, log density", "ln p(x) = ln Σ w N"
    if abs(found[-1]) < NEAR_ZERO:
        yield Step(title, formula, logarithm, shifted, labels=labels)
        return
    yield Step(title, formula, logarithm, shifted, float(found[-1]), ("score_samples", i), labels)


def _distances(x: Floats, density: MixtureDensity) -> Floats:
    """Squared Mahalanobis distances of one row to each component."""
    gap = x - density.components.means
    if density.components.diagonal:
        white = gap * density.factor[:, 0]
    else:
        white = np.einsum("kij,kj->ki", np.tril(density.factor), gap)
    return np.asarray((white**2).sum(axis=1))


def _joint_step(i: int, k: int, x: Floats, density: MixtureDensity, joint: float, names: list[str]) -> Step:
    """w N(x; μ, Σ) of one component: the bell curve for one column, by its logarithm for more."""
    held, d = density.components, len(x)
    w, title = float(held.weights[k]), f"Row {i + 1}, component {k}"
    if d == 0:
        return Step(title, "w", "w", {"w": w}, w, note="No value is known: the weight stands alone.")
    if d == 1 and joint > SMALL:
        values: dict[str, Any] = {"w": w, "x": x[0], "μ": held.means[k, 0], "v": held.covariances[k, 0, 0]}
        return Step(
            title,
            "w N(x; μ, σ²) = w exp(−(x − μ)² / 2σ²) / √(2πσ²)",
            f"w * exp(-(x - μ) ** 2 / (2 * v)) / sqrt({2.0 * math.pi!r} * v)",
            values,
            labels={"x": names[0], "v": "σ²"},
        )
    determinant = -2.0 * (float(density.offset[k]) - math.log(w) + 0.5 * d * LN_2PI)
    values = {"w": w, "d": float(d), "D": determinant, "q": float(_distances(x, density)[k])}
    return Step(
        title,
        "ln w N = ln w − ½ (d ln 2π + ln|Σ| + (x − μ)ᵀΣ⁻¹(x − μ))",
        f"log(w) - (d * {LN_2PI!r} + D + q) / 2",
        values,
        joint,
        labels={"D": "ln|Σ|", "q": "squared distance of x from μ, in units of Σ"},
    )


def _next_mean(x: Floats, density: MixtureDensity, name: str) -> Step:
    """What the next M-step would make of these rows alone, for the component that has most of them."""
    share = density.posterior(np.ascontiguousarray(x))[:, :-1]
    k = int(np.argmax(share.sum(axis=0)))
    values = {f"p{i + 1}": float(share[i, k]) for i in range(len(x))}
    values |= {f"x{i + 1}": float(x[i, 0]) for i in range(len(x))}
    over = " + ".join(f"p{i + 1} * x{i + 1}" for i in range(len(x)))
    under = " + ".join(f"p{i + 1}" for i in range(len(x)))
    return Step(
        f"If these rows were all: the next mean of component {k}, {name}",
        "μ = Σpx / Σp",
        f"({over}) / ({under})",
        values,
    )
