"""A program as one SELECT, which predicts where the data are: in SQLite and DuckDB, and in what is like them.

The named numbers stand in common table expressions, each over the one before it. NULL is a missing value: what is
computed from it is NULL too, and a comparison with it does not hold, as a program has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from novacula.errors import ExportError, ParameterError
from novacula.export.deciding import OneTree, TreeNode, Trees
from novacula.export.formats.scalars import Language, Lowering, Scalar, free_name, levels
from novacula.export.formats.tree_shares import tree_by_shares
from novacula.export.program import Program

CHAIN = 100
"""Terms of a chain; longer ones are grouped, since databases limit how deep an expression may be."""
NESTED = 12
"""Levels of a tree that are written as a CASE in a CASE."""
LONG = 10_000
"""Characters of a step, about."""
MOST_COLUMNS = 1_900
"""Columns of a step; SQLite takes 2,000."""


def to_sql(program: Program, table: str | Sequence[str] = "data", keep: Sequence[str] = ()) -> str:
    """A statement that predicts each row of a table.

    `table` is its name, or a sequence such as ("schema", "table"). `keep` names columns that are passed on, such as a
    key. The answer is called `prediction`; the probability of each class, where there are any, is `P(class)`.
    """
    parts = (table,) if isinstance(table, str) else tuple(table)
    if not parts:
        raise ParameterError("table is empty; it must be a name, or its parts such as ('schema', 'table')")
    if isinstance(keep, str):
        raise ParameterError(f"keep is {keep!r}; it must be a list of names of columns")
    written = _SqlLowering(program, _Sql(program))
    written.run()
    ends, names = _ends(program, written, free_name("prediction", {name.casefold() for name in keep}))
    return _statement(written, ends, names, parts, keep)


def _ends(program: Program, written: Lowering, prediction: str) -> tuple[list[Scalar], list[str]]:
    """What is selected in the end, and what it is called."""
    answers = written.of(program.answer)
    if program.classes is None:
        several = [f"{prediction} {t + 1}" for t in range(len(answers))]
        return answers, [prediction] if len(answers) == 1 else several
    code = written.short(answers[0])
    cases = " ".join(f"WHEN {k} THEN {literal(label)}" for k, label in enumerate(program.classes))
    ends = [Scalar(f"CASE {code.text} {cases} END", code.names)]
    names = [prediction]
    if program.chances is not None:
        ends += written.of(program.chances)
        names += [f"P({label})" for label in program.classes]
    return ends, names


def _statement(
    written: Lowering, ends: Sequence[Scalar], names: Sequence[str], table: Sequence[str], keep: Sequence[str]
) -> str:
    """The steps, each of which passes on what later ones need."""
    steps = []
    groups = [part for group in levels(written.lines) for part in _parts(group, written)]
    needed = [frozenset().union(*(end.names for end in ends))]
    for group in reversed(groups):
        used = frozenset().union(*(written.lines[name].names for name in group))
        needed.append((needed[-1] | used) - frozenset(group))
    needed.reverse()
    kept, source = [f"kept_{i}" for i in range(len(keep))], f"{'.'.join(map(quoted, table))} AS t"
    step = free_name("step", {part.casefold().rstrip("0123456789").removesuffix("_") for part in table})
    passed = [f"t.{quoted(name)} AS {alias}" for name, alias in zip(keep, kept, strict=True)]
    for i, group in enumerate(groups):
        carried = sorted(needed[i] & needed[i + 1], key=_order)
        columns = [*passed, *carried, *(f"{written.lines[name].text} AS {name}" for name in group)]
        if len(columns) > MOST_COLUMNS:
            raise ExportError(
                f"the model needs {len(columns):,} columns side by side, and SQL takes {MOST_COLUMNS:,}: python, c, "
                "json and onnx can hold it"
            )
        steps.append(f"{step}_{i} AS MATERIALIZED (\nSELECT\n  {_lines(columns or ['1 AS nothing'])}\nFROM {source}\n)")
        passed, source = kept, f"{step}_{i}"
    before = f"WITH {', '.join(steps)}\n" if steps else ""
    last = kept if steps else [f"t.{quoted(name)}" for name in keep]
    given = zip([*last, *(end.text for end in ends)], [*keep, *names], strict=True)
    return f"{before}SELECT\n  {_lines([f'{what} AS {quoted(name)}' for what, name in given])}\nFROM {source}\n"


def _parts(group: Sequence[str], written: Lowering) -> Iterable[list[str]]:
    """The names of a step, which is cut where its text is long: planners compare all of it with all of it."""
    part: list[str] = []
    size = 0
    for name in group:
        if part and size > LONG:
            yield part
            part, size = [], 0
        part.append(name)
        size += len(written.lines[name].text)
    yield part


def _order(name: str) -> int:
    return int(name[1:].rstrip("_"))


class _Sql(Language):
    """SQL, as far as SQLite and DuckDB agree."""

    def __init__(self, program: Program) -> None:
        self.columns = program.columns

    def number(self, value: float) -> str:
        return number(value)

    def name(self, name: str) -> str:
        return name

    def arithmetic(self, operator: str, parts: Sequence[str]) -> str:
        if operator == "**":
            return f"power({parts[0]}, {parts[1]})"
        return f"({f' {operator} '.join(parts)})"

    def function(self, function: str, argument: str) -> str:
        return f"{'ln' if function == 'log' else function}({argument})"

    def compared(self, operator: str, left: str, right: str) -> str:
        return f"{left} {operator} {right}"

    def is_missing(self, argument: str) -> str:
        return f"{argument} IS NULL"

    def one_of(self, argument: str, codes: Iterable[int]) -> str:
        held = ", ".join(map(str, codes))
        return (f"{argument} IN ({held})" if "," in held else f"{argument} = {held}") if held else "1 = 0"

    def all_of(self, conditions: Sequence[str]) -> str:
        return _joined(list(conditions), " AND ")

    def cases(self, cases: Sequence[tuple[str, str]], otherwise: str) -> str:
        held = " ".join(f"WHEN {condition} THEN {value}" for condition, value in cases)
        return f"CASE {held} ELSE {otherwise} END" if cases else otherwise

    def read(self, place: int) -> str:
        column = self.columns[place]
        cell = f"t.{quoted(column.name)}"
        if column.kind == "number":
            return f"CAST({cell} AS DOUBLE PRECISION)"
        cases = [f"WHEN {literal(category)} THEN {code}" for code, category in enumerate(column.categories)]
        if any(isinstance(category, str) for category in column.categories):
            cell = f"TRIM({cell})"
        return f"CASE {cell} {' '.join(cases)} END" if cases else "NULL"


class _SqlLowering(Lowering):
    """Trees as a CASE in a CASE, a dozen levels deep, since parsers count them. Below it each leaf has its conditions.

    Of those only turns to the left are written: a row that had gone left where the leaf is right met a leaf before.
    """

    def trees(self, vector: Trees) -> list[Scalar]:
        if any(tree.divides for tree in vector.trees):
            return tree_by_shares(self, vector)
        entries = self.of(vector.source)
        terms: list[list[Scalar]] = [[] for _ in vector.constant]
        for tree in vector.trees:
            for k, scalar in enumerate(self.of_tree(tree, entries)):
                terms[tree.output + k].append(scalar)
        return [self.sum(self.number(start), own) for start, own in zip(vector.constant, terms, strict=True)]

    def of_tree(self, tree: OneTree, entries: Sequence[Scalar]) -> list[Scalar]:
        """What a tree adds to its answers: of several numbers, by the number of the leaf."""
        names = frozenset().union(*(entries[node.entry].names for node in tree.nodes if not node.is_leaf))
        values = [entry.text for entry in entries]
        if tree.n_values == 1:
            texts = [number(*node.values) if node.is_leaf else "" for node in tree.nodes]
            return [self.named(Scalar(self.below(tree, 0, 0, values, texts), names))]
        places = list(map(str, range(len(tree.nodes))))
        leaf = self.named(Scalar(self.below(tree, 0, 0, values, places), names))
        return [self.by_leaf(tree, leaf, k) for k in range(tree.n_values)]

    def by_leaf(self, tree: OneTree, leaf: Scalar, k: int) -> Scalar:
        """The k-th value of the leaf of this number."""
        places: dict[float, list[int]] = {}
        for place, node in enumerate(tree.nodes):
            if node.is_leaf:
                places.setdefault(node.values[k], []).append(place)
        *others, (last, _) = places.items()
        cases = [(self.language.one_of(leaf.text, held), number(value)) for value, held in others]
        return Scalar(self.language.cases(cases, number(last)), leaf.names if cases else frozenset())

    def below(self, tree: OneTree, place: int, depth: int, values: Sequence[str], texts: Sequence[str]) -> str:
        """What rows at a node come to, of texts for all nodes."""
        node = tree.nodes[place]
        if node.is_leaf:
            return texts[place]
        if depth == NESTED:
            return self.flat(tree, place, values, texts)
        *branches, last = (self.below(tree, branch, depth + 1, values, texts) for branch in node.branches)
        asked = (self.goes(node, b, values[node.entry]) for b in range(len(branches)))
        return self.language.cases(list(zip(asked, branches, strict=True)), last)

    def flat(self, tree: OneTree, place: int, values: Sequence[str], texts: Sequence[str]) -> str:
        """The same without a CASE in a CASE."""
        *leaves, (last, _) = _left_turns(tree, place)
        cases = []
        for leaf, turns in leaves:
            asked = [self.goes(node, branch, values[node.entry]) for node, branch in turns]
            cases.append((self.language.all_of(asked), texts[leaf]))
        return self.language.cases(cases, texts[last])

    def goes(self, node: TreeNode, branch: int, value: str) -> str:
        """The condition that a row takes a branch."""
        if node.threshold is not None:
            holds = f"{value} {'>' if branch else '<='} {number(node.threshold)}"
        else:
            holds = self.language.one_of(value, node.codes[branch])
        return f"({value} IS NULL OR {holds})" if node.default == branch else holds


def _left_turns(tree: OneTree, root: int) -> Iterable[tuple[int, list[tuple[TreeNode, int]]]]:
    """The leaves below a node from left to right, each with the tests on its way at which it is not the last branch."""
    waiting: list[tuple[int, list[tuple[TreeNode, int]]]] = [(root, [])]
    while waiting:
        place, turns = waiting.pop()
        node = tree.nodes[place]
        if node.is_leaf:
            yield place, turns
            continue
        last = len(node.branches) - 1
        for b in range(last, -1, -1):
            waiting.append((node.branches[b], turns if b == last else [*turns, (node, b)]))


# --- the language -------------------------------------------------------------------------------------------


def quoted(name: str) -> str:
    """A name of a table or column.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + _whole(name).replace('"', '""') + '"'


