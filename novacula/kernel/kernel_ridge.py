"""Kernel ridge regression: ridge regression on the features of a kernel, without ever making them.

    minimise Σ wᵢ(yᵢ − f(xᵢ))² + λ‖f‖²        f(x) = Σ aᵢ k(x, xᵢ),  (K + λW⁻¹) a = y

It is `Ridge` without an intercept in the space of features, and the mean of a Gaussian process whose noise is λ.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, ModelFileError
from novacula.kernel.algebra import Kernel, as_kernel
from novacula.kernel.process.derivation.ridge import derive_ridge, derive_sums
from novacula.kernel.process.dual_ridge import leave_out, solve_dual
from novacula.kernel.process.kept_rows import TARGETS, KeepsRows, kept
from novacula.learner.base import Regressor
from novacula.learner.card import Card
from novacula.learner.left_out import LeftOut
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.linear.penalties import one_per_target
from novacula.state import State, floats
from novacula.table import Table
from novacula.table.chunk import Floats


class KernelRidge(Regressor, KeepsRows):
    """Ridge regression in the space of a kernel's features.

    Parameters
    ----------
    alpha : float or array (k,), default=1.0
        λ, the price of ‖f‖²: a number, or one per target. With 0 the function passes through every target if it can.
    kernel : Kernel or str, default="linear"
        The kernel: any expression, or a word such as "rbf", which is Gaussian("scale").

    There is no intercept, as in scikit-learn: add one to the kernel (`kernel + c`, where c is how far the intercept may
    go, squared), or centre the targets. Weights are repetitions.

    Attributes
    ----------
    dual_coef_ : array (n,) or (n, k)
        a, one number for each row that has weight.
    kernel_ : Kernel
        The kernel with all its parameters.
    examples_ : dict
        The rows, weights, targets and coefficients.

    Examples
    --------
    >>> from novacula.kernel import KernelRidge, Polynomial
    >>> x, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]
    >>> KernelRidge(alpha=0.1, kernel=Polynomial(degree=2)).fit(x, y).predict([[4.0]]).round(4).tolist()
    [15.8895]
    """

    card: ClassVar[Card] = Card(
        name="Kernel ridge regression",
        task="regression",
        summary="A smooth function through the data, linear in the features of a kernel, held small by a penalty.",
        hypothesis_space="f(x) = Σ aᵢ k(x, xᵢ): the functions that are linear in the kernel's features.",
        inductive_bias="Functions of small norm ‖f‖, which the kernel defines; the units of columns matter.",
        objective="Σ (y − f(x))² + λ‖f‖².",
        search="None: (K + λI) a = y by Cholesky, by eigenvalues where that is singular.",
        noise="Normal errors of one variance in the target; the penalty does not help against outliers.",
        missing="Not taken: a missing or infinite value raises, with its column and row.",
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric", "sparse"),
        scales=("memory",),
        uses="arrays",
        interpretability="Low: an answer is a sum over all rows.",
        answer_cost="n·d for each row.",
        cost="n²·d and n³ to fit, in memory for two n × n matrices; n·d for each prediction. Sensible up to 20,000 "
        "rows; beyond, Nystroem and Ridge.",
        cost_exponents={"n": 3, "d": 1},
        needs=("scaled",),
        size="alpha",
        in_studies=False,  # GaussianProcessRegressor has the same means, and chooses the price itself
        references=(
            "C. Saunders, A. Gammerman and V. Vovk, Ridge regression learning algorithm in dual variables, 1998",
        ),
    )
    state: ClassVar[State] = kept(TARGETS, dual=floats("examples", "coefficients"))
    matrices: ClassVar[int] = 2
    largest: ClassVar[int] = 20_000
    instead: ClassVar[str] = "fit a sample of the rows, or make_pipeline(Nystroem(kernel), Ridge())"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "kernel": [Kernel, str],
    }

    def __init__(self, alpha: Any = 1.0, kernel: Kernel | str = "linear") -> None:
        self.alpha = alpha
        self.kernel = kernel

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _learn(self, table: Table) -> None:
        """Solve for the rows with their targets."""
        self._keep(table, as_kernel(self.kernel))
        targets, prices = self._targets, self._prices()
        dual = np.empty_like(targets)
        for price in np.unique(prices):
            same = prices == price
            dual[:, same] = solve_dual(
                self._gram(), self.examples_["weight"], float(price), targets[:, same], type(self).__name__
            )
        if not np.isfinite(dual).all():
            raise DataError("the target is so large that the weights of rows overflow: divide it by some unit")
        self.examples_["dual"] = dual

    def _prices(self) -> Floats:
        return one_per_target(self.alpha, self._targets.shape[1])

    def _check_state(self) -> None:
        super()._check_state()
        if self.examples_["dual"].shape != self._targets.shape:
            raise ModelFileError("its coefficients are not one for each row and target")

    @property
    def dual_coef_(self) -> Floats:
        """a, one number for each row that has weight."""
        check_is_fitted(self)
        return self._shaped(self.examples_["dual"])

    def predict(self, X: Any) -> Floats:
        """Σ aᵢ k(x, xᵢ) of each row."""
        check_is_fitted(self)
        rows, dual = self.examples_["rows"], self.examples_["dual"]
        return self._shaped(self._row_answers(X, lambda queries: self.kernel_.block(queries, rows) @ dual))

    def leave_one_out(self) -> Floats:
        """What the others say of each row that has weight; of a row of weight 2 one repetition is left out."""
        check_is_fitted(self)
        targets, prices, weight = self._targets, self._prices(), self.examples_["weight"]
        if len(weight) < 2 and not (weight > 1.0).all():
            raise DataError("there is one row, and none is left to predict it: give more rows")
        predictions = np.empty_like(targets)
        for price in np.unique(prices):
            same = prices == price
            predictions[:, same] = leave_out(self._gram(), weight, float(price), targets[:, same])
        return self._shaped(predictions)

    def left_out(self, X: Any, y: Any) -> LeftOut | None:
        """What the other rows of the fit say of each, if no row changes the kernel and none decides its own answer."""
        if not self._kernel_stays():
            return None
        try:
            answers = self.leave_one_out()
        except DataError:  # the matrix is singular
            return None
        return LeftOut(answers, np.ones(len(answers), bool), "inverse of the kernel matrix")

    def _derive(self, options: WorkOptions) -> Work:
        """The coefficients."""
        return derive_ridge(self, float(self._prices()[0]), options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The predictions of the first rows of X."""
        return derive_sums(self, *self._first_query_rows(X, options.rows))
