"""Naive Bayes on mixed tables: columns are taken to be independent within a class.

    P(t|x) = P(t) · Π_j P(x_j|t) / Σ_t' P(t') · Π_j P(x_j|t')          P̂(x|t) = (n_xt + m·p) / (n_t + m)

One class serves all columns, each with its own distribution. The data are needed once, as counts and moments per
class, so the same model comes from memory, from files and from a cluster.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.bayes.derivation import derive_model, derive_predictions
from novacula.bayes.distributions import DISTRIBUTIONS, Group, Part, Smoothing, Words
from novacula.bayes.groups import chosen, group_columns, group_fits, kinds_asked, merge_categories
from novacula.errors import DataError, DataWarning, ParameterError
from novacula.learner.base import Classifier, count_unseen
from novacula.learner.card import Card
from novacula.learner.left_out import LeftOut
from novacula.learner.work import Work
from novacula.statistics import Bundle, ClassTotals
from novacula.table import Chunk, Schema, Table
from novacula.table.chunk import UNSEEN, Floats

LOST = -1
"""Stands for the best class of a row that is impossible in all of them."""


class NaiveBayes(Classifier):
    """Naive Bayes for mixed columns: numbers, categories, counts and text in one model.

    Parameters
    ----------
    m : float or "laplace", default=1.0
        Weight of the prior estimate in P̂(x|t) = (n_xt + m·p) / (n_t + m), in rows. 0 is maximum likelihood;
        "laplace" is the number of values, which adds one to each count.
    prior_estimate : {"uniform", "empirical"}, default="uniform"
        p: one over the number of values, or the value's share in all classes together.
    distributions : "auto", str or dict, default="auto"
        The distribution of each column within a class, by its name or position: "gaussian", "categorical", "bernoulli",
        "multinomial", "poisson" or "kernel". "auto", and columns that the dict leaves out: gaussian for numbers,
        categorical for categories, multinomial for text and sparse columns.
    class_prior : array of shape (n_classes,), default=None
        Probabilities of the classes, in their order; by default their shares of the rows.
    var_smoothing : float, default=1e-9
        Share of the largest variance of a column that is added to every variance.
    unseen : {"ignore", "error"}, default="ignore"
        What to do when a column to predict from holds a category that was not there at fit: treat it as missing, with
        a warning that says where and how many, or refuse.

    Attributes
    ----------
    classes_, class_count_, class_prior_
        The classes in order, the weight of each at fit, and its probability.
    parts_ : tuple
        What was learned, one part a distribution: `prob`, `mean` and `var`, `rate`, or `points` and `width`.
    statistic_ : Bundle
        What the rows said: counts and moments per class. `partial_fit` adds to it.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.bayes import NaiveBayes
    >>> model = NaiveBayes(m=0).fit(nv.datasets.load("play_tennis"))
    >>> import pandas as pd
    >>> day = pd.DataFrame({"Outlook": ["Sunny"], "Temperature": ["Cool"], "Humidity": ["High"], "Wind": ["Strong"]})
    >>> model.predict(day).item(), model.predict_proba(day).round(6).tolist()
    ('No', [[0.795417, 0.204583]])
    """

    card: ClassVar[Card] = Card(
        name="Naive Bayes",
        task="classification",
        summary="A class's prior times the probability of each column's value within the class, read off from counts.",
        hypothesis_space="A distribution a class and column: tables of probabilities, densities, rates.",
        inductive_bias="Columns are independent of each other once the class is known.",
        objective="Posterior probability of the class, with m-estimates of the conditional probabilities.",
        search="None: the estimates are closed formulas of counts and moments.",
        noise="Averages out in the counts; a wrong label moves an estimate by one row.",
        missing="Left out of the product, and counted out at fit.",
        takes_missing=True,
        unseen="Treated as missing with a warning, or refused (unseen='error').",
        takes=("numeric", "categorical", "text", "sparse"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        cost="One pass: n·d to fit, n·d·K to predict; K·d numbers are kept.",
        cost_exponents={"n": 1, "d": 1},
        references=(
            "Mitchell, Machine Learning (1997), section 6.9",
            "John and Langley (1995), on kernel densities",
        ),
    )
    state_types: ClassVar[tuple[type, ...]] = (Group, Words, *DISTRIBUTIONS.values())
    checks_finite: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "m": [Interval(Real, 0, None, closed="left"), StrOptions({"laplace"})],
        "prior_estimate": [StrOptions({"uniform", "empirical"})],
        "distributions": [str, Mapping],
        "class_prior": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "unseen": [StrOptions({"ignore", "error"})],
    }

    classes_: Any
    class_count_: Floats
    class_prior_: Floats
    groups_: tuple[Group, ...]
    parts_: tuple[Part, ...]
    statistic_: Bundle

    def __init__(
        self,
        m: float | str = 1.0,
        prior_estimate: str = "uniform",
        distributions: str | Mapping[Any, str] = "auto",
        class_prior: Any = None,
        var_smoothing: float = 1e-9,
        unseen: str = "ignore",
    ) -> None:
        self.m = m
        self.prior_estimate = prior_estimate
        self.distributions = distributions
        self.class_prior = class_prior
        self.var_smoothing = var_smoothing
        self.unseen = unseen

    # --- fit ---------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count once, then solve. X is an array, a frame or a `Table`; for a table y may be omitted."""
        self._validate_params()
        self._forget()
        table = self._prepared(self._ingest(X, y, sample_weight))
        self._remember(table)
        self.groups_ = group_columns(table.layout, self._distributions(table.layout), self._words())
        self.statistic_ = table.reduce(observe, len(self.classes_), self.groups_)
        return self._solve()

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what is known: the model equals that of `fit` on all rows.

        `classes` names all that will come, on the first call. New categories of a column are taken in as they come.
        """
        self._validate_params()
        first = not hasattr(self, "statistic_")
        known = classes if first else self.classes_
        table = self._prepared(self._ingest(X, y, sample_weight, first=first, classes=known), first)
        if first:
            self._remember(table)
            self.groups_ = group_columns(table.layout, self._distributions(table.layout), self._words())
            self.statistic_ = table.reduce(observe, len(self.classes_), self.groups_)
        else:
            table, self.schema_, self.groups_, grown = merge_categories(
                table, self.schema_, self.groups_, self.statistic_
            )
            self.statistic_ = grown + table.reduce(observe, len(self.classes_), self.groups_)
        return self._solve()

    def _prepared(self, table: Table, first: bool = True) -> Table:
        """The table with the columns of the kinds that `distributions` asks for."""
        types = kinds_asked(table.layout, self._distributions(table.layout))
        if first:
            self.classes_ = np.array(table.layout.target_columns[0].categories)
        return table.with_types(types) if types else table

    def _distributions(self, layout: Schema) -> dict[str, str]:
        return chosen(layout, self.distributions)

    def _words(self) -> Words:
        return Words()

    def _smoothing(self) -> Smoothing:
        return Smoothing(self.m, self.prior_estimate, self.var_smoothing)  # type: ignore[arg-type]

    def _solve(self) -> Self:
        rows, *parts = self.statistic_.parts
        self.class_count_ = rows.weight  # type: ignore[attr-defined]
        self.class_prior_ = self._class_prior()
        self.parts_ = tuple(
            DISTRIBUTIONS[group.distribution].solve(part, group, self._smoothing())
            for group, part in zip(self.groups_, parts, strict=True)
        )
        return self

    def _class_prior(self) -> Floats:
        if self.class_prior is None:
            total = self.class_count_.sum()
            if not total > 0:
                raise DataError("the weights sum to zero: no row counts")
            return self.class_count_ / total
        prior = np.asarray(self.class_prior, np.float64)
        if prior.shape != self.class_count_.shape:
            raise ParameterError(f"class_prior has {prior.size} entries for {len(self.class_count_)} classes")
        if not np.all(prior >= 0) or not np.isclose(prior.sum(), 1.0):
            raise ParameterError("class_prior must be probabilities that sum to 1")
        return prior

    def _check_state(self) -> None:
        """After loading: the parts must speak of the classes and columns that the model has."""
        fits = len(self.parts_) == len(self.groups_) and all(
            part.group == group and part.n_classes == len(self.classes_) and group_fits(group, self.schema_)
            for part, group in zip(self.parts_, self.groups_, strict=True)
        )
        if not fits or len(self.class_prior_) != len(self.classes_):
            raise ParameterError("the parts of the model do not fit its classes and columns")

    # --- predict -----------------------------------------------------------------------------------------------

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Give log P(t) + Σ_j log P(x_j|t) for each row and class."""
        return self._joint(X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Give log P(t|x) for each row and class."""
        joint = self._joint(X)
        lost = ~(joint > -np.inf).any(axis=1)
        if lost.any():
            warnings.warn(
                f"{int(lost.sum())} rows, the first of them row {int(np.argmax(lost)) + 1}, have probability 0 in "
                f"every class, so the classes' priors are given for them; m above 0 avoids this",
                DataWarning,
                stacklevel=2,
            )
            with np.errstate(divide="ignore"):
                joint[lost] = np.log(self.class_prior_)
        peak = joint.max(axis=1, keepdims=True)
        return joint - (peak + np.log(np.exp(joint - peak).sum(axis=1, keepdims=True)))

    def predict_proba(self, X: Any) -> Floats:
        """Give P(t|x) for each row and class."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Any:
        """Give the most probable class of each row; of equals the first."""
        best = self._scored(X, best_classes)[:, 0]
        if (best == LOST).any():
            best = np.argmax(self.predict_log_proba(X), axis=1)
        return self.classes_[best]

    def _joint(self, X: Any) -> Floats:
        scores: Floats = self._scored(X, joint_scores)
        return scores

    def _scored(self, X: Any, function: Callable[..., Any]) -> Any:
        """What a function makes of the scores of all rows; its last column counts unseen categories, and goes."""
        table = self._query(X, self.unseen)
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_)
        found = table.map(function, log_prior, self.parts_)
        if found[:, -1].any():
            self._report_unseen(table, table.map(count_unseen).sum(axis=0))
        return found[:, :-1]

    def left_out(self, X: Any, y: Any) -> LeftOut | None:
        """What the other rows of the fit say of each: its counts are taken off, and the estimates solved again."""
        from novacula.bayes.left_out import left_out_of_counts

        return left_out_of_counts(self, X, y)

    # --- explain -----------------------------------------------------------------------------------------------

    @property
    def theta_(self) -> Floats:
        """Means of the gaussian columns, as scikit-learn names them."""
        return self._gaussian().mean

    @property
    def var_(self) -> Floats:
        """Variances of the gaussian columns, as scikit-learn names them."""
        return self._gaussian().var

    def _gaussian(self) -> Any:
        parts = [part for part in getattr(self, "parts_", ()) if part.name == "gaussian"]
        if not parts:
            raise AttributeError(f"{type(self).__name__} has no gaussian columns")
        return parts[0]

    @property
    def n_parameters_(self) -> int:
        """Those of the distributions, and the priors of all classes but one."""
        return len(self.classes_) - 1 + sum(part.n_parameters for part in self.parts_)

    def work(self, X: Any = None) -> Work:
        """Derive the estimates, or with X the product for each row and class."""
        check_is_fitted(self)
        if X is None:
            return derive_model(self, self._smoothing())
        return derive_predictions(self, self._query(X, self.unseen), self._smoothing())


