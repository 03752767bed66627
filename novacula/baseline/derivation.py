"""The works of the baselines: shares of classes, and means with the rows put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.derivation import SHOWN, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word

if TYPE_CHECKING:
    from novacula.baseline.mean import MeanRegressor
    from novacula.baseline.plurality import PluralityClassifier


def derive_shares(model: PluralityClassifier, options: WorkOptions, n_rows: int = 0) -> Work:
    """The share of each class, and the largest, which is the answer for every row."""
    labels = [str(label) for label in model.classes_]
    shown = len(labels) if options.is_full else min(len(labels), SHOWN)
    counts = dict(zip(labels, model.class_count_, strict=True))
    steps = [
        Step(
            f"Share of {label}",
            Equation(
                f"P({word(label)})",
                f"n[{word(label)}] / sum(n[t] for t in _)",
                {f"n[{word(label)}]": counts[label], "n[t]": counts},
                of=("share_", k),
            ),
        )
        for k, label in enumerate(labels[:shown])
    ]
    shares = {"P(t)": dict(zip(labels, model.share_, strict=True))}
    rule = "argmax(P(t) for t in _)"
    largest = tuple(
        Equation(f"t̂[{row + 1}]", rule, shares, of=("predict", row), therefore=True) for row in range(n_rows)
    ) or Equation("t̂", rule, shares, therefore=True)
    note = "The columns say nothing, so every row is given the most frequent class."
    return Work("Plurality", [*steps, Step("The answer", largest, note=note)], only_first(shown, len(labels), "class"))


def derive_mean(model: MeanRegressor, n_rows: int = 0) -> Work:
    """The mean of each target from its rows, the squared error that is left, and the answer for every row."""
    means, kept = np.ravel(model.mean_), model.trace_.first.shape[1]
    steps = [_mean_step(model, k) for k in range(kept)]
    for row in range(n_rows):
        answers = tuple(
            Equation(
                f"ŷ[{row + 1}{_place(model, k, ', ')}]",
                f"ȳ{_bracketed(model, k)}",
                {f"ȳ{_bracketed(model, k)}": means[k]},
                of=("predict", row, *_path(model, k)),
                therefore=True,
            )
            for k in range(kept)
        )
        steps.append(Step(f"Row {row + 1}", answers))
    return Work("Mean", steps, only_first(kept, len(means), "target"))


def _mean_step(model: MeanRegressor, k: int) -> Step:
    trace, at = model.trace_, _bracketed(model, k)
    y, n, is_even = f"y[i{_place(model, k, ', ')}]", model.moments_.weight, bool(np.all(trace.weight == 1.0))
    values = {y: trace.first[:, k], "n": n} | ({} if is_even else {"w[i]": trace.weight})
    rest = float(trace.rest[k])
    mean = Equation(
        f"ȳ{at}",
        f"sum({y} for i in _) / n" if is_even else f"sum(w[i] * {y} for i in _) / n",
        values,
        of=("mean_", *_path(model, k)),
        where={"n": "the number of rows" if is_even else "the sum of the weights"},
        rest={"i": rest} if rest else {},
    )
    left = Equation(
        f"MSE{at}",
        f"Q{at} / n",
        {f"Q{at}": model.moments_.scatter[k, k], "n": n},
        where={f"Q{at}": "the squared deviations of the target from its mean, added up"},
    )
    return Step("The mean" if isinstance(model.mean_, float) else f"The mean of target {k + 1}", (mean, left))


def _path(model: MeanRegressor, k: int) -> tuple[int, ...]:
    return () if isinstance(model.mean_, float) else (k,)


def _place(model: MeanRegressor, k: int, before: str) -> str:
    """The number of a target, where there are several."""
    return "" if isinstance(model.mean_, float) else f"{before}{k + 1}"


def _bracketed(model: MeanRegressor, k: int) -> str:
    return "" if isinstance(model.mean_, float) else f"[{k + 1}]"
