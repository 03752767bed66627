"""Support vector regression: a function that may be up to ε away from the targets free of charge.

    minimise ½‖w‖² + C Σ max(0, |t − f(x)| − ε)                 f(x) = Σ βᵢ k(xᵢ, x) + b,  βᵢ = αᵢ − αᵢ*,  |βᵢ| ≤ C

Rows within the tube have β = 0; the others are the support vectors.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from novacula.errors import ModelFileError
from novacula.kernel.svc import SVC
from novacula.kernel.svm.base import SupportVectorMachine
from novacula.kernel.svm.dual import Places
from novacula.kernel.svm.examples import SvmExamples
from novacula.kernel.svm.machine import follow
from novacula.learner import ingest
from novacula.learner.base import Regressor
from novacula.learner.card import Admits, Card
from novacula.learner.constructor import with_parameters_of
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, floats, optional, whole, wholes
from novacula.table import Table
from novacula.table.chunk import Floats


class SVR(Regressor, SupportVectorMachine):
    """A support vector machine for numbers.

    Parameters
    ----------
    C : float, default=1.0
        The price of a row's loss, finite; it is multiplied by the row's weight.
    kernel : Kernel or str, default="rbf"
        A kernel, or a word for one: "rbf" is Gaussian(gamma="scale"), "linear", "poly" and "precomputed" as in
        scikit-learn. A function of your own goes into `Custom`.
    epsilon : float, default=0.1
        Half the width of the tube in which a distance costs nothing, in units of the target.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The distance beyond ε, or its square.
    tol, cache_size, max_iter, time_budget, solver, verbose, random_state
        As in `SVC`.

    Attributes
    ----------
    support_, support_vectors_, n_support_
        Numbers, rows and count of the support vectors. Equal rows of equal targets are one row with the weight of
        all, under the number of the first.
    dual_coef_, intercept_ , coef_
        βᵢ, b and for the linear kernel w, laid out as in scikit-learn.
    kernel_, margin_, dual_objective_, n_iter_, history_, kkt_violation_, converged_, trace_
        As in `SVC`; there is one machine.

    Examples
    --------
    >>> import numpy as np
    >>> from novacula.kernel import SVR
    >>> x, t = np.arange(5.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    >>> model = SVR(C=10, kernel="linear", epsilon=0.5).fit(x, t)
    >>> model.coef_.round(3).tolist(), model.intercept_.round(3).tolist(), model.support_.tolist()
    ([[0.75]], [0.5], [0, 4])
    """

    card: ClassVar[Card] = replace(
        SVC.card,
        name="Support vector regression",
        task="regression",
        summary="A smooth function that leaves no target further away than ε without a price.",
        hypothesis_space="Σ βᵢ k(xᵢ, x) + b over the rows of the fit.",
        inductive_bias="Small ‖w‖: smooth functions as the kernel has them.",
        objective="½‖w‖² + C Σ max(0, |t − f(x)| − ε), or with the squares of these losses.",
        noise="Errors below ε are free, larger ones cost in proportion: outliers pull no harder than others.",
        admits=Admits(),
        sizes=lambda extent: tuple(extent.target_spread * c for c in (0.1, 1.0, 10.0, 100.0)),
        references=("Drucker and others, Support vector regression machines (1997)",),
    )
    state: ClassVar[State] = {
        "intercept_": floats(1),
        "dual_coef_": floats(1, "supports"),
        "margin_": floats(1, least=0.0, finite=False),
        "dual_objective_": floats(1),
        "coef_": optional(floats(1, "numbers")),
        "n_support_": wholes(1),
        "n_iter_": whole(),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SupportVectorMachine._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],  # no hard margin: there may be no function within the tube
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    n_support_: Any
    n_iter_: int

    @with_parameters_of(SupportVectorMachine)
    def __init__(self, C: float = 1.0, kernel: Any = "rbf", epsilon: float = 0.1, **machine: Any) -> None:
        super().__init__(C, kernel, **machine)
        self.epsilon = epsilon

    def _learn(self, table: Table) -> None:
        """Find the function."""
        ingest.require_one_number(table, "SVR")
        sample = self._sample(table)
        cost = float(self.C) * sample.weight
        machine = follow(sample.rows, sample.target, cost, float(self.epsilon), self._settings())
        self._report([machine], ["SVR"])
        supports = np.flatnonzero(machine.beta)
        supports = supports[np.argsort(sample.place[supports])]
        self._keep(sample, supports, cost, machine.beta[None, supports], [machine])
        self._keep_path(machine, sample.place)
        self.n_support_, self.n_iter_ = np.array([len(supports)]), machine.run.n_iter

    def machine_coefficients(self) -> Floats:
        """βᵢ of each support vector (s, 1)."""
        return np.asarray(self.dual_coef_.T)

    def _sides(self, examples: SvmExamples, beta: Floats, machine: int) -> tuple[Places, Floats]:
        return np.arange(len(beta)), np.sign(beta)

    def predict(self, X: Any) -> Floats:
        """f(x) of each row."""
        return self._decisions(X)[:, 0]

    def _derive(self, options: WorkOptions) -> Work:
        from novacula.kernel.svm.derivation.machine import derive_svr

        return derive_svr(self, options)

    def _check_state(self) -> None:
        super()._check_state()
        if self.n_support_[0] != self.dual_coef_.shape[1]:
            raise ModelFileError("its n_support_ is not the number of its support vectors")
        if self.examples_ is not None and self.examples_.target.dtype != np.float64:
            raise ModelFileError("its examples_ have classes where numbers should be")
