"""Neural networks: multilayer perceptrons and radial basis networks."""

from typing import TYPE_CHECKING

from novacula.lazy import load_when_used

if TYPE_CHECKING:
    from novacula.neural.mlp_classifier import MLPClassifier
    from novacula.neural.mlp_regressor import MLPRegressor
    from novacula.neural.rbf_network_classifier import RBFNetworkClassifier
    from novacula.neural.rbf_network_regressor import RBFNetworkRegressor
    from novacula.neural.shaping.collapse import CollapsedNetwork, collapse
    from novacula.neural.shaping.pruning import PrunedNetwork, prune_weights

_HOME = {
    "MLPClassifier": "mlp_classifier",
    "MLPRegressor": "mlp_regressor",
    "RBFNetworkClassifier": "rbf_network_classifier",
    "RBFNetworkRegressor": "rbf_network_regressor",
    "CollapsedNetwork": "shaping.collapse",
    "collapse": "shaping.collapse",
    "PrunedNetwork": "shaping.pruning",
    "prune_weights": "shaping.pruning",
}

is_family = True
__all__ = [
    "CollapsedNetwork",
    "MLPClassifier",
    "MLPRegressor",
    "PrunedNetwork",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "collapse",
    "prune_weights",
]

__getattr__, __dir__ = load_when_used(__name__, _HOME)
