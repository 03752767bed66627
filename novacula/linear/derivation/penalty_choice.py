"""A penalty that was chosen by the errors of rows left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from novacula.errors import ModelFileError
from novacula.learner.derivation import TABLE_ROWS
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.work import Step, WorkTable
from novacula.mathematics import Equation
from novacula.table.chunk import Floats


class TriedPenalties(NamedTuple):
    """Penalties with the errors of rows left out (m,), and the one that was chosen."""

    alphas: Floats
    errors: Floats
    std_errors: Floats
    chosen: float
    choice: str

    @property
    def best(self) -> int:
        """The place of the least error."""
        return int(np.argmin(self.errors))


def choice_step(
    tried: TriedPenalties, what: str, rules: tuple[Equation, ...], of: tuple[str | int, ...], note: str = ""
) -> Step:
    """The errors by penalty, the least of them, and the penalty that was chosen."""
    alphas, errors, std_errors, chosen, choice = tried
    shown = np.sort(np.argsort(errors, kind="stable")[:TABLE_ROWS])
    shown = shown[np.isfinite(errors[shown])]
    found = [Equation("E_min", "min(E(α[k]) for k in _)", {"E(α[k])": errors[shown]}, of)]
    said = f"has the least {what}"
    if choice != "best":
        said = f"is the largest whose {what} is within one standard error of the least"
        if chosen not in alphas:
            raise ModelFileError(f"its alpha_ is {chosen!r}, which is none of the alphas that it was chosen from")
        least, reach = float(errors[tried.best]), float(std_errors[tried.best])
        values = {"E(α)": float(errors[alphas == chosen][0]), "E_min": least, "SE": reach}
        found.append(Equation("E(α)", "E_min + SE", values, sign="≤", therefore=True))
    rows = tuple((float(alphas[i]), float(errors[i]), float(std_errors[i])) for i in shown)
    cut = f"The {len(shown)} least of {len(errors)}." if len(shown) < len(errors) else ""
    return Step(
        f"⟦α⟧ = ⟦{chosen!r}⟧ {said}",
        (*rules, *found),
        table=WorkTable(("⟦α⟧", "⟦E(α)⟧", "standard error"), rows, cut),
        figure=choice_figure(tried),
        note=note,
    )


def choice_figure(tried: TriedPenalties) -> Figure | None:
    """The error of rows left out over the penalty, with its standard error; None where there is no curve."""
    alphas, errors, std_errors = tried.alphas, tried.errors, tried.std_errors
    drawn = np.argsort(alphas)
    drawn = drawn[(alphas[drawn] > 0.0) & np.isfinite(errors[drawn] + std_errors[drawn])]  # zero has no logarithm
    if len(drawn) < 2:
        return None
    error, spread = errors[drawn], std_errors[drawn]
    return curve_figure(
        np.log10(alphas[drawn]),
        {"left out": error},
        bands={"left out": np.column_stack([error - spread, error + spread])},
        title="Error of rows that were left out, and its standard error",
        xlabel="log₁₀ α",
        ylabel="mean squared error",
    )
