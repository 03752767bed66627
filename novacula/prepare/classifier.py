"""A classifier for tables as they are: numbers, categories, words and missing values become what it takes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Integral, Interval, Real, StrOptions
from sklearn.utils.metaestimators import available_if

from novacula.errors import ModelFileError
from novacula.learner.base import Classifier
from novacula.learner.card import Admits, Card
from novacula.prepare.base import CardOfLearner, PreparedLearner, answers_with
from novacula.prepare.choice import SCALES
from novacula.prepare.sums import PreparationSums
from novacula.table import Table
from novacula.table.chunk import Floats


class PreparedClassifier(Classifier, PreparedLearner):
    """Fits a classifier on columns that are prepared as its card asks, and prepares rows to be predicted the same way.

    `learner` is one of this library's; logistic regression unless another is given. `max_words` of a text column are
    counted for learners that take no text. A category that was not there at fit is reported (`unseen="ignore"`) or
    refused ("error"). Fitted: `model_`, `preparation_`, `classes_`.

    `scale` brings numbers to mean 0 and deviation 1 ("standard"), to [0, 1] ("range"), or the numbers of each row
    together to length 1 ("unit"), or leaves them ("none"); without it the card decides. `fill` is what missing numbers
    become, "mean" or a number; without it the mean, for learners that take none. `ordered` names columns whose
    categories are in order: they become numbers, 0 for the first, or from 0 to 1 where numbers are scaled. The order is
    that of the schema, which is alphabetical unless the data state it, or the one that `{"size": ["small", "large"]}`
    gives.

    >>> import pandas as pd
    >>> from novacula.linear import LogisticRegression
    >>> weather = pd.DataFrame({"sky": ["sunny", "rain", "rain", "sunny"], "wind": [3.0, None, 9.0, 5.0]})
    >>> model = PreparedClassifier(LogisticRegression()).fit(weather, ["play", "stay", "stay", "play"])
    >>> model.predict(weather).tolist()
    ['play', 'stay', 'stay', 'play']
    >>> [column.name for column in model.model_.schema_.features]
    ['wind', 'wind is missing', 'sky = sunny']
    """

    card: ClassVar[Any] = CardOfLearner(
        Card(
            name="Prepared classifier",
            task="classification",
            summary="A classifier behind the encoding, scaling and filling in that its card asks for.",
            hypothesis_space="The learner's.",
            inductive_bias="The learner's, on prepared columns.",
            objective="The learner's.",
            search="The learner's.",
            noise="As the learner.",
            missing="As they are if the learner takes them; otherwise mean or mode, and a column that says so.",
            admits=Admits(missing=True),
            unseen="Treated as none of the known categories, with a warning, or refused (unseen='error').",
            takes=("numeric", "categorical", "text", "sparse"),
            scales=("memory", "stream", "cluster"),
            uses="reduce",
            interpretability="The learner's, of columns as they were prepared.",
            answer_cost="The learner's, and the preparation of each row.",
            cost="The learner's, and a pass over the rows.",
            cost_exponents={"n": 1, "d": 1},
            in_studies=False,  # a study puts every learner behind its preparation
        )
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "learner": [None, Classifier],
        "max_words": [Interval(Integral, 1, None, closed="left")],
        "unseen": [StrOptions({"ignore", "error"})],
        "scale": [StrOptions(set(SCALES)), None],
        "fill": [StrOptions({"mean", "median"}), Interval(Real, None, None, closed="neither"), None],
        "ordered": ["array-like", dict],
    }

    def inner_learner(self) -> Any:
        """The learner behind the preparation; logistic regression if none was given."""
        from novacula.linear import LogisticRegression

        return LogisticRegression() if self.learner is None else self.learner

    def _check_state(self) -> None:
        super()._check_state()
        if not np.array_equal(self.model_.classes_, self.classes_):
            raise ModelFileError("its model_ has other classes than its classes_")

    def _learn(self, table: Table) -> None:
        super()._learn(table)
        self.classes_ = self.model_.classes_

    def _classes_with_rows(self, sums: PreparationSums) -> list[Any]:
        return self.classes_[sums.classes > 0].tolist()

    def predict(self, X: Any) -> Any:
        """Give the class of each row."""
        return self._answer("predict", X)

    @available_if(answers_with("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class."""
        return self._answer("predict_proba", X)

    @available_if(answers_with("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Floats:
        """Give the logarithm of the probability of each class."""
        return self._answer("predict_log_proba", X)

    @available_if(answers_with("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Give the decision values."""
        return self._answer("decision_function", X)
