"""Damaged and hostile model files: one ModelFileError or a sound model, no code, no memory beyond a bound.

A file whose bytes were changed, and nothing else, is always refused. A file whose manifest or arrays were
changed, and all checksums set right again, may load: then it gives a model of the registry, which can be
saved and loaded.
"""

import copy
import hashlib
import io
import json
import pickle
import random
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from novacula.errors import ModelFileError
from novacula.learner import files
from novacula.statistics import Contingency
from novacula.table.schema import Column, Schema


class Toy(BaseEstimator):
    _parameter_constraints = {"alpha": [float], "inner": "no_validation"}  # noqa: RUF012

    def __init__(self, alpha=1.0, inner=None):
        self.alpha = alpha
        self.inner = inner


REGISTRY = {"toy": Toy}


class Boom:
    """Unpickling it imports the canary, which leaves a mark."""

    def __reduce__(self) -> tuple[Any, ...]:
        return __import__, ("novacula_canary",)


@pytest.fixture(autouse=True)
def canary(tmp_path, monkeypatch):
    """A module that any loading by name would import; each test ends with a look at whether it was."""
    (tmp_path / "novacula_canary.py").write_text("class Boom: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    assert "novacula_canary" not in sys.modules
    pickle.loads(pickle.dumps(Boom()))
    assert sys.modules.pop("novacula_canary")  # the trap would have shut


def model() -> Toy:
    toy = Toy(0.5, inner=Toy(inner=[1, "two"]))
    toy.classes_ = np.array(["no", "yes"])
    toy.coef_ = np.linspace(0, 1, 6).reshape(2, 3)
    toy.counts_ = Contingency(np.ones((2, 3)), np.array([0, 3]))
    toy.flags_ = np.array([True, False])
    toy.labels_ = np.array([1, "a", None], dtype=object)
    toy.lookup_ = {1: (2, float("nan")), ("a", 2.5): 10**30}
    toy.schema_ = Schema((Column("x", "categorical", ("a", "b")), Column("y", "numeric", low=0.5)), ("y",))
    toy.words_ = sparse.csr_array(np.eye(3))
    return toy


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.nova"


@pytest.fixture
def whole(path):
    files.save(model(), path, registry=REGISTRY)
    return path.read_bytes()


def outcome(path: Path, content: bytes) -> Toy | None:
    """The model in these bytes, or None where they are refused; any other exception is a failure."""
    path.write_bytes(content)
    return attempt(path)


def attempt(path: Path) -> Toy | None:
    try:
        return files.load(path, registry=REGISTRY)
    except ModelFileError:
        return None


def entries(content: bytes) -> tuple[bytes, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read("manifest.json"), archive.read("arrays.safetensors")


def packed(manifest: bytes, arrays: bytes, right: bool = True) -> bytes:
    """A file with these entries, and the sha256 in its manifest set right."""
    if right:
        start = manifest.rfind(b'"arrays.safetensors"')
        digest = hashlib.sha256(arrays).hexdigest().encode()
        manifest = manifest[:start] + b'"arrays.safetensors": "' + digest + b'"}}'
    return b"".join(files.pack(manifest, arrays))


def attribute(text: bytes, arrays: bytes) -> bytes:
    """A file whose model has this JSON as its only attribute."""
    head = b'{"format":1,"learner":"toy","parameters":{"$dict":{}},"attributes":{"$dict":{"x_":' + text
    return packed(head + b'}},"versions":{},"sha256":{"arrays.safetensors":""}}', arrays)


# --- damage: nothing is set right ---------------------------------------------------------------------------


def test_no_byte_of_a_file_may_change(path, whole):
    draw = random.Random(0)
    for place in range(len(whole)):
        changed = whole[place] ^ draw.randrange(1, 256)
        assert outcome(path, whole[:place] + bytes([changed]) + whole[place + 1 :]) is None, place


def splice(content: bytes, draw: random.Random) -> bytes:
    """Cut, repeat, move, insert or overwrite a stretch of bytes."""
    start, stop = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    stop = min(stop, start + draw.choice([1, 4, 8, 64, 4096]))
    place = draw.randrange(len(content) + 1)
    piece = content[start:stop]
    rest = content[:start] + content[stop:]
    return draw.choice(
        [
            rest,
            content[:place] + piece + content[place:],
            rest[:place] + piece + rest[place:],
            content[:place] + draw.randbytes(len(piece)) + content[place:],
            content[:start] + draw.randbytes(len(piece)) + content[stop:],
            content[:start] + bytes([draw.choice([0, 1, 127, 255])]) * len(piece) + content[stop:],
        ]
    )


def assert_damage_is_refused(path: Path, whole: bytes, draws: int) -> None:
    draw = random.Random(1)
    for _ in range(draws):
        damaged = splice(whole, draw)
        assert (outcome(path, damaged) is None) == (damaged != whole)


def test_spliced_files_are_refused(path, whole):
    assert_damage_is_refused(path, whole, 1000)


@pytest.mark.slow
def test_very_many_spliced_files_are_refused(path, whole):
    assert_damage_is_refused(path, whole, 30_000)


def test_pieces_of_the_frame_in_another_order_are_refused(path, whole):
    pieces = files.pack(*entries(whole))
    other = files.pack(*entries(whole)[::-1])
    draw = random.Random(2)
    for _ in range(300):
        shuffled = b"".join(draw.choice([*pieces, *other]) for _ in range(draw.randrange(1, 8)))
        assert outcome(path, shuffled) is None or shuffled == whole


# --- malice: all checksums are right ------------------------------------------------------------------------

DEEP, LONG = "@deep@", "@long@"
HOSTILE: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        1.5,
        2**63,
        2**64 - 1,
        -0.0,
        1e308,
        "",
        "0",
        "é",
        "\ud800",
        [],
        {},
        [[]],
        DEEP,
        LONG,
    ),
    *("novacula_canary", "__reduce__", "builtins.eval", "F64", "BOOL", "F16", "__metadata__"),
    *({"$array": "0"}, {"$text": "1"}, {"$array": "99"}, {"$tuple": [1]}, {"$int": "0x" + "f" * 5000}),
    *({"$float": "000000000000f87f"}, {"$scalar": ["float64", "00" * 8]}, {"$scalar": ["O", "00" * 8]}),
    *({"$objects": [[2**62, 2**62], []]}, {"$objects": [[-1], [0]]}, {"$objects": [[10**15], []]}),
    *(
        {"$items": [[[], 1]]},
        {"$items": [[1, 1], [1.0, 2]]},
        {"$dict": {"__class__": 1}},
        {"$dict": {"x_": 1}},
    ),
    *({"novacula_canary.Boom": {}}, {"$reduce": ["novacula_canary", "Boom"]}, {"__reduce__": []}),
    *({"Schema": {}}, {"Column": {"schema": None}}, {"csr_array": {}}, {"statistics.Bundle": {"parts": 3}}),
    {"toy": {"parameters": {"$dict": {"alpha": 2.0}}, "attributes": {"$dict": {"coef_": 1}}}},
]


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a JSON document with every key or index into it."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from places(tree[key])


