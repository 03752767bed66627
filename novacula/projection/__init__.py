"""Principal components, and columns ranked by what they say of a target."""

from novacula.projection.feature_ranker import FeatureRanker
from novacula.projection.pca import PCA

is_family = True
__all__ = ["PCA", "FeatureRanker"]
