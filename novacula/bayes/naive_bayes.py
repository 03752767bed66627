"""Naive Bayes on mixed tables: columns are taken to be independent within a class.

    P(t|x) = P(t) · Π_j P(x_j|t) / Σ_t' P(t') · Π_j P(x_j|t')          P̂(x|t) = (n_xt + m·p) / (n_t + m)

One class serves all columns, each with its own distribution. The data are needed once, as counts and moments per
class, so the same model comes from memory, from files and from a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.arguments import as_numbers
from novacula.bayes.derivation.naive_bayes import derive_answers, derive_model
from novacula.bayes.distributions import DISTRIBUTIONS, DistributionPart, Group, Smoothing, Tokenization
from novacula.bayes.distributions.prior_estimate import refuse_strange_estimates
from novacula.bayes.groups import distributions_by_column, group_columns, groups_fit, kinds_needed, merge_categories
from novacula.errors import DataWarning, ModelFileError, ParameterError, warn_user
from novacula.learner.base import Classifier
from novacula.learner.card import Admits, Card
from novacula.learner.left_out import LeftOut
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, any_record, each, floats, probabilities, record
from novacula.statistics import Bundle, ClassTotals
from novacula.table import Chunk, Schema, Table
from novacula.table.admission import propagating
from novacula.table.answering import unbounded
from novacula.table.chunk import Floats

LOST = -1
"""Stands for the best class of a row that is impossible in all of them."""


class NaiveBayes(Classifier):
    """Naive Bayes for mixed columns: numbers, categories, counts and text in one model.

    Parameters
    ----------
    m : float or "laplace", default=1.0
        Weight of the prior estimate in P̂(x|t) = (n_xt + m·p) / (n_t + m), in rows. 0 is maximum likelihood;
        "laplace" is the number of values, which adds one to each count.
    prior_estimate : {"uniform", "empirical"}, float or dict, default="uniform"
        p: one over the number of values, or the value's share in all classes together. A number is the p of every
        category, and of every entry that may be there or not. A dict gives columns of categories their own: a number,
        or a table {value: p}; those that it leaves out are uniform.
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
        What was learned, one part per distribution: `prob`, `mean` and `var`, `rate`, or `points` and `width`.
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
        hypothesis_space="A distribution per class and column: tables of probabilities, densities, rates.",
        inductive_bias="Columns are independent of each other once the class is known.",
        objective="Posterior probability of the class, with m-estimates of the conditional probabilities.",
        search="None: the estimates are closed formulas of counts and moments.",
        noise="Averages out in the counts; a wrong label moves an estimate by one row.",
        missing="Left out of the product, and counted out at fit.",
        admits=Admits(missing=True),
        unseen="Treated as missing with a warning, or refused (unseen='error').",
        takes=("numeric", "categorical", "text", "sparse"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="High: each column adds its own logarithm, so an answer is a sum that can be read.",
        answer_cost="d·K for each row.",
        cost="One pass: n·d to fit, n·d·K to predict; K·d numbers are kept.",
        cost_exponents={"n": 1, "d": 1},
        references=(
            "Mitchell, Machine Learning (1997), section 6.9",
            "John and Langley (1995), on kernel densities",
        ),
    )
    notations: ClassVar[Mapping[str, Mapping[str, str]]] = {"mitchell": {"t̂": "v_NB"}}
    state_types: ClassVar[tuple[type, ...]] = (Group, Tokenization, *DISTRIBUTIONS.values())
    state: ClassVar[State] = {
        "class_count_": floats("classes", least=0.0),
        "class_prior_": probabilities("classes"),
        "groups_": each(record(Group), "groups"),
        "parts_": each(any_record(DistributionPart, classes="classes"), "groups"),
        "statistic_": record(Bundle),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "m": [Interval(Real, 0, None, closed="left"), StrOptions({"laplace"})],
        "prior_estimate": [StrOptions({"uniform", "empirical"}), Interval(Real, 0, 1, closed="both"), Mapping],
        "distributions": [str, Mapping],
        "class_prior": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "unseen": [StrOptions({"ignore", "error"})],
    }

    classes_: Any
    class_count_: Floats
    class_prior_: Floats
    groups_: tuple[Group, ...]
    parts_: tuple[DistributionPart, ...]
    statistic_: Bundle

    def __init__(
        self,
        m: float | str = 1.0,
        prior_estimate: str | float | Mapping[str, Any] = "uniform",
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

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what is known: the model equals that of `fit` on all rows.

        `classes` names all that will come, on the first call. New categories of a column are taken in as they come.
        """
        return self._fit_more(X, y, sample_weight, classes)

    def _ingest(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Table:
        """Rows with the columns of the kinds that `distributions` asks for."""
        table = super()._ingest(X, y, sample_weight, **how)
        types = kinds_needed(table.layout, self._distributions(table.layout))
        return table.with_types(types) if types else table

    def _learn(self, table: Table) -> None:
        """Count once, then solve."""
        self.groups_ = group_columns(table.layout, self._distributions(table.layout), self._words())
        columns = [name for group in self.groups_ if group.distribution == "categorical" for name in group.names]
        refuse_strange_estimates(self.prior_estimate, columns)
        self.statistic_ = self._statistic_of(table)
        self._solve()

    def _learn_more(self, table: Table, first: bool) -> None:
        if first:
            return self._learn(table)
        table, schema, groups, before = merge_categories(table, self.schema_, self.groups_, self.statistic_)
        statistic = before + self._statistic_of(table, groups)
        self.schema_, self.groups_, self.statistic_ = schema, groups, statistic
        return self._solve()

    def _statistic_of(self, table: Table, groups: tuple[Group, ...] | None = None) -> Bundle:
        groups = self.groups_ if groups is None else groups
        return table.reduce(observe_propagating if propagates_infinity(groups) else observe, len(self.classes_), groups)

    def _distributions(self, layout: Schema) -> dict[str, str]:
        return distributions_by_column(layout, self.distributions)

    def _words(self) -> Tokenization:
        return Tokenization()

    def _smoothing(self) -> Smoothing:
        return Smoothing(self.m, self.prior_estimate, self.var_smoothing)  # type: ignore[arg-type]

    def _solve(self) -> None:
        self.class_count_ = self.statistic_.parts[0].weight  # type: ignore[attr-defined]
        self.class_prior_, self.parts_ = self.estimates(self.statistic_)

    def estimates(self, statistic: Bundle) -> tuple[Floats, tuple[DistributionPart, ...]]:
        """The classes' priors and the parts that follow from a statistic of the fitted columns."""
        totals, *parts = statistic.parts
        return self._prior(totals.weight), tuple(  # type: ignore[attr-defined]
            DISTRIBUTIONS[group.distribution].solve(part, group, self._smoothing())
            for group, part in zip(self.groups_, parts, strict=True)
        )

    def _prior(self, class_count: Floats) -> Floats:
        if self.class_prior is None:
            return class_count / class_count.sum()
        prior = as_numbers(self.class_prior, "class_prior")
        if prior.shape != class_count.shape:
            raise ParameterError(f"class_prior has {prior.size} entries for {len(class_count)} classes")
        if not np.all(prior >= 0) or not np.isclose(prior.sum(), 1.0):
            raise ParameterError("class_prior must be probabilities that sum to 1")
        return prior / prior.sum()

    def _check_state(self) -> None:
        """After loading: groups must share the columns, and each have its part and its sums."""
        if not groups_fit(tuple(self.groups_), self.schema_):
            raise ModelFileError("its groups_ do not share the columns of its schema among them")
        rows, *statistics = self.statistic_.parts or (None,)
        counted = isinstance(rows, ClassTotals) and np.array_equal(rows.weight, self.class_count_)
        if not counted or len(statistics) != len(self.groups_):
            raise ModelFileError("its statistic_ does not hold the weights of its classes and sums for each group")
        for group, part, statistic in zip(self.groups_, self.parts_, statistics, strict=True):
            if type(part) is not DISTRIBUTIONS[group.distribution] or part.group != group or not part.fits(statistic):
                raise ModelFileError(f"its {group.distribution} part and its sums do not fit their columns")

    # --- predict -----------------------------------------------------------------------------------------------

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Give log P(t) + Σ_j log P(x_j|t) for each row and class."""
        return self._joint(X)

    def predict_log_proba(self, X: Any) -> Floats:
        """Give log P(t|x) for each row and class."""
        joint = self._joint(X)
        lost = ~(joint > -np.inf).any(axis=1)
        if lost.any():
            warn_user(
                f"{int(lost.sum())} rows, the first of them row {int(np.argmax(lost)) + 1}, have probability 0 in "
                f"every class, so the classes' priors are given for them; m above 0 avoids this",
                DataWarning,
            )
            with np.errstate(divide="ignore"):
                joint[lost] = np.log(self.class_prior_)
        below = joint - joint.max(axis=1, keepdims=True)  # first, or the logarithm of the sum is lost in large numbers
        return np.asarray(below - np.log(np.exp(below).sum(axis=1, keepdims=True)))

    def predict_proba(self, X: Any) -> Floats:
        """Give P(t|x) for each row and class."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Any:
        """Give the most probable class of each row; ties go to the first."""
        best = self._of_scores(X, best_classes)
        if (best == LOST).any():
            best = np.argmax(self.predict_log_proba(X), axis=1)
        return self.classes_[best]

    def _joint(self, X: Any) -> Floats:
        scores: Floats = self._of_scores(X, joint_scores)
        return scores

    def _of_scores(self, X: Any, function: Callable[..., Any]) -> Any:
        """What a function makes of the scores of all rows."""
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_)
        propagates = propagates_infinity(self.groups_)
        return self._answers(X, function, log_prior, self.parts_, unseen=self.unseen, propagates=propagates)

    def left_out(self, X: Any, y: Any) -> LeftOut | None:
        """What the other rows of the fit say of each: its counts are taken off, and the estimates solved again."""
        from novacula.bayes.left_out import left_out_of_counts

        return left_out_of_counts(self, self._query(X, self.unseen), y)

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

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the estimates."""
        return derive_model(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the product for each row and class."""
        chunk, is_cut = self._first_rows(X, options.rows, self.unseen)
        with np.errstate(divide="ignore"):
            joint = joint_scores(chunk, np.log(self.class_prior_), self.parts_)
        return derive_answers(self, chunk, joint, is_cut, options)


