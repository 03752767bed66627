"""Softmax: the outputs of a row as probabilities, oₖ = e^zₖ / Σⱼ e^zⱼ.

Its Jacobian is the symmetric matrix J = diag(o) − ooᵀ, and along an input the derivatives are J applied twice:

    o′ = J z′        o″ = J q   with   q = (z′ − oᵀz′)² + z″
"""

from __future__ import annotations

import numpy as np

from novacula.neural.network.jet import Array, split
from novacula.neural.network.layer_function import LayerFunction


class Softmax(LayerFunction):
    """A function of all net inputs of a row together."""

    name = "softmax"
    gives_probabilities = True

    def apply(self, net: Array) -> None:
        """The largest net input is taken off first, so that nothing overflows."""
        net -= net.max(axis=-1, keepdims=True)
        np.exp(net, out=net)
        net /= net.sum(axis=-1, keepdims=True)

    def chain(self, o: Array, adjoint: Array, scratch: Array) -> None:
        """∂E/∂z = J ∂E/∂o."""
        np.multiply(o, adjoint, out=scratch)
        adjoint -= scratch.sum(axis=-1, keepdims=True)
        adjoint *= o

    def surprise(self, net: Array, target: Array, scratch: Array, rows: Array) -> None:
        """−Σ tₖ ln oₖ, with ln o taken from the net inputs: it stays exact where o is rounded to 0.

        Of float32 in a compiled loop.
        """
        if net.dtype == np.float32:
            from novacula.neural.network._kernels import softmax_surprise

            softmax_surprise(net, target, rows)
            return
        np.max(net, axis=1, out=rows)
        net -= rows[:, None]
        np.exp(net, out=scratch)
        np.sum(scratch, axis=1, out=rows)
        np.log(rows, out=rows)
        net -= rows[:, None]
        np.multiply(net, target, out=scratch)
        np.sum(scratch, axis=1, out=rows)
        np.negative(rows, out=rows)
        np.exp(net, out=net)

    def lift_slopes(self, o: Array, net: tuple[Array, Array], outputs: tuple[Array, Array], order: int) -> None:
        """J z′, and J q."""
        (z1, z2), (o1, o2) = net, outputs
        o1[...] = o * centred(o, z1)
        if order == 2:
            o2[...] = o * centred(o, centred(o, z1) ** 2 + z2)

    def pull(self, net: Array, outputs: Array, adjoint: Array, order: int) -> Array:
        """Adjoints of the net inputs' jets from those of the outputs' jets: `lift` reversed.

        J is symmetric, so it pulls adjoints back as well. What o gets through J and through oᵀz′ in q adds to its own.
        """
        (_, z1, z2), (o, _, _), (a, a1, a2) = split(net, order), split(outputs, order), split(adjoint, order)
        pulled = np.empty_like(adjoint)
        p, p1, p2 = split(pulled, order)
        whole = a
        if order >= 1:
            p1[...] = o * centred(o, a1)
            whole = whole + through_jacobian(o, z1, a1)
        if order == 2:
            p2[...] = o * centred(o, a2)
            gap = centred(o, z1)
            whole = whole + through_jacobian(o, gap**2 + z2, a2)
            of_gap = 2 * gap * p2
            of_mean = -of_gap.sum(axis=-1, keepdims=True)  # the adjoint of oᵀz′
            p1 += of_gap + o * of_mean
            whole = whole + (z1 * of_mean).sum(axis=-2, keepdims=True)
        p[...] = o * centred(o, whole)
        return pulled


def centred(o: Array, y: Array) -> Array:
    """y − oᵀy: y less its mean under the probabilities o; J y is o times it."""
    return y - (o * y).sum(axis=-1, keepdims=True)


def through_jacobian(o: Array, y: Array, adjoint: Array) -> Array:
    """The adjoint of o in J y, with y held fixed, summed over all directions."""
    through = adjoint * centred(o, y) - y * (adjoint * o).sum(axis=-1, keepdims=True)
    return through.sum(axis=-2, keepdims=True)
