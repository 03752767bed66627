"""AdaBoost of any learner: each model is fitted on the rows that those before it got wrong.

    ε = weight of the wrong rows / weight of all
    α = ln((1 − ε) / ε) + ln(K − 1)
    w ← w · e^α where the model is wrong, and then to the same sum as before
    class(row) = argmax over k of Σ α of the models that say k

That is SAMME. For two classes α is twice the ½ ln((1 − ε) / ε) of AdaBoost.M1, whose weights are multiplied by e^α or
e^(−α): brought to the same sum, the weights are the same, and so is the argmax.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.ensemble.members import CardOfMembers, EnsembleOfLearners, all_votes
from novacula.learner import Card, Classifier, Work
from novacula.learner.card import Admits
from novacula.learner.showing import WorkOptions
from novacula.state import State, floats, word
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.tree import DecisionTreeClassifier

OUTCOMES = {
    "all": "All rounds were made.",
    "perfect": "The last model makes no error, so its weights could not be changed; it counts with weight 1.",
    "weak": "The next model was no better than chance, an error of at least 1 − 1/K, and was left out.",
    "chance": "The first model is no better than chance, an error of at least 1 − 1/K: it is all there is.",
}
"""Why a fit ended."""


class AdaBoostClassifier(EnsembleOfLearners, Classifier):
    """A weighted vote of models, each fitted with more weight on the rows that those before it got wrong.

    Parameters
    ----------
    estimator : a classifier of this library
        A decision tree of one test unless another is given; behind `PreparedClassifier` it takes any columns.
    n_estimators : int, the number of rounds, fewer if a model is perfect or no better than chance
    learning_rate : float, by which every α is multiplied
    unseen : {"ignore", "error"}
        A category that was not there at fit is the learner's to treat, with a warning, or refused.
    random_state : int, RandomState or None, for learners that draw

    Attributes
    ----------
    classes_ : the classes in order
    estimators_ : the models
    estimator_weights_, estimator_errors_ : α and ε of each round
    training_errors_ : the error of the vote on the training rows after each round
    outcome_ : why the fit ended: "all", "perfect", "weak" or "chance"

    Examples
    --------
    >>> from novacula.ensemble import AdaBoostClassifier
    >>> X = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, [1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    >>> [round(error, 4) for error in model.estimator_errors_.tolist()]
    [0.3, 0.2143, 0.1818]
    >>> model.training_errors_.tolist()
    [0.3, 0.3, 0.0]
    """

    card: ClassVar[Any] = CardOfMembers(
        Card(
            name="AdaBoost",
            task="classification",
            summary="A weighted vote of models, each fitted on what those before it got wrong.",
            hypothesis_space="Weighted votes of the learner's hypotheses.",
            inductive_bias="A sum of simple rules, with wide margins.",
            objective="The mean of exp(−margin) over the rows.",
            search="Greedy, one model at a time; models before are never changed.",
            noise="Weights pile up on wrong labels.",
            missing="As the learner.",
            admits=Admits(missing=True),
            unseen="As the learner, with a warning, or refused (unseen='error').",
            takes=("numeric", "categorical"),
            scales=("memory",),
            uses="reduce",
            interpretability="Medium with few tests: each has a weight; low with many.",
            answer_cost="That of all models.",
            cost="A fit of the learner and a pass over the rows per round.",
            cost_exponents={"n": 1, "d": 1},
            size="n_estimators",
            sizes=(50,),
            references=(
                "Freund and Schapire, A Decision-Theoretic Generalization of On-Line Learning (1997)",
                "Zhu, Zou, Rosset and Hastie, Multi-class AdaBoost (2009)",
            ),
        )
    )
    state: ClassVar[State] = {
        "estimator_weights_": floats("members", above=0.0),
        "estimator_errors_": floats("members", least=0.0, most=1.0),
        "training_errors_": floats("members", least=0.0, most=1.0),
        "outcome_": word(*OUTCOMES),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [None, Classifier],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "unseen": [StrOptions({"ignore", "error"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        unseen: str = "ignore",
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.unseen = unseen
        self.random_state = random_state

    def inner_learner(self) -> Any:
        """The learner of the models; a tree of one test if none was given."""
        return DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator

    # --- fit ---------------------------------------------------------------------------------------------------

    def _learn(self, table: Table) -> None:
        """Fit a model, weigh it, weigh the rows again, and so on; the rows weigh as much as at first in sum."""
        rows, draw = self._rows(table), check_random_state(self.random_state)
        chunk = rows.to_chunk()
        start, truth, k = np.asarray(chunk.weight, np.float64), np.asarray(chunk.target), len(self.classes_)
        weight, score = start, np.zeros((len(truth), k))
        models: list[Any] = []
        rounds: list[tuple[float, float, float]] = []  # weight and error of each model, and of the vote so far
        outcome = "all"
        while len(models) < self.n_estimators and outcome == "all":
            model = self._fitted(rows.reweighted(weight), int(draw.randint(2**31 - 1)))
            votes = rows.map(all_votes, self._layout(), (model,), self.classes_)[:, 0]
            wrong = votes[np.arange(len(truth)), truth] == 0.0
            error = float(weight[wrong].sum() / weight.sum())
            alpha, outcome = self._round(error, k, not models)
            if outcome == "weak":
                break
            score += alpha * votes
            seen = float(start[np.argmax(score, axis=1) != truth].sum() / start.sum())
            models, rounds = [*models, model], [*rounds, (alpha, error, seen)]
            weight = np.where(wrong, weight * np.exp(alpha), weight)
            weight = weight * (start.sum() / weight.sum())
        self.estimators_, self.outcome_ = models, outcome
        columns = (np.array(column) for column in zip(*rounds, strict=True))
        self.estimator_weights_, self.estimator_errors_, self.training_errors_ = columns

    def _round(self, error: float, k: int, is_first: bool) -> tuple[float, str]:
        """The weight of a model of this error, and whether the fit ends with it."""
        if error <= 0.0:
            return 1.0, "perfect"
        if error >= 1.0 - 1.0 / k - 1e-12:
            return 1.0, "chance" if is_first else "weak"
        return float(self.learning_rate * (np.log((1.0 - error) / error) + np.log(k - 1.0))), "all"

    # --- predict -----------------------------------------------------------------------------------------------

    def _votes(self, X: Any) -> Floats:
        """The votes (n, M, K) of the models."""
        check_is_fitted(self)
        votes: Floats = self._answers(
            X, all_votes, self._layout(), tuple(self.estimators_), self.classes_, unseen=self.unseen
        )
        return votes

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        """The scores (n, K) after each round: a model adds α to its class, and −α / (K − 1) to the others."""
        votes, k = self._votes(X), len(self.classes_)
        score, total = np.zeros((len(votes), k)), 0.0
        for m, alpha in enumerate(self.estimator_weights_):
            score += alpha * (votes[:, m] if k == 1 else (votes[:, m] * k - 1.0) / (k - 1.0))
            total += alpha
            yield score / total

    def _scores(self, X: Any) -> Floats:
        *_, last = self._staged_scores(X)
        return last

    def decision_function(self, X: Any) -> Floats:
        """Give the score (n, K) of each class, from −1 to 1; of two classes that of the second less the first."""
        score = self._scores(X)
        return score[:, 1] - score[:, 0] if len(self.classes_) == 2 else score

    def predict_proba(self, X: Any) -> Floats:
        """Give the softmax of the scores, as scikit-learn: of two classes at most 0.89, no estimate of probability."""
        score = self._scores(X)
        return softmax(score / max(len(self.classes_) - 1, 1), axis=1)

    def predict(self, X: Any) -> Any:
        """Give the class of the largest score; ties go to the first."""
        score = self._scores(X)
        return self.classes_[np.argmax(score, axis=1)]

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """Give the classes after one round, after two, and so on."""
        return (self.classes_[np.argmax(score, axis=1)] for score in self._staged_scores(X))

    # --- derive ------------------------------------------------------------------------------------------------

    def _derive(self, options: WorkOptions) -> Work:
        """Derive errors, weights of models and of rows, and the bound on the training error."""
        from novacula.ensemble.ada_boost_derivation import derive_rounds

        return derive_rounds(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the weighted vote for each row."""
        from novacula.ensemble.ada_boost_derivation import derive_weighted_votes

        chunk, cut = self._first_rows(X, options.rows, self.unseen)
        votes = all_votes(chunk, self._layout(), tuple(self.estimators_), self.classes_)
        return derive_weighted_votes(self, votes, cut)
