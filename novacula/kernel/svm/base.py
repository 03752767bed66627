"""What the support vector machines for classes and for numbers share: parameters, rows, limits, and sums over rows.

A fitted machine keeps its support vectors, the rows with a multiplier above 0; with a linear kernel also the plane.
"""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, ParameterError
from novacula.kernel.algebra import KERNELS, Kernel, Rows, as_kernel, gram, require_resolved
from novacula.kernel.chunk_rows import rows_of
from novacula.kernel.svm.dual import Places
from novacula.kernel.svm.effort import Effort, Watch
from novacula.kernel.svm.examples import FEW, SvmExamples, SvmSample, SvmTrace
from novacula.kernel.svm.kernel_rows import is_plane
from novacula.kernel.svm.machine import Machine, SvmSettings, require_kernel
from novacula.kernel.svm.row_cache import SIDE
from novacula.kernel.svm.scale_warning import warn_of_scales
from novacula.learner.base import Learner
from novacula.learner.iterate import warn_unless_converged
from novacula.learner.showing import WorkOptions
from novacula.learner.trace import FitPath
from novacula.learner.work import Work, WorkTable
from novacula.state import (
    State,
    any_record,
    each,
    flag,
    floats,
    keyed,
    nullable,
    number,
    one_of,
    optional,
    record,
    rows,
    wholes,
)
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.table.parallel import map_ordered

AT_BOUND = 1e-9
"""How close to C a multiplier of the linear solver is at C, relatively; those of SMO are there exactly."""


