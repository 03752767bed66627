"""Support vector machines with a Gaussian kernel: the dual problem solved, and answers for as many rows again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

OBJECTIVE = 1e-4
"""How far the dual objectives may be apart, relatively."""
ANSWERS = 0.999
"""The share of answers that have to be the same."""


def ours(data: Data) -> Any:
    """Decomposition, on all cores."""
    from novacula.kernel import SVC

    model = SVC(C=data["C"]).fit(data["X"], data["y"])
    return {"objective": model.dual_objective_[0], "answers": model.predict(data["Q"])}


def scikit_learn(data: Data) -> Any:
    """LIBSVM, which has one thread."""
    import numpy as np
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC

    model = SVC(C=data["C"]).fit(data["X"], data["y"])
    answers = model.predict(data["Q"])
    beta, kept = model.dual_coef_[0], model.support_vectors_
    square = sum(beta[i : i + 1000] @ rbf_kernel(kept[i : i + 1000], kept, model._gamma) @ beta
                 for i in range(0, len(beta), 1000))  # fmt: skip
    return {"objective": np.abs(beta).sum() - 0.5 * square, "answers": answers}


class GaussianMachine(Race):
    """From rows to the machine and to its answers."""

    name = "svm"
    title = "Support vector machine, Gaussian kernel"
    full: ClassVar[Sequence[Size]] = ({"rows": 20_000, "columns": 20},)
    quick: ClassVar[Sequence[Size]] = ({"rows": 5_000, "columns": 20},)
    C: ClassVar[float] = 1.0
    goal: ClassVar[float] = 3.0

    def data(self, size: Size, folder: Path) -> Data:
        """Two classes of several clusters each; one label in twenty is drawn again."""
        from sklearn.datasets import make_classification

        n, d = size["rows"], size["columns"]
        X, y = make_classification(2 * n, d, n_informative=d // 2, n_redundant=d // 4, flip_y=0.05, random_state=SEED)
        return {"X": X[:n], "y": y[:n], "Q": X[n:], "C": self.C}

    def contenders(self) -> Sequence[Contender]:
        """LIBSVM is the one to beat."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn SVC (LIBSVM)", "scikit-learn", scikit_learn, goal=self.goal),
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


class DearMistakes(GaussianMachine):
    """The same at a large C, where most multipliers are free between their bounds and pairs of them go to and fro."""

    name = "svm_large_c"
    title = "Support vector machine, Gaussian kernel, C = 100"
    full = ({"rows": 8_000, "columns": 10},)
    quick = ({"rows": 3_000, "columns": 10},)
    C = 100.0
    goal = 1.5
