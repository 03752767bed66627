"""Structural risk step by step: the bound of each space, the sums, and the least; errors in their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.learner.derivation import TABLE_ROWS, cut_table
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.theory.derivation.bounds import HUGE

if TYPE_CHECKING:
    from novacula.theory.risk import ErrorParts, StructuralRisk

MEANINGS = {
    "n": "examples",
    "δ": "the probability with which the bound of one space may fail",
    "size(H)": "hypotheses of the space",
    "VC(H)": "the VC dimension of the space",
}
BOUNDS = {
    "size(H)": "sqrt((log(size(H)) + log(1 / δ)) / (2 * n))",
    "VC(H)": "sqrt((VC(H) * (log(2 * n / VC(H)) + 1) + log(4 / δ)) / n)",
}


def derive_risk(result: StructuralRisk) -> Work:
    """For each space its bound and its sum, and which is least."""
    steps, measure = [], result.measure
    where = {name: words for name, words in MEANINGS.items() if name in ("n", "δ", measure)}
    for i, capacity in enumerate(result.capacities[:TABLE_ROWS]):
        if capacity > HUGE:
            continue
        values = {measure: float(capacity), "n": result.n, "δ": result.delta}
        right = BOUNDS[measure]
        right = f"min(1, {right})" if measure == "size(H)" else right
        both = {f"e_{i + 1}": result.empirical[i], f"ε_{i + 1}": result.bounds[i]}
        found = (
            Equation(f"ε_{i + 1}", right, values, ("bounds", i), where),
            Equation(
                f"R_{i + 1}", f"e_{i + 1} + ε_{i + 1}", both, ("risks", i), {f"e_{i + 1}": "error on the examples"}
            ),
        )
        steps.append(Step(f"Space {i + 1}", found))
    rows = [
        (i + 1, str(capacity), error, bound, error + bound)
        for i, (capacity, error, bound) in enumerate(
            zip(result.capacities, result.empirical, result.bounds, strict=True)
        )
    ]
    header = ("space", f"⟦{measure}⟧", "error on the examples", "bound", "together")
    risks = {str(i + 1): risk for i, risk in enumerate(result.risks)}
    least = Equation("R_least", "min(R[i] for i in _)", {"R[i]": risks}, ("risks", result.chosen - 1), therefore=True)
    table = cut_table(header, rows, len(rows))
    steps.append(Step(f"Space {result.chosen} is chosen", least, table, figure=result.plot()))
    note = f"δ is shared out evenly among {len(rows)} spaces, so that all bounds hold together."
    return Work("Structural risk: bound and error together", steps, note)


def derive_parts(result: ErrorParts) -> Work:
    """Noise, approximation error and estimation error, which add up."""
    values = {"error(h)": result.error, "error(h′)": result.best_in_space, "error(f)": result.noise}
    where = {"h": "the hypothesis", "h′": "the best of its space", "f": "the best of all functions"}
    approximation = Equation(
        "approximation",
        "error(h′) - error(f)",
        {name: values[name] for name in ("error(h′)", "error(f)")},
        ("approximation",),
        {name: where[name] for name in ("h′", "f")},
    )
    estimation = Equation(
        "estimation",
        "error(h) - error(h′)",
        {name: values[name] for name in ("error(h)", "error(h′)")},
        ("estimation",),
        {"h": where["h"]},
    )
    parts = {"error(f)": result.noise, "approximation": result.approximation, "estimation": result.estimation}
    total = Equation("error(h)", " + ".join(parts), parts, ("error",), therefore=True)
    note = "A larger space has a smaller approximation error; from as many examples, a larger estimation error."
    return Work(
        "Approximation and estimation error",
        [
            Step("What the space cannot express", approximation),
            Step("What the examples did not tell", estimation),
            Step("Together", total, note=note),
        ],
    )
