"""A tree in other forms: text, rules, logic, plain values, SQL, Python and a picture."""

from novacula.tree.export.condition import Condition
from novacula.tree.export.dictionary import from_dict, to_dict
from novacula.tree.export.logic import DNF, to_dnf
from novacula.tree.export.named import NamedTree
from novacula.tree.export.plot import plot, tree_figure
from novacula.tree.export.python import to_python
from novacula.tree.export.rules import DecisionRule, to_rules
from novacula.tree.export.sql import to_sql
from novacula.tree.export.text import to_text

__all__ = [
    "DNF",
    "Condition",
    "DecisionRule",
    "NamedTree",
    "from_dict",
    "plot",
    "to_dict",
    "to_dnf",
    "to_python",
    "to_rules",
    "to_sql",
    "to_text",
    "tree_figure",
]
