"""Values as JSON and arrays: what goes in comes out to the bit, and what does not belong is refused."""

import collections
import dataclasses
import enum
import functools
import json
import math
import struct
from dataclasses import dataclass
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from novacula.errors import ModelFileError
from novacula.learner.codec import MAX_DEPTH, Decoder, Encoder, dataclass_form
from novacula.table.schema import Column, Schema

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = ["bool", *INTEGERS, "float32", "float64"]


@dataclass(frozen=True, slots=True)
class Split:
    column: Any
    threshold: Any = 0.0


@dataclass
class Picky:
    value: int

    def __post_init__(self):
        raise KeyError(self.value)


FORMS = [dataclass_form("Split", Split), dataclass_form("Picky", Picky)]


def there_and_back(value: Any) -> Any:
    encoder = Encoder(FORMS)
    text = json.dumps(encoder.encode(value), allow_nan=False)
    return Decoder(encoder.arrays, FORMS).decode(json.loads(text))


def decode(document: Any, **arrays: Any) -> Any:
    return Decoder(arrays, FORMS).decode(document)


def same(a: Any, b: Any) -> bool:
    """Whether two values agree in type and in every bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return all(map(same, a.flat, b.flat)) if a.dtype == object else a.tobytes() == b.tobytes()
    if isinstance(a, float) and not isinstance(a, np.generic):
        return struct.pack("d", a) == struct.pack("d", b)
    if isinstance(a, np.str_):
        return str(a) == str(b)
    if isinstance(a, np.generic):
        return a.dtype == b.dtype and a.tobytes() == b.tobytes()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if sparse.issparse(a):
        return a.shape == b.shape and all(same(getattr(a, n), getattr(b, n)) for n in ("data", "indices", "indptr"))
    if isinstance(a, Split):
        return same(dataclasses.astuple(a), dataclasses.astuple(b))
    return bool(a == b)


# --- there and back -----------------------------------------------------------------------------------------

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
scalars = st.sampled_from(DTYPES).flatmap(lambda d: hnp.arrays(d, ())).map(lambda a: a[()])
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
numbers = st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, shapes))
whole_characters = st.characters(exclude_categories=["Cs"])  # half a surrogate pair is refused
words = hnp.unicode_string_dtypes(endianness="=", max_len=4).flatmap(
    lambda dtype: hnp.arrays(
        dtype, shapes, elements=hnp.from_dtype(dtype, alphabet=whole_characters, max_size=dtype.itemsize // 4)
    )
)
objects = hnp.arrays(object, shapes, elements=plain)
keys = st.recursive(
    st.text(max_size=3) | st.integers() | st.floats() | st.booleans() | scalars,
    lambda inner: st.tuples(inner, inner),
    max_leaves=3,
)
matrices = st.sampled_from([sparse.csr_matrix, sparse.csr_array]).flatmap(
    lambda kind: hnp.arrays("float64", hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=3)).map(kind)
)
leaves = plain | scalars | numbers | words | st.text(max_size=3).map(np.str_) | objects | matrices
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(keys, inner, max_size=3),
        st.builds(Split, inner, inner),
    ),
    max_leaves=6,
)


@given(value=values)
@settings(derandomize=True, deadline=None)
def test_every_value_comes_back_to_the_bit(value):
    assert same(there_and_back(value), value)


@pytest.mark.parametrize(
    "value",
    [
        2**63,
        -(2**63),
        [-(10**1200)],
        -0.0,
        5e-324,
        math.inf,
        struct.unpack("d", bytes.fromhex("010000000000f0ff"))[0],  # a NaN with a sign and a payload
        np.frombuffer(bytes.fromhex("0100a07f"), np.float32)[0],
        "\0\u2028\U0001f600",
        {10**1200: 1},
        {True: 1, "1": 2, 1.5: 3, (1, ("a",)): 4},
        {"$array": "0", "Schema": None},
        np.array("word"),
        np.array(["", "trailing"], dtype="U12"),
        np.empty((0, 3), dtype="U7"),
        np.empty((3, 0, 2)),
        np.array([[1, "a"], [None, 2.5]], dtype=object),
        np.array(None, dtype=object),
    ],
)
def test_edges_come_back_to_the_bit(value):
    assert same(there_and_back(value), value)


def test_dictionaries_keep_their_order():
    assert list(there_and_back({"b": 1, "a": 2})) == ["b", "a"]
    assert list(there_and_back({2: 1, "a": 2, 1: 3})) == [2, "a", 1]


@pytest.mark.parametrize(
    "array", [np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(12).reshape(3, 4)[::2, ::-1]]
)
def test_arrays_of_any_layout_come_back_in_c_order(array):
    found = there_and_back(array)
    np.testing.assert_array_equal(found, array)
    assert found.flags.c_contiguous


def test_text_arrays_of_any_layout_come_back():
    array = np.array([["a", "bé"], ["\U0001f600", ""], ["c", "d"]])
    np.testing.assert_array_equal(there_and_back(array.T[:, ::2]), array.T[:, ::2])


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_wide_indices_of_sparse_matrices_stay_wide(kind):
    matrix = kind(np.eye(3))
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    assert same(there_and_back(matrix), matrix)


def test_schemas_and_columns_come_back():
    colour = Column("colour", "categorical", ("red", 2, 0.5, True), declared=True, missing=3)
    size = Column("size", "numeric", missing=0, low=-math.inf, high=2.5, note="in metres")
    schema = Schema((colour, size), ("size",), missing=("?",), missing_by_column={"colour": ("none",)}, n_rows=7)
    assert there_and_back([schema, colour]) == [schema, colour]


def test_fields_with_a_default_may_be_missing_and_others_not():
    assert decode({"Split": {"column": 1}}) == Split(1)
    with pytest.raises(ModelFileError, match="Split cannot be put together"):
        decode({"Split": {"threshold": 1}})
    with pytest.raises(ModelFileError, match="Split cannot be put together"):
        decode({"Split": {"column": 1, "colour": 2}})


# --- what does not belong -----------------------------------------------------------------------------------

Point = collections.namedtuple("Point", "x y")


class Level(enum.IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (lambda x: x, "the value is a function, and a model file holds nothing to call"),
        (math.tanh, "nothing to call"),
        (np.tanh, "nothing to call"),
        (functools.partial(print), "nothing to call"),
        (Split, "the value is a type, and a model file holds nothing to call"),
        ({"metric": [print]}, r"the value\['metric'\] is a builtin_function_or_method"),
        (Split(1, print), "the value.threshold is a builtin_function_or_method"),
        ({1: {2}}, "the value is of type set"),
        (1j, "of type complex"),
        (b"bytes", "of type bytes"),
        (Point(1, 2), "of type Point"),
        (Level.LOW, "of type Level"),
        (collections.OrderedDict(), "of type OrderedDict"),
        (np.random.RandomState(0), "of type RandomState"),
        (np.float16(1), "of type float16"),
        (np.longdouble(1), "of type longdouble"),
        (np.datetime64("2020-01-01"), "of type datetime64"),
        (np.ma.masked_array([1.0]), "of type MaskedArray"),
        (sparse.csc_array(np.eye(2)), "of type csc_array"),
        (np.zeros(2, np.complex128), "array of complex128"),
        (np.zeros(2, ">f8"), "array of >f8"),
        (np.zeros(2, ">U3"), "array of >U3"),
        (np.zeros(2, "S3"), r"array of \|S3"),
        (np.zeros(2, "f8,i4"), "is an array of"),
        (np.array([print], dtype=object), "builtin_function_or_method"),
        ("\ud800", "half a surrogate pair"),
        ({"\ud800": 1}, "a key of the value holds half a surrogate pair"),
        (np.array(["a\udfff"]), "half a surrogate pair"),
        (np.str_("\udc00"), "half a surrogate pair"),
    ],
)
def test_other_values_are_refused_by_name_and_type(value, reason):
    with pytest.raises(ModelFileError, match=reason):
        Encoder(FORMS).encode(value)


def nested(depth: int, wrap: Any) -> Any:
    value = 0
    for _ in range(depth):
        value = wrap(value)
    return value


WRAPS = [lambda v: [v], lambda v: (v,), lambda v: {"a": v}, lambda v: {1: v}, Split]


@pytest.mark.parametrize("wrap", WRAPS)
def test_values_nest_as_deep_as_the_cap_and_no_deeper(wrap):
    assert there_and_back(nested(MAX_DEPTH, wrap)) == nested(MAX_DEPTH, wrap)
    with pytest.raises(ModelFileError, match="nested more than"):
        there_and_back(nested(MAX_DEPTH + 1, wrap))


def test_a_list_within_itself_is_refused():
    ring: list[Any] = []
    ring.append(ring)
    with pytest.raises(ModelFileError, match="nested more than"):
        Encoder().encode(ring)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"builtins.eval": {}}, "holds a 'builtins.eval', which"),
        ({"$set": []}, r"holds a '\$set', which"),
        ({}, "malformed"),
        ({"$int": "0x1", "$float": "0"}, "malformed"),
        ({"$int": "12"}, "as an integer"),
        ({"$int": "0x_1"}, "as an integer"),
        ({"$int": 12}, "malformed"),
        ({"$float": "00"}, "malformed"),
        ({"$float": "zz"}, "malformed"),
        ({"$float": "00" * 16}, "malformed"),
        ({"$tuple": "ab"}, "a str where a list should be"),
        ({"$tuple": {"a": 1}}, "a dict where a list should be"),
        ({"$dict": [1]}, "malformed"),
        ({"$int": "0x" + "f" * 1100}, "as an integer"),
        ({"$items": [[{"$int": hex(k * (2**61 - 1))}, k] for k in range(2, 20_000)]}, "64 keys that hash alike"),
        ({"$items": [[1, 2], [1, 3]]}, "stands twice"),
        ({"$items": [[1, 2], [True, 3]]}, "stands twice"),
        ({"$items": [[[], 2]]}, "malformed"),
        ({"$items": [[1]]}, "malformed"),
        ({"$items": 3}, "malformed"),
        ({"$scalar": ["complex128", "00" * 16]}, "malformed"),
        ({"$scalar": ["float64", "00"]}, "malformed"),
        ({"$scalar": ["int8", "0000"]}, "malformed"),
        ({"$scalar": ["bool", "02"]}, "neither true nor false"),
        ({"$scalar": ["str", "\ud800"]}, "surrogate"),
        ({"$scalar": ["str", 1]}, "malformed"),
        ({"$objects": [[2], [1]]}, "shape"),
        ({"$objects": [[-1], [1]]}, "shape"),
        ({"$objects": [[True], [1]]}, "shape"),
        ({"$objects": [[1.0], [1]]}, "shape"),
        ({"$objects": [[2**62] * 1000, [1]]}, "shape"),
        ({"$objects": [[0, 2**63], []]}, "malformed"),
        ({"$objects": [[1], "a"]}, "a str where a list should be"),
        ({"$objects": [1]}, "malformed"),
        ({"$array": "1"}, "missing or used twice"),
        ({"$array": []}, "malformed"),
        ("\udfff", "surrogate"),
        ({"$dict": {"\udfff": 1}}, "surrogate"),
        ({"Schema": {"columns": 3}}, "Schema cannot be put together"),
        ({"Schema": {}}, "Schema cannot be put together"),
        ({"Column": {"schema": 3}}, "Column cannot be put together"),
        ({"Split": []}, "malformed"),
        ({"csr_array": {}}, "csr_array cannot be put together"),
        ({"Picky": {"value": 1}}, r"Picky cannot be put together \(KeyError: 1\)"),
    ],
    ids=repr,
)
def test_malformed_documents_are_refused(document, reason):
    with pytest.raises(ModelFileError, match=reason):
        decode(document)


def test_arrays_are_used_once():
    zeros = np.zeros(2)
    assert same(decode({"$array": "0"}, **{"0": zeros}), zeros)
    with pytest.raises(ModelFileError, match="array '0' is missing or used twice"):
        decode([{"$array": "0"}, {"$array": "0"}], **{"0": zeros})
    with pytest.raises(ModelFileError, match=r"nothing refers to: \['1'\]"):
        decode({"$array": "0"}, **{"0": zeros, "1": zeros})


@pytest.mark.parametrize(
    ("array", "tag", "reason"),
    [
        (np.zeros(1, np.float16), "$array", "array of float16"),
        (np.array([2], np.uint8).view(bool), "$array", "neither true nor false"),
        (np.zeros(2), "$text", "not made of characters"),
        (np.zeros((), np.uint32), "$text", "not made of characters"),
        (np.zeros((2, 0), np.uint32), "$text", "malformed"),
        (np.full((1, 1), 0xD800, np.uint32), "$text", "surrogate"),
        (np.full((1, 1), 0x110000, np.uint32), "$text", "surrogate"),
        (np.zeros((0, 2**40), np.uint32), "$text", "malformed"),
    ],
)
def test_arrays_that_are_not_what_they_stand_for_are_refused(array, tag, reason):
    with pytest.raises(ModelFileError, match=reason):
        decode({tag: "0"}, **{"0": array})


@pytest.mark.parametrize(
    "changed",
    [
        {"indices": [0, 9]},
        {"indices": [0, -1]},
        {"indices": [0.0, 2.0]},
        {"indices": [[0, 2]]},
        {"indptr": [0.0, 1.0, 2.0]},
        {"indptr": [0, 3, 2]},
        {"indptr": [0, 1, 9]},
        {"indptr": [1, 1, 2]},
        {"indptr": [0, 1]},
        {"data": [1.0]},
        {"shape": [2, 3, 4]},
        {"shape": [2**62, 3]},
        {"shape": [2, -3]},
        {"shape": [2**70, 3]},
        {"shape": 1},
        {"shape": "ab"},
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:.*non-integer dtype")  # SciPy only warns of it
def test_sparse_matrices_that_point_outside_are_refused(changed):
    parts = {"shape": [2, 3], "data": [1.0, 2.0], "indices": [0, 2], "indptr": [0, 1, 2]}
    arrays = {}
    document = {}
    for name, value in (parts | changed).items():
        document[name] = {"$tuple": value} if isinstance(value, list) else value
        if name != "shape":
            arrays[name] = np.array(value)
            document[name] = {"$array": name}
    with pytest.raises(ModelFileError):
        decode({"csr_matrix": document}, **arrays)
