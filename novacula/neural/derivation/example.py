"""The equations of one row's way through a network: net inputs and outputs, the error, and δ back to the inputs.

Layers are numbered in brackets above the letters, from 1 for the one that reads the inputs x.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from novacula.learner.work import Step
from novacula.mathematics import Equation
from novacula.neural.derivation.passage import RowPassage
from novacula.table.chunk import Floats
from novacula.words import shortened

UNITS = 4
"""Units of a layer that are derived, unless everything is asked for."""
STEEP = 300.0
"""Net inputs beyond which e^net is written so that it does not overflow."""
SLOPES: Mapping[str, str] = {
    "logistic": "{o} * (1 - {o}) * ",
    "tanh": "(1 - {o} ** 2) * ",
    "relu": "(1 if {o} > 0 else 0) * ",
    "linear": "",
}
"""The factor g′ of δ, of an output o."""


def unit_name(passage: RowPassage, layer: int, j: int, outcomes: tuple[str, ...]) -> str:
    """What a unit is called."""
    if layer == len(passage.layers) - 1:
        return f"output for {shortened(outcomes[j])}"
    where = f" of layer {layer + 1}" if len(passage.layers) > 2 else ""
    return f"hidden unit {j + 1}{where}"


def shown_units(units: int, is_full: bool) -> range:
    """The units of a layer that are derived."""
    return range(units if is_full else min(UNITS, units))


def input_letter(layer: int) -> str:
    """What a layer reads."""
    return f"o__{layer}" if layer else "x"


# --- forward --------------------------------------------------------------------------------------------------


def forward_steps(
    passage: RowPassage, outcomes: tuple[str, ...], row: str, is_full: bool, places: Mapping[int, Any] | None = None
) -> Iterator[Step]:
    """Net input and output of units of each layer; `places`: where the model says outputs of the row."""
    last = len(passage.layers) - 1
    for layer, (W, b) in enumerate(passage.layers):
        above, letter = layer + 1, input_letter(layer)
        for j in shown_units(len(b), is_full):
            net = Equation(
                f"net__{above}[{j + 1}]",
                f"b__{above}[{j + 1}] + sum(w__{above}[i, {j + 1}] * {letter}[i] for i in _)",
                {f"b__{above}": b, f"w__{above}": W, letter: passage.inputs(layer)[0]},
            )
            of = (places or {}).get(j, ()) if layer == last else ()
            yield Step(
                f"{row}, {unit_name(passage, layer, j, outcomes)}", (net, output_equation(passage, layer, j, of))
            )


def output_equation(passage: RowPassage, layer: int, j: int, of: tuple[str | int, ...]) -> Equation:
    """From net input to output."""
    architecture, nets, above = passage.architecture, passage.nets[layer][0], layer + 1
    name = architecture.output if above == len(passage.layers) else architecture.activation
    left, net = f"o__{above}[{j + 1}]", f"net__{above}[{j + 1}]"
    if name == "softmax":
        letter, top = f"net__{above}", float(nets.max())
        is_steep = np.abs(nets).max() > STEEP
        less = " - m" if is_steep else ""
        right = f"exp({net}{less}) / sum(exp({letter}[k]{less}) for k in _)"
        more = {"m": "the largest net input, which shortens the fraction"} if is_steep else {}
        return Equation(left, right, {letter: nets} | ({"m": top} if is_steep else {}), of, more)
    right = {
        "logistic": f"1 / (1 + exp(-{net}))" if nets[j] > -STEEP else f"1 / (1 + exp(min(-{net}, 700)))",
        "tanh": f"tanh({net})",
        "relu": f"max(0, {net})",
        "linear": net,
    }[name]
    return Equation(left, right, {net: nets[j]}, of)


# --- backward -------------------------------------------------------------------------------------------------


def error_step(passage: RowPassage, target: Floats, loss: str, row: str) -> Step:
    """The loss of the row."""
    above = len(passage.layers)
    o = f"o__{above}"
    right = {
        "squared": f"sum((t[k] - {o}[k]) ** 2 for k in _) / 2",
        "softmax": f"-sum(t[k] * log({o}[k]) for k in _)",
        "logistic": f"-sum(t[k] * log({o}[k]) + (1 - t[k]) * log(1 - {o}[k]) for k in _)",
    }[loss if loss == "squared" else passage.architecture.output]
    values = {"t": target, o: passage.outputs[-1][0]}
    return Step(f"{row}, error", Equation("E", right, values, where={"t": "the outputs that are wanted"}))


def backward_steps(
    passage: RowPassage, target: Floats, loss: str, outcomes: tuple[str, ...], row: str, is_full: bool
) -> Iterator[Step]:
    """δ of units, outputs first, then below."""
    deltas, last = passage.deltas(target[None], loss), len(passage.layers) - 1
    for k in shown_units(len(target), is_full):
        delta = output_delta(passage, target, loss, k)
        yield Step(f"{row}, {unit_name(passage, last, k, outcomes)}: ⟦δ⟧", delta)
    for layer in range(last - 1, -1, -1):
        W, o, above = passage.layers[layer + 1][0], passage.outputs[layer][0], layer + 1
        for h in shown_units(len(o), is_full):
            unit = f"o__{above}[{h + 1}]"
            slope = SLOPES[passage.architecture.activation].format(o=unit)
            below = f"sum(w__{above + 1}[{h + 1}, k] * δ__{above + 1}[k] for k in _)"
            values = {f"w__{above + 1}": W, f"δ__{above + 1}": deltas[layer + 1][0]}
            delta = Equation(f"δ__{above}[{h + 1}]", slope + below, values | ({unit: o[h]} if slope else {}))
            yield Step(f"{row}, {unit_name(passage, layer, h, outcomes)}: ⟦δ⟧", delta)


def output_delta(passage: RowPassage, target: Floats, loss: str, k: int) -> Equation:
    """δ of an output."""
    o, output, above = passage.outputs[-1][0], passage.architecture.output, len(passage.layers)
    left, t, own = f"δ__{above}[{k + 1}]", f"t[{k + 1}]", f"o__{above}[{k + 1}]"
    values = {t: target[k], own: o[k]}
    if loss == "cross_entropy" or output == "linear":
        return Equation(left, f"{t} - {own}", values)
    if output == "logistic":
        return Equation(left, f"{own} * (1 - {own}) * ({t} - {own})", values)
    letter = f"o__{above}"
    right = f"{own} * ({t} - {own} - sum({letter}[j] * (t[j] - {letter}[j]) for j in _))"
    return Equation(left, right, {"t": target, letter: o})
