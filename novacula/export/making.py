"""A model as a program."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from novacula.errors import ExportError
from novacula.export.inputs import Inputs
from novacula.export.learners import said_by
from novacula.export.learners.trees import said_by_tree
from novacula.export.program import Program
from novacula.export.tidying import tidied
from novacula.table import Schema
from novacula.tree.export import AnyNamedTree, NamedClassTree
from novacula.tree.export.named import plain
from novacula.tree.exporting import column_of


def program_of_tree(named: AnyNamedTree) -> Program:
    """The program of a tree that has names, but no learner."""
    schema = Schema(tuple(map(column_of, named.attributes)), missing=())
    inputs, columns = Inputs.of(schema)
    said = said_by_tree(named, inputs)
    classes = named.classes if isinstance(named, NamedClassTree) else None
    return tidied(Program("Decision tree", columns, said.answer, classes, said.chances))


def program_of(model: Any) -> Program:
    """The program of a fitted learner, or of one behind a preparation."""
    check_is_fitted(model)
    inputs, columns = Inputs.of(model.schema_)
    said = said_by(model, inputs)
    classes = getattr(model, "classes_", None)
    inner = getattr(model, "model_", model)
    name = inner.card.name
    if classes is None:
        return tidied(Program(name, columns, said.answer))
    if getattr(classes, "ndim", 1) != 1:
        raise ExportError(f"{name} answers with several labels a row, which cannot be exported")
    labels = tuple(plain(label, "a class") for label in classes.tolist())
    return tidied(Program(name, columns, said.answer, labels, said.chances))
