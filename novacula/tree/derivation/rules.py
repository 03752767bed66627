"""The work of a rule list: how its rules lost conditions, and why a row gets its class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table import Chunk
from novacula.table.chunk import UNSEEN, Codes, Floats
from novacula.table.names import printable
from novacula.tree.derivation.equations import settled
from novacula.tree.derivation.limits import lower_accuracy
from novacula.tree.export.condition import Condition, digits
from novacula.tree.export.rules import DecisionRule
from novacula.tree.rule_pruning import Estimates
from novacula.tree.rule_structure import Matcher
from novacula.tree.settings import pseudo_examples
from novacula.words import shortened

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


def explanations(learner: Any, chunk: Chunk) -> Iterator[Explanation]:
    """What was tried on each row of a chunk by a learner that has a `rule_list_`."""
    labels = learner.classes_.tolist()
    rules = learner.rule_list_.rules(learner.attributes_, labels)
    *_, default = learner.rule_list_.lines(learner.attributes_, labels)
    matcher = Matcher(learner.rule_list_, learner.schema_, learner.attributes_)
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


def derive_matches(learner: Any, chunk: Chunk, cut: bool, options: WorkOptions) -> Work:
    """For each row of a chunk the rules that were tried, and the probability of the class that is given."""
    found = enumerate(explanations(learner, chunk))
    steps = [_match_step(learner, explanation, row, options.is_full) for row, explanation in found]
    notes = [f"Only the first {len(chunk)} rows are derived."] if cut else []
    return Work("Rule list: the predictions", steps, [*notes, "A condition on a missing value does not hold."])


def _match_step(learner: Any, explanation: Explanation, row: int, is_full: bool) -> Step:
    trials, rule_list = explanation.trials, learner.rule_list_
    number = len(rule_list) if explanation.rule is None else len(trials) - 1
    best, m, counts = int(rule_list.classes[number]), pseudo_examples(learner), rule_list.counts[number]
    labels = [str(label) for label in learner.classes_.tolist()]
    first = 0 if is_full else max(len(trials) - TRIED, 0)
    rows: list[tuple[Cell, ...]] = [(i + 1, str(trials[i].rule), trials[i].reason) for i in range(first, len(trials))]
    if explanation.rule is None:
        rows.append(("", explanation.default, "no rule holds"))
    speaks = f"rule {number + 1}" if explanation.rule is not None else "the default"
    found = [
        _probability(row, labels[k], k, number, counts, m, speaks) for k in (range(len(labels)) if is_full else [best])
    ]
    given = f"P(c | x[{row + 1}])"
    chances = dict(zip(labels, settled(rule_list.distributions(m)[number]).tolist(), strict=True))
    choice = Equation(word("class"), f"argmax({given} for c in _)", {given: chances}, ("predict", row), therefore=True)
    return Step(
        f"Row {row + 1}: {shortened(labels[best])}",
        (*found, choice),
        WorkTable(("rule", "", "for this row"), tuple(rows), f"{first} rules before these do not hold." * (first > 0)),
    )


def _probability(row: int, label: str, k: int, number: int, counts: Floats, m: float, speaks: str) -> Equation:
    own, whole = f"n[{number + 1}, {word(label)}]", f"n[{number + 1}]"
    values = {own: float(counts[k]), whole: float(counts.sum()), **({"m": m, "K": len(counts)} if m > 0 else {})}
    where = {whole: f"examples that {speaks} covers", own: f"those of class {shortened(label)}"}
    right = f"({own} + m / K) / ({whole} + m)" if m > 0 else f"{own} / {whole}"
    return Equation(f"P({word(label)} | x[{row + 1}])", right, values, ("predict_proba", row, k), where)


# --- how rules lost conditions ------------------------------------------------------------------------------------


def derive_rules(learner: Any, options: WorkOptions) -> Work:
    """The pruning of the first rules, the estimates that order them, and the default."""
    rule_list, trace = learner.rule_list_, learner.trace_
    rules = rule_list.rules(learner.attributes_, learner.classes_.tolist())
    grown = trace.conditions.named(learner.attributes_)
    estimates = Estimates(rule_list.confidence)
    steps = [
        _rule_step(number, rules[number], parts, counts, estimates, options.is_full)
        for number, parts, counts in zip(trace.rule.tolist(), grown, trace.counts, strict=True)
    ]
    judge = "the training examples" if rule_list.confidence is not None else "validation examples"
    notes = [f"Conditions are judged by {judge}; ⟦n⟧ is the weight that is covered, ⟦e⟧ what is wrong of it."]
    if len(steps) < len(rules):
        notes.append(f"{len(steps)} of {len(rules)} rules are derived; to_text() gives them all.")
    return Work("Rule list: how the rules were pruned", [*steps, _default_step(learner)], notes)


def _rule_step(
    number: int,
    rule: DecisionRule,
    parts: Sequence[Condition],
    counts: Floats,
    estimates: Estimates,
    is_full: bool,
) -> Step:
    values = estimates.of(np.nan_to_num(counts))
    found = []
    if is_full:  # every condition that was tried at every step
        places = [(i, j) for i, j in np.argwhere(~np.isnan(counts[..., 0])).tolist() if (i + 1, j) != (len(counts), 0)]
        found = [_estimate(counts[i, j], estimates.confidence, f"{number + 1}, {i + 1}, {j}") for i, j in places]
    of = ("rule_list_", "estimate", number)
    found.append(_estimate(counts[-1, 0], estimates.confidence, str(number + 1), of))
    table = _trace_table(list(_trace(parts, counts, values)))
    return Step(f"Rule {number + 1}: {rule}", tuple(equation for equation in found if equation is not None), table)


def _estimate(weights: Floats, confidence: float | None, index: str, of: tuple[str | int, ...] = ()) -> Equation | None:
    """The accuracy estimated from covered and wrong weights (2,); None where nothing is covered, and it is 0."""
    n, e = weights.tolist()
    if n == 0.0:
        return None
    if confidence is not None:
        return lower_accuracy(n, e, confidence, index, of)
    values = {f"n[{index}]": n, f"e[{index}]": e}
    return Equation(
        f"a[{index}]", f"(n[{index}] - e[{index}]) / n[{index}]", values, of, {f"a[{index}]": "the accuracy"}
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


def _default_step(learner: Any) -> Step:
    rule_list = learner.rule_list_
    *_, line = rule_list.lines(learner.attributes_, learner.classes_.tolist())
    k, counts = int(rule_list.classes[-1]), rule_list.counts[-1]
    own = f"n[{word(learner.classes_[k])}]"
    values = {own: float(counts[k]), "n": float(counts.sum())}
    where = {"n": "examples that no rule covers; all, if there are none"}
    return Step(line, Equation("a_default", f"{own} / n", values, ("rule_list_", "accuracy", -1), where))
