"""The work of multilayer perceptrons: the network drawn, an example forward and back, learning curves, surfaces."""

from novacula.neural.derivation.network_work import derive_network, derive_predictions

__all__ = ["derive_network", "derive_predictions"]
