"""The work of List-Then-Eliminate: which hypotheses each example crosses out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.concept.derivation.space import (
    NAMED,
    example_number,
    example_title,
    examples_table,
    shown_examples,
    size_equation,
    space_step,
)
from novacula.learner.derivation import TABLE_ROWS, cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.concept.list_then_eliminate import ListThenEliminate

CROSSED = {"e[i]": "hypotheses that example i crosses out"}


def derive_list(model: ListThenEliminate, options: WorkOptions) -> Work:
    """How many hypotheses each example crosses out, and how many are left."""
    shown = shown_examples(model, options)
    counts, named = _crossed_out(model, NAMED)
    size, after = model.space_.size_semantic, []
    for k in range(shown):
        names = ", ".join(named[k]) + (", …" if counts[k] > NAMED else "")
        after.append((names, counts[k], size - sum(counts[: k + 1])))
    table = examples_table(model, ("crossed out", "how many", "left"), ("", "", size), after)
    left = _left(size, counts, "size(VS)", ("version_space_size",))
    steps = [space_step(model), Step("Hypotheses that are left", left, table)]
    return Work("List-Then-Eliminate: the list", steps)


def derive_crossing(model: ListThenEliminate, iteration: int, options: WorkOptions) -> Work:
    """What one example crosses out."""
    k, size = example_number(model, iteration), model.space_.size_semantic
    most = size if options.is_full else TABLE_ROWS
    counts, named = _crossed_out(model, most)
    names = cut_table(("crossed out",), [(name,) for name in named[k]], counts[k], most=most)
    of = ("version_space_size",) if iteration == len(model.examples_.positive) else ()
    left = _left(size, counts[: k + 1], f"size(VS__{iteration})", of)
    steps = [Step("Hypotheses of the space", size_equation(model.space_)), Step(example_title(model, k), left, names)]
    return Work(f"List-Then-Eliminate: example {iteration}", steps)


def _left(size: int, crossed: list[int], left: str, of: tuple[str | int, ...]) -> Equation:
    """What is left is what no example crossed out."""
    values = {"size(H)": size, "e[i]": [float(count) for count in crossed]}
    return Equation(left, "size(H) - sum(e[i] for i in _)", values, of, CROSSED, therefore=True)


def _crossed_out(model: ListThenEliminate, most: int) -> tuple[list[int], list[list[str]]]:
    """How many hypotheses each example crosses out of the list, and the first of them by name."""
    examples = list(zip(model.examples_.positions, model.examples_.positive.tolist(), strict=True))
    counts, named = np.zeros(len(examples), np.int64), [list[str]() for _ in examples]
    for block in model.listing_.blocks(model.space_):
        for k, (row, positive) in enumerate(examples):
            out, block = block.without(row, not positive), block.without(row, positive)
            counts[k] += len(out.low)
            named[k] += map(str, model.conjunctions(out, most - len(named[k])))
    return counts.tolist(), named
