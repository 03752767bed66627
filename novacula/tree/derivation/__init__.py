"""The work of a tree: why each test was chosen, and which way a row takes."""

from novacula.tree.derivation.growth import derive_tree
from novacula.tree.derivation.prediction import derive_predictions

__all__ = ["derive_predictions", "derive_tree"]
