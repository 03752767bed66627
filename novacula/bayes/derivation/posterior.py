"""The work and the picture of a posterior: Bayes' theorem with the numbers put in, observation by observation."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.bayes.probabilities import logarithm
from novacula.learner.derivation import MEASURED, SHOWN, distinct_names, heaviest, largest, only_first, only_first_rows
from novacula.learner.figure import COLOURS, Figure, curve_figure, few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats
from novacula.table.names import printable

if TYPE_CHECKING:
    from novacula.bayes.posterior import Posterior

ENDS = 10
"""Observations shown at either end of a table."""
NAME = 40
"""Characters of a name."""
TINY = 600.0
"""A likelihood of e^−600 or less is shown by its logarithm."""


def derive_posterior(posterior: Posterior, options: WorkOptions) -> Work:
    """The prior, the posterior after each observation, and Bayes' theorem for the hypotheses that matter most."""
    shown = shown_hypotheses(posterior, options)
    figure = posterior_figure(posterior) if posterior.observed else None
    rule = Equation("P(h | D)", "P(D | h) * P(h) / P(D)")
    steps = [Step("Hypotheses", rule, table=_course_table(posterior, shown), figure=figure)]
    steps += [*_likelihood_steps(posterior, shown), *bayes_steps(posterior, options)]
    left_out = len(posterior.names) - len(shown)
    notes = [f"{left_out} less probable hypotheses are not written out."] if left_out else []
    return Work("Posterior of the hypotheses", steps, notes)


def shown_hypotheses(posterior: Posterior, options: WorkOptions) -> list[int]:
    """The hypotheses to write out, in their order: the most probable, or all."""
    most = len(posterior.names) if options.is_full else SHOWN
    return largest(np.exp(posterior.log_weights), most)


def names_of(posterior: Posterior) -> list[str]:
    """The hypotheses as a derivation writes them."""
    return distinct_names(map(called, posterior.names), NAME)


def _course_table(posterior: Posterior, shown: list[int]) -> WorkTable:
    logs, counts = course(posterior)
    data: list[Any] = [x for seen in posterior.observed for x in seen.data]
    n, names = len(data), names_of(posterior)
    places = range(n + 1) if n <= 2 * ENDS else [*range(ENDS), *range(n + 1 - ENDS, n + 1)]
    rows = [
        (few_digits(counts[i]), "prior" if i == 0 else called(data[i - 1]), *np.exp(logs[i, shown]).tolist())
        for i in places
    ]
    caption = f"{n + 1 - len(rows)} rows in the middle are left out." if len(rows) <= n else ""
    return WorkTable(("seen", "observation", *(f"⟦P({word(names[k])} | D)⟧" for k in shown)), tuple(rows), caption)


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


# --- Bayes' theorem --------------------------------------------------------------------------------------------------


def _likelihood_steps(posterior: Posterior, shown: list[int]) -> list[Step]:
    """P(D | h) = Π P(d | h), factor by factor, or its logarithm where it is too small to hold."""
    if not posterior.observed:
        return []
    weight = np.concatenate([seen.weight for seen in posterior.observed])
    logs = np.vstack([seen.log_likelihood for seen in posterior.observed])[weight > 0]
    weight = weight[weight > 0]
    names = names_of(posterior)
    return [Step("Likelihoods", tuple(_likelihood(posterior, names[k], logs, weight, k) for k in shown))]


def _likelihood(posterior: Posterior, name: str, logs: Floats, weight: Floats, k: int) -> Equation:
    h, total = word(name), float(posterior.log_likelihood[k])
    is_even = bool(np.all(weight == 1.0))
    each = f"P(d[i] | {h})"
    values: dict[str, Any] = {} if is_even else {"w[i]": weight[:MEASURED]}
    beyond = float(weight[MEASURED:] @ logs[MEASURED:, k]) if len(weight) > MEASURED else 0.0
    meanings = {} if is_even else {"w[i]": "how often the observation was seen"}
    if any(TINY < abs(log) < math.inf for log in (total, beyond, *(weight * logs[:, k])[:MEASURED])):
        right = f"sum(log({each}) for i in _)" if is_even else f"sum(w[i] * log({each}) for i in _)"
        values = {**values, f"log({each})": logs[:MEASURED, k]}
        rest = {"i": beyond} if len(weight) > MEASURED else {}
        return Equation(f"log(P(D | {h}))", right, values, ("log_likelihood", k), meanings, rest)
    right = f"product({each} for i in _)" if is_even else f"product({each} ** w[i] for i in _)"
    values = {**values, f"P(D | {h})": math.exp(total), each: np.exp(logs[:MEASURED, k])}
    return Equation(f"P(D | {h})", right, values, where=meanings, rest={"i": math.exp(beyond)} if beyond else {})


