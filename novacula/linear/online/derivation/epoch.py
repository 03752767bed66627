"""Showings of rows, one after the other, and an epoch of them: what perceptron and linear unit have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novacula.learner.derivation import cut_table, largest
from novacula.learner.work import Cell, Step
from novacula.linear.online.trace import Correction, ShowingRule, replay
from novacula.linear.plane import plane_value, weight_table
from novacula.mathematics import Equation
from novacula.mathematics.rounding import without_noise
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.linear_unit import LinearUnit
    from novacula.linear.perceptron import Perceptron

COLUMNS = 4
"""Columns of a row that a table shows."""
CORRECTIONS = 3
"""Corrections, and weights of one, that are written out unless everything is asked for."""
CLEAR = 1e-12
"""The share of its terms that a value must have for its sign not to be rounding."""
Place: TypeAlias = Callable[[int], tuple[str | int, ...]]
"""Where the model keeps a weight, by its number; that of the bias is the last."""
RESPONSES = {"step": "1 if v > 0 else -1", "threshold": "1 if v >= 0 else 0", "linear": "v", "tanh": "tanh(v)"}


def within(*path: str | int) -> Place:
    """All weights in one array."""
    return lambda j: (*path, j)


def nowhere(_: int) -> tuple[str | int, ...]:
    """Not kept."""
    return ()


def epoch_steps(model: Perceptron | LinearUnit, iteration: int, rule: ShowingRule, is_full: bool) -> Iterator[Step]:
    """From the weights of the first plane before an epoch to those after it."""
    trace, d = model.trace_, model.n_features_in_
    before, after = (state[0] for state in trace.path.step(iteration, (trace.path.states.shape[1] // (d + 1), d + 1)))
    of = within("trace_", "path", "states", trace.place(iteration))
    bias = float(before[d]) if model.fit_intercept else None
    yield Step("The weights that go in", table=weight_table(model, before[:d], bias))
    showings = trace.showings
    if showings is None or not (showings.ordered or iteration == 1):
        yield rest_step(model, before, after - before, of, is_full, "The rows of this epoch, which were not kept,")
        return
    corrections = replay(showings, [rule], before)
    yield showings_step(model, corrections)
    moves = [c for c in corrections if c.moves]
    for c in moves if is_full else moves[:CORRECTIONS]:
        yield from correction_steps(model, c, is_full)
    tied = of if is_clear(corrections) else nowhere
    if not showings.whole:
        moved = trace.others[trace.place(iteration)]
        yield rest_step(model, corrections[-1].after, moved, of, is_full, "The other rows of the epoch")
    elif moves:
        yield last_step(model, moves[-1], tied, is_full)
    else:
        stays = Equation("w[1]", "w[1]", {"w": before}, tied(0), sign="←")
        yield Step("No row moves the weights", stays)


def rest_step(
    model: Perceptron | LinearUnit, before: Floats, moved: Floats, of: Place, is_full: bool, who: str
) -> Step:
    """What rows that are not kept did to the weights, all of them together."""
    found = []
    for j, name, _ in moved_places(model, moved, is_full):
        values = {name: float(before[j]), "r": float(moved[j])}
        found.append(Equation(name, f"{name} + r", values, of(j), sign="←"))
    return Step(f"{who} move the weights by ⟦r⟧ in all", tuple(found))


def showings_step(model: Perceptron | LinearUnit, corrections: Sequence[Correction]) -> Step:
    """The showings as a table."""
    d = model.n_features_in_
    shown = range(min(d, COLUMNS))
    weights = [*shown, *[d] * model.fit_intercept]
    letters = [*(f"w[{j + 1}]" for j in shown), *["b"] * model.fit_intercept]
    sizes = np.cumsum([np.abs(c.change) for c in corrections], axis=0) + went_before(model, corrections[0])
    rows = [
        (*shown_cells(c, shown, weights), *without_noise(c.after, size)[weights].tolist())
        for c, size in zip(corrections, sizes, strict=True)
    ]
    caption = f"The first {len(rows)} showings" + (f", {COLUMNS} of {d} columns." if d > COLUMNS else ".")
    header = (*shown_header(model, "showing", shown, letters), *(f"⟦{letter}⟧ after" for letter in letters))
    return Step("Row after row", table=cut_table(header, rows, len(rows), caption, most=len(rows)))


def went_before(model: Perceptron | LinearUnit, c: Correction) -> Floats:
    """How large the weights of the first plane have been up to those before a showing (d + 1,), whose rounding is left.

    Those of steps of all rows may lack the bias, which is then 0.
    """
    states = model.trace_.path.states[:, : len(c.before)]
    if states.shape[1] < len(c.before):
        states = np.column_stack([states, np.zeros(len(states))])
    here = np.flatnonzero((states == c.before).all(axis=1))
    return np.asarray(np.abs(states[: here[0] + 1]).max(axis=0)) if len(here) else np.abs(c.before)


def shown_header(model: Perceptron | LinearUnit, first: str, shown: range, letters: Sequence[str]) -> tuple[str, ...]:
    """The header of what rows do to weights."""
    names = model.schema_.column_names(shown)
    sums = () if getattr(model, "response", "linear") == "linear" else ("⟦v⟧",)
    return (first, *names, "⟦t⟧", *sums, "⟦o⟧", "⟦t - o⟧", *(f"⟦Δ{letter}⟧" for letter in letters))


def shown_cells(c: Correction, shown: range, weights: Sequence[int]) -> tuple[Cell, ...]:
    """A row, what came out, and by how much it changes weights."""
    sums = () if c.rule.response == "linear" else (c.value,)
    gap = c.target - c.output
    return (c.number, *c.x[shown].tolist(), c.target, *sums, c.output, gap, *c.change[weights].tolist())


def correction_steps(model: Perceptron | LinearUnit, c: Correction, is_full: bool) -> Iterator[Step]:
    """A showing that moved the weights: what came out, and some of the weights that it moved."""
    bias = float(c.before[-1]) if c.rule.bias else None
    value = plane_value("v", c.before[:-1], bias, c.x)
    output = Equation("o", RESPONSES[c.rule.response], {"v": value.value})
    note = "" if is_clear([c]) else "⟦v⟧ is zero but for rounding, which decides here on which side it is."
    yield Step(f"Showing {c.number}: what comes out", (value, output), note=note)
    yield Step(f"Showing {c.number} moves the weights", tuple(moves_of(model, c, nowhere, is_full)))


def last_step(model: Perceptron | LinearUnit, c: Correction, of: Place, is_full: bool) -> Step:
    """A showing that made the weights what the model keeps."""
    found = tuple(moves_of(model, c, of, is_full))
    return Step(f"Showing {c.number} is the last of these that moves the weights", found)


def moves_of(model: Perceptron | LinearUnit, c: Correction, of: Place, is_full: bool) -> Iterator[Equation]:
    """What becomes of the weights of the largest numbers of a row, and of the bias."""
    share = {} if c.share == 1.0 else {"s": c.share}
    move = f"η * {'s * ' if share else ''}(t - o)"
    known: dict[str, Any] = {"η": c.rule.eta, "t": c.target, "o": c.output, **share}
    for j, name, x in moved_places(model, c.x, is_full):
        values = {name: float(c.before[j]), **known} | ({x: float(c.x[j])} if x else {})
        yield Equation(name, f"{name} + {move}{f' * {x}' if x else ''}", values, of(j), sign="←")


def moved_places(model: Perceptron | LinearUnit, sizes: Floats, is_full: bool) -> Iterator[tuple[int, str, str]]:
    """The places of weights that are written out, largest first in their order, with their names and their column's."""
    d = model.n_features_in_
    for j in largest(sizes[:d], d if is_full else CORRECTIONS):
        yield j, f"w[{j + 1}]", f"x[{j + 1}]"
    if model.fit_intercept:
        yield d, "b", ""


def is_clear(corrections: Sequence[Correction]) -> bool:
    """Whether no output hangs on the rounding of a value."""
    for c in corrections:
        if c.rule.response not in ("step", "threshold"):
            return True
        terms = np.append(c.before[:-1] * c.x, c.before[-1])
        if abs(c.value) <= CLEAR * float(np.abs(terms).sum()) and not np.array_equal(terms, np.round(terms)):
            return False
    return True
