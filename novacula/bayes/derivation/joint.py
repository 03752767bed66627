"""Derivations from a joint table: chain rule, inclusion and exclusion, total probability, Bayes' theorem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.learner.derivation import cut_table, distinct_names, heaviest
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.names import printable

if TYPE_CHECKING:
    from novacula.bayes.joint import Event, Joint

CELLS = 32
"""Rows of a table that are shown."""
EVENTS = 6
"""Events whose union is written out: 2⁶ − 1 terms."""
NAME = 40
"""Characters of a name."""


def derive_joint(joint: Joint, options: WorkOptions) -> Work:
    """The table, each variable on its own, and the entropy of all."""
    cells = [(x, p) for x, p in zip(joint.assignments(), joint.table.ravel().tolist(), strict=True) if p > 0]
    rows: list[tuple[Cell, ...]] = [(*map(named, x.values()), p) for x, p in cells]
    most = len(rows) if options.is_full else CELLS
    table = cut_table((*map(named, joint.names), "⟦P⟧"), rows, len(rows), most=most)
    marginals = [_marginal_step(joint, axis, options) for axis in range(len(joint.names)) if len(joint.names) > 1]
    steps = [Step("The table", table=table), *marginals, Step("Entropy", _entropy(joint))]
    return Work(f"Joint distribution of {len(joint.names)} variables", steps)


def _marginal_step(joint: Joint, axis: int, options: WorkOptions) -> Step:
    """What a variable is without the others: they are summed out, for its first value or for all."""
    name, values = joint.names[axis], joint.states[joint.names[axis]]
    shares = joint.marginal(name).table.tolist()
    rows = [(named(value), p) for value, p in zip(values, shares, strict=True)]
    written = values if options.is_full else values[:1]
    equations = tuple(_marginal(joint, axis, value) for value in written)
    return Step(
        f"{named(name)} on its own", equations, table=cut_table((named(name), "⟦P⟧"), rows, len(rows), most=CELLS)
    )


def _marginal(joint: Joint, axis: int, value: Any) -> Equation:
    name = joint.names[axis]
    event = expression({name: value})
    terms = np.take(joint.table, joint.states[name].index(value), axis).ravel()
    kept, rest = heaviest(terms, "i")
    values = {f"P({event}, v[i])": terms[kept], f"P({event})": joint.probability({name: value})}
    meaning = {"v[i]": "the values of the other variables"} if axis == 0 else {}
    right = f"sum(P({event}, v[i]) for i in _)"
    return Equation(f"P({event})", right, values, where=meaning, rest=rest)


def _entropy(joint: Joint) -> Equation:
    """−Σ p log₂ p over combinations; equal probabilities of a large table are taken at once."""
    held = joint.table[joint.table > 0]
    if len(held) <= CELLS:
        right = "-sum(P(x[i]) * log2(P(x[i])) for i in _)"
        return Equation("H", right, {"P(x[i])": held}, ("bits",), {"x[i]": "a combination of values"})
    levels, times = np.unique(held, return_counts=True)
    terms = times * levels * np.log2(levels)
    kept, rest = heaviest(terms, "i")
    return Equation(
        "H",
        "-sum(c[i] * p[i] * log2(p[i]) for i in _)",
        {"c[i]": times[kept], "p[i]": levels[kept]},
        of=("bits",),
        where={"p[i]": "a probability", "c[i]": "how many combinations of values have it"},
        rest=rest,
    )


# --- rules -----------------------------------------------------------------------------------------------------------


def derive_chain(joint: Joint, assignment: Mapping[str, Any]) -> Work:
    """Each variable given those before it, and the product."""
    steps: list[Step] = []
    known: dict[str, Any] = {}
    factors: dict[str, float] = {}
    for name, value in assignment.items():
        both = known | {name: value}
        over, under = joint.probability(both), joint.probability(known)
        if not under > 0:
            raise DataError(f"{event_words(known)} has probability 0, so nothing is probable given it")
        factor = probability({name: value}, known or None)
        factors[factor] = over / under
        if known:
            values = {probability(both): over, probability(known): under}
            rule = Equation(factor, f"{probability(both)} / {probability(known)}", values)
            steps.append(Step(f"{event_words({name: value})}, given {event_words(known)}", rule))
        known = both
    result = {probability(assignment): joint.probability(assignment)} if len(factors) > 1 else {}
    product = Equation(probability(assignment), " * ".join(factors), factors | result)
    return Work("Chain rule", [*steps, Step("All of it", product)])


def derive_union(joint: Joint, events: Sequence[Event]) -> Work:
    """The probabilities of all intersections, with alternating signs."""
    if not 1 <= len(events) <= EVENTS:
        raise ParameterError(f"there are {len(events)} events; give 1 to {EVENTS}, or ask probability_of_any")
    masks = [joint.where(event) for event in events]
    values, terms, rows = {}, "", []
    for size in range(1, len(events) + 1):
        for chosen in combinations(range(len(events)), size):
            term = f"P({', '.join(f'e_{i + 1}' for i in chosen)})"
            values[term] = float(joint.table[np.logical_and.reduce([masks[i] for i in chosen])].sum())
            terms += f" {'+' if size % 2 else '-'} {term}"
            rows.append((" and ".join(event_words(events[i]) for i in chosen), values[term]))
    left = f"P({' or '.join(f'e_{i + 1}' for i in range(len(events)))})"
    union = Equation(
        left,
        terms.removeprefix(" + "),
        values | {left: joint.probability_of_any(*events)},
        where={f"e_{i + 1}": event_words(event) for i, event in enumerate(events)},
    )
    return Work(
        "Inclusion and exclusion", [Step("Any of the events", union, table=WorkTable(("event", "⟦P⟧"), tuple(rows)))]
    )


def derive_total(joint: Joint, event: Event, variable: str) -> Work:
    """Σ P(event | v) · P(v); values of probability 0 add nothing."""
    held = [v for v in joint.states[variable] if joint.probability({variable: v}) > 0]
    names, e = distinct_names(held, NAME), expression(event)
    conditional = {name: joint.probability(event, {variable: v}) for name, v in zip(names, held, strict=True)}
    prior = {name: joint.probability({variable: v}) for name, v in zip(names, held, strict=True)}
    total = Equation(
        f"P({e})",
        f"sum(P({e} | v) * P(v) for v in _)",
        {f"P({e} | v)": conditional, "P(v)": prior, f"P({e})": joint.probability(event)},
        where={"v": f"the values of {named(variable)}"},
    )
    rows = tuple((name, conditional[name], prior[name]) for name in names)
    table = WorkTable((named(variable), f"⟦P({e} | v)⟧", "⟦P(v)⟧"), rows)
    return Work("Total probability", [Step(event_words(event), total, table=table)])


def derive_bayes(joint: Joint, hypothesis: Event, evidence: Event) -> Work:
    """P(e | h) · P(h) / P(e)."""
    left, likelihood = probability(hypothesis, evidence), probability(evidence, hypothesis)
    prior, below = probability(hypothesis), probability(evidence)
    values = {
        left: joint.probability(hypothesis, evidence),
        likelihood: joint.probability(evidence, hypothesis),
        prior: joint.probability(hypothesis),
        below: joint.probability(evidence),
    }
    theorem = Equation(left, f"{likelihood} * {prior} / {below}", values)
    return Work("Bayes' theorem", [Step(f"{event_words(hypothesis)}, given {event_words(evidence)}", theorem)])


# --- events ----------------------------------------------------------------------------------------------------------


def probability(event: Event, given: Event | None = None) -> str:
    """P(event), or P(event | given), as an expression."""
    return f"P({expression(event)})" if given is None else f"P({expression(event)} | {expression(given)})"


def expression(event: Event) -> str:
    """An event as an expression."""
    if not isinstance(event, Mapping) or not event:
        return word(event_words(event))
    return ", ".join(
        f"{word(named(name))} == {word(named(value))}"
        if (members := members_of(value)) is None
        else f"{word(named(name))} in {{{', '.join(map(word, members))}}}"
        if members
        else word(f"{named(name)} in {{}}")
        for name, value in event.items()
    )


def event_words(event: Mapping[str, Any] | Callable[..., Any] | None) -> str:
    """An event in words."""
    if not isinstance(event, Mapping):
        return named(getattr(event, "__name__", "event"))
    parts = [
        f"{named(name)} = {named(value)}"
        if (members := members_of(value)) is None
        else f"{named(name)} in {{{', '.join(members)}}}"
        for name, value in event.items()
    ]
    return ", ".join(parts) or "anything"


def members_of(value: Any) -> list[str] | None:
    """The values of a set of them, as they are written; None for a single value."""
    if isinstance(value, (set, frozenset)):
        return sorted(map(named, value))
    return list(map(named, value)) if isinstance(value, (list, tuple)) else None


def named(value: Any) -> str:
    """A name or value as a derivation writes it."""
    return printable(str(value), NAME)