def observe(chunk: Chunk, n_classes: int, groups: tuple[Group, ...]) -> Bundle:
    """What a chunk says: the weight of each class, and of each group what its distribution needs."""
    rows = ClassTotals.observe_numeric(chunk, n_classes, ())
    return Bundle((rows, *(DISTRIBUTIONS[g.distribution].observe(chunk, g, n_classes) for g in groups)))


@propagating("infinite")
def observe_propagating(chunk: Chunk, n_classes: int, groups: tuple[Group, ...]) -> Bundle:
    """The same for groups whose sums show an infinite value."""
    return observe(chunk, n_classes, groups)


def propagates_infinity(groups: tuple[Group, ...]) -> bool:
    """Whether an infinite value makes sums and scores infinite; a column of present or absent takes it as present."""
    return not any(group.distribution == "bernoulli" and group.kind != "text" for group in groups)


@unbounded
def joint_scores(chunk: Chunk, log_prior: Floats, parts: tuple[DistributionPart, ...]) -> Floats:
    """Joint log-probabilities of a chunk (n, K)."""
    scores = np.tile(log_prior, (len(chunk), 1))
    for part in parts:
        part.score(chunk, scores)
    return scores


def best_classes(chunk: Chunk, log_prior: Floats, parts: tuple[DistributionPart, ...]) -> Any:
    """The most probable class of each row of a chunk, or LOST (n,)."""
    scores = joint_scores(chunk, log_prior, parts)
    best = np.argmax(scores, axis=1)
    top = scores[np.arange(len(best)), best]
    return np.where(top > -np.inf, best, LOST)
