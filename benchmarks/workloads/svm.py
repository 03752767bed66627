"""A support vector machine with a Gaussian kernel: its dual problem solved, and its answers for as many rows again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

OBJECTIVE = 1e-4
"""How far the dual objectives may be apart, relatively."""
ANSWERS = 0.999
"""The share of answers that have to be the same."""


def ours(data: Data) -> Any:
    """Decomposition, on all cores."""
    from novacula.kernel import SVC

    model = SVC().fit(data["X"], data["y"])
    return {"objective": model.dual_objective_[0], "answers": model.predict(data["Q"])}


def scikit_learn(data: Data) -> Any:
    """LIBSVM, which has one thread."""
    import numpy as np
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC

    model = SVC().fit(data["X"], data["y"])
    answers = model.predict(data["Q"])
    beta, kept = model.dual_coef_[0], model.support_vectors_
    square = sum(beta[i : i + 1000] @ rbf_kernel(kept[i : i + 1000], kept, model._gamma) @ beta
                 for i in range(0, len(beta), 1000))  # fmt: skip
    return {"objective": np.abs(beta).sum() - 0.5 * square, "answers": answers}


class GaussianMachine(Race):
    """From rows to the machine and to its answers."""

    name = "svm"
    title = "Support vector machine, Gaussian kernel"
    full = ({"rows": 20_000, "columns": 20},)
    quick = ({"rows": 5_000, "columns": 20},)

    def data(self, size: Size, folder: Path) -> Data:
        """Two classes of several clusters each, of which one label in twenty is drawn anew."""
        from sklearn.datasets import make_classification

        n = size["rows"]
        X, y = make_classification(
            2 * n, size["columns"], n_informative=10, n_redundant=5, flip_y=0.05, random_state=SEED
        )
        return {"X": X[:n], "y": y[:n], "Q": X[n:]}

    def contenders(self) -> Sequence[Contender]:
        """LIBSVM is the one to beat."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn SVC (LIBSVM)", "scikit-learn", scikit_learn),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same dual objective to 1e-4, and the same answers but for one in a thousand."""
        gap = abs(ours["objective"] / theirs["objective"] - 1.0)
        same = float((ours["answers"] == theirs["answers"]).mean())
        return Agreement(gap <= OBJECTIVE and same >= ANSWERS, f"objective {gap:.0e}, {same:.2%} the same classes")

    def limit(self, data: Data) -> Limit:
        """Nobody knows: at the least a product of each row with one support vector in five, as here."""
        n, d = data["X"].shape
        return Limit(2.0 * data["X"].nbytes, 2.0 * 2.0 * n * d * n / 5.0)
