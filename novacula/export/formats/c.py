"""A program as one file of C99, without a library but that of C itself.

Each vector is an array; the operations that are needed stand above the function as loops. Texts are written with
escapes for all but letters, digits and a few signs, so that nothing in a name can end a literal or a comment.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from novacula.errors import ExportError
from novacula.export.deciding import Distances, FirstRule, Nearest, Trees
from novacula.export.formats.c_parts import PARTS
from novacula.export.program import Program, ProgramColumn
from novacula.export.vectors import (
    Choose,
    Combine,
    ConstantVector,
    Join,
    Largest,
    Lookup,
    Map,
    Pick,
    Read,
    Reduce,
    Vector,
    WeightedSums,
)
from novacula.words import counted

FILE = """\
/* {title}, as a function of one row. Written by Novacula; compile it as C99 (cc -std=c99 … -lm).

   numbers     {n_numbers} in this order, NAN where one is missing{times}:
{number_names}
   categories  {n_categories} in this order, as UTF-8, NULL where one is missing:
{category_names}
{returns} */

#include <math.h>
#include <stddef.h>
#include <string.h>

{head}
{parts}
{constants}
{body}
"""


def to_c(program: Program) -> str:
    """The source of a file with `model_predict`."""
    writer = _Writer(program)
    steps = [line for vector in program.steps for line in writer.lines(vector)]
    kinds = {type(vector).__name__ for vector in program.steps}
    kinds |= {"categories"} if any("find_code" in step for step in steps) else set()
    parts = "\n".join(PARTS[kind] for kind in PARTS if kind in kinds)
    numbers = [c for c in program.columns if c.kind == "number"]
    categories = [c for c in program.columns if c.kind == "category"]
    head, returns, body = _function(program, writer, steps)
    return FILE.format(
        title=program.name,
        n_numbers=len(numbers),
        times="; times as seconds since 1970, UTC" if any(c.is_time for c in numbers) else "",
        number_names=_names(numbers),
        n_categories=len(categories),
        category_names=_names(categories),
        returns=returns,
        head=head,
        parts=parts,
        constants="\n".join(writer.constants),
        body=body,
    )


def _names(columns: Sequence[ProgramColumn]) -> str:
    return "\n".join(f"     {i}  {text(column.name)}" for i, column in enumerate(columns)) or "     (none)"


def _function(program: Program, writer: _Writer, steps: list[str]) -> tuple[str, str, str]:
    """The constants, the sentence and the function that callers know."""
    lines = "\n".join(f"    {line}" for line in steps)
    answer, width = writer.names[program.answer], program.answer.width
    begin = "const double *numbers, const char *const *categories"
    unused = "    (void)numbers;\n    (void)categories;\n"
    if program.classes is None:
        head = f"#define MODEL_OUTPUTS {width}\n"
        copy = f"    for (int i = 0; i < {width}; i++) answer[i] = {answer}[i];\n"
        body = f"void model_predict({begin}, double *answer)\n{{\n{unused}{lines}\n{copy}}}\n"
        return head, f"   model_predict writes {counted(width, 'number')} to answer.", body
    labels = ", ".join(text(str(label)) for label in program.classes)
    k = len(program.classes)
    head = f"#define MODEL_CLASSES {k}\nconst char *const model_classes[{k}] = {{{labels}}};\n"
    chances = "    (void)probabilities;\n"
    says = "the model has no probabilities, and the last pointer may be NULL"
    if program.chances is not None:
        held = writer.names[program.chances]
        chances = f"    if (probabilities) for (int i = 0; i < {k}; i++) probabilities[i] = {held}[i];\n"
        says = f"it writes {k} probabilities, unless that pointer is NULL"
    end = f"    return {answer}[0] == {answer}[0] ? (int){answer}[0] : -1;\n"
    body = f"int model_predict({begin}, double *probabilities)\n{{\n{unused}{lines}\n{chances}{end}}}\n"
    return head, f"   model_predict gives the place of the class in model_classes, -1 for none;\n   {says}.", body


def text(value: str) -> str:
    """A literal of C.

    >>> print(text('a"b*/\\n'), text("é"))
    "a\\042b\\052\\057\\012" "\\303\\251"
    """
    if "\0" in value:
        raise ExportError(f"{value!r} holds a zero character, which no text of C can: rename it, or export to python")
    try:
        encoded = value.encode()
    except UnicodeEncodeError:
        raise ExportError(f"{value!r} is not valid Unicode, so C cannot hold it: rename it") from None
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,:;=()<>'+%#&@!"
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in encoded) + '"'


def literal(number: float) -> str:
    """A double, in the digits that are this very number.

    >>> literal(1.0), literal(-math.inf), literal(math.nan)
    ('1.0', '-INFINITY', 'NAN')
    """
    return (
        repr(float(number)) if math.isfinite(number) else repr(number).replace("inf", "INFINITY").replace("nan", "NAN")
    )


class _Writer:
    """Lines of the function, and the constants above it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = {vector: f"v{i}" for i, vector in enumerate(program.steps)}
        self.constants: list[str] = []
        self.held: dict[str, str] = {}
        places = {"number": 0, "category": 0, "text": 0}
        self.arguments: list[int] = []
        for column in program.columns:
            self.arguments.append(places[column.kind])
            places[column.kind] += 1

    def array(self, values: Any, kind: str = "double") -> str:
        """The name of an array of constants."""
        flat = np.asarray(values).ravel().tolist()
        texts = [literal(x) for x in flat] if kind == "double" else list(map(str, flat))
        return self.named(kind, ", ".join(texts) or "0")

    def named(self, kind: str, content: str) -> str:
        """The name of an array of this content."""
        key = f"{kind}:{content}"
        if key not in self.held:
            self.held[key] = f"c{len(self.held)}"
            self.constants.append(f"static const {kind} {self.held[key]}[] = {{{content}}};")
        return self.held[key]

    def lines(self, vector: Vector) -> list[str]:
        """The lines that compute a vector."""
        name, width = self.names[vector], vector.width
        first = f"double {name}[{max(width, 1)}];"
        source = self.names.get(getattr(vector, "source", vector), "")
        each = f"for (int i = 0; i < {width}; i++) {name}[i] ="
        match vector:
            case Read():
                return [first, *(f"{name}[{i}] = {self.read(c)};" for i, c in enumerate(vector.columns))]
            case ConstantVector():
                return [f"const double *{name} = {self.array(vector.values)};"]
            case Pick():
                return [first, f"{each} {source}[{self.array(vector.places, 'int')}[i]];"]
            case Join():
                lines, at = [first], 0
                for part in vector.parts:
                    own = self.names[part]
                    lines.append(f"for (int i = 0; i < {part.width}; i++) {name}[{at} + i] = {own}[i];")
                    at += part.width
                return lines
            case Lookup():
                cell, last = f"{source}[{vector.place}]", len(vector.table) - 1
                row = f"({cell} == {cell} ? (int){cell} : {last})"
                return [f"const double *{name} = {self.array(vector.table)} + {width} * {row};"]
            case Map():
                return [first, f"{each} {FUNCTIONS[vector.function].format(f'{source}[i]')};"]
            case Combine():
                a, b = self.entry(vector.left), self.entry(vector.right)
                return [first, f"{each} {OPERATIONS[vector.operator].format(a=a, b=b)};"]
            case Choose():
                asked, yes, no = (self.entry(part) for part in (vector.condition, vector.yes, vector.no))
                return [first, f"{each} {asked} == 1.0 ? {yes} : {no};"]
            case Reduce():
                step = {"sum": "{0}[0] += {1}[i]", "max": "if (!({0}[0] >= {1}[i])) {0}[0] = {1}[i]"}
                begin = "0.0" if vector.operator == "sum" else f"{source}[0]"
                add = step[vector.operator].format(name, source)
                return [first, f"{name}[0] = {begin};", f"for (int i = 0; i < {vector.source.width}; i++) {add};"]
            case _:
                return [first, f"{self.call(vector, source)};"]

    def entry(self, vector: Vector) -> str:
        """An entry of a vector in a loop; of one number always that."""
        return f"{self.names[vector]}[{'0' if vector.width == 1 else 'i'}]"

    def read(self, place: int) -> str:
        """The value of a column."""
        column, argument = self.program.columns[place], self.arguments[place]
        if column.kind == "number":
            return f"numbers[{argument}]"
        words = [str(category) for category in column.categories]
        if len(set(words)) < len(words):
            raise ExportError(f"two categories of column {column.name!r} look the same in text: rename one of them")
        if not words:
            return "NAN"
        held = self.named("char *const", ", ".join(map(text, words)))
        return f"find_code(categories[{argument}], {held}, {len(words)})"

    def call(self, vector: Vector, source: str) -> str:
        """The call of a larger operation."""
        name = self.names[vector]
        match vector:
            case Largest():
                return f"{name}[0] = largest({source}, {vector.source.width}, {literal(vector.slack)})"
            case WeightedSums():
                weights, bias = self.array(vector.weights.T), self.array(vector.bias)
                return f"linear({source}, {vector.source.width}, {weights}, {bias}, {vector.width}, {name})"
            case Trees():
                return (
                    f"add_trees({source}, {self.trees(vector)}, {self.array(vector.constant)}, {vector.width}, {name})"
                )
            case FirstRule():
                return f"{name}[0] = first_rule({source}, {self.rules(vector)})"
            case Distances():
                points = self.array(vector.points)
                d, codes = vector.points.shape[1], vector.codes_from
                form = f"{literal(vector.power)}, {d if codes is None else codes}, {int(codes is not None)}"
                return f"distances({source}, {points}, {len(vector.points)}, {d}, {form}, {name})"
            case Nearest():
                held = f"{self.array(vector.weight)}, {self.array(vector.values)}"
                sizes = f"{len(vector.weight)}, {vector.values.shape[1]}"
                form = f"{literal(vector.k)}, {int(vector.by_distance)}, {literal(vector.power)}"
                return f"nearest({source}, {held}, {sizes}, {form}, {name})"
        raise TypeError(f"{type(vector).__name__} is no operation of C")

    def trees(self, vector: Trees) -> str:
        """The arrays of all trees."""
        nodes, arms, shares, values = list[str](), list[int](), list[float](), list[float]()
        start, outputs = [0], list[int]()
        for tree in vector.trees:
            base = start[-1]
            for node in tree.nodes:
                if node.is_leaf:
                    nodes.append(f"{{-1, 0.0, {len(values)}, 0, 0, -1, -1}}")
                    values += node.values
                    continue
                arm, share = (len(arms) if node.threshold is None else -1), (len(shares) if node.shares else -1)
                threshold = 0.0 if node.threshold is None else node.threshold
                first = base + node.branches[0]
                sizes = f"{len(node.branches)}, {node.default}, {arm}, {share}"
                nodes.append(f"{{{node.entry}, {literal(threshold)}, {first}, {sizes}}}")
                by_code = {code: b for b, codes in enumerate(node.codes) for code in codes}
                arms += [by_code[code] for code in range(len(by_code))]
                shares += node.shares
            start.append(len(nodes))
            outputs.append(tree.output)
        held = self.named("struct node", ",\n".join(nodes))
        ends = f"{self.array(start, 'int')}, {self.array(outputs, 'int')}, {len(outputs)}"
        lists = f"{self.array(arms, 'int')}, {self.array(shares)}, {self.array(values)}"
        return f"{held}, {lists}, {ends}, {vector.trees[0].n_values}"

    def rules(self, vector: FirstRule) -> str:
        """The arrays of all rules."""
        demands, codes, start = list[str](), list[int](), [0]
        for rule in vector.rules:
            for demand in rule:
                held = demand.codes
                ends = f"{literal(demand.low)}, {literal(demand.high)}"
                demands.append(f"{{{demand.entry}, {ends}, {len(codes)}, {-1 if held is None else len(held)}}}")
                codes += held or ()
            start.append(len(demands))
        arrays = (
            f"{self.named('struct demand', ', '.join(demands) or '{0, 0.0, 0.0, 0, 0}')}, {self.array(codes, 'int')}"
        )
        return f"{arrays}, {self.array(start, 'int')}, {len(vector.rules)}"


FUNCTIONS = {
    "exp": "exp({})",
    "log": "log({})",
    "sqrt": "sqrt({})",
    "tanh": "tanh({})",
    "floor": "floor({})",
    "sin": "sin({})",
    "cos": "cos({})",
    "abs": "fabs({})",
    "missing": "isnan({}) ? 1.0 : 0.0",
}
OPERATIONS = {
    **{sign: f"{{a}} {sign} {{b}}" for sign in "+-*/"},
    **{sign: f"{{a}} {sign} {{b}} ? 1.0 : 0.0" for sign in ("<", "<=", ">", ">=")},
    "=": "{a} == {b} ? 1.0 : 0.0",
    "**": "pow({a}, {b})",
    "max": "{a} >= {b} || {a} != {a} ? {a} : {b}",
    "min": "{a} <= {b} || {a} != {a} ? {a} : {b}",
}
