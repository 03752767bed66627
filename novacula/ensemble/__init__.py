"""Many models that answer as one: forests, bagging, boosting."""

from novacula.ensemble.forest.classifier import RandomForestClassifier
from novacula.ensemble.forest.regressor import RandomForestRegressor

is_family = True
__all__ = ["RandomForestClassifier", "RandomForestRegressor"]
