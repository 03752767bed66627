"""The most frequent class, for any row: argmax_t n_t / n, the error that every learner must beat."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from novacula.baseline.derivation import derive_shares
from novacula.learner import Admits, Card, Classifier, Work
from novacula.learner.showing import WorkOptions
from novacula.state import State, floats, probabilities
from novacula.statistics import ClassTotals
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats


class PluralityClassifier(Classifier):
    """Predicts the class with the largest share; ties go to the first; `predict_proba` gives the shares.

    >>> model = PluralityClassifier().fit([[0], [1], [2]], ["no", "yes", "yes"])
    >>> model.predict([[7]]).tolist(), model.share_.round(3).tolist()
    (['yes'], [0.333, 0.667])
    """

    card: ClassVar[Card] = Card(
        name="Plurality",
        task="classification",
        summary="The most frequent class, for any row.",
        hypothesis_space="One constant per class.",
        inductive_bias="The columns say nothing.",
        objective="Errors on the training rows.",
        search="None: the largest count.",
        noise="Averages out in the counts.",
        missing="Ignored.",
        admits=Admits(missing=True, infinite=True),
        unseen="Ignored, with a warning.",
        takes=("numeric", "categorical", "text", "sparse"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="Very high: one answer for every row.",
        answer_cost="None: the answer is known.",
        cost="One pass over the target.",
        cost_exponents={"n": 1},
        expected_failures={
            "check_classifiers_train": "its accuracy is that of the largest class, by design",
            "check_classifiers_classes": "it predicts one class only, by design",
        },
    )

    state: ClassVar[State] = {
        "class_count_": floats("classes", least=0.0),
        "share_": probabilities("classes"),
    }

    def _learn(self, table: Table) -> None:
        """Count the classes."""
        self.class_count_ = table.reduce(ClassTotals.observe_numeric, len(self.classes_), ()).weight
        self.share_ = self.class_count_ / self.class_count_.sum()

    def predict(self, X: Any) -> Any:
        """Give the same class for every row."""
        rows = int(self._answers(X, count_rows).sum())
        return np.repeat(self.classes_[int(np.argmax(self.share_))], rows)

    def predict_proba(self, X: Any) -> Floats:
        """Give the shares of the classes for every row."""
        rows = int(self._answers(X, count_rows).sum())
        return np.tile(self.share_, (rows, 1))

    @property
    def n_parameters_(self) -> int:
        """Shares that are free: they sum to 1."""
        return len(self.classes_) - 1

    def _derive(self, options: WorkOptions) -> Work:
        """The share of each class."""
        return derive_shares(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """The same for every row, which is the point."""
        return derive_shares(self, options, len(self._first_rows(X, options.rows)[0]))


def count_rows(chunk: Chunk) -> Any:
    """The number of rows of a chunk, as one row."""
    return np.array([len(chunk)])
