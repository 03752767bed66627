"""What classifiers by a posterior share: hypotheses that label rows, and P(h | D) of each.

    P(h | D) ∝ P(h) · Π P(tᵢ | xᵢ, h)

The hypotheses are fitted on the rows and weighed on the same rows, or come with a `Posterior` of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from novacula.bayes.derivation.posterior import bayes_steps
from novacula.bayes.hypotheses import LabelledRows, hypotheses_by_name
from novacula.bayes.naive_bayes import NaiveBayes
from novacula.bayes.posterior import Posterior
from novacula.bayes.probabilities import refuse_doubled
from novacula.errors import InputTypeError, ModelFileError, ParameterError
from novacula.learner import ingest
from novacula.learner.base import Classifier, Learner
from novacula.learner.card import Admits
from novacula.learner.parameter_count import n_parameters
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, each, floats, instance, label, probabilities
from novacula.table import Schema, Table
from novacula.table.chunk import Floats
from novacula.words import quoted

PRIOR_WEIGHTS = (0.25, 1.0, 4.0, 16.0)
"""m of the naive Bayes models that are the hypotheses where none are given."""


class PosteriorClassifier(Classifier):
    """The base of `BayesOptimalClassifier` and `GibbsClassifier`, which differ in how they ask the hypotheses."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimators": ["array-like", Mapping, Posterior, None],
        "prior": ["array-like", Mapping, None],
    }

    state: ClassVar[State] = {
        "hypothesis_names_": each(label(), "hypotheses"),
        "hypotheses_": each(instance(Classifier), "hypotheses"),
        "prior_": probabilities("hypotheses"),
        "log_likelihood_": floats("hypotheses", finite=False),  # −∞ of a hypothesis that the rows rule out
    }

    estimators: Any
    prior: Any
    hypothesis_names_: tuple[Any, ...]
    hypotheses_: tuple[Any, ...]
    prior_: Floats
    log_likelihood_: Floats

    def fit(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the hypotheses and weigh them; a `Posterior` is updated with the rows, or taken as it is without any."""
        if X is not None or not isinstance(self.estimators, Posterior):
            return self._fit(X, y, sample_weight, rows=X)
        self._validate_params()
        self._forget()
        self._keep(self._checked_posterior(self.estimators))
        return self

    def _learn(self, table: Table, rows: Any) -> None:
        """Fit and weigh on `rows` as they were passed, since a hypothesis may be of another library."""
        labels = ingest.target_values(table)
        source: Any = table.source
        rows, weight = (table, ingest.weight_values(table)) if isinstance(rows, Table) else (rows, source.weight)
        if weight is not None and not weight.all():  # hypotheses need not know that such rows may hold anything
            rows_that_count = np.flatnonzero(weight)
            rows = rows.take(rows_that_count) if isinstance(rows, Table) else _safe_indexing(rows, rows_that_count)
            labels, weight = labels[rows_that_count], weight[rows_that_count]
        if isinstance(self.estimators, Posterior):
            posterior = self._checked_posterior(self.estimators)
        else:
            posterior = Posterior(self._fitted(rows, labels, weight), self.prior)
        self._keep(posterior.update((rows, labels), weight))

    @property
    def _admits(self) -> Admits:
        """What the hypotheses refuse they refuse themselves: other ones than naive Bayes may take infinite values."""
        return replace(self.card.admits, infinite=True)

    def _checked_posterior(self, posterior: Posterior) -> Posterior:
        if self.prior is not None:
            raise ParameterError("a Posterior has a prior of its own; leave prior out")
        if not isinstance(getattr(posterior, "voice", None), LabelledRows):
            raise ParameterError(
                "the hypotheses of this Posterior label no rows one by one: give fitted classifiers or conjunctions "
                "(for a whole ConjunctiveSpace, CandidateElimination is the Bayes-optimal classifier)"
            )
        return posterior

    def _fitted(self, X: Any, labels: Any, weight: Any) -> dict[Any, Any]:
        """Copies of the estimators, by name, fitted on the rows."""
        return {
            name: fitted(estimator, name, X, labels, weight) for name, estimator in self._estimators_by_name().items()
        }

    def _estimators_by_name(self) -> dict[Any, Any]:
        if self.estimators is None:
            return {f"naive Bayes, m = {m:g}": NaiveBayes(m=m) for m in PRIOR_WEIGHTS}
        if not isinstance(self.estimators, Mapping) and all(map(is_pair, self.estimators)):
            refuse_doubled([name for name, _ in self.estimators], "hypotheses")
            return hypotheses_by_name(dict(self.estimators))
        return hypotheses_by_name(self.estimators)

    def _keep(self, posterior: Posterior) -> None:
        self.classes_ = LabelledRows(posterior.hypotheses).classes
        self.hypothesis_names_ = posterior.names
        self.hypotheses_ = tuple(posterior.hypotheses.values())
        self.prior_, self.log_likelihood_ = posterior.prior, posterior.log_likelihood

    @property
    def posterior_(self) -> Posterior:
        """P(h | D), with the hypotheses."""
        check_is_fitted(self)
        hypotheses = dict(zip(self.hypothesis_names_, self.hypotheses_, strict=True))
        likelihoods = dict(zip(self.hypothesis_names_, self.log_likelihood_.tolist(), strict=True))
        return Posterior.of_likelihoods(hypotheses, self.prior_, likelihoods)

    @property
    def n_parameters_(self) -> int:
        """Those of every hypothesis, and the probabilities of all hypotheses but one."""
        return len(self.hypotheses_) - 1 + sum(map(n_parameters, self.hypotheses_))

    @property
    def _voice(self) -> LabelledRows:
        check_is_fitted(self)
        return LabelledRows(dict(zip(self.hypothesis_names_, self.hypotheses_, strict=True)))

    def _check_state(self) -> None:
        """After loading: hypotheses must be fitted on these columns and classes, and have a posterior."""
        if len(set(self.hypothesis_names_)) != len(self.hypothesis_names_):
            raise ModelFileError("its hypothesis_names_ name one hypothesis twice")
        for name, hypothesis in zip(self.hypothesis_names_, self.hypotheses_, strict=True):
            if not is_fitted_like(hypothesis, self.schema_, self.classes_):
                raise ModelFileError(f"its hypothesis {quoted(name)} has other columns or classes, or no probabilities")
        try:
            self.posterior_.log_weights  # noqa: B018  (its value is not needed here, but that it can be found)
        except ValueError as error:
            raise ModelFileError(f"its hypotheses_ have no posterior: {error}") from error

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the weights of the hypotheses."""
        notes = "⟦P(D | h)⟧ is the probability of the labels of the rows, given their columns."
        steps = bayes_steps(self.posterior_, options, ("posterior_",))
        return Work(f"{type(self).card.name}: the weights", steps, notes)


def is_fitted_like(hypothesis: Any, schema: Schema, classes: Any) -> bool:
    """Whether a learner gives probabilities of these classes for rows of these columns."""
    if not hasattr(hypothesis, "schema_") or not hasattr(hypothesis, "predict_proba"):
        return False
    same_columns = [c.name for c in hypothesis.schema_.features] == [c.name for c in schema.features]
    same_width = hypothesis.n_features_in_ == sum(c.width for c in schema.features)
    return same_columns and same_width and np.array_equal(hypothesis.classes_, classes)


def fitted(estimator: Any, name: Any, X: Any, labels: Any, weight: Any) -> Any:
    """A copy of an estimator, fitted on the rows."""
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict_proba"):
        raise InputTypeError(
            f"the estimator {quoted(name)} cannot be fitted to give probabilities: {quoted(estimator)}"
        )
    if isinstance(X, Table):
        if not isinstance(estimator, Learner):
            raise InputTypeError(f"the estimator {quoted(name)} takes no Table: give rows as an array or a frame")
        return clone(estimator).fit(X)
    return clone(estimator).fit(X, labels) if weight is None else clone(estimator).fit(X, labels, sample_weight=weight)


def is_pair(entry: Any) -> bool:
    """Whether an entry of a list of estimators is a name with an estimator."""
    return isinstance(entry, Sequence) and len(entry) == 2 and isinstance(entry[0], str)
