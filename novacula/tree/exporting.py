"""A fitted tree in other forms: text, rules, logic, plain data, SQL, Python, a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.table import Column, Schema
from novacula.tree import export
from novacula.tree.missing import STRATEGIES
from novacula.tree.settings import pseudo_examples

if TYPE_CHECKING:
    from novacula.tree.attributes import Attribute
    from novacula.tree.export import DNF, DecisionRule, NamedTree


class TreeExports:
    """What a learner with a `tree_` can be turned into."""

    def named_tree(self: Any) -> NamedTree:
        """Give the tree with its names: what all other forms are made from."""
        check_is_fitted(self)
        fractional = STRATEGIES[self.missing].is_fractional
        return export.NamedTree(
            self.tree_, self.attributes_, tuple(self.classes_.tolist()), pseudo_examples(self), fractional
        )

    def to_text(self, max_depth: int | None = None) -> str:
        """Give the tree as indented lines, with weights of examples and errors: `No (5/1)`."""
        return export.to_text(self.named_tree(), max_depth)

    def to_rules(self) -> list[DecisionRule]:
        """Give one rule per leaf that has examples."""
        return export.to_rules(self.named_tree())

    def to_dnf(self, class_: Any) -> DNF:
        """Give the disjunction of the paths to leaves of a class."""
        return export.to_dnf(self.named_tree(), class_)

    def to_dict(self) -> dict[str, Any]:
        """Give the tree as plain data for JSON; `from_dict` is the way back."""
        return export.to_dict(self.named_tree())

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Make a fitted learner of what `to_dict` gave; it predicts as the first did, and has no record of gains."""
        from novacula.tree.trace import TreeTrace

        named = export.from_dict(record)
        attributes = named.attributes
        cuts = {a.name: list(a.edges) for a in attributes if a.kind == "cut"}
        missing = "fractional" if named.fractional else "most_common"
        model: Any = cls()
        model.set_params(missing=missing, m=named.m, thresholds=cuts or None)
        model.schema_ = Schema(tuple(map(_column, attributes)), missing=())
        model.n_features_in_ = len(attributes)
        model.feature_names_in_ = np.array([a.name for a in attributes], dtype=object)
        model.classes_, model.attributes_, model.tree_ = np.array(named.classes), attributes, named.tree
        model.trace_ = TreeTrace.none(attributes, len(named.classes))
        model.cuts_ = np.zeros(len(attributes), np.int64)
        return model

    def to_sql(self, table: str | tuple[str, ...] = "data", **options: Any) -> str:
        """Give a SELECT that predicts the class of every row of a table; see `novacula.tree.export.to_sql`."""
        return export.to_sql(self.named_tree(), table, **options)

    def to_python(self, name: str = "predict", *, probabilities: bool = False) -> str:
        """Give the source of a function that needs nothing but Python: of a mapping of values, the class."""
        return export.to_python(self.named_tree(), name, probabilities=probabilities)

    def plot(self, ax: Any = None, *, title: str = "", top_down: bool = False) -> Any:
        """Draw the tree on a Matplotlib axis, or as a figure of its own; the root is on the left, or on top."""
        return export.plot(self.named_tree(), ax, title=title, top_down=top_down)


def _column(attribute: Attribute) -> Column:
    """The column that an attribute asks."""
    if attribute.kind == "nominal":
        return Column(attribute.name, "categorical", attribute.labels, declared=True)
    return Column(attribute.name, "numeric")
