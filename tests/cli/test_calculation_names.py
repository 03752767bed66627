"""Everything public that shows its work is reached by `novacula work`, or is listed with the reason why it is not."""

import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from calculations import COMMANDS, calculated
from typer.testing import CliRunner

import novacula
from novacula.checks import check_work
from novacula.cli.app import app
from novacula.cli.calculating import CALCULATIONS, ONLY_IN_PYTHON
from novacula.errors import ParameterError
from novacula.learner.base import Learner
from novacula.learner.showing import ShowsWork

DOCS = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text(encoding="utf-8")


def kinds(base: type = ShowsWork) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


@pytest.fixture(scope="module")
def results() -> set[str]:
    """The names of the library's classes that derive themselves and are not learners."""
    for module in pkgutil.walk_packages(novacula.__path__, "novacula."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    own = [kind for kind in kinds() if kind.__module__.startswith("novacula.") and not issubclass(kind, Learner)]
    return {kind.__name__ for kind in own if not kind.__name__.startswith("_")}


@pytest.fixture(scope="module")
def given() -> dict[str, tuple[object, object]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a short fit need not come to an end
        return {name: calculated(name) for name in COMMANDS}


def test_every_calculation_has_a_command_here():
    assert set(COMMANDS) == set(CALCULATIONS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_calculation_shows_its_work(name, given):
    check_work(*given[name], drawn=False)


def test_every_public_function_whose_answer_shows_its_work_is_reached_or_listed(results):
    packages = [module.name for module in pkgutil.iter_modules(novacula.__path__) if module.ispkg]
    rooms = [importlib.import_module(f"novacula.{name}") for name in packages]
    functions = {
        name: getattr(room, name)
        for room in rooms
        for name in getattr(room, "__all__", ())
        if callable(getattr(room, name)) and not isinstance(getattr(room, name), type)
    }
    showing = {name for name, function in functions.items() if results & words(function)}
    assert {"newton", "entropy", "collapse", "expectation_maximization"} <= showing
    assert sorted(showing - set(CALCULATIONS) - set(ONLY_IN_PYTHON)) == []


def words(function: object) -> set[str]:
    """The names in what a function says that it gives."""
    return set(re.findall(r"\w+", str(getattr(function, "__annotations__", {}).get("return", ""))))


def test_every_result_that_shows_its_work_is_reached_or_listed(results, given):
    bases = {base.__name__ for kind in kinds() for base in kind.__mro__[1:]}  # what others derive from
    reached = {type(result).__name__ for result, _ in given.values()}
    assert sorted(results - bases - reached - set(ONLY_IN_PYTHON)) == []


def test_what_is_listed_is_there_and_not_reached(results):
    functions = {"stochastic_gradient_descent", "expectation_maximization"}
    assert set(ONLY_IN_PYTHON) <= results | functions
    assert not set(ONLY_IN_PYTHON) & set(CALCULATIONS)


def test_the_page_names_all_of_them():
    assert [name for name in (*CALCULATIONS, *ONLY_IN_PYTHON) if f"`{name}`" not in DOCS] == []


def test_what_only_python_can_call_says_why():
    error = CliRunner().invoke(app, ["work", "expectation_maximization"]).exception
    assert isinstance(error, ParameterError)
    assert str(error) == "expectation_maximization is for Python: its two steps are functions of your own"
