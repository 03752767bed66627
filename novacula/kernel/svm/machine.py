"""One machine: a coefficient for each row and an intercept, by whichever solver suits the rows."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.kernel.algebra.rows import is_sparse
from novacula.kernel.algebra.verdict import judge
from novacula.kernel.svm.decomposition import ConcaveError, solve_dual
from novacula.kernel.svm.dual import Dual, DualSolution
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.hard_margin import solve_hard_margin
from novacula.kernel.svm.kernel_rows import KernelRows, is_plane
from novacula.learner.iterate import Run
from novacula.learner.trace import FitPath
from novacula.table.chunk import Floats

MANY = 5000
"""Rows from which a linear kernel is left to the linear solver, if they are also many compared with the columns."""
LOOKED_AT = 300
"""Rows whose eigenvalues are checked where it is not known that a kernel is one."""
PSD = 1e-6
"""How far below 0 an eigenvalue may be, as a share of the largest."""


@dataclass(frozen=True)
class SvmSettings:
    """What a learner asks of its machines."""

    loss: str
    effort: Effort
    time_budget: float
    solver: str
    seed: int

    def begun(self) -> Effort:
        """The effort for a machine whose search begins now."""
        return replace(self.effort, deadline=time.monotonic() + self.time_budget)

    def linear(self, rows: KernelRows) -> bool:
        """Whether the linear solver is to be used; ParameterError where the user says so and it cannot be."""
        plain = is_plane(rows.kernel)
        if self.solver == "linear" and not plain:
            raise ParameterError(
                f"solver='linear' takes the linear kernel only, not {rows.kernel!r}: use solver='auto'"
            )
        n, d = rows.rows.shape
        many = is_sparse(rows.rows) or (n >= MANY and n > 10 * d)
        return self.solver == "linear" or (self.solver == "auto" and plain and many)


@dataclass(frozen=True, eq=False)
class Machine:
    """f(x) = Σ βᵢ k(xᵢ, x) + b over the n rows it was made of."""

    beta: Floats  # (n,)
    intercept: float
    norm: float  # ‖w‖ in the space of features
    objective: float  # of the dual, to be maximised
    violation: float
    history: tuple[float, ...]  # the dual objective from one working set to the next
    run: Run[Any]
    plane: Floats | None = None  # w (d,), where the kernel is linear
    path: FitPath | None = None  # of the dual's variables, where rows are few and the margin is soft


def separate(rows: KernelRows, y: Floats, cost: Floats, settings: SvmSettings) -> Machine:
    """The machine that separates y = ±1 (n,), for the price of each row's loss (n,); infinite: hard margin."""
    if np.isinf(cost).any():
        with concave_refused(rows):
            solution = replace(solve_hard_margin(rows, y, settings.begun()), path=None)
    elif settings.linear(rows):
        from novacula.kernel.svm.linear import solve_linear

        plane = solve_linear(rows.rows, y, cost, loss=settings.loss, effort=settings.begun(), seed=settings.seed)
        return _linear_machine(plane, plane.alpha * y)
    else:
        with concave_refused(rows):
            solution = solve_dual(Dual.classification(y, cost, settings.loss), rows, settings.begun())
    return _machine(rows, solution, solution.beta)


def follow(rows: KernelRows, t: Floats, cost: Floats, epsilon: float, settings: SvmSettings) -> Machine:
    """The machine that follows the numbers t (n,); a distance of up to ε from them is free of charge."""
    if settings.linear(rows):
        from novacula.kernel.svm.linear import solve_linear

        plane = solve_linear(
            rows.rows, t, cost, epsilon, loss=settings.loss, effort=settings.begun(), seed=settings.seed
        )
        return _linear_machine(plane, plane.alpha)
    dual = Dual.regression(t, cost, epsilon, settings.loss)
    with concave_refused(rows):
        solution = solve_dual(dual, rows, settings.begun())
    return _machine(rows, solution, dual.sums(solution.beta))


def _machine(rows: KernelRows, solution: DualSolution, beta: Floats) -> Machine:
    if not math.isfinite(solution.objective):
        cause = f"{rows.kernel!r}, C and the weights give values that are not finite"
        raise DataError(f"{cause}: scale the columns, or divide the weights by some unit")
    return Machine(
        beta=beta,
        intercept=solution.intercept,
        norm=math.sqrt(max(0.0, float(beta @ solution.f))),
        objective=solution.objective,
        violation=solution.violation,
        history=solution.run.history,
        run=solution.run,
        plane=np.asarray(rows.rows.T @ beta) if is_plane(rows.kernel) else None,
        path=solution.path,
    )


def _linear_machine(solution: Any, beta: Floats) -> Machine:
    return Machine(
        beta=beta,
        intercept=solution.intercept,
        norm=float(np.linalg.norm(solution.coef)),
        objective=solution.dual_objective,
        violation=solution.kkt_violation,
        history=(solution.dual_objective,),
        run=solution.run,
        plane=solution.coef,
    )


# --- whether a kernel is one --------------------------------------------------------------------------------


def require_kernel(rows: KernelRows) -> None:
    """Refuse a function that is not positive semi-definite on some of the rows, where that is not known of it."""
    if rows.kernel.positive:
        return
    n = len(rows)
    require_psd(rows, np.unique(np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(np.int64)), PSD)
    if rows.kernel.positive is False:
        raise ParameterError(
            f"{rows.kernel!r} is not positive semi-definite, though on these rows it happens to be: the dual problem "
            "is certain to have a solution only with a kernel such as Gaussian()"
        )


def require_psd(rows: KernelRows, places: Any, tol: float) -> None:
    """Refuse a kernel whose matrix of the rows at these places has a negative eigenvalue, naming it."""
    verdict = judge(rows.gram(places), tol)
    if not verdict.psd:
        raise DataError(
            f"{rows.kernel!r} is not a kernel on these rows ({verdict}), so that the dual problem has no solution "
            "to trust: take a kernel that is positive semi-definite, such as Gaussian()"
        )


@contextmanager
def concave_refused(rows: KernelRows) -> Iterator[None]:
    """Name the eigenvalue where a solver meets two rows with negative curvature between them."""
    try:
        yield
    except ConcaveError as met:
        require_psd(rows, np.array(met.rows), 0.0)
        raise
