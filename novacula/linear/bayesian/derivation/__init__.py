"""How a posterior over planes comes about, step by step."""

from novacula.linear.bayesian.derivation.posterior import derive_intervals, derive_posterior
from novacula.linear.bayesian.derivation.search import derive_search

__all__ = ["derive_intervals", "derive_posterior", "derive_search"]
