"""The work of a rule list: how its rules lost conditions, and why a row gets its class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from scipy.special import ndtri

from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.table import Chunk, Table
from novacula.table.chunk import UNSEEN, Codes, Floats
from novacula.table.names import printable
from novacula.tree.export.condition import Condition, digits
from novacula.tree.export.rules import DecisionRule
from novacula.tree.pruning.pessimistic import ONE
from novacula.tree.rule_pruning import Estimates
from novacula.tree.rule_structure import Matcher
from novacula.tree.settings import pseudo_examples

ROWS = 5
"""Rows whose class is derived."""
TRIED = 12
"""Rules that are written out for a row."""
LINES = 20
"""Lines at the beginning and at the end of a rule's pruning that are written out."""


# --- why a row gets its class -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """A rule that was tried on a row: the first condition that failed and the row's value, if one did."""

    rule: DecisionRule
    failed: Condition | None = None
    value: str = ""

    @property
    def reason(self) -> str:
        """Why the rule speaks for the row, or why not."""
        if self.failed is None:
            return "holds"
        return f"no: {printable(self.failed.attribute.name)} is {self.value}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The rules that were tried on a row, in order; `default` is what is said where none of them holds."""

    trials: tuple[RuleTrial, ...]
    default: str

    @property
    def rule(self) -> DecisionRule | None:
        """The rule that holds; None where the default speaks."""
        last = self.trials[-1] if self.trials else None
        return last.rule if last is not None and last.failed is None else None

    def __str__(self) -> str:
        lines = [f"{i}. {trial.rule}: {trial.reason}" for i, trial in enumerate(self.trials, 1)]
        return "\n".join(lines if self.rule is not None else [*lines, self.default])


def explanations(learner: Any, table: Table) -> Iterator[Explanation]:
    """What was tried on each row of a table by a learner that has a `rule_list_`."""
    labels = learner.classes_.tolist()
    rules = learner.rule_list_.rules(learner.attributes_, labels)
    *_, default = learner.rule_list_.lines(learner.attributes_, labels)
    matcher = Matcher(learner.rule_list_, learner.schema_, learner.attributes_)
    for chunk in table.chunks():
        yield from _of_chunk(chunk, matcher, rules, default)


def _of_chunk(chunk: Chunk, matcher: Matcher, rules: Sequence[DecisionRule], default: str) -> Iterator[Explanation]:
    codes, first_rules = matcher.codes(chunk), matcher.match(chunk)
    for row, match in enumerate(first_rules.tolist()):
        tried = [_trial(rule, chunk.numeric[row], codes[row]) for rule in rules[: match + 1]]
        yield Explanation(tuple(tried), default)


def _trial(rule: DecisionRule, numbers: Floats, codes: Codes) -> RuleTrial:
    for condition in rule.conditions:
        attribute = condition.attribute
        values: Any = numbers if attribute.kind == "numeric" else codes
        value = values[attribute.place : attribute.place + 1]
        if not condition.holds(value)[0]:
            return RuleTrial(rule, condition, _value_in_words(condition, value[0]))
    return RuleTrial(rule)


def _value_in_words(condition: Condition, value: Any) -> str:
    if condition.attribute.kind == "numeric":
        return "missing" if math.isnan(value) else digits(value)
    if value < 0:
        return "a category that was not there at fit" if value == UNSEEN else "missing"
    return printable(str(condition.attribute.labels[value]))


def derive_matches(learner: Any, table: Table) -> Work:
    """For each of the first rows the rules that were tried, and the probability of the class that is given."""
    first_rows = islice(explanations(learner, table), ROWS)
    steps = [_match_step(learner, explanation, row) for row, explanation in enumerate(first_rows)]
    notes = [f"At most {ROWS} rows are derived.", "A condition on a missing value does not hold."]
    return Work("Rule list: the predictions", steps, notes)


def _match_step(learner: Any, explanation: Explanation, row: int) -> Step:
    trials, rule_list = explanation.trials, learner.rule_list_
    number = len(rule_list) if explanation.rule is None else len(trials) - 1
    k, m = int(rule_list.classes[number]), pseudo_examples(learner)
    counts = rule_list.counts[number]
    label = str(learner.classes_[k])
    first = max(len(trials) - TRIED, 0)
    rows: list[tuple[Cell, ...]] = [(i + 1, str(trials[i].rule), trials[i].reason) for i in range(first, len(trials))]
    if explanation.rule is None:
        rows.append(("", explanation.default, "no rule holds"))
    smoothed = {"m": m, "K": len(counts)} if m > 0 else {}
    return Step(
        f"Row {row + 1}: {label}",
        f"P({label}) = (n_t + m/K) / (n + m)" if smoothed else f"P({label}) = n_t / n",
        "(n_t + m / K) / (n + m)" if smoothed else "n_t / n",
        {"n_t": float(counts[k]), "n": float(counts.sum()), **smoothed},
        float(rule_list.distributions(m)[number, k]),
        ("predict_proba", row, k),
        {"n": "examples that the rule covers", "n_t": f"of class {label}"},
        WorkTable(("rule", "", "for this row"), tuple(rows), f"{first} rules before these do not hold." * (first > 0)),
    )


