"""Neural networks: multilayer perceptrons and radial basis networks."""

from typing import TYPE_CHECKING

from novacula.lazy import load_when_used

if TYPE_CHECKING:
    from novacula.neural.mlp_classifier import MLPClassifier
    from novacula.neural.mlp_regressor import MLPRegressor
    from novacula.neural.rbf_network_classifier import RBFNetworkClassifier
    from novacula.neural.rbf_network_regressor import RBFNetworkRegressor

_HOME = {
    "MLPClassifier": "mlp_classifier",
    "MLPRegressor": "mlp_regressor",
    "RBFNetworkClassifier": "rbf_network_classifier",
    "RBFNetworkRegressor": "rbf_network_regressor",
}

is_family = True
__all__ = [
    "MLPClassifier",
    "MLPRegressor",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
]

__getattr__, __dir__ = load_when_used(__name__, _HOME)