def mutate(tree: Any, draw: random.Random) -> None:
    """Change, remove, rename, move or double something in a JSON document."""
    container, key = draw.choice(list(places(tree)))
    other, other_key = draw.choice(list(places(tree)))
    value = copy.deepcopy(draw.choice(HOSTILE))
    match draw.randrange(5):
        case 0:
            container[key] = value
        case 1:
            del container[key]
        case 2 if isinstance(container, dict):
            container[str(value) if value != "\ud800" else value] = container.pop(key)
        case 3:
            container[key] = copy.deepcopy(other[other_key])
        case _:
            container[key] = [container[key], value]


def as_json(tree: Any) -> bytes:
    text = json.dumps(tree)
    return text.replace(f'"{DEEP}"', "[" * 50_000 + "]" * 50_000).replace(f'"{LONG}"', "9" * 5000).encode()


def hostile_manifest(whole: bytes, draw: random.Random) -> bytes:
    manifest, arrays = entries(whole)
    tree = json.loads(manifest)
    for _ in range(draw.choice([1, 1, 2, 5])):
        mutate(tree, draw)
    return packed(as_json(tree), arrays, right=False)


def hostile_header(whole: bytes, draw: random.Random) -> bytes:
    manifest, arrays = entries(whole)
    size = int.from_bytes(arrays[:8], "little")
    tree = json.loads(arrays[8 : 8 + size])
    for _ in range(draw.choice([1, 1, 2, 5])):
        mutate(tree, draw)
    header = as_json(tree)
    length = draw.choice([len(header)] * 5 + [0, len(header) + 1, 2**32, 2**64 - 1])
    return packed(manifest, length.to_bytes(8, "little") + header + arrays[8 + size :])


def spliced_manifest(whole: bytes, draw: random.Random) -> bytes:
    manifest, arrays = entries(whole)
    return packed(splice(manifest, draw), arrays, right=draw.random() < 0.5)


def spliced_arrays(whole: bytes, draw: random.Random) -> bytes:
    manifest, arrays = entries(whole)
    return packed(manifest, splice(arrays, draw))


