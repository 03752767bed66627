"""Neural networks: multilayer perceptrons and radial basis networks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

__all__ = [
    "MLPClassifier",
    "MLPRegressor",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
