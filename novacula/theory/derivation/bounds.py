"""The bounds step by step: from |H| e^(−εm) ≤ δ to m, and the same solved for ε and for δ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.mathematics.equation import agree

HUGE = 10**300
"""Beyond, a double does not hold an integer."""
NEEDED = "log(size(H)) + log(1 / δ)"
VC_NEEDED = "4 * log2(2 / δ) + 8 * VC(H) * log2(13 / ε)"
MEANINGS = {
    "m": "examples",
    "n": "examples",
    "ε": "the error that is allowed",
    "δ": "the probability with which it may be larger",
    "size(H)": "hypotheses",
    "VC(H)": "the VC dimension of the hypotheses",
}
EXCESS = "how much larger the error may be than the share of mistakes on the examples"
VALUE = ("value",)


def space_values(hypotheses: int | None, log_hypotheses: float) -> dict[str, float]:
    """The size of a space, or its logarithm where a double does not hold it or it alone is known."""
    if hypotheses is None or hypotheses > HUGE:
        return {"log(size(H))": log_hypotheses}
    return {"size(H)": float(hypotheses)}


def pac_sample_work(m: int, space: dict[str, float], epsilon: float, delta: float, consistent: bool) -> Work:
    """From the probability that a bad hypothesis survives to the number of examples."""
    values = {**space, "ε": epsilon, "δ": delta}
    rate = "ε" if consistent else "2 * ε**2"
    needed = f"({NEEDED}) / {rate if consistent else f'({rate})'}"
    steps = [
        *_start(rate, consistent),
        Step("Logarithms of both sides", Equation(f"log(size(H)) - {rate} * m", "log(δ)", sign="≤")),
        *_least(m, needed, values),
        *_enough(m, needed, values, rate),
    ]
    return Work("PAC: how many examples are enough", steps)


def _start(rate: str, consistent: bool) -> Iterator[Step]:
    """The bound that is solved."""
    names = ("m", "ε", "δ", "size(H)")
    where = {name: EXCESS if name == "ε" and not consistent else MEANINGS[name] for name in names}
    bound = Equation(f"size(H) * exp(-{rate} * m)", "δ", where=where, sign="≤")
    if consistent:
        survives = Equation("size(H) * (1 - ε)**m", "size(H) * exp(-ε * m)", sign="≤")
        note = (
            "A hypothesis with an error above ⟦ε⟧ agrees with ⟦m⟧ examples with a probability of at most ⟦(1 - ε)**m⟧, "
            "and one of ⟦size(H)⟧ does with at most so many times that."
        )
        yield Step("One of the bad hypotheses agrees with all examples", (survives, bound), note=note)
    else:
        note = "Hoeffding: one hypothesis has an error more than ⟦ε⟧ above its share with at most ⟦exp(-2 * ε**2 * m)⟧."
        yield Step("One of the hypotheses looks better than it is", bound, note=note)


def _least(
    m: int,
    needed: str,
    values: dict[str, float],
    title: str = "Solved for ⟦m⟧",
    where: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Step]:
    """The least whole number that is at least what is needed."""
    x = float(Equation("m", needed, values).value)
    if x <= m:
        yield Step(title, Equation("m", needed, {**values, "m": m}, where=where, sign="≥"))
    title = "The least whole number"
    if math.ceil(x) == m:
        yield Step(title, Equation("m", f"ceil({needed})", values, VALUE, therefore=True))
    elif agree(x, float(m)):
        yield Step("Which is whole", Equation("m", needed, values, VALUE, therefore=True))
    else:
        note = f"What is needed is above ⟦{m - 1}⟧ by less than its digits show."
        yield Step(
            title, Equation("m", "q + 1", {"q": m - 1}, VALUE, {"q": "its whole part"}, therefore=True), note=note
        )


def _enough(m: int, needed: str, values: dict[str, float], rate: str) -> Iterator[Step]:
    """So many examples are enough, and one less is not; nothing where rounding would decide."""
    x = float(Equation("m", needed, values).value)
    if math.ceil(x) == m and min(m - x, x - (m - 1)) > 1e-9 * m:
        used = {**values, "m": m}
        enough = Equation(f"log(size(H)) - {rate} * m", "log(δ)", used, sign="≤")
        fewer = Equation(f"log(size(H)) - {rate} * (m - 1)", "log(δ)", used, sign=">")
        yield Step("It is enough, and one less is not", (enough, fewer))


def pac_error_work(_: float, n: int, space: dict[str, float], delta: float, consistent: bool) -> Work:
    """The error that n examples guarantee."""
    title, right = (
        "PAC: the error that is guaranteed",
        f"({NEEDED}) / n" if consistent else f"sqrt(({NEEDED}) / (2 * n))",
    )
    rate = "ε" if consistent else "2 * ε**2"
    where = {name: MEANINGS[name] for name in ("n", "δ", "size(H)")}
    start = Step("What must hold", Equation(f"size(H) * exp(-{rate} * n)", "δ", where=where, sign="≤"))
    if n == 0:
        return Work(title, [start, Step("Without examples", Equation("ε", "1", {}, VALUE, therefore=True))])
    found = Equation("ε", f"min(1, {right})", {**space, "δ": delta, "n": n}, VALUE, therefore=True)
    return Work(title, [start, Step("Solved for ⟦ε⟧, of which more than 1 says nothing", found)])


def pac_delta_work(_: float, n: int, space: dict[str, float], epsilon: float, consistent: bool) -> Work:
    """The probability of an error above ε after n examples."""
    rate = "ε" if consistent else "2 * ε**2"
    small = (epsilon if consistent else 2 * epsilon**2) * n < 700  # beyond, the exponential is no double
    if "size(H)" in space and small:
        right = f"min(1, size(H) * exp(-{rate} * n))"
    else:
        right = f"exp(min(0, log(size(H)) - {rate} * n))"
    where = {"n": MEANINGS["n"], "ε": MEANINGS["ε"] if consistent else EXCESS}
    found = Equation("δ", right, {**space, "ε": epsilon, "n": n}, VALUE, where, therefore=True)
    return Work("PAC: the probability of a larger error", [Step("The bound, of which more than 1 says nothing", found)])


def vc_sample_work(m: int, vc: int, epsilon: float, delta: float) -> Work:
    """The number of examples by the VC dimension."""
    where = {name: MEANINGS[name] for name in ("m", "ε", "δ", "VC(H)")}
    values = {"VC(H)": vc, "ε": epsilon, "δ": delta}
    title = "The bound of Blumer, Ehrenfeucht, Haussler and Warmuth"
    return Work("VC: how many examples are enough", _least(m, f"({VC_NEEDED}) / ε", values, title, where))


def vc_error_work(epsilon: float, n: int, vc: int, delta: float, path: list[float]) -> Work:
    """The error that n examples guarantee, by the VC dimension: Newton's steps, and that the last is a root."""
    title = "VC: the error that is guaranteed"
    where = {name: MEANINGS[name] for name in ("n", "ε", "δ", "VC(H)")}
    start = Step("What must hold", Equation("n * ε", VC_NEEDED, where=where, sign="≥"))
    values: dict[str, Any] = {"VC(H)": vc, "δ": delta, "n": n}
    if epsilon == 1.0:
        too_few = Equation("n", VC_NEEDED.replace("13 / ε", "13"), values, sign="≤")
        nothing = Equation("ε", "1", {}, VALUE, therefore=True)
        return Work(title, [start, Step("Even an error of 1 needs as many", (too_few, nothing))])
    shown = [eps for eps in path if abs(eps - epsilon) > 1e-9 * epsilon]
    table = WorkTable(
        ("step", "⟦ε⟧"), tuple(enumerate([*shown, epsilon])), "Newton's steps to where both sides are equal."
    )
    root = Equation("ε", f"({VC_NEEDED}) / n", {**values, "ε": epsilon}, VALUE, therefore=True)
    return Work(title, [start, Step("Both sides are equal", root, table)])
