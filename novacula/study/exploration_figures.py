"""Pictures of an exploration: rows by cluster, profiles, sizes, components, densities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure, bar_figure, few_digits, literal
from novacula.projection.figures import scree_figure
from novacula.study.clusters import Clusters
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.study.exploration import Exploration

POINTS = 2_000
"""Rows that are drawn."""
HEAT = 20
"""Columns of a heat map: those that differ most between clusters."""
MARKERS = "osD^vP*X<>"
"""Clusters differ in more than colour."""


def figures(exploration: Exploration) -> list[tuple[str, Figure]]:
    """All figures, with titles."""
    titled = [("Rows by cluster", rows_figure(exploration))]
    if exploration.n_clusters > 1:
        titled.append(("What the clusters are", profile_figure(exploration)))
    if exploration.mixtures:
        titled.append(("How many Gaussians", bic_figure(exploration.clusters)))
    titled.append(("How many clusters, by k-means", exploration.clusterings.figure()))
    enough = int(np.searchsorted(np.cumsum(exploration.pca.explained_variance_ratio_), 0.9 - 1e-12)) + 1
    titled.append(
        ("Variance by direction", scree_figure(exploration.pca.eigenvalues_, exploration.pca.total_variance_, enough))
    )
    if any(one.comparable for one in exploration.density):
        titled.append(("Densities", density_figure(exploration)))
    return titled


def rows_figure(exploration: Exploration) -> Figure:
    """Rows along the first two directions, by cluster, with ellipses of two deviations; with one direction, counts."""
    scores = exploration.pca.transform(exploration.prepared)
    step = -(-len(scores) // POINTS)
    labels = exploration.labels_
    if scores.shape[1] == 1:
        return _counts_figure(exploration)
    shares = exploration.pca.explained_variance_ratio_[:2]

    def draw(axes: Axes) -> None:
        for i, one in enumerate(exploration.profiles):
            inside = labels == one.cluster
            colour = COLOURS[i % len(COLOURS)]
            marker = MARKERS[i % len(MARKERS)]
            x, y = scores[inside][::step, :2].T
            axes.scatter(x, y, s=14, color=colour, marker=marker, alpha=0.55, linewidth=0)
            _draw_ellipse(axes, scores[inside, :2], colour, LINES[i // len(COLOURS) % len(LINES)])
            label = f"cluster {one.cluster} ({one.size:,} rows)"
            axes.plot([], [], color=colour, marker=marker, linestyle="none", label=label)
        axes.set_xlabel(f"direction 1 ({100 * shares[0]:.1f}% of the variance)")
        axes.set_ylabel(f"direction 2 ({100 * shares[1]:.1f}% of the variance)")
        axes.grid()
        if len(exploration.profiles) > 1:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)  # next to the rows, not on them

    words = "; ".join(
        f"cluster {one.cluster}, {one.size} rows, about "
        + ", ".join(few_digits(v) for v in scores[labels == one.cluster, :2].mean(axis=0))
        for one in exploration.profiles
    )
    cut = f", {len(scores[::step]):,} of {len(scores):,} rows" if step > 1 else ""
    title = f"Rows along two directions{cut}; ellipses: two deviations"
    return Figure(draw, f"Rows along the first two principal components: {words}.", title, (7.6, 4.8))


def _draw_ellipse(axes: Axes, points: Floats, colour: str, line: str) -> None:
    if len(points) < 3:
        return
    values, vectors = np.linalg.eigh(np.cov(points.T))
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    x, y = points.mean(axis=0)[:, None] + 2.0 * vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * circle)
    axes.plot(x, y, color=colour, linestyle=line, linewidth=1.4)


def _counts_figure(exploration: Exploration) -> Figure:
    """The one column there is, as stacked counts by cluster."""
    column = exploration.prepared.layout.features[0]
    scaled = exploration.prepared.to_chunk().numeric[:, 0]
    values = (
        scaled * exploration.preparation.encoding.spread[0] + exploration.preparation.encoding.centre[0]
        if len(exploration.preparation.encoding.centre)
        else scaled
    )
    parts = [values[exploration.labels_ == one.cluster] for one in exploration.profiles]

    def draw(axes: Axes) -> None:
        bins = min(40, max(10, math.isqrt(len(values))))
        names = [f"cluster {one.cluster} ({one.size:,} rows)" for one in exploration.profiles]
        colours = [COLOURS[i % len(COLOURS)] for i in range(len(parts))]
        axes.hist(parts, bins=bins, stacked=True, color=colours, label=names, edgecolor="white", linewidth=0.3)
        axes.set_xlabel(literal(shortened(column.name)))
        axes.set_ylabel("rows")
        axes.grid(axis="y")
        if len(parts) > 1:
            axes.legend()

    words = "; ".join(
        f"cluster {one.cluster}, {one.size} rows, mean {few_digits(part.mean())}"
        for one, part in zip(exploration.profiles, parts, strict=True)
    )
    return Figure(draw, f"Counts of {column.name} by cluster: {words}.", f"{shortened(column.name)} by cluster")


def profile_figure(exploration: Exploration) -> Figure:
    """The means of the columns that differ most, in deviations from those of all rows, as a heat map."""
    names = [column.name for column in exploration.prepared.layout.features]
    deviations = np.array([one.deviations for one in exploration.profiles])  # (clusters, columns)
    drawn_columns = np.sort(np.argsort(-np.abs(deviations).max(axis=0), kind="stable")[:HEAT])
    heat = deviations[:, drawn_columns].T
    reach = max(float(np.abs(heat).max()), 0.5)

    def draw(axes: Axes) -> None:
        axes.imshow(heat, cmap="RdBu_r", vmin=-reach, vmax=reach, aspect="auto")
        axes.set_xticks(
            range(len(exploration.profiles)), [f"cluster {one.cluster}\n{one.size:,}" for one in exploration.profiles]
        )
        axes.set_yticks(range(len(drawn_columns)), [literal(shortened(names[j])) for j in drawn_columns])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for (i, k), value in np.ndenumerate(heat):
            colour = "white" if abs(value) > 0.65 * reach else INK
            axes.text(k, i, f"{value:+.1f}", ha="center", va="center", color=colour, fontsize=9)

    words = "; ".join(
        f"cluster {one.cluster}: {', '.join(one.traits) or 'like the whole'}" for one in exploration.profiles
    )
    cut = f", the {HEAT} of {len(names)} columns that differ most" if len(names) > HEAT else ""
    size = (3.6 + 0.75 * len(exploration.profiles), 1.5 + 0.3 * len(drawn_columns))
    return Figure(draw, f"Means by cluster, in deviations: {words}.", f"Means by cluster, in deviations{cut}", size)


def bic_figure(clusters: Clusters) -> Figure:
    """BIC over the number of Gaussians, one curve per family; hollow: a component collapsed; a ring: the choice."""
    kinds = list(dict.fromkeys(one.candidate.covariance_type for one in clusters.mixtures))
    scored = [one for one in clusters.mixtures if math.isfinite(one.candidate.score)]
    chosen = next(one.candidate for one in clusters.mixtures if one.model is clusters.model)
    # Families that fit much worse would press the others flat: scores above those of the chosen family are cut.
    low = min(one.candidate.score for one in scored)
    high = max(one.candidate.score for one in scored if one.candidate.covariance_type == chosen.covariance_type)
    high = high if high > low else low + 1.0

    def draw(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        for i, kind in enumerate(kinds):
            family = [one for one in scored if one.candidate.covariance_type == kind]
            _draw_family(axes, family, COLOURS[i % len(COLOURS)], LINES[i % len(LINES)], kind)
        ring: dict[str, Any] = {
            "markersize": 13,
            "markerfacecolor": "none",
            "markeredgecolor": INK,
            "linestyle": "none",
        }
        axes.plot(chosen.n_components, chosen.score, marker="o", label="chosen", **ring)
        axes.set_ylim(low - 0.08 * (high - low), high + 0.05 * (high - low))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        axes.set_xlabel("Gaussians")
        axes.set_ylabel("BIC (lower is better; far above is cut)")
        axes.grid()
        axes.legend()

    least = min((one.candidate for one in scored), key=lambda one: one.score)
    alt = (
        f"BIC over the number of Gaussians; chosen is {chosen.n_components} {chosen.covariance_type} with "
        f"{few_digits(chosen.score)}; the least is {few_digits(least.score)}, of {least.n_components} "
        f"{least.covariance_type}."
    )
    hollow = " (hollow: a component collapsed)" if any(not one.counts for one in scored) else ""
    return Figure(draw, alt, f"How many Gaussians?{hollow}")


def _draw_family(axes: Axes, family: list[Any], colour: str, line: str, name: str) -> None:
    sizes, scores = [one.candidate.n_components for one in family], [one.candidate.score for one in family]
    axes.plot(sizes, scores, color=colour, linestyle=line, label=name, marker="o", markersize=4)
    for one in family:
        if not one.counts:
            axes.plot(
                one.candidate.n_components,
                one.candidate.score,
                "o",
                color=colour,
                markerfacecolor="white",
                markersize=5,
            )


def density_figure(exploration: Exploration) -> Figure:
    """How much worse than the best each density is, in −ln p of rows left out, with one standard error."""
    compared = [one for one in exploration.density if one.comparable]
    behind = [one.fold_errors - compared[0].fold_errors for one in compared]
    values = np.array([gap.mean() for gap in behind])
    error = np.array([gap.std(ddof=1) / math.sqrt(len(gap)) for gap in behind])
    words = "; ".join(f"{one.name} {few_digits(one.error)}" for one in compared)
    return bar_figure(
        [one.name for one in compared],
        values,
        intervals=np.column_stack([values - error, values + error]),
        title="Densities: how much worse than the best on rows left out",
        xlabel="−ln p of a row, above the best's (± one standard error over the folds)",
        alt=f"Mean −ln p of rows left out, lower is better: {words}.",
    )
