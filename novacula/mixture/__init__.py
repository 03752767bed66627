"""Clusters and mixtures: k-means, Gaussian mixtures, and EM as users call it."""

from novacula.mixture.em import EMResult, Restart, expectation_maximization
from novacula.mixture.gaussian.search import MixtureSearch
from novacula.mixture.gaussian_mixture import GaussianMixture

__all__ = ["EMResult", "GaussianMixture", "MixtureSearch", "Restart", "expectation_maximization"]