def assert_malice_is_refused_or_sound(path: Path, whole: bytes, make: Callable[..., bytes], draws: int) -> None:
    draw = random.Random(3)
    loaded = 0
    for _ in range(draws):
        found = outcome(path, make(whole, draw))
        if found is not None:
            loaded += 1
            assert type(found) is Toy
            files.save(found, path, registry=REGISTRY)
            assert outcome(path, path.read_bytes()) is not None
    assert loaded < draws


MAKERS = [hostile_manifest, hostile_header, spliced_manifest, spliced_arrays]


@pytest.mark.parametrize("make", MAKERS)
def test_hostile_contents_are_refused_or_sound(path, whole, make):
    assert_malice_is_refused_or_sound(path, whole, make, 400)


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
def test_very_many_hostile_contents_are_refused_or_sound(path, whole, make):
    assert_malice_is_refused_or_sound(path, whole, make, 10_000)


def test_pickles_are_bytes_like_any_others(path, whole):
    manifest, arrays = entries(whole)
    bomb = pickle.dumps(Boom())
    for content in (bomb, b"PK\3\4" + bomb, packed(bomb, arrays, right=False), packed(manifest, bomb)):
        assert outcome(path, content) is None
    sound = model()
    sound.coef_ = np.frombuffer(bomb, np.uint8)
    sound.labels_ = bomb.decode("latin-1")
    files.save(sound, path, registry=REGISTRY)
    assert outcome(path, path.read_bytes()).coef_.tobytes() == bomb


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe{\0}\0", "is not JSON"),
        (b'"\xed\xa0\x80"', "is not JSON"),
        (b'"' + b'\\"' * 1_000_000, "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b'{"format":1,"format":1}', "names something twice"),
        (b'{"format":NaN}', "the number 'NaN'"),
        (b'{"format":-Infinity}', "the number '-Infinity'"),
        (b'{"format":1e999}', "the number '1e999'"),
        (b'{"format":' + b"9" * 100_000 + b"}", "integer of more than 64 bits"),
        (b"[" * 201 + b"]" * 201, "nested more than"),
        (b'{"a":' * 1_000_000, "nested more than"),
    ],
)
def test_hostile_json_is_refused(path, manifest, reason):
    path.write_bytes(packed(manifest, b"", right=False))
    with pytest.raises(ModelFileError, match=reason):
        files.load(path, registry=REGISTRY)


