"""Model files: the same model comes back, the same bytes are written, one sentence refuses the rest."""

import base64
import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator

from novacula.bayes import NaiveBayes
from novacula.errors import InputTypeError, ModelFileError
from novacula.learner import files
from novacula.statistics import Contingency
from novacula.table.schema import Column, Schema
from novacula.version import __version__


@dataclass
class Leaf:
    label: Any


class Toy(BaseEstimator):
    state_types = (Leaf,)
    _parameter_constraints = {"alpha": [float], "inner": "no_validation"}  # noqa: RUF012

    def __init__(self, alpha=1.0, inner=None):
        self.alpha = alpha
        self.inner = inner

    @property
    def computed_(self):
        return 1

    @cached_property
    def cached_(self):
        return print

    def method_(self):
        return 2


class Twin(Toy):
    pass


REGISTRY = {"toy": Toy, "twin": Twin}


def fitted(**attributes: Any) -> Toy:
    toy = Toy(alpha=0.5)
    vars(toy).update(attributes or {"coef_": np.arange(3.0), "classes_": np.array(["no", "yes"]), "n_iter_": 3})
    return toy


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.nova"


def save(learner: Any, path: Any) -> None:
    files.save(learner, path, registry=REGISTRY)


def load(path: Any, **options: Any) -> Any:
    return files.load(path, registry=REGISTRY, **options)


def entries(path: Path) -> tuple[dict[str, Any], bytes]:
    """Manifest and arrays, as the standard library's reader sees them."""
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json")), archive.read("arrays.safetensors")


def write(path: Path, manifest: Any, arrays: bytes) -> None:
    """A file with whatever manifest, and the right checksums."""
    if isinstance(manifest, dict) and "sha256" in manifest:
        manifest = manifest | {"sha256": {"arrays.safetensors": hashlib.sha256(arrays).hexdigest()}}
    content = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    path.write_bytes(b"".join(files.pack(content, arrays)))


def refusal(path: Path, **options: Any) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(ModelFileError) as caught:
        load(path, **options)
    sentence = str(caught.value)
    assert sentence.startswith(f"{str(path)!r} cannot be loaded: ")
    assert "\n" not in sentence
    assert caught.value.__cause__ is not None
    return sentence


# --- there and back -----------------------------------------------------------------------------------------


def test_a_model_comes_back(path):
    model = fitted(
        coef_=np.array([[0.1, np.nan]]),
        classes_=np.array(["no", "yes"]),
        schema_=Schema((Column("x", "numeric"),)),
        counts_=Contingency(np.ones((2, 3)), np.array([0, 3])),
        leaves_=[Leaf("a"), Leaf(None)],
        words_=sparse.csr_array(np.eye(2)),
        n_iter_=3,
    )
    save(model, path)
    found = load(path)
    assert type(found) is Toy
    assert found.get_params() == model.get_params()
    np.testing.assert_array_equal(found.coef_, model.coef_)
    np.testing.assert_array_equal(found.classes_, model.classes_)
    assert found.schema_ == model.schema_
    assert found.counts_.departure(model.counts_) == ""
    assert found.leaves_ == model.leaves_
    np.testing.assert_array_equal(found.words_.toarray(), np.eye(2))
    assert vars(found).keys() == vars(model).keys()


def test_arrays_come_back_writeable_and_aligned(path):
    save(fitted(a_=np.ones(3, np.int8), b_=np.ones((2, 2)), c_=np.array(["x"])), path)
    found = load(path)
    for array in (found.a_, found.b_, found.c_):
        assert array.flags.writeable
        assert array.flags.aligned


def test_learners_may_be_parameters_of_learners(path):
    save(Toy(inner=Twin(0.25, inner=fitted())), path)
    found = load(path)
    assert type(found.inner) is Twin
    assert found.inner.alpha == 0.25
    np.testing.assert_array_equal(found.inner.inner.coef_, np.arange(3.0))


def test_private_attributes_and_cached_properties_are_no_part_of_the_model(path):
    model = fitted(coef_=1.0, _cache=print)
    assert model.cached_ is print
    save(model, path)
    assert vars(load(path)).keys() == {"alpha", "inner", "coef_"}


def test_a_parameter_that_the_file_lacks_has_its_default(path):
    save(fitted(), path)
    manifest, arrays = entries(path)
    del manifest["parameters"]["$dict"]["alpha"]
    write(path, manifest, arrays)
    assert load(path).alpha == 1.0


