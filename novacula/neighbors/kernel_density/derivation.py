"""The work of a kernel density: where its width comes from, and densities as sums over the rows of the fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novacula.learner.derivation import SHOWN, heaviest, only_first, only_first_rows
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.neighbors.kernel_density.bandwidth import rule_factor
from novacula.neighbors.kernel_density.density import RowsDensity
from novacula.neighbors.kernel_density.figures import widths_figure
from novacula.neighbors.kernel_density.shapes import SHAPES
from novacula.neighbors.kernel_density.sheather_jones import FixedPoint
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neighbors.kernel_density.kernel_density import KernelDensity

NEAREST = 5
"""Rows of the fit in a table of terms, unless everything is asked for."""
VANISHING = -600.0
"""The logarithm of a sum below which terms are shown relative to the largest."""
EXACT = 1e-9
"""How far a sum that the model approximates may be off to be the same."""
LARGEST = 700.0
"""Logarithms up to which numbers do not overflow."""
FACTORS = {"scott": "n**(-1 / (d + 4))", "silverman": "(n * (d + 2) / 4)**(-1 / (d + 4))"}
MOMENTS = {
    "exponential": "lgamma(d)",
    "epanechnikov": "log(2) - log(d) - log(d + 2)",
    "tophat": "-log(d)",
    "linear": "-log(d) - log(d + 1)",
    "cosine": "log(sum(q[m] for m in _))",
}
"""ln I, I = ∫ r^(d−1) k(r) dr, of each kernel but the Gaussian."""
AREA = "log(2) + d / 2 * log(π) - lgamma(d / 2)"
"""ln S, S the area of the unit sphere."""


def derive_model(
    model: KernelDensity,
    density: RowsDensity,
    given: Floats | None,
    points: Sequence[FixedPoint],
    of: WorkOptions,
) -> Work:
    """What is kept, the width step by step, the top of the kernel, and the density for three widths.

    `given` are widths or factors that the user has stated, `points` the fixed points that a width was found at.
    """
    d = len(model.bandwidth_)
    shown = d if of.is_full else min(d, SHOWN)
    steps = [_kept(model), *_width_steps(model, given, points, shown), _norm_step(model)]
    if (figure := widths_figure(model, density)) is not None:
        steps.append(Step("A third of the width, the width, and three times the width", figure=figure))
    return Work("Kernel density", steps, only_first(shown, d, "column"))


def _kept(model: KernelDensity) -> Step:
    facts = (
        ("rows that weigh something", len(model.examples_["weight"])),
        ("their weight ⟦W⟧", float(model.examples_["weight"].sum())),
        ("columns ⟦d⟧", len(model.bandwidth_)),
        ("kernel", f"{model.kernel}: ⟦k(u)⟧ = ⟦{SHAPES[model.kernel].formula}⟧"),
        ("bandwidth", model.bandwidth if isinstance(model.bandwidth, str) else "given"),
        ("at the bounds", "reflected" if model.boundary else "no bounds"),
    )
    return Step("What is kept: every row", table=WorkTable(("what", "value"), facts))


def _norm_step(model: KernelDensity) -> Step:
    """The top C of one kernel: what makes it integrate to one, over the volume of its width."""
    d, root = len(model.bandwidth_), model.root_
    is_diagonal = np.count_nonzero(root) == d
    width = "sum(log(h[j]) for j in _)" if is_diagonal else "sum(log(A[j, j]) for j in _)"
    values: dict[str, Any] = {"d": d, **({"h": np.diag(root)} if is_diagonal else {"A": root})}
    where = {"C": "the top of one kernel", "h" if is_diagonal else "A": "the width"}
    if model.kernel == "gaussian":
        top = Equation("log(C)", f"-(d / 2) * log(2 * π) - {width}", values, ("log_norm_",), where)
        return Step("The top of one kernel", top)
    area = Equation("log(S)", AREA, {"d": d}, where={"S": "the area of the unit sphere", "d": "columns"})
    series = {"q": _cosine_terms(d)} if model.kernel == "cosine" else {"d": d}
    about = {"q": "the terms of the cosine's power series, integrated"} if model.kernel == "cosine" else {}
    moment = Equation("log(I)", MOMENTS[model.kernel], series, where=about)
    del values["d"]
    known = {"log(S)": area.value, "log(I)": moment.value, **values}
    top = Equation("log(C)", f"-log(S) - log(I) - {width}", known, ("log_norm_",), where)
    return Step("The top of one kernel", (area, moment, top), note="⟦I⟧ is the integral of ⟦r**(d - 1) * k(r)⟧.")


def _cosine_terms(d: int) -> list[float]:
    """∫ r^(d−1) (−1)^m (πr/2)^2m / (2m)! dr over 0 to 1, for m = 0, 1, …"""
    squared = (0.5 * math.pi) ** 2
    return [(-squared) ** m / math.factorial(2 * m) / (d + 2 * m) for m in range(16)]


# --- the width ----------------------------------------------------------------------------------------------------


def _width_steps(
    model: KernelDensity, given: Floats | None, points: Sequence[FixedPoint], shown: int
) -> Iterator[Step]:
    """How the width of each column comes about."""
    names, d = model.schema_.column_names()[:shown], len(model.bandwidth_)
    rule = "scott" if model.bandwidth == "cv_ml" else model.bandwidth
    n = float(model.examples_["weight"].sum())
    if given is None and not points:
        where = {"n": "the weight of the rows", "d": "columns"}
        yield Step(f"{rule.capitalize()}'s factor", Equation("f", FACTORS[rule], {"n": n, "d": d}, where=where))
    if model.bandwidth == "cv_ml":
        yield _trial_step(model)
    for j, name in enumerate(names):
        if given is not None and model.spread is None:
            width = Equation(f"h[{j + 1}]", f"b[{j + 1}]", {f"b[{j + 1}]": given[j]}, ("bandwidth_", j))
            yield Step(f"Width of {name}, as given", width)
            continue
        if points:
            formula, values = "R * sqrt(t)", {"R": points[j].length, "t": points[j].t}
        else:
            deviation, value = _deviation(model, j, name)
            yield deviation
            formula, values = f"f * σ̂[{j + 1}]", {f"σ̂[{j + 1}]": value}
            values["f"] = float(given[j]) if given is not None else rule_factor(str(rule), n, d)
        yield _scaled_width(model, j, name, formula, values)


def _scaled_width(model: KernelDensity, j: int, name: str, formula: str, values: dict[str, float]) -> Step:
    """The width of a column, with what a search or another kernel multiplies it by."""
    meanings = {
        "R": "the length of the grid",
        "t": "where t = ξγ⁽⁵⁾(t), by cosine transforms and root finding",
        "s": "the likeliest multiple",
        "κ": f"the deviation of the {model.kernel} kernel of width 1",
    }
    if model.bandwidth == "cv_ml":
        formula, values = f"s * {formula}", {**values, "s": model.trial_.best}
    if model.kernel != "gaussian" and isinstance(model.bandwidth, str):
        kappa = SHAPES[model.kernel].deviation(len(model.bandwidth_))
        formula, values = f"{formula} / κ", {**values, "κ": kappa}
    where = {symbol: meaning for symbol, meaning in meanings.items() if symbol in values}
    return Step(f"Width of {name}", Equation(f"h[{j + 1}]", formula, values, ("bandwidth_", j), where))


def _deviation(model: KernelDensity, j: int, name: str) -> tuple[Step, float]:
    """The deviation of a column, from its rows."""
    x, weight, place = model.examples_["rows"][:, j], model.examples_["weight"], f"[{j + 1}]"
    plain, total = bool((weight == 1.0).all()), float(weight.sum())
    w, held = ("", {}) if plain else ("w[i] * ", {"w": weight})
    mean = float(x[0] + weight @ (x - x[0]) / total)
    equations = []
    for left, formula, terms, more in (
        (f"x̄{place}", f"sum({w}x[i] for i in _) / n", weight * x, {}),
        (
            f"σ̂{place}",
            f"sqrt(sum({w}(x[i] - x̄{place})**2 for i in _) / (n - 1))",
            weight * (x - mean) ** 2,
            {f"x̄{place}": mean},
        ),
    ):
        shown, rest = heaviest(terms)
        values = {key: column[shown] for key, column in {"x": x, **held}.items()}
        where = {"x": "the values of the column", **({} if plain else {"w": "the weight of each row"})}
        equations.append(Equation(left, formula, {**values, "n": total, **more}, where=where, rest=rest))
    return Step(f"Deviation of {name}", tuple(equations)), float(equations[1].value)


def _trial_step(model: KernelDensity) -> Step:
    """The likelihood of rows left out over the widths that were tried, and the likeliest."""
    trial = model.trial_
    tried = np.isfinite(trial.likelihood)
    likelihood, multiple = trial.likelihood[tried], trial.multiple[tried]
    highest = Equation(
        "L",
        "max(L[t] for t in _)",
        {"L[t]": likelihood},
        of=("trial_", "likelihood", int(np.argmax(trial.likelihood))),
        where={"L[t]": "the mean ⟦log(p̂(x))⟧ of rows that are left out, for each multiple that was tried"},
    )
    chosen = Equation(
        "s", "S[argmax(L[t] for t in _)]", {"S": multiple, "L": likelihood}, ("trial_", "best"), therefore=True
    )
    return Step(
        "Rows left out: the likelier the better",
        (highest, chosen),
        figure=_trial_figure(trial.multiple, trial.likelihood),
        note=f"{len(trial.multiple)} multiples of Scott's width were tried.",
    )


def _trial_figure(multiple: Floats, likelihood: Floats) -> Figure:
    best = likelihood.max()
    shown = np.isfinite(likelihood) & (likelihood > best - 3.0)
    return curve_figure(
        np.log2(multiple[shown]),
        {"L": likelihood[shown]},
        title="Leaving one out, for each width",
        xlabel="log₂ of the multiple s of Scott's width",
        ylabel="mean ln p̂ of rows left out",
    )


# --- densities ----------------------------------------------------------------------------------------------------


class KernelTerms(NamedTuple):
    """What each row of the fit adds at a place: how many widths away it is, ln k, and ln (w · k)."""

    u: Floats  # (n,)
    log_k: Floats
    log_term: Floats

    @classmethod
    def at(cls, density: RowsDensity, x: Floats) -> KernelTerms:
        """The terms at a place x (d,); with bounds u is to its nearest image, and k summed over all images."""
        rows = density.in_widths(density.rows)
        places = [density.in_widths(place)[0] for place in density.images(x[None, :])]
        with np.errstate(over="ignore"):
            u = np.stack([np.linalg.norm(rows - z, axis=1) for z in places])
            log_k = np.logaddexp.reduce(density.shape.log_profile(u))
        return cls(u.min(axis=0), log_k, np.log(density.weight) + log_k)


def derive_densities(
    model: KernelDensity, density: RowsDensity, x: Floats, scores: Floats, is_cut: bool, of: WorkOptions
) -> Work:
    """The density of rows x (m, d), which the model scores so, as sums over the rows of the fit."""
    steps = [step for i in range(len(x)) for step in _density_steps(model, density, x[i], float(scores[i]), i, of)]
    return Work("Kernel density: the sums", steps, only_first_rows(len(x), is_cut))


def _density_steps(
    model: KernelDensity, density: RowsDensity, x: Floats, score: float, i: int, of: WorkOptions
) -> Iterator[Step]:
    """The terms of the rows that add most to the density at x (d,), and the logarithm of the whole."""
    terms = KernelTerms.at(density, x)
    title, tie = f"Row {i + 1}, the density", ("score_samples", i)
    first = np.argsort(-terms.log_term, kind="stable")
    first = first[np.isfinite(terms.log_term[first])]
    if score == -math.inf or not len(first):
        note = "No kernel reaches this row" + (", or it lies beyond bounds." if model.boundary else ".")
        if len(first) and not model.boundary:
            note = "Kernels that reach this row are so small there that the model takes them for nothing."
        yield Step(title, Equation("log(p̃(x))", "log(0)", {}, tie), note=note)
        return
    highest = float(terms.log_term[first[0]])
    top = 0.0 if highest > VANISHING else highest
    table = first if of.is_full else first[:NEAREST]
    header = ("row of the fit", "⟦u⟧", "⟦log(k(u))⟧", "weight ⟦w⟧", "⟦w * k(u)⟧" if top == 0.0 else "⟦w * k(u) / M⟧")
    cells = tuple(
        (f"{j + 1}: {_place(density.rows[j])}", float(terms.u[j]), float(terms.log_k[j]), float(density.weight[j]), t)
        for j, t in ((int(j), math.exp(terms.log_term[j] - top)) for j in table)
    )
    nearest = _nearest_equations(model, density, x, int(first[0]))
    yield Step(f"Row {i + 1}, the largest terms", nearest, WorkTable(header, cells))
    yield Step(title, _sum_equations(model, density, terms, top, score, tie))


def _sum_equations(
    model: KernelDensity, density: RowsDensity, terms: KernelTerms, top: float, score: float, tie: tuple[str | int, ...]
) -> tuple[Equation, ...]:
    """ln p̂ as a sum over rows; where the model approximates it, also that it is as near as was asked."""
    plain = bool((density.weight == 1.0).all())
    size = np.exp(terms.log_k - top)
    shown, rest = heaviest(density.weight * size)
    values = {"k[i]": size[shown], "W": density.total, "log(C)": model.log_norm_}
    where = {"k[i]": "⟦k(u)⟧ of each row of the fit", "W": "the weight of all rows", "C": "the top of one kernel"}
    if model.boundary:
        where["k[i]"] += ", summed over the mirror images"
    formula = f"log(C) + log(sum({'' if plain else 'w[i] * '}k[i] for i in _) / W)"
    if not plain:
        values["w"], where["w"] = density.weight[shown], "the weight of each row of the fit"
    if top:
        formula, values["log(M)"] = f"{formula} + log(M)", top
        where |= {"M": "the largest term, taken out of the sum", "k[i]": f"{where['k[i]']}, as a share of ⟦M⟧"}
    exact = Equation("log(p̂(x))", formula, values, where=where, rest=rest)
    if math.isclose(exact.value, score, rel_tol=EXACT, abs_tol=EXACT):
        return (Equation("log(p̂(x))", formula, values, tie, where, rest),)
    near, found = math.exp(min(score, LARGEST)), math.exp(min(exact.value, LARGEST))
    allowed = model.density_on_grid(2).error if model.algorithm == "grid" else model.rtol * found + model.atol
    answer = Equation("log(p̃(x))", *(("log(p̃)", {"p̃": near}) if near > 0.0 else ("λ", {"λ": score})), tie)
    within = Equation(
        "abs(p̃ - p̂)",
        "ε",
        {"p̃": near, "p̂": found, "ε": allowed},
        sign="≤",
        where={"p̃": "what the model says of the sum ⟦p̂⟧", "ε": "the error that it may have"},
    )
    return exact, answer, within


def _nearest_equations(model: KernelDensity, density: RowsDensity, x: Floats, j: int) -> tuple[Equation, ...]:
    """How many widths away a row is, and its kernel; none with bounds, where images count as well."""
    if model.boundary or model.algorithm == "grid":
        return ()
    row, values = f"r[{j + 1}", {"x": x}
    if np.count_nonzero(model.root_) == len(x):
        formula = f"sqrt(sum(((x[j] - {row}, j]) / h[j])**2 for j in _))"
        values |= {f"{row}, j]": density.rows[j], "h": np.diag(model.root_)}
    else:
        formula = f"norm(inv(A) @ (x - {row}]))"
        values |= {f"{row}]": density.rows[j], "A": model.root_}
    distance = Equation(f"u[{j + 1}]", formula, values)
    kernel = SHAPES[model.kernel].formula.replace("u", f"u[{j + 1}]")
    used = {f"u[{j + 1}]": distance.value} if "u" in kernel else {}
    return distance, Equation(f"k(u[{j + 1}])", kernel, used)


def _place(row: Floats) -> str:
    shown = ", ".join(f"⟦{value!r}⟧" for value in row[:3].tolist())
    return f"({shown}{', …' if len(row) > 3 else ''})"
