"""The work of List-Then-Eliminate: which hypotheses each example crosses out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from novacula.concept.derivation.space import (
    NAMED,
    example_number,
    example_title,
    examples_table,
    shown_examples,
    size_equation,
    space_step,
)
from novacula.learner.derivation import TABLE_ROWS, cut_table, told_once
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.concept.list_then_eliminate import Listing, ListThenEliminate

CROSSED = {"e[i]": "hypotheses that example i crosses out"}


def derive_list(model: ListThenEliminate, options: WorkOptions) -> Work:
    """How many hypotheses each example crosses out, and how many are left."""
    lists = list(_lists(model))
    size, shown = model.space_.size_semantic, shown_examples(model, options)
    after = [(_few(model, out), len(out.low), len(left.low)) for out, left in lists[:shown]]
    table = examples_table(model, ("crossed out", "how many", "left"), ("", "", size), after)
    left = _left(size, [len(out.low) for out, _ in lists], "size(VS)", ("version_space_size_",))
    steps = [space_step(model), Step("Hypotheses that are left", left, table)]
    return Work("List-Then-Eliminate: the list", told_once(steps))


def derive_crossing(model: ListThenEliminate, iteration: int, options: WorkOptions) -> Work:
    """What one example crosses out."""
    k = example_number(model, iteration)
    lists = list(_lists(model))[: k + 1]
    out, _ = lists[-1]
    most = len(out.low) if options.is_full else TABLE_ROWS
    names = cut_table(("crossed out",), [(str(h),) for h in model.conjunctions(out, most)], len(out.low), most=most)
    of = ("version_space_size_",) if iteration == len(model.examples_.positive) else ()
    counts = [len(crossed.low) for crossed, _ in lists]
    left = _left(model.space_.size_semantic, counts, f"size(VS__{iteration})", of)
    steps = [Step("Hypotheses of the space", size_equation(model.space_)), Step(example_title(model, k), left, names)]
    return Work(f"List-Then-Eliminate: example {iteration}", told_once(steps))


def _left(size: int, crossed: list[int], left: str, of: tuple[str | int, ...]) -> Equation:
    """What is left is what no example crossed out."""
    values = {"size(H)": size, "e[i]": [float(count) for count in crossed]}
    return Equation(left, "size(H) - sum(e[i] for i in _)", values, of, CROSSED, therefore=True)


def _lists(model: ListThenEliminate) -> Iterator[tuple[Listing, Listing]]:
    """What each example crosses out, and what it leaves, from the whole list on."""
    listing = model.listing_.of(model.space_)
    for row, positive in zip(model.examples_.positions, model.examples_.positive.tolist(), strict=True):
        out, listing = listing.without(row, not positive), listing.without(row, positive)
        yield out, listing


def _few(model: ListThenEliminate, out: Listing) -> str:
    more = ", …" if len(out.low) > NAMED else ""
    return ", ".join(map(str, model.conjunctions(out, NAMED))) + more
