"""A tree as one statement of standard SQL, which predicts where the data are.

Each leaf is a conjunction of what its path asks, so that the statement is flat however deep the tree. NULL is a
missing value, and a first step makes NULL of categories that the tree never saw. Where such rows go whole down
one branch, the conditions of its leaves let NULL pass. Where they go down all, each leaf has a weight,

    Π over the attributes of its path of (1 if the condition holds, the share if NULL, else 0),

a class has the sum over leaves of weight times probability, and the prediction is the first that none exceeds. A number
is the sum over leaves of weight times value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from novacula.errors import ParameterError
from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute
from novacula.tree.constants import NOISE
from novacula.tree.export.condition import Condition
from novacula.tree.export.named import NamedClassTree, NamedNumberTree, NamedTree, Path, paths, plain

CHAIN = 100
"""Terms of a chain; longer ones are grouped, since databases limit how deep an expression may be."""
PLUS = "\n    + "


def to_sql(
    named: NamedClassTree,
    table: str | Sequence[str] = "data",
    *,
    keep: Sequence[str] = (),
    prediction: str = "prediction",
    probabilities: bool = False,
) -> str:
    """A statement that predicts the class of each row of a table.

    `table` is its name, or a sequence such as ("schema", "table"). `keep` names columns that are passed on, such
    as a key. The class is called `prediction`; with `probabilities` there is a column `P(class)` for each class.
    A database that knows NaN takes it for a large number: store missing numbers as NULL.
    """
    statement = Statement(named, table, keep)
    if named.fractional:
        votes = statement.mixed(named.probabilities)
        columns = [_first_maximum(named.classes, votes), *votes]
    else:
        chances = [[approximate(p) for p in column] for column in named.probabilities.T.tolist()]
        columns = [statement.of_leaf(at) for at in ([literal(named.classes[k]) for k in named.plurality], *chances)]
    names = [prediction, *(f"P({label})" for label in named.classes)]
    return statement.text(names, columns) if probabilities else statement.text(names[:1], columns[:1])


def to_number_sql(
    named: NamedNumberTree,
    table: str | Sequence[str] = "data",
    *,
    keep: Sequence[str] = (),
    prediction: str = "prediction",
) -> str:
    """A statement that predicts the number of each row of a table; its arguments are those of `to_sql`."""
    statement, values = Statement(named, table, keep), named.tree.value
    columns = (
        statement.mixed(values[:, None]) if named.fractional else [statement.of_leaf([approximate(v) for v in values])]
    )
    return statement.text([prediction], columns)


# --- the steps ----------------------------------------------------------------------------------------------


class Statement:
    """A statement about the rows of a table, step by step: the first gives the columns that the tree asks."""

    def __init__(self, named: NamedTree, table: str | Sequence[str], keep: Sequence[str]) -> None:
        parts = (table,) if isinstance(table, str) else tuple(table)
        if not parts:
            raise ParameterError("table is empty; it must be a name, or its parts such as ('schema', 'table')")
        if isinstance(keep, str):
            raise ParameterError(f"keep is {keep!r}; it must be a list of names of columns")
        self.ways = list(paths(named))
        self.taken = {name.casefold() for name in (*parts, *(attribute.name for attribute in named.attributes))}
        self.keep, self.kept = keep, [_free(f"kept_{i}", self.taken) for i in range(len(keep))]
        self.source = self.known = _free("known", self.taken)
        columns = _known_columns(self.ways, self.kept, self.keep)
        self.steps = [_select(self.known, columns, f"{'.'.join(map(quoted, parts))} AS t")]

    def mixed(self, values: Floats) -> list[str]:
        """The names of columns that hold the values (m, K) of the leaves, mixed by the shares of each row."""
        votes = [_free(f"vote_{k}", self.taken) for k in range(values.shape[1])]
        weights = [[_factor(c, share, self.known) for c, share in _asked(way)] for way in self.ways]
        columns = [*self.kept]
        for vote, at in zip(votes, values.T.tolist(), strict=True):
            terms = [
                _joined([approximate(at[way.leaf]), *weight], " * ")
                for way, weight in zip(self.ways, weights, strict=True)
                if at[way.leaf] != 0
            ]
            columns.append(f"{_joined(terms, PLUS) or approximate(0.0)} AS {vote}")
        self.source = _free("votes", self.taken)
        self.steps.append(_select(self.source, columns, self.known))
        return votes

    def of_leaf(self, texts: Sequence[str]) -> str:
        """The text of the one leaf that a row reaches; `texts` are those of the nodes."""
        if not self.ways[0].conditions:
            return texts[0]
        reached = [_joined([_may_hold(c, share, self.known) for c, share in _asked(way)], " AND ") for way in self.ways]
        return _case([f"WHEN {row} THEN {texts[way.leaf]}" for way, row in zip(self.ways, reached, strict=True)])

    def text(self, names: Sequence[str], columns: Sequence[str]) -> str:
        """The whole statement, which gives what is kept and these columns by these names."""
        given = zip([*self.kept, *columns], [*self.keep, *names], strict=True)
        shown = [f"{what} AS {quoted(name)}" for what, name in given]
        return f"WITH {', '.join(self.steps)}\nSELECT\n  {_lines(shown)}\nFROM {self.source}\n"


def _asked(way: Path) -> Iterable[tuple[Condition, float]]:
    """The conditions of a way, each with its share of missing values."""
    return zip(way.conditions, way.shares, strict=True)


def _known_columns(ways: Sequence[Path], kept: Sequence[str], keep: Sequence[str]) -> list[str]:
    """The columns that are kept, and those that are tested, without the categories that the tree never saw."""
    asked = {condition.attribute.name: condition.attribute for way in ways for condition in way.conditions}
    columns = [f"t.{quoted(name)} AS {alias}" for alias, name in zip(kept, keep, strict=True)]
    for attribute in asked.values():
        column = f"t.{quoted(attribute.name)}"
        if attribute.kind == "nominal":
            column = f"CASE WHEN {_one_of(column, attribute, range(attribute.size))} THEN {column} END"
        columns.append(f"{column} AS {quoted(attribute.name)}")
    return columns or ["1 AS nothing"]  # a tree without tests looks at no column


def _first_maximum(classes: Sequence[Any], votes: Sequence[str]) -> str:
    """The first class whose probability none exceeds by more than rounding."""
    if len(classes) == 1:
        return literal(classes[0])
    almost = repr(1.0 - NOISE)
    cases = []
    for label, vote in zip(classes[:-1], votes, strict=False):
        largest = _joined([f"{vote} >= {almost} * {other}" for other in votes if other != vote], " AND ")
        cases.append(f"WHEN {largest} THEN {literal(label)}")
    return _case([*cases, f"ELSE {literal(classes[-1])}"])


# --- conditions ---------------------------------------------------------------------------------------------


def _factor(condition: Condition, share: float, known: str) -> str:
    column = f"{known}.{quoted(condition.attribute.name)}"
    missing = f" WHEN {column} IS NULL THEN {approximate(share)}" if share > 0 else ""
    return f"CASE WHEN {_holds(condition, column)} THEN 1{missing} ELSE 0 END"


def _may_hold(condition: Condition, share: float, known: str) -> str:
    column = f"{known}.{quoted(condition.attribute.name)}"
    holds = _holds(condition, column)
    return f"({column} IS NULL OR {holds})" if share > 0 else holds


def _holds(condition: Condition, column: str) -> str:
    """What a column must fulfil; false or unknown for NULL."""
    if condition.attribute.kind == "nominal":
        return _one_of(column, condition.attribute, condition.codes)
    intervals = [_interval(column, low, high) for low, high in condition.intervals]
    if not intervals:
        return "1 = 0"
    return intervals[0] if len(intervals) == 1 else f"({_joined(intervals, ' OR ')})"


def _interval(column: str, low: float, high: float) -> str:
    ends = []
    if low > -math.inf:
        ends.append(f"{column} > {number(low)}")
    if high < math.inf:
        ends.append(f"{column} <= {number(high)}")
    return " AND ".join(ends) or f"{column} IS NOT NULL"


def _one_of(column: str, attribute: Attribute, codes: Iterable[int]) -> str:
    labels = [literal(attribute.labels[code]) for code in codes]
    if not labels:
        return "1 = 0"
    return f"{column} = {labels[0]}" if len(labels) == 1 else f"{column} IN ({', '.join(labels)})"


# --- the language -------------------------------------------------------------------------------------------


def quoted(name: str) -> str:
    """A name of a table or column."""
    return '"' + _whole(name).replace('"', '""') + '"'


def literal(label: Any) -> str:
    """A category or class.

    >>> literal("it's"), literal(True), literal(3)
    ("'it''s'", 'TRUE', '3')
    """
    value = plain(label, "a category")
    if isinstance(value, str):
        return "'" + _whole(value).replace("'", "''") + "'"
    return str(value).upper() if isinstance(value, bool) else repr(value)


def number(value: float) -> str:
    """A threshold, in the digits that are this very number."""
    if not math.isfinite(value):
        raise ParameterError(f"a threshold of the tree is {value}, which SQL cannot write: prune that test away")
    return repr(float(value))


def approximate(value: float) -> str:
    """A probability or value as a floating-point literal: products of decimals would be cut by some databases."""
    text = number(value)
    return text if "e" in text else f"{text}e0"


def _whole(text: str) -> str:
    if "\0" in text:
        raise ParameterError(f"{text!r} holds a zero character, which SQL cannot write: rename it")
    return text


def _free(word: str, taken: set[str]) -> str:
    """A name that no table or column has; names in SQL do not differ by case."""
    while word in taken:
        word += "_"
    return word


def _joined(terms: Sequence[str], operator: str) -> str:
    """Terms in a chain; a long one in groups, and groups of groups."""
    while len(terms) > CHAIN:
        terms = [f"({operator.join(terms[i : i + CHAIN])})" for i in range(0, len(terms), CHAIN)]
    return operator.join(terms)


def _case(cases: Sequence[str]) -> str:
    return "CASE\n    " + "\n    ".join(cases) + "\n  END"


def _lines(columns: Sequence[str]) -> str:
    return ",\n  ".join(columns)


def _select(name: str, columns: Sequence[str], source: str) -> str:
    return f"{name} AS (\nSELECT\n  {_lines(columns)}\nFROM {source}\n)"
