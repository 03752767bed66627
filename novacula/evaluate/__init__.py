"""What is measured: losses, splits, curves, bias and variance, description lengths, comparisons of learners.

Nothing here imports scikit-learn or SciPy before it is called.
"""

from novacula.evaluate.bias_variance import BiasVariance, bias_variance
from novacula.evaluate.calibration import Calibration, calibration
from novacula.evaluate.compare import Comparison, McNemar, compare, mcnemar
from novacula.evaluate.confusion import Confusion, confusion
from novacula.evaluate.costs import CostMatrix, decide
from novacula.evaluate.cross_validation import CrossValidation, cross_validate
from novacula.evaluate.description_length import DescriptionLength, description_length
from novacula.evaluate.folds import Folds, folds
from novacula.evaluate.generalisation import Generalisation, generalisation_loss
from novacula.evaluate.intervals import Interval, mean_interval, proportion_interval
from novacula.evaluate.learning_curve import LearningCurve, learning_curve
from novacula.evaluate.learning_curves import LearningCurves, learning_curves
from novacula.evaluate.leave_one_out import LeaveOneOut, leave_one_out
from novacula.evaluate.loss import Loss, loss
from novacula.evaluate.metric import Metric, metric
from novacula.evaluate.one_standard_error import choose
from novacula.evaluate.overfitting import Overfitting, overfitting
from novacula.evaluate.precision_recall import PrecisionRecall, precision_recall
from novacula.evaluate.roc import OperatingPoint, RocCurve, roc
from novacula.evaluate.rows import empirical_loss
from novacula.evaluate.select_size import SizeCurve, select_size
from novacula.evaluate.split import Part, Split, split
from novacula.evaluate.two_classes import one_vs_rest
from novacula.learner.parameter_count import n_parameters

__all__ = [
    "BiasVariance",
    "Calibration",
    "Comparison",
    "Confusion",
    "CostMatrix",
    "CrossValidation",
    "DescriptionLength",
    "Folds",
    "Generalisation",
    "Interval",
    "LearningCurve",
    "LearningCurves",
    "LeaveOneOut",
    "Loss",
    "McNemar",
    "Metric",
    "OperatingPoint",
    "Overfitting",
    "Part",
    "PrecisionRecall",
    "RocCurve",
    "SizeCurve",
    "Split",
    "bias_variance",
    "calibration",
    "choose",
    "compare",
    "confusion",
    "cross_validate",
    "decide",
    "description_length",
    "empirical_loss",
    "folds",
    "generalisation_loss",
    "learning_curve",
    "learning_curves",
    "leave_one_out",
    "loss",
    "mcnemar",
    "mean_interval",
    "metric",
    "n_parameters",
    "one_vs_rest",
    "overfitting",
    "precision_recall",
    "proportion_interval",
    "roc",
    "select_size",
    "split",
]
