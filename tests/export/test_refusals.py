"""What cannot be exported is refused in a sentence that says why, and which formats can; and the page says the same."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.bayes import TextNaiveBayes
from novacula.errors import ExportError, ParameterError
from novacula.export import FORMATS, export_model
from novacula.export.learners import exportable
from novacula.graph import BayesianNetworkClassifier
from novacula.kernel import SVC, Custom
from novacula.learner.registry import learner_id
from novacula.linear import Ridge
from novacula.mixture import KMeans
from novacula.neighbors import KNeighborsRegressor
from tests.export.cases import MODELS, model_of

PAGE = Path(__file__).parents[2] / "docs" / "export.md"
X, Y = np.arange(12.0).reshape(6, 2), np.array(["a", "b", "a", "b", "a", "b"])


def table_of_page() -> dict[str, dict[str, bool]]:
    """By the id of a learner, whether the page says that each format holds it."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 1 + len(FORMATS) and set(cells[1:]) <= {"yes", "no"}:
            for name in re.findall(r"`([a-z-]+)`", cells[0]):
                found[name] = {to: cell == "yes" for to, cell in zip(FORMATS, cells[1:], strict=True)}
    return found


def test_the_page_names_every_learner_that_can_be_exported():
    assert table_of_page().keys() | {"prepared-classifier", "prepared-regressor"} == set(exportable())


def test_the_page_says_what_each_format_holds():
    models = {}
    for name in MODELS:
        model = model_of(name)
        models.setdefault(learner_id(type(getattr(model, "model_", model))), model)
    page = table_of_page()
    assert page.keys() == models.keys()
    for learner, model in models.items():
        for to, is_held in page[learner].items():
            if is_held:
                assert export_model(model, to)
            else:
                with pytest.raises(ExportError, match="python, c, json and onnx can"):
                    export_model(model, to)


def test_a_format_that_there_is_not():
    with pytest.raises(ParameterError, match="to is 'java'; the formats are 'python', 'sql', 'onnx'"):
        export_model(model_of("ridge"), "java")
    with pytest.raises(ParameterError, match="'keep' is for to='sql', and to is 'c': leave it out"):
        export_model(model_of("ridge"), "c", keep=["id"])


def test_models_with_too_many_numbers_name_the_formats_that_hold_them():
    rng = np.random.default_rng(0)
    model = KNeighborsRegressor().fit(rng.normal(size=(700_000, 3)), rng.normal(size=700_000))
    with pytest.raises(
        ExportError, match=r"4,200,012 numbers, and a file of python .* 2,000,000 at most: 'onnx', 'c', 'j"
    ):
        export_model(model, "python")


def named(model, match):
    with pytest.raises(ExportError, match=match):
        export_model(model, "python")


def test_learners_that_are_no_program():
    named(KMeans(2, random_state=0).fit(X), "K-means cannot be exported in any format")
    named(TextNaiveBayes().fit(nv.datasets.load("spam_messages")), "cannot be exported in any format")
    named(SVC(kernel=Custom(lambda a, b: float(a @ b))).fit(X, Y), "kernel of your own code")
    edges = [("y", "a"), ("b", "a"), ("c", "a")]
    rows = pd.DataFrame(np.arange(18.0).reshape(6, 3) % 5, columns=list("abc"))
    named(BayesianNetworkClassifier(edges).fit(rows, Y), "at most one besides the class; 'a' has 3")


def test_sparse_blocks_have_no_names():
    from scipy.sparse import csr_matrix

    named(Ridge().fit(csr_matrix(X), X[:, 0]), "block of 2 sparse columns, which have no names")


def test_several_numbers_at_once_are_refused_by_pmml_only():
    model = Ridge().fit(X, X @ [[1.0, 2.0], [0.5, -1.0]])
    space: dict = {}
    exec(export_model(model, "python"), space)
    names = [column.name for column in model.schema_.features]
    found = space["predict"](dict(zip(names, [3.0, 1.0], strict=True)))
    np.testing.assert_allclose(found, model.predict([[3.0, 1.0]])[0])
    with pytest.raises(
        ExportError, match="PMML has no model of several numbers at once: python, c, json, sql and onnx"
    ):
        export_model(model, "pmml")


def test_a_row_that_the_model_refuses_gets_no_answer():
    space: dict = {}
    exec(export_model(model_of("ridge"), "python"), space)
    assert np.isnan(space["predict"]({}))
    space = {}
    exec(export_model(model_of("SVC, probabilities"), "python"), space)
    assert space["predict"]({}) is None
