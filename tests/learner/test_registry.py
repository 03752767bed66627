"""Learners are found by walking the families, each under an id that does not change."""

import importlib
import sys
from dataclasses import dataclass, is_dataclass

import pytest

from novacula import statistics
from novacula.errors import ParameterError
from novacula.learner import registry
from novacula.learner.base import Learner

BASE = """
from abc import ABC, abstractmethod
class Base(ABC): ...
"""

FAMILY = "is_family = True\n"


@pytest.fixture
def box(tmp_path, monkeypatch):
    """A function that writes a package of families, given as name = source, and imports it."""
    monkeypatch.syspath_prepend(tmp_path)

    def build(**families: str):
        for name, source in {"base": BASE, **families}.items():
            folder = tmp_path / "toybox" / name
            folder.mkdir(parents=True)
            (folder / "__init__.py").write_text(f"from toybox.base import *\n{source}" if name != "base" else source)
        (tmp_path / "toybox" / "__init__.py").write_text("")
        (tmp_path / "toybox" / "stray.py").write_text("raise AssertionError('a module is no family')")
        return importlib.import_module("toybox"), importlib.import_module("toybox.base").Base

    yield build
    for name in [name for name in sys.modules if name.split(".")[0] == "toybox"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NaiveBayes", "naive-bayes"),
        ("FindS", "find-s"),
        ("ListThenEliminate", "list-then-eliminate"),
        ("MLPClassifier", "mlp-classifier"),
        ("RBFNetworkRegressor", "rbf-network-regressor"),
        ("SVC", "svc"),
        ("KNeighborsDensity", "k-neighbors-density"),
        ("KMeans", "k-means"),
        ("PCA", "pca"),
        ("GaussianHMM", "gaussian-hmm"),
        ("Ridge", "ridge"),
        ("Model2Vec", "model2-vec"),
    ],
)
def test_ids_are_class_names_in_kebab_case(name, expected):
    assert registry.learner_id(type(name, (), {})) == expected


def test_families_are_walked_in_order_and_only_learners_taken(box):
    package, base = box(
        zebra=FAMILY + "__all__ = ['Second', 'First', 'function', 'Base', 'Other']\n"
        "class First(Base): ...\nclass Second(Base): ...\nclass Other: ...\nclass Unnamed(Base): ...\n"
        "def function(): ...",
        aardvark=FAMILY + "__all__ = ['Third', 'Half', '_Hidden']\n"
        "class Third(Base): ...\nclass _Hidden(Base): ...\n"
        "class Half(Base):\n    @abstractmethod\n    def fit(self): ...",
        empty=FAMILY,
    )
    assert list(registry.discover(package, base)) == ["third", "second", "first"]


def test_rooms_that_are_not_families_and_private_packages_are_left_out(box):
    room = "__all__ = ['Toy']\nclass Toy(Base): ..."
    package, base = box(table=room, _inner="raise AssertionError('a private package is not imported')", tree=FAMILY)
    assert registry.discover(package, base) == {}


def test_a_learner_may_be_named_by_two_families(box):
    package, base = box(
        one=FAMILY + "__all__ = ['Toy']\nclass Toy(Base): ...",
        two=FAMILY + "from toybox.one import Toy\n__all__ = ['Toy']",
    )
    assert list(registry.discover(package, base)) == ["toy"]


def test_two_learners_of_one_id_are_an_error_that_names_both(box):
    source = FAMILY + "__all__ = ['Toy']\nclass Toy(Base): ..."
    package, base = box(one=source, two=source)
    with pytest.raises(ParameterError, match=r"toybox\.one\.Toy and toybox\.two\.Toy .* 'toy'"):
        registry.discover(package, base)


def test_the_library_finds_its_own_learners():
    found = registry.learners()
    assert {"naive-bayes", "linear-regression", "ridge"} <= found.keys()
    assert all(issubclass(learner, Learner) for learner in found.values())


def test_the_answer_belongs_to_the_caller():
    registry.learners().clear()
    assert registry.learners()


def test_find_gives_the_learner_or_says_what_is_near():
    assert registry.find("ridge").__name__ == "Ridge"
    with pytest.raises(ParameterError, match="no learner 'nave-bayes'; did you mean 'naive-bayes'"):
        registry.find("nave-bayes")
    with pytest.raises(ParameterError, match=r"the learners are .*ridge"):
        registry.find("???")


@dataclass
class Branch:
    size: int


class Grower:
    state_types = (Branch,)


def test_state_types_are_the_statistics_and_what_learners_name():
    types = registry.state_types([Grower, Grower, int])
    assert Branch in types.values()
    assert types["statistics.Contingency"] is statistics.Contingency
    assert {statistics.ClassMoments, statistics.CoMoments} <= set(types.values())
    assert statistics.Statistic not in types.values()


def namesake(module: str) -> type:
    kind = dataclass(type("Branch", (), {"__module__": module}))
    return type("Other", (), {"state_types": (kind,)})


def test_state_types_of_one_name_are_an_error_within_a_family_only():
    one, same, other = namesake("forest.tree.one"), namesake("forest.tree.two"), namesake("forest.graph.one")
    assert {"tree.Branch", "graph.Branch"} <= registry.state_types([one, other]).keys()
    with pytest.raises(ParameterError, match=r"tree\.one\.Branch and .*tree\.two\.Branch"):
        registry.state_types([one, same])


def test_the_state_types_of_the_library_are_dataclasses_of_different_names():
    assert all(map(is_dataclass, registry.state_types(registry.learners().values()).values()))
