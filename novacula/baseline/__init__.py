"""What anybody could say without looking at the columns: the most frequent class, the mean."""

from novacula.baseline.mean import MeanRegressor
from novacula.baseline.plurality import PluralityClassifier

is_family = True
__all__ = ["MeanRegressor", "PluralityClassifier"]
