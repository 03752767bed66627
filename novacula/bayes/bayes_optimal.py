"""The Bayes-optimal classifier: all hypotheses vote, each by its probability.

    argmax_t Σ_h P(t | x, h) · P(h | D)

No classifier that knows the same hypotheses and prior makes fewer errors on average. Its answer may be one that the
most probable hypothesis does not give.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from novacula.bayes.derivation.predictions import derive_votes
from novacula.bayes.voting import PosteriorClassifier
from novacula.learner.card import Admits, Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.table.chunk import Floats


class BayesOptimalClassifier(PosteriorClassifier):
    """Every hypothesis votes with its posterior probability.

    Parameters
    ----------
    estimators : sequence, mapping or Posterior, default=None
        Classifiers with `predict_proba`, by name, as pairs of name and classifier, or one after the other. Each is
        fitted on the rows and then weighed by prior times likelihood of their labels. A `Posterior` of fitted
        classifiers or of conjunctions is not fitted again: `fit(X, y)` updates it, `fit()` takes it as it is. By
        default naive Bayes with m = 0.25, 1, 4 and 16.
    prior : mapping or sequence, default=None
        Probabilities of the estimators, by name or in order; uniform by default.

    Attributes
    ----------
    posterior_ : Posterior
        P(h | D), with the hypotheses.
    hypotheses_, hypothesis_names_, prior_, log_likelihood_
        The fitted hypotheses, their names and prior, and ln P(D | h) of each.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novacula.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesOptimalClassifier({k: DecisionTreeClassifier(max_depth=k) for k in (1, 2, 3)}).fit(X, y)
    >>> {k: round(p, 3) for k, p in model.posterior_.probabilities.items()}
    {1: 0.0, 2: 0.0, 3: 1.0}
    """

    card: ClassVar[Card] = Card(
        name="Bayes-optimal classifier",
        task="classification",
        summary="Every hypothesis votes for the classes, with its posterior probability as its weight.",
        hypothesis_space="Mixtures of the hypotheses given; by default of naive Bayes models with four values of m.",
        inductive_bias="That of the hypotheses, and the prior over them.",
        objective="Expected error under the posterior, which no other classifier makes smaller.",
        search="None: each hypothesis is fitted, then weighed by prior times likelihood of the same rows' labels.",
        noise="A hypothesis that is too sure of a wrong label loses its weight.",
        missing="As the hypotheses have it; naive Bayes leaves missing values out.",
        admits=Admits(missing=True),
        unseen="As the hypotheses have it; naive Bayes treats a new category as missing, with a warning.",
        takes=("numeric", "categorical", "text", "sparse"),
        scales=("memory",),
        uses="arrays",
        interpretability="As that of the hypotheses, and of their shares in the vote.",
        answer_cost="The sum of the hypotheses' answers.",
        cost="The sum of the hypotheses' costs.",
        cost_exponents={"n": 1, "d": 1},
        in_studies=False,  # its hypotheses are for the user to name
        references=("Mitchell, Machine Learning (1997), section 6.7",),
    )

    def __init__(self, estimators: Any = None, prior: Any = None) -> None:
        self.estimators = estimators
        self.prior = prior

    def predict_proba(self, X: Any) -> Floats:
        """Give P(t | x, D) = Σ P(t | x, h) · P(h | D) for each row and class."""
        return np.asarray(self.posterior_.predict(X))

    def predict(self, X: Any) -> Any:
        """Give the most probable class of each row; ties go to the first."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the vote on each row."""
        each = np.stack(list(self._voice.probabilities(X)))
        return derive_votes(self.posterior_, self.classes_, each, options, of="predict_proba", answer="predict")
