"""Model files that were changed and all of whose checksums are right again."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from fuzz.target import pick
from novacula.learner import files
from novacula.learner.fitted_state import fitted_attributes
from novacula.state import declared

HOSTILE: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 7, 1.5, -0.5, 1e-300, 1e300, 2**31, 2**40, 2**62, 2**63 - 1, "", "a", "\ud800"),
    *([], {}, [[]], [1, 2, 3], ["a"], {"$tuple": []}, {"$tuple": [1]}, {"$dict": {}}, {"$array": "0"}, {"$text": "0"}),
    *({"$float": "000000000000f87f"}, {"$float": "000000000000f07f"}, {"$int": "0x" + "f" * 900}),
    *({"$items": [[1, 1], [2, 2]]}, {"$objects": [[2], [1, "a"]]}, {"$scalar": ["int32", "ffffffff"]}),
]
EXTREME_FLOATS = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1.0, 0.5, 1e300, -1e300, 5e-324, 1e-12)
EXTREME_INTEGERS = (0, 1, -1, 2, 3, 127, -128, 2**31 - 1, -(2**31), 2**20)


def entries(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The manifest and the arrays of a model file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read("manifest.json")), archive.read("arrays.safetensors")


def packed(manifest: dict[str, Any], arrays: bytes) -> bytes:
    """A model file of these, with the checksums that they have."""
    if isinstance(manifest.get("sha256"), dict):
        manifest["sha256"] = {"arrays.safetensors": hashlib.sha256(arrays).hexdigest()}
    return b"".join(files.pack(json.dumps(manifest).encode(), arrays))


def forged_attribute(model: Any, content: bytes, random: np.random.Generator) -> bytes:
    """One or two attributes of a model changed to what their declaration calls a forgery."""
    forged, values, state = copy.copy(model), fitted_attributes(model), declared(type(model))
    for _ in range(pick(random, (1, 1, 1, 2))):
        name = pick(random, list(values))
        forgeries = state[name].forgeries(values[name], random)
        vars(forged)[name] = pick(random, forgeries)
    try:
        return b"".join(files.content_of(forged, checked=False))
    except Exception:  # a forgery that no file can hold
        return forged_manifest(content, random)


def forged_manifest(content: bytes, random: np.random.Generator) -> bytes:
    """Something in the manifest changed, removed, renamed, moved or doubled."""
    manifest, arrays = entries(content)
    for _ in range(pick(random, (1, 1, 1, 2, 4))):
        mutate(manifest, random)
    return packed(manifest, arrays)


def forged_shape(content: bytes, random: np.random.Generator) -> bytes:
    """The shape or type of an array changed, its bytes kept."""
    manifest, arrays = entries(content)
    size = int.from_bytes(arrays[:8], "little")
    header = json.loads(arrays[8 : 8 + size])
    names = [name for name in header if name != "__metadata__"]
    if not names:
        return forged_manifest(content, random)
    entry = header[pick(random, names)]
    n = int(np.prod(entry["shape"], dtype=np.int64))
    shapes = [[n], [1, n], [n, 1], [n, 0], [0], [], entry["shape"][::-1], [*entry["shape"], 1], [1, *entry["shape"]]]
    if n % 2 == 0:
        shapes += [[2, n // 2], [n // 2, 2]]
    entry["shape"] = pick(random, shapes)
    same_width = [("F64", "I64", "U64"), ("F32", "I32", "U32"), ("U8", "BOOL", "I8")]
    if random.random() < 0.3:
        entry["dtype"] = pick(random, next((group for group in same_width if entry["dtype"] in group), ("F64",)))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return packed(manifest, len(text).to_bytes(8, "little") + text + arrays[8 + size :])


def forged_numbers(content: bytes, random: np.random.Generator) -> bytes:
    """A few numbers of an array replaced by extreme ones."""
    manifest, arrays = entries(content)
    size = int.from_bytes(arrays[:8], "little")
    header = json.loads(arrays[8 : 8 + size])
    names = [name for name, entry in header.items() if name != "__metadata__" and np.prod(entry["shape"]) > 0]
    if not names:
        return forged_manifest(content, random)
    entry = header[pick(random, names)]
    start, stop = (8 + size + offset for offset in entry["data_offsets"])
    dtype = np.dtype({"F": "f", "I": "i", "U": "u", "B": "u"}[entry["dtype"][0]] + str(bytes_of(entry["dtype"])))
    numbers = np.frombuffer(arrays[start:stop], dtype).copy()
    extremes = EXTREME_FLOATS if dtype.kind == "f" else EXTREME_INTEGERS
    for _ in range(pick(random, (1, 1, 2, 5))):
        numbers[int(random.integers(len(numbers)))] = np.asarray(pick(random, extremes)).astype(dtype)
    if random.random() < 0.1:
        random.shuffle(numbers)
    return packed(manifest, arrays[:start] + numbers.tobytes() + arrays[stop:])


def damaged(content: bytes, random: np.random.Generator) -> bytes:
    """Some bytes changed, nothing set right."""
    start = int(random.integers(len(content)))
    stop = start + pick(random, (1, 2, 8, 64))
    return content[:start] + random.bytes(stop - start) + content[stop if random.random() < 0.7 else start :]


def bytes_of(dtype: str) -> int:
    """The width of a number of a safetensors type."""
    return 1 if dtype == "BOOL" else int(dtype[1:]) // 8


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a JSON document with every key or index into it."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from places(tree[key])


def mutate(tree: Any, random: np.random.Generator) -> None:
    """Change, remove, rename, move or double something in a JSON document."""
    everywhere = list(places(tree))
    if not everywhere:
        return
    container, key = pick(random, everywhere)
    other, other_key = pick(random, everywhere)
    value = copy.deepcopy(pick(random, HOSTILE))
    match int(random.integers(8)):
        case 0 | 1:
            container[key] = value
        case 2:
            del container[key]
        case 3 if isinstance(container, dict):
            container[str(value) if value != "\ud800" else value] = container.pop(key)
        case 4 | 5:
            container[key] = copy.deepcopy(other[other_key])
        case 6 if isinstance(container[key], int | float) and not isinstance(container[key], bool):
            container[key] = pick(random, (container[key] + 1, -container[key], container[key] * 1000, 0))
        case _ if isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        case _:
            container[key] = [container[key], value]