# --- how rules lost conditions ------------------------------------------------------------------------------------


def derive_rules(learner: Any) -> Work:
    """The pruning of the first rules, the estimates that order them, and the default."""
    rule_list = learner.rule_list_
    labels = learner.classes_.tolist()
    rules = rule_list.rules(learner.attributes_, labels)
    shown, estimates = rule_list.pruning, Estimates(rule_list.confidence)
    grown = shown.conditions.named(learner.attributes_)
    steps = [
        _rule_step(number, rules[number], parts, counts, estimates)
        for number, parts, counts in zip(shown.rule.tolist(), grown, shown.counts, strict=True)
    ]
    judge = "the training examples" if rule_list.confidence is not None else "validation examples"
    notes = [f"Conditions are judged by {judge}; n is the weight that is covered, e what is wrong of it."]
    if len(steps) < len(rules):
        notes.append(f"{len(steps)} of {len(rules)} rules are derived; to_text() gives them all.")
    return Work("Rule list: how the rules were pruned", [*steps, _default_step(learner)], notes)


def _rule_step(
    number: int, rule: DecisionRule, parts: Sequence[Condition], counts: Floats, estimates: Estimates
) -> Step:
    values = estimates.of(np.nan_to_num(counts))
    formula, expression, named = _arithmetic(float(counts[-1, 0, 0]), float(counts[-1, 0, 1]), estimates.confidence)
    return Step(
        f"Rule {number + 1}: {rule}",
        formula,
        expression,
        named,
        float(values[-1, 0]),
        ("rule_list_", "estimate", number),
        table=_trace_table(list(_trace(parts, counts, values))),
    )


def _trace_table(rows: list[tuple[Cell, ...]]) -> WorkTable:
    header = ("step", "rule", "n", "e", "estimate", "")
    left_out = len(rows) - 2 * LINES
    if left_out <= 0:
        return WorkTable(header, tuple(rows))
    return WorkTable(header, (*rows[:LINES], *rows[-LINES:]), f"{left_out} lines in the middle are left out.")


def _trace(parts: Sequence[Condition], counts: Floats, values: Floats) -> Iterator[tuple[Cell, ...]]:
    """At each step the rule as it stands and without each condition; the one that goes is gone at the next step."""
    for step, (weights, estimate) in enumerate(zip(counts, values, strict=True)):
        last = step + 1 == len(counts)
        yield (step + 1, "as it stands", *map(float, weights[0]), float(estimate[0]), "")
        for i, part in enumerate(parts, 1):
            if not math.isnan(weights[i, 0]):
                verdict = "dropped" if not last and math.isnan(counts[step + 1, i, 0]) else ""
                yield ("", f"without {part}", *map(float, weights[i]), float(estimate[i]), verdict)


def _arithmetic(n: float, e: float, confidence: float | None) -> tuple[str, str, dict[str, float]]:
    """Formula, expression and values of an estimate; for parts of an error, between none and one, the formula alone."""
    if n == 0.0:
        return "0, as nothing is covered", "", {}
    if confidence is None:
        return "accuracy on validation examples = (n − e) / n", "(n - e) / n", {"n": n, "e": e}
    if e == 0.0:
        return "1 − U(0, n) = CF^(1/n)", "CF ** (1 / n)", {"CF": confidence, "n": n}
    if e < ONE:
        return "1 − U(e, n), with U linear in e between 0 and 1", "", {}
    if e + 0.5 >= n:
        return "1 − U(e, n) = 1 − (e + 0.67 (n − e)) / n", "1 - (e + 0.67 * (n - e)) / n", {"n": n, "e": e}
    return (
        "1 − U(e, n) = 1 − (e + ½ + z²/2 + z √((e + ½)(1 − (e + ½)/n) + z²/4)) / (n + z²)",
        "1 - (e + 1/2 + z**2 / 2 + z * sqrt((e + 1/2) * (1 - (e + 1/2) / n) + z**2 / 4)) / (n + z**2)",
        {"n": n, "e": e, "z": float(ndtri(1.0 - confidence))},
    )


def _default_step(learner: Any) -> Step:
    rule_list = learner.rule_list_
    *_, line = rule_list.lines(learner.attributes_, learner.classes_.tolist())
    k, counts = int(rule_list.classes[-1]), rule_list.counts[-1]
    return Step(
        line,
        "share of the default's class = n_t / n",
        "n_t / n",
        {"n_t": float(counts[k]), "n": float(counts.sum())},
        float(rule_list.accuracy[-1]),
        ("rule_list_", "accuracy", -1),
        {"n": "examples that no rule covers; all, if there are none"},
    )