class SupportVectorMachine(Learner):
    """A learner that answers with sums of k(xᵢ, x) over its support vectors."""

    state_types: ClassVar[tuple[type, ...]] = (*KERNELS, SvmExamples, SvmTrace, FitPath)
    state: ClassVar[State] = {
        "kernel_": any_record(Kernel),
        "intercept_": floats("machines"),
        "dual_coef_": floats("coefficients", "supports"),
        "support_vectors_": one_of(floats(0, 0), rows("supports")),  # the former of a precomputed kernel
        "coef_": optional(floats("machines", "numbers")),
        "multipliers_": keyed(
            {
                "row": wholes("supports"),
                "cost": floats("supports", least=0.0, finite=False),  # infinite for a hard margin
                "example": optional(wholes("examples")),
            }
        ),
        "examples_": nullable(
            record(SvmExamples, examples="examples", numbers="numbers", numeric="numeric", classes="classes")
        ),
        "margin_": floats("machines", least=0.0, finite=False),  # infinite where no row is a support vector
        "dual_objective_": floats("machines"),
        "kkt_violation_": number(least=0.0),
        "converged_": flag(),
        "history_": each(number()),
        "trace_": nullable(record(SvmTrace)),
    }
    not_compared: ClassVar[Mapping[str, str]] = {
        "multipliers_.row": "rows are numbered as they came, and repetitions shift the numbers",
        "multipliers_.example": "rows are numbered as they came, and repetitions shift the numbers",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="right")],
        "kernel": [str, Kernel],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), Options(Integral, {-1})],
        "time_budget": [Interval(Real, 0, None, closed="neither"), None],
        "solver": [StrOptions({"auto", "smo", "linear"})],
        "verbose": ["boolean"],
        "random_state": ["random_state"],
    }

    kernel_: Kernel
    support_vectors_: Rows
    dual_coef_: Floats
    intercept_: Floats
    coef_: Floats
    multipliers_: dict[str, Any]
    examples_: SvmExamples | None
    history_: tuple[float, ...]
    margin_: Floats
    dual_objective_: Floats
    kkt_violation_: float
    converged_: bool
    trace_: SvmTrace | None

    def __init__(
        self,
        C: float = 1.0,
        kernel: Any = "rbf",
        *,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = -1,
        time_budget: float | None = None,
        solver: Literal["auto", "smo", "linear"] = "auto",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.loss = loss
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.time_budget = time_budget
        self.solver = solver
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, (str, Kernel)) and as_kernel(self.kernel).precomputed
        return tags

    # --- fit ------------------------------------------------------------------------------------------------

    def _sample(self, table: Table) -> SvmSample:
        """The rows of a fit, once each; the kernel is refused where it is none, and scales are warned of."""
        sample = SvmSample.of(table, as_kernel(self.kernel))
        self.kernel_ = sample.rows.kernel
        if not self.kernel_.precomputed:
            warn_of_scales(sample.rows.rows, sample.names, type(self).__name__)
        require_kernel(sample.rows)
        return sample

    def _settings(self) -> SvmSettings:
        effort = Effort(
            tol=float(self.tol),
            cache_bytes=1e6 * float(self.cache_size),
            max_iter=math.inf if self.max_iter == -1 else self.max_iter,
            watch=Watch() if self.verbose else None,
        )
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        time_budget = math.inf if self.time_budget is None else float(self.time_budget)
        return SvmSettings(self.loss, effort, time_budget, self.solver, seed)

    def _keep(
        self, sample: SvmSample, supports: Places, cost: Floats, dual_coef: Floats, machines: Sequence[Machine]
    ) -> None:
        """Keep the support vectors, which these rows of the sample are, and how the search for them went."""
        rows = sample.rows.rows
        self.support_vectors_ = np.empty((0, 0)) if self.kernel_.precomputed else rows[supports]
        self.dual_coef_ = dual_coef
        self.multipliers_ = {"row": sample.place[supports], "cost": cost[supports]}
        self.examples_ = sample.small(cost)
        if self.examples_ is not None:
            self.multipliers_["example"] = np.sort(sample.place)
        self.intercept_ = np.array([machine.intercept for machine in machines])
        if is_plane(self.kernel_):
            self.coef_ = np.array([machine.plane for machine in machines])
        self.margin_ = np.array([1.0 / machine.norm if machine.norm else math.inf for machine in machines])
        self.dual_objective_ = np.array([machine.objective for machine in machines])
        self.kkt_violation_ = max(machine.violation for machine in machines)
        self.converged_ = all(machine.run.converged for machine in machines)
        history, before = list[float](), 0.0
        for machine in machines:
            history += [before + objective for objective in machine.history]
            before += machine.objective
        self.history_ = tuple(history)

    def _keep_path(self, machine: Machine, place: Places) -> None:
        """Keep the steps of the search for a machine, whose rows have these numbers, if rows are few and are kept."""
        is_kept = self.examples_ is not None and not self.kernel_.precomputed
        self.trace_ = SvmTrace.of(machine.path, place) if is_kept and machine.path is not None else None

    def _report(self, machines: Sequence[Machine], names: Sequence[str]) -> None:
        """Say how the machines came out: on standard error if `verbose`, and by a warning where one fell short."""
        if self.verbose:
            for machine, name in zip(machines, names, strict=True):
                how = f"{machine.run.n_iter} steps, dual objective {machine.objective:.6g}"
                sys.stderr.write(f"{name}: {how}, violation {machine.violation:.3g}\n")
        short = [(machine, name) for machine, name in zip(machines, names, strict=True) if not machine.run.converged]
        if short:
            machine, name = short[0]
            more = f", and {len(short) - 1} more" if len(short) > 1 else ""
            violation = f"the KKT conditions are violated by {machine.violation:.3g}, more than tol={self.tol:g}"
            warn_unless_converged(machine.run, f"{name}{more} ({violation})")

    # --- answers --------------------------------------------------------------------------------------------

    @property
    def support_(self) -> Any:
        """The numbers of the rows that are support vectors; equal rows have the number of the first."""
        check_is_fitted(self)
        return self.multipliers_["row"]

    @property
    def n_parameters_(self) -> int:
        """How many numbers the answers are made of."""
        check_is_fitted(self)
        if is_plane(self.kernel_):
            return self.coef_.size + self.intercept_.size
        vectors = self.support_vectors_
        width = vectors.shape[0] * vectors.shape[1]
        return int(np.count_nonzero(self.dual_coef_)) + width + self.intercept_.size

    @abstractmethod
    def machine_coefficients(self) -> Floats:
        """What each support vector counts in each machine (s, machines)."""

    def _decisions(self, X: Any) -> Floats:
        """Σ βᵢ k(xᵢ, x) + b of each machine for the rows of X (m, machines)."""
        return np.asarray(self._answers(X, lambda chunk: self.row_decisions(rows_of(chunk))))

    def row_decisions(self, rows: Rows) -> Floats:
        """Σ βᵢ k(xᵢ, x) + b of each machine (m, machines) for rows that are not checked."""
        if is_plane(self.kernel_):
            return np.asarray(rows @ self.coef_.T) + self.intercept_
        if not rows.shape[0]:
            return np.empty((0, len(self.intercept_)))
        coefficients, vectors = self.machine_coefficients(), self.support_vectors_

        def block(start: int) -> Floats:
            some = rows[start : start + SIDE]
            if self.kernel_.precomputed:
                columns = np.empty((rows.shape[1], 0))  # the rows of the fit, of which nothing else is known
                return gram(self.kernel_, some, columns)[:, self.support_] @ coefficients
            total = np.zeros((some.shape[0], coefficients.shape[1]))
            for piece in range(0, vectors.shape[0], SIDE):
                total += self.kernel_.block(some, vectors[piece : piece + SIDE]) @ coefficients[piece : piece + SIDE]
            return total

        return np.concatenate(list(map_ordered(block, range(0, rows.shape[0], SIDE)))) + self.intercept_

    def multipliers_table(self, machine: int = 0) -> WorkTable:
        """The multipliers of a machine: of all its rows if the fit has kept them, else of its support vectors."""
        check_is_fitted(self)
        beta, cost, number = self.machine_coefficients()[:, machine], self.multipliers_["cost"], self.support_
        places, side = np.flatnonzero(beta), np.sign(beta)
        if self.examples_ is not None:
            support, number = number, self.multipliers_["example"]
            whole = np.zeros(len(number))
            whole[np.searchsorted(number, support)] = beta
            beta, cost, (places, side) = whole, self.examples_.cost, self._sides(self.examples_, whole, machine)
        rows = ((int(number[i]), int(side[i]), *_multiplier(beta[i], cost[i], self.loss)) for i in places)
        return WorkTable(("row", "y", "α", "status"), tuple(rows))

    @abstractmethod
    def _sides(self, examples: SvmExamples, beta: Floats, machine: int) -> tuple[Places, Floats]:
        """Which of all rows a machine is made of, and on which side each of the n is: ±1, or 0 on neither."""

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The answers for the first rows of X."""
        from novacula.kernel.svm.derivation.answers import derive_predictions

        first, is_cut = self._first_rows(X, options.rows)
        return derive_predictions(self, rows_of(first), is_cut, options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        """One step of the search for the multipliers of the first machine."""
        from novacula.kernel.svm.derivation.iteration import derive_pair_step

        if self.trace_ is None:
            raise ParameterError(
                f"iteration is {iteration!r}, but no step was kept: {type(self).__name__} keeps the steps of a search "
                f"for pairs of multipliers in fits of up to {FEW} rows with a kernel of columns and a finite C"
            )
        return derive_pair_step(self, self.trace_.path, iteration)

    def _check_state(self) -> None:
        """What the declaration cannot say: what the kernel decides, and which of the rows are support vectors."""
        kernel, row, d = self.kernel_, self.support_, self.n_features_in_
        require_resolved(kernel, d)
        if is_plane(kernel) != ("coef_" in vars(self)):
            raise ModelFileError("its coef_ is that of a linear kernel, and its kernel_ does not agree")
        if kernel.precomputed != (self.support_vectors_.shape == (0, 0)) or (kernel.precomputed and (row >= d).any()):
            raise ModelFileError("its support vectors are not those that its kernel_ takes")
        if (self.examples_ is None) != ("example" not in self.multipliers_):
            raise ModelFileError("its examples_ have no numbers")
        if self.examples_ is not None:
            self._check_examples(self.examples_)
        if self.trace_ is not None and (self.examples_ is None or kernel.precomputed):
            raise ModelFileError("its trace_ belongs to rows that it does not keep")

    def _check_examples(self, examples: SvmExamples) -> None:
        """Rows as the kernel takes them, in rising order of their numbers, among which are the support vectors."""
        number, n = self.multipliers_["example"], len(examples.cost)
        if not 0 < n <= FEW or not (np.diff(number) > 0).all() or not np.isin(self.support_, number).all():
            raise ModelFileError("its support vectors are not among its examples_")
        precomputed, width = self.kernel_.precomputed, examples.rows.shape[1]
        alike = precomputed or type(examples.rows) is type(self.support_vectors_)
        if not alike or width != (n if precomputed else self.n_features_in_):
            raise ModelFileError("its examples_ are rows of other columns than its kernel_ takes")


def _multiplier(beta: float, cost: float, loss: str) -> tuple[float, str]:
    """The multiplier of a coefficient, and whether it is free between its bounds."""
    alpha = abs(float(beta))
    bound = loss == "hinge" and alpha >= cost * (1.0 - AT_BOUND)
    return alpha, "at 0" if alpha == 0.0 else "at C" if bound else "free"
