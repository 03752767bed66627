"""What a fitted model holds, declared: the form of each attribute, its dimensions by name, the range of its numbers.

A declaration is a dictionary from names to forms, in the class attribute `state` of a learner or of a dataclass that
fitted attributes hold:

>>> state = {
...     "class_prior_": probabilities("classes"),
...     "means_": floats("classes", "columns"),
...     "history_": optional(floats("iterations")),
... }

Dimensions of one name have one size. Those of a learner begin with its `columns`, kinds of columns and `classes`; a
name that is new gets the size of the first array that has it. A model file is checked against the declaration before
any method of the model can run, so compiled loops may trust it; `check_learner` holds fitted models to it; the
attributes' documentation and the forgeries of `make fuzz` are made from it.

>>> print(describe(state))
class_prior_  probabilities (classes)
means_        numbers (classes, columns)
history_      numbers (iterations), not always there

base.py      `Form`, the scope that names sizes, and `check_state`
arrays.py    forms of arrays
rows.py      forms of rows, dense or sparse
values.py    forms of single values
holders.py   forms of what holds others: tuples, dictionaries, dataclasses, choices
"""

from novacula.state.arrays import (
    codes,
    definite,
    flags,
    floats,
    indices,
    is_label,
    labels,
    offsets,
    probabilities,
    texts,
    wholes,
)
from novacula.state.base import Form, NotFiniteError, Scope, State, StateError, check_state, declared, describe
from novacula.state.holders import (
    any_record,
    by_parameter,
    each,
    instance,
    keyed,
    mapping,
    nullable,
    one_of,
    optional,
    parts,
    record,
)
from novacula.state.rows import rows
from novacula.state.values import flag, label, number, text, whole, word

__all__ = [
    "Form",
    "NotFiniteError",
    "Scope",
    "State",
    "StateError",
    "any_record",
    "by_parameter",
    "check_state",
    "codes",
    "declared",
    "definite",
    "describe",
    "each",
    "flag",
    "flags",
    "floats",
    "indices",
    "instance",
    "is_label",
    "keyed",
    "label",
    "labels",
    "mapping",
    "nullable",
    "number",
    "offsets",
    "one_of",
    "optional",
    "parts",
    "probabilities",
    "record",
    "rows",
    "text",
    "texts",
    "whole",
    "wholes",
    "word",
]
