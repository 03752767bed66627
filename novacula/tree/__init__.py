"""Decision trees for classes and for numbers, pruning and rules."""

from novacula.tree.decision_tree import DecisionTreeClassifier
from novacula.tree.information import entropy, entropy_curve, gain_ratio, information_gain
from novacula.tree.regression_tree import DecisionTreeRegressor
from novacula.tree.rule_list import RuleListClassifier
from novacula.tree.smallest import SmallestTree, smallest_tree

is_family = True
__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "RuleListClassifier",
    "SmallestTree",
    "entropy",
    "entropy_curve",
    "gain_ratio",
    "information_gain",
    "smallest_tree",
]
