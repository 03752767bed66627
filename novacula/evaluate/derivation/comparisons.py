"""Comparisons of two learners: the mean difference with its t and interval, and McNemar's exact test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.evaluate.compare import Comparison, McNemar

MOST = 500
"""Rows up to which binomial coefficients are written out."""


def derive_comparison(result: Comparison) -> Work:
    """The mean of the differences, its corrected deviation, t and the interval."""
    d, J = result.differences, len(result.differences)
    mean, variance = float(d.mean()), float(d.var(ddof=1))
    where = {"d": "differences of paired scores", "J": "pairs"}
    average = Equation("d̄", "sum(d[j] for j in _) / J", {"d": d, "J": J}, ("difference",), where)
    steps = [Step("The mean difference", average)]
    around = {"d": d, "d̄": mean, "J": J}
    of_variance = {"S": "variance of the differences"}
    spread = Equation("S", "sum((d[j] - d̄) ** 2 for j in _) / (J - 1)", around, where=of_variance)
    of_error = {"τ": "deviation of the mean", "c": "rows of a test over those of its fit, which folds share"}
    error = Equation("τ", "sqrt((1 / J + c) * S)", {"J": J, "c": result.correction, "S": variance}, where=of_error)
    steps.append(Step("Its deviation, corrected for rows that folds share", (spread, error)))
    if variance > 0.0:
        steps.append(Step("t", Equation("t", "d̄ / τ", {"d̄": mean, "τ": error.value}, of=("t",))))
    from scipy.special import stdtrit

    q = float(stdtrit(J - 1, (1 + result.level) / 2))
    ends = tuple(
        Equation(left, f"d̄ {sign} q * τ", {"d̄": mean, "q": q, "τ": error.value}, of=("interval", i),
                 where={"q": f"quantile of Student's t with {J - 1} degrees of freedom"})
        for i, (left, sign) in enumerate((("low", "-"), ("high", "+")))
    )  # fmt: skip
    steps.append(Step("The interval", ends))
    return Work(" − ".join(map(shortened, result.names)), steps, [result.sentence()])


def derive_mcnemar(result: McNemar) -> Work:
    """The probability of counts that are at least as uneven, if both predictors are equally good."""
    a, b = result.only_a_wrong, result.only_b_wrong
    m, k = a + b, min(a, b)
    where = {"m": "rows on which exactly one is wrong", "k": "the smaller of both counts"}
    names = {x: f"rows on which only {shortened(name)} is wrong" for x, name in zip("ab", result.names, strict=True)}
    total = Equation("m", "a + b", {"a": a, "b": b}, where={**names, "m": where["m"]})
    steps = [Step("Rows that speak", total)]
    if 0 < m <= MOST:
        right = "min(1, 2 * sum(choose(m, i - 1) for i in range(k + 1)) / 2 ** m)"
        steps.append(Step("The exact test", Equation("p", right, {"m": m, "k": k}, of=("p",), where=where)))
    gap = Equation("e_a - e_b", "(a - b) / n", {"a": a, "b": b, "n": result.n}, where={"n": "rows"})
    steps.append(Step("The difference of the error rates", gap))
    return Work("McNemar's test", steps, [result.table().caption + "."])
