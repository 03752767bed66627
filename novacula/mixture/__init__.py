"""Clusters and mixtures: k-means, Gaussian mixtures, and EM as users call it."""

__all__: list[str] = []
