"""The work of a posterior: Bayes' theorem with the numbers put in, observation by observation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from novacula.bayes.derivation.names import by_name, called, names_of, shown_hypotheses
from novacula.bayes.posterior_figures import course, posterior_figure, posterior_stages
from novacula.learner.derivation import MEASURED, heaviest
from novacula.learner.figure import few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.bayes.posterior import Posterior

ENDS = 10
"""Observations shown at either end of a table."""
TINY = 600.0
"""A likelihood of e^−600 or less is shown by its logarithm."""


def derive_posterior(posterior: Posterior, options: WorkOptions) -> Work:
    """The prior, the posterior after each observation, and Bayes' theorem for the hypotheses that matter most."""
    shown = shown_hypotheses(posterior, options)
    figure = posterior_figure(posterior) if posterior.observed else None
    rule = Equation("P(h | D)", "P(D | h) * P(h) / P(D)")
    steps = [Step("Hypotheses", rule, table=_course_table(posterior, shown), figure=figure)]
    steps += [*_likelihood_steps(posterior, shown, options), *bayes_steps(posterior, options)]
    steps.append(_description_step(posterior, shown))
    if len(posterior.observed) > 1:
        steps.append(Step("Belief, update by update", figure=posterior_stages(posterior)))
    left_out = len(posterior.names) - len(shown)
    notes = [f"{left_out} less probable hypotheses are not written out."] if left_out else []
    return Work("Posterior of the hypotheses", steps, notes)


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


# --- Bayes' theorem --------------------------------------------------------------------------------------------------


def _likelihood_steps(posterior: Posterior, shown: list[int], options: WorkOptions) -> list[Step]:
    """P(D | h) = Π P(d | h), factor by factor or by how often each datum was seen; its logarithm where it is tiny."""
    if not posterior.observed:
        return []
    weight = np.concatenate([seen.weight for seen in posterior.observed])
    logs = np.vstack([seen.log_likelihood for seen in posterior.observed])[weight > 0]
    data = [called(x) for seen in posterior.observed for x in seen.data]
    groups = _repeated([x for x, w in zip(data, weight, strict=True) if w > 0], logs, options.terms)
    weight, names = weight[weight > 0], names_of(posterior)
    equations = tuple(_likelihood(posterior, names[k], logs, weight, k, groups) for k in shown)
    return [Step("Likelihoods", equations)]


def _repeated(data: list[str], logs: Floats, terms: int) -> dict[str, int]:
    """Where each datum was seen first, if data are many, few of them are different, and like data are as likely."""
    first = {x: data.index(x) for x in dict.fromkeys(data)}
    alike = terms < len(data) <= MEASURED and len(first) <= terms
    return first if alike and all((logs[i] == logs[first[x]]).all() for i, x in enumerate(data)) else {}


def _likelihood(
    posterior: Posterior, name: str, logs: Floats, weight: Floats, k: int, groups: dict[str, int]
) -> Equation:
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
    members = [f"product({each} for i in _)" if is_even else f"product({each} ** w[i] for i in _)"]
    values = {**values, f"P(D | {h})": math.exp(total), each: np.exp(logs[:MEASURED, k])}
    if groups and is_even:
        members.append(f"product(P(v | {h}) ** n[v] for v in _)")
        seen = [(x, logs[i, k], int((logs == logs[i]).all(axis=1).sum())) for x, i in groups.items()]
        values |= {f"P(v | {h})": {x: math.exp(log) for x, log, _ in seen}, "n[v]": {x: n for x, _, n in seen}}
        meanings = {"n[v]": "how often the value was seen"}
    rest = {"i": math.exp(beyond)} if beyond else {}
    return Equation(f"P(D | {h})", tuple(members), values, where=meanings, rest=rest)


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
    yield Step("The most probable, and the likeliest", (_most_probable(posterior, names), _likeliest(posterior, names)))


