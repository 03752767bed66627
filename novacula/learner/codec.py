"""Values as JSON and arrays, and back: a closed set of types, each to the last bit, and nothing else.

What JSON has stands for itself: null, booleans, integers of 64 bits, finite floats, text, lists. Everything
else is an object with one member, whose name says what it is: `{"$tuple": […]}`, `{"$array": "3"}`,
`{"Schema": {…}}`. Arrays of numbers and of text lie outside the JSON, under the name that the object gives. A
type that is neither plain nor an array needs a `TypeCoding`, which takes it apart into named values and puts it
together again. No name in the JSON is ever imported: a name that is not among the forms is refused.

>>> encoder = Encoder()
>>> json = encoder.encode({"prior": (1, float("inf")), "theta": np.eye(2)})
>>> json
{'$dict': {'prior': {'$tuple': [1, {'$float': '000000000000f07f'}]}, 'theta': {'$array': '0'}}}
>>> Decoder(encoder.arrays).decode(json)["prior"]
(1, inf)
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novacula.errors import ModelFileError
from novacula.table.schema import Column, Schema, printable

Json: TypeAlias = Any
Array: TypeAlias = npt.NDArray[Any]

MAX_DEPTH = 64
"""How deep values may be nested in each other."""
MAX_ALIKE = 64
"""How many keys of a dictionary may have one hash."""
MAX_HEX_DIGITS = 1024
"""How many digits an integer of more than 64 bits may have, about 1230 decimal ones."""

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_DTYPES = {name: np.dtype(name) for name in ("bool", *_INTEGERS, "float32", "float64")}
_HEX_INTEGER = re.compile("-?0x[0-9a-f]+")


@dataclass(frozen=True)
class TypeCoding:
    """How one type is taken apart into named values, and put together from them as keyword arguments."""

    type: type
    name: str
    take_apart: Callable[[Any], Mapping[str, Any]]
    put_together: Callable[..., Any]


def dataclass_form(name: str, kind: type) -> TypeCoding:
    """The form of a dataclass: the fields that its constructor takes."""
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    return TypeCoding(kind, name, lambda value: {field: getattr(value, field) for field in names}, kind)


class Encoder:
    """Turns values into JSON, and collects their arrays in `arrays`."""

    def __init__(self, forms: Iterable[TypeCoding] = ()) -> None:
        self.arrays: dict[str, Array] = {}
        self._forms = {form.type: form for form in (*_FORMS, *forms)}

    def encode(self, value: Any, where: str = "the value", depth: int = 0) -> Json:
        """Give the JSON of a value; `where` is what an error calls it."""
        if depth > MAX_DEPTH:
            raise ModelFileError(f"{where} is nested more than {MAX_DEPTH} deep")
        # Exact types: a NumPy float is a float to Python too, and would come back as another type.
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if -(2**63) <= value < 2**63 else {"$int": _hex(value, where)}
        if kind is float:
            return value if math.isfinite(value) else {"$float": np.float64(value).tobytes().hex()}
        if kind is str:
            return _whole(value, where)
        if kind is list:
            return [self.encode(item, where, depth + 1) for item in value]
        if kind is tuple:
            return {"$tuple": [self.encode(item, where, depth + 1) for item in value]}
        if kind is dict:
            return self._dict(value, where, depth + 1)
        if kind is np.ndarray:
            return self._array(value, where, depth + 1)
        if kind is np.str_:
            return {"$scalar": ["str", _whole(str(value), where)]}
        if isinstance(value, np.generic) and value.dtype in _DTYPES.values():
            return {"$scalar": [value.dtype.name, value.tobytes().hex()]}
        if form := self._forms.get(kind):
            parts = form.take_apart(value)
            return {form.name: {n: self.encode(part, f"{where}.{n}", depth + 1) for n, part in parts.items()}}
        raise ModelFileError(_refusal(value, where))

    def _dict(self, value: dict[Any, Any], where: str, depth: int) -> Json:
        keys = [self.encode(key, f"a key of {where}", depth) for key in value]
        if all(type(key) is str for key in value):
            items = [self.encode(item, f"{where}[{key!r}]", depth) for key, item in value.items()]
            return {"$dict": dict(zip(keys, items, strict=True))}
        items = [self.encode(item, where, depth) for item in value.values()]
        return {"$items": list(map(list, zip(keys, items, strict=True)))}

    def _array(self, value: Array, where: str, depth: int) -> Json:
        if value.dtype in _DTYPES.values():
            return {"$array": self._lay_down(value)}
        if value.dtype.kind == "U" and value.dtype.isnative and value.dtype.itemsize:
            codes = np.ravel(value).view(np.uint32).reshape(*value.shape, value.dtype.itemsize // 4)
            return {"$text": self._lay_down(_characters(codes, where))}
        if value.dtype == object:
            return {"$objects": [list(value.shape), [self.encode(item, where, depth) for item in value.flat]]}
        raise ModelFileError(f"{where} is an array of {value.dtype}, which a model file does not hold")

    def _lay_down(self, array: Array) -> str:
        name = str(len(self.arrays))
        self.arrays[name] = np.asarray(array, order="C")
        return name


class Decoder:
    """Turns JSON back into values; anything wrong in it is a ModelFileError about the file, "it"."""

    def __init__(self, arrays: Mapping[str, Array], forms: Iterable[TypeCoding] = ()) -> None:
        self._arrays = dict(arrays)
        self._forms = {form.name: form for form in (*_FORMS, *forms)}

    def decode(self, json: Json) -> Any:
        """Give the value of a document, which is used up; each array has to be there and to be used once."""
        try:
            value = self._decode(json, 0)
        except ModelFileError:
            raise
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
            raise ModelFileError(f"it holds a malformed value ({excerpt(error)})") from error
        if self._arrays:
            raise ModelFileError(f"it holds arrays that nothing refers to: {excerpt(sorted(self._arrays))}")
        return value

    def _decode(self, json: Json, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ModelFileError(f"it nests values more than {MAX_DEPTH} deep")
        if type(json) is str:
            return _whole(json, "it")
        if type(json) is list:
            return self._list(json, depth)
        if type(json) is not dict:
            return json
        [(tag, body)] = json.items()
        match tag:
            case "$tuple":
                return tuple(self._list(body, depth))
            case "$dict":
                return self._dict(body, depth)
            case "$items":
                return self._items(body, depth)
            case "$objects":
                return self._objects(body, depth)
            case "$array":
                return self._take(body)
            case "$text":
                return self._text(body)
            case "$int":
                return _int(body)
            case "$float":
                return float(_scalar(("float64", body)))
            case "$scalar":
                return _scalar(body)
        if tag not in self._forms:
            raise ModelFileError(f"it holds a {excerpt(tag)}, which this version of Novacula does not know")
        return self._formed(self._forms[tag], body, depth)

    def _list(self, body: list[Json], depth: int) -> list[Any]:
        if type(body) is not list:
            raise ModelFileError(f"it holds a {type(body).__name__} where a list should be")
        for i, item in enumerate(body):  # in place, so that document and values are never both in memory
            body[i] = self._decode(item, depth + 1)
        return body

    def _dict(self, body: dict[str, Json], depth: int) -> dict[str, Any]:
        return {_whole(name, "it"): self._decode(part, depth + 1) for name, part in body.items()}

    def _items(self, body: list[tuple[Json, Json]], depth: int) -> dict[Any, Any]:
        keys = [self._decode(key, depth + 1) for key, _ in body]
        _require_few_alike(keys)
        items = {key: self._decode(item, depth + 1) for key, (_, item) in zip(keys, body, strict=True)}
        if len(items) != len(body):
            raise ModelFileError("it holds a dictionary with a key that stands twice")
        return items

    def _objects(self, body: tuple[list[int], list[Json]], depth: int) -> Array:
        shape, items = body
        plain = len(shape) <= 64 and all(type(n) is int and n >= 0 for n in shape)
        if not plain or math.prod(shape) != len(items):
            raise ModelFileError(f"it holds an array of {len(items)} values whose shape is another")
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(self._list(items, depth)):
            array[i] = item
        return array.reshape(shape)

    def _text(self, name: str) -> Array:
        codes = self._take(name)
        if codes.dtype != np.uint32 or codes.ndim == 0:
            raise ModelFileError(f"its array {excerpt(name)} is not made of characters")
        *shape, width = codes.shape
        return _characters(codes, "it").reshape(-1).view(f"U{width}").reshape(shape)

    def _take(self, name: str) -> Array:
        if name not in self._arrays:
            raise ModelFileError(f"its array {excerpt(name)} is missing or used twice")
        return _checked(self._arrays.pop(name))

    def _formed(self, form: TypeCoding, body: dict[str, Json], depth: int) -> Any:
        parts = self._dict(body, depth)
        try:
            return form.put_together(**parts)
        except Exception as error:  # a type's own checks may raise anything when they meet a hostile value
            raise ModelFileError(f"its {form.name} cannot be put together ({excerpt(error)})") from error


def excerpt(value: object) -> str:
    """Something from a file, or what went wrong with it, fit for a sentence."""
    text = repr(value) if not isinstance(value, Exception) else f"{type(value).__name__}: {value}"
    text = text.removeprefix("ModelFileError: ")
    return printable(text if len(text) <= 160 else f"{text[:159]}…")


def _refusal(value: object, where: str) -> str:
    kind = type(value).__name__
    if callable(value):
        return f"{where} is a {kind}, and a model file holds nothing to call, since loading it would run code"
    return f"{where} is of type {kind}, which a model file does not hold"


def _whole(text: str, where: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(f"{where} holds half a surrogate pair, which is not a character") from error
    return text


def _characters(codes: npt.NDArray[np.uint32], where: str) -> npt.NDArray[np.uint32]:
    if np.any(codes >> 11 == 0xD800 >> 11) or codes.max(initial=0) > 0x10FFFF:
        raise ModelFileError(f"{where} holds half a surrogate pair, which is not a character")
    return codes


def _checked(array: Array) -> Array:
    if array.dtype not in _DTYPES.values():
        raise ModelFileError(f"it holds an array of {array.dtype}, which a model file does not hold")
    # A boolean whose byte is neither 0 nor 1 is true in some of NumPy's places and false in others.
    if array.dtype == bool and array.view(np.uint8).max(initial=0) > 1:
        raise ModelFileError("it holds a boolean that is neither true nor false")
    return array


def _hex(value: int, where: str) -> str:
    digits = hex(value)
    if len(digits) > MAX_HEX_DIGITS:
        raise ModelFileError(f"{where} is an integer of more than {MAX_HEX_DIGITS} hexadecimal digits")
    return digits


def _require_few_alike(keys: list[Any]) -> None:
    """Refuse keys that hash alike, of which a dictionary takes time that grows with the square of their number."""
    hashes = sorted(map(hash, keys))  # text hashes by a secret of this process, numbers and tuples do not
    if any(one == other for one, other in zip(hashes, hashes[MAX_ALIKE:], strict=False)):
        raise ModelFileError(f"it holds a dictionary with more than {MAX_ALIKE} keys that hash alike")


def _int(body: str) -> int:
    if len(body) > MAX_HEX_DIGITS or not _HEX_INTEGER.fullmatch(body):
        raise ModelFileError(f"it holds {excerpt(body)} as an integer")
    return int(body, 16)


def _scalar(body: tuple[str, str]) -> Any:
    name, content = body
    if name == "str":
        return np.str_(_whole(content, "it"))
    (value,) = _checked(np.frombuffer(bytes.fromhex(content), _DTYPES[name]))
    return value


def _csr_form(kind: type) -> TypeCoding:
    def take_apart(matrix: Any) -> dict[str, Any]:
        return {name: getattr(matrix, name) for name in ("shape", "data", "indices", "indptr")}

    def put_together(*, shape: tuple[int, ...], data: Array, indices: Array, indptr: Array) -> Any:
        if not all(type(array) is np.ndarray and array.ndim == 1 for array in (data, indices, indptr)):
            raise ModelFileError("its parts are not arrays")
        if not indices.dtype == indptr.dtype in (np.int32, np.int64):
            raise ModelFileError("its indices are not integers")
        matrix = kind((data, indices, indptr), shape=shape)
        matrix.indices, matrix.indptr = indices, indptr  # SciPy narrows them where it can
        matrix.check_format(full_check=True)
        return matrix

    return TypeCoding(kind, kind.__name__, take_apart, put_together)


_FORMS = (
    _csr_form(sparse.csr_matrix),
    _csr_form(sparse.csr_array),
    TypeCoding(Schema, "Schema", Schema.to_dict, lambda **values: Schema.from_dict(values)),
    TypeCoding(Column, "Column", lambda column: {"schema": Schema((column,))}, lambda schema: schema.columns[0]),
)
