"""Calculations by name on the command line: the numbers of the functions, and a sentence for what is wrong."""

import json

import pytest
from typer.testing import CliRunner

from novacula import theory
from novacula.cli.app import app
from novacula.errors import ParameterError


def work(*arguments: str):
    return CliRunner().invoke(app, ["work", *arguments])


def test_a_sample_size_is_derived():
    found = work("pac_sample_size", "--set", "hypotheses=973", "--set", "epsilon=0.1")
    assert found.exit_code == 0
    assert f"= {theory.pac_sample_size(973, 0.1)}" in found.output


def test_hypotheses_may_be_a_power():
    assert (
        "= 3461"
        in work("pac_sample_size", "--set", "hypotheses=2^30", "--set", "epsilon=0.01", "--set", "delta=1e-6").output
    )


def test_newton_finds_the_root_of_the_slope():
    found = work("newton", "--set", "f=x**4 - 3*x**2", "--set", "start=[2]")
    assert "1.22474" in found.output  # √(3/2), where 4x³ = 6x
    assert "−2.25" in found.output


@pytest.mark.parametrize("name", ["gradient_descent", "conjugate_gradient", "lbfgs"])
def test_a_bowl_has_its_bottom_where_calculus_says(name):
    found = work(name, "--json", "--set", "f=(x - 1)**2 + 3*(y + 2)**2", "--set", "start=[0, 0]")
    assert found.exit_code == 0
    assert json.loads(found.output)["title"]


def test_lagrange_divides_a_sum_evenly():
    found = work("lagrange", "--set", "f=x**2 + y**2", "--set", "g=x + y - 2", "--set", "start=[3, 0]")
    assert found.exit_code == 0
    assert "[1 1]" in found.output


def test_folds_are_added_up():
    found = work("cross_validate", "play_tennis", "--target", "PlayTennis", "--set", "learner=tree", "--set", "folds=5")
    assert "/ 5 = 0.266667" in found.output


def test_a_curve_of_one_class_against_the_others():
    found = work("roc", "wine", "--set", "learner=naive-bayes", "--set", "positive=class_1")
    assert found.exit_code == 0
    assert "ROC of class_1" in found.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["newton"], "newton needs f: say --set f="),
        (["newton", "--set", "f=x**2", "--set", "start=[1]", "--set", "steps=3"], "newton has no setting 'steps'"),
        (["newton", "wine", "--set", "f=x**2"], "newton takes no table"),
        (["newton", "--row", "1", "--set", "f=x"], "newton derives no rows"),
        (["cross_validate"], "measures a learner on a table"),
        (["cross_validate", "wine"], "cross_validate needs learner"),
        (["roc", "wine", "--set", "learner=naive-bayes"], "roc is of one class against the others"),
        (["roc", "wine", "--set", "learner=naive-bayes", "--set", "positive=red"], "there is no class 'red'"),
        (["newton", "--set", "f=__import__('os')", "--set", "start=[1]"], "depends on no name"),
        (["line_search", "--set", "f=x**2"], "line_search lacks 2 settings"),
        (["tree"], "tree is fitted to a table"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, message):
    error = work(*arguments).exception
    assert isinstance(error, ParameterError)
    assert message in str(error)
