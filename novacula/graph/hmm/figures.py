"""Pictures of a chain: its states with arrows between them, the best ways through a sequence, and the climb of EM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import COLOURS, FAINT, INK, Figure, curve_figure, few_digits, literal
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRAPH = 5
"""States that are drawn as a graph; more are drawn as a table of shades."""
ARROW = 0.005
"""The least probability that is drawn as an arrow."""
BEND = 0.22
"""How far an arrow bends, as a share of its length."""
NAME = 9
"""Characters of a state's name inside its circle."""
CELLS = 30
"""States in a table of shades."""


def transition_figure(transition: Floats, states: list[str]) -> Figure:
    """The chain: arrows as wide as they are probable, or for many states shades."""
    if len(states) > GRAPH:
        return _shades(transition, states)
    k = len(states)
    angle = np.pi / 2.0 - 2.0 * np.pi * np.arange(k) / k if k != 2 else np.array([np.pi, 0.0])
    place = np.column_stack([np.cos(angle), np.sin(angle)]) * (0.0 if k == 1 else 1.0)

    def draw(axes: Axes) -> None:
        for i in range(k):
            for j in range(k):
                if transition[i, j] >= ARROW:
                    _arrow(axes, place, i, j, float(transition[i, j]), angle)
        axes.scatter(
            place[:, 0],
            place[:, 1],
            s=2600,
            color="white",
            edgecolors=[COLOURS[i % len(COLOURS)] for i in range(k)],
            linewidths=2,
            zorder=3,
        )
        for (x, y), name in zip(place, states, strict=True):
            axes.text(x, y, literal(shortened(name, NAME)), ha="center", va="center", fontsize=9, zorder=4)
        axes.set_xlim(-1.95, 1.95)
        axes.set_ylim(*((-1.75, 1.85) if k > 2 else (-0.95, 0.95)))
        axes.set_aspect("equal")
        axes.set_axis_off()

    arrows = [
        f"{states[i]} → {states[j]} {few_digits(transition[i, j])}"
        for i in range(k)
        for j in range(k)
        if transition[i, j] >= ARROW
    ]
    size = (6.4, 6.0) if k > 2 else (6.4, 3.4)
    return Figure(draw, f"A graph of transitions: {'; '.join(arrows)}.", "Transitions and their probabilities", size)


def _arrow(axes: Axes, place: Floats, i: int, j: int, chance: float, angle: Floats) -> None:
    """An arrow from i to j with its probability, bent so that the way back has room; to itself it is a loop."""
    from matplotlib.patches import FancyArrowPatch

    style: dict[str, Any] = {"arrowstyle": "-|>", "color": INK, "linewidth": 0.6 + 2.4 * chance, "mutation_scale": 12}
    if i == j:
        out = np.array([np.cos(angle[i]), np.sin(angle[i])])
        side = np.array([-out[1], out[0]])
        begin, end = place[i] + 0.2 * out + 0.16 * side, place[i] + 0.2 * out - 0.16 * side
        axes.add_patch(FancyArrowPatch(begin, end, connectionstyle="arc3,rad=-2.2", shrinkA=0, shrinkB=0, **style))
        label = place[i] + 0.72 * out
    else:
        begin, end = place[i], place[j]
        axes.add_patch(FancyArrowPatch(begin, end, connectionstyle=f"arc3,rad={BEND}", shrinkA=28, shrinkB=28, **style))
        way = end - begin
        control = 0.5 * (begin + end) + BEND * np.array([way[1], -way[0]])
        along = 0.36  # nearer to where it comes from, so that numbers of arrows both ways stay apart
        label = (1 - along) ** 2 * begin + 2 * along * (1 - along) * control + along**2 * end
    halo = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    axes.text(
        label[0], label[1], few_digits(round(chance, 3)), ha="center", va="center", fontsize=8, bbox=halo, zorder=2
    )


def _shades(transition: Floats, states: list[str]) -> Figure:
    names_shown = states[:CELLS]
    part = transition[: len(names_shown), : len(names_shown)]

    def draw(axes: Axes) -> None:
        image = axes.imshow(part, cmap="Blues", vmin=0.0, vmax=max(float(part.max()), 1e-12))
        names = [literal(shortened(name, NAME)) for name in names_shown]
        axes.set_xticks(range(len(names_shown)), names, rotation=90, fontsize=8)
        axes.set_yticks(range(len(names_shown)), names, fontsize=8)
        axes.set_xlabel("to")
        axes.set_ylabel("from")
        axes.figure.colorbar(image, ax=axes, label="probability")

    cut = f", the first {CELLS} of {len(states)} states" if len(states) > CELLS else ""
    likely = np.argmax(part, axis=1)
    arrows = "; ".join(
        f"{names_shown[i]} → {names_shown[j]} {few_digits(part[i, j])}" for i, j in enumerate(likely[:8])
    )
    alt = f"A table of transitions, the likeliest from each state: {arrows}."
    return Figure(draw, alt, f"Transitions and their probabilities{cut}", (6.4, 5.6))


def lattice_figure(best: Floats, back: Any, path: Any, states: list[str], observations: list[str]) -> Figure:
    """States over time: thin lines lead to each state on its best way, the best way of all is thick."""
    n, k = best.shape
    n_shown = min(k, CELLS)

    def draw(axes: Axes) -> None:
        for t in range(n):
            for j in range(n_shown):
                if not np.isfinite(best[t, j]):
                    continue
                if t > 0:
                    axes.plot([t - 1, t], [back[t, j], j], color=FAINT, linewidth=1.4, zorder=1)
                axes.plot(t, j, "o", color="white", markeredgecolor=INK, markersize=13, zorder=3)
                if n * n_shown <= 60:
                    axes.annotate(
                        few_digits(round(float(best[t, j]), 2)),
                        (t, j),
                        (0, -15),
                        textcoords="offset points",
                        ha="center",
                        fontsize=7,
                    )
        axes.plot(range(n), path, color=COLOURS[1], linewidth=3, zorder=2)
        axes.plot(range(n), path, "o", color=COLOURS[1], markersize=13, zorder=4)
        axes.set_yticks(range(n_shown), [literal(shortened(name, 20)) for name in states[:n_shown]])
        axes.set_xticks(
            range(n), [f"{t + 1}\n{literal(shortened(word, 10))}" for t, word in enumerate(observations)], fontsize=8
        )
        axes.set_ylim(n_shown - 0.4, -0.6)
        axes.set_xlim(-0.5, n - 0.5)
        axes.set_xlabel("step, and what was seen")
        axes.spines["left"].set_visible(False)
        axes.tick_params(length=0)

    visited = ", ".join(states[z] for z in path)
    size = (max(4.5, 1.6 + 0.75 * n), 1.6 + 0.6 * n_shown)
    return Figure(draw, f"The best path: {visited}.", "The best ways, each with its ln δ", size)


def climb_figure(history: Floats) -> Figure:
    """The objective from the start on."""
    return curve_figure(
        np.arange(len(history)),
        {"objective": history},
        title="The objective never falls",
        xlabel="iteration",
        ylabel="log-likelihood",
        alt=f"The objective rises from {few_digits(history[0])} to {few_digits(history[-1])}.",
    )
