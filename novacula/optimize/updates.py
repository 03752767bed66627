"""Rules that turn a gradient into a step, in place: for loops that make thousands of steps from small batches.

    momentum   Δw ← −η∇ + α·(previous Δw)                                    w ← w + Δw
    Adam       m ← β₁m + (1−β₁)∇     v ← β₂v + (1−β₂)∇²                       w ← w − ηₜ m / (√v + ε)
               with ηₜ = η √(1−β₂ᵗ) / (1−β₁ᵗ), since m and v start from 0     (Kingma and Ba)

A rule remembers steps of one vector of weights, float32 or float64: take a new one for another vector.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import nonnegative_number, positive_number

Weights: TypeAlias = npt.NDArray[Any]
"""float32 or float64, (p,)."""


class Momentum:
    """Steps that go on: `momentum` α is the share of the last step that is taken again; 0 is plain descent.

    >>> w, rule = np.array([1.0]), Momentum(0.5)
    >>> for _ in range(3):  # descend w²/2, whose gradient is w
    ...     rule.step(w, w.copy(), 0.1)
    ...     print(w.round(4))
    [0.9]
    [0.76]
    [0.614]
    """

    def __init__(self, momentum: float = 0.9) -> None:
        self.momentum = nonnegative_number(momentum, "momentum", below=1.0)
        self.velocity: Weights | None = None
        """The last step Δw."""

    def step(self, weights: Weights, gradient: Weights, eta: float | Weights) -> None:
        """Move the weights by a step of rate η, one number or one for each, in place; the gradient is used up."""
        if self.velocity is None:
            self.velocity = np.zeros_like(weights)
        gradient *= eta
        self.velocity *= self.momentum
        self.velocity -= gradient
        weights += self.velocity


class Adam:
    """Steps of about η in each coordinate, regardless of its gradient's size.

    >>> w, rule = np.array([3.0, -0.5]), Adam()
    >>> rule.step(w, np.array([100.0, -0.01]), 0.1)
    >>> w.round(4)
    array([ 2.9, -0.4])
    """

    def __init__(self, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8) -> None:
        self.beta1 = nonnegative_number(beta1, "beta1", below=1.0)
        self.beta2 = nonnegative_number(beta2, "beta2", below=1.0)
        self.epsilon = positive_number(epsilon, "epsilon")
        self.n_steps = 0
        self.mean: Weights | None = None
        """m, the running mean of gradients."""
        self.square: Weights | None = None
        """v, the running mean of squared gradients."""

    def step(self, weights: Weights, gradient: Weights, eta: float | Weights) -> None:
        """Move the weights by a step of rate η, one number or one for each, in place; the gradient is used up."""
        if self.mean is None or self.square is None:
            self.mean, self.square = np.zeros_like(weights), np.zeros_like(weights)
            self.scratch = np.empty_like(weights)
        self.n_steps += 1
        scratch, t = self.scratch, self.n_steps
        np.multiply(gradient, 1 - self.beta1, out=scratch)
        self.mean *= self.beta1
        self.mean += scratch
        gradient *= gradient
        gradient *= 1 - self.beta2
        self.square *= self.beta2
        self.square += gradient
        np.sqrt(self.square, out=scratch)
        scratch += self.epsilon
        np.divide(self.mean, scratch, out=scratch)
        scratch *= eta * math.sqrt(1 - self.beta2**t) / (1 - self.beta1**t)
        weights -= scratch
