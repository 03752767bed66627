"""Clusters and mixtures: k-means, Gaussian mixtures, and EM as users call it."""

from novacula.learner.expectation_maximization import EMResult, Restart, expectation_maximization
from novacula.mixture.gaussian.search import MixtureSearch
from novacula.mixture.gaussian_mixture import GaussianMixture
from novacula.mixture.k_means import KMeans
from novacula.mixture.lloyd.search import ClusterSearch

is_family = True
__all__ = [
    "ClusterSearch",
    "EMResult",
    "GaussianMixture",
    "KMeans",
    "MixtureSearch",
    "Restart",
    "expectation_maximization",
]
