"""One example on its way through a network: net inputs and outputs forward, δ backward, and steps that say so.

net = b + Σ w·input        o = g(net)
δ = −∂E/∂net               at an output from the error, below δ_h = g′(o_h) Σ w_hk δ_k
−∂E/∂w = δ · input
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from novacula.learner.worded_step import WordedStep as Step
from novacula.linear.plane import weighted_sum
from novacula.neural.network import ACTIVATIONS, Architecture, Layers
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neural.multilayer import MultilayerNetwork

UNITS = 4
"""Units of a layer that are derived."""
WEIGHTS = 3
"""Changes of weights that are derived in each layer."""
STEEP = 300.0
"""Net inputs beyond which e^net is not written out: it would overflow."""

VALUES: Mapping[str, tuple[str, str]] = {
    "logistic": ("o = 1 / (1 + e^−net)", "1 / (1 + exp(-z))"),
    "tanh": ("o = tanh(net) = 1 − 2 / (e^(2·net) + 1)", "1 - 2 / (exp(2 * z) + 1)"),
    "relu": ("o = max(0, net)", "max(0, z)"),
    "linear": ("o = net", "z"),
}
"""An activation's formula, and as an expression of z."""
SLOPES: Mapping[str, tuple[str, str]] = {
    "logistic": ("o(1 − o)", "o * (1 - o)"),
    "tanh": ("(1 − o²)", "(1 - o ** 2)"),
    "relu": ("[o > 0]", "g"),
    "linear": ("", "g"),
}
"""The factor g′ of δ, and as an expression of o, or of its value g where that is 0 or 1."""


@dataclass(frozen=True, eq=False)
class Example:
    """A row with the net inputs and outputs of every layer, in double precision."""

    architecture: Architecture
    layers: Layers
    x: Floats  # (d,)
    nets: list[Floats]
    outputs: list[Floats]

    @classmethod
    def of(cls, model: MultilayerNetwork, x: Floats) -> Self:
        """Push a row through."""
        layers = model.architecture_.layers(model.weights_.astype(np.float64))
        nets, outputs = list[Floats](), list[Floats]()
        for (W, b), function in zip(layers, model.architecture_.functions, strict=True):
            nets.append((outputs[-1] if outputs else x) @ W + b)
            fired = nets[-1][None].copy()
            function.apply(fired)
            outputs.append(fired[0])
        return cls(model.architecture_, layers, x, nets, outputs)

    def inputs(self, layer: int) -> Floats:
        """What a layer reads."""
        return self.outputs[layer - 1] if layer else self.x

    def deltas(self, target: Floats, loss: str) -> list[Floats]:
        """δ of every layer, for targets (k,)."""
        delta = (target - self.outputs[-1])[None]
        if loss == "squared":
            output = self.architecture.functions[-1]
            output.chain(self.outputs[-1][None], delta, np.empty_like(delta))
        deltas = [delta[0]]
        hidden = ACTIVATIONS[self.architecture.activation]
        for layer in range(len(self.layers) - 1, 0, -1):
            below = self.layers[layer][0] @ deltas[0]
            deltas.insert(0, hidden.first(self.outputs[layer - 1]) * below)
        return deltas


def unit_name(example: Example, layer: int, j: int, outcomes: tuple[str, ...]) -> str:
    """What a unit is called."""
    if layer == len(example.layers) - 1:
        return f"output for {outcomes[j]}"
    where = f" of layer {layer + 1}" if len(example.layers) > 2 else ""
    return f"hidden unit {j + 1}{where}"


# --- forward --------------------------------------------------------------------------------------------------


def forward_steps(example: Example, outcomes: tuple[str, ...], row: str, places: Mapping[int, Any]) -> Iterator[Step]:
    """Net input and output of the first units of each layer; `places`: where the model says outputs of the row."""
    last = len(example.layers) - 1
    for layer, (W, b) in enumerate(example.layers):
        for j in range(min(UNITS, len(b))):
            title = f"{row}, {unit_name(example, layer, j, outcomes)}"
            net = float(example.nets[layer][j])
            total, values = weighted_sum("w", W[:, j], "o" if layer else "x", example.inputs(layer))
            formula = "net = b + Σ w·o" if layer else "net = b + Σ w·x"
            yield Step(f"{title}: net", formula, f"b + {total}", {"b": float(b[j]), **values}, net)
            of = places.get(j, ()) if layer == last else ()
            yield output_step(f"{title}: o", example, layer, j, of)


def output_step(title: str, example: Example, layer: int, j: int, of: tuple[str | int, ...]) -> Step:
    """From net input to output."""
    last = layer == len(example.layers) - 1
    name = example.architecture.output if last else example.architecture.activation
    nets, result = example.nets[layer], float(example.outputs[layer][j])
    if np.abs(nets).max() > STEEP and name in ("logistic", "tanh", "softmax"):
        return Step(title, result=result, of=of, note="The net input is so large that e^net is not written out.")
    if name != "softmax":
        formula, expression = VALUES[name]
        return Step(title, formula, expression, {"z": float(nets[j])}, result, of)
    own, values = f"z_{j + 1}", {f"z_{k + 1}": float(z) for k, z in enumerate(nets[:UNITS])}
    terms, labels = [f"exp({z})" for z in values], {}
    if len(nets) > UNITS:
        values["rest"], labels["rest"] = float(np.exp(nets[UNITS:]).sum()), f"of the other {len(nets) - UNITS} outputs"
        terms.append("rest")
    return Step(title, "oₖ = e^netₖ / Σ e^net", f"exp({own}) / ({' + '.join(terms)})", values, result, of, labels)


