"""The nearest rows to others, in few dimensions and in many: exact, so that all find the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

K = 10
EXACT = (
    "60 % is the matrix product in single precision, as in the rival, and 13 % settles what it leaves open in double "
    "precision, since ours finds the nearest rows and not nearly all of them. The rest lays out rows and checks them; "
    "checking the columns' scales took a fifth of the time, and takes next to none by blocks."
)
"""What bounds many dimensions."""


def ours(data: Data) -> Any:
    """A tree or matrix products, whichever `auto` takes."""
    from novacula.neighbors import KNeighborsDensity

    return KNeighborsDensity(K).fit(data["X"]).kneighbors(data["Q"], return_distance=False)


def scipy(data: Data) -> Any:
    """A k-d tree on all cores."""
    from scipy.spatial import cKDTree

    return cKDTree(data["X"]).query(data["Q"], K, workers=-1)[1]


def scikit_learn(data: Data) -> Any:
    """The structure that it chooses itself, on all cores."""
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K, n_jobs=-1).fit(data["X"]).kneighbors(data["Q"], return_distance=False)


def faiss(data: Data) -> Any:
    """All pairs in single precision, which is all it has."""
    import faiss
    import numpy as np

    index = faiss.IndexFlatL2(data["X"].shape[1])
    index.add(data["X"].astype(np.float32))
    return index.search(data["Q"].astype(np.float32), K)[1]


class FewDimensions(Race):
    """From rows to the numbers of the ten nearest to each query, where a tree helps."""

    name = "k_neighbors_few"
    title = "k nearest neighbours, few dimensions"
    full = ({"rows": 100_000, "queries": 10_000, "columns": 8},)
    quick = ({"rows": 20_000, "queries": 2_000, "columns": 8},)

    def data(self, size: Size, folder: Path) -> Data:
        """Independent normal columns: the hardest there are for a tree."""
        import numpy as np

        rng = np.random.default_rng(0)
        rows, queries = (rng.normal(size=(size[part], size["columns"])) for part in ("rows", "queries"))
        return {"X": rows, "Q": queries}

    def contenders(self) -> Sequence[Contender]:
        """SciPy's tree is the one to beat."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("SciPy cKDTree", "scipy", scipy, goal=1.0),
            Contender("scikit-learn NearestNeighbors", "scikit-learn", scikit_learn, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same rows in the same order; single precision may swap two at nearly one distance."""
        found = float((ours == theirs).mean())
        return Agreement(found >= 0.999, "the same rows" if found == 1.0 else f"{found:.3%} the same rows")

    def limit(self, data: Data) -> Limit:
        """Reading the rows."""
        return Limit(data["X"].nbytes + data["Q"].nbytes)


class ManyDimensions(FewDimensions):
    """The same where no tree helps, so that every pair has to be compared."""

    name = "k_neighbors_many"
    title = "k nearest neighbours, many dimensions"
    full = ({"rows": 100_000, "queries": 10_000, "columns": 64},)
    quick = ({"rows": 20_000, "queries": 2_000, "columns": 64},)

    def contenders(self) -> Sequence[Contender]:
        """FAISS is the one to beat."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("FAISS flat", "faiss-cpu", faiss, goal=1.0, because=EXACT),
            Contender("scikit-learn NearestNeighbors", "scikit-learn", scikit_learn, goal=1.5),
        ]

    def limit(self, data: Data) -> Limit:
        """A multiplication and an addition for each coordinate of each pair."""
        n, d = data["X"].shape
        return Limit(data["X"].nbytes + data["Q"].nbytes, 2.0 * n * d * len(data["Q"]))