def safetensors(data: bytes, *arrays: tuple[str, list[int], list[int]]) -> bytes:
    """The safetensors format: the length of the header, the header, the data."""
    entries = {
        str(i): {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        for i, (dtype, shape, offsets) in enumerate(arrays)
    }
    header = json.dumps(entries).encode()
    return len(header).to_bytes(8, "little") + header + data


@pytest.mark.parametrize(
    "arrays",
    [
        b"",
        (2**63).to_bytes(8, "little"),
        (5 * 2**20).to_bytes(8, "little") + b"{}",
        safetensors(bytes(8), ("F64", [2**40], [0, 8])),
        safetensors(bytes(8), ("F64", [2**62, 4], [0, 8])),
        safetensors(bytes(8), ("F64", [-1], [0, 8])),
        safetensors(bytes(8), ("F64", [2], [0, 8])),
        safetensors(bytes(9), ("F64", [1], [0, 8])),
        safetensors(bytes(7), ("F64", [1], [0, 8])),
        safetensors(bytes(8), ("F64", [1], [0, 8]), ("F64", [1], [0, 8])),
        safetensors(b"", ("F64", [0, 2**64 - 1], [0, 0])),
        safetensors(bytes(1), ("U8", [1] * 65, [0, 1])),
        safetensors(bytes(2), ("F16", [1], [0, 2])),
        safetensors(bytes(2), ("BF16", [1], [0, 2])),
        safetensors(bytes(8), ("object", [1], [0, 8])),
        safetensors(b"\2", ("BOOL", [1], [0, 1])),
    ],
)
def test_hostile_arrays_are_refused(path, arrays):
    assert outcome(path, attribute(b'{"$array":"0"}', safetensors(bytes(8), ("F64", [1], [0, 8])))) is not None
    assert outcome(path, attribute(b'{"$array":"0"}', arrays)) is None


def test_headers_of_arrays_are_capped(path):
    size = 4 * 2**20
    text = b'{"$dict":{}}'
    assert outcome(path, attribute(text, size.to_bytes(8, "little") + b"{}".ljust(size))) is not None
    assert outcome(path, attribute(text, (size + 1).to_bytes(8, "little") + b"{}".ljust(size + 1))) is None


# --- memory -------------------------------------------------------------------------------------------------


NO_ARRAYS = safetensors(b"")
MANIFESTS = [
    b"[" + b",".join([b"[]"] * 20_000) + b"]",
    b"[" + b",".join([b'{"$tuple":[]}'] * 5_000) + b"]",
    b"[" + b",".join([b'{"$dict":{}}'] * 5_000) + b"]",
    b"[" + b",".join([b'{"$scalar":["int8","00"]}'] * 5_000) + b"]",
    b'{"$items":[' + b",".join(b"[%d,[]]" % i for i in range(5_000)) + b"]}",
    b'{"$dict":{' + b",".join(b'"%d":0.5' % i for i in range(5_000)) + b"}}",
    b'{"$objects":[[1000000000000],[]]}',
    b'"' + b"a" * 200_000 + "😀".encode() + b'"',
    b"[" * 200_000,
    b'"' + b'\\"' * 100_000,
]


def zip_of(method: int, entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def bomb() -> bytes:
    return zip_of(zipfile.ZIP_DEFLATED, dict.fromkeys(["manifest.json", "arrays.safetensors"], b" " * 2**24))


def crowd() -> bytes:
    """An archive of 100,000 entries of one name."""
    one = zip_of(zipfile.ZIP_STORED, {"manifest.json": b"{}"})
    start = one.index(b"PK\1\2")
    return one[:start] * 100_000 + one[start:-22] * 100_000 + one[-22:]


def symlink() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("manifest.json")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("arrays.safetensors", NO_ARRAYS)
    return buffer.getvalue()


def claim(size: int) -> bytes:
    """A frame like ours whose first entry claims a size that is not there."""
    pieces = files.pack(b"{}", NO_ARRAYS)
    return b"".join([pieces[0][:-16] + size.to_bytes(8, "little") * 2, *pieces[1:]])


def swollen() -> bytes:
    manifest = b'{"format":1,"learner":"toy","x":"' + zlib.compress(b"\0" * 2**24).hex().encode() + b'"}'
    return packed(manifest, NO_ARRAYS, right=False)


def costly() -> dict[str, bytes]:
    """Files that would cost memory if they were believed, by name."""
    manifests = {text[:20].decode(): attribute(text, NO_ARRAYS) for text in MANIFESTS}
    arrays = {"array": attribute(b'{"$array":"0"}', safetensors(bytes(2**20), ("F64", [2**17], [0, 2**20])))}
    widths = {
        f"width {width}": attribute(b'{"$text":"0"}', safetensors(b"", ("U32", [0, width], [0, 0])))
        for width in (2**20, 2**31, 2**40)
    }
    archives = {"bomb": bomb(), "symlink": symlink(), "swollen": swollen(), "crowd": crowd()}
    claims = {f"claim {size}": claim(size) for size in (3, 2**26, 2**32, 2**63, 2**64 - 1)}
    return manifests | arrays | widths | archives | claims


def attempts() -> Iterator[tuple[str, Callable[[], object]]]:
    """Each costly file, loaded or refused."""
    with TemporaryDirectory() as folder:
        for name, content in costly().items():
            path = Path(folder) / "model.nova"
            path.write_bytes(content)
            yield name, partial(attempt, path)


@pytest.fixture(scope="module")
def contents():
    return costly()


@pytest.fixture(scope="module")
def peaks(peaks_of):
    return peaks_of(__file__, "attempts")


@pytest.mark.parametrize("name", [text[:20].decode() for text in MANIFESTS])
def test_manifests_cost_at_most_thirty_times_their_size(peaks, contents, name):
    assert peaks[name] < 30 * len(contents[name]) + 2**18


def test_arrays_cost_at_most_three_times_their_size(path, peaks, contents):
    assert outcome(path, contents["array"]) is not None
    assert peaks["array"] < 3 * len(contents["array"]) + 2**18


@pytest.mark.parametrize("width", [2**20, 2**31, 2**40])
def test_text_arrays_allocate_no_width_that_is_not_there(peaks, width):
    assert peaks[f"width {width}"] < 2**18


@pytest.mark.parametrize(
    "name",
    ["bomb", "symlink", "swollen", "crowd", *(f"claim {size}" for size in (3, 2**26, 2**32, 2**63, 2**64 - 1))],
)
def test_hostile_archives_are_refused_cheaply(path, peaks, contents, name):
    assert outcome(path, contents[name]) is None
    assert peaks[name] < 3 * min(len(contents[name]), 2**20) + 2**18