# --- backward -------------------------------------------------------------------------------------------------


def error_step(example: Example, target: Floats, loss: str, row: str) -> Step:
    """The loss of the example, of which a softmax asks the output of its class only."""
    o, title = example.outputs[-1], f"{row}, error"
    if loss == "squared":
        numbers, formula = range(min(UNITS, len(o))), "E = ½ Σ (t − o)²"
        terms = [f"(t_{k + 1} - o_{k + 1}) ** 2 / 2" for k in numbers]
        values = {f"t_{k + 1}": float(target[k]) for k in numbers} | {f"o_{k + 1}": float(o[k]) for k in numbers}
    elif example.architecture.output == "softmax":
        numbers, formula = range(int(target.argmax()), int(target.argmax()) + 1), "E = −ln o of its class"
        terms, values = ["-log(o)"], {"o": float(o[numbers[0]])}
    else:
        numbers, formula = range(min(UNITS, len(o))), "E = −Σ t ln o + (1 − t) ln(1 − o)"
        terms = [f"-log(o_{k + 1})" if target[k] else f"-log(1 - o_{k + 1})" for k in numbers]
        values = {f"o_{k + 1}": float(o[k]) for k in numbers}
    note = f"Over the first {UNITS} of {len(o)} outputs." if 1 < len(numbers) < len(o) else ""
    return Step(title, formula, " + ".join(terms), values, note=note)


def backward_steps(example: Example, target: Floats, loss: str, outcomes: tuple[str, ...], row: str) -> Iterator[Step]:
    """δ of the first units, outputs first, then below."""
    deltas, last = example.deltas(target, loss), len(example.layers) - 1
    for k in range(min(UNITS, len(target))):
        yield output_delta(f"{row}, {unit_name(example, last, k, outcomes)}: δ", example, target, loss, k, deltas[last])
    formula, slope = SLOPES[example.architecture.activation]
    hidden = ACTIVATIONS[example.architecture.activation]
    for layer in range(last - 1, -1, -1):
        W, o = example.layers[layer + 1][0], example.outputs[layer]
        for h in range(min(UNITS, len(o))):
            total, values = weighted_sum("w", W[h], "d", deltas[layer + 1])
            bend = {"g": float(hidden.first(o)[h])} if slope == "g" else {"o": float(o[h])}
            yield Step(
                f"{row}, {unit_name(example, layer, h, outcomes)}: δ",
                f"δ_h = {formula} Σ w_hk δ_k".replace("  ", " "),
                f"{slope} * ({total})",
                bend | values,
                float(deltas[layer][h]),
            )


def output_delta(title: str, example: Example, target: Floats, loss: str, k: int, delta: Floats) -> Step:
    """δ of an output."""
    o, output, result = example.outputs[-1], example.architecture.output, float(delta[k])
    values = {"t": float(target[k]), "o": float(o[k])}
    if loss == "cross_entropy" or output == "linear":
        return Step(title, "δ = t − o", "t - o", values, result)
    if output == "logistic":
        return Step(title, "δ = o(1 − o)(t − o)", "o * (1 - o) * (t - o)", values, result)
    values["m"] = float(o @ (target - o))
    labels = {"m": "Σ oⱼ(tⱼ − oⱼ)"}
    return Step(title, "δₖ = oₖ((tₖ − oₖ) − Σ oⱼ(tⱼ − oⱼ))", "o * ((t - o) - m)", values, result, labels=labels)


def change_steps(
    example: Example, deltas: list[Floats], eta: float | None, outcomes: tuple[str, ...], row: str
) -> Iterator[Step]:
    """What the example would do to some weights of each layer, outputs first: to those that it moves most."""
    formula = "Δw = η δ·input" if eta is not None else "−∂E/∂w = δ·input"
    for layer in range(len(example.layers) - 1, -1, -1):
        moves = np.outer(example.inputs(layer), deltas[layer])
        for place in np.argsort(-np.abs(moves), axis=None, kind="stable")[:WEIGHTS]:
            i, j = (int(part) for part in np.unravel_index(place, moves.shape))
            values = {"d": float(deltas[layer][j]), "x": float(example.inputs(layer)[i])}
            source = f"input {i + 1}" if layer == 0 else unit_name(example, layer - 1, i, outcomes)
            yield Step(
                f"{row}, weight from {source} to {unit_name(example, layer, j, outcomes)}",
                formula,
                "eta * d * x" if eta is not None else "d * x",
                ({"eta": eta} if eta is not None else {}) | values,
            )
