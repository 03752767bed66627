"""Trees as plain values and back, and records that are none."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import InputTypeError, ParameterError
from novacula.tree.attributes import Attribute
from novacula.tree.export import NamedClassTree, from_dict, to_dict

from .random_trees import Sketch, as_tree, chain, play_tennis, trees
from .records import damaged, put, same

laws = settings(deadline=None)


@pytest.fixture
def record():
    attributes = (
        Attribute("x", "numeric", 0),
        Attribute("colour", "nominal", 0, ("blue", "green", "red")),
        Attribute("wait", "cut", 1, ("≤ 10", "> 10"), (10.0,)),
    )
    colours = Sketch(feature=1, branches=[Sketch((4, 1)), Sketch()], arms={0: 0}, otherwise=1)
    cut = Sketch(feature=2, branches=[Sketch((4, 0)), Sketch((0, 3))], arms={0: 0, 1: 1})
    root = Sketch(feature=0, threshold=0.1 + 0.2, branches=[colours, cut])
    return to_dict(NamedClassTree(as_tree(root, 2), attributes, ("No", "Yes"), m=1.5, fractional=False))


@laws
@given(trees(units=(1.0, 0.1)), st.sampled_from([0.0, 2.5]), st.booleans())
def test_there_and_back_through_json(drawn, m, fractional):
    tree, attributes = drawn
    named = NamedClassTree(tree, attributes, ("a", 2, 0.5, True)[: tree.n_classes], m, fractional=fractional)
    assert same(from_dict(to_dict(named)), named)
    assert same(from_dict(json.loads(json.dumps(to_dict(named)))), named)


def test_labels_of_numpy_become_plain():
    tree, attributes = play_tennis()
    attributes = (Attribute("Outlook", "nominal", 0, tuple(np.array([1, 2, 3]))), *attributes[1:])
    named = NamedClassTree(tree, attributes, np.array(["No", "Yes"]))
    text = json.dumps(to_dict(named))
    assert same(from_dict(json.loads(text)), named)
    strange = NamedClassTree(tree, (Attribute("Outlook", "nominal", 0, (1j, 2, 3)), *attributes[1:]), ("No", "Yes"))
    with pytest.raises(InputTypeError, match="a category of 'Outlook' is 1j"):
        to_dict(strange)


def test_a_deep_tree_is_no_deeper_record():
    named = NamedClassTree(chain(20_000), (Attribute("x", "numeric", 0),), ("a", "b"))
    assert same(from_dict(json.loads(json.dumps(to_dict(named)))), named)


def test_the_record_as_it_is_documented():
    root = Sketch(feature=0, branches=[Sketch((3, 0)), Sketch((0, 3))], arms={0: 0, 1: 1})
    named = NamedClassTree(as_tree(root, 2), (Attribute("Wind", "nominal", 0, ("Strong", "Weak")),), ("No", "Yes"))
    assert to_dict(named) == {
        "format": 1,
        "classes": ["No", "Yes"],
        "m": 0.0,
        "fractional": True,
        "attributes": [{"name": "Wind", "kind": "nominal", "place": 0, "labels": ["Strong", "Weak"], "edges": []}],
        "nodes": [
            {
                "counts": [3.0, 3.0],
                "attribute": 0,
                "gain": 1.0,
                "children": [1, 2],
                "default": 0,
                "codes": [[0], [1]],
            },
            {"counts": [3.0, 0.0]},
            {"counts": [0.0, 3.0]},
        ],
    }


# --- records that describe no tree --------------------------------------------------------------------------

WRONG = [
    (["format"], 2, "its format is 2"),
    (["more"], 1, "the record has 'more', which is not known"),
    (["m"], -1.0, "m is not a number"),
    (["fractional"], 1, "fractional is neither"),
    (["classes"], [], "classes is not a list, or it is empty"),
    (["classes"], ["a", "a"], "classes holds a label twice"),
    (["classes"], ["a", ["b"]], "classes holds something"),
    (["classes"], ["a"], "node 0 has not one count for each class"),
    (["attributes"], None, "attributes is not a list"),
    (["attributes", 0, "kind"], "real", "the kind of attribute 0 is 'real'"),
    (["attributes", 0, "labels"], ["a"], "attribute 0 is numeric and cannot have labels"),
    (["attributes", 0, "place"], 99, "the place of an attribute is beyond"),
    (["attributes", 1, "name"], "x", "two attributes have the same name"),
    (["attributes", 2, "edges"], [], "the labels of attribute 2 do not fit"),
    (["attributes", 2, "edges"], [float("nan")], "the edges of attribute 2 are not a list of numbers"),
    (["attributes", 2, "edges"], [float("inf")], "the edges of attribute 2 do not fit its kind"),
    (["nodes"], [], "nodes is not a list, or it is empty"),
    (["nodes", 0, "counts"], [0.0, 0.0], "node 0 has no examples"),
    (["nodes", 0, "counts", 0], -1, "a count of node 0 is -1"),
    (["nodes", 0, "threshold"], None, "the threshold of node 0 is not a number"),
    (["nodes", 0, "threshold"], float("nan"), "the threshold of node 0 is not a number"),
    (["nodes", 0, "threshold"], 10**400, "the threshold of node 0 is not a number"),
    (["nodes", 0, "gain"], float("inf"), "the gain of node 0 is not a finite number"),
    (["nodes", 0, "attribute"], 3, "the attribute of node 0 is none"),
    (["nodes", 0, "attribute"], 1, "node 0 has no 'codes'"),
    (["nodes", 0, "children"], [1, 7], "a child of node 0 is not a node"),
    (["nodes", 0, "children"], [1, 3], "the children of node 0 are not numbered"),
    (["nodes", 0, "children"], [2, 3], "not every node but the first is the child of one other"),
    (["nodes", 0, "default"], 2, "the default of node 0 is not a branch"),
    (["nodes", 1, "codes"], [[0]], "node 1 has not one list of codes for each branch"),
    (["nodes", 1, "codes"], [[0], [3]], "a code of node 1 is none of the 3"),
    (["nodes", 1, "codes"], [[0], [0]], "a code of node 1 stands twice"),
    (["nodes", 1, "otherwise"], 2, "otherwise of node 1 is not a branch"),
    (["nodes", 2, "codes"], [[0], []], "some codes of node 2 have no branch"),
    (["nodes", 6], 5, "node 6 has not one count"),
    (["nodes", 6, "children"], [1], "node 6 has children but no attribute"),
]


@pytest.mark.parametrize(("path", "value", "fault"), WRONG)
def test_what_is_wrong_is_said(record, path, value, fault):
    put(record, path, value)
    with pytest.raises(ParameterError, match=f"this is not a record of a tree: {fault}"):
        from_dict(record)


@pytest.mark.parametrize("key", ["format", "classes", "m", "fractional", "attributes", "nodes"])
def test_what_is_missing_is_said(record, key):
    del record[key]
    with pytest.raises(ParameterError, match=f"the record has no '{key}'"):
        from_dict(record)


def test_nodes_with_two_parents_are_refused():
    """Children of 1 and 2 overlap, and the last node is nobody's, though each list is in order."""
    split = {"attribute": 0, "gain": 0.0, "default": 0, "counts": [1.0]}
    three = Attribute("a", "nominal", 0, ("u", "v", "w"))
    leaf = NamedClassTree(as_tree(Sketch((1,)), 1), (three,), ("only",))
    nodes = [
        {**split, "children": [1, 2], "codes": [[0], [1, 2]]},
        {**split, "children": [5, 6], "codes": [[0], [1, 2]]},
        {**split, "children": [3, 4, 5], "codes": [[0], [1], [2]]},
        *({"counts": [1.0]} for _ in range(5)),
    ]
    with pytest.raises(ParameterError, match="the child of one other"):
        from_dict({**to_dict(leaf), "nodes": nodes})


@laws
@given(trees(max_tests=5), st.data())
def test_a_damaged_record_gives_a_sound_tree_or_an_error(drawn, data):
    tree, attributes = drawn
    record = to_dict(NamedClassTree(tree, attributes, tuple("abcd"[: tree.n_classes])))
    try:
        named = from_dict(data.draw(damaged(record)))
    except ParameterError:
        return
    assert same(from_dict(to_dict(named)), named)
