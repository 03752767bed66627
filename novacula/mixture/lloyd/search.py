"""How many clusters? Every size compared: inertia with its elbow, silhouette, and BIC.

Inertia falls with every cluster more, so it cannot choose on its own. Its elbow is the size whose inertia lies farthest
below the straight line from the first size to the last. Silhouette is highest, BIC lowest, at the best size.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.learner.figure import COLOURS, INK, Figure
from novacula.learner.render import table_lines
from novacula.learner.render_html import table_parts
from novacula.learner.work import WorkTable
from novacula.mixture.leaderboard import score_cell, warning_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.mixture.k_means import KMeans

CRITERIA = ("silhouette", "bic", "elbow")


@dataclass(frozen=True, slots=True)
class ClusterSearchSize:
    """One number of clusters: NaN where a figure is not defined, and `note` says what the fit warned of."""

    n_clusters: int
    inertia: float
    silhouette: float
    bic: float
    note: str


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSearch:
    """The sizes in rising order, what each criterion chooses, and the fitted model that `criterion` chose."""

    criterion: str
    sizes: tuple[ClusterSearchSize, ...]
    choices: dict[str, int]
    best: KMeans
    exact: bool  # whether silhouettes are over all pairs of rows, rather than over distances to centres

    def table(self) -> WorkTable:
        """The sizes as a table; each with the criteria that choose it."""
        kind = "silhouette" if self.exact else "silhouette (of centres)"
        header = ("clusters", "inertia", f"{kind} ↑", "BIC ↓", "chosen by", "note")
        rows = tuple(
            (
                size.n_clusters,
                *(score_cell(value) for value in (size.inertia, size.silhouette, size.bic)),
                ", ".join(name for name in CRITERIA if self.choices.get(name) == size.n_clusters),
                size.note,
            )
            for size in self.sizes
        )
        return WorkTable(header, rows, f"Numbers of clusters; the best by {self.criterion} is {self.best.n_clusters}")

    def figure(self) -> Figure:
        """Inertia, silhouette and BIC over the number of clusters, each on its own scale, choices marked."""
        curves = {
            "inertia (elbow marked)": ("elbow", [size.inertia for size in self.sizes]),
            "silhouette (highest marked)": ("silhouette", [size.silhouette for size in self.sizes]),
            "BIC (lowest marked)": ("bic", [size.bic for size in self.sizes]),
        }
        sizes = np.array([size.n_clusters for size in self.sizes])

        def draw(axes: Axes) -> None:
            axes.set_axis_off()
            for i, (title, (name, values)) in enumerate(curves.items()):
                panel = axes.inset_axes((0.06, 0.7 - 0.34 * i, 0.94, 0.24))
                _draw_curve(panel, sizes, np.array(values), self.choices.get(name), COLOURS[i])
                panel.set_title(title, loc="left", fontsize=10)
                panel.tick_params(labelbottom=i == len(curves) - 1)
            panel.set_xlabel("clusters")

        chosen = ", ".join(f"{name} {size}" for name, size in self.choices.items())
        return Figure(draw, f"Inertia, silhouette and BIC over the number of clusters; they choose {chosen}.",
                      "How many clusters?", (6.4, 6.4))  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(table_lines(self.table()))

    def _repr_html_(self) -> str:
        return "".join(table_parts(self.table()))


def _draw_curve(axes: Axes, sizes: Any, values: Any, chosen: int | None, colour: str) -> None:
    from matplotlib.ticker import MaxNLocator

    finite = np.isfinite(values)
    axes.plot(sizes[finite], values[finite], "o-", color=colour, markersize=4)
    if chosen is not None:
        axes.plot(chosen, values[sizes == chosen][0], "o", color="none", markeredgecolor=INK, markersize=10)
    axes.set_xlim(sizes[0] - 0.5, sizes[-1] + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid()


def search_sizes(
    cls: type[KMeans], X: Any, sizes: tuple[int, ...], criterion: str, sample_weight: Any, parameters: dict[str, Any]
) -> ClusterSearch:
    """Fit and compare; the work behind `KMeans.search`."""
    if criterion not in CRITERIA:
        raise ParameterError(f"criterion is {criterion!r}; it must be one of {', '.join(CRITERIA)}")
    if not sizes:
        raise ParameterError("n_clusters is empty: a search needs at least one number of clusters")
    models = {k: cls(k, **parameters) for k in sorted(set(sizes))}
    tried, exact, first_error = [], False, None
    for k, model in models.items():
        try:
            size, exact = _try(model, X, sample_weight)
        except DataError as error:
            first_error = first_error or error
            size = ClusterSearchSize(k, math.nan, math.nan, math.nan, str(error))
        tried.append(size)
    if first_error is not None and all(math.isnan(size.inertia) for size in tried):
        raise first_error
    chosen = choices(tried)
    if criterion not in chosen:
        raise ParameterError(
            f"n_clusters is {list(models)}, from which {criterion!r} cannot choose: an elbow takes three sizes, a "
            "silhouette two clusters, and BIC an inertia above 0"
        )
    return ClusterSearch(criterion, tuple(tried), chosen, models[chosen[criterion]], exact)


def _try(model: KMeans, X: Any, sample_weight: Any) -> tuple[ClusterSearchSize, bool]:
    """Fit one size; what it warns of becomes a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, sample_weight=sample_weight)
    silhouette = model.silhouette(X, sample_weight)
    note = warning_note(caught)
    bic = model.bic()
    size = ClusterSearchSize(
        model.n_clusters, model.inertia_, silhouette.mean, bic if math.isfinite(bic) else math.nan, note
    )
    return size, silhouette.exact


def choices(sizes: list[ClusterSearchSize]) -> dict[str, int]:
    """The number of clusters that each criterion chooses, where it can; ties go to the smallest."""
    chosen = {}
    with_silhouette = [size for size in sizes if math.isfinite(size.silhouette)]
    if with_silhouette:
        chosen["silhouette"] = max(with_silhouette, key=lambda size: size.silhouette).n_clusters
    with_bic = [size for size in sizes if math.isfinite(size.bic)]
    if with_bic:
        chosen["bic"] = min(with_bic, key=lambda size: size.bic).n_clusters
    fitted = [size for size in sizes if math.isfinite(size.inertia)]
    if len(fitted) > 2:
        chosen["elbow"] = elbow([size.n_clusters for size in fitted], [size.inertia for size in fitted])
    return chosen


def elbow(sizes: list[int], inertias: list[float]) -> int:
    """The size farthest below the line from the first to the last; ties go to the smallest.

    >>> elbow([1, 2, 3, 4], [100.0, 20.0, 15.0, 12.0])
    2
    """
    k, inertia = np.array(sizes, np.float64), np.array(inertias)
    line = inertia[0] + (inertia[-1] - inertia[0]) * (k - k[0]) / (k[-1] - k[0])
    return sizes[int(np.argmax(line - inertia))]