def _most_probable(posterior: Posterior, names: list[str]) -> Equation:
    """From the most probable on, so that of those that look the same the first is the one that the logarithms say."""
    order = np.argsort(-posterior.log_weights, kind="stable").tolist()
    values = {"h_MAP": names[order[0]], "P(h | D)": by_name(names, posterior.weights, order)}
    return Equation("h_MAP", "argmax(P(h | D) for h in _)", values, therefore=True)


def _likeliest(posterior: Posterior, names: list[str]) -> Equation:
    order = np.argsort(-posterior.log_likelihood, kind="stable").tolist()
    values = {"h_ML": names[order[0]], "log(P(D | h))": by_name(names, posterior.log_likelihood, order)}
    return Equation("h_ML", "argmax(log(P(D | h)) for h in _)", values, therefore=True)


def _description_step(posterior: Posterior, shown: list[int]) -> Step:
    """The bits of each hypothesis and of the data with its help; the shortest description is the most probable."""
    names, bits = names_of(posterior), np.array(list(posterior.description_lengths.values()))
    with np.errstate(divide="ignore"):
        of_name, of_data = -np.log2(posterior.prior), -posterior.log_likelihood / math.log(2.0)
    possible = [k for k in shown if math.isfinite(bits[k])]
    rows = tuple((names[k], float(of_name[k]), float(of_data[k]), float(bits[k])) for k in possible)
    best = int(np.argmax(posterior.log_weights))
    h, name = word(names[best]), cast("Any", posterior.names[best])
    shortest = Equation(
        f"B({h}) + B(D | {h})",
        f"-log2(P({h})) - log(P(D | {h})) / log(2)",
        {f"P({h})": posterior.prior[best], f"log(P(D | {h}))": posterior.log_likelihood[best]},
        of=("description_lengths", name),
        where={f"B({h})": "bits that name the hypothesis", f"B(D | {h})": "bits that name the data with its help"},
    )
    lengths = by_name(names, bits, sorted(possible, key=lambda k: -posterior.log_weights[k]))
    values = {"h_MDL": names[best], "B(h, D)": lengths}
    choice = Equation("h_MDL", "argmin(B(h, D) for h in _)", values, therefore=True)
    header = ("hypothesis", "⟦B(h)⟧", "⟦B(D | h)⟧", "⟦B(h, D)⟧ in all")
    note = "A logarithm rises with its argument, so the shortest description is the most probable hypothesis, ⟦h_MAP⟧."
    return Step("Description lengths in bits", (shortest, choice), table=WorkTable(header, rows), note=note)


def _evidence(posterior: Posterior, names: Sequence[str], is_tiny: bool, of: tuple[str, ...]) -> Equation:
    """P(D) = Σ P(D|h) · P(h), or its logarithm, where the largest likelihood is taken out of the sum."""
    possible = posterior.prior > 0
    peak = float(posterior.log_likelihood[possible].max()) if is_tiny else 0.0
    terms = np.zeros(len(names))
    terms[possible] = posterior.prior[possible] * np.exp(posterior.log_likelihood[possible] - peak)
    kept, rest = heaviest(terms, "h")
    priors = by_name(names, posterior.prior, kept)
    if not is_tiny:
        likelihoods = by_name(names, np.exp(posterior.log_likelihood), kept)
        values = {"P(D | h)": likelihoods, "P(h)": priors, "P(D)": math.exp(posterior.log_evidence)}
        return Equation("P(D)", "sum(P(D | h) * P(h) for h in _)", values, rest=rest)
    return Equation(
        "log(P(D))",
        "L + log(sum(exp(log(P(D | h)) - L) * P(h) for h in _ if P(h) > 0))",
        {"L": peak, "log(P(D | h))": by_name(names, posterior.log_likelihood, kept), "P(h)": priors},
        of=(*of, "log_evidence"),
        where={"L": "the largest logarithm of a likelihood, which is taken out of the sum"},
        rest=rest,
    )
