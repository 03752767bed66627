"""A tree in other forms: text, rules, logic, plain values and a picture."""

from novacula.tree.export.condition import Condition
from novacula.tree.export.dictionary import from_dict, to_dict
from novacula.tree.export.logic import DNF, to_dnf
from novacula.tree.export.named import AnyNamedTree, NamedClassTree, NamedNumberTree, NamedTree
from novacula.tree.export.plot import plot, tree_figure
from novacula.tree.export.rules import DecisionRule, NumberRule, to_number_rules, to_rules
from novacula.tree.export.text import to_text

__all__ = [
    "DNF",
    "AnyNamedTree",
    "Condition",
    "DecisionRule",
    "NamedClassTree",
    "NamedNumberTree",
    "NamedTree",
    "NumberRule",
    "from_dict",
    "plot",
    "to_dict",
    "to_dnf",
    "to_number_rules",
    "to_rules",
    "to_text",
    "tree_figure",
]