def bayes_steps(posterior: Posterior, options: WorkOptions, of: tuple[str, ...] = ()) -> Iterator[Step]:
    """P(D), then P(D|h)·P(h) / P(D) of each hypothesis, and the most probable one.

    `of` is where whoever shows the work keeps the posterior.
    """
    shown, names = shown_hypotheses(posterior, options), names_of(posterior)
    finite = posterior.log_likelihood[np.isfinite(posterior.log_likelihood)]
    is_tiny = bool((np.abs(finite) > TINY).any())
    likelihood = posterior.log_likelihood if is_tiny else np.exp(posterior.log_likelihood)
    header = ("hypothesis", "⟦P(h)⟧", "⟦log(P(D | h))⟧" if is_tiny else "⟦P(D | h)⟧")
    rows = [(names[k], float(posterior.prior[k]), float(likelihood[k])) for k in shown]
    yield Step("Evidence", _evidence(posterior, names, is_tiny, of), table=WorkTable(header, tuple(rows)))
    for k in shown:
        h = word(names[k])
        prior = {f"P({h})": posterior.prior[k]}
        path: tuple[str | int, ...] = (*of, "weights", k)
        if is_tiny:
            values = {f"log(P(D | {h}))": posterior.log_likelihood[k], "log(P(D))": posterior.log_evidence} | prior
            theorem = Equation(f"P({h} | D)", f"exp(log(P(D | {h})) + log(P({h})) - log(P(D)))", values, path)
        else:
            values = {f"P(D | {h})": likelihood[k], "P(D)": math.exp(posterior.log_evidence)} | prior
            theorem = Equation(f"P({h} | D)", f"P(D | {h}) * P({h}) / P(D)", values, path)
        yield Step(f"Posterior of {names[k]}", theorem)
    # From the most probable on, so that of those that look the same the first is the one that the logarithms say.
    order = np.argsort(-posterior.log_weights, kind="stable").tolist()
    values = {"h_MAP": names[order[0]], "P(h | D)": {names[k]: posterior.weights[k] for k in order}}
    yield Step("The most probable", Equation("h_MAP", "argmax(P(h | D) for h in _)", values, therefore=True))


def _evidence(posterior: Posterior, names: Sequence[str], is_tiny: bool, of: tuple[str, ...]) -> Equation:
    """P(D) = Σ P(D|h) · P(h), or its logarithm, where the largest likelihood is taken out of the sum."""
    possible = posterior.prior > 0
    peak = float(posterior.log_likelihood[possible].max()) if is_tiny else 0.0
    terms = np.zeros(len(names))
    terms[possible] = posterior.prior[possible] * np.exp(posterior.log_likelihood[possible] - peak)
    kept, rest = heaviest(terms, "h")
    priors = _by_name(names, posterior.prior, kept)
    if not is_tiny:
        likelihoods = _by_name(names, np.exp(posterior.log_likelihood), kept)
        values = {"P(D | h)": likelihoods, "P(h)": priors, "P(D)": math.exp(posterior.log_evidence)}
        return Equation("P(D)", "sum(P(D | h) * P(h) for h in _)", values, rest=rest)
    return Equation(
        "log(P(D))",
        "L + log(sum(exp(log(P(D | h)) - L) * P(h) for h in _ if P(h) > 0))",
        {"L": peak, "log(P(D | h))": _by_name(names, posterior.log_likelihood, kept), "P(h)": priors},
        of=(*of, "log_evidence"),
        where={"L": "the largest logarithm of a likelihood, which is taken out of the sum"},
        rest=rest,
    )


def _by_name(names: Sequence[str], values: Floats, kept: Sequence[int]) -> dict[str, float]:
    return {names[k]: float(values[k]) for k in kept}


# --- predictions -----------------------------------------------------------------------------------------------------


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
    return Work(f"Prediction of {called(x)}", steps)


def mixture(
    posterior: Posterior, names: Sequence[str], each: Floats, left: str, term: str, of: tuple[str | int, ...]
) -> Equation:
    """What all hypotheses say, each by its probability."""
    kept, rest = heaviest(each * posterior.weights, "h")
    values = {term: _by_name(names, each, kept), "P(h | D)": _by_name(names, posterior.weights, kept)}
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
    weights = _by_name(names, posterior.weights, range(len(names)))
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


# --- the picture -----------------------------------------------------------------------------------------------------


def posterior_figure(posterior: Posterior) -> Figure:
    """P(h | D) against the number of observations, of the hypotheses that were ever most likely to be right."""
    logs, counts = course(posterior)
    order = np.argsort(-np.exp(logs).max(axis=0), kind="stable")[: len(COLOURS)]
    curves = {called(posterior.names[k]): np.exp(logs[:, k]) for k in sorted(order.tolist())}
    rest = len(posterior.names) - len(order)
    more = f" ({rest} less probable ones are not drawn)" if rest else ""
    return curve_figure(
        counts,
        curves,
        title=f"What is believed of the hypotheses{more}",
        xlabel="observations",
        ylabel="P(h | D)",
    )


def called(name: Hashable) -> str:
    """A name or datum as a derivation writes it."""
    if isinstance(name, (int, float, np.integer, np.floating)) and not isinstance(name, (bool, np.bool_)):
        return few_digits(float(name))
    return printable(str(name), NAME)
