"""Multinomial naive Bayes on a sparse matrix of word counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

M = 1000.0
"""Weight of the prior estimate: scikit-learn's alpha is M / columns."""


def ours(data: Data) -> dict[str, Any]:
    """A sparse matrix is already a bag of counts."""
    from novacula.bayes import NaiveBayes

    model: Any = NaiveBayes(m=M).fit(data["X"], data["y"])
    return {"probabilities": model.parts_[0].prob, "prior": model.class_prior_}


def scikit_learn(data: Data) -> dict[str, Any]:
    """Products with an indicator matrix of the classes."""
    import numpy as np
    from sklearn.naive_bayes import MultinomialNB

    model = MultinomialNB(alpha=M / data["X"].shape[1]).fit(data["X"], data["y"])
    return {"probabilities": np.exp(model.feature_log_prob_), "prior": np.exp(model.class_log_prior_)}


class Multinomial(Race):
    """From counts to the probability of each word in each class."""

    name = "multinomial_naive_bayes"
    title = "Multinomial naive Bayes, sparse, fit"
    full = ({"rows": 200_000, "columns": 50_000, "values a row": 100},)
    quick = ({"rows": 20_000, "columns": 50_000, "values a row": 100},)

    def data(self, size: Size, folder: Path) -> Data:
        """Words as rare as in a language; those that a row draws twice are added up."""
        import numpy as np
        from scipy.sparse import csr_matrix

        rng = np.random.default_rng(SEED)
        rows, columns, each = size["rows"], size["columns"], size["values a row"]
        words = (columns * rng.random(rows * each) ** 2).astype(np.int32)
        pointer = np.arange(0, rows * each + 1, each)
        X = csr_matrix((np.ones(rows * each), words, pointer), shape=(rows, columns))
        X.sum_duplicates()
        return {"X": X, "y": rng.integers(0, 2, rows)}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn MultinomialNB", "scikit-learn", scikit_learn, goal=2.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same probabilities."""
        return same_numbers(ours, theirs, 1e-9)

    def limit(self, data: Data) -> Limit:
        """Read the matrix and y once."""
        X = data["X"]
        return Limit(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + data["y"].nbytes)
