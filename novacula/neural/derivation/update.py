"""The equations of one update of a network: what the showings of a batch do to weights and biases, as training does it.

    sgd, batch   Δw = η (Σ s δ·input / B − 2γw) + α Δw′        w ← w + Δw
    adam         g = 2γw − Σ s δ·input / B, running means m of g and v of g², and w ← w − ηₜ m / (√v + ε)

Biases have no decay, and their input is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from novacula.learner.derivation import cut_table
from novacula.learner.work import Step, WorkTable
from novacula.mathematics import Equation
from novacula.neural.derivation.example import input_letter, unit_name
from novacula.neural.derivation.passage import RowPassage
from novacula.neural.derivation.priced import has_prices
from novacula.neural.derivation.replay import RULE, Update
from novacula.neural.network import Architecture
from novacula.table.chunk import Floats

WEIGHTS = 2
"""Weights of a layer whose change is derived, those that move most, unless everything is asked for; and biases: 1."""
DIGITS_OF_SINGLE = 2.0**-21
"""How far one update in single precision may be from what is derived in double, as a share of the largest weight."""


SHARES = "shares with which rows count"
Place: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class Parameter:
    """One weight or bias: the layer it leads to, from 0, the units on both sides, and its place in θ."""

    layer: int
    source: int | None  # None: a bias
    unit: int
    place: int

    def symbol(self, letter: str = "", prime: str = "") -> str:
        """Its name, or with a letter before it, as Δ, that of something that it has."""
        above, head = self.layer + 1, "b" if self.source is None else "w"
        index = f"[{self.unit + 1}]" if self.source is None else f"[{self.source + 1}, {self.unit + 1}]"
        return f"{letter}{head}{prime}__{above}{index}"


Tie: TypeAlias = Callable[[Parameter], Place]


def parameters_of(sizes: tuple[int, ...]) -> list[Parameter]:
    """All weights and biases in the order of θ."""
    found = list[Parameter]()
    for layer, (a, b) in enumerate(pairwise(sizes)):
        for i in range(a + 1):
            source = i if i < a else None
            found += [Parameter(layer, source, j, len(found) + j) for j in range(b)]
    return found


def chosen(architecture: Architecture, moves: Floats, is_full: bool) -> list[Parameter]:
    """The parameters that are derived: the last layer's first, of each those that move most."""
    every, kept = parameters_of(architecture.sizes), list[Parameter]()
    for layer in range(architecture.n_layers - 1, -1, -1):
        for is_bias, most in ((False, WEIGHTS), (True, 1)):
            own = [p for p in every if p.layer == layer and (p.source is None) == is_bias]
            if not is_full:
                own = sorted(own, key=lambda p: -moves[p.place])[:most]
            kept += sorted(own, key=lambda p: p.place)
    return kept


def words_for(passage: RowPassage, parameter: Parameter, outcomes: tuple[str, ...]) -> str:
    """What a parameter is called in words."""
    unit = unit_name(passage, parameter.layer, parameter.unit, outcomes)
    if parameter.source is None:
        return f"bias of {unit}"
    below = parameter.layer - 1
    source = f"input {parameter.source + 1}" if below < 0 else unit_name(passage, below, parameter.source, outcomes)
    return f"weight from {source} to {unit}"


def change_steps(update: Update, outcomes: tuple[str, ...], title: str, is_full: bool, tie: Tie) -> Iterator[Step]:
    """How weights and biases change; `tie` says where the model keeps a parameter after the update."""
    make = {"sgd": descent, "batch": descent, "adam": moments}.get(update.model.solver, slope_only)
    for parameter in chosen(update.model.architecture_, np.abs(update.gradient), is_full):
        title_of = f"{title}, {words_for(update.passage, parameter, outcomes)}"
        yield Step(title_of, make(update, parameter, tie(parameter)))


def mean_of(update: Update, parameter: Parameter) -> tuple[str, dict[str, Any], dict[str, str], dict[str, float]]:
    """Σ s δ·input / B of a parameter, with its values, their meanings, and what is left to one number."""
    above, unit = parameter.layer + 1, parameter.unit + 1
    delta = f"δ__{above}[n, {unit}]"
    values: dict[str, Any] = {delta: update.deltas[parameter.layer][:, parameter.unit]}
    where = {"B": "how much the batch counts"}
    factors = [delta]
    if parameter.source is not None:
        read = f"{input_letter(parameter.layer)}[n, {parameter.source + 1}]"
        values[read] = update.passage.inputs(parameter.layer)[:, parameter.source]
        factors.append(read)
    if not (update.shares == 1.0).all():
        factors.insert(0, "s[n]")
        values["s"], where["s"] = update.shares, SHARES
    rest = {"n": float(update.rest[parameter.place])} if len(update.rest) else {}
    return f"sum({' * '.join(factors)} for n in _) / B", {**values, "B": update.divisor}, where, rest


def add_prices(update: Update, parameter: Parameter, values: dict[str, Any], where: dict[str, str]) -> str:
    """The slopes of prices along a parameter, as terms of a sum; what they are made of goes into values and where."""
    own, terms = parameter.symbol(), ""
    if update.model.weight_decay and parameter.source is not None:
        terms += f" + 2 * γ * {own}"
        values |= {"γ": update.model.weight_decay, own: update.theta[parameter.place]}
        where["γ"] = "price of large weights"
    if has_prices(update.model):
        name = f"p({own})"
        terms += f" + {name}"
        values[name], where[name] = float(update.price[parameter.place]), "slope of the mean price of derivatives"
    return terms


