"""The work of a Gaussian process's predictions: mean, deviation, and where a new target is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy import special
from scipy.linalg import solve_triangular

from novacula.kernel.algebra import Rows
from novacula.kernel.algebra.rows import dense
from novacula.kernel.process.derivation.posterior import ShownTargets, in_units
from novacula.kernel.process.derivation.terms import nearest_equation
from novacula.learner.derivation import heaviest, only_first_rows
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.kernel.process.fitted import FittedProcess

SURE = 1e-6
"""Variances below this share of the prior's are mostly rounding, and differ with the order of sums."""


def derive_predictions(model: FittedProcess, rows: Rows, is_cut: bool) -> Work:
    """Mean, standard deviation and interval of rows."""
    kernel, known = model.kernel_, model.examples_["rows"]
    across, last = kernel.block(rows, known), ShownTargets.of(model).last
    dual = model.alpha().reshape(known.shape[0], -1)[:, 0]
    notes = only_first_rows(len(across), is_cut)
    notes += ["Only the first target is derived."] if last else []
    if kernel.precomputed:
        notes.append("A precomputed matrix does not hold k(x, x), so there is no standard deviation.")
    else:
        prior = kernel.diagonal(rows)
        whitened = solve_triangular(model.cholesky(), across.T, lower=True, check_finite=False)
    steps = list[Step]()
    for r in range(len(across)):
        near = nearest_equation(kernel, known, dense(rows[[r]])[0], across[r], dual)
        mean = _mean(model, across[r], dual, ("predict", r, *last))
        steps.append(Step(f"Row {r + 1}, the mean", (*near, mean)))
        if not kernel.precomputed:
            steps += _spread_steps(model, r, float(prior[r]), whitened[:, r], float(mean.value), last)
    return Work("Predictions of a Gaussian process", steps, notes)


def _mean(model: FittedProcess, across: Floats, dual: Floats, of: tuple[str | int, ...]) -> Equation:
    """Σ αᵢ k(x, xᵢ)."""
    shown, rest = heaviest(across * dual)
    values = {"k(x, x[i])": across[shown], "α": dual[shown]}
    formula, values = in_units(model, "sum(k(x, x[i]) * α[i] for i in _)", values)
    return Equation("μ(x)", formula, values, of, rest=rest)


def _spread_steps(
    model: FittedProcess, r: int, prior: float, v: Floats, mean: float, last: tuple[int, ...]
) -> list[Step]:
    """The variance of the function, its deviation, and the interval of a new target."""
    shown, rest = heaviest(v**2)
    unit = float(model.y_std_[0])
    times, scale = ("s * ", {"s": unit}) if model.normalize_y else ("", {})
    system = Equation("L @ v", "k(X, x)", where={"k(X, x)": "the kernels of ⟦x⟧ with the rows of the fit"})
    variance = Equation(
        "σ_f(x)**2",
        "max(k(x, x) - sum(v[i]**2 for i in _), 0)",
        {"k(x, x)": prior, "v": v[shown]},
        rest=rest,
    )
    spread = {"σ_f(x)**2": variance.value, **scale}
    deviation = Equation("τ(x)", f"{times}sqrt(σ_f(x)**2)", spread, where={"τ(x)": "the same in the target's unit"})
    steps = [Step(f"Row {r + 1}, the standard deviation of the function", (system, variance, deviation))]
    if variance.value + model.noise_ > SURE * prior:
        held = {**spread, "μ(x)": mean, "σ**2": model.noise_, "z": float(special.ndtri(0.975))}
        ends = tuple(
            Equation(
                name,
                f"μ(x) {sign} z * {times}sqrt(σ_f(x)**2 + σ**2)",
                held,
                of=("predict_interval", r, *last, place),
                where={"z": "half the width of 95% of a normal distribution, in deviations"},
            )
            for place, (name, sign) in enumerate((("low", "-"), ("high", "+")))
        )
        steps.append(Step(f"Row {r + 1}, where a new target is with probability 95%", ends))
    return steps
