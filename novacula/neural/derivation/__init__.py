"""The work of multilayer perceptrons: the network drawn, updates forward and back, learning curves, surfaces."""

from novacula.neural.derivation.network import derive_epoch, derive_network, derive_predictions

__all__ = ["derive_epoch", "derive_network", "derive_predictions"]
