"""What a layer does with its net inputs z: the interface of activations and output functions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from novacula.neural.network.jet import Array, split


class LayerFunction:
    """A function of a row's net inputs; it acts in place where batches are many, and on jets where it is derived."""

    name: ClassVar[str]
    gives_probabilities: ClassVar[bool] = False

    def apply(self, net: Array) -> None:
        """Turn net inputs (…, w) into outputs, in place."""
        raise NotImplementedError

    def fire(self, net: Array, bias: Array) -> None:
        """Add the bias (w,) to net inputs (n, w) and turn them into outputs, in place."""
        net += bias
        self.apply(net)

    def chain(self, o: Array, adjoint: Array, scratch: Array) -> None:
        """Turn ∂E/∂o into ∂E/∂z where the outputs are o, all of them (n, w), in place."""
        raise NotImplementedError

    def surprise(self, net: Array, target: Array, scratch: Array, rows: Array) -> None:
        """Write −ln P(t) of each row to rows (n,), where outputs are probabilities; net (n, k) becomes outputs."""
        raise NotImplementedError

    def lift(self, net: Array, order: int) -> Array:
        """Jets of outputs from jets of net inputs."""
        outputs = np.empty_like(net)
        (z, z1, z2), (o, o1, o2) = split(net, order), split(outputs, order)
        o[...] = z
        self.apply(o)
        if order >= 1:
            self.lift_slopes(o, (z1, z2), (o1, o2), order)
        return outputs

    def lift_slopes(self, o: Array, net: tuple[Array, Array], outputs: tuple[Array, Array], order: int) -> None:
        """Write o′, and o″ for order 2, where the outputs are o, from z′ and z″."""
        raise NotImplementedError

    def pull(self, net: Array, outputs: Array, adjoint: Array, order: int) -> Array:
        """Adjoints of the net inputs' jets from those of the outputs' jets: `lift` reversed.

        `adjoint` may have more axes in front than the jets, for several adjoints at once.
        """
        raise NotImplementedError
