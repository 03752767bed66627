"""A program as an ONNX graph, which works on many rows at once: each vector is a tensor with a row for each of them.

Numbers are doubles, so that thresholds are those of the model to the last bit. A column is an input of one column:
doubles, NaN where one is missing, or texts, "" where one is missing. Trees go down all at once, a level at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from novacula.errors import ExportError
from novacula.export.deciding import Distances, FirstRule, Nearest, Trees
from novacula.export.formats import protobuf
from novacula.export.formats.onnx_graph import Graph
from novacula.export.formats.onnx_neighbors import distances, nearest
from novacula.export.formats.onnx_trees import trees
from novacula.export.formats.scalars import free_name
from novacula.export.program import Program, ProgramColumn, in_order
from novacula.export.vectors import (
    COMPARISONS,
    Choose,
    Combine,
    ConstantVector,
    Join,
    Largest,
    Lookup,
    Map,
    Operator,
    Pick,
    Read,
    Reduce,
    Vector,
    WeightedSums,
)
from novacula.version import __version__

OPERATORS = (("", 17), ("ai.onnx.ml", 2))
"""The versions of the operators: those of ONNX 1.12, which all runtimes of today know."""
FORMAT_VERSION = 8
FUNCTIONS = {
    "exp": "Exp",
    "log": "Log",
    "sqrt": "Sqrt",
    "tanh": "Tanh",
    "floor": "Floor",
    "sin": "Sin",
    "cos": "Cos",
    "abs": "Abs",
    "missing": "IsNaN",
}
OPERATIONS = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "/": "Div",
    "**": "Pow",
    "max": "Max",
    "min": "Min",
    "<": "Less",
    "<=": "LessOrEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
    "=": "Equal",
}


def to_onnx(program: Program) -> bytes:
    """The content of an ONNX file.

    Its outputs are `prediction`, or of classes `label` as text ("" where there is none) and `probabilities`.
    """
    for column in program.columns:
        for word in (column.name, *map(str, column.categories)):
            _require_unicode(word)
        if not column.name:
            raise ExportError("a column has no name, which an input of ONNX must have: rename it")
    graph = Graph(column.name for column in program.columns)
    written: dict[Vector, str] = {}
    for vector in program.steps:
        written[vector] = _written(graph, program, vector, written)
    outputs = list(_outputs(graph, program, written))
    inputs = [
        protobuf.value_info(column.name, protobuf.DOUBLE if column.kind == "number" else protobuf.STRING, 1)
        for column in program.columns
    ]
    return protobuf.model(graph.content(inputs, outputs), OPERATORS, "novacula", __version__, FORMAT_VERSION)


def _require_unicode(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError:
        raise ExportError(f"{word!r} is not valid Unicode, so ONNX cannot hold it: rename it") from None


def _outputs(graph: Graph, program: Program, written: dict[Vector, str]) -> Any:
    """The outputs, each by its name."""
    taken = {column.name for column in program.columns}
    answer = _of_all_rows(graph, program, program.answer, written)
    if program.classes is None:
        name = free_name("prediction", taken)
        graph.add("Identity", [answer], output=name)
        yield protobuf.value_info(name, protobuf.DOUBLE, program.answer.width)
        return
    k, label = len(program.classes), free_name("label", taken)
    place = graph.whole(graph.add("Where", [graph.add("IsNaN", [answer]), graph.numbers([float(k)]), answer]))
    graph.add("Gather", [graph.texts([*map(str, program.classes), ""]), place], output=label, axis=0)
    yield protobuf.value_info(label, protobuf.STRING, 1)
    if program.chances is not None:
        chances = _of_all_rows(graph, program, program.chances, written)
        name = free_name("probabilities", taken)
        graph.add("Identity", [chances], output=name)
        yield protobuf.value_info(name, protobuf.DOUBLE, k)


def _of_all_rows(graph: Graph, program: Program, vector: Vector, written: dict[Vector, str]) -> str:
    """A tensor with a row for each row, also where it is the same for all."""
    if any(isinstance(part, Read) and part.columns for part in in_order([vector])):
        return written[vector]
    if not program.columns:
        raise ExportError(
            "the model has no columns, so ONNX cannot know how many rows there are: python, sql, c and json can hold it"
        )
    rows = graph.add("Slice", [graph.add("Shape", [program.columns[0].name]), graph.wholes([0]), graph.wholes([1])])
    shape = graph.add("Concat", [rows, graph.wholes([vector.width])], axis=0)
    return graph.add("Expand", [written[vector], shape])


def _written(graph: Graph, program: Program, vector: Vector, written: dict[Vector, str]) -> str:
    """The name of a vector's tensor."""
    source = written.get(getattr(vector, "source", vector), "")
    match vector:
        case Read():
            columns = [_column(graph, program.columns[place]) for place in vector.columns]
            return graph.add("Concat", columns, axis=1) if columns else graph.numbers(np.empty((1, 0)))
        case ConstantVector():
            return graph.numbers(np.array([vector.values]))
        case Pick():
            return graph.entries(source, vector.places)
        case Join():
            parts = [_of_all_rows(graph, program, part, written) for part in vector.parts if part.width]
            return graph.add("Concat", parts, axis=1)
        case Lookup():
            return _looked_up(graph, graph.entries(source, (vector.place,)), vector.table)
        case Map():
            found = graph.add(FUNCTIONS[vector.function], [source])
            return graph.double(found) if vector.function == "missing" else found
        case Combine():
            if vector.operator in ("*", "/") and _is_almost_1(vector.right):
                return _scaled(graph, vector.operator, written[vector.left], vector.right.values[0])
            found = graph.add(OPERATIONS[vector.operator], [written[vector.left], written[vector.right]])
            return graph.double(found) if vector.operator in COMPARISONS else found
        case Choose():
            asked = graph.add("Equal", [written[vector.condition], graph.numbers([1.0])])
            return graph.add("Where", [asked, written[vector.yes], written[vector.no]])
        case Reduce():
            if vector.operator == "max":
                return graph.add("ReduceMax", [source], axes=[1], keepdims=1)
            return graph.add("ReduceSum", [source, graph.wholes([1])], keepdims=1)
        case WeightedSums():
            product = graph.add("MatMul", [source, graph.numbers(vector.weights)])
            return graph.add("Add", [product, graph.numbers(vector.bias[None])])
        case Largest():
            most = graph.add("ReduceMax", [source], axes=[1], keepdims=1)
            limit = _scaled(graph, "*", most, vector.slack)
            return graph.first(graph.add("GreaterOrEqual", [source, limit]))
        case FirstRule():
            return _first_rule(graph, source, vector)
        case Trees():
            return trees(graph, source, vector)
        case Distances():
            return distances(graph, source, vector)
        case Nearest():
            return nearest(graph, source, vector)
    raise TypeError(f"{type(vector).__name__} is no operation of ONNX")


