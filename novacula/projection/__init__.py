"""Principal components, and columns ranked by what they tell."""

from novacula.projection.feature_ranker import FeatureRanker
from novacula.projection.pca import PCA

__all__ = ["PCA", "FeatureRanker"]
