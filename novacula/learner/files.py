"""Model files: `save` writes a learner, `load` reads it back, and neither runs code that a file names.

A `.nova` file is a zip archive of two entries, stored as they are and not compressed:

    manifest.json       format version, learner id, parameters, fitted attributes, versions, sha256
    arrays.safetensors  the arrays that the manifest refers to

Nothing in the layout is left to choice. So the same model gives the same bytes, and `load` takes only what
`save` could have written: it frames once more the entries that it found, and compares. Compressed, encrypted,
surplus or overlapping entries, odd names and sizes all fail that one comparison.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import struct
import sys
import zlib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import safetensors.numpy
import sklearn
from safetensors import SafetensorError

from novacula.errors import InputTypeError, ModelFileError
from novacula.learner.codec import MAX_DEPTH, Decoder, Encoder, TypeCoding, dataclass_form, excerpt
from novacula.learner.fitted_state import check_fitted_state, fitted_attributes
from novacula.learner.registry import learners, state_types
from novacula.state import StateError
from novacula.version import __version__
from novacula.writing import replace_file

FilePath: TypeAlias = str | os.PathLike[str]
Registry: TypeAlias = Mapping[str, type]

FORMAT = 1
"""The version of the format that is written, and the only one that is read."""

MAX_MANIFEST = 64 * 2**20
MAX_ARRAY_HEADER = 4 * 2**20

_MANIFEST = b"manifest.json"
_ARRAYS = b"arrays.safetensors"
_MEMBERS = {"format", "learner", "parameters", "attributes", "versions", "sha256"}


def save(learner: Any, path: FilePath, *, registry: Registry | None = None, checked: bool = True) -> None:
    """Write a learner, fitted or not, to a file that is replaced as a whole or not at all.

    The model is its parameters and its attributes that end in `_`; attributes that begin with `_` are taken
    for caches and left out. The learner has to be in the registry: the library's, unless another is given. What is
    not as its class declares would be refused by `load`, so it is refused here; forgeries are not `checked`.
    """
    target = _as_path(path)
    replace_file(target, content_of(learner, registry=registry, checked=checked))


def content_of(learner: Any, *, registry: Registry | None = None, checked: bool = True) -> tuple[bytes, ...]:
    """The content of the file that `save` writes, in pieces."""
    known = learners() if registry is None else registry
    name = type(learner).__name__
    if type(learner) not in known.values():
        raise ModelFileError(f"{name} cannot be saved: it is none of the registered learners")
    encoder = Encoder(_forms(registry, checked))
    [(learner_id, parts)] = encoder.encode(learner, name).items()
    arrays = safetensors.numpy.save(encoder.arrays)
    document = {
        "format": FORMAT,
        "learner": learner_id,
        **parts,
        "versions": {"novacula": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__},
        "sha256": {_ARRAYS.decode(): hashlib.sha256(arrays).hexdigest()},
    }
    manifest = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    if len(manifest) > MAX_MANIFEST or _header_size(arrays) > MAX_ARRAY_HEADER:
        raise ModelFileError(f"{name} cannot be saved: it holds too many arrays, or values outside of arrays")
    return pack(manifest, arrays)


def load(path: FilePath, *, max_bytes: int = 4 * 2**30, registry: Registry | None = None) -> Any:
    """Read a learner from a file that `save` wrote; anything else is one ModelFileError.

    Nothing is allocated before the bytes for it have been seen. Memory stays below three times the arrays
    plus some thirty times what describes them: a manifest of at most 64 MiB, a header of at most 4 MiB.
    A file of more than `max_bytes` is not read.
    """
    source = _as_path(path)
    with source.open("rb") as file:
        try:
            document, arrays = _read(file, max_bytes)
            return _model(document, arrays, registry)
        except ModelFileError as error:
            raise ModelFileError(f"{str(source)!r} cannot be loaded: {error}") from error


# --- the container ------------------------------------------------------------------------------------------


def pack(manifest: bytes, arrays: bytes) -> tuple[bytes, ...]:
    """Frame the two entries as a zip archive: head, manifest, middle, arrays and end.

    Sizes are always written in 64 bits, though few files need them: so a large file is not a special case.
    """
    pieces: list[bytes] = []
    directory = b""
    for name, content in ((_MANIFEST, manifest), (_ARRAYS, arrays)):
        # Version 4.5, no flags, stored, 1980-01-01 0:00, checksum, and both sizes moved to the tail.
        fields = (45, 0, 0, 0, 0x21, zlib.crc32(content), 0xFFFFFFFF, 0xFFFFFFFF, len(name), 20)
        tail = name + struct.pack("<2H2Q", 1, 16, len(content), len(content))
        start = sum(map(len, pieces))
        pieces += [struct.pack("<4s5H3L2H", b"PK\3\4", *fields) + tail, content]
        directory += struct.pack("<4s6H3L5H2L", b"PK\1\2", 45, *fields, 0, 0, 0, 0, start) + tail
    start, size = sum(map(len, pieces)), len(directory)
    directory += struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 2, 2, size, start)
    directory += struct.pack("<4sLQL", b"PK\6\7", 0, start + size, 1)
    directory += struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, size, 0xFFFFFFFF, 0)
    return *pieces, directory


_FRAME = pack(b"", b"")
_HEAD, _, _MIDDLE, _, _END = map(len, _FRAME)


def _read(file: BinaryIO, max_bytes: int) -> tuple[dict[str, Any], bytes]:
    total = os.fstat(file.fileno()).st_size
    if total > max_bytes:
        raise ModelFileError(f"it has {total} bytes, more than max_bytes={max_bytes}")
    head = file.read(_HEAD)
    manifest = file.read(_manifest_size(head, total))
    if head != pack(manifest, b"")[0]:
        raise ModelFileError("its manifest is damaged, or another program has packed it")
    document = _parse(manifest)
    _check_members(document)  # before the rest is read, which a later format may lay out otherwise
    middle = file.read(_MIDDLE)
    arrays = file.read(max(0, total - file.tell() - _END))
    if pack(manifest, arrays) != (head, manifest, middle, arrays, file.read(_END)):
        raise ModelFileError("its arrays are damaged or cut short, or another program has packed it")
    if document["sha256"] != {_ARRAYS.decode(): hashlib.sha256(arrays).hexdigest()}:
        raise ModelFileError("its arrays are not those of its manifest: their sha256 is another")
    return document, arrays


def _manifest_size(head: bytes, total: int) -> int:
    """The one number that is believed of a header, once the bytes are there for it."""
    if not head.startswith(b"PK\3\4") or len(head) != _HEAD:
        raise ModelFileError("it is not a zip archive that begins with a manifest, or it is cut short")
    flags, method = struct.unpack_from("<2H", head, 6)
    if flags & 1:
        raise ModelFileError("its manifest is encrypted")
    if method != 0:
        raise ModelFileError("its manifest is compressed, which model files never are")
    if (head[:14], head[18:-16]) != (_FRAME[0][:14], _FRAME[0][18:-16]):  # all but checksum and sizes
        raise ModelFileError("it does not begin with a model's manifest, or another program has packed it")
    (size,) = struct.unpack("<Q", head[-8:])
    if size > min(total, MAX_MANIFEST):
        raise ModelFileError(f"its manifest claims {size} bytes, more than there are or than it may have")
    return int(size)


def _as_path(path: FilePath) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(f"a model file is named by a path, not by a {type(path).__name__}")
    return Path(path)


# --- the manifest -------------------------------------------------------------------------------------------

_JSON_DEPTH = 3 * MAX_DEPTH + 8  # a dictionary with keys that are not strings takes three levels
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)


def _parse(manifest: bytes) -> dict[str, Any]:
    try:
        text = manifest.decode()
        _check_depth(text)  # beforehand, since the parser recurses on the stack
        document = json.loads(
            text, object_pairs_hook=_unique, parse_int=_integer, parse_float=_finite, parse_constant=_finite
        )
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"its manifest is not JSON ({excerpt(error)})") from error
    if not isinstance(document, dict):
        raise ModelFileError("its manifest is not a JSON object")
    return document


def _check_depth(text: str) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (0, 1, -1)[token.lastindex or 0]
        if depth > _JSON_DEPTH:
            raise ModelFileError(f"its manifest is nested more than {_JSON_DEPTH} deep")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ModelFileError("its manifest names something twice")
    return members


def _integer(digits: str) -> int:
    if len(digits) > 20:
        raise ModelFileError("its manifest holds an integer of more than 64 bits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ModelFileError(f"its manifest holds the number {excerpt(digits)}")
    return number


def _check_members(document: dict[str, Any]) -> None:
    version = document.get("format")
    if type(version) is not int or version != FORMAT:
        known = f"this version of Novacula knows version {FORMAT} alone: upgrade novacula"
        raise ModelFileError(f"it has format version {excerpt(version)}, and {known}")
    if set(document) != _MEMBERS:
        raise ModelFileError(f"its manifest has the members {excerpt(sorted(document))}")


# --- the model ----------------------------------------------------------------------------------------------


def _model(document: dict[str, Any], content: bytes, registry: Registry | None) -> Any:
    name = document["learner"]
    if not isinstance(name, str) or name not in (learners() if registry is None else registry):
        raise ModelFileError(f"it holds a learner {excerpt(name)}, which Novacula {__version__} does not have")
    if _header_size(content) > MAX_ARRAY_HEADER:
        raise ModelFileError(f"the header of its arrays claims more than {MAX_ARRAY_HEADER} bytes")
    try:
        arrays = safetensors.numpy.load(content)
    except (SafetensorError, ValueError, LookupError, ArithmeticError) as error:
        raise ModelFileError(f"its arrays are malformed ({excerpt(error)})") from error
    parts = {part: document[part] for part in ("parameters", "attributes")}
    return Decoder(arrays, _forms(registry, True)).decode({name: parts})


def _header_size(arrays: bytes) -> int:
    return int.from_bytes(arrays[:8], "little")


def _forms(registry: Registry | None, checked: bool) -> list[TypeCoding]:
    return _own_forms(checked) if registry is None else _forms_of(registry, checked)


@cache
def _own_forms(checked: bool) -> list[TypeCoding]:
    return _forms_of(learners(), checked)


def _forms_of(registry: Registry, checked: bool) -> list[TypeCoding]:
    take_apart = partial(_take_apart, checked=checked)
    own = [TypeCoding(kind, name, take_apart, partial(_put_together, kind)) for name, kind in registry.items()]
    return [*(dataclass_form(*pair) for pair in state_types(registry.values()).items()), *own]


def _take_apart(learner: Any, checked: bool) -> dict[str, Any]:
    _validate(learner)
    try:
        _check_storable(learner)
    except ModelFileError as error:
        raise ModelFileError(f"{type(learner).__name__} cannot be saved: {error}") from error
    attributes = fitted_attributes(learner)
    _check_names(type(learner), attributes)
    if checked and "schema_" in attributes:
        try:
            _check_values(learner)
        except ModelFileError as error:
            raise ModelFileError(f"{type(learner).__name__} cannot be saved: {error}") from error
    return {"parameters": learner.get_params(deep=False), "attributes": attributes}


def _put_together(kind: Any, *, parameters: dict[str, Any], attributes: dict[str, Any]) -> Any:
    if not type(parameters) is type(attributes) is dict:
        raise ModelFileError("its parameters or attributes have no names")
    if unknown := set(parameters) - set(kind._get_param_names()):
        raise ModelFileError(f"{kind.__name__} has no parameters {excerpt(sorted(unknown))}")
    for name, value in parameters.items():
        if type(value) is int and abs(value) > sys.float_info.max:  # where learners and their checks want a number
            raise ModelFileError(f"its parameter {name} is an integer beyond all numbers of double precision")
    _check_names(kind, attributes)
    learner = kind(**parameters)
    _validate(learner)
    _check_storable(learner)
    vars(learner).update(attributes)
    if attributes:
        _check_values(learner)
    return learner


def _check_values(learner: Any) -> None:
    """Kernels do not look where they read, so arrays have to be as they are declared."""
    try:
        check_fitted_state(learner)
    except StateError as error:
        raise ModelFileError(f"its {error}") from error
    if hasattr(learner, "_check_state"):
        learner._check_state()


def _check_names(kind: Any, attributes: dict[str, Any]) -> None:
    """A fitted attribute may not stand in for a method, a property or a parameter of the class."""
    parameters = kind._get_param_names()
    for name in attributes:
        defined = name in parameters or any(name in vars(base) for base in kind.__mro__)
        if defined or not re.fullmatch("[a-z][a-z0-9_]*_", name):
            raise ModelFileError(f"{kind.__name__} cannot have a fitted attribute {excerpt(name)}")


def _check_storable(learner: Any) -> None:
    """Some parameters are allowed in memory and not in a file, such as a regular expression that may hang."""
    if hasattr(learner, "_check_storable"):
        learner._check_storable()


def _validate(learner: Any) -> None:
    if hasattr(learner, "_parameter_constraints"):  # without them scikit-learn's check has nothing to check
        try:
            learner._validate_params()
        except Exception as error:  # a learner's own check may raise anything
            name = type(learner).__name__
            raise ModelFileError(f"{name} refuses its parameters ({excerpt(error)})") from error
