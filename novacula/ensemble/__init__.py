"""Many models that answer as one: forests, bagging, boosting."""

from novacula.ensemble.ada_boost import AdaBoostClassifier
from novacula.ensemble.forest.classifier import RandomForestClassifier
from novacula.ensemble.forest.regressor import RandomForestRegressor

is_family = True
__all__ = ["AdaBoostClassifier", "RandomForestClassifier", "RandomForestRegressor"]
