"""What a network minimises: the mean loss of the examples, and prices of large weights, bends and wrong slopes.

    E = Σ sᵢ(ℓᵢ + ν cᵢ + μ gᵢ) / Σ sᵢ  +  γ Σ w²

    cᵢ = mean over inputs and outputs of (∂²o/∂x²)²        gᵢ = ½ Σ over inputs and outputs of (∂o/∂x − given slope)²

The sᵢ are weights of examples, o the outputs after their function, and Σ w² leaves biases out. The first part is a
sum over rows, so blocks of them, from wherever they come, add up: `sums`, and then `combine`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from novacula.arguments import one_of
from novacula.errors import DataError, ParameterError
from novacula.neural.network.architecture import Architecture
from novacula.neural.network.examples import WeightedExamples
from novacula.neural.network.jet import Array
from novacula.neural.network.loss import LOSSES
from novacula.neural.network.penalties import Penalties
from novacula.neural.network.tape import Tape
from novacula.neural.network.tying import Tying

BLOCK_NUMBERS = 1 << 18
"""Numbers in the widest jets of a block of rows: 2 MB, which the cache of a core can hold."""


@dataclass(frozen=True, eq=False)
class LossPass:
    """A forward pass over a block of rows: Σ sᵢ(ℓᵢ + ν cᵢ + μ gᵢ), and what the way back starts with."""

    tape: Tape
    total: float
    delta: Array  # (n, k), ∂/∂net of the losses
    adjoint: Array  # (n, 1 + order·d, k), ∂/∂jet of the outputs, of the penalties

    def gradient(self) -> Array:
        """The gradient of the total to θ."""
        start = self.tape.pull_outputs(self.adjoint)
        start[:, 0] += self.delta
        return self.tape.gradient(start)


class NetworkObjective:
    """E as a function of the free parameters: of θ itself, or with `tying` of those that it leaves.

    X is (n, d), T (n, k), `weight` (n,) or None for ones, and `slopes` (n, k, d): ∂oₖ/∂xᵢ as it should be.

    >>> line = Architecture((1, 1), "linear", "linear")
    >>> E = NetworkObjective(line, "squared", Penalties(weight_decay=0.5))
    >>> X, T = np.array([[0.0], [1.0]]), np.array([[1.0], [5.0]])
    >>> E.value_and_gradient(np.array([2.0, 1.0]), X, T)  # (0² + 2²) / 4 + 0.5 · 2²
    (3.0, array([ 1., -1.]))
    """

    def __init__(
        self, architecture: Architecture, loss: str, penalties: Penalties | None = None, tying: Tying | None = None
    ) -> None:
        self.architecture, self.tying = architecture, tying
        self.penalties = Penalties() if penalties is None else penalties
        self.loss = LOSSES[one_of(loss, "loss", tuple(LOSSES))]
        self.loss.check(architecture.output)
        self.jet_prices = self.penalties.jet_prices(architecture)
        self.block_rows = max(1, BLOCK_NUMBERS // (len(self.jet_prices) * max(architecture.sizes)))

    # --- value and gradient ------------------------------------------------------------------------------------

    def value(self, free: Array, X: Array, T: Array, weight: Array | None = None, slopes: Array | None = None) -> float:
        """E."""
        theta, examples = self._theta(free), WeightedExamples.of(self.architecture, X, T, weight, slopes)
        total = sum(self._pass(theta, block).total for block in examples.blocks(self.block_rows))
        return total / examples.total + self.decay(theta)

    def value_and_gradient(
        self, free: Array, X: Array, T: Array, weight: Array | None = None, slopes: Array | None = None
    ) -> tuple[float, Array]:
        """E, and its gradient to the free parameters."""
        total, gradient = self.sums(free, X, T, weight, slopes)
        weight_sum = len(X) if weight is None else np.sum(weight, dtype=np.float64)
        return self.combine(free, total, gradient, float(weight_sum))

    def sums(
        self, free: Array, X: Array, T: Array, weight: Array | None = None, slopes: Array | None = None
    ) -> tuple[float, Array]:
        """Σ sᵢ(ℓᵢ + ν cᵢ + μ gᵢ) over these rows, and its gradient to the free parameters."""
        theta, total, gradient = self._theta(free), 0.0, np.zeros(self.architecture.n_parameters)
        for block in WeightedExamples.of(self.architecture, X, T, weight, slopes).blocks(self.block_rows):
            visited = self._pass(theta, block)
            total += visited.total
            gradient += visited.gradient()
        return total, self._gather(gradient)

    def combine(self, free: Array, total: float, gradient: Array, weight: float) -> tuple[float, Array]:
        """E and its gradient, from the `sums` over all rows and the sum of their weights."""
        if not weight > 0:
            raise DataError("the weights sum to zero: no row counts")
        theta = self._theta(free)
        pull = 2 * self.penalties.weight_decay * np.where(self.architecture.is_weight, theta, 0)
        return total / weight + self.decay(theta), gradient / weight + self._gather(pull)

    def decay(self, theta: Array) -> float:
        """γ Σ w² of the weights in θ."""
        weights = theta[self.architecture.is_weight]
        return self.penalties.weight_decay * float(weights @ weights)

    def _pass(self, theta: Array, rows: WeightedExamples) -> LossPass:
        """Go forward over a block of rows."""
        tape = Tape.record(self.architecture, theta, rows.X, self.penalties.order)
        net = tape.nets[-1][:, 0].copy()
        delta, scratch, losses = np.empty_like(net), np.empty_like(net), np.empty(len(net))
        self.loss.settle(self.architecture.functions[-1], net, rows.T, delta, scratch, losses)
        delta *= rows.weight[:, None]
        gaps = self._gaps(tape, rows)
        adjoint = gaps * np.outer(rows.weight, self.jet_prices)[:, :, None]
        total = float(losses @ rows.weight) + 0.5 * float(np.vdot(adjoint, gaps))
        return LossPass(tape, total, delta, adjoint)

    def _gaps(self, tape: Tape, rows: WeightedExamples) -> Array:
        """The jets of the outputs, less what they should be: targets, given slopes, and no curvature."""
        gaps = tape.outputs.copy()
        gaps[:, 0] -= rows.T
        if self.penalties.slope_weight:
            if rows.slopes is None:
                raise ParameterError("slope_weight is above 0, but no slopes are given: give them, or slope_weight=0")
            gaps[:, 1 : 1 + rows.X.shape[1]] -= rows.slopes.swapaxes(1, 2)
        return gaps

    # --- least squares -----------------------------------------------------------------------------------------

    def residuals(
        self, free: Array, X: Array, T: Array, weight: Array | None = None, slopes: Array | None = None
    ) -> Array:
        """The numbers r of which E is ½ Σ r²: gaps by entry of the jet, output and row; then the weights."""
        tape, roots, rows = self._least_squares(free, X, T, weight, slopes)
        gaps = (self._gaps(tape, rows) * roots).transpose(1, 2, 0)[self._priced]
        return np.concatenate([gaps.ravel(), *self._decay_rows(self._theta(free))])

    def jacobian(
        self, free: Array, X: Array, T: Array, weight: Array | None = None, slopes: Array | None = None
    ) -> Array:
        """The derivatives of the residuals to the free parameters, a row each."""
        tape, roots, _ = self._least_squares(free, X, T, weight, slopes)
        s, k = tape.outputs.shape[1:]
        own_entry = np.eye(s * k).reshape(s, k, s, k)[self._priced].reshape(-1, 1, s, k)
        rows = tape.jacobian(tape.pull_outputs(own_entry * roots))
        p = self.architecture.n_parameters
        return self._gather(np.concatenate([rows.reshape(-1, p), *self._decay_rows(np.eye(p))]))

    def _least_squares(
        self, free: Array, X: Array, T: Array, weight: Array | None, slopes: Array | None
    ) -> tuple[Tape, Array, WeightedExamples]:
        """A forward pass, and by row and entry of the jet (n, s, 1) the root of its price; a value's price is 1."""
        if self.loss.name != "squared":
            raise ParameterError(f"loss is {self.loss.name!r}; a sum of squares needs the 'squared' loss")
        rows = WeightedExamples.of(self.architecture, X, T, weight, slopes)
        prices = self.jet_prices.copy()
        prices[0] = 1
        roots = np.sqrt(np.outer(rows.weight / rows.total, prices))[:, :, None]
        return Tape.record(self.architecture, self._theta(free), rows.X, self.penalties.order), roots, rows

    @property
    def _priced(self) -> Array:
        """Which entries of a jet have a price under squared loss."""
        priced = self.jet_prices > 0
        priced[0] = True
        return priced

    def _decay_rows(self, of: Array) -> list[Array]:
        """The residuals √(2γ) w, given θ; their derivatives, given the unit matrix."""
        gamma = self.penalties.weight_decay
        return [np.sqrt(2 * gamma) * of[self.architecture.is_weight]] if gamma else []

    # --- free parameters ---------------------------------------------------------------------------------------

    def _theta(self, free: Array) -> Array:
        free = np.asarray(free, np.float64)
        return free if self.tying is None else self.tying.expand(free)

    def _gather(self, gradient: Array) -> Array:
        return gradient if self.tying is None else self.tying.gather(gradient)
