"""Decision trees, pruning and rules."""

from novacula.tree.decision_tree import DecisionTreeClassifier
from novacula.tree.rule_list import RuleListClassifier

is_family = True
__all__ = ["DecisionTreeClassifier", "RuleListClassifier"]