def test_the_registry_is_that_of_the_library_unless_another_is_given(path):
    rows = np.array([[0.0, 1.0], [0.5, 1.5], [3.0, -1.0], [3.5, -2.0]])
    learner = NaiveBayes().fit(rows, ["no", "no", "yes", "yes"])
    files.save(learner, path)
    np.testing.assert_array_equal(files.load(path).predict_proba(rows), learner.predict_proba(rows))
    assert "holds a learner 'naive-bayes'" in refusal(path)
    with pytest.raises(ModelFileError, match="none of the registered learners"):
        files.save(fitted(), path)


FORMAT_1 = """
UEsDBC0AAAAAAAAAIQAaWQvh//////////8NABQAbWFuaWZlc3QuanNvbgEAEABNAQAAAAAAAE0BAAAAAAAAeyJmb3JtYXQiOjEsImxlYXJu
ZXIiOiJ0b3kiLCJwYXJhbWV0ZXJzIjp7IiRkaWN0Ijp7ImFscGhhIjowLjUsImlubmVyIjpudWxsfX0sImF0dHJpYnV0ZXMiOnsiJGRpY3Qi
OnsiY2xhc3Nlc18iOnsiJHRleHQiOiIwIn0sImNvZWZfIjp7IiRhcnJheSI6IjEifSwibl9pdGVyXyI6M319LCJ2ZXJzaW9ucyI6eyJub3Zh
Y3VsYSI6IjAuMS4wIiwibnVtcHkiOiIyLjQuNiIsInNjaWtpdC1sZWFybiI6IjEuOS4xIn0sInNoYTI1NiI6eyJhcnJheXMuc2FmZXRlbnNv
cnMiOiJiYjFmZGE5MjY0NDJkODhlOTdjZWVlMDQ1YmE1ZGZjZmM2M2FhN2I2NGFhMmY4Y2JhYjAxMzUzZGM4MmVjODQ0In19UEsDBC0AAAAA
AAAAIQDC7P4r//////////8SABQAYXJyYXlzLnNhZmV0ZW5zb3JzAQAQAKgAAAAAAAAAqAAAAAAAAABwAAAAAAAAAHsiMSI6eyJkdHlwZSI6
IkY2NCIsInNoYXBlIjpbM10sImRhdGFfb2Zmc2V0cyI6WzAsMjRdfSwiMCI6eyJkdHlwZSI6IlUzMiIsInNoYXBlIjpbMiwzXSwiZGF0YV9v
ZmZzZXRzIjpbMjQsNDhdfX0AAAAAAAAAAAAAAAAAAPA/AAAAAAAAAEBuAAAAbwAAAAAAAAB5AAAAZQAAAHMAAABQSwECLQAtAAAAAAAAACEA
GlkL4f//////////DQAUAAAAAAAAAAAAAAAAAAAAbWFuaWZlc3QuanNvbgEAEABNAQAAAAAAAE0BAAAAAAAAUEsBAi0ALQAAAAAAAAAhAMLs
/iv//////////xIAFAAAAAAAAAAAAAAAjAEAAGFycmF5cy5zYWZldGVuc29ycwEAEACoAAAAAAAAAKgAAAAAAAAAUEsGBiwAAAAAAAAALQAt
AAAAAAAAAAAAAgAAAAAAAAACAAAAAAAAAKMAAAAAAAAAeAIAAAAAAABQSwYHAAAAABsDAAAAAAAAAQAAAFBLBQYAAAAAAgACAKMAAAD/////
AAA=
"""


def test_a_file_of_format_1_loads_for_ever(path):
    path.write_bytes(base64.b64decode(FORMAT_1))
    found = load(path)
    assert found.alpha == 0.5
    assert found.coef_.tolist() == [0.0, 1.0, 2.0]
    assert found.classes_.tolist() == ["no", "yes"]
    assert found.n_iter_ == 3


# --- the file -----------------------------------------------------------------------------------------------


def test_the_same_model_gives_the_same_bytes(tmp_path):
    one = fitted(coef_=np.arange(3.0), bias_=1.0)
    other = fitted(bias_=1.0, coef_=np.arange(6.0)[:3])
    save(one, tmp_path / "one")
    save(other, str(tmp_path / "other"))
    save(load(tmp_path / "one"), tmp_path / "again")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes() == (tmp_path / "again").read_bytes()


