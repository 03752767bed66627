"""Derivations from a joint table: chain rule, inclusion and exclusion, total probability, Bayes' theorem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.table.names import printable

if TYPE_CHECKING:
    from novacula.bayes.joint import Event, Joint

_CELLS = 32  # rows of a table that are shown
_EVENTS = 6  # whose union is written out: 2⁶ − 1 terms
_NAME = 40  # characters


def derive_joint(joint: Joint) -> Work:
    """The table, each variable on its own, and the entropy of all."""
    cells = [(x, p) for x, p in zip(joint.assignments(), joint.table.ravel().tolist(), strict=True) if p > 0]
    rows: tuple[tuple[Cell, ...], ...] = tuple((*map(word, x.values()), p) for x, p in cells[:_CELLS])
    more = f"{len(cells) - _CELLS} more combinations are not shown." if len(cells) > _CELLS else ""
    steps = [Step("The table", table=WorkTable((*map(word, joint.names), "P"), rows, more))]
    for name in joint.names:
        shares = joint.marginal(name).table.tolist()
        pairs = tuple((word(v), p) for v, p in zip(joint.states[name], shares, strict=True))[:_CELLS]
        table = WorkTable((word(name), "P"), pairs)
        steps.append(Step(f"{word(name)} on its own", "P(x) = Σ P(x, …)", table=table))
    return Work(f"Joint distribution of {len(joint.names)} variables", [*steps, _entropy_step(joint)])


def _entropy_step(joint: Joint) -> Step:
    """−Σ p log₂ p, of equal probabilities at once."""
    levels, times = np.unique(joint.table[joint.table > 0], return_counts=True)
    shown = range(len(levels))[-_CELLS:]
    values = {f"p{i}": float(levels[i]) for i in shown}
    terms = [f"{times[i]} * p{i} * log2(p{i})" if times[i] > 1 else f"p{i} * log2(p{i})" for i in shown]
    if len(shown) < len(levels):
        left = slice(0, len(levels) - len(shown))
        values["rest"] = float((times[left] * levels[left] * np.log2(levels[left])).sum())
        terms.append("rest")
    return Step(
        "Entropy",
        formula="H = −Σ P(x) · log₂ P(x)",
        expression=f"-({' + '.join(terms)})",
        values=values,
        result=joint.entropy(),
        of=("bits",),
    )


def derive_chain(joint: Joint, assignment: Mapping[str, Any]) -> Work:
    """Each variable given those before it, and the product."""
    steps: list[Step] = []
    known: dict[str, Any] = {}
    factors: dict[str, float] = {}
    for i, (name, value) in enumerate(assignment.items()):
        both = known | {name: value}
        over, under = joint.probability(both), joint.probability(known)
        if not under > 0:
            raise DataError(f"{event_words(known)} has probability 0, so nothing is probable given it")
        factors[f"p{i}"] = over / under
        new = event_words({name: value})
        title = f"P({new} | {event_words(known)})" if known else f"P({new})"
        steps.append(Step(title, "P(x | y) = P(x, y) / P(y)", "x / y", {"x": over, "y": under}, over / under))
        known = both
    formula = "P(x₁, …, x_d) = P(x₁) · P(x₂ | x₁) · …"
    result = joint.probability(assignment)
    steps.append(Step(f"P({event_words(assignment)})", formula, " * ".join(factors), factors, result))
    return Work("Chain rule", steps)


def derive_union(joint: Joint, events: Sequence[Event]) -> Work:
    """The probabilities of all intersections, with alternating signs."""
    if not 1 <= len(events) <= _EVENTS:
        raise ParameterError(f"there are {len(events)} events; give 1 to {_EVENTS}, or ask probability_of_any")
    masks = [joint.where(event) for event in events]
    values, terms, rows = {}, [], []
    for size in range(1, len(events) + 1):
        for chosen in combinations(range(len(events)), size):
            name = "p" + "".join(str(i + 1) for i in chosen)
            values[name] = float(joint.table[np.logical_and.reduce([masks[i] for i in chosen])].sum())
            terms.append(f"{'+' if size % 2 else '-'} {name}")
            rows.append((" and ".join(event_words(events[i]) for i in chosen), values[name]))
    step = Step(
        "P(any of the events)",
        formula="Σ P(eᵢ) − Σ P(eᵢ, eⱼ) + …",
        expression=" ".join(terms).removeprefix("+ "),
        values=values,
        result=joint.probability_of_any(*events),
        table=WorkTable(("event", "P"), tuple(rows)),
    )
    return Work("Inclusion and exclusion", [step])


def derive_total(joint: Joint, event: Event, variable: str) -> Work:
    """Σ P(event | v) · P(v); values of probability 0 add nothing."""
    held = [v for v in joint.states[variable] if joint.probability({variable: v}) > 0]
    conditional = {f"c{i}": joint.probability(event, {variable: v}) for i, v in enumerate(held)}
    prior = {f"p{i}": joint.probability({variable: v}) for i, v in enumerate(held)}
    pairs = zip(held, conditional.values(), prior.values(), strict=True)
    rows = tuple((word(v), c, p) for v, c, p in pairs)
    step = Step(
        f"P({event_words(event)})",
        formula="P(e) = Σ P(e | v) · P(v)",
        expression=" + ".join(f"c{i} * p{i}" for i in range(len(held))),
        values=conditional | prior,
        result=joint.probability(event),
        table=WorkTable((word(variable), f"P({event_words(event)} | ·)", "P(·)"), rows),
    )
    return Work("Total probability", [step])


def derive_bayes(joint: Joint, hypothesis: Event, evidence: Event) -> Work:
    """P(e | h) · P(h) / P(e)."""
    result = joint.probability(hypothesis, evidence)
    h, e = event_words(hypothesis), event_words(evidence)
    step = Step(
        f"P({h} | {e})",
        formula="P(h | e) = P(e | h) · P(h) / P(e)",
        expression="l * p / z",
        values={
            "l": joint.probability(evidence, hypothesis),
            "p": joint.probability(hypothesis),
            "z": joint.probability(evidence),
        },
        result=result,
        labels={"l": f"P({e} | {h})", "p": f"P({h})", "z": f"P({e})"},
    )
    return Work("Bayes' theorem", [step])


def event_words(event: Mapping[str, Any] | Callable[..., Any] | None) -> str:
    """An event in words."""
    if not isinstance(event, Mapping):
        return word(getattr(event, "__name__", "event"))
    parts = [
        f"{word(name)} in {{{', '.join(map(word, value))}}}"
        if isinstance(value, (set, frozenset, list, tuple))
        else f"{word(name)} = {word(value)}"
        for name, value in event.items()
    ]
    return ", ".join(parts) or "anything"


def word(value: Any) -> str:
    """A name or value as a derivation writes it."""
    return printable(str(value), _NAME)
