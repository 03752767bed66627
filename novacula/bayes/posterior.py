"""Posteriors over finitely many hypotheses, by Bayes' theorem and in logarithms.

    P(h | D) = P(D | h) · P(h) / P(D)        P(D) = Σ_h P(D | h) · P(h)        P(x | D) = Σ_h P(x | h) · P(h | D)

A posterior does not change: `update` gives another one, for which this one is the prior. Observations are taken to be
independent once the hypothesis is known, so their order does not matter.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np

from novacula.bayes.answers import ComparedAnswers
from novacula.bayes.derivation.posterior import derive_posterior
from novacula.bayes.derivation.predictions import derive_datum, derive_votes
from novacula.bayes.hypotheses import (
    LabelledRows,
    Likelihood,
    ObservedLikelihoods,
    SingleData,
    hypotheses_by_name,
    labels_rows,
)
from novacula.bayes.labelling import labellings
from novacula.bayes.posterior_figures import posterior_figure, posterior_stages, prediction_figure
from novacula.bayes.probabilities import as_probabilities, in_order, log_sum, logarithm
from novacula.concept import ConjunctiveSpace
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.learner.figure import Figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats
from novacula.words import quoted


class Posterior(ShowsWork):
    """What is believed of some hypotheses after some data.

    Parameters
    ----------
    hypotheses : mapping, sequence or ConjunctiveSpace
        The hypotheses by name; in a sequence, words, numbers and conjunctions are their own names. A hypothesis is a
        mapping of values to probabilities, a function of a datum that gives its probability (a datum may be a pair
        (x, y)), a frozen SciPy distribution, a `Conjunction`, or a fitted classifier with `predict_proba`; of the last
        two, data are a pair (X, y). A space of conjunctions is counted, not listed: see `VersionSpacePosterior`.
    prior : mapping or sequence, default=None
        A probability for each hypothesis, by name or in order; uniform by default.
    likelihood : callable, default=None
        `likelihood(hypothesis, datum)`, for hypotheses that do not speak for themselves, such as numbers.
    density : bool, default=False
        Whether likelihoods are densities, which may exceed 1.
    classes : sequence, default=None
        The classes, for hypotheses that are mappings or functions from an instance to its class, or to the
        probabilities of the classes by name. Data are then a pair of instances and their classes.

    Attributes
    ----------
    probabilities, log_probabilities : mapping of name to float
        P(h | D), and its natural logarithm.
    log_likelihoods : mapping of name to float
        ln P(D | h).
    log_evidence : float
        ln P(D), of all data since the prior.
    weights : array
        P(h | D) in the order of `names`.

    Examples
    --------
    >>> bags = {0.0: 0.1, 0.25: 0.2, 0.5: 0.4, 0.75: 0.2, 1.0: 0.1}  # P(lime) of a bag, and how common the bag is
    >>> candies = Posterior(list(bags), prior=bags, likelihood=lambda p, candy: p if candy == "lime" else 1 - p)
    >>> after = candies.update(["lime"] * 3)
    >>> after.map(), round(after.predict("lime"), 6), after.predictive_map("lime")
    (1.0, 0.796053, 1.0)
    """

    def __new__(cls, hypotheses: Any = None, *_: Any, **__: Any) -> Any:
        """A posterior of the right kind for the hypotheses."""
        if cls is Posterior and isinstance(hypotheses, ConjunctiveSpace):
            from novacula.bayes.version_posterior import VersionSpacePosterior

            return super().__new__(VersionSpacePosterior)
        return super().__new__(cls)

    def __init__(
        self,
        hypotheses: Any,
        prior: Any = None,
        likelihood: Likelihood | None = None,
        density: bool = False,
        classes: Any = None,
    ) -> None:
        if likelihood is not None and not callable(likelihood):
            raise InputTypeError(
                f"likelihood is {quoted(likelihood)}; it must be a function of a hypothesis and a datum"
            )
        if classes is not None and (likelihood is not None or density):
            raise ParameterError(
                "hypotheses with classes say the class of an instance: leave likelihood and density out"
            )
        self.hypotheses: dict[Hashable, Any] = hypotheses_by_name(hypotheses)
        if classes is not None:
            self.hypotheses = dict(labellings(self.hypotheses, classes))
        self.names = tuple(self.hypotheses)
        self.voice: SingleData | LabelledRows
        if likelihood is None and any(map(labels_rows, self.hypotheses.values())):
            self.voice = LabelledRows(self.hypotheses)
        else:
            self.voice = SingleData(self.hypotheses, likelihood, density)
        uniform = np.full(len(self.names), 1.0 / len(self.names))
        self.prior = uniform if prior is None else as_probabilities(prior, self.names, "prior")
        self.observed: tuple[ObservedLikelihoods, ...] = ()
        self.log_likelihood = np.zeros(len(self.names))

    @classmethod
    def of_likelihoods(cls, hypotheses: Mapping[Any, Any], prior: Any, log_likelihoods: Mapping[Any, float]) -> Self:
        """The posterior after data of which no more is known than ln P(D | h) by name."""
        posterior = cls(hypotheses, prior)
        posterior.log_likelihood = np.array(in_order(log_likelihoods, posterior.names, "log_likelihoods"), np.float64)
        if np.isnan(posterior.log_evidence) or posterior.log_evidence == math.inf:
            raise ParameterError("log_likelihoods has NaN or +∞; it holds logarithms of probabilities")
        if posterior.log_evidence == -math.inf:
            raise DataError("no hypothesis explains the data: each has likelihood 0, or prior 0")
        return posterior

    def update(self, data: Any, weight: Any = None) -> Self:
        """The posterior after more data; `weight` says how often each observation was seen.

        `data` is a sequence of observations, or (X, y) for hypotheses that label rows.
        """
        seen = self.voice.observe(data, weight)
        after = copy.copy(self)
        for derived in ("log_weights", "log_evidence"):
            vars(after).pop(derived, None)
        after.observed = (*self.observed, seen)
        after.log_likelihood = self.log_likelihood + seen.total
        if after.log_evidence == -math.inf:
            raise DataError(f"no hypothesis explains the data: {_last_straw(self.log_weights, seen)}")
        return after

    # --- what is believed --------------------------------------------------------------------------------------------

    @cached_property
    def log_evidence(self) -> float:
        """ln P(D)."""
        return log_sum(logarithm(self.prior) + self.log_likelihood)

    @cached_property
    def log_weights(self) -> Floats:
        """ln P(h | D) in the order of `names`."""
        logs = logarithm(self.prior) + self.log_likelihood
        relative = logs - logs.max()  # whose rounding does not grow with the number of data, so that weights sum to 1
        return relative - log_sum(relative)

    @property
    def weights(self) -> Floats:
        """P(h | D) in the order of `names`."""
        return np.asarray(np.exp(self.log_weights))

    @property
    def probabilities(self) -> Mapping[Any, float]:
        """P(h | D) by name."""
        return dict(zip(self.names, self.weights.tolist(), strict=True))

    @property
    def log_probabilities(self) -> Mapping[Any, float]:
        """ln P(h | D) by name."""
        return dict(zip(self.names, self.log_weights.tolist(), strict=True))

    @property
    def log_likelihoods(self) -> Mapping[Any, float]:
        """ln P(D | h) by name."""
        return dict(zip(self.names, self.log_likelihood.tolist(), strict=True))

    @property
    def description_lengths(self) -> Mapping[Any, float]:
        """−log₂ P(h) − log₂ P(D | h) by name: bits that name a hypothesis, and the data with its help."""
        bits = -(logarithm(self.prior) + self.log_likelihood) / math.log(2.0)
        return dict(zip(self.names, bits.tolist(), strict=True))

    @property
    def n_observations(self) -> float:
        """How many observations were seen, each as often as its weight says."""
        return float(sum(seen.weight.sum() for seen in self.observed))

    def map(self) -> Any:
        """The name of the most probable hypothesis: argmax P(D | h) · P(h); ties go to the first."""
        return self.names[int(np.argmax(self.log_weights))]

    def ml(self) -> Any:
        """The name of the hypothesis under which the data are most probable: argmax P(D | h); ties go to the first."""
        return self.names[int(np.argmax(self.log_likelihood))]

    # --- what is to come ---------------------------------------------------------------------------------------------

    def predict(self, x: Any) -> Any:
        """P(x | D) = Σ P(x | h) · P(h | D); for hypotheses that label rows, of each row of x and class (n, K)."""
        return self.voice.predict(x, self.weights)

    def predictive_map(self, x: Any) -> Any:
        """P(x | h) of the most probable hypothesis alone; for rows as in `predict`."""
        return self.voice.predict(x, np.eye(len(self.names))[int(np.argmax(self.log_weights))])

    def compare(self, instance: Any) -> ComparedAnswers:
        """What MAP, ML, the Bayes-optimal vote and a Gibbs draw answer for one instance, and their expected errors.

        >>> says = {"h1": {"x": "+"}, "h2": {"x": "-"}, "h3": {"x": "-"}}
        >>> found = Posterior(says, prior=[0.4, 0.3, 0.3], classes=["+", "-"]).compare(["x"])
        >>> found.answers
        {'MAP': '+', 'ML': '+', 'Bayes-optimal': '-'}
        >>> {rule: round(error, 6) for rule, error in found.errors.items()}
        {'MAP': 0.6, 'ML': 0.6, 'Bayes-optimal': 0.4, 'Gibbs': 0.48}
        """
        voice = getattr(self, "voice", None)
        if not isinstance(voice, LabelledRows):
            raise ParameterError(
                "answers are compared of hypotheses that label instances one by one: give classes, fitted classifiers "
                "or conjunctions"
            )
        each = np.stack(list(voice.probabilities(instance)))
        if each.shape[1] != 1:
            raise DataError(f"answers are compared for one instance, and there are {each.shape[1]}")
        return ComparedAnswers(self.names, tuple(voice.classes.tolist()), self.weights, self.log_likelihood, each[:, 0])

    # --- to see ------------------------------------------------------------------------------------------------------

    def plot(self, x: Any = None) -> Figure:
        """P(h | D) of each hypothesis against the number of observations; with a datum, P(x | D) beside them."""
        if x is None:
            return posterior_figure(self)
        if isinstance(self.voice, LabelledRows):
            raise ParameterError("these hypotheses label instances, so no next datum can be drawn; plot takes no x")
        return prediction_figure(self, x, self._of_datum(x))

    def plot_stages(self) -> Figure:
        """P(h), P(h | D₁), P(h | D₁, D₂), …: a panel for the prior and for each update, of many the last."""
        return posterior_stages(self)

    def _derive(self, options: WorkOptions) -> Work:
        """The posterior after each observation."""
        return derive_posterior(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """What is predicted for a datum, or for rows."""
        if isinstance(self.voice, LabelledRows):
            each = np.stack(list(self.voice.probabilities(X)))
            return derive_votes(self, self.voice.classes, each, options, of="predict")
        return derive_datum(self, X, self._of_datum(X))

    def _of_datum(self, x: Any) -> Floats:
        """P(x | h) of each hypothesis (H,)."""
        return np.array([self.voice.predict(x, row) for row in np.eye(len(self.names))])

    def __repr__(self) -> str:
        n = len(self.names)
        return f"<Posterior of {n} {'hypothesis' if n == 1 else 'hypotheses'}, {self.n_observations:g} observations>"


def _last_straw(before: Floats, seen: ObservedLikelihoods) -> str:
    """Which observation left no hypothesis, if one did alone."""
    ruled_out = np.logical_or.accumulate((seen.log_likelihood == -np.inf) & (seen.weight[:, None] > 0))
    left = (before > -np.inf) & ~ruled_out
    place = int(np.argmax(~left.any(axis=1)))
    return f"each is ruled out by observation {place + 1}, {quoted(seen.data[place])}, or one before it"
