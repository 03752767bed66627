"""A tree as plain values that JSON can hold, and back to the last bit.

Nodes are in one list and name their children by number, so that a deep tree nests no deeper than a small one:

    {"format": 1, "classes": ["No", "Yes"], "m": 0.0, "fractional": true,
     "attributes": [{"name": "Wind", "kind": "nominal", "place": 0, "labels": ["Strong", "Weak"], "edges": []}],
     "nodes": [{"counts": [3.0, 3.0], "attribute": 0, "gain": 0.08, "children": [1, 2], "default": 0,
                "codes": [[0], [1]]}, {"counts": [3.0, 0.0]}, {"counts": [0.0, 3.0]}]}

A tree for numbers has "absolute" in place of "classes" and "m", and its nodes "mass", "value" and "deviation" in place
of "counts". A test of a number has "threshold" in place of "codes"; "otherwise" is the branch of the codes that no
branch lists. A record may come from anywhere, so it is checked to the last key before it becomes a tree.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import asdict, fields
from itertools import pairwise
from typing import Any, TypeVar, get_args

import numpy as np

from novacula.errors import ParameterError
from novacula.tree.attributes import Attribute, Kind
from novacula.tree.export.named import AnyNamedTree, NamedClassTree, NamedNumberTree, NamedTree, plain
from novacula.tree.structure import LEAF, ClassTree, NumberTree, Tree

FORMAT = 1
"""The version of the record; another one is refused."""

RECORD = {"format", "fractional", "attributes", "nodes"}
OF_CLASSES, OF_NUMBERS = {"classes", "m"}, {"absolute"}
"""What the record of a tree for classes, or for numbers, holds besides."""
TEST = {"attribute", "gain", "children", "default"}
EXACT = 2**53
"""Whole numbers up to here are the same number as a float."""

KindOfTree = TypeVar("KindOfTree", bound=Tree)


def to_dict(named: AnyNamedTree) -> dict[str, Any]:
    """The tree, its attributes and classes and the way it predicts, as values that JSON can hold."""
    return {
        "format": FORMAT,
        **_own_record(named),
        "fractional": bool(named.fractional),
        "attributes": [_attribute_record(attribute) for attribute in named.attributes],
        "nodes": [_node_record(named, node) for node in range(len(named.tree))],
    }


def from_dict(record: Any) -> AnyNamedTree:
    """What `to_dict` gave; a record that describes no tree is refused."""
    of_numbers = isinstance(record, dict) and not OF_NUMBERS.isdisjoint(record)
    _check_keys(record, RECORD | (OF_NUMBERS if of_numbers else OF_CLASSES), "the record")
    _require(record["format"] == FORMAT, f"its format is {record['format']!r}, and only {FORMAT} is known")
    _require(type(record["fractional"]) is bool, "fractional is neither true nor false")
    _require(isinstance(record["attributes"], list), "attributes is not a list")
    attributes = tuple(_attribute(part, f"attribute {j}") for j, part in enumerate(record["attributes"]))
    _require(len({a.name for a in attributes}) == len(attributes), "two attributes have the same name")
    _require(all(a.place < len(attributes) for a in attributes), "the place of an attribute is beyond their number")
    _require(isinstance(record["nodes"], list) and bool(record["nodes"]), "nodes is not a list, or it is empty")
    return _number_tree(record, attributes) if of_numbers else _class_tree(record, attributes)


def _class_tree(record: dict[str, Any], attributes: tuple[Attribute, ...]) -> NamedClassTree:
    _require(_number(record["m"]) and 0 <= record["m"] < math.inf, "m is not a number from 0 on")
    _check_labels(record["classes"], "classes")
    for i, node in enumerate(record["nodes"]):
        _check_counts(node, len(record["classes"]), f"node {i}")
    tree = _tree(ClassTree, record["nodes"], attributes)
    classes, m = tuple(record["classes"]), float(record["m"])
    return NamedClassTree(tree, attributes, classes, m, fractional=record["fractional"])


def _number_tree(record: dict[str, Any], attributes: tuple[Attribute, ...]) -> NamedNumberTree:
    _require(type(record["absolute"]) is bool, "absolute is neither true nor false")
    for i, node in enumerate(record["nodes"]):
        _check_numbers(node, f"node {i}")
    tree = _tree(NumberTree, record["nodes"], attributes)
    return NamedNumberTree(tree, attributes, record["absolute"], fractional=record["fractional"])


# --- out ----------------------------------------------------------------------------------------------------


def _attribute_record(attribute: Attribute) -> dict[str, Any]:
    labels = [plain(label, f"a category of {attribute.name!r}") for label in attribute.labels]
    return {**asdict(attribute), "labels": labels, "edges": list(attribute.edges)}


def _own_record(named: AnyNamedTree) -> dict[str, Any]:
    """What trees of the other kind do not have."""
    if isinstance(named, NamedClassTree):
        return {"classes": list(named.classes), "m": float(named.m)}
    return {"absolute": bool(named.absolute)}


def _own_fields(kind: type[Tree]) -> list[str]:
    """The arrays of a kind of tree that say what its nodes know."""
    return [field.name for field in fields(kind)[len(fields(Tree)) :]]


def _node_record(named: NamedTree, node: int) -> dict[str, Any]:
    tree = named.tree
    record: dict[str, Any] = {name: getattr(tree, name)[node].tolist() for name in _own_fields(type(tree))}
    if named.is_leaf(node):
        return record
    record["attribute"] = int(tree.feature[node])
    record["gain"] = float(tree.gain[node])
    record["children"] = list(tree.children(node))
    record["default"] = int(tree.default[node])
    if named.attributes[tree.feature[node]].kind == "numeric":
        record["threshold"] = float(tree.threshold[node])
        return record
    codes_by_branch: list[list[int]] = [[] for _ in record["children"]]
    for code, branch in zip(*(arm.tolist() for arm in tree.arms(node)), strict=True):
        codes_by_branch[branch].append(code)
    record["codes"] = codes_by_branch
    if tree.otherwise[node] != LEAF:
        record["otherwise"] = int(tree.otherwise[node])
    return record


# --- in -----------------------------------------------------------------------------------------------------


def _attribute(part: Any, where: str) -> Attribute:
    _check_keys(part, {field.name for field in fields(Attribute)}, where)
    name, kind, labels, edges = part["name"], part["kind"], part["labels"], part["edges"]
    _require(isinstance(name, str), f"the name of {where} is not a string")
    _require(kind in get_args(Kind), f"the kind of {where} is {kind!r}")
    _require(_whole(part["place"], EXACT), f"the place of {where} is not a whole number")
    _require(isinstance(edges, list) and all(map(_number, edges)), f"the edges of {where} are not a list of numbers")
    rising = all(low < high for low, high in pairwise([-math.inf, *edges, math.inf]))
    _require(rising if kind == "cut" else not edges, f"the edges of {where} do not fit its kind")
    if kind == "numeric":
        _require(labels == [], f"{where} is numeric and cannot have labels")
    else:
        _check_labels(labels, f"the labels of {where}")
        _require(kind == "nominal" or len(labels) == len(edges) + 1 > 1, f"the labels of {where} do not fit its edges")
    return Attribute(name, kind, part["place"], tuple(labels), tuple(map(float, edges)))


def _tree(kind: type[KindOfTree], nodes: list[dict[str, Any]], attributes: tuple[Attribute, ...]) -> KindOfTree:
    """The arrays of nodes of which it is known that each says what nodes of the kind say of their examples."""
    own = _own_fields(kind)
    rows = []
    arms: list[tuple[int, int]] = []
    starts = [0]
    for i, node in enumerate(nodes):
        rows.append(_test(node, own, attributes, len(nodes), f"node {i}"))
        branches = enumerate(node.get("codes", ()))
        arms += sorted((code, branch) for branch, codes in branches for code in codes)
        starts.append(len(arms))
    children = sorted(child for node in nodes for child in node.get("children", ()))
    _require(children == list(range(1, len(nodes))), "not every node but the first is the child of one other")
    feature, threshold, child, arity, default, otherwise, gain = zip(*rows, strict=True)
    arm_code, arm_branch = np.array(arms, np.int32).reshape(-1, 2).T
    tree = kind(
        np.array(feature, np.int32),
        np.array(threshold, np.float64),
        np.array(child, np.int32),
        np.array(arity, np.int32),
        np.array(default, np.int32),
        np.array(otherwise, np.int32),
        np.array(starts, np.int64),
        np.ascontiguousarray(arm_code),
        np.ascontiguousarray(arm_branch),
        np.array(gain, np.float64),
        *(np.array([node[name] for node in nodes], np.float64) for name in own),
    )
    _require(bool(tree.weight[0] > 0), "node 0 has no examples")
    tree.check(np.array([attribute.size for attribute in attributes], np.int32))
    return tree


def _test(
    node: dict[str, Any], own: Collection[str], attributes: tuple[Attribute, ...], n_nodes: int, where: str
) -> tuple[Any, ...]:
    """Feature, threshold, child, arity, default, otherwise and gain of a node."""
    if node.keys() == {*own}:
        return LEAF, math.nan, LEAF, 0, LEAF, LEAF, 0.0
    _require("attribute" in node, f"{where} has children but no attribute")
    _require(_whole(node["attribute"], len(attributes)), f"the attribute of {where} is none of the attributes")
    attribute = attributes[node["attribute"]]
    numeric = attribute.kind == "numeric"
    keys = {*own, *TEST, "threshold" if numeric else "codes"}
    _check_keys(node, keys, where, () if numeric else {"otherwise"})
    children, gain, threshold = node["children"], node["gain"], node.get("threshold", math.nan)
    are_nodes = isinstance(children, list) and all(_whole(child, n_nodes) for child in children)
    _require(are_nodes, f"a child of {where} is not a node")
    _require(
        bool(children) and children == list(range(children[0], children[0] + len(children))),
        f"the children of {where} are not numbered one after the other",
    )
    _require(_whole(node["default"], len(children)), f"the default of {where} is not a branch")
    _require(_number(gain) and abs(gain) < math.inf, f"the gain of {where} is not a finite number")
    _require(not numeric or _number(threshold), f"the threshold of {where} is not a number")
    if not numeric:
        _check_codes(node, attribute, len(children), where)
    otherwise = node.get("otherwise", LEAF)
    return node["attribute"], threshold, children[0], len(children), node["default"], otherwise, gain


# --- checks -------------------------------------------------------------------------------------------------


def _require(sound: bool, fault: str) -> None:
    if not sound:
        raise ParameterError(f"this is not a record of a tree: {fault}")


def _check_keys(part: Any, keys: set[str], where: str, optional: Any = ()) -> None:
    _require(isinstance(part, dict), f"{where} is not a dictionary")
    for key in sorted(keys - part.keys()):
        _require(False, f"{where} has no {key!r}")
    for key in part.keys() - keys - {*optional}:
        _require(False, f"{where} has {key!r}, which is not known")


def _check_labels(labels: Any, where: str) -> None:
    _require(isinstance(labels, list) and bool(labels), f"{where} is not a list, or it is empty")
    scalar = all(isinstance(label, (str, bool)) or (_number(label) and abs(label) < math.inf) for label in labels)
    _require(scalar, f"{where} holds something that is neither text nor a number nor true nor false")
    _require(len(set(labels)) == len(labels), f"{where} holds a label twice")


def _check_counts(node: Any, n_classes: int, where: str) -> None:
    counts: Any = node.get("counts") if isinstance(node, dict) else None
    _require(isinstance(counts, list) and len(counts) == n_classes, f"{where} has not one count for each class")
    for count in counts:
        _require(_number(count) and 0 <= count < math.inf, f"a count of {where} is {count!r}, not a number from 0 on")


def _check_numbers(node: Any, where: str) -> None:
    for name, least in (("mass", 0.0), ("value", -math.inf), ("deviation", 0.0)):
        value: Any = node.get(name) if isinstance(node, dict) else None
        sound = _number(value) and abs(value) < math.inf and value >= least
        _require(sound, f"the {name} of {where} is {value!r}, not a finite number{' from 0 on' if least == 0 else ''}")


def _check_codes(node: dict[str, Any], attribute: Attribute, arity: int, where: str) -> None:
    codes = node["codes"]
    _require(isinstance(codes, list) and len(codes) == arity, f"{where} has not one list of codes for each branch")
    for held in codes:
        sound = isinstance(held, list) and all(_whole(code, attribute.size) for code in held)
        _require(sound, f"a code of {where} is none of the {attribute.size} of its attribute")
    listed = sum(map(len, codes))
    _require(len({code for held in codes for code in held}) == listed, f"a code of {where} stands twice")
    if "otherwise" in node:
        _require(_whole(node["otherwise"], arity), f"otherwise of {where} is not a branch")
    else:
        _require(listed == attribute.size, f"some codes of {where} have no branch, and there is no 'otherwise'")


def _whole(value: Any, end: int) -> bool:
    """Whether a value is a whole number from 0 to before the end."""
    return type(value) is int and 0 <= value < end


def _number(value: Any) -> bool:
    """Whether a value is a number that a float holds."""
    return (type(value) is float and not math.isnan(value)) or (type(value) is int and abs(value) <= EXACT)
