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


def test_lagrange_knows_the_curvature_of_its_constraint():
    found = work("lagrange", "--set", "f=x + y", "--set", "g=x**2 + y**2 - 2", "--set", "start=[-2, -1]")
    assert "to (−1, −1)" in found.output
    assert "a minimum where the equalities hold" in found.output  # ∇²L = −2αI, and α = −1/2 where (1, 1) = 2α (x, y)


def test_inequalities_hold_a_minimum():
    settings = ("--set", 'inequalities=["2 - x**2 - y**2"]', "--set", "start=[0, 0]")
    assert "[−1 −1]" in work("sequential_quadratic", "--set", "f=x + y", *settings).output


def test_least_squares_meet_a_line():
    found = work("levenberg_marquardt", "--set", 'residuals=["a + b - 3", "a + 2*b - 5"]', "--set", "start=[0, 0]")
    assert "to (1, 2)" in found.output  # a + b = 3 and a + 2b = 5


def test_a_word_names_a_column_of_the_table():
    gain = work("information_gain", "play_tennis", "--set", "values=Outlook")
    assert "Gain(S, Outlook)" in gain.output
    assert "0.24675" in gain.output  # Mitchell's 0.246, which he has from rounded entropies
    assert "0.940286" in work("entropy", "play_tennis").output  # 9 of 14


def test_what_is_believed_after_data():
    settings = ("--set", "f=θ*(1 - θ)", "--set", "likelihood=θ**d * (1 - θ)**(1 - d)", "--set", "bounds=[0, 1]")
    found = work("GridPosterior", *settings, "--set", "closed=true", "--set", "data=[1, 1, 0, 1]")
    assert "0.625" in found.output  # the mean of Beta(5, 3)


def test_settings_of_the_learner_go_to_it():
    deep = work("confusion", "play_tennis", "--set", "learner=tree").output
    stump = work("confusion", "play_tennis", "--set", "learner=tree", "--set", "learner.max_depth=1").output
    assert "1 − (5 + 9) / 14 = 0" in deep
    assert "1 − (3 + 7) / 14 = 0.285714" in stump  # of Outlook: No where it is sunny


def test_a_kernel_is_derived_on_the_rows_of_a_table():
    assert "iris" not in work("Linear", "iris").output
    assert "sepal" not in work("Linear").output
    assert "The first 30 of 150 rows are shown." in work("Linear", "iris").output


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
        (["cross_validate"], "cross_validate is of a table"),
        (["cross_validate", "wine"], "cross_validate needs learner"),
        (["roc", "wine", "--set", "learner=naive-bayes"], "roc is of one class against the others"),
        (["roc", "wine", "--set", "learner=naive-bayes", "--set", "positive=red"], "there is no class 'red'"),
        (["newton", "--set", "f=__import__('os')", "--set", "start=[1]"], "depends on no name"),
        (["line_search", "--set", "f=x**2"], "line_search lacks 2 settings"),
        (["tree"], "tree is fitted to a table"),
        (["information_gain", "play_tennis", "--set", "values=Sky"], "the table has no column 'Sky'"),
        (["sigmoid_unit", "play_tennis"], "the column 'Outlook' does not hold numbers"),
        (["vc_dimension", "--set", "family=Circles", "--set", "points=[1]"], "there is no family 'Circles'"),
        (["generalisation_loss", "--set", "P=1"], "P is a list of x, y and their probability"),
        (["overfitting", "iris", "--set", 'learners=["tree"]'], "overfitting compares two learners"),
        (["learning_curves", "iris", "--set", "learners=tree"], "learning_curves compares learners"),
        (["sequential_quadratic", "--set", "f=x", "--set", "start=[0]"], "sequential_quadratic needs a constraint"),
        (["GridPosterior", "--set", "f=a", "--set", "likelihood=a"], "of these and one more, the datum's"),
        (["metropolis", "--set", "density=lgamma(x)", "--set", "bounds=[0, 1]"], "not calculated number by number"),
        (
            ["calibration", "iris", "--set", "learner=svc", "--set", "positive=setosa"],
            "calibration needs probabilities",
        ),
    ],
)
def test_bad_input_gets_one_sentence(arguments, message):
    error = work(*arguments).exception
    assert isinstance(error, ParameterError)
    assert message in str(error)


def test_a_parameter_out_of_range_gets_one_sentence(novacula):
    done = novacula("work", "tree", "play_tennis", "--set", "max_depth=0")
    assert done.code == 2
    assert done.err.startswith("novacula: The 'max_depth' parameter of DecisionTreeClassifier must be")
