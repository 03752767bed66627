"""Many models that answer as one: forests, bagging, boosting."""

from novacula.ensemble.boosting.classifier import GradientBoostingClassifier
from novacula.ensemble.boosting.regressor import GradientBoostingRegressor

is_family = True
__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]
