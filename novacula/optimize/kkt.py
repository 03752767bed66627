"""The conditions of Karush, Kuhn and Tucker: what holds at a minimum under constraints.

    L(x, z, α) = f(x) + Σ zⱼ hⱼ(x) − Σ αᵢ gᵢ(x)        for h(x) ≤ 0 and g(x) = 0

So z ≥ 0, and at a minimum ∇f = Σ αᵢ∇gᵢ − Σ zⱼ∇hⱼ. With these signs multipliers are prices: where g(x) = ε replaces
g(x) = 0 the minimum rises by αε, where h(x) ≤ ε replaces h(x) ≤ 0 it falls by zε.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_point, as_vector
from novacula.errors import ParameterError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.optimize.derivation.checks import derive_residuals
from novacula.optimize.derivation.constrained import derive_constrained
from novacula.optimize.figures import Levels
from novacula.optimize.printing import aligned
from novacula.optimize.program import Quadratic, QuadraticProgram, SmoothProgram
from novacula.optimize.result import Result

CONDITIONS = ("stationarity", "primal_feasibility", "dual_feasibility", "complementary_slackness")


@dataclass(frozen=True, eq=False)
class KKTTerms:
    """What the conditions are measured on: the slope of the Lagrangian, constraints with their prices, equalities."""

    slope: Floats  # ∇L (d,)
    at_most_zero: Floats  # h (m,)
    prices: Floats  # z (m,)
    zero: Floats  # g (k,)


@dataclass(frozen=True)
class KKTResiduals(ShowsWork):
    """By how much each condition is missed, as the largest absolute value; it prints as a table."""

    stationarity: float  # ∇L = 0
    primal_feasibility: float  # g = 0, h ≤ 0
    dual_feasibility: float  # z ≥ 0
    complementary_slackness: float  # zⱼ hⱼ = 0
    terms: KKTTerms | None = field(default=None, repr=False, compare=False)  # None where there is no solution

    @property
    def by_condition(self) -> dict[str, float]:
        """What each condition is missed by, by its name."""
        return {name: getattr(self, name) for name in CONDITIONS}

    @property
    def worst(self) -> float:
        """The largest of them."""
        return max(self.by_condition.values())

    def _derive(self, options: WorkOptions) -> Work:
        if self.terms is None:
            raise ParameterError("there is no solution, so no condition was measured: see the work of the result")
        return derive_residuals(self, self.terms)

    def __str__(self) -> str:
        rows = [(name.replace("_", " "), f"{value:.2e}") for name, value in self.by_condition.items()]
        return aligned(("condition", "missed by"), rows)


@dataclass(frozen=True, eq=False, kw_only=True)
class ConstrainedResult(Result):
    """A stationary point under constraints; gradients are those of the Lagrangian.

    `multipliers` are the α of equalities, `inequality_multipliers` the z of inequalities. `kind` says what the
    point is among those that satisfy the constraints. Where there is no solution x is NaN, and `certificate` holds
    the proof: multipliers that no point can satisfy, or a direction without end.
    """

    multipliers: Floats
    inequality_multipliers: Floats
    residuals: KKTResiduals
    kind: str
    certificate: dict[str, Floats] = field(default_factory=dict)
    program: QuadraticProgram | SmoothProgram | None = field(default=None, repr=False)  # what was solved

    def _derive(self, options: WorkOptions) -> Work:
        return derive_constrained(self, options)

    def _allowed(self) -> Levels | None:
        return None if self.program is None else self.program.levels

    def __str__(self) -> str:
        parts = [super().__str__()]
        for name, values in (("equalities", self.multipliers), ("inequalities", self.inequality_multipliers)):
            if len(values):
                shown = ", ".join(f"{v:.6g}" for v in values[:10]) + (", …" if len(values) > 10 else "")
                parts.append(f"Multipliers of the {name}: {shown}")
        return "\n".join([*parts, str(self.residuals)])


def solved_at_once(method: str, f: Quadratic, x: Floats, lagrangian: Floats, **more: Any) -> ConstrainedResult:
    """The result of a problem that took no iterations: its path is its end."""
    return ConstrainedResult(
        **{
            "method": method,
            "x": x,
            "value": f(x),
            "gradient": lagrangian,
            "path": x[None, :],
            "values": np.array([f(x)]),
            "gradient_norms": np.array([np.linalg.norm(lagrangian)]),
            "steps": np.zeros(1),
            "n_evaluations": 0,
            "n_gradients": 0,
            "n_hessians": 0,
            "converged": True,
            "objective": f,
            **more,
        }
    )


def kkt_residuals(
    problem: QuadraticProgram | SmoothProgram,
    x: npt.ArrayLike,
    inequality_multipliers: npt.ArrayLike = (),
    equality_multipliers: npt.ArrayLike = (),
) -> KKTResiduals:
    """Measure by how much x and its multipliers miss the conditions of a minimum.

    >>> problem = QuadraticProgram([[2.0]], [0.0], G=[[-1.0]], h=[-3.0])  # x² for x ≥ 3
    >>> print(kkt_residuals(problem, [3.0], inequality_multipliers=[6.0]))
    condition                missed by
    ───────────────────────  ─────────
    stationarity              0.00e+00
    primal feasibility        0.00e+00
    dual feasibility          0.00e+00
    complementary slackness   0.00e+00
    """
    point = as_point(x, "x")
    (h, H), (g, A), slope = problem.at_most_zero(point), problem.zero(point), problem.slope(point)
    z = as_vector(inequality_multipliers, "inequality_multipliers", len(h))
    alpha = as_vector(equality_multipliers, "equality_multipliers", len(g))
    return measured(slope + H.T @ z - A.T @ alpha, h, z, g)


def measured(lagrangian: Floats, h: Floats, z: Floats, g: Floats) -> KKTResiduals:
    """The residuals from the gradient of the Lagrangian, the constraints and the multipliers."""
    bound = np.isfinite(h)  # a constraint that says nothing has nothing to be slack by
    return KKTResiduals(
        largest(lagrangian),
        max(largest(g), largest(np.maximum(h, 0.0))),
        largest(np.minimum(z, 0.0)),
        max(largest(z[bound] * h[bound]), largest(z[~bound])),
        KKTTerms(lagrangian, h, z, g),
    )


def largest(values: Floats) -> float:
    """The largest absolute value; 0 of none."""
    return float(np.abs(values).max(initial=0.0))
