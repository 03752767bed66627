"""A fitted tree in other forms: text, rules, logic, plain data, a picture."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ParameterError
from novacula.table import Column, Schema
from novacula.tree import export
from novacula.tree.settings import pseudo_examples

if TYPE_CHECKING:
    from novacula.tree.attributes import Attribute
    from novacula.tree.export import DNF, AnyNamedTree, DecisionRule, NamedClassTree, NamedNumberTree, NumberRule


ABSOLUTE = "absolute_error"
"""The criterion whose deviations are absolute."""


class TreeForms:
    """What every learner with a `tree_` can be turned into, and made from."""

    named_kind: ClassVar[type[AnyNamedTree]]
    """The kind of tree that the learner has."""

    @abstractmethod
    def named_tree(self) -> Any:
        """Give the tree with its names: what all other forms are made from."""

    @abstractmethod
    def _take(self, named: Any) -> None:
        """Set the parameters and fitted attributes that only learners of this kind have; the others are set."""

    def to_text(self, max_depth: int | None = None) -> str:
        """Give the tree as indented lines, with what the examples of each leaf say: `No (5/1)`, `23.41 (12, ± 1.3)`."""
        return export.to_text(self.named_tree(), max_depth)

    def to_dict(self) -> dict[str, Any]:
        """Give the tree as plain data for JSON; `from_dict` is the way back."""
        return export.to_dict(self.named_tree())

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Make a fitted learner of what `to_dict` gave; it predicts as the first did, and has no record of gains."""
        named = export.from_dict(record)
        if not isinstance(named, cls.named_kind):
            answers = "numbers" if isinstance(named, export.NamedNumberTree) else "classes"
            raise ParameterError(f"this is the record of a tree for {answers}, which a {cls.__name__} cannot hold")
        attributes = named.attributes
        cuts = {a.name: list(a.edges) for a in attributes if a.kind == "cut"}
        model: Any = cls()
        model.set_params(missing="fractional" if named.fractional else "most_common", thresholds=cuts or None)
        model.schema_ = Schema(tuple(map(column_of, attributes)), missing=())
        model.n_features_in_ = len(attributes)
        model.feature_names_in_ = np.array([a.name for a in attributes], dtype=object)
        model.attributes_, model.tree_ = attributes, named.tree
        model.cuts_ = np.zeros(len(attributes), np.int64)
        model._take(named)
        return model

    def plot(self, ax: Any = None, *, title: str = "", top_down: bool = False) -> Any:
        """Draw the tree on a Matplotlib axis, or as a figure of its own; the root is on the left, or on top."""
        return export.plot(self.named_tree(), ax, title=title, top_down=top_down)


class TreeExports(TreeForms):
    """The forms of a tree for classes."""

    named_kind = export.NamedClassTree

    def named_tree(self: Any) -> NamedClassTree:
        """Give the tree with its names: what all other forms are made from."""
        check_is_fitted(self)
        classes, m = tuple(self.classes_.tolist()), pseudo_examples(self)
        return export.NamedClassTree(self.tree_, self.attributes_, classes, m, fractional=self.missing == "fractional")

    def _take(self: Any, named: NamedClassTree) -> None:
        from novacula.tree.trace import TreeTrace

        self.set_params(m=named.m)
        self.classes_ = np.array(named.classes)
        self.trace_ = TreeTrace.none(named.attributes, len(named.classes))

    def to_rules(self) -> list[DecisionRule]:
        """Give one rule per leaf that has examples."""
        return export.to_rules(self.named_tree())

    def to_dnf(self, class_: Any) -> DNF:
        """Give the disjunction of the paths to leaves of a class."""
        return export.to_dnf(self.named_tree(), class_)


class NumberTreeExports(TreeForms):
    """The forms of a tree for numbers."""

    named_kind = export.NamedNumberTree

    def named_tree(self: Any) -> NamedNumberTree:
        """Give the tree with its names: what all other forms are made from."""
        check_is_fitted(self)
        absolute, fractional = self.criterion == ABSOLUTE, self.missing == "fractional"
        return export.NamedNumberTree(self.tree_, self.attributes_, absolute, fractional=fractional)

    @abstractmethod
    def _without_trace(self) -> Any:
        """The trace of a tree that was not grown here, made from `attributes_` and `tree_`."""

    def _take(self: Any, named: NamedNumberTree) -> None:
        if named.absolute:
            self.set_params(criterion=ABSOLUTE)
        self.trace_ = self._without_trace()

    def to_rules(self) -> list[NumberRule]:
        """Give one rule per leaf that has examples."""
        return export.to_number_rules(self.named_tree())


def column_of(attribute: Attribute) -> Column:
    """The column that an attribute asks."""
    if attribute.kind == "nominal":
        return Column(attribute.name, "categorical", attribute.labels, declared=True)
    return Column(attribute.name, "numeric")
