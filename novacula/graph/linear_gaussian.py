"""A continuous node given its continuous parents: y = Σ θⱼxⱼ + θ₀ + noise, fitted by maximum likelihood.

    p(y | x) = N(y; θ₀ + Σ θⱼxⱼ, σ²)        log L = −n/2 · log 2πσ² − Σ (y − ŷ)² / 2σ²

Whatever σ is, the likelihood is largest where Σ (y − ŷ)² is smallest: the line of maximum likelihood is that of
least squares, and then σ² = Σ (y − ŷ)² / n. With the mean and covariance of the parents, parents and node are
jointly normal, so either can be inferred from the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from novacula.errors import ModelFileError, SchemaError
from novacula.graph.families import LOG_2PI
from novacula.graph.inference.normal import NormalMixture
from novacula.learner.card import Card
from novacula.learner.in_our_words import in_our_words
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.linear.least_squares import LinearRegression
from novacula.linear.problem import LeastSquaresProblem
from novacula.linear.rows import weighted_sums
from novacula.linear.solve import LeastSquaresSolution
from novacula.mathematics import Equation
from novacula.state import State, floats
from novacula.table import Table
from novacula.table.chunk import Chunk, Floats

SHOWN = 8
"""Variables up to which the joint covariance is shown."""
LIKELIHOOD = Equation("log(L)", "-n / 2 * log(2 * π * σ**2) - sum((y[i] - ŷ[i])**2 for i in _) / (2 * σ**2)")
"""Whatever the noise is, it is largest where the squares are least."""


class LinearGaussian(LinearRegression):
    """A linear Gaussian node: the columns are its parents, the target is the node.

    Fitted: `coef_` and `intercept_`, the line; `sigma_`, the standard deviation of the noise, by maximum
    likelihood; `mean_` and `covariance_` of the parents and the node, in that order; and what
    `LinearRegression` has. Weights are repetitions.

    >>> import pandas as pd
    >>> x, y = pd.DataFrame({"x": [1, 3, 2, 1.5, 4]}), [1, 2.2, 2, 1.9, 3.1]
    >>> model = LinearGaussian().fit(x, y)
    >>> print(f"{model.coef_[0]:.4f} x + {model.intercept_:.4f}, variance {model.sigma_ ** 2:.4f}")
    0.5845 x + 0.6957, variance 0.0541
    >>> back = model.condition({"y": 2.0})
    >>> print(f"{back.variables[0]} given y = 2: mean {back.mean[0]:.4f}, variance {back.cov[0, 0]:.4f}")
    x given y = 2: mean 2.2398, variance 0.1394
    """

    card: ClassVar[Card] = Card(
        name="Linear Gaussian",
        task="regression",
        summary="A node that is a weighted sum of its parents plus normal noise, jointly normal with them.",
        hypothesis_space="p(y | x) = N(y; θ₀ + Σ θⱼxⱼ, σ²), for all real θ and σ > 0.",
        inductive_bias="The mean is linear in the parents, and the noise is the same everywhere.",
        objective="The likelihood, largest where Σ (y − ŷ)² is smallest.",
        search="Exact: the normal equations of least squares, then σ² = Σ (y − ŷ)² / n.",
        noise="Normal, of one variance; a single outlier can move the line far.",
        missing="Not taken: a missing or infinite value raises, with its column.",
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric",),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="High: one weight for each parent, and a variance.",
        answer_cost="d for each row.",
        cost="One pass of n·d² and d³ to solve, in memory for d² numbers.",
        cost_exponents={"n": 1, "d": 2},
        references=("R. Shachter and C. Kenley, Gaussian influence diagrams, Management Science 35, 1989",),
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    fit_intercept = True
    state: ClassVar[State] = {
        "mean_": floats("numeric+1"),  # of the parents and the node
        "covariance_": floats("numeric+1", "numeric+1"),
    }

    mean_: Floats
    covariance_: Floats

    def __init__(self) -> None:
        """There is nothing to choose."""

    def _ingest(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Table:
        if y is not None and not isinstance(y, str):
            with in_our_words():
                y = column_or_1d(y, warn=True)
        table = super()._ingest(X, y, sample_weight, **how)
        if len(table.layout.target) != 1:
            raise SchemaError(
                f"LinearGaussian is one node, and the table has {len(table.layout.target)} targets: name one"
            )
        return table

    def _keep(self, problem: LeastSquaresProblem, solution: LeastSquaresSolution) -> None:
        super()._keep(problem, solution)
        self.mean_ = problem.columns.centre.copy()
        if problem.moments is not None:
            self.covariance_ = problem.moments.scatter / problem.moments.weight
        else:  # fewer rows than columns
            rows = np.hstack(problem.factor())
            self.covariance_ = rows.T @ rows / problem.columns.weight

    def _check_state(self) -> None:
        super()._check_state()
        if self.coef_.ndim != 1:
            raise ModelFileError("its coef_ is of several targets, and it is one node")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of the node for each row; with `return_std` also its standard deviation, which is σ."""
        mean = super().predict(X)
        return (mean, np.full(len(mean), self.sigma_)) if return_std else mean

    def log_likelihood(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Σ log p(y | x) over rows; a `Table` brings its own target, or y names it."""
        check_is_fitted(self)
        table = self._ingest(X, y, sample_weight, first=False)
        squares, weight = table.map(squared_errors, self.coef_, self.intercept_).sum(axis=0).tolist()
        if self.sigma_ == 0.0:  # a point, whose density is infinite there and zero elsewhere
            return math.inf if squares == 0.0 else -math.inf
        return -0.5 * (weight * (LOG_2PI + 2.0 * math.log(self.sigma_)) + squares / self.sigma_**2)

    def joint(self) -> NormalMixture:
        """The normal density of the parents and the node together."""
        check_is_fitted(self)
        return NormalMixture(self._names(), np.ones(1), self.mean_[None], self.covariance_[None])

    def condition(self, on: Mapping[str, float]) -> NormalMixture:
        """The other variables given the values of some: the node given parents, or parents given the node."""
        return self.joint().condition(on)

    def _names(self) -> tuple[str, ...]:
        return (*self.schema_.column_names(), *self.target_names_)

    def _derive(self, options: WorkOptions) -> Work:
        line = super()._derive(options)
        title = f"Linear Gaussian for {self.target_names_[0]}"
        start = Step("The line of maximum likelihood is that of least squares", LIKELIHOOD)
        return Work(title, [start, *line, *joint_steps(self, self._names())], line.notes)


def squared_errors(chunk: Chunk, coef: Floats, intercept: float) -> Floats:
    """Σ w (y − ŷ)² and Σ w of a chunk, as one row."""
    errors = np.asarray(chunk.target).ravel() - weighted_sums(chunk, coef, intercept)
    return np.array([[chunk.weight @ errors**2, chunk.weight.sum()]])


def joint_steps(model: LinearGaussian, names: Sequence[str]) -> Iterator[Step]:
    """The joint density of parents and node, and how the node's variance is made of its parts."""
    d = model.n_features_in_
    if d < SHOWN:
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (name, float(model.mean_[i]), *model.covariance_[i].tolist()) for i, name in enumerate(names)
        )
        yield Step("Parents and node together are normal", table=WorkTable(("", "mean", *names), rows))
    values = {"w[j]": model.coef_, "c[j]": model.covariance_[:d, d], "σ": model.sigma_}
    where = {"c[j]": "the covariance of parent j and the node", "σ": "the deviation of the noise"}
    of = ("covariance_", d, d)
    variance = Equation("Var(y)", "sum(w[j] * c[j] for j in _) + σ**2", values, of, where)
    yield Step("The variance of the node: what the parents bring, and the noise", variance)
