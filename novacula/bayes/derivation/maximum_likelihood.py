"""The works of maximum likelihood: the likelihood, its logarithm, its derivative, and where that is zero."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from novacula.bayes.derivation.names import called
from novacula.learner.derivation import heaviest
from novacula.learner.figure import COLOURS, INK, Figure, few_digits
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.bayes.maximum_likelihood import CrossEntropyEstimate, LineEstimate, ShareEstimate

TITLES = ("The likelihood", "Its logarithm", "Its derivatives", "They are zero at the largest value")
"""The four steps."""


def derive_shares(estimate: ShareEstimate) -> Work:
    """θ = c / N, and of pairs θ₁ and θ₂: each parameter has a factor of its own, and is found on its own."""
    first = [word(called(value)) for value in estimate.values]
    shares: list[tuple[str, list[str], Floats, tuple[str | int, ...]]] = [("θ", first, estimate.totals, ("theta",))]
    if estimate.second:
        for k, value in enumerate(first):
            names = [f"{word(called(other))}, {value}" for other in estimate.second]
            shares.append((f"θ_{k + 1}", names, estimate.counts[k], ("thetas", k)))
    symbols = ", ".join(theta for theta, *_ in shares)
    factors, logs, slopes, zeros = [], [], [], []
    for theta, (one, other), counts, of in shares:
        a, b = f"n[{one}]", f"n[{other}]"
        numbers = dict(zip((a, b), counts.tolist(), strict=True))
        factors.append(f"{theta} ** {a} * (1 - {theta}) ** {b}")
        logs.append(f"{a} * log({theta}) + {b} * log(1 - {theta})")
        at = numbers | {theta: counts[0] / counts.sum()} if counts.all() else None
        slopes.append(Equation(f"{a} / {theta} - {b} / (1 - {theta})", "0", at))
        zeros.append(Equation(theta, f"{a} / ({a} + {b})", numbers, of, therefore=True))
    meaning = {f"n[{first[0]}]": f"how often {called(estimate.values[0])} was seen"}
    values = {name: value for zero in zeros for name, value in (zero.values or {}).items()}
    at_best = values | {theta: counts[0] / counts.sum() for theta, _, counts, _ in shares}
    likelihood = Equation(f"P(D | {symbols})", " * ".join(factors), where=meaning)
    logarithm = Equation(f"log(P(D | {symbols}))", " + ".join(logs))
    steps = [*_four(likelihood, logarithm, slopes, zeros)]
    if all(counts.all() for *_, counts, _ in shares):
        top = Equation(f"log(P(D | {symbols}))", " + ".join(logs), at_best, ("log_likelihood",))
        steps.append(Step("The largest value", top))
    return Work("Shares by maximum likelihood", steps)


def _four(likelihood: Equation, logarithm: Equation, slopes: list[Equation], zeros: list[Equation]) -> list[Step]:
    parts = ((likelihood,), (logarithm,), tuple(slopes), tuple(zeros))
    return [Step(title, part) for title, part in zip(TITLES, parts, strict=True)]


def derive_line(estimate: LineEstimate) -> Work:
    """From a product of normal densities to the squares that are made least, and to the numbers."""
    gap = "y[j] - (θ_1 * x[j] + θ_2)"
    normal = f"1 / (σ * sqrt(2 * π)) * exp(-({gap}) ** 2 / (2 * σ ** 2))"
    squares = f"sum(({gap}) ** 2 for j in _)"
    x, y, n = estimate.x, estimate.y, float(len(estimate.x))
    left = y - estimate.slope * x - estimate.intercept
    means = {"x̄": float(x.mean()), "ȳ": float(y.mean())}
    fitted = {"θ_1": estimate.slope, "θ_2": estimate.intercept}
    likelihood = Equation("P(D | θ_1, θ_2)", f"product({normal} for j in _)")
    logarithm = Equation("log(P(D | θ_1, θ_2))", f"-N / 2 * log(2 * π * σ ** 2) - {squares} / (2 * σ ** 2)")
    least = Equation(
        "argmax(log(P(D | h)) for h in _)", "argmin(sum((y[j] - h(x[j])) ** 2 for j in _) for h in _)", therefore=True
    )
    slopes = [
        _sum_equation(estimate, "{} / σ ** 2 == 0", f"({gap}) * x[j]", left * x, fitted | {"σ": estimate.sigma}),
        _sum_equation(estimate, "{} / σ ** 2 == 0", gap, left, fitted | {"σ": estimate.sigma}),
    ]
    dx, dy = x - means["x̄"], y - means["ȳ"]
    sums = {"S_xy": float(dx @ dy), "S_xx": float(dx @ dx)}
    zeros = [
        _sum_equation(estimate, "S_xy == {}", "(x[j] - x̄) * (y[j] - ȳ)", dx * dy, means | {"S_xy": sums["S_xy"]}),
        _sum_equation(estimate, "S_xx == {}", "(x[j] - x̄) ** 2", dx**2, {"x̄": means["x̄"], "S_xx": sums["S_xx"]}),
        Equation("θ_1", "S_xy / S_xx", sums, ("slope",), therefore=True),
        Equation("θ_2", "ȳ - θ_1 * x̄", means | {"θ_1": estimate.slope}, ("intercept",), therefore=True),
    ]
    spread = {"Q": float(left @ left), "N": n}
    noise = (
        _sum_equation(estimate, "Q == {}", f"({gap}) ** 2", left**2, fitted | {"Q": spread["Q"]}),
        Equation("σ", "sqrt(Q / N)", spread, ("sigma",), where={"Q": "the least sum of squares", "N": "how many rows"}),
        Equation(
            "log(P(D | θ_1, θ_2))",
            "-N / 2 * log(2 * π * σ ** 2) - Q / (2 * σ ** 2)",
            spread | {"σ": estimate.sigma},
            of=("log_likelihood",),
        ),
    )
    likely, logged, sloped, found = _four(likelihood, logarithm, slopes, zeros)
    squared = Step("Only the squares depend on the line: maximum likelihood is least squares", least)
    steps = [likely, logged, squared, sloped, found, Step("The noise, and the largest value", noise)]
    steps.append(Step("The line and its data", figure=_line_figure(estimate)))
    return Work("A line by maximum likelihood", steps)


def _sum_equation(estimate: LineEstimate, form: str, term: str, terms: Floats, more: dict[str, float]) -> Equation:
    """An equation with one sum over the rows, in which the heaviest terms are written."""
    kept, rest = heaviest(terms, "j")
    left, right = form.format(f"sum({term} for j in _)").split(" == ")
    data = {name: values[kept] for name, values in (("x[j]", estimate.x), ("y[j]", estimate.y)) if name in term}
    return Equation(left, right, data | more, rest=rest)


def _line_figure(estimate: LineEstimate) -> Figure:
    ends = np.array([estimate.x.min(), estimate.x.max()])

    def draw(axes: Axes) -> None:
        heights = estimate.slope * estimate.x + estimate.intercept
        axes.vlines(estimate.x, estimate.y, heights, color=COLOURS[1], linewidth=1.0)
        axes.plot(estimate.x, estimate.y, "o", color=INK, markersize=4)
        axes.plot(ends, estimate.slope * ends + estimate.intercept, color=COLOURS[0])
        axes.set_xlabel("x")
        axes.set_ylabel("y")
        axes.grid()

    slope, intercept = few_digits(estimate.slope), few_digits(estimate.intercept)
    alt = f"{len(estimate.x)} points, the line of slope {slope} and intercept {intercept}, and the gaps between them."
    return Figure(draw, alt, "The line of the least squares")


def derive_cross_entropy(estimate: CrossEntropyEstimate) -> Work:
    """From Π h^t (1 − h)^(1 − t) to its logarithm, which is minus the cross-entropy, and to the likeliest."""
    names = [f"h_{k + 1}" if len(estimate.names) > 1 else "h" for k in range(len(estimate.names))]
    h, one = "h(x[d])", "(t[d] * log({0}) + (1 - t[d]) * log(1 - {0}))"
    likelihood = Equation("P(D | h)", f"product({h} ** t[d] * (1 - {h}) ** (1 - t[d]) for d in _)")
    logarithm = Equation("log(P(D | h))", f"sum({one.format(h)} for d in _)")
    rule = Equation("argmax(log(P(D | h)) for h in _)", f"argmin(-sum({one.format(h)} for d in _) for h in _)")
    steps = [
        Step(TITLES[0], likelihood),
        Step(TITLES[1], logarithm),
        Step("Maximum likelihood is least cross-entropy", rule),
    ]
    t = estimate.targets
    for k, name in enumerate(names):
        p = estimate.probabilities[k]
        terms = t * np.log(p) + (1 - t) * np.log1p(-p)
        kept, rest = heaviest(terms, "d")
        values = {"t[d]": t[kept], f"{name}(x[d])": p[kept]}
        log = float(terms.sum())
        equations = [
            Equation(
                f"E({name})",
                f"-sum({one.format(f'{name}(x[d])')} for d in _)",
                values,
                ("cross_entropies", estimate.names[k]),
                rest=rest,
            )
        ]
        if not rest and log > -600:
            right = f"product({name}(x[d]) ** t[d] * (1 - {name}(x[d])) ** (1 - t[d]) for d in _)"
            equations.insert(0, Equation(f"P(D | {name})", right, values | {f"P(D | {name})": math.exp(log)}))
        equations.append(
            Equation(f"log(P(D | {name}))", f"-E({name})", {f"E({name})": -log}, ("log_likelihoods", estimate.names[k]))
        )
        steps.append(Step(f"With the numbers of {called(estimate.names[k])}", tuple(equations)))
    entropies = dict(zip(map(called, estimate.names), estimate.cross_entropies.values(), strict=True))
    choice = Equation("h_ML", "argmin(E(h) for h in _)", {"E(h)": entropies}, ("best",), therefore=True)
    return Work("Probabilities by maximum likelihood", [*steps, Step("The likeliest", choice)])