def literal(label: Any) -> str:
    """A category or class.

    >>> literal("it's"), literal(True), literal(3)
    ("'it''s'", 'TRUE', '3')
    """
    if isinstance(label, str):
        return "'" + _whole(label).replace("'", "''") + "'"
    return str(label).upper() if isinstance(label, bool) else repr(label)


def number(value: float) -> str:
    """A double in the digits that are this very number: without an exponent it would be a decimal in some databases.

    >>> number(1.5), number(-1e-9), number(math.nan)
    ('1.5e0', '(-1e-09)', 'NULL')
    """
    if math.isnan(value):
        return "NULL"
    if math.isinf(value):
        raise ExportError("a number of the model is infinite, which SQL cannot write: python, c and onnx can")
    text = repr(float(value))
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if value < 0 or text[0] == "-" else text


def _whole(text: str) -> str:
    if "\0" in text:
        raise ExportError(f"{text!r} holds a zero character, which SQL cannot write: rename it")
    return text


def _joined(terms: list[str], operator: str) -> str:
    """Terms in a chain; a long one in groups, and groups of groups."""
    while len(terms) > CHAIN:
        terms = [f"({operator.join(terms[i : i + CHAIN])})" for i in range(0, len(terms), CHAIN)]
    return operator.join(terms)


def _lines(columns: Sequence[str]) -> str:
    return ",\n  ".join(columns)
