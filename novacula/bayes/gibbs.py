"""The Gibbs classifier: for each prediction one hypothesis is drawn, with its posterior probability.

If the true hypothesis was drawn from the prior, its expected error is at most twice that of the Bayes-optimal
classifier, and it asks one hypothesis per row instead of all (Haussler, Kearns and Schapire 1994).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from novacula.bayes.bayes_optimal import BayesOptimalClassifier
from novacula.bayes.derivation.predictions import derive_draws
from novacula.bayes.voting import PosteriorClassifier
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats

DRAWN = "the hypothesis of a row is drawn by its place among the rows, so another order is another draw"


class GibbsClassifier(PosteriorClassifier):
    """One hypothesis, drawn from the posterior, answers for each row.

    Parameters
    ----------
    estimators, prior
        As in `BayesOptimalClassifier`.
    random_state : int, RandomState or None, default=0
        The seed of the draws. With a number, the same rows get the same answers; with None, every call draws again.

    Attributes
    ----------
    posterior_, hypotheses_, hypothesis_names_, prior_, log_likelihood_
        As in `BayesOptimalClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GibbsClassifier().fit(X, y)
    >>> model.vote_shares(X[:1]).round(6).tolist()
    [[1.0, 0.0, 0.0]]
    """

    card: ClassVar[Card] = replace(
        BayesOptimalClassifier.card,
        name="Gibbs classifier",
        summary="For each row one hypothesis is drawn, with its posterior probability, and gives the answer.",
        hypothesis_space="The hypotheses given; by default naive Bayes models with four values of m.",
        objective="Expected error at most twice that of the Bayes-optimal classifier, for targets from the prior.",
        references=("Mitchell, Machine Learning (1997), section 6.8", "Haussler, Kearns and Schapire (1994)"),
        expected_failures={
            "check_methods_sample_order_invariance": DRAWN,
            "check_methods_subset_invariance": DRAWN,
        },
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PosteriorClassifier._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(self, estimators: Any = None, prior: Any = None, random_state: Any = 0) -> None:
        self.estimators = estimators
        self.prior = prior
        self.random_state = random_state

    def predict(self, X: Any) -> Any:
        """Give for each row the class that a hypothesis drawn for it finds most probable."""
        answers = self._choices(X)
        rows = np.arange(answers.shape[1])
        draws = check_random_state(self.random_state).choice(len(answers), len(rows), p=self.posterior_.weights)
        return self.classes_[answers[draws, rows]]

    def vote_shares(self, X: Any) -> Floats:
        """Give the probability that each class is the answer, for each row: Σ P(h | D) over those h that say so."""
        votes = np.eye(len(self.classes_))[self._choices(X)]  # (H, n, K)
        return np.asarray(np.tensordot(self.posterior_.weights, votes, axes=1))

    def _choices(self, X: Any) -> Any:
        """The number of the class that each hypothesis finds most probable, for each row (H, n)."""
        return np.stack([np.argmax(shares, axis=1) for shares in self._voice.probabilities(X)])

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the probability of each answer."""
        return derive_draws(self.posterior_, self.classes_, self._choices(X), options)