def _is_almost_1(vector: Vector) -> TypeGuard[ConstantVector]:
    if not isinstance(vector, ConstantVector) or vector.width != 1:
        return False
    return bool(np.float32(vector.values[0]) == 1.0 != vector.values[0])


def _scaled(graph: Graph, operator: Operator, source: str, factor: float) -> str:
    """A vector times or divided by a number, by way of its double: runtimes leave out a factor that is 1 as a float."""
    twice = graph.add(OPERATIONS[operator], [source, graph.numbers([2.0 * factor])])
    return graph.add("Mul", [twice, graph.numbers([0.5 if operator == "*" else 2.0])])


def _column(graph: Graph, column: ProgramColumn) -> str:
    """A column as doubles: numbers as they are, of categories the codes."""
    if column.kind == "number":
        return column.name
    words = list(map(str, column.categories))
    if len(set(words)) < len(words):
        raise ExportError(f"two categories of column {column.name!r} look the same in text: rename one of them")
    if not words:
        words = ["no category"]
    code = graph.add(
        "LabelEncoder",
        [column.name],
        domain="ai.onnx.ml",
        keys_strings=words,
        values_int64s=list(range(len(words))) if column.categories else [-1],
        default_int64=-1,
    )
    is_known = graph.add("Greater", [code, graph.wholes([-1])])
    return graph.add("Where", [is_known, graph.double(code), graph.numbers([np.nan])])


def _looked_up(graph: Graph, cell: str, table: np.ndarray) -> str:
    """The row of a table for the code in a cell (n, 1), the last for a missing one."""
    last = graph.numbers([float(len(table) - 1)])
    place = graph.whole(graph.add("Where", [graph.add("IsNaN", [cell]), last, cell]))
    flat = graph.add("Reshape", [place, graph.wholes([-1])])
    return graph.add("Gather", [graph.numbers(table), flat], axis=0)


def _first_rule(graph: Graph, source: str, vector: FirstRule) -> str:
    """All demands at once, how many of each rule are met, and the first rule of which all are."""
    demands = [demand for rule in vector.rules for demand in rule]
    rule_of = [number for number, rule in enumerate(vector.rules) for _ in rule]
    belongs = np.zeros((max(len(demands), 1), len(vector.rules)))
    belongs[np.arange(len(demands)), rule_of] = 1.0
    value = graph.entries(source, [demand.entry for demand in demands] or [0])
    met = graph.double(graph.met(value, _allowed(demands)))
    count = graph.add("MatMul", [met, graph.numbers(belongs)])
    sizes = np.array([[len(rule) for rule in vector.rules]], np.float64)
    whole = graph.add("GreaterOrEqual", [count, graph.numbers(sizes)])
    otherwise = graph.add("GreaterOrEqual", [graph.entries(count, (0,)), graph.numbers([-1.0])])
    return graph.first(graph.add("Concat", [whole, otherwise], axis=1))


def _allowed(demands: Sequence[Any]) -> list[tuple[float, float, Sequence[int] | None]]:
    return [(demand.low, demand.high, demand.codes) for demand in demands] or [(-np.inf, np.inf, None)]
