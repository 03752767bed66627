"""Nearest neighbours, and densities from neighbours and kernels."""

from novacula.neighbors.k_neighbors_classifier import KNeighborsClassifier
from novacula.neighbors.k_neighbors_density import KNeighborsDensity
from novacula.neighbors.k_neighbors_regressor import KNeighborsRegressor
from novacula.neighbors.kernel_density import GridDensity, KernelDensity

is_family = True
__all__ = ["GridDensity", "KNeighborsClassifier", "KNeighborsDensity", "KNeighborsRegressor", "KernelDensity"]
