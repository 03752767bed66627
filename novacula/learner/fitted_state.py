"""What a fitted learner holds, checked against what its class and its bases declare in `state`.

Dimensions that every learner knows: `columns` of its schema, of which `numeric`, `categorical` and `text` ones;
`inputs`, the numbers that scikit-learn counts as columns, of which `sparse` ones; `numbers`, the numeric and the sparse
ones; and of a classifier the `classes`.
"""

from __future__ import annotations

from functools import cache, cached_property
from inspect import getattr_static
from typing import Any

from novacula.state import Scope, StateError, check_state, declared
from novacula.table.schema import Schema


def fitted_attributes(learner: Any) -> dict[str, Any]:
    """What a learner holds besides its parameters; names that begin with `_` are caches, which no file has."""
    kind: type = type(learner)
    left_out = {*learner._get_param_names(), *_cached_properties(kind)}
    return {
        name: value
        for name, value in sorted(vars(learner).items())
        if name not in left_out and not name.startswith("_")
    }


@cache
def _cached_properties(kind: type) -> frozenset[str]:
    names = {name for base in kind.__mro__ for name in vars(base)}
    return frozenset(name for name in names if isinstance(getattr_static(kind, name), cached_property))


def check_fitted_state(learner: Any) -> None:
    """Raise `StateError` unless the fitted attributes are as declared; without a declaration they may be anything."""
    state = declared(type(learner))
    if not state:
        return
    values = fitted_attributes(learner)
    schema = values.get("schema_")
    if not isinstance(schema, Schema):
        raise StateError("schema_ is missing, or is not a schema")
    if schema.n_rows is not None:
        raise StateError("schema_ has a number of rows, which those that are asked about need not have")
    for column in schema.features:
        if column.kind not in learner.card.takes:
            raise StateError(f"schema_ has a {column.kind} column, which {type(learner).__name__} does not take")
    check_state(state, values, Scope(sizes_of(schema), learner.get_params(deep=False).get))
    if values.get("classes_") is not None and not len(values["classes_"]):
        raise StateError("classes_ is empty")
    names = values.get("feature_names_in_")
    if names is not None and names.tolist() != [column.name for column in schema.features]:
        raise StateError("feature_names_in_ are not the names of the columns of its schema")


def sizes_of(schema: Schema) -> dict[str, int]:
    """The sizes of the dimensions that a schema gives."""
    numeric, sparse = len(schema.of_kind("numeric")), sum(column.width for column in schema.of_kind("sparse"))
    return {
        "columns": len(schema.features),
        "numeric": numeric,
        "categorical": len(schema.of_kind("categorical")),
        "text": len(schema.of_kind("text")),
        "sparse": sparse,
        "numbers": numeric + sparse,
        "inputs": sum(column.width for column in schema.features),
    }
