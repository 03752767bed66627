"""Between a table and a learner: columns become what the learner's card says that it takes."""

from novacula.prepare.classifier import PreparedClassifier
from novacula.prepare.clusterer import PreparedClusterer
from novacula.prepare.regressor import PreparedRegressor

is_family = True
__all__ = ["PreparedClassifier", "PreparedClusterer", "PreparedRegressor"]
