"""check_work lets an honest derivation pass and catches each way in which one can drift."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from novacula.checks.work import check_work, html_fault
from novacula.learner.figure import Figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work

PRIOR = Step("Prior of No", "P(No)", "n_no / n", {"n_no": 5, "n": 14}, 5 / 14, ("class_prior_", 0))


@dataclass
class Learner:
    """Stands for a fitted learner: some attributes, a method, and the steps that it shows."""

    steps: list[Step]
    class_prior_: Any = field(default_factory=lambda: np.array([5 / 14, 9 / 14]))
    intercept_: float = 0.0
    tables_: dict = field(default_factory=lambda: {"Outlook": {"Sunny": np.array([[0.6, 2 / 9]])}})
    calls: int = 0

    def work(self, X=None):
        return Work("Toy", self.steps if X is None else [*self.steps, Step("of X", formula=f"{len(X)} rows")])

    def predict_proba(self, X):
        self.calls += 1
        return np.full((len(X), 2), 0.5)

    def predict(self, X):
        return np.array(["yes"] * len(X))


def test_an_honest_work_passes():
    nested = Step("Sunny", "", "3/5", {}, 0.6, ("tables_", "Outlook", "Sunny", 0, 0))
    check_work(Learner([PRIOR, nested, Step("words only", note="fine")]))


def test_predictions_are_computed_once():
    half = Step("Posterior", "", "1/2", {}, 0.5, ("predict_proba", 0, 1))
    other = Step("Posterior", "", "1/2", {}, 0.5, ("predict_proba", 2, 0))
    learner = Learner([half, other])
    check_work(learner, X=[[0]] * 3)
    assert learner.calls == 1


def test_attributes_of_attributes_are_found():
    learner = Learner([Step("Rows", "", "2", {}, 2, ("class_prior_", "size"))])
    check_work(learner)


@pytest.mark.parametrize("drift", [1e-3, 1e-8, math.inf])
def test_a_model_that_moved_on_is_caught(drift):
    learner = Learner([PRIOR])
    learner.class_prior_ = learner.class_prior_ + drift
    with pytest.raises(AssertionError, match=r"step 0 of the work of Learner, 'Prior of No', states .* class_prior_.0"):
        check_work(learner)


@pytest.mark.parametrize("scale", [1, 1e-30, 1e30])
def test_arithmetic_that_does_not_come_to_its_result_is_caught(scale):
    wrong = Step("Wrong", "", "a * b", {"a": 2, "b": scale}, 2 * scale * (1 + 1e-8))
    with pytest.raises(AssertionError, match=r"'Wrong', states .* comes to"):
        check_work(Learner([PRIOR, wrong]))


@pytest.mark.parametrize("result", [None, 1.0])
def test_arithmetic_that_has_no_value_is_caught(result):
    with pytest.raises(AssertionError, match=r"'Nowhere', has no value: .*division by zero"):
        check_work(Learner([PRIOR, Step("Nowhere", "", "1 / n", {"n": 0}, result)]))


def test_a_result_from_the_expression_is_compared_too():
    unstated = Step("Prior", "", "4 / 14", of=("class_prior_", 0))
    with pytest.raises(AssertionError, match=r"class_prior_\.0 of the model is"):
        check_work(Learner([unstated]))


def test_noise_where_terms_cancel_is_no_drift():
    values = {"y": 3e5, "slope": 0.1, "x": 3e6}
    step = Step("Intercept", "", "y - slope * x", values, 0.0, ("intercept_",))
    check_work(Learner([step], intercept_=5.8e-11))
    with pytest.raises(AssertionError, match="intercept_ of the model is"):
        check_work(Learner([step], intercept_=1e-5))


def test_infinite_results_are_compared():
    step = Step("Log of nothing", "", "log(p)", {"p": 0}, -math.inf, ("intercept_",))
    check_work(Learner([step], intercept_=-math.inf))
    with pytest.raises(AssertionError, match="intercept_ of the model is 0"):
        check_work(Learner([step]))


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (("coef_", 0), "no attribute 'coef_'"),
        (("class_prior_", 7), "out of bounds"),
        (("class_prior_",), "gives no number"),
        (("tables_", "Wind"), "'Wind'"),
        (("predict", 0), "could not convert"),
    ],
)
def test_a_tie_to_nothing_is_caught(of, message):
    step = Step("Lost", "", "1/2", {}, 0.5, of)
    with pytest.raises(AssertionError, match=rf"'Lost', is tied to .*{message}"):
        check_work(Learner([step]), X=[[0]])


def test_a_method_needs_rows():
    step = Step("Posterior", "", "1/2", {}, 0.5, ("predict_proba", 0, 1))
    with pytest.raises(AssertionError, match="no X to call it on"):
        check_work(Learner([step]))


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "holds arithmetic"),
        ([Step("words", result=5 / 14, of=("class_prior_", 0))], "holds arithmetic"),
        ([Step("free", "", "1 + 1")], "tied to the model"),
    ],
)
def test_a_work_without_arithmetic_or_ties_is_caught(steps, message):
    with pytest.raises(AssertionError, match=message):
        check_work(Learner(steps))


def test_what_is_no_work_is_caught():
    learner = Learner([])
    learner.work = lambda: "a string"
    with pytest.raises(AssertionError, match="gives str, not a Work"):
        check_work(learner)


class Hostile(Figure):
    def svg(self):
        return self.alt


@pytest.mark.parametrize(
    ("svg", "message"), [("<svg><g></svg>", "</svg> is where </g> should be"), ("<SCRIPT></SCRIPT>", "a script")]
)
def test_bad_html_is_caught(svg, message):
    step = Step("Picture", figure=Hostile(lambda axes: None, alt=svg))
    with pytest.raises(AssertionError, match=message):
        check_work(Learner([PRIOR, step]))


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<p>a<br>b<img src='x'/></p>", None),
        ("<svg><path d=''/></svg>", None),
        ("<p><b></p></b>", "</p> is where </b> should be"),
        ("</p>", "</p> is where nothing should be"),
        ("<p>", "<p> is never closed"),
    ],
)
def test_html_fault(page, fault):
    assert html_fault(page) == fault
