"""Intervals with the numbers put in: Wilson's and Clopper and Pearson's of a proportion, Student's of a mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy.typing as npt

from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    import numpy as np

MOST = 500
"""Rows up to which binomial coefficients are written out."""
ENDS = (("low", "-"), ("high", "+"))


def derive_wilson(errors: float, n: float, z: float) -> Work:
    """The share, and both ends around a centre that is drawn towards one half."""
    share = Equation("p̂", "e / n", {"e": errors, "n": n}, where={"e": "errors", "n": "rows"})
    values = {"p̂": errors / n, "n": n, "z": z}
    right = "(p̂ + z ** 2 / (2 * n) {} z * sqrt(p̂ * (1 - p̂) / n + z ** 2 / (4 * n ** 2))) / (1 + z ** 2 / n)"
    where = {"z": "quantile of the normal distribution"}
    ends = tuple(Equation(end, right.format(sign), values, of=(end,), where=where) for end, sign in ENDS)
    return Work("Wilson's interval of a proportion", [Step("The share", share), Step("The ends", ends)])


def derive_clopper_pearson(low: float, high: float, errors: float, n: float, alpha: float) -> Work:
    """The shares under which so many errors, or so few, have a probability of α/2."""
    where = {"e": "errors", "n": "rows", "α": "the probability outside of the interval"}
    few = "sum(choose(n, i - 1) * p ** (i - 1) * (1 - p) ** (n - i + 1) for i in range({}))"
    written = float(n).is_integer() and float(errors).is_integer() and n <= MOST
    steps = list[Step]()
    for end, p, right, ordinary in (
        ("low", low, f"1 - {few.format('e')}", errors > 0),
        ("high", high, few.format("e + 1"), errors < n),
    ):
        found = Equation(end, "p", {"p": p}, of=(end,))
        if written and ordinary:
            values = {"n": n, "e": errors, "p": p}
            tail = Equation("α / 2", right, values | {"α": alpha}, where=where)
            words = "so many errors or more" if end == "low" else "so few errors or fewer"
            steps.append(Step(f"The {end} end: {words} are as rare as this", (tail, found)))
        else:
            steps.append(Step(f"The {end} end", found))
    notes = [] if written else ["The sums go over into the incomplete beta function, and are not written out."]
    return Work("Clopper and Pearson's interval of a proportion", steps, notes)


def derive_student(values: npt.NDArray[np.float64], t: float) -> Work:
    """The mean, the deviation, and both ends."""
    n, mean, deviation = len(values), float(values.mean()), float(values.std(ddof=1))
    average = Equation("x̄", "sum(x[i] for i in _) / n", {"x": values, "n": n}, where={"n": "values"})
    spread = Equation("s", "sqrt(sum((x[i] - x̄) ** 2 for i in _) / (n - 1))", {"x": values, "x̄": mean, "n": n})
    where = {"t": f"quantile of Student's distribution with {n - 1} degrees of freedom"}
    numbers = {"x̄": mean, "t": t, "s": deviation, "n": n}
    ends = tuple(Equation(end, f"x̄ {sign} t * s / sqrt(n)", numbers, of=(end,), where=where) for end, sign in ENDS)
    steps = [Step("The mean", average), Step("The standard deviation", spread), Step("The ends", ends)]
    return Work("Student's interval of a mean", steps)


def derive_whole_line() -> Work:
    """Of one value nothing is known of its spread."""
    ends = (Equation("low", "-inf", {}, of=("low",)), Equation("high", "inf", {}, of=("high",)))
    return Work("Student's interval of a mean", [Step("One value says nothing about its spread", ends)])
