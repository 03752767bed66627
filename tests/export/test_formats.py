"""Every kind of model in every format that holds it: the files are run, and say what the model says."""

import numpy as np
import pytest

from novacula.errors import ExportError
from novacula.export import export_model
from tests.export.cases import MODELS, case, said_by_model
from tests.export.runners import RUNNERS

NEIGHBOURS = {name for name in MODELS if name.startswith("neighbours")}
NO_NEIGHBOURS = ("sqlite", "duckdb", "pmml")
QUICK = (
    "tree, fractional",
    "tree, subsets",
    "tree, intervals",
    "tree of numbers, better",
    "rules",
    "boosting, 3 classes",
    "forest",
    "AdaBoost",
    "naive Bayes",
    "network, chain",
    "logistic, 3 classes",
    "MLP",
    "RBF of numbers",
    "SVC, planes",
    "neighbours, mixed",
    "unit rows",
)
"""Models in which every operation is there at least once."""
FORMATS_OF_ALL = ("python", "onnx")
"""Those that run in a moment."""


def is_held(name: str, how: str) -> bool:
    return how not in NO_NEIGHBOURS or name not in NEIGHBOURS


HELD = [(name, how) for name in MODELS for how in RUNNERS if is_held(name, how)]
GATE = [pair for pair in HELD if pair[1] in FORMATS_OF_ALL or pair[0] in QUICK]


def compare(name: str, how: str, n: int) -> None:
    found = case(name, n)
    answers, chances = said_by_model(found)
    said, shares = RUNNERS[how](found)
    precision = 1e-6 if how == "onnx" else 1e-9
    if hasattr(found.model, "classes_"):
        assert said == answers
    else:
        np.testing.assert_allclose(said, answers, rtol=precision, atol=1e-7 if how == "onnx" else 1e-12)
    assert (shares is None) == (chances is None)
    if chances is not None:
        np.testing.assert_allclose(shares, chances, rtol=precision, atol=1e-13)


@pytest.mark.parametrize(("name", "how"), GATE)
def test_a_file_gives_the_answers_of_the_model(name, how):
    compare(name, how, 60)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "how"), HELD)
def test_a_file_gives_the_answers_of_the_model_on_ten_thousand_rows(name, how):
    compare(name, how, 10_000)


@pytest.mark.parametrize("to", ["sql", "pmml"])
def test_neighbours_are_refused_with_the_formats_that_hold_them(to):
    with pytest.raises(ExportError, match="python, c, json and onnx can"):
        export_model(case("neighbours", 100).model, to)