def test_other_programs_read_the_archive(path):
    save(fitted(), path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["manifest.json", "arrays.safetensors"]
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert sum(info.file_size for info in archive.infolist()) < path.stat().st_size


def test_the_manifest_says_what_is_in_the_file(path):
    save(fitted(), path)
    manifest, arrays = entries(path)
    assert manifest == {
        "format": 1,
        "learner": "toy",
        "parameters": {"$dict": {"alpha": 0.5, "inner": None}},
        "attributes": {"$dict": {"classes_": {"$text": "0"}, "coef_": {"$array": "1"}, "n_iter_": 3}},
        "versions": {"novacula": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__},
        "sha256": {"arrays.safetensors": hashlib.sha256(arrays).hexdigest()},
    }
    np.testing.assert_array_equal(safetensors.numpy.load(arrays)["1"], np.arange(3.0))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (fitted(hook_=len), r"Toy\.attributes\['hook_'\] is a builtin_function_or_method, and"),
        (Toy(inner=lambda x: x), r"Toy\.parameters\['inner'\] is a function, and"),
        (Toy(inner=Twin(inner={"key": len})), r"inner'\]\.parameters\['inner'\]\['key'\] is a builtin"),
        (fitted(seen_={1}), r"Toy\.attributes\['seen_'\] is of type set"),
        (fitted(child_=BaseEstimator()), r"attributes\['child_'\] is of type BaseEstimator"),
        (fitted(Upper_=1), "cannot have a fitted attribute 'Upper_'"),
        (fitted(plain=1), "cannot have a fitted attribute 'plain'"),
        (fitted(method_=1), "cannot have a fitted attribute 'method_'"),
        (Toy(alpha="much"), "Toy refuses its parameters"),
        (BaseEstimator(), "BaseEstimator cannot be saved: it is none of the registered learners"),
    ],
)
def test_what_cannot_be_saved_is_named_and_nothing_is_written(model, reason, path):
    with pytest.raises(ModelFileError, match=reason):
        save(model, path)
    assert list(path.parent.iterdir()) == []


def test_a_model_with_too_many_loose_values_is_refused(path, monkeypatch):
    monkeypatch.setattr(files, "MAX_MANIFEST", 1000)
    with pytest.raises(ModelFileError, match="too many arrays, or values outside of arrays"):
        save(fitted(words_=["word"] * 1000), path)


def test_a_save_that_fails_leaves_the_old_file(path, monkeypatch):
    save(fitted(), path)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        save(fitted(coef_=2.0), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_save_replaces_what_is_there(path):
    path.write_text("something else")
    save(fitted(coef_=2.0), path)
    assert load(path).coef_ == 2.0


# --- paths and sizes ----------------------------------------------------------------------------------------


def test_a_missing_file_is_missing(path):
    with pytest.raises(FileNotFoundError):
        load(path)


def test_only_paths_name_files():
    with pytest.raises(InputTypeError, match="not by a BytesIO"):
        load(io.BytesIO())
    with pytest.raises(InputTypeError, match="not by a BytesIO"):
        save(fitted(), io.BytesIO())


def test_files_above_max_bytes_are_not_read(path):
    save(fitted(), path)
    size = path.stat().st_size
    assert load(path, max_bytes=size).alpha == 0.5
    assert f"more than max_bytes={size - 1}" in refusal(path, max_bytes=size - 1)


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"PK", b"\x80\x04K\x01.", b"PK\3\4" + bytes(20), bytes(1000)])
def test_other_files_are_refused(content, path):
    path.write_bytes(content)
    assert "not a zip archive that begins with a manifest" in refusal(path)


def test_a_cut_file_is_refused_wherever_it_is_cut(path):
    save(fitted(), path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refusal(path)
    path.write_bytes(whole + b"\0")
    refusal(path)


def test_encrypted_and_compressed_files_are_refused_by_name(path):
    save(fitted(), path)
    whole = bytearray(path.read_bytes())
    path.write_bytes(whole[:6] + b"\1" + whole[7:])
    assert "encrypted" in refusal(path)
    manifest, arrays = entries_of(whole)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest)
        archive.writestr("arrays.safetensors", arrays)
    assert "compressed" in refusal(path)


