"""Categorical naive Bayes on integer codes: counting, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

CATEGORIES = (5, 6, 7, 8, 9, 10)
"""Numbers of categories, taken in turn by the columns."""
BLOCK = 1 << 14
"""Rows that are counted by hand at a time."""
BEHIND = (
    "The array is read twice: to find the categories, which need not be 0, 1, … here, and to code and "
    "count. A chunk of 8 MB takes 1.0 ms to find them, as bits, 1.0 ms to code and 0.9 ms to count, which is 0.9 ns a "
    "cell; labels, chunks and class weights take the rest. Two threads take two thirds of the time of one. Counting "
    "two columns at once in a joint table took a quarter longer; one check less for unknown numbers saves a tenth."
)


def ours(data: Data) -> dict[str, Any]:
    """Add-one smoothing is m = number of values."""
    from novacula.bayes import NaiveBayes

    model: Any = NaiveBayes(m="laplace", distributions="categorical").fit(data["X"], data["y"])
    return {"probabilities": model.parts_[0].prob}


def scikit_learn(data: Data) -> dict[str, Any]:
    """Add-one smoothing is alpha = 1."""
    import numpy as np
    from sklearn.naive_bayes import CategoricalNB

    model = CategoricalNB(alpha=1.0).fit(data["X"], data["y"])
    return {"probabilities": np.exp(np.hstack(model.feature_log_prob_))}


def by_hand(data: Data) -> dict[str, Any]:
    """`np.bincount` of all columns side by side, in blocks that fit a cache; the codes must start at 0."""
    import numpy as np

    X, y = data["X"], data["y"]
    starts = np.cumsum([0, *data["sizes"]])
    width = starts[-1]
    counts = np.ones(2 * width)
    for at in range(0, len(X), BLOCK):
        place = X[at : at + BLOCK] + (starts[:-1] + width * y[at : at + BLOCK, None])
        counts += np.bincount(place.ravel(), minlength=2 * width)
    tables = np.split(counts.reshape(2, width), starts[1:-1], axis=1)
    return {"probabilities": np.hstack([table / table.sum(axis=1, keepdims=True) for table in tables])}


class Categorical(Race):
    """From an array of integers to tables of probabilities."""

    name = "categorical_naive_bayes"
    title = "Categorical naive Bayes, fit"
    full = ({"rows": 2_000_000, "columns": 20},)
    quick = ({"rows": 200_000, "columns": 20},)

    def data(self, size: Size, folder: Path) -> Data:
        """Codes of two classes, the second with a taste for small ones."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        sizes = [CATEGORIES[j % len(CATEGORIES)] for j in range(size["columns"])]
        y = rng.integers(0, 2, size["rows"])
        X = rng.integers(0, sizes, (size["rows"], size["columns"]))
        X = np.where((y[:, None] == 1) & (rng.random(X.shape) < 0.2), X // 2, X)
        return {"X": X, "y": y, "sizes": sizes}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, and NumPy by hand."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn CategoricalNB", "scikit-learn", scikit_learn, goal=20.0, because=BEHIND),
            Contender("np.bincount by hand", "numpy", by_hand, goal=1.0, because=BEHIND),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same probabilities."""
        return same_numbers(ours, theirs, 1e-12)

    def limit(self, data: Data) -> Limit:
        """Read X and y once."""
        return Limit(data["X"].nbytes + data["y"].nbytes)
