"""Activations: the function g of a unit's net input, its value in place and its derivatives from its value.

    logistic   o = 1 / (1 + e⁻ᶻ)   o′ = o(1−o)    o″ = o′(1−2o)   o‴ = o′(1−6o′)
    tanh       o = tanh z          o′ = 1−o²      o″ = −2oo′      o‴ = o′(6o²−2)
    relu       o = max(z, 0)       o′ = [o > 0]   o″ = o‴ = 0, except at the kink, where o′ is taken to be 0
    linear     o = z               o′ = 1         o″ = o‴ = 0

That the value is enough is what makes back-propagation cheap: net inputs need not be kept.
"""

from __future__ import annotations

import numpy as np

from novacula.neural.network.jet import Array, split
from novacula.neural.network.layer_function import LayerFunction

LARGEST_EXPONENT = {np.dtype(np.float32): 80.0, np.dtype(np.float64): 700.0}
"""Beyond it e⁻ᶻ is cut off, before it overflows."""


class Activation(LayerFunction):
    """A function of each unit's own net input; derivatives are those to z, written in terms of o."""

    def first(self, o: Array, out: Array | None = None) -> Array:
        """The derivative g′ where the output is o."""
        raise NotImplementedError

    def second(self, o: Array) -> Array:
        """The derivative g″."""
        return np.zeros_like(o)

    def third(self, o: Array) -> Array:
        """The derivative g‴."""
        return np.zeros_like(o)

    def chain(self, o: Array, adjoint: Array, scratch: Array) -> None:
        """∂E/∂z = g′ ∂E/∂o."""
        adjoint *= self.first(o, out=scratch)

    def lift_slopes(self, o: Array, net: tuple[Array, Array], outputs: tuple[Array, Array], order: int) -> None:
        """g′z′, and g″z′² + g′z″."""
        (z1, z2), (o1, o2) = net, outputs
        slope = self.first(o)
        np.multiply(slope, z1, out=o1)
        if order == 2:
            np.multiply(slope, z2, out=o2)
            o2 += self.second(o) * z1**2

    def pull(self, net: Array, outputs: Array, adjoint: Array, order: int) -> Array:
        """Adjoints of the net inputs' jets from those of the outputs' jets: `lift` reversed.

        z̄″ = g′ō″        z̄′ = g′ō′ + 2g″z′ō″        z̄ = g′ō + Σ (g″z′ō′ + (g‴z′² + g″z″)ō″), over all directions
        """
        (_, z1, z2), (o, _, _), (_, a1, a2) = split(net, order), split(outputs, order), split(adjoint, order)
        pulled = adjoint * self.first(o)
        p, p1, _ = split(pulled, order)
        if order >= 1:
            bend = self.second(o)
            p += (bend * z1 * a1).sum(axis=-2, keepdims=True)
        if order == 2:
            p1 += 2 * bend * z1 * a2
            p += ((self.third(o) * z1**2 + bend * z2) * a2).sum(axis=-2, keepdims=True)
        return pulled


class Logistic(Activation):
    """The sigmoid: from 0 to 1."""

    name = "logistic"
    gives_probabilities = True

    def apply(self, net: Array) -> None:
        """1 / (1 + e⁻ᶻ)."""
        np.negative(net, out=net)
        np.minimum(net, LARGEST_EXPONENT[net.dtype], out=net)
        np.exp(net, out=net)
        net += 1
        np.reciprocal(net, out=net)

    def fire(self, net: Array, bias: Array) -> None:
        """Of float32 in a compiled loop."""
        if net.dtype == np.float32:
            from novacula.neural.network._kernels import logistic_units

            logistic_units(net, bias)
        else:
            super().fire(net, bias)

    def first(self, o: Array, out: Array | None = None) -> Array:
        """o(1−o)."""
        out = np.subtract(1, o, out=out)
        out *= o
        return out

    def second(self, o: Array) -> Array:
        """o′(1−2o)."""
        return self.first(o) * (1 - 2 * o)

    def third(self, o: Array) -> Array:
        """o′(1−6o′)."""
        slope = self.first(o)
        return slope * (1 - 6 * slope)

    def surprise(self, net: Array, target: Array, scratch: Array, rows: Array) -> None:
        """−Σ t ln o + (1−t) ln(1−o) of each row into rows (n,); the net inputs (n, k) become outputs.

        It is Σ ln(1 + eᶻ) − tz, which stays exact where o is rounded to 0 or 1.
        """
        with np.errstate(invalid="ignore"):  # NaN shows in the loss
            np.logaddexp(0, net, out=scratch)
        np.einsum("nk,nk->n", net, target, out=rows)
        scratch[:, 0] -= rows
        np.sum(scratch, axis=1, out=rows)
        self.apply(net)


class Tanh(Activation):
    """The hyperbolic tangent: from −1 to 1."""

    name = "tanh"

    def apply(self, net: Array) -> None:
        """Tanh z."""
        np.tanh(net, out=net)

    def fire(self, net: Array, bias: Array) -> None:
        """Of float32 in a compiled loop."""
        if net.dtype == np.float32:
            from novacula.neural.network._kernels import tanh_units

            tanh_units(net, bias)
        else:
            super().fire(net, bias)

    def first(self, o: Array, out: Array | None = None) -> Array:
        """1−o²."""
        out = np.multiply(o, o, out=out)
        return np.subtract(1, out, out=out)

    def second(self, o: Array) -> Array:
        """−2oo′."""
        return -2 * o * self.first(o)

    def third(self, o: Array) -> Array:
        """o′(6o²−2)."""
        return self.first(o) * (6 * o**2 - 2)


class Relu(Activation):
    """The positive part: piecewise linear, so that its second derivative says nothing."""

    name = "relu"

    def apply(self, net: Array) -> None:
        """max(z, 0)."""
        np.maximum(net, 0, out=net)

    def first(self, o: Array, out: Array | None = None) -> Array:
        """1 where o is above 0."""
        return np.sign(o, out=out)


class Identity(Activation):
    """The net input itself."""

    name = "linear"

    def apply(self, net: Array) -> None:
        """Leave z as it is."""

    def first(self, o: Array, out: Array | None = None) -> Array:
        """1."""
        out = np.empty_like(o) if out is None else out
        out[...] = 1
        return out


ACTIVATIONS: dict[str, Activation] = {a.name: a for a in (Logistic(), Tanh(), Relu(), Identity())}
