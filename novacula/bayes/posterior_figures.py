"""Pictures of a posterior: how belief changes with the observations, what is predicted, and belief update by update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.bayes.derivation.names import called
from novacula.bayes.probabilities import logarithm
from novacula.learner.figure import COLOURS, Figure, curve_figure, draw_curves, few_digits, literal
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.bayes.posterior import Posterior

STAGES = 4
"""Panels of a picture: what was believed first, and after the last updates."""
NAMED = 12
"""Hypotheses that are named under their bars."""


def course(posterior: Posterior) -> tuple[Floats, Floats]:
    """ln P(h | D) after each observation, from the prior on (n + 1, H), and how many were seen by then (n + 1,)."""
    blocks = [
        seen.weight[:, None] * np.where(seen.weight[:, None] > 0, seen.log_likelihood, 0.0)
        for seen in posterior.observed
    ]
    joint = np.cumsum(np.vstack([logarithm(posterior.prior)[None], *blocks]), axis=0)
    peak = joint.max(axis=1, keepdims=True)
    counts = np.concatenate([[0.0], *(seen.weight for seen in posterior.observed)])
    return joint - peak - np.log(np.exp(joint - peak).sum(axis=1, keepdims=True)), np.cumsum(counts)


def posterior_figure(posterior: Posterior) -> Figure:
    """P(h | D) against the number of observations, of the hypotheses that were ever most likely to be right."""
    curves, counts = _beliefs(posterior)
    rest = len(posterior.names) - len(curves)
    more = f" ({rest} less probable ones are not drawn)" if rest else ""
    title = f"What is believed of the hypotheses{more}"
    return curve_figure(counts, curves, title=title, xlabel="observations", ylabel="P(h | D)")


def _beliefs(posterior: Posterior) -> tuple[dict[str, Floats], Floats]:
    logs, counts = course(posterior)
    order = np.argsort(-np.exp(logs).max(axis=0), kind="stable")[: len(COLOURS)]
    return {called(posterior.names[k]): np.exp(logs[:, k]) for k in sorted(order.tolist())}, counts


def predicted_course(posterior: Posterior, each: Floats) -> tuple[Floats, Floats]:
    """P(x | D) after each observation (n + 1,), where `each` is P(x | h) (H,), and how many were seen by then."""
    logs, counts = course(posterior)
    return np.exp(logs) @ each, counts


def prediction_figure(posterior: Posterior, x: Any, each: Floats) -> Figure:
    """P(h | D) and beside it P(x | D), both against the number of observations."""
    beliefs, counts = _beliefs(posterior)
    predicted, _ = predicted_course(posterior, each)
    datum = called(x)

    def draw(axes: Axes) -> None:
        figure = axes.figure
        axes.remove()
        left, right = figure.subplots(1, 2)
        draw_curves(left, counts, beliefs, {})
        draw_curves(right, counts, {datum: predicted}, {})
        left.set_ylabel("P(h | D)")
        right.set_ylabel(literal(f"P(next is {datum} | D)"))
        for panel in (left, right):
            panel.set_xlabel("observations")
            panel.set_ylim(-0.03, 1.03 * max(1.0, float(predicted.max()) if panel is right else 1.0))

    ends = f"{few_digits(predicted[0])} to {few_digits(predicted[-1])}"
    alt = f"Left, the probability of each hypothesis; right, that the next is {datum}, which goes from {ends}."
    return Figure(draw, alt, "What is believed, and what is predicted", (9.0, 3.8))


def stages_figure(names: Sequence[Any], stages: Sequence[Floats]) -> Figure:
    """P(h), P(h | D₁), P(h | D₁, D₂), …: a panel for each, with a bar for each hypothesis; of many the last."""
    kept = [0, *range(max(1, len(stages) - STAGES + 1), len(stages))]
    panels = {f"P(h{_given(k)})": stages[k] for k in kept}
    highest = max(float(stage.max()) for stage in panels.values())

    def draw(axes: Axes) -> None:
        figure = axes.figure
        axes.remove()
        places = np.arange(len(names))
        drawn = np.atleast_1d(figure.subplots(1, len(panels), sharex=True, sharey=True))
        for panel, (title, stage) in zip(drawn, panels.items(), strict=True):
            panel.bar(places, stage, width=0.8 if len(names) <= NAMED else 1.0, color=COLOURS[0])
            panel.set_title(title, fontsize=10)
            panel.set_xlabel("hypotheses")
            labels = [literal(called(name)) for name in names] if len(names) <= NAMED else []
            panel.set_xticks(places[: len(labels)], labels, rotation=90 if max(map(len, labels), default=0) > 3 else 0)
        drawn[0].set_ylim(0.0, 1.08 * highest)
        drawn[0].set_ylabel("probability")

    tops = (f"{title} has {int((p > 0).sum())} above 0, at most {few_digits(p.max())}" for title, p in panels.items())
    alt = f"Bars of {len(names)} hypotheses: {'; '.join(tops)}."
    return Figure(draw, alt, "Belief, update by update", (1.0 + 2.6 * len(panels), 3.4))


def _given(updates: int) -> str:
    """The condition after so many updates."""
    lowered = [f"D{k}".translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")) for k in range(1, updates + 1)]
    return f" | {', '.join(lowered if updates < 4 else [lowered[0], '…', lowered[-1]])}" if updates else ""


def posterior_stages(posterior: Posterior) -> Figure:
    """The prior, and the posterior after each update."""
    logs, _ = course(posterior)
    ends = np.cumsum([0, *(len(seen.data) for seen in posterior.observed)])
    return stages_figure(posterior.names, [np.exp(logs[end]) for end in ends])
