"""Names and words of the library: a class name means one class, private names stay with their owner, plain English."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import novacula

ROOT = Path(novacula.__file__).parent
PROJECT = ROOT.parent
MODULES = sorted(ROOT.rglob("*.py"))

DERIVATIONS = re.compile(r"derivation|_work\.py|work\.py|figures?\.py|_steps\.py|shown_machine")
"""Modules that derive or draw a model; they read its private state until derivations are objects of their own."""
PROTOCOLS = {
    *("_parameter_constraints", "_validate_params", "_get_param_names", "_repr_html_"),  # scikit-learn, notebooks
    *("_getframe", "_meta", "_meta_nonempty", "_cache"),  # Python, Dask and Numba
    *("_check_state", "_check_storable"),  # of learners, for model files
}
JARRING = {
    r"\bof equals\b": "ties go to the first",
    r"\bmend(s|ed|ing)?\b": "fix, correct or replace",
    r"\bfree numbers?\b": "parameters",
    r"\bzero_one error\b": "error rate",
    r"\bnothing had looked at\b": "say who checks what",
    r"\banew\b": "again",
}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def test_a_class_name_is_used_once():
    places = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def private_reaches(path: Path):
    """Every use of another object's private name: not of self, of the class itself, or of another of the same class."""
    tree = parsed(path)
    own = {}
    for kind in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        names = {node.name for node in ast.walk(kind) if isinstance(node, ast.FunctionDef)}
        names |= {node.attr for node in ast.walk(kind) if isinstance(node, ast.Attribute) and is_own(node.value)}
        own |= {id(node): names for node in ast.walk(kind)}
    for node in ast.walk(tree):
        is_private = isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("__")
        if is_private and not is_own(node.value) and node.attr not in PROTOCOLS | own.get(id(node), set()):
            yield f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"


def is_own(value: ast.expr) -> bool:
    called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "super"
    return called or (isinstance(value, ast.Name) and value.id in ("self", "cls"))


def test_nobody_reaches_into_another_object():
    modules = [path for path in MODULES if not DERIVATIONS.search(str(path.relative_to(ROOT)))]
    assert [reach for path in modules for reach in private_reaches(path)] == []


@pytest.mark.parametrize(("phrase", "instead"), JARRING.items())
def test_words_are_plain(phrase, instead):
    pages = [*MODULES, *(PROJECT / "docs").glob("*.md"), *PROJECT.glob("*.md")]
    places = [
        f"{path.relative_to(PROJECT)}:{number} {line.strip()}"
        for path in pages
        if path.name != "CHANGELOG.md"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(phrase, line, re.IGNORECASE)
    ]
    assert places == [], f"say it in plain words: {instead}"