def descent(update: Update, parameter: Parameter, of: Place) -> tuple[Equation, ...]:
    """Against the gradient, and on with the last change."""
    mean, values, where, rest = mean_of(update, parameter)
    eta = rate_letter(update, parameter.layer)
    own, change, last = parameter.symbol(), parameter.symbol("Δ"), parameter.symbol("Δ", "′")
    values[eta], where[eta] = update.rates[parameter.layer], "rate"
    price = add_prices(update, parameter, values, where)
    right = f"{eta} * ({mean}{price.replace('+', '-')})" if price else f"{eta} * {mean}"
    if update.memory and update.persistence:
        right += f" + α * {last}"
        values |= {"α": update.persistence, last: update.memory[0][parameter.place]}
        where["α"] = "share of the last change that is made again"
    moved = {own: update.theta[parameter.place], change: update.after[1][parameter.place]}
    return (
        Equation(change, right, values, where=where, rest=rest),
        Equation(own, f"{own} + {change}", moved, of=of, sign="←"),
    )


def gradient_equation(update: Update, parameter: Parameter) -> Equation:
    """The slope of the objective along a parameter."""
    mean, values, where, rest = mean_of(update, parameter)
    own = parameter.symbol()
    right = f"-({mean}){add_prices(update, parameter, values, where)}"
    return Equation(f"g({own})", right, values, where={**where, f"g({own})": "slope of the objective"}, rest=rest)


def slope_only(update: Update, parameter: Parameter, _: Place) -> tuple[Equation, ...]:
    """The slope, from which the solver makes its step."""
    return (gradient_equation(update, parameter),)


def moments(update: Update, parameter: Parameter, of: Place) -> tuple[Equation, ...]:
    """Adam: running means of the gradient and of its square, and a step of about η."""
    own, place, eta = parameter.symbol(), parameter.place, rate_letter(update, parameter.layer)
    g, m, v = f"g({own})", f"m({own})", f"v({own})"
    _, mean, square = (part[place] for part in update.after)
    betas = {"β_1": RULE.beta1, "β_2": RULE.beta2}
    slope = gradient_equation(update, parameter)
    step = f"{own} - {eta} * sqrt(1 - β_2 ** τ) / (1 - β_1 ** τ) * ({m} / (sqrt({v}) + ε))"
    values = {own: update.theta[place], eta: update.rates[parameter.layer], m: mean, v: square, "τ": update.count}
    first = {m: update.memory[0][place], g: update.gradient[place], "β_1": RULE.beta1}
    second = {v: update.memory[1][place], g: update.gradient[place], "β_2": RULE.beta2}
    return (
        slope,
        Equation(m, f"β_1 * {m} + (1 - β_1) * {g}", first, sign="←"),
        Equation(v, f"β_2 * {v} + (1 - β_2) * {g} ** 2", second, sign="←"),
        Equation(
            own,
            step,
            {**values, **betas, "ε": RULE.epsilon},
            of=of,
            where={eta: "rate", "τ": "the number of this update"},
            sign="←",
        ),
    )


def rate_letter(update: Update, layer: int) -> str:
    """η, or with numeric targets of another unit the η of a layer."""
    return "η" if len(set(update.rates.tolist())) == 1 else f"η_{layer + 1}"


def example_slopes(
    passage: RowPassage, target: Floats, loss: str, outcomes: tuple[str, ...], row: str, is_full: bool
) -> Iterator[Step]:
    """What one row asks of weights, outputs first: minus the slopes of its error."""
    deltas = passage.deltas(target[None], loss)
    sums = passage.sums(deltas, np.ones(1))
    for parameter in chosen(passage.architecture, np.abs(sums), is_full):
        above = parameter.layer + 1
        delta = f"δ__{above}[{parameter.unit + 1}]"
        right, values = delta, {delta: deltas[parameter.layer][0, parameter.unit]}
        if parameter.source is not None:
            read = f"{input_letter(parameter.layer)}[{parameter.source + 1}]"
            right, values = f"{delta} * {read}", values | {read: passage.inputs(parameter.layer)[0, parameter.source]}
        slope = Equation(f"-g({parameter.symbol()})", right, values)
        yield Step(f"{row}, {words_for(passage, parameter, outcomes)}", slope)


# --- all of it, in tables ---------------------------------------------------------------------------------------


def batch_table(update: Update, is_full: bool) -> WorkTable:
    """Targets, outputs and δ of the showings."""
    k, n = update.targets.shape[1], len(update.rows)
    above = update.model.architecture_.n_layers
    columns = range(k if is_full else min(k, 2))
    header = [f"⟦{letter}[{j + 1}]⟧" for j in columns for letter in ("t", f"o__{above}", f"δ__{above}")]
    parts = [
        part[:, j] for j in columns for part in (update.targets, update.passage.outputs[-1], update.deltas[-1])
    ]  # fmt: skip
    rows = [(i + 1, *(float(part[i]) for part in parts)) for i in range(n)]
    return cut_table(("row ⟦n⟧", *header), rows, n, "The batch.", most=n if is_full else 8)


def weights_table(before: Any, after: Any, sizes: tuple[int, ...], is_full: bool) -> WorkTable:
    """Weights and biases before and after."""
    every = parameters_of(sizes)
    rows = (
        (f"⟦{p.symbol()}⟧", float(before[p.place]), float(after[p.place] - before[p.place]), float(after[p.place]))
        for p in every
    )
    most = len(every) if is_full else 12
    return cut_table(("", "before", "change", "after"), rows, len(every), "Weights and biases.", most=most)
