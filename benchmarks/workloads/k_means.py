"""K-means: Lloyd's algorithm from one start until the centres hardly move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

SPREAD = 2.0
"""How far the centres of the clusters are scattered, in deviations of a cluster: they overlap."""
FIVE_LOOPS = (
    "On one thread 24 % of the time asks by bounds which rows may have another centre, 19 % adds rows to their "
    "centres, 15 % settles which centre is nearest, 12 % multiplies and 11 % lifts the bounds. Blocks of a quarter to "
    "twice the products take as long or longer. In runs on two machines the ratio was between 1.2 and 1.8."
)
"""What bounds few columns and few centres."""


def ours(data: Data) -> dict[str, Any]:
    """Products in single precision, exact where they leave a doubt, and Hamerly's bounds."""
    from novacula.mixture import KMeans

    model = KMeans(len(data["start"]), init=data["start"]).fit(data["X"])
    return {"inertia": model.inertia_, "centres": model.cluster_centers_}


def scikit_learn(data: Data, algorithm: str = "lloyd") -> dict[str, Any]:
    """The same start and the same rule to stop."""
    from sklearn.cluster import KMeans

    model = KMeans(len(data["start"]), init=data["start"], n_init=1, algorithm=algorithm).fit(data["X"])
    return {"inertia": model.inertia_, "centres": model.cluster_centers_}


def scikit_learn_elkan(data: Data) -> dict[str, Any]:
    """With Elkan's bounds."""
    return scikit_learn(data, "elkan")


class Clusters(Race):
    """From rows and starting centres to centres at rest."""

    name = "k_means"
    title = "k-means from one start"
    full = (
        {"rows": 1_000_000, "columns": 10, "clusters": 20},
        {"rows": 200_000, "columns": 64, "clusters": 100},
    )
    quick = (
        {"rows": 100_000, "columns": 10, "clusters": 20},
        {"rows": 20_000, "columns": 64, "clusters": 100},
    )

    def data(self, size: Size, folder: Path) -> Data:
        """Overlapping balls, and rows to start from."""
        import numpy as np

        rng = np.random.default_rng(0)
        n, d, k = size["rows"], size["columns"], size["clusters"]
        centres = SPREAD * rng.normal(size=(k, d))
        X = centres[rng.integers(0, k, n)] + rng.normal(size=(n, d))
        return {"X": X, "start": X[rng.choice(n, k, replace=False)]}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn with both of its algorithms."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn Lloyd", "scikit-learn", scikit_learn, goal=1.5, because=FIVE_LOOPS),
            Contender("scikit-learn Elkan", "scikit-learn", scikit_learn_elkan, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same inertia: from one start there is one end."""
        gap = abs(theirs["inertia"] - ours["inertia"]) / ours["inertia"]
        return Agreement(bool(gap <= 1e-9), f"the same inertia to {gap:.0e}")

    def limit(self, data: Data) -> Limit:
        """One pass at least that reads X and takes the distance of each row to each centre."""
        n, d = data["X"].shape
        return Limit(data["X"].nbytes, 2.0 * n * d * len(data["start"]))
