"""A network of linear layers is one linear unit: its layers multiplied out.

o = (…((x W₁ + b₁) W₂ + b₂)…) = x (W₁ W₂ …) + (b₁ W₂ … + b₂ … + …)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from novacula.errors import InputTypeError, ParameterError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neural.multilayer import MultilayerNetwork

MOST = 12
"""Rows and columns of a matrix that is written out."""


@dataclass(frozen=True, eq=False)
class CollapsedNetwork(ShowsWork):
    """The one layer that linear layers come to: x @ coef + intercept, before the function of the outputs."""

    coef: Floats
    """W (inputs, outputs)."""
    intercept: Floats
    """b (outputs,)."""
    layers: tuple[tuple[Floats, Floats], ...] = field(repr=False)

    def _derive(self, options: WorkOptions) -> Work:
        return Work("Linear layers multiplied out", list(collapse_steps(self, options.is_full)))


def collapse(model: MultilayerNetwork) -> CollapsedNetwork:
    """Multiply the layers of a fitted network with linear hidden units out to one.

    >>> from novacula.neural import MLPRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> network = MLPRegressor((3, 2), activation="linear", solver="lm", dtype="float64").fit(X, y)
    >>> one = collapse(network)
    >>> one.coef.round(6).tolist(), one.intercept.round(6).tolist()
    ([[2.0]], [1.0])
    """
    if not hasattr(model, "coefs_"):
        raise InputTypeError(f"collapse takes a fitted network, not {type(model).__name__}")
    if model.architecture_.activation != "linear" and model.architecture_.n_layers > 1:
        raise ParameterError(
            f"the hidden units are {model.architecture_.activation}, which bend: only linear layers are one layer"
        )
    layers = tuple(
        (np.asarray(W, np.float64), np.asarray(b, np.float64))
        for W, b in zip(model.coefs_, model.intercepts_, strict=True)
    )
    coef, intercept = layers[0]
    for W, b in layers[1:]:
        coef, intercept = coef @ W, intercept @ W + b
    return CollapsedNetwork(coef, intercept, layers)


def collapse_steps(one: CollapsedNetwork, is_full: bool) -> Iterator[Step]:
    """Layer after layer is multiplied in."""
    sizes = [len(one.coef), *(len(b) for _, b in one.layers)]
    if max(sizes) > MOST and not is_full:
        note = f"The layers have up to {max(sizes)} units, too many to be written out; detail='full' does."
        yield Step("The layers are one", (Equation("W", "A @ w"), Equation("b", "a @ w + v")), note=note)
        return
    A, a = one.layers[0]
    last = len(one.layers)
    for number, (W, v) in enumerate(one.layers[1:], start=2):
        is_end = number == last
        about_weights = {"A": "the weights so far", "w": "those of the next layer"}
        about_biases = {"a": "the biases so far", "v": "those of the next layer"}
        weights = Equation("W", "A @ w", {"A": A, "w": W}, ("coef",) if is_end else (), about_weights)
        of = ("intercept",) if is_end else ()
        biases = Equation("b", "a @ w + v", {"a": a, "w": W, "v": v}, of, about_biases)
        yield Step(f"Layer {number} is multiplied in", (weights, biases))
        A, a = A @ W, a @ W + v
    if last == 1:
        yield Step("There is one layer", Equation("W", "A", {"A": A}, ("coef",)))