def observe(chunk: Chunk, n_classes: int, groups: tuple[Group, ...]) -> Bundle:
    """What a chunk says: the weight of each class, and of each group what its distribution needs."""
    rows = ClassTotals.observe_numeric(chunk, n_classes, ())
    return Bundle((rows, *(DISTRIBUTIONS[g.distribution].observe(chunk, g, n_classes) for g in groups)))


def joint_scores(chunk: Chunk, log_prior: Floats, parts: tuple[Part, ...]) -> Floats:
    """Joint log-probabilities of a chunk (n, K), and in one more column how many of a row's categories are unseen."""
    return np.column_stack([_scores(chunk, log_prior, parts), _count_unseen(chunk)])


def best_classes(chunk: Chunk, log_prior: Floats, parts: tuple[Part, ...]) -> Any:
    """The most probable class of each row of a chunk, or LOST, and how many of its categories are unseen: (n, 2)."""
    scores = _scores(chunk, log_prior, parts)
    best = np.argmax(scores, axis=1)
    top = scores[np.arange(len(best)), best]
    return np.column_stack([np.where(top > -np.inf, best, LOST), _count_unseen(chunk)])


def _scores(chunk: Chunk, log_prior: Floats, parts: tuple[Part, ...]) -> Floats:
    scores = np.tile(log_prior, (len(chunk), 1))
    for part in parts:
        part.score(chunk, scores)
    return scores


def _count_unseen(chunk: Chunk) -> Any:
    return (chunk.codes == UNSEEN).sum(axis=1)
