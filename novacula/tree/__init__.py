"""Decision trees, pruning and rules."""

from novacula.tree.decision_tree import DecisionTreeClassifier

__all__ = ["DecisionTreeClassifier"]
