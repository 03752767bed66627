"""The work of predictions by several hypotheses: each by its probability, all together, or one that is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.bayes.derivation.names import Weighed, by_name, called, names_of, shown_hypotheses
from novacula.bayes.posterior_figures import predicted_course, prediction_figure
from novacula.learner.derivation import SHOWN, cut_table, heaviest, largest, only_first, only_first_rows
from novacula.learner.figure import few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.bayes.posterior import Posterior


def derive_datum(posterior: Posterior, x: Any, each: Floats) -> Work:
    """Σ P(x|h) · P(h|D), written out for a datum; `each` is P(x|h) of every hypothesis (H,)."""
    names, datum = names_of(posterior), word(called(x))
    rows = tuple((names[k], float(posterior.weights[k]), float(each[k])) for k in largest(posterior.weights, SHOWN))
    table = WorkTable(("hypothesis", "⟦P(h | D)⟧", f"⟦P({datum} | h)⟧"), rows)
    every = mixture(posterior, names, each, f"P({datum} | D)", f"P({datum} | h)", ("predict",))
    best = f"P({datum} | {word(called(posterior.map()))})"
    alone = Equation(f"P({datum} | h_MAP)", best, {best: float(posterior.predictive_map(x))}, ("predictive_map",))
    steps = [
        Step("All hypotheses, each by its probability", every, table=table),
        Step("The most probable hypothesis alone", alone),
    ]
    if posterior.observed:
        steps.append(_course_step(posterior, x, each))
    return Work(f"Prediction of {called(x)}", steps)


def _course_step(posterior: Posterior, x: Any, each: Floats) -> Step:
    """What was predicted before the first observation, and after each."""
    predicted, counts = predicted_course(posterior, each)
    rows = [(few_digits(n), p) for n, p in zip(counts.tolist(), predicted.tolist(), strict=True)]
    table = cut_table(("seen", f"⟦P({word(called(x))} | D)⟧"), rows, len(rows))
    return Step("After each observation", table=table, figure=prediction_figure(posterior, x, each))


def mixture(
    posterior: Weighed, names: Sequence[str], each: Floats, left: str, term: str, of: tuple[str | int, ...]
) -> Equation:
    """What all hypotheses say, each by its probability."""
    kept, rest = heaviest(each * posterior.weights, "h")
    values = {term: by_name(names, each, kept), "P(h | D)": by_name(names, posterior.weights, kept)}
    return Equation(left, f"sum({term} * P(h | D) for h in _)", values, of, rest=rest)


def derive_votes(
    posterior: Posterior, classes: Sequence[Any], each: Floats, options: WorkOptions, *, of: str, answer: str = ""
) -> Work:
    """Σ P(t|x, h) · P(h|D) for each class of the rows in `each` (H, n, K), and what the method `answer` says."""
    names, labels = names_of(posterior), [str(label) for label in classes]
    shown = len(labels) if options.is_full else min(len(labels), SHOWN)
    rows = shown_hypotheses(posterior, options)
    steps = []
    for i in range(min(each.shape[1], options.rows)):
        x, votes = f"x[{i + 1}]", []
        for k, label in enumerate(map(word, labels[:shown])):
            left, term = f"P({label} | {x}, D)", f"P({label} | {x}, h)"
            votes.append(mixture(posterior, names, each[:, i, k], left, term, (of, i, k)))
        if answer:
            shares = {f"P(t | {x}, D)": dict(zip(labels, (posterior.weights @ each[:, i]).tolist(), strict=True))}
            rule = f"argmax(P(t | {x}, D) for t in _)"
            votes.append(Equation(f"t̂[{i + 1}]", rule, shares, (answer, i), therefore=True))
        header = ("hypothesis", "⟦P(h | D)⟧", *(f"⟦P({word(label)} | {x}, h)⟧" for label in labels[:shown]))
        lines = ((names[h], float(posterior.weights[h]), *each[h, i, :shown].tolist()) for h in rows)
        steps.append(Step(f"Row {i + 1}", tuple(votes), table=WorkTable(header, tuple(lines))))
    notes = [*only_first_rows(options.rows, each.shape[1] > options.rows), *only_first(shown, len(labels), "class")]
    return Work("Predictions by all hypotheses", steps, notes)


def derive_draws(posterior: Posterior, classes: Sequence[Any], choices: Any, options: WorkOptions) -> Work:
    """The probability that each class is drawn: that of the hypotheses whose choice it is (H, n)."""
    names, labels = names_of(posterior), [str(label) for label in classes]
    weights = by_name(names, posterior.weights, range(len(names)))
    steps = []
    for i in range(min(choices.shape[1], options.rows)):
        votes = []
        for k, label in enumerate(labels):
            among = f"H[{word(label)}, {i + 1}]"
            votes.append(
                Equation(
                    f"P(t̂[{i + 1}] == {word(label)})",
                    f"sum(P(h | D) for h in {among})",
                    {among: [names[h] for h in np.flatnonzero(choices[:, i] == k)], "P(h | D)": weights},
                    of=("vote_shares", i, k),
                    where={among: f"the hypotheses that answer {label} for row {i + 1}"},
                )
            )
        lines = tuple((name, weights[name], labels[choices[h, i]]) for h, name in enumerate(names))
        table = WorkTable(("hypothesis", "⟦P(h | D)⟧", "answers"), lines)
        steps.append(Step(f"Row {i + 1}", tuple(votes), table=table))
    bound = "If the true hypothesis comes from the prior, a drawn one errs at most twice as often as the vote of all."
    return Work("Answers drawn", steps, [*only_first_rows(options.rows, choices.shape[1] > options.rows), bound])
