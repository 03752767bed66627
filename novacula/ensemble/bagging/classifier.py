"""Bagging of classifiers: the mean of class probabilities over models of samples.

P(class | row) = Σ over models of P_m(class | row) / M
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from novacula.ensemble.bagging.base import Bagging
from novacula.ensemble.mean_derivation import derive_means
from novacula.ensemble.members import CardOfMembers, all_answers, all_votes
from novacula.learner import Card, Classifier, Work
from novacula.learner.card import Admits
from novacula.learner.showing import WorkOptions
from novacula.state import State, floats, number, optional
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats
from novacula.tree import DecisionTreeClassifier


class BaggingClassifier(Bagging, Classifier):
    """The mean of what models of one learner say, each fitted on a sample of the rows, and of the columns if asked.

    Parameters
    ----------
    estimator : a classifier of this library; a decision tree unless another is given
    n_estimators : int, the number of models
    max_samples, max_features : float or int, the size of a sample of rows and of columns, or its share
    bootstrap : bool
        Whether a sample has a Poisson number of each row; otherwise it has a row once or not at all. Which rows it has
        is a hash of the row, so that equal rows are drawn together and their order does not matter. A sample of fewer
        than two classes is given up for all rows.
    oob_score : bool, whether rows are answered by the models whose sample lacks them
    unseen : {"ignore", "error"}
        A category that was not there at fit is the learner's to treat, with a warning, or refused.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : the classes in order
    estimators_ : the models
    sample_weights_ : the weight of the rows of each model
    oob_score_, oob_decision_function_ : accuracy and class shares out of bag, if `oob_score`

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.bayes import NaiveBayes
    >>> from novacula.ensemble import BaggingClassifier
    >>> model = BaggingClassifier(NaiveBayes(), n_estimators=5).fit(nv.datasets.load("iris"))
    >>> len(model.estimators_), model.score(nv.datasets.load("iris")) > 0.9
    (5, True)
    """

    card: ClassVar[Any] = CardOfMembers(
        Card(
            name="Bagging",
            task="classification",
            summary="The mean of models that were fitted on samples of the rows.",
            hypothesis_space="Means of the learner's hypotheses.",
            inductive_bias="What models of different samples agree on.",
            objective="The learner's, on each sample.",
            search="The learner's, on each sample. Equal rows are drawn together: a row of weight 2 is two "
            "rows, as far as it is for the learner.",
            noise="Averages out over the models.",
            missing="As the learner.",
            admits=Admits(missing=True),
            unseen="As the learner, with a warning, or refused (unseen='error').",
            takes=("numeric", "categorical"),
            scales=("memory",),
            uses="reduce",
            interpretability="Lower than the learner's: many models instead of one.",
            answer_cost="That of all models.",
            cost="A fit of the learner per model.",
            cost_exponents={"n": 1, "d": 1},
            size="n_estimators",
            in_studies=False,  # forests are the bagging that a study tries
            references=("Breiman, Bagging Predictors, Machine Learning 24 (1996)",),
        )
    )
    state: ClassVar[State] = {
        "oob_score_": optional(number()),
        "oob_decision_function_": optional(floats("examples", "classes", finite=False), beside="oob_score_"),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Bagging._parameter_constraints,
        "estimator": [None, Classifier],
    }

    def inner_learner(self) -> Any:
        """The learner of the models; a decision tree if none was given."""
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _is_enough(self, chunk: Any, counts: Floats) -> bool:
        """Whether a sample has at least two classes, if there are two."""
        inside = np.unique(np.asarray(chunk.target)[chunk.weight * counts > 0.0])
        return len(inside) >= min(2, len(np.unique(np.asarray(chunk.target)[chunk.weight > 0.0])))

    def _shares(self, rows: Any) -> Floats:
        """What each model says of each row (n, M, K): probabilities, or without them a vote."""
        function, *args = self._asked()
        shares: Floats = self._answers(rows, function, *args, unseen=self.unseen)
        return shares

    def _asked(self) -> tuple[Any, ...]:
        models, layout = tuple(self.estimators_), self._layout()
        if all(hasattr(model, "predict_proba") for model in models):
            return all_answers, layout, models, "predict_proba"
        return all_votes, layout, models, self.classes_

    def predict_proba(self, X: Any) -> Floats:
        """Give the mean of the models' class probabilities, or of their votes."""
        check_is_fitted(self)
        return self._shares(X).mean(axis=1)

    def predict(self, X: Any) -> Any:
        """Give the class of the largest mean; ties go to the first."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def _keep_out_of_bag(self, rows: Table, away: npt.NDArray[np.bool_]) -> None:
        function, *args = self._asked()
        chunk = rows.to_chunk()
        self.oob_decision_function_ = self._mean_away(rows.map(function, *args), away)
        said = ~np.isnan(self.oob_decision_function_[:, 0])
        right = np.argmax(self.oob_decision_function_[said], axis=1) == np.asarray(chunk.target)[said]
        self.oob_score_ = float(np.average(right, weights=chunk.weight[said]))

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the mean of what the models say of each row."""
        chunk, cut = self._first_rows(X, options.rows, self.unseen)
        return derive_means("Bagging: the votes", self._said(chunk), self.classes_, "model", MEANING, cut)

    def _said(self, chunk: Chunk) -> Floats:
        function, *args = self._asked()
        said: Floats = function(chunk, *args)
        return said


MEANING = "what model t says of the class"
