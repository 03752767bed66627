"""Errors and descriptions in parts: bias, variance and noise; bits of a model and of the data given it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.words import capitalised

if TYPE_CHECKING:
    from novacula.evaluate.bias_variance import BiasVariance
    from novacula.evaluate.description_length import DescriptionLength

MEANINGS = {
    "B": "squared bias at a point",
    "V": "variance at a point",
    "N": "noise at a point",
    "E": "error at a point",
    "c_1": "how much noise counts at a point",
    "c_2": "how much variance counts at a point; below 0 it helps",
}
MOST = 500
"""Rows up to which a binomial coefficient is written as one."""


def derive_bias_variance(result: BiasVariance, options: WorkOptions) -> Work:
    """The parts at single points, their means over all points, and their sum."""
    steps: list[Step] = []
    for i in range(min(options.rows, len(result.points))):
        steps.append(Step(f"Point {i + 1}", tuple(point_equations(result, i))))
    effects = {"variance": ("c_2", "V", result.variance_effect, result.variance_at)}
    if result.knows_noise:
        effects["noise"] = ("c_1", "N", result.noise_effect, result.noise_at)
    p = len(result.error_at)
    steps.append(mean_step("bias_squared", "B[i]", {"B": result.bias_squared_at}, p))
    for name, (effect, letter, factors, values) in effects.items():
        if (factors == 1.0).all():
            steps.append(mean_step(name, f"{letter}[i]", {letter: values}, p))
        else:
            steps.append(mean_step(name, f"{effect}[i] * {letter}[i]", {effect: factors, letter: values}, p))
    steps.append(mean_step("error", "E[i]", {"E": result.error_at}, p))
    parts = {name: getattr(result, name) for name in ("bias_squared", *effects)}
    total = Equation("error", " + ".join(parts), parts, of=("error",), therefore=True)
    steps.append(Step("The parts add up to the error", total, table=result.table(), figure=result.plot()))
    return Work("Bias and variance", steps, [f"{capitalised(result.note)}."] if result.note else [])


def mean_step(name: str, term: str, values: dict[str, Any], p: int) -> Step:
    """The mean of a part over the points."""
    where = {letter: MEANINGS[letter] for letter in values} | {"p": "points"}
    mean = Equation(name, f"sum({term} for i in _) / p", {**values, "p": p}, of=(name,), where=where)
    return Step(f"The mean {'squared bias' if name == 'bias_squared' else name}", mean)


def point_equations(result: BiasVariance, i: int) -> Iterator[Equation]:
    """One point under squared loss: the mean prediction, and what makes its error."""
    point = result.points[i]
    h, S = point.predictions, len(point.predictions)
    mean = float(h.mean())
    where = {"h": "predictions by the training sets that lack the point", "S": "these sets"}
    yield Equation("h̄", "sum(h[s] for s in _) / S", {"h": h, "S": S}, where=where)
    best = point.label if point.truth is None else point.truth
    letter = "y" if point.truth is None else "f"
    what = {"y": "label of the point"} if point.truth is None else {"f": "truth at the point"}
    yield Equation("B", f"({letter} - h̄) ** 2", {letter: best, "h̄": mean}, ("bias_squared_at", i), what)
    spread = {"h": h, "h̄": mean, "S": S}
    yield Equation("V", "sum((h[s] - h̄) ** 2 for s in _) / S", spread, ("variance_at", i))
    values = {"B": float(result.bias_squared_at[i]), "V": float(result.variance_at[i])}
    if point.truth is not None:
        both = {"y": point.label, "f": point.truth}
        yield Equation("N", "(y - f) ** 2", both, ("noise_at", i), {"y": "label of the point"})
        values["N"] = float(result.noise_at[i])
    yield Equation("E", " + ".join(values), values, ("error_at", i))


def derive_description(result: DescriptionLength) -> Work:
    """The bits of the model, those of the data given it, and their sum."""
    steps = [
        Step("Bits of the model", tuple(model_bits(result)), note=f"By the code: {result.model_code}."),
        Step("Bits of the data given the model", tuple(data_bits(result)), note=f"By the code: {result.data_code}."),
    ]
    values = {"L(h)": result.model_bits, "L(D | h)": result.data_bits}
    total = Equation("L(h, D)", "L(h) + L(D | h)", values, of=("total",), therefore=True)
    steps.append(Step("Together", total))
    return Work("Description length", steps)


def model_bits(result: DescriptionLength) -> Iterator[Equation]:
    """½ log₂ n for each parameter, where that is the code."""
    if "parameters" in result.parts:
        values = {"k": result.parts["parameters"], "n": result.parts["n"]}
        where = {"k": "parameters", "n": "rows"}
        yield Equation("L(h)", "k / 2 * log2(n)", values, of=("model_bits",), where=where)


def data_bits(result: DescriptionLength) -> Iterator[Equation]:
    """−Σ log₂ P(y|x), or the mistakes named one by one, or normal residuals."""
    parts: dict[str, Any] = dict(result.parts)
    weight = parts.get("weight")
    factor, weights = ("w[i] * ", {"w": weight}) if weight is not None else ("", {})
    left, of = "L(D | h)", ("data_bits",)
    if "probabilities" in parts:
        right = f"-sum({factor}log2(P(y[i] | x[i])) for i in _)"
        yield Equation(left, right, {"P(y[i] | x[i])": parts["probabilities"], **weights}, of)
    elif "mistakes" in parts:
        values = {"n": parts["n"], "e": parts["mistakes"], "K": parts["classes"]}
        whole = values["n"] <= MOST and all(float(v).is_integer() for v in values.values())
        gamma = "(lgamma(n + 1) - lgamma(e + 1) - lgamma(n - e + 1)) / log(2)"
        which = "log2(choose(n, e))" if whole else gamma
        where = {"n": "rows", "e": "mistakes", "K": "classes"}
        yield Equation(left, f"log2(n + 1) + {which} + e * log2(max(K - 1, 1))", values, of, where)
    elif "residuals" in parts:
        sigma, delta = parts["σ"], parts["δ"]
        where = {"r": "residuals", "σ": "their deviation", "δ": "precision of the targets"}
        count = "sum(w[i] for i in _)" if weights else "n"
        size = weights or {"n": len(parts["residuals"])}
        spread = f"max(sqrt(sum({factor}r[i] ** 2 for i in _) / {count}), δ)"
        yield Equation("σ", spread, {"r": parts["residuals"], "δ": delta, **size}, where=where)
        right = f"(sum({factor}r[i] ** 2 for i in _) / (2 * σ ** 2) + {count} * log(σ * sqrt(2 * π) / δ)) / log(2)"
        yield Equation(left, right, {"r": parts["residuals"], "σ": sigma, "δ": delta, **size}, of)
