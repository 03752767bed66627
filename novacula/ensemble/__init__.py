"""Many models that answer as one: forests, bagging, boosting."""

from novacula.ensemble.ada_boost import AdaBoostClassifier
from novacula.ensemble.bagging.classifier import BaggingClassifier
from novacula.ensemble.bagging.regressor import BaggingRegressor
from novacula.ensemble.forest.classifier import RandomForestClassifier
from novacula.ensemble.forest.regressor import RandomForestRegressor

is_family = True
__all__ = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
