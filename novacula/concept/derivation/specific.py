"""The work of FIND-S: the hypothesis after each example, and the constraints that a row meets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from novacula.concept.conjunction import Conjunction, Positions, constraint_words, shown
from novacula.concept.derivation.space import (
    accepts,
    attribute_names,
    example_number,
    example_title,
    examples_table,
    instance_of,
    shown_examples,
    space_step,
)
from novacula.learner.derivation import TABLE_ROWS
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.words import listed

if TYPE_CHECKING:
    from novacula.concept.find_s import FindS


def derive_hypothesis(model: FindS, path: Sequence[Conjunction], options: WorkOptions) -> Work:
    """The hypothesis before the first example and after each, and whether negatives agree."""
    after = [(str(h),) for h in path[1 : 1 + shown_examples(model, options)]]
    table = examples_table(model, ("h",), (f"⟦h_0⟧ = {path[0]}",), after)
    steps = [space_step(model), Step("The hypothesis after each example", table=table), _negatives(model)]
    return Work("FIND-S: the most specific hypothesis", steps)


def _negatives(model: FindS) -> Step:
    """How many negatives the hypothesis accepts: where there are any, no conjunction fits."""
    wrong = model.hypothesis_.covers(model.examples_.negatives)
    rows = model.row_names_.first[~model.examples_.positive]
    accepted = {
        str(name): float(is_wrong) for name, is_wrong in zip(rows[:TABLE_ROWS], wrong[:TABLE_ROWS], strict=True)
    }
    values, rest = {"h(x[i])": accepted}, {"i": float(wrong[TABLE_ROWS:].sum())} if len(rows) > TABLE_ROWS else {}
    where = {"h(x[i])": "1 where the hypothesis accepts negative i, and 0 where it does not"}
    count = Equation("n_wrong", "sum(h(x[i]) for i in _)", values, where=where, rest=rest)
    verdict = Equation(
        word("consistent"), "1 if n_wrong == 0 else 0", {"n_wrong": count.value}, ("consistent_",), therefore=True
    )
    note = ""
    if wrong.any():
        named = listed(rows[wrong].tolist())
        negatives = "negative of row" if wrong.sum() == 1 else "negatives of rows"
        note = f"Warning: it accepts the {negatives} {named}, and so no conjunction fits the examples."
    return Step(f"Negatives that {model.hypothesis_} accepts", (count, verdict), note=note)


def derive_generalisation(model: FindS, path: Sequence[Conjunction], iteration: int) -> Work:
    """What one example makes of the hypothesis."""
    k = example_number(model, iteration)
    before, after, row = path[k], path[k + 1], model.examples_.positions[k]
    is_positive = bool(model.examples_.positive[k])
    found = [accepts(before, row, f"h__{k}(x[{iteration}])")]
    agrees = bool(after.covers(row[None])[0]) == is_positive
    of = ("examples_", "positive", k) if agrees else ()
    found.append(accepts(after, row, f"h__{iteration}(x[{iteration}])", of))
    if not agrees:
        value = {f"h__{iteration}(x[{iteration}])": found[-1].value}
        found.append(Equation(word("consistent"), f"1 - {next(iter(value))}", value, ("consistent_",), therefore=True))
    names, values = attribute_names(model.space_), instance_of(model.space_, row)
    rows = tuple(
        (name, constraint_words(old), shown(value), constraint_words(new))
        for name, old, value, new in zip(names, before.constraints, values, after.constraints, strict=True)
    )
    header = ("attribute ⟦j⟧", f"⟦h__{k}⟧", "example", f"⟦h__{iteration}⟧")
    words = "each constraint becomes the least that its value meets" if is_positive else "FIND-S ignores negatives"
    table = WorkTable(header, rows)
    return Work(
        f"FIND-S: example {iteration}",
        [Step(example_title(model, k), tuple(found), table, note=f"{words[:1].upper()}{words[1:]}.")],
    )


def derive_tests(model: FindS, rows: Positions, notes: Sequence[str]) -> Work:
    """For each row whether it meets every constraint."""
    no = next(label for label in model.classes_.tolist() if label != model.positive_)
    steps = []
    for i, row in enumerate(rows):
        test = accepts(model.hypothesis_, row, f"h(x[{i + 1}])")
        answer = Equation(
            word("class"),
            f"{word(model.positive_)} if {test.left} == 1 else {word(no)}",
            {test.left: test.value},
            ("predict", i),
            therefore=True,
        )
        steps.append(Step(f"Row {i + 1} under {model.hypothesis_}", (test, answer)))
    return Work("FIND-S: the predictions", steps, notes)