def entries_of(content: bytes) -> tuple[bytes, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read("manifest.json"), archive.read("arrays.safetensors")


@pytest.mark.parametrize(
    "names",
    [
        ["manifest.json"],
        ["arrays.safetensors"],
        ["arrays.safetensors", "manifest.json"],
        ["manifest.json", "arrays.safetensors", "more.bin"],
        ["manifest.json", "arrays.safetensors", "arrays.safetensors"],
        ["manifest.json", "manifest.json", "arrays.safetensors"],
        ["manifest.json", "../arrays.safetensors"],
        ["/manifest.json", "arrays.safetensors"],
        ["manifest.json/", "arrays.safetensors"],
        ["manifest.json", "arrays.safetensors"],  # repacked: the frame is not ours
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_archives_with_other_entries_are_refused(names, path):
    save(fitted(), path)
    manifest, arrays = entries_of(path.read_bytes())
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, manifest if "manifest" in name else arrays)
    assert "another program has packed it" in refusal(path)


def test_unknown_formats_ask_for_an_upgrade(path):
    save(fitted(), path)
    manifest, arrays = entries(path)
    for version in (2, 0, "1", 1.0, True, None):
        write(path, manifest | {"format": version}, arrays)
        assert f"it has format version {version!r}, and this version of Novacula knows version 1" in refusal(path)
    write(path, {"format": 2, "all": "else may differ"}, b"")
    assert "upgrade novacula" in refusal(path)


def test_a_damaged_manifest_is_not_taken_for_a_later_format(path):
    save(fitted(), path)
    path.write_bytes(path.read_bytes().replace(b'"format":1', b'"format":9'))
    assert "its manifest is damaged" in refusal(path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"learner": "toi"}, "holds a learner 'toi', which"),
        ({"learner": "os.system"}, "holds a learner 'os.system', which"),
        ({"learner": ["toy"]}, "holds a learner"),
        ({"extra": 1}, "its manifest has the members"),
        ({"sha256": {}}, "their sha256 is another"),
        ({"sha256": {"arrays.safetensors": "0" * 64}}, "their sha256 is another"),
        ({"parameters": {"$dict": {"beta": 1}}}, r"Toy has no parameters \['beta'\]"),
        ({"parameters": {"$dict": {"alpha": "much"}}}, "Toy refuses its parameters"),
        ({"parameters": {"$dict": {"alpha": 1}}}, "Toy refuses its parameters"),
        ({"parameters": {"$items": [[1, 2]]}}, r"Toy has no parameters \[1\]"),
        ({"parameters": []}, "have no names"),
        ({"attributes": ""}, "have no names"),
        ({"attributes": {"$dict": {"__class__": 1}}}, "cannot have a fitted attribute '__class__'"),
        ({"attributes": {"$dict": {"_private_": 1}}}, "cannot have a fitted attribute '_private_'"),
        ({"attributes": {"$dict": {"coef": 1}}}, "cannot have a fitted attribute 'coef'"),
        ({"attributes": {"$dict": {"coef_\n": 1}}}, "cannot have a fitted attribute"),
        ({"attributes": {"$dict": {"Coef_": 1}}}, "cannot have a fitted attribute"),
        ({"attributes": {"$dict": {"é_": 1}}}, "cannot have a fitted attribute"),
        ({"attributes": {"$dict": {"computed_": 1}}}, "cannot have a fitted attribute 'computed_'"),
        ({"attributes": {"$dict": {"cached_": 1}}}, "cannot have a fitted attribute 'cached_'"),
        ({"attributes": {"$dict": {"method_": 1}}}, "cannot have a fitted attribute 'method_'"),
        ({"attributes": {"$dict": {"alpha": 1}}}, "cannot have a fitted attribute 'alpha'"),
        ({"attributes": {"$dict": {"x_": {"$array": "7"}}}}, "array '7' is missing"),
        ({"attributes": {"$dict": {"x_": {"learner.Leaf": {}}}}}, "Leaf cannot be put together"),
        (
            {"attributes": {"$dict": {"x_": {"toy": {"parameters": {"$dict": {}}}}}}},
            "toy cannot be put together",
        ),
        ({"attributes": {"$dict": {}}}, "arrays that nothing refers to"),
    ],
    ids=str,
)
def test_manifests_that_are_off_are_refused(changes, reason, path):
    save(fitted(), path)
    manifest, arrays = entries(path)
    content = json.dumps(manifest | changes).encode()
    path.write_bytes(b"".join(files.pack(content, arrays)))
    with pytest.raises(ModelFileError, match=reason):
        load(path)
    refusal(path)


@pytest.mark.parametrize("member", ["learner", "parameters", "attributes", "versions", "sha256"])
def test_manifests_with_a_member_missing_are_refused(member, path):
    save(fitted(), path)
    manifest, arrays = entries(path)
    del manifest[member]
    write(path, manifest, arrays)
    assert "its manifest has the members" in refusal(path)


def test_brackets_within_text_are_not_depth(path):
    model = fitted(names_=['["\\' * 1000, "[" * 1000])
    save(model, path)
    assert load(path).names_ == model.names_


def test_learners_nest_only_so_deep(path):
    model = Toy()
    for _ in range(40):
        model = Toy(inner=model)
    with pytest.raises(ModelFileError, match="nested more than 64 deep"):
        save(model, path)
