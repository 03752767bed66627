"""Many models that answer as one: forests, bagging, boosting."""

from novacula.ensemble.ada_boost import AdaBoostClassifier
from novacula.ensemble.bagging.classifier import BaggingClassifier
from novacula.ensemble.bagging.regressor import BaggingRegressor
from novacula.ensemble.boosting.classifier import GradientBoostingClassifier
from novacula.ensemble.boosting.regressor import GradientBoostingRegressor
from novacula.ensemble.forest.classifier import RandomForestClassifier
from novacula.ensemble.forest.regressor import RandomForestRegressor

is_family = True
__all__ = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
